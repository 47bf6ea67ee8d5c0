//===- BetaGradient.h - derivatives of the incomplete beta function --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// betainc_grad_a, betainc_grad_b, by the rules of Math.h; of floats in double. I(a, b, x) is density / a times a sum
// over the fraction of Beta.h, here both with their derivatives. That is I'(b, a, 1 - x) negated, too: of the two the
// one that is small is differentiated, since of what is nearly 1 nothing but rounding is left.
//===----------------------------------------------------------------------===//
#pragma once

#include "Beta.h"

namespace tenon::math {

namespace detail {

/// digamma(z + d) - digamma(z) = log(1 + ratio) + rest, both relatively precise: d is a factor of every term.
template <class D>
struct DigammaRise {
  D ratio, rest;
  [[gnu::always_inline]] DigammaRise(D z, D d) {
    D w = z, sum = D{};
    for (int i = 0; i < 12; ++i) {
      const auto isBelow = w < 12.0;
      sum = select(isBelow, sum + d / (w + d) / w, sum);
      w = select(isBelow, w + 1.0, w);
    }
    // Stirling's series less itself: a polynomial p of u = 1 / w^2 and of t = 1 / v^2, as (u - t) times a quotient.
    const D v = w + d, iw = 1.0 / w, iv = 1.0 / v, u = iw * iw, t = iv * iv;
    ratio = d * iw;
    const D apart = ratio * iv; // 1 / w - 1 / v
    D power = broadcast<D>(0x1.5555555555555p-4), quotient = D{};
    auto step = [&](double c) __attribute__((always_inline)) {
      quotient = fma(quotient, u, power);
      power = fma(power, t, broadcast<D>(c));
    };
    step(-0x1.5995995995996p-6), step(0x1.f07c1f07c1f08p-8), step(-0x1.1111111111111p-8), step(0x1.0410410410410p-8);
    step(-0x1.1111111111111p-7), step(0x1.5555555555555p-4), step(0.0);
    rest = sum + apart * fma(iw + iv, quotient, broadcast<D>(0.5));
  }
};

/// a times the sum of betaFraction, and its derivative by the parameter whose slope is 1.
template <class D, class M>
[[gnu::always_inline]] inline Dual<D> betaFractionSlope(Dual<D> a, Dual<D> b, Pair<D> x, Pair<D> y, M isWanted) {
  const D one = broadcast<D>(1.0), two = broadcast<D>(2.0), at = x.high;
  const Pair<D> offset = y * a.value + -(x * b.value);
  const Dual<D> step = {offset.high + offset.low + 1.0, fma(a.slope, y.high, -(b.slope * at))};
  const Dual<D> all = a + b;
  Dual<D> inverse = (a + one) * inverseOf(step), term = inverse, sum = inverse;
  // Of the first numerator a is a factor, which the sum begins with.
  Dual<D> factor = {one, D{}};
  D n = D{};
  auto isOpen = isWanted;
  for (int round = 0; round < 20000 && any(isOpen); ++round) {
    n = n + one;
    const Dual<D> odd = a + fma(n, two, -one), before = inverseOf(odd);
    const Dual<D> share = (b + -n) * before * (n * at);
    const Dual<D> numerator = share * (factor * before) * ((all + (n - 1.0)) * at);
    factor = a + n;
    const Dual<D> divisor = share + n + factor * (step + n * (2.0 - at)) * inverseOf(odd + two);
    const Dual<D> product = numerator * inverse, next = inverseOf(divisor + product);
    term = product * (next * term) * -one;
    inverse = next;
    const auto goesOn = isOpen & matters(term, sum);
    sum = select(isOpen, sum + term, sum);
    isOpen = goesOn;
  }
  return sum;
}

/// The derivative by a of betaNormal, to its first correction: to ten digits.
template <class D>
[[gnu::always_inline]] inline D betaNormalSlope(D a, D b, Pair<D> x, Pair<D> y) {
  const Pair<D> all = sumOf(a, b);
  const Pair<D> toFirst = x * all.high + Pair<D>{x.high * all.low, D{}},
                toSecond = y * all.high + Pair<D>{y.high * all.low, D{}};
  const Pair<D> raw = x * b + -(y * a), step = sumOf(raw.high, raw.low);
  const Pair<D> apart = deviance(a, step, toFirst) + deviance(b, -step, toSecond);
  const D size = sqrt(apart.high), wn = 1.0 / all.high, root = sqrt((a * wn) * (b * wn));
  const D eta = size * sqrt(wn + wn), d = abs(step.high) * wn;
  const auto isNear = d < root * 0x1p-26, isBelow = step.high < 0.0;
  const D away = 1.0 / eta - root / d;
  const D c = select(isNear, (b - a) * wn / (root * 3.0), select(isBelow, -away, away));
  // Of I = (1 +- erf(size)) / 2 + e^-apart c / sqrt(2 pi n) with the derivative of `apart`.
  const D slope = -log1p(step.high / a), ratio = slope / (size + size);
  const D main = select(size == 0.0, -sqrt(b / a * wn * 0.5), select(isBelow, -ratio, ratio));
  return expOf(-apart) * (main * 0x1.20dd750429b6dp-1 - slope * (c * sqrt(0x1.45f306dc9c883p-3 * wn)));
}

/// The derivative by a of I(a, b, from), to = 1 - from.
template <class D>
[[gnu::always_inline]] inline D betaincSlope(D givenA, D givenB, Pair<D> from, Pair<D> to) {
  constexpr double inf = Format<double>::infinity;
  const auto isPlain =
      (givenA > 0.0) & (givenB > 0.0) & (givenA < inf) & (givenB < inf) & (from.high > 0.0) & (to.high > 0.0);
  const D one = broadcast<D>(1.0), half = broadcast<D>(0.5), least = broadcast<D>(0x1p-1000);
  const D p = select(isPlain, select(givenA < least, least, givenA), one);
  const D q = select(isPlain, select(givenB < least, least, givenB), one);
  const Pair<D> below = {select(isPlain, from.high, half), select(isPlain, from.low, D{})};
  const Pair<D> above = {select(isPlain, to.high, half), select(isPlain, to.low, D{})};
  const auto isHuge = isPlain & (p >= 0x1p33) & (q >= 0x1p33);
  // The tail that is small and whose fraction ends.
  const auto isOther = (below.high * q > above.high * p) & ((q >= 1.0) | (p < q) | (above.high < 1e-4));
  const D a = select(isOther, q, p), b = select(isOther, p, q);
  const Pair<D> x = {select(isOther, above.high, below.high), select(isOther, above.low, below.low)};
  const Pair<D> y = {select(isOther, below.high, above.high), select(isOther, below.low, above.low)};
  // Now by b where it is the other one.
  const Dual<D> first = {a, select(isOther, D{}, one)}, second = {b, select(isOther, one, D{})};
  const Dual<D> sum = betaFractionSlope(first, second, x, y, isPlain & !isHuge);
  // The derivative of log(density / a): log(x) + digamma(a + b) - digamma(a + 1), or log(y) + digamma(a + b) -
  // digamma(b).
  const auto isLarge = p >= 12.0;
  const DigammaRise<D> rise(select(isOther | isLarge, p, p + 1.0), q);
  const D missing = select(isOther, D{}, select(isLarge, one / p, one / (p + q)));
  // Of x (a + b) / a near 1 the logarithm of both.
  const Pair<D> raw = below * q + -(above * p);
  const D part = (raw.high + raw.low) / p;
  const D logarithm =
      select(isLarge & (abs(part) < 0.5), log1p(part), log(below.high) + below.low / below.high + log1p(rise.ratio));
  const D slope = logarithm + (rise.rest - missing);
  D result = betaDensity(a, b, x, y) / a * fma(slope, sum.value, sum.slope);
  result = select(isOther, -result, result);
  if (any(isHuge)) {
    const D large = broadcast<D>(0x1p33);
    const D normal = betaNormalSlope(select(isHuge, p, large), select(isHuge, q, large), below, above);
    result = select(isHuge, normal, result);
  }
  const auto isNumber = (givenA >= 0.0) & (givenB >= 0.0) & (from.high >= 0.0) & (to.high >= 0.0);
  const auto isUnknown = ((givenA == 0.0) | (givenB == inf)) & ((givenB == 0.0) | (givenA == inf));
  return select(isPlain, result, select(isNumber & !isUnknown, D{}, broadcast<D>(Format<double>::nan)));
}
} // namespace detail

/// The derivative of betainc(a, b, x) by a; at the ends of a, b and x it is 0.
template <class V>
[[gnu::always_inline]] inline V betainc_grad_a(V a, V b, V x) {
  return detail::inDouble(
      [](auto first, auto second, auto at) __attribute__((always_inline)) {
        using D = decltype(at);
        return detail::betaincSlope(first, second, detail::Pair<D>{at, D{}}, detail::sumOf(broadcast<D>(1.0), -at));
      },
      a, b, x);
}

/// The derivative of betainc(a, b, x) by b.
template <class V>
[[gnu::always_inline]] inline V betainc_grad_b(V a, V b, V x) {
  return detail::inDouble(
      [](auto first, auto second, auto at) __attribute__((always_inline)) {
        using D = decltype(at);
        return D{} -
               detail::betaincSlope(second, first, detail::sumOf(broadcast<D>(1.0), -at), detail::Pair<D>{at, D{}});
      },
      a, b, x);
}

} // namespace tenon::math
