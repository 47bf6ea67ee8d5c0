//===- Vectorize.cpp - from linalg on a row to loops over vectors ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/kernels/Vectorize.h"

#include "lib/compiler/kernels/KernelToLinalg.h"
#include "lib/compiler/scalar/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
namespace compiler = tenon::compiler;
using compiler::KernelLayout, compiler::lanes, compiler::Tails;

namespace {

/// How a reduction combines, read off the op that its region yields.
struct Combine {
  Operation *op;
  unsigned valueOperand;
  /// Rounded: the order of the contract is part of the result.
  bool isTree() const { return isa<arith::AddFOp, arith::MulFOp>(op); }
};

/// Values of a complex type by their parts: no vector holds them whole.
using ComplexMap = llvm::DenseMap<Value, compiler::Parts>;

class RowVectorizer {
public:
  RowVectorizer(func::FuncOp from, KernelLayout layout, Tails tails)
      : from(from), layout(layout), tails(tails), b(from.getContext()),
        ptr(LLVM::LLVMPointerType::get(from.getContext())), i64(b.getI64Type()), loc(from.getLoc()) {
    if (auto length = from->getAttrOfType<IntegerAttr>(compiler::shortRowAttr))
      shortRow = length.getInt();
  }
  void run();

private:
  Value integer(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  Value number(mlir::Type type, double value) {
    if (isa<FloatType>(type))
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, static_cast<int64_t>(value)));
  }
  mlir::Type vectorOf(mlir::Type element) { return VectorType::get({lanes}, element); }
  Value splat(TypedAttr value) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(cast<ShapedType>(vectorOf(value.getType())), value));
  }
  Value at(Value base, mlir::Type element, Value index) {
    return LLVM::GEPOp::create(b, loc, ptr, stored(element), base, ArrayRef<LLVM::GEPArg>{index});
  }
  Value loadAt(mlir::Type type, Value base, int32_t index) {
    return LLVM::LoadOp::create(b, loc, type,
                                LLVM::GEPOp::create(b, loc, ptr, type, base, ArrayRef<LLVM::GEPArg>{index}));
  }
  /// Where an element lies, as LLVM knows it.
  static mlir::Type stored(mlir::Type element) {
    auto complex = dyn_cast<ComplexType>(element);
    return complex ? LLVM::LLVMArrayType::get(complex.getElementType(), 2) : element;
  }
  mlir::Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
  static bool isRow(Value value) { return cast<RankedTensorType>(value.getType()).getRank() == 1; }
  ArrayRef<int64_t> axesOf(unsigned input) {
    return from.getArgAttrOfType<DenseI64ArrayAttr>(input, compiler::axesAttr).asArrayRef();
  }
  bool isRepeated(unsigned input) { return from.getArgAttr(input, compiler::repeatedAttr) != nullptr; }

  void readArguments(Value arguments);
  Value indexOf(Value row, ArrayRef<int64_t> axes);
  void emitRow(Value row);
  void emitBodyOfRow();
  void emitShortRows();
  void expandRows(unsigned input, Value row, Value rows);
  void emitPoint(linalg::GenericOp op);
  bool emitPart(Operation &op, IRMapping &mapping, ComplexMap &numbers);
  Value loadLanes(mlir::Type element, int64_t count, Value from, Value mask);
  void storeLanes(Value value, Value to, Value mask);
  Value doubled(Value vector);
  void emitWalk(linalg::GenericOp op);
  Value maskOf(Value index, Value end);
  SmallVector<Value> emitBody(linalg::GenericOp op, Value index, Value mask, ValueRange accumulators);
  SmallVector<Value> emitLoop(linalg::GenericOp op, Value begin, Value end, ValueRange accumulators);
  Value reduceLanes(const Combine &combine, Value vector);
  func::FuncOp declare(const Twine &name, FunctionType type);
  /// Where the sums of blocks wait for their partners; one for each sum.
  Value stack(mlir::Type element);

  func::FuncOp from, to;
  KernelLayout layout;
  Tails tails;
  OpBuilder b;
  LLVM::LLVMPointerType ptr;
  mlir::Type i64;
  mlir::Location loc;
  Value lo, hi, length;
  /// The length of short rows; 0: rows are walked one by one.
  int64_t shortRow = 0;
  SmallVector<Value> sizes, bases, scratch;
  /// By input of a kernel of short rows: the buffer of the rows that are processed as one; null if the input needs
  /// none, being dense or one element.
  SmallVector<Value> expandedRows;
  /// Of the row at hand: elements and numbers; first elements of rows.
  llvm::DenseMap<Value, Value> scalars, pointers;
  ComplexMap complexScalars;
  /// Of the walk at hand.
  IRMapping splats;
  ComplexMap complexSplats;
  SmallVector<Combine> combines;
  SmallVector<Value> stacks;
};

} // namespace

void RowVectorizer::readArguments(Value arguments) {
  Value buffers = loadAt(ptr, arguments, 0), words = loadAt(ptr, arguments, 1);
  for (int64_t i = 0; i < layout.inputs + layout.results; ++i)
    bases.push_back(loadAt(ptr, buffers, static_cast<int32_t>(i)));
  for (int64_t i = 0; i <= layout.outer; ++i)
    sizes.push_back(loadAt(i64, words, static_cast<int32_t>(i)));
  // Without outer axes the row may be cut anywhere.
  length = layout.outer ? sizes.back() : arith::SubIOp::create(b, loc, hi, lo).getResult();
  const int64_t firstNumber = layout.inputs + layout.results + layout.scratch;
  for (int64_t i = 0; i < layout.immediates; ++i) {
    Value argument = from.getArgument(static_cast<unsigned>(firstNumber + i));
    mlir::Type type = argument.getType();
    Value word = loadAt(i64, words, static_cast<int32_t>(layout.outer + 1 + i));
    const unsigned bits = type.getIntOrFloatBitWidth();
    if (bits < 64)
      word = arith::TruncIOp::create(b, loc, b.getIntegerType(bits), word);
    scalars[argument] = isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, type, word).getResult() : word;
  }
  if (!layout.scratch)
    return;
  Value memory = loadAt(ptr, arguments, 2);
  int64_t bytes = 0;
  for (int64_t i = 0; i < layout.scratch; ++i) {
    Value argument = from.getArgument(static_cast<unsigned>(layout.inputs + layout.results + i));
    scratch.push_back(at(memory, b.getI8Type(), arith::MulIOp::create(b, loc, length, integer(bytes))));
    bytes += compiler::bytesOf(elementOf(argument));
  }
}

/// The index, among the elements over `axes` alone, of row number `row`.
Value RowVectorizer::indexOf(Value row, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return integer(0);
  if (static_cast<int64_t>(axes.size()) == layout.outer)
    return row;
  // From the innermost axis out; the outermost coordinate is what is left.
  Value rest = row, index, stride;
  for (int64_t axis = layout.outer - 1; axis >= 0; --axis) {
    Value coordinate = rest;
    if (axis > 0) {
      Value size = sizes[static_cast<size_t>(axis)];
      coordinate = arith::RemUIOp::create(b, loc, rest, size);
      rest = arith::DivUIOp::create(b, loc, rest, size);
    }
    if (!llvm::is_contained(axes, axis))
      continue;
    Value term = stride ? arith::MulIOp::create(b, loc, coordinate, stride).getResult() : coordinate;
    index = index ? arith::AddIOp::create(b, loc, index, term).getResult() : term;
    if (axis > 0) {
      Value size = sizes[static_cast<size_t>(axis)];
      stride = stride ? arith::MulIOp::create(b, loc, stride, size).getResult() : size;
    }
  }
  return index;
}

void RowVectorizer::emitRow(Value row) {
  const auto buffers = static_cast<unsigned>(layout.inputs + layout.results);
  SmallVector<int64_t> all;
  for (int64_t axis = 0; axis < layout.outer; ++axis)
    all.push_back(axis);
  for (unsigned i = 0; i < buffers; ++i) {
    Value argument = from.getArgument(i);
    mlir::Type element = elementOf(argument);
    ArrayRef<int64_t> axes = all;
    if (i < static_cast<unsigned>(layout.inputs))
      axes = axesOf(i);
    if (i < expandedRows.size() && expandedRows[i]) {
      pointers[argument] = expandedRows[i];
      continue;
    }
    Value index = layout.outer ? indexOf(row, axes) : isRow(argument) ? lo : integer(0);
    if (layout.outer && isRow(argument))
      index = arith::MulIOp::create(b, loc, index, length);
    pointers[argument] = at(bases[i], element, index);
    if (isRow(argument) || i >= static_cast<unsigned>(layout.inputs))
      continue;
    if (auto complex = dyn_cast<ComplexType>(element)) {
      auto part = [&](int32_t number) { return loadAt(complex.getElementType(), pointers[argument], number); };
      complexScalars[argument] = {part(0), part(1)};
    } else {
      scalars[argument] = LLVM::LoadOp::create(b, loc, element, pointers[argument]);
    }
  }
  for (auto [number, pointer] : llvm::enumerate(scratch))
    pointers[from.getArgument(static_cast<unsigned>(buffers + number))] = pointer;
}

/// What takes a complex number apart or joins it is no op any more.
bool RowVectorizer::emitPart(Operation &op, IRMapping &mapping, ComplexMap &numbers) {
  if (auto create = dyn_cast<complex::CreateOp>(op))
    numbers[create] = {mapping.lookupOrDefault(create.getReal()), mapping.lookupOrDefault(create.getImaginary())};
  else if (auto real = dyn_cast<complex::ReOp>(op))
    mapping.map(real.getResult(), numbers.lookup(real.getComplex()).real);
  else if (auto imag = dyn_cast<complex::ImOp>(op))
    mapping.map(imag.getResult(), numbers.lookup(imag.getComplex()).imag);
  else
    return false;
  return true;
}

/// Once per row.
void RowVectorizer::emitPoint(linalg::GenericOp op) {
  IRMapping mapping;
  ComplexMap numbers = complexScalars;
  for (auto [argument, input] : llvm::zip(op.getBody()->getArguments(), op.getInputs()))
    if (isa<ComplexType>(argument.getType()))
      numbers[argument] = complexScalars.lookup(input);
    else
      mapping.map(argument, scalars[input]);
  for (auto &[key, value] : scalars)
    if (!isa<RankedTensorType>(key.getType()))
      mapping.map(key, value);
  for (Operation &inner : op.getBody()->without_terminator())
    if (!emitPart(inner, mapping, numbers))
      b.clone(inner, mapping);
  Value out = op.getOutputs()[0], yielded = op.getBody()->getTerminator()->getOperand(0);
  if (isa<ComplexType>(yielded.getType())) {
    const compiler::Parts parts = numbers.lookup(yielded);
    if (!isa<BlockArgument>(out)) {
      complexScalars[op.getResult(0)] = parts;
      return;
    }
    LLVM::StoreOp::create(b, loc, parts.real, pointers[out]);
    LLVM::StoreOp::create(
        b, loc, parts.imag,
        LLVM::GEPOp::create(b, loc, ptr, parts.imag.getType(), pointers[out], ArrayRef<LLVM::GEPArg>{1}));
    return;
  }
  Value value = mapping.lookupOrDefault(yielded);
  if (isa<BlockArgument>(out))
    LLVM::StoreOp::create(b, loc, value, pointers[out]);
  else
    scalars[op.getResult(0)] = value;
}

/// The lanes that lie before `end`.
Value RowVectorizer::maskOf(Value index, Value end) {
  mlir::Type i32 = b.getI32Type();
  Value left = arith::MinSIOp::create(b, loc, arith::SubIOp::create(b, loc, end, index), integer(lanes));
  left = vector::BroadcastOp::create(b, loc, vectorOf(i32), arith::TruncIOp::create(b, loc, i32, left));
  SmallVector<int32_t> iota(lanes);
  for (size_t i = 0; i < iota.size(); ++i)
    iota[i] = static_cast<int32_t>(i);
  Value lane =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(cast<ShapedType>(vectorOf(i32)), ArrayRef(iota)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lane, left);
}

/// Lanes 0, 0, 1, 1 ...
Value RowVectorizer::doubled(Value vector) {
  SmallVector<int32_t> twice;
  for (int32_t i = 0; i < 2 * lanes; ++i)
    twice.push_back(i / 2);
  return LLVM::ShuffleVectorOp::create(b, loc, vector, vector, twice);
}

Value RowVectorizer::loadLanes(mlir::Type element, int64_t count, Value from, Value mask) {
  auto type = VectorType::get({count}, element);
  if (!mask)
    return LLVM::LoadOp::create(b, loc, type, from, /*alignment=*/1);
  Value zeros = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  return LLVM::MaskedLoadOp::create(b, loc, type, from, mask, zeros, 1);
}

void RowVectorizer::storeLanes(Value value, Value to, Value mask) {
  if (mask)
    LLVM::MaskedStoreOp::create(b, loc, value, to, mask, 1);
  else
    LLVM::StoreOp::create(b, loc, value, to, /*alignment=*/1);
}

/// Elements [index, index + 16), without a mask all of them; returns the
/// accumulators with these added.
SmallVector<Value> RowVectorizer::emitBody(linalg::GenericOp op, Value index, Value mask, ValueRange accumulators) {
  IRMapping mapping = splats;
  ComplexMap numbers = complexSplats;
  Block *body = op.getBody();
  for (auto [argument, input] : llvm::zip(body->getArguments(), op.getInputs())) {
    if (!isRow(input) || input.getDefiningOp<tensor::EmptyOp>()) // an empty one only gives the row's length
      continue;
    mlir::Type element = elementOf(input);
    Value from = at(pointers[input], element, index);
    if (auto complex = dyn_cast<ComplexType>(element)) {
      // The parts lie in turns.
      Value both = loadLanes(complex.getElementType(), 2 * lanes, from, mask ? doubled(mask) : Value());
      SmallVector<int32_t> even, odd;
      for (int32_t i = 0; i < 2 * lanes; i += 2)
        even.push_back(i), odd.push_back(i + 1);
      numbers[argument] = {LLVM::ShuffleVectorOp::create(b, loc, both, both, even),
                           LLVM::ShuffleVectorOp::create(b, loc, both, both, odd)};
    } else {
      mapping.map(argument, loadLanes(element, lanes, from, mask));
    }
  }
  const size_t inputs = op.getInputs().size();
  size_t next = 0;
  for (auto [number, out] : llvm::enumerate(op.getOutputs()))
    if (!isRow(out))
      mapping.map(body->getArgument(static_cast<unsigned>(inputs + number)), accumulators[next++]);

  for (Operation &inner : body->without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      mapping.map(constant.getResult(), splat(cast<TypedAttr>(constant.getValue())));
      continue;
    }
    // Lanes past the end are neutral.
    if (auto *combine = llvm::find_if(combines, [&](const Combine &c) { return c.op == &inner; });
        mask && combine != combines.end()) {
      Value value = inner.getOperand(combine->valueOperand), start = inner.getOperand(1 - combine->valueOperand);
      auto out = cast<BlockArgument>(start).getArgNumber() - inputs;
      auto neutral = cast<DenseElementsAttr>(
          cast<arith::ConstantOp>(op.getOutputs()[static_cast<unsigned>(out)].getDefiningOp()).getValue());
      Value here = mapping.lookup(value);
      IRMapping combined = mapping;
      combined.map(value, arith::SelectOp::create(b, inner.getLoc(), mask, here,
                                                  splat(cast<TypedAttr>(neutral.getSplatValue<Attribute>()))));
      mapping.map(inner.getResult(0), b.clone(inner, combined)->getResult(0));
      mapping.lookup(inner.getResult(0)).setType(vectorOf(inner.getResult(0).getType()));
      continue;
    }
    if (emitPart(inner, mapping, numbers))
      continue;
    Operation *made = b.clone(inner, mapping);
    for (Value result : made->getResults())
      result.setType(vectorOf(result.getType()));
  }
  SmallVector<Value> carried;
  for (auto [out, value] : llvm::zip(op.getOutputs(), body->getTerminator()->getOperands())) {
    if (!isRow(out)) {
      carried.push_back(mapping.lookup(value));
      continue;
    }
    Value to = at(pointers[out], elementOf(out), index);
    if (isa<ComplexType>(value.getType())) {
      const compiler::Parts parts = numbers.lookup(value);
      SmallVector<int32_t> inTurns;
      for (int32_t i = 0; i < 2 * lanes; ++i)
        inTurns.push_back(i / 2 + i % 2 * static_cast<int32_t>(lanes));
      storeLanes(LLVM::ShuffleVectorOp::create(b, loc, parts.real, parts.imag, inTurns), to,
                 mask ? doubled(mask) : Value());
    } else {
      storeLanes(mapping.lookup(value), to, mask);
    }
  }
  return carried;
}

SmallVector<Value> RowVectorizer::emitLoop(linalg::GenericOp op, Value begin, Value end, ValueRange accumulators) {
  Value whole = end;
  if (tails == Tails::apart) {
    Value count = arith::SubIOp::create(b, loc, end, begin);
    count = arith::AndIOp::create(b, loc, count, integer(-lanes));
    whole = arith::AddIOp::create(b, loc, begin, count);
  }
  auto loop = scf::ForOp::create(b, loc, begin, whole, integer(lanes), accumulators);
  auto emitIn = [&](Block *block, llvm::function_ref<SmallVector<Value>()> make) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    if (accumulators.empty())
      b.setInsertionPoint(block->getTerminator());
    SmallVector<Value> carried = make();
    if (!accumulators.empty())
      scf::YieldOp::create(b, loc, carried);
  };
  emitIn(loop.getBody(), [&] {
    Value index = loop.getInductionVar();
    return emitBody(op, index, tails == Tails::apart ? Value() : maskOf(index, end), loop.getRegionIterArgs());
  });
  if (tails == Tails::masked)
    return llvm::to_vector(ValueRange(loop.getResults()));
  Value isCut = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, whole, end);
  auto rest = scf::IfOp::create(b, loc, accumulators.getTypes(), isCut, /*withElseRegion=*/!accumulators.empty());
  emitIn(rest.thenBlock(), [&] { return emitBody(op, whole, maskOf(whole, end), loop.getResults()); });
  if (!accumulators.empty())
    emitIn(rest.elseBlock(), [&] { return llvm::to_vector(ValueRange(loop.getResults())); });
  return llvm::to_vector(ValueRange(rest.getResults()));
}

/// 16 lanes to one: halved 8, 4, 2, 1.
Value RowVectorizer::reduceLanes(const Combine &combine, Value vector) {
  mlir::Type element = cast<VectorType>(vector.getType()).getElementType();
  auto combined = [&](Value low, Value high, mlir::Type type) {
    IRMapping mapping;
    mapping.map(combine.op->getOperand(0), low);
    mapping.map(combine.op->getOperand(1), high);
    Operation *made = b.clone(*combine.op, mapping);
    made->getResult(0).setType(type);
    return made->getResult(0);
  };
  for (int64_t width = lanes / 2; width > 1; width /= 2) {
    SmallVector<int32_t> low, high;
    for (int32_t i = 0; i < width; ++i) {
      low.push_back(i);
      high.push_back(i + static_cast<int32_t>(width));
    }
    vector = combined(LLVM::ShuffleVectorOp::create(b, loc, vector, vector, low),
                      LLVM::ShuffleVectorOp::create(b, loc, vector, vector, high), VectorType::get({width}, element));
  }
  return combined(LLVM::ExtractElementOp::create(b, loc, vector, integer(0)),
                  LLVM::ExtractElementOp::create(b, loc, vector, integer(1)), element);
}

func::FuncOp RowVectorizer::declare(const Twine &twine, FunctionType type) {
  auto module = to->getParentOfType<ModuleOp>();
  const std::string name = twine.str();
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(b, loc, name, type);
  function.setPrivate();
  return function;
}

Value RowVectorizer::stack(mlir::Type element) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&to.getBody().front());
  return LLVM::AllocaOp::create(b, loc, ptr, element, integer(64));
}

void RowVectorizer::emitWalk(linalg::GenericOp op) {
  loc = op.getLoc();
  Block *body = op.getBody();
  combines.clear();
  SmallVector<unsigned> sums, others; // numbers of outputs
  const size_t inputs = op.getInputs().size();
  for (auto [number, out] : llvm::enumerate(op.getOutputs())) {
    if (isRow(out))
      continue;
    Operation *combine = body->getTerminator()->getOperand(static_cast<unsigned>(number)).getDefiningOp();
    Value accumulator = body->getArgument(static_cast<unsigned>(inputs + number));
    combines.push_back({combine, combine->getOperand(0) == accumulator ? 1u : 0u});
    (combines.back().isTree() ? sums : others).push_back(static_cast<unsigned>(number));
  }

  // What does not change along the row, as vectors.
  splats.clear();
  complexSplats.clear();
  auto repeated = [&](Value scalar) -> Value {
    return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType()), scalar);
  };
  auto addSplat = [&](Value key, Value from) {
    if (isa<ComplexType>(key.getType())) {
      const compiler::Parts parts = complexScalars.lookup(from);
      complexSplats[key] = {repeated(parts.real), repeated(parts.imag)};
    } else {
      splats.map(key, repeated(scalars[from]));
    }
  };
  for (auto [argument, input] : llvm::zip(body->getArguments(), op.getInputs()))
    if (!isRow(input))
      addSplat(argument, input);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      splats.map(value, splat(cast<TypedAttr>(constant.getValue())));
    else
      addSplat(value, value);
  }
  auto combineOf = [&](unsigned output) -> const Combine & {
    Operation *combine = body->getTerminator()->getOperand(output).getDefiningOp();
    return *llvm::find_if(combines, [&](const Combine &c) { return c.op == combine; });
  };
  auto neutralOf = [&](unsigned output) {
    auto constant = cast<arith::ConstantOp>(op.getOutputs()[output].getDefiningOp());
    return splat(cast<TypedAttr>(cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>()));
  };
  for (auto [number, out] : llvm::enumerate(op.getOutputs()))
    if (isRow(out))
      pointers[op.getResult(static_cast<unsigned>(number))] = pointers.lookup(out);

  // Of the runtime: combines the results of blocks pairwise.
  auto pairwise = [&](StringRef what, unsigned output, mlir::Type type, FunctionType function) {
    StringRef combine = isa<arith::MulFOp>(combineOf(output).op) ? "product" : "sum";
    return declare("tenon_" + combine + "_" + what + (type.isF32() ? "_f32" : "_f64"), function);
  };

  Value zero = integer(0);
  if (sums.empty()) {
    SmallVector<Value> start;
    for (unsigned output : others)
      start.push_back(neutralOf(output));
    SmallVector<Value> ends = emitLoop(op, zero, length, start);
    for (auto [output, end] : llvm::zip(others, ends))
      scalars[op.getResult(output)] = reduceLanes(combineOf(output), end);
    return;
  }

  // Blocks: carried are the lanes of the others and the last block's sums.
  SmallVector<Value> start;
  for (unsigned output : others)
    start.push_back(neutralOf(output));
  // Over no elements a sum is 0 although it starts at -0; a product is 1.
  for (unsigned output : sums)
    start.push_back(number(elementOf(op.getOutputs()[output]), isa<arith::MulFOp>(combineOf(output).op) ? 1 : 0));
  SmallVector<Value> neutral;
  for (unsigned output : sums)
    neutral.push_back(neutralOf(output));
  while (stacks.size() < sums.size())
    stacks.push_back(stack(b.getF64Type()));
  Value block = integer(compiler::sumBlock), shift = integer(12);
  static_assert(compiler::sumBlock == 1 << 12);
  Value isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, length, block);
  auto loop = scf::ForOp::create(b, loc, zero, length, block, start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value begin = loop.getInductionVar();
    Value end = arith::MinSIOp::create(b, loc, arith::AddIOp::create(b, loc, begin, block), length);
    // The accumulators are in the order of the outputs.
    SmallVector<Value> accumulators;
    size_t nextOther = 0, nextSum = 0;
    for (unsigned output = 0; output < op.getOutputs().size(); ++output)
      if (llvm::is_contained(others, output))
        accumulators.push_back(loop.getRegionIterArgs()[nextOther++]);
      else if (llvm::is_contained(sums, output))
        accumulators.push_back(neutral[nextSum++]);
    SmallVector<Value> ends = emitLoop(op, begin, end, accumulators);
    SmallVector<Value> carried, totals;
    size_t next = 0;
    for (unsigned output = 0; output < op.getOutputs().size(); ++output)
      if (llvm::is_contained(others, output))
        carried.push_back(ends[next++]);
      else if (llvm::is_contained(sums, output))
        totals.push_back(reduceLanes(combineOf(output), ends[next++]));
    auto push = scf::IfOp::create(b, loc, isLong, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPoint(push.thenBlock()->getTerminator());
      Value number = arith::ShRUIOp::create(b, loc, begin, shift);
      for (auto [output, place, total] : llvm::zip(sums, stacks, totals)) {
        mlir::Type type = total.getType();
        func::CallOp::create(b, loc, pairwise("push", output, type, b.getFunctionType({ptr, i64, type}, {})),
                             ValueRange{place, number, total});
      }
    }
    carried.append(totals);
    scf::YieldOp::create(b, loc, carried);
  }
  for (auto [number, output] : llvm::enumerate(others))
    scalars[op.getResult(output)] = reduceLanes(combineOf(output), loop.getResult(static_cast<unsigned>(number)));
  for (auto [number, output] : llvm::enumerate(sums)) {
    Value last = loop.getResult(static_cast<unsigned>(others.size() + number));
    mlir::Type type = last.getType();
    auto choice = scf::IfOp::create(b, loc, TypeRange(type), isLong, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value count =
        arith::ShRUIOp::create(b, loc, arith::AddIOp::create(b, loc, length, integer(compiler::sumBlock - 1)), shift);
    auto call = func::CallOp::create(b, loc, pairwise("finish", output, type, b.getFunctionType({ptr, i64}, {type})),
                                     ValueRange{stacks[number], count});
    scf::YieldOp::create(b, loc, call.getResult(0));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, last);
    scalars[op.getResult(output)] = choice.getResult(0);
  }
}

/// Writes `rows` rows of an input that is broadcast, from number `row` on, to the input's buffer.
void RowVectorizer::expandRows(unsigned input, Value row, Value rows) {
  mlir::Type element = elementOf(from.getArgument(input)), part = element;
  int64_t parts = 1; // numbers of an element
  if (auto complex = dyn_cast<ComplexType>(element))
    part = complex.getElementType(), parts = 2;
  ArrayRef<int64_t> axes = axesOf(input);
  const bool isPerRow = isRepeated(input);
  Value to = expandedRows[input];
  /// Elements [begin, begin + count) of the rows made of `loaded`: one element for each row, or one row.
  auto spread = [&](Value loaded, int64_t begin, int64_t count) -> Value {
    SmallVector<int32_t> sources;
    for (int64_t i = begin * parts; i < (begin + count) * parts; ++i) {
      const int64_t number = i / parts, source = isPerRow ? number / shortRow : number % shortRow;
      sources.push_back(static_cast<int32_t>(source * parts + i % parts));
    }
    return LLVM::ShuffleVectorOp::create(b, loc, loaded, loaded, sources);
  };
  auto loop = [&](Value begin, Value end, int64_t step, llvm::function_ref<void(Value)> body) {
    auto made = scf::ForOp::create(b, loc, begin, end, integer(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(made.getBody()->getTerminator());
    body(made.getInductionVar());
  };
  auto placeOf = [&](Value number) { return arith::MulIOp::create(b, loc, number, integer(shortRow)).getResult(); };
  const bool isWhole = static_cast<int64_t>(axes.size()) == layout.outer;
  if (!axes.empty() && !(isPerRow && isWhole)) {
    // Recomputes the index, which needs divisions, only when the innermost outer axis wraps around.
    Value size = sizes[static_cast<size_t>(layout.outer - 1)];
    Value step = integer(axes.back() == layout.outer - 1);
    SmallVector<Value> start{arith::RemUIOp::create(b, loc, row, size), indexOf(row, axes)};
    auto made = scf::ForOp::create(b, loc, integer(0), rows, integer(1), start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(made.getBody());
    Value number = made.getInductionVar(), coordinate = made.getRegionIterArg(0), index = made.getRegionIterArg(1);
    Value source = at(bases[input], element, isPerRow ? index : placeOf(index));
    Value loaded = loadLanes(part, (isPerRow ? 1 : shortRow) * parts, source, Value());
    storeLanes(spread(loaded, 0, shortRow), at(to, element, placeOf(number)), Value());
    Value next = arith::AddIOp::create(b, loc, number, integer(1));
    coordinate = arith::AddIOp::create(b, loc, coordinate, integer(1));
    Value isEnd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, coordinate, size);
    auto chosen = scf::IfOp::create(
        b, loc, isEnd,
        [&](OpBuilder &, mlir::Location) {
          Value first = indexOf(arith::AddIOp::create(b, loc, row, next), axes);
          scf::YieldOp::create(b, loc, ValueRange{integer(0), first});
        },
        [&](OpBuilder &, mlir::Location) {
          scf::YieldOp::create(b, loc, ValueRange{coordinate, arith::AddIOp::create(b, loc, index, step)});
        });
    scf::YieldOp::create(b, loc, chosen.getResults());
    return;
  }
  // 16 rows fill as many vectors as a row has elements.
  auto emitGroup = [&](Value loaded, Value number) {
    Value first = placeOf(number);
    for (int64_t i = 0; i < shortRow; ++i) {
      Value place = arith::AddIOp::create(b, loc, first, integer(i * lanes));
      storeLanes(spread(loaded, i * lanes, lanes), at(to, element, place), Value());
    }
  };
  if (!isPerRow) {
    Value loaded = loadLanes(part, shortRow * parts, bases[input], Value());
    loop(integer(0), rows, lanes, [&](Value number) { emitGroup(loaded, number); });
    return;
  }
  auto emitRead = [&](Value number, Value mask) {
    Value source = at(bases[input], element, arith::AddIOp::create(b, loc, row, number));
    emitGroup(loadLanes(part, lanes * parts, source, mask && parts == 2 ? doubled(mask) : mask), number);
  };
  if (tails == Tails::masked) {
    loop(integer(0), rows, lanes, [&](Value number) { emitRead(number, maskOf(number, rows)); });
    return;
  }
  Value whole = arith::AndIOp::create(b, loc, rows, integer(-lanes));
  loop(integer(0), whole, lanes, [&](Value number) { emitRead(number, Value()); });
  Value isCut = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, whole, rows);
  auto rest = scf::IfOp::create(b, loc, isCut, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(rest.thenBlock()->getTerminator());
  emitRead(whole, maskOf(whole, rows));
}

/// Processes blocks of short rows, each block as one long row: a vector for each row would be mostly empty.
void RowVectorizer::emitShortRows() {
  constexpr int64_t mostBytes = 8192; // of all buffers: they stay in the first cache
  int64_t bytes = 0;                  // of one row of each buffer
  auto needsExpansion = [&](unsigned input) {
    const bool isDense = !isRepeated(input) && static_cast<int64_t>(axesOf(input).size()) == layout.outer;
    return isRow(from.getArgument(input)) && !isDense;
  };
  for (unsigned i = 0; i < static_cast<unsigned>(layout.inputs); ++i)
    if (needsExpansion(i))
      bytes += compiler::bytesOf(elementOf(from.getArgument(i))) * shortRow;
  // Whole groups of 16 rows: expandRows fills the last group of a block even where the block has fewer rows.
  const int64_t rowsPerBlock = std::max(lanes, mostBytes / std::max<int64_t>(bytes, 1) / lanes * lanes);
  auto countFrom = [&](Value row) {
    return arith::MinSIOp::create(b, loc, arith::SubIOp::create(b, loc, hi, row), integer(rowsPerBlock)).getResult();
  };
  expandedRows.resize(static_cast<size_t>(layout.inputs));
  for (unsigned i = 0; i < expandedRows.size(); ++i)
    if (needsExpansion(i))
      expandedRows[i] = LLVM::AllocaOp::create(b, loc, ptr, stored(elementOf(from.getArgument(i))),
                                               integer(rowsPerBlock * shortRow), /*alignment=*/64);
  for (unsigned i = 0; i < expandedRows.size(); ++i)
    if (expandedRows[i] && axesOf(i).empty())
      expandRows(i, lo, countFrom(lo));
  auto blocks = scf::ForOp::create(b, loc, lo, hi, integer(rowsPerBlock));
  b.setInsertionPoint(blocks.getBody()->getTerminator());
  Value row = blocks.getInductionVar(), rows = countFrom(row);
  for (unsigned i = 0; i < expandedRows.size(); ++i)
    if (expandedRows[i] && !axesOf(i).empty())
      expandRows(i, row, rows);
  length = integer(shortRow);
  emitRow(row);
  length = arith::MulIOp::create(b, loc, rows, length);
  emitBodyOfRow();
}

void RowVectorizer::emitBodyOfRow() {
  for (Operation &op : from.getBody().front().without_terminator()) {
    loc = op.getLoc();
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (generic.getNumLoops() == 0)
        emitPoint(generic);
      else
        emitWalk(generic);
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (!isa<ShapedType>(constant.getType()))
        scalars[constant.getResult()] = b.clone(op)->getResult(0);
    } else if (auto create = dyn_cast<complex::CreateOp>(op)) {
      complexScalars[create] = {scalars.lookup(create.getReal()), scalars.lookup(create.getImaginary())};
    }
  }
}

void RowVectorizer::run() {
  b.setInsertionPoint(from);
  std::string name = from.getName().str();
  from.setName(name + ".row");
  to = func::FuncOp::create(b, loc, name, b.getFunctionType({ptr, i64, i64}, {b.getI32Type()}));
  Block *entry = to.addEntryBlock();
  b.setInsertionPointToStart(entry);
  lo = entry->getArgument(1), hi = entry->getArgument(2);
  readArguments(entry->getArgument(0));
  if (shortRow) {
    emitShortRows();
  } else {
    scf::ForOp rows;
    if (layout.outer) {
      rows = scf::ForOp::create(b, loc, lo, hi, integer(1));
      b.setInsertionPointToStart(rows.getBody());
    }
    emitRow(rows ? rows.getInductionVar() : Value());
    emitBodyOfRow();
  }
  loc = from.getLoc();
  b.setInsertionPointToEnd(entry);
  Value ok = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, loc, ok);
  from.erase();
}

void compiler::vectorizeKernel(func::FuncOp function, Tails tails) {
  RowVectorizer(function, *KernelLayout::of(function), tails).run();
}
