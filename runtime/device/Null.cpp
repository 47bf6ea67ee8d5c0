//===- Null.cpp - a device of which the host can touch nothing ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/Null.h"

#include <cstring>
#include <vector>

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

static View onHost(View view) {
  view.data = onHost(view.data);
  return view;
}

static Status copyNullView(const View &from, const View &to) { return copy(onHost(from), onHost(to)); }

static Status runKernel(const KernelCall &call) {
  std::vector<View> views;
  for (std::span<const View> given : {call.operands, call.results})
    for (const View &view : given)
      views.push_back(onHost(view));
  const std::span<const View> all = views;
  KernelCall own = call;
  own.operands = all.first(call.operands.size());
  own.results = all.subspan(call.operands.size());
  return kernel(call.op)(own);
}
static Kernel nullKernel(OpCode op) { return kernel(op) ? runKernel : nullptr; }

static Status launchNull(const Launch &launch) {
  for (void *&buffer : launch.buffers)
    buffer = onHost(buffer);
  return launchOnHost(launch);
}

const DeviceTable rt::nullDevice = {Device::null, "null:0", "null",       allocateNull, deallocateNull, toNull,
                                    fromNull,     copyNull, copyNullView, nullKernel,   launchNull};
