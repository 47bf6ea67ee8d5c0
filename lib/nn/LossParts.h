//===- LossParts.h - what losses and metrics share -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of these run under the DoorScope of the function that the user called.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <tenon/losses.h>

namespace tenon::detail {

/// Keras' backend.epsilon(): probabilities are clipped to [epsilon, 1 - epsilon].
inline constexpr double lossEpsilon = 1e-7;

/// y_true and y_pred of one shape and one floating dtype, f32 or wider.
struct LossPair {
  LossPair(const char *function, const Operand &y_true, const Operand &y_pred);
  Array y_true, y_pred;
};
/// y_pred as f32 or wider.
Array predictions(const char *function, const Operand &y_pred);
/// Makes (n) and (n, 1) meet, as Keras: one of two arrays whose ranks differ by 1 loses or gains an axis of size 1.
void alignRanks(Array &x1, Array &x2);
/// Whether the last axis has size 1.
bool endsWith1(const Shape &shape);

/// Labels of rows with `classes` classes, in the shape of the rows: i32 or i64.
struct Labels {
  /// Labels that are known are checked.
  Labels(const char *function, const Operand &y_true, const Shape &rows, Dim classes,
         std::optional<int64_t> ignored = {});
  Array values;
  /// Whether the row counts: an empty Array if all rows do.
  Array counted;
  /// 1, or NaN where the label is no class: an empty Array if labels are known to be classes.
  Array poison;
  /// x at the labels along an axis >= 0; times `poison`.
  Array pick(const Array &x, int axis) const;
};

/// Weights in a shape that broadcasts to `shape`: bools, or numbers in the dtype of `x`, which they stand beside.
Array weightsBeside(const char *function, const Operand &weights, const Array &x, const Shape &shape);
inline Array weightsBeside(const char *function, const Operand &weights, const Array &values) {
  return weightsBeside(function, weights, values, values.shape());
}

/// x, but `otherwise` in the examples that weights of bools leave out: derivatives of what is there, which may be NaN,
/// are 0 then. The examples of x have no `axis`; none: each element is one.
Array masked(const char *function, const Operand &weights, const Array &x, std::optional<Axis> axis, double otherwise);
/// Fillers for `masked`: no loss is infinite there, or has an infinite derivative.
inline constexpr double maskedTruth = 1, maskedPrediction = 0.5;

/// The losses of the examples, weighted and reduced; only those where `counted` is true count.
Array reducedLosses(const char *function, const Array &losses, const Operand &weights, losses::Reduction reduction,
                    const Array &counted = {});
/// The same of losses of elements, of which each example has the mean over an axis.
Array reducedElements(const char *function, const Array &elements, const Operand &weights, losses::Reduction reduction,
                      Axis axis = -1);

/// Refuses a number outside of [0, 1].
void expectFraction(const char *function, const char *name, double number, Location at);
/// Probabilities as Keras takes their logarithms, clipped to [epsilon, 1 - epsilon].
Array clippedProbabilities(const Array &p);

/// The loss of a pair, whose elements `compute` makes of y_true and y_pred.
template <class Compute>
Array lossOfElements(const char *function, const Operand &y_true, const Operand &y_pred, const Operand &weights,
                     losses::Reduction reduction, Compute &&compute, Axis axis = -1) {
  DoorScope scope(function, y_true.location(), {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", weights}});
  const LossPair pair(function, y_true, y_pred);
  const std::optional<Axis> features = pair.y_pred.ndim() > 1 ? std::optional(axis) : std::nullopt;
  const Array truth = masked(function, weights, pair.y_true, features, maskedTruth),
              predicted = masked(function, weights, pair.y_pred, features, maskedPrediction);
  return reducedElements(function, compute(truth, predicted), weights, reduction, axis);
}
/// The same where `compute` makes the losses of the examples.
template <class Compute>
Array lossOfRows(const char *function, const Operand &y_true, const Operand &y_pred, const Operand &weights,
                 losses::Reduction reduction, Compute &&compute, Axis axis = -1) {
  DoorScope scope(function, y_true.location(), {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", weights}});
  const LossPair pair(function, y_true, y_pred);
  if (pair.y_pred.ndim() == 0)
    refuse(function, "expected y_pred with an axis of classes or features, got a number", y_true.location());
  const Array truth = masked(function, weights, pair.y_true, axis, maskedTruth),
              predicted = masked(function, weights, pair.y_pred, axis, maskedPrediction);
  return reducedLosses(function, compute(truth, predicted), weights, reduction);
}

} // namespace tenon::detail
