//===- Quantization.cpp - integers that stand for floats -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Normalization.h"
#include "lib/ops/composites/Shaping.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

static bool isQuantized(Dtype dtype) { return kind(dtype) == Kind::integer && item_size(dtype) <= 2; }

/// A scale or a zero point in a shape that broadcasts to x.
static Array besideAxis(const char *name, const Array &given, const Array &x, Axis axis, Location at) {
  if (given.ndim() == 0)
    return given;
  if (given.ndim() == 1 && provably_equal(given.shape()[0], 1) == Always::yes)
    return reshape(given, {});
  const int place = given.ndim() == 1 ? axisOf(x, axis, at) : 0;
  if (given.ndim() != 1 || provably_equal(given.shape()[0], x.shape()[place]) != Always::yes)
    refuse("expected one " + std::string(name) + ", or one for each place along axis " + std::to_string(axis.value()) +
               " of x of the shape " + x.shape().str() + ", got " + given.shape().str(),
           at);
  return besideX(given, x, {place});
}

/// Integers; an empty Array where none are given.
static Array zeroPointOf(const Operand &given, const Array &x, Location at) {
  if (given.is_none())
    return {};
  const Array zero = toArray(given, OpCode::add, Dtype::i64, x.device());
  if (kind(zero.dtype()) != Kind::integer)
    refuse("expected a zero_point of integers, got " + describe(zero.dtype(), zero.shape()), at);
  return zero;
}

static void expectFits(const Array &zero, double first, double last, Dtype dtype, Location at) {
  if (const std::optional<std::vector<double>> known = knownNumbers(zero))
    for (const double number : *known)
      if (number < first || number > last)
        refuse("expected a zero_point that fits " + std::string(short_name(dtype)) + ", got " +
                   Scalar(static_cast<int64_t>(number)).str(),
               at);
}

Array detail::quantize_linear(const Operand &operand, const Operand &scale, const Operand &zero_point, Axis axis,
                              std::optional<Dtype> dtype) {
  const Location at = operand.location();
  DoorScope scope("quantize_linear", at, {{"x", operand}, {"scale", scale}, {"zero_point", zero_point}});
  const Floats floats("quantize_linear", {&operand, &scale});
  if (!floats[1].has_value())
    throw Error(publicName("quantize_linear") + ": expected an array, got an empty Array",
                userLocation(scale.location()));
  const Array &x = floats[0];
  const Array zero = zeroPointOf(zero_point, x, at);
  const Dtype type = dtype.value_or(zero.has_value() && isQuantized(zero.dtype()) ? zero.dtype() : Dtype::u8);
  if (!isQuantized(type))
    refuse("expected i8, u8, i16 or u16 as dtype, got " + std::string(short_name(type)), at);
  const int bits = 8 * static_cast<int>(item_size(type));
  const double first = is_unsigned(type) ? 0 : -std::ldexp(1, bits - 1);
  const double last = std::ldexp(1, is_unsigned(type) ? bits : bits - 1) - 1;
  const Array steps = round(x / besideAxis("scale", floats[1], x, axis, at));
  Array result = where(isnan(steps), 0, steps);
  if (zero.has_value()) {
    expectFits(zero, first, last, type, at);
    result = result + convert(besideAxis("zero_point", zero, x, axis, at), x.dtype(), at);
  }
  return convert(clip(result, first, last), type, at);
}

Array detail::dequantize_linear(const Operand &operand, const Operand &scale, const Operand &zero_point, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("dequantize_linear", at, {{"x", operand}, {"scale", scale}, {"zero_point", zero_point}});
  const Array x = toArray(operand, OpCode::subtract);
  if (!isQuantized(x.dtype()) && x.dtype() != Dtype::i32)
    refuse("expected x of i8, u8, i16, u16 or i32, got " + describe(x.dtype(), x.shape()), at);
  const Array factor = toArray(scale, OpCode::multiply, Dtype::f32, x.device());
  const Dtype type = floatingDtype(factor.dtype());
  if (const std::string problem = checkDtype(opInfo(OpCode::exp), type); !problem.empty())
    refuse(problem, at);
  const Array multiplier = besideAxis("scale", convert(factor, wideDtype(type), at), x, axis, at);
  const Dtype wide = x.dtype() == Dtype::i32 ? Dtype::i64 : Dtype::i32;
  Array steps = convert(x, wide, at);
  if (const Array zero = zeroPointOf(zero_point, x, at); zero.has_value())
    steps = steps - convert(besideAxis("zero_point", zero, x, axis, at), wide, at);
  return convert(convert(steps, multiplier.dtype(), at) * multiplier, type, at);
}
