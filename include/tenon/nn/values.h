//===- values.h - what layers are told -------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/detail/function.h>
#include <tenon/key.h>
#include <tenon/ops.h>
#include <tenon/tree.h>

#include <optional>
#include <string>

namespace tenon::nn {

/// Numbers along the spatial axes of an input, such as the size of a window: one for all axes, or one for each axis.
/// Another count does not compile.
template <int Rank>
class Sizes {
public:
  /// Left out: the function's default.
  constexpr Sizes() = default;
  template <detail::Integer T>
  constexpr Sizes(T all) : isGiven_(true) {
    for (int64_t &one : values_)
      one = static_cast<int64_t>(all);
  }
  template <detail::Integer... T>
    requires(Rank > 1 && sizeof...(T) == Rank)
  constexpr Sizes(T... each) : values_{static_cast<int64_t>(each)...}, isGiven_(true) {}
  constexpr bool given() const { return isGiven_; }
  constexpr int64_t operator[](int axis) const { return values_[axis]; }

private:
  int64_t values_[Rank] = {};
  bool isGiven_ = false;
};
using Size1 = Sizes<1>;
using Size2 = Sizes<2>;
using Size3 = Sizes<3>;

/// A function of one array that has a name: tn::relu, tn::softmax, any callable. Without one, the identity.
class Activation : public TreeObject {
public:
  Activation() = default;
  Activation(Array (*function)(const Operand &));
  /// Of a function with one parameter more, at its documented default.
  Activation(Array (*function)(const Operand &, Axis));
  Activation(Array (*function)(const Operand &, bool));
  Activation(Array (*function)(const Operand &, double));
  template <class F>
    requires(std::is_invocable_r_v<Array, const F &, const Array &> && !std::is_base_of_v<Activation, F>)
  Activation(F function, std::string name = "lambda") : function_(std::move(function)), name_(std::move(name)) {}
  Activation(const char *) = delete; // an activation is a function: tn::relu

  Array operator()(const Array &x) const { return function_ ? function_(x) : x; }
  /// "relu", "linear" for the identity, "lambda" for a callable without a name.
  const std::string &name() const { return name_; }
  explicit operator bool() const { return static_cast<bool>(function_); }

private:
  detail::Function<Array(const Array &)> function_;
  std::string name_ = "linear";
};

/// Makes the initial value of a weight from a key and its shape.
class Initializer {
public:
  template <class F>
    requires(std::is_invocable_r_v<Array, const F &, const Key &, const Shape &> && !std::is_base_of_v<Initializer, F>)
  Initializer(F function, std::string name = "lambda") : function_(std::move(function)), name_(std::move(name)) {}
  Initializer(const char *) = delete; // an initializer is a function: nn::glorot_uniform()

  Array operator()(const Key &key, const Shape &shape) const { return function_(key, shape); }
  const std::string &name() const { return name_; }

private:
  detail::Function<Array(const Key &, const Shape &)> function_;
  std::string name_;
};

Initializer zeros();
Initializer ones();
/// All elements `value`.
Initializer constant(double value);
/// Normal with this mean and standard deviation.
Initializer normal(double stddev = 0.05, double mean = 0);
/// Normal, cut off at two standard deviations.
Initializer truncated_normal(double stddev = 0.05, double mean = 0);
/// Uniform in [low, high).
Initializer uniform(double low = -0.05, double high = 0.05);
/// Uniform in +-sqrt(6 / (fan_in + fan_out)), so that variances stay the same in both directions (Glorot and Bengio,
/// 2010). The fans are the last two sizes of the shape, times those before.
Initializer glorot_uniform();
/// Normal, cut off at two standard deviations, of variance 2 / (fan_in + fan_out) after that (Glorot and Bengio, 2010).
Initializer glorot_normal();
/// Uniform in +-sqrt(6 / fan_in), for layers with relu (He et al., 2015).
Initializer he_uniform();
/// Normal, cut off at two standard deviations, of variance 2 / fan_in after that (He et al., 2015).
Initializer he_normal();
/// Uniform in +-sqrt(3 / fan_in) (LeCun et al., 1998).
Initializer lecun_uniform();
/// Normal, cut off at two standard deviations, of variance 1 / fan_in after that (LeCun et al., 1998).
Initializer lecun_normal();
/// What a variance is divided by: the number of inputs or outputs of a unit, or their mean.
enum class FanMode : uint8_t { fan_in, fan_out, fan_avg };
enum class InitialDistribution : uint8_t { truncated_normal, untruncated_normal, uniform };
struct VarianceScalingOptions {
  double scale = 1;
  FanMode mode = FanMode::fan_in;
  InitialDistribution distribution = InitialDistribution::truncated_normal;
};
/// Mean 0 and variance `scale / fan`, whatever the distribution: what those above are cases of (He et al., 2015).
Initializer variance_scaling(const VarianceScalingOptions &options = {}, Location at = Location::current());
/// A matrix with orthonormal rows or columns, times `gain`; axes before the last are one (Saxe et al., 2014).
Initializer orthogonal(double gain = 1);
/// The identity matrix times `gain`; of rank 2 alone.
Initializer identity(double gain = 1);

/// Computes the penalty of a weight, of rank 0, which training adds to the loss; without a function, none.
class Regularizer {
public:
  Regularizer() = default;
  template <class F>
    requires(std::is_invocable_r_v<Array, const F &, const Array &> && !std::is_base_of_v<Regularizer, F>)
  Regularizer(F function) : function_(std::move(function)) {}
  Regularizer(const char *) = delete; // a regularizer is a function: nn::l2()

  Array operator()(const Array &weight) const { return function_(weight); }
  explicit operator bool() const { return static_cast<bool>(function_); }

private:
  detail::Function<Array(const Array &)> function_;
};
/// `factor * sum(|weight|)`, which makes weights 0 (Tibshirani, 1996).
Regularizer l1(double factor = 0.01, Location at = Location::current());
/// `factor * sum(weight^2)`, which makes weights small.
Regularizer l2(double factor = 0.01, Location at = Location::current());
/// The sum of both (Zou and Hastie, 2005).
Regularizer l1_l2(double l1 = 0.01, double l2 = 0.01, Location at = Location::current());

/// Computes what a weight becomes after a step of training; without a function, it stays.
class Constraint {
public:
  Constraint() = default;
  template <class F>
    requires(std::is_invocable_r_v<Array, const F &, const Array &> && !std::is_base_of_v<Constraint, F>)
  Constraint(F function) : function_(std::move(function)) {}
  Constraint(const char *) = delete; // a constraint is a function: nn::non_neg()

  Array operator()(const Array &weight) const { return function_(weight); }
  explicit operator bool() const { return static_cast<bool>(function_); }

private:
  detail::Function<Array(const Array &)> function_;
};
/// Scales vectors along `axis` down to this norm where theirs is larger (Srivastava et al., 2014). Axis 0 of a dense
/// kernel are the inputs of a unit; of a convolution's kernel for images they are `{0, 1, 2}`.
Constraint max_norm(double max_value = 2, const Ints &axis = 0, Location at = Location::current());
/// Negative elements become 0.
Constraint non_neg();
/// Scales vectors along `axis` to norm 1.
Constraint unit_norm(const Ints &axis = 0);

/// What a call is told. Left out: what the caller's own call was told, or its thread's TrainingScope; else inference.
struct CallOptions {
  std::optional<bool> training = {};
  Array mask = {};
};

/// While it lives, layers that this thread calls train (or infer): Dropout drops, BatchNorm takes the batch's moments.
/// Under jit, training and inference are two traces.
class TrainingScope {
public:
  [[nodiscard]] explicit TrainingScope(bool training = true);
  TrainingScope(const TrainingScope &) = delete;
  TrainingScope &operator=(const TrainingScope &) = delete;
  ~TrainingScope();

private:
  bool before_;
};
/// Whether layers that this thread calls now train.
bool training();

/// A field of a plain layer that is no tree, such as a function or a Shape, and that never changes. Copies are the same
/// configuration; checkpoints do not hold it.
template <class T>
class Fixed : public TreeObject {
public:
  Fixed(T value) : value_(std::move(value)) {}
  const T &operator*() const { return value_; }
  const T *operator->() const { return &value_; }

private:
  T value_;
};

} // namespace tenon::nn
