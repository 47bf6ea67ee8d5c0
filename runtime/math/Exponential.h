//===- Exponential.h - other powers and logarithms -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp2, expm1, log2, log10, by the rules of Math.h. The polynomials were made by
// Sollya's fpminimax.
//===----------------------------------------------------------------------===//
#pragma once

#include "Math.h"

namespace tenon::math {

namespace detail {
/// (2^r - 1) / r for |r| <= 1/2.
template <class V>
[[gnu::always_inline]] inline V exp2Tail(V r) {
  if constexpr (__is_same(Element<V>, float))
    return polynomial(r, 0x1.62e43p-1f, 0x1.ebfbdep-3f, 0x1.c6af9ep-5f, 0x1.3b2c58p-7f, 0x1.5ef4a2p-10f,
                      0x1.427918p-13f);
  else
    return polynomial(r, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a1acp-5, 0x1.3b2ab6fba1ee3p-7,
                      0x1.5d87fe7880441p-10, 0x1.430913093a11p-13, 0x1.ffcbfd0180bcbp-17, 0x1.62bfd4fe48998p-20,
                      0x1.b523dc17cc7cp-24, 0x1.e60559753eefap-28, 0x1.eb5b6dca847abp-32);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
template <class V>
[[gnu::always_inline]] inline V expm1Tail(V r) {
  if constexpr (__is_same(Element<V>, float))
    return polynomial(r, 0.5f, 0x1.555556p-3f, 0x1.5554fep-5f, 0x1.110ff6p-7f, 0x1.6d3452p-10f, 0x1.a25dcp-13f);
  else
    return polynomial(r, 0.5, 0x1.5555555555557p-3, 0x1.5555555555551p-5, 0x1.111111110ffdp-7, 0x1.6c16c16c191b4p-10,
                      0x1.a01a01ac82309p-13, 0x1.a01a0194f2396p-16, 0x1.71de003bf3782p-19, 0x1.27e5068600129p-22,
                      0x1.af520b2305d2ap-26, 0x1.1f2b56fbc05bbp-29);
}

/// x + small = n ln 2 + r + rest, where r is exact; e^(r + rest) = 1 + r + tail.
template <class V>
struct ExpTerms {
  V shifted, n, r, tail;
  [[gnu::always_inline]] explicit ExpTerms(V x, V small = V{}) {
    using F = Format<Element<V>>;
    shifted = fma(x, broadcast<V>(F::log2e), broadcast<V>(F::shifter)), n = shifted - F::shifter;
    r = fma(n, broadcast<V>(-F::ln2High), x);
    const V rest = fma(n, broadcast<V>(-F::ln2Low), small), sum = r + rest;
    // What the sum lost counts as much as sum does; floats can do without.
    const V lost = (r - sum) + rest;
    tail = fma(sum * sum, expm1Tail(sum), __is_same(Element<V>, float) ? rest : fma(sum, lost, rest));
  }
};

/// log(1 + f) - f with 1 + f in [sqrt(1/2), sqrt(2)); the polynomials are logOf's.
template <class V>
[[gnu::always_inline]] inline V logTail(V f) {
  const V f2 = f * f;
  if constexpr (__is_same(Element<V>, float)) {
    return fma(f2, broadcast<V>(-0.5f), f2 * f * log1pCubic(f));
  } else {
    const V s = f / (f + 2.0), half = f2 * 0.5;
    return fma(s, half + log1pRest(s * s), -half);
  }
}

/// log(x) / log(base) from 1 / log(base) and log(2) / log(base), each in two parts.
template <class V>
[[gnu::always_inline]] inline V logTo(V x, Element<V> inverse, Element<V> inverseLow, Element<V> two,
                                      Element<V> twoLow) {
  const Logarithm<V> parts = logarithmOf(x);
  const V f = parts.f, tail = logTail(f);
  // The two large terms are added exactly.
  const V part = f * inverse, whole = parts.k * two, high = whole + part;
  const V partRest = fma(f, broadcast<V>(inverse), -part);
  V low = fma(tail, broadcast<V>(inverse), fma(f, broadcast<V>(inverseLow), partRest));
  if (twoLow != 0)
    low = fma(parts.k, broadcast<V>(twoLow), low);
  return logEnds(x, high + (((whole - high) + part) + low));
}
} // namespace detail

/// 2^x.
template <class V>
[[gnu::always_inline]] inline V exp2(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  x = detail::clamped(x, __is_same(T, float) ? T(-151) : T(-1076), __is_same(T, float) ? T(129) : T(1025));
  const V shifted = x + F::shifter, r = x - (shifted - F::shifter);
  return detail::timesPower(fma(r, detail::exp2Tail(r), broadcast<V>(T(1))), bitCast<UnsignedOf<V>>(shifted));
}

/// e^x - 1, precise near 0.
template <class V>
[[gnu::always_inline]] inline V expm1(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  constexpr bool isFloat = __is_same(T, float);
  const V a = detail::clamped(x, isFloat ? T(-25) : T(-50), isFloat ? T(89) : T(710));
  const detail::ExpTerms<V> terms(a);
  // 2^n, or half of it where it would be infinite.
  const auto isLast = terms.n > T(F::bias);
  const U biased = bitCast<U>(terms.shifted) - (F::shifterBits - F::bias);
  const V power = bitCast<V>((biased - select(isLast, broadcast<U>(1), U{})) << F::mantissaBits);
  // 2^n - 1 + 2^n (r + tail), the large terms exactly.
  const V whole = power - T(1), wholeRest = (power - whole) - T(1);
  const V high = fma(power, terms.r, whole), low = fma(power, terms.r, whole - high) + wholeRest;
  V result = high + fma(power, terms.tail, low);
  result = result * select(isLast, broadcast<V>(T(2)), broadcast<V>(T(1)));
  return select(x == T(0), x, result); // the sign of zero
}

/// The logarithm to base 2: NaN below 0, -infinity at 0.
template <class V>
[[gnu::always_inline]] inline V log2(V x) {
  if constexpr (__is_same(Element<V>, float))
    return detail::logTo(x, 0x1.715476p0f, 0x1.4ae0cp-26f, 1.0f, 0.0f);
  else
    return detail::logTo(x, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, 1.0, 0.0);
}

/// The logarithm to base 10: NaN below 0, -infinity at 0.
template <class V>
[[gnu::always_inline]] inline V log10(V x) {
  // A whole exponent times the first part of log(2) / log(10) is exact.
  if constexpr (__is_same(Element<V>, float))
    return detail::logTo(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.3442p-2f, -0x1.95ec1p-19f);
  else
    return detail::logTo(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f78p-2, 0x1.fef311f12b358p-46);
}

} // namespace tenon::math
