//===- ToLlvm.h - from loops over vectors to the LLVM dialect -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tenon::compiler {

/// The conversion, with its patterns made once: scf to branches, then func,
/// arith, math, vector and cf to the LLVM dialect. exp, log, tanh and cbrt become
/// calls of tenon_math_<op>_<f32|f64>[x16], which Codegen.h replaces by their
/// bodies.
class ToLlvm {
public:
  explicit ToLlvm(mlir::MLIRContext *context);
  ~ToLlvm();
  llvm::LogicalResult run(mlir::ModuleOp module);

private:
  struct State;
  State *state;
};

} // namespace tenon::compiler
