//===- Number.h - arithmetic of real and complex numbers --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same names for both. Products and sums of parts are rounded one by one.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/lapack/Lapack.h"

#include <cmath>
#include <limits>

namespace tenon::rt::linalg {

template <class T>
inline constexpr bool isComplex = requires(T x) { x.imag; };
template <class T>
using Part = typename PartOf<T>::Type;

template <class T>
T plus(T a, T b) {
  if constexpr (isComplex<T>)
    return {a.real + b.real, a.imag + b.imag};
  else
    return a + b;
}
template <class T>
T minus(T a, T b) {
  if constexpr (isComplex<T>)
    return {a.real - b.real, a.imag - b.imag};
  else
    return a - b;
}
template <class T>
T times(T a, T b) {
  if constexpr (isComplex<T>)
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  else
    return a * b;
}
template <class T>
T scaled(T a, Part<T> by) {
  if constexpr (isComplex<T>)
    return {a.real * by, a.imag * by};
  else
    return a * by;
}
/// Smith's division: no part of the divisor is squared.
template <class T>
T over(T a, T b) {
  if constexpr (isComplex<T>) {
    if (std::abs(b.real) >= std::abs(b.imag)) {
      const auto ratio = b.imag / b.real, divisor = b.real + b.imag * ratio;
      return {(a.real + a.imag * ratio) / divisor, (a.imag - a.real * ratio) / divisor};
    }
    const auto ratio = b.real / b.imag, divisor = b.real * ratio + b.imag;
    return {(a.real * ratio + a.imag) / divisor, (a.imag * ratio - a.real) / divisor};
  } else {
    return a / b;
  }
}
template <class T>
T conjugate(T a) {
  if constexpr (isComplex<T>)
    return {a.real, -a.imag};
  else
    return a;
}
template <class T>
Part<T> realPart(T a) {
  if constexpr (isComplex<T>)
    return a.real;
  else
    return a;
}
/// |re| + |im|, by which LAPACK chooses pivots.
template <class T>
Part<T> size1(T a) {
  if constexpr (isComplex<T>)
    return std::abs(a.real) + std::abs(a.imag);
  else
    return std::abs(a);
}
template <class T>
bool isZero(T a) {
  return a == T{};
}
template <class T>
bool isFinite(T a) {
  if constexpr (isComplex<T>)
    return std::isfinite(a.real) && std::isfinite(a.imag);
  else
    return std::isfinite(a);
}
template <class T>
T nan() {
  constexpr auto value = std::numeric_limits<Part<T>>::quiet_NaN();
  if constexpr (isComplex<T>)
    return {value, value};
  else
    return value;
}
template <class T>
bool areFinite(const T *x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!isFinite(x[i]))
      return false;
  return true;
}

} // namespace tenon::rt::linalg
