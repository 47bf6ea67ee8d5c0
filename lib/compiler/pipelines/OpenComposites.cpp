//===- OpenComposites.cpp - inline the decompositions of composites -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/pipelines/Passes.h"

#include "dialect/ir/Bridge.h"

#include "mlir/IR/PatternMatch.h"

namespace tenon::compiler {
#define GEN_PASS_DEF_OPENCOMPOSITES
#include "lib/compiler/pipelines/Passes.h.inc"

namespace {
/// Whether its first region is put in its place: a composite, a function with rules.
bool isOpened(mlir::Operation *op) {
  const OpInfo *info = ir::infoOf(op);
  return info && (info->lowering == Lowering::open || info->lowering == Lowering::ruled);
}

/// Moves the ops of the first region of `op` before it. A region of one block
/// that is isolated needs no mapping: its arguments are the operands.
void openRegion(mlir::IRRewriter &rewriter, mlir::Operation *op) {
  mlir::Block &body = op->getRegion(0).front();
  mlir::Operation *end = body.getTerminator();
  llvm::SmallVector<mlir::Value> outputs(end->getOperands());
  rewriter.eraseOp(end);
  for (mlir::Value &output : outputs)
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(output))
      output = op->getOperand(argument.getArgNumber());
  rewriter.inlineBlockBefore(&body, op, op->getOperands());
  rewriter.replaceOp(op, outputs);
}

} // namespace

/// Opens those that `isChosen` finds, innermost first, so that one walk opens what was nested too.
static void open(mlir::Operation *root, llvm::function_ref<bool(mlir::Operation *)> isChosen) {
  llvm::SmallVector<mlir::Operation *> found;
  root->walk<mlir::WalkOrder::PostOrder>([&](mlir::Operation *op) {
    if (isChosen(op))
      found.push_back(op);
  });
  mlir::IRRewriter rewriter(root->getContext());
  for (mlir::Operation *op : found)
    openRegion(rewriter, op);
}

void openRuled(mlir::Operation *root) {
  open(root, [](mlir::Operation *op) {
    const OpInfo *info = ir::infoOf(op);
    return info && info->lowering == Lowering::ruled;
  });
}

namespace {
struct OpenComposites : impl::OpenCompositesBase<OpenComposites> {
  void runOnOperation() final {
    open(getOperation(), [](mlir::Operation *op) {
      return isOpened(op) || (llvm::isa<ir::CallOp>(op) && op->hasAttr("tenon.inline"));
    });
  }
};
} // namespace
} // namespace tenon::compiler
