//===- schedule.h - learning rates that depend on the step --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule is a function of the step: the number of updates that the optimizer has made before, an i64 array of rank
// 0. The schedules here compute in f64. Any callable is a schedule:
//
//   optim::Adam optimizer{optim::cosine_decay(1e-3, 10000, {.warmup_steps = 500})};
//   optim::SGD other{[](const tn::Array &step) { return 0.1 / tn::sqrt(step.astype(tn::f64) + 1); }};
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>
#include <tenon/detail/function.h>

namespace tenon::optim {

/// A function from the step, an i64 array of rank 0, to a floating array of rank 0.
class Schedule {
public:
  Schedule() = default;
  template <class F>
    requires(!std::is_same_v<F, Schedule> && std::is_invocable_r_v<Array, const F &, const Array &>)
  Schedule(F f) : function_(std::move(f)) {}
  explicit operator bool() const { return static_cast<bool>(function_); }
  /// The value at a step, a number or an integer array of rank 0. An Error if the function returns anything but a
  /// floating array of rank 0.
  Array operator()(const Operand &step) const;

private:
  detail::Function<Array(const Array &)> function_;
};

/// The same value at each step.
Schedule constant(double value);

/// `values[i]` for the first `boundaries[i]` that is at least the step, else the last value. `boundaries` increase;
/// there is one value more than there are boundaries. As Keras' PiecewiseConstantDecay.
Schedule piecewise_constant(std::vector<int64_t> boundaries, std::vector<double> values,
                            Location at = Location::current());

struct ExponentialOptions {
  /// Decays at every `decay_steps` steps instead of at each.
  bool staircase = false;
};
/// `initial * decay_rate ^ (step / decay_steps)`.
Schedule exponential_decay(double initial, int64_t decay_steps, double decay_rate,
                           const ExponentialOptions &options = {}, Location at = Location::current());

/// `initial / (1 + decay_rate * step / decay_steps)`.
Schedule inverse_time_decay(double initial, int64_t decay_steps, double decay_rate,
                            const ExponentialOptions &options = {}, Location at = Location::current());

struct PolynomialOptions {
  double end = 1e-4;
  double power = 1;
  /// After `decay_steps` starts again, over the smallest multiple of `decay_steps` that is at least the step.
  bool cycle = false;
};
/// `(initial - end) * (1 - step / decay_steps) ^ power + end`; `end` after `decay_steps`. As Keras' PolynomialDecay.
Schedule polynomial_decay(double initial, int64_t decay_steps, const PolynomialOptions &options = {},
                          Location at = Location::current());

struct CosineOptions {
  /// Before the decay, a linear rise from `warmup_from` to `initial` over so many steps.
  int64_t warmup_steps = 0;
  /// The value after the decay, as a fraction of `initial`.
  double alpha = 0;
  double warmup_from = 0;
};
/// A linear warm-up to `initial`, then half a cosine down to `alpha * initial` over `decay_steps` steps. As Keras'
/// CosineDecay with `initial` as its warmup_target.
Schedule cosine_decay(double initial, int64_t decay_steps, const CosineOptions &options = {},
                      Location at = Location::current());

struct CosineRestartsOptions {
  /// Each period is `t_mul` times as long as the one before, and starts at `m_mul` times its value.
  double t_mul = 2, m_mul = 1;
  double alpha = 0;
  int64_t warmup_steps = 0;
  double warmup_from = 0;
};
/// Cosine decays that start again, the first over `first_decay_steps` steps (I. Loshchilov, F. Hutter, "SGDR", 2017).
/// As Keras' CosineDecayRestarts, after the warm-up of cosine_decay.
Schedule cosine_decay_restarts(double initial, int64_t first_decay_steps, const CosineRestartsOptions &options = {},
                               Location at = Location::current());

struct OneCycleOptions {
  /// The part of the steps in which the value rises.
  double pct_start = 0.3;
  /// The first value is `max / div_factor`, the last one is the first one divided by `final_div_factor`.
  double div_factor = 25, final_div_factor = 1e4;
};
/// The 1cycle policy (L. Smith, N. Topin, "Super-Convergence", 2018): half a cosine up to `max`, then one down, over
/// `total_steps` steps. As PyTorch's OneCycleLR; it stays at its last value.
Schedule one_cycle(double max, int64_t total_steps, const OneCycleOptions &options = {},
                   Location at = Location::current());

/// A learning rate: a number or a schedule. Default: the one of the optimizer.
class LearningRate {
public:
  LearningRate() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  LearningRate(T rate) : rate_(static_cast<double>(rate)), isGiven_(true) {}
  template <class F>
    requires(!std::is_arithmetic_v<F> && !std::is_same_v<F, LearningRate> && std::is_constructible_v<Schedule, F>)
  LearningRate(F schedule) : schedule_(std::move(schedule)), isGiven_(true) {}
  bool is_given() const { return isGiven_; }
  double rate() const { return rate_; }
  const Schedule &schedule() const { return schedule_; }

private:
  double rate_ = 0;
  Schedule schedule_;
  bool isGiven_ = false;
};

} // namespace tenon::optim
