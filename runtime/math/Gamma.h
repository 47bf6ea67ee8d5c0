//===- Gamma.h - logarithm of the gamma function and its derivatives -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lgamma, digamma, trigamma, by the rules of Math.h; of floats in double. From 8 (digamma: 6) on it is Stirling's
// series, as a polynomial; below, recurrences lead to an interval that has a polynomial of its own (trigamma: up to the
// series), and numbers below 0 are reflected. The polynomials were made by a Remez exchange in 60 digits.
//===----------------------------------------------------------------------===//
#pragma once

#include "Math.h"

namespace tenon::math {

namespace detail {
/// f, which takes doubles, of floats.
template <class Function, class V, class... More>
[[gnu::always_inline]] inline V inDouble(Function f, V x, More... more) {
  if constexpr (__is_same(Element<V>, double))
    return f(x, more...);
  else if constexpr (lanes<V> > 1 && registerBytes != 0 && 2 * sizeof(V) > registerBytes) // or they would be wider than
    return joined<V>(inDouble(f, lowHalf(x), lowHalf(more)...),                           // a register
                     inDouble(f, highHalf(x), highHalf(more)...));
  else
    return convertLanes<float>(f(convertLanes<double>(x), convertLanes<double>(more)...));
}

/// sin(pi a) / pi for a in [0, 1/2], as the sum of two.
template <class D>
struct SineOfTurns {
  D high, low;
  [[gnu::always_inline]] explicit SineOfTurns(D a) {
    const D z = a * a;
    const D rest =
        a * z *
        polynomial(z, -0x1.a51a6625307d2p0, 0x1.9f9cb402bc3d9p-1, -0x1.86a8e47207f63p-3, 0x1.ac6805cb994e6p-6,
                   -0x1.3381695d7e0c3p-9, 0x1.3746919b13d21p-13, -0x1.d3e20d5ff98b7p-18, 0x1.06fdffbe98d41p-22);
    high = a + rest, low = (a - high) + rest;
  }
};

/// Gamma(y) = e^near factors for y in [5/4, 8), e^near / factors for y in [0, 5/4); |near| is below 0.3.
template <class D>
struct GammaParts {
  D near, factors;
  [[gnu::always_inline]] explicit GammaParts(D y) {
    const auto isLarge = y >= 8.0, isLow = y < 1.25, isLowest = y < 0.25;
    // Gamma(y) is Gamma(2 + t) times `factors`, or divided by them where y is below 1.25; t in [-3/4, 1/2].
    D z = select(isLarge, broadcast<D>(2.0), y);
    factors = broadcast<D>(1.0);
    for (int i = 0; i < 6; ++i) {
      const auto isAbove = z >= 2.5;
      z = select(isAbove, z - 1.0, z), factors = select(isAbove, factors * z, factors);
    }
    factors = select(isLow, select(isLowest, y * (y + 1.0), y), factors);
    const D t = select(isLowest, y, select(isLow, y - 1.0, z - 2.0));
    near = nearTwo(t);
  }
  /// lgamma(2 + t) for t in [-3/4, 1/2].
  [[gnu::always_inline]] static D nearTwo(D t) {
    return t * evenAndOdd(t, t * t, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557608p-4,
                          0x1.51322ac7d845ap-6, -0x1.e404fc218ededp-8, 0x1.7add6eadbd778p-9, -0x1.38ac5c2c50226p-10,
                          0x1.0b36af8232f43p-11, -0x1.d3fd4c3dab383p-13, 0x1.a127b3a01b5dp-14, -0x1.78de6573fa562p-15,
                          0x1.580d4559c8846p-16, -0x1.3cbbe2391ae1ep-17, 0x1.25a8bf522bc34p-18, -0x1.11ae401b94233p-19,
                          0x1.fe2a3f2fc147p-21, -0x1.e6481a2868631p-22, 0x1.e526ccc07d054p-23, -0x1.60bff81ee02f3p-24,
                          0x1.fdd5f9049b3afp-26, -0x1.12e8f3cee88c1p-24, 0x1.22c8bb35d1f16p-27, 0x1.07c4f1f69a517p-25,
                          0x1.a9d6b28b45203p-26);
  }
};

/// Stirling's rest: lgamma(y) - (y - 1/2) log(y) + y - log(2 pi) / 2 for y >= 8, from w = 1 / y.
template <class D>
[[gnu::always_inline]] inline D stirlingSeries(D w) {
  return polynomial(w * w, 0x1.5555555555555p-4, -0x1.6c16c16c14af7p-9, 0x1.a01a017e8adc5p-11, -0x1.38134e166afc6p-11,
                    0x1.b92c938d40126p-11, -0x1.ef980c2504347p-10, 0x1.4c38291317774p-8);
}

template <class D>
[[gnu::always_inline]] inline D lgammaOf(D x) {
  const auto isNegative = x < 0.0;
  const D one = broadcast<D>(1.0), y = select(isNegative, 1.0 - x, x);
  const auto isLarge = y >= 8.0, isLow = y < 1.25;
  const GammaParts<D> parts(y);
  const D near = parts.near, factors = parts.factors;
  const D logarithm = log(select(isLarge, y, factors)), w = one / y;
  // log(sqrt(2 pi)) - 1/2
  const D series = fma(w, stirlingSeries(w), broadcast<D>(0x1.acfe390c97d69p-2));
  const D large = fma(y - 0.5, logarithm - 1.0, series);
  D result = select(isLarge, large, near + select(isLow, -logarithm, logarithm));
  if (any(isNegative)) {
    // Gamma(x) Gamma(1 - x) = pi / sin(pi x)
    const D sine = SineOfTurns<D>(abs(x - round(x))).high;
    // What 1 - x lost, times the derivative, of which a digit is enough.
    const D lost = (1.0 - y) - x,
            slope = select(isLarge, logarithm, (y - 1.46) / fma(y, broadcast<D>(0.33), broadcast<D>(0.62)));
    const D reflected = -log(sine) - fma(lost, slope, result);
    const auto isPole = (sine == 0.0) | (x == -Format<double>::infinity);
    result = select(isNegative, select(isPole, broadcast<D>(Format<double>::infinity), reflected), result);
  }
  return result;
}

template <class D>
[[gnu::always_inline]] inline D digammaOf(D x) {
  const auto isNegative = x < 0.0;
  const D one = broadcast<D>(1.0), y = select(isNegative, 1.0 - x, x);
  const auto isLarge = y >= 6.0, isLow = y < 1.0;
  // digamma(y) = digamma(z) + numerator / divisor with z in [1, 2]
  D z = select(isLarge, broadcast<D>(1.5), y), numerator = select(isLow, -one, D{}), divisor = select(isLow, y, one);
  z = select(isLow, z + 1.0, z);
  for (int i = 0; i < 4; ++i) {
    const auto isAbove = z >= 2.0;
    z = select(isAbove, z - 1.0, z);
    numerator = select(isAbove, fma(numerator, z, divisor), numerator);
    divisor = select(isAbove, divisor * z, divisor);
  }
  // The zero at 1.46 is the sum of two numbers.
  const D t = z - 1.5, offset = (z - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54,
          part =
              t * evenAndOdd(t, t * t, -0x1.b1cb63005ee98p-2, 0x1.eca189b8e6d98p-3, -0x1.2feeeb98a7a38p-3,
                             0x1.8512e5905db98p-4, -0x1.fb44202a06d32p-5, 0x1.4de9aa05925b3p-5, -0x1.b9f8b124b8e15p-6,
                             0x1.256475f2e7afcp-6, -0x1.86356277caa83p-7, 0x1.03c0067553d34p-7, -0x1.5a06ccc4622d2p-8,
                             0x1.cd3e7b473d83bp-9, -0x1.336b3f5dd9f95p-9, 0x1.980d4cef027d5p-10, -0x1.0fcd6c72cf51bp-10,
                             0x1.7b4c3574f686p-11, -0x1.fc4582459d586p-12, 0x1.dc0aff2e9d6e1p-13,
                             -0x1.343fb0c69a8e1p-13, 0x1.107fda0c6a8aap-12, -0x1.724570309af6dp-13);
  const D slope = broadcast<D>(0x1.e6f0cbb873617p-1), chord = slope + part, chordRest = (slope - chord) + part;
  const D w = one / y, u = w * w,
          series =
              u * polynomial(u, 0x1.5555555555555p-4, -0x1.1111111111089p-7, 0x1.04104103bf29p-8, -0x1.1111107a96b02p-8,
                             0x1.f07b907db910fp-8, -0x1.5982080786fa9p-6, 0x1.53abd918a1f87p-4, -0x1.aed92422b7827p-2,
                             0x1.202b8df55595cp1, -0x1.025b2635f0312p3);
  D result = select(isLarge, log(y) - fma(w, broadcast<D>(0.5), series),
                    fma(offset, chord, numerator / divisor) + offset * chordRest);
  if (any(isNegative)) {
    // digamma(1 - x) - digamma(x) = pi cot(pi x)
    const D r = x - round(x), a = abs(r);
    const SineOfTurns<D> sine(a), cosine(0.5 - a);
    const D inverse = one / sine.high, cotangent = cosine.high * inverse;
    const D beyond = (fma(-cotangent, sine.high, cosine.high) + fma(-cotangent, sine.low, cosine.low)) * inverse;
    const D rest = select(inverse < Format<double>::infinity, copysign(one, r) * beyond, D{});
    // What 1 - x lost, times the derivative, of which a digit is enough.
    const D lost = ((1.0 - y) - x) / (y - 0.5);
    const D small = fma(rest, broadcast<D>(-0x1.921fb54442d18p1), lost);
    const D reflected = select(sine.high == 0.0, broadcast<D>(Format<double>::nan),
                               fma(copysign(cotangent, r), broadcast<D>(-0x1.921fb54442d18p1), result + small));
    result = select(isNegative, reflected, result);
  }
  return result;
}

template <class D>
[[gnu::always_inline]] inline D trigammaOf(D x) {
  const auto isNegative = x < 0.0;
  const D one = broadcast<D>(1.0);
  // trigamma(y) = y^-2 + numerator / divisor + trigamma(z), all sums of inverse squares; z from 8 on
  const D y = select(isNegative, 1.0 - x, x);
  const auto isTiny = y < 0x1p-500; // its square would be no normal number
  const D inverse = one / select(isTiny, y, y * y), first = select(isTiny, inverse * inverse, inverse);
  D z = y + 1.0, numerator = D{}, divisor = one;
  for (int i = 0; i < 7; ++i) {
    const auto isBelow = z < 8.0;
    const D square = z * z;
    numerator = select(isBelow, fma(numerator, square, divisor), numerator);
    divisor = select(isBelow, divisor * square, divisor);
    z = select(isBelow, z + 1.0, z);
  }
  const D w = one / z, u = w * w;
  const D series =
      fma(w, broadcast<D>(0.5),
          u * polynomial(u, 0x1.5555555555555p-3, -0x1.11111111101b7p-5, 0x1.8618617bd8cf6p-6, -0x1.1111069d21089p-5,
                         0x1.36484fe01841p-4, -0x1.0276046e5cc72p-2, 0x1.1c194d1cd6666p0, -0x1.254991a48e61p2));
  D result = first + (numerator / divisor + fma(w, series, w));
  if (any(isNegative)) {
    // trigamma(1 - x) + trigamma(x) = (pi / sin(pi x))^2
    const SineOfTurns<D> sine(abs(x - round(x)));
    const D inverse = one / sine.high;
    const D rest = fma(-inverse, sine.high, one) - inverse * sine.low; // what the inverse lost, beside it
    const D less = fma(inverse * inverse, rest + rest, -result);
    result = select(isNegative, fma(inverse, inverse, select(inverse < 0x1p500, less, D{})), result);
  }
  return result;
}
} // namespace detail

/// log(|Gamma(x)|): infinite at 0 and the integers below.
template <class V>
[[gnu::always_inline]] inline V lgamma(V x) {
  return detail::inDouble([](auto wide) __attribute__((always_inline)) { return detail::lgammaOf(wide); }, x);
}

/// The derivative of lgamma: -infinity at 0, infinity at -0, NaN at the integers below.
template <class V>
[[gnu::always_inline]] inline V digamma(V x) {
  return detail::inDouble([](auto wide) __attribute__((always_inline)) { return detail::digammaOf(wide); }, x);
}

/// The derivative of digamma: infinite at 0 and the integers below.
template <class V>
[[gnu::always_inline]] inline V trigamma(V x) {
  return detail::inDouble([](auto wide) __attribute__((always_inline)) { return detail::trigammaOf(wide); }, x);
}

} // namespace tenon::math
