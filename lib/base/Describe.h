//===- Describe.h - how errors name a value's type --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/device.h>
#include <tenon/dim.h>
#include <tenon/dtype.h>

#include <string>

namespace tenon::detail {

/// `f32[2, batch]`: what errors say of a value.
std::string describe(Dtype dtype, const Shape &shape, Device device = Device::cpu);

/// `main.cpp:12`.
std::string placeText(Location at);

/// ` (and 3 others)`; empty for 0.
std::string andOthers(size_t count);

} // namespace tenon::detail
