//===- ToLlvm.cpp - from loops over vectors to the LLVM dialect -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/target/cpu/ToLlvm.h"

#include "dialect/ir/TenonDialect.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using tenon::compiler::ToLlvm;

namespace {

/// tenon.math "exp" on vector<16xf32> becomes a call of tenon_math_exp_f32x16.
struct ToMathCall : OpConversionPattern<tenon::ir::MathOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tenon::ir::MathOp op, OpAdaptor operands, ConversionPatternRewriter &b) const override {
    mlir::Type type = op.getType(), element = getElementTypeOrSelf(type);
    auto vector = dyn_cast<VectorType>(type);
    if ((!element.isF32() && !element.isF64()) || (vector && vector.getShape() != ArrayRef<int64_t>(16)))
      return failure();
    std::string name = ("tenon_math_" + op.getFunction() + (element.isF32() ? "_f32" : "_f64")).str();
    if (vector)
      name += "x16";
    auto module = op->getParentOfType<ModuleOp>();
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      SmallVector<mlir::Type> types(operands.getXs().size(), type);
      LLVM::LLVMFuncOp::create(b, module.getLoc(), name, LLVM::LLVMFunctionType::get(type, types));
    }
    b.replaceOpWithNewOp<LLVM::CallOp>(op, TypeRange(type), SymbolRefAttr::get(b.getContext(), name), operands.getXs());
    return success();
  }
};

} // namespace

struct ToLlvm::State {
  MLIRContext *context;
  LLVMTypeConverter types;
  FrozenRewritePatternSet branches, patterns;
  ConversionTarget branchTarget;
  LLVMConversionTarget target;

  explicit State(MLIRContext *context) : context(context), types(context), branchTarget(*context), target(*context) {
    RewritePatternSet first(context), second(context);
    populateSCFToControlFlowConversionPatterns(first);
    branches = std::move(first);
    branchTarget.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp>();
    branchTarget.markUnknownOpDynamicallyLegal([](Operation *) { return true; });

    second.add<ToMathCall>(types, context);
    populateFuncToLLVMConversionPatterns(types, second);
    arith::populateArithToLLVMConversionPatterns(types, second);
    populateMathToLLVMConversionPatterns(types, second);
    cf::populateControlFlowToLLVMConversionPatterns(types, second);
    populateVectorToLLVMConversionPatterns(types, second);
    patterns = std::move(second);
    target.addLegalOp<ModuleOp>();
  }
};

ToLlvm::ToLlvm(MLIRContext *context) : state(new State(context)) {}
ToLlvm::~ToLlvm() { delete state; }

llvm::LogicalResult ToLlvm::run(ModuleOp module) {
  if (failed(applyPartialConversion(module, state->branchTarget, state->branches)))
    return failure();
  return applyFullConversion(module, state->target, state->patterns);
}
