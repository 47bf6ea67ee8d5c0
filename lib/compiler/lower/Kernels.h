//===- Kernels.h - the distinct kernels of a module -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/lower/KernelToLinalg.h"
#include "runtime/program/Schedule.h"

namespace tenon::compiler {

/// Kernels whose regions are equal are one; numbers are by first appearance.
struct KernelTable {
  /// One for each: the first that has this region, and what the runtime knows.
  std::vector<ir::KernelOp> kernels;
  std::vector<rt::KernelInfo> infos;
  llvm::DenseMap<mlir::Operation *, uint32_t> numbers;
};
KernelTable findKernels(mlir::Operation *root);

/// Appends the linalg forms of kernels [first, last) to `module` and completes
/// their infos; false after a diagnostic.
bool lowerKernels(KernelTable &table, size_t first, size_t last, mlir::ModuleOp module);

} // namespace tenon::compiler
