//===- LinalgForm.cpp - whether a function is the linalg form of a kernel -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that Vectorize.cpp relies on, so that text from outside gets a diagnostic.
//===----------------------------------------------------------------------===//
#include "lib/compiler/kernels/KernelToLinalg.h"
#include "lib/compiler/kernels/Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <utility>

using namespace mlir;
namespace compiler = tenon::compiler;
namespace ir = tenon::ir;
using compiler::KernelLayout, compiler::axesAttr, compiler::kernelAttr, compiler::repeatedAttr, compiler::shortRowAttr;
using compiler::lanes;

/// A real number as it is computed with.
static bool isReal(mlir::Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, Float32Type, Float64Type>(type);
}

/// An element in its memory form.
static bool isStored(mlir::Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  mlir::Type part = complex ? complex.getElementType() : type;
  return isa<Float32Type, Float64Type>(part) || (!complex && isReal(type) && !type.isInteger(1) && !type.isF16());
}

static bool isElement(mlir::Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? isStored(type) : isReal(type);
}

namespace {
class FormVerifier {
public:
  FormVerifier(func::FuncOp function, KernelLayout layout) : function(function), layout(layout) {}
  LogicalResult run();

private:
  InFlightDiagnostic fail(Operation *op) { return op->emitOpError() << "in the linalg form of a kernel: "; }
  LogicalResult verifyArguments();
  LogicalResult verifyShortRow();
  LogicalResult verifyGeneric(linalg::GenericOp op);
  LogicalResult verifyOutput(linalg::GenericOp op, unsigned number);
  LogicalResult verifyBodyOp(Operation &op);
  LogicalResult verifyReturn(Operation *end);

  /// The number of the function's argument that `value` is; none if it is something else.
  std::optional<int64_t> argumentOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? std::optional<int64_t>(argument.getArgNumber()) : std::nullopt;
  }
  static bool isRow(Value value) { return cast<RankedTensorType>(value.getType()).getRank() == 1; }
  bool isReadable(Value input);

  func::FuncOp function;
  KernelLayout layout;
  bool isShort = false;
  /// What a buffer holds: the result that was written there last.
  llvm::DenseMap<Value, Value> written;
  /// Results that are elements of this row, and lie in no buffer.
  llvm::DenseSet<Value> elements;
};
} // namespace

LogicalResult FormVerifier::verifyArguments() {
  const int64_t buffers = layout.inputs + layout.results + layout.scratch;
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return fail(function) << "expected a body of one block";
  if (function.getNumArguments() != buffers + layout.immediates + 1)
    return fail(function) << "expected " << buffers + layout.immediates + 1 << " arguments by '" << kernelAttr
                          << "', got " << function.getNumArguments();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    const auto number = static_cast<int64_t>(index);
    if (number >= buffers) {
      if (number == buffers + layout.immediates ? !type.isIndex() : !isReal(type))
        return fail(function) << "expected numbers, then an index as the last arguments, got " << type
                              << " as argument " << number;
      continue;
    }
    auto tensor = dyn_cast<RankedTensorType>(type);
    const bool isRow = tensor && tensor.getRank() == 1 && tensor.isDynamicDim(0);
    const bool isPoint = tensor && tensor.getRank() == 0 && number < layout.inputs + layout.results;
    if (!(isRow || isPoint) || tensor.getEncoding() || !isStored(tensor.getElementType()))
      return fail(function) << "expected tensor<?xT> or tensor<T>, T as it lies in memory, got " << type
                            << " as argument " << number;
    if (number >= layout.inputs)
      continue;
    auto axes = function.getArgAttrOfType<DenseI64ArrayAttr>(static_cast<unsigned>(number), axesAttr);
    int64_t last = -1;
    auto isNext = [&](int64_t axis) { return std::exchange(last, axis) < axis && axis < layout.outer; };
    if (!axes || !llvm::all_of(axes.asArrayRef(), isNext))
      return fail(function) << "expected ascending axes below " << layout.outer << " as '" << axesAttr
                            << "' of argument " << number;
  }
  return success();
}

/// Many short rows are processed as one, so no value may be computed once for each row.
LogicalResult FormVerifier::verifyShortRow() {
  isShort = function->hasAttr(shortRowAttr);
  auto length = function->getAttrOfType<IntegerAttr>(shortRowAttr);
  if (isShort && (!length || !length.getType().isInteger(64) || length.getInt() < 2 || length.getInt() >= lanes))
    return fail(function) << "expected an i64 from 2 to " << lanes - 1 << " as '" << shortRowAttr << "'";
  if (isShort && (!layout.outer || layout.scratch))
    return fail(function) << "expected outer axes and no scratch with '" << shortRowAttr << "'";
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    const bool isInput = number < layout.inputs, isRepeated = function.getArgAttr(number, repeatedAttr) != nullptr;
    auto axesOf = [&] { return function.getArgAttrOfType<DenseI64ArrayAttr>(number, axesAttr); };
    if (isRepeated && !(isShort && isInput && isRow(function.getArgument(number)) && !axesOf().empty()))
      return fail(function) << "expected '" << repeatedAttr
                            << "' at an input with outer axes along a short row, got it at argument " << number;
    if (!isShort || number >= layout.inputs + layout.results || isRow(function.getArgument(number)))
      continue;
    if (!isInput || !axesOf().empty())
      return fail(function) << "expected a short row as argument " << number;
  }
  return success();
}

/// Whether it is an input, what a buffer still holds, or an element made before.
bool FormVerifier::isReadable(Value input) {
  if (std::optional<int64_t> argument = argumentOf(input))
    return *argument < layout.inputs;
  auto result = cast<OpResult>(input);
  if (auto empty = input.getDefiningOp<tensor::EmptyOp>())
    return isRow(input); // the row's length
  auto generic = input.getDefiningOp<linalg::GenericOp>();
  if (!generic)
    return false;
  return isRow(input) ? written.lookup(generic.getOutputs()[result.getResultNumber()]) == input
                      : elements.contains(input);
}

/// What computes an element of each lane alone.
LogicalResult FormVerifier::verifyBodyOp(Operation &op) {
  const bool isPart = isa<complex::CreateOp, complex::ReOp, complex::ImOp>(op);
  const bool isKnown =
      isPart || isa<ir::MathOp, arith::ConstantOp>(op) ||
      (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && OpTrait::hasElementwiseMappableTraits(&op));
  if (!isKnown || op.getNumRegions())
    return fail(&op) << "expected an op of arith, math or tenon.math on elements";
  for (mlir::Type type : llvm::concat<mlir::Type>(SmallVector<mlir::Type>(op.getOperandTypes()),
                                                  SmallVector<mlir::Type>(op.getResultTypes())))
    if (!isPart ? !isReal(type) : !isElement(type))
      return fail(&op) << "expected elements of a kernel's types, got " << type;
  return success();
}

LogicalResult FormVerifier::verifyOutput(linalg::GenericOp op, unsigned number) {
  Value out = op.getOutputs()[number], result = op.getResult(number);
  Block *body = op.getBody();
  BlockArgument before = body->getArgument(static_cast<unsigned>(op.getInputs().size()) + number);
  const std::optional<int64_t> argument = argumentOf(out);
  if (isRow(out) || op.getNumLoops() == 0) {
    const bool isResult = argument && *argument >= layout.inputs && *argument < layout.inputs + layout.results;
    const bool isScratch = argument && *argument >= layout.inputs + layout.results && isRow(out);
    const bool isElement = op.getNumLoops() == 0 && out.getDefiningOp<tensor::EmptyOp>();
    if (!isResult && !isScratch && !isElement)
      return fail(op) << "expected an argument for a result or scratch as output " << number;
    if (!before.use_empty())
      return fail(op) << "expected output " << number << " to be written only";
    if (isElement)
      elements.insert(result);
    else
      written[out] = result;
    return success();
  }
  // A reduction: it starts with the neutral element and combines it with each other one.
  auto constant = out.getDefiningOp<arith::ConstantOp>();
  auto start = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!start || !start.isSplat() || !isReal(start.getElementType()))
    return fail(op) << "expected a constant as output " << number;
  if (!layout.outer || isShort)
    return fail(op) << "expected no reduction "
                    << (isShort ? "along short rows, many of which are processed as one"
                                : "without outer axes: the row may be cut anywhere");
  Operation *combine = body->getTerminator()->getOperand(number).getDefiningOp();
  if (!combine || combine->getBlock() != body || combine->getNumOperands() != 2 || !before.hasOneUse() ||
      *before.getUsers().begin() != combine || !combine->hasOneUse() ||
      !isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::MaximumFOp, arith::MaxSIOp,
           arith::MaxUIOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp, arith::OrIOp, arith::AndIOp>(combine))
    return fail(op) << "expected an op that combines two elements as reduction";
  if (isa<arith::AddFOp, arith::MulFOp>(combine) && start.getElementType().isF16())
    return fail(op) << "expected the sum or product of f32 or f64";
  elements.insert(result);
  return success();
}

LogicalResult FormVerifier::verifyGeneric(linalg::GenericOp op) {
  const unsigned loops = op.getNumLoops();
  if (loops > 1 || (loops == 0 && op.getOutputs().size() != 1))
    return fail(op) << "expected a loop over the row, or one element";
  for (auto [operand, map] : llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() > 1 || type.getEncoding() || !isElement(type.getElementType()))
      return fail(op) << "expected tensor<?xT> or tensor<T> as operand, got " << operand.getType();
    if (type.getRank() ? !map.isIdentity() || !type.isDynamicDim(0) : map.getNumResults() != 0)
      return fail(op) << "expected operands along the row, or of one element";
  }
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    if (!isReadable(input))
      return fail(op) << "expected an input, or what was made before and is still there, as input " << number;
    if (input.getDefiningOp<tensor::EmptyOp>() && !op.getBody()->getArgument(static_cast<unsigned>(number)).use_empty())
      return fail(op) << "expected input " << number << ", which has no elements yet, not to be read";
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (failed(verifyBodyOp(inner)))
      return failure();
  for (unsigned number = 0; number < op.getOutputs().size(); ++number)
    if (failed(verifyOutput(op, number)))
      return failure();
  return success();
}

LogicalResult FormVerifier::verifyReturn(Operation *end) {
  if (!isa<func::ReturnOp>(end) || end->getNumOperands() != layout.results)
    return fail(function) << "expected " << layout.results << " results";
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    const auto argument = static_cast<unsigned>(layout.inputs + static_cast<int64_t>(number));
    if (written.lookup(function.getArgument(argument)) != value)
      return fail(function) << "expected what was written to argument " << argument << " as result " << number;
  }
  return success();
}

LogicalResult FormVerifier::run() {
  if (failed(verifyArguments()) || failed(verifyShortRow()))
    return failure();
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (failed(verifyGeneric(generic)))
        return failure();
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (!isReal(getElementTypeOrSelf(constant.getType())) || isa<VectorType>(constant.getType()))
        return fail(&op) << "expected a real number";
    } else if (!isa<tensor::EmptyOp, complex::CreateOp>(op)) {
      return fail(&op) << "expected linalg.generic, tensor.empty or a constant";
    }
  }
  return verifyReturn(body.getTerminator());
}

LogicalResult compiler::verifyLinalgForm(func::FuncOp function) {
  std::optional<KernelLayout> layout = KernelLayout::of(function);
  if (!layout)
    return function.emitOpError() << "expected " << kernelAttr
                                  << " = {outer, inputs, results, scratch, immediates}, each an i64 from 0 on";
  return FormVerifier(function, *layout).run();
}
