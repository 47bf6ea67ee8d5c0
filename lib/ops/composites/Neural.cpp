//===- Neural.cpp - rows of neural networks: softmax, layer_norm, one_hot -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Normalization.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

/// The largest element of each row. Of a row without elements it may be any: it
/// has no results.
static Array rowMax(const Array &x, int64_t axis) { return max(neverEmpty(x, {&axis, 1}, -INFINITY), axis, true); }

Array tenon::decomposeSoftmax(std::span<const Array> operands, AttrWords attributes) {
  const Array &x = operands[0];
  const int64_t axis = SoftmaxAttrs::read(attributes).axis;
  expectNormal(std::span(&axis, 1), x);
  Array weights = exp(x - rowMax(x, axis));
  return weights / sum(weights, axis, true);
}

Array tenon::decomposeLogSoftmax(std::span<const Array> operands, AttrWords attributes) {
  const Array &x = operands[0];
  const int64_t axis = LogSoftmaxAttrs::read(attributes).axis;
  expectNormal(std::span(&axis, 1), x);
  Array shifted = x - rowMax(x, axis);
  return shifted - log(sum(exp(shifted), axis, true));
}

/// A composite along one axis of floats; integers become f32. f16 and bf16 are computed in f32 and rounded once, since
/// their sums may be out of range.
template <class Attributes>
static Array alongAxis(CompositeId id, const Operand &operand, Axis axis) {
  DoorScope scope(compositeInfo(id).name, operand.location(), {{"x", operand}});
  const OpInfo &info = opInfo(OpCode::exp);
  Array given = toArray(operand, OpCode::exp);
  if (std::string error = checkDtype(info, floatingDtype(given.dtype())); !error.empty())
    throwOpError(info, {}, "exp: " + error, operand.location());
  const Dtype dtype = floatingDtype(given.dtype());
  Array x = convert(given, wideDtype(dtype), operand.location());
  const int64_t place = normalizeAxis(OpCode::max, x, axis.value(), operand.location());
  return convert(bindComposite(id, {x.value()}, Words(Attributes{place}), operand.location()), dtype,
                 operand.location());
}

Array tenon::softmax(const Operand &operand, Axis axis) {
  return alongAxis<SoftmaxAttrs>(CompositeId::softmax, operand, axis);
}

Array tenon::log_softmax(const Operand &operand, Axis axis) {
  return alongAxis<LogSoftmaxAttrs>(CompositeId::log_softmax, operand, axis);
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

static std::vector<int64_t> listOf(std::span<const int64_t> axes) { return {axes.begin(), axes.end()}; }

Shape detail::sizesOf(const Array &x, std::span<const int64_t> axes) {
  Shape sizes;
  for (int64_t axis : axes)
    sizes.push_back(x.shape()[static_cast<int>(axis)]);
  return sizes;
}

Array detail::besideX(const Array &parameter, const Array &x, std::span<const int64_t> axes) {
  if (axes.empty() || axes.front() + static_cast<int64_t>(axes.size()) == x.ndim())
    return parameter;
  Shape shape;
  for (int axis = 0; axis < x.ndim(); ++axis)
    shape.push_back(std::ranges::find(axes, axis) == axes.end() ? Dim(1) : x.shape()[axis]);
  return reshape(parameter, shape);
}

namespace {
/// What layer_norm and its derivative are made of.
struct LayerNorm {
  const Array &x;
  std::vector<int64_t> axes;
  Array normalized, deviation;

  LayerNorm(std::span<const Array> operands, AttrWords attributes) : x(operands[0]) {
    const auto [given, epsilon] = LayerNormAttrs::read(attributes);
    expectNormal(given, x);
    axes = listOf(given);
    if (epsilon.kind != Kind::floating || operands[1].dtype() != x.dtype() || operands[2].dtype() != x.dtype() ||
        operands[1].shape() != sizesOf(x, axes))
      throw Error("expected operands of one dtype, a scale of the sizes of the axes, and a floating epsilon");
    Array centered = x - mean(x, axes, true);
    deviation = sqrt(mean(centered * centered, axes, true) + epsilon.asDouble());
    normalized = centered / deviation;
  }
};
} // namespace

Array tenon::decomposeLayerNorm(std::span<const Array> operands, AttrWords attributes) {
  const LayerNorm of(operands, attributes);
  if (operands[2].shape() != operands[1].shape())
    throw Error("expected an offset of the shape of the scale");
  return of.normalized * besideX(operands[1], of.x, of.axes) + besideX(operands[2], of.x, of.axes);
}

Array tenon::decomposeLayerNormGradient(std::span<const Array> operands, AttrWords attributes) {
  const LayerNorm of(operands, attributes);
  const Array &cotangent = operands[2];
  if (cotangent.shape() != of.x.shape())
    throw Error("expected a cotangent of the shape of x");
  Array scaled = cotangent * besideX(operands[1], of.x, of.axes);
  return (scaled - mean(scaled, of.axes, true) - of.normalized * mean(scaled * of.normalized, of.axes, true)) /
         of.deviation;
}

Array tenon::layer_norm(const Operand &operand, const Ints &axes, const Operand &scale, const Operand &offset,
                        double epsilon) {
  DoorScope scope("layer_norm", operand.location(), {{"x", operand}, {"scale", scale}, {"offset", offset}});
  const OpInfo &info = opInfo(OpCode::sqrt);
  auto refuse = [&](const std::string &sentence) { throwOpError(info, {}, "sqrt: " + sentence, operand.location()); };
  Array x = toArray(operand, OpCode::sqrt);
  Dtype dtype = x.dtype();
  for (const Operand *parameter : {&scale, &offset})
    if (parameter->value())
      dtype = promote(dtype, parameter->value()->dtype());
  dtype = floatingDtype(dtype);
  if (std::string error = checkDtype(info, dtype); !error.empty())
    refuse(error);
  if (!(epsilon >= 0))
    refuse("expected an epsilon >= 0, got " + Scalar(epsilon).str());
  // The squares of f16 and bf16 may be out of their range.
  const Dtype wide = wideDtype(dtype);
  x = convert(x, wide, operand.location());
  const std::vector<int64_t> all = normalizeAxisList(OpCode::sum, x, axes, operand.location());
  const Shape sizes = sizesOf(x, all);
  auto parameter = [&](const char *name, const Operand &given) {
    if (given.is_scalar())
      return full(sizes, given.scalar(), wide, x.device(), operand.location());
    Array array = toArray(given, OpCode::sqrt);
    if (provably_equal(array.shape(), sizes) != Always::yes)
      refuse(std::string("expected ") + name + " of the sizes of the axes of x, " + sizes.str() + ", got " +
             array.shape().str());
    return convert(array, wide, operand.location());
  };
  const Array first = parameter("scale", scale), second = parameter("offset", offset);
  return convert(bindComposite(CompositeId::layer_norm, {x.value(), first.value(), second.value()},
                               Words(LayerNormAttrs{all, ScalarAttr::floating(epsilon)}), operand.location()),
                 dtype, operand.location());
}

/// The largest element and one more.
static Dim classesOf(const Array &x, Location at) {
  const auto known = knownValues(toIndices(x, OpCode::gather, at));
  if (!known)
    refuse("one_hot", "the number of classes is unknown inside jit and vmap; pass it: one_hot(x, classes)", at);
  const int64_t most = known->empty() ? -1 : std::max<int64_t>(std::ranges::max(*known), -1);
  return computedSize([&] { return Dim(most) + 1; }, at);
}

Array tenon::one_hot(const Operand &operand, std::optional<Dim> size, Dtype dtype) {
  DoorScope scope("one_hot", operand.location(), {{"x", operand}});
  Array x = toArray(operand, OpCode::equal);
  if (kind(x.dtype()) != Kind::integer)
    throwOpError(opInfo(OpCode::equal), std::initializer_list<Value *>{x.value()},
                 "one_hot: expected integers, got " + std::string(short_name(x.dtype())), operand.location());
  const Dim classes = size ? *size : classesOf(x, operand.location());
  // More classes than a small integer counts would start again at its lowest.
  const bool areMany = classes.is_static() && classes.raw() > INT32_MAX;
  const Dtype counting = areMany ? Dtype::i64 : item_size(x.dtype()) < 4 ? Dtype::i32 : x.dtype();
  x = convert(x, item_size(x.dtype()) < item_size(counting) ? counting : x.dtype(), operand.location());
  Shape shape = x.shape();
  shape.push_back(1, userLocation(operand.location()));
  return astype(reshape(x, shape) == iota(classes, x.dtype(), x.device(), operand.location()), dtype);
}
