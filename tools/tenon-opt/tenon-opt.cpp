//===- tenon-opt.cpp - runs passes and pipelines on .mlir files -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/pipelines/Pipelines.h"

#include "dialect/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  tenon::compiler::registerPipelines();
  mlir::DialectRegistry registry;
  registry.insert<tenon::ir::TenonDialect, mlir::func::FuncDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tenon's passes on MLIR\n", registry));
}
