//===- MetricsMeans.cpp - metrics that are means over examples ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/MetricParts.h"

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::metrics;

void detail::expectAtLeast(const char *metric, const char *name, int64_t number, int64_t least, Location at) {
  if (number < least)
    throw Error(std::string(metric) + ": expected " + name + " >= " + std::to_string(least) + ", got " +
                    std::to_string(number),
                userLocation(at));
}

//===----------------------------------------------------------------------===//
// Accuracies
//===----------------------------------------------------------------------===//

std::pair<Array, Array> detail::alignedPair(const char *function, const Operand &y_true, const Operand &y_pred) {
  Array truth = toArray(y_true, OpCode::equal), predicted = toArray(y_pred, OpCode::equal);
  const Shape shape = truth.shape(), other = predicted.shape();
  alignRanks(truth, predicted);
  if (provably_equal(truth.shape(), predicted.shape()) == Always::no)
    refuse(function, "expected y_true and y_pred of one shape, got " + shape.str() + " and " + other.str(),
           y_true.location());
  return {truth, predicted};
}

/// Runs `compute` under the scope of the function.
template <class Compute>
static MeanMetric::Values inScope(const char *function, Compute compute) {
  return [=](const Operand &y_true, const Operand &y_pred) {
    DoorScope scope(function, y_true.location(), {{"y_true", y_true}, {"y_pred", y_pred}});
    return compute(function, y_true, y_pred);
  };
}

/// y_pred with an axis of classes, and y_true in the shape of the rows.
static std::pair<Array, Array> labelsAndScores(const char *function, const Operand &y_true, const Operand &y_pred) {
  const Array scores = toArray(y_pred, OpCode::argmax);
  Array labels = toArray(y_true, OpCode::equal);
  if (scores.ndim() == 0)
    refuse(function, "expected y_pred with an axis of classes, got a number", y_true.location());
  Shape rows = scores.shape();
  rows.erase(rows.rank() - 1);
  const Shape shape = labels.shape();
  if (shape.rank() == rows.rank() + 1 && endsWith1(shape))
    labels = squeeze(labels, -1);
  if (provably_equal(labels.shape(), rows) == Always::no) {
    Shape withAxis = rows;
    withAxis.push_back(1, y_true.location());
    refuse(function, "expected labels of the shape " + rows.str() + " or " + withAxis.str() + ", got " + shape.str(),
           y_true.location());
  }
  return {labels, scores};
}

static Array binaryMatches(const char *function, const Operand &y_true, const Operand &y_pred, double threshold) {
  const auto [truth, predicted] = alignedPair(function, y_true, y_pred);
  return (truth == 1) == (predicted > threshold) && (truth == 0 || truth == 1);
}
static Array categoricalMatches(const char *function, const Operand &y_true, const Operand &y_pred) {
  const auto [truth, predicted] = alignedPair(function, y_true, y_pred);
  if (predicted.ndim() == 0)
    refuse(function, "expected y_pred with an axis of classes, got a number", y_true.location());
  return argmax(truth, -1) == argmax(predicted, -1);
}
static Array sparseMatches(const char *function, const Operand &y_true, const Operand &y_pred) {
  const auto [labels, scores] = labelsAndScores(function, y_true, y_pred);
  return labels == argmax(scores, -1);
}
/// Whether less than k scores are higher than that of the label; a label that is no class, or whose score is NaN, is
/// never among them.
static Array isInTopK(const Array &labels, const Array &scores, int64_t k) {
  const Array place = convert(labels, Dtype::i64, {}),
              size = sizeOf(scores.shape().at(scores.ndim() - 1), scores.device(), {});
  const Array own = alongAxis(scores, expand_dims(place, -1), scores.ndim() - 1, IndexMode::clip);
  const Array higher = sum(convert(scores > own || isnan(scores), Dtype::i64, {}), -1);
  return higher < k && place >= 0 && place < size && !isnan(squeeze(own, -1));
}

Accuracy::Accuracy(std::string name)
    : MeanMetric(std::move(name), inScope("accuracy", [](const char *function, const Operand &t, const Operand &p) {
                   const auto [truth, predicted] = alignedPair(function, t, p);
                   return truth == predicted;
                 })) {}
BinaryAccuracy::BinaryAccuracy(std::string name, double threshold)
    : MeanMetric(std::move(name),
                 inScope("binary_accuracy", [threshold](const char *function, const Operand &t, const Operand &p) {
                   return binaryMatches(function, t, p, threshold);
                 })) {}
CategoricalAccuracy::CategoricalAccuracy(std::string name)
    : MeanMetric(std::move(name), inScope("categorical_accuracy", categoricalMatches)) {}
SparseCategoricalAccuracy::SparseCategoricalAccuracy(std::string name)
    : MeanMetric(std::move(name), inScope("sparse_categorical_accuracy", sparseMatches)) {}

TopKCategoricalAccuracy::TopKCategoricalAccuracy(int64_t k, std::string name, Location at)
    : MeanMetric(std::move(name),
                 inScope("top_k_categorical_accuracy", [k](const char *function, const Operand &t, const Operand &p) {
                   const auto [truth, predicted] = alignedPair(function, t, p);
                   if (predicted.ndim() == 0)
                     refuse(function, "expected y_pred with an axis of classes, got a number", t.location());
                   return isInTopK(argmax(truth, -1), predicted, k);
                 })) {
  expectAtLeast("TopKCategoricalAccuracy", "k", k, 1, at);
}
SparseTopKCategoricalAccuracy::SparseTopKCategoricalAccuracy(int64_t k, std::string name, Location at)
    : MeanMetric(std::move(name), inScope("sparse_top_k_categorical_accuracy",
                                          [k](const char *function, const Operand &t, const Operand &p) {
                                            const auto [labels, scores] = labelsAndScores(function, t, p);
                                            return isInTopK(labels, scores, k);
                                          })) {
  expectAtLeast("SparseTopKCategoricalAccuracy", "k", k, 1, at);
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// The losses of the examples.
template <class Loss>
static MeanMetric::Values examplesOf(Loss loss) {
  loss.reduction = losses::Reduction::per_example;
  return [loss](const Operand &y_true, const Operand &y_pred) { return loss(y_true, y_pred); };
}

MeanSquaredError::MeanSquaredError(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::MeanSquaredError{})) {}
RootMeanSquaredError::RootMeanSquaredError(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::MeanSquaredError{}),
                 [](const Array &mean) { return sqrt(mean); }) {}
MeanAbsoluteError::MeanAbsoluteError(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::MeanAbsoluteError{})) {}
MeanAbsolutePercentageError::MeanAbsolutePercentageError(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::MeanAbsolutePercentageError{})) {}
MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::MeanSquaredLogarithmicError{})) {}
LogCoshError::LogCoshError(std::string name) : MeanMetric(std::move(name), examplesOf(losses::LogCosh{})) {}
metrics::Hinge::Hinge(std::string name) : MeanMetric(std::move(name), examplesOf(losses::Hinge{})) {}
metrics::SquaredHinge::SquaredHinge(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::SquaredHinge{})) {}
metrics::CategoricalHinge::CategoricalHinge(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::CategoricalHinge{})) {}
metrics::KLDivergence::KLDivergence(std::string name)
    : MeanMetric(std::move(name), examplesOf(losses::KLDivergence{})) {}
metrics::Poisson::Poisson(std::string name) : MeanMetric(std::move(name), examplesOf(losses::Poisson{})) {}
metrics::CosineSimilarity::CosineSimilarity(std::string name, Axis axis)
    : MeanMetric(std::move(name), examplesOf(losses::CosineSimilarity{.axis = axis}),
                 [](const Array &mean) { return -mean; }) {}
metrics::BinaryCrossentropy::BinaryCrossentropy(std::string name, losses::BinaryCrossentropy loss)
    : MeanMetric(std::move(name), examplesOf(loss)) {}
metrics::CategoricalCrossentropy::CategoricalCrossentropy(std::string name, losses::CategoricalCrossentropy loss)
    : MeanMetric(std::move(name), examplesOf(loss)) {}
metrics::SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(std::string name,
                                                                      losses::SparseCategoricalCrossentropy loss)
    : MeanMetric(std::move(name), examplesOf(loss), nullptr, loss.ignore_class) {}
Perplexity::Perplexity(std::string name, losses::SparseCategoricalCrossentropy loss)
    : MeanMetric(std::move(name), examplesOf(loss), [](const Array &mean) { return exp(mean); }, loss.ignore_class) {}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
enum class Task { binary, sparse, categorical };
} // namespace

/// What the shapes call for, as in Keras.
static Task taskOf(const Operand &y_true, const Operand &y_pred) {
  const Shape truth = operand_array(y_true).shape(), predicted = operand_array(y_pred).shape();
  if (predicted.rank() <= 1 || endsWith1(predicted))
    return predicted.rank() == 1 && truth.rank() == 0 ? Task::sparse : Task::binary;
  return truth.rank() < predicted.rank() || endsWith1(truth) ? Task::sparse : Task::categorical;
}

static Array matchesByShape(const char *function, const Operand &y_true, const Operand &y_pred) {
  switch (taskOf(y_true, y_pred)) {
  case Task::binary:
    return binaryMatches(function, y_true, y_pred, 0.5);
  case Task::sparse:
    return sparseMatches(function, y_true, y_pred);
  case Task::categorical:
    break;
  }
  return categoricalMatches(function, y_true, y_pred);
}
static Array entropyByShape(const char *, const Operand &y_true, const Operand &y_pred) {
  switch (taskOf(y_true, y_pred)) {
  case Task::binary:
    return losses::BinaryCrossentropy{.reduction = losses::Reduction::per_example}(y_true, y_pred);
  case Task::sparse:
    return losses::SparseCategoricalCrossentropy{.reduction = losses::Reduction::per_example}(y_true, y_pred);
  case Task::categorical:
    break;
  }
  return losses::CategoricalCrossentropy{.reduction = losses::Reduction::per_example}(y_true, y_pred);
}

/// The metrics that a name stands for, each handed to `found`; false if it is none.
template <class Found>
static bool findMetric(std::string_view name, std::string &names, Found &&found) {
  bool isFound = false;
  const auto offer = [&](std::initializer_list<const char *> own, auto &&make) {
    for (const char *one : own) {
      names += (names.empty() ? "" : ", ") + std::string(one);
      if (name == one && !isFound) {
        found(make(std::string(name)));
        isFound = true;
      }
    }
  };
  const auto of = [&]<class M>(std::type_identity<M>, std::initializer_list<const char *> own) {
    offer(own, [](std::string chosen) {
      if constexpr (std::is_constructible_v<M, std::string>)
        return M(std::move(chosen));
      else
        return M(5, std::move(chosen));
    });
  };
  offer({"accuracy", "acc"},
        [](std::string own) { return MeanMetric(std::move(own), inScope("accuracy", matchesByShape)); });
  of(std::type_identity<AUC>(), {"auc"});
  of(std::type_identity<BinaryAccuracy>(), {"binary_accuracy"});
  of(std::type_identity<metrics::BinaryCrossentropy>(), {"binary_crossentropy"});
  of(std::type_identity<CategoricalAccuracy>(), {"categorical_accuracy"});
  of(std::type_identity<metrics::CategoricalCrossentropy>(), {"categorical_crossentropy"});
  of(std::type_identity<metrics::CategoricalHinge>(), {"categorical_hinge"});
  of(std::type_identity<metrics::CosineSimilarity>(), {"cosine_similarity"});
  offer({"crossentropy", "ce"},
        [](std::string own) { return MeanMetric(std::move(own), inScope("crossentropy", entropyByShape)); });
  of(std::type_identity<F1Score>(), {"f1_score"});
  of(std::type_identity<metrics::Hinge>(), {"hinge"});
  of(std::type_identity<metrics::KLDivergence>(), {"kl_divergence"});
  of(std::type_identity<LogCoshError>(), {"logcosh"});
  of(std::type_identity<MeanAbsoluteError>(), {"mae", "mean_absolute_error"});
  of(std::type_identity<MeanAbsolutePercentageError>(), {"mape", "mean_absolute_percentage_error"});
  of(std::type_identity<MeanSquaredError>(), {"mse", "mean_squared_error"});
  of(std::type_identity<MeanSquaredLogarithmicError>(), {"msle", "mean_squared_logarithmic_error"});
  of(std::type_identity<Perplexity>(), {"perplexity"});
  of(std::type_identity<metrics::Poisson>(), {"poisson"});
  of(std::type_identity<metrics::Precision>(), {"precision"});
  of(std::type_identity<Recall>(), {"recall"});
  of(std::type_identity<RootMeanSquaredError>(), {"rmse", "root_mean_squared_error"});
  of(std::type_identity<SparseCategoricalAccuracy>(), {"sparse_categorical_accuracy"});
  of(std::type_identity<metrics::SparseCategoricalCrossentropy>(), {"sparse_categorical_crossentropy"});
  of(std::type_identity<SparseTopKCategoricalAccuracy>(), {"sparse_top_k_categorical_accuracy"});
  of(std::type_identity<metrics::SquaredHinge>(), {"squared_hinge"});
  of(std::type_identity<TopKCategoricalAccuracy>(), {"top_k_categorical_accuracy"});
  return isFound;
}

Metric::Metric(const char *name, Location at) : name_(name) {
  std::string names;
  if (!findMetric(name_, names, [&]<class M>(M metric) { hold(std::move(metric)); }))
    throw Error("metric: expected one of " + names + ", got \"" + name_ + "\"", userLocation(at));
}
