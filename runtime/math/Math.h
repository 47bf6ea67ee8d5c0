//===- Math.h - elementary functions, written once -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, log, log1p, tanh, cbrt, atan2 over a scalar or a vector of float or double; the others stand in
// Exponential.h, Logaddexp.h, Power.h, Trigonometric.h, Hyperbolic.h, Erf.h, Gamma.h, Bessel.h, Incomplete.h, Beta.h,
// Zeta.h and Remainder.h. Only correctly rounded operations (add, multiply, divide, explicit fma), integer
// operations and selects, always in the same order: the bits are the same for
// every width, instruction set, compiler and device. Straight lines but for one branch, of large angles;
// branches and constant tables may be, calls may not: a body is cloned into a kernel. Denormals are kept, NaN
// propagates, -0 and infinities are the limits of C's Annex F.
//
// ULP.md has the worst error of each. The polynomials are interpolations at
// Chebyshev nodes or iteratively reweighted fits, made for this file.
//===----------------------------------------------------------------------===//
#pragma once

#include "Numbers.h"
#include "Vec.h"

namespace tenon::math {

namespace detail {

/// How a float is built, and what depends on its precision alone.
template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = uint32_t;
  static constexpr int mantissaBits = 23, bias = 127;
  static constexpr Bits mantissaMask = 0x007fffff, signMask = 0x80000000, sqrtHalf = 0x3f3504f3;
  /// 1.5 * 2^23: adding it rounds to an integer, which stands in the low bits.
  static constexpr float shifter = 0x1.8p23f, infinity = __builtin_inff(), nan = __builtin_nanf("");
  static constexpr Bits shifterBits = 0x4b400000;
  static constexpr float smallestNormal = 0x1p-126f;
  static constexpr float log2e = 0x1.715476p0f;
  /// ln 2 is high + low; an exponent times high is exact.
  static constexpr float ln2High = 0x1.62e4p-1f, ln2Low = 0x1.7f7d1cp-20f;
};
template <>
struct Format<double> {
  using Bits = uint64_t;
  static constexpr int mantissaBits = 52, bias = 1023;
  static constexpr Bits mantissaMask = 0x000fffffffffffff, signMask = 0x8000000000000000, sqrtHalf = 0x3fe6a09e667f3bcd;
  static constexpr double shifter = 0x1.8p52, infinity = __builtin_inf(), nan = __builtin_nan("");
  static constexpr Bits shifterBits = 0x4338000000000000;
  static constexpr double smallestNormal = 0x1p-1022;
  static constexpr double log2e = 0x1.71547652b82fep0;
  static constexpr double ln2High = 0x1.62e42fefa38p-1, ln2Low = 0x1.ef35793c7673p-45;
};

/// c0 + c1 x + c2 x^2 + ..., by Horner's rule.
template <class V>
[[gnu::always_inline]] inline V polynomial(V, Element<V> c0) {
  return broadcast<V>(c0);
}
template <class V, class... Cs>
[[gnu::always_inline]] inline V polynomial(V x, Element<V> c0, Cs... cs) {
  return fma(x, polynomial(x, cs...), broadcast<V>(c0));
}

/// The same, by two halves at once: a shorter way from x to the result, where it is long otherwise.
template <class V>
[[gnu::always_inline]] inline V evenAndOdd(V, V, Element<V> c0) {
  return broadcast<V>(c0);
}
template <class V, class... Cs>
[[gnu::always_inline]] inline V evenAndOdd(V x, V x2, Element<V> c0, Element<V> c1, Cs... cs) {
  const V pair = fma(x, broadcast<V>(c1), broadcast<V>(c0));
  if constexpr (sizeof...(Cs) == 0)
    return pair;
  else
    return fma(x2, evenAndOdd(x, x2, cs...), pair);
}

/// e^x = mantissa * 2^n, |x| small enough for n to be an exponent; `shifted`
/// is n + shifterBits.
template <class V>
struct ExpParts {
  V mantissa;
  UnsignedOf<V> shifted;
};

/// x = n ln 2 + r with |r| <= ln 2 / 2.
template <class V>
[[gnu::always_inline]] inline ExpParts<V> expParts(V x) {
  using F = Format<Element<V>>;
  const V shifted = fma(x, broadcast<V>(F::log2e), broadcast<V>(F::shifter));
  const V n = shifted - F::shifter;
  const V r = fma(n, broadcast<V>(-F::ln2Low), fma(n, broadcast<V>(-F::ln2High), x));
  V power;
  if constexpr (__is_same(Element<V>, float))
    power = polynomial(r, 1, 1, 0x1.fffffap-2f, 0x1.555492p-3f, 0x1.5559fep-5f, 0x1.12398cp-7f, 0x1.697cb0p-10f);
  else
    power = polynomial(r, 1, 1, 0.5, 0x1.55555555554cap-3, 0x1.555555555319ep-5, 0x1.11111111345d7p-7,
                       0x1.6c16c17ce4274p-10, 0x1.a01a00e4165bcp-13, 0x1.a019aac72d5eap-16, 0x1.71dfc49061437p-19,
                       0x1.289fee42639cdp-22, 0x1.ac815cbad0408p-26);
  return {power, bitCast<UnsignedOf<V>>(shifted)};
}

/// mantissa * 2^n.
template <class V>
[[gnu::always_inline]] inline V timesPower(V mantissa, UnsignedOf<V> shifted) {
  using F = Format<Element<V>>;
  // 2^n in two factors: n itself may be no exponent, and so a denormal result
  // is rounded once. Multiplying, rather than adding to the exponent, keeps NaN.
  const UnsignedOf<V> both = shifted - (F::shifterBits - 2 * F::bias);
  const UnsignedOf<V> first = both >> 1, second = both - first;
  return mantissa * bitCast<V>(first << F::mantissaBits) * bitCast<V>(second << F::mantissaBits);
}

/// x between the two, or NaN.
template <class V>
[[gnu::always_inline]] inline V clamped(V x, Element<V> lowest, Element<V> highest) {
#ifndef __clang__
  // g++ compares and blends instead; of a NaN and a number these give the second.
  if constexpr (sizeof(V) == 32 && registerBytes >= 32) {
    if constexpr (__is_same(Element<V>, float))
      return bitCast<V>(
          _mm256_max_ps(_mm256_set1_ps(lowest), _mm256_min_ps(_mm256_set1_ps(highest), bitCast<__m256>(x))));
    else
      return bitCast<V>(
          _mm256_max_pd(_mm256_set1_pd(lowest), _mm256_min_pd(_mm256_set1_pd(highest), bitCast<__m256d>(x))));
  }
#ifdef __AVX512F__
  if constexpr (sizeof(V) == 64) {
    constexpr auto all = static_cast<unsigned short>(-1);
    if constexpr (__is_same(Element<V>, float))
      return bitCast<V>(_mm512_maskz_max_ps(all, _mm512_set1_ps(lowest),
                                            _mm512_maskz_min_ps(all, _mm512_set1_ps(highest), bitCast<__m512>(x))));
    else
      return bitCast<V>(_mm512_maskz_max_pd(
          static_cast<__mmask8>(all), _mm512_set1_pd(lowest),
          _mm512_maskz_min_pd(static_cast<__mmask8>(all), _mm512_set1_pd(highest), bitCast<__m512d>(x))));
  }
#endif
#endif
  x = select(x > highest, broadcast<V>(highest), x);
  return select(x < lowest, broadcast<V>(lowest), x);
}

/// A small integer of either sign, as a float.
template <class V>
[[gnu::always_inline]] inline V smallIntToFloat(UnsignedOf<V> n) {
  using F = Format<Element<V>>;
  return bitCast<V>(n + F::shifterBits) - F::shifter;
}

} // namespace detail

/// e^x.
template <class V>
[[gnu::always_inline]] inline V exp(V x) {
  using T = Element<V>;
  // Past these the result is infinity or rounds to 0; comparisons with NaN
  // fail, so NaN goes on.
  constexpr T highest = __is_same(T, float) ? T(89) : T(710), lowest = __is_same(T, float) ? T(-104) : T(-746);
  x = detail::clamped(x, lowest, highest);
  const detail::ExpParts<V> parts = detail::expParts(x);
  return detail::timesPower(parts.mantissa, parts.shifted);
}

namespace detail {
/// q(f) of log(1 + f) = f - f^2 / 2 + f^3 q(f), with 1 + f in [sqrt(1/2), sqrt(2)); for floats.
template <class V>
[[gnu::always_inline]] inline V log1pCubic(V f) {
  return polynomial(f, 0x1.555554p-2f, -0x1.fffffcp-3f, 0x1.999d5ap-3f, -0x1.555b4ap-3f, 0x1.23d202p-3f,
                    -0x1.fcf46ep-4f, 0x1.dea430p-4f, -0x1.d6393ep-4f, 0x1.1d8e5ep-4f);
}

/// r(s^2) of log(1 + f) = 2 s + s r(s^2) = f - f^2 / 2 + s (f^2 / 2 + r) with s = f / (2 + f), as in
/// FreeBSD's msun; for doubles.
template <class V>
[[gnu::always_inline]] inline V log1pRest(V z) {
  return z * polynomial(z, 0x1.5555555555558p-1, 0x1.99999999952b2p-2, 0x1.2492492df6947p-2, 0x1.c71c62debf86bp-3,
                        0x1.7462b69705382p-3, 0x1.39fe208c33457p-3, 0x1.2b5b5fb2eac92p-3);
}

/// k ln 2 + log(1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and a small number if
/// one is given.
template <class V, class... Small>
[[gnu::always_inline]] inline V logOf(V k, V f, Small... small) {
  using T = Element<V>;
  using F = Format<T>;
  const V f2 = f * f;
  if constexpr (__is_same(T, float)) {
    const V q = log1pCubic(f);
    V y = fma(k, broadcast<V>(F::ln2Low), f2 * f * q);
    y = (fma(f2, broadcast<V>(-0.5f), y) + ... + small);
    return fma(k, broadcast<V>(F::ln2High), f + y);
  } else {
    const V s = f / (f + 2.0), half = f2 * 0.5, r = log1pRest(s * s);
    const V y = ((half - fma(s, half + r, k * F::ln2Low)) - ... - small);
    return fma(k, broadcast<V>(F::ln2High), f - y);
  }
}

/// x = 2^k (1 + f) for a normal x; to the exponent `offset` is added.
template <class V>
struct Logarithm {
  V k, f;
  [[gnu::always_inline]] Logarithm(V x, UnsignedOf<V> offset) {
    using F = Format<Element<V>>;
    constexpr typename F::Bits one = typename F::Bits(F::bias) << F::mantissaBits;
    const UnsignedOf<V> shifted = bitCast<UnsignedOf<V>>(x) + (one - F::sqrtHalf);
    k = smallIntToFloat<V>((shifted >> F::mantissaBits) - offset);
    f = bitCast<V>((shifted & F::mantissaMask) + F::sqrtHalf) - Element<V>(1);
  }
};

/// The same of any positive number.
template <class V>
[[gnu::always_inline]] inline Logarithm<V> logarithmOf(V x) {
  using T = Element<V>;
  using F = Format<T>;
  using U = UnsignedOf<V>;
  // Denormals are scaled first.
  const auto small = x < F::smallestNormal;
  constexpr T scale = T(typename F::Bits(1) << F::mantissaBits);
  const V scaled = select(small, x * scale, x);
  return {scaled, select(small, broadcast<U>(F::bias + F::mantissaBits), broadcast<U>(F::bias))};
}

/// `result`, or what a logarithm is where x is no positive number.
template <class V>
[[gnu::always_inline]] inline V logEnds(V x, V result) {
  using T = Element<V>;
  using F = Format<T>;
  result = select(x < F::infinity, result, x + x);
  result = select(x < T(0), broadcast<V>(F::nan), result);
  return select(x == T(0), broadcast<V>(-F::infinity), result);
}
} // namespace detail

/// The natural logarithm: NaN below 0, -infinity at 0.
template <class V>
[[gnu::always_inline]] inline V log(V x) {
  const auto parts = detail::logarithmOf(x);
  return detail::logEnds(x, detail::logOf(parts.k, parts.f));
}

/// log(1 + x): NaN below -1, -infinity at -1.
template <class V>
[[gnu::always_inline]] inline V log1p(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  // 1 + x = u + rest exactly (Knuth's sum), so that it is log(u) + log(1 + rest / u).
  const V one = broadcast<V>(T(1)), u = one + x, part = u - one;
  const V rest = (one - (u - part)) + (x - part);
  const V c = rest / u;
  const detail::Logarithm<V> parts(u, broadcast<UnsignedOf<V>>(F::bias));
  V result = detail::logOf(parts.k, parts.f, fma(c * T(-0.5), c, c));
  result = select(x < F::infinity, result, x + x);
  result = select(x < T(-1), broadcast<V>(F::nan), result);
  result = select(x == T(-1), broadcast<V>(-F::infinity), result);
  return select(x == T(0), x, result); // the sign of zero
}

namespace detail {
/// sqrt(z) - root roughly, for z in (0.06, 1/4]; below, too small to matter beside 1.
template <class V>
[[gnu::always_inline]] inline V rootRest(V z, V root) {
  using T = Element<V>;
  return fma(-root, root, z) * fma(z, broadcast<V>(T(-0x1.25480ep2)), broadcast<V>(T(0x1.094b8ep1)));
}

/// The angle of the point (b, a), 0 <= a <= b, in [0, pi]: of (a, b) if isSteep, and of what lies opposite
/// of that on the left of the axis if isLeft.
template <class V, class M>
[[gnu::always_inline]] inline V angleOf(V a, V b, M isSteep, M isLeft) {
  using T = Element<V>;
  constexpr bool isFloat = __is_same(T, float);
  // Above b / 2 it is pi / 4 + atan((a - b) / (a + b)), whose numerator is exact.
  const auto isMiddle = a + a > b;
  const V sum = b + a, one = broadcast<V>(T(1));
  const V numerator = select(isMiddle, a - b, a), divisor = select(isMiddle, sum, b);
  const V divisorRest = select(isMiddle, (b - sum) + a, V{});
  // The quotient q + rest to twice the precision.
  const V inverse = one / divisor, q = numerator * inverse;
  const V rest = fma(-q, divisorRest, fma(-q, divisor, numerator)) * inverse;
  // atan(q) = q + q^3 p(q^2); of its slope two digits are enough.
  const V z = q * q;
  V p;
  if constexpr (isFloat)
    p = polynomial(z, -0x1.555556p-2f, 0x1.99998ap-3f, -0x1.248082p-3f, 0x1.c3c88ep-4f, -0x1.551572p-4f,
                   0x1.651436p-5f);
  else
    p = polynomial(z, -0x1.5555555555555p-2, 0x1.999999999980ap-3, -0x1.2492492481d4cp-3, 0x1.c71c71bd5548ap-4,
                   -0x1.745d15ab2c5p-4, 0x1.3b1387beaedf3p-4, -0x1.110e50482999fp-4, 0x1.e1a203e4af24bp-5,
                   -0x1.ad23c9d17a2fdp-5, 0x1.7aa00b093d0f2p-5, -0x1.3696a79de2fbdp-5, 0x1.96179c40f4797p-6,
                   -0x1.296425a8940bbp-7);
  const V low = fma(q * z, p, rest - rest * z);
  // turn + (q + low), or turn - (q + low), where turn is up to four eighths of a circle, each of them exact.
  constexpr T eighth = isFloat ? T(0x1.921fb4p-1f) : T(0x1.921fb54442d18p-1);
  constexpr T eighthLow = isFloat ? T(0x1.4442d2p-25f) : T(0x1.1a62633145c07p-55);
  const auto isBack = isSteep ^ isLeft;
  V eighths = select(isMiddle, one, select(isSteep, broadcast<V>(T(2)), V{}));
  eighths = select(isLeft, T(4) - eighths, eighths);
  const V part = select(isBack, -q, q), partLow = select(isBack, -low, low);
  const V turn = eighths * eighth, high = turn + part;
  return high + (((turn - high) + part) + fma(eighths, broadcast<V>(eighthLow), partLow));
}
} // namespace detail

/// The angle of the point (x, y), in [-pi, pi]; zeros and infinities as in C's Annex F.
template <class V>
[[gnu::always_inline]] inline V atan2(V y, V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const V ax = abs(x), ay = abs(y);
  const auto isSteep = ay > ax;
  const V b = select(isSteep, ay, ax), a = select(isSteep, ax, ay);
  // Both by a power of two that brings b near 2^shift: nothing below overflows, and
  // what is left of a quotient too small to be normal is not lost.
  constexpr auto shift = typename F::Bits(2 * F::mantissaBits) << F::mantissaBits;
  const U exponent = bitCast<U>(b) & ~(F::signMask | F::mantissaMask);
  const V scale = bitCast<V>(broadcast<U>(typename F::Bits(2 * F::bias) << F::mantissaBits) -
                             select(exponent > shift, exponent - shift, U{}));
  // Two zeros are on the axis, two infinities between the axes.
  const V one = broadcast<V>(T(1));
  const auto isPlain = (b > T(0)) & (b < F::infinity);
  const V as = select(isPlain, a * scale, select((a == b) & (b > T(0)), one, V{})),
          bs = select(isPlain, b * scale, one);
  const V angle = detail::angleOf(as, bs, isSteep, (bitCast<U>(x) & F::signMask) != 0);
  const V result = bitCast<V>(bitCast<U>(angle) | (bitCast<U>(y) & F::signMask));
  return select((x != x) | (y != y), x + y, result);
}

/// The hyperbolic tangent.
template <class V>
[[gnu::always_inline]] inline V tanh(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  constexpr T limit = __is_same(T, float) ? T(10) : T(20), threshold = T(0.8);
  const U sign = bitCast<U>(x) & F::signMask;
  V a = abs(x);
  a = select(a > limit, broadcast<V>(limit), a);
  // Large: 1 - 2 / (e^2a + 1).
  const detail::ExpParts<V> parts = detail::expParts(a + a);
  const U exponent = (parts.shifted - (F::shifterBits - F::bias)) << F::mantissaBits;
  const V divisor = fma(parts.mantissa, bitCast<V>(exponent), broadcast<V>(T(1)));
  const auto isSmall = a < threshold;
  const V z = a * a;
  V result;
  if constexpr (__is_same(T, float)) {
    const V q = detail::polynomial(z, -0x1.55553ep-2f, 0x1.110b5ep-3f, -0x1.b92c46p-5f, 0x1.5d1eaep-6f, -0x1.e61d80p-8f,
                                   0x1.a08b32p-10f);
    result = select(isSmall, fma(a * z, q, a), T(1) - T(2) / divisor);
  } else {
    // Small: a + a z p(z) / q(z), sharing the division.
    const V p = detail::polynomial(z, -0x1.5555555555555p-2, -0x1.5edf9238de6cfp-6, -0x1.fecee64d8fa7fp-13,
                                   -0x1.2a75079d32d1ep-26);
    const V q = detail::polynomial(z, 1.0, 0x1.db638504434dfp-2, 0x1.91cffbf140d35p-6, 0x1.0afd0fbbeb9abp-12);
    const V quotient = select(isSmall, p, broadcast<V>(2.0)) / select(isSmall, q, divisor);
    result = fma(select(isSmall, a * z, broadcast<V>(-1.0)), quotient, select(isSmall, a, broadcast<V>(1.0)));
  }
  return bitCast<V>(bitCast<U>(result) | sign);
}

/// The real cube root.
template <class V>
[[gnu::always_inline]] inline V cbrt(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  constexpr bool isFloat = __is_same(T, float);
  const U sign = bitCast<U>(x) & F::signMask;
  const V a = abs(x);
  // a = 2^3(third - shift) 2^rest m with m in [1/2, 1) and rest in {0, 1, 2}.
  // `offset` makes the biased exponent a multiple of three where rest is 0.
  constexpr int offset = isFloat ? 0 : 1, shift = (F::bias - 1 + offset) / 3, denormalShift = isFloat ? 8 : 18;
  constexpr T scale = isFloat ? T(0x1p24) : T(0x1p54);
  const auto isDenormal = a < F::smallestNormal;
  const U bits = bitCast<U>(select(isDenormal, a * scale, a));
  const U exponent = (bits >> F::mantissaBits) + offset;
  const U third = (exponent * 0x5556) >> 16; // exponent / 3, right below 2^15
  const U rest = exponent - third * 3;
  const U mantissa = (bits & F::mantissaMask) | (typename F::Bits(F::bias - 1) << F::mantissaBits);
  const V m = bitCast<V>(mantissa + (rest << F::mantissaBits));
  // A first approximation, cut to half the precision so that t * t is exact.
  V t = bitCast<V>(mantissa);
  if constexpr (isFloat)
    t = detail::polynomial(t, 0x1.c3b800p-2f, 0x1.d810f6p-1f, -0x1.01e7d6p-1f, 0x1.20057ep-3f);
  else
    t = detail::polynomial(t, 0x1.6ca24deb64be7p-2, 0x1.7f826f9e55030p+0, -0x1.0a34098310bebp+1, 0x1.30e6a1d763bb8p+1,
                           -0x1.c4b254ea37344p+0, 0x1.7f93280e3a62ap-1, -0x1.193ba5e927973p-3);
  const V one = broadcast<V>(T(1)), root2 = broadcast<V>(T(0x1.428a2f98d728bp0)),
          root4 = broadcast<V>(T(0x1.965fea53d6e3dp0));
  t = t * select(rest == 0, one, select(rest == 1, root2, root4));
  constexpr typename F::Bits cut = (typename F::Bits(1) << (isFloat ? 12 : 27)) - 1;
  t = bitCast<V>((bitCast<U>(t) + (cut + 1) / 2) & ~cut);
  // One step of Halley's, whose error is the cube of t's.
  const V t2 = t * t;
  const V residual = fma(-t2, t, m);
  t = t + t * residual / fma(t2 + t2, t, m);
  const U back = third + (F::bias - shift) - select(isDenormal, broadcast<U>(denormalShift), U{});
  V result = t * bitCast<V>(back << F::mantissaBits);
  result = bitCast<V>(bitCast<U>(result) | sign);
  const auto isOrdinary = (a > T(0)) & (a < F::infinity);
  return select(isOrdinary, result, x + x);
}

} // namespace tenon::math
