//===- Cumulative.cpp - doors of running sums and their kin -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"

using namespace tenon;
using namespace tenon::detail;

Array detail::cumulate(OpCode op, const Array &x, int64_t axis, Location at) {
  if (isComplex(x) && (op == OpCode::cumulative_sum || op == OpCode::cumulative_prod))
    return complexCumulation(op, x, axis, at);
  return apply(op, {x.value()}, Words(CumulativeSumAttrs{axis}), at);
}

static int64_t placeOf(OpCode op, const Array &x, std::optional<Axis> axis, Location at) {
  if (axis)
    return normalizeAxis(op, x, axis->value(), at);
  if (x.ndim() != 1)
    throwOpError(
        opInfo(op), std::initializer_list<Value *>{x.value()},
        std::string(opInfo(op).name) + ": expected an axis, which may be left out for an array of rank 1 alone", at);
  return 0;
}

static Array cumulateAlong(OpCode op, const Operand &operand, std::optional<Axis> axis) {
  const Array x = toArray(operand, op);
  return cumulate(op, x, placeOf(op, x, axis, operand.location()), operand.location());
}

/// The same, after what is made of no elements.
static Array withInitial(OpCode op, const Operand &operand, std::optional<Axis> axis, bool initial) {
  const Array x = toArray(operand, op);
  const int64_t place = placeOf(op, x, axis, operand.location());
  const Array result = cumulate(op, x, place, operand.location());
  Shape first = result.shape();
  first.at(static_cast<int>(place)) = 1;
  return concatenate({full(first, initial, result.dtype(), result.device(), operand.location()), result},
                     static_cast<int>(place));
}

Array tenon::cumulative_sum(const Operand &x, std::optional<Axis> axis, bool include_initial) {
  DoorScope scope("cumulative_sum", x.location(), {{"x", x}});
  return include_initial ? withInitial(OpCode::cumulative_sum, x, axis, false)
                         : cumulateAlong(OpCode::cumulative_sum, x, axis);
}

Array tenon::cumulative_prod(const Operand &x, std::optional<Axis> axis, bool include_initial) {
  DoorScope scope("cumulative_prod", x.location(), {{"x", x}});
  return include_initial ? withInitial(OpCode::cumulative_prod, x, axis, true)
                         : cumulateAlong(OpCode::cumulative_prod, x, axis);
}

Array tenon::cumulative_max(const Operand &x, std::optional<Axis> axis) {
  return cumulateAlong(OpCode::cumulative_max, x, axis);
}

Array tenon::cumulative_min(const Operand &x, std::optional<Axis> axis) {
  return cumulateAlong(OpCode::cumulative_min, x, axis);
}

Array tenon::cumulative_logsumexp(const Operand &operand, std::optional<Axis> axis) {
  constexpr OpCode op = OpCode::cumulative_logsumexp;
  DoorScope scope("", "cumulative_logsumexp", operand.location(), {{"x", operand}});
  const Array given = toArray(operand, op);
  const Array x = convert(given, floatingDtype(given.dtype()), operand.location());
  return cumulate(op, x, placeOf(op, x, axis, operand.location()), operand.location());
}
