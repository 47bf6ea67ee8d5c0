//===- transform.h - what optimizers are made of ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Transform turns gradients into updates, which are added to the parameters, as in optax. All are flat maps from
// paths. Optimizers of one's own are chains of Transforms:
//
//   const optim::Optimizer optimizer{optim::chain(optim::clip_by_global_norm(1), optim::scale_by_adam(),
//                                                 optim::scale_by_learning_rate(1e-3))};
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/io.h>
#include <tenon/optim/schedule.h>
#include <tenon/variable.h>

namespace tenon::optim {

/// A Variable of rank 0 that an update reads, so that assigning it takes effect at the next step without a new trace.
struct Hyperparameter {
  std::string name;
  Variable value;
  /// Whether each step assigns it, by a schedule.
  bool is_scheduled = false;
};

/// A function from gradients to updates, with state. Optimizers that are made of one Transform, or of copies of it,
/// share its hyperparameters.
struct Transform {
  /// Returns the state for these parameters, by any names; a state for a parameter is named `NAME.PATH` by the
  /// Transforms here. Called outside of traces. Default: no state.
  detail::Function<NamedArrays(const NamedArrays &params)> init = {};
  /// Replaces the gradients in `updates` by what is to be added to the parameters, and the state by the next one, of
  /// the same names, dtypes and shapes. `params` has the paths of `updates`: parameters without a gradient are left
  /// out. f16 and bf16 parameters and gradients are f32 here. Default: changes nothing.
  detail::Function<void(NamedArrays &updates, NamedArrays &state, const NamedArrays &params)> update = {};
  std::vector<Hyperparameter> hyperparameters = {};
};

/// Applies the Transforms one after another. The state of number i is named `i.NAME`. Hyperparameters keep their names;
/// where two have the same one, later ones get `_1`, `_2` behind it.
Transform chain(const std::vector<Transform> &transforms);
template <class... T>
  requires(std::is_same_v<T, Transform> && ...)
Transform chain(const T &...transforms) {
  return chain(std::vector<Transform>{transforms...});
}

/// Clips each element to [-limit, limit]. Hyperparameter: clipvalue.
Transform clip_by_value(double limit, Location at = Location::current());
/// Scales each array whose Euclidean norm exceeds `norm` to that norm. Hyperparameter: clipnorm.
Transform clip_by_norm(double norm, Location at = Location::current());
/// Scales all arrays if the norm of all together exceeds `norm`; see nn::clip_by_global_norm. Hyperparameter:
/// global_clipnorm.
Transform clip_by_global_norm(double norm, Location at = Location::current());

/// Multiplies by a number. Hyperparameter: scale.
Transform scale(double factor);
/// Multiplies by minus the learning rate. Of a schedule the hyperparameter learning_rate holds the rate of the last
/// step; its state is the count of steps. Hyperparameter: learning_rate.
Transform scale_by_learning_rate(const LearningRate &rate, Location at = Location::current());

/// Momentum: `m = gradient + momentum * m`; the update is m, with `nesterov` `gradient + momentum * m`. State:
/// momentum. Hyperparameter: momentum.
Transform trace(double momentum, bool nesterov = false, Location at = Location::current());

struct ScaleByAdamOptions {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
};
/// Adam's direction (D. Kingma, J. Ba, 2015), as Keras computes it: with t steps, this one included,
/// `m += (1 - beta_1) * (g - m)`, `v += (1 - beta_2) * (g^2 - v)`, and the update is
/// `m * sqrt(1 - beta_2^t) / (1 - beta_1^t) / (sqrt(v) + epsilon)`: the paper's "epsilon hat". With `amsgrad` the
/// largest v so far divides. State: count, momentum, velocity, velocity_hat. Hyperparameters: beta_1, beta_2, epsilon.
Transform scale_by_adam(const ScaleByAdamOptions &options = {}, Location at = Location::current());

struct DecayOptions {
  /// Parameters whose path contains one of these texts do not decay: `{"bias", "norm"}`.
  std::vector<std::string> exclude = {};
};
/// Adds `weight_decay * parameter` to each update: before scale_by_learning_rate, decoupled weight decay.
/// Hyperparameter: weight_decay.
Transform add_decayed_weights(double weight_decay, const DecayOptions &options = {}, Location at = Location::current());

/// Gives `inner` the mean of the gradients of `steps` steps at every such step, and returns zeros as updates at the
/// others, at which the state of `inner` does not change. State: accumulation_step, accumulator, and that of `inner`.
Transform accumulate(int64_t steps, const Transform &inner, Location at = Location::current());

} // namespace tenon::optim
