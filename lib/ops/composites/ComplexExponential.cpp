//===- ComplexExponential.cpp - exponentials, logarithms and roots of complex numbers ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Complex.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// A number as the sum of two that do not overlap.
namespace {
struct Exact {
  Array high, low;
};
} // namespace

/// x * x exactly, where it is neither very large nor very small. Source: T. J. Dekker, "A
/// floating-point technique for extending the available precision", 1971.
static Exact squareOf(const Array &x) {
  const Array scaled = x * byFormat(x, 0x1p12 + 1, 0x1p27 + 1);
  const Array high = scaled - (scaled - x), low = x - high, product = x * x;
  return {product, ((high * high - product) + 2 * high * low) + low * low};
}

/// a + b exactly. Source: D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2.
static Exact sumOf(const Array &a, const Array &b) {
  const Array sum = a + b, ofB = sum - a;
  return {sum, (a - (sum - ofB)) + (b - ofB)};
}

/// start + x * x + y * y, rounded once or twice: what is lost in a difference of large
/// terms is made up for.
static Array sumOfSquares(const Array &start, const Array &x, const Array &y) {
  const Exact first = squareOf(x), second = squareOf(y);
  const Exact some = sumOf(start, first.high), all = sumOf(some.high, second.high);
  return all.high + (some.low + all.low + first.low + second.low);
}

namespace {
/// The power of four by which parts are multiplied so that their squares are numbers, and
/// the root of what takes it back.
struct Scaling {
  Array factor, rootBack;
};
} // namespace

static Scaling scalingOf(const Array &x, const Array &y) {
  const Array size = maximum(abs(x), abs(y));
  const Array isLarge = size > byFormat(x, 0x1p124, 0x1p1020), isSmall = size < byFormat(x, 0x1p-100, 0x1p-960);
  const double up = byFormat(x, 0x1p60, 0x1p200), root = byFormat(x, 0x1p-30, 0x1p-100);
  const Array one = full({}, 1, x.dtype(), x.device());
  return {where(isLarge, 0x1p-4, where(isSmall, up, one)), where(isLarge, 4, where(isSmall, root, one))};
}

/// log(hypot(x, y)).
static Array logOfSize(const Array &x, const Array &y) {
  const Scaling scaling = scalingOf(x, y);
  const Array size = hypot(x * scaling.factor, y * scaling.factor);
  // Near 1 the logarithm is that of a small difference.
  const Array isNear = size > 0.7 && size < 1.4;
  const Array excess = sumOfSquares(full({}, -1, x.dtype(), x.device()), where(isNear, x, 1), where(isNear, y, 0));
  return where(isNear, log1p(excess) * 0.5, log(size) + 2 * log(scaling.rootBack));
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// base^x in the direction of y: `power` is exp or exp2, which overflows at `limit`.
static ComplexParts inDirection(const Array &x, const Array &y, Array (*power)(const Operand &), double limit) {
  // The size as two factors: the product with a sine may be a number where it is none.
  const Array isLarge = x > limit, isLost = isinf(x) && !isfinite(y), angle = where(isLost, 0, y);
  const Array first = power(where(isLarge, x * 0.5, x)), second = where(isLarge, first, 1);
  return {first * cos(angle) * second, where(y == 0, y, first * sin(angle) * second)};
}

ComplexParts detail::complexExp(const ComplexParts &z) { return inDirection(z.re, z.im, exp, byFormat(z.re, 88, 709)); }

ComplexParts detail::complexExp2(const ComplexParts &z) {
  return inDirection(z.re, z.im * M_LN2, exp2, byFormat(z.re, 127, 1023));
}

ComplexParts detail::complexExpm1(const ComplexParts &z) {
  const auto [x, y] = z;
  const ComplexParts power = complexExp(z);
  // exp(x) cos(y) - 1 without a difference of numbers near 1.
  const Array isNear = abs(x) < 1, half = sin(y * 0.5);
  const Array near = expm1(where(isNear, x, 0)) * cos(y) - 2 * half * half;
  return {where(isNear, near, power.re - 1), power.im};
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

ComplexParts detail::complexLog(const ComplexParts &z) { return {logOfSize(z.re, z.im), atan2(z.im, z.re)}; }

ComplexParts detail::complexLog1p(const ComplexParts &z) {
  const auto [x, y] = z;
  // |1 + z|^2 - 1 is 2 x + x^2 + y^2; elsewhere 1 + x is exact, or is not near 1.
  const Array isNear = x > -0.5 && x < 2 && abs(y) < 2, near = where(isNear, x, 0);
  const Array excess = sumOfSquares(2 * near, near, where(isNear, y, 0));
  const Array size = where(isNear, log1p(excess) * 0.5, logOfSize(1 + x, y));
  return {where(isNear && y == 0, log1p(near), size), atan2(y, 1 + x)};
}

static ComplexParts times(const ComplexParts &z, double factor) { return {z.re * factor, z.im * factor}; }
ComplexParts detail::complexLog2(const ComplexParts &z) { return times(complexLog(z), M_LOG2E); }
ComplexParts detail::complexLog10(const ComplexParts &z) { return times(complexLog(z), M_LOG10E); }

//===----------------------------------------------------------------------===//
// Roots, powers, directions
//===----------------------------------------------------------------------===//

/// The root of |x| + i |y| has the parts t and |y| / 2t, where 2t^2 is |x| + |z|.
ComplexParts detail::complexSqrt(const ComplexParts &z) {
  const auto [x, y] = z;
  const Scaling scaling = scalingOf(x, y);
  const Array a = abs(x) * scaling.factor, b = abs(y) * scaling.factor;
  const Array root = sqrt((a + hypot(a, b)) * 0.5);
  const Array large = root * scaling.rootBack;
  const Array small = where(root == 0, 0, b / (2 * root)) * scaling.rootBack;
  const Array isRight = x >= 0, isInfinite = isinf(y);
  return {where(isInfinite, abs(y), where(isRight, large, small)),
          where(isInfinite, y, copysign(where(isRight, small, large), y))};
}

static ComplexParts inDouble(const ComplexParts &z) { return {astype(z.re, Dtype::f64), astype(z.im, Dtype::f64)}; }

ComplexParts detail::complexPow(const ComplexParts &x, const ComplexParts &y) {
  if (x.re.dtype() != Dtype::f64) {
    // The errors of the logarithm are multiplied by the exponent.
    const ComplexParts power = complexPow(inDouble(x), inDouble(y));
    return {astype(power.re, x.re.dtype()), astype(power.im, x.re.dtype())};
  }
  const auto [a, b] = y;
  const Array isOfZero = x.re == 0 && x.im == 0;
  const Array isReal = x.im == 0 && x.re > 0 && b == 0, isOne = a == 1 && b == 0, isNone = a == 0 && b == 0;
  const Array size = where(isOfZero, 0, logOfSize(x.re, x.im)), angle = atan2(x.im, x.re);
  const ComplexParts power = complexExp({a * size - b * angle, a * angle + b * size});
  const Array ofZero = where(a > 0, 0, NAN), ofReal = pow(where(isReal, x.re, 1), where(isReal, a, 1));
  auto chosen = [&](const Array &usual, const Array &real, const Array &own, double one) {
    return where(isNone, one, where(isOne, own, where(isOfZero, ofZero, where(isReal, real, usual))));
  };
  return {chosen(power.re, ofReal, x.re, 1), chosen(power.im, x.im * 0, x.im, 0)};
}

ComplexParts detail::complexSign(const ComplexParts &z) {
  // Along the axis on which it is infinite; both together have no direction.
  const Array isRight = isinf(z.re), isUp = isinf(z.im), isEndless = isRight != isUp;
  const Scaling scaling = scalingOf(z.re, z.im);
  const Array x = where(isEndless, 0, z.re * scaling.factor), y = where(isEndless, 0, z.im * scaling.factor);
  const Array size = hypot(x, y), isZero = size == 0, divisor = where(isZero, 1, size);
  auto part = [&](const Array &isOwn, const Array &given, const Array &finite) {
    return where(isEndless && isOwn, copysign(1, given), where(isZero, 0, finite / divisor));
  };
  return {part(isRight, z.re, x), part(isUp, z.im, y)};
}
