//===- Regularizers.cpp - penalties and constraints of weights -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"
#include "lib/nn/WeightCell.h"
#include "lib/trace/Context.h"

#include <tenon/nn/regularizers.h>

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Penalties and constraints
//===----------------------------------------------------------------------===//

static void expectNotNegative(const char *function, const char *what, double number, Location at) {
  if (!(number >= 0 && std::isfinite(number)))
    throw Error(std::string(function) + ": expected " + what + " >= 0, got " + Scalar(number).str(), userLocation(at));
}

nn::Regularizer nn::l1(double factor, Location at) {
  expectNotNegative("l1", "factor", factor, at);
  return [factor](const Array &weight) { return sum(abs(weight)) * factor; };
}
nn::Regularizer nn::l2(double factor, Location at) {
  expectNotNegative("l2", "factor", factor, at);
  return [factor](const Array &weight) { return sum(square(weight)) * factor; };
}
nn::Regularizer nn::l1_l2(double l1, double l2, Location at) {
  expectNotNegative("l1_l2", "l1", l1, at);
  expectNotNegative("l1_l2", "l2", l2, at);
  return [=](const Array &weight) { return sum(abs(weight)) * l1 + sum(square(weight)) * l2; };
}

nn::Constraint nn::max_norm(double max_value, const Ints &axis, Location at) {
  expectNotNegative("max_norm", "max_value", max_value, at);
  return [=](const Array &weight) { return clip_by_norm(weight, max_value, axis); };
}
nn::Constraint nn::non_neg() {
  return [](const Array &weight) { return maximum(weight, 0); };
}
nn::Constraint nn::unit_norm(const Ints &axis) {
  return [=](const Array &weight) {
    // A vector of zeros stays.
    return weight / maximum(vector_norm(weight, {.axis = axis, .keepdims = true}), 1e-7);
  };
}

//===----------------------------------------------------------------------===//
// Of weights
//===----------------------------------------------------------------------===//

void detail::setRules(const nn::Weight &weight, const nn::Regularizer &regularizer, const nn::Constraint &constraint) {
  auto &cell = static_cast<WeightCell &>(*refOf(weight.cell()));
  cell.regularizer = regularizer;
  cell.constraint = constraint;
}
static WeightCell &weightOf(const char *function, const Variable &weight, Location at) {
  auto *const cell = dynamic_cast<WeightCell *>(refOf(weight.cell()).get());
  if (!cell)
    throw Error(std::string(function) + ": expected a weight of a layer, got " +
                    (weight.cell() ? "the Variable '" + weight.name() + "'" : "an empty Variable"),
                userLocation(at));
  // Programs that have read the weight do not know of the change.
  if (cell->isBuilt())
    ++trainableChanges;
  return *cell;
}
void nn::set_regularizer(const Variable &weight, const Regularizer &regularizer, Location at) {
  weightOf("set_regularizer", weight, at).regularizer = regularizer;
}
void nn::set_constraint(const Variable &weight, const Constraint &constraint, Location at) {
  weightOf("set_constraint", weight, at).constraint = constraint;
}

/// Refuses what a rule returns in another shape than it must.
static Array expectShape(const char *rule, const Variable &weight, Array result, const Shape &shape) {
  if (!result.has_value() || provably_equal(result.shape(), shape) != Always::yes)
    throw Error(std::string(rule) + " of '" + weight.name() + "': expected a result of shape " + shape.str() +
                ", got " + (result.has_value() ? result.shape().str() : "an empty Array"));
  return result;
}

Array detail::penalty_of(const std::vector<Variable> &variables) {
  Array total;
  for (const Variable &variable : variables) {
    const auto *const cell = dynamic_cast<const WeightCell *>(refOf(variable.cell()).get());
    if (!cell || !cell->regularizer || !cell->isTrainable() || !cell->isBuilt())
      continue;
    const Array penalty =
        expectShape("regularizer", variable, cell->regularizer(variable.value()), Shape()).astype(f32);
    total = total.has_value() ? total + penalty : penalty;
  }
  return total;
}
void detail::apply_constraints(const std::vector<Variable> &variables) {
  for (const Variable &variable : variables) {
    const auto *const cell = dynamic_cast<const WeightCell *>(refOf(variable.cell()).get());
    if (!cell || !cell->constraint || !cell->isTrainable() || !cell->isBuilt())
      continue;
    variable.assign(expectShape("constraint", variable, cell->constraint(variable.value()), variable.shape())
                        .astype(variable.dtype()));
  }
}

//===----------------------------------------------------------------------===//
// Of activities
//===----------------------------------------------------------------------===//

static thread_local constinit nn::ActivityScope *innermostScope = nullptr;

nn::ActivityScope::ActivityScope() : outer_(innermostScope) { innermostScope = this; }
nn::ActivityScope::~ActivityScope() { innermostScope = outer_; }
void nn::ActivityScope::add(const Regularizer &regularizer, const Array &activity) {
  ActivityScope *const scope = innermostScope;
  if (!scope || !regularizer)
    return;
  const Array penalty = regularizer(activity).astype(f32);
  if (penalty.ndim() != 0)
    throw Error("activity_regularizer: expected a result of rank 0, got the shape " + penalty.shape().str());
  scope->penalty_ = scope->penalty_.has_value() ? scope->penalty_ + penalty : penalty;
}
