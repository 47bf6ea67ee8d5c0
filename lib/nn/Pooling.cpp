//===- Pooling.cpp - layers that reduce windows or all places -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Spatial.h"

#include <tenon/nn/layers/pooling.h>

using namespace tenon;
using namespace tenon::detail;

template <int Rank>
static Array maxima(const Array &x, const Ints &window, const MaxPoolOptions &options) {
  if constexpr (Rank == 1)
    return max_pool1d(x, window, options);
  else if constexpr (Rank == 2)
    return max_pool2d(x, window, options);
  else
    return max_pool3d(x, window, options);
}
template <int Rank>
static Array means(const Array &x, const Ints &window, const AvgPoolOptions &options) {
  if constexpr (Rank == 1)
    return avg_pool1d(x, window, options);
  else if constexpr (Rank == 2)
    return avg_pool2d(x, window, options);
  else
    return avg_pool3d(x, window, options);
}

template <int Rank>
PoolingLayer<Rank>::PoolingLayer(const char *layer, Pooled kind, const nn::Sizes<Rank> &size,
                                 const nn::BasicPoolingOptions<Rank> &options, Location at)
    : kind_(kind), size_(size), options_(options) {
  expectPositive(layer, "pool_size", size, at);
  if (!options_.strides.given())
    options_.strides = size;
  expectPositive(layer, "strides", options_.strides, at);
}

template <int Rank>
Array PoolingLayer<Rank>::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectSpatial(x.shape(), Rank, options_.data_format);
  expectWindowFits(here, x.shape(), options_.data_format, size_, nn::Sizes<Rank>(1), options_.padding);
  if (kind_ == Pooled::max)
    return maxima<Rank>(
        x, intsOf(size_),
        {.strides = intsOf(options_.strides), .padding = options_.padding, .data_format = options_.data_format});
  return means<Rank>(x, intsOf(size_),
                     {.strides = intsOf(options_.strides),
                      .padding = options_.padding,
                      .count_include_pad = false,
                      .data_format = options_.data_format});
}

template class detail::PoolingLayer<1>;
template class detail::PoolingLayer<2>;
template class detail::PoolingLayer<3>;

Array GlobalPoolingLayer::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectSpatial(x.shape(), rank_, options_.data_format);
  std::vector<int64_t> axes;
  for (int axis = 0; axis < rank_; ++axis)
    axes.push_back(firstPlace(options_.data_format) + axis);
  return kind_ == Pooled::max ? max(x, axes, options_.keepdims) : mean(x, axes, options_.keepdims);
}
