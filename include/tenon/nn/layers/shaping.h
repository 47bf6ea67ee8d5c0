//===- shaping.h - layers that move, repeat, remove and add elements -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/layer.h>

namespace tenon {
namespace nn {

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
/// Permutes the axes of each example. Axes count from 1, since axis 0 is the batch: `nn::Permute{{2, 1}}` swaps the two
/// axes after it.
class Permute : public Layer {
public:
  explicit Permute(const Ints &dims, Location at = Location::current());
  Array call(const Array &x) const override;

private:
  Ints dims_;
};
/// Repeats each example along a new axis: (batch, features) to (batch, n, features).
class RepeatVector : public Layer {
public:
  explicit RepeatVector(int64_t n, Location at = Location::current());
  Array call(const Array &x) const override;

private:
  int64_t n_;
};

/// Numbers of elements at both ends of each spatial axis: one for all ends (`1`), one for both ends of each axis
/// (`{1, 2}`), or a pair for each axis (`{{1, 2}, {3, 4}}`). Of one axis, `{1, 2}` are its two ends.
template <int Rank>
class Margins {
public:
  struct Ends {
    template <tenon::detail::Integer T>
    constexpr Ends(T both) : before(both), after(both) {}
    template <tenon::detail::Integer T, tenon::detail::Integer U>
    constexpr Ends(T first, U last) : before(first), after(last) {}
    int64_t before, after;
  };

  template <tenon::detail::Integer T>
  constexpr Margins(T all) : Margins(Ends(all), std::make_index_sequence<Rank>()) {}
  constexpr Margins(Ends first, Ends second)
    requires(Rank == 2)
      : ends_{first, second} {}
  constexpr Margins(Ends first, Ends second, Ends third)
    requires(Rank == 3)
      : ends_{first, second, third} {}
  template <tenon::detail::Integer T, tenon::detail::Integer U>
    requires(Rank == 1)
  constexpr Margins(T before, U after) : ends_{Ends(before, after)} {}
  constexpr const Ends &operator[](int axis) const { return ends_[axis]; }

private:
  template <size_t... I>
  constexpr Margins(Ends all, std::index_sequence<I...>) : ends_{(void(I), all)...} {}
  Ends ends_[Rank];
};

struct SpatialOptions {
  DataFormat data_format = DataFormat::channels_last;
};
struct UpSamplingOptions {
  DataFormat data_format = DataFormat::channels_last;
  /// `nearest` repeats elements; `linear`, `cubic` and the others interpolate, as `tn::image_resize`.
  ResizeMethod interpolation = ResizeMethod::nearest;
};

} // namespace nn

namespace detail {
template <int Rank>
class CroppingLayer : public nn::Layer {
public:
  Array call(const Array &x) const override;

protected:
  CroppingLayer(const char *layer, const nn::Margins<Rank> &cropping, const nn::SpatialOptions &options, Location at);

private:
  nn::Margins<Rank> margins_;
  nn::SpatialOptions options_;
};
template <int Rank>
class ZeroPaddingLayer : public nn::Layer {
public:
  Array call(const Array &x) const override;

protected:
  ZeroPaddingLayer(const char *layer, const nn::Margins<Rank> &padding, const nn::SpatialOptions &options, Location at);

private:
  nn::Margins<Rank> margins_;
  nn::SpatialOptions options_;
};
template <int Rank>
class UpSamplingLayer : public nn::Layer {
public:
  Array call(const Array &x) const override;

protected:
  UpSamplingLayer(const char *layer, const nn::Sizes<Rank> &size, const nn::UpSamplingOptions &options, Location at);

private:
  nn::Sizes<Rank> size_;
  nn::UpSamplingOptions options_;
};
} // namespace detail

namespace nn {

/// Removes elements at both ends of sequences: `nn::Cropping1D{{1, 2}}` the first and the last two.
class Cropping1D : public tenon::detail::CroppingLayer<1> {
public:
  explicit Cropping1D(const Margins<1> &cropping = 1, const SpatialOptions &options = {},
                      Location at = Location::current())
      : CroppingLayer("Cropping1D", cropping, options, at) {}
};
/// Removes rows and columns of images: `nn::Cropping2D{{{1, 2}, {3, 4}}}` a row at the top, two at the bottom, three
/// columns at the left, four at the right.
class Cropping2D : public tenon::detail::CroppingLayer<2> {
public:
  explicit Cropping2D(const Margins<2> &cropping = 0, const SpatialOptions &options = {},
                      Location at = Location::current())
      : CroppingLayer("Cropping2D", cropping, options, at) {}
};
/// Removes elements at both ends of the depth, height and width of volumes.
class Cropping3D : public tenon::detail::CroppingLayer<3> {
public:
  explicit Cropping3D(const Margins<3> &cropping = 1, const SpatialOptions &options = {},
                      Location at = Location::current())
      : CroppingLayer("Cropping3D", cropping, options, at) {}
};

/// Adds zeros at both ends of sequences: `nn::ZeroPadding1D{{1, 2}}` one before and two after.
class ZeroPadding1D : public tenon::detail::ZeroPaddingLayer<1> {
public:
  explicit ZeroPadding1D(const Margins<1> &padding = 1, const SpatialOptions &options = {},
                         Location at = Location::current())
      : ZeroPaddingLayer("ZeroPadding1D", padding, options, at) {}
};
/// Adds rows and columns of zeros around images: `nn::ZeroPadding2D{{{1, 2}, {3, 4}}}` a row at the top, two at the
/// bottom, three columns at the left, four at the right.
class ZeroPadding2D : public tenon::detail::ZeroPaddingLayer<2> {
public:
  explicit ZeroPadding2D(const Margins<2> &padding = 1, const SpatialOptions &options = {},
                         Location at = Location::current())
      : ZeroPaddingLayer("ZeroPadding2D", padding, options, at) {}
};
/// Adds zeros at both ends of the depth, height and width of volumes.
class ZeroPadding3D : public tenon::detail::ZeroPaddingLayer<3> {
public:
  explicit ZeroPadding3D(const Margins<3> &padding = 1, const SpatialOptions &options = {},
                         Location at = Location::current())
      : ZeroPaddingLayer("ZeroPadding3D", padding, options, at) {}
};

/// Enlarges sequences `size` times: (batch, length, channels) to (batch, length * size, channels).
class UpSampling1D : public tenon::detail::UpSamplingLayer<1> {
public:
  explicit UpSampling1D(Size1 size = 2, const UpSamplingOptions &options = {}, Location at = Location::current())
      : UpSamplingLayer("UpSampling1D", size, options, at) {}
};
/// Enlarges images `size` times: (batch, height, width, channels) to (batch, height * size, width * size, channels).
class UpSampling2D : public tenon::detail::UpSamplingLayer<2> {
public:
  explicit UpSampling2D(Size2 size = 2, const UpSamplingOptions &options = {}, Location at = Location::current())
      : UpSamplingLayer("UpSampling2D", size, options, at) {}
};
/// Enlarges volumes (batch, depth, height, width, channels) `size` times.
class UpSampling3D : public tenon::detail::UpSamplingLayer<3> {
public:
  explicit UpSampling3D(Size3 size = 2, const UpSamplingOptions &options = {}, Location at = Location::current())
      : UpSamplingLayer("UpSampling3D", size, options, at) {}
};

} // namespace nn
} // namespace tenon
