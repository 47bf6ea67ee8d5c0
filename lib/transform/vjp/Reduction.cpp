//===- Reduction.cpp - derivatives of reductions and softmax ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

namespace tenon {

/// What reduction left of `shape` when it keeps the axes, with size 1.
static Shape kept(Shape shape, std::span<const int64_t> axes) {
  for (int64_t axis : axes)
    shape.at(static_cast<int>(axis)) = 1;
  return shape;
}

void vjpSum(VjpCall &call) {
  const Shape &shape = call.operandTypes[0].shape;
  SumAttrs attributes = SumAttrs::read(call.attributes);
  call.set(0, broadcast_to(reshape(call.cotangent(), kept(shape, attributes.axes)), shape));
}

void vjpMax(VjpCall &call) {
  const Type &type = call.operandTypes[0];
  MaxAttrs attributes = MaxAttrs::read(call.attributes);
  Shape ones = kept(type.shape, attributes.axes);
  Array largest = astype(equal(call.operand(0), reshape(call.result(), ones)), type.dtype);
  Array count = sum(largest, std::vector<int64_t>(attributes.axes.begin(), attributes.axes.end()), true);
  call.set(0, largest * (reshape(call.cotangent(), ones) / count));
}

void vjpSoftmax(VjpCall &call) {
  int64_t axis = SoftmaxAttrs::read(call.attributes).axis;
  const Array &y = call.result();
  Array ct = call.cotangent();
  call.set(0, y * (ct - sum(ct * y, {axis}, true)));
}

} // namespace tenon
