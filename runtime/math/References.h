//===- References.h - special functions, plainly written -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What special_test.cpp and ulp.cpp measure the special functions against, where the C library has none: in a wider
// type `Exact`, a number at a time. No part of the runtime.
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tenon::math::reference {

/// From where on Stirling's series, to its term of order -13, is all that Exact can hold.
template <class Exact>
constexpr Exact farOut = std::numeric_limits<Exact>::digits > 53 ? 24 : 12;

/// digamma and trigamma by their recurrences, and Stirling's series; below 0 by reflection.
template <class Exact>
Exact digamma(Exact x) {
  constexpr Exact pi = std::numbers::pi_v<Exact>;
  if (x < 0)
    return x == std::rint(x) ? std::numeric_limits<Exact>::quiet_NaN()
                             : digamma(1 - x) - pi / std::tan(pi * (x - std::rint(x)));
  Exact sum = 0;
  for (; x < farOut<Exact>; x += 1)
    sum -= 1 / x;
  const Exact u = 1 / (x * x);
  return sum + std::log(x) - 1 / (2 * x) -
         u * (Exact(1) / 12 -
              u * (Exact(1) / 120 -
                   u * (Exact(1) / 252 - u * (Exact(1) / 240 - u * (Exact(1) / 132 - u * 691 / 32760)))));
}
template <class Exact>
Exact trigamma(Exact x) {
  if (x < 0) {
    const Exact inverse = std::numbers::pi_v<Exact> / std::sin(std::numbers::pi_v<Exact> * std::abs(x - std::rint(x)));
    return inverse * inverse - trigamma(1 - x);
  }
  Exact sum = 0;
  for (; x < farOut<Exact>; x += 1)
    sum += 1 / (x * x);
  const Exact u = 1 / (x * x);
  return sum + 1 / x + u / 2 +
         u / x *
             (Exact(1) / 6 -
              u * (Exact(1) / 30 - u * (Exact(1) / 42 - u * (Exact(1) / 30 - u * (Exact(5) / 66 - u * 691 / 2730)))));
}
/// exp(-|x|) I(order, x), by the power series or Hankel's.
template <int order, class Exact>
Exact expBessel(Exact x) {
  constexpr Exact least = std::numeric_limits<Exact>::epsilon() / 4;
  const Exact a = std::abs(x), square = a * a / 4, mu = 4 * order * order;
  Exact term = order ? a / 2 : 1, sum = term;
  if (a < 45) {
    for (int n = 1; n < 160 && !(term < sum * least); ++n)
      term *= square / (n * (n + order)), sum += term;
    sum *= std::exp(-a);
  } else {
    term = sum = 1;
    for (int k = 1; k < 30 && !(std::abs(term) < least); ++k)
      term *= ((2 * k - 1) * (2 * k - 1) - mu) / (8 * k * a), sum += term;
    sum /= std::sqrt(2 * std::numbers::pi_v<Exact> * a);
  }
  return order ? std::copysign(sum, x) : sum;
}
/// log(e^x + e^y). Below 0 it is as wrong as the larger of the two is beside the result.
template <class Exact>
Exact logaddexp(Exact x, Exact y) {
  if (x != x || y != y)
    return x + y;
  return std::max(x, y) + std::log1p(std::exp(x == y ? Exact(0) : -std::abs(x - y)));
}
/// Beside what the error of a gamma function is measured: what it is reflected from, and where its zeros are.
template <class Exact>
Exact reflectedFrom(Exact x) {
  return x < 0 ? std::max(Exact(1), std::lgamma(1 - x)) : Exact(0);
}
template <class Exact>
Exact digammaSize(Exact x) {
  if (x < 0)
    return std::max(Exact(1), digamma(1 - x) + std::abs(digamma(x)));
  return std::abs(x - Exact(1.46)) < Exact(0.1) ? Exact(0.1) : Exact(0);
}

} // namespace tenon::math::reference
