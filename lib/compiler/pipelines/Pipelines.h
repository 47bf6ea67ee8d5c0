//===- Pipelines.h - named pipelines -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the jit runs, by the names that tenon-opt knows too.
//===----------------------------------------------------------------------===//
#pragma once

namespace mlir {
class OpPassManager;
}

namespace tenon::compiler {

/// On a module: canonicalization and CSE of the tenon dialect, no more. Both
/// are linear in the ops of an imported trace. "tenon-simplify".
void buildSimplifyPipeline(mlir::OpPassManager &manager);

/// Makes all passes and pipelines known by name, once per process.
void registerPipelines();

} // namespace tenon::compiler
