//===- Device.h - what the runtime asks of a device ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device is a table of functions. The host is one of them; what is hot asks
// whether it is the host first and calls the host's functions directly, which
// inlines them. A pointer to a device's memory is a number to the host: it may
// be moved along, and is read and written through the table alone.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Launch.h"
#include "runtime/memory/Memory.h"

#include <tenon/device.h>

#include <span>
#include <string>

namespace tenon::rt {

struct DeviceTable {
  Device device;
  /// "cpu:0" and "cpu".
  const char *name, *kind;
  /// A block of this many bytes, aligned to 64, not set; null, and why, if it is
  /// refused. It is given back with the number of bytes it was asked for.
  void *(*allocate)(size_t bytes, AllocationFailure *why);
  void (*deallocate)(void *block, size_t bytes);
  /// Copies between the host's memory and the device's, and inside of the latter;
  /// what was asked of the device before is done by then. No overlap.
  void (*toDevice)(void *to, const void *from, size_t bytes);
  void (*toHost)(void *to, const void *from, size_t bytes);
  void (*copyBytes)(void *to, const void *from, size_t bytes);
  /// Copies between views of the device, as rt::copy does.
  Status (*copyView)(const View &from, const View &to);
  /// The eager kernel of an op, null for an op that has none; its views are of the
  /// device's memory.
  Kernel (*kernel)(OpCode op);
  Status (*launch)(const Launch &launch);
};

/// The host's.
extern const DeviceTable hostDevice;

/// Copies between devices, of which one is the host, or inside of one.
void copyBetween(const DeviceTable &target, void *to, const DeviceTable &source, const void *from, size_t bytes);

/// All devices of this process, the host first.
std::span<const DeviceTable *const> devices();
/// The one of that kind and index; null if there is none.
const DeviceTable *findDevice(Device device);
/// "cpu:0 or null:0": for errors.
std::string deviceNames();

} // namespace tenon::rt
