//===- Build.h - which build this is ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tenon::rt {

/// A hash of the sources that files lean on: the runtime, which a blob's kernels
/// call and whose kernels its steps are; the records and rules by which the ops of
/// a trace are read.
const std::array<std::uint8_t, 16> &buildId();
/// In hexadecimal.
std::string buildText(const std::array<std::uint8_t, 16> &id);

} // namespace tenon::rt
