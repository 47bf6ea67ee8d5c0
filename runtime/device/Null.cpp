//===- Null.cpp - a device of which the host can touch nothing ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/Null.h"

#include <cstring>

using namespace tenon;
using namespace tenon::rt;

/// Added to an address of the host: no longer one that x86-64 can have, with or
/// without five levels of pages. Adding to the sum, as views do, keeps that.
static constexpr uintptr_t away = uintptr_t(1) << 61;

static void *fromHost(void *memory) { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(memory) + away); }
static void *onHost(const void *memory) { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(memory) - away); }

static void *allocateNull(size_t bytes, AllocationFailure *why) {
  void *block = tryAllocate(bytes, why);
  return block ? fromHost(block) : nullptr;
}

static void deallocateNull(void *block, size_t bytes) {
  if (block)
    deallocate(onHost(block), bytes);
}

static void toNull(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(onHost(to), from, bytes);
}
static void fromNull(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(to, onHost(from), bytes);
}
static void copyNull(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(onHost(to), onHost(from), bytes);
}

const DeviceTable rt::nullDevice = {Device::null,   "null:0", "null",   allocateNull,
                                    deallocateNull, toNull,   fromNull, copyNull};
