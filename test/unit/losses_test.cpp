//===- losses_test.cpp - losses and distances where formulas have no digits --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

Array numbers(int seed, Shape shape) { return random::normal(random::key(static_cast<uint64_t>(seed)), shape); }

TEST(CrossEntropy, OfClassesIsThatOfOneHotProbabilities) {
  const Array logits = numbers(1, {6, 4}), labels = {0, 3, 1, 1, 2, 0};
  for (double smoothing : {0.0, 0.2})
    EXPECT_NEAR(number(cross_entropy(logits, labels, {.label_smoothing = smoothing})),
                number(cross_entropy(logits, one_hot(labels, 4), {.label_smoothing = smoothing})), 1e-6);
  EXPECT_EQ(number(cross_entropy(logits, labels)), number(nll_loss(log_softmax(logits), labels)));
}

TEST(CrossEntropy, LargeLogitsKeepTheirDigits) {
  EXPECT_EQ(number(cross_entropy(Array{1000.0f, 0.0f}, 1)), 1000.0f);
  EXPECT_EQ(number(cross_entropy(Array{1000.0f, 0.0f}, 0)), 0.0f);
  const Array logits = {2.0f, -INFINITY, 1.0f}, target = {0.25f, 0.0f, 0.75f};
  const auto loss = [&](const Array &x) { return cross_entropy(x, target); };
  EXPECT_NEAR(number(loss(logits)), std::log1p(std::exp(1.0)) - 0.25, 1e-6);
  EXPECT_TRUE(bool(all(isfinite(grad(loss)(logits)))));
}

TEST(CrossEntropy, IgnoredTargetsHaveNoShare) {
  const Array logits = numbers(1, {4, 3}), labels = {2, -100, 0, -100};
  EXPECT_EQ(number(cross_entropy(logits, labels)), number(cross_entropy(logits[{slice(_, _, 2)}], Array{2, 0})));
  const Array slope = grad([&](const Array &x) { return cross_entropy(x, labels); })(logits);
  EXPECT_TRUE(bool(all(slope[1] == 0) && all(slope[3] == 0) && all(any(slope[{slice(_, _, 2)}] != 0, 1))));
  EXPECT_TRUE(std::isnan(number(cross_entropy(logits, full({4}, -100)))));
  EXPECT_EQ(number(cross_entropy(logits, full({4}, -100), {.reduction = Reduction::sum})), 0.0f);
}

TEST(CrossEntropy, ATargetThatIsNoClassIsAnError) {
  const Array logits = numbers(1, {2, 3});
  for (int wrong : {3, -1, 1000})
    EXPECT_NE(errorOf([&] { (void)cross_entropy(logits, Array{0, wrong}).item<float>(); }), "no error") << wrong;
}

TEST(BinaryCrossEntropy, OfLogitsIsExactInTheTails) {
  for (float x : {-30.0f, -5.0f, 0.0f, 40.0f})
    for (float target : {0.0f, 1.0f}) {
      const double exact = target == 1 ? std::log1p(std::exp(-double(x))) : std::log1p(std::exp(double(x)));
      EXPECT_NEAR(number(binary_cross_entropy_with_logits(Array(x), Array(target))), exact, exact * 1e-6) << x;
    }
}

TEST(BinaryCrossEntropy, OfProbabilities0And1IsBounded) {
  const Array p = {0.0f, 1.0f, 0.0f, 1.0f}, target = {0.0f, 1.0f, 1.0f, 0.0f};
  const auto losses = [&](const Array &x) {
    return binary_cross_entropy(x, target, {.reduction = Reduction::unreduced});
  };
  EXPECT_EQ(floats(losses(p)), (Floats{0, 0, 100, 100}));
  EXPECT_TRUE(bool(all(isfinite(grad([&](const Array &x) { return sum(losses(x)); })(p)))));
  EXPECT_TRUE(std::isnan(number(binary_cross_entropy(Array(-0.5f), Array(1.0f)))));
}

TEST(HuberLoss, HasSecondDerivativesAt0) {
  const auto loss = [](const Array &x) { return huber_loss(x, Array(0.0f)); };
  EXPECT_EQ(number(grad(grad(loss))(Array(0.0f))), 1.0f);
  EXPECT_EQ(number(loss(Array(3.0f))), 2.5f);
  EXPECT_EQ(number(smooth_l1_loss(Array(-3.0f), Array(0.0f), {.beta = 2})), 2.0f);
}

TEST(KlDiv, OfAProbabilityOf0Is0) {
  const Array x = {std::log(0.5f), -INFINITY, std::log(0.5f)}, target = {0.5f, 0.0f, 0.5f};
  const auto loss = [&](const Array &x) { return kl_div(x, target, {.reduction = Reduction::sum}); };
  EXPECT_NEAR(number(loss(x)), 0, 1e-7);
  EXPECT_EQ(floats(grad(loss)(x)), (Floats{-0.5f, 0, -0.5f}));
  EXPECT_NEAR(number(kl_div(x, log(target), {.reduction = Reduction::sum, .log_target = true})), 0, 1e-7);
  const auto ofTarget = [&](const Array &target, bool isLog) {
    return floats(grad([&](const Array &target) {
      return kl_div(zeros({3}), target, {.reduction = Reduction::sum, .log_target = isLog});
    })(target));
  };
  const float slope = 1 - std::log(2.0f);
  EXPECT_EQ(ofTarget(target, false)[1], 0.0f) << "and not NaN";
  EXPECT_NEAR(ofTarget(target, false)[0], slope, 1e-6);
  EXPECT_EQ(ofTarget(log(target), true)[1], 0.0f) << "and not NaN";
  EXPECT_NEAR(ofTarget(log(target), true)[0], slope / 2, 1e-6);
}

TEST(Losses, OfNarrowFloatsAreRoundedOnce) {
  for (Dtype dtype : {f16, bf16}) {
    const Array x = astype(numbers(1, {70000}), dtype), target = astype(numbers(2, {70000}), dtype);
    const Array wide = mse_loss(astype(x, f64), astype(target, f64));
    EXPECT_NEAR(doubles(mse_loss(x, target))[0], doubles(wide)[0], dtype == f16 ? 2e-3 : 1e-2);
    EXPECT_EQ(l1_loss(x, target).dtype(), dtype);
  }
}

/// (n, 1) beside (n,) would broadcast to n * n differences: the most frequent mistake with PyTorch's mse_loss.
TEST(Losses, RefuseTargetsOfAnotherShape) {
  EXPECT_NE(messageOf([] {
              (void)mse_loss(zeros({3, 1}), zeros({3}));
            }).find("expected a target of the shape (3, 1), got (3,)"),
            std::string::npos);
  EXPECT_EQ(number(mse_loss(Array{1.0f, 3.0f}, 1)), 2.0f);
}

TEST(Distances, OfNearRowsKeepTheirDigits) {
  const Array x = numbers(1, {3, 8}) + 1000, y = x + 0x1p-10;
  const Array near = cdist(x, y);
  EXPECT_EQ(near.shape(), Shape({3, 3}));
  EXPECT_NEAR(number(near[{0, 0}]), std::sqrt(8.0) / 1024, 1e-4);
}

TEST(Distances, HaveDerivative0AtEqualRows) {
  const Array x = {{1.0f, 2.0f}, {3.0f, 5.0f}};
  EXPECT_TRUE(bool(all(isfinite(grad([](const Array &a) { return sum(cdist(a, a)); })(x)))));
  EXPECT_TRUE(bool(all(grad([&](const Array &a) { return sum(pairwise_distance(a, x, {.epsilon = 0})); })(x) == 0)));
}

TEST(Distances, OfNoRows) {
  EXPECT_EQ(cdist(zeros({0, 3}), zeros({2, 3})).shape(), Shape({0, 2}));
  EXPECT_EQ(floats(cdist(zeros({1, 0}), zeros({2, 0}))), (Floats{0, 0}));
}

TEST(Normalize, KeepsTheZeroVector) {
  EXPECT_EQ(floats(normalize({{3.0f, 4.0f}, {0.0f, 0.0f}})), (Floats{0.6f, 0.8f, 0, 0}));
  EXPECT_EQ(floats(cosine_similarity({{3.0f, 4.0f}, {0.0f, 0.0f}}, Array{3.0f, 4.0f})), (Floats{1, 0}));
}

} // namespace
