//===- KernelToLinalg.cpp - a kernel's region as linalg on one row --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/kernels/KernelToLinalg.h"

#include "dialect/ir/Bridge.h"
#include "lib/compiler/group/Costs.h"
#include "lib/compiler/kernels/Vectorize.h"
#include "lib/compiler/scalar/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using tenon::Dtype, tenon::OpCode, tenon::OpInfo;
namespace compiler = tenon::compiler;
namespace ir = tenon::ir;
using namespace tenon::compiler;

DictionaryAttr KernelLayout::toAttribute(MLIRContext *context) const {
  Builder b(context);
  auto entry = [&](StringRef name, int64_t value) { return b.getNamedAttr(name, b.getI64IntegerAttr(value)); };
  return b.getDictionaryAttr({entry("outer", outer), entry("inputs", inputs), entry("results", results),
                              entry("scratch", scratch), entry("immediates", immediates)});
}

std::optional<KernelLayout> KernelLayout::of(Operation *function) {
  auto attribute = function->getAttrOfType<DictionaryAttr>(kernelAttr);
  if (!attribute)
    return std::nullopt;
  KernelLayout layout;
  for (auto [name, field] : {std::pair("outer", &layout.outer),
                             {"inputs", &layout.inputs},
                             {"results", &layout.results},
                             {"scratch", &layout.scratch},
                             {"immediates", &layout.immediates}}) {
    auto value = attribute.getAs<IntegerAttr>(name);
    if (!value || !value.getType().isInteger(64) || value.getInt() < 0 || value.getInt() > INT32_MAX)
      return std::nullopt;
    *field = value.getInt();
  }
  return layout;
}

int64_t compiler::bytesOf(mlir::Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complex.getElementType());
  return element.getIntOrFloatBitWidth() / 8;
}

int64_t compiler::scratchBytesPerElement(func::FuncOp function) {
  std::optional<KernelLayout> layout = KernelLayout::of(function);
  int64_t bytes = 0;
  for (int64_t i = 0; i < layout->scratch; ++i) {
    auto row = cast<RankedTensorType>(
        function.getArgument(static_cast<unsigned>(layout->inputs + layout->results + i)).getType());
    bytes += bytesOf(row.getElementType());
  }
  return bytes;
}

static OpCode codeOf(Operation &op) { return static_cast<OpCode>(ir::infoOf(&op)->code); }
static bool isRowType(Value value) { return cast<RankedTensorType>(value.getType()).getRank() == 1; }
/// Repeats an element along the row.
static bool isRepeat(Operation &op) {
  auto view = dyn_cast<ir::ViewOpInterface>(op);
  return view && view.getInfo().lowering == tenon::Lowering::broadcast;
}
static bool isReduction(Operation &op) { return ir::infoOf(&op)->isReduction(); }

/// Whether `input` has one element for each row.
static bool isRepeated(ir::KernelOp kernel, BlockArgument input) {
  return input.getArgNumber() < kernel.getInputs().size() && !isRowType(input) &&
         !cast<DenseI64ArrayAttr>(kernel.getMaps()[input.getArgNumber()]).empty();
}

int64_t compiler::shortRowOf(ir::KernelOp kernel) {
  const tenon::Dim length = kernel.getDims().back();
  if (!kernel.getOuter() || !length.is_static() || length.raw() < 2 || length.raw() >= lanes)
    return 0;
  Block &body = kernel.getBody().front();
  // Many rows are processed as one, so no value may be computed once for each row.
  const bool isElementwise =
      llvm::all_of(
          body.without_terminator(),
          [](Operation &op) { return isa<ir::FullOp>(op) || (isRowType(op.getResult(0)) && !isReduction(op)); }) &&
      llvm::all_of(body.getTerminator()->getOperands(),
                   [](Value result) {
                     Operation *op = result.getDefiningOp();
                     return isRowType(result) && !(op && isRepeat(*op));
                   }) &&
      llvm::all_of(body.getArguments().drop_back(), [&](BlockArgument argument) {
        return !isRepeated(kernel, argument) ||
               llvm::all_of(argument.getUsers(), [](Operation *user) { return isRepeat(*user); });
      });
  return isElementwise ? length.raw() : 0;
}

llvm::SmallVector<uintptr_t, 64> compiler::kernelKey(ir::KernelOp kernel) {
  llvm::SmallVector<uintptr_t, 64> key;
  auto add = [&](const void *pointer) { key.push_back(reinterpret_cast<uintptr_t>(pointer)); };
  key.push_back(kernel.getOuter());
  key.push_back(static_cast<uintptr_t>(shortRowOf(kernel)));
  add(kernel.getMaps().getAsOpaquePointer());
  llvm::DenseMap<Value, uintptr_t> numbers;
  Block &body = kernel.getBody().front();
  key.push_back(body.getNumArguments());
  for (BlockArgument argument : body.getArguments()) {
    numbers[argument] = numbers.size();
    add(argument.getType().getAsOpaquePointer());
  }
  for (Operation &op : body) {
    add(op.getName().getAsOpaquePointer());
    add(op.getAttrDictionary().getAsOpaquePointer());
    key.push_back(op.getNumOperands());
    for (Value operand : op.getOperands())
      key.push_back(numbers.lookup(operand));
    key.push_back(op.getNumResults());
    for (Value result : op.getResults()) {
      numbers[result] = numbers.size();
      add(result.getType().getAsOpaquePointer());
    }
  }
  return key;
}

namespace {

/// Where a value of the body stands. Walk p is the p-th pass over the row;
/// an element of phase p is known after walk p (-1: before the first).
struct Place {
  bool isRow = false;
  int phase = 0;
  /// Bits of the walks in which a row is needed.
  uint64_t needed = 0;
  /// Ops that computing it anew takes, from rows that are in memory.
  int cost = 0;
  bool isStored = false;
};

class RowLowering {
public:
  RowLowering(ir::KernelOp kernel, StringRef name, OpBuilder &b)
      : kernel(kernel), name(name), b(b), body(kernel.getBody().front()),
        end(cast<ir::ReturnOp>(body.getTerminator())) {}

  func::FuncOp run();

private:
  struct Walk {
    int phase = 0;
    SmallVector<Value> rows, elements; // inputs, in the body's values
    llvm::SmallDenseMap<Value, Value> made;
  };

  bool place();
  void findNeeds();
  void chooseBuffers();
  func::FuncOp makeFunction();
  void collect(Walk &walk, Value value);
  Value emit(Walk &walk, OpBuilder &nested, Value value);
  Value elementIn(OpBuilder &nested, Walk &walk, Value value);
  void lowerWalk(int phase);
  void lowerElement(Operation &op);
  Value point(mlir::Location loc, ValueRange ins, Value out, mlir::Type type,
              llvm::function_ref<Value(OpBuilder &, ValueRange)> make);

  Dtype dtypeOf(Value value) { return *ir::dtypeOf(cast<RankedTensorType>(value.getType()).getElementType()); }
  SmallVector<Dtype> dtypesOf(Operation &op) {
    SmallVector<Dtype> dtypes;
    for (Value operand : op.getOperands())
      dtypes.push_back(dtypeOf(operand));
    return dtypes;
  }
  bool isRow(Value value) { return places.lookup(value).isRow; }
  /// Rows are read from memory in this walk rather than computed.
  bool isLoaded(Value value, int phase) {
    const Place &at = places[value];
    return isa<BlockArgument>(value) || (at.isStored && at.phase < phase);
  }
  mlir::Type rowType(Value value) {
    return RankedTensorType::get({ShapedType::kDynamic}, memoryType(b.getContext(), dtypeOf(value)));
  }
  mlir::Type pointType(mlir::Type element) { return RankedTensorType::get({}, element); }

  ir::KernelOp kernel;
  StringRef name;
  OpBuilder &b;
  Block &body;
  ir::ReturnOp end;
  func::FuncOp function;
  llvm::DenseMap<Value, Place> places;
  int walks = 0;
  KernelLayout layout;
  /// The buffer of a stored row: a result's number, or past them a scratch row's.
  llvm::DenseMap<Value, int64_t> buffers;
  SmallVector<mlir::Type> scratch;
  /// Elements as rank-0 tensors of their compute type, or numbers as they are.
  llvm::DenseMap<Value, Value> elements;
  /// Stored rows.
  llvm::DenseMap<Value, Value> stored;
};

} // namespace

/// What a reduction to `dtype` is accumulated in.
static Dtype accumulatorOf(const tenon::ReductionInfo &reduction, Dtype dtype) {
  return reduction.isWide && is_narrow(dtype) ? Dtype::f32 : dtype;
}

/// The element that changes nothing it is combined with. A sum's is -0, also where
/// the sum of nothing is 0.
static TypedAttr neutralOf(OpCode combine, Dtype dtype, mlir::Type type) {
  Builder b(type.getContext());
  const bool isFloat = isa<FloatType>(type);
  const unsigned bits = type.getIntOrFloatBitWidth();
  const bool isSigned = is_signed(dtype) && bits > 1;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto number = [&](double value) { return b.getFloatAttr(type, value); };
  auto integer = [&](const APInt &value) { return b.getIntegerAttr(type, value); };
  switch (combine) {
  case OpCode::add:
    return isFloat ? TypedAttr(number(-0.0)) : integer(APInt::getZero(bits));
  case OpCode::multiply:
    return isFloat ? TypedAttr(number(1)) : integer(APInt(bits, 1));
  case OpCode::maximum:
    return isFloat ? TypedAttr(number(-infinity))
                   : integer(isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits));
  case OpCode::minimum:
    return isFloat ? TypedAttr(number(infinity))
                   : integer(isSigned ? APInt::getSignedMaxValue(bits) : APInt::getAllOnes(bits));
  default:
    llvm_unreachable("not what a reduction combines with");
  }
}

bool RowLowering::place() {
  for (BlockArgument argument : body.getArguments().drop_back()) {
    Place &at = places[argument];
    at.isRow = cast<RankedTensorType>(argument.getType()).getRank() == 1;
    at.phase = at.isRow ? 0 : -1;
  }
  for (Operation &op : body.without_terminator()) {
    Place at;
    at.isRow = cast<RankedTensorType>(op.getResult(0).getType()).getRank() == 1;
    at.phase = at.isRow ? 0 : -1;
    for (Value operand : op.getOperands())
      if (!operand.getType().isIndex())
        at.phase = std::max(at.phase, places[operand].phase);
    if (isRepeat(op) && !isRow(op.getOperand(0))) {
      at.phase = at.isRow ? places[op.getOperand(0)].phase + 1 : places[op.getOperand(0)].phase;
    } else if (isReduction(op)) {
      if (!isRow(op.getOperand(0)) || at.isRow) {
        op.emitOpError() << "expected the reduction of a row to one element in a kernel";
        return false;
      }
    } else if (isa<ir::FullOp>(op)) {
      if (at.isRow) {
        op.emitOpError() << "expected a single number in a kernel";
        return false;
      }
    } else if (!hasScalarBody(codeOf(op))) {
      op.emitOpError() << "has no scalar body: it cannot be part of a kernel";
      return false;
    }
    if (at.isRow && !isRepeat(op)) {
      // Only plain arithmetic is cheaper to compute twice than to store.
      at.cost = opInfo(codeOf(op)).cost > 1 ? 100 : 1;
      for (Value operand : op.getOperands())
        at.cost += places[operand].cost;
    }
    places[op.getResult(0)] = at;
    walks = std::max(walks, at.phase + 1);
  }
  if (walks > 64) {
    kernel.emitOpError() << "expected at most 64 walks over a row, got " << walks;
    return false;
  }
  return true;
}

void RowLowering::findNeeds() {
  for (Value result : end.getOperands())
    if (Place &at = places[result]; at.isRow) {
      at.isStored = !isa<BlockArgument>(result);
      at.needed |= uint64_t(1) << at.phase;
      walks = std::max(walks, at.phase + 1);
    }
  constexpr int recomputable = 4;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    uint64_t computed;
    if (isReduction(op)) {
      computed = uint64_t(1) << places[op.getResult(0)].phase;
      walks = std::max(walks, places[op.getResult(0)].phase + 1);
    } else {
      Place &at = places[op.getResult(0)];
      if (!at.isRow || isRepeat(op))
        continue;
      const uint64_t own = uint64_t(1) << at.phase;
      if ((at.needed & ~own) && at.cost > recomputable)
        at.isStored = true;
      computed = at.isStored ? own : at.needed;
    }
    for (Value operand : op.getOperands())
      if (places[operand].isRow)
        places[operand].needed |= computed;
  }
}

// A stored row that is no result lies in a result's buffer until that result is
// written, if their types agree; else in a scratch row.
void RowLowering::chooseBuffers() {
  SmallVector<bool> taken(end.getNumOperands(), false);
  for (auto [number, result] : llvm::enumerate(end.getOperands()))
    if (isRow(result) && !buffers.count(result))
      buffers[result] = static_cast<int64_t>(number);
  for (Operation &op : body.without_terminator()) {
    Value value = op.getResult(0);
    Place &at = places[value];
    if (!at.isRow || !at.isStored || buffers.count(value))
      continue;
    const int last = 63 - __builtin_clzll(at.needed);
    for (auto [number, result] : llvm::enumerate(end.getOperands()))
      if (!taken[number] && isRow(result) && rowType(result) == rowType(value) && places[result].phase >= last &&
          places[result].phase > at.phase) {
        taken[number] = true;
        buffers[value] = static_cast<int64_t>(number);
        break;
      }
    if (!buffers.count(value)) {
      buffers[value] = static_cast<int64_t>(end.getNumOperands() + scratch.size());
      scratch.push_back(rowType(value));
    }
  }
}

func::FuncOp RowLowering::makeFunction() {
  MLIRContext *context = b.getContext();
  layout = {static_cast<int64_t>(kernel.getOuter()), static_cast<int64_t>(kernel.getInputs().size()),
            static_cast<int64_t>(end.getNumOperands()), static_cast<int64_t>(scratch.size()),
            static_cast<int64_t>(kernel.getImmediates().size())};
  auto inMemory = [&](Value value) {
    return isRow(value) ? rowType(value) : pointType(memoryType(context, dtypeOf(value)));
  };
  SmallVector<mlir::Type> arguments, results;
  for (BlockArgument argument : body.getArguments().take_front(kernel.getInputs().size()))
    arguments.push_back(inMemory(argument));
  for (Value result : end.getOperands())
    results.push_back(inMemory(result));
  arguments.append(results);
  arguments.append(scratch);
  for (BlockArgument argument : body.getArguments().drop_back().drop_front(kernel.getInputs().size()))
    arguments.push_back(computeType(context, dtypeOf(argument)));
  arguments.push_back(b.getIndexType());
  function = func::FuncOp::create(b, kernel.getLoc(), name, b.getFunctionType(arguments, results));
  function->setAttr(kernelAttr, layout.toAttribute(context));
  for (auto [number, map] : llvm::enumerate(kernel.getMaps()))
    function.setArgAttr(static_cast<unsigned>(number), axesAttr, map);
  return function;
}

/// One computation on rank-0 tensors.
Value RowLowering::point(mlir::Location loc, ValueRange ins, Value out, mlir::Type type,
                         llvm::function_ref<Value(OpBuilder &, ValueRange)> make) {
  if (!out)
    out = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), type);
  SmallVector<AffineMap> maps(ins.size() + 1, AffineMap::get(0, 0, b.getContext()));
  return linalg::GenericOp::create(b, loc, TypeRange(out.getType()), ins, ValueRange(out), maps,
                                   ArrayRef<utils::IteratorType>(),
                                   [&](OpBuilder &nested, mlir::Location, ValueRange arguments) {
                                     linalg::YieldOp::create(nested, loc, make(nested, arguments.drop_back()));
                                   })
      .getResult(0);
}

/// Inputs of a walk that computes `value`.
void RowLowering::collect(Walk &walk, Value value) {
  if (!walk.made.try_emplace(value).second)
    return;
  if (!isRow(value)) {
    if (isa<RankedTensorType>(elements[value].getType()))
      walk.elements.push_back(value);
    return;
  }
  if (isLoaded(value, walk.phase)) {
    walk.rows.push_back(value);
    return;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    if (!operand.getType().isIndex())
      collect(walk, operand);
}

Value RowLowering::emit(Walk &walk, OpBuilder &nested, Value value) {
  Value &made = walk.made[value];
  if (made)
    return made;
  if (!isRow(value))
    return made = elements[value]; // a number, captured
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (!operand.getType().isIndex())
      operands.push_back(emit(walk, nested, operand));
  Value result = isRepeat(*op)
                     ? operands[0]
                     : lowerScalar(codeOf(*op), {nested, op->getLoc(), operands, dtypesOf(*op), dtypeOf(value)});
  return walk.made[value] = result;
}

/// One pass over the row: everything stored or reduced in it.
void RowLowering::lowerWalk(int phase) {
  Walk walk;
  walk.phase = phase;
  SmallVector<Value> rows;
  SmallVector<Operation *> reductions;
  for (auto [number, result] : llvm::enumerate(end.getOperands()))
    if (isRow(result) && places[result].phase == phase && buffers[result] == static_cast<int64_t>(number))
      rows.push_back(result);
  for (Operation &op : body.without_terminator()) {
    Value value = op.getResult(0);
    if (isReduction(op) && places[value].phase == phase)
      reductions.push_back(&op);
    else if (places[value].isStored && places[value].phase == phase && !llvm::is_contained(rows, value))
      rows.push_back(value);
  }
  if (rows.empty() && reductions.empty())
    return;
  for (Value row : rows)
    collect(walk, row);
  for (Operation *op : reductions)
    collect(walk, op->getOperand(0));

  MLIRContext *context = b.getContext();
  AffineMap along = b.getDimIdentityMap(), none = AffineMap::get(1, 0, context);
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  for (Value row : walk.rows) {
    ins.push_back(stored.count(row) && !isa<BlockArgument>(row)
                      ? stored[row]
                      : Value(function.getArgument(cast<BlockArgument>(row).getArgNumber())));
    maps.push_back(along);
  }
  for (Value element : walk.elements) {
    ins.push_back(elements[element]);
    maps.push_back(none);
  }
  // linalg takes the length of its loop from an operand along it.
  const bool hasLength = !walk.rows.empty() || !rows.empty();
  if (!hasLength) {
    Value length = function.getArguments().back();
    ins.push_back(tensor::EmptyOp::create(b, reductions[0]->getLoc(), {ShapedType::kDynamic}, b.getI8Type(), length));
    maps.push_back(along);
  }
  for (Value row : rows) {
    outs.push_back(function.getArgument(static_cast<unsigned>(layout.inputs + buffers[row])));
    maps.push_back(along);
  }
  for (Operation *op : reductions) {
    const Dtype dtype = dtypeOf(op->getResult(0));
    mlir::Type type = computeType(context, dtype);
    TypedAttr start = neutralOf(ir::infoOf(op)->reduction.combine, dtype, type);
    outs.push_back(
        arith::ConstantOp::create(b, op->getLoc(), DenseElementsAttr::get(cast<ShapedType>(pointType(type)), start)));
    maps.push_back(none);
  }
  mlir::Location loc = rows.empty() ? reductions[0]->getLoc() : rows[0].getLoc();
  SmallVector<mlir::Type> types(ValueRange(outs).getTypes());
  auto iterator = reductions.empty() ? utils::IteratorType::parallel : utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(
      b, loc, types, ins, outs, maps, ArrayRef(iterator), [&](OpBuilder &nested, mlir::Location, ValueRange arguments) {
        size_t next = 0;
        for (Value row : walk.rows)
          walk.made[row] = fromMemory(nested, row.getLoc(), dtypeOf(row), arguments[next++]);
        for (Value element : walk.elements)
          walk.made[element] = arguments[next++];
        next += !hasLength;
        SmallVector<Value> yields;
        for (Value row : rows) {
          yields.push_back(toMemory(nested, row.getLoc(), dtypeOf(row), emit(walk, nested, row)));
          ++next;
        }
        for (Operation *op : reductions) {
          Value accumulator = arguments[next++], x = op->getOperand(0);
          const tenon::ReductionInfo &reduction = ir::infoOf(op)->reduction;
          const Dtype dtype = accumulatorOf(reduction, dtypeOf(op->getResult(0)));
          Value value = convertScalar(nested, op->getLoc(), emit(walk, nested, x), dtypeOf(x), dtype);
          yields.push_back(
              lowerScalar(reduction.combine, {nested, op->getLoc(), {accumulator, value}, {dtype, dtype}, dtype}));
        }
        linalg::YieldOp::create(nested, loc, yields);
      });
  for (auto [number, row] : llvm::enumerate(rows))
    stored[row] = generic.getResult(static_cast<unsigned>(number));
  for (auto [number, op] : llvm::enumerate(reductions)) {
    Value made = generic.getResult(static_cast<unsigned>(rows.size() + number));
    Value result = op->getResult(0);
    // A sum of narrow floats is an f32 sum that is rounded once.
    const Dtype dtype = dtypeOf(result), accumulator = accumulatorOf(ir::infoOf(op)->reduction, dtype);
    if (accumulator != dtype)
      made = point(op->getLoc(), made, {}, computeType(context, dtype), [&](OpBuilder &nested, ValueRange x) {
        return convertScalar(nested, op->getLoc(), x[0], accumulator, dtype);
      });
    elements[result] = made;
  }
}

/// An op on elements: once per row.
void RowLowering::lowerElement(Operation &op) {
  Value result = op.getResult(0);
  const Dtype dtype = dtypeOf(result);
  mlir::Type type = computeType(b.getContext(), dtype);
  if (auto full = dyn_cast<ir::FullOp>(op)) {
    elements[result] = scalarValue(b, op.getLoc(), *ir::scalarFromMlir(full.getValue()), dtype);
    return;
  }
  if (isRepeat(op)) {
    elements[result] = elements.lookup(op.getOperand(0));
    return;
  }
  SmallVector<Value> ins;
  for (Value operand : op.getOperands())
    if (Value element = elements[operand]; isa<RankedTensorType>(element.getType()))
      ins.push_back(element);
  elements[result] = point(op.getLoc(), ins, {}, type, [&](OpBuilder &nested, ValueRange arguments) {
    SmallVector<Value> operands;
    size_t next = 0;
    for (Value operand : op.getOperands()) {
      Value element = elements[operand];
      operands.push_back(isa<RankedTensorType>(element.getType()) ? arguments[next++] : element);
    }
    return lowerScalar(codeOf(op), {nested, op.getLoc(), operands, dtypesOf(op), dtype});
  });
}

func::FuncOp RowLowering::run() {
  if (!place())
    return nullptr;
  findNeeds();
  chooseBuffers();
  makeFunction();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(function.addEntryBlock());

  const size_t inputs = kernel.getInputs().size();
  for (BlockArgument argument : body.getArguments().drop_back()) {
    if (isRow(argument))
      continue;
    const bool isNumber = argument.getArgNumber() >= inputs;
    Value here = function.getArgument(argument.getArgNumber() + (isNumber ? layout.results + layout.scratch : 0));
    const Dtype dtype = dtypeOf(argument);
    mlir::Type type = computeType(b.getContext(), dtype);
    if (!isNumber && memoryType(b.getContext(), dtype) != type)
      here = point(argument.getLoc(), here, {}, type,
                   [&](OpBuilder &nested, ValueRange x) { return fromMemory(nested, argument.getLoc(), dtype, x[0]); });
    elements[argument] = here;
  }
  for (int phase = -1; phase < walks; ++phase) {
    if (phase >= 0)
      lowerWalk(phase);
    for (Operation &op : body.without_terminator())
      if (!isRow(op.getResult(0)) && !isReduction(op) && places[op.getResult(0)].phase == phase)
        lowerElement(op);
  }
  SmallVector<Value> results;
  for (auto [number, result] : llvm::enumerate(end.getOperands())) {
    Value out = function.getArgument(static_cast<unsigned>(layout.inputs + static_cast<int64_t>(number)));
    if (isRow(result)) {
      results.push_back(stored[result]);
      continue;
    }
    Value element = elements[result];
    const Dtype dtype = dtypeOf(result);
    const bool isTensor = isa<RankedTensorType>(element.getType());
    results.push_back(point(end.getLoc(), isTensor ? ValueRange(element) : ValueRange(), out,
                            memoryType(b.getContext(), dtype), [&](OpBuilder &nested, ValueRange x) {
                              return toMemory(nested, end.getLoc(), dtype, isTensor ? x[0] : element);
                            }));
  }
  func::ReturnOp::create(b, end.getLoc(), results);
  return function;
}

func::FuncOp compiler::lowerKernelToLinalg(ir::KernelOp kernel, StringRef name, OpBuilder &b) {
  const int64_t length = shortRowOf(kernel);
  if (!length)
    return RowLowering(kernel, name, b).run();
  // Lowers a copy of the kernel in which inputs with one element for each row are rows.
  auto copy = cast<ir::KernelOp>(kernel->clone());
  SmallVector<unsigned> repeated;
  for (BlockArgument input : copy.getBody().front().getArguments())
    if (!input.getType().isIndex() && isRepeated(copy, input)) {
      repeated.push_back(input.getArgNumber());
      input.setType(RankedTensorType::get({ShapedType::kDynamic}, getElementTypeOrSelf(input.getType())));
      for (Operation *user : llvm::make_early_inc_range(input.getUsers())) {
        user->getResult(0).replaceAllUsesWith(input);
        user->erase();
      }
    }
  func::FuncOp function = RowLowering(copy, name, b).run();
  copy->destroy();
  if (!function)
    return nullptr;
  function->setAttr(shortRowAttr, b.getI64IntegerAttr(length));
  for (unsigned number : repeated)
    function.setArgAttr(number, repeatedAttr, b.getUnitAttr());
  return function;
}
