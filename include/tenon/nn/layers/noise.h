//===- noise.h - layers that are random in training ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In inference all of them are the identity. In training each call takes another key, from the default generator
// (tn::set_seed) or, of a layer with a seed, from the layer's own state, which checkpoints hold.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layer.h>

namespace tenon::nn {

/// Base of the layers that take keys:
///
///   class Jitter : public nn::RandomLayer {
///   public:
///     explicit Jitter(std::optional<uint64_t> seed = {}) : RandomLayer(seed, Location::current()) {}
///     Array call(const Array &x) const override { return x + random::normal(next_key(), x.shape()); }
///   };
class RandomLayer : public Layer {
public:
  void fields(Fields &f) override;

protected:
  /// `seed` left out: keys from the default generator.
  RandomLayer(std::optional<uint64_t> seed, Location at);
  /// The key of this call.
  Key next_key() const;
  /// x with a share `rate` of the elements of a mask of this shape, which broadcasts, at 0, and the others divided by
  /// `1 - rate`.
  Array drop(const Array &x, double rate, const Shape &mask) const;

private:
  bool hasSeed_;
  /// The key of the next call, of one with a seed.
  State key_;
};

struct DropoutOptions {
  /// Left out: keys from the default generator, which tn::set_seed starts anew.
  std::optional<uint64_t> seed = {};
};
/// In training sets a share `rate` of the elements to 0, at random, and divides the others by `1 - rate`; in inference
/// the identity (Srivastava et al., 2014).
class Dropout : public RandomLayer {
public:
  explicit Dropout(double rate, const DropoutOptions &options = {}, Location at = Location::current());
  Array call(const Array &x) const override;

private:
  double rate_;
};

struct SpatialDropoutOptions {
  DataFormat data_format = DataFormat::channels_last;
  /// Left out: keys from the default generator, which tn::set_seed starts anew.
  std::optional<uint64_t> seed = {};
};
/// Base of dropout of whole channels, of inputs with `rank` spatial axes.
class BasicSpatialDropout : public RandomLayer {
public:
  Array call(const Array &x) const override;

protected:
  BasicSpatialDropout(const char *layer, int rank, double rate, const SpatialDropoutOptions &options, Location at);

private:
  int rank_;
  double rate_;
  DataFormat format_;
};
/// Dropout of whole channels of sequences (batch, length, channels): neighbouring elements are alike, so that dropping
/// single ones hides nothing (Tompson et al., 2015).
class SpatialDropout1D : public BasicSpatialDropout {
public:
  explicit SpatialDropout1D(double rate, const SpatialDropoutOptions &options = {}, Location at = Location::current())
      : BasicSpatialDropout("SpatialDropout1D", 1, rate, options, at) {}
};
/// Dropout of whole channels of images (batch, height, width, channels) (Tompson et al., 2015).
class SpatialDropout2D : public BasicSpatialDropout {
public:
  explicit SpatialDropout2D(double rate, const SpatialDropoutOptions &options = {}, Location at = Location::current())
      : BasicSpatialDropout("SpatialDropout2D", 2, rate, options, at) {}
};
/// Dropout of whole channels of volumes (batch, depth, height, width, channels) (Tompson et al., 2015).
class SpatialDropout3D : public BasicSpatialDropout {
public:
  explicit SpatialDropout3D(double rate, const SpatialDropoutOptions &options = {}, Location at = Location::current())
      : BasicSpatialDropout("SpatialDropout3D", 3, rate, options, at) {}
};
/// PyTorch's names; its inputs have the channels first, which is `{.data_format = tn::DataFormat::channels_first}`.
using Dropout1d = SpatialDropout1D;
using Dropout2d = SpatialDropout2D;
using Dropout3d = SpatialDropout3D;

/// In training adds normal noise of mean 0 and this standard deviation.
class GaussianNoise : public RandomLayer {
public:
  explicit GaussianNoise(double stddev, const DropoutOptions &options = {}, Location at = Location::current());
  Array call(const Array &x) const override;

private:
  double stddev_;
};
/// In training multiplies each element by a normal number of mean 1 and standard deviation `sqrt(rate / (1 - rate))`,
/// that of Dropout's factors (Srivastava et al., 2014).
class GaussianDropout : public RandomLayer {
public:
  explicit GaussianDropout(double rate, const DropoutOptions &options = {}, Location at = Location::current());
  Array call(const Array &x) const override;

private:
  double rate_;
};

} // namespace tenon::nn
