//===- FoldMovement.cpp - folds of views, copies and creation -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/Folds.h"

#include "mlir/IR/Builders.h"

using namespace tenon;
using namespace tenon::ir;
using mlir::OpFoldResult;

static mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  auto inner = getX().getDefiningOp<ReshapeOp>();
  mlir::Value source = inner ? inner.getX() : getX();
  // Equal types are equal shapes if at most one size is open: the number of
  // elements gives it, unless it is 0.
  auto type = tensorType(source);
  if (type == getType() &&
      (type.hasStaticShape() ||
       (type.getNumDynamicDims() == 1 && llvm::none_of(type.getShape(), [](int64_t d) { return d == 0; }))))
    return source;
  if (!inner)
    return {};
  getXMutable().assign(source);
  return getResult();
}

OpFoldResult BroadcastToOp::fold(FoldAdaptor) {
  auto inner = getX().getDefiningOp<BroadcastToOp>();
  mlir::Value source = inner ? inner.getX() : getX();
  // An open size may be 1 in the operand and more in the result.
  if (source.getType() == getType() && getType().hasStaticShape())
    return source;
  if (!inner)
    return {};
  getXMutable().assign(source);
  return getResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  llvm::SmallVector<int64_t> permutation(getPermutation());
  auto inner = getX().getDefiningOp<TransposeOp>();
  if (inner)
    for (int64_t &axis : permutation) {
      if (axis < 0 || axis >= static_cast<int64_t>(inner.getPermutation().size()))
        return {};
      axis = inner.getPermutation()[static_cast<size_t>(axis)];
    }
  mlir::Value source = inner ? inner.getX() : getX();
  bool isIdentity = true;
  for (auto [i, axis] : llvm::enumerate(permutation))
    isIdentity &= static_cast<int64_t>(i) == axis;
  if (isIdentity && source.getType() == getType())
    return source;
  if (!inner)
    return {};
  setPermutation(permutation);
  getXMutable().assign(source);
  return getResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  auto type = tensorType(getX());
  if (!type.hasStaticShape() || type != getType() || llvm::ArrayRef(getStops()) != type.getShape())
    return {};
  if (llvm::any_of(getStarts(), [](int64_t start) { return start != 0; }) ||
      llvm::any_of(getSteps(), [](int64_t step) { return step != 1; }))
    return {};
  return getX();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  for (llvm::ArrayRef<int64_t> amounts : {getLow(), getHigh(), getInterior()})
    if (llvm::any_of(amounts, [](int64_t amount) { return amount != 0; }))
      return {};
  return sameType(*this, getX());
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor) {
  return getXs().size() == 1 ? sameType(*this, getXs().front()) : OpFoldResult();
}

llvm::LogicalResult SplitOp::fold(FoldAdaptor, llvm::SmallVectorImpl<OpFoldResult> &results) {
  if (getNumResults() != 1 || getX().getType() != getResult(0).getType())
    return mlir::failure();
  results.push_back(getX());
  return mlir::success();
}

OpFoldResult CheckpointNameOp::fold(FoldAdaptor) { return sameType(*this, getX()); }
OpFoldResult StopGradientOp::fold(FoldAdaptor) { return sameType(*this, getX()); }

OpFoldResult DimensionOp::fold(FoldAdaptor) {
  auto type = tensorType(getX());
  int64_t axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= type.getRank() || getType().getRank() != 0)
    return {};
  if (!type.isDynamicDim(static_cast<unsigned>(axis)))
    return mlir::DenseElementsAttr::get(getType(), type.getDimSize(static_cast<unsigned>(axis)));
  // An elementwise op has its operands' sizes: it need not be computed for that.
  mlir::Value source = getX();
  for (mlir::Operation *op = source.getDefiningOp(); op; op = source.getDefiningOp()) {
    const OpInfo *const info = infoOf(op);
    if (!info || !info->isElementwise)
      break;
    source = op->getOperand(0);
  }
  if (source == getX())
    return {};
  getXMutable().assign(source);
  return getResult();
}

namespace {
/// A reshape or a broadcast of a full is a full of the new shape.
template <class OpT>
struct ShapeFull : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;
  llvm::LogicalResult matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const final {
    auto full = op.getX().template getDefiningOp<FullOp>();
    if (!full)
      return mlir::failure();
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), op.getShapeAttr(), op.getShapeSizes(), full.getValue(),
                                        full.getDtypeAttr(), full.getDeviceAttr());
    return mlir::success();
  }
};

/// Transposes and slices too, where the result's shape is static.
template <class OpT>
struct ViewFull : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;
  llvm::LogicalResult matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const final {
    auto full = op.getX().template getDefiningOp<FullOp>();
    auto type = op.getType();
    if (!full || !type.hasStaticShape())
      return mlir::failure();
    rewriter.replaceOpWithNewOp<FullOp>(op, type, rewriter.getDenseI64ArrayAttr(type.getShape()), mlir::ValueRange(),
                                        full.getValue(), full.getDtypeAttr(), full.getDeviceAttr());
    return mlir::success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *context) {
  patterns.add<ShapeFull<ReshapeOp>>(context);
}
void BroadcastToOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *context) {
  patterns.add<ShapeFull<BroadcastToOp>>(context);
}
void TransposeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *context) {
  patterns.add<ViewFull<TransposeOp>>(context);
}
void SliceOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *context) {
  patterns.add<ViewFull<SliceOp>>(context);
}
