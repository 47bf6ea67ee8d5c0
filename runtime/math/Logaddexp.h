//===- Logaddexp.h - the logarithm of a sum of exponentials ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// logaddexp, by the rules of Math.h; of floats in double. It is x + log(1 + e^(y - x)) with the larger operand first;
// below 0 the two may cancel, and where they nearly do it is the logarithm of 1 + ((e^x - 1) + e^y), taken to twice the
// precision. The polynomials are interpolations at Chebyshev nodes, in 60 digits.
//===----------------------------------------------------------------------===//
#pragma once

#include "Deviance.h"

namespace tenon::math {

namespace detail {

/// 1 / (k + 1)! in two parts, and in one where that is enough.
inline constexpr double expTable[13][2] = {{0x1p0, 0},
                                           {0x1p-1, 0},
                                           {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                           {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                                           {0x1.1111111111111p-7, 0x1.1111111111111p-63},
                                           {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
                                           {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
                                           {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
                                           {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
                                           {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
                                           {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
                                           {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
                                           {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87}};

/// a * b to about twice the precision.
template <class D>
[[gnu::always_inline]] inline Pair<D> timesPair(Pair<D> a, Pair<D> b) {
  const D product = a.high * b.high;
  return {product, fma(a.high, b.low, fma(a.low, b.high, fma(a.high, b.high, -product)))};
}
/// a + b, where they may cancel.
template <class D>
[[gnu::always_inline]] inline Pair<D> plusPair(Pair<D> a, Pair<D> b) {
  const Pair<D> high = sumOf(a.high, b.high), low = sumOf(a.low, b.low), sum = sumOf(high.high, high.low + low.high);
  return {sum.high, sum.low + low.low};
}

/// e^x - 1 + `more` for x in [-746, 0], more of 0 or 1, to about twice the precision.
template <class D>
[[gnu::always_inline]] inline Pair<D> expPair(D x, double more) {
  using F = Format<double>;
  const D shifted = fma(x, broadcast<D>(F::log2e), broadcast<D>(F::shifter)), n = shifted - F::shifter;
  // x - n ln 2; the first difference is exact.
  const Pair<D> part = productOf(n, broadcast<D>(-F::ln2Low));
  const Pair<D> near = sumOf(fma(n, broadcast<D>(-F::ln2High), x), part.high);
  const Pair<D> r = sumOf(near.high, near.low + fma(n, broadcast<D>(-0x1.f97b57a079a19p-103), part.low));
  const D tail = polynomial(r.high, 0x1.93974a8c07c9dp-37, 0x1.ae7f3e733b81fp-41, 0x1.ae7f3e733b81fp-45,
                            0x1.952c77030ad4ap-49, 0x1.6827863b97d97p-53, 0x1.2f49b46814157p-57, 0x1.e542ba4020225p-62,
                            0x1.71b8ef6dcf572p-66, 0x1.0ce396db7f853p-70);
  Pair<D> sum = {tail, D{}};
  for (int k = 12; k >= 0; --k)
    sum = timesPair(sum, r) + Pair<D>{broadcast<D>(expTable[k][0]), broadcast<D>(expTable[k][1])};
  sum = timesPair(sum, r);
  const UnsignedOf<D> bits = bitCast<UnsignedOf<D>>(shifted);
  const D power = timesPower(broadcast<D>(1.0), bits), less = power + (more - 1.0);
  return plusPair(Pair<D>{less, ((more - 1.0) - less) + power},
                  Pair<D>{timesPower(sum.high, bits), timesPower(sum.low, bits)});
}

/// log(e^x + e^y) where that is small beside x: -ln 2 <= x < 0, y <= x.
template <class D>
[[gnu::always_inline]] inline D cancelledLogaddexp(D x, D y) {
  const Pair<D> sum = plusPair(expPair(x, 0), expPair(y, 1));
  const D z = sum.high, tail = polynomial(z, -0x1p-1, 0x1.5555555555555p-2, -0x1p-2, 0x1.999999999999ap-3,
                                          -0x1.5555555555555p-3, 0x1.2492492492492p-3, -0x1p-3);
  return z + fma(z * z, tail, sum.low);
}

/// `result`, or what it is where it is less than `part` of the larger operand.
template <class D>
[[gnu::always_inline]] inline D unlessCancelled(D larger, D smaller, D result, double part) {
  const auto isCancelled = (larger < 0.0) & (abs(result) < abs(larger) * part);
  if (any(isCancelled)) {
    // The other lanes have anything that is a number.
    const D x = select(isCancelled, larger, broadcast<D>(-0.5)), y = select(isCancelled, smaller, broadcast<D>(-1.0));
    result = select(isCancelled, cancelledLogaddexp(x, y), result);
  }
  return result;
}

/// Of what were floats, to 2^-44 of the larger operand or what is added to it.
template <class D>
[[gnu::always_inline]] inline D logaddexpOfFloats(D larger, D smaller) {
  using F = Format<double>;
  // Of two infinities the difference is no number, but 0 if they are equal.
  const D given = select(larger == smaller, D{}, smaller - larger);
  const D d = select(given < -110.0, broadcast<D>(-110.0), given);
  const D shifted = fma(d, broadcast<D>(F::log2e), broadcast<D>(F::shifter));
  const D r = fma(shifted - F::shifter, broadcast<D>(-0x1.62e42fefa39efp-1), d);
  const D mantissa =
      polynomial(r, 1, 1, 0x1.fffffffffe062p-2, 0x1.5555555554f96p-3, 0x1.55555565c7e0ep-5, 0x1.111111170bc08p-7,
                 0x1.6c166bde96885p-10, 0x1.a019c36bc053cp-13, 0x1.a136bf03ec612p-16, 0x1.72ad458027fbcp-19);
  const D t = mantissa * bitCast<D>((bitCast<UnsignedOf<D>>(shifted) - (F::shifterBits - F::bias)) << F::mantissaBits);
  // log(1 + t) = 2 atanh(s) with s = t / (2 + t) in (0, 1/3]
  const D s = t / (t + 2.0), z = s * s;
  const D result = larger + s * evenAndOdd(z, z * z, 2, 0x1.5555555555157p-1, 0x1.9999999bd81f3p-2,
                                           0x1.2492477e1dce5p-2, 0x1.c71d5d8ecb89dp-3, 0x1.743cf2e7a943ep-3,
                                           0x1.3d6fb1589de81p-3, 0x1.f1cd3c3f72266p-4, 0x1.6cb6b520b2eb7p-3);
  return unlessCancelled(larger, smaller, result, 0x1p-16);
}

/// Of doubles: exponential, quotient and logarithm are pairs, to about 2^-60.
template <class D>
[[gnu::always_inline]] inline D logaddexpOfDoubles(D larger, D smaller) {
  const D one = broadcast<D>(1.0);
  const Pair<D> difference = sumOf(smaller, -larger);
  const auto isFar = difference.high < -746.0, isEqual = larger == smaller;
  const D d = select(isEqual, D{}, select(isFar, broadcast<D>(-746.0), difference.high));
  // e^r - 1 = r + r^2 / 2 + r^3 / 6 + ...; of what r leaves, the first power.
  using F = Format<double>;
  const D shifted = fma(d, broadcast<D>(F::log2e), broadcast<D>(F::shifter)), n = shifted - F::shifter;
  const D r = fma(n, broadcast<D>(-F::ln2High), d);
  const D rest = fma(n, broadcast<D>(-F::ln2Low), select(isFar | isEqual, D{}, difference.low));
  const Pair<D> square = productOf(r, r),
                cube = timesPair(square, {r * 0x1.5555555555555p-3, r * 0x1.5555555555555p-57});
  const D fourth = square.high * square.high;
  const D tail =
      fourth * evenAndOdd(r, square.high, 0x1.5555555555555p-5, 0x1.1111111111111p-7, 0x1.6c16c16c167e1p-10,
                          0x1.a01a01a019ddbp-13, 0x1.a01a01a47b054p-16, 0x1.71de3a57c23dap-19, 0x1.27e4e1f48534fp-22,
                          0x1.ae643b49c9e32p-26, 0x1.1f66df7fca49fp-29, 0x1.61a5c4fe0af61p-33);
  const D first = fma(square.high, broadcast<D>(0.5), r), firstRest = fma(square.high, broadcast<D>(0.5), r - first);
  const D second = first + cube.high, secondRest = (first - second) + cube.high;
  const D growth = one + second, growthRest = (one - growth) + second;
  const D low =
      fma(growth + tail, rest, tail) + (fma(square.low, broadcast<D>(0.5), cube.low) + (firstRest + secondRest));
  const D mantissa = growth + (growthRest + low), mantissaRest = (growth - mantissa) + (growthRest + low);
  const UnsignedOf<D> bits = bitCast<UnsignedOf<D>>(shifted);
  const D t = timesPower(mantissa, bits), tRest = timesPower(mantissaRest, bits);
  // log(1 + t) = 2 atanh(s / 2) = s (1 + z (1/3 + ...)) with s = t / (1 + t / 2) in (0, 2/3] and z = (s / 2)^2
  const D half = t * 0.5, divisor = half + 1.0, divisorRest = ((1.0 - divisor) + half) + tRest * 0.5;
  const D inverse = one / divisor, s = t * inverse;
  const D sRest = (fma(-s, divisor, t) + fma(-s, divisorRest, tRest)) * inverse;
  const D root = s * 0.5, z = root * root, zRest = fma(root, sRest, fma(root, root, -z));
  const D third = broadcast<D>(0x1.5555555555555p-2);
  const D series =
      z * evenAndOdd(z, z * z, 0x1.999999999999ap-3, 0x1.2492492492442p-3, 0x1.c71c71c72a75bp-4, 0x1.745d173e29aabp-4,
                     0x1.3b13b35eccd30p-4, 0x1.1110b807ddd37p-4, 0x1.e1f3da7afa283p-5, 0x1.ae0020c2b9a1bp-5,
                     0x1.9238f550c57e0p-5, 0x1.16ec7f136bd6dp-5, 0x1.279ce6dc841d6p-4);
  const D p = third + series, pRest = ((third - p) + series) + 0x1.5555555555555p-56;
  const Pair<D> factor = timesPair(Pair<D>{z, zRest}, Pair<D>{p, pRest}), part = timesPair(factor, {s, sRest});
  const D added = s + part.high, addedRest = ((s - added) + part.high) + (sRest + part.low);
  const Pair<D> sum = sumOf(larger, added);
  const D result = sum.high + select(abs(sum.high) < F::infinity, sum.low + addedRest, D{});
  return unlessCancelled(larger, smaller, result, 0x1p-6);
}
} // namespace detail

/// log(e^x + e^y).
template <class V>
[[gnu::always_inline]] inline V logaddexp(V x, V y) {
  const auto isMore = x > y;
  const V larger = select(isMore, x, y), smaller = select(isMore, y, x);
  V result;
  if constexpr (__is_same(Element<V>, float))
    result = detail::inDouble(
        [](auto a, auto b) __attribute__((always_inline)) { return detail::logaddexpOfFloats(a, b); }, larger, smaller);
  else
    result = detail::logaddexpOfDoubles(larger, smaller);
  return select((x != x) | (y != y), x + y, result);
}

} // namespace tenon::math
