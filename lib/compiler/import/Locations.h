//===- Locations.h - locations of a trace and of MLIR -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"

#include "mlir/IR/Location.h"

namespace tenon::compiler {

/// `callsite("main.cpp":3:4 at callsite("softmax" at "Net"))`: diagnostics show
/// the user's line first.
mlir::Location locationToMlir(mlir::MLIRContext *context, const TraceLocation &location);

/// The first file and line in `loc`, and all names. An empty file: none.
TraceLocation locationFromMlir(mlir::Location loc);

} // namespace tenon::compiler
