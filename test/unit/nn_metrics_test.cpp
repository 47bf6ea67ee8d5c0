//===- nn_metrics_test.cpp - metrics beside loops in double ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/metrics.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

Array numbers(int seed, const Shape &shape) { return random::normal(random::key(static_cast<uint64_t>(seed)), shape); }
Array fractions(int seed, const Shape &shape) {
  return random::uniform(random::key(static_cast<uint64_t>(seed)), shape);
}
Array labels(int seed, const Shape &shape, int classes) {
  return random::randint(random::key(static_cast<uint64_t>(seed)), shape, 0, classes);
}
Array bits(int seed, const Shape &shape) { return astype(fractions(seed, shape) < 0.4, f32); }

/// What a metric has seen: y_true, y_pred and weights, flat.
struct Seen {
  Doubles t, p, w;
};
using Reference = std::function<double(const Seen &)>;

/// Expects the results of three batches, eager and jitted with equal bits, with and without weights; of a merge of
/// metrics that saw parts; and of a reset.
template <class M>
void expectMetric(const std::function<M()> &make, const std::vector<std::pair<Array, Array>> &batches,
                  const Reference &expected, double tolerance = 1e-6) {
  for (const bool isWeighted : {false, true}) {
    const M eager = make(), compiled = make(), first = make(), rest = make(), copy = eager;
    const auto step = jit([=](const Array &t, const Array &p, const Array &w) {
      return isWeighted ? compiled(t, p, w) : compiled(t, p);
    });
    Seen seen;
    int number = 0;
    for (const auto &[t, p] : batches) {
      const Array w = isWeighted ? fractions(++number, {t.dim(0).value()}) : tenon::ones({t.dim(0).value()});
      for (double value : doubles(t))
        seen.t.push_back(value);
      for (double value : doubles(p))
        seen.p.push_back(value);
      for (double value : doubles(w))
        seen.w.push_back(value);
      const Array result = isWeighted ? eager(t, p, w) : eager(t, p);
      EXPECT_EQ(result.dtype(), f32);
      EXPECT_EQ(number == 0 || isWeighted, true);
      EXPECT_NEAR(test::number(result), expected(seen), tolerance * std::max(1.0, std::abs(expected(seen))));
      EXPECT_EQ(test::number(step(t, p, w)), test::number(result));
      const M &part = seen.w.size() == doubles(w).size() ? first : rest;
      isWeighted ? part.update(t, p, w) : part.update(t, p);
    }
    EXPECT_EQ(test::number(copy.result()), test::number(eager.result()));
    first.merge(rest);
    EXPECT_NEAR(test::number(first.result()), test::number(eager.result()),
                1e-6 * std::max(1.0f, std::abs(test::number(eager.result()))));
    copy.reset();
    EXPECT_EQ(test::number(eager.result()), test::number(make().result()));
  }
}

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }
/// The weighted mean of a function of row i.
Reference meanOf(const std::function<double(const Seen &, size_t row)> &f) {
  return [f](const Seen &seen) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < seen.w.size(); ++i) {
      sum += seen.w[i] * f(seen, i);
      all += seen.w[i];
    }
    return ratio(sum, all);
  };
}
size_t argmaxOf(const Doubles &x, size_t row, size_t classes) {
  size_t best = 0;
  for (size_t k = 1; k < classes; ++k)
    if (x[row * classes + k] > x[row * classes + best])
      best = k;
  return best;
}
/// True positives, false positives, false negatives, true negatives.
std::array<double, 4> countsOf(const Seen &seen, double threshold) {
  std::array<double, 4> counts{};
  for (size_t i = 0; i < seen.t.size(); ++i)
    counts[(seen.t[i] != 0 ? 0 : 1) + (seen.p[i] > threshold ? 0 : seen.t[i] != 0 ? 2 : 2)] += seen.w[i];
  return {counts[0], counts[1], counts[2], counts[3]};
}

TEST(Mean, IsThatOfAllValues) {
  const metrics::Mean mean{"loss"};
  mean(0);
  mean(5);
  EXPECT_EQ(number(mean.result()), 2.5f);
  EXPECT_EQ(number(mean({8, 9})), 5.5f);
  EXPECT_EQ(mean.name(), "loss");
  mean.reset();
  EXPECT_EQ(number(mean.result()), 0.0f);
  EXPECT_EQ(number(mean(Array{1.0f, 3.0f, 5.0f, 7.0f}, Array{1, 1, 0, 0})), 2.0f);
  // A weight of a row counts for each of its elements.
  EXPECT_EQ(number(mean(Array{{2.0f, 4.0f}, {9.0f, 9.0f}}, Array{2, 0})), static_cast<float>((4 + 2 * 6) / 6.0));
  EXPECT_EQ(number(mean(Array{2.5f, NAN}, Array{true, false})), static_cast<float>(18.5 / 7));
  const metrics::Sum sum;
  EXPECT_EQ(number(sum(Array{1, 3, 5, 7}, Array{1, 1, 0, 0})), 4.0f);
  EXPECT_EQ(number(sum(10)), 14.0f);
}

TEST(Mean, KeepsCountsBeyondF32) {
  const metrics::Mean mean;
  mean(1, 16777216);
  for (int i = 0; i < 64; ++i)
    mean(0);
  Variable count;
  for_each_leaf(mean, [&](const Variable &variable, const Path &path) {
    if (path.str() == "count")
      count = variable;
  });
  EXPECT_EQ(count.item<double>(), 16777280.0);
}

TEST(Accuracies, AreSharesOfRightPredictions) {
  const auto argmaxBatches = [](auto truth) {
    std::vector<std::pair<Array, Array>> batches;
    for (int i = 0; i < 3; ++i)
      batches.emplace_back(truth(i), numbers(i + 20, {4 + i, 3}));
    return batches;
  };
  const auto sparse = argmaxBatches([](int i) { return labels(i, {4 + i}, 3); });
  const auto categorical = argmaxBatches([](int i) { return one_hot(labels(i, {4 + i}, 3), 3); });
  const Reference ofLabels = meanOf([](const Seen &s, size_t i) { return s.t[i] == double(argmaxOf(s.p, i, 3)); });
  const Reference ofOneHot = meanOf([](const Seen &s, size_t i) { return argmaxOf(s.t, i, 3) == argmaxOf(s.p, i, 3); });
  const Reference inTop2 = meanOf([](const Seen &s, size_t i) {
    int higher = 0;
    for (size_t k = 0; k < 3; ++k)
      higher += s.p[i * 3 + k] > s.p[i * 3 + static_cast<size_t>(s.t[i])];
    return higher < 2;
  });
  expectMetric<metrics::SparseCategoricalAccuracy>([] { return metrics::SparseCategoricalAccuracy(); }, sparse,
                                                   ofLabels);
  expectMetric<metrics::CategoricalAccuracy>([] { return metrics::CategoricalAccuracy(); }, categorical, ofOneHot);
  expectMetric<metrics::SparseTopKCategoricalAccuracy>([] { return metrics::SparseTopKCategoricalAccuracy(2); }, sparse,
                                                       inTop2);
  expectMetric<metrics::Metric>([] { return metrics::Metric("accuracy"); }, sparse, ofLabels);
  expectMetric<metrics::Metric>([] { return metrics::Metric("accuracy"); }, categorical, ofOneHot);
  const std::vector<std::pair<Array, Array>> binary = {
      {bits(1, {5}), fractions(2, {5})}, {bits(3, {4, 1}), fractions(4, {4})}, {bits(5, {3}), fractions(6, {3, 1})}};
  const Reference ofBits = meanOf([](const Seen &s, size_t i) { return (s.p[i] > 0.5) == (s.t[i] == 1); });
  expectMetric<metrics::BinaryAccuracy>([] { return metrics::BinaryAccuracy(); }, binary, ofBits);
  expectMetric<metrics::Metric>([] { return metrics::Metric("accuracy"); }, binary, ofBits);
  EXPECT_EQ(number(metrics::TopKCategoricalAccuracy(2)(eye(3), Array{{3, 2, 1}, {3, 2, 1}, {3, 2, 1}})),
            static_cast<float>(2.0 / 3));
  EXPECT_EQ(number(metrics::Accuracy()(Array{1, 2, 3, 4}, Array{0, 2, 3, 4})), 0.75f);
  EXPECT_EQ(number(metrics::SparseTopKCategoricalAccuracy(3)(Array{-1, 3, 1}, numbers(1, {3, 3}))),
            static_cast<float>(1.0 / 3));
}

TEST(RegressionErrors, AreMeans) {
  std::vector<std::pair<Array, Array>> batches;
  for (int i = 0; i < 3; ++i)
    batches.emplace_back(numbers(i, {3 + i}), numbers(i + 10, {3 + i}));
  const auto squares = meanOf([](const Seen &s, size_t i) { return std::pow(s.t[i] - s.p[i], 2); });
  expectMetric<metrics::MeanSquaredError>([] { return metrics::MeanSquaredError(); }, batches, squares);
  expectMetric<metrics::RootMeanSquaredError>([] { return metrics::RootMeanSquaredError(); }, batches,
                                              [=](const Seen &s) { return std::sqrt(squares(s)); });
  expectMetric<metrics::Metric>([] { return metrics::Metric("mae"); }, batches,
                                meanOf([](const Seen &s, size_t i) { return std::abs(s.t[i] - s.p[i]); }));
  EXPECT_NEAR(number(metrics::CosineSimilarity()(Array{{0.0f, 1.0f}, {1.0f, 1.0f}}, Array{{1.0f, 0.0f}, {1.0f, 1.0f}})),
              0.5, 1e-6);
}

TEST(Perplexity, IsTheExponentialOfTheMeanLoss) {
  const Array logits = numbers(1, {2, 3, 5}), tokens = {{1, 4, 0}, {2, 0, 0}};
  const metrics::Perplexity perplexity{"perplexity", {.from_logits = true, .ignore_class = 0}};
  const float loss =
      number(losses::sparse_categorical_crossentropy(tokens, logits, {.from_logits = true, .ignore_class = 0}));
  EXPECT_NEAR(number(perplexity(tokens, logits)), std::exp(loss), 1e-5);
  perplexity.reset();
  const Array weights = {{1.0f, 3.0f, 7.0f}, {2.0f, 7.0f, 7.0f}};
  const Doubles each = doubles(-log_softmax(logits)[{0, 0, _}]);
  double sum = each[1];
  sum += 3 * doubles(-log_softmax(logits)[{0, 1, _}])[4] + 2 * doubles(-log_softmax(logits)[{1, 0, _}])[2];
  EXPECT_NEAR(number(perplexity(tokens, logits, weights)), std::exp(sum / 6), 1e-4);
}

TEST(Perplexity, IsThatOfTheRowsThatAMaskLeaves) {
  const Array scores = Array{{1.0f, 2.0f, 3.0f}, {1.0f, 0.0f, 3.0f}, {0.0f, 0.0f, 0.0f}}.at[2].set(NAN);
  const metrics::Perplexity masked("p", {.from_logits = true, .ignore_class = 0}), alone("p", {.from_logits = true});
  EXPECT_EQ(number(masked(Array{1, 0, 2}, scores, Array{true, true, false})),
            number(alone(Array{1}, scores[slice(1)])));
}

TEST(Metrics, OfPositives) {
  std::vector<std::pair<Array, Array>> batches;
  for (int i = 0; i < 3; ++i)
    batches.emplace_back(bits(i, {20 + i}), fractions(i + 10, {20 + i}));
  const auto precision = [](const Seen &s, double at) {
    const auto c = countsOf(s, at);
    return ratio(c[0], c[0] + c[1]);
  };
  const auto recall = [](const Seen &s, double at) {
    const auto c = countsOf(s, at);
    return ratio(c[0], c[0] + c[2]);
  };
  expectMetric<metrics::Precision>([] { return metrics::Precision(); }, batches,
                                   [=](const Seen &s) { return precision(s, 0.5); });
  expectMetric<metrics::Recall>([] { return metrics::Recall(); }, batches,
                                [=](const Seen &s) { return recall(s, 0.5); });
  expectMetric<metrics::Precision>([] { return metrics::Precision{{.thresholds = {0.3}}}; }, batches,
                                   [=](const Seen &s) { return precision(s, 0.3); });
  expectMetric<metrics::F1Score>(
      [] { return metrics::F1Score(); }, batches,
      [=](const Seen &s) { return ratio(2 * precision(s, 0.5) * recall(s, 0.5), precision(s, 0.5) + recall(s, 0.5)); });
  for (const metrics::Curve curve : {metrics::Curve::roc, metrics::Curve::pr})
    for (const metrics::Summation summation :
         {metrics::Summation::interpolation, metrics::Summation::minoring, metrics::Summation::majoring})
      expectMetric<metrics::AUC>(
          [=] { return metrics::AUC{{.num_thresholds = 50, .curve = curve, .summation_method = summation}}; }, batches,
          [=](const Seen &s) {
            double area = 0;
            for (int i = 0; i + 1 < 50; ++i) {
              const auto at = [](int k) { return k == 0 ? -1e-7 : k == 49 ? 1 + 1e-7 : double(float(k / 49.0)); };
              const auto a = countsOf(s, at(i)), b = countsOf(s, at(i + 1));
              const auto x = [&](const auto &c) {
                return curve == metrics::Curve::roc ? ratio(c[1], c[1] + c[3]) : ratio(c[0], c[0] + c[2]);
              };
              const auto y = [&](const auto &c) {
                return curve == metrics::Curve::roc ? ratio(c[0], c[0] + c[2]) : ratio(c[0], c[0] + c[1]);
              };
              if (summation == metrics::Summation::minoring)
                area += (x(a) - x(b)) * std::min(y(a), y(b));
              else if (summation == metrics::Summation::majoring)
                area += (x(a) - x(b)) * std::max(y(a), y(b));
              else if (curve == metrics::Curve::roc)
                area += (x(a) - x(b)) * (y(a) + y(b)) / 2;
              else {
                const double p0 = a[0] + a[1], p1 = b[0] + b[1], slope = ratio(a[0] - b[0], p0 - p1);
                const double intercept = b[0] - slope * p1, quotient = p0 > 0 && p1 > 0 ? p0 / p1 : 1;
                area += ratio(slope * (a[0] - b[0] + intercept * std::log(quotient)), b[0] + b[2]);
              }
            }
            return area;
          });
}

TEST(Metrics, OfPositivesOfSeveralClasses) {
  const Array t = {{0, 1, 1}, {1, 0, 0}}, p = {{0.9f, 0.8f, 0.1f}, {0.7f, 0.6f, 0.2f}};
  EXPECT_EQ(number(metrics::Precision{{.top_k = 2}}(t, p)), 0.5f);
  EXPECT_EQ(number(metrics::Recall{{.class_id = 2}}(t, p)), 0.0f);
  EXPECT_EQ(floats(metrics::Recall{{.thresholds = {0.5, 0.05}}}(t, p)), (Floats{static_cast<float>(2.0 / 3), 1}));
  const Array truth = eye(3)[Array{0, 0, 1, 2}], scores = eye(3)[Array{0, 1, 1, 1}];
  const Doubles each = {2.0 / 3, 0.5, 0};
  const Floats got = floats(metrics::F1Score(3)(truth, scores));
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(got[k], each[k], 1e-6);
  EXPECT_NEAR(number(metrics::F1Score(3, {.average = metrics::Average::macro})(truth, scores)), 3.5 / 9, 1e-6);
  EXPECT_NEAR(number(metrics::F1Score(3, {.average = metrics::Average::micro})(truth, scores)), 0.5, 1e-6);
  EXPECT_NEAR(number(metrics::F1Score(3, {.average = metrics::Average::weighted})(truth, scores)), (4.0 / 3 + 0.5) / 4,
              1e-6);
  EXPECT_THAT(messageOf([&] { metrics::F1Score()(truth, scores); }),
              HasSubstr("metrics::F1Score{classes} is for more"));
}

TEST(ConfusionMatrix, CountsPairsOfLabels) {
  const metrics::ConfusionMatrix matrix(3);
  EXPECT_EQ(doubles(matrix(Array{0, 1, 2, 2}, Array{0, 2, 2, 1})), (Doubles{1, 0, 0, 0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(doubles(matrix(Array{{0}, {1}}, eye(3)[Array{1, 1}], Array{0.5f, 2.0f})),
            (Doubles{1, 0.5, 0, 0, 2, 1, 0, 1, 1}));
  EXPECT_EQ(messageOf([&] { matrix(Array{0, 3}, Array{0, 1}); }),
            "confusion_matrix: label 3 in row 1 is out of range for 3 classes");
  EXPECT_EQ(doubles(matrix.result()), (Doubles{1, 0.5, 0, 0, 2, 1, 0, 1, 1}));
  const metrics::ConfusionMatrix other(3);
  const auto step = jit([=](const Array &t, const Array &p) { return other(t, p); });
  EXPECT_EQ(doubles(step(Array{0, 1}, Array{0, 2})), (Doubles{1, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_TRUE(bool(any(isnan(step(Array{0, 5}, Array{0, 2})))));
}

TEST(MeanIoU, IsTheMeanOfTheClassesThatAreThere) {
  const metrics::MeanIoU iou(3);
  EXPECT_NEAR(number(iou(Array{0, 0, 1, 1}, Array{0, 1, 0, 1})), 1.0 / 3, 1e-6);
  const metrics::MeanIoU ignoring(3, {.ignore_class = 255, .sparse_y_pred = false});
  EXPECT_EQ(number(ignoring(Array{{0, 255}, {2, 2}}, eye(3)[Array{{0, 1}, {2, 0}}])), 0.5f);
}

TEST(ConfusionMatrix, TakesABatchOfOne) {
  const metrics::ConfusionMatrix matrix(3);
  EXPECT_EQ(doubles(matrix(Array{1}, Array{{0.1f, 0.2f, 0.7f}})), (Doubles{0, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(doubles(matrix(Array{1}, Array{0})), (Doubles{0, 0, 0, 1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(doubles(matrix(Array{{2}}, Array{{0}})), (Doubles{0, 0, 0, 1, 0, 1, 1, 0, 0}));
}

TEST(ConfusionMatrix, RefusesScoresOfOneClass) {
  // Their argmax would be class 0 for all.
  EXPECT_THAT(messageOf([&] { metrics::ConfusionMatrix(2)(Array{1, 0}, Array{{0.9f}, {0.2f}}); }),
              HasSubstr("expected y_pred as labels of an integer dtype, or scores with a last axis of classes"));
  EXPECT_THAT(messageOf([&] { metrics::ConfusionMatrix(2)(Array{1, 0}, Array{0.9f, 0.2f}); }),
              HasSubstr("expected y_pred as labels of an integer dtype, or scores with a last axis of classes"));
}

TEST(Metrics, OfNaNScoresAreNegative) {
  const Array nan = full({1}, NAN), scores = concatenate({nan, Array{0.75f}});
  EXPECT_EQ(number(metrics::AUC()(Array{1, 0}, scores)), 0.0f);
  EXPECT_EQ(number(metrics::Recall()(Array{1, 1}, scores)), 0.5f);
  const Array row = expand_dims(scores, 0);
  EXPECT_EQ(number(metrics::SparseTopKCategoricalAccuracy(2)(Array{0}, row)), 0.0f);
  EXPECT_EQ(number(metrics::SparseTopKCategoricalAccuracy(2)(Array{2}, row)), 0.0f);
}

TEST(Metrics, RefuseAClassThatIsNotThere) {
  EXPECT_THAT(messageOf([&] { metrics::Precision{{.class_id = 2}}(Array{{1, 0}}, Array{{0.5f, 0.25f}}); }),
              HasSubstr("precision: expected a class_id in [0, (2,)), got 2"));
}

} // namespace
