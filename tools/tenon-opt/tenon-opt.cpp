//===- tenon-opt.cpp - runs passes and pipelines on .mlir files -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/pipelines/Pipelines.h"

#include "dialect/TenonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

static constexpr const char *overview =
    R"(runs passes on a .mlir file, in the order in which they are named, and prints the result.

  tenon-run --emit=tenon f.trace > f.mlir        the compiler's input, from a saved trace
  tenon-opt --tenon-simplify --tenon-group f.mlir

The compiler's passes in its order: --tenon-open-composites --tenon-simplify --tenon-group
--tenon-kernel-to-linalg --tenon-vectorize --tenon-kernel-to-llvm
)";

int main(int argc, char **argv) {
  tenon::compiler::registerPipelines();
  mlir::DialectRegistry registry;
  // What the stages are written in, so that each can be read again.
  registry.insert<tenon::ir::TenonDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  // LLVM's own options bury those of this tool; --help-hidden lists them.
  for (auto &option : llvm::cl::getRegisteredOptions())
    if (!option.first.starts_with("help"))
      option.second->setHiddenFlag(llvm::cl::Hidden);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, overview, registry));
}
