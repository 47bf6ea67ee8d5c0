//===- Launch.h - how generated kernels are called ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/kernels/Kernel.h"

namespace tenon::rt {

/// A generated kernel: `int32_t kernel(const KernelArgs *, int64_t lo, int64_t hi)`
/// runs rows (or elements) [lo, hi) of its iteration space and returns a Status.
struct KernelArgs {
  /// Pointers of the operands, then of the results; dense row-major, aligned to
  /// their elements and no more (a slice of a loop's input is anywhere).
  void *const *buffers;
  /// The launch's sizes, then its immediate words.
  const int64_t *words;
  /// Scratch of this chunk, 64-byte aligned; null if the kernel needs none.
  void *scratch;
};
using KernelFunction = int32_t (*)(const KernelArgs *args, int64_t lo, int64_t hi);

/// Scratch of a chunk up to this many bytes is on the thread's stack.
inline constexpr size_t chunkStackBytes = 8192;

/// A kernel over [0, extent), in chunks of `grain`.
struct Launch {
  KernelFunction kernel = nullptr;
  /// Those of the device; a device may write over them.
  std::span<void *> buffers;
  std::span<const int64_t> words;
  int64_t extent = 0, grain = 1;
  size_t scratchBytes = 0; ///< of a chunk
  /// Polled between chunks; may be null.
  const uint32_t *cancel = nullptr;
  Stream *stream = nullptr;
};

/// On the host, by the threads of the pool.
Status launchOnHost(const Launch &launch);

} // namespace tenon::rt
