//===- Difference.h - whether two arrays are equal by bits --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/Elements.h"

#include <tenon/tenon.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace tenon {

/// Whether two numbers have the same bits; any NaN equals any NaN.
template <class T>
bool isSame(T a, T b) {
  if constexpr (requires { a.imag; })
    return isSame(a.real, b.real) && isSame(a.imag, b.imag);
  else
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (double(a) != double(a) && double(b) != double(b));
}

/// Prints 17 digits: no two doubles have the same text.
inline std::string exactly(double x) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", x);
  return text;
}
template <class T>
  requires requires(T x) { x.imag; }
std::string exactly(T x) {
  return exactly(double(x.real)) + " + " + exactly(double(x.imag)) + "i";
}

/// The first difference of two arrays in type or bits, or "". Reads every element.
inline std::string difference(const Array &got, const Array &expected) {
  auto type = [](const Array &x) { return std::string(short_name(x.dtype())) + x.shape().str(); };
  if (got.dtype() != expected.dtype() || !(got.shape() == expected.shape()))
    return type(got) + " for " + type(expected);
  return withElement(got.dtype(), [&]<class T>(T *) -> std::string {
    auto textOf = [](T x) {
      if constexpr (kind(dtype_of<T>) == Kind::complex)
        return exactly(x);
      else
        return exactly(double(x));
    };
    std::vector<T> a = got.to_vector<T>(), b = expected.to_vector<T>();
    for (size_t i = 0; i < a.size(); ++i)
      if (const T x = a[i], y = b[i]; !isSame(x, y))
        return "element " + std::to_string(i) + " of " + type(got) + ": " + textOf(x) + " for " + textOf(y);
    return "";
  });
}

/// Whether two arrays have the same type and bits; any NaN equals any NaN.
inline bool areSame(const Array &a, const Array &b) { return difference(a, b).empty(); }

} // namespace tenon
