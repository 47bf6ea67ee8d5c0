//===- Recurrence.h - running products and recurrences in rules -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/ops/Door.h"
#include "lib/ops/composites/Shaping.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// y[i] = x[i] + factors[i] * y[i - 1] along `axis`; y[i] = x[i] for i = 0 and where factors[i] is 0.
inline Array recurrence(const Array &factors, const Array &x, int axis, Location at) {
  return detail::apply(OpCode::linear_recurrence, {factors.value(), x.value()},
                       detail::Words(LinearRecurrenceAttrs{axis}), at);
}

/// x from its last element along `axis` to its first.
inline Array reversed(const Array &x, int axis) {
  std::vector<IndexItem> items(static_cast<size_t>(axis), _);
  items.push_back(tenon::slice(_, _, -1));
  return x[detail::Index(std::span<const IndexItem>(items), Location())];
}

/// x moved on by one element along `axis`, which has one at least: `first`, x[0], x[1], ...
inline Array movedOn(const Array &x, int axis, Scalar first) {
  Type type = typeOf(x.value());
  const Dim count = type.shape[axis];
  type.shape.at(axis) = 1;
  return concatenate({filled(type, first), detail::partOf(x, axis, 0, count - 1)}, axis);
}
/// x moved back by one element: x[1], x[2], ..., `last`.
inline Array movedBack(const Array &x, int axis, Scalar last) {
  Type type = typeOf(x.value());
  const Dim count = type.shape[axis];
  type.shape.at(axis) = 1;
  return concatenate({detail::partOf(x, axis, 1, count), filled(type, last)}, axis);
}

/// y[i] = x[i] + factors[i + 1] * y[i + 1] along `axis`, y[i] = x[i] for the last i: the transpose of `recurrence`.
inline Array recurrenceFromEnd(const Array &factors, const Array &x, int axis, Location at) {
  return reversed(recurrence(reversed(movedBack(factors, axis, 0.0), axis), reversed(x, axis), axis, at), axis);
}

/// x in f32 if it is narrower: a rule of several ops rounds narrow floats at its end.
inline Array widened(const Array &x) { return is_narrow(x.dtype()) ? astype(x, Dtype::f32) : x; }

} // namespace tenon
