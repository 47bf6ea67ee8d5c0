//===- device.h - where buffers live -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace tenon {

/// Kinds of devices. `null` computes on the CPU but has memory that the host cannot access and runs work only when
/// waited for, so that device handling can be tested on any machine.
enum class DeviceKind : uint8_t { cpu = 0, null = 1 };

/// Location of an array's buffer: the index-th device of a kind. Prints as "cpu:0".
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  uint8_t index = 0;

  /// The first device of each kind.
  static const Device cpu, null;

  /// Kind and index as one number; part of the trace format.
  constexpr uint16_t code() const {
    return static_cast<uint16_t>(static_cast<unsigned>(kind) | static_cast<unsigned>(index) << 8);
  }
  static constexpr Device from_code(uint16_t code) {
    return {static_cast<DeviceKind>(code & 0xff), static_cast<uint8_t>(code >> 8)};
  }
  friend constexpr bool operator==(Device, Device) = default;
};
inline constexpr Device Device::cpu{DeviceKind::cpu, 0};
inline constexpr Device Device::null{DeviceKind::null, 0};

/// "cpu:0"
std::string name(Device device);
/// Device of new arrays unless another one is given.
constexpr Device default_device() { return Device::cpu; }

} // namespace tenon
