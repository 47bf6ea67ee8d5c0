//===- normalization.h - layers that normalize ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights are f32, so that f16 and bf16 are computed in f32 and give f32.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layer.h>

namespace tenon::nn {

struct BatchNormOptions {
  Axis axis = -1;
  double momentum = 0.99, epsilon = 1e-3;
  /// Whether it has a beta, and a gamma, that it learns.
  bool center = true, scale = true;
  Initializer beta_initializer = zeros(), gamma_initializer = ones();
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
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
  /// The axes of the moments: one or several, `{1, 2}`. gamma and beta have their sizes.
  Ints axis = -1;
  double epsilon = 1e-3;
  /// Whether it has a beta, and a gamma, that it learns.
  bool center = true, scale = true;
  Initializer beta_initializer = zeros(), gamma_initializer = ones();
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
};
/// Normalizes each example along the axes to mean beta and standard deviation gamma (Ba et al., 2016).
class LayerNorm : public Layer {
public:
  explicit LayerNorm(const NormOptions &options = {}, Location at = Location::current());
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

struct RMSNormOptions {
  /// The axes of the mean: one or several. The scale has their sizes.
  Ints axis = -1;
  double epsilon = 1e-6;
};
/// Divides each example by the root of the mean square along the axes and multiplies it by a scale (Zhang and Sennrich,
/// 2019).
class RMSNorm : public Layer {
public:
  explicit RMSNorm(const RMSNormOptions &options = {}, Location at = Location::current());
  Variable scale() const { return scale_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  PolicyCasts policy_casts() const override { return PolicyCasts::result; }
  void fields(Fields &f) override;

private:
  RMSNormOptions options_;
  Weight scale_;
};

struct GroupNormOptions {
  /// The axis of the channels; not the batch, axis 0.
  Axis axis = -1;
  double epsilon = 1e-3;
  /// Whether it has a beta, and a gamma, of each channel that it learns.
  bool center = true, scale = true;
  Initializer beta_initializer = zeros(), gamma_initializer = ones();
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
};
/// Normalizes each group of channels of each example, over its channels and all places, then multiplies each channel by
/// gamma and adds beta (Wu and He, 2018). `groups` divides the number of channels; -1: as many groups as channels.
class GroupNorm : public Layer {
public:
  explicit GroupNorm(int64_t groups = 32, const GroupNormOptions &options = {}, Location at = Location::current());
  Variable gamma() const { return gamma_; }
  Variable beta() const { return beta_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  PolicyCasts policy_casts() const override { return PolicyCasts::result; }
  void fields(Fields &f) override;

private:
  int64_t groups_;
  GroupNormOptions options_;
  Weight gamma_, beta_;
};
/// Normalizes each channel of each example over all places, then multiplies it by gamma and adds beta (Ulyanov et al.,
/// 2016). Inputs have a batch, one spatial axis or more, and channels.
class InstanceNorm : public GroupNorm {
public:
  explicit InstanceNorm(const GroupNormOptions &options = {}, Location at = Location::current())
      : GroupNorm(-1, options, at) {}
};

} // namespace tenon::nn
