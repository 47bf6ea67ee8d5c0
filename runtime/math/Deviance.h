//===- Deviance.h - how far two numbers lie apart, in an exponent ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the densities of the gamma and beta distributions have in their exponents, as sums of two numbers, so that
// nothing of them is lost however large they are. Doubles, by the rules of Math.h. As in C. Loader, "Fast and accurate
// computation of binomial probabilities", 2000, but with pairs.
//===----------------------------------------------------------------------===//
#pragma once

#include "Gamma.h"
#include "Power.h"

namespace tenon::math::detail {

/// a + b exactly.
template <class D>
[[gnu::always_inline]] inline Pair<D> sumOf(D a, D b) {
  const D sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
template <class D>
[[gnu::always_inline]] inline Pair<D> productOf(D a, D b) {
  const D product = a * b;
  return {product, fma(a, b, -product)};
}
template <class D>
[[gnu::always_inline]] inline Pair<D> operator+(Pair<D> a, Pair<D> b) {
  const Pair<D> sum = sumOf(a.high, b.high);
  return {sum.high, sum.low + (a.low + b.low)};
}
template <class D>
[[gnu::always_inline]] inline Pair<D> operator-(Pair<D> a) {
  return {-a.high, -a.low};
}
template <class D>
[[gnu::always_inline]] inline Pair<D> operator*(Pair<D> a, D b) {
  const Pair<D> product = productOf(a.high, b);
  return {product.high, fma(a.low, b, product.low)};
}
template <class D>
[[gnu::always_inline]] inline Pair<D> quotientOf(Pair<D> a, D b) {
  const D inverse = 1.0 / b, quotient = a.high * inverse;
  return {quotient, (fma(-quotient, b, a.high) + a.low) * inverse};
}

/// e^(x.high + x.low).
template <class D>
[[gnu::always_inline]] inline D expOf(Pair<D> given) {
  const Pair<D> x = sumOf(given.high, select(given.low == given.low, given.low, D{}));
  const D whole = clamped(x.high, -746.0, 710.0);
  const ExpTerms<D> terms(whole, select(whole == x.high, x.low, D{}));
  return timesPower(1.0 + (terms.r + terms.tail), bitCast<UnsignedOf<D>>(terms.shifted));
}

/// log(x) of a positive number, the low part of which is small beside the high one.
template <class D>
[[gnu::always_inline]] inline Pair<D> logOf(Pair<D> x) {
  const Logarithm<D> parts = logarithmOf(x.high);
  const Pair<D> binary = log2Pair(parts.k, parts.f, 1.0 / (parts.f + 2.0));
  const Pair<D> high = binary * broadcast<D>(0x1.62e42fefa39efp-1);
  return {high.high, high.low + fma(binary.high, broadcast<D>(0x1.abc9e3b39803fp-56), x.low / x.high)};
}

/// a (d - log(1 + d)) with d = step / a = to / a - 1 > -1, all of them positive or step negative.
template <class D>
[[gnu::always_inline]] inline Pair<D> deviance(D a, Pair<D> step, Pair<D> to) {
  const Pair<D> d = quotientOf(step, a);
  // Near 0 log(1 + d) = 2 atanh(r) with r = d / (2 + d), and d - 2 r = d r.
  const D q = d.high, divisor = q + 2.0, inverse = 1.0 / divisor, r = q * inverse, z = r * r;
  const D rLow = (fma(-r, divisor, q) + fma(-r, ((2.0 - divisor) + q) + d.low, d.low)) * inverse;
  const Pair<D> lead = productOf(q, r);
  const D rest = (r * z) * polynomial(z, -0x1.5555555555555p-1, -0x1.999999999999ap-2, -0x1.2492492492492p-2,
                                      -0x1.c71c71c71c71cp-3, -0x1.745d1745d1746p-3, -0x1.3b13b13b13b14p-3);
  const Pair<D> near = Pair<D>{lead.high, lead.low + fma(q, rLow, d.low * r)} + Pair<D>{rest, D{}};
  // What cancels here leaves a low part that is not small beside the rest.
  const Pair<D> far = d + -logOf(quotientOf(to, a));
  const auto isNear = abs(q) < 0.0625;
  const Pair<D> chosen = {select(isNear, near.high, far.high), select(isNear, near.low, far.low)};
  return sumOf(chosen.high, chosen.low) * a;
}

/// A number and its derivative. What is written over both kinds of numbers is differentiated by giving it these.
template <class D>
struct Dual {
  D value, slope;
};
template <class D>
[[gnu::always_inline]] inline Dual<D> operator+(Dual<D> a, Dual<D> b) {
  return {a.value + b.value, a.slope + b.slope};
}
template <class D>
[[gnu::always_inline]] inline Dual<D> operator+(Dual<D> a, D b) {
  return {a.value + b, a.slope};
}
template <class D>
[[gnu::always_inline]] inline Dual<D> operator-(Dual<D> a, Dual<D> b) {
  return {a.value - b.value, a.slope - b.slope};
}
template <class D>
[[gnu::always_inline]] inline Dual<D> operator*(Dual<D> a, Dual<D> b) {
  return {a.value * b.value, fma(a.value, b.slope, a.slope * b.value)};
}
template <class D>
[[gnu::always_inline]] inline Dual<D> operator*(Dual<D> a, D b) {
  return {a.value * b, a.slope * b};
}
template <class D>
[[gnu::always_inline]] inline Dual<D> inverseOf(Dual<D> a) {
  const D inverse = 1.0 / a.value;
  return {inverse, -(a.slope * inverse) * inverse};
}
template <class D>
[[gnu::always_inline]] inline D inverseOf(D a) {
  return 1.0 / a;
}
/// x p + c, a step of Horner's rule.
template <class D>
[[gnu::always_inline]] inline D horner(D x, D p, double c) {
  return fma(x, p, broadcast<D>(c));
}
template <class D>
[[gnu::always_inline]] inline Dual<D> horner(Dual<D> x, Dual<D> p, double c) {
  return {fma(x.value, p.value, broadcast<D>(c)), fma(x.value, p.slope, x.slope * p.value)};
}
using math::select;
template <class M, class D>
[[gnu::always_inline]] inline Dual<D> select(M mask, Dual<D> yes, Dual<D> no) {
  return {math::select(mask, yes.value, no.value), math::select(mask, yes.slope, no.slope)};
}
/// Where a term still changes a sum.
template <class D>
[[gnu::always_inline]] inline auto matters(D term, D sum) {
  return abs(term) > abs(sum) * 0x1p-54;
}
template <class D>
[[gnu::always_inline]] inline auto matters(Dual<D> term, Dual<D> sum) {
  const auto isOpen = matters(term.value, sum.value), isSloping = matters(term.slope, sum.slope);
  return isOpen | isSloping;
}

} // namespace tenon::math::detail
