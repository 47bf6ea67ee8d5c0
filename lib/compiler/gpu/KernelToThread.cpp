//===- KernelToThread.cpp - an elementwise kernel as a function of one thread ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/gpu/Ptx.h"

#include "compiler/lower/KernelToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
namespace compiler = tenon::compiler;

/// The number of a thread in the grid, as i64.
static Value threadNumber(OpBuilder &b, Location loc, ModuleOp module) {
  auto read = [&](StringRef name) -> Value {
    std::string symbol = ("llvm.nvvm.read.ptx.sreg." + name).str();
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
  Value block = arith::MulIOp::create(b, loc, read("ctaid.x"), read("ntid.x"));
  return arith::AddIOp::create(b, loc, block, read("tid.x"));
}

std::string compiler::kernelToThread(func::FuncOp from) {
  std::optional<KernelLayout> layout = KernelLayout::of(from);
  if (!layout)
    return ("expected the attribute '" + kernelAttr + "'").str();
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
  Value number = threadNumber(b, loc, to->getParentOfType<ModuleOp>());
  auto size = [&](int64_t i) -> Value { return entry->getArgument(static_cast<unsigned>(buffers + i)); };
  Value length = size(layout->outer);
  Value total = layout->outer ? arith::MulIOp::create(b, loc, size(0), length).getResult() : length;
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number, total);
  auto guarded = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
  b.setInsertionPoint(guarded.thenBlock()->getTerminator());

  // Coordinates: the column, then the outer axes from the innermost out.
  Value column = arith::RemUIOp::create(b, loc, number, length);
  Value rest = arith::DivUIOp::create(b, loc, number, length);
  SmallVector<Value> coordinates(static_cast<size_t>(layout->outer));
  for (int64_t axis = layout->outer - 1; axis > 0; --axis) {
    coordinates[static_cast<size_t>(axis)] = arith::RemUIOp::create(b, loc, rest, size(axis));
    rest = arith::DivUIOp::create(b, loc, rest, size(axis));
  }
  if (layout->outer)
    coordinates[0] = rest;

  auto address = [&](unsigned argument) -> Value {
    auto tensor = cast<RankedTensorType>(from.getArgument(argument).getType());
    Value index = number;
    if (argument < static_cast<unsigned>(layout->inputs)) {
      index = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
      for (int64_t axis : from.getArgAttrOfType<DenseI64ArrayAttr>(argument, axesAttr).asArrayRef()) {
        if (axis > 0)
          index = arith::MulIOp::create(b, loc, index, size(axis));
        index = arith::AddIOp::create(b, loc, index, coordinates[static_cast<size_t>(axis)]);
      }
      if (tensor.getRank() == 1)
        index = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, index, length), column);
    }
    return LLVM::GEPOp::create(b, loc, ptr, tensor.getElementType(), entry->getArgument(argument),
                               ArrayRef<LLVM::GEPArg>{index});
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
