//===- Reversed.h - elements from the last to the first --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Common.h"

#include <utility>

namespace tenon::rt::TENON_ISA {

namespace detail {
template <class V, int... I>
[[gnu::always_inline]] inline V reversed(V x, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(x, x, (static_cast<int>(sizeof...(I)) - 1 - I)...);
}
} // namespace detail

/// to[i] = from[-i], a register at a time. They do not overlap.
template <class T>
[[gnu::noinline]] void copyReversed(const T *from, int64_t count, T *to) {
  int64_t i = 0;
  if constexpr (std::is_arithmetic_v<T>) {
    constexpr int N = math::nativeLanes<T>;
    using V = Vec<T, N>;
    for (; i + N <= count; i += N)
      math::store<V>(to + i, detail::reversed(math::load<V>(from - i - (N - 1)), std::make_integer_sequence<int, N>()));
  }
  for (; i < count; ++i)
    to[i] = from[-i];
}

} // namespace tenon::rt::TENON_ISA
