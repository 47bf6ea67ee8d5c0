//===- Parts.h - what Transforms are written with ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/optim/transform.h>

#include <optional>
#include <string_view>

namespace tenon::optim {

/// A hyperparameter with this value: f64, so that 1 - beta_2 keeps its digits.
Hyperparameter hyperparameter(std::string name, double value);
/// An Error of `function` unless `low <= value < high`.
void requireWithin(const char *function, const char *name, double value, double low, double high, Location at);
/// An Error of `function` unless `value` is positive and finite.
void requirePositive(const char *function, const char *name, double value, Location at);

/// An f64 array of rank 0 in the dtype of the arrays beside it.
class Factor {
public:
  Factor(Array value) : value_(std::move(value)) {}
  Factor(const Variable &variable) : value_(variable.value()) {}
  const Array &as(Dtype dtype);

private:
  Array value_, f32_;
};

/// The arrays of one kind in a state, `KIND.PATH`, in the order of the paths.
class Slots {
public:
  Slots(NamedArrays &state, std::string_view kind);
  /// The one of this path, which is behind those asked for before.
  Array &at(const std::string &path);

private:
  NamedArrays &state_;
  NamedArrays::iterator next_;
  std::string prefix_;
};

/// Adds zeros like each parameter to a state.
void addZeros(NamedArrays &state, std::string_view kind, const NamedArrays &params);

/// The steps made so far: those of an optimizer, or counted in the Transform's own state.
class Count {
public:
  Count() = default;
  explicit Count(Variable iterations) : iterations_(std::move(iterations)) {}
  void init(NamedArrays &state) const;
  /// How many there were before this step, i64; this one counts from here on.
  Array next(NamedArrays &state) const;
  bool isOwn() const { return !iterations_.cell(); }

private:
  Variable iterations_;
};

/// A learning rate while it is used.
class Rate {
public:
  /// `fallback` where none is given.
  Rate(const char *function, const LearningRate &rate, double fallback, Location at);
  /// The rate of this step, f64.
  Array now(const Count &count, NamedArrays &state) const;
  bool isScheduled() const { return static_cast<bool>(schedule_); }
  Hyperparameter parameter;

private:
  Schedule schedule_;
};

/// One of a chain, and the name before the names of its state; empty: none, and it sees the state of all.
struct Part {
  std::string prefix;
  Transform transform;
};
Transform chained(std::vector<Part> parts);
void initPart(const Part &part, NamedArrays &state, const NamedArrays &params);
void updatePart(const Part &part, NamedArrays &updates, NamedArrays &state, const NamedArrays &params);
/// `inner`, of gradients of a scaled loss.
Transform lossScaled(const Part &inner, double initial, int64_t growthSteps, Location at);
/// `prefix` of the state of `inner`; empty: none.
Transform accumulated(int64_t steps, const Part &inner, Location at);
Transform decayed(double decay, std::vector<std::string> exclude, Location at);
Transform scaledBy(const Rate &rate, const Count &count);
Transform adamDirection(const char *function, const ScaleByAdamOptions &options, const Count &count, Location at);

/// What all optimizers are told.
struct Common {
  double weightDecay;
  std::vector<std::string> exclude;
  std::optional<double> clipnorm, clipvalue, global_clipnorm;
  std::optional<int64_t> accumulationSteps;
};
template <class Options>
Common commonOf(const Options &options) {
  return {options.weight_decay, options.exclude_from_weight_decay, options.clipnorm,
          options.clipvalue,    options.global_clipnorm,           options.gradient_accumulation_steps};
}
/// The optimizer that goes `rate` times `direction`.
Transform optimizerOf(const char *function, Transform direction, const Rate &rate, const Common &common,
                      const Count &count, Location at);
/// The same with the parts between clipping and accumulation.
Transform optimizerOf(const char *function, std::vector<Part> parts, const Rate &rate, const Common &common,
                      Location at);

} // namespace tenon::optim
