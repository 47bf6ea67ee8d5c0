//===- KernelToThread.cpp - an elementwise kernel as a function of one thread ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/target/gpu/Ptx.h"

#include "lib/compiler/kernels/KernelToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
namespace compiler = tenon::compiler;
using compiler::repeatedAttr;

/// The number of this thread along an axis ("x", "y", "z") of the grid, as i64.
static Value threadNumber(OpBuilder &b, Location loc, ModuleOp module, StringRef axis) {
  auto read = [&](StringRef name) -> Value {
    std::string symbol = ("llvm.nvvm.read.ptx.sreg." + name + "." + axis).str();
    auto function = module.lookupSymbol<func::FuncOp>(symbol);
    if (!function) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      function = func::FuncOp::create(b, loc, symbol, b.getFunctionType({}, {b.getI32Type()}));
      function.setPrivate();
    }
    Value value = func::CallOp::create(b, loc, function, ValueRange()).getResult(0);
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  };
  Value block = arith::MulIOp::create(b, loc, read("ctaid"), read("ntid"));
  return arith::AddIOp::create(b, loc, block, read("tid"));
}

std::string compiler::kernelToThread(func::FuncOp from) {
  std::optional<KernelLayout> layout = KernelLayout::of(from);
  if (!layout)
    return ("expected the attribute '" + kernelAttr + "'").str();
  auto isComplex = [](mlir::Type type) { return isa<ComplexType>(mlir::getElementTypeOrSelf(type)); };
  bool hasComplex = llvm::any_of(from.getArgumentTypes(), isComplex);
  from.walk([&](Operation *op) { hasComplex |= llvm::any_of(op->getResultTypes(), isComplex); });
  if (hasComplex)
    return "it computes with complex numbers";
  unsigned walks = 0;
  for (auto generic : from.getOps<linalg::GenericOp>()) {
    walks += generic.getNumLoops() == 1;
    if (generic.getNumReductionLoops())
      return "it reduces along a row";
  }
  const bool hasPoints =
      llvm::any_of(from.getResultTypes(), [](mlir::Type type) { return cast<RankedTensorType>(type).getRank() == 0; });
  if (walks > 1 || layout->scratch || hasPoints)
    return "it walks over a row more than once";

  mlir::Location loc = from.getLoc();
  OpBuilder b(from);
  mlir::Type ptr = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  const int64_t buffers = layout->inputs + layout->results;
  SmallVector<mlir::Type> types(static_cast<size_t>(buffers), ptr);
  types.append(static_cast<size_t>(layout->outer + 1), i64);
  for (int64_t i = 0; i < layout->immediates; ++i)
    types.push_back(from.getArgument(static_cast<unsigned>(buffers + i)).getType());
  std::string name = from.getName().str();
  from.setName(name + ".row");
  auto to = func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  to->setAttr("tenon.thread", b.getUnitAttr());
  Block *entry = to.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto module = to->getParentOfType<ModuleOp>();
  auto thread = [&](StringRef axis) { return threadNumber(b, loc, module, axis); };
  auto size = [&](int64_t i) -> Value { return entry->getArgument(static_cast<unsigned>(buffers + i)); };
  auto multiply = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, loc, x, y); };
  auto add = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, loc, x, y); };
  auto isBelow = [&](Value x, Value limit) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, limit);
  };
  // The grid has the axes of the space, so that no index is taken apart: x is the
  // column, y the innermost outer axis, z the axes before it.
  const int64_t outer = layout->outer;
  Value length = size(outer), column = thread("x"), isInside = isBelow(column, length), row, front;
  SmallVector<Value> coordinates(static_cast<size_t>(outer));
  if (outer) {
    row = coordinates.back() = thread("y");
    if (outer > 1) {
      isInside = arith::AndIOp::create(b, loc, isInside, isBelow(row, size(outer - 1)));
      front = thread("z");
      row = add(multiply(front, size(outer - 1)), row);
    }
    isInside = arith::AndIOp::create(b, loc, isInside, isBelow(row, size(0)));
  }
  auto guarded = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
  b.setInsertionPoint(guarded.thenBlock()->getTerminator());

  // Which of the axes before the innermost one are looked at apart from the rest?
  auto axesOf = [&](unsigned input) { return from.getArgAttrOfType<DenseI64ArrayAttr>(input, axesAttr).asArrayRef(); };
  auto isPartial = [&](unsigned input) {
    const size_t axes = axesOf(input).size();
    return axes != 0 && axes != static_cast<size_t>(outer);
  };
  // A third outer axis and more share z, which has few threads: 32 bits will do.
  if (outer == 2)
    coordinates[0] = front;
  if (outer > 2 && llvm::any_of(llvm::seq(static_cast<unsigned>(layout->inputs)), isPartial)) {
    auto narrow = [&](Value value) -> Value { return arith::TruncIOp::create(b, loc, b.getI32Type(), value); };
    auto widen = [&](Value value) -> Value { return arith::ExtUIOp::create(b, loc, i64, value); };
    Value rest = narrow(front);
    for (int64_t axis = outer - 2; axis > 0; --axis) {
      Value extent = narrow(size(axis));
      coordinates[static_cast<size_t>(axis)] = widen(arith::RemUIOp::create(b, loc, rest, extent));
      rest = arith::DivUIOp::create(b, loc, rest, extent);
    }
    coordinates[0] = widen(rest);
  }

  Value place = outer ? add(multiply(row, length), column) : column;
  auto indexOf = [&](unsigned argument) -> Value {
    const bool isRow = cast<RankedTensorType>(from.getArgument(argument).getType()).getRank() == 1 &&
                       !from.getArgAttr(argument, repeatedAttr);
    if (argument >= static_cast<unsigned>(layout->inputs))
      return place;
    if (!isPartial(argument)) {
      const bool hasOuter = !axesOf(argument).empty();
      if (isRow)
        return hasOuter ? place : column;
      return hasOuter ? row : arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0)).getResult();
    }
    Value index;
    for (int64_t axis : axesOf(argument)) {
      Value coordinate = coordinates[static_cast<size_t>(axis)];
      index = index ? add(multiply(index, size(axis)), coordinate) : coordinate;
    }
    return isRow ? add(multiply(index, length), column) : index;
  };
  auto address = [&](unsigned argument) -> Value {
    auto tensor = cast<RankedTensorType>(from.getArgument(argument).getType());
    return LLVM::GEPOp::create(b, loc, ptr, tensor.getElementType(), entry->getArgument(argument),
                               ArrayRef<LLVM::GEPArg>{indexOf(argument)});
  };
  IRMapping mapping;
  for (unsigned i = 0; i < static_cast<unsigned>(layout->inputs); ++i)
    mapping.map(from.getArgument(i),
                LLVM::LoadOp::create(b, loc, cast<RankedTensorType>(from.getArgument(i).getType()).getElementType(),
                                     address(i)));
  for (int64_t i = 0; i < layout->immediates; ++i)
    mapping.map(from.getArgument(static_cast<unsigned>(buffers + i)),
                entry->getArgument(static_cast<unsigned>(buffers + layout->outer + 1 + i)));
  for (Operation &op : from.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp>(op) && !isa<ShapedType>(op.getResult(0).getType()))
      b.clone(op, mapping);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    for (auto [argument, input] : llvm::zip(generic.getBody()->getArguments(), generic.getInputs()))
      mapping.map(argument, mapping.lookup(input));
    for (Operation &inner : generic.getBody()->without_terminator())
      b.clone(inner, mapping);
    for (auto [out, result, value] :
         llvm::zip(generic.getOutputs(), generic.getResults(), generic.getBody()->getTerminator()->getOperands())) {
      mapping.map(result, mapping.lookup(value));
      if (auto argument = dyn_cast<BlockArgument>(out))
        LLVM::StoreOp::create(b, loc, mapping.lookup(value), address(argument.getArgNumber()));
    }
  }
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, loc);
  from.erase();
  return "";
}
