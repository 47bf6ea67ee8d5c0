//===- nn_regularizers_test.cpp - penalties and constraints of weights -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

#include <tenon/learning.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

double sumOf(const Variable &weight, auto &&f) {
  double total = 0;
  for (const double value : Grid(weight.value()).values)
    total += f(value);
  return total;
}
double squares(const Variable &weight) {
  return sumOf(weight, [](double x) { return x * x; });
}
double magnitudes(const Variable &weight) {
  return sumOf(weight, [](double x) { return std::abs(x); });
}

TEST(NnRegularizers, TheLossIsTheSumOfThePenalties) {
  struct Net {
    nn::Conv1D conv{4, 3, {.kernel_regularizer = nn::l1(0.1)}};
    nn::SeparableConv1D separable{
        4, 3, {.depthwise_regularizer = nn::l2(0.5), .pointwise_regularizer = nn::l1_l2(0.2, 0.3)}};
    nn::GroupNorm norm{2, {.gamma_regularizer = nn::l2(0.25)}};
    nn::Dense dense{3,
                    {.bias_initializer = nn::constant(-2),
                     .kernel_regularizer = [](const Array &w) { return max(w); },
                     .bias_regularizer = nn::l1(1)}};
    nn::Dense plain{2};
    Array operator()(const Array &x) const { return plain(dense(norm(separable(conv(x))))); }
  };
  const Net net;
  EXPECT_EQ(nn::regularization_loss(net).item<float>(), 0); // nothing is built
  (void)net(numbers({2, 9, 3}));
  const double expected = 0.1 * magnitudes(net.conv.kernel()) + 0.5 * squares(net.separable.depthwise_kernel()) +
                          0.2 * magnitudes(net.separable.pointwise_kernel()) +
                          0.3 * squares(net.separable.pointwise_kernel()) + 0.25 * 4 +
                          max(net.dense.kernel()).item<float>() + 6;
  const Array loss = nn::regularization_loss(net);
  EXPECT_EQ(loss.ndim(), 0);
  EXPECT_NEAR(loss.item<float>(), expected, 1e-4);
  auto compiled = jit([&] { return nn::regularization_loss(net); });
  expectBits(compiled(), loss);
  // Clones have the same rules; weights that do not train have no penalty.
  const Net copy = nn::clone(net);
  expectBits(nn::regularization_loss(copy), loss);
  nn::set_trainable(copy.dense, false);
  EXPECT_NEAR(nn::regularization_loss(copy).item<float>(), expected - 6 - max(net.dense.kernel()).item<float>(), 1e-4);
  EXPECT_EQ(nn::regularization_loss(nn::Dense{3}).item<float>(), 0);
}
TEST(NnRegularizers, AWeightSharedByTwoLayersCountsOnce) {
  struct Net {
    nn::Dense first{3, {.kernel_regularizer = nn::l2(1), .input_shape = {3}}};
    nn::Dense second = first;
  };
  const Net net;
  EXPECT_NEAR(nn::regularization_loss(net).item<float>(), squares(net.first.kernel()), 1e-5);
}
TEST(NnRegularizers, DerivativesAreThoseOfThePenalty) {
  const nn::Dense layer{2, {.kernel_regularizer = nn::l1_l2(0.5, 0.25), .input_shape = {3}}};
  const auto [loss, gradients] =
      nn::value_and_grad([](const nn::Dense &model) { return nn::regularization_loss(model); })(layer);
  expectNear(gradients["kernel"], 0.5f * sign(layer.kernel()) + 0.5f * layer.kernel());
}
TEST(NnRegularizers, ConstraintsProject) {
  const Array w{{3.0f, -0.5f, 0.0f}, {4.0f, 0.5f, 0.0f}};
  expectNear(nn::max_norm(2)(w), Array{{1.2f, -0.5f, 0.0f}, {1.6f, 0.5f, 0.0f}});
  expectNear(nn::max_norm(2, 1)(w)[1], w[1] * (2.0f / std::sqrt(16.25f)));
  expectBits(nn::non_neg()(w), maximum(w, 0.0f));
  expectNear(nn::unit_norm()(w), Array{{0.6f, -0.70710678f, 0.0f}, {0.8f, 0.70710678f, 0.0f}});
  const Array kernel = numbers({3, 3, 2, 4});
  expectNear(vector_norm(nn::unit_norm({0, 1, 2})(kernel), {.axis = {0, 1, 2}}), ones({4}));
}
TEST(NnRegularizers, ApplyConstraintsAssignsTrainableWeights) {
  const nn::Dense layer{3,
                        {.kernel_constraint = nn::non_neg(), .bias_constraint = nn::max_norm(1), .input_shape = {4}}};
  layer.bias().assign(full({3}, 7.0f));
  const nn::Dense other = nn::clone(layer), frozen = nn::clone(layer);
  nn::apply_constraints(layer);
  EXPECT_GE(min(layer.kernel()).item<float>(), 0);
  EXPECT_NEAR(squares(layer.bias()), 1, 1e-5);
  auto compiled = jit([&] { nn::apply_constraints(other); });
  compiled();
  expectBits(other.kernel().value(), layer.kernel());
  expectBits(other.bias().value(), layer.bias());
  nn::set_trainable(frozen, false);
  nn::apply_constraints(frozen);
  EXPECT_LT(min(frozen.kernel()).item<float>(), 0);
}
TEST(NnRegularizers, RulesMayBeSetAfterwards) {
  const nn::Dense layer{2, {.input_shape = {3}}};
  auto compiled = jit([&] { return nn::regularization_loss(layer); });
  EXPECT_EQ(compiled().item<float>(), 0);
  nn::set_regularizer(layer.kernel(), nn::l2(2));
  EXPECT_NEAR(compiled().item<float>(), 2 * squares(layer.kernel()), 1e-5);
  nn::set_constraint(layer.bias(), [](const Array &b) { return b * 0 + 3; });
  nn::apply_constraints(layer);
  expectBits(layer.bias().value(), full({2}, 3.0f));
}
TEST(NnRegularizers, ActivityScopesSumThePenaltiesOfResults) {
  const nn::Sequential model{nn::Dense{4, {.activity_regularizer = nn::l2(0.5)}}, nn::ActivityRegularization{0.1}};
  const Array x = numbers({2, 3}), y = model(x);
  auto penalty = [&](const Array &v) {
    const nn::ActivityScope activities;
    (void)model(v);
    return activities.penalty();
  };
  const Array got = penalty(x);
  EXPECT_NEAR(got.item<float>(), 0.5 * sum(square(y)).item<float>() + 0.1 * sum(abs(y)).item<float>(), 1e-5);
  auto compiled = jit(penalty);
  expectBits(compiled(x), got);
  const nn::ActivityScope none_called;
  EXPECT_FALSE(none_called.penalty().has_value());
}
TEST(NnRegularizers, FitAddsPenaltiesAndAppliesConstraints) {
  const Array x = numbers({32, 3}), y = numbers({32, 1}, 2);
  for (const bool isEager : {false, true}) {
    set_seed(1);
    nn::Sequential model{nn::Dense{1,
                                   {.kernel_regularizer = nn::l2(0.5),
                                    .activity_regularizer = nn::l1(0.01),
                                    .kernel_constraint = nn::max_norm(0.1)}}};
    (void)model(x);
    const nn::Sequential before = nn::clone(model);
    model.compile({.optimizer = optim::SGD{0.1}, .loss = losses::MeanSquaredError{}, .run_eagerly = isEager});
    const train::History history = model.fit(x, y, {.batch_size = 32, .epochs = 1, .verbose = 0});
    const Variable kernel = nn::variables(before)[0];
    const Array predicted = before(x);
    const float expected = mean(square(predicted - y)).item<float>() + static_cast<float>(0.5 * squares(kernel)) +
                           0.01f * sum(abs(predicted)).item<float>();
    EXPECT_NEAR(history["loss"][0], expected, 1e-5 * expected);
    EXPECT_LE(std::sqrt(squares(nn::variables(model)[0])), 0.1 + 1e-6);
    const Array now = model(x);
    EXPECT_NEAR(model.evaluate(x, y)["loss"],
                mean(square(now - y)).item<float>() + 0.5 * squares(nn::variables(model)[0]) +
                    0.01f * sum(abs(now)).item<float>(),
                1e-5);
  }
}
TEST(NnRegularizers, ErrorsSayWhatIsExpected) {
  EXPECT_EQ(messageOf([] { nn::l2(-1); }), "l2: expected factor >= 0, got -1");
  EXPECT_EQ(messageOf([] { nn::l1_l2(0, -1); }), "l1_l2: expected l2 >= 0, got -1");
  EXPECT_EQ(messageOf([] { nn::max_norm(-1); }), "max_norm: expected max_value >= 0, got -1");
  const Variable plain(ones({2}), "own");
  EXPECT_EQ(messageOf([&] { nn::set_regularizer(plain, nn::l2()); }),
            "set_regularizer: expected a weight of a layer, got the Variable 'own'");
  const nn::Dense layer{2, {.kernel_regularizer = [](const Array &w) { return w; }, .input_shape = {3}}};
  EXPECT_THAT(messageOf([&] { nn::regularization_loss(layer); }),
              HasSubstr("regularizer of 'kernel': expected a result of shape (), got (3, 2)"));
  const nn::Dense other{2, {.kernel_constraint = [](const Array &w) { return sum(w); }, .input_shape = {3}}};
  EXPECT_THAT(messageOf([&] { nn::apply_constraints(other); }),
              HasSubstr("constraint of 'kernel': expected a result of shape (3, 2), got ()"));
}

} // namespace
