//===- Normalizations.cpp - layers that normalize --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"

#include <tenon/nn/layers/normalization.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

static void expectEpsilon(const char *layer, double epsilon, Location at) {
  if (!(epsilon >= 0))
    throw Error(std::string(layer) + ": expected epsilon >= 0, got " + Scalar(epsilon).str(), userLocation(at));
}
/// gamma, or ones.
static Array scaleOf(const nn::Weight &weight, bool isThere, const Shape &shape) {
  return isThere ? Array(weight) : ones(shape);
}
/// beta, or zeros.
static Array offsetOf(const nn::Weight &weight, bool isThere, const Shape &shape) {
  return isThere ? Array(weight) : zeros(shape);
}

template <class Options>
static void setRulesOf(const nn::Weight &gamma, const nn::Weight &beta, const Options &options) {
  setRules(gamma, options.gamma_regularizer, options.gamma_constraint);
  setRules(beta, options.beta_regularizer, options.beta_constraint);
}

//===----------------------------------------------------------------------===//
// Over the batch
//===----------------------------------------------------------------------===//

nn::BatchNorm::BatchNorm(const BatchNormOptions &options, Location at) : options_(options) {
  if (!(options.momentum >= 0 && options.momentum <= 1))
    throw Error("BatchNorm: expected a momentum in [0, 1], got " + Scalar(options.momentum).str(), userLocation(at));
  expectEpsilon("BatchNorm", options.epsilon, at);
  setRulesOf(gamma_, beta_, options);
}
void nn::BatchNorm::build(const Shape &input) const {
  const LayerCall here(*this);
  const int axis = here.axisOf(input, options_.axis.value());
  here.expectSize("channels", axis, input, mean_, 0);
  const Shape shape{input[axis]};
  if (options_.scale)
    gamma_.build(shape, options_.gamma_initializer);
  if (options_.center)
    beta_.build(shape, options_.beta_initializer);
  mean_.build(shape, zeros());
  variance_.build(shape, ones());
}
Array nn::BatchNorm::call(const Array &x) const {
  const LayerCall here(*this);
  const tenon::BatchNormOptions options{.axis = options_.axis, .epsilon = options_.epsilon};
  const Array gamma = scaleOf(gamma_, options_.scale, mean_.shape());
  const Array beta = offsetOf(beta_, options_.center, mean_.shape());
  if (!training())
    return batch_norm(x, mean_, variance_, gamma, beta, options);
  const tenon::BatchNorm normal = batch_norm_training(x, gamma, beta, options);
  auto move = [&](const State &moving, const Array &batch) {
    moving.assign(moving * options_.momentum + batch.astype(Dtype::f32) * (1 - options_.momentum));
  };
  move(mean_, normal.mean);
  move(variance_, normal.variance);
  return normal.y;
}
void nn::BatchNorm::fields(Fields &f) {
  if (options_.scale)
    f("gamma", gamma_);
  if (options_.center)
    f("beta", beta_);
  f("moving_mean", mean_)("moving_variance", variance_);
}

//===----------------------------------------------------------------------===//
// Over axes of each example
//===----------------------------------------------------------------------===//

/// The axes from 0, in order; refuses inputs without them.
static std::vector<int64_t> axesOf(const LayerCall &here, const Shape &input, const Ints &axes) {
  std::vector<int64_t> all;
  for (const int64_t axis : axes.values())
    all.push_back(here.axisOf(input, axis));
  std::ranges::sort(all);
  if (all.empty() || std::ranges::adjacent_find(all) != all.end())
    here.refuse("expected one axis or more, each once");
  return all;
}
/// The sizes of these axes; of a weight that is built they are the input's.
static Shape sizesOf(const LayerCall &here, const Shape &input, const std::vector<int64_t> &axes,
                     const nn::Weight *weight) {
  Shape sizes;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = static_cast<int>(axes[i]);
    if (weight)
      here.expectSize("features", axis, input, *weight, static_cast<int>(i));
    sizes.push_back(input[axis]);
  }
  return sizes;
}

nn::LayerNorm::LayerNorm(const NormOptions &options, Location at) : options_(options) {
  expectEpsilon("LayerNorm", options.epsilon, at);
  setRulesOf(gamma_, beta_, options);
}
void nn::LayerNorm::build(const Shape &input) const {
  const LayerCall here(*this);
  const Shape sizes = sizesOf(here, input, axesOf(here, input, options_.axis), options_.scale ? &gamma_ : &beta_);
  if (options_.scale)
    gamma_.build(sizes, options_.gamma_initializer);
  if (options_.center)
    beta_.build(sizes, options_.beta_initializer);
}
Array nn::LayerNorm::call(const Array &x) const {
  const LayerCall here(*this);
  const std::vector<int64_t> axes = axesOf(here, x.shape(), options_.axis);
  const Shape sizes = sizesOf(here, x.shape(), axes, nullptr);
  return layer_norm(x, axes, scaleOf(gamma_, options_.scale, sizes), offsetOf(beta_, options_.center, sizes),
                    options_.epsilon);
}
void nn::LayerNorm::fields(Fields &f) {
  if (options_.scale)
    f("gamma", gamma_);
  if (options_.center)
    f("beta", beta_);
}

nn::RMSNorm::RMSNorm(const RMSNormOptions &options, Location at) : options_(options) {
  expectEpsilon("RMSNorm", options.epsilon, at);
}
void nn::RMSNorm::build(const Shape &input) const {
  const LayerCall here(*this);
  scale_.build(sizesOf(here, input, axesOf(here, input, options_.axis), &scale_), ones());
}
Array nn::RMSNorm::call(const Array &x) const {
  const LayerCall here(*this);
  return rms_norm(x, axesOf(here, x.shape(), options_.axis), scale_, {.epsilon = options_.epsilon});
}
void nn::RMSNorm::fields(Fields &f) { f("scale", scale_); }

//===----------------------------------------------------------------------===//
// Over groups of channels
//===----------------------------------------------------------------------===//

nn::GroupNorm::GroupNorm(int64_t groups, const GroupNormOptions &options, Location at)
    : groups_(groups), options_(options) {
  if (groups < 1 && groups != -1)
    throw Error("GroupNorm: expected groups >= 1, or -1 for as many as channels, got " + std::to_string(groups),
                userLocation(at));
  expectEpsilon("GroupNorm", options.epsilon, at);
  setRulesOf(gamma_, beta_, options);
}
void nn::GroupNorm::build(const Shape &input) const {
  const LayerCall here(*this);
  const int axis = here.axisOf(input, options_.axis.value());
  if (axis == 0)
    here.refuse("expected channels along another axis than the batch, got axis 0");
  if (groups_ == -1 && input.rank() < 3)
    here.refuse("expected an input with a batch, places and channels, got " + input.str());
  here.expectSize("channels", axis, input, options_.scale ? gamma_ : beta_, 0);
  const Dim channels = input[axis];
  if (!channels.is_static() || (groups_ > 0 && channels.value() % groups_ != 0))
    here.refuse("expected a known number of channels that is a multiple of the " + std::to_string(groups_) +
                " groups, got an input of shape " + input.str());
  if (options_.scale)
    gamma_.build({channels}, options_.gamma_initializer);
  if (options_.center)
    beta_.build({channels}, options_.beta_initializer);
}
Array nn::GroupNorm::call(const Array &x) const {
  const LayerCall here(*this);
  const Dim channels = x.shape()[here.axisOf(x.shape(), options_.axis.value())];
  const Array gamma = scaleOf(gamma_, options_.scale, {channels}), beta = offsetOf(beta_, options_.center, {channels});
  const tenon::GroupNormOptions options{.epsilon = options_.epsilon, .axis = options_.axis};
  if (groups_ == -1)
    return instance_norm(x, gamma, beta, options);
  return group_norm(x, static_cast<int>(groups_), gamma, beta, options);
}
void nn::GroupNorm::fields(Fields &f) {
  if (options_.scale)
    f("gamma", gamma_);
  if (options_.center)
    f("beta", beta_);
}
