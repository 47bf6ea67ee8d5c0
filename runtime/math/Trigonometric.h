//===- Trigonometric.h - circle functions and their inverses ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos, tan, asin, acos, atan, by the rules of Math.h. The polynomials were made by
// Sollya's fpminimax. An angle is first brought to [-pi/4, pi/4], in two parts: by a
// subtraction of multiples of pi/2 in three parts (Cody and Waite), or where it is large
// by those digits of 2/pi that matter (Payne and Hanek, 1983).
//===----------------------------------------------------------------------===//
#pragma once

#include "Math.h"

namespace tenon::math {

namespace detail {
/// pi / 2 is the sum of these.
template <class T>
inline constexpr T quarterTurn = __is_same(T, float) ? T(0x1.921fb6p0f) : T(0x1.921fb54442d18p0);
template <class T>
inline constexpr T quarterTurnLow = __is_same(T, float) ? T(-0x1.777a5cp-25f) : T(0x1.1a62633145c07p-54);

/// The digits of 2 / pi, behind 64 zeros.
inline constexpr uint64_t twoByPi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                       0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// An angle as high + low + turns pi / 2, turns modulo 4.
template <class V>
struct ReducedAngle {
  V high, low;
  UnsignedOf<V> turns;
};

/// Of a >= 2^16; of infinity NaN. One lane at a time: large angles are rare, and a product of 64 bits by 64 is one
/// instruction of scalars only.
[[gnu::always_inline]] inline ReducedAngle<double> reduceLarge(double a) {
  using F = Format<double>;
  using Wide = unsigned __int128;
  const uint64_t bits = bitCast<uint64_t>(a), mantissa = (bits & F::mantissaMask) | (uint64_t(1) << F::mantissaBits);
  // a = mantissa 2^e. Digits of 2 / pi from 2^(1 - e) on: those before make whole circles.
  const uint64_t position = (bits >> F::mantissaBits) - (F::bias + F::mantissaBits) - 2 + 64;
  const uint64_t *digits = twoByPi + position / 64;
  const int shift = position % 64;
  const auto word = [=](int i) { return digits[i] << shift | digits[i + 1] >> 1 >> (63 - shift); };
  const Wide middle = Wide(mantissa) * word(1) + (Wide(mantissa) * word(2) >> 64);
  const uint64_t whole = mantissa * word(0) + uint64_t(middle >> 64);
  // Two bits before the point, 126 behind; to the nearest quarter.
  const uint64_t turns = (whole + (uint64_t(1) << 61)) >> 62;
  const int64_t part = int64_t(whole << 2) >> 2, mask = part >> 63;
  const uint64_t first = part ^ mask, second = uint64_t(middle) ^ mask;
  // Three parts of at most 53 bits each, as two that do not overlap.
  const double d0 = double(int64_t(first >> 16)) * 0x1p-46,
               d1 = double(int64_t((first & 0xffff) << 32 | second >> 32)) * 0x1p-94,
               d2 = double(int64_t(second & 0xffffffff)) * 0x1p-126;
  const double fraction = d0 + d1, fractionLow = ((d0 - fraction) + d1) + d2;
  const double high = fraction * quarterTurn<double>;
  const double low = fma(fraction, quarterTurn<double>, -high) +
                     fma(fraction, quarterTurnLow<double>, fractionLow * quarterTurn<double>);
  const uint64_t sign = uint64_t(mask) & F::signMask;
  return {bitCast<double>(bitCast<uint64_t>(high) ^ sign) + (a - a), bitCast<double>(bitCast<uint64_t>(low) ^ sign),
          turns};
}
[[gnu::always_inline]] inline ReducedAngle<float> reduceLarge(float a) {
  const ReducedAngle<double> wide = reduceLarge(double(a));
  const float high = float(wide.high);
  return {high, float((wide.high - double(high)) + wide.low), uint32_t(wide.turns)};
}

/// Of a >= 0, or NaN.
template <class V>
[[gnu::always_inline]] inline ReducedAngle<V> reduceAngle(V a) {
  using T = Element<V>;
  using F = Format<T>;
  constexpr bool isFloat = __is_same(T, float);
  constexpr T inverse = isFloat ? T(0x1.45f306p-1f) : T(0x1.45f306dc9c883p-1);
  constexpr T third = isFloat ? T(-0x1.ee59dap-50f) : T(-0x1.f1976b7ed8fbcp-110);
  const V shifted = fma(a, broadcast<V>(inverse), broadcast<V>(F::shifter)), n = shifted - F::shifter;
  // The first difference is exact, and of the second the error is known.
  const V first = fma(n, broadcast<V>(-quarterTurn<T>), a), part = n * quarterTurnLow<T>;
  const V partRest = fma(n, broadcast<V>(quarterTurnLow<T>), -part), high = first - part;
  const V low = fma(n, broadcast<V>(-third), ((first - high) - part) - partRest);
  ReducedAngle<V> result = {high, low, bitCast<UnsignedOf<V>>(shifted)};
  // Up to here n has no more than half as many bits as the type.
  constexpr T limit = isFloat ? T(0x1p17) : T(0x1p30);
  const auto isLarge = a > limit;
  if (__builtin_expect(any(isLarge), 0)) {
    if constexpr (lanes<V> == 1) {
      result = reduceLarge(a);
    } else {
      ReducedAngle<V> changed = result;
#ifdef __clang__
#pragma clang loop unroll(disable) vectorize(disable)
#else
#pragma GCC unroll 1
#endif
      for (int i = 0; i < lanes<V>; ++i) {
        const T lane = a[i];
        if (lane > limit) {
          const ReducedAngle<T> one = reduceLarge(lane);
          changed.high[i] = one.high, changed.low[i] = one.low, changed.turns[i] = one.turns;
        }
      }
      result = changed;
    }
  }
  return result;
}

/// sin(high + low) and cos(high + low), each as a sum of two.
template <class V>
struct SineCosine {
  V sin, sinLow, cos, cosLow;
};
template <class V>
[[gnu::always_inline]] inline SineCosine<V> sineCosine(V r, V low) {
  using T = Element<V>;
  const V z = r * r, half = z * T(0.5), one = broadcast<V>(T(1)), cos = one - half;
  V p, q;
  if constexpr (__is_same(T, float)) {
    p = polynomial(z, -0x1.555556p-3f, 0x1.111196p-7f, -0x1.a07feep-13f, 0x1.866684p-19f);
    q = polynomial(z, 0x1.555554p-5f, -0x1.6c128cp-10f, 0x1.9bbbfep-16f);
  } else {
    p = polynomial(z, -0x1.5555555555555p-3, 0x1.1111111110c38p-7, -0x1.a01a019e8c8bfp-13, 0x1.71de3795caf5fp-19,
                   -0x1.ae60035c7cd82p-26, 0x1.5e06d3242bbd9p-33);
    q = polynomial(z, 0x1.5555555555555p-5, -0x1.6c16c16c168acp-10, 0x1.a01a019f2fd5dp-16, -0x1.27e4f9f75e74dp-22,
                   0x1.1eeb4b7f37beep-29, -0x1.906a84ca516ebp-37);
  }
  return {r, fma(r * z, p, low * cos), cos, fma(z * z, q, fma(-r, low, (one - cos) - half))};
}

/// The sine of |x| + quarters pi / 2, with the sign's bit changed by `sign`.
template <class V>
[[gnu::always_inline]] inline V sineOf(V x, int quarters, UnsignedOf<V> sign) {
  using F = Format<Element<V>>;
  using U = UnsignedOf<V>;
  const ReducedAngle<V> angle = reduceAngle(abs(x));
  const U turns = angle.turns + typename F::Bits(quarters);
  const SineCosine<V> both = sineCosine(angle.high, angle.low);
  const auto isOdd = (turns & 1) != 0;
  const V result = select(isOdd, both.cos, both.sin) + select(isOdd, both.cosLow, both.sinLow);
  return bitCast<V>(bitCast<U>(result) ^ sign ^ ((turns << (8 * int(sizeof(Element<V>)) - 2)) & F::signMask));
}

/// asin(s) = s + low for s = sqrt(z), z in [0, 1/4].
template <class V>
[[gnu::always_inline]] inline V asinTail(V s, V z) {
  V p;
  if constexpr (__is_same(Element<V>, float))
    p = polynomial(z, 0x1.55555ep-3f, 0x1.332688p-4f, 0x1.70bf2ap-5f, 0x1.b1e3acp-6f, 0x1.3926d2p-5f);
  else
    p = polynomial(z, 0x1.5555555555556p-3, 0x1.3333333332dcdp-4, 0x1.6db6db6e4397cp-5, 0x1.f1c71c14da09cp-6,
                   0x1.6e8bb2fe2329ap-6, 0x1.1c4d1bf9d28bap-6, 0x1.c9d1cecf332c7p-7, 0x1.780cd7fa32f42p-7,
                   0x1.52df0d2510ee1p-7, 0x1.60a47d90a2ccfp-8, 0x1.205df5d584023p-6, -0x1.f07d84df1aa11p-7,
                   0x1.da67301f2bbc8p-6);
  return s * z * p;
}

/// asin(a), or above 1/2 its distance from pi / 2, halved: s + low.
template <class V, class M>
struct ArcSine {
  M isLarge;
  V s, low;
};
template <class V>
[[gnu::always_inline]] inline auto arcSine(V a) {
  using T = Element<V>;
  const auto isLarge = a > T(0.5);
  const V z = select(isLarge, (T(1) - a) * T(0.5), a * a), root = sqrt(z), s = select(isLarge, root, a);
  const V low = asinTail(s, z);
  return ArcSine<V, decltype(isLarge)>{isLarge, s, select(isLarge, low + rootRest(z, root), low)};
}
} // namespace detail

/// The sine: NaN of infinities.
template <class V>
[[gnu::always_inline]] inline V sin(V x) {
  using U = UnsignedOf<V>;
  return detail::sineOf(x, 0, (U)(bitCast<U>(x) & detail::Format<Element<V>>::signMask));
}

/// The cosine: NaN of infinities.
template <class V>
[[gnu::always_inline]] inline V cos(V x) {
  return detail::sineOf(x, 1, UnsignedOf<V>{});
}

/// The tangent: NaN of infinities.
template <class V>
[[gnu::always_inline]] inline V tan(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const detail::ReducedAngle<V> angle = detail::reduceAngle(abs(x));
  const V r = angle.high, z = r * r;
  V p;
  if constexpr (__is_same(T, float))
    p = detail::polynomial(z, 0x1.555556p-2f, 0x1.11106ap-3f, 0x1.ba5a6ep-5f, 0x1.61d1fcp-6f, 0x1.49252cp-7f,
                           0x1.162aeep-10f, 0x1.007ab4p-8f);
  else
    p = detail::polynomial(z, 0x1.5555555555555p-2, 0x1.1111111111143p-3, 0x1.ba1ba1ba1fd48p-5, 0x1.664f487fa3e06p-6,
                           0x1.226e3622039bfp-7, 0x1.d6d39d9fe3ba8p-9, 0x1.7da78c58f7f49p-10, 0x1.351ec2678d785p-11,
                           0x1.f9c540502df73p-13, 0x1.79ae172d1ed71p-14, 0x1.d2b283159fff1p-15, -0x1.7a642646502ep-17,
                           0x1.359ccd3e82854p-15, -0x1.37fbd30d2bbc5p-16, 0x1.1f63268606aap-17);
  // With what r's low part and the square lost change, by slopes of which a digit is enough.
  const V square = fma(r, r, -z), change = fma(r * T(0.5), square, fma(z * T(1.5), angle.low, angle.low));
  const V tail = fma(r * z, p, change), tangent = r + tail, rest = (r - tangent) + tail;
  // A quarter turn on it is -1 / tan(r).
  const V inverse = T(-1) / tangent;
  const V lost = fma(inverse, rest, fma(inverse, tangent, broadcast<V>(T(1))));
  const V result = select((angle.turns & 1) != 0, fma(inverse, lost, inverse), tangent);
  return bitCast<V>(bitCast<U>(result) ^ (bitCast<U>(x) & F::signMask));
}

/// The angle in [-pi / 2, pi / 2] whose sine is x: NaN outside of [-1, 1].
template <class V>
[[gnu::always_inline]] inline V asin(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const auto parts = detail::arcSine(abs(x));
  const V twice = parts.s + parts.s, turn = broadcast<V>(detail::quarterTurn<T>), high = turn - twice;
  const V rest = fma(parts.low, broadcast<V>(T(-2)), broadcast<V>(detail::quarterTurnLow<T>));
  const V result = select(parts.isLarge, high + (((turn - high) - twice) + rest), parts.s + parts.low);
  return bitCast<V>(bitCast<U>(result) | (bitCast<U>(x) & F::signMask));
}

/// The angle in [0, pi] whose cosine is x: NaN outside of [-1, 1].
template <class V>
[[gnu::always_inline]] inline V acos(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const auto parts = detail::arcSine(abs(x));
  // No, one or two quarter turns, and the angle once or twice.
  const auto isNegative = x < T(0);
  const V quarters = select(parts.isLarge, select(isNegative, broadcast<V>(T(2)), V{}), broadcast<V>(T(1)));
  const V times = select(parts.isLarge, broadcast<V>(T(-2)), broadcast<V>(T(1)));
  const U sign = (bitCast<U>(x) & F::signMask) ^ F::signMask;
  const V factor = bitCast<V>(bitCast<U>(times) ^ sign);
  const V turn = quarters * detail::quarterTurn<T>, part = parts.s * factor, high = turn + part;
  const V rest = fma(quarters, broadcast<V>(detail::quarterTurnLow<T>), parts.low * factor);
  return high + (((turn - high) + part) + rest);
}

/// The angle in [-pi / 2, pi / 2] whose tangent is x.
template <class V>
[[gnu::always_inline]] inline V atan(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  // The angle of (1, x), or of a point on the same line nearer than infinity.
  constexpr T limit = T(0x1p64);
  const V one = broadcast<V>(T(1));
  V a = abs(x);
  a = select(a > limit, broadcast<V>(limit), a);
  const auto isSteep = a > T(1);
  const V low = select(isSteep, one, a), high = select(isSteep, a, one);
  const V angle = detail::angleOf(low, high, isSteep, decltype(low < high){});
  return bitCast<V>(bitCast<U>(angle) | (bitCast<U>(x) & F::signMask));
}

} // namespace tenon::math
