//===- MetricsCounts.cpp - metrics of true and false positives ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/MetricParts.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::metrics;

Array detail::numbersBeside(const std::vector<double> &numbers, const Array &x, Location at) {
  return convert(to_device(Array(numbers), x.device(), at), x.dtype(), at);
}

namespace {
/// What a metric of positives counts: rank 1.
struct Positives {
  /// Bools, floats and f64.
  Array isTrue, scores, weights;

  Positives(const char *function, const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) {
    auto [truth, predicted] = alignedPair(function, y_true, y_pred);
    isTrue = truth != 0;
    scores = predictions(function, predicted);
    weights = sample_weight.is_none() ? full_like(scores, 1, Dtype::f64) : weightsOf(function, sample_weight, scores);
  }
  void flatten() {
    isTrue = reshape(isTrue, {-1});
    scores = reshape(scores, {-1});
    weights = reshape(weights, {-1});
  }
  /// Leaves only the k largest scores of each row.
  void keepTop(int64_t k) {
    const Array chosen = top_k(scores, static_cast<int>(k), -1).indices;
    const Array places = one_hot(chosen, scores.shape().at(scores.ndim() - 1));
    scores = where(sum(places, -2) > 0, scores, -INFINITY);
  }
  /// Leaves one class.
  void keepClass(const char *function, int64_t number, Location at) {
    const Dim classes = scores.shape().at(scores.ndim() - 1);
    if (number < 0 || provably_less_equal(classes, Dim(number)) == Always::yes)
      refuse(function, "expected a class_id in [0, " + Shape{classes}.str() + "), got " + std::to_string(number), at);
    for (Array *x : {&isTrue, &scores, &weights})
      *x = take(*x, Array(number), -1);
  }
  /// The sums of the weights of true positives, and of all positives, at each threshold.
  std::pair<Array, Array> above(const std::vector<double> &thresholds, Location at) const {
    const Array isPositive = expand_dims(scores, -1) > numbersBeside(thresholds, scores, at);
    const Array all = where(isPositive, expand_dims(weights, -1), 0);
    return {sum(where(expand_dims(isTrue, -1), all, 0), 0), sum(all, 0)};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Precision and recall
//===----------------------------------------------------------------------===//

static ThresholdOptions withDefaults(ThresholdOptions options, const char *name) {
  if (options.name.empty())
    options.name = name;
  if (options.thresholds.empty())
    options.thresholds = {options.top_k ? -INFINITY : 0.5};
  return options;
}
static Shape shapeOf(const ThresholdOptions &options) {
  return options.thresholds.size() <= 1 ? Shape{1} : Shape{static_cast<int64_t>(options.thresholds.size())};
}
static Positives positivesOf(const char *function, const ThresholdOptions &options, const Operand &y_true,
                             const Operand &y_pred, const Operand &sample_weight) {
  const Location at = y_true.location();
  Positives positives(function, y_true, y_pred, sample_weight);
  if ((options.top_k || options.class_id) && positives.scores.ndim() == 0)
    refuse(function, "expected y_pred with an axis of classes, got a number", at);
  if (options.top_k)
    positives.keepTop(*options.top_k);
  if (options.class_id)
    positives.keepClass(function, *options.class_id, at);
  positives.flatten();
  return positives;
}
/// A number where there is one threshold.
static Array perThreshold(const Array &x, const ThresholdOptions &options) {
  return asResult(options.thresholds.size() <= 1 ? squeeze(x, 0) : x);
}

metrics::Precision::Precision(const ThresholdOptions &options)
    : PairMetric(options.name.empty() ? "precision" : options.name, {"true_positives", "false_positives"},
                 shapeOf(options)),
      options_(withDefaults(options, "precision")) {}
void metrics::Precision::update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  const Location at = y_true.location();
  DoorScope scope("precision", at, {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", sample_weight}});
  const auto [right, all] =
      positivesOf("precision", options_, y_true, y_pred, sample_weight).above(options_.thresholds, at);
  add({right, all - right});
}
Array metrics::Precision::result() const { return perThreshold(ratio(total(0), total(0) + total(1)), options_); }

Recall::Recall(const ThresholdOptions &options)
    : PairMetric(options.name.empty() ? "recall" : options.name, {"true_positives", "false_negatives"},
                 shapeOf(options)),
      options_(withDefaults(options, "recall")) {}
void Recall::update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  const Location at = y_true.location();
  DoorScope scope("recall", at, {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", sample_weight}});
  const Positives positives = positivesOf("recall", options_, y_true, y_pred, sample_weight);
  const Array right = positives.above(options_.thresholds, at).first;
  add({right, sum(where(positives.isTrue, positives.weights, 0)) - right});
}
Array Recall::result() const { return perThreshold(ratio(total(0), total(0) + total(1)), options_); }

//===----------------------------------------------------------------------===//
// F1
//===----------------------------------------------------------------------===//

F1Score::F1Score(int64_t num_classes, const F1Options &options, Location at)
    : PairMetric(options.name, {"true_positives", "false_positives", "false_negatives"},
                 num_classes > 0 ? Shape{num_classes} : Shape{0}),
      classes_(num_classes), options_(options) {
  expectAtLeast("F1Score", "num_classes", num_classes, 1, at);
}

void F1Score::update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  constexpr const char *function = "f1_score";
  const Location at = y_true.location();
  DoorScope scope(function, at, {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", sample_weight}});
  Positives of(function, y_true, y_pred, sample_weight);
  const int last = of.scores.ndim() - 1;
  if (classes_ > 1 && (last < 0 || provably_equal(of.scores.shape().at(last), Dim(classes_)) == Always::no))
    refuse(function,
           "expected y_pred with a last axis of " + std::to_string(classes_) +
               " classes, as F1Score was made for, got " + of.scores.shape().str(),
           at);
  if (classes_ == 1 && last > 0 && !endsWith1(of.scores.shape()))
    refuse(function,
           "expected y_pred of one class, (n) or (n, 1), got " + of.scores.shape().str() +
               "; metrics::F1Score{classes} is for more",
           at);
  const Array isTrue = reshape(of.isTrue, {-1, classes_}), weights = reshape(of.weights, {-1, classes_});
  const Array scores = reshape(of.scores, {-1, classes_});
  const Array isPositive =
      options_.threshold || classes_ == 1
          ? scores > options_.threshold.value_or(0.5)
          : expand_dims(argmax(scores, -1), -1) == arange(0, Dim(classes_), Dtype::i64, scores.device(), at);
  const auto weighted = [&](const Array &chosen) { return sum(where(chosen, weights, 0), 0); };
  add({weighted(isTrue && isPositive), weighted(!isTrue && isPositive), weighted(isTrue && !isPositive)});
}

Array F1Score::result() const {
  Array right = total(0), wrong = total(1), missed = total(2);
  if (options_.average == Average::micro) {
    right = sum(right);
    wrong = sum(wrong);
    missed = sum(missed);
  }
  const Array scores = ratio(2 * right, 2 * right + wrong + missed), positives = right + missed;
  if (options_.average == Average::macro)
    return asResult(mean(scores));
  if (options_.average == Average::weighted)
    return asResult(ratio(sum(scores * positives), sum(positives)));
  return asResult(classes_ == 1 && options_.average == Average::none ? squeeze(scores, 0) : scores);
}

//===----------------------------------------------------------------------===//
// Area under a curve
//===----------------------------------------------------------------------===//

/// Ascending, with one below 0 and one above 1, so that the curve has both ends.
static std::vector<double> thresholdsOf(const AUCOptions &options, Location at) {
  std::vector<double> thresholds = options.thresholds;
  if (thresholds.empty()) {
    expectAtLeast("AUC", "num_thresholds", options.num_thresholds, 2, at);
    for (int64_t i = 1; i + 1 < options.num_thresholds; ++i)
      thresholds.push_back(static_cast<double>(i) / static_cast<double>(options.num_thresholds - 1));
  }
  std::sort(thresholds.begin(), thresholds.end());
  for (const double threshold : thresholds)
    if (!(threshold > 0 && threshold < 1))
      throw Error("AUC: expected thresholds in (0, 1), got " + Scalar(threshold).str(), userLocation(at));
  thresholds.insert(thresholds.begin(), -lossEpsilon);
  thresholds.push_back(1 + lossEpsilon);
  return thresholds;
}
static int64_t countOfThresholds(const AUCOptions &options) {
  return std::max<int64_t>(
      options.thresholds.empty() ? options.num_thresholds : static_cast<int64_t>(options.thresholds.size()) + 2, 2);
}

AUC::AUC(const AUCOptions &options, Location at)
    : PairMetric(options.name, {"true_positives", "true_negatives", "false_positives", "false_negatives"},
                 Shape{countOfThresholds(options)}),
      options_(options), thresholds_(thresholdsOf(options, at)) {}

void AUC::update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  constexpr const char *function = "auc";
  const Location at = y_true.location();
  DoorScope scope(function, at, {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", sample_weight}});
  Positives of(function, y_true, y_pred, sample_weight);
  of.flatten();
  const Array scores = options_.from_logits ? sigmoid(of.scores) : of.scores;
  // How many thresholds are below a score; none are below NaN.
  const Array below = where(isnan(scores), 0, searchsorted(numbersBeside(thresholds_, scores, at), scores));
  const int64_t count = static_cast<int64_t>(thresholds_.size());
  const auto bins = [&](const Array &chosen) {
    return bincount(below, where(chosen, of.weights, 0), 0, Dim(count + 1));
  };
  // Scores in bin i are above the thresholds 0 to i - 1.
  const auto above = [&](const Array &x) { return flip(cumulative_sum(flip(x[slice(1, none)], 0), 0), 0); };
  const auto upTo = [&](const Array &x) { return cumulative_sum(x[slice(count)], 0); };
  const Array positives = bins(of.isTrue), negatives = bins(!of.isTrue);
  add({above(positives), upTo(negatives), above(negatives), upTo(positives)});
}

Array AUC::result() const {
  const Array tp = total(0), tn = total(1), fp = total(2), fn = total(3);
  const auto first = [](const Array &x) { return x[slice(-1)]; };
  const auto second = [](const Array &x) { return x[slice(1, none)]; };
  if (options_.curve == Curve::pr && options_.summation_method == Summation::interpolation) {
    const Array right = first(tp) - second(tp), p = tp + fp;
    const Array slope = ratio(right, first(p) - second(p)), intercept = second(tp) - slope * second(p);
    const Array hasBoth = first(p) > 0 && second(p) > 0;
    const Array quotient = where(hasBoth, first(p) / where(hasBoth, second(p), 1), 1);
    return asResult(sum(ratio(slope * (right + intercept * log(quotient)), second(tp) + second(fn))));
  }
  const Array found = ratio(tp, tp + fn);
  const Array x = options_.curve == Curve::roc ? ratio(fp, fp + tn) : found;
  const Array y = options_.curve == Curve::roc ? found : ratio(tp, tp + fp);
  const Array heights = options_.summation_method == Summation::interpolation ? (first(y) + second(y)) / 2
                        : options_.summation_method == Summation::minoring    ? minimum(first(y), second(y))
                                                                              : maximum(first(y), second(y));
  return asResult(sum((first(x) - second(x)) * heights));
}

//===----------------------------------------------------------------------===//
// Confusion
//===----------------------------------------------------------------------===//

/// f64[classes, classes] of labels and predicted labels of one shape.
static Array confusion(const char *function, int64_t classes, const Array &y_true, const Array &y_pred,
                       const Operand &sample_weight, std::optional<int64_t> ignored, Location at) {
  if (provably_equal(y_true.shape(), y_pred.shape()) == Always::no)
    refuse(function,
           "expected y_true and y_pred of one shape, got " + y_true.shape().str() + " and " + y_pred.shape().str(), at);
  const Labels truth(function, y_true, y_true.shape(), Dim(classes), ignored);
  const Labels predicted(function, y_pred, y_pred.shape(), Dim(classes));
  Array weights = sample_weight.is_none() ? full_like(truth.values, 1, Dtype::f64)
                                          : weightsOf(function, sample_weight, truth.values);
  for (const Labels *labels : {&truth, &predicted})
    if (labels->poison.has_value())
      weights = weights + labels->poison;
  Array place = convert(truth.values, Dtype::i64, at) * classes + predicted.values;
  if (truth.counted.has_value())
    weights = where(truth.counted, weights, 0);
  // A wrong label is not counted elsewhere, and its NaN not lost.
  place = clip(place, 0, classes * classes - 1);
  return reshape(bincount(reshape(place, {-1}), reshape(weights, {-1}), 0, Dim(classes * classes)), {classes, classes});
}

static Shape matrixOf(int64_t classes) { return {std::max<int64_t>(classes, 0), std::max<int64_t>(classes, 0)}; }

ConfusionMatrix::ConfusionMatrix(int64_t num_classes, std::string name, Location at)
    : PairMetric(std::move(name), {"confusion_matrix"}, matrixOf(num_classes)), classes_(num_classes) {
  expectAtLeast("ConfusionMatrix", "num_classes", num_classes, 1, at);
}
void ConfusionMatrix::update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  constexpr const char *function = "confusion_matrix";
  const Location at = y_true.location();
  DoorScope scope(function, at, {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", sample_weight}});
  Array truth = toArray(y_true, OpCode::equal), predicted = toArray(y_pred, OpCode::argmax);
  const bool hasColumn = predicted.ndim() > 1 && predicted.ndim() == truth.ndim() && endsWith1(truth.shape());
  const bool hasClasses =
      predicted.ndim() > 0 && !endsWith1(predicted.shape()) && (hasColumn || predicted.ndim() == truth.ndim() + 1);
  if (kind(predicted.dtype()) <= Kind::integer && !hasClasses) {
    alignRanks(truth, predicted);
  } else {
    // The argmax of one class would be 0 for all.
    if (!hasClasses)
      refuse(function,
             "expected y_pred as labels of an integer dtype, or scores with a last axis of classes, got " +
                 std::string(short_name(predicted.dtype())) + predicted.shape().str() + " beside y_true of shape " +
                 truth.shape().str(),
             at);
    if (hasColumn)
      truth = squeeze(truth, -1);
    predicted = argmax(predicted, -1);
  }
  add({confusion(function, classes_, truth, predicted, sample_weight, {}, at)});
}
Array ConfusionMatrix::result() const { return total(0); }

MeanIoU::MeanIoU(int64_t num_classes, const MeanIoUOptions &options, Location at)
    : PairMetric(options.name, {"confusion_matrix"}, matrixOf(num_classes)), classes_(num_classes), options_(options) {
  expectAtLeast("MeanIoU", "num_classes", num_classes, 1, at);
}
void MeanIoU::update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  constexpr const char *function = "mean_io_u";
  const Location at = y_true.location();
  DoorScope scope(function, at, {{"y_true", y_true}, {"y_pred", y_pred}, {"sample_weight", sample_weight}});
  Array truth = toArray(y_true, OpCode::argmax), predicted = toArray(y_pred, OpCode::argmax);
  if (!options_.sparse_y_true)
    truth = argmax(truth, -1);
  if (!options_.sparse_y_pred)
    predicted = argmax(predicted, -1);
  add({confusion(function, classes_, truth, predicted, sample_weight, options_.ignore_class, at)});
}
Array MeanIoU::result() const {
  const Array counts = total(0), right = diagonal(counts);
  const Array all = sum(counts, 0) + sum(counts, 1) - right;
  const Array present = sum(convert(all != 0, Dtype::f64, {}));
  return asResult(ratio(sum(ratio(right, all)), present));
}
