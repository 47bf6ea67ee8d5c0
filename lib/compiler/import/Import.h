//===- Import.h - traces to the tenon dialect and back -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"

namespace mlir {
class MLIRContext;
class ModuleOp;
template <typename OpTy>
class OwningOpRef;
} // namespace mlir

namespace tenon::compiler {

/// Loads the dialects of an imported module.
void loadImportDialects(mlir::MLIRContext &context);

/// A module with one public function @main; its location and name are the
/// trace's. Arguments with named sizes have a `tenon.dims`, the rest is inferred
/// again where it is needed. An op's location is the user's line, called from
/// the names of the composites around it. Linear in the trace.
mlir::OwningOpRef<mlir::ModuleOp> importTrace(mlir::MLIRContext &context, const Trace &trace);

/// The trace of @main (or of the only public function). Null, and `error` says
/// why with the op's place, if an op has no place in a trace or if its types do
/// not hold for the names that its operands' sizes have.
TraceRef exportTrace(mlir::ModuleOp module, std::string &error);

} // namespace tenon::compiler
