//===- Incomplete.h - incomplete gamma functions ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// igamma, igammac, igamma_grad_a, by the rules of Math.h; of floats in double. A power series below a, Legendre's
// continued fraction above, and from a = 20 on, within 0.3 a around it, Temme's expansion, so that a hundred rounds are
// enough for any a. (N. Temme, "The asymptotic expansion of the incomplete gamma functions", SIAM Journal on
// Mathematical Analysis 10, 1979.)
//===----------------------------------------------------------------------===//
#pragma once

#include "Deviance.h"
#include "Erf.h"
#include "Temme.h"

namespace tenon::math {

namespace detail {

/// x^a e^-x / Gamma(a + 1).
template <class D>
[[gnu::always_inline]] inline D gammaDensity(D a, D x) {
  const D one = broadcast<D>(1.0);
  const auto isLarge = a >= 8.0, isLow = a < 1.0;
  // With Stirling's series for the function.
  const D large = select(isLarge, a, broadcast<D>(8.0)), inverse = one / large;
  const D near = select(x < large * 0x1p-1000, large * 0x1p-1000, x);
  const Pair<D> apart = -deviance(large, sumOf(near, -large), Pair<D>{near, D{}});
  // Or as it is. Gamma(a + 1) is a Gamma(a) where a + 1 would lose something.
  const D y = select(isLarge, one, select(isLow, a + 1.0, a));
  const GammaParts<D> parts(y);
  const Pair<D> plain = logOf(Pair<D>{x, D{}}) * a + Pair<D>{-x, D{}};
  const auto isDivided = y < 1.25;
  const D factors = select(isLow, one, a) * select(isDivided, one, parts.factors);
  const Pair<D> exponent = {select(isLarge, apart.high, plain.high), select(isLarge, apart.low, plain.low)};
  const D rest = select(isLarge, -inverse * stirlingSeries(inverse), -parts.near);
  const D scale =
      select(isLarge, sqrt(0x1.45f306dc9c883p-3 * inverse), select(isDivided, parts.factors, one) / factors);
  return expOf(exponent + Pair<D>{rest, D{}}) * scale;
}

/// a as a number, or as one whose derivative is wanted.
template <class N, class D>
[[gnu::always_inline]] inline N variable(D a) {
  if constexpr (__is_same(N, D))
    return a;
  else
    return N{a, broadcast<D>(1.0)};
}
template <class N, class D>
[[gnu::always_inline]] inline N constant(D a) {
  if constexpr (__is_same(N, D))
    return a;
  else
    return N{a, D{}};
}

/// 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...
template <class N, class D, class M>
[[gnu::always_inline]] inline N gammaSeries(D a, D x, M isWanted) {
  N divisor = variable<N>(a), term = constant<N>(broadcast<D>(1.0)), sum = term;
  auto isOpen = isWanted;
  for (int round = 0; round < 400 && any(isOpen); ++round) {
    divisor = divisor + broadcast<D>(1.0);
    term = term * (inverseOf(divisor) * x);
    const N next = sum + term;
    const auto goesOn = isOpen & matters(term, sum);
    sum = select(isOpen, next, sum);
    isOpen = goesOn;
  }
  return sum;
}

/// e^x x^-a Gamma(a, x) = 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...)), by Steed's rule: each round adds
/// the difference of two convergents.
template <class N, class D, class M>
[[gnu::always_inline]] inline N gammaFraction(D a, D x, M isWanted) {
  const N order = variable<N>(a);
  N divisor = constant<N>(x + 1.0) - order, inverse = inverseOf(divisor), term = inverse, sum = inverse;
  D n = D{};
  auto isOpen = isWanted;
  for (int round = 0; round < 400 && any(isOpen); ++round) {
    n = n + 1.0;
    divisor = divisor + broadcast<D>(2.0);
    const N numerator = (order - constant<N>(n)) * n;
    const N next = inverseOf(divisor + numerator * inverse);
    term = (numerator * inverse) * (next * term) * broadcast<D>(-1.0);
    inverse = next;
    const auto goesOn = isOpen & matters(term, sum);
    sum = select(isOpen, sum + term, sum);
    isOpen = goesOn;
  }
  return sum;
}

/// Temme's expansion. The tail on the side of a where x is, and its derivative by a.
template <class N, class D>
[[gnu::always_inline]] inline N temmeTail(D a, D x) {
  const Pair<D> offset = sumOf(x, -a), apart = deviance(a, offset, Pair<D>{x, D{}});
  const D d = quotientOf(offset, a).high, w = 1.0 / a;
  const D size = sqrt(apart.high), eta = copysign(size * sqrt(w + w), d);
  const auto isBelow = d < 0.0;
  const D density = expOf(-apart);
  const D root = sqrt(0x1.45f306dc9c883p-3 * w); // 1 / sqrt(2 pi a)
  // What eta and 1 / a become with a.
  N power = constant<N>(w), at = constant<N>(eta);
  if constexpr (!__is_same(N, D)) {
    power.slope = -w * w;
    at.slope = -w * select(eta == 0.0, broadcast<D>(1.0), d / eta);
  }
  N sum = constant<N>(D{});
  for (int row = temmeRows - 1; row >= 0; --row) {
    N inner = constant<N>(broadcast<D>(temmeTable[row][temmeColumns - 1]));
    for (int column = temmeColumns - 2; column >= 0; --column)
      inner = horner(at, inner, temmeTable[row][column]);
    sum = sum * power + inner;
  }
  const ScaledErfc<D> scaled(select(size > 28.0, broadcast<D>(28.0), size));
  if constexpr (__is_same(N, D)) {
    const D part = root * sum;
    return density *
           fma(scaled.high, broadcast<D>(0.5), fma(scaled.low, broadcast<D>(0.5), select(isBelow, -part, part)));
  } else {
    const D part = root * sum.value, logarithm = log1p(d);
    const D value =
        density * fma(scaled.high, broadcast<D>(0.5), fma(scaled.low, broadcast<D>(0.5), select(isBelow, -part, part)));
    // Of Q: erfc's argument eta sqrt(a / 2) has the derivative -log(lambda) / (eta sqrt(2 a)), and 1 / sqrt(2 pi a) =
    // root.
    const D ratio = select(eta == 0.0, broadcast<D>(1.0), logarithm / eta);
    const D slope = density * root * (ratio + fma(sum.value, fma(w, broadcast<D>(-0.5), logarithm), sum.slope));
    return N{value, select(isBelow, -slope, slope)};
  }
}

/// log(Gamma(1 + a)) for a in [0, 1.5), relatively precise near 0.
template <class D>
[[gnu::always_inline]] inline D lgammaAfterOne(D a) {
  const auto isLow = a < 0.5;
  const D near = GammaParts<D>::nearTwo(select(isLow, a, a - 1.0));
  return select(isLow, near - log1p(a), near);
}

/// 1 - the power series for small a and x, without what a difference from 1 would lose.
template <class D, class M>
[[gnu::always_inline]] inline D upperGammaSeries(D a, D x, M isWanted) {
  D term = broadcast<D>(1.0), sum = D{}, n = D{};
  auto isOpen = isWanted;
  for (int round = 0; round < 100 && any(isOpen); ++round) {
    n = n + 1.0;
    term = term * (-x / n);
    const D part = term * (a / (a + n));
    const auto goesOn = isOpen & matters(part, sum);
    sum = select(isOpen, sum + part, sum);
    isOpen = goesOn;
  }
  const D exponent = fma(a, log(x), -lgammaAfterOne(a)), less = expm1(exponent);
  return -fma(less + 1.0, sum, less);
}

/// The operands, 1 where one is 0, infinite, below 0 or NaN (not plain), and which of the methods serves where.
template <class D>
struct GammaRegions {
  using M = decltype(D() < D());
  M isPlain, isTemme, isSeries, isFraction;
  D a, x;
  [[gnu::always_inline]] GammaRegions(D givenA, D givenX) {
    constexpr double inf = Format<double>::infinity;
    isPlain = (givenA > 0.0) & (givenX > 0.0) & (givenA < inf) & (givenX < inf);
    const D one = broadcast<D>(1.0);
    a = select(isPlain, givenA, one);
    x = select(isPlain, givenX, one);
    isTemme = isPlain & (a >= 20.0) & (abs(x - a) <= a * 0.3);
    isSeries = isPlain & !isTemme & ((x <= 1.1) | (x < a));
    isFraction = isPlain & !isTemme & !isSeries;
  }
};

/// What the functions are where x or a is 0 or infinite, or NaN.
template <class D, class M>
[[gnu::always_inline]] inline D gammaEnds(D a, D x, M isPlain, D result, double below, double above) {
  constexpr double inf = Format<double>::infinity;
  const auto isBelow = (x == 0.0) | (a == inf), isAbove = (a == 0.0) | (x == inf);
  const auto isNumber = (a >= 0.0) & (x >= 0.0) & !(isBelow & isAbove);
  const D end = select(isBelow, broadcast<D>(below), broadcast<D>(above));
  return select(isPlain, result, select(isNumber, end, broadcast<D>(Format<double>::nan)));
}

/// P(a, x), or Q if isUpper.
template <bool isUpper, class D>
[[gnu::always_inline]] inline D incompleteGamma(D given, D from) {
  const GammaRegions<D> regions(given, from);
  const D a = regions.a, x = regions.x;
  D result = D{};
  if (any(regions.isTemme)) {
    const D tail = temmeTail<D>(a, x);
    const auto isOther = isUpper ? x < a : x >= a;
    result = select(regions.isTemme, select(isOther, 1.0 - tail, tail), result);
  }
  if (any(regions.isSeries | regions.isFraction)) {
    const D density = gammaDensity(a, x);
    if (any(regions.isSeries)) {
      const D lower = density * gammaSeries<D>(a, x, regions.isSeries);
      result = select(regions.isSeries, isUpper ? 1.0 - lower : lower, result);
    }
    if (any(regions.isFraction)) {
      const D upper = density * a * gammaFraction<D>(a, x, regions.isFraction);
      result = select(regions.isFraction, isUpper ? upper : 1.0 - upper, result);
    }
  }
  if constexpr (isUpper) {
    // Where most of the whole lies below x, though x is small.
    const auto isSmall = regions.isSeries & (x <= 1.1) & select(x <= 0.5, log(x) * a > -0.4, x * 1.1 > a);
    if (any(isSmall))
      result = select(isSmall, upperGammaSeries(a, x, isSmall), result);
  }
  result = select(result > 1.0, broadcast<D>(1.0), result); // what rounding added
  return gammaEnds(given, from, regions.isPlain, result, isUpper ? 1 : 0, isUpper ? 0 : 1);
}

/// The derivative of P(a, x) by a.
template <class D>
[[gnu::always_inline]] inline D incompleteGammaSlope(D given, D from) {
  const GammaRegions<D> regions(given, from);
  const D a = regions.a, x = regions.x;
  D result = D{};
  if (any(regions.isTemme)) {
    const D tail = temmeTail<Dual<D>>(a, x).slope;
    result = select(regions.isTemme, select(x < a, tail, -tail), result);
  }
  if (any(regions.isSeries | regions.isFraction)) {
    const D value = gammaDensity(a, x);
    const Dual<D> density = {value, value * (log(x) - digammaOf(a + 1.0))};
    if (any(regions.isSeries))
      result = select(regions.isSeries, (density * gammaSeries<Dual<D>>(a, x, regions.isSeries)).slope, result);
    if (any(regions.isFraction)) {
      const Dual<D> upper = density * variable<Dual<D>>(a) * gammaFraction<Dual<D>>(a, x, regions.isFraction);
      result = select(regions.isFraction, -upper.slope, result);
    }
  }
  return gammaEnds(given, from, regions.isPlain, result, 0, 0);
}

} // namespace detail

/// The share of the integral of t^(a - 1) e^-t that lies below x. Of a = 0 it is 1, of an infinite a 0; NaN below 0.
template <class V>
[[gnu::always_inline]] inline V igamma(V a, V x) {
  return detail::inDouble(
      [](auto wide, auto at) __attribute__((always_inline)) { return detail::incompleteGamma<false>(wide, at); }, a, x);
}

/// 1 - igamma(a, x), relatively precise where that is small.
template <class V>
[[gnu::always_inline]] inline V igammac(V a, V x) {
  return detail::inDouble(
      [](auto wide, auto at) __attribute__((always_inline)) { return detail::incompleteGamma<true>(wide, at); }, a, x);
}

/// The derivative of igamma(a, x) by a.
template <class V>
[[gnu::always_inline]] inline V igamma_grad_a(V a, V x) {
  return detail::inDouble(
      [](auto wide, auto at) __attribute__((always_inline)) { return detail::incompleteGammaSlope(wide, at); }, a, x);
}

} // namespace tenon::math
