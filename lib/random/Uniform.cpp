//===- Uniform.cpp - uniform and normal numbers --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/ErfInv.h"
#include "lib/random/Draw.h"

#include <cmath>
#include <numbers>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Uniform
//===----------------------------------------------------------------------===//

/// JAX puts the upper bits into the mantissa of a number in [1, 2) and subtracts 1.
/// The same numbers, exactly: as many bits times a power of 2.
static Array unitOfBits(const Array &bits) { return astype(bits >> 9, f32) * 0x1p-23f; }

/// Of f16 these are bits of 16, of bf16 of 8.
Array detail::unitUniform(const Array &keys, const Shape &shape, Dtype dtype) {
  switch (dtype) {
  case Dtype::f16:
    return astype((random::bits(keys, shape) >> 6) & 0x3ff, f16) * 0x1p-10f;
  case Dtype::bf16:
    return astype((random::bits(keys, shape) >> 1) & 0x7f, bf16) * 0x1p-7f;
  case Dtype::f32:
    return uniformBetween(keys, shape, dtype, 0, 1);
  default:
    const auto [high, low] = wordPairs(keys, shape);
    return (astype(high, f64) * 0x1p20 + astype(low >> 12, f64)) * 0x1p-52;
  }
}

/// x * y + z, rounded once, as XLA's code does on CPUs: of f32 in f64, whose sum is exact
/// unless z is 64 times y; of f64 with the rounding of the product apart (Dekker, "A
/// floating-point technique for extending the available precision", 1971). XLA rounds
/// narrower ones twice.
static Array multiplyAdd(const Array &x, const Array &y, const Array &z) {
  if (x.dtype() == Dtype::f32)
    return astype(astype(x, f64) * astype(y, f64) + astype(z, f64), f32);
  if (x.dtype() != Dtype::f64)
    return x * y + z;
  auto upper = [](const Array &number) {
    const Array scaled = number * 0x1.0000002p27;
    return scaled - (scaled - number);
  };
  const Array product = x * y, x1 = upper(x), y1 = upper(y), x2 = x - x1, y2 = y - y1;
  const Array rest = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2;
  const Array sum = product + z, added = sum - product;
  const Array lost = (product - (sum - added)) + (z - added);
  // What is as large as that has no upper part.
  return where(abs(y) < 0x1p990, sum + (lost + rest), sum);
}

/// [low, high), numbers of x's dtype, of x in [0, 1).
static Array spread(const Array &x, double low, double high) {
  if (low == 0 && high == 1)
    return x;
  const Dtype dtype = x.dtype();
  const double range = roundedTo(dtype, high - low);
  int exponent = 0;
  // Never below `low`, where JAX clips: to a number >= 0 rounding adds none < 0.
  if (low == 0 || std::frexp(range, &exponent) == 0.5 || is_narrow(dtype))
    return x * range + low;
  auto number = [&](double value) { return full({}, value, dtype, x.device()); };
  return multiplyAdd(x, number(range), number(low));
}

Array tenon::decomposeUniformOfBits(std::span<const Array> operands, AttrWords attributes) {
  const auto [low, high] = UniformOfBitsAttrs::read(attributes);
  if (low.kind != Kind::floating || high.kind != Kind::floating)
    throw Error("expected floating bounds");
  return spread(unitOfBits(operands[0]), low.asDouble(), high.asDouble());
}

/// The largest number of a floating dtype below `number`.
static double numberBelow(Dtype dtype, double number) {
  const int digits = dtype == Dtype::f16 ? 11 : dtype == Dtype::bf16 ? 8 : dtype == Dtype::f32 ? 24 : 53;
  int exponent = 0, least = 1;
  const double fraction = std::frexp(number, &exponent);
  std::frexp(smallestOf(dtype), &least);
  if (number == 0)
    exponent = least;
  // Below a power of 2 the numbers are twice as dense.
  return number - std::ldexp(1.0, std::max(exponent - (fraction == 0.5), least) - digits);
}

/// Whether rounding may make `high` of a unit uniform number x as x * (high - low) + low. JAX returns `high` then.
static bool mayReachHigh(Dtype dtype, double low, double high) {
  const double largest = 1 - epsilonOf(dtype), range = roundedTo(dtype, high - low);
  return roundedTo(dtype, largest * range + low) >= high ||
         roundedTo(dtype, roundedTo(dtype, largest * range) + low) >= high;
}

Array detail::uniformBetween(const Array &keys, const Shape &shape, Dtype dtype, double low, double high) {
  low = roundedTo(dtype, low), high = roundedTo(dtype, high);
  auto drawn = [&] {
    if (dtype != Dtype::f32)
      return spread(unitUniform(keys, shape, dtype), low, high);
    const Array bits = random::bits(keys, shape);
    return bindComposite(CompositeId::uniform_of_bits, {bits.value()},
                         Words(UniformOfBitsAttrs{ScalarAttr::floating(low), ScalarAttr::floating(high)}), {});
  };
  // Where both round to one number, that is it.
  return mayReachHigh(dtype, low, high) ? minimum(drawn(), std::max(low, numberBelow(dtype, high))) : drawn();
}

Array detail::uniformBetween(const Array &keys, const Shape &shape, Dtype dtype, const Array &low, const Array &high) {
  const Array drawn = multiplyAdd(unitUniform(keys, shape, dtype), high - low, low);
  return maximum(low, minimum(drawn, nextafter(high, -INFINITY)));
}

static Array uniformOf(const Draw &draw, const Shape &given, Dtype dtype, const Operand &low, const Operand &high,
                       Location at) {
  if (low.is_scalar() && high.is_scalar() && low.scalar().kind() != Kind::complex &&
      high.scalar().kind() != Kind::complex) {
    const double from = low.scalar().as_double(), to = high.scalar().as_double();
    if (!(from < to))
      draw.refuse("expected low < high, got " + low.scalar().str() + " and " + high.scalar().str());
    if (!std::isfinite(roundedTo(dtype, roundedTo(dtype, to) - roundedTo(dtype, from))))
      draw.refuse("expected bounds whose difference is finite in " + std::string(short_name(dtype)) + ", got " +
                  low.scalar().str() + " and " + high.scalar().str());
    return uniformBetween(draw.key(), given, dtype, from, to);
  }
  const Array from = draw.parameter("low", low, dtype), to = draw.parameter("high", high, dtype);
  const Shape shape = draw.shapeOf(given, {from.shape(at), to.shape(at)});
  return uniformBetween(draw.key(), shape, dtype, from, to);
}

Array random::uniform(const Key &key, const Shape &shape, Dtype dtype, const Operand &low, const Operand &high,
                      Location at) {
  const Draw draw("random.uniform", key, at, {{"key", key.data}, {"low", low}, {"high", high}});
  return uniformOf(draw, shape, draw.expectFloating(dtype), low, high, at);
}

Array random::uniform(const Key &key, const Shape &shape, const Operand &low, const Operand &high, Location at) {
  const Draw draw("random.uniform", key, at, {{"key", key.data}, {"low", low}, {"high", high}});
  return uniformOf(draw, shape, draw.floating({}, {&low, &high}), low, high, at);
}

//===----------------------------------------------------------------------===//
// Normal
//===----------------------------------------------------------------------===//

/// sqrt(2) * erf_inv(u). Not tn::erf_inv's (1 - u) * (1 + u): the rounding of u * u is up to
/// 91 ulp of a number far from 0, and is in JAX's numbers.
static Array normalOf(const Array &u) {
  const Dtype dtype = u.dtype();
  const Array x = convert(u, is_narrow(dtype) ? Dtype::f32 : dtype, {});
  return convert(erfInv(x, -log(1 - x * x)), dtype, {}) * std::numbers::sqrt2;
}

/// Where uniform numbers begin that normal ones are made of: at the one after -1.
static double firstAbove(Dtype dtype) { return epsilonOf(dtype) / 2 - 1; }

Array tenon::decomposeNormalOfBits(std::span<const Array> operands, AttrWords) {
  return normalOf(spread(unitOfBits(operands[0]), firstAbove(f32), 1));
}

Array detail::standardNormal(const Array &keys, const Shape &shape, Dtype dtype) {
  if (dtype != Dtype::f32)
    return normalOf(uniformBetween(keys, shape, dtype, firstAbove(dtype), 1));
  const Array bits = random::bits(keys, shape);
  return bindComposite(CompositeId::normal_of_bits, {bits.value()}, {}, {});
}

Array random::normal(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.normal", key, at, {{"key", key.data}});
  return standardNormal(draw.key(), shape, draw.expectFloating(dtype));
}

/// The logarithm of the standard normal distribution's tail beyond x >= 0, in f64.
static Array logTail(const Array &x) {
  const Array near = log(erfc(minimum(x, 30) / std::numbers::sqrt2) / 2);
  // The asymptotic series of erfc, where that underflows.
  const Array far = maximum(x, 30), r = 1 / (far * far);
  const Array series = log1p(r * (-1 + r * (3 + r * (-15 + r * 105))));
  return where(x < 30, near, -far * far / 2 - log(far * std::sqrt(2 * std::numbers::pi)) + series);
}

/// Normal numbers in (from, to), 0 < from, by the inverse of their distribution in f64. Differences of erf, which are
/// what JAX's numbers are made of, have no digits there.
static Array normalInTail(const Array &unit, const Array &from, const Array &to) {
  const Array start = logTail(from), u = astype(unit, f64);
  // The logarithm of the tail beyond the result is between those of the bounds.
  const Array wanted = start + log1p(u * expm1(where(isinf(to), -INFINITY, logTail(to) - start)));
  // Newton's method on the logarithm of the tail, which is nearly a parabola. It begins where the tail is that of
  // Rayleigh's distribution.
  Array x = sqrt(from * from - 2 * (wanted - start));
  for (int round = 0; round < 4; ++round) {
    const Array tail = logTail(x), hazard = exp(-x * x / 2 - std::log(std::sqrt(2 * std::numbers::pi)) - tail);
    x = maximum(from, x + (tail - wanted) / hazard);
  }
  return x;
}

Array random::truncated_normal(const Key &key, const Operand &lower, const Operand &upper, const Shape &given,
                               std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.truncated_normal", key, at, {{"key", key.data}, {"lower", lower}, {"upper", upper}});
  const Dtype type = draw.floating(dtype, {&lower, &upper});
  if (lower.is_scalar() && upper.is_scalar() && lower.scalar().kind() != Kind::complex &&
      upper.scalar().kind() != Kind::complex && !(lower.scalar().as_double() < upper.scalar().as_double()))
    draw.refuse("expected lower < upper, got " + lower.scalar().str() + " and " + upper.scalar().str());
  const Array from = draw.parameter("lower", lower, type), to = draw.parameter("upper", upper, type);
  const Shape shape = draw.shapeOf(given, {from.shape(at), to.shape(at)});
  auto distribution = [](const Array &x) { return erf(x / std::numbers::sqrt2); };
  const Array numbers = normalOf(uniformBetween(draw.key(), shape, type, distribution(from), distribution(to)));
  const Array drawn = clip(numbers, nextafter(from, INFINITY), nextafter(to, -INFINITY));
  // Where a whole interval is in a tail, the numbers between its values of erf are few, or none.
  const double tail = type == Dtype::f64 ? 6 : type == Dtype::f32 ? 3 : 1.5;
  auto mayBe = [](const Operand &bound, auto holds) { return !bound.is_scalar() || holds(bound.scalar().as_double()); };
  if (!mayBe(lower, [&](double low) { return low > tail; }) && !mayBe(upper, [&](double high) { return high < -tail; }))
    return drawn;
  const Array low = astype(from, f64), high = astype(to, f64), isUpper = low > tail, isTail = isUpper || high < -tail;
  const Array unit = unitUniform(draw.key(), shape, type);
  const Array nearer = where(isTail, where(isUpper, low, -high), 1),
              farther = where(isTail, where(isUpper, high, -low), 2);
  const Array magnitude = normalInTail(unit, nearer, farther);
  const Array inTail =
      clip(astype(where(isUpper, magnitude, -magnitude), type), nextafter(from, INFINITY), nextafter(to, -INFINITY));
  return where(isTail, inTail, drawn);
}
