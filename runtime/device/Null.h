//===- Null.h - a device of which the host can touch nothing ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its memory is the host's, under addresses that no process can have: what
// reads or writes it without asking the device ends at once. So what takes
// every device for the host shows on any machine. It runs the host's kernels,
// and not before somebody waits for what they give (NullQueue.h).
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Device.h"

namespace tenon::rt {

extern const DeviceTable nullDevice;

/// For tests: whether it has kernels of composites. It has.
void setNullComposites(bool has);

} // namespace tenon::rt
