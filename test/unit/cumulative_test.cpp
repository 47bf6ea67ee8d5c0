//===- cumulative_test.cpp - cumulative sums, products and extremes ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

TEST(Cumulative, WhatIsMadeOfNoneMayComeFirst) {
  const Array x = {1.f, 2.f, 4.f};
  EXPECT_EQ(floats(cumulative_sum(x, {}, true)), (Floats{0, 1, 3, 7}));
  EXPECT_EQ(floats(cumulative_prod(x, {}, true)), (Floats{1, 1, 2, 8}));
  const Array m = {{1, 2}, {3, 4}};
  EXPECT_EQ(cumulative_sum(m, 0, true).to_vector<int32_t>(), (std::vector<int32_t>{0, 0, 1, 2, 4, 6}));
  EXPECT_EQ(cumulative_sum(m, -1, true).shape(), (Shape{2, 3}));
  EXPECT_EQ(floats(cumulative_sum(zeros({0}), 0, true)), (Floats{0}));
}

TEST(Cumulative, TheAxisMayBeLeftOutWhereThereIsOne) {
  EXPECT_THAT(messageOf([] { (void)cumulative_sum(zeros({2, 3})); }), HasSubstr("cumulative_sum: expected an axis"));
  EXPECT_THAT(messageOf([] { (void)cumulative_max(zeros({})); }), HasSubstr("cumulative_max: expected an axis"));
  EXPECT_THAT(messageOf([] { (void)cumulative_prod(zeros({2, 3}), 2); }),
              HasSubstr("cumulative_prod: axis 2 is out of range for an array of rank 2"));
  EXPECT_THAT(messageOf([] { (void)cumulative_max(zeros({2}, c64), 0); }), HasSubstr("cumulative_max: expected"));
}

// The first sum keeps the sign of its zero: nothing is added to it.
TEST(Cumulative, BeginsWithTheElementItself) {
  EXPECT_TRUE(std::signbit(cumulative_sum(Array{-0.f, -0.f}).to_vector<float>()[1]));
  EXPECT_TRUE(std::signbit(cumulative_sum(full({3, 40}, -0.f), 0).to_vector<float>()[100]));
}

TEST(Cumulative, IntegersWrapAndSmallOnesAreWidened) {
  const Array sums = cumulative_sum(full({4}, 100, i8));
  EXPECT_EQ(sums.dtype(), i32);
  EXPECT_EQ(sums.to_vector<int32_t>(), (std::vector<int32_t>{100, 200, 300, 400}));
  EXPECT_EQ(cumulative_sum(full({2}, INT32_MAX, i32)).to_vector<int32_t>()[1], -2);
  EXPECT_EQ(cumulative_max(Array{false, true, false}).dtype(), Dtype::bool_);
}

/// Of sum(weights * f(x)).
Floats slopes(Array (*f)(const Array &), const Array &x, const Array &weights) {
  return floats(grad([&](const Array &at) { return sum(weights * f(at)); })(x));
}

TEST(Cumulative, DerivativesOfProductsAreNoQuotients) {
  const Array weights = {1.f, 2.f, 3.f, 4.f};
  auto products = [](const Array &x) { return cumulative_prod(x); };
  EXPECT_EQ(slopes(products, {1.f, 0.f, 2.f, 3.f}, weights), (Floats{1, 32, 0, 0}));
  EXPECT_EQ(slopes(products, {0.f, 0.f, 2.f, 3.f}, weights), (Floats{1, 0, 0, 0}));
  EXPECT_EQ(slopes(products, {5.f}, Array{2.f}), (Floats{2}));
}

// What is NaN is the last NaN before it.
TEST(Cumulative, DerivativesOfExtremaGoToTheLastOfEquals) {
  const Array weights = {1.f, 2.f, 3.f, 4.f, 5.f};
  EXPECT_EQ(slopes([](const Array &x) { return cumulative_max(x); }, {1.f, 0.f, 2.f, 2.f, 1.f}, weights),
            (Floats{3, 0, 3, 9, 0}));
  EXPECT_EQ(slopes([](const Array &x) { return cumulative_min(x); }, {1.f, NAN, 2.f, NAN, 1.f}, weights),
            (Floats{1, 5, 0, 9, 0}));
}

TEST(Cumulative, DerivativesOfLogsumexpAreOfBothSigns) {
  const Array x = {1.f, 0.f, 200.f, -3.f, 199.f}, weights = {-1.f, 2.f, 0.5f, -2.f, 1.f};
  const Floats got = slopes([](const Array &at) { return cumulative_logsumexp(at); }, x, weights);
  const Array y = cumulative_logsumexp(astype(x, f64));
  const auto xs = x.to_vector<float>(), ws = weights.to_vector<float>();
  const auto ys = y.to_vector<double>();
  for (size_t j = 0; j < 5; ++j) {
    double expected = 0;
    for (size_t i = j; i < 5; ++i)
      expected += ws[i] * std::exp(xs[j] - ys[i]);
    EXPECT_NEAR(got[j], expected, 1e-5 * (1 + std::abs(expected))) << j;
  }
}

// An infinite sum has no parts.
TEST(Cumulative, DerivativesOfLogsumexpOfInfinities) {
  auto f = [](const Array &at) { return cumulative_logsumexp(at); };
  EXPECT_EQ(slopes(f, {-INFINITY, -INFINITY, 1.f}, {1.f, 2.f, 3.f}), (Floats{0, 0, 3}));
  EXPECT_EQ(slopes(f, {1.f, INFINITY, 2.f}, {1.f, 2.f, 3.f}), (Floats{1, 0, 0}));
}

// What is no part of a sum does not overflow on the way, in a second derivative either.
TEST(Cumulative, SecondDerivativesOfLogsumexpOfSymbols) {
  auto slope = [](const Array &x) {
    return grad([](const Array &at) {
      return sum(grad([](const Array &y) { return sum(cumulative_logsumexp(y)); })(at) * at);
    })(x);
  };
  auto jitted = jit(slope, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(floats(slope(Array{0.f, 200.f, -200.f})), (Floats{1, 2, 0}));
  EXPECT_EQ(floats(jitted(Array{0.f, 200.f, -200.f})), (Floats{1, 2, 0}));
}

// A symbolic number of rows does not change a bit.
TEST(Cumulative, DerivativesOfSymbols) {
  auto slope = [](const Array &x) {
    return grad([](const Array &at) { return sum((cumulative_prod(at, 0) + cumulative_logsumexp(at, 0)) * at); })(x);
  };
  auto jitted = jit(slope, {.specs = {TensorSpec{f32, {"n", 2}}}});
  const Array x = {{1.f, 2.f}, {0.f, 3.f}, {4.f, -1.f}};
  const Floats plain = floats(slope(x)), symbolic = floats(jitted(x));
  EXPECT_EQ(plain, symbolic);
}

} // namespace
