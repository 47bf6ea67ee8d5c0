//===- ReductionOptions.cpp - reductions with dtype, initial and where -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Floats.h"

using namespace tenon;
using namespace tenon::detail;

/// Where elements of x count, in its shape; an empty Array where all do.
static Array maskOf(const Operand &where, const Array &x) {
  return where.is_none() ? Array() : broadcast(truthOf(where), x.shape(), where.location());
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

static Array totalOf(OpCode op, const Operand &operand, const Ints &axes, bool keepdims, std::optional<Dtype> dtype,
                     std::optional<Scalar> initial, const Operand &where) {
  const Location at = operand.location();
  DoorScope scope(opInfo(op).name, at, {{"x", operand}, {"where", where}});
  Array x = toArray(operand, op);
  if (dtype)
    x = convert(x, *dtype, at);
  if (const Array mask = maskOf(where, x); mask.has_value())
    x = tenon::where(mask, x, Scalar(op == OpCode::prod));
  const bool isNarrow = is_narrow(x.dtype()) && !is_storage(x.dtype());
  // A narrow float is rounded once, after `initial`.
  Array result = reduce(op, isNarrow && initial ? convert(x, Dtype::f32, at) : x, axes, keepdims);
  const Dtype last = dtype.value_or(isNarrow ? x.dtype() : result.dtype());
  if (initial) {
    const Array start = convert(full({}, *initial, last, x.device(), at), result.dtype(), at);
    result = op == OpCode::sum ? result + start : result * start;
  }
  return convert(result, last, at);
}

Array tenon::detail::sum(const Operand &x, const Ints &axes, bool keepdims, std::optional<Dtype> dtype,
                         std::optional<Scalar> initial, const Operand &where) {
  if (!dtype && !initial && where.is_none())
    return sum(x, axes, keepdims);
  return totalOf(OpCode::sum, x, axes, keepdims, dtype, initial, where);
}

Array tenon::detail::prod(const Operand &x, const Ints &axes, bool keepdims, std::optional<Dtype> dtype,
                          std::optional<Scalar> initial, const Operand &where) {
  if (!dtype && !initial && where.is_none())
    return prod(x, axes, keepdims);
  return totalOf(OpCode::prod, x, axes, keepdims, dtype, initial, where);
}

//===----------------------------------------------------------------------===//
// Extremes and truths
//===----------------------------------------------------------------------===//

static Array extremumOf(OpCode op, const Operand &operand, const Ints &axes, bool keepdims,
                        std::optional<Scalar> initial, const Operand &where) {
  if (!initial && where.is_none())
    return reduce(op, operand, axes, keepdims);
  const Location at = operand.location();
  const bool isMax = op == OpCode::max;
  DoorScope scope(opInfo(op).name, at, {{"x", operand}, {"where", where}});
  if (!initial)
    refuse(opInfo(op).name,
           "expected `initial` beside `where`: where no element is selected there is no " +
               std::string(isMax ? "maximum" : "minimum"),
           at);
  Array x = toArray(operand, op);
  const std::vector<int64_t> all = normalizeAxisList(op, x, axes, at);
  const Array start = full({}, *initial, x.dtype(), x.device(), at);
  // Not `initial`: it would share the derivative of equal elements.
  const Scalar neutral = extremeOf(x.dtype(), !isMax);
  if (const Array mask = maskOf(where, x); mask.has_value())
    x = tenon::where(mask, x, neutral);
  const Array result = reduce(op, neverEmpty(x, all, neutral), all, keepdims);
  return isMax ? maximum(result, start) : minimum(result, start);
}

Array tenon::detail::max(const Operand &x, const Ints &axes, bool keepdims, std::optional<Scalar> initial,
                         const Operand &where) {
  return extremumOf(OpCode::max, x, axes, keepdims, initial, where);
}

Array tenon::detail::min(const Operand &x, const Ints &axes, bool keepdims, std::optional<Scalar> initial,
                         const Operand &where) {
  return extremumOf(OpCode::min, x, axes, keepdims, initial, where);
}

static Array quantified(OpCode op, const Operand &operand, const Ints &axes, bool keepdims, const Operand &where) {
  if (where.is_none())
    return reduceTruths(op, operand, axes, keepdims);
  DoorScope scope(opInfo(op).name, operand.location(), {{"x", operand}, {"where", where}});
  const Array x = truthOf(operand), mask = maskOf(where, x);
  return reduceTruths(op, op == OpCode::any ? x && mask : x || !mask, axes, keepdims);
}

Array tenon::detail::any(const Operand &x, const Ints &axes, bool keepdims, const Operand &where) {
  return quantified(OpCode::any, x, axes, keepdims, where);
}

Array tenon::detail::all(const Operand &x, const Ints &axes, bool keepdims, const Operand &where) {
  return quantified(OpCode::all, x, axes, keepdims, where);
}

//===----------------------------------------------------------------------===//
// Means and variances
//===----------------------------------------------------------------------===//

Array tenon::detail::mean(const Operand &operand, const Ints &axes, bool keepdims, std::optional<Dtype> dtype,
                          const Operand &where) {
  if (!dtype && where.is_none())
    return mean(operand, axes, keepdims);
  const Location at = operand.location();
  DoorScope scope("mean", at, {{"x", operand}, {"where", where}});
  const Array given = toArray(operand, OpCode::sum);
  const Dtype result = dtype.value_or(floatingDtype(given.dtype()));
  if (kind(result) < Kind::floating || is_storage(result))
    refuse("mean", "expected a floating or complex dtype, got " + std::string(short_name(result)), at);
  const Array x = convert(given, wideDtype(result), at), mask = maskOf(where, x);
  if (!mask.has_value())
    return convert(mean(x, axes, keepdims), result, at);
  const Array total = reduce(OpCode::sum, tenon::where(mask, x, 0), axes, keepdims);
  const Array count = count_nonzero(mask, axes, keepdims);
  const auto share = [&](const Array &part) { return part / convert(count, part.dtype(), at); };
  return convert(isComplex(total) ? ofParts(total, share) : share(total), result, at);
}

/// The variance of real numbers where `mask` is true.
static Array varianceWhere(const Array &mask, const Array &x, const std::vector<int64_t> &axes, bool keepdims,
                           double correction, Location at) {
  const Array mean = reduce(OpCode::sum, where(mask, x, 0), axes, true) /
                     convert(detail::count_nonzero(mask, axes, true), x.dtype(), at);
  const Array centered = where(mask, x - mean, 0);
  const Array count = convert(detail::count_nonzero(mask, axes, keepdims), Dtype::f64, at);
  return reduce(OpCode::sum, centered * centered, axes, keepdims) /
         convert(maximum(count - correction, 0), x.dtype(), at);
}

/// The variance, or its root.
static Array spreadOf(const char *function, const Operand &operand, const Ints &axes, bool keepdims, double correction,
                      std::optional<Dtype> dtype, const Operand &where, bool isRoot) {
  const Location at = operand.location();
  DoorScope scope(function, at, {{"x", operand}, {"where", where}});
  const Array given = toArray(operand, OpCode::sum);
  const Array part = isComplex(given) ? real(given) : given;
  const Dtype result = dtype.value_or(floatingDtype(part.dtype()));
  if (kind(result) != Kind::floating || is_storage(result))
    refuse(function, "expected a floating dtype, got " + std::string(short_name(result)), at);
  const std::vector<int64_t> all = normalizeAxisList(OpCode::sum, given, axes, at);
  const Array mask = maskOf(where, given);
  const auto variance = [&](const Array &numbers) {
    const Array x = convert(numbers, wideDtype(result), at);
    return mask.has_value() ? varianceWhere(mask, x, all, keepdims, correction, at)
                            : detail::var(x, all, keepdims, correction);
  };
  const Array squares = isComplex(given) ? variance(part) + variance(imag(given)) : variance(part);
  return convert(isRoot ? rootOf(squares) : squares, result, at);
}

Array tenon::detail::var(const Operand &x, const Ints &axes, bool keepdims, double correction,
                         std::optional<Dtype> dtype, const Operand &where) {
  if (!dtype && where.is_none())
    return var(x, axes, keepdims, correction);
  return spreadOf("var", x, axes, keepdims, correction, dtype, where, false);
}

Array tenon::detail::std(const Operand &x, const Ints &axes, bool keepdims, double correction,
                         std::optional<Dtype> dtype, const Operand &where) {
  if (!dtype && where.is_none())
    return std(x, axes, keepdims, correction);
  return spreadOf("std", x, axes, keepdims, correction, dtype, where, true);
}
