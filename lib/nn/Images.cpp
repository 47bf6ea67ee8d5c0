//===- Images.cpp - layers of images ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"

#include <tenon/nn/layers.h>

using namespace tenon;
using namespace tenon::detail;

static Ints intsOf(nn::Size2 size) { return {size.height, size.width}; }
static int channelsAxis(DataFormat format) { return format == DataFormat::channels_last ? -1 : 1; }

static void expectPositive(const char *layer, const char *what, nn::Size2 size, Location at) {
  detail::expectPositive(layer, what, size.height, at);
  detail::expectPositive(layer, what, size.width, at);
}

//===----------------------------------------------------------------------===//
// Conv2D
//===----------------------------------------------------------------------===//

/// Refuses what no convolution takes.
static void expectFits(const char *layer, int64_t filters, nn::Size2 size, const nn::Conv2DOptions &options,
                       Location at) {
  detail::expectPositive(layer, "filters", filters, at);
  ::expectPositive(layer, "kernel_size", size, at);
  ::expectPositive(layer, "strides", options.strides, at);
  ::expectPositive(layer, "dilation", options.dilation, at);
  detail::expectPositive(layer, "groups", options.groups, at);
  if (filters % options.groups != 0)
    throw Error(std::string(layer) + ": expected filters that are a multiple of the groups, got " +
                    std::to_string(filters) + " and " + std::to_string(options.groups),
                userLocation(at));
}
/// The bias beside the channels, and the activation.
static Array finished(Array y, const nn::Conv2DOptions &options, const nn::Weight &bias, int64_t filters) {
  const bool isLast = options.data_format == DataFormat::channels_last;
  if (options.use_bias)
    y = y + (isLast ? Array(bias) : reshape(bias, {filters, 1, 1}));
  return options.activation(y);
}

nn::Conv2D::Conv2D(int64_t filters, Size2 kernel_size, const Conv2DOptions &options, Location at)
    : filters_(filters), size_(kernel_size), options_(options) {
  expectFits("Conv2D", filters, size_, options_, at);
  if (options_.input_shape.rank() > 0)
    build(withBatch(options_.input_shape));
}

void nn::Conv2D::build(const Shape &input) const {
  const LayerCall here(*this);
  here.expectImages(input, options_.data_format);
  const Dim channels = input[channelsAxis(options_.data_format)];
  if (!channels.is_static() || channels.value() % options_.groups != 0)
    here.refuse("expected channels that are a multiple of the " + std::to_string(options_.groups) +
                " groups, got an input of shape " + input.str());
  const Dim each = channels.value() / options_.groups;
  if (kernel_.has_value() && provably_equal(kernel_.shape()[2], each) != Always::yes)
    here.refuseSize((kernel_.shape()[2] * options_.groups).str() + " channels", input);
  kernel_.build({size_.height, size_.width, each, filters_}, options_.kernel_initializer);
  if (options_.use_bias)
    bias_.build({filters_}, options_.bias_initializer);
}

Array nn::Conv2D::call(const Array &x) const {
  const LayerCall here(*this);
  const Array y = conv2d(x, kernel_,
                         {.strides = intsOf(options_.strides),
                          .padding = options_.padding,
                          .dilation = intsOf(options_.dilation),
                          .groups = static_cast<int>(options_.groups),
                          .data_format = options_.data_format});
  return finished(y, options_, bias_, filters_);
}

void nn::Conv2D::fields(Fields &f) {
  f("kernel", kernel_);
  if (options_.use_bias)
    f("bias", bias_);
}

//===----------------------------------------------------------------------===//
// Conv2DTranspose
//===----------------------------------------------------------------------===//

nn::Conv2DTranspose::Conv2DTranspose(int64_t filters, Size2 kernel_size, const Conv2DOptions &options, Location at)
    : filters_(filters), size_(kernel_size), options_(options) {
  expectFits("Conv2DTranspose", filters, size_, options_, at);
  if (options_.input_shape.rank() > 0)
    build(withBatch(options_.input_shape));
}

void nn::Conv2DTranspose::build(const Shape &input) const {
  const LayerCall here(*this);
  here.expectImages(input, options_.data_format);
  const int axis = channelsAxis(options_.data_format);
  here.expectSize("channels", axis, input, kernel_, 3);
  kernel_.build({size_.height, size_.width, filters_ / options_.groups, input[axis]}, options_.kernel_initializer);
  if (options_.use_bias)
    bias_.build({filters_}, options_.bias_initializer);
}

Array nn::Conv2DTranspose::call(const Array &x) const {
  const LayerCall here(*this);
  const Array y = conv_transpose2d(x, kernel_,
                                   {.strides = intsOf(options_.strides),
                                    .padding = options_.padding,
                                    .dilation = intsOf(options_.dilation),
                                    .groups = static_cast<int>(options_.groups),
                                    .data_format = options_.data_format});
  return finished(y, options_, bias_, filters_);
}

void nn::Conv2DTranspose::fields(Fields &f) {
  f("kernel", kernel_);
  if (options_.use_bias)
    f("bias", bias_);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

nn::MaxPooling2D::MaxPooling2D(Size2 pool_size, const Pooling2DOptions &options, Location at)
    : size_(pool_size), options_(options) {
  ::expectPositive("MaxPooling2D", "pool_size", size_, at);
  if (!options_.strides.given())
    options_.strides = size_;
  ::expectPositive("MaxPooling2D", "strides", options_.strides, at);
}
Array nn::MaxPooling2D::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectImages(x.shape(), options_.data_format);
  return max_pool2d(
      x, intsOf(size_),
      {.strides = intsOf(options_.strides), .padding = options_.padding, .data_format = options_.data_format});
}

nn::AveragePooling2D::AveragePooling2D(Size2 pool_size, const Pooling2DOptions &options, Location at)
    : size_(pool_size), options_(options) {
  ::expectPositive("AveragePooling2D", "pool_size", size_, at);
  if (!options_.strides.given())
    options_.strides = size_;
  ::expectPositive("AveragePooling2D", "strides", options_.strides, at);
}
Array nn::AveragePooling2D::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectImages(x.shape(), options_.data_format);
  return avg_pool2d(x, intsOf(size_),
                    {.strides = intsOf(options_.strides),
                     .padding = options_.padding,
                     .count_include_pad = false,
                     .data_format = options_.data_format});
}

static Ints spatialAxes(DataFormat format) { return format == DataFormat::channels_last ? Ints{1, 2} : Ints{2, 3}; }

Array nn::GlobalAveragePooling2D::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectImages(x.shape(), options_.data_format);
  return mean(x, spatialAxes(options_.data_format), options_.keepdims);
}
Array nn::GlobalMaxPooling2D::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectImages(x.shape(), options_.data_format);
  return max(x, spatialAxes(options_.data_format), options_.keepdims);
}
