//===- device.h - where buffers live -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

/// Where an array's buffer lives. `null` has no memory behind it: it exists so
/// that the handling of devices can be tested on any machine.
enum class Device : uint8_t { cpu = 0, null = 1 };
std::string_view name(Device device);

} // namespace tenon
