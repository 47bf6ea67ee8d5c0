//===- ErfInv.h - the inverse error function, by its polynomials ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: M. Giles, "Approximating the erfinv function", GPU Computing Gems 2, 2011. What tenon::erf_inv
// is composed of (lib/ops/composites/ErfInv.cpp), for kernels that have its bits: products and sums each
// rounded, as ops are.
//===----------------------------------------------------------------------===//
#pragma once

#include "Math.h"

namespace tenon::math {

/// Giles' polynomials of single precision, highest power first: of w - 2.5 below 5, then of the root of w less 3.
inline constexpr double erfInvSingle[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                          -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                          -0.00417768164,  0.246640727,    1.50140941};
inline constexpr double erfInvSingleTail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                              -0.00367342844,  0.00573950773,  -0.0076224613,
                                              0.00943887047,   1.00167406,     2.83297682};

namespace detail {
/// c[0] * w^n + ... + c[n], each operation rounded.
template <class V, int Count>
[[gnu::always_inline]] inline V roundedPolynomial(V w, const double (&c)[Count]) {
  V sum = w * static_cast<Element<V>>(c[0]);
  for (int i = 1; i < Count - 1; ++i)
    sum = (sum + static_cast<Element<V>>(c[i])) * w;
  return sum + static_cast<Element<V>>(c[Count - 1]);
}
} // namespace detail

/// erf_inv of x, floats inside of (-1, 1), from w = -log(1 - x^2).
template <class V>
[[gnu::always_inline]] inline V erfInvSingleOf(V x, V w) {
  V p = detail::roundedPolynomial(w - 2.5f, erfInvSingle);
  const auto isTail = !(w < 5.0f);
  if (any(isTail))
    p = select(isTail, detail::roundedPolynomial(sqrt(maximum(w, like(w, 4))) - 3.0f, erfInvSingleTail), p);
  return p * x;
}

} // namespace tenon::math
