//===- Power.h - x^y, and the length of a vector ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow, hypot, by the rules of Math.h. x^y is 2^(y log2(x)); the logarithm needs as many
// bits more as an exponent has: for floats it is taken in double, for doubles in two.
//===----------------------------------------------------------------------===//
#pragma once

#include "Exponential.h"

namespace tenon::math {

namespace detail {
/// y log2(x) = n + high + low, n an integer, |high| <= 1/2.
template <class V>
struct PowerExponent {
  V n, high, low;
};

/// Of x = 2^k (1 + f) for floats, with roughly 1 / (2 + f). k may be infinite.
template <class V>
  requires(__is_same(Element<V>, float))
[[gnu::always_inline]] inline PowerExponent<V> powerExponent(V k, V f, V inverse, V y) {
  if constexpr (lanes<V> > 1 && registerBytes != 0 && 2 * sizeof(V) > registerBytes) {
    // As doubles they would be wider than a register.
    const auto low = powerExponent(lowHalf(k), lowHalf(f), lowHalf(inverse), lowHalf(y));
    const auto high = powerExponent(highHalf(k), highHalf(f), highHalf(inverse), highHalf(y));
    return {joined<V>(low.n, high.n), joined<V>(low.high, high.high), V{}};
  } else {
    using D = WithElement<V, double>;
    const D fraction = convertLanes<double>(f), divisor = fraction + 2.0;
    // s = f / (2 + f) by one step of Newton's; log2(1 + f) = 2 atanh(s) / ln 2.
    const D rough = convertLanes<double>(inverse), near = fraction * rough;
    const D s = fma(near, fma(-divisor, rough, broadcast<D>(1.0)), near), z = s * s;
    const D logarithm = fma(s,
                            evenAndOdd(z, z * z, 0x1.71547652bee21p1, 0x1.ec709d1291a44p-1, 0x1.27778019d6accp-1,
                                       0x1.a58d7055d49b2p-2, 0x1.5cea2f3d4167p-2),
                            convertLanes<double>(k));
    const D exponent = clamped(convertLanes<double>(y) * logarithm, -200.0, 200.0);
    constexpr double shifter = Format<double>::shifter;
    const D n = (exponent + shifter) - shifter;
    return {convertLanes<float>(n), convertLanes<float>(exponent - n), V{}};
  }
}

/// The sum of two numbers, the second about 2^-53 of the first.
template <class V>
struct Pair {
  V high, low;
};

/// k + log2(1 + f) of doubles, with roughly 1 / (2 + f). All products and sums are pairs.
template <class V>
[[gnu::always_inline]] inline Pair<V> log2Pair(V k, V f, V inverse) {
  // s + sLow = f / (2 + f), z + zLow its square
  const V divisor = f + 2.0, divisorRest = (2.0 - divisor) + f, s = f * inverse;
  const V sLow = fma(-s, divisorRest, fma(-s, divisor, f)) * inverse;
  const V z = s * s, zLow = fma(s + s, sLow, fma(s, s, -z));
  // atanh(s) = s + s z (1/3 + z q(z)) = s + s w
  const V third = broadcast<V>(0x1.5555555555555p-2),
          zq = z * evenAndOdd(z, z * z, 0x1.999999999999ap-3, 0x1.24924924922fcp-3, 0x1.c71c71c74d1cp-4,
                              0x1.745d173c57417p-4, 0x1.3b13aa0342a95p-4, 0x1.11154601f4abdp-4, 0x1.e01b9e2a1cd4cp-5,
                              0x1.da90000729459p-5);
  const V p = third + zq, pLow = ((third - p) + zq) + 0x1.5555555555555p-56;
  const V w = z * p, wLow = fma(zLow, p, fma(z, pLow, fma(z, p, -w)));
  const V sw = s * w, swLow = fma(sLow, w, fma(s, wLow, fma(s, w, -sw)));
  const V a = s + sw, aLow = ((s - a) + sw) + (swLow + sLow);
  // 2 / ln 2 atanh(s)
  const V scale = broadcast<V>(0x1.71547652b82fep1), scaleLow = broadcast<V>(0x1.777d0ffda0d24p-55);
  const V g = a * scale, gLow = fma(a, scaleLow, fma(aLow, scale, fma(a, scale, -g)));
  const V high = k + g;
  return {high, ((k - high) + g) + gLow};
}

/// As above for doubles.
template <class V>
  requires(__is_same(Element<V>, double))
[[gnu::always_inline]] inline PowerExponent<V> powerExponent(V k, V f, V inverse, V y) {
  const Pair<V> logarithm = log2Pair(k, f, inverse);
  const V product = y * logarithm.high, productLow = fma(y, logarithm.low, fma(y, logarithm.high, -product));
  const V exponent = clamped(product, -1200.0, 1200.0),
          n = (exponent + Format<double>::shifter) - Format<double>::shifter;
  return {n, exponent - n, select(exponent == product, productLow, V{})};
}
} // namespace detail

/// x^y; 1 for y = 0 and for x = 1 even if the other is NaN, all else as in C's Annex F.
template <class V>
[[gnu::always_inline]] inline V pow(V x, V y) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const V a = abs(x), ay = abs(y), one = broadcast<V>(T(1));
  const detail::Logarithm<V> parts = detail::logarithmOf(a);
  V k = select(a < F::infinity, parts.k, a);
  k = select(a == T(0), broadcast<V>(-F::infinity), k);
  const auto exponent = detail::powerExponent(k, parts.f, T(1) / (parts.f + T(2)), y);
  const V tail = detail::exp2Tail(exponent.high), rough = fma(exponent.high, tail, one);
  V result = rough;
  if constexpr (__is_same(T, double))
    result = fma(exponent.high, tail, exponent.low * (F::ln2High * rough)) + T(1);
  result = detail::timesPower(result, bitCast<U>(exponent.n + F::shifter));
  // What y is beyond twice the integer next to its half: 0 if even, 1 or -1 if odd, else it is no integer.
  constexpr T integers = T(typename F::Bits(1) << F::mantissaBits); // no larger number has a fraction
  const V whole = select(ay > integers * 2, broadcast<V>(integers * 2), ay),
          half = (whole * T(0.5) + integers) - integers;
  const V beyond = abs(whole - (half + half));
  const U sign = select(beyond == T(1), bitCast<U>(x) & F::signMask, U{});
  result = bitCast<V>(bitCast<U>(result) ^ sign);
  result = select((x < T(0)) & (a < F::infinity) & (beyond != T(0)) & (beyond != T(1)), broadcast<V>(F::nan), result);
  return select((y == T(0)) | (x == T(1)) | ((a == T(1)) & (ay == F::infinity)), one, result);
}

/// sqrt(x^2 + y^2) without overflow on the way; infinite if either is.
template <class V>
[[gnu::always_inline]] inline V hypot(V x, V y) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  const V ax = abs(x), ay = abs(y);
  const auto isMore = ax > ay;
  const V a = select(isMore, ax, ay), b = select(isMore, ay, ax);
  // Powers of two near 1 / a and a, by the upper bits of its exponent: whatever they are, both are normal.
  constexpr int kept = 4, width = 8 * int(sizeof(T)) - 1 - F::mantissaBits;
  constexpr auto middle = typename F::Bits(1) << (F::mantissaBits + width - kept - 1);
  const U upper = (bitCast<U>(a) & ~((middle << 1) - 1)) | middle;
  const V scale = bitCast<V>((typename F::Bits(2 * F::bias) << F::mantissaBits) - upper), back = bitCast<V>(upper);
  const V as = a * scale, bs = b * scale;
  const V result = sqrt(fma(as, as, bs * bs)) * back;
  return select((ax == F::infinity) | (ay == F::infinity), broadcast<V>(F::infinity), result);
}

} // namespace tenon::math
