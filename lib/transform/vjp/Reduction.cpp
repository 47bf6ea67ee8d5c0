//===- Reduction.cpp - derivatives of reductions and softmax ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/transform/Recurrence.h"

#include <algorithm>
#include <cmath>

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

/// Of max and min: shared among the elements that are the result.
void vjpExtremum(VjpCall &call) {
  const Type &type = call.operandTypes[0];
  MaxAttrs attributes = MaxAttrs::read(call.attributes);
  Shape ones = kept(type.shape, attributes.axes);
  // Counted in f32 for f16 and bf16, which cannot count to the number of elements.
  const Dtype wide = is_narrow(type.dtype) ? Dtype::f32 : type.dtype;
  Array extreme = astype(equal(call.operand(0), reshape(call.result(), ones)), wide);
  Array count = sum(extreme, std::vector<int64_t>(attributes.axes.begin(), attributes.axes.end()), true);
  call.set(0, astype(extreme * (reshape(astype(call.cotangent(), wide), ones) / count), type.dtype));
}

/// The cotangent times the product of the other elements: those before and those behind, in f64, since such products
/// may be out of the range of f32 where that of all elements is not. There is no division, so zeros need no exception.
void vjpProd(VjpCall &call) {
  const Array &x = call.operand(0);
  const Shape &shape = call.operandTypes[0].shape;
  ProdAttrs attributes = ProdAttrs::read(call.attributes);
  // The reduced axes in front, as one; the others behind them, as another.
  std::vector<int64_t> order(attributes.axes.begin(), attributes.axes.end()), back(static_cast<size_t>(shape.rank()));
  Dim count = 1, columns = 1;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (std::ranges::find(attributes.axes, axis) == attributes.axes.end()) {
      order.push_back(axis);
      columns *= shape[axis];
    } else {
      count *= shape[axis];
    }
  Shape moved;
  for (size_t i = 0; i < order.size(); ++i) {
    moved.push_back(shape[static_cast<int>(order[i])]);
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  if (count.is_static() && count.raw() == 0) {
    call.set(0, filled(call.operandTypes[0], false));
    return;
  }
  const Dtype wide = kind(x.dtype()) == Kind::complex ? Dtype::c128 : Dtype::f64;
  const Array matrix = astype(reshape(transpose(x, order), {count, columns}), wide);
  const Array before = movedOn(cumulative_prod(matrix, 0), 0, 1.0);
  const Array behind = movedBack(reversed(cumulative_prod(reversed(matrix, 0), 0), 0), 0, 1.0);
  const Array slopes = before * behind * astype(reshape(call.cotangent(), {1, columns}), wide);
  call.set(0, transpose(reshape(astype(slopes, x.dtype()), moved), back));
}

/// The weight of each element in the sum; where that is infinite, or 0, nothing. The weights
/// are divided by what they sum up to, since a large result is rounded coarsely.
void vjpLogsumexp(VjpCall &call) {
  const auto [axes, keepdims] = LogsumexpAttrs::read(call.attributes);
  const Shape ones = kept(call.operandTypes[0].shape, axes);
  const Array y = reshape(call.result(), ones), isInfinite = isinf(y);
  const Array weights = exp(where(isInfinite, -INFINITY, call.operand(0) - y));
  const Array total = sum(weights, std::vector<int64_t>(axes.begin(), axes.end()), true);
  call.set(0, reshape(call.cotangent(), ones) * (weights / where(isInfinite, 1.0f, total)));
}

/// The axes of x that are not normalized together.
static std::vector<int64_t> otherAxes(const Array &x, std::span<const int64_t> axes) {
  std::vector<int64_t> others;
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (std::ranges::find(axes, axis) == axes.end())
      others.push_back(axis);
  return others;
}

void vjpLayerNorm(VjpCall &call) {
  const auto [given, epsilon] = LayerNormAttrs::read(call.attributes);
  const std::vector<int64_t> axes(given.begin(), given.end());
  const Array &x = call.operand(0), &scale = call.operand(1);
  const Array ct = call.cotangent();
  const std::vector<int64_t> others = otherAxes(x, axes);
  if (call.wanted(0))
    call.set(0, detail::bindComposite(CompositeId::layer_norm_gradient, {x.value(), scale.value(), ct.value()},
                                      call.attributes, call.at));
  if (call.wanted(1))
    call.set(1, sum(ct * layer_norm(x, axes, 1, 0, epsilon.asDouble()), others));
  if (call.wanted(2))
    call.set(2, sum(ct, others));
}

void vjpRmsNorm(VjpCall &call) {
  const auto [given, epsilon] = RmsNormAttrs::read(call.attributes);
  const std::vector<int64_t> axes(given.begin(), given.end());
  const Array &x = call.operand(0), &scale = call.operand(1);
  const Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, detail::bindComposite(CompositeId::rms_norm_gradient, {x.value(), scale.value(), ct.value()},
                                      call.attributes, call.at));
  if (call.wanted(1))
    call.set(1, sum(ct * rms_norm(x, axes, 1, {.epsilon = epsilon.asDouble()}), otherAxes(x, axes)));
}

void vjpSoftmax(VjpCall &call) {
  int64_t axis = SoftmaxAttrs::read(call.attributes).axis;
  const Array &y = call.result();
  Array ct = call.cotangent();
  call.set(0, y * (ct - sum(ct * y, {axis}, true)));
}

void vjpLogSoftmax(VjpCall &call) {
  int64_t axis = LogSoftmaxAttrs::read(call.attributes).axis;
  Array ct = call.cotangent();
  call.set(0, ct - exp(call.result()) * sum(ct, {axis}, true));
}

/// Every example's result is made of the others' too, so every cotangent reaches all of them; an
/// extremum's the examples that have it, in equal shares.
void vjpMappedReduction(VjpCall &call) {
  const std::string_view function = MappedReductionAttrs::read(call.attributes).function;
  auto total = [&](const Array &x) {
    return detail::bindComposite(CompositeId::mapped_reduction, {x.value(), call.operand(1).value()},
                                 detail::Words(MappedReductionAttrs{"sum"}), call.at);
  };
  const Array ct = total(call.cotangent());
  if (function == "sum")
    return call.set(0, ct);
  const Dtype wide = is_narrow(ct.dtype()) ? Dtype::f32 : ct.dtype();
  const Array isIt = astype(call.operand(0) == call.result(), wide);
  call.set(0, astype(astype(ct, wide) * isIt / total(isIt), ct.dtype()));
}

} // namespace tenon
