//===- Normalization.cpp - rms_norm, batch_norm, group_norm, instance_norm ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Normalization.h"
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Floats.h"

#include <algorithm>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

static void expectEpsilon(const char *function, double epsilon, Location at) {
  if (!(epsilon >= 0))
    refuse(function, "expected an epsilon >= 0, got " + Scalar(epsilon).str(), at);
}

//===----------------------------------------------------------------------===//
// rms_norm
//===----------------------------------------------------------------------===//

namespace {
/// What rms_norm and its derivative are made of.
struct RmsNorm {
  const Array &x;
  std::vector<int64_t> axes;
  Array deviation, normalized;

  RmsNorm(std::span<const Array> operands, AttrWords attributes) : x(operands[0]) {
    const auto [given, epsilon] = RmsNormAttrs::read(attributes);
    expectNormal(given, x);
    axes.assign(given.begin(), given.end());
    if (epsilon.kind != Kind::floating ||
        std::ranges::any_of(operands, [&](const Array &operand) { return operand.dtype() != x.dtype(); }) ||
        operands[1].shape() != sizesOf(x, axes))
      throw Error("expected operands of one dtype, a scale of the sizes of the axes, and a floating epsilon");
    deviation = sqrt(mean(x * x, axes, true) + epsilon.asDouble());
    normalized = x / deviation;
  }
};
} // namespace

Array tenon::decomposeRmsNorm(std::span<const Array> operands, AttrWords attributes) {
  const RmsNorm of(operands, attributes);
  return of.normalized * besideX(operands[1], of.x, of.axes);
}

Array tenon::decomposeRmsNormGradient(std::span<const Array> operands, AttrWords attributes) {
  const RmsNorm of(operands, attributes);
  const Array &cotangent = operands[2];
  if (cotangent.shape() != of.x.shape())
    throw Error("expected a cotangent of the shape of x");
  const Array scaled = cotangent * besideX(operands[1], of.x, of.axes);
  return (scaled - of.normalized * mean(scaled * of.normalized, of.axes, true)) / of.deviation;
}

Array tenon::detail::rms_norm(const Operand &operand, const Ints &axes, const Operand &scale, double epsilon) {
  const Location at = operand.location();
  DoorScope scope("rms_norm", at, {{"x", operand}, {"scale", scale}});
  const Floats floats("rms_norm", {&operand, &scale});
  expectEpsilon("rms_norm", epsilon, at);
  const Array &x = floats[0];
  const std::vector<int64_t> all = normalizeAxisList(OpCode::sum, x, axes, at);
  const Shape sizes = sizesOf(x, all);
  Array factor = floats[1];
  if (scale.is_scalar())
    factor = broadcast(factor, sizes, at);
  else if (!factor.has_value() || provably_equal(factor.shape(), sizes) != Always::yes)
    refuse("rms_norm",
           "expected scale of the sizes of the axes of x, " + sizes.str() + ", got " +
               (factor.has_value() ? factor.shape().str() : "an empty Array"),
           at);
  return floats.rounded(bindComposite(CompositeId::rms_norm, {x.value(), factor.value()},
                                      Words(RmsNormAttrs{all, ScalarAttr::floating(epsilon)}), at));
}

//===----------------------------------------------------------------------===//
// Norms with parameters for each channel
//===----------------------------------------------------------------------===//

/// A parameter as an array that broadcasts to x: a number, or an element for each channel.
static Array ofChannels(const char *function, const char *name, const Operand &given, const Array &parameter,
                        const Array &x, int64_t axis) {
  if (given.is_scalar())
    return parameter;
  const Shape sizes{x.shape()[static_cast<int>(axis)]};
  if (!parameter.has_value() || provably_equal(parameter.shape(), sizes) != Always::yes)
    refuse(function,
           "expected " + std::string(name) + " of one element for each channel, " + sizes.str() + ", got " +
               (parameter.has_value() ? parameter.shape().str() : "an empty Array"),
           given.location());
  return besideX(parameter, x, {axis});
}

/// All axes of x but these.
static std::vector<int64_t> allBut(const Array &x, std::initializer_list<int64_t> axes) {
  std::vector<int64_t> others;
  for (int64_t axis = 0; axis < x.ndim(); ++axis)
    if (std::ranges::find(axes, axis) == axes.end())
      others.push_back(axis);
  return others;
}

Array tenon::detail::batch_norm(const Operand &operand, const Operand &mean, const Operand &variance,
                                const Operand &scale, const Operand &offset, Axis axis, double epsilon) {
  const Location at = operand.location();
  DoorScope scope("batch_norm", at, {{"x", operand}, {"mean", mean}, {"variance", variance}});
  const Dtype dtype = Floats("batch_norm", {&operand, &scale, &offset}).dtype();
  const Floats floats("batch_norm", {&operand, &scale, &offset, &mean, &variance});
  expectEpsilon("batch_norm", epsilon, at);
  const Array &x = floats[0];
  const int64_t channels = normalizeAxis(OpCode::sum, x, axis.value(), at);
  auto parameter = [&](const char *name, const Operand &given, size_t i) {
    return ofChannels("batch_norm", name, given, floats[i], x, channels);
  };
  const Array factor = parameter("scale", scale, 1), shift = parameter("offset", offset, 2);
  const Array center = parameter("mean", mean, 3), spread = parameter("variance", variance, 4);
  return convert((x - center) / sqrt(spread + epsilon) * factor + shift, dtype, at);
}

BatchNorm tenon::detail::batch_norm_training(const Operand &operand, const Operand &scale, const Operand &offset,
                                             Axis axis, double epsilon) {
  const Location at = operand.location();
  DoorScope scope("batch_norm_training", at, {{"x", operand}, {"scale", scale}, {"offset", offset}});
  const Floats floats("batch_norm_training", {&operand, &scale, &offset});
  expectEpsilon("batch_norm_training", epsilon, at);
  const Array &x = floats[0];
  const int64_t channels = normalizeAxis(OpCode::sum, x, axis.value(), at);
  const Array factor = ofChannels("batch_norm_training", "scale", scale, floats[1], x, channels);
  const Array shift = ofChannels("batch_norm_training", "offset", offset, floats[2], x, channels);
  const std::vector<int64_t> others = allBut(x, {channels});
  const Array center = mean(x, others, true), centered = x - center;
  const Array variance = mean(centered * centered, others, true);
  const Shape sizes{x.shape()[static_cast<int>(channels)]};
  return {floats.rounded(centered / sqrt(variance + epsilon) * factor + shift), reshape(center, sizes),
          reshape(variance, sizes)};
}

/// x less its mean over the axes, divided by its deviation: the fused kernel of layer_norm, where it can run.
static Array standardized(const Array &x, const std::vector<int64_t> &axes, double epsilon, Location at) {
  const Shape sizes = sizesOf(x, axes);
  const Array ones = full(sizes, 1, x.dtype(), x.device(), at), none = full(sizes, 0, x.dtype(), x.device(), at);
  return bindComposite(CompositeId::layer_norm, {x.value(), ones.value(), none.value()},
                       Words(LayerNormAttrs{axes, ScalarAttr::floating(epsilon)}), at);
}

/// The axis of the channels, which is not the batch's, of an array of `rank` or more.
static int64_t channelAxis(const char *function, const Array &x, Axis axis, int rank, Location at) {
  if (x.ndim() < rank)
    refuse(function, "expected x of rank " + std::to_string(rank) + " or more, got " + x.shape().str(), at);
  const int64_t channels = normalizeAxis(OpCode::sum, x, axis.value(), at);
  if (channels == 0)
    refuse(function, "expected an axis of channels beside axis 0, which is the batch, got 0", at);
  return channels;
}

Array tenon::detail::group_norm(const Operand &operand, int groups, const Operand &scale, const Operand &offset,
                                double epsilon, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("group_norm", at, {{"x", operand}, {"scale", scale}, {"offset", offset}});
  const Floats floats("group_norm", {&operand, &scale, &offset});
  expectEpsilon("group_norm", epsilon, at);
  const Array &x = floats[0];
  const int64_t channels = channelAxis("group_norm", x, axis, 2, at);
  const Dim count = x.shape()[static_cast<int>(channels)];
  if (!count.is_static())
    refuse("group_norm", "expected an axis of channels whose size is known, got " + count.str(), at);
  if (groups < 1 || count.raw() % groups != 0)
    refuse("group_norm",
           "expected a number of groups that divides the channels, got " + std::to_string(groups) + " of " +
               count.str(),
           at);
  const Array factor = ofChannels("group_norm", "scale", scale, floats[1], x, channels);
  const Array shift = ofChannels("group_norm", "offset", offset, floats[2], x, channels);
  Shape split;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i == channels) {
      split.push_back(groups);
      split.push_back(count.raw() / groups, userLocation(at));
    } else {
      split.push_back(x.shape()[i], userLocation(at));
    }
  }
  const Array parts = reshape(x, split);
  const Array normalized = standardized(parts, allBut(parts, {0, channels}), epsilon, at);
  return floats.rounded(reshape(normalized, x.shape()) * factor + shift);
}

Array tenon::detail::instance_norm(const Operand &operand, const Operand &scale, const Operand &offset, double epsilon,
                                   Axis axis) {
  const Location at = operand.location();
  DoorScope scope("instance_norm", at, {{"x", operand}, {"scale", scale}, {"offset", offset}});
  const Floats floats("instance_norm", {&operand, &scale, &offset});
  expectEpsilon("instance_norm", epsilon, at);
  const Array &x = floats[0];
  const int64_t channels = channelAxis("instance_norm", x, axis, 3, at);
  const Array factor = ofChannels("instance_norm", "scale", scale, floats[1], x, channels);
  const Array shift = ofChannels("instance_norm", "offset", offset, floats[2], x, channels);
  return floats.rounded(standardized(x, allBut(x, {0, channels}), epsilon, at) * factor + shift);
}
