//===- BlasLock.cpp - OpenBLAS's allocator, called by many threads ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The serial archive of OpenBLAS gives out its packing buffers without a lock,
// so two products at once could share one and give wrong numbers. The linker
// sends every call of its two functions here (--wrap, runtime/CMakeLists.txt);
// the arithmetic itself has no shared state.
//===----------------------------------------------------------------------===//
#include "lib/base/Fork.h"

extern "C" {
void *__real_blas_memory_alloc(int position);
void __real_blas_memory_free(void *buffer);

static constinit tenon::rt::ForkLock blasLock(tenon::rt::LockOrder::blas);

void *__wrap_blas_memory_alloc(int position) {
  std::lock_guard lock(blasLock);
  return __real_blas_memory_alloc(position);
}

void __wrap_blas_memory_free(void *buffer) {
  std::lock_guard lock(blasLock);
  __real_blas_memory_free(buffer);
}
}
