//===- Hyperbolic.h - hyperbolic functions and their inverses --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sinh, cosh, asinh, acosh, atanh, by the rules of Math.h. The polynomials were made
// by Sollya's fpminimax.
//===----------------------------------------------------------------------===//
#pragma once

#include "Math.h"

namespace tenon::math {

namespace detail {
/// a = n ln 2 + r + rest >= 0, and the halves of sinh and cosh of n ln 2 and of what is left:
/// sinh(r + rest) = r + odd, cosh(r + rest) = 1 + even.
template <class V>
struct HyperbolicParts {
  V r, odd, even, sinh, cosh, coshRest;
};
template <class V>
[[gnu::always_inline]] inline HyperbolicParts<V> hyperbolicParts(V a) {
  using T = Element<V>;
  using F = Format<T>;
  using U = UnsignedOf<V>;
  constexpr bool isFloat = __is_same(T, float);
  constexpr T limit = isFloat ? T(89.5) : T(710.6); // infinite from there on
  a = select(a > limit, broadcast<V>(limit), a);
  const V shifted = fma(a, broadcast<V>(F::log2e), broadcast<V>(F::shifter)), n = shifted - F::shifter;
  const V r = fma(n, broadcast<V>(-F::ln2High), a), rest = n * -F::ln2Low, sum = r + rest, z = sum * sum;
  V odd, even;
  if constexpr (isFloat) {
    even = polynomial(z, 0.5f, 0x1.5554fap-5f, 0x1.6d3a9cp-10f);
    odd = polynomial(z, 0x1.555556p-3f, 0x1.110f92p-7f, 0x1.a34232p-13f);
  } else {
    even = polynomial(z, 0.5, 0x1.5555555555557p-5, 0x1.6c16c16c1571p-10, 0x1.a01a01ab62854p-16, 0x1.27e4d032c1edp-22,
                      0x1.1f862dfaf4801p-29);
    odd = polynomial(z, 0x1.5555555555556p-3, 0x1.111111111064cp-7, 0x1.a01a01a9b1c25p-13, 0x1.71de07700121p-19,
                     0x1.af45ccb17d0d4p-26);
  }
  // 2^(n - 2), and 2^(-n - 2) where it matters.
  const U number = bitCast<U>(shifted) - F::shifterBits;
  const V power = bitCast<V>((number + (F::bias - 2)) << F::mantissaBits);
  const V inverse = select(n > T(64), V{}, bitCast<V>((F::bias - 2 - number) << F::mantissaBits));
  const V cosh = power + inverse;
  return {r, fma(sum * z, odd, rest), z * even, power - inverse, cosh, (power - cosh) + inverse};
}

/// asinh(s) = s + low for z = s^2 in [0, 1/4].
template <class V>
[[gnu::always_inline]] inline V asinhTail(V s, V z) {
  V p;
  if constexpr (__is_same(Element<V>, float))
    p = polynomial(z, -0x1.555556p-3f, 0x1.333368p-4f, -0x1.6db1ccp-5f, 0x1.efa27ap-6f, -0x1.5684dep-6f,
                   0x1.57a016p-7f);
  else
    p = polynomial(z, -0x1.5555555555555p-3, 0x1.33333333331f9p-4, -0x1.6db6db6da141dp-5, 0x1.f1c71c66a4e51p-6,
                   -0x1.6e8ba1483a945p-6, 0x1.1c4e9eb5c5e7ap-6, -0x1.c994ed129f80ap-7, 0x1.7a54fe932932ap-7,
                   -0x1.3e5dcbd3e3b12p-7, 0x1.0ad85702dbaap-7, -0x1.a1efa3329ea71p-8, 0x1.05f644e70cd8ep-8,
                   -0x1.7150a8757f4ccp-10);
  return s * z * p;
}

/// log(larger + smaller), of which one is x and the other sqrt(x^2 + 1) or sqrt(x^2 - 1): their
/// difference is the inverse of their sum but for what the root lost. `curve` says which: with
/// d = 1 / sum, 1 / (2 root) is d / (1 + d^2) or d / (1 - d^2), about d (1 + curve d^2).
template <class V>
[[gnu::always_inline]] inline V logOfSum(V x, V larger, V smaller, Element<V> curve) {
  using T = Element<V>;
  using F = Format<T>;
  using U = UnsignedOf<V>;
  const V sum = larger + smaller, sumRest = (larger - sum) + smaller, inverse = larger - smaller;
  // (sum + sumRest) inverse - 1 is what the square of the root lost. Far out nothing of it matters.
  const V lost = fma(inverse, sumRest, fma(inverse, sum, broadcast<V>(T(-1))));
  const V weight = fma(inverse * inverse, broadcast<V>(curve), broadcast<V>(T(1))) * inverse;
  const V rest = fma(curve < T(0) ? -lost : lost, weight, sumRest) * inverse;
  // Where the square would be infinite it is log(2 x).
  const auto isHuge = x > (__is_same(T, float) ? T(0x1p60) : T(0x1p500));
  const U offset = select(isHuge, broadcast<U>(F::bias - 1), broadcast<U>(F::bias));
  const Logarithm<V> parts(select(isHuge, x, sum), offset);
  return logOf(parts.k, parts.f, select(x < T(64), rest, V{}));
}
} // namespace detail

/// The hyperbolic sine.
template <class V>
[[gnu::always_inline]] inline V sinh(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const V a = abs(x);
  // sinh(n ln 2 + r) = sinh(n ln 2) cosh(r) + cosh(n ln 2) sinh(r)
  const auto parts = detail::hyperbolicParts(a);
  const V high = fma(parts.cosh, parts.r, parts.sinh), low = fma(parts.cosh, parts.r, parts.sinh - high);
  V result = (high + fma(parts.sinh, parts.even, fma(parts.cosh, parts.odd, low))) * T(2);
  // Halves of the smallest numbers are none.
  result = select(a < (__is_same(T, float) ? T(0x1p-12) : T(0x1p-27)), a, result);
  return bitCast<V>(bitCast<U>(result) | (bitCast<U>(x) & F::signMask));
}

/// The hyperbolic cosine.
template <class V>
[[gnu::always_inline]] inline V cosh(V x) {
  using T = Element<V>;
  const auto parts = detail::hyperbolicParts(abs(x));
  const V high = fma(parts.sinh, parts.r, parts.cosh);
  const V low = fma(parts.sinh, parts.r, parts.cosh - high) + parts.coshRest;
  return (high + fma(parts.cosh, parts.even, fma(parts.sinh, parts.odd, low))) * T(2);
}

/// The number whose hyperbolic sine is x.
template <class V>
[[gnu::always_inline]] inline V asinh(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const V a = abs(x), root = sqrt(fma(a, a, broadcast<V>(T(1))));
  V result = select(a < T(0.5), a + detail::asinhTail(a, a * a), detail::logOfSum(a, root, a, T(-0.75)));
  result = select(a < F::infinity, result, a + a);
  return bitCast<V>(bitCast<U>(result) | (bitCast<U>(x) & F::signMask));
}

/// The number >= 0 whose hyperbolic cosine is x: NaN below 1.
template <class V>
[[gnu::always_inline]] inline V acosh(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  // acosh(1 + 2 z) = 2 asinh(sqrt(z))
  const auto isSmall = x < T(1.5);
  const V z = (x - T(1)) * T(0.5), root = sqrt(select(isSmall, z, fma(x, x, broadcast<V>(T(-1)))));
  const V small = root + (detail::asinhTail(root, z) + detail::rootRest(z, root));
  const V result = select(isSmall, small + small, detail::logOfSum(x, x, root, T(1.1)));
  return select(x < F::infinity, result, x + x);
}

/// The number whose hyperbolic tangent is x: infinite at 1 and -1, NaN outside.
template <class V>
[[gnu::always_inline]] inline V atanh(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  constexpr bool isFloat = __is_same(T, float);
  const V a = abs(x), one = broadcast<V>(T(1)), plus = one + a, minus = one - a;
  // (1 + a) / (1 - a) is 2^k v with v in about [1, 2), and so atanh(a) = k ln 2 / 2 + atanh(q) with
  // q = (v - 1) / (v + 1) = (1 + a - 2^k (1 - a)) / (1 + a + 2^k (1 - a)).
  const U exponent = (bitCast<U>(plus) - bitCast<U>(minus)) >> F::mantissaBits;
  const V k = detail::smallIntToFloat<V>(exponent), power = bitCast<V>((exponent + F::bias) << F::mantissaBits);
  // Below 1/2 neither 1 + a nor 1 - a is exact, but 2^k is 1 or 2.
  const auto isNear = a < T(0.5);
  const V numerator = select(isNear, fma(a, power + T(1), T(1) - power), fma(-power, minus, plus) + ((one - plus) + a));
  const V divisor = select(isNear, fma(a, T(1) - power, power + T(1)), fma(power, minus, plus));
  const V q = numerator / divisor, z = q * q;
  V p;
  if constexpr (isFloat)
    p = detail::polynomial(z, 0x1.555556p-2f, 0x1.9997e2p-3f, 0x1.24f5dap-3f, 0x1.b74b0cp-4f, 0x1.f41c2ep-4f);
  else
    p = detail::polynomial(z, 0x1.5555555555555p-2, 0x1.999999999998fp-3, 0x1.24924924a525fp-3, 0x1.c71c71aeb4ffbp-4,
                           0x1.745d1dec86a4bp-4, 0x1.3b12b4602b005p-4, 0x1.1127ad397ba51p-4, 0x1.df58a5ae8a3a4p-5,
                           0x1.c607edf56573ap-5, 0x1.09e9ddb3de076p-5, 0x1.643d48af7204ap-4);
  const V whole = k * (F::ln2High * T(0.5)), high = whole + q;
  const V low = fma(q * z, p, k * (F::ln2Low * T(0.5)));
  V result = high + (((whole - high) + q) + low);
  result = select(a < T(1), result, select(a == T(1), broadcast<V>(F::infinity), broadcast<V>(F::nan)));
  return bitCast<V>(bitCast<U>(result) | (bitCast<U>(x) & F::signMask));
}

} // namespace tenon::math
