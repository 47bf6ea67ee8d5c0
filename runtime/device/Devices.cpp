//===- Devices.cpp - the host as a device, and the list of all ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/Device.h"
#include "runtime/device/Null.h"
#include "runtime/threads/Pool.h"

#include <cstring>

using namespace tenon;
using namespace tenon::rt;

static void toHost(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(to, from, bytes);
}
static Status copyBytes(Stream *, void *to, const void *from, size_t bytes) {
  toHost(to, from, bytes);
  return Status::ok;
}
static Status copyView(Stream *, const View &from, const View &to) { return copy(from, to); }

Status rt::launchOnHost(const Launch &launch) {
  int32_t failure = 0;
  auto chunk = [&](int64_t lo, int64_t hi) {
    if (__atomic_load_n(&failure, __ATOMIC_RELAXED) != 0)
      return;
    KernelArgs args{launch.buffers.data(), launch.words.data(), nullptr};
    alignas(64) char small[chunkStackBytes];
    bool large = launch.scratchBytes > chunkStackBytes;
    args.scratch = large ? tryAllocate(launch.scratchBytes) : launch.scratchBytes ? small : nullptr;
    int32_t status = large && !args.scratch ? static_cast<int32_t>(Status::outOfMemory) : launch.kernel(&args, lo, hi);
    if (large)
      deallocate(args.scratch, launch.scratchBytes);
    int32_t none = 0;
    if (status != 0)
      __atomic_compare_exchange_n(&failure, &none, status, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  };
  if (!parallelFor(launch.extent, launch.grain, chunk, launch.cancel))
    return Status::cancelled;
  return static_cast<Status>(failure);
}

const DeviceTable rt::hostDevice = {Device::cpu, "cpu:0",   "cpu",    nullptr, tryAllocate,     deallocate,  copyBytes,
                                    toHost,      copyBytes, copyView, kernel,  compositeKernel, launchOnHost};

static const DeviceTable *const all[] = {&hostDevice, &nullDevice};

std::span<const DeviceTable *const> rt::devices() { return all; }

const DeviceTable *rt::findDevice(Device device) {
  for (const DeviceTable *table : all)
    if (table->device == device)
      return table;
  return nullptr;
}

std::string rt::describe(const Fault &fault) {
  const std::string index = std::to_string(fault.index);
  return (fault.window == 1 ? "index " + index : "a part of " + std::to_string(fault.window) + " at index " + index) +
         " is out of range for axis " + std::to_string(fault.axis) + " of size " + std::to_string(fault.size);
}

std::string rt::deviceNames() {
  std::string text;
  for (const DeviceTable *table : all)
    text += (text.empty() ? "" : table == all[std::size(all) - 1] ? " or " : ", ") + std::string(table->name);
  return text;
}
