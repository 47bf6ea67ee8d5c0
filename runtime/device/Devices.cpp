//===- Devices.cpp - the host as a device, and the list of all ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/Device.h"
#include "runtime/device/Null.h"

#include <cstring>

using namespace tenon;
using namespace tenon::rt;

static void copyHost(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(to, from, bytes);
}

const DeviceTable rt::hostDevice = {Device::cpu, "cpu:0", "cpu", tryAllocate, deallocate, copyHost, copyHost, copyHost};

static const DeviceTable *const all[] = {&hostDevice, &nullDevice};

std::span<const DeviceTable *const> rt::devices() { return all; }

const DeviceTable *rt::findDevice(Device device) {
  for (const DeviceTable *table : all)
    if (table->device == device)
      return table;
  return nullptr;
}

void rt::copyBetween(const DeviceTable &target, void *to, const DeviceTable &source, const void *from, size_t bytes) {
  if (&target == &source)
    target.copyBytes(to, from, bytes);
  else if (&target == &hostDevice)
    source.toHost(to, from, bytes);
  else
    target.toDevice(to, from, bytes);
}

std::string rt::deviceNames() {
  std::string text;
  for (const DeviceTable *table : all)
    text += (text.empty() ? "" : table == all[std::size(all) - 1] ? " or " : ", ") + std::string(table->name);
  return text;
}
