//===- Sorting.cpp - derivatives of sorts ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// Cotangents go back to where the elements were: where each place went is what sorts the
/// places where they came from.
void vjpSortKeys(VjpCall &call) {
  const SortKeysAttrs attributes = SortKeysAttrs::read(call.attributes);
  const Shape &shape = call.operandTypes[0].shape;
  const Dim length = shape[static_cast<int>(attributes.axis)];
  Shape along;
  for (int i = 0; i < shape.rank(); ++i)
    along.push_back(i == attributes.axis ? length : Dim(1));
  const Array numbers = detail::iota(length, Dtype::i64, call.operandTypes[0].device, {});
  std::vector<Array> keys;
  for (int i = 0; i < attributes.keys; ++i)
    keys.push_back(call.operand(i));
  keys.push_back(broadcast_to(reshape(numbers, along), shape));
  const auto axis = static_cast<int>(attributes.axis), count = static_cast<int>(attributes.keys);
  const Array from = sort_keys(keys, axis, count, attributes.descending, {}).back(), to = argsort(from, axis);
  for (int i = 0; i < static_cast<int>(call.operandTypes.size()); ++i)
    if (call.wanted(i))
      call.set(i, take_along_axis(call.cotangent(i), to, axis));
}

} // namespace tenon
