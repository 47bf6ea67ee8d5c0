//===- regularizers.h - penalties and constraints of weights -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nn::Dense hidden{64, {.kernel_regularizer = nn::l2(1e-4), .kernel_constraint = nn::max_norm(3)}};
//
// train::fit adds the penalties to the loss and applies the constraints after each step. A loop of one's own does both:
//
//   tn::Array loss = loss_of(model(x), y) + nn::regularization_loss(model);
//   optimizer.apply_gradients(tape.gradient(loss, variables), variables);
//   nn::apply_constraints(model);
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/model.h>

namespace tenon {
namespace detail {
/// The sum of the penalties of the trainable ones, f32 of rank 0; an empty Array if none has a regularizer.
Array penalty_of(const std::vector<Variable> &variables);
void apply_constraints(const std::vector<Variable> &variables);
} // namespace detail

namespace nn {

/// Makes the regularizer, or the constraint, one of this weight of a layer, whose clones get it, too; for layers
/// without such an option, and for layers of one's own. An Error of a Variable that is no weight of a layer.
void set_regularizer(const Variable &weight, const Regularizer &regularizer, Location at = Location::current());
void set_constraint(const Variable &weight, const Constraint &constraint, Location at = Location::current());

/// Returns the sum of the penalties of a model's trainable weights, f32 of rank 0; 0 if none has a regularizer. The
/// penalties of activities are those of an ActivityScope.
template <class M>
Array regularization_loss(const M &model) {
  const Array penalty = tenon::detail::penalty_of(tenon::detail::variables_of(model).variables);
  return penalty.has_value() ? penalty : tenon::zeros({});
}
/// Assigns each trainable weight that has a constraint its value under that constraint: after a step.
template <class M>
void apply_constraints(const M &model) {
  tenon::detail::apply_constraints(tenon::detail::variables_of(model).variables);
}

/// Sums the penalties of activities: of what layers with an `activity_regularizer` return that this thread calls while
/// it lives. train::fit has one around each call of the model.
class ActivityScope {
public:
  [[nodiscard]] ActivityScope();
  ActivityScope(const ActivityScope &) = delete;
  ActivityScope &operator=(const ActivityScope &) = delete;
  ~ActivityScope();
  /// The sum so far, of rank 0; empty if no layer had a penalty.
  const Array &penalty() const { return penalty_; }
  /// Internal: adds a penalty to the innermost scope, if there is one.
  static void add(const Regularizer &regularizer, const Array &activity);

private:
  ActivityScope *outer_;
  Array penalty_;
};

/// Gives its input, whose penalty an ActivityScope sums: `l1 * sum(|x|) + l2 * sum(x^2)`.
class ActivityRegularization : public Layer {
public:
  explicit ActivityRegularization(double l1 = 0, double l2 = 0, Location at = Location::current())
      : regularizer_(nn::l1_l2(l1, l2, at)) {}
  Array call(const Array &x) const override {
    ActivityScope::add(regularizer_, x);
    return x;
  }

private:
  Regularizer regularizer_;
};

} // namespace nn
} // namespace tenon
