//===- Kernels.h - the distinct kernels of a module -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/compiler/kernels/KernelToLinalg.h"
#include "runtime/program/Schedule.h"

namespace tenon::compiler {

/// A kernel of a program: the first that has this region.
struct Kernel {
  ir::KernelOp op;
  /// What two kernels must share to be one, in this MLIRContext.
  std::string key;
  /// What the runtime knows of it.
  rt::KernelInfo info;
  /// Its function's name where it is lowered.
  std::string symbol;
};

/// Kernels whose regions are equal are one; numbers are by first appearance.
struct KernelTable {
  std::vector<Kernel> kernels;
  llvm::DenseMap<mlir::Operation *, uint32_t> numbers;
};
KernelTable findKernels(mlir::Operation *root);

/// Appends the linalg form of a kernel to `module` and completes its info; false
/// after a diagnostic.
bool lowerKernel(Kernel &kernel, mlir::ModuleOp module);

} // namespace tenon::compiler
