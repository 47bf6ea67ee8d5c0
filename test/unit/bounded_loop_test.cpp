//===- bounded_loop_test.cpp - while_loop with a bound ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// Newton's steps towards the root of x, until they are small.
Array rootOf(const Array &x) {
  using State = std::pair<Array, Array>;
  auto goesOn = [](const State &state) { return abs(state.first - state.second) > 1e-12; };
  auto next = [&](const State &state) { return State(0.5 * (state.first + x / state.first), state.first); };
  return while_loop(goesOn, next, State(x, x + 1), {.max_iterations = 30}).first;
}

TEST(BoundedLoop, HasTheDerivativeOfItsRounds) {
  const Array x = full({}, 2, f64);
  const double slope = 0.5 / std::sqrt(2.0);
  EXPECT_NEAR(rootOf(x).item<double>(), std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(grad(rootOf)(x).item<double>(), slope, 1e-14);
  EXPECT_NEAR(jit(grad(rootOf))(x).item<double>(), slope, 1e-14);
  EXPECT_NEAR(grad(jit(rootOf))(x).item<double>(), slope, 1e-14);
  EXPECT_NEAR(jvp(rootOf, x, ones({}, f64)).second.item<double>(), slope, 1e-14);
  EXPECT_NEAR(grad(grad(rootOf))(x).item<double>(), -0.25 / std::pow(2.0, 1.5), 1e-13);
  const Doubles all = vmap(grad(rootOf))(astype(Array{1, 4, 100}, f64)).to_vector<double>();
  EXPECT_NEAR(all[0], 0.5, 1e-14);
  EXPECT_NEAR(all[1], 0.25, 1e-14);
  EXPECT_NEAR(all[2], 0.05, 1e-14);
}

TEST(BoundedLoop, StopsAtItsConditionOrItsBound) {
  auto doubled = [](int64_t most) {
    return [most](const Array &x) {
      return while_loop([](const Array &c) { return c < 100; }, [](const Array &c) { return c * 2; }, x,
                        {.max_iterations = most});
    };
  };
  const Array x{1.0f, 30.0f, 200.0f};
  EXPECT_EQ(vmap(doubled(20))(x).to_vector<float>(), (Floats{128, 120, 200}));
  EXPECT_EQ(vmap(doubled(3))(x).to_vector<float>(), (Floats{8, 120, 200}));
  EXPECT_EQ(doubled(0)(Array(1.0f)).item<float>(), 1);
  EXPECT_EQ(vmap(grad(doubled(20)))(x).to_vector<float>(), (Floats{128, 4, 1}));
  EXPECT_EQ(jit(vmap(grad(doubled(3))))(x).to_vector<float>(), (Floats{8, 4, 1}));
  // The body is not entered after the last round: it would fail there.
  int entered = 0;
  const EagerScope plain;
  auto counted = [&](const Array &c) {
    ++entered;
    return c * 2;
  };
  while_loop([](const Array &c) { return c < 10; }, counted, Array(1.0f), {.max_iterations = 50});
  EXPECT_EQ(entered, 4);
}

TEST(BoundedLoop, WithASizeAsBound) {
  auto f = jit(
      [](const Array &xs) {
        return while_loop([](const Array &c) { return c < 6; }, [](const Array &c) { return c + 1; }, sum(xs) * 0,
                          {.max_iterations = xs.shape()[0]});
      },
      {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(f(zeros({4})).item<float>(), 4);
  EXPECT_EQ(f(zeros({9})).item<float>(), 6);
  EXPECT_EQ(f.stats().traces, 1u);
}

TEST(BoundedLoop, Errors) {
  const Array x = 1.0f;
  auto loop = [&](Dim most, auto condition) {
    return errorOf([&] { while_loop(condition, [](const Array &c) { return c * 2; }, x, {.max_iterations = most}); });
  };
  EXPECT_THAT(loop(-1, [](const Array &c) { return c < 9; }),
              HasSubstr("while_loop: expected max_iterations of 0 or more, got -1\n  at "));
  EXPECT_THAT(loop(3, [](const Array &c) { return c; }),
              HasSubstr("while_loop: expected a rank-0 bool as result of the condition, got f32[]"));
  EXPECT_THAT(loop(3, [](const Array &c) { return stack({c < 1, c < 2}); }), HasSubstr("got bool[2]"));
}

} // namespace
