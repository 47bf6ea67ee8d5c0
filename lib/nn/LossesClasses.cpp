//===- LossesClasses.cpp - losses of classes and probabilities --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From logits these are computed without probabilities, so that a large logit keeps its digits. From probabilities the
// formulas are Keras', with its clipping.
//===----------------------------------------------------------------------===//
#include "lib/nn/LossParts.h"

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::losses;

using TermsReduction = tenon::Reduction;

/// The axis from 0 on; y_pred without one is an Error.
static int classAxis(const char *function, const Array &y_pred, Axis axis, Location at) {
  if (y_pred.ndim() == 0)
    refuse(function, "expected y_pred with an axis of classes, got a number", at);
  return axisOf(y_pred, axis, at);
}
static Shape withoutAxis(Shape shape, int axis) {
  shape.erase(axis);
  return shape;
}
/// The number of classes as a number that divides x.
static Array countOf(const Array &x, int axis, Location at) {
  return convert(sizeOf(x.shape().at(axis), x.device(), at), x.dtype(), at);
}
static Array smoothed(const Array &y_true, double smoothing, const Operand &classes) {
  return smoothing == 0 ? y_true : y_true * (1 - smoothing) + divide(smoothing, classes);
}
static Array normalized(const Array &p, int axis) { return p / sum(p, axis, true); }

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

/// y_pred where rows count; elsewhere it may be NaN.
static Array countedRows(const char *function, const Array &y_pred, const Labels &labels, const Operand &sample_weight,
                         int place) {
  const Array rows = masked(function, sample_weight, y_pred, Axis(place), maskedPrediction);
  return labels.counted.has_value() ? where(expand_dims(labels.counted, place), rows, maskedPrediction) : rows;
}

static void checkLabels(const char *function, const Array &y_true, const Array &y_pred, Axis axis,
                        std::optional<int64_t> ignored, Location at) {
  if (kind(y_true.dtype()) != Kind::integer || y_pred.ndim() == 0)
    return; // what the loss itself refuses
  DoorScope scope(function, at, {{"y_true", y_true}, {"y_pred", y_pred}});
  const Array labels = reshape(y_true, {-1}).astype(Dtype::i64);
  const Array classes = sizeOf(y_pred.shape().at(classAxis(function, y_pred, axis, at)), y_pred.device(), at);
  Array isWrong = labels < 0 || labels >= classes;
  if (ignored)
    isWrong = isWrong && labels != *ignored;
  // The first of them; there is a row to look at, also of no labels.
  const Array padded = concat({isWrong, zeros({1}, Dtype::bool_)}, 0);
  const Array row = argmax(padded.astype(Dtype::i32), 0);
  const Array label = take(concat({labels, zeros({1}, Dtype::i64)}, 0), row, 0);
  check(!any(isWrong), std::string(function) + ": label {} in row {} is out of range for {} classes",
        {label, row, classes});
}
void SparseCategoricalCrossentropy::check_labels(const Array &y_true, const Array &y_pred, Location at) const {
  checkLabels("sparse_categorical_crossentropy", y_true, y_pred, axis, ignore_class, at);
}
void NLL::check_labels(const Array &y_true, const Array &y_pred, Location at) const {
  checkLabels("nll", y_true, y_pred, axis, ignore_class, at);
}

Array SparseCategoricalCrossentropy::operator()(const Operand &truth, const Operand &predicted,
                                                const Operand &sample_weight) const {
  constexpr const char *function = "sparse_categorical_crossentropy";
  const Location at = truth.location();
  DoorScope scope(function, at, {{"y_true", truth}, {"y_pred", predicted}, {"sample_weight", sample_weight}});
  Array y_pred = predictions(function, predicted);
  const int place = classAxis(function, y_pred, axis, at);
  const Labels labels(function, truth, withoutAxis(y_pred.shape(), place), y_pred.shape().at(place), ignore_class);
  y_pred = countedRows(function, y_pred, labels, sample_weight, place);
  const Array logProbs = from_logits ? labels.pick(log_softmax(y_pred, place), place)
                                     : log(clippedProbabilities(labels.pick(y_pred, place) / sum(y_pred, place)));
  return reducedLosses(function, -logProbs, sample_weight, reduction, labels.counted);
}

Array NLL::operator()(const Operand &truth, const Operand &predicted, const Operand &sample_weight) const {
  constexpr const char *function = "nll";
  const Location at = truth.location();
  DoorScope scope(function, at, {{"y_true", truth}, {"y_pred", predicted}, {"sample_weight", sample_weight}});
  Array y_pred = predictions(function, predicted);
  const int place = classAxis(function, y_pred, axis, at);
  const Labels labels(function, truth, withoutAxis(y_pred.shape(), place), y_pred.shape().at(place), ignore_class);
  y_pred = countedRows(function, y_pred, labels, sample_weight, place);
  return reducedLosses(function, -labels.pick(y_pred, place), sample_weight, reduction, labels.counted);
}

//===----------------------------------------------------------------------===//
// Distributions over classes
//===----------------------------------------------------------------------===//

Array CategoricalCrossentropy::operator()(const Operand &truth, const Operand &predicted,
                                          const Operand &sample_weight) const {
  constexpr const char *function = "categorical_crossentropy";
  const Location at = truth.location();
  return lossOfRows(
      function, truth, predicted, sample_weight, reduction,
      [&](const Array &y_true, const Array &y_pred) {
        expectFraction(function, "label_smoothing", label_smoothing, at);
        const int place = classAxis(function, y_pred, axis, at);
        if (from_logits)
          return cross_entropy(
              y_pred, y_true,
              {.reduction = TermsReduction::unreduced, .label_smoothing = label_smoothing, .axis = Axis(place)});
        const Array target = smoothed(y_true, label_smoothing, countOf(y_pred, place, at));
        return -sum(target * log(clippedProbabilities(normalized(y_pred, place))), place);
      },
      axis);
}

Array CategoricalFocalCrossentropy::operator()(const Operand &truth, const Operand &predicted,
                                               const Operand &sample_weight) const {
  constexpr const char *function = "categorical_focal_crossentropy";
  const Location at = truth.location();
  return lossOfRows(
      function, truth, predicted, sample_weight, reduction,
      [&](const Array &y_true, const Array &y_pred) {
        expectFraction(function, "label_smoothing", label_smoothing, at);
        const int place = classAxis(function, y_pred, axis, at);
        const Dim classes = y_pred.shape().at(place);
        if (alpha.size() != 1 && provably_equal(classes, Dim(static_cast<int64_t>(alpha.size()))) == Always::no)
          refuse(function,
                 "expected one alpha, or one for each of the " + Shape{classes}.str() + " classes, got " +
                     std::to_string(alpha.size()),
                 at);
        const Array target = smoothed(y_true, label_smoothing, countOf(y_pred, place, at));
        const Array p = clippedProbabilities(from_logits ? softmax(y_pred, place) : normalized(y_pred, place));
        const Array entropy = target * (from_logits ? log_softmax(y_pred, place) : log(p));
        Array factor = convert(Array(alpha), y_pred.dtype(), at);
        for (int last = place + 1; last < y_pred.ndim(); ++last)
          factor = expand_dims(factor, -1);
        // An exponent of 0 has no derivative to speak of at a base of 0.
        if (gamma != 0)
          factor = factor * pow(1 - p, gamma);
        return -sum(factor * entropy, place);
      },
      axis);
}

//===----------------------------------------------------------------------===//
// Independent probabilities
//===----------------------------------------------------------------------===//

/// Of y_true and probabilities or logits, element by element.
static Array binaryEntropy(const Array &y_true, const Array &y_pred, bool fromLogits) {
  if (fromLogits)
    return binary_cross_entropy_with_logits(y_pred, y_true, {.reduction = TermsReduction::unreduced});
  const Array p = clippedProbabilities(y_pred);
  return -(y_true * log(p) + (1 - y_true) * log(1 - p));
}

Array BinaryCrossentropy::operator()(const Operand &truth, const Operand &predicted,
                                     const Operand &sample_weight) const {
  constexpr const char *function = "binary_crossentropy";
  return lossOfElements(
      function, truth, predicted, sample_weight, reduction,
      [&](const Array &y_true, const Array &y_pred) {
        expectFraction(function, "label_smoothing", label_smoothing, truth.location());
        return binaryEntropy(smoothed(y_true, label_smoothing, 2), y_pred, from_logits);
      },
      axis);
}

Array BinaryFocalCrossentropy::operator()(const Operand &truth, const Operand &predicted,
                                          const Operand &sample_weight) const {
  constexpr const char *function = "binary_focal_crossentropy";
  return lossOfElements(
      function, truth, predicted, sample_weight, reduction,
      [&](const Array &y_true, const Array &y_pred) {
        expectFraction(function, "label_smoothing", label_smoothing, truth.location());
        const Array target = smoothed(y_true, label_smoothing, 2);
        Array losses = binaryEntropy(target, y_pred, from_logits);
        const Array p = from_logits ? sigmoid(y_pred) : y_pred, q = from_logits ? sigmoid(-y_pred) : 1 - y_pred;
        // The probability of the other class; an exponent of 0 has no derivative to speak of where it is 0.
        if (gamma != 0)
          losses = losses * pow(target * q + (1 - target) * p, gamma);
        return apply_class_balancing ? losses * (target * alpha + (1 - target) * (1 - alpha)) : losses;
      },
      axis);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Array losses::sparse_categorical_crossentropy(const Operand &y_true, const Operand &y_pred,
                                              const SparseCategoricalCrossentropy &options) {
  return options(y_true, y_pred);
}
Array losses::categorical_crossentropy(const Operand &y_true, const Operand &y_pred,
                                       const CategoricalCrossentropy &options) {
  return options(y_true, y_pred);
}
Array losses::binary_crossentropy(const Operand &y_true, const Operand &y_pred, const BinaryCrossentropy &options) {
  return options(y_true, y_pred);
}
Array losses::binary_focal_crossentropy(const Operand &y_true, const Operand &y_pred,
                                        const BinaryFocalCrossentropy &options) {
  return options(y_true, y_pred);
}
Array losses::categorical_focal_crossentropy(const Operand &y_true, const Operand &y_pred,
                                             const CategoricalFocalCrossentropy &options) {
  return options(y_true, y_pred);
}
Array losses::nll(const Operand &y_true, const Operand &y_pred, const NLL &options) { return options(y_true, y_pred); }
Array losses::sparse_softmax_cross_entropy(const Operand &labels, const Operand &logits) {
  return SparseCategoricalCrossentropy{.from_logits = true}(labels, logits);
}
Array losses::softmax_cross_entropy(const Operand &onehot_labels, const Operand &logits) {
  return CategoricalCrossentropy{.from_logits = true}(onehot_labels, logits);
}
