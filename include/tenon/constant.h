//===- constant.h - numbers that are types ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto power = tn::jit([](tn::Array x, auto n) {
//     tn::Array y = x;
//     for (int i = 1; i < n; ++i)
//       y = y * x;
//     return y;
//   });
//   power(x, tn::constant<3>);   // traced for 3; a call with constant<4> is traced for 4
//===----------------------------------------------------------------------===//
#pragma once

namespace tenon {

/// A compile-time value as an argument of a jitted function, usable as the size of a std::array or in `if constexpr`.
/// It is static, as a number is, and costs nothing to compare.
template <auto V>
struct Constant {
  static constexpr auto value = V;
  constexpr operator decltype(V)() const { return V; }
};
template <auto V>
inline constexpr Constant<V> constant;

} // namespace tenon
