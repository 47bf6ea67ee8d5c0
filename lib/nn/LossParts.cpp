//===- LossParts.cpp - what losses and metrics share -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/LossParts.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

bool detail::endsWith1(const Shape &shape) {
  return !shape.empty() && provably_equal(*(shape.end() - 1), Dim(1)) == Always::yes;
}

void detail::alignRanks(Array &x1, Array &x2) {
  if (x1.ndim() < x2.ndim())
    return alignRanks(x2, x1);
  if (x1.ndim() != x2.ndim() + 1 || !endsWith1(x1.shape()))
    return;
  if (x2.ndim() == 1)
    x2 = expand_dims(x2, -1);
  else
    x1 = squeeze(x1, -1);
}

Array detail::predictions(const char *function, const Operand &y_pred) { return Floats(function, {&y_pred})[0]; }

LossPair::LossPair(const char *function, const Operand &truth, const Operand &predicted)
    : y_true(Floats(function, {&truth})[0]), y_pred(predictions(function, predicted)) {
  const Location at = truth.location();
  y_true = convert(y_true, y_pred.dtype(), at);
  if (y_true.ndim() == 0) {
    y_true = broadcast(y_true, y_pred.shape(), at);
    return;
  }
  const Shape shape = y_true.shape(), other = y_pred.shape();
  alignRanks(y_true, y_pred);
  // Nothing else is broadcast: (n, 1) beside (n, m) would be a mistake that nobody sees.
  if (provably_equal(y_true.shape(), y_pred.shape()) == Always::no)
    refuse(function, "expected y_true and y_pred of one shape, got " + shape.str() + " and " + other.str(), at);
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

/// `3`, or `(3, 5)` where rows have several axes.
static std::string rowText(int64_t row, const Shape &rows) {
  if (rows.rank() <= 1)
    return std::to_string(row);
  std::string text;
  for (int axis = rows.rank() - 1; axis >= 0; --axis) {
    const int64_t size = rows[axis];
    text = std::to_string(row % size) + (text.empty() ? "" : ", ") + text;
    row /= size;
  }
  return "(" + text + ")";
}

/// Whether the labels are known; one that is no class is an Error.
static bool checkLabels(const char *function, const Array &labels, const Shape &rows, Dim classes,
                        std::optional<int64_t> ignored, Location at) {
  if (!classes.is_static())
    return false;
  const std::optional<std::vector<int64_t>> known = knownValues(labels);
  if (!known)
    return false;
  for (size_t row = 0; row < known->size(); ++row)
    if (const int64_t label = (*known)[row]; (label < 0 || label >= classes.raw()) && label != ignored)
      refuse(function,
             "label " + std::to_string(label) + " in row " + rowText(static_cast<int64_t>(row), rows) +
                 " is out of range for " + std::to_string(classes.raw()) + " classes",
             at);
  return true;
}

Labels::Labels(const char *function, const Operand &y_true, const Shape &rows, Dim classes,
               std::optional<int64_t> ignored)
    : values(toArray(y_true, OpCode::gather)) {
  const Location at = y_true.location();
  if (kind(values.dtype()) > Kind::integer)
    refuse(function, "expected labels of an integer dtype as y_true, got " + std::string(short_name(values.dtype())),
           at);
  const Shape shape = values.shape();
  Shape withAxis = rows;
  withAxis.push_back(1, at);
  if (shape.rank() == rows.rank() + 1 && endsWith1(shape))
    values = squeeze(values, -1);
  if (provably_equal(values.shape(), rows) == Always::no)
    refuse(function, "expected labels of the shape " + rows.str() + " or " + withAxis.str() + ", got " + shape.str(),
           at);
  const bool isKnown = checkLabels(function, values, rows, classes, ignored, at);
  values = convert(values, item_size(values.dtype()) < 4 || values.dtype() == Dtype::i32 ? Dtype::i32 : Dtype::i64, at);
  if (ignored)
    counted = values != *ignored;
  if (!isKnown) {
    const Array size = convert(sizeOf(classes, values.device(), at), values.dtype(), at);
    Array isKnownClass = values >= 0 && values < size;
    // An ignored row has loss 0; its derivative would be 0 * NaN.
    if (ignored)
      isKnownClass = isKnownClass || !counted;
    poison = where(isKnownClass, 0.0f, NAN);
  }
}

// A choice among all classes: compiled, this and its derivative are faster than a gather and its scatter, also where
// there are many classes.
Array Labels::pick(const Array &x, int axis) const {
  const Dim classes = x.shape().at(axis);
  Array places = values;
  if (poison.has_value())
    places = clip(values, 0, convert(sizeOf(classes, x.device(), {}), values.dtype(), {}) - 1);
  Array numbers = iota(classes, values.dtype(), x.device(), {});
  for (int last = axis + 1; last < x.ndim(); ++last)
    numbers = expand_dims(numbers, -1);
  const Array picked = sum(where(expand_dims(places, axis) == numbers, x, 0), axis);
  // A factor: the derivative is NaN, too, so that no step is made of a wrong label.
  return poison.has_value() ? picked * (1 + convert(poison, x.dtype(), {})) : picked;
}

//===----------------------------------------------------------------------===//
// Weights and reductions
//===----------------------------------------------------------------------===//

Array detail::weightsBeside(const char *function, const Operand &operand, const Array &x, const Shape &wanted) {
  const Location at = operand.location();
  Array weights = toArray(operand, OpCode::multiply, x.dtype(), x.device());
  if (kind(weights.dtype()) == Kind::complex)
    refuse(function, "expected weights of a real dtype, got " + std::string(short_name(weights.dtype())), at);
  const Shape shape = weights.shape();
  const int rank = wanted.rank();
  if (weights.ndim() == rank + 1 && endsWith1(shape))
    weights = squeeze(weights, -1);
  bool meets = weights.ndim() <= rank;
  for (int axis = 0; meets && axis < weights.ndim(); ++axis)
    meets = provably_equal(weights.shape().at(axis), wanted.begin()[axis]) != Always::no ||
            provably_equal(weights.shape().at(axis), Dim(1)) == Always::yes;
  if (!meets)
    refuse(function,
           "expected sample weights of the shape of the losses per example, " + wanted.str() +
               ", or of its first axes, got " + shape.str(),
           at);
  if (weights.ndim() > 0)
    while (weights.ndim() < rank)
      weights = expand_dims(weights, -1);
  return kind(weights.dtype()) == Kind::boolean ? weights : convert(weights, x.dtype(), at);
}

Array detail::masked(const char *function, const Operand &weights, const Array &x, std::optional<Axis> axis,
                     double otherwise) {
  if (!weights.value() || kind(weights.value()->dtype()) != Kind::boolean)
    return x;
  Shape examples = x.shape();
  const int place = axis ? axisOf(x, *axis, weights.location()) : -1;
  if (axis)
    examples.erase(place);
  Array mask = weightsBeside(function, weights, x, examples);
  if (axis && mask.ndim() > 0)
    mask = expand_dims(mask, place);
  return where(mask, x, otherwise);
}

/// The mean of all elements; 0 if there are none.
static Array meanOfAll(const Array &x) { return isNone(element_count(x.shape())) ? sum(x) : mean(x); }

Array detail::reducedLosses(const char *function, const Array &losses, const Operand &weights,
                            losses::Reduction reduction, const Array &counted) {
  Array mask = counted, x = counted.has_value() ? where(counted, losses, 0) : losses;
  if (!weights.is_none()) {
    const Array factor = weightsBeside(function, weights, losses);
    if (kind(factor.dtype()) != Kind::boolean) {
      x = x * factor;
    } else {
      x = where(factor, x, 0);
      mask = mask.has_value() ? mask && factor : factor;
    }
  }
  switch (reduction) {
  case losses::Reduction::per_example:
    return x;
  case losses::Reduction::sum:
    return sum(x);
  case losses::Reduction::mean:
    break;
  }
  if (!mask.has_value())
    return meanOfAll(x);
  const Array count = sum(convert(broadcast(mask, x.shape(), weights.location()), Dtype::i64, weights.location()));
  return sum(x) / convert(maximum(count, 1), x.dtype(), weights.location());
}

Array detail::reducedElements(const char *function, const Array &elements, const Operand &weights,
                              losses::Reduction reduction, Axis axis) {
  if (weights.is_none() && reduction == losses::Reduction::mean)
    return meanOfAll(elements);
  // Of rank 1: one number for each example.
  return reducedLosses(function,
                       elements.ndim() <= 1 ? elements : mean(elements, axisOf(elements, axis, weights.location())),
                       weights, reduction);
}

void detail::expectFraction(const char *function, const char *name, double number, Location at) {
  if (!(number >= 0 && number <= 1))
    refuse(function, "expected a " + std::string(name) + " in [0, 1], got " + Scalar(number).str(), at);
}

Array detail::clippedProbabilities(const Array &p) { return clip(p, lossEpsilon, 1 - lossEpsilon); }
