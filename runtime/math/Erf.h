//===- Erf.h - the error function and its complement -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erf, erfc, by the rules of Math.h. The polynomials below 1 were made by Sollya's fpminimax,
// the others by a weighted Remez exchange (or its like by reweighted squares) in 50 digits.
//===----------------------------------------------------------------------===//
#pragma once

#include "Exponential.h"

namespace tenon::math {

namespace detail {
/// erf(x) = x + x p(x^2) for |x| <= 1.
template <class V>
[[gnu::always_inline]] inline V erfTail(V z) {
  if constexpr (__is_same(Element<V>, float))
    return polynomial(z, 0x1.06eba8p-3f, -0x1.81274p-2f, 0x1.ce2d52p-4f, -0x1.b7fec4p-6f, 0x1.542fecp-8f,
                      -0x1.a5197ap-11f, 0x1.4c5cb4p-14f);
  else
    return evenAndOdd(z, z * z, 0x1.06eba8214db68p-3, -0x1.812746b0379b5p-2, 0x1.ce2f21a040b02p-4,
                      -0x1.b82ce311f7069p-6, 0x1.565bccf908894p-8, -0x1.c02db03ff6859p-11, 0x1.f9a2bb4bba0e4p-14,
                      -0x1.f4ca5bb2856d7p-17, 0x1.b9807f2338879p-20, -0x1.5c0bc3130e1c1p-23, 0x1.d73d744d5602cp-27,
                      -0x1.ac1a4196deacbp-31);
}

/// erfc of doubles in [0, 10.6] to the precision of floats: e^(-x^2) s p(s) with s = 1 / (x + 3). Of what was a float
/// x^2 is exact.
template <class D>
[[gnu::always_inline]] inline D erfcOfFloat(D x) {
  using F = Format<double>;
  const D s = 1.0 / (x + 3.0), power = -(x * x);
  const D shifted = fma(power, broadcast<D>(F::log2e), broadcast<D>(F::shifter));
  const D r = fma(shifted - F::shifter, broadcast<D>(-0x1.62e42fefa39efp-1), power);
  const D mantissa = polynomial(r, 1, 1, 0x1.00000052126a1p-1, 0x1.55548e34ce585p-3, 0x1.55545d55313ap-5,
                                0x1.123bdf17eda31p-7, 0x1.6db4a67888f88p-10);
  const D scaled = s * evenAndOdd(s, s * s, 0x1.20d39d9dfca69p-1, 0x1.b2a07f49c23a8p0, 0x1.28deb7e408f97p2,
                                  0x1.ed96e599cd658p3, 0x1.6fb64e1158333p-1, 0x1.1fa2fd368233cp8, -0x1.d6cf63e9c3b8dp9,
                                  0x1.b0e51bc57da1ap11, -0x1.634d7a2242135p12, 0x1.96c2826ffe698p11);
  const D two = bitCast<D>((bitCast<UnsignedOf<D>>(shifted) - (F::shifterBits - F::bias)) << F::mantissaBits);
  return scaled * (mantissa * two);
}

template <class V>
  requires(__is_same(Element<V>, float))
[[gnu::always_inline]] inline V erfcOf(V x) {
  if constexpr (lanes<V> > 1 && registerBytes != 0 && 2 * sizeof(V) > registerBytes) {
    // As doubles they would be wider than a register.
    return joined<V>(erfcOf(lowHalf(x)), erfcOf(highHalf(x)));
  } else {
    using D = WithElement<V, double>;
    const D wide = convertLanes<double>(clamped(x, -10.6f, 10.6f)), result = erfcOfFloat(abs(wide));
    return convertLanes<float>(select(wide < 0.0, 2.0 - result, result));
  }
}

/// e^(x^2) erfc(x) for x in [0, 28] as the sum of two: h(t) / (1 + 2 x) with t = (x - 4) / (x + 4); h and the quotient
/// as such sums.
template <class V>
struct ScaledErfc {
  V high, low;
  [[gnu::always_inline]] explicit ScaledErfc(V a) {
    const V one = broadcast<V>(1.0);
    const V t = (a - 4.0) / (a + 4.0), constant = broadcast<V>(0x1.3ba5916e9fd7fp0);
    const V p = evenAndOdd(t, t * t, -0x1.1df1ad154a29cp-3, 0x1.f7f5df66fd775p-7, 0x1.16ecefcfa5fe2p-4,
                           -0x1.9ddb23c3e8c57p-4, 0x1.7fee004df761p-4, -0x1.0fb06dfe56576p-4, 0x1.3079edf9e6e64p-5,
                           -0x1.09623880daf42p-6, 0x1.49c67195cc007p-8, -0x1.8d4a9fa3b40a6p-11, -0x1.a1de85e7934bfp-13,
                           0x1.3be0ce648d184p-13, -0x1.9969ae99f0549p-16, -0x1.78a7c576a9c76p-17, 0x1.7fad99b98036ep-18,
                           0x1.4418c5da6ba94p-22, -0x1.bfde1349f6b59p-21, 0x1.0c63c40e9acddp-24, 0x1.ec144294d6698p-24,
                           -0x1.0c9b9c7a903d6p-27, -0x1.cc53694c0bd36p-27, -0x1.d79a3664abf3ep-30);
    const V h = fma(t, p, constant), hLow = fma(t, p, constant - h) + -0x1.a80ecfdea757cp-55;
    const V divisor = fma(a, broadcast<V>(2.0), one), divisorRest = fma(a, broadcast<V>(2.0), one - divisor);
    const V inverse = one / divisor;
    high = h * inverse;
    low = (fma(-high, divisor, h) + fma(-high, divisorRest, hLow)) * inverse;
  }
};

template <class V>
  requires(__is_same(Element<V>, double))
[[gnu::always_inline]] inline V erfcOf(V x) {
  // Near 0 it is 1 - x - x p(x^2), whose first difference is known exactly.
  const V one = broadcast<V>(1.0), z = x * x, first = one - x;
  const V small = first + fma(-x, erfTail(z), (one - first) - x);
  // Else it is scaled; the square and the power are sums of two, too.
  V a = abs(x);
  a = select(a > 28.0, broadcast<V>(28.0), a);
  const ScaledErfc<V> scaled(a);
  const V square = a * a;
  const ExpTerms<V> terms(-square, -fma(a, a, -square));
  const V whole = one + terms.r, part = ((one - whole) + terms.r) + terms.tail;
  const V m = whole + part, mLow = (whole - m) + part;
  const V product = m * scaled.high;
  const V low = fma(m, scaled.high, -product) + fma(m, scaled.low, mLow * scaled.high);
  const V large = timesPower(product + low, bitCast<UnsignedOf<V>>(terms.shifted));
  return select(abs(x) < 0.5, small, select(x < 0.0, 2.0 - large, large));
}
} // namespace detail

/// 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
template <class V>
[[gnu::always_inline]] inline V erf(V x) {
  using T = Element<V>;
  using F = detail::Format<T>;
  using U = UnsignedOf<V>;
  constexpr bool isFloat = __is_same(T, float);
  V a = abs(x);
  const auto isSmall = a < T(1);
  constexpr T limit = isFloat ? T(4) : T(5.95); // from there on it rounds to 1
  a = select(a > limit, broadcast<V>(limit), a);
  const V small = fma(a, detail::erfTail(a * a), a);
  // From 1 on it is 1 - e^q(x - 1), where the difference is exact.
  const V y = a - T(1);
  V q;
  if constexpr (isFloat)
    q = detail::polynomial(y, -0x1.d97fcp0f, -0x1.51c9aap1f, -0x1.afad34p-1f, -0x1.53f93ep-5f, 0x1.441acp-7f,
                           -0x1.deb75cp-10f, 0x1.852c86p-13f);
  else
    q = detail::evenAndOdd(y, y * y, -0x1.d97fbf27aa2a1p0, -0x1.51c9b0006c21bp1, -0x1.afabc11a2af7dp-1,
                           -0x1.5477f099bc363p-5, 0x1.48c9d3806570bp-7, -0x1.033f5a1df42fdp-9, 0x1.f1b04c5b362f3p-13,
                           0x1.b92dc212b4f57p-16, -0x1.c85293d45a6e3p-16, 0x1.44845513e9f82p-17, -0x1.1e24bd02b9b4cp-19,
                           0x1.b7d6f03c05c7fp-23, 0x1.f2456171d14dbp-25, -0x1.1ece1869f377bp-25, 0x1.24ac48e8c77bbp-27,
                           -0x1.6a8be5db4cd4bp-30, 0x1.065c56718fde7p-33, -0x1.56492715e917ap-38);
  const detail::ExpParts<V> parts = detail::expParts(q);
  const U power = (parts.shifted - (F::shifterBits - F::bias)) << F::mantissaBits;
  const V large = fma(-parts.mantissa, bitCast<V>(power), broadcast<V>(T(1)));
  const V result = select(isSmall, small, large);
  return bitCast<V>(bitCast<U>(result) | (bitCast<U>(x) & F::signMask));
}

/// 1 - erf(x), relatively precise in its tail.
template <class V>
[[gnu::always_inline]] inline V erfc(V x) {
  return detail::erfcOf(x);
}

} // namespace tenon::math
