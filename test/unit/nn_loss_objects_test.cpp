//===- nn_loss_objects_test.cpp - shapes, weights and any loss ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/losses.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using Reduce = losses::Reduction;
using testing::HasSubstr;

namespace {

Array numbers(int seed, const Shape &shape) { return random::normal(random::key(static_cast<uint64_t>(seed)), shape); }

TEST(LossShapes, RowsOfOneNumberMeetNumbers) {
  const Array t = numbers(1, {6}), p = numbers(2, {6});
  const float expected = number(mean(square(t - p)));
  const losses::MeanSquaredError loss;
  EXPECT_EQ(number(loss(t, p)), expected);
  EXPECT_EQ(number(loss(t, expand_dims(p, 1))), expected);
  EXPECT_EQ(number(loss(expand_dims(t, 1), p)), expected);
  EXPECT_EQ(floats(losses::mean_squared_error(t, p, {.reduction = Reduce::per_example})), floats(square(t - p)));
  EXPECT_EQ(number(loss(0, p)), number(mean(square(p))));
  EXPECT_EQ(number(loss(1.0f, 3.0f)), 4.0f);
  EXPECT_EQ(number(loss(zeros({0, 3}), zeros({0, 3}))), 0.0f);
}

TEST(LossShapes, OthersAreAnErrorThatNamesBoth) {
  EXPECT_EQ(messageOf([] { losses::mean_squared_error(zeros({32, 1}), zeros({32, 5})); }),
            "mean_squared_error: expected y_true and y_pred of one shape, got (32, 1) and (32, 5)");
  EXPECT_THAT(messageOf([] { losses::binary_crossentropy(zeros({3}), zeros({4})); }),
              HasSubstr("binary_crossentropy: expected y_true and y_pred of one shape, got (3,) and (4,)"));
  EXPECT_THAT(messageOf([] { losses::huber(zeros({3}), zeros({3}), {.delta = 0}); }), HasSubstr("delta > 0, got 0"));
  EXPECT_THAT(messageOf([] { losses::categorical_crossentropy(1, 2.0f); }), HasSubstr("axis of classes"));
  EXPECT_THAT(messageOf([] { losses::binary_crossentropy(zeros({3}), zeros({3}), {.label_smoothing = 2}); }),
              HasSubstr("expected a label_smoothing in [0, 1], got 2"));
}

TEST(SampleWeights, HaveTheShapeOfTheLossesOrOfTheirFirstAxes) {
  const Array t = numbers(1, {2, 3, 4}), p = numbers(2, {2, 3, 4});
  const losses::MeanAbsoluteError loss{.reduction = Reduce::sum};
  const Array each = mean(abs(t - p), 2), w = {0.5f, 2.0f};
  EXPECT_NEAR(number(loss(t, p, w)), number(sum(each * expand_dims(w, 1))), 1e-6);
  EXPECT_NEAR(number(loss(t, p, expand_dims(w, 1))), number(sum(each * expand_dims(w, 1))), 1e-6);
  EXPECT_NEAR(number(loss(t, p, 3)), number(sum(each)) * 3, 1e-6);
  const Array all = numbers(3, {2, 3});
  EXPECT_NEAR(number(loss(t, p, all)), number(sum(each * all)), 1e-6);
  EXPECT_EQ(number(loss(t, p, expand_dims(all, 2))), number(loss(t, p, all)));
  EXPECT_EQ(messageOf([&] { loss(t, p, zeros({3})); }),
            "mean_absolute_error: expected sample weights of the shape of the losses per example, (2, 3), or of its "
            "first axes, got (3,)");
  // Keras' sum_over_batch_size: divided by the number of losses, not by the sum of the weights.
  EXPECT_NEAR(number(losses::MeanAbsoluteError{}(t, p, all)), number(sum(each * all)) / 6, 1e-6);
}

TEST(SampleWeights, OfBoolsAreAMask) {
  const Array t = {1.0f, 2.0f, NAN, 4.0f}, p = zeros({4}), mask = {true, true, false, false};
  EXPECT_EQ(number(losses::MeanSquaredError{}(t, p, mask)), 2.5f);
  EXPECT_EQ(number(losses::MeanSquaredError{}(t, p, zeros({4}, bool_))), 0.0f);
  EXPECT_EQ(number(losses::MeanSquaredError{.reduction = Reduce::sum}(t, p, mask)), 5.0f);
}

TEST(Losses, NarrowFloatsAccumulateInF32) {
  const Array ones = tenon::ones({5000, 3}, f16), zero = zeros({5000, 3}, f16);
  const Array sum = losses::mean_squared_error(zero, ones, {.reduction = Reduce::sum});
  EXPECT_EQ(sum.dtype(), f32);
  EXPECT_EQ(number(sum), 5000.0f);
  EXPECT_EQ(grad([&](const Array &x) { return losses::mean_squared_error(zero, x); })(ones).dtype(), f16);
}

TEST(LogCosh, KeepsItsDigitsNear0AndDoesNotOverflow) {
  const auto loss = [](float x) { return number(losses::log_cosh(0, Array(x))); };
  EXPECT_NEAR(loss(1e-3f), 5e-7, 1e-12);
  EXPECT_NEAR(loss(-200.0f), 200 - std::log(2.0), 1e-4);
  for (const float x : {0.0f, 1.0f, -1.0f, 300.0f})
    EXPECT_NEAR(number(grad([](const Array &y) { return losses::log_cosh(0, y); })(Array(x))), std::tanh(x), 1e-6);
}

TEST(Triplet, IsTheMarginBetweenDistances) {
  const Array a = numbers(1, {5, 3}), p = numbers(2, {5, 3}), n = numbers(3, {5, 3});
  const auto distance = [](const Array &x, const Array &y) { return sqrt(sum(square(x - y + 1e-6f), 1)); };
  EXPECT_NEAR(number(losses::triplet(a, p, n)), number(mean(maximum(distance(a, p) - distance(a, n) + 1, 0))), 1e-6);
  EXPECT_NEAR(number(losses::triplet(a, p, n, {.margin = 0.5, .swap = true})),
              number(mean(maximum(distance(a, p) - minimum(distance(a, n), distance(p, n)) + 0.5, 0))), 1e-6);
  EXPECT_THAT(messageOf([&] { losses::triplet(a, p, zeros({5, 2})); }), HasSubstr("(5, 3), (5, 3) and (5, 2)"));
}

TEST(TripletSemiHard, TakesTheNearestNegativeThatIsFartherThanThePositive) {
  const std::vector<int> labels = {0, 0, 1, 1, 0, 2, 1, 0};
  const Array x = numbers(4, {8, 2});
  const Doubles e = doubles(x);
  const auto d = [&](size_t i, size_t k) { return std::hypot(e[2 * i] - e[2 * k], e[2 * i + 1] - e[2 * k + 1]); };
  double sum = 0, pairs = 0;
  for (size_t a = 0; a < 8; ++a)
    for (size_t p = 0; p < 8; ++p) {
      if (a == p || labels[a] != labels[p])
        continue;
      double nearest = INFINITY, farthest = 0;
      for (size_t n = 0; n < 8; ++n)
        if (labels[n] != labels[a]) {
          farthest = std::max(farthest, d(a, n));
          if (d(a, n) > d(a, p))
            nearest = std::min(nearest, d(a, n));
        }
      sum += std::max(1 + d(a, p) - (std::isinf(nearest) ? farthest : nearest), 0.0);
      ++pairs;
    }
  EXPECT_NEAR(number(losses::triplet_semi_hard(Array(labels), x)), sum / pairs, 1e-5);
  const auto loss = [&](const Array &y) { return losses::TripletSemiHard{}(Array(labels), y); };
  EXPECT_TRUE(bool(all(isfinite(grad(loss)(x)))));
  EXPECT_EQ(number(jit(loss)(x)), number(loss(x)));
  EXPECT_EQ(number(losses::triplet_semi_hard(zeros({8}, i32), x)), 0.0f);
  EXPECT_TRUE(
      bool(all(isfinite(grad([](const Array &y) { return losses::triplet_semi_hard(zeros({8}, i32), y); })(x)))));
  EXPECT_THAT(messageOf([&] { losses::triplet_semi_hard(Array{1, 2}, x); }), HasSubstr("got (2,) and (8, 2)"));
}

TEST(ClassWeights, AreThoseOfTheLabels) {
  const std::map<int64_t, double> weights = {{0, 0.5}, {2, 4}};
  const Floats expected = {4, 0.5f, 1, 4};
  EXPECT_EQ(floats(losses::class_weights(Array{2, 0, 1, 2}, weights)), expected);
  EXPECT_EQ(floats(losses::class_weights(Array{{2}, {0}, {1}, {2}}, weights)), expected);
  EXPECT_EQ(floats(losses::class_weights(one_hot(Array{2, 0, 1, 2}, 3), weights)), expected);
  EXPECT_EQ(floats(jit([&](const Array &y) { return losses::class_weights(y, weights); })(Array{2, 0, 1, 2})),
            expected);
}

TEST(Loss, IsAnyLossOrFunction) {
  const Array t = numbers(1, {4, 2}), p = numbers(2, {4, 2}), w = {1.0f, 0.0f, 2.0f, 3.0f};
  const losses::Loss object = losses::Huber{.delta = 2}, function = losses::mean_squared_error;
  EXPECT_EQ(object.name(), "huber");
  EXPECT_EQ(number(object(t, p, w)), number(losses::Huber{.delta = 2}(t, p, w)));
  EXPECT_EQ(function.name(), "mean_squared_error");
  EXPECT_NEAR(number(function(t, p, w)), number(losses::MeanSquaredError{}(t, p, w)), 1e-6);
  // Losses of the examples are weighted and their mean taken; a number stays as it is.
  const losses::Loss own = [](const Array &y, const Array &x) { return mean(square(y - x), 1); };
  EXPECT_EQ(own.name(), "loss");
  EXPECT_NEAR(number(own(t, p, w)), number(losses::MeanSquaredError{}(t, p, w)), 1e-6);
  const losses::Loss one = [](const Array &y, const Array &x) { return mean(square(y - x)); };
  EXPECT_EQ(number(one(t, p)), number(losses::MeanSquaredError{}(t, p)));
  EXPECT_THAT(messageOf([&] { one(t, p, w); }), HasSubstr("return the losses of the examples"));
  EXPECT_THAT(messageOf([&] { losses::Loss()(t, p); }), HasSubstr("losses::MeanSquaredError{}, got none"));
  EXPECT_FALSE(losses::Loss().has_value());
  EXPECT_EQ(losses::Loss(losses::KLDivergence{}).name(), "kl_divergence");
  EXPECT_EQ(losses::Loss(losses::NLL{}).name(), "nll");
  EXPECT_THAT(errorOf([&] { object(t, zeros({4, 3})); }), HasSubstr("nn_loss_objects_test.cpp"));
}

TEST(Loss, RunsUnderJitAndATape) {
  const losses::Loss loss = losses::SparseCategoricalCrossentropy{.from_logits = true};
  Variable weight{numbers(1, {3, 4})};
  const Array x = numbers(2, {5, 3}), y = {0, 3, 1, 1, 2};
  const auto step = [=](const Array &labels, const Array &images) {
    GradientTape tape;
    const Array value = loss(labels, matmul(images, weight));
    return tape.gradient(value, weight);
  };
  EXPECT_EQ(floats(reshape(step(y, x), {-1})), floats(reshape(jit(step)(y, x), {-1})));
}

TEST(SparseCategoricalCrossentropy, IgnoredLabelsThatAreNoClassHaveNoDerivative) {
  const Array logits = random::normal(random::key(1), {3, 4}), y = Array{2, -1, 0};
  for (const bool isLogits : {true, false}) {
    const auto slope = [isLogits](const Array &labels, const Array &x) {
      return grad([&](const Array &z) {
        return losses::sparse_categorical_crossentropy(labels, isLogits ? z : softmax(z),
                                                       {.from_logits = isLogits, .ignore_class = -1});
      })(x);
    };
    const Array eager = slope(y, logits), compiled = jit(slope)(y, logits);
    EXPECT_TRUE(bool(all(compiled[1] == 0))) << compiled;
    EXPECT_TRUE(bool(allclose(compiled, eager, 1e-6))) << compiled << eager;
  }
  // Another wrong label still makes NaN.
  const Array wrong = jit([](const Array &labels, const Array &x) {
    return losses::nll(labels, x, {.ignore_class = -1, .reduction = losses::Reduction::per_example});
  })(Array{2, -2, -1}, logits);
  EXPECT_TRUE(bool(isnan(wrong[1])) && bool(wrong[2] == 0));
}

TEST(SampleWeights, OfBoolsHideNaNFromDerivatives) {
  const Array nan = full({}, NAN), mask = Array{true, false, true};
  const Array rows = expand_dims(mask, -1), p = sigmoid(random::normal(random::key(3), {3, 4}));
  const Array t = softmax(random::normal(random::key(4), {3, 4})), classes = Array{1, 0, 3};
  const std::vector<losses::Loss> all{losses::MeanSquaredError{},
                                      losses::MeanAbsolutePercentageError{},
                                      losses::Hinge{},
                                      losses::KLDivergence{},
                                      losses::CosineSimilarity{},
                                      losses::CategoricalCrossentropy{},
                                      losses::CategoricalCrossentropy{.from_logits = true},
                                      losses::CategoricalFocalCrossentropy{},
                                      losses::BinaryCrossentropy{},
                                      losses::BinaryFocalCrossentropy{.gamma = 0.5}};
  for (const losses::Loss &loss : all) {
    SCOPED_TRACE(loss.name());
    const auto slope = [&](const Array &truth, const Array &x) {
      return grad([&](const Array &z) { return loss(truth, z, mask); })(x);
    };
    const Array whole = slope(t, p), holed = slope(where(rows, t, nan), where(rows, p, nan));
    EXPECT_TRUE(bool(array_equal(whole, holed))) << whole << holed;
    EXPECT_TRUE(bool(tenon::all(holed[1] == 0)));
    EXPECT_TRUE(bool(array_equal(jit(slope)(where(rows, t, nan), where(rows, p, nan)), holed)));
  }
  const auto sparse = [&](const Array &x) {
    return losses::SparseCategoricalCrossentropy{.ignore_class = 3}(classes, x, mask);
  };
  const Array holed = grad(sparse)(std::as_const(p).at[1].set(nan).at[2].set(nan));
  EXPECT_TRUE(bool(array_equal(holed, grad(sparse)(p)))) << holed;
  // Along another axis than the last.
  const auto turned = [&](const Array &x) { return losses::CategoricalCrossentropy{.axis = 0}(t.T(), x, mask); };
  EXPECT_TRUE(bool(array_equal(grad(turned)(where(mask, p.T(), nan)), grad(turned)(p.T()))));
}

TEST(SampleWeights, OfBoolsCountWithTheIgnoredClass) {
  const Array p = softmax(random::normal(random::key(3), {3, 4}));
  const losses::SparseCategoricalCrossentropy loss{.ignore_class = 3};
  EXPECT_EQ(loss(Array{1, 0, 3}, p, Array{true, false, true}).item<float>(), loss(Array{1}, p[slice(1)]).item<float>());
}

TEST(TripletSemiHard, OfAnEmptyBatchIs0) {
  EXPECT_EQ(losses::triplet_semi_hard(zeros({0}, i32), zeros({0, 3})).item<float>(), 0);
}

} // namespace
