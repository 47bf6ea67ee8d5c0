//===- Passes.h - the passes of the compiler -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/ir/TenonDialect.h"

#include "mlir/Pass/Pass.h"

namespace tenon::compiler {

#define GEN_PASS_DECL
#include "lib/compiler/pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/compiler/pipelines/Passes.h.inc"

/// Puts the first region of each function with rules of its own in its place.
void openRuled(mlir::Operation *root);

} // namespace tenon::compiler
