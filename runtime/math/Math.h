//===- Math.h - elementary functions, written once -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, log, log1p, tanh, cbrt, atan2 over a scalar or a vector of float or double. Only
// correctly rounded operations (add, multiply, divide, explicit fma), integer
// operations and selects, always in the same order: the bits are the same for
// every width, instruction set, compiler and device. Straight lines so far; branches
// and constant tables may be, calls may not: a body is cloned into a kernel. Denormals are kept, NaN
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
  using F = detail::Format<T>;
  // Past these the result is infinity or rounds to 0; comparisons with NaN
  // fail, so NaN goes on.
  constexpr T highest = __is_same(T, float) ? T(89) : T(710), lowest = __is_same(T, float) ? T(-104) : T(-746);
  x = select(x > highest, broadcast<V>(highest), x);
  x = select(x < lowest, broadcast<V>(lowest), x);
  const detail::ExpParts<V> parts = detail::expParts(x);
  // 2^n in two factors: n itself may be no exponent, and so a denormal result
  // is rounded once. Multiplying, rather than adding to the exponent, keeps NaN.
  const UnsignedOf<V> both = parts.shifted - (F::shifterBits - 2 * F::bias);
  const UnsignedOf<V> first = both >> 1, second = both - first;
  return parts.mantissa * bitCast<V>(first << F::mantissaBits) * bitCast<V>(second << F::mantissaBits);
}

namespace detail {
/// k ln 2 + log(1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and a small number if
/// one is given.
template <class V, class... Small>
[[gnu::always_inline]] inline V logOf(V k, V f, Small... small) {
  using T = Element<V>;
  using F = Format<T>;
  const V f2 = f * f;
  if constexpr (__is_same(T, float)) {
    // log(1 + f) = f - f^2 / 2 + f^3 q(f)
    const V q = polynomial(f, 0x1.555554p-2f, -0x1.fffffcp-3f, 0x1.999d5ap-3f, -0x1.555b4ap-3f, 0x1.23d202p-3f,
                           -0x1.fcf46ep-4f, 0x1.dea430p-4f, -0x1.d6393ep-4f, 0x1.1d8e5ep-4f);
    V y = fma(k, broadcast<V>(F::ln2Low), f2 * f * q);
    y = (fma(f2, broadcast<V>(-0.5f), y) + ... + small);
    return fma(k, broadcast<V>(F::ln2High), f + y);
  } else {
    // With s = f / (2 + f): log(1 + f) = 2 s + s r(s^2) = f - f^2 / 2 + s (f^2 / 2 + r), as in FreeBSD's msun.
    const V s = f / (f + 2.0), z = s * s, half = f2 * 0.5;
    const V r = z * polynomial(z, 0x1.5555555555558p-1, 0x1.99999999952b2p-2, 0x1.2492492df6947p-2,
                               0x1.c71c62debf86bp-3, 0x1.7462b69705382p-3, 0x1.39fe208c33457p-3, 0x1.2b5b5fb2eac92p-3);
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
} // namespace detail

/// The natural logarithm: NaN below 0, -infinity at 0.
template <class V>
[[gnu::always_inline]] inline V log(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  // Denormals are scaled first.
  const auto small = x < F::smallestNormal;
  constexpr T scale = T(typename F::Bits(1) << F::mantissaBits);
  const V scaled = select(small, x * scale, x);
  const U offset = select(small, broadcast<U>(F::bias + F::mantissaBits), broadcast<U>(F::bias));
  const detail::Logarithm<V> parts(scaled, offset);
  V result = detail::logOf(parts.k, parts.f);
  result = select(x < F::infinity, result, x + x);
  result = select(x < T(0), broadcast<V>(F::nan), result);
  return select(x == T(0), broadcast<V>(-F::infinity), result);
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

/// The angle of the point (x, y), in [-pi, pi]; zeros and infinities as in C's Annex F.
template <class V>
[[gnu::always_inline]] inline V atan2(V y, V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  constexpr bool isFloat = __is_same(T, float);
  const V ax = abs(x), ay = abs(y);
  const auto isSteep = ay > ax;
  V b = select(isSteep, ay, ax), a = select(isSteep, ax, ay);
  // Both by a power of two that brings b near 2^shift: nothing below overflows, and
  // what is left of a quotient too small to be normal is not lost.
  constexpr auto shift = typename F::Bits(2 * F::mantissaBits) << F::mantissaBits;
  const U exponent = bitCast<U>(b) & ~(F::signMask | F::mantissaMask);
  const V scale = bitCast<V>(broadcast<U>(typename F::Bits(2 * F::bias) << F::mantissaBits) -
                             select(exponent > shift, exponent - shift, U{}));
  const V bs = b * scale, as = a * scale;
  // a / b = q + rest to twice the precision.
  const V inverse = T(1) / bs;
  V q = as * inverse, rest = fma(-q, bs, as) * inverse;
  const auto isEqual = a == b; // two infinities, too
  const auto isPlain = (b > T(0)) & (b < F::infinity) & (a != b);
  q = select(isPlain, q, select(isEqual & (b > T(0)), broadcast<V>(T(1)), V{}));
  rest = select(isPlain, rest, V{});
  // atan(q) = q + q^3 p(q^2); its slope is 1 / (1 + q^2), of which three digits are enough.
  const V z = q * q;
  V p;
  if constexpr (isFloat)
    p = detail::polynomial(z, -0x1.555556p-2f, 0x1.999956p-3f, -0x1.248952p-3f, 0x1.c62cdap-4f, -0x1.6dd8fep-4f,
                           0x1.2006f8p-4f, -0x1.9115a4p-5f, 0x1.aefb2cp-6f, -0x1.2ba6b6p-7f, 0x1.86406cp-10f);
  else
    p = detail::polynomial(z, -0x1.5555555555555p-2, 0x1.99999999998f9p-3, -0x1.249249248c7dap-3, 0x1.c71c71c472843p-4,
                           -0x1.745d16f26d0a3p-4, 0x1.3b13aaf4aba4ap-4, -0x1.1110bfea8ed5ep-4, 0x1.e1dc0d7679adcp-5,
                           -0x1.af00bd568a3d2p-5, 0x1.854a7b99af61dp-5, -0x1.60ebd1489b946p-5, 0x1.3d3f26d5ea7ffp-5,
                           -0x1.147b2825d82f6p-5, 0x1.c3ac54a572735p-6, -0x1.4b974a27ac39fp-6, 0x1.a1fe88baf72d4p-7,
                           -0x1.aef1a8e977bf8p-8, 0x1.57cc888719aa0p-9, -0x1.8a2f3ae537bb1p-11, 0x1.1f0adb240a1fbp-13,
                           -0x1.8d087295ab9f4p-17);
  const V slope = detail::polynomial(z, T(0x1.fad40ap-1), T(-0x1.9dbcc4p-1), T(0x1.4afd6ap-2));
  V low = fma(q * z, p, rest * slope);
  // The angle is turn + (q + low), or turn - (q + low).
  const auto isLeft = (bitCast<U>(x) & F::signMask) != 0;
  constexpr T halfTurn = isFloat ? T(0x1.921fb6p0f) : T(0x1.921fb54442d18p0);
  constexpr T halfTurnLow = isFloat ? T(-0x1.777a5cp-25f) : T(0x1.1a62633145c07p-54);
  const V quarters = select(isSteep, broadcast<V>(T(1)), select(isLeft, broadcast<V>(T(2)), V{}));
  const auto isBack = isSteep ^ isLeft;
  q = select(isBack, -q, q);
  low = select(isBack, -low, low);
  const V turn = quarters * halfTurn, sum = turn + q;
  V result = sum + (((turn - sum) + q) + fma(quarters, broadcast<V>(halfTurnLow), low));
  result = bitCast<V>(bitCast<U>(result) | (bitCast<U>(y) & F::signMask));
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
