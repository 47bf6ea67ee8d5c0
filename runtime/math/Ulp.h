//===- Ulp.h - measuring errors of floating-point functions ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What math_test.cpp and ulp.cpp share; no part of the runtime.
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tenon::math {

/// The error of `got` in units of the last place of the exact value, or of `size` if that is
/// larger; infinity where NaN, an infinity or the sign of a zero is wrong. Where numbers end, an
/// infinity stands for the number that would come next.
template <class T, class Exact>
double ulpError(T got, Exact exact, Exact size = 0) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  constexpr int precision = std::numeric_limits<T>::digits, highest = std::numeric_limits<T>::max_exponent;
  constexpr int lowest = std::numeric_limits<T>::min_exponent - precision;
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0 : wrong;
  const Exact end = std::ldexp(Exact(1), highest);
  if (exact == 0 || std::isinf(exact) || (std::isinf(got) && std::abs(exact) >= end))
    return got == static_cast<T>(exact) && std::signbit(got) == std::signbit(exact) ? 0 : wrong;
  const Exact value = std::isinf(got) ? std::copysign(end, Exact(got)) : Exact(got);
  const Exact larger = std::max(std::abs(exact), std::abs(size));
  constexpr bool isQuick = sizeof(T) == 4 && std::is_same_v<Exact, double>; // for there are many
  int exponent;
  if constexpr (isQuick)
    exponent = static_cast<int>(std::bit_cast<uint64_t>(larger) >> 52) - 1023;
  else
    exponent = std::ilogb(larger);
  exponent = std::clamp(exponent - precision + 1, lowest, highest - precision);
  if constexpr (isQuick)
    return std::abs(value - exact) * std::bit_cast<double>(static_cast<uint64_t>(1023 - exponent) << 52);
  else
    return std::abs(static_cast<double>(std::ldexp(value - exact, -exponent)));
}

/// Sums of these over (position, value) are equal where all bits are, any NaN
/// being equal to any NaN; parts can be added in any order.
template <class T>
uint64_t hashOf(uint64_t index, T value) {
  uint64_t bits = 0x7ff8;
  if constexpr (sizeof(T) == 4)
    bits = value == value ? std::bit_cast<uint32_t>(value) : bits;
  else
    bits = value == value ? std::bit_cast<uint64_t>(value) : bits;
  const uint64_t h = (bits ^ index * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  return (h ^ h >> 32) * 0xc4ceb9fe1a85ec53;
}

/// The double for a counter: any bits, but every second one has an exponent in
/// [-8, 9], where the functions bend.
inline double sampleDouble(uint64_t index) {
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  if (index & 1)
    z = (z & 0x800fffffffffffff) | (1023 - 8 + (z >> 52 & 0x7ff) % 18) << 52;
  return std::bit_cast<double>(z);
}

} // namespace tenon::math
