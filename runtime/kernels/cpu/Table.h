//===- Table.h - the kernels of each instruction set -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one door between the files compiled per instruction set and the rest.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/Kernel.h"

namespace tenon::rt {

struct BlasTable;

struct KernelTable {
  /// By op code.
  const Kernel *kernels;
  uint16_t kernelCount;
  /// By CompositeId; null for one without.
  const Kernel *composites;
  ElementwiseKernel (*elementwise)(OpCode op, Dtype dtype, Dtype to);
  Status (*copy)(const View &from, const View &to);
  const BlasTable *blas;
};

namespace v3 {
extern const KernelTable kernelTable;
extern const BlasTable blasTable;
} // namespace v3
namespace v4 {
extern const KernelTable kernelTable;
extern const BlasTable blasTable;
} // namespace v4

// What kernels call, compiled once.
/// What the op `print` calls; see setPrinter.
Printer currentPrinter();
/// What the ops `check` and `host_call` call; see setHostKernels.
HostKernel currentFailure();
HostKernel currentHostCall();
/// The allocator's, out of line; null where it refuses.
void *allocateScratch(size_t bytes);
void freeScratch(void *block, size_t bytes);

} // namespace tenon::rt
