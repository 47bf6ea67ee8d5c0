//===- TraceDevice.h - where the values of a trace are -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"

#include <optional>

namespace tenon {

/// The device that all values of a trace are on, those of its regions too; none if
/// they are on several. The host, if it has no values.
std::optional<Device> traceDevice(const Trace &trace);

/// The same trace with all its values on `device`.
TraceRef onDevice(const Trace &trace, Device device);

} // namespace tenon
