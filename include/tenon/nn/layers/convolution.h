//===- convolution.h - layers of convolutions ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs have a batch axis, one to three spatial axes and the channels: (batch, length, channels), (batch, height,
// width, channels), (batch, depth, height, width, channels), or with the channels after the batch (`data_format`).
// Another rank is an Error that names the layer. Kernels have Keras' shapes in both formats.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layer.h>
#include <tenon/padding.h>

namespace tenon::nn {

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

template <int Rank>
struct BasicConvOptions {
  Sizes<Rank> strides = 1;
  Padding padding = PaddingMode::valid;
  DataFormat data_format = DataFormat::channels_last;
  Sizes<Rank> dilation = 1;
  /// Parts that the channels are cut into; each part of the filters sees its part of the input.
  int64_t groups = 1;
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  /// The sizes of an input without the batch: builds the layer at once.
  Shape input_shape = {};
};
using Conv1DOptions = BasicConvOptions<1>;
using Conv2DOptions = BasicConvOptions<2>;
using Conv3DOptions = BasicConvOptions<3>;

/// Convolution along Rank axes; the kernel is [window..., channels / groups, filters].
template <int Rank>
class BasicConv : public Layer {
public:
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

protected:
  BasicConv(const char *layer, int64_t filters, const Sizes<Rank> &size, const BasicConvOptions<Rank> &options,
            Location at);

private:
  int64_t filters_;
  Sizes<Rank> size_;
  BasicConvOptions<Rank> options_;
  Weight kernel_, bias_;
};

/// Convolves sequences with `filters` kernels of this size, adds the bias and applies the activation: (batch, length,
/// channels) to (batch, new length, filters). With `.padding = tn::causal` an element depends on no later one.
class Conv1D : public BasicConv<1> {
public:
  explicit Conv1D(int64_t filters, Size1 kernel_size, const Conv1DOptions &options = {},
                  Location at = Location::current())
      : BasicConv("Conv1D", filters, kernel_size, options, at) {}
};
/// Convolves images with `filters` kernels of this size, adds the bias and applies the activation: (batch, height,
/// width, channels) to (batch, new height, new width, filters).
class Conv2D : public BasicConv<2> {
public:
  explicit Conv2D(int64_t filters, Size2 kernel_size, const Conv2DOptions &options = {},
                  Location at = Location::current())
      : BasicConv("Conv2D", filters, kernel_size, options, at) {}
};
/// Convolves volumes with `filters` kernels of this size, adds the bias and applies the activation: (batch, depth,
/// height, width, channels) to (batch, new depth, new height, new width, filters).
class Conv3D : public BasicConv<3> {
public:
  explicit Conv3D(int64_t filters, Size3 kernel_size, const Conv3DOptions &options = {},
                  Location at = Location::current())
      : BasicConv("Conv3D", filters, kernel_size, options, at) {}
};

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

template <int Rank>
struct BasicConvTransposeOptions {
  Sizes<Rank> strides = 1;
  /// Numbers remove as many elements from the `valid` result, as in PyTorch.
  Padding padding = PaddingMode::valid;
  /// Elements that the result has more at its end.
  Sizes<Rank> output_padding = {};
  DataFormat data_format = DataFormat::channels_last;
  Sizes<Rank> dilation = 1;
  int64_t groups = 1;
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  /// The sizes of an input without the batch: builds the layer at once.
  Shape input_shape = {};
};
using Conv1DTransposeOptions = BasicConvTransposeOptions<1>;
using Conv2DTransposeOptions = BasicConvTransposeOptions<2>;
using Conv3DTransposeOptions = BasicConvTransposeOptions<3>;

/// Transposed convolution along Rank axes; the kernel is [window..., filters / groups, channels].
template <int Rank>
class BasicConvTranspose : public Layer {
public:
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

protected:
  BasicConvTranspose(const char *layer, int64_t filters, const Sizes<Rank> &size,
                     const BasicConvTransposeOptions<Rank> &options, Location at);

private:
  int64_t filters_;
  Sizes<Rank> size_;
  BasicConvTransposeOptions<Rank> options_;
  Weight kernel_, bias_;
};

/// Convolution in the other direction, for decoders: (batch, length, channels) to a sequence that is `strides` times as
/// long with `same` padding, and `(length - 1) * strides + kernel_size` long with `valid`.
class Conv1DTranspose : public BasicConvTranspose<1> {
public:
  explicit Conv1DTranspose(int64_t filters, Size1 kernel_size, const Conv1DTransposeOptions &options = {},
                           Location at = Location::current())
      : BasicConvTranspose("Conv1DTranspose", filters, kernel_size, options, at) {}
};
/// Convolution in the other direction, for decoders: (batch, height, width, channels) to an image that is `strides`
/// times as large with `same` padding.
class Conv2DTranspose : public BasicConvTranspose<2> {
public:
  explicit Conv2DTranspose(int64_t filters, Size2 kernel_size, const Conv2DTransposeOptions &options = {},
                           Location at = Location::current())
      : BasicConvTranspose("Conv2DTranspose", filters, kernel_size, options, at) {}
};
/// Convolution in the other direction, for decoders: (batch, depth, height, width, channels) to a volume that is
/// `strides` times as large with `same` padding.
class Conv3DTranspose : public BasicConvTranspose<3> {
public:
  explicit Conv3DTranspose(int64_t filters, Size3 kernel_size, const Conv3DTransposeOptions &options = {},
                           Location at = Location::current())
      : BasicConvTranspose("Conv3DTranspose", filters, kernel_size, options, at) {}
};

//===----------------------------------------------------------------------===//
// Depthwise and separable convolution
//===----------------------------------------------------------------------===//

template <int Rank>
struct BasicDepthwiseConvOptions {
  Sizes<Rank> strides = 1;
  Padding padding = PaddingMode::valid;
  /// Results that each channel gives.
  int64_t depth_multiplier = 1;
  DataFormat data_format = DataFormat::channels_last;
  Sizes<Rank> dilation = 1;
  Activation activation = {};
  bool use_bias = true;
  /// Its fans are those of one channel: a window in, the other channels do not count.
  Initializer depthwise_initializer = glorot_uniform();
  Initializer bias_initializer = zeros();
  Regularizer depthwise_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint depthwise_constraint = {}, bias_constraint = {};
  /// The sizes of an input without the batch: builds the layer at once.
  Shape input_shape = {};
};
using DepthwiseConv1DOptions = BasicDepthwiseConvOptions<1>;
using DepthwiseConv2DOptions = BasicDepthwiseConvOptions<2>;

/// Convolution of each channel by itself; the kernel is [window..., channels, depth_multiplier].
template <int Rank>
class BasicDepthwiseConv : public Layer {
public:
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

protected:
  BasicDepthwiseConv(const char *layer, const Sizes<Rank> &size, const BasicDepthwiseConvOptions<Rank> &options,
                     Location at);

private:
  Sizes<Rank> size_;
  BasicDepthwiseConvOptions<Rank> options_;
  Weight kernel_, bias_;
};

/// Convolves each channel of sequences with its own kernels: (batch, length, channels) to (batch, new length, channels
/// * depth_multiplier), the results of a channel side by side.
class DepthwiseConv1D : public BasicDepthwiseConv<1> {
public:
  explicit DepthwiseConv1D(Size1 kernel_size, const DepthwiseConv1DOptions &options = {},
                           Location at = Location::current())
      : BasicDepthwiseConv("DepthwiseConv1D", kernel_size, options, at) {}
};
/// Convolves each channel of images with its own kernels: (batch, height, width, channels) to (batch, new height, new
/// width, channels * depth_multiplier), the results of a channel side by side.
class DepthwiseConv2D : public BasicDepthwiseConv<2> {
public:
  explicit DepthwiseConv2D(Size2 kernel_size, const DepthwiseConv2DOptions &options = {},
                           Location at = Location::current())
      : BasicDepthwiseConv("DepthwiseConv2D", kernel_size, options, at) {}
};

template <int Rank>
struct BasicSeparableConvOptions {
  Sizes<Rank> strides = 1;
  Padding padding = PaddingMode::valid;
  DataFormat data_format = DataFormat::channels_last;
  Sizes<Rank> dilation = 1;
  /// Results that each channel gives before they are mixed.
  int64_t depth_multiplier = 1;
  Activation activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = glorot_uniform(), pointwise_initializer = glorot_uniform();
  Initializer bias_initializer = zeros();
  Regularizer depthwise_regularizer = {}, pointwise_regularizer = {}, bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint depthwise_constraint = {}, pointwise_constraint = {}, bias_constraint = {};
  /// The sizes of an input without the batch: builds the layer at once.
  Shape input_shape = {};
};
using SeparableConv1DOptions = BasicSeparableConvOptions<1>;
using SeparableConv2DOptions = BasicSeparableConvOptions<2>;

/// Convolution of each channel by itself, then a mix of the channels at each place. The kernels are [window...,
/// channels, depth_multiplier] and [1..., channels * depth_multiplier, filters].
template <int Rank>
class BasicSeparableConv : public Layer {
public:
  Variable depthwise_kernel() const { return depthwise_; }
  Variable pointwise_kernel() const { return pointwise_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

protected:
  BasicSeparableConv(const char *layer, int64_t filters, const Sizes<Rank> &size,
                     const BasicSeparableConvOptions<Rank> &options, Location at);

private:
  int64_t filters_;
  Sizes<Rank> size_;
  BasicSeparableConvOptions<Rank> options_;
  Weight depthwise_, pointwise_, bias_;
};

/// A depthwise convolution of sequences, then a mix of the channels into `filters`: (batch, length, channels) to
/// (batch, new length, filters).
class SeparableConv1D : public BasicSeparableConv<1> {
public:
  explicit SeparableConv1D(int64_t filters, Size1 kernel_size, const SeparableConv1DOptions &options = {},
                           Location at = Location::current())
      : BasicSeparableConv("SeparableConv1D", filters, kernel_size, options, at) {}
};
/// A depthwise convolution of images, then a mix of the channels into `filters` (Chollet, 2017): (batch, height, width,
/// channels) to (batch, new height, new width, filters).
class SeparableConv2D : public BasicSeparableConv<2> {
public:
  explicit SeparableConv2D(int64_t filters, Size2 kernel_size, const SeparableConv2DOptions &options = {},
                           Location at = Location::current())
      : BasicSeparableConv("SeparableConv2D", filters, kernel_size, options, at) {}
};

} // namespace tenon::nn
