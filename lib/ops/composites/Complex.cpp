//===- Complex.cpp - ops on complex numbers, made of real ones ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Complex.h"

#include "lib/array/Buffer.h"
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

static ComplexParts partsOf(const Array &z) { return {real(z), imag(z)}; }
static Array joined(const ComplexParts &z) { return complex(z.re, z.im); }

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

namespace {
/// An op as a function of complex numbers that has a derivative, that of the op.
struct AnalyticFunction {
  OpCode op;
  ComplexFormula formula;
};
constexpr AnalyticFunction analyticFunctions[] = {
    {OpCode::exp, complexExp},     {OpCode::exp2, complexExp2},   {OpCode::expm1, complexExpm1},
    {OpCode::log, complexLog},     {OpCode::log1p, complexLog1p}, {OpCode::log2, complexLog2},
    {OpCode::log10, complexLog10}, {OpCode::sqrt, complexSqrt},   {OpCode::sin, complexSin},
    {OpCode::cos, complexCos},     {OpCode::tan, complexTan},     {OpCode::sinh, complexSinh},
    {OpCode::cosh, complexCosh},   {OpCode::tanh, complexTanh},   {OpCode::asin, complexAsin},
    {OpCode::acos, complexAcos},   {OpCode::atan, complexAtan},   {OpCode::asinh, complexAsinh},
    {OpCode::acosh, complexAcosh}, {OpCode::atanh, complexAtanh},
};
} // namespace

static const AnalyticFunction *findFunction(OpCode op) {
  const auto *found = std::ranges::find(analyticFunctions, op, &AnalyticFunction::op);
  return found == std::end(analyticFunctions) ? nullptr : found;
}

Array tenon::decomposeComplexFunction(std::span<const Array> operands, AttrWords attributes) {
  const OpInfo *info = findOp(ComplexFunctionAttrs::read(attributes).function);
  const AnalyticFunction *function = info ? findFunction(static_cast<OpCode>(info->code)) : nullptr;
  if (!function)
    throw Error("expected the name of a function of complex numbers");
  return joined(function->formula(partsOf(operands[0])));
}

/// Those that are no analytic ones: their derivatives are those of what they are made of.
static Array ofOne(OpCode op, const Array &z) {
  const auto [x, y] = partsOf(z);
  switch (op) {
  case OpCode::abs:
    return hypot(x, y);
  case OpCode::sign:
    return joined(complexSign({x, y}));
  case OpCode::round:
    return joined({round(x), round(y)});
  case OpCode::isnan:
    return isnan(x) || isnan(y);
  case OpCode::isinf:
    return isinf(x) || isinf(y);
  case OpCode::isfinite:
    return isfinite(x) && isfinite(y);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

Array tenon::decomposeComplexPow(std::span<const Array> operands, AttrWords) {
  return joined(complexPow(partsOf(operands[0]), partsOf(operands[1])));
}

/// The exponent that is a number and a small integer: such a power is a product.
static std::optional<int> smallExponent(const Operand &exponent) {
  if (!exponent.is_scalar() || exponent.scalar().kind() == Kind::complex)
    return std::nullopt;
  const double number = exponent.scalar().as_double();
  return std::abs(number) <= 32 && number == std::trunc(number) ? std::optional(static_cast<int>(number))
                                                                : std::nullopt;
}

static Array integerPower(const Array &x, int exponent) {
  if (exponent == 0)
    return full(x.shape(), 1, x.dtype(), x.device());
  if (exponent < 0)
    return 1 / integerPower(x, -exponent);
  Array power = exponent % 2 ? x : Array(), square = x;
  for (int left = exponent / 2; left > 0; left /= 2) {
    square = square * square;
    if (left % 2)
      power = power.has_value() ? power * square : square;
  }
  return power;
}

static Array powerOf(const Array &x, const Array &y, Location at) {
  Shape shape;
  if (std::string error = broadcastShapes(x.shape(), y.shape(), shape); !error.empty())
    throwOpError(opInfo(OpCode::pow), {}, "pow: " + error, at);
  return bindComposite(CompositeId::complex_pow, {broadcast(x, shape, at).value(), broadcast(y, shape, at).value()}, {},
                       at);
}

//===----------------------------------------------------------------------===//
// Doors
//===----------------------------------------------------------------------===//

static bool hasForm(OpCode op) {
  constexpr OpCode others[] = {OpCode::abs,   OpCode::sign,     OpCode::round, OpCode::isnan,
                               OpCode::isinf, OpCode::isfinite, OpCode::pow};
  return findFunction(op) || std::ranges::find(others, op) != std::end(others);
}

Array detail::complexForm(OpCode op, std::span<const Operand *const> operands, Dtype dtype, Location at) {
  if (!hasForm(op))
    return {};
  const OpInfo &info = opInfo(op);
  const DoorScope scope =
      operands.size() == 1
          ? DoorScope(info.name, at, {{info.operands[0], *operands[0]}})
          : DoorScope(info.name, at, {{info.operands[0], *operands[0]}, {info.operands[1], *operands[1]}});
  Device device = Device::cpu;
  for (const Operand *operand : operands)
    if (const Value *value = operand->value())
      device = value->device();
  auto array = [&](const Operand &operand) {
    return convert(toArray(operand, op, dtype, device), dtype, operand.location());
  };
  const Array x = array(*operands[0]);
  if (op == OpCode::pow) {
    const std::optional<int> exponent = smallExponent(*operands[1]);
    return exponent ? integerPower(x, *exponent) : powerOf(x, array(*operands[1]), at);
  }
  if (findFunction(op))
    return bindComposite(CompositeId::complex_function, {x.value()}, Words(ComplexFunctionAttrs{info.name}), at);
  return ofOne(op, x);
}

Array tenon::angle(const Operand &operand) {
  DoorScope scope("angle", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::atan2);
  return isComplex(x) ? atan2(imag(x), real(x)) : atan2(0, x);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The product over the first axis: halves are multiplied until one is left.
static Array productOfRows(Array x, int64_t count) {
  auto rows = [&](int64_t from, int64_t to) { return partOf(x, 0, from, to); };
  if (count == 0)
    return full({1, x.shape()[1]}, 1, x.dtype(), x.device());
  for (; count > 1; count = (count + 1) / 2) {
    const int64_t half = count / 2;
    const Array product = rows(0, half) * rows(half, 2 * half);
    x = count % 2 ? concatenate({product, rows(2 * half, count)}, 0) : product;
  }
  return x;
}

[[noreturn]] static void refuseUnknown(OpCode op, Dim size, Location at) {
  throwOpError(
      opInfo(op), {},
      std::string(opInfo(op).name) + ": expected a known number of complex numbers to multiply, got " + size.str(), at);
}

Array detail::complexReduction(OpCode op, const Array &x, const std::vector<int64_t> &axes, bool keepdims,
                               Location at) {
  const DoorScope scope(opInfo(op).name, at, {{"x", x}});
  if (op == OpCode::sum)
    return ofParts(x, [&](const Array &part) { return sum(part, axes, keepdims); });
  // The axes in front, as one; the others behind them, as another.
  std::vector<int64_t> order = axes;
  Shape result;
  Dim count = 1, width = 1;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const Dim size = x.shape()[axis];
    if (std::ranges::find(axes, axis) != axes.end()) {
      if (!size.is_static())
        refuseUnknown(op, size, at);
      count *= size;
      if (keepdims)
        result.push_back(1);
    } else {
      order.push_back(axis);
      width *= size;
      result.push_back(size);
    }
  }
  return reshape(productOfRows(reshape(transpose(x, order), {count, width}), count.raw()), result);
}

Array detail::complexCumulation(OpCode op, const Array &x, int64_t axis, Location at) {
  const DoorScope scope(opInfo(op).name, at, {{"x", x}});
  const int place = static_cast<int>(axis);
  if (op == OpCode::cumulative_sum)
    return ofParts(x, [&](const Array &part) { return cumulative_sum(part, place); });
  const Dim count = x.shape()[place];
  if (!count.is_static())
    refuseUnknown(op, count, at);
  // Of so many elements before each one, twice as many in each step. Source: W. D. Hillis
  // and G. L. Steele, "Data parallel algorithms", 1986.
  Array result = x;
  for (int64_t step = 1; step < count.raw(); step *= 2) {
    const Array before = partOf(result, place, 0, count - step), these = partOf(result, place, step, count);
    result = concatenate({partOf(result, place, 0, step), before * these}, place);
  }
  return result;
}
