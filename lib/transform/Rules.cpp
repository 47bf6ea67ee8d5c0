//===- Rules.cpp - the tables of rules, and what rules share --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

#include <algorithm>
#include <iterator>

namespace tenon {
#include "lib/transform/BatchRules.gen.inc"
#include "lib/transform/CompositeBatchRules.gen.inc"
#include "lib/transform/CompositeVjpRules.gen.inc"
#include "lib/transform/VjpRules.gen.inc"
} // namespace tenon

using namespace tenon;

VjpRule tenon::vjpRule(OpCode op) {
  size_t code = static_cast<size_t>(op);
  return code < std::size(vjpRules) ? vjpRules[code] : nullptr;
}

BatchRule tenon::batchRule(OpCode op) {
  size_t code = static_cast<size_t>(op);
  return code < std::size(batchRules) ? batchRules[code] : nullptr;
}

VjpRule tenon::compositeVjpRule(CompositeId id) { return compositeVjpRules[static_cast<size_t>(id)]; }

BatchRule tenon::compositeBatchRule(CompositeId id) { return compositeBatchRules[static_cast<size_t>(id)]; }

Array tenon::filled(const Type &type, Scalar value) {
  if (innermostRecord() || type.device != Device::cpu)
    return full(type.shape, value, type.dtype, type.device, {});
  return broadcast_to(Array(value, type.dtype), type.shape);
}

Array VjpCall::cotangent(int i) const {
  const Array &given = cotangents_[static_cast<size_t>(i)];
  return given.has_value() ? given : filled(resultTypes[static_cast<size_t>(i)], false);
}

Array tenon::moveAxis(const Array &x, int from, int to) {
  if (from == to)
    return x;
  std::vector<int64_t> permutation;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != from)
      permutation.push_back(i);
  permutation.insert(permutation.begin() + to, from);
  return transpose(x, permutation);
}

Array tenon::repeatAlong(const Array &x, Dim size, int axis) {
  Shape shape = x.shape();
  shape.insert(axis, 1, userLocation({}));
  Array expanded = reshape(x, shape);
  shape.at(axis) = size;
  return broadcast_to(expanded, shape);
}

int BatchCall::place() const {
  return *std::find_if(axes.begin(), axes.end(), [](int axis) { return axis >= 0; });
}

Array BatchCall::along(int i, int place) const {
  return isBatched(i) ? moveAxis(operand(i), axis(i), place) : repeatAlong(operand(i), size, place);
}
