//===- Beta.h - the incomplete beta function -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// betainc, by the rules of Math.h; of floats in double. A continued fraction, whose rounds near the middle grow as the
// root of the larger parameter. (A. Didonato and A. Morris, "Significant digit computation of the incomplete beta
// function ratios", ACM Transactions on Mathematical Software 18, 1992.)
//===----------------------------------------------------------------------===//
#pragma once

#include "Deviance.h"
#include "Erf.h"

namespace tenon::math {

namespace detail {

/// x^a y^b / B(a, b) with y = 1 - x.
template <class D>
[[gnu::always_inline]] inline D betaDensity(D a, D b, Pair<D> x, Pair<D> y) {
  const D one = broadcast<D>(1.0);
  const auto isMore = a > b;
  const auto isLarge = (a >= 8.0) & (b >= 8.0);
  Pair<D> exponent = {D{}, D{}};
  D scale = one;
  if (any(isLarge)) {
    // With Stirling's series for all three functions.
    const D first = select(isLarge, a, broadcast<D>(8.0)), second = select(isLarge, b, broadcast<D>(8.0));
    const Pair<D> all = sumOf(first, second);
    const Pair<D> toFirst = x * all.high + Pair<D>{x.high * all.low, D{}};
    const Pair<D> toSecond = y * all.high + Pair<D>{y.high * all.low, D{}};
    const Pair<D> step = x * second + -(y * first);
    const Pair<D> apart = deviance(first, step, toFirst) + deviance(second, -step, toSecond);
    const D wa = one / first, wb = one / second, wn = one / all.high;
    const D rest = wn * stirlingSeries(wn) - (wa * stirlingSeries(wa) + wb * stirlingSeries(wb));
    exponent = -apart + Pair<D>{rest, D{}};
    scale = sqrt((0x1.45f306dc9c883p-3 * first) * (second * wn));
  }
  if (any(!isLarge)) {
    // The smaller parameter's function as it is; of the larger one, from 8 on, and of the sum by Stirling's series.
    const D less = select(isLarge, one, select(isMore, b, a)), more = select(isLarge, one, select(isMore, a, b));
    const Pair<D> lessSide = {select(isMore, y.high, x.high), select(isMore, y.low, x.low)};
    const Pair<D> moreSide = {select(isMore, x.high, y.high), select(isMore, x.low, y.low)};
    const auto isShort = more < 8.0;
    D ratio = one;
    for (int i = 0; i < 8; ++i) {
      const D part = more + double(i);
      ratio = select(isShort, ratio * (part / (less + part)), ratio);
    }
    const D larger = select(isShort, more + 8.0, more), wm = one / larger;
    const Pair<D> all = sumOf(larger, less);
    const D wn = one / all.high;
    const GammaParts<D> parts(less);
    const D rest = (wn * stirlingSeries(wn) - wm * stirlingSeries(wm)) - (log1p(less * wm) * 0.5 + parts.near);
    const Pair<D> plain = logOf(lessSide * all.high) * less + logOf(moreSide) * more +
                          -deviance(larger, Pair<D>{less, D{}}, all) + Pair<D>{rest, D{}};
    const D plainScale = ratio * select(less < 1.25, parts.factors, one / parts.factors);
    exponent = {select(isLarge, exponent.high, plain.high), select(isLarge, exponent.low, plain.low)};
    scale = select(isLarge, scale, plainScale);
  }
  return expOf(exponent) * scale;
}

/// What the density is divided by: I(a, b, x) = density / (c_0 + numerator_1 / (c_1 + ...)), its inverse by Steed's
/// rule. Every second convergent of the plain fraction.
template <class D, class M>
[[gnu::always_inline]] inline D betaFraction(D a, D b, Pair<D> x, Pair<D> y, M isWanted) {
  const D one = broadcast<D>(1.0), two = broadcast<D>(2.0);
  const Pair<D> offset = y * a + -(x * b); // a - (a + b) x
  const D step = offset.high + offset.low, at = x.high, all = a + b, twice = 2.0 - at;
  D inverse = (a + 1.0) / (a * (step + 1.0)), term = inverse, sum = inverse, n = D{};
  auto isOpen = isWanted;
  for (int round = 0; round < 20000 && any(isOpen); ++round) {
    n = n + one;
    const D even = fma(n, two, a), before = 1.0 / (even - 1.0);
    const D share = n * (b - n) * at * before;
    const D numerator = share * ((a + (n - 1.0)) * before) * ((all + (n - 1.0)) * at);
    const D divisor = n + share + (a + n) * (fma(n, twice, step) + 1.0) / (even + 1.0);
    const D next = 1.0 / fma(numerator, inverse, divisor);
    term = -(numerator * inverse) * (next * term);
    inverse = next;
    const auto goesOn = isOpen & matters(term, sum);
    sum = select(isOpen, sum + term, sum);
    isOpen = goesOn;
  }
  return sum;
}

/// From 2^33 on of both parameters: the normal distribution and its first correction (DLMF 8.18.9). The rest is below
/// the parameters' power of -3/2.
template <class D>
[[gnu::always_inline]] inline D betaNormal(D a, D b, Pair<D> x, Pair<D> y) {
  const Pair<D> all = sumOf(a, b);
  const Pair<D> toFirst = x * all.high + Pair<D>{x.high * all.low, D{}},
                toSecond = y * all.high + Pair<D>{y.high * all.low, D{}};
  const Pair<D> raw = x * b + -(y * a), step = sumOf(raw.high, raw.low);
  const Pair<D> apart = deviance(a, step, toFirst) + deviance(b, -step, toSecond);
  const D size = sqrt(apart.high), wn = 1.0 / all.high, root = sqrt((a * wn) * (b * wn));
  const D eta = size * sqrt(wn + wn), d = abs(step.high) * wn; // |eta|, |x - x0|
  const auto isNear = d < root * 0x1p-26, isBelow = step.high < 0.0;
  const D limit = (b - a) * wn / (root * 3.0);
  const D away = 1.0 / eta - root / d, c = select(isNear, limit, select(isBelow, -away, away));
  const ScaledErfc<D> scaled(select(size > 28.0, broadcast<D>(28.0), size));
  const D part = sqrt(0x1.45f306dc9c883p-3 * wn) * c, half = 0.5 * (scaled.high + scaled.low);
  const D tail = expOf(-apart) * (half + select(isBelow, part, -part)); // of the side where x is
  return select(isBelow, tail, 1.0 - tail);
}

/// The same integral with parameters of which no sum or small multiple is infinite. Where both are large it is 0 or 1
/// but at its mean, with all parameters in this proportion; where b alone is, it is the gamma distribution's of b x;
/// where a alone is, it is 0 below 1.
template <class D>
[[gnu::always_inline]] inline void makeSmaller(D &a, D &b, D &x) {
  const auto isVast = a + b > 0x1p1000;
  const auto isLargeA = isVast & (a > 0x1p600), isLargeB = isVast & (b > 0x1p600);
  x = select(isLargeB & (a <= 0x1p600), select(x < 0x1p-65, x * 0x1p64, broadcast<D>(0.5)), x);
  a = select(isLargeA, a * 0x1p-64, a), b = select(isLargeB, b * 0x1p-64, b);
}

template <class D>
[[gnu::always_inline]] inline D betaincOf(D givenA, D givenB, D from) {
  constexpr double inf = Format<double>::infinity;
  const auto isPlain = (givenA > 0.0) & (givenB > 0.0) & (givenA < inf) & (givenB < inf) & (from > 0.0) & (from < 1.0);
  const D one = broadcast<D>(1.0), half = broadcast<D>(0.5);
  D p = select(isPlain, givenA, one), q = select(isPlain, givenB, one), at = select(isPlain, from, half);
  makeSmaller(p, q, at);
  const Pair<D> below = {at, D{}}, above = sumOf(one, -at);
  const auto isHuge = isPlain & (p >= 0x1p33) & (q >= 0x1p33), isTiny = isPlain & (p < 0x1p-1000);
  // From the mean on the other tail is the smaller one; but where b is small that may be nearly all.
  const auto isOther = (at * q > above.high * p) & ((q >= 1.0) | (at > 0.9));
  const D a = select(isOther, q, p), b = select(isOther, p, q);
  const Pair<D> x = {select(isOther, above.high, below.high), select(isOther, above.low, below.low)};
  const Pair<D> y = {select(isOther, below.high, above.high), select(isOther, below.low, above.low)};
  const D tail = betaDensity(a, b, x, y) * betaFraction(a, b, x, y, isPlain & !isHuge & !isTiny);
  const D share = select(tail > 1.0, one, tail);
  D result = select(isOther, 1.0 - share, share);
  // Almost all lies at 0 and 1.
  result = select(isTiny, q / (p + q), result);
  if (any(isHuge)) {
    // The other lanes have anything that is finite.
    const D least = broadcast<D>(0x1p33);
    result = select(isHuge, betaNormal(select(isHuge, p, least), select(isHuge, q, least), below, above), result);
  }
  // All lies at 0 where a is 0 or b infinite, at 1 where b is 0 or a infinite.
  const auto isAtZero = (givenA == 0.0) | (givenB == inf), isAtOne = (givenB == 0.0) | (givenA == inf);
  const auto isNumber = (givenA >= 0.0) & (givenB >= 0.0) & (from >= 0.0) & (from <= 1.0) & !(isAtZero & isAtOne);
  const auto isOne = (from == 1.0) | (isAtZero & (from > 0.0));
  return select(isPlain, result, select(isNumber, select(isOne, one, D{}), broadcast<D>(Format<double>::nan)));
}
} // namespace detail

/// The share of the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to 1 that lies below x; NaN outside.
template <class V>
[[gnu::always_inline]] inline V betainc(V a, V b, V x) {
  return detail::inDouble([](auto first, auto second, auto at)
                              __attribute__((always_inline)) { return detail::betaincOf(first, second, at); },
                          a, b, x);
}

} // namespace tenon::math
