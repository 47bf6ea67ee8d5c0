//===- BlasLock.cpp - OpenBLAS's allocator, called by many threads ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The serial archive of OpenBLAS gives out its packing buffers without a lock,
// so two products at once could share one and give wrong numbers. The build
// renames its two functions (blas_memory.sh); OpenBLAS calls these instead.
// The arithmetic itself has no shared state.
//===----------------------------------------------------------------------===//
#include "lib/base/Fork.h"

extern "C" {
void *tenon_blas_memory_alloc(int position);
void tenon_blas_memory_free(void *buffer);

static constinit tenon::rt::ForkLock blasLock(tenon::rt::LockOrder::blas);

[[gnu::visibility("hidden")]] void *blas_memory_alloc(int position) {
  std::lock_guard lock(blasLock);
  return tenon_blas_memory_alloc(position);
}

[[gnu::visibility("hidden")]] void blas_memory_free(void *buffer) {
  std::lock_guard lock(blasLock);
  tenon_blas_memory_free(buffer);
}
}
