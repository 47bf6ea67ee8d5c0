//===- pooling.h - layers that reduce windows or all places --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are as those of the convolutions (convolution.h).
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layer.h>
#include <tenon/padding.h>

namespace tenon {
namespace nn {

template <int Rank>
struct BasicPoolingOptions {
  /// Left out: the size of the window.
  Sizes<Rank> strides = {};
  Padding padding = PaddingMode::valid;
  DataFormat data_format = DataFormat::channels_last;
};
using Pooling1DOptions = BasicPoolingOptions<1>;
using Pooling2DOptions = BasicPoolingOptions<2>;
using Pooling3DOptions = BasicPoolingOptions<3>;

struct GlobalPoolingOptions {
  DataFormat data_format = DataFormat::channels_last;
  /// Whether the spatial axes stay, with size 1.
  bool keepdims = false;
};

} // namespace nn

namespace detail {
enum class Pooled { max, mean };
/// Pooling along Rank axes.
template <int Rank>
class PoolingLayer : public nn::Layer {
public:
  Array call(const Array &x) const override;

protected:
  PoolingLayer(const char *layer, Pooled kind, const nn::Sizes<Rank> &size,
               const nn::BasicPoolingOptions<Rank> &options, Location at);

private:
  Pooled kind_;
  nn::Sizes<Rank> size_;
  nn::BasicPoolingOptions<Rank> options_;
};
/// Pooling of whole spatial axes.
class GlobalPoolingLayer : public nn::Layer {
public:
  Array call(const Array &x) const override;

protected:
  GlobalPoolingLayer(Pooled kind, int rank, const nn::GlobalPoolingOptions &options)
      : kind_(kind), rank_(rank), options_(options) {}

private:
  Pooled kind_;
  int rank_;
  nn::GlobalPoolingOptions options_;
};
} // namespace detail

namespace nn {

/// The greatest element of each window: (batch, length, channels) to (batch, new length, channels).
class MaxPooling1D : public tenon::detail::PoolingLayer<1> {
public:
  explicit MaxPooling1D(Size1 pool_size = 2, const Pooling1DOptions &options = {}, Location at = Location::current())
      : PoolingLayer("MaxPooling1D", tenon::detail::Pooled::max, pool_size, options, at) {}
};
/// The greatest element of each window: (batch, height, width, channels) to (batch, new height, new width, channels).
class MaxPooling2D : public tenon::detail::PoolingLayer<2> {
public:
  explicit MaxPooling2D(Size2 pool_size = 2, const Pooling2DOptions &options = {}, Location at = Location::current())
      : PoolingLayer("MaxPooling2D", tenon::detail::Pooled::max, pool_size, options, at) {}
};
/// The greatest element of each window of volumes (batch, depth, height, width, channels).
class MaxPooling3D : public tenon::detail::PoolingLayer<3> {
public:
  explicit MaxPooling3D(Size3 pool_size = 2, const Pooling3DOptions &options = {}, Location at = Location::current())
      : PoolingLayer("MaxPooling3D", tenon::detail::Pooled::max, pool_size, options, at) {}
};

/// The mean of each window of sequences, over the elements that lie within the input.
class AveragePooling1D : public tenon::detail::PoolingLayer<1> {
public:
  explicit AveragePooling1D(Size1 pool_size = 2, const Pooling1DOptions &options = {},
                            Location at = Location::current())
      : PoolingLayer("AveragePooling1D", tenon::detail::Pooled::mean, pool_size, options, at) {}
};
/// The mean of each window of images, over the elements that lie within the input.
class AveragePooling2D : public tenon::detail::PoolingLayer<2> {
public:
  explicit AveragePooling2D(Size2 pool_size = 2, const Pooling2DOptions &options = {},
                            Location at = Location::current())
      : PoolingLayer("AveragePooling2D", tenon::detail::Pooled::mean, pool_size, options, at) {}
};
/// The mean of each window of volumes, over the elements that lie within the input.
class AveragePooling3D : public tenon::detail::PoolingLayer<3> {
public:
  explicit AveragePooling3D(Size3 pool_size = 2, const Pooling3DOptions &options = {},
                            Location at = Location::current())
      : PoolingLayer("AveragePooling3D", tenon::detail::Pooled::mean, pool_size, options, at) {}
};

/// The mean over all places: (batch, length, channels) to (batch, channels).
class GlobalAveragePooling1D : public tenon::detail::GlobalPoolingLayer {
public:
  explicit GlobalAveragePooling1D(const GlobalPoolingOptions &options = {})
      : GlobalPoolingLayer(tenon::detail::Pooled::mean, 1, options) {}
};
/// The mean over height and width: (batch, height, width, channels) to (batch, channels).
class GlobalAveragePooling2D : public tenon::detail::GlobalPoolingLayer {
public:
  explicit GlobalAveragePooling2D(const GlobalPoolingOptions &options = {})
      : GlobalPoolingLayer(tenon::detail::Pooled::mean, 2, options) {}
};
/// The mean over depth, height and width: (batch, depth, height, width, channels) to (batch, channels).
class GlobalAveragePooling3D : public tenon::detail::GlobalPoolingLayer {
public:
  explicit GlobalAveragePooling3D(const GlobalPoolingOptions &options = {})
      : GlobalPoolingLayer(tenon::detail::Pooled::mean, 3, options) {}
};

/// The greatest element over all places: (batch, length, channels) to (batch, channels).
class GlobalMaxPooling1D : public tenon::detail::GlobalPoolingLayer {
public:
  explicit GlobalMaxPooling1D(const GlobalPoolingOptions &options = {})
      : GlobalPoolingLayer(tenon::detail::Pooled::max, 1, options) {}
};
/// The greatest element over height and width: (batch, height, width, channels) to (batch, channels).
class GlobalMaxPooling2D : public tenon::detail::GlobalPoolingLayer {
public:
  explicit GlobalMaxPooling2D(const GlobalPoolingOptions &options = {})
      : GlobalPoolingLayer(tenon::detail::Pooled::max, 2, options) {}
};
/// The greatest element over depth, height and width: (batch, depth, height, width, channels) to (batch, channels).
class GlobalMaxPooling3D : public tenon::detail::GlobalPoolingLayer {
public:
  explicit GlobalMaxPooling3D(const GlobalPoolingOptions &options = {})
      : GlobalPoolingLayer(tenon::detail::Pooled::max, 3, options) {}
};

} // namespace nn
} // namespace tenon
