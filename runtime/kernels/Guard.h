//===- Guard.h - how the op guard sees a number --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/dtype.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tenon::rt {

/// The bytes of a real element, zeros above them. All NaNs are one, -1, as C++ tells none from another.
inline int64_t answerOf(const void *element, Dtype dtype) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, std::min(item_size(dtype), sizeof bits));
  auto isNaN = [&](uint64_t magnitude, uint64_t infinity) { return (bits & magnitude) > infinity; };
  const bool isOne = dtype == Dtype::f16    ? isNaN(0x7fff, 0x7c00)
                     : dtype == Dtype::bf16 ? isNaN(0x7fff, 0x7f80)
                     : dtype == Dtype::f32  ? isNaN(0x7fffffff, 0x7f800000)
                                            : dtype == Dtype::f64 && isNaN(~uint64_t(0) >> 1, uint64_t(0x7ff) << 52);
  return isOne ? -1 : static_cast<int64_t>(bits);
}

} // namespace tenon::rt
