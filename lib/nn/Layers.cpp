//===- Layers.cpp - layers of shapes, noise and normalization, and chains -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"

#include <tenon/generator.h>
#include <tenon/nn/layers.h>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Array nn::Flatten::call(const Array &x) const {
  const LayerCall here(*this);
  if (x.ndim() == 0)
    here.refuse("expected a batch along axis 0, got a shape of rank 0");
  Dim size = 1;
  for (int axis = 1; axis < x.ndim(); ++axis)
    size = size * x.shape()[axis];
  return reshape(x, {x.shape()[0], size});
}

Array nn::Reshape::call(const Array &x) const {
  const LayerCall here(*this);
  if (x.ndim() == 0)
    here.refuse("expected a batch along axis 0, got a shape of rank 0");
  Shape shape{x.shape()[0]};
  for (const Dim dim : shape_)
    shape.push_back(dim);
  return reshape(x, shape);
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

nn::Dropout::Dropout(double rate, const DropoutOptions &options, Location at) : rate_(rate), options_(options) {
  if (!(rate >= 0 && rate < 1))
    throw Error("Dropout: expected a rate in [0, 1), got " + Scalar(rate).str(), userLocation(at));
  if (options_.seed)
    key_.build({2}, {[seed = *options_.seed](const Key &, const Shape &) { return random::key(seed).data; }, "seed"},
               Dtype::u32, at);
}
Array nn::Dropout::call(const Array &x) const {
  const LayerCall here(*this);
  if (!training() || rate_ == 0)
    return x;
  Key key;
  if (options_.seed) {
    auto [next, own] = random::split(Key{key_.value()});
    key_.assign(next.data);
    key = own;
  } else {
    key = random::default_generator().key();
  }
  return where(random::bernoulli(key, 1 - rate_, x.shape()), x / (1 - rate_), 0);
}
void nn::Dropout::fields(Fields &f) {
  if (options_.seed)
    f("key", key_);
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

/// The axis from 0.
static int axisOf(const LayerCall &here, const Shape &input, Axis axis) {
  const int64_t number = axis.value();
  if (number < -input.rank() || number >= input.rank())
    here.refuse("expected an input with axis " + std::to_string(number) + ", got one of shape " + input.str());
  return static_cast<int>(number < 0 ? number + input.rank() : number);
}

nn::BatchNorm::BatchNorm(const BatchNormOptions &options, Location at) : options_(options) {
  if (!(options.momentum >= 0 && options.momentum <= 1))
    throw Error("BatchNorm: expected a momentum in [0, 1], got " + Scalar(options.momentum).str(), userLocation(at));
}
void nn::BatchNorm::build(const Shape &input) const {
  const LayerCall here(*this);
  const int axis = axisOf(here, input, options_.axis);
  here.expectSize("channels", axis, input, mean_, 0);
  const Shape shape{input[axis]};
  if (options_.scale)
    gamma_.build(shape, ones());
  if (options_.center)
    beta_.build(shape, zeros());
  mean_.build(shape, zeros());
  variance_.build(shape, ones());
}
Array nn::BatchNorm::call(const Array &x) const {
  const LayerCall here(*this);
  const tenon::BatchNormOptions options{.axis = options_.axis, .epsilon = options_.epsilon};
  const Array gamma = options_.scale ? Array(gamma_) : tenon::ones(mean_.shape());
  const Array beta = options_.center ? Array(beta_) : tenon::zeros(mean_.shape());
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

void nn::LayerNorm::build(const Shape &input) const {
  const LayerCall here(*this);
  const int axis = axisOf(here, input, options_.axis);
  here.expectSize("features", axis, input, gamma_, 0);
  gamma_.build({input[axis]}, ones());
  beta_.build({input[axis]}, zeros());
}
Array nn::LayerNorm::call(const Array &x) const {
  const LayerCall here(*this);
  return layer_norm(x, options_.axis.value(), gamma_, beta_, options_.epsilon);
}
void nn::LayerNorm::fields(Fields &f) { f("gamma", gamma_)("beta", beta_); }

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

nn::LeakyReLU::LeakyReLU(double negative_slope)
    : ActivationLayer({[=](const Array &x) { return leaky_relu(x, negative_slope); }, "leaky_relu"}) {}
nn::Softmax::Softmax(Axis axis) : ActivationLayer({[=](const Array &x) { return softmax(x, axis); }, "softmax"}) {}
