//===- FoldElementwise.cpp - folds of elementwise ops and reductions -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/Folds.h"

#include "mlir/IR/Builders.h"

#include <cmath>
#include <limits>
#include <utility>

using namespace tenon;
using namespace tenon::ir;
using mlir::OpFoldResult;

std::optional<ScalarAttr> ir::splatOf(mlir::Value value) {
  // Views of views are folded anyway; the bound keeps a fold cheap.
  for (int steps = 0; steps < 8; ++steps) {
    mlir::Operation *op = value.getDefiningOp();
    if (auto full = llvm::dyn_cast_or_null<FullOp>(op))
      return scalarFromMlir(full.getValue());
    auto view = llvm::dyn_cast_or_null<ViewOpInterface>(op);
    if (!view || !view.getInfo().isSingleView())
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

std::optional<ScalarAttr> ir::exactly(ScalarAttr number, Dtype dtype) {
  constexpr int64_t exactDouble = int64_t(1) << 53;
  if (number.kind == Kind::complex || kind(dtype) == Kind::complex)
    return std::nullopt;
  bool isInteger = number.kind != Kind::floating;
  if (kind(dtype) == Kind::floating) {
    if (isInteger && (number.asInt() > exactDouble || number.asInt() < -exactDouble))
      return std::nullopt;
    double value = isInteger ? static_cast<double>(number.asInt()) : number.asDouble();
    if (std::isnan(value))
      return std::nullopt;
    const bool isExact = tenon::detail::visitDtype(dtype, [&]<Dtype D>() {
      using T = typename tenon::detail::ElementOf<D>::type;
      if constexpr (kind(D) != Kind::floating || sizeof(T) == sizeof(double))
        return true;
      else // there and back, through float: the same number
        return static_cast<double>(static_cast<float>(T(static_cast<float>(value)))) == value;
    });
    if (!isExact)
      return std::nullopt;
    return ScalarAttr::floating(value);
  }
  if (!isInteger) {
    double value = number.asDouble();
    if (!(value >= -static_cast<double>(exactDouble) && value <= static_cast<double>(exactDouble)) ||
        value != std::trunc(value))
      return std::nullopt;
    number = ScalarAttr::integer(static_cast<int64_t>(value));
  }
  const __int128 value = number.asInt();
  if (kind(dtype) == Kind::boolean) {
    if (value != 0 && value != 1)
      return std::nullopt;
    return ScalarAttr::boolean(value != 0);
  }
  const bool fits = tenon::detail::visitDtype(dtype, [&]<Dtype D>() {
    using T = typename tenon::detail::ElementOf<D>::type;
    if constexpr (kind(D) == Kind::integer)
      return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
    else
      return true;
  });
  if (!fits)
    return std::nullopt;
  return ScalarAttr::integer(value);
}

/// True if every element of `value` is exactly `number`, the sign of zero
/// included.
static bool isNumber(mlir::Value value, double number) {
  std::optional<ScalarAttr> splat = splatOf(value);
  std::optional<Dtype> dtype = elementDtype(value);
  if (!splat || !dtype)
    return false;
  std::optional<ScalarAttr> exact = exactly(*splat, *dtype);
  if (!exact)
    return false;
  double got = exact->kind == Kind::floating ? exact->asDouble() : static_cast<double>(exact->asInt());
  if (kind(*dtype) != Kind::floating)
    return got == number;
  return got == number && std::signbit(got) == std::signbit(number);
}

static bool isReal(mlir::Value value) {
  std::optional<Dtype> dtype = elementDtype(value);
  return dtype && kind(*dtype) != Kind::complex;
}
static bool isFloating(mlir::Value value) {
  std::optional<Dtype> dtype = elementDtype(value);
  return dtype && kind(*dtype) == Kind::floating;
}

OpFoldResult AddOp::fold(FoldAdaptor) {
  if (!isReal(getX1()))
    return {};
  // -0 is the neutral element of floating addition, +0 is not. Bool adds as or.
  double neutral = isFloating(getX1()) ? -0.0 : 0.0;
  if (isNumber(getX2(), neutral))
    return sameType(*this, getX1());
  if (isNumber(getX1(), neutral))
    return sameType(*this, getX2());
  return {};
}

OpFoldResult SubtractOp::fold(FoldAdaptor) {
  if (isReal(getX1()) && isNumber(getX2(), 0.0))
    return sameType(*this, getX1());
  if (getX1() == getX2() && isReal(getX1()) && !isFloating(getX1()) && getType().hasStaticShape())
    return mlir::DenseElementsAttr::get(getType(), mlir::IntegerAttr::get(getType().getElementType(), 0));
  return {};
}

OpFoldResult MultiplyOp::fold(FoldAdaptor) {
  if (!isReal(getX1()))
    return {};
  for (auto [number, other] : {std::pair(getX2(), getX1()), {getX1(), getX2()}}) {
    if (isNumber(number, 1.0))
      return sameType(*this, other);
    if (!isFloating(number) && isNumber(number, 0.0))
      return sameType(*this, number);
  }
  return {};
}

OpFoldResult DivideOp::fold(FoldAdaptor) {
  return isReal(getX1()) && isNumber(getX2(), 1.0) ? sameType(*this, getX1()) : OpFoldResult();
}

OpFoldResult LogicalAndOp::fold(FoldAdaptor) {
  if (getX1() == getX2() || isNumber(getX2(), 1.0))
    return sameType(*this, getX1());
  if (isNumber(getX1(), 1.0))
    return sameType(*this, getX2());
  for (mlir::Value x : {getX1(), getX2()})
    if (isNumber(x, 0.0))
      return sameType(*this, x);
  return {};
}

OpFoldResult LogicalOrOp::fold(FoldAdaptor) {
  if (getX1() == getX2() || isNumber(getX2(), 0.0))
    return sameType(*this, getX1());
  if (isNumber(getX1(), 0.0))
    return sameType(*this, getX2());
  for (mlir::Value x : {getX1(), getX2()})
    if (isNumber(x, 1.0))
      return sameType(*this, x);
  return {};
}

OpFoldResult LogicalNotOp::fold(FoldAdaptor) {
  auto inner = getX().getDefiningOp<LogicalNotOp>();
  return inner ? sameType(*this, inner.getX()) : OpFoldResult();
}

OpFoldResult MaximumOp::fold(FoldAdaptor) { return getX1() == getX2() ? sameType(*this, getX1()) : OpFoldResult(); }
OpFoldResult MinimumOp::fold(FoldAdaptor) { return getX1() == getX2() ? sameType(*this, getX1()) : OpFoldResult(); }

OpFoldResult NegativeOp::fold(FoldAdaptor) {
  auto inner = getX().getDefiningOp<NegativeOp>();
  return inner ? sameType(*this, inner.getX()) : OpFoldResult();
}

OpFoldResult WhereOp::fold(FoldAdaptor) {
  if (getX1() == getX2())
    return sameType(*this, getX1());
  if (isNumber(getCondition(), 1.0))
    return sameType(*this, getX1());
  if (isNumber(getCondition(), 0.0))
    return sameType(*this, getX2());
  return {};
}

OpFoldResult AstypeOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<AstypeOp>();
  if (!inner)
    return {};
  std::optional<Dtype> from = elementDtype(inner.getX()), between = elementDtype(getX());
  std::optional<Dtype> to = elementDtype(getResult());
  if (!from || !between || !to || !holds(*between, *from))
    return {};
  // A number that does not fit saturates from a float and wraps from an integer.
  if (kind(*from) == Kind::integer && kind(*between) == Kind::floating && kind(*to) == Kind::integer &&
      !holds(*to, *from))
    return {};
  if (inner.getX().getType() == getType())
    return inner.getX();
  // Rounding, wrapping and saturation see the same number without the step.
  getXMutable().assign(inner.getX());
  return getResult();
}

OpFoldResult SumOp::fold(FoldAdaptor) {
  // One element along each axis: sums start at -0, which changes nothing.
  auto type = llvm::cast<mlir::RankedTensorType>(getX().getType());
  for (int64_t axis : getAxes())
    if (axis < 0 || axis >= type.getRank() || type.getDimSize(axis) != 1)
      return {};
  return sameType(*this, getX());
}

namespace {
/// astype(full) is a full where the number is one of the new dtype.
struct ConvertFull : mlir::OpRewritePattern<AstypeOp> {
  using OpRewritePattern::OpRewritePattern;
  llvm::LogicalResult matchAndRewrite(AstypeOp op, mlir::PatternRewriter &rewriter) const final {
    auto full = op.getX().getDefiningOp<FullOp>();
    std::optional<Dtype> from = elementDtype(op.getX()), to = elementDtype(op.getResult());
    std::optional<ScalarAttr> number = full ? scalarFromMlir(full.getValue()) : std::nullopt;
    if (number && from && to)
      number = exactly(*number, *from);
    if (number && to)
      number = exactly(*number, *to);
    if (!number || !from || !to)
      return mlir::failure();
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), full.getShapeAttr(), full.getShapeSizes(),
                                        scalarToMlir(getContext(), *number),
                                        mlir::TypeAttr::get(op.getType().getElementType()), full.getDeviceAttr());
    return mlir::success();
  }
};
} // namespace

void AstypeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *context) {
  patterns.add<ConvertFull>(context);
}
