//===- Remainder.h - what floats leave after a division --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fmod, remainder, floor_divide of floats, by the rules of Math.h; those of integers stand in Numbers.h.
// While a quotient has fewer bits than a float, what is left beside a multiple of the divisor is a float, which an
// fma finds; larger quotients are taken off piece by piece, the highest bits first.
//===----------------------------------------------------------------------===//
#pragma once

#include "Math.h"

namespace tenon::math {

namespace detail {
/// a - b floor(a / b) for numbers a >= 0 and b > 0 whose quotient is below 2^mantissaBits, exactly.
template <class V>
[[gnu::always_inline]] inline V shortRest(V a, V b) {
  using T = Element<V>;
  using F = Format<T>;
  // To the nearest integer: the rest is in [-b, b], and a multiple of the last bit of b.
  constexpr T shifter = T(typename F::Bits(1) << F::mantissaBits);
  const V n = ((a / b) + shifter) - shifter, rest = fma(-n, b, a);
  return select(rest < T(0), rest + b, rest);
}

/// The exponent in its biased form; of a subnormal number, or of 0, below 1.
template <class V>
[[gnu::always_inline]] inline SignedOf<V> exponentOf(V a) {
  using T = Element<V>;
  using F = Format<T>;
  using I = SignedOf<V>;
  constexpr int lift = F::mantissaBits + 2;
  constexpr T scale = T(typename F::Bits(1) << lift);
  const auto isSubnormal = a < F::smallestNormal;
  const V normal = select(isSubnormal, a * scale, a);
  return (I)(bitCast<UnsignedOf<V>>(normal) >> F::mantissaBits) - select(isSubnormal, broadcast<I>(lift), I{});
}

/// The same as shortRest for a quotient of any size, in 42 rounds or fewer.
template <class V>
[[gnu::always_inline]] inline V longRest(V a, V b) {
  using F = Format<Element<V>>;
  using U = UnsignedOf<V>;
  using I = SignedOf<V>;
  constexpr int bits = F::mantissaBits - 2, most = 2 * F::bias;
  const I enough = exponentOf(b) + bits;
  for (;;) {
    // By the multiple b 2^shift the quotient is below 2^(bits + 1), or once more. 2^shift may be no number, but its
    // halves are.
    const I more = exponentOf(a) - enough, atMost = select(more > most, broadcast<I>(most), more);
    const I shift = select(more > 0, atMost, I{}), half = shift >> 1;
    const V first = bitCast<V>((U)(half + F::bias) << F::mantissaBits);
    const V second = bitCast<V>((U)(shift - half + F::bias) << F::mantissaBits);
    a = shortRest(a, b * first * second);
    if (!any(more > 0))
      return a;
  }
}

/// |x| modulo |y|, with no sign; NaN where there is none.
template <class V>
[[gnu::always_inline]] inline V restOf(V x, V y) {
  using T = Element<V>;
  using F = Format<T>;
  const V a = abs(x), b = abs(y);
  const auto isPlain = (a < F::infinity) & (b > T(0)) & (b < F::infinity);
  const V dividend = select(isPlain, a, V{}), divisor = select(isPlain, b, broadcast<V>(T(1)));
  V rest = shortRest(dividend, divisor);
  constexpr T limit = T(typename F::Bits(1) << (F::mantissaBits - 2));
  if (__builtin_expect(any(dividend / divisor > limit), 0))
    rest = longRest(dividend, divisor);
  // Nothing is left of an infinite x, or by 0; all by infinity.
  return select(isPlain, rest, select((a < F::infinity) & (b == F::infinity), a, broadcast<V>(F::nan)));
}
} // namespace detail

/// x - trunc(x / y) y, exactly, with the sign of x; NaN for an infinite x and for y = 0.
template <class V>
  requires IsFloat<Element<V>>
[[gnu::always_inline]] inline V fmod(V x, V y) {
  return copysign(detail::restOf(x, y), x);
}

/// x - floor(x / y) y with the sign of y: exact but for one rounding where x and y have different signs.
template <class V>
  requires IsFloat<Element<V>>
[[gnu::always_inline]] inline V remainder(V x, V y) {
  using T = Element<V>;
  const V rest = fmod(x, y);
  const auto isOpposite = (rest < T(0)) != (y < T(0));
  return select(rest == T(0), copysign(rest, y), select(isOpposite, rest + y, rest));
}

/// floor(x / y), from x - fmod(x, y), which is a multiple of y, rounded as Python and NumPy do; x / y for y = 0, NaN
/// for an infinite x.
template <class V>
  requires IsFloat<Element<V>>
[[gnu::always_inline]] inline V floor_divide(V x, V y) {
  using T = Element<V>;
  const V rest = fmod(x, y), one = broadcast<V>(T(1)), zero = V{};
  const auto isOpposite = (rest != T(0)) & ((rest < T(0)) != (y < T(0)));
  const V quotient = (x - rest) / y - select(isOpposite, one, zero);
  const V low = floor(quotient), near = low + select(quotient - low > T(0.5), one, zero), plain = x / y;
  const V result = select(quotient == T(0), copysign(zero, plain), near);
  return select((y == T(0)) | (x != x), plain, result);
}

} // namespace tenon::math
