//===- Activations.cpp - activations and functions as layers -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"

#include <tenon/nn/layers/activations.h>

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

static nn::Activation limited(const nn::ReLUOptions &options) {
  auto function = [options](const Array &x) {
    const double slope = options.negative_slope, threshold = options.threshold, limit = options.max_value;
    Array y = threshold == 0 && slope == 0 ? relu(x)
                                           : where(x >= threshold, x, slope == 0 ? Array(0) : (x - threshold) * slope);
    return std::isinf(limit) ? y : minimum(y, limit);
  };
  return {function, "relu"};
}

nn::ReLU::ReLU(const ReLUOptions &options, Location at) : ActivationLayer(limited(options)) {
  auto expect = [&](bool is, const char *sentence, double got) {
    if (!is)
      throw Error(std::string("ReLU: expected ") + sentence + ", got " + Scalar(got).str(), userLocation(at));
  };
  expect(options.max_value >= 0, "max_value >= 0", options.max_value);
  expect(options.negative_slope >= 0, "negative_slope >= 0", options.negative_slope);
  expect(options.threshold >= 0, "threshold >= 0", options.threshold);
}
nn::LeakyReLU::LeakyReLU(double negative_slope)
    : ActivationLayer({[=](const Array &x) { return leaky_relu(x, negative_slope); }, "leaky_relu"}) {}
nn::ELU::ELU(double alpha) : ActivationLayer({[=](const Array &x) { return elu(x, alpha); }, "elu"}) {}
nn::CELU::CELU(double alpha) : ActivationLayer({[=](const Array &x) { return celu(x, alpha); }, "celu"}) {}
nn::GELU::GELU(bool approximate) : ActivationLayer({[=](const Array &x) { return gelu(x, approximate); }, "gelu"}) {}
nn::Softmax::Softmax(Axis axis) : ActivationLayer({[=](const Array &x) { return softmax(x, axis); }, "softmax"}) {}
nn::LogSoftmax::LogSoftmax(Axis axis)
    : ActivationLayer({[=](const Array &x) { return log_softmax(x, axis); }, "log_softmax"}) {}

nn::PReLU::PReLU(const PReLUOptions &options, Location at) : options_(options) {
  setRules(alpha_, options.alpha_regularizer, options.alpha_constraint);
  for (const int64_t axis : options.shared_axes.values())
    if (axis < 1)
      throw Error("PReLU: expected shared_axes from 1, since axis 0 is the batch, got " + std::to_string(axis),
                  userLocation(at));
}
void nn::PReLU::build(const Shape &input) const {
  const LayerCall here(*this);
  here.expectBatch(input);
  std::vector<bool> isShared(static_cast<size_t>(input.rank()));
  for (const int64_t axis : options_.shared_axes.values())
    isShared[static_cast<size_t>(here.axisOf(input, axis))] = true;
  Shape shape;
  for (int axis = 1; axis < input.rank(); ++axis)
    shape.push_back(isShared[static_cast<size_t>(axis)] ? Dim(1) : Dim(input[axis]));
  if (alpha_.has_value() && provably_equal(alpha_.shape(), shape) != Always::yes)
    here.refuseSize("examples for slopes of shape " + alpha_.shape().str(), input);
  alpha_.build(shape, options_.alpha_initializer);
}
Array nn::PReLU::call(const Array &x) const {
  const LayerCall here(*this);
  return where(x >= 0, x, alpha_ * x);
}
void nn::PReLU::fields(Fields &f) { f("alpha", alpha_); }
