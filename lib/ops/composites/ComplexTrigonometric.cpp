//===- ComplexTrigonometric.cpp - sines, tangents and their inverses of complex numbers ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Complex.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// i * z, and z / i.
static ComplexParts turned(const ComplexParts &z) { return {-z.im, z.re}; }
static ComplexParts turnedBack(const ComplexParts &z) { return {z.im, -z.re}; }

//===----------------------------------------------------------------------===//
// Hyperbolic functions; those of angles are the same a quarter turn away
//===----------------------------------------------------------------------===//

namespace {
/// sinh(x) and cosh(x), each to be multiplied by `rest` at the end: a product with a sine
/// may be a number where they are none.
struct Hyperbola {
  Array sinh, cosh, rest;
  explicit Hyperbola(const Array &x) {
    const Array size = abs(x), isLarge = size > byFormat(x, 88, 709), inside = where(isLarge, 0, x);
    const Array half = exp(where(isLarge, size * 0.5, 0));
    sinh = where(isLarge, copysign(half * 0.5, x), tenon::sinh(inside));
    cosh = where(isLarge, half * 0.5, tenon::cosh(inside));
    rest = where(isLarge, half, 1);
  }
};
} // namespace

ComplexParts detail::complexSinh(const ComplexParts &z) {
  const auto [x, y] = z;
  const Hyperbola of(x);
  const Array isOfNoAngle = !isfinite(y) && (x == 0 || isinf(x));
  return {where(isOfNoAngle, x, of.sinh * cos(y) * of.rest), where(y == 0, y, of.cosh * sin(y) * of.rest)};
}

ComplexParts detail::complexCosh(const ComplexParts &z) {
  const auto [x, y] = z;
  const Hyperbola of(x);
  const Array isOfNoAngle = !isfinite(y);
  const Array imag = where(isOfNoAngle && x == 0, x, of.sinh * sin(y) * of.rest);
  return {where(isOfNoAngle && isinf(x), abs(x), of.cosh * cos(y) * of.rest), where(y == 0, copysign(1, x) * y, imag)};
}

/// Source: W. Kahan, "Branch cuts for complex elementary functions", 1987.
ComplexParts detail::complexTanh(const ComplexParts &z) {
  const auto [x, y] = z;
  const Array isFar = abs(x) > byFormat(x, 11, 22), inside = where(isFar, 0, x);
  const Array t = tan(y), beta = 1 + t * t, s = sinh(inside), divisor = 1 + beta * s * s;
  const Array re = where(x == 0, x, beta * sqrt(1 + s * s) * s / divisor);
  // So far away it is 1 or -1, also at an infinity in no direction.
  const Array isLost = isinf(x) && !isfinite(y);
  const Array far = copysign(1, x) + where(isLost, 0, y - y);
  const Array farAngle = where(isLost, 0, 4 * sin(y) * cos(y) * exp(-2 * abs(x)));
  return {where(isFar, far, re), where(y == 0, y, where(isFar, farAngle, t / divisor))};
}

ComplexParts detail::complexSin(const ComplexParts &z) { return turnedBack(complexSinh(turned(z))); }
ComplexParts detail::complexCos(const ComplexParts &z) { return complexCosh(turned(z)); }
ComplexParts detail::complexTan(const ComplexParts &z) { return turnedBack(complexTanh(turned(z))); }

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

namespace {
/// The ellipse with foci at -1 and 1 on which |x| + i |y| lies: asin has the real part
/// `toSine`, acos `toCosine`, both the size `height` of the imaginary part. Source: T. E. Hull,
/// T. F. Fairgrieve and P. T. P. Tang, "Implementing the complex arcsine and arccosine functions
/// using exception handling", 1997.
struct Ellipse {
  Array toSine, toCosine, height;

  Ellipse(const Array &signedX, const Array &signedY) {
    const Array givenX = abs(signedX), givenY = abs(signedY);
    const double limit = byFormat(givenX, 0x1p30, 0x1p60);
    const Array isFar = givenX > limit || givenY > limit;
    const Array x = where(isFar, 0, givenX), y = where(isFar, 0, givenY);
    // Distances from the foci: r + s is 2 a, the longer axis.
    const Array r = hypot(x + 1, y), s = hypot(x - 1, y), a = (r + s) * 0.5;
    const Array beyond = r + (x + 1), before = s + abs(x - 1), isBefore = x < 1, sum = a + x;
    const Array leg = where(isBefore || x == 1, sqrt(0.5 * sum * (y * y / beyond + before)),
                            y * sqrt(0.5 * (sum / beyond + sum / before)));
    const Array twice = y * y / beyond + where(isBefore, y * y / before, before); // 2 (a - 1)
    const Array half = 0.5 * (a + 1);
    const Array root = where(isBefore, y * sqrt((1 / beyond + 1 / before) * half), sqrt(twice * half));
    const Array halfX = givenX * 0.5, halfY = givenY * 0.5;
    // On the axis of the imaginary numbers the real part is known, also beside NaN.
    const Array isKnown = givenX == 0 && isnan(givenY);
    toSine = where(isKnown, 0, where(isFar, atan2(givenX, givenY), atan2(x, leg)));
    toCosine = where(isKnown, M_PI_2, where(isFar, atan2(givenY, givenX), atan2(leg, x)));
    height = where(isFar, log(hypot(halfX, halfY)) + 2 * M_LN2, log1p(0.5 * twice + root));
  }
};
} // namespace

ComplexParts detail::complexAsin(const ComplexParts &z) {
  const Ellipse of(z.re, z.im);
  return {copysign(of.toSine, z.re), copysign(of.height, z.im)};
}
ComplexParts detail::complexAsinh(const ComplexParts &z) {
  const Ellipse of(z.im, z.re);
  return {copysign(of.height, z.re), copysign(of.toSine, z.im)};
}
static Array angleOfCosine(const Ellipse &of, const Array &x) {
  return where(signbit(x), M_PI - of.toCosine, of.toCosine);
}
ComplexParts detail::complexAcos(const ComplexParts &z) {
  const Ellipse of(z.re, z.im);
  return {angleOfCosine(of, z.re), copysign(of.height, -z.im)};
}
ComplexParts detail::complexAcosh(const ComplexParts &z) {
  const Ellipse of(z.re, z.im);
  return {of.height, copysign(angleOfCosine(of, z.re), z.im)};
}

/// The real part is a quarter of log(1 + 4 x / |1 - z|^2).
ComplexParts detail::complexAtanh(const ComplexParts &z) {
  const Array givenX = abs(z.re), givenY = abs(z.im);
  const double limit = byFormat(givenX, 0x1p30, 0x1p60);
  const Array isFar = givenX > limit || givenY > limit;
  const Array x = where(isFar, 0, givenX), y = where(isFar, 0, givenY), rest = x - 1;
  // So near to 1 that the square of the distance is none.
  const Array isPole = x == 1 && y < byFormat(x, 0x1p-60, 0x1p-500);
  const Array near = log1p(4 * x / where(isPole, 1, rest * rest + y * y)) * 0.25;
  const Array re = where(isPole, (M_LN2 - log(where(isPole, y, 1))) * 0.5, where(x == 0, 0, near));
  const Array im = atan2(2 * y, (1 - x) * (1 + x) - y * y) * 0.5;
  // Far away it is 1 / z, and a quarter turn.
  const Array halfX = givenX * 0.5, size = hypot(halfX, givenY * 0.5), isInfinite = isinf(size);
  const Array farRe = where(isInfinite, 0, halfX / size / size * 0.5);
  const Array farIm = where(isInfinite && !isnan(givenY), M_PI_2, M_PI_2 + (givenY - givenY) + size * 0);
  return {copysign(where(isFar, farRe, re), z.re), copysign(where(isFar, farIm, im), z.im)};
}
ComplexParts detail::complexAtan(const ComplexParts &z) { return turnedBack(complexAtanh(turned(z))); }
