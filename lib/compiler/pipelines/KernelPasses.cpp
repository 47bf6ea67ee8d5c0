//===- KernelPasses.cpp - grouping and lowering as passes -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tenon-opt and tests; the jit calls the same functions.
//===----------------------------------------------------------------------===//
#include "lib/compiler/group/Group.h"
#include "lib/compiler/kernels/Kernels.h"
#include "lib/compiler/kernels/Vectorize.h"
#include "lib/compiler/pipelines/Passes.h"
#include "lib/compiler/target/cpu/ToLlvm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tenon::compiler {
#define GEN_PASS_DEF_GROUP
#define GEN_PASS_DEF_KERNELTOLINALG
#define GEN_PASS_DEF_VECTORIZE
#define GEN_PASS_DEF_KERNELTOLLVM
#include "lib/compiler/pipelines/Passes.h.inc"

namespace {

struct Group : impl::GroupBase<Group> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<mlir::func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (std::string error = groupFunction(function, cpuCosts); !error.empty()) {
        function.emitError() << error;
        return signalPassFailure();
      }
    }
  }
};

struct KernelToLinalg : impl::KernelToLinalgBase<KernelToLinalg> {
  void runOnOperation() final {
    mlir::ModuleOp module = getOperation();
    KernelTable table = findKernels(module);
    if (table.kernels.empty()) {
      module.emitError() << "expected a module with kernels, which tenon-group makes, got none";
      return signalPassFailure();
    }
    llvm::SmallVector<mlir::Operation *> old;
    for (mlir::Operation &op : *module.getBody())
      old.push_back(&op);
    for (Kernel &kernel : table.kernels)
      if (!lowerKernel(kernel, module))
        return signalPassFailure();
    for (mlir::Operation *op : old)
      op->erase();
  }
};

struct Vectorize : impl::VectorizeBase<Vectorize> {
  using VectorizeBase::VectorizeBase;
  void runOnOperation() final {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<mlir::func::FuncOp>()))
      if (function->hasAttr(kernelAttr)) {
        if (failed(verifyLinalgForm(function)))
          return signalPassFailure();
        vectorizeKernel(function, apart ? Tails::apart : Tails::masked);
      }
  }
};

struct KernelToLlvm : impl::KernelToLlvmBase<KernelToLlvm> {
  void runOnOperation() final {
    if (failed(ToLlvm(&getContext()).run(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace tenon::compiler
