//===- nn_policy_test.cpp - mixed precision and loss scaling ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/learning.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

struct Net {
  nn::Dense hidden{8, {.activation = relu}};
  nn::BatchNorm norm;
  nn::Dense logits = nn::with_policy({}, nn::Dense{3});
  Array operator()(const Array &x) const { return logits(norm(hidden(x))); }
};
template <class M>
M made(const nn::Policy &policy) {
  const nn::PolicyScope scope(policy);
  return M();
}
Array inputs() { return random::normal(random::key(1), {16, 4}); }

TEST(NnPolicy, LayersComputeInTheComputeDtype) {
  const Net net = made<Net>(nn::mixed_bfloat16);
  EXPECT_EQ(net.hidden(inputs()).dtype(), bf16);
  EXPECT_EQ(net.norm(net.hidden(inputs())).dtype(), bf16);
  EXPECT_EQ(net(inputs()).dtype(), f32);
  for (const Variable &variable : nn::variables(net))
    EXPECT_EQ(variable.dtype(), f32) << variable.name();
  EXPECT_EQ(nn::policy(), nn::Policy());
  EXPECT_EQ(Net().hidden.policy(), nn::Policy());
}

TEST(NnPolicy, ADenseIsThatOfRoundedOperands) {
  const nn::Dense dense = [] {
    const nn::PolicyScope scope(nn::mixed_float16);
    return nn::Dense(8);
  }();
  const Array y = dense(inputs());
  const Array expected =
      matmul(inputs().astype(f16), dense.kernel().value().astype(f16)) + dense.bias().value().astype(f16);
  EXPECT_EQ(y.dtype(), f16);
  EXPECT_TRUE(all(y == expected).item<bool>());
}

TEST(NnPolicy, GradientsAreThoseOfTheWeights) {
  const Net net = made<Net>(nn::mixed_bfloat16);
  auto loss_of = [](const Net &n, const Array &x) { return mean(square(n(x))); };
  auto [loss, gradients] = nn::value_and_grad(loss_of, {.training = false})(net, inputs());
  EXPECT_EQ(loss.dtype(), f32);
  EXPECT_EQ(gradients.size(), 6u);
  for (const auto &entry : gradients.entries()) {
    ASSERT_TRUE(entry.gradient.has_value()) << entry.path;
    EXPECT_EQ(entry.gradient.dtype(), f32) << entry.path;
  }
  auto jitted = jit([&](const Array &x) { return nn::value_and_grad(loss_of, {.training = false})(net, x).second; });
  const nn::Gradients compiled = jitted(inputs());
  for (const auto &entry : gradients.entries())
    EXPECT_TRUE(all(entry.gradient == compiled[entry.path]).item<bool>()) << entry.path;
}

TEST(NnPolicy, ContainersLeaveTheDtypesToTheirLayers) {
  const nn::Sequential model = [] {
    const nn::PolicyScope scope(nn::mixed_bfloat16);
    return nn::Sequential(nn::Dense(4), nn::with_policy({}, nn::Dense(2)));
  }();
  EXPECT_EQ(model(inputs()).dtype(), f32);
}

TEST(NnPolicy, VariablesHaveTheVariableDtype) {
  const nn::PolicyScope scope({.compute = f64, .variable = f64});
  const nn::Dense dense(4, {.input_shape = {4}});
  EXPECT_EQ(dense(inputs()).dtype(), f64);
  EXPECT_EQ(dense.kernel().dtype(), f64);
}

TEST(NnPolicy, StatelessCallsCastTheParameters) {
  const Net net = made<Net>(nn::mixed_bfloat16);
  const nn::Params p = nn::init(net, random::key(0), inputs());
  EXPECT_EQ(p.weights.at("hidden.kernel").dtype(), f32);
  auto loss = [&](const NamedArrays &weights) {
    nn::Params all = p;
    all.weights = weights;
    return mean(square(nn::stateless_call(net, all, inputs()).first));
  };
  const NamedArrays gradients = grad(loss)(p.weights);
  EXPECT_EQ(gradients.at("hidden.kernel").dtype(), f32);
  nn::assign_params(net, p);
  auto [value, taped] = nn::value_and_grad([](const Net &n, const Array &x) { return mean(square(n(x))); },
                                           {.training = false})(net, inputs());
  EXPECT_TRUE(all(gradients.at("hidden.kernel") == taped["hidden.kernel"]).item<bool>());
}

TEST(NnPolicy, RefusesDtypesThatAreNotFloating) {
  EXPECT_THAT(errorOf([] { const nn::PolicyScope scope({.compute = i32}); }), HasSubstr("floating"));
}

struct Images {
  nn::Conv2D conv1{16, {3, 3}, {.padding = same, .activation = relu}};
  nn::MaxPooling2D pool{2};
  nn::Conv2D conv2{32, {3, 3}, {.padding = same, .activation = relu}};
  nn::Flatten flatten;
  nn::Dense logits = nn::with_policy({}, nn::Dense{10});
  Array operator()(const Array &x) const { return logits(flatten(conv2(pool(conv1(expand_dims(x, -1)))))); }
};

/// The accuracy on the digits' test images after some epochs.
double accuracyOf(const nn::Policy &policy, const optim::Optimizer &optimizer) {
  set_seed(1);
  const Images net = made<Images>(policy);
  const auto [training, test] = datasets::digits();
  const losses::SparseCategoricalCrossentropy loss{.from_logits = true};
  train::fit(net, training.images, training.labels,
             {.optimizer = optimizer, .loss = loss, .batch_size = 64, .epochs = 20, .verbose = 0});
  const Array guesses = argmax(net(test.images), -1);
  return mean((guesses == test.labels.astype(guesses.dtype())).astype(f32)).item<float>();
}

TEST(NnPolicy, Bfloat16LearnsAsWellAsFloat32) {
  const double full = accuracyOf({}, optim::Adam(3e-3)), half = accuracyOf(nn::mixed_bfloat16, optim::Adam(3e-3));
  RecordProperty("full", std::to_string(full));
  RecordProperty("half", std::to_string(half));
  EXPECT_GT(full, 0.97);
  EXPECT_GT(half, full - 0.003);
}

TEST(NnPolicy, Float16LearnsWithALossScale) {
  const double half = accuracyOf(nn::mixed_float16, optim::LossScaleOptimizer(optim::Adam(3e-3)));
  EXPECT_GT(half, 0.97);
}

//===----------------------------------------------------------------------===//
// Loss scaling
//===----------------------------------------------------------------------===//

TEST(LossScale, AStepIsThatOfTheInnerOptimizer) {
  const Variable v{Array(1.0f), "v"}, w{Array(1.0f), "w"};
  const optim::LossScaleOptimizer scaled(optim::Adam(0.1, {.weight_decay = 0.01}));
  const optim::Adam plain(0.1, {.weight_decay = 0.01});
  for (int i = 0; i < 5; ++i) {
    const Array first = scaled.minimize([&] { return square(v - 3.0f); }, {v});
    const Array second = plain.minimize([&] { return square(w - 3.0f); }, {w});
    EXPECT_EQ(first.item<float>(), second.item<float>());
    EXPECT_EQ(v.item<float>(), w.item<float>());
  }
  EXPECT_EQ(scaled.iterations().item<int64_t>(), 5);
  EXPECT_EQ(scaled.learning_rate().item<double>(), 0.1);
  EXPECT_EQ(scaled.loss_scale().item<double>(), 32768);
}

TEST(LossScale, AnOverflowHalvesTheScaleAndSkipsTheStep) {
  for (const bool isJitted : {false, true}) {
    const Variable v{Array(1.0f), "v"};
    const optim::LossScaleOptimizer optimizer(optim::Adam(0.1));
    auto step = [&](const Array &gradient) { optimizer.apply_gradients({gradient}, {v}); };
    auto compiled = jit(step);
    auto run = [&](float gradient) { isJitted ? compiled(Array(gradient)) : step(Array(gradient)); };
    run(32768);
    const float moved = v.item<float>(), momentum = optimizer.slot("momentum", v).item<float>();
    EXPECT_NEAR(moved, 0.9f, 1e-4f);
    for (const float wrong : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
      run(wrong);
    EXPECT_EQ(v.item<float>(), moved);
    EXPECT_EQ(optimizer.slot("momentum", v).item<float>(), momentum);
    EXPECT_EQ(optimizer.iterations().item<int64_t>(), 1);
    EXPECT_EQ(optimizer.loss_scale().item<double>(), 8192);
    run(8192);
    EXPECT_NEAR(v.item<float>(), 0.8f, 1e-4f);
    EXPECT_EQ(optimizer.iterations().item<int64_t>(), 2);
  }
}

TEST(LossScale, GrowsAfterFiniteSteps) {
  const Variable v{Array(1.0f), "v"};
  const optim::LossScaleOptimizer optimizer(optim::SGD(0.1), {.initial_scale = 4, .dynamic_growth_steps = 3});
  std::vector<double> scales;
  for (int i = 0; i < 8; ++i) {
    optimizer.apply_gradients({Array(i == 4 ? INFINITY : 0.0f)}, {v});
    scales.push_back(optimizer.loss_scale().item<double>());
  }
  EXPECT_EQ(scales, (std::vector<double>{4, 4, 8, 8, 4, 4, 4, 8}));
  for (int i = 0; i < 8; ++i)
    optimizer.apply_gradients({Array(INFINITY)}, {v});
  EXPECT_EQ(optimizer.loss_scale().item<double>(), 1);
}

TEST(LossScale, RecoversFromAPlantedOverflow) {
  set_seed(3);
  const Net net = made<Net>(nn::mixed_float16);
  const optim::LossScaleOptimizer optimizer(optim::Adam(0.01), {.initial_scale = 1e30});
  const Array x = inputs(), y = random::normal(random::key(2), {16, 3});
  auto step = jit([&](const Array &given) {
    auto loss_of = [&](const Net &n, const Array &v) {
      const Array loss = mean(square(n(v) - y));
      return std::pair(optimizer.scale_loss(loss), loss);
    };
    auto [value, gradients] = nn::value_and_grad(loss_of)(net, given);
    optimizer.apply_gradients(gradients);
    return value.second;
  });
  const float first = step(x).item<float>();
  for (int i = 0; i < 150; ++i)
    (void)step(x);
  const float before = step(x).item<float>();
  (void)step(full_like(x, 65000)); // overflows in f16
  for (int i = 0; i < 150; ++i)
    (void)step(x);
  const float last = step(x).item<float>();
  EXPECT_LT(before, first);
  EXPECT_LT(last, before);
  EXPECT_LT(optimizer.loss_scale().item<double>(), 1e10);
  EXPECT_GT(optimizer.iterations().item<int64_t>(), 100);
}

TEST(LossScale, RefusesAnOptimizerWithSlots) {
  const Variable v{Array(1.0f), "v"};
  const optim::Adam used(0.1);
  used.build({v});
  EXPECT_THAT(errorOf([&] { optim::LossScaleOptimizer{used}; }), HasSubstr("without slots"));
  EXPECT_THAT(errorOf([] {
                optim::LossScaleOptimizer{
                    static_cast<const optim::Optimizer &>(optim::LossScaleOptimizer{optim::SGD{}})};
              }),
              HasSubstr("does not scale losses itself"));
}

} // namespace
