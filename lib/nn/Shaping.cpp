//===- Shaping.cpp - layers that move, repeat, remove and add elements -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Spatial.h"

#include <tenon/nn/layers/shaping.h>

using namespace tenon;
using namespace tenon::detail;

Array nn::Flatten::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectBatch(x.shape());
  Dim size = 1;
  for (int axis = 1; axis < x.ndim(); ++axis)
    size = size * x.shape()[axis];
  return reshape(x, {x.shape()[0], size});
}

Array nn::Reshape::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectBatch(x.shape());
  Shape shape{x.shape()[0]};
  for (const Dim dim : shape_)
    shape.push_back(dim);
  return reshape(x, shape);
}

nn::Permute::Permute(const Ints &dims, Location at) : dims_(dims) {
  const auto axes = dims.values();
  std::vector<bool> isThere(axes.size());
  std::string text;
  for (const int64_t axis : axes) {
    text += (text.empty() ? "" : ", ") + std::to_string(axis);
    if (axis >= 1 && axis <= static_cast<int64_t>(axes.size()))
      isThere[static_cast<size_t>(axis - 1)] = true;
  }
  for (const bool is : isThere)
    if (!is)
      throw Error("Permute: expected each axis from 1 to " + std::to_string(axes.size()) +
                      " once (axis 0 is the batch), got {" + text + "}",
                  userLocation(at));
}
Array nn::Permute::call(const Array &x) const {
  const LayerCall here(*this);
  const auto axes = dims_.values();
  if (x.ndim() != static_cast<int>(axes.size()) + 1)
    here.refuse("expected " + std::to_string(axes.size() + 1) + " axes, the batch among them, got " + x.shape().str());
  std::vector<int64_t> all{0};
  all.insert(all.end(), axes.begin(), axes.end());
  return transpose(x, all);
}

nn::RepeatVector::RepeatVector(int64_t n, Location at) : n_(n) { expectPositive("RepeatVector", "n", n, at); }
Array nn::RepeatVector::call(const Array &x) const {
  const LayerCall here(*this);
  if (x.ndim() != 2)
    here.refuse("expected 2 axes (batch, features), got " + x.shape().str());
  return broadcast_to(expand_dims(x, 1), {x.shape()[0], n_, x.shape()[1]});
}

//===----------------------------------------------------------------------===//
// Margins
//===----------------------------------------------------------------------===//

template <int Rank>
static void expectNotNegative(const char *layer, const char *what, const nn::Margins<Rank> &margins, Location at) {
  for (int axis = 0; axis < Rank; ++axis)
    if (const int64_t least = std::min(margins[axis].before, margins[axis].after); least < 0)
      throw Error(std::string(layer) + ": expected " + what + " >= 0, got " + std::to_string(least), userLocation(at));
}

template <int Rank>
CroppingLayer<Rank>::CroppingLayer(const char *layer, const nn::Margins<Rank> &cropping,
                                   const nn::SpatialOptions &options, Location at)
    : margins_(cropping), options_(options) {
  expectNotNegative(layer, "cropping", cropping, at);
}
template <int Rank>
Array CroppingLayer<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  const Shape &shape = x.shape();
  here.expectSpatial(shape, Rank, options_.data_format);
  const int first = firstPlace(options_.data_format);
  Shape starts, stops;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool isSpatial = axis >= first && axis < first + Rank;
    const int64_t before = isSpatial ? margins_[axis - first].before : 0;
    const int64_t after = isSpatial ? margins_[axis - first].after : 0;
    const Dim size = shape[axis];
    if (size.is_static() && size.value() < before + after)
      here.refuse("expected " + std::to_string(before + after) + " elements or more along axis " +
                  std::to_string(axis) + ", which it crops by " + std::to_string(before) + " and " +
                  std::to_string(after) + ", got " + shape.str());
    starts.push_back(before);
    stops.push_back(size - after);
  }
  return slice(x, starts, stops);
}
template class detail::CroppingLayer<1>;
template class detail::CroppingLayer<2>;
template class detail::CroppingLayer<3>;

template <int Rank>
ZeroPaddingLayer<Rank>::ZeroPaddingLayer(const char *layer, const nn::Margins<Rank> &padding,
                                         const nn::SpatialOptions &options, Location at)
    : margins_(padding), options_(options) {
  expectNotNegative(layer, "padding", padding, at);
}
template <int Rank>
Array ZeroPaddingLayer<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectSpatial(x.shape(), Rank, options_.data_format);
  const int first = firstPlace(options_.data_format);
  Shape low, high;
  for (int axis = 0; axis < Rank + 2; ++axis) {
    const bool isSpatial = axis >= first && axis < first + Rank;
    low.push_back(isSpatial ? margins_[axis - first].before : 0);
    high.push_back(isSpatial ? margins_[axis - first].after : 0);
  }
  return pad(x, 0, low, high);
}
template class detail::ZeroPaddingLayer<1>;
template class detail::ZeroPaddingLayer<2>;
template class detail::ZeroPaddingLayer<3>;

//===----------------------------------------------------------------------===//
// Upsampling
//===----------------------------------------------------------------------===//

template <int Rank>
UpSamplingLayer<Rank>::UpSamplingLayer(const char *layer, const nn::Sizes<Rank> &size,
                                       const nn::UpSamplingOptions &options, Location at)
    : size_(size), options_(options) {
  expectPositive(layer, "size", size, at);
}
template <int Rank>
Array UpSamplingLayer<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectSpatial(x.shape(), Rank, options_.data_format);
  const int first = firstPlace(options_.data_format);
  if (options_.interpolation == ResizeMethod::nearest) {
    Array y = x;
    for (int axis = 0; axis < Rank; ++axis)
      y = size_[axis] == 1 ? y : repeat(y, size_[axis], first + axis);
    return y;
  }
  Shape sizes;
  std::vector<int64_t> axes;
  for (int axis = 0; axis < Rank; ++axis) {
    sizes.push_back(x.shape()[first + axis] * size_[axis]);
    axes.push_back(first + axis);
  }
  // Keras' and TensorFlow's cubic kernel.
  const bool isCubic = options_.interpolation == ResizeMethod::cubic;
  return image_resize(x, sizes,
                      {.method = options_.interpolation,
                       .cubic_coefficient = -0.5,
                       .exclude_outside = isCubic ? std::optional(true) : std::nullopt,
                       .axis = axes});
}
template class detail::UpSamplingLayer<1>;
template class detail::UpSamplingLayer<2>;
template class detail::UpSamplingLayer<3>;
