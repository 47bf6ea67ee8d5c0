//===- Values.cpp - activations and initializers ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/nn/values.h>

#include <tenon/random.h>

#include <algorithm>
#include <cmath>
#include <iterator>

using namespace tenon;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
using Plain = Array (*)(const Operand &);
struct Named {
  Plain function;
  const char *name;
};
} // namespace
/// What these functions are called: a pointer does not know.
static const Named plainNames[] = {
    {relu, "relu"},
    {relu6, "relu6"},
    {selu, "selu"},
    {sigmoid, "sigmoid"},
    {silu, "silu"},
    {swish, "swish"},
    {softplus, "softplus"},
    {softsign, "softsign"},
    {soft_sign, "soft_sign"},
    {log_sigmoid, "log_sigmoid"},
    {hard_tanh, "hard_tanh"},
    {hard_silu, "hard_silu"},
    {mish, "mish"},
    {tanh, "tanh"},
    {exp, "exponential"},
    {hard_sigmoid, "hard_sigmoid"},
    {hard_swish, "hard_swish"},
};

nn::Activation::Activation(Array (*function)(const Operand &)) : name_("lambda") {
  function_ = [function](const Array &x) { return function(x); };
  for (const Named &one : plainNames)
    if (one.function == function)
      name_ = one.name;
}
nn::Activation::Activation(Array (*function)(const Operand &, Axis)) {
  function_ = [function](const Array &x) { return function(x, -1); };
  name_ = function == static_cast<Array (*)(const Operand &, Axis)>(softmax)       ? "softmax"
          : function == static_cast<Array (*)(const Operand &, Axis)>(log_softmax) ? "log_softmax"
                                                                                   : "lambda";
}
nn::Activation::Activation(Array (*function)(const Operand &, bool)) {
  function_ = [function](const Array &x) { return function(x, true); };
  name_ = function == static_cast<Array (*)(const Operand &, bool)>(gelu) ? "gelu" : "lambda";
}
nn::Activation::Activation(Array (*function)(const Operand &, double)) {
  static constexpr auto slope = static_cast<Array (*)(const Operand &, double)>(leaky_relu);
  const double parameter = function == slope ? 0.01 : 1;
  function_ = [function, parameter](const Array &x) { return function(x, parameter); };
  name_ = function == slope                                                   ? "leaky_relu"
          : function == static_cast<Array (*)(const Operand &, double)>(elu)  ? "elu"
          : function == static_cast<Array (*)(const Operand &, double)>(celu) ? "celu"
                                                                              : "lambda";
}

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

namespace {
struct Fans {
  double in, out;
};
} // namespace
/// As Keras counts them.
static Fans fansOf(const Shape &shape) {
  const int rank = shape.rank();
  if (rank < 2) {
    const double size = rank == 0 ? 1 : static_cast<double>(shape[0].value());
    return {size, size};
  }
  double places = 1;
  for (int axis = 0; axis < rank - 2; ++axis)
    places *= static_cast<double>(shape[axis].value());
  return {places * static_cast<double>(shape[-2].value()), places * static_cast<double>(shape[-1].value())};
}

nn::Initializer nn::zeros() {
  return {[](const Key &, const Shape &shape) { return tenon::zeros(shape); }, "zeros"};
}
nn::Initializer nn::ones() {
  return {[](const Key &, const Shape &shape) { return tenon::ones(shape); }, "ones"};
}
nn::Initializer nn::constant(double value) {
  return {[value](const Key &, const Shape &shape) { return full(shape, value, Dtype::f32); }, "constant"};
}
nn::Initializer nn::normal(double stddev, double mean) {
  return {[=](const Key &key, const Shape &shape) { return random::normal(key, shape) * stddev + mean; }, "normal"};
}
nn::Initializer nn::truncated_normal(double stddev, double mean) {
  auto make = [=](const Key &key, const Shape &shape) {
    return random::truncated_normal(key, -2.0f, 2.0f, shape, Dtype::f32) * stddev + mean;
  };
  return {make, "truncated_normal"};
}
nn::Initializer nn::uniform(double low, double high) {
  auto make = [=](const Key &key, const Shape &shape) { return random::uniform(key, shape, Dtype::f32, low, high); };
  return {make, "uniform"};
}
static nn::Initializer scaled(double scale, nn::FanMode mode, nn::InitialDistribution distribution, const char *name) {
  auto make = [=](const Key &key, const Shape &shape) {
    const Fans fans = fansOf(shape);
    const double fan = mode == nn::FanMode::fan_in    ? fans.in
                       : mode == nn::FanMode::fan_out ? fans.out
                                                      : (fans.in + fans.out) / 2;
    // A fan of 0 makes no elements.
    const double variance = scale / std::max(fan, 1.0);
    if (distribution == nn::InitialDistribution::uniform) {
      const double limit = std::sqrt(3 * variance);
      return random::uniform(key, shape, Dtype::f32, -limit, limit);
    }
    if (distribution == nn::InitialDistribution::untruncated_normal)
      return random::normal(key, shape) * std::sqrt(variance);
    // The standard deviation of a normal distribution that is cut off at 2.
    constexpr double ofCut = 0.87962566103423978;
    return random::truncated_normal(key, -2.0f, 2.0f, shape, Dtype::f32) * (std::sqrt(variance) / ofCut);
  };
  return {make, name};
}
nn::Initializer nn::variance_scaling(const VarianceScalingOptions &options, Location at) {
  if (!(options.scale > 0))
    throw Error("variance_scaling: expected scale > 0, got " + Scalar(options.scale).str(), at);
  return scaled(options.scale, options.mode, options.distribution, "variance_scaling");
}
nn::Initializer nn::glorot_uniform() {
  return scaled(1, FanMode::fan_avg, InitialDistribution::uniform, "glorot_uniform");
}
nn::Initializer nn::glorot_normal() {
  return scaled(1, FanMode::fan_avg, InitialDistribution::truncated_normal, "glorot_normal");
}
nn::Initializer nn::he_uniform() { return scaled(2, FanMode::fan_in, InitialDistribution::uniform, "he_uniform"); }
nn::Initializer nn::he_normal() {
  return scaled(2, FanMode::fan_in, InitialDistribution::truncated_normal, "he_normal");
}
nn::Initializer nn::lecun_uniform() {
  return scaled(1, FanMode::fan_in, InitialDistribution::uniform, "lecun_uniform");
}
nn::Initializer nn::lecun_normal() {
  return scaled(1, FanMode::fan_in, InitialDistribution::truncated_normal, "lecun_normal");
}
nn::Initializer nn::orthogonal(double gain) {
  auto make = [gain](const Key &key, const Shape &shape) {
    if (shape.rank() < 2)
      throw Error("orthogonal: expected a shape of rank 2 or more, got " + shape.str());
    int64_t rows = 1;
    for (int axis = 0; axis < shape.rank() - 1; ++axis)
      rows *= shape[axis].value();
    const int64_t columns = shape[-1].value();
    const auto [Q, R] = linalg::qr(random::normal(key, {std::max(rows, columns), std::min(rows, columns)}));
    // With the signs of R's diagonal all such matrices are equally likely.
    const Array signs = where(diagonal(R) < 0, -1.0f, 1.0f);
    const Array matrix = Q * signs;
    return reshape(rows < columns ? matrix.T() : matrix, shape) * gain;
  };
  return {make, "orthogonal"};
}
nn::Initializer nn::identity(double gain) {
  auto make = [gain](const Key &, const Shape &shape) {
    if (shape.rank() != 2)
      throw Error("identity: expected a shape of rank 2, got " + shape.str());
    return eye(shape[0], shape[1]) * gain;
  };
  return {make, "identity"};
}
