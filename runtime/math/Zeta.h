//===- Zeta.h - Hurwitz' zeta function and the polygamma functions ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zeta, polygamma, by the rules of Math.h; of floats in double. Terms up to 10, and Euler's and Maclaurin's formula for
// what is left.
//===----------------------------------------------------------------------===//
#pragma once

#include "Gamma.h"
#include "Power.h"

namespace tenon::math {

namespace detail {

/// q^s zeta(s, q) for s > 1 and q > 0: the sum of (q / (q + k))^s.
template <class D>
[[gnu::always_inline]] inline D scaledZeta(D s, D q) {
  D a = q, sum = D{}, k = D{}, power = broadcast<D>(1.0);
  // For a >= end the first neglected term of the Euler-Maclaurin formula is below 2^-53. If ten direct terms do not
  // reach `end`, the terms after them are negligible.
  const auto end = s * 0.71875 + 6.25;
  for (int round = 0; round < 10; ++round) {
    const auto isOpen = (a < 10.0) | (a < end);
    if (!any(isOpen))
      break;
    sum = select(isOpen, sum + power, sum);
    k = k + 1.0;
    a = select(isOpen, q + k, a);
    power = select(isOpen, pow(q / a, s), power);
  }
  // The integral, half a term, and for each j B(2 j) / (2 j)! s (s + 1) ... (s + 2 j - 2) / a^(2 j - 1).
  const D inverse = 1.0 / a, z = inverse * inverse;
  const auto next = [&](D rest, double last, double c) __attribute__((always_inline)) {
    return fma((s + last) * (s + (last - 1.0)) * z, rest, broadcast<D>(c));
  };
  D rest = broadcast<D>(-0x1.497d9033a2b5dp-63);
  rest = next(rest, 22, 0x1.967e1f09c376fp-58), rest = next(rest, 20, -0x1.f57d968caacf1p-53);
  rest = next(rest, 18, 0x1.355871d652e9ep-47), rest = next(rest, 16, -0x1.7da4e1f79955cp-42);
  rest = next(rest, 14, 0x1.d6db2c4e09163p-37), rest = next(rest, 12, -0x1.22805d644267fp-31);
  rest = next(rest, 10, 0x1.66a8f2bf70ebep-26), rest = next(rest, 8, -0x1.bbd779334ef0bp-21);
  rest = next(rest, 6, 0x1.1566abc011566p-15), rest = next(rest, 4, -0x1.6c16c16c16c17p-10);
  rest = next(rest, 2, 0x1.5555555555555p-4);
  const D left = a / (s - 1.0) + fma(s * inverse, rest, broadcast<D>(0.5));
  return sum + select(power == 0.0, D{}, power * left);
}

/// zeta(s, q), or if isFactorial Gamma(s) zeta(s, q) for whole s, of numbers that are neither 0 nor infinite; s > 1.
/// Below 0 q must have no fraction beside s: the terms of either sign are sums from a number in (0, 1) on.
template <bool isFactorial, class D>
[[gnu::always_inline]] inline D zetaOf(D s, D q) {
  const D one = broadcast<D>(1.0), infinity = broadcast<D>(Format<double>::infinity);
  const auto sumFrom = [&](D from) __attribute__((always_inline)) {
    const D scaled = scaledZeta(s, from);
    if constexpr (isFactorial) {
      // A factor of each: neither the factorial nor the power need be a number by itself.
      D result = scaled * (1.0 / from), factor = one;
      for (int round = 0; round < 170; ++round) {
        const auto isOpen = factor < s;
        if (!any(isOpen))
          break;
        result = select(isOpen, result * (factor / from), result);
        factor = factor + 1.0;
      }
      return select(s > 171.0, exp(lgammaOf(s) - s * log(from)) * scaled, result);
    } else {
      return select(from > 0x1p60, pow(from, 1.0 - s) * (1.0 / (s - 1.0)), pow(from, -s) * scaled);
    }
  };
  const auto isNegative = q < 0.0;
  const D fraction = q - floor(q);
  D result = sumFrom(select(isNegative, fraction, q));
  if (any(isNegative)) {
    const D half = s * 0.5;
    const auto isOdd = half != floor(half); // odd: first what cancels at halves
    const D above = sumFrom(select(isNegative, ceil(q) - q, one)), rest = sumFrom(select(isNegative, 1.0 - q, one));
    // Of two that are too large for a number the nearer pole's is larger; halfway between poles they are equal.
    const D nearer = select(fraction < 0.5, result, select(fraction > 0.5, -above, rest));
    const auto isBeyond = (result == infinity) & (above == infinity);
    const D difference = select(isBeyond, nearer, (result - above) + rest);
    result = select(isNegative, select(isOdd, difference, result + (above - rest)), result);
  }
  return result;
}

template <class D>
[[gnu::always_inline]] inline D hurwitzOf(D s, D q) {
  constexpr double inf = Format<double>::infinity;
  const auto isPole = (q <= 0.0) & (q == floor(q));
  const auto isPlain = (s > 1.0) & (s < inf) & (q < inf) & !isPole & ((q > 0.0) | (s == floor(s)));
  const D one = broadcast<D>(1.0);
  const D result =
      zetaOf<false>(select(isPlain, select(s > 0x1p64, broadcast<D>(0x1p64), s), one + 1.0), select(isPlain, q, one));
  const D infinite = broadcast<D>(inf);
  // Of an infinite s, which as a power is even, the terms next to 0 alone are left.
  const D last = select(q > 1.0, D{}, select(q == 1.0, one, infinite));
  const D end = select(s == 1.0, infinite, select(isPole, infinite, select(q == inf, D{}, last)));
  const auto isNumber = (s >= 1.0) & ((s == 1.0) ? q == q : isPole | (q > 0.0) | ((s == inf) & (q == q)));
  return select(isPlain, result, select(isNumber, end, broadcast<D>(Format<double>::nan)));
}

template <class D>
[[gnu::always_inline]] inline D polygammaOf(D n, D x) {
  constexpr double inf = Format<double>::infinity;
  const auto isPole = (x <= 0.0) & (x == floor(x));
  const auto isWhole = (n >= 1.0) & (n < inf) & (n == floor(n)), isPlain = isWhole & (x < inf) & !isPole & (x == x);
  const D one = broadcast<D>(1.0);
  const D size = zetaOf<true>(select(isPlain, n + 1.0, one + 1.0), select(isPlain, x, one));
  const D half = n * 0.5;
  const D end = select(isPole, broadcast<D>(inf), D{});
  const auto isKnown = isWhole & (x == x);
  D result = select(isPlain, size, select(isKnown, end, broadcast<D>(Format<double>::nan)));
  result = select(half == floor(half), -result, result);
  const auto isFirst = n == 0.0;
  if (any(isFirst))
    result = select(isFirst, digammaOf(x), result);
  return result;
}
} // namespace detail

/// The sum of (q + k)^-s over k from 0 on: infinite for s = 1 and where a term is, NaN below 1 and, for q below 0,
/// where s has a fraction.
template <class V>
[[gnu::always_inline]] inline V zeta(V s, V q) {
  return detail::inDouble(
      [](auto wide, auto from) __attribute__((always_inline)) { return detail::hurwitzOf(wide, from); }, s, q);
}

/// The derivative of order n of digamma(x), for whole n; else NaN.
template <class V>
[[gnu::always_inline]] inline V polygamma(V n, V x) {
  return detail::inDouble(
      [](auto wide, auto at) __attribute__((always_inline)) { return detail::polygammaOf(wide, at); }, n, x);
}

} // namespace tenon::math
