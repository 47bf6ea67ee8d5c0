//===- Bessel.h - modified Bessel functions, scaled ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// i0e, i1e, by the rules of Math.h. To 8 they are e^-x times a polynomial like the power series, whose terms have one
// sign; beyond, 1 / sqrt(x) times a polynomial in 16 / x - 1, on the intervals of Cephes. The polynomials were made by
// a Remez exchange in 50 digits.
//===----------------------------------------------------------------------===//
#pragma once

#include "Math.h"

namespace tenon::math {

namespace detail {
/// c0 + x (c1 + c2 x + ...), whose last rounding is the only one of its size where c0 is most of it.
template <class V, class... Cs>
[[gnu::always_inline]] inline V fromFirst(V x, Element<V> c0, Cs... cs) {
  return fma(x, evenAndOdd(x, x * x, cs...), broadcast<V>(c0));
}

/// i0e or i1e of a >= 0.
template <bool isFirst, class V>
[[gnu::always_inline]] inline V scaledBessel(V a) {
  using T = Element<V>;
  constexpr bool isFloat = __is_same(T, float);
  const V z = a * a * T(0.25), t = T(16) / a - T(1);
  V near, far;
  if constexpr (isFloat && !isFirst) {
    near = evenAndOdd(z, z * z, 0x1p0f, 0x1.000004p0f, 0x1.ffff94p-3f, 0x1.c720cp-6f, 0x1.c6f3bep-10f, 0x1.24143p-14f,
                      0x1.fc5d22p-20f, 0x1.72b91ap-25f, 0x1.a31744p-32f, 0x1.079984p-36f);
    far = polynomial(t, 0x1.9bd428p-2f, 0x1.b8799ep-9f, 0x1.1d8a7ap-13f, 0x1.748d04p-17f, 0x1.b7dddp-20f,
                     0x1.8d47a4p-22f);
  } else if constexpr (isFloat) {
    near = evenAndOdd(z, z * z, 0x1p0f, 0x1.000002p-1f, 0x1.555534p-4f, 0x1.c71ed2p-8f, 0x1.6c0292p-12f,
                      0x1.8518e8p-17f, 0x1.23e0c6p-22f, 0x1.6c4e82p-28f, 0x1.9405fp-35f, 0x1.95e7cap-40f);
    far = polynomial(t, 0x1.8ebe78p-2f, -0x1.3f7972p-7f, -0x1.cba152p-13f, -0x1.f70296p-17f, -0x1.0da91p-19f,
                     -0x1.cf3d5ap-22f);
  } else if constexpr (!isFirst) {
    near = fromFirst(z, 0x1p0, 0x1p0, 0x1.ffffffffffff3p-3, 0x1.c71c71c71c85bp-6, 0x1.c71c71c71a93cp-10,
                     0x1.23456789c5e2cp-14, 0x1.02e85c06c9854p-19, 0x1.522a44218a6cfp-25, 0x1.522a4126e4eadp-31,
                     0x1.0b3153e4d3193p-37, 0x1.55ff4da4fcc9fp-44, 0x1.69e61dec81c42p-51, 0x1.40a5e63eb6c3p-58,
                     0x1.f2a2a160bb8f7p-66, 0x1.108c63d8001acp-73, 0x1.1cae949fecee2p-80);
    far = fromFirst(t, 0x1.9bd428ad249a5p-2, 0x1.b87969bb939e6p-9, 0x1.1daa72b57c911p-13, 0x1.75e5ee7a0b866p-17,
                    0x1.8e5142e262dccp-20, 0x1.3f498dc5488e6p-22, 0x1.7d065d5699eaep-24, 0x1.51d7ba8ce6d01p-25,
                    0x1.735b9b3a62623p-26, 0x1.02a7ed1b2c3fp-27, -0x1.e6dec4a7814c6p-28, -0x1.c924aebd78b82p-27,
                    -0x1.2a6c21b754b96p-28, 0x1.f510014ff57f7p-28, 0x1.685c2010a10cfp-28, -0x1.a6cf7a5f5525cp-29,
                    -0x1.9949c1c4239eap-29, 0x1.22ec40740694bp-30, 0x1.115768ab691dfp-30, -0x1.1d3e72ceef918p-32,
                    -0x1.4f2c271afec75p-33, 0x1.1bf6aa95cc988p-35);
  } else {
    near = fromFirst(z, 0x1p0, 0x1p-1, 0x1.5555555555552p-4, 0x1.c71c71c71c7a1p-8, 0x1.6c16c16c160bap-12,
                     0x1.845c8a0cf7756p-17, 0x1.27e4fb7658185p-22, 0x1.522a44114a5ccp-28, 0x1.2c97572fcd30cp-34,
                     0x1.ab821060c5b6dp-41, 0x1.f17427a61b12ep-48, 0x1.e2808baad38ffp-55, 0x1.8ad6a02996f14p-62,
                     0x1.1c18a2187bb83p-69, 0x1.26fcf12f4223ap-77, 0x1.17cfae19a5f34p-84);
    far = fromFirst(t, 0x1.8ebe783a8402fp-2, -0x1.3f796198ee5d8p-7, -0x1.cbc54df17e3d4p-13, -0x1.f89c230ceee36p-17,
                    -0x1.ec8e194103f0dp-20, -0x1.76136a392678ap-22, -0x1.ad84389e5e028p-24, -0x1.7281b87bee1e1p-25,
                    -0x1.92c5466d2ef07p-26, -0x1.20ce7c13a3017p-27, 0x1.e6f2d8509fb63p-28, 0x1.df2e740f11ec2p-27,
                    0x1.4e824b5f73ca8p-28, -0x1.fdccaba74daa7p-28, -0x1.819a1a488342dp-28, 0x1.a39f67ea83c0cp-29,
                    0x1.b0484ff2846e9p-29, -0x1.1bd0ff4d3ed9cp-30, -0x1.1ef917a9d27cfp-30, 0x1.1463a49e60eb6p-32,
                    0x1.5ec46b77a6bfap-33, -0x1.13c57731fa18p-35);
  }
  // a^2 is rounded; of what that changes a digit is enough.
  const V lost = fma(a * T(0.5), a * T(0.5), -z);
  near = exp(-a) *
         fma(near * lost,
             polynomial(a, isFirst ? T(0.5) : T(1), isFirst ? T(-0.045) : T(-0.155), isFirst ? T(0.001) : T(0.0075)),
             near);
  if constexpr (isFirst)
    near = near * (a * T(0.5));
  return select(a <= T(8), near, far / sqrt(a));
}
} // namespace detail

/// e^-|x| I0(x), the modified Bessel function of the first kind and order 0.
template <class V>
[[gnu::always_inline]] inline V i0e(V x) {
  return detail::scaledBessel<false>(abs(x));
}

/// e^-|x| I1(x), of order 1.
template <class V>
[[gnu::always_inline]] inline V i1e(V x) {
  using U = UnsignedOf<V>;
  const V size = detail::scaledBessel<true>(abs(x));
  return bitCast<V>(bitCast<U>(size) | (bitCast<U>(x) & detail::Format<Element<V>>::signMask));
}

} // namespace tenon::math
