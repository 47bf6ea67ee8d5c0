//===- Convolutions.cpp - layers of convolutions ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Spatial.h"

#include <tenon/nn/layers/convolution.h>
#include <tenon/nn/regularizers.h>

using namespace tenon;
using namespace tenon::detail;

/// The convolution of `Rank` spatial axes.
template <int Rank>
static Array convolved(const Array &x, const Array &kernel, const ConvOptions &options) {
  if constexpr (Rank == 1)
    return conv1d(x, kernel, options);
  else if constexpr (Rank == 2)
    return conv2d(x, kernel, options);
  else
    return conv3d(x, kernel, options);
}
template <int Rank>
static Array convolvedBack(const Array &x, const Array &kernel, const ConvTransposeOptions &options) {
  if constexpr (Rank == 1)
    return conv_transpose1d(x, kernel, options);
  else if constexpr (Rank == 2)
    return conv_transpose2d(x, kernel, options);
  else
    return conv_transpose3d(x, kernel, options);
}

/// Refuses what no convolution takes.
template <int Rank, class Options>
static void expectFits(const char *layer, const nn::Sizes<Rank> &size, const Options &options, Location at) {
  expectPositive(layer, "kernel_size", size, at);
  expectPositive(layer, "strides", options.strides, at);
  expectPositive(layer, "dilation", options.dilation, at);
}
static void expectGroupsFit(const char *layer, int64_t filters, int64_t groups, Location at) {
  expectPositive(layer, "filters", filters, at);
  expectPositive(layer, "groups", groups, at);
  if (filters % groups != 0)
    throw Error(std::string(layer) + ": expected filters that are a multiple of the groups, got " +
                    std::to_string(filters) + " and " + std::to_string(groups),
                userLocation(at));
}

/// The number of channels of an input, which a kernel needs to be built.
static int64_t channelsOf(const LayerCall &here, const Shape &input, DataFormat format) {
  const Dim channels = input[channelsAxis(format)];
  if (!channels.is_static() || channels.value() == 0)
    here.refuse("expected a known number of channels, 1 or more, got an input of shape " + input.str());
  return channels.value();
}
/// The shape of a kernel: the window, then two axes of channels.
template <int Rank>
static Shape kernelShape(const nn::Sizes<Rank> &window, Dim in, Dim out) {
  Shape shape;
  for (int axis = 0; axis < Rank; ++axis)
    shape.push_back(window[axis]);
  shape.push_back(in);
  shape.push_back(out);
  return shape;
}

/// The bias beside the channels, and the activation, whose penalty is noted.
template <int Rank, class Options>
static Array finished(Array y, const Options &options, const nn::Weight &bias) {
  if (options.use_bias) {
    Shape shape{bias.shape()[0]};
    for (int axis = 0; axis < Rank && options.data_format == DataFormat::channels_first; ++axis)
      shape.push_back(1);
    y = y + reshape(bias, shape);
  }
  y = options.activation(y);
  nn::ActivityScope::add(options.activity_regularizer, y);
  return y;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

template <int Rank>
nn::BasicConv<Rank>::BasicConv(const char *layer, int64_t filters, const Sizes<Rank> &size,
                               const BasicConvOptions<Rank> &options, Location at)
    : filters_(filters), size_(size), options_(options) {
  expectFits(layer, size, options, at);
  expectGroupsFit(layer, filters, options.groups, at);
  setRules(kernel_, options.kernel_regularizer, options.kernel_constraint);
  setRules(bias_, options.bias_regularizer, options.bias_constraint);
  if (options_.input_shape.rank() > 0)
    BasicConv::build(withBatch(options_.input_shape));
}

template <int Rank>
void nn::BasicConv<Rank>::build(const Shape &input) const {
  const LayerCall here(*this);
  here.expectSpatial(input, Rank, options_.data_format);
  const int64_t channels = channelsOf(here, input, options_.data_format), each = channels / options_.groups;
  if (channels % options_.groups != 0)
    here.refuse("expected channels that are a multiple of the " + std::to_string(options_.groups) +
                " groups, got an input of shape " + input.str());
  if (kernel_.has_value() && kernel_.shape()[Rank] != each)
    here.refuseSize((kernel_.shape()[Rank] * options_.groups).str() + " channels", input);
  kernel_.build(kernelShape(size_, each, filters_), options_.kernel_initializer);
  if (options_.use_bias)
    bias_.build({filters_}, options_.bias_initializer);
}

template <int Rank>
Array nn::BasicConv<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  expectWindowFits(here, x.shape(), options_.data_format, size_, options_.dilation, options_.padding);
  return finished<Rank>(convolved<Rank>(x, kernel_,
                                        {.strides = intsOf(options_.strides),
                                         .padding = options_.padding,
                                         .dilation = intsOf(options_.dilation),
                                         .groups = static_cast<int>(options_.groups),
                                         .data_format = options_.data_format}),
                        options_, bias_);
}

template <int Rank>
void nn::BasicConv<Rank>::fields(Fields &f) {
  f("kernel", kernel_);
  if (options_.use_bias)
    f("bias", bias_);
}

template class nn::BasicConv<1>;
template class nn::BasicConv<2>;
template class nn::BasicConv<3>;

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

template <int Rank>
nn::BasicConvTranspose<Rank>::BasicConvTranspose(const char *layer, int64_t filters, const Sizes<Rank> &size,
                                                 const BasicConvTransposeOptions<Rank> &options, Location at)
    : filters_(filters), size_(size), options_(options) {
  expectFits(layer, size, options, at);
  expectGroupsFit(layer, filters, options.groups, at);
  setRules(kernel_, options.kernel_regularizer, options.kernel_constraint);
  setRules(bias_, options.bias_regularizer, options.bias_constraint);
  for (int axis = 0; axis < Rank; ++axis)
    if (options.output_padding[axis] < 0)
      throw Error(std::string(layer) + ": expected output_padding >= 0, got " +
                      std::to_string(options.output_padding[axis]),
                  userLocation(at));
  if (options_.input_shape.rank() > 0)
    BasicConvTranspose::build(withBatch(options_.input_shape));
}

template <int Rank>
void nn::BasicConvTranspose<Rank>::build(const Shape &input) const {
  const LayerCall here(*this);
  here.expectSpatial(input, Rank, options_.data_format);
  here.expectSize("channels", channelsAxis(options_.data_format), input, kernel_, Rank + 1);
  const int64_t channels = channelsOf(here, input, options_.data_format);
  if (channels % options_.groups != 0)
    here.refuse("expected channels that are a multiple of the " + std::to_string(options_.groups) +
                " groups, got an input of shape " + input.str());
  kernel_.build(kernelShape(size_, filters_ / options_.groups, channels), options_.kernel_initializer);
  if (options_.use_bias)
    bias_.build({filters_}, options_.bias_initializer);
}

template <int Rank>
Array nn::BasicConvTranspose<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  return finished<Rank>(
      convolvedBack<Rank>(x, kernel_,
                          {.strides = intsOf(options_.strides),
                           .padding = options_.padding,
                           .output_padding = options_.output_padding.given() ? intsOf(options_.output_padding) : Ints(),
                           .dilation = intsOf(options_.dilation),
                           .groups = static_cast<int>(options_.groups),
                           .data_format = options_.data_format}),
      options_, bias_);
}

template <int Rank>
void nn::BasicConvTranspose<Rank>::fields(Fields &f) {
  f("kernel", kernel_);
  if (options_.use_bias)
    f("bias", bias_);
}

template class nn::BasicConvTranspose<1>;
template class nn::BasicConvTranspose<2>;
template class nn::BasicConvTranspose<3>;

//===----------------------------------------------------------------------===//
// Depthwise and separable convolution
//===----------------------------------------------------------------------===//

static void expectMultiplier(const char *layer, int64_t multiplier, Location at) {
  expectPositive(layer, "depth_multiplier", multiplier, at);
}
/// Builds a kernel [window..., channels, multiplier]. Its values are those of a convolution in as many groups as
/// channels, whose fans are right: one channel sees its own window alone.
template <int Rank>
static void buildDepthwise(const nn::Weight &kernel, const nn::Sizes<Rank> &window, int64_t channels,
                           int64_t multiplier, const nn::Initializer &initializer) {
  const Shape grouped = kernelShape(window, 1, channels * multiplier);
  auto make = [&](const Key &key, const Shape &shape) { return reshape(initializer(key, grouped), shape); };
  kernel.build(kernelShape(window, channels, multiplier), {make, initializer.name()});
}
template <int Rank, class Options>
static Array depthwise(const Array &x, const nn::Weight &kernel, const nn::Sizes<Rank> &window,
                       const Options &options) {
  const int64_t channels = kernel.shape()[Rank].value();
  return convolved<Rank>(x, reshape(kernel, kernelShape(window, 1, channels * options.depth_multiplier)),
                         {.strides = intsOf(options.strides),
                          .padding = options.padding,
                          .dilation = intsOf(options.dilation),
                          .groups = static_cast<int>(channels),
                          .data_format = options.data_format});
}

template <int Rank>
nn::BasicDepthwiseConv<Rank>::BasicDepthwiseConv(const char *layer, const Sizes<Rank> &size,
                                                 const BasicDepthwiseConvOptions<Rank> &options, Location at)
    : size_(size), options_(options) {
  expectFits(layer, size, options, at);
  expectMultiplier(layer, options.depth_multiplier, at);
  setRules(kernel_, options.depthwise_regularizer, options.depthwise_constraint);
  setRules(bias_, options.bias_regularizer, options.bias_constraint);
  if (options_.input_shape.rank() > 0)
    BasicDepthwiseConv::build(withBatch(options_.input_shape));
}

template <int Rank>
void nn::BasicDepthwiseConv<Rank>::build(const Shape &input) const {
  const LayerCall here(*this);
  here.expectSpatial(input, Rank, options_.data_format);
  here.expectSize("channels", channelsAxis(options_.data_format), input, kernel_, Rank);
  const int64_t channels = channelsOf(here, input, options_.data_format);
  buildDepthwise(kernel_, size_, channels, options_.depth_multiplier, options_.depthwise_initializer);
  if (options_.use_bias)
    bias_.build({channels * options_.depth_multiplier}, options_.bias_initializer);
}

template <int Rank>
Array nn::BasicDepthwiseConv<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  expectWindowFits(here, x.shape(), options_.data_format, size_, options_.dilation, options_.padding);
  return finished<Rank>(depthwise(x, kernel_, size_, options_), options_, bias_);
}

template <int Rank>
void nn::BasicDepthwiseConv<Rank>::fields(Fields &f) {
  f("kernel", kernel_);
  if (options_.use_bias)
    f("bias", bias_);
}

template class nn::BasicDepthwiseConv<1>;
template class nn::BasicDepthwiseConv<2>;

template <int Rank>
nn::BasicSeparableConv<Rank>::BasicSeparableConv(const char *layer, int64_t filters, const Sizes<Rank> &size,
                                                 const BasicSeparableConvOptions<Rank> &options, Location at)
    : filters_(filters), size_(size), options_(options) {
  expectPositive(layer, "filters", filters, at);
  expectFits(layer, size, options, at);
  expectMultiplier(layer, options.depth_multiplier, at);
  setRules(depthwise_, options.depthwise_regularizer, options.depthwise_constraint);
  setRules(pointwise_, options.pointwise_regularizer, options.pointwise_constraint);
  setRules(bias_, options.bias_regularizer, options.bias_constraint);
  if (options_.input_shape.rank() > 0)
    BasicSeparableConv::build(withBatch(options_.input_shape));
}

template <int Rank>
void nn::BasicSeparableConv<Rank>::build(const Shape &input) const {
  const LayerCall here(*this);
  here.expectSpatial(input, Rank, options_.data_format);
  here.expectSize("channels", channelsAxis(options_.data_format), input, depthwise_, Rank);
  const int64_t channels = channelsOf(here, input, options_.data_format);
  buildDepthwise(depthwise_, size_, channels, options_.depth_multiplier, options_.depthwise_initializer);
  pointwise_.build(kernelShape(Sizes<Rank>(1), channels * options_.depth_multiplier, filters_),
                   options_.pointwise_initializer);
  if (options_.use_bias)
    bias_.build({filters_}, options_.bias_initializer);
}

template <int Rank>
Array nn::BasicSeparableConv<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  expectWindowFits(here, x.shape(), options_.data_format, size_, options_.dilation, options_.padding);
  const Array each = depthwise(x, depthwise_, size_, options_);
  return finished<Rank>(convolved<Rank>(each, pointwise_, {.data_format = options_.data_format}), options_, bias_);
}

template <int Rank>
void nn::BasicSeparableConv<Rank>::fields(Fields &f) {
  f("depthwise_kernel", depthwise_)("pointwise_kernel", pointwise_);
  if (options_.use_bias)
    f("bias", bias_);
}

template class nn::BasicSeparableConv<1>;
template class nn::BasicSeparableConv<2>;
