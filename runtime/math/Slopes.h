//===- Slopes.h - derivatives of other functions ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the derivatives of others are made of, by the rules of Math.h. Each is relatively precise wherever its
// value is normal, which a formula over rounded arrays is not: it loses the low bits of an exponent, or overflows on
// the way. The derivative of each is made of such functions again.
//===----------------------------------------------------------------------===//
#pragma once

#include "Bessel.h"
#include "Beta.h"
#include "Incomplete.h"
#include "Power.h"

namespace tenon::math {

namespace detail {
/// x^(a - 1) e^-x / Gamma(a).
template <class D>
[[gnu::always_inline]] inline D gammaSlope(D given, D from) {
  constexpr double inf = Format<double>::infinity;
  const auto isPlain = (given > 0.0) & (from > 0.0) & (given < inf) & (from < inf);
  const D one = broadcast<D>(1.0), a = select(isPlain, given, one), x = select(isPlain, from, one);
  // Below 1 x^a is no smaller than x; above, x^(a - 1) is a number where x^a may underflow.
  const auto isLess = a < 1.0;
  const D density = gammaDensity(select(isLess, a, a - 1.0), x);
  const D result = select(isLess, density / x * a, density);
  const D atZero = select(given < 1.0, broadcast<D>(inf), select(given == 1.0, one, D{}));
  const auto isNumber = (given >= 0.0) & (from >= 0.0);
  const D end = select((from == 0.0) & (given > 0.0), atZero, D{});
  return select(isPlain, result, select(isNumber, end, broadcast<D>(Format<double>::nan)));
}

/// x^(a - 1) (1 - x)^(b - 1) / B(a, b).
template <class D>
[[gnu::always_inline]] inline D betaSlope(D givenA, D givenB, D from) {
  constexpr double inf = Format<double>::infinity;
  const auto isPlain = (givenA > 0.0) & (givenB > 0.0) & (givenA < inf) & (givenB < inf) & (from > 0.0) & (from < 1.0);
  const D one = broadcast<D>(1.0), a = select(isPlain, givenA, one), b = select(isPlain, givenB, one);
  const D at = select(isPlain, from, broadcast<D>(0.5));
  const Pair<D> x = {at, D{}}, y = sumOf(one, -at);
  // x^a may underflow where x^(a - 1) does not; the same holds for y^b. If the exponent is deep, a parameter of at
  // least 2 is lowered by 1 and the ratio of the beta functions corrects the result. For 1 <= a < 2 and x < 2^-500 the
  // density is computed at x = 2^-500, where (1 - x)^b is 1, and multiplied by (x * 2^500)^(a - 1).
  const auto isDeep = a * log(at) + b * log(y.high) < -600.0;
  const auto isMoreA = isDeep & (a >= 2.0), isMoreB = isDeep & (b >= 2.0);
  const auto isTiny = (a >= 1.0) & (a < 2.0) & (at < 0x1p-500) & (b < 0x1p400);
  const D lessA = select(isMoreA, a - 1.0, a), lessB = select(isMoreB, b - 1.0, b);
  const Pair<D> near = {select(isTiny, broadcast<D>(0x1p-500), at), D{}};
  D result = betaDensity(lessA, lessB, near, y);
  result = select(isMoreA, result * ((a + b - 1.0) / select(isMoreA, lessA, one)), result / near.high);
  result = select(isMoreB, result * ((lessA + b - 1.0) / select(isMoreB, lessB, one)), result / y.high);
  if (any(isTiny))
    result = select(isTiny, result * pow(select(isTiny, at * 0x1p500, one), a - 1.0), result);
  // At an end it is 0, the other parameter or infinite, as the parameter there is above, at or below 1.
  const auto isFirst = from == 0.0;
  const D here = select(isFirst, givenA, givenB), other = select(isFirst, givenB, givenA);
  const D atEnd = select(here < 1.0, broadcast<D>(inf), select(here == 1.0, other, D{}));
  const auto isNumber = (givenA >= 0.0) & (givenB >= 0.0) & (from >= 0.0) & (from <= 1.0);
  const D end = select((isFirst | (from == 1.0)) & (here > 0.0), atEnd, D{});
  return select(isPlain, result, select(isNumber, end, broadcast<D>(Format<double>::nan)));
}

/// e^-a (I0(a) - I1(a)) for a >= 0. To 1 the power series' difference, which does not cancel there; to 32 a polynomial
/// like (1 + 2 a)^1.5 times the value, interpolated at Chebyshev's points in 50 digits; beyond, Hankel's series.
template <class D>
[[gnu::always_inline]] inline D besselDifference(D a) {
  const auto isNear = a <= 1.0, isFar = a > 32.0;
  const D small = select(isNear, a, broadcast<D>(1.0)), z = small * small * 0.25;
  const D even = fromFirst(z, 0x1p+0, 0x1p+0, 0x1p-2, 0x1.c71c71c71c71cp-6, 0x1.c71c71c71c71cp-10,
                           0x1.23456789abcdfp-14, 0x1.02e85c0898b71p-19, 0x1.522a43f65486ap-25, 0x1.522a43f65486ap-31);
  const D odd = fromFirst(z, 0x1p+0, 0x1p-1, 0x1.5555555555555p-4, 0x1.c71c71c71c71cp-8, 0x1.6c16c16c16c17p-12,
                          0x1.845c8a0ce5129p-17, 0x1.27e4fb7789f5cp-22, 0x1.522a43f65486ap-28, 0x1.2c9758daf5cdp-34);
  const D near = exp(-small) * fma(small * -0.5, odd, even);
  // From -1 at 1 to 1 at 32.
  const D middle = select(isFar, broadcast<D>(32.0), select(isNear, broadcast<D>(1.0), a)), size = middle * 2.0 + 1.0;
  const D t = fma(middle, broadcast<D>(49.0), broadcast<D>(-328.0)) / (middle * 31.0 + 248.0);
  const D between =
      fromFirst(t, 0x1.5737e1395f9a4p-1, -0x1.57e6f8d4b8e2ep-3, 0x1.53c11af7efb45p-3, -0x1.67d608a892611p-3,
                0x1.83dbf0bfbab91p-3, -0x1.6a57da7d24e69p-3, 0x1.91a53bc2449c2p-4, 0x1.66396e8bc5a73p-5,
                -0x1.4a31a22b7e374p-3, 0x1.379e894d5db4p-3, -0x1.0ce783900edfdp-5, -0x1.f31a14301008ap-5,
                0x1.7d382ca22703ep-5, 0x1.45307a3fc87d7p-7, -0x1.47a8a277069cp-6, -0x1.91653a21259ffp-9,
                0x1.0a465ca1d631bp-7, 0x1.f8cb35e304261p-10, -0x1.71ff397853abfp-9, -0x1.7a50223fcb40bp-10,
                0x1.75687db7f93b4p-11, 0x1.a688ca82c1ee5p-11, 0x1.449fdb000abb4p-15, -0x1.55cdcd87058e7p-12,
                -0x1.6a0bdc5316ec6p-13, 0x1.2fac880e199eap-14, 0x1.e913fc162955dp-14, 0x1.b67b4331fdbb3p-18,
                -0x1.95dc412b6f922p-15, -0x1.91d2fe975fe6bp-17, 0x1.cdf089eff613cp-17, 0x1.14ce69df22b6ap-18,
                -0x1.56086664a1928p-19, -0x1.359d1e88bfa1fp-21, 0x1.14aa715ec0d5p-22) /
      (size * sqrt(size));
  const D far = select(isFar, a, broadcast<D>(32.0)), w = 1.0 / far;
  const D series =
      w * polynomial(w, 0.5, 0.1875, 0.17578125, 0.25634765625, 0.5046844482421875, 1.249094009399414,
                     3.7212592363357544, 12.95795626938343, 51.629357010824606, 231.6150321457826, 1155.1799728270908,
                     6340.362805403237, 37976.1313865298, 246479.69890295787, 1723157.1807233572, 12909319.212252485,
                     103173699.64167415, 876217816.8098062, 7879875505.338188);
  return select(isFar, series * (0x1.9884533d43651p-2 / sqrt(far)), select(isNear, near, between));
}
} // namespace detail

/// 1 / (1 + e^(y - x)): how much of log(e^x + e^y) moves with x.
template <class V>
[[gnu::always_inline]] inline V logistic_difference(V x, V y) {
  using T = Element<V>;
  // Two equal infinities have no difference; the rounding error of one that is infinite is no number.
  const detail::Pair<V> exact = detail::sumOf(x, -y);
  const V difference = select(x == y, V{}, exact.high), lost = select(exact.low == exact.low, exact.low, V{});
  const auto isBelow = difference < T(0);
  const V power = exp(-abs(difference)), weight = fma(power, select(isBelow, lost, -lost), power);
  return select(isBelow, weight, broadcast<V>(T(1))) / (weight + T(1));
}

/// 1 / cosh(x)^2.
template <class V>
[[gnu::always_inline]] inline V sech_squared(V x) {
  using T = Element<V>;
  const V weight = exp(abs(x) * T(-2)), sum = weight + T(1);
  return (weight * T(4)) / (sum * sum);
}

/// e^(-x^2).
template <class V>
[[gnu::always_inline]] inline V gaussian(V x) {
  using T = Element<V>;
  // Beyond these it is 0; an infinite square has no rest.
  constexpr T end = __is_same(T, float) ? T(16) : T(32);
  const V a = detail::clamped(x, -end, end), square = a * a, rest = fma(a, a, -square);
  const V power = exp(-square);
  return fma(-power, rest, power);
}

/// y x^(y - 1), the derivative of x^y by x; 0 where y is 0.
template <class V>
[[gnu::always_inline]] inline V power_slope(V x, V y) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const V a = abs(x), one = broadcast<V>(T(1));
  const detail::Pair<V> difference = detail::sumOf(y, -one);
  const V exponent = difference.high;
  // The rounding error of a small exponent; an infinite one has none.
  const auto isInside = (a > T(0)) & (a < F::infinity);
  const auto hasRest = isInside & (abs(difference.low) > T(0));
  const V rest = select(hasRest, difference.low * log(select(hasRest, a, one)), V{}), power = pow(a, exponent);
  V size = y * (power * (rest + T(1)));
  const auto isPast = isInside & !((power >= F::smallestNormal) & (power < F::infinity));
  if (any(isPast)) {
    // The power underflows or overflows, its product with y may not: two factors.
    const V root = pow(a, exponent * T(0.5)), factor = select(isPast, root, one);
    size = select(isPast, (factor * y) * (factor * (rest + T(1))), size);
  }
  // Of a negative x the exponent must be an integer. Where y is even, y - 1 is odd, and the power negative: y - 1
  // itself may be rounded.
  const V ay = abs(y);
  constexpr T integers = T(typename F::Bits(1) << F::mantissaBits);
  const V whole = select(ay > integers * 2, broadcast<V>(integers * 2), ay);
  const V beyond = abs(whole - (((whole * T(0.5) + integers) - integers) * T(2)));
  const U sign = select((beyond == T(0)) & (ay < F::infinity), bitCast<U>(x) & F::signMask, U{});
  const auto isNone = (x < T(0)) & (a < F::infinity) & (beyond != T(0)) & (beyond != T(1));
  const V result = select(isNone, broadcast<V>(F::nan), bitCast<V>(bitCast<U>(size) ^ sign));
  return select(y == T(0), V{}, result);
}

/// x^(a - 1) e^-x / Gamma(a), the derivative of igamma(a, x) by x; NaN below 0.
template <class V>
[[gnu::always_inline]] inline V gamma_density(V a, V x) {
  return detail::inDouble(
      [](auto wide, auto at) __attribute__((always_inline)) { return detail::gammaSlope(wide, at); }, a, x);
}

/// x^(a - 1) (1 - x)^(b - 1) / B(a, b), the derivative of betainc(a, b, x) by x; NaN outside.
template <class V>
[[gnu::always_inline]] inline V beta_density(V a, V b, V x) {
  return detail::inDouble([](auto first, auto second, auto at)
                              __attribute__((always_inline)) { return detail::betaSlope(first, second, at); },
                          a, b, x);
}

/// e^-|x| (I0(x) - |I1(x)|).
template <class V>
[[gnu::always_inline]] inline V bessel_difference(V x) {
  return detail::inDouble([](auto wide) __attribute__((always_inline)) { return detail::besselDifference(wide); },
                          abs(x));
}

} // namespace tenon::math
