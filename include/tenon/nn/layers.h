//===- layers.h - the library's layers ----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options are Keras', in Keras' order, by name: `nn::Dense{64, {.activation = tn::relu}}`. Axis 0 of an input is the
// batch. Images are (batch, height, width, channels) unless `data_format` says otherwise.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layer.h>
#include <tenon/padding.h>

namespace tenon::nn {

struct DenseOptions {
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  /// The sizes of an input without the batch: builds the layer at once.
  Shape input_shape = {};
};
/// Computes `activation(x @ kernel + bias)`: (..., features) to (..., units).
class Dense : public Layer {
public:
  explicit Dense(int64_t units, const DenseOptions &options = {}, Location at = Location::current());
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  int64_t units_;
  DenseOptions options_;
  Weight kernel_, bias_;
};

struct Conv2DOptions {
  Size2 strides = 1;
  Padding padding = PaddingMode::valid;
  DataFormat data_format = DataFormat::channels_last;
  Size2 dilation = 1;
  int64_t groups = 1;
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  /// The sizes of an input without the batch: builds the layer at once.
  Shape input_shape = {};
};
/// Convolves images with `filters` kernels of this size, adds the bias and applies the activation: (batch, height,
/// width, channels) to (batch, new height, new width, filters).
class Conv2D : public Layer {
public:
  explicit Conv2D(int64_t filters, Size2 kernel_size, const Conv2DOptions &options = {},
                  Location at = Location::current());
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  int64_t filters_;
  Size2 size_;
  Conv2DOptions options_;
  Weight kernel_, bias_;
};

/// Convolution in the other direction, for decoders: (batch, height, width, channels) to an image that is `strides`
/// times as large with `same` padding. The kernel is [height, width, filters / groups, channels].
class Conv2DTranspose : public Layer {
public:
  explicit Conv2DTranspose(int64_t filters, Size2 kernel_size, const Conv2DOptions &options = {},
                           Location at = Location::current());
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  int64_t filters_;
  Size2 size_;
  Conv2DOptions options_;
  Weight kernel_, bias_;
};

struct Pooling2DOptions {
  /// Left out: the size of the window.
  Size2 strides = {};
  Padding padding = PaddingMode::valid;
  DataFormat data_format = DataFormat::channels_last;
};
/// The greatest element of each window.
class MaxPooling2D : public Layer {
public:
  explicit MaxPooling2D(Size2 pool_size = 2, const Pooling2DOptions &options = {}, Location at = Location::current());
  Array call(const Array &x) const override;

private:
  Size2 size_;
  Pooling2DOptions options_;
};
/// The mean of each window, over the elements that lie within the image.
class AveragePooling2D : public Layer {
public:
  explicit AveragePooling2D(Size2 pool_size = 2, const Pooling2DOptions &options = {},
                            Location at = Location::current());
  Array call(const Array &x) const override;

private:
  Size2 size_;
  Pooling2DOptions options_;
};
struct GlobalPoolingOptions {
  DataFormat data_format = DataFormat::channels_last;
  /// Whether height and width stay, with size 1.
  bool keepdims = false;
};
/// The mean over height and width: (batch, height, width, channels) to (batch, channels).
class GlobalAveragePooling2D : public Layer {
public:
  explicit GlobalAveragePooling2D(const GlobalPoolingOptions &options = {}) : options_(options) {}
  Array call(const Array &x) const override;

private:
  GlobalPoolingOptions options_;
};
/// The greatest element over height and width: (batch, height, width, channels) to (batch, channels).
class GlobalMaxPooling2D : public Layer {
public:
  explicit GlobalMaxPooling2D(const GlobalPoolingOptions &options = {}) : options_(options) {}
  Array call(const Array &x) const override;

private:
  GlobalPoolingOptions options_;
};

/// All axes but the batch as one: (batch, ...) to (batch, elements).
class Flatten : public Layer {
public:
  Flatten() = default;
  Array call(const Array &x) const override;
};
/// Another shape of each example: (batch, ...) to (batch, shape...). One size may be -1.
class Reshape : public Layer {
public:
  explicit Reshape(Shape shape) : shape_(std::move(shape)) {}
  Array call(const Array &x) const override;

private:
  Shape shape_;
};

struct DropoutOptions {
  /// Left out: keys from the default generator, which tn::set_seed starts anew.
  std::optional<uint64_t> seed = {};
};
/// In training sets a share `rate` of the elements to 0, at random, and divides the others by `1 - rate`; in inference
/// the identity (Srivastava et al., 2014).
class Dropout : public Layer {
public:
  explicit Dropout(double rate, const DropoutOptions &options = {}, Location at = Location::current());
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  double rate_;
  DropoutOptions options_;
  /// The key of the next call, of one with a seed.
  State key_;
};

struct BatchNormOptions {
  Axis axis = -1;
  double momentum = 0.99, epsilon = 1e-3;
  /// Whether it has a gamma, and a beta, that it learns.
  bool scale = true, center = true;
};
/// Normalizes each channel to mean beta and standard deviation gamma (Ioffe and Szegedy, 2015). In training by the
/// moments of the batch, which also move the moving ones: `moving = momentum * moving + (1 - momentum) * batch`; in
/// inference by the moving ones.
class BatchNorm : public Layer {
public:
  explicit BatchNorm(const BatchNormOptions &options = {}, Location at = Location::current());
  Variable gamma() const { return gamma_; }
  Variable beta() const { return beta_; }
  Variable moving_mean() const { return mean_; }
  Variable moving_variance() const { return variance_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  PolicyCasts policy_casts() const override { return PolicyCasts::result; }
  void fields(Fields &f) override;

private:
  BatchNormOptions options_;
  Weight gamma_, beta_;
  State mean_, variance_;
};

struct NormOptions {
  Axis axis = -1;
  double epsilon = 1e-3;
};
/// Normalizes each example along an axis to mean beta and standard deviation gamma (Ba et al., 2016).
class LayerNorm : public Layer {
public:
  explicit LayerNorm(const NormOptions &options = {}) : options_(options) {}
  Variable gamma() const { return gamma_; }
  Variable beta() const { return beta_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  PolicyCasts policy_casts() const override { return PolicyCasts::result; }
  void fields(Fields &f) override;

private:
  NormOptions options_;
  Weight gamma_, beta_;
};

struct EmbeddingOptions {
  Initializer embeddings_initializer = uniform();
};
/// Looks up a row of a table for each integer: (...) to (..., output_dim). An integer out of range is an Error eagerly,
/// and NaN under jit.
class Embedding : public Layer {
public:
  explicit Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions &options = {},
                     Location at = Location::current());
  Variable embeddings() const { return embeddings_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  int64_t inputs_, outputs_;
  EmbeddingOptions options_;
  Weight embeddings_;
};

/// An activation as a layer: `nn::ActivationLayer{tn::relu}`.
class ActivationLayer : public Layer {
public:
  explicit ActivationLayer(Activation activation) : activation_(std::move(activation)) {}
  Array call(const Array &x) const override { return activation_(x); }

private:
  Activation activation_;
};
/// max(x, 0).
class ReLU : public ActivationLayer {
public:
  ReLU() : ActivationLayer(tenon::relu) {}
};
/// Positive elements, and the others times `negative_slope`.
class LeakyReLU : public ActivationLayer {
public:
  explicit LeakyReLU(double negative_slope = 0.3);
};
/// Softmax along an axis.
class Softmax : public ActivationLayer {
public:
  explicit Softmax(Axis axis = -1);
};

} // namespace tenon::nn
