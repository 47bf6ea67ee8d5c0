//===- Elementwise.cpp - functions of an element, composed -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <tenon/dtypes.h>

#include <algorithm>
#include <bit>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Comparisons, the other way round
//===----------------------------------------------------------------------===//

Array tenon::greater(const Operand &x1, const Operand &x2) {
  DoorScope scope("greater", x1.location(), {{"x1", x1}, {"x2", x2}});
  expectNoChain("greater", x1, x2);
  return less(x2, x1);
}

Array tenon::greater_equal(const Operand &x1, const Operand &x2) {
  DoorScope scope("greater_equal", x1.location(), {{"x1", x1}, {"x2", x2}});
  expectNoChain("greater_equal", x1, x2);
  return less_equal(x2, x1);
}

//===----------------------------------------------------------------------===//
// Functions of numbers
//===----------------------------------------------------------------------===//

Array tenon::sinc(const Operand &operand) {
  DoorScope scope("sinc", operand.location(), {{"x", operand}});
  const Floats floats("sinc", {&operand}, Dtype::f32, OpCode::add);
  const Array &x = floats[0];
  // Near 0 the series: there the quotient's derivatives lose digits or divide by what is small.
  const Array angle = M_PI * x, isNear = abs(angle) < 1.5, near = where(isNear, angle, 0), square = near * near;
  Array series = 1 - square * (1 / 506.0);
  for (double divisor : {420.0, 342.0, 272.0, 210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0})
    series = 1 - square * (1 / divisor) * series;
  // Elsewhere the sine of pi times the distance to the nearest integer, which is exact; a large pi * x is not.
  const Array nearest = round(real(x)), isOdd = remainder(nearest, 2) == 1, divisor = where(isNear, 1, angle);
  return floats.rounded(where(isNear, series, sin(M_PI * (x - nearest)) / where(isOdd, -divisor, divisor)));
}

/// x^exponent, exponent >= 0.
static Array powerOf(const Array &x, int64_t exponent) {
  Array power, square = x;
  for (int64_t left = exponent; left > 0; left /= 2) {
    if (left % 2)
      power = power.has_value() ? power * square : square;
    if (left > 1)
      square = square * square;
  }
  return power.has_value() ? power : full(x.shape(), 1, x.dtype(), x.device());
}

Array detail::powerOfIntegers(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("pow", at, {{"x1", x1}, {"x2", x2}});
  auto expectNotNegative = [&](int64_t exponent) {
    if (exponent < 0)
      refuse("pow",
             "expected exponents >= 0 of integers, got " + std::to_string(exponent) + "; convert the base to a float",
             x2.location());
  };
  const std::vector<Array> both = promoted("pow", {&x1, &x2});
  const Array &x = both[0], &y = both[1];
  if (x2.is_scalar() && !x2.scalar().huge()) {
    expectNotNegative(x2.scalar().as_int());
    return powerOf(x, x2.scalar().as_int());
  }
  const bool isSigned = is_signed(y.dtype());
  int bits = static_cast<int>(8 * item_size(y.dtype())) - isSigned;
  const std::optional<std::vector<int64_t>> known = isSigned ? knownValues(y) : std::nullopt;
  if (known) {
    const int64_t largest = known->empty() ? 0 : std::ranges::max(*known);
    expectNotNegative(known->empty() ? 0 : std::ranges::min(*known));
    bits = std::bit_width(static_cast<uint64_t>(largest));
  }
  Array power = full(broadcastOf({x, y}, at), 1, x.dtype(), x.device(), at), square = x;
  for (int bit = 0; bit < bits; ++bit) {
    power = where((y >> bit & 1) != 0, power * square, power);
    if (bit + 1 < bits)
      square = square * square;
  }
  if (isSigned && !known) {
    const Array ofUnit = where((y & 1) == 0, 1, x);
    power = where(y < 0, where(x == 1 || x == -1, ofUnit, 0), power);
  }
  return power;
}

Array detail::narrowNextafter(const Operand &x1, const Operand &x2, Dtype dtype) {
  const Location at = x1.location();
  DoorScope scope("nextafter", at, {{"x1", x1}, {"x2", x2}});
  const Floats floats("nextafter", {&x1, &x2});
  const Array &x = floats[0], &y = floats[1];
  const FloatInfo info = finfo(dtype, at);
  // Of the distance to the next number more than half and less than one and a half, so that rounding finds it; from a
  // power of 2 down the distance is half of the one up.
  const Array size = maximum(abs(x), info.smallest_normal) * (0.6 * info.eps);
  const Array next = x + stop_gradient(where(y > x, size, -size));
  const Array inside = where(isinf(x), where(x > 0, info.max, -info.max), next);
  return convert(where(x == y || isnan(y), y, inside), dtype, at);
}

Array tenon::deg2rad(const Operand &operand) {
  return ofFloat("deg2rad", operand, [](const Array &x) { return x * (M_PI / 180); });
}
Array tenon::rad2deg(const Operand &operand) {
  return ofFloat("rad2deg", operand, [](const Array &x) { return x * (180 / M_PI); });
}

Array tenon::nan_to_num(const Operand &operand, Scalar nan, std::optional<Scalar> posinf,
                        std::optional<Scalar> neginf) {
  DoorScope scope("nan_to_num", operand.location(), {{"x", operand}});
  for (const Scalar &number : {nan, posinf.value_or(0), neginf.value_or(0)})
    if (number.kind() == Kind::complex)
      refuse("nan_to_num", "expected real numbers, got " + number.str(), operand.location());
  const Array x = toArray(operand, OpCode::isnan);
  if (kind(x.dtype()) < Kind::floating)
    return x;
  if (isComplex(x))
    return ofParts(x, [&](const Array &part) { return nan_to_num(part, nan, posinf, neginf); });
  const Array isNan = isnan(x); // refuses what is no float
  const double largest = finfo(x.dtype()).max;
  return where(isNan, nan,
               where(x == INFINITY, posinf.value_or(largest), where(x == -INFINITY, neginf.value_or(-largest), x)));
}

/// x * f(y), and 0 where x is 0 and f(y) infinite or undefined: there no derivative passes.
static Array productWith(const Array &x, const Array &y, Array (*f)(const Operand &), double least) {
  const Array isNone = x == 0 && (y <= least || y == INFINITY);
  return where(isNone, 0, x * f(where(isNone, 1, y)));
}
Array tenon::xlogy(const Operand &x1, const Operand &x2) {
  return ofFloats("xlogy", x1, x2, [](const Array &x, const Array &y) { return productWith(x, y, log, 0); });
}
Array tenon::xlog1py(const Operand &x1, const Operand &x2) {
  return ofFloats("xlog1py", x1, x2, [](const Array &x, const Array &y) { return productWith(x, y, log1p, -1); });
}

Array tenon::logaddexp2(const Operand &x1, const Operand &x2) {
  return ofFloats("logaddexp2", x1, x2, [](const Array &a, const Array &b) {
    const Array isFirst = a >= b, high = where(isFirst, a, b), low = where(isFirst, b, a);
    // Of two equal infinities the difference is not a number.
    const Array distance = where(isinf(high) && high == low, 0, low - high);
    // `lost` is the rounding error of `low - high` (two-sum). It matters when the difference is large; it is 0 when the
    // difference is infinite.
    const Array taken = distance - low, rest = (low - (distance - taken)) - (high + taken);
    const Array lost = stop_gradient(where(isnan(rest), 0, rest));
    const Array power = exp2(distance);
    return high + log1p(power + power * (lost * M_LN2)) * M_LOG2E;
  });
}

Array tenon::heaviside(const Operand &x1, const Operand &x2) {
  return ofFloats("heaviside", x1, x2, [](const Array &x, const Array &atZero) {
    return where(x > 0, 1, where(x < 0, 0, where(x == 0, atZero, x * 0)));
  });
}

Array tenon::ldexp(const Operand &x1, const Operand &x2) {
  DoorScope scope("ldexp", x1.location(), {{"x1", x1}, {"x2", x2}});
  const Floats floats("ldexp", {&x1});
  const Array &x = floats[0];
  Array power = toIndices(toArray(x2, OpCode::gather, {}, x.device()), OpCode::gather, x2.location());
  // As many powers of two as reach from the smallest number to the largest; the one that
  // rounds, which is all if one is enough, comes last.
  const int most = x.dtype() == Dtype::f64 ? 1022 : 126;
  Array factors[3];
  for (Array &factor : factors) {
    const Array part = clip(power, -most, most);
    factor = exp2(astype(part, x.dtype()));
    power = power - part;
  }
  return floats.rounded(x * factors[2] * factors[1] * factors[0]);
}

MantissaExponent tenon::frexp(const Operand &operand) {
  DoorScope scope("frexp", operand.location(), {{"x", operand}});
  const Floats floats("frexp", {&operand});
  const Array &x = floats[0];
  const Array isPlain = isfinite(x) && x != 0;
  // The logarithm may be rounded up to the next integer, and down to it never: then what is left is below 1/2.
  const Array guess = astype(floor(log2(where(isPlain, abs(x), 1))), Dtype::i32) + 1;
  const Array left = abs(ldexp(x, -guess));
  const Array exponent = where(isPlain, guess + astype(left >= 1, Dtype::i32) - astype(left < 0.5, Dtype::i32), 0);
  return {floats.rounded(ldexp(x, -exponent)), exponent};
}

Array tenon::lerp(const Operand &start, const Operand &end, const Operand &weight) {
  DoorScope scope("lerp", start.location(), {{"start", start}, {"end", end}, {"weight", weight}});
  const Floats floats("lerp", {&start, &end, &weight});
  return floats.rounded(between(floats[0], floats[1], floats[2]));
}

Array tenon::isclose(const Operand &x1, const Operand &x2, double rtol, double atol, bool equal_nan) {
  DoorScope scope("isclose", x1.location(), {{"x1", x1}, {"x2", x2}});
  const Floats floats("isclose", {&x1, &x2}, Dtype::f64, OpCode::subtract);
  const Array &a = floats[0], &b = floats[1];
  const Array isNear = abs(a - b) <= atol + rtol * abs(b) && isfinite(b);
  const Array isClose = isNear || a == b;
  return equal_nan ? isClose || (isnan(a) && isnan(b)) : isClose;
}
