//===- activations.h - activations and functions as layers ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain takes functions, too: `nn::Sequential{nn::Dense{64}, tn::relu}`. The layers are for habits, options and
// PReLU's weight. Each computes the function in ops.h; defaults are Keras' and PyTorch's.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layer.h>

#include <limits>

namespace tenon::nn {

/// An activation as a layer: `nn::ActivationLayer{tn::relu}`.
class ActivationLayer : public Layer {
public:
  explicit ActivationLayer(Activation activation) : activation_(std::move(activation)) {}
  Array call(const Array &x) const override { return activation_(x); }

private:
  Activation activation_;
};
/// Any function of an array as a layer: `nn::Lambda{[](const tn::Array &x) { return x * 2; }}`. A Weight that the
/// function builds is an Error, since optimizers and checkpoints would miss it: such a function is a struct with the
/// Weight as a member.
class Lambda : public ActivationLayer {
public:
  using ActivationLayer::ActivationLayer;
};
/// Gives its input: a place that another layer can take.
class Identity : public Layer {
public:
  Array call(const Array &x) const override { return x; }
};

struct ReLUOptions {
  /// Limits the result; infinite: no limit.
  double max_value = std::numeric_limits<double>::infinity();
  /// The slope below the threshold.
  double negative_slope = 0;
  double threshold = 0;
};
/// max(x, 0). With options: `max_value` where x >= max_value, x where x >= threshold, `negative_slope * (x -
/// threshold)` below.
class ReLU : public ActivationLayer {
public:
  ReLU() : ActivationLayer(tenon::relu) {}
  explicit ReLU(const ReLUOptions &options, Location at = Location::current());
};
/// Positive elements, and the others times `negative_slope`; Keras' default is 0.3, PyTorch's 0.01.
class LeakyReLU : public ActivationLayer {
public:
  explicit LeakyReLU(double negative_slope = 0.3);
};
/// min(max(x, 0), 6).
class ReLU6 : public ActivationLayer {
public:
  ReLU6() : ActivationLayer(tenon::relu6) {}
};
/// x where x > 0, `alpha * (exp(x) - 1)` elsewhere (Clevert et al., 2016).
class ELU : public ActivationLayer {
public:
  explicit ELU(double alpha = 1);
};
/// x where x > 0, `alpha * (exp(x / alpha) - 1)` elsewhere (Barron, 2017).
class CELU : public ActivationLayer {
public:
  explicit CELU(double alpha = 1);
};
/// ELU with the alpha and scale that keep mean 0 and variance 1 (Klambauer et al., 2017).
class SELU : public ActivationLayer {
public:
  SELU() : ActivationLayer(tenon::selu) {}
};
/// Gaussian error linear unit (Hendrycks and Gimpel, 2016); exact, as in Keras and PyTorch, where `tn::gelu` is JAX's
/// approximation unless told otherwise.
class GELU : public ActivationLayer {
public:
  explicit GELU(bool approximate = false);
};
/// x * sigmoid(x).
class SiLU : public ActivationLayer {
public:
  SiLU() : ActivationLayer(tenon::silu) {}
};
/// Another name of SiLU.
using Swish = SiLU;
/// x * tanh(softplus(x)) (Misra, 2020).
class Mish : public ActivationLayer {
public:
  Mish() : ActivationLayer(tenon::mish) {}
};
/// log(1 + exp(x)).
class Softplus : public ActivationLayer {
public:
  Softplus() : ActivationLayer(tenon::softplus) {}
};
/// x / (1 + |x|).
class Softsign : public ActivationLayer {
public:
  Softsign() : ActivationLayer(tenon::softsign) {}
};
/// Hyperbolic tangent.
class Tanh : public ActivationLayer {
public:
  Tanh() : ActivationLayer(tenon::tanh) {}
};
/// 1 / (1 + exp(-x)).
class Sigmoid : public ActivationLayer {
public:
  Sigmoid() : ActivationLayer(tenon::sigmoid) {}
};
/// The logarithm of the sigmoid.
class LogSigmoid : public ActivationLayer {
public:
  LogSigmoid() : ActivationLayer(tenon::log_sigmoid) {}
};
/// x limited to [-1, 1].
class HardTanh : public ActivationLayer {
public:
  HardTanh() : ActivationLayer(tenon::hard_tanh) {}
};
/// relu6(x + 3) / 6.
class HardSigmoid : public ActivationLayer {
public:
  HardSigmoid() : ActivationLayer(tenon::hard_sigmoid) {}
};
/// x * relu6(x + 3) / 6 (Howard et al., 2019).
class HardSwish : public ActivationLayer {
public:
  HardSwish() : ActivationLayer(tenon::hard_swish) {}
};
/// Another name of HardSwish.
using HardSiLU = HardSwish;
/// Softmax along an axis.
class Softmax : public ActivationLayer {
public:
  explicit Softmax(Axis axis = -1);
};
/// The logarithm of the softmax along an axis.
class LogSoftmax : public ActivationLayer {
public:
  explicit LogSoftmax(Axis axis = -1);
};

struct PReLUOptions {
  Initializer alpha_initializer = zeros();
  Regularizer alpha_regularizer = {};
  Constraint alpha_constraint = {};
  /// Axes that one slope is for, from 1 (axis 0 is the batch): `{1, 2}` of images gives each channel a slope.
  Ints shared_axes = std::vector<int64_t>();
};
/// x where x >= 0, `alpha * x` elsewhere, with a learned alpha (He et al., 2015). alpha has the shape of an example,
/// with size 1 along `shared_axes`.
class PReLU : public Layer {
public:
  explicit PReLU(const PReLUOptions &options = {}, Location at = Location::current());
  Variable alpha() const { return alpha_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  PReLUOptions options_;
  Weight alpha_;
};

} // namespace tenon::nn
