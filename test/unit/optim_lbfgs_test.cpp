//===- optim_lbfgs_test.cpp - L-BFGS, accumulation, averages ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/nn.h>
#include <tenon/optim.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

/// The sum over pairs of neighbours; least, 0, where all are 1.
Array rosenbrock(const Array &x) {
  const Array head = x[slice(0, -1)], tail = x[slice(1, none)];
  return sum(100 * square(tail - square(head)) + square(1 - head));
}
Array startOf(int64_t size) {
  std::vector<double> start;
  for (int64_t i = 0; i < size; ++i)
    start.push_back(i % 2 ? 1 : -1.2);
  return Array(std::span<const double>(start), Shape{size});
}

TEST(Lbfgs, FindsTheMinimumOfRosenbrock) {
  for (const int64_t size : {int64_t(2), int64_t(10)})
    for (const optim::LineSearch search : {optim::LineSearch::strong_wolfe, optim::LineSearch::backtracking}) {
      const Variable x{startOf(size), "x"};
      const optim::LBFGS optimizer({.max_iter = 200, .max_eval = 400, .tolerance_change = 0, .line_search = search});
      const Array first = optimizer.minimize([&] { return rosenbrock(x); }, {x});
      EXPECT_EQ(first.item<double>(), rosenbrock(startOf(size)).item<double>());
      EXPECT_LT(max(abs(x - 1.0)).item<double>(), 1e-6) << size;
      EXPECT_LT(optimizer.iterations(), size == 2 ? 60 : 120);
    }
}

TEST(Lbfgs, ANewCallGoesOn) {
  const Variable x{startOf(2), "x"}, y{startOf(2), "y"};
  const optim::LBFGS inSteps({.max_iter = 4, .max_eval = 100, .tolerance_change = 0}),
      atOnce({.max_iter = 40, .max_eval = 1000, .tolerance_change = 0});
  double last = 1e9;
  for (int i = 0; i < 10; ++i) {
    const double loss = inSteps.minimize([&] { return rosenbrock(x); }, {x}).item<double>();
    EXPECT_LE(loss, last);
    last = loss;
  }
  (void)atOnce.minimize([&] { return rosenbrock(y); }, {y});
  EXPECT_LT(max(abs(x - 1.0)).item<double>(), 1e-6);
  EXPECT_LT(max(abs(y - 1.0)).item<double>(), 1e-6);
  EXPECT_EQ(inSteps.iterations(), atOnce.iterations());
}

TEST(Lbfgs, FitsLeastSquares) {
  const Array a = random::normal(random::key(1), {40, 6}, f64), b = random::normal(random::key(2), {40}, f64);
  const Variable w{zeros({6}, f64), "w"}, bias{zeros({}, f64), "bias"};
  const optim::LBFGS optimizer({.max_iter = 50, .tolerance_change = 0});
  auto loss = jit([&] { return mean(square(matmul(a, w) + bias - b)); });
  (void)optimizer.minimize(loss, {w, bias});
  // The normal equations.
  const Array all = concatenate({a, ones({40, 1}, f64)}, 1);
  const Array exact = linalg::solve(matmul(all.T(), all), matmul(all.T(), b));
  EXPECT_LT(max(abs(w - exact[slice(0, 6)])).item<double>(), 1e-6);
  EXPECT_NEAR(bias.item<double>(), exact[6].item<double>(), 1e-6);
}

TEST(Lbfgs, FitsALayer) {
  const nn::Dense dense(1);
  const Array x = random::normal(random::key(1), {30, 3}), y = sum(x, 1, true) * 2.0f + 1.0f;
  nn::build(dense, x.shape());
  const optim::LBFGS optimizer;
  (void)optimizer.minimize([&] { return mean(square(dense(x) - y)); }, nn::trainable_variables(dense));
  EXPECT_LT(mean(square(dense(x) - y)).item<float>(), 1e-8f);
}

TEST(Lbfgs, StepsToWhereTheLossIsNotDefinedAreShortened) {
  const Variable x{Array(0.1), "x"};
  const optim::LBFGS optimizer({.learning_rate = 100, .max_iter = 50, .max_eval = 200});
  (void)optimizer.minimize([&] { return x - log(x); }, {x}); // NaN below 0
  EXPECT_NEAR(x.item<double>(), 1, 1e-5);
}

TEST(Lbfgs, EndsAtAMinimum) {
  const Variable x{Array(2.0f), "x"};
  const optim::LBFGS optimizer;
  (void)optimizer.minimize([&] { return square(x - 2.0f); }, {x});
  EXPECT_EQ(optimizer.iterations(), 0);
  EXPECT_EQ(optimizer.evaluations(), 1);
  EXPECT_EQ(x.item<float>(), 2);
}

TEST(Lbfgs, AnExceptionLeavesAllAsItWas) {
  const Variable x{startOf(2), "x"};
  const optim::LBFGS optimizer;
  int calls = 0;
  auto loss = [&] {
    if (++calls == 5)
      throw std::runtime_error("halfway");
    return rosenbrock(x);
  };
  EXPECT_THROW((void)optimizer.minimize(loss, {x}), std::runtime_error);
  EXPECT_EQ(x.to_vector<double>(), startOf(2).to_vector<double>());
  EXPECT_EQ(optimizer.iterations(), 0);
  EXPECT_EQ(optimizer.evaluations(), 0);
}

TEST(Lbfgs, RefusesWhatItCannotUse) {
  const Variable x{startOf(2), "x"}, y{startOf(2), "y"}, count{Array(1), "count", false};
  const optim::LBFGS optimizer;
  auto minimize = [&](const std::vector<Variable> &variables) {
    return errorOf([&] { (void)optimizer.minimize([&] { return rosenbrock(x); }, variables); });
  };
  EXPECT_THAT(minimize({}), HasSubstr("expected Variables, got none"));
  EXPECT_THAT(minimize({nn::Weight()}), HasSubstr("not built"));
  EXPECT_THAT(minimize({count}), HasSubstr("floating"));
  (void)optimizer.minimize([&] { return rosenbrock(x); }, {x});
  EXPECT_THAT(minimize({y}), HasSubstr("the same Variables"));
  EXPECT_THAT(errorOf([] { optim::LBFGS({.max_iter = 0}); }), HasSubstr("max_iter"));
  EXPECT_THAT(errorOf([] { optim::LBFGS({.learning_rate = 0}); }), HasSubstr("learning_rate > 0"));
}

TEST(Accumulation, FourBatchesAreOneOfFourTimesTheSize) {
  const Array x = random::normal(random::key(1), {32, 3}), y = random::normal(random::key(2), {32, 1});
  const nn::Dense one(1);
  nn::build(one, Shape{1, 3});
  const nn::Dense other = nn::clone(one);
  const optim::Adam whole(0.01), parts(0.01, {.gradient_accumulation_steps = 4});
  auto loss = [](const nn::Dense &model, const Array &inputs, const Array &targets) {
    return mean(square(model(inputs) - targets));
  };
  for (int step = 0; step < 5; ++step) {
    whole.apply_gradients(nn::value_and_grad(loss)(one, x, y).second);
    for (int64_t i = 0; i < 32; i += 8)
      parts.apply_gradients(nn::value_and_grad(loss)(other, x[slice(i, i + 8)], y[slice(i, i + 8)]).second);
    EXPECT_LT(max(abs(one.kernel() - other.kernel())).item<float>(), 1e-6f);
    EXPECT_LT(max(abs(one.bias() - other.bias())).item<float>(), 1e-6f);
  }
  EXPECT_EQ(parts.iterations().item<int64_t>(), 5);
}

TEST(Averages, TheModelHasThemInTheScopeAlone) {
  const nn::Dense dense(2, {.input_shape = {3}});
  const optim::EMA average(dense, 0.5);
  const Array first = dense.kernel().value();
  average.update();
  dense.kernel().assign(first + 2.0f);
  average.update();
  {
    const auto scope = average.averaged();
    EXPECT_LT(max(abs(dense.kernel() - (first + 1.0f))).item<float>(), 1e-6f);
  }
  EXPECT_TRUE(all(dense.kernel() == first + 2.0f).item<bool>());
  EXPECT_THROW(
      {
        const auto scope = average.averaged();
        throw std::runtime_error("halfway");
      },
      std::runtime_error);
  EXPECT_TRUE(all(dense.kernel() == first + 2.0f).item<bool>());
}

} // namespace
