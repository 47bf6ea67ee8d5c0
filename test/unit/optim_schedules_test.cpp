//===- optim_schedules_test.cpp - schedules, chains, gradients by path -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/optim.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Floats = std::vector<float>;

/// Compares a schedule with a formula at steps 0 to 249, eagerly and jitted.
void expectValues(const optim::Schedule &schedule, const std::function<double(double)> &formula) {
  auto jitted = jit([&](const Array &step) { return schedule(step); });
  for (int64_t step = 0; step < 250; ++step) {
    const double want = formula(double(step)), got = schedule(step).astype(f64).item<double>();
    EXPECT_NEAR(got, want, 1e-14 * std::max(1.0, std::abs(want))) << "step " << step;
    EXPECT_EQ(jitted(Array(Scalar(step), i64)).astype(f64).item<double>(), got) << "step " << step;
  }
}
double halfCosine(double x) { return 0.5 * (1 + std::cos(std::numbers::pi * x)); }

TEST(Schedules, AreTheirFormulas) {
  using namespace tenon::optim;
  expectValues(optim::constant(0.1), [](double) { return 0.1; });
  expectValues(piecewise_constant({10, 100}, {3, 2, 1}), [](double s) { return s <= 10 ? 3 : s <= 100 ? 2 : 1; });
  expectValues(exponential_decay(0.1, 30, 0.5), [](double s) { return 0.1 * std::pow(0.5, s / 30); });
  expectValues(exponential_decay(0.1, 30, 0.5, {.staircase = true}),
               [](double s) { return 0.1 * std::pow(0.5, std::floor(s / 30)); });
  expectValues(inverse_time_decay(0.1, 30, 0.5), [](double s) { return 0.1 / (1 + 0.5 * s / 30); });
  expectValues(inverse_time_decay(0.1, 30, 0.5, {.staircase = true}),
               [](double s) { return 0.1 / (1 + 0.5 * std::floor(s / 30)); });
  expectValues(polynomial_decay(0.1, 100, {.end = 0.01, .power = 2}),
               [](double s) { return 0.09 * std::pow(1 - std::min(s, 100.0) / 100, 2) + 0.01; });
  expectValues(polynomial_decay(0.1, 100, {.end = 0.01, .cycle = true}),
               [](double s) { return 0.09 * (1 - s / (100 * std::max(1.0, std::ceil(s / 100)))) + 0.01; });
  expectValues(cosine_decay(0.1, 100), [](double s) { return 0.1 * halfCosine(std::min(s, 100.0) / 100); });
  expectValues(cosine_decay(0.1, 100, {.warmup_steps = 20, .alpha = 0.1, .warmup_from = 0.02}), [](double s) {
    return s < 20 ? 0.02 + 0.08 * s / 20 : 0.1 * (0.9 * halfCosine(std::min(s - 20, 100.0) / 100) + 0.1);
  });
  expectValues(one_cycle(1, 200), [](double s) {
    const double first = 1.0 / 25, last = first / 1e4, top = 59, end = 199;
    s = std::min(s, end);
    return s <= top ? 1 + (first - 1) * halfCosine(s / top) : last + (1 - last) * halfCosine((s - top) / (end - top));
  });
}

TEST(Schedules, CosineRestartsAtTheStartOfEachPeriod) {
  using namespace tenon::optim;
  for (const double grows : {1.0, 2.0, 3.0, 10.0})
    expectValues(cosine_decay_restarts(0.1, 2, {.t_mul = grows, .m_mul = 0.5, .alpha = 0.1}), [&](double s) {
      double start = 0, length = 2, height = 1;
      while (s >= start + length) {
        start += length;
        length *= grows;
        height *= 0.5;
      }
      return 0.1 * (0.9 * height * halfCosine((s - start) / length) + 0.1);
    });
  expectValues(cosine_decay_restarts(0.1, 50, {.t_mul = 1, .warmup_steps = 10}),
               [](double s) { return s < 10 ? 0.1 * s / 10 : 0.1 * halfCosine(std::fmod(s - 10, 50) / 50); });
}

TEST(Schedules, SetTheLearningRateOfEachStep) {
  const Variable w{Array{0.0f}, "w"};
  const optim::SGD optimizer{[](const Array &step) { return 1 / (step.astype(f32) + 1); }};
  auto step = jit([&](const Array &g) {
    optimizer.apply_gradients({g}, {w});
    return w * 1;
  });
  EXPECT_EQ(optimizer.learning_rate().value().item<double>(), 1);
  Floats seen;
  for (int i = 0; i < 3; ++i)
    seen.push_back(step(Array{-1.0f}).item<float>());
  EXPECT_EQ(seen, (Floats{1, 1.5f, 1.5f + 1.0f / 3}));
  EXPECT_FLOAT_EQ(static_cast<float>(optimizer.learning_rate().value().item<double>()), 1.0f / 3);
  EXPECT_EQ(step.trace_count(), 1u);
}

TEST(Schedules, RefuseBadNumbers) {
  using namespace tenon::optim;
  EXPECT_THAT(errorOf([] { (void)cosine_decay(1, 0); }), HasSubstr("cosine_decay: expected decay_steps >= 1, got 0\n"));
  EXPECT_THAT(errorOf([] { (void)piecewise_constant({1}, {1}); }), HasSubstr("one value more than the 1 boundaries"));
  EXPECT_THAT(errorOf([] { (void)piecewise_constant({2, 1}, {1, 1, 1}); }), HasSubstr("got 2 before 1"));
  EXPECT_THAT(errorOf([] { (void)one_cycle(1, 10, {.pct_start = 1}); }), HasSubstr("one_cycle: expected a pct_start"));
  EXPECT_THAT(errorOf([] { (void)Schedule()(0); }), HasSubstr("Schedule: expected a schedule, got an empty one"));
  EXPECT_THAT(errorOf([] { (void)optim::constant(1)(0.5); }),
              HasSubstr("expected a step that is an integer of rank 0"));
  EXPECT_THAT(errorOf([] { (void)Schedule([](const Array &step) { return step; })(1); }),
              HasSubstr("expected a function that returns a floating array of rank 0, got int64()"));
}

TEST(Transforms, ChainKeepsTheStateOfEachPart) {
  const optim::Transform both = optim::chain(optim::trace(0.5), optim::trace(0.25), optim::scale(2));
  const NamedArrays params{{"a.b", Array{1.0f}}, {"a", Array{2.0f}}};
  NamedArrays state = both.init(params);
  std::vector<std::string> names, parameters;
  for (const auto &[name, array] : state)
    names.push_back(name);
  for (const optim::Hyperparameter &one : both.hyperparameters)
    parameters.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("0.momentum.a", "0.momentum.a.b", "1.momentum.a", "1.momentum.a.b"));
  EXPECT_THAT(parameters, ElementsAre("momentum", "momentum_1", "scale"));
  NamedArrays updates{{"a", Array{1.0f}}, {"a.b", Array{3.0f}}};
  both.update(updates, state, params);
  both.update(updates = {{"a", Array{1.0f}}}, state, params);
  EXPECT_EQ(updates.at("a").item<float>(), 2 * (1.5f + 0.25f));
  EXPECT_EQ(state.at("1.momentum.a.b").item<float>(), 3);
}

TEST(Transforms, AccumulateWithinAChain) {
  const optim::Transform mean = optim::accumulate(2, optim::chain(optim::trace(0.5), optim::scale(10)));
  const NamedArrays params{{"a", Array{1.0f}}};
  NamedArrays state = mean.init(params), updates;
  Floats seen;
  for (const float g : {1.0f, 3.0f, 5.0f, 7.0f}) {
    mean.update(updates = {{"a", Array{g}}}, state, params);
    seen.push_back(updates.at("a").item<float>());
  }
  EXPECT_EQ(seen, (Floats{0, 20, 0, 70}));
}

TEST(Transforms, DecayLeavesExcludedPathsAlone) {
  const optim::Transform decay = optim::add_decayed_weights(0.5, {.exclude = {"bias", "norm"}});
  const NamedArrays params{{"dense.bias", Array{2.0f}}, {"dense.kernel", Array{4.0f}}, {"norm.scale", Array{8.0f}}};
  NamedArrays state, updates = params;
  decay.update(updates, state, params);
  EXPECT_EQ(updates.at("dense.bias").item<float>(), 2);
  EXPECT_EQ(updates.at("dense.kernel").item<float>(), 6);
  EXPECT_EQ(updates.at("norm.scale").item<float>(), 8);
}

TEST(GradientsByPath, AreAddedScaledAndClipped) {
  const Variable w{Array{1.0f, 2.0f}, "w"}, b{Array{1.0f}, "b"};
  const nn::Gradients one({{"layer.w", w, Array{3.0f, 0.0f}}, {"layer.b", b, Array{4.0f}}});
  const nn::Gradients half({{"layer.w", w, Array{1.0f, 1.0f}}, {"layer.b", b, Array()}});
  EXPECT_THAT(one.paths(), ElementsAre("layer.w", "layer.b"));
  EXPECT_EQ(nn::global_norm(one).item<float>(), 5);
  EXPECT_EQ((one + half)["layer.w"].to_vector<float>(), (Floats{4, 1}));
  EXPECT_EQ((half + one)["layer.b"].to_vector<float>(), (Floats{4}));
  EXPECT_EQ((one * 2)["layer.w"].to_vector<float>(), (Floats{6, 0}));
  EXPECT_EQ((Array(0.5f) * one / 2)["layer.b"].to_vector<float>(), (Floats{1}));
  EXPECT_EQ(nn::clip_by_global_norm(one, 2.5)["layer.w"].to_vector<float>(), (Floats{1.5, 0}));
  EXPECT_EQ(nn::clip_by_global_norm(one, 5)["layer.w"].to_vector<float>(), (Floats{3, 0}));
  const nn::Gradients infinite = one * std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(nn::clip_by_global_norm(infinite, 1)["layer.b"].item<float>()));
  EXPECT_EQ(nn::global_norm(nn::Gradients()).item<float>(), 0);
  auto clipped = jit([](const nn::Gradients &gradients) { return nn::clip_by_global_norm(gradients, 2.5); })(one);
  EXPECT_EQ(clipped["layer.w"].to_vector<float>(), (Floats{1.5, 0}));

  EXPECT_THAT(errorOf([&] { (void)one["w"]; }),
              HasSubstr("Gradients: expected a path among 'layer.w', 'layer.b', got 'w'\n  at "));
  EXPECT_THAT(errorOf([&] { (void)(one + nn::Gradients()); }), HasSubstr("of the same Variables in the same order"));
  EXPECT_THAT(errorOf([&] { (void)(one * Array{1.0f, 2.0f}); }),
              HasSubstr("an array of rank 0, got one of shape (2,)"));
  EXPECT_THAT(errorOf([&] { nn::Gradients({{"w", w, Array{1.0f}}}); }),
              HasSubstr("expected a gradient of shape (2,), got (1,)\n  variable: 'w'"));
  EXPECT_THAT(errorOf([&] { nn::Gradients({{"w", w, Array()}, {"w", b, Array()}}); }), HasSubstr("each path once"));
  EXPECT_THAT(errorOf([&] { nn::Gradients({{"w", w, Array()}, {"v", w, Array()}}); }), HasSubstr("each Variable once"));
  EXPECT_THAT(errorOf([&] { (void)nn::clip_by_global_norm(one, 0); }), HasSubstr("expected norm > 0, got 0"));
}

TEST(GradientsByPath, OfNarrowFloatsAreSummedInF32) {
  const Variable w{full({1000}, 1).astype(f16), "w"};
  const nn::Gradients gradients({{"w", w, full({1000}, 100).astype(f16)}});
  EXPECT_FLOAT_EQ(nn::global_norm(gradients).item<float>(), 100 * std::sqrt(1000.0f));
  EXPECT_EQ(nn::global_norm(gradients).dtype(), f32);
  EXPECT_EQ(nn::clip_by_global_norm(gradients, 1)["w"].dtype(), f16);
}

TEST(Accumulation, MovesAveragesWithUpdatesAlone) {
  const Variable w{Array{1.0f}, "w"}, large{Array{1.0f}, "w"};
  const optim::SGD small{0.125, {.ema_momentum = 0.5, .ema_overwrite_frequency = 3, .gradient_accumulation_steps = 3}};
  const optim::SGD whole{0.125, {.ema_momentum = 0.5, .ema_overwrite_frequency = 3}};
  const auto step = jit([&](const Array &g) { small.apply_gradients({g}, {w}); });
  for (int i = 0; i < 5; ++i) {
    for (const float g : {1.0f, 2.0f, 3.0f})
      i % 2 ? small.apply_gradients({Array{g}}, {w}) : step(Array{g});
    whole.apply_gradients({Array{2.0f}}, {large});
    EXPECT_EQ(w.value().item<float>(), large.value().item<float>()) << i;
    EXPECT_EQ(small.slot("average", w).item<float>(), whole.slot("average", large).item<float>()) << i;
  }
}

} // namespace
