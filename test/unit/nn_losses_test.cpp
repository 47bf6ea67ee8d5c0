//===- nn_losses_test.cpp - losses beside Keras' formulas in double -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/losses.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tenon;
using namespace tenon::test;
using Reduce = losses::Reduction;
using testing::HasSubstr;

namespace {

using Row = std::vector<double>;
using OfRow = std::function<double(const Row &, const Row &)>;

Array numbers(int seed, const Shape &shape) { return random::normal(random::key(static_cast<uint64_t>(seed)), shape); }
Array fractions(int seed, const Shape &shape) {
  return random::uniform(random::key(static_cast<uint64_t>(seed)), shape);
}

double clipped(double p) { return std::min(std::max(p, 1e-7), 1 - 1e-7); }
double total(const Row &x) {
  double sum = 0;
  for (double number : x)
    sum += number;
  return sum;
}
Row softmaxOf(const Row &x) {
  Row p;
  double most = x[0];
  for (double number : x)
    most = std::max(most, number);
  for (double number : x)
    p.push_back(std::exp(number - most));
  const double all = total(p);
  for (double &number : p)
    number /= all;
  return p;
}
/// The mean of a function of two numbers.
OfRow meanOf(double (*f)(double t, double p)) {
  return [f](const Row &t, const Row &p) {
    double sum = 0;
    for (size_t i = 0; i < t.size(); ++i)
      sum += f(t[i], p[i]);
    return sum / static_cast<double>(t.size());
  };
}
double logOf(double p, bool isLogit) { return isLogit ? -std::log1p(std::exp(-p)) : std::log(clipped(p)); }
double binary(double t, double p, bool isLogit) {
  return -(t * logOf(p, isLogit) + (1 - t) * (isLogit ? logOf(-p, true) : std::log(1 - clipped(p))));
}
Row probabilities(const Row &p, bool areLogits) {
  if (areLogits)
    return softmaxOf(p);
  Row result;
  for (double number : p)
    result.push_back(number / total(p));
  return result;
}

/// The losses of the rows of x, weighted, by the function of a row.
Row referenceOf(const OfRow &f, const Array &y_true, const Array &y_pred, const Array &weights) {
  const Row t = doubles(y_true), p = doubles(y_pred), w = doubles(weights);
  const auto width = static_cast<std::ptrdiff_t>(p.size() / w.size());
  Row result;
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(w.size()); ++i)
    result.push_back(f(Row(t.begin() + i * width, t.begin() + (i + 1) * width),
                       Row(p.begin() + i * width, p.begin() + (i + 1) * width)));
  for (size_t i = 0; i < w.size(); ++i)
    result[i] *= w[i];
  return result;
}

void expectNear(const Array &got, const Row &expected, double tolerance = 2e-6) {
  const Row numbers = doubles(got);
  ASSERT_EQ(numbers.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(numbers[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << i;
}

/// Expects the loss to be that of the function of a row: per example, as mean and sum, with and without weights, of
/// several ranks, eager and jitted with equal bits, and with derivatives that finite differences confirm.
template <class Loss>
void expectLoss(Loss loss, const OfRow &f, const std::function<Array(int, const Shape &)> &truth,
                const std::function<Array(int, const Shape &)> &prediction, double tolerance = 2e-6) {
  int seed = 1;
  for (const Shape &shape : {Shape{7, 5}, Shape{1, 3}, Shape{2, 3, 4}}) {
    const Array t = truth(++seed, shape), p = prediction(++seed, shape);
    Shape rows = shape;
    rows.erase(rows.rank() - 1);
    const Array ones = tenon::ones(rows), weights = fractions(++seed, rows);
    for (const bool isWeighted : {false, true}) {
      const Row expected = referenceOf(f, t, p, isWeighted ? weights : ones);
      const auto call = [&](Reduce reduction) {
        loss.reduction = reduction;
        const Array eager = isWeighted ? loss(t, p, weights) : loss(t, p);
        const Array jitted =
            isWeighted
                ? jit([=](const Array &y, const Array &x, const Array &w) { return loss(y, x, w); })(t, p, weights)
                : jit([=](const Array &y, const Array &x) { return loss(y, x); })(t, p);
        EXPECT_EQ(floats(reshape(eager, {-1})), floats(reshape(jitted, {-1})));
        return eager;
      };
      expectNear(call(Reduce::per_example), expected, tolerance);
      expectNear(call(Reduce::sum), {total(expected)}, tolerance);
      expectNear(call(Reduce::mean), {total(expected) / static_cast<double>(expected.size())}, tolerance);
    }
    loss.reduction = Reduce::mean;
    const Array wide = astype(p, f64);
    check_gradients([&](const Array &x) { return loss(t, x, weights); }, wide);
    EXPECT_EQ(loss(t, astype(p, bf16)).dtype(), f32);
    EXPECT_EQ(loss(t, wide).dtype(), f64);
  }
}

Array oneHot(int seed, const Shape &shape) {
  Shape rows = shape;
  const Dim classes = shape.begin()[shape.rank() - 1];
  rows.erase(rows.rank() - 1);
  return one_hot(random::randint(random::key(static_cast<uint64_t>(seed)), rows, 0, static_cast<int>(classes.value())),
                 classes);
}
Array bits(int seed, const Shape &shape) { return astype(fractions(seed, shape) < 0.5, f32); }

TEST(Losses, DifferencesFollowTheirFormulas) {
  expectLoss(losses::MeanSquaredError{}, meanOf([](double t, double p) { return (t - p) * (t - p); }), numbers,
             numbers);
  expectLoss(losses::MeanAbsoluteError{}, meanOf([](double t, double p) { return std::abs(t - p); }), numbers, numbers);
  expectLoss(losses::MeanAbsolutePercentageError{},
             meanOf([](double t, double p) { return 100 * std::abs((t - p) / std::max(std::abs(t), 1e-7)); }), numbers,
             numbers);
  expectLoss(losses::MeanSquaredLogarithmicError{}, meanOf([](double t, double p) {
               return std::pow(std::log(std::max(p, 1e-7) + 1) - std::log(std::max(t, 1e-7) + 1), 2);
             }),
             numbers, numbers);
  expectLoss(losses::Huber{.delta = 0.7}, meanOf([](double t, double p) {
               const double d = std::abs(p - t);
               return d <= 0.7 ? d * d / 2 : 0.7 * d - 0.7 * 0.7 / 2;
             }),
             numbers, numbers);
  expectLoss(losses::LogCosh{}, meanOf([](double t, double p) { return std::log(std::cosh(p - t)); }), numbers,
             numbers);
}

TEST(Losses, MarginsFollowTheirFormulas) {
  const auto signs = [](int seed, const Shape &shape) { return 2 * bits(seed, shape) - 1; };
  const auto hinge = [](double t, double p) { return std::max(1 - t * p, 0.0); };
  const auto hinge01 = [](double t, double p) { return std::max(1 - (2 * t - 1) * p, 0.0); };
  const auto squared = [](double t, double p) { return std::pow(std::max(1 - t * p, 0.0), 2); };
  expectLoss(losses::Hinge{}, meanOf(hinge), signs, numbers);
  expectLoss(losses::Hinge{}, meanOf(hinge01), bits, numbers);
  expectLoss(losses::SquaredHinge{}, meanOf(squared), signs, numbers);
  expectLoss(
      losses::CategoricalHinge{},
      [](const Row &t, const Row &p) {
        double positive = 0, negative = -INFINITY;
        for (size_t i = 0; i < t.size(); ++i) {
          positive += t[i] * p[i];
          negative = std::max(negative, (1 - t[i]) * p[i]);
        }
        return std::max(negative - positive + 1, 0.0);
      },
      oneHot, numbers);
  expectLoss(losses::Contrastive{.margin = 0.8},
             meanOf([](double t, double p) { return t * p * p + (1 - t) * std::pow(std::max(0.8 - p, 0.0), 2); }), bits,
             fractions);
}

TEST(Losses, DistributionsFollowTheirFormulas) {
  expectLoss(
      losses::KLDivergence{},
      [](const Row &t, const Row &p) {
        double sum = 0;
        for (size_t i = 0; i < t.size(); ++i) {
          const double a = std::min(std::max(t[i], 1e-7), 1.0), b = std::min(std::max(p[i], 1e-7), 1.0);
          sum += a * std::log(a / b);
        }
        return sum;
      },
      fractions, fractions);
  expectLoss(losses::Poisson{}, meanOf([](double t, double p) { return p - t * std::log(p + 1e-7); }), fractions,
             fractions);
  expectLoss(
      losses::CosineSimilarity{},
      [](const Row &t, const Row &p) {
        double dot = 0, a = 0, b = 0;
        for (size_t i = 0; i < t.size(); ++i) {
          dot += t[i] * p[i];
          a += t[i] * t[i];
          b += p[i] * p[i];
        }
        return -dot / std::sqrt(a * b);
      },
      numbers, numbers);
}

TEST(Losses, BinaryCrossentropyFollowsKeras) {
  for (const double smoothing : {0.0, 0.2})
    for (const bool isLogit : {false, true}) {
      const auto prediction = isLogit ? numbers : fractions;
      const auto of = [=](double gamma, bool balances) {
        return [=](const Row &t, const Row &p) {
          double sum = 0;
          for (size_t i = 0; i < t.size(); ++i) {
            const double target = t[i] * (1 - smoothing) + smoothing / 2;
            const double q = isLogit ? 1 / (1 + std::exp(-p[i])) : p[i], right = target * q + (1 - target) * (1 - q);
            sum += binary(target, p[i], isLogit) * std::pow(1 - right, gamma) *
                   (balances ? target * 0.25 + (1 - target) * 0.75 : 1);
          }
          return sum / static_cast<double>(t.size());
        };
      };
      expectLoss(losses::BinaryCrossentropy{.from_logits = isLogit, .label_smoothing = smoothing}, of(0, false), bits,
                 prediction);
      for (const bool balances : {false, true})
        expectLoss(
            losses::BinaryFocalCrossentropy{
                .apply_class_balancing = balances, .gamma = 2, .from_logits = isLogit, .label_smoothing = smoothing},
            of(2, balances), bits, prediction);
    }
}

TEST(Losses, CategoricalCrossentropyFollowsKeras) {
  for (const double smoothing : {0.0, 0.1})
    for (const bool areLogits : {false, true}) {
      const auto prediction = areLogits ? numbers : fractions;
      const auto of = [=](double alpha, double gamma) {
        return [=](const Row &t, const Row &p) {
          const Row q = probabilities(p, areLogits);
          double sum = 0;
          for (size_t i = 0; i < t.size(); ++i)
            sum -= (t[i] * (1 - smoothing) + smoothing / static_cast<double>(t.size())) * std::log(clipped(q[i])) *
                   alpha * std::pow(1 - clipped(q[i]), gamma);
          return sum;
        };
      };
      expectLoss(losses::CategoricalCrossentropy{.from_logits = areLogits, .label_smoothing = smoothing}, of(1, 0),
                 oneHot, prediction);
      expectLoss(losses::CategoricalFocalCrossentropy{.from_logits = areLogits, .label_smoothing = smoothing},
                 of(0.25, 2), oneHot, prediction);
    }
}

TEST(Losses, AlphaHasAWeightForEachClass) {
  const Array t = eye(3), p = fractions(1, {3, 3});
  const auto with = [&](std::vector<double> alpha) {
    return losses::categorical_focal_crossentropy(t, p, {.alpha = alpha, .reduction = Reduce::per_example});
  };
  const Row one = doubles(with({1})), each = doubles(with({1, 2, 3}));
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(each[i], one[i] * static_cast<double>(i + 1), 1e-6);
  EXPECT_THAT(messageOf([&] { with({1, 2}); }), HasSubstr("one for each of the (3,) classes, got 2"));
}

TEST(SparseCategoricalCrossentropy, IsThatOfOneHotLabels) {
  const Array logits = numbers(3, {2, 4, 5});
  for (const Dtype dtype : {u8, i32, i64, u16, u64})
    for (const bool areLogits : {false, true}) {
      const Array labels = astype(random::randint(random::key(5), {2, 4}, 0, 5), dtype);
      const Array p = areLogits ? logits : softmax(logits);
      for (const Reduce reduction : {Reduce::mean, Reduce::sum, Reduce::per_example}) {
        const losses::SparseCategoricalCrossentropy sparse{.from_logits = areLogits, .reduction = reduction};
        const Array loss = sparse(labels, p);
        expectNear(loss, doubles(losses::categorical_crossentropy(one_hot(labels, 5), p,
                                                                  {.from_logits = areLogits, .reduction = reduction})));
        EXPECT_EQ(floats(reshape(sparse(expand_dims(labels, -1), p), {-1})), floats(reshape(loss, {-1})));
        EXPECT_EQ(floats(reshape(jit([=](const Array &y, const Array &x) { return sparse(y, x); })(labels, p), {-1})),
                  floats(reshape(loss, {-1})));
      }
      const losses::SparseCategoricalCrossentropy first{.from_logits = areLogits, .axis = 1};
      expectNear(first(labels, moveaxis(p, -1, 1)),
                 doubles(losses::sparse_categorical_crossentropy(labels, p, {.from_logits = areLogits})));
    }
  EXPECT_EQ(number(losses::nll(Array{1, 0}, log_softmax(numbers(1, {2, 3})))),
            number(losses::sparse_softmax_cross_entropy(Array{1, 0}, numbers(1, {2, 3}))));
  EXPECT_NEAR(number(losses::softmax_cross_entropy(eye(3), numbers(1, {3, 3}))),
              number(losses::sparse_softmax_cross_entropy(arange(3), numbers(1, {3, 3}))), 1e-6);
}

TEST(SparseCategoricalCrossentropy, LargeLogitsKeepTheirDigits) {
  const losses::SparseCategoricalCrossentropy loss{.from_logits = true};
  EXPECT_EQ(number(loss(Array{1}, Array{{1000.0f, 0.0f}})), 1000.0f);
  EXPECT_EQ(number(loss(Array{0}, Array{{1000.0f, 0.0f}})), 0.0f);
}

TEST(SparseCategoricalCrossentropy, IgnoredRowsDoNotCount) {
  const Array logits = numbers(1, {4, 3}), labels = {2, 255, 0, 255};
  const losses::SparseCategoricalCrossentropy loss{.from_logits = true, .ignore_class = 255};
  EXPECT_EQ(number(loss(labels, logits)),
            number(losses::sparse_softmax_cross_entropy(Array{2, 0}, logits[{slice(_, _, 2)}])));
  const Array slope = grad([&](const Array &x) { return loss(labels, x); })(logits);
  EXPECT_TRUE(bool(all(slope[1] == 0) && all(slope[3] == 0) && all(any(slope[{slice(_, _, 2)}] != 0, 1))));
  EXPECT_EQ(number(loss(full({4}, 255), logits)), 0.0f);
  const Array weights = {2.0f, 5.0f, 3.0f, 5.0f};
  const Row own = doubles(losses::sparse_categorical_crossentropy(
      Array{2, 0}, logits[{slice(_, _, 2)}], {.from_logits = true, .reduction = Reduce::per_example}));
  EXPECT_NEAR(number(loss(labels, logits, weights)), (2 * own[0] + 3 * own[1]) / 2, 1e-6);
}

TEST(SparseCategoricalCrossentropy, ALabelOutOfRangeNamesValueRowAndClasses) {
  const losses::SparseCategoricalCrossentropy loss{.from_logits = true};
  const Array logits = numbers(1, {3, 10});
  EXPECT_EQ(messageOf([&] { loss(Array{1, 12, 3}, logits); }),
            "sparse_categorical_crossentropy: label 12 in row 1 is out of range for 10 classes");
  EXPECT_EQ(messageOf([&] { losses::nll(Array{{1, 2}, {3, -4}}, numbers(1, {2, 2, 5})); }),
            "nll: label -4 in row (1, 1) is out of range for 5 classes");
  EXPECT_THAT(errorOf([&] { loss(Array{1, 12, 3}, logits); }), HasSubstr("nn_losses_test.cpp"));
  EXPECT_THAT(messageOf([&] { loss(Array{1.0f, 2.0f, 3.0f}, logits); }), HasSubstr("integer dtype as y_true, got f32"));
  EXPECT_THAT(messageOf([&] { loss(Array{1, 2}, logits); }),
              HasSubstr("expected labels of the shape (3,) or (3, 1), got (2,)"));
}

TEST(SparseCategoricalCrossentropy, ALabelOutOfRangeGivesNaNUnderJit) {
  const Array logits = numbers(1, {3, 10});
  const auto losses = jit([](const Array &y, const Array &x) {
    return losses::sparse_categorical_crossentropy(y, x, {.from_logits = true, .reduction = Reduce::per_example});
  });
  for (const int wrong : {10, -1, 1000}) {
    const Floats loss = floats(losses(Array{1, wrong, 3}, logits));
    EXPECT_TRUE(std::isfinite(loss[0]) && std::isnan(loss[1]) && std::isfinite(loss[2])) << wrong;
    const Array slope = jit([](const Array &y, const Array &x) {
      return grad([&](const Array &z) { return losses::sparse_softmax_cross_entropy(y, z); })(x);
    })(Array{1, wrong, 3}, logits);
    EXPECT_TRUE(bool(all(isnan(slope[1])) && all(isfinite(slope[0])))) << wrong;
  }
}
} // namespace
