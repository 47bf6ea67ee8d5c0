//===- metrics.h - numbers that are added up over batches ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics with the names and formulas of Keras. A metric holds its totals in Variables, so it can be updated in jitted
// functions; copies of a metric share them.
//
//   metrics::Mean loss{"loss"};
//   loss(0); loss(5);
//   loss.result();                                        // 2.5
//   loss({8, 9});                                         // 5.5
//   metrics::SparseCategoricalAccuracy accuracy;
//   accuracy(labels, logits);                             // updates, and returns the result so far
//
// Totals and counts are f64, which holds counts up to 2^53 exactly (f32 stops at 2^24); results are f32. A ratio whose
// divisor is 0 is 0. Sample weights are as for losses: of the shape of the values, or of its first axes; bools are a
// mask. A mean is that of all elements, as in Keras 2; Keras 3 first takes the mean of each example, which differs only
// if batches have examples of different sizes.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/losses.h>
#include <tenon/tree.h>
#include <tenon/variable.h>

namespace tenon::metrics {

/// Base of the metrics: a name, and totals of one shape, which begin with zeros.
class Totals : public TreeObject {
public:
  const std::string &name() const { return name_; }
  /// The metric of all updates since the last reset, f32.
  [[nodiscard]] virtual Array result() const = 0;
  /// Sets the totals to zeros.
  void reset() const;
  /// Adds the totals of another metric of this class, so that the result is that of the updates of both. An Error if
  /// the classes or the shapes of the totals differ.
  void merge(const Totals &other, Location at = Location::current()) const;
  void fields(Fields &f) override;

protected:
  Totals(std::string name, std::initializer_list<const char *> totals, const Shape &shape = {});
  Array total(size_t number) const { return totals_[number].value.value(); }
  /// Adds to all totals, in order.
  void add(std::initializer_list<Array> values) const;

private:
  struct Total {
    const char *name;
    Variable value;
  };
  std::string name_;
  std::vector<Total> totals_;
};

/// Weighted mean of values.
class Mean : public Totals {
public:
  explicit Mean(std::string name = "mean");
  /// Updates, and returns the result so far.
  Array operator()(const Operand &values, const Operand &weights = none) const;
  void update(const Operand &values, const Operand &weights = none) const;
  [[nodiscard]] Array result() const override;
};

/// Weighted sum of values.
class Sum : public Totals {
public:
  explicit Sum(std::string name = "sum");
  /// Updates, and returns the result so far.
  Array operator()(const Operand &values, const Operand &weights = none) const;
  void update(const Operand &values, const Operand &weights = none) const;
  [[nodiscard]] Array result() const override;
};

/// Base of the metrics of (y_true, y_pred).
class PairMetric : public Totals {
public:
  /// Updates, and returns the result so far.
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const {
    update(y_true, y_pred, sample_weight);
    return result();
  }
  virtual void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const = 0;

protected:
  using Totals::Totals;
};

//===----------------------------------------------------------------------===//
// Means over examples
//===----------------------------------------------------------------------===//

/// Weighted mean of a function of (y_true, y_pred), which returns a number or bool for each example (Keras'
/// MeanMetricWrapper).
class MeanMetric : public PairMetric {
public:
  using Values = detail::Function<Array(const Operand &, const Operand &)>;
  MeanMetric(std::string name, Values values);
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const override;
  [[nodiscard]] Array result() const override;

protected:
  /// `finish` makes the result of the mean.
  using Finish = Array (*)(const Array &mean);
  MeanMetric(std::string name, Values values, Finish finish, std::optional<int64_t> ignore_class = {});

private:
  Values values_;
  Finish finish_ = nullptr;
  std::optional<int64_t> ignoreClass_;
};

/// How often y_pred equals y_true.
class Accuracy : public MeanMetric {
public:
  explicit Accuracy(std::string name = "accuracy");
};
/// How often `y_pred > threshold` equals y_true, which is 0 or 1. y_pred are probabilities; for logits the threshold
/// is 0.
class BinaryAccuracy : public MeanMetric {
public:
  explicit BinaryAccuracy(std::string name = "binary_accuracy", double threshold = 0.5);
};
/// How often the argmax of y_pred, probabilities or logits, is that of y_true.
class CategoricalAccuracy : public MeanMetric {
public:
  explicit CategoricalAccuracy(std::string name = "categorical_accuracy");
};
/// How often the argmax of y_pred, probabilities or logits, is the label y_true, of the shape (n) or (n, 1). A label
/// that is no class is never right.
class SparseCategoricalAccuracy : public MeanMetric {
public:
  explicit SparseCategoricalAccuracy(std::string name = "sparse_categorical_accuracy");
};
/// How often less than k classes have a higher score in y_pred than the argmax of y_true.
class TopKCategoricalAccuracy : public MeanMetric {
public:
  explicit TopKCategoricalAccuracy(int64_t k = 5, std::string name = "top_k_categorical_accuracy",
                                   Location at = Location::current());
};
/// How often less than k classes have a higher score in y_pred than the label y_true.
class SparseTopKCategoricalAccuracy : public MeanMetric {
public:
  explicit SparseTopKCategoricalAccuracy(int64_t k = 5, std::string name = "sparse_top_k_categorical_accuracy",
                                         Location at = Location::current());
};

/// Mean of the loss of this name.
class MeanSquaredError : public MeanMetric {
public:
  explicit MeanSquaredError(std::string name = "mean_squared_error");
};
/// Square root of the mean squared error.
class RootMeanSquaredError : public MeanMetric {
public:
  explicit RootMeanSquaredError(std::string name = "root_mean_squared_error");
};
/// Mean of the loss of this name.
class MeanAbsoluteError : public MeanMetric {
public:
  explicit MeanAbsoluteError(std::string name = "mean_absolute_error");
};
/// Mean of the loss of this name.
class MeanAbsolutePercentageError : public MeanMetric {
public:
  explicit MeanAbsolutePercentageError(std::string name = "mean_absolute_percentage_error");
};
/// Mean of the loss of this name.
class MeanSquaredLogarithmicError : public MeanMetric {
public:
  explicit MeanSquaredLogarithmicError(std::string name = "mean_squared_logarithmic_error");
};
/// Mean of `losses::LogCosh`.
class LogCoshError : public MeanMetric {
public:
  explicit LogCoshError(std::string name = "logcosh");
};
/// Mean of the loss of this name.
class Hinge : public MeanMetric {
public:
  explicit Hinge(std::string name = "hinge");
};
/// Mean of the loss of this name.
class SquaredHinge : public MeanMetric {
public:
  explicit SquaredHinge(std::string name = "squared_hinge");
};
/// Mean of the loss of this name.
class CategoricalHinge : public MeanMetric {
public:
  explicit CategoricalHinge(std::string name = "categorical_hinge");
};
/// Mean of the loss of this name.
class KLDivergence : public MeanMetric {
public:
  explicit KLDivergence(std::string name = "kl_divergence");
};
/// Mean of the loss of this name.
class Poisson : public MeanMetric {
public:
  explicit Poisson(std::string name = "poisson");
};
/// Mean cosine of the angle between y_true and y_pred along `axis` (the loss of this name is minus that).
class CosineSimilarity : public MeanMetric {
public:
  explicit CosineSimilarity(std::string name = "cosine_similarity", Axis axis = -1);
};
/// Mean of the loss of this name.
class BinaryCrossentropy : public MeanMetric {
public:
  explicit BinaryCrossentropy(std::string name = "binary_crossentropy", losses::BinaryCrossentropy loss = {});
};
/// Mean of the loss of this name.
class CategoricalCrossentropy : public MeanMetric {
public:
  explicit CategoricalCrossentropy(std::string name = "categorical_crossentropy",
                                   losses::CategoricalCrossentropy loss = {});
};
/// Mean of the loss of this name; rows of `loss.ignore_class` do not count.
class SparseCategoricalCrossentropy : public MeanMetric {
public:
  explicit SparseCategoricalCrossentropy(std::string name = "sparse_categorical_crossentropy",
                                         losses::SparseCategoricalCrossentropy loss = {});
};
/// Exponential of the mean sparse categorical cross entropy; rows of `loss.ignore_class`, such as padding, do not
/// count: `Perplexity{"perplexity", {.from_logits = true, .ignore_class = 0}}`.
class Perplexity : public MeanMetric {
public:
  explicit Perplexity(std::string name = "perplexity", losses::SparseCategoricalCrossentropy loss = {});
};

//===----------------------------------------------------------------------===//
// True and false positives
//===----------------------------------------------------------------------===//

/// Options of Precision and Recall, in Keras' order.
struct ThresholdOptions {
  /// A prediction is positive where y_pred is greater; several give a result for each. Default: 0.5, and with `top_k`
  /// all of the k.
  std::vector<double> thresholds = {};
  /// Only the k largest elements along the last axis can be positive.
  std::optional<int64_t> top_k = {};
  /// Looks at this class of the last axis alone.
  std::optional<int64_t> class_id = {};
  /// Default: "precision" or "recall".
  std::string name = {};
};

/// Share of the positive predictions that are right: `tp / (tp + fp)`. y_true: 0 or 1. y_pred: probabilities, of the
/// same shape.
class Precision : public PairMetric {
public:
  explicit Precision(const ThresholdOptions &options = {});
  explicit Precision(const std::convertible_to<std::string> auto &name) : Precision(ThresholdOptions{.name = name}) {}
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const override;
  [[nodiscard]] Array result() const override;

private:
  ThresholdOptions options_;
};

/// Share of the positives that are found: `tp / (tp + fn)`. Arguments as of Precision.
class Recall : public PairMetric {
public:
  explicit Recall(const ThresholdOptions &options = {});
  explicit Recall(const std::convertible_to<std::string> auto &name) : Recall(ThresholdOptions{.name = name}) {}
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const override;
  [[nodiscard]] Array result() const override;

private:
  ThresholdOptions options_;
};

/// How the scores of classes become one.
enum class Average : uint8_t {
  none,     ///< one result for each class
  micro,    ///< of the sums over the classes
  macro,    ///< their mean
  weighted, ///< their mean, weighted with the number of positives
};

struct F1Options {
  Average average = Average::none;
  /// A class is predicted where y_pred is greater. Default: the argmax alone; 0.5 for one class.
  std::optional<double> threshold = {};
  std::string name = "f1_score";
};

/// Harmonic mean of precision and recall, `2 * tp / (2 * tp + fp + fn)`. For one class y_true and y_pred have one
/// shape, and the result is a number; for more they have the shape (n, classes), and the result has one number for each
/// class unless they are averaged.
class F1Score : public PairMetric {
public:
  explicit F1Score(int64_t num_classes = 1, const F1Options &options = {}, Location at = Location::current());
  explicit F1Score(const std::convertible_to<std::string> auto &name) : F1Score(1, {.name = name}) {}
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const override;
  [[nodiscard]] Array result() const override;

private:
  int64_t classes_;
  F1Options options_;
};

/// The curve whose area AUC is.
enum class Curve : uint8_t {
  roc, ///< true positive rate over false positive rate
  pr,  ///< precision over recall
};
/// How the area between two thresholds is computed.
enum class Summation : uint8_t {
  interpolation, ///< trapezoids; for `pr` the interpolation of Davis and Goadrich (2006)
  minoring,      ///< from below
  majoring,      ///< from above
};

/// Options of AUC, in Keras' order.
struct AUCOptions {
  /// At least 2, evenly in [0, 1].
  int64_t num_thresholds = 200;
  Curve curve = Curve::roc;
  Summation summation_method = Summation::interpolation;
  std::string name = "auc";
  /// Thresholds in (0, 1) instead of even ones; 0 and 1 are added.
  std::vector<double> thresholds = {};
  /// Whether y_pred are logits.
  bool from_logits = false;
};

/// Area under the curve, approximated with thresholds. y_true: 0 or 1. y_pred: probabilities in [0, 1] or logits, of
/// the same shape.
class AUC : public PairMetric {
public:
  explicit AUC(const AUCOptions &options = {}, Location at = Location::current());
  explicit AUC(const std::convertible_to<std::string> auto &name) : AUC(AUCOptions{.name = name}) {}
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const override;
  [[nodiscard]] Array result() const override;

private:
  AUCOptions options_;
  std::vector<double> thresholds_;
};

/// Weighted counts of (label, prediction): row i, column j of the result, f64[classes, classes], is the weight of the
/// examples of class i that were predicted as class j. y_true: labels. y_pred: labels of the same shape, or scores with
/// a last axis of classes. A label out of range is an Error; under jit it makes the counts NaN.
class ConfusionMatrix : public PairMetric {
public:
  explicit ConfusionMatrix(int64_t num_classes, std::string name = "confusion_matrix",
                           Location at = Location::current());
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const override;
  [[nodiscard]] Array result() const override;

private:
  int64_t classes_;
};

struct MeanIoUOptions {
  std::string name = "mean_io_u";
  /// Elements with this label do not count.
  std::optional<int64_t> ignore_class = {};
  /// Labels; else one-hot, of which the argmax is taken.
  bool sparse_y_true = true, sparse_y_pred = true;
};

/// Mean over the classes of intersection over union, `tp / (tp + fp + fn)`; a class that neither y_true nor y_pred has
/// does not count. Labels out of range as of ConfusionMatrix.
class MeanIoU : public PairMetric {
public:
  explicit MeanIoU(int64_t num_classes, const MeanIoUOptions &options = {}, Location at = Location::current());
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const override;
  [[nodiscard]] Array result() const override;

private:
  int64_t classes_;
  MeanIoUOptions options_;
};

} // namespace tenon::metrics

#include <tenon/detail/metric.h>
