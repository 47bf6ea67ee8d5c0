//===- nn_recurrent_modes_test.cpp - recurrent layers: derivatives, jit, dropout, errors -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/nn.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

bool areEqual(const Array &x, const Array &y) { return array_equal(x, y).item<bool>(); }
Array sequences(int64_t batch = 3, int64_t time = 7, int64_t features = 4) {
  return random::normal(random::key(5), {batch, time, features});
}
Array someMask() {
  return Array{{true, true, false, true, true, false, false},
               {false, false, true, true, false, true, true},
               {true, true, true, true, true, true, true}};
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

template <class L>
void expectSameBits(const L &layer) {
  const Array x = sequences(), mask = someMask();
  layer(x);
  auto loss = [&](const L &model, const Array &v) { return sum(square(model(v, {.mask = mask}))); };
  auto all = [&](const Array &v) {
    auto [value, gradients] = nn::value_and_grad(loss)(layer, v);
    return std::tuple(value, gradients["kernel"], gradients["recurrent_kernel"], gradients["bias"],
                      layer(v, {.mask = mask}));
  };
  auto compiled = jit(all);
  const auto eager = all(x), traced = compiled(x);
  EXPECT_TRUE(areEqual(std::get<0>(eager), std::get<0>(traced)));
  EXPECT_TRUE(areEqual(std::get<1>(eager), std::get<1>(traced)));
  EXPECT_TRUE(areEqual(std::get<2>(eager), std::get<2>(traced)));
  EXPECT_TRUE(areEqual(std::get<3>(eager), std::get<3>(traced)));
  EXPECT_TRUE(areEqual(std::get<4>(eager), std::get<4>(traced)));
}
TEST(NnRecurrentModesTest, EagerAndCompiledHaveTheSameBits) {
  expectSameBits(nn::SimpleRNN{4});
  expectSameBits(nn::LSTM{4, {.return_sequences = true}});
  expectSameBits(nn::GRU{4});
  expectSameBits(nn::GRU{4, {.return_sequences = true, .go_backwards = true, .reset_after = false}});
}

TEST(NnRecurrentModesTest, BuildingUnderJitGivesTheSameWeights) {
  set_seed(3);
  const nn::LSTM eager{4};
  const Array expected = eager(sequences());
  set_seed(3);
  const nn::LSTM traced{4};
  auto compiled = jit(traced);
  EXPECT_TRUE(areEqual(compiled(sequences()), expected));
}

TEST(NnRecurrentModesTest, OneProgramServesAllBatchesAndLengths) {
  const nn::LSTM layer{4, {.return_sequences = true}};
  layer(sequences());
  auto compiled = jit([&](const Array &x) { return layer(x); }, {.specs = {TensorSpec{f32, {"batch", "time", 4}}}});
  for (const int64_t batch : {2, 5})
    EXPECT_TRUE(areEqual(compiled(sequences(batch, batch + 1)), layer(sequences(batch, batch + 1))));
  EXPECT_EQ(compiled.trace_count(), 1);
}

TEST(NnRecurrentModesTest, GradientsAreDifferences) {
  const Array x = sequences(2, 4, 3).astype(f64), mask = Array{{true, true, false, true}, {true, true, true, false}};
  auto check = [&](const auto &layer) {
    layer(x);
    auto loss = [&](const Array &v) { return sum(sin(layer(v, {.mask = mask}))); };
    const Array slope = grad(loss)(x), direction = random::normal(random::key(8), x.shape(), f64);
    const double step = 1e-6;
    const double difference =
        ((loss(x + step * direction) - loss(x - step * direction)) / (2 * step)).template item<double>();
    EXPECT_NEAR(sum(slope * direction).item<double>(), difference, 1e-7);
    const auto [value, gradients] = nn::value_and_grad([&](const auto &, const Array &v) { return loss(v); })(layer, x);
    const Variable kernel = layer.recurrent_kernel();
    const Array before = kernel, turn = random::normal(random::key(9), before.shape());
    const float wide = 1e-2f;
    kernel.assign(before + wide * turn);
    const double above = loss(x).template item<double>();
    kernel.assign(before - wide * turn);
    const double below = loss(x).template item<double>();
    kernel.assign(before);
    EXPECT_NEAR(sum(gradients["recurrent_kernel"] * turn).template item<float>(), (above - below) / (2 * wide), 2e-3);
  };
  check(nn::SimpleRNN{3, {.return_sequences = true}});
  check(nn::LSTM{3, {.return_sequences = true}});
  check(nn::GRU{3});
  check(nn::GRU{3, {.reset_after = false}});
}

TEST(NnRecurrentModesTest, DerivativesEndBeforeTheyAreDenormal) {
  // h shrinks to a half with each step.
  const nn::SimpleRNN layer{1, {.activation = {}, .recurrent_initializer = nn::constant(0.5)}};
  const Array x = ones({1, 300, 1});
  const Array y = layer(x);
  const auto slope = grad([&](const Array &v) { return sum(layer(v)); })(x).to_vector<float>();
  const float first = layer.kernel().value().item<float>();
  for (int back = 0; back < 300; ++back) {
    const float expected = std::ldexp(first, -back), got = slope[static_cast<size_t>(299 - back)];
    if (back < 80)
      EXPECT_EQ(got, expected);
    else if (back > 120)
      EXPECT_EQ(got, 0);
    else
      EXPECT_TRUE(got == 0 || std::isnormal(got));
  }
  // The values keep their bits, small ones included.
  const nn::SimpleRNNState tiny{full({1, 1}, 0x1p-140f)};
  EXPECT_TRUE(areEqual(layer.run(zeros({1, 3, 1}), tiny).state.h, full({1, 1}, 0x1p-143f)));
}

TEST(NnRecurrentModesTest, DerivativesOfSaturatedCellsAreNotDenormal) {
  // tanh has the slope 4e-44 at 50, which the forget gate would hand to the kernel.
  const nn::LSTM layer{1, {.kernel_initializer = nn::zeros(), .unit_forget_bias = false}};
  const Array x = ones({1, 1, 1});
  layer(x);
  const nn::LSTMState state{zeros({1, 1}), full({1, 1}, 100.0f)};
  auto loss = [&](const nn::LSTM &model, const Array &v) { return sum(model.run(v, state).state.h); };
  const auto [value, gradients] = nn::value_and_grad(loss)(layer, x);
  EXPECT_TRUE(areEqual(gradients["kernel"], Array{{0.0f, 0.0f, 0.0f, 0.25f}}));
}

TEST(NnRecurrentModesTest, ForwardModeGoesThroughLayers) {
  const nn::GRU layer{4};
  const Array x = sequences(), direction = random::normal(random::key(8), x.shape());
  layer(x);
  auto loss = [&](const Array &v) { return sum(square(layer(v))); };
  const auto [value, tangent] = jvp(loss, x, direction);
  EXPECT_NEAR(tangent.item<float>(), sum(grad(loss)(x) * direction).item<float>(), 1e-5);
}

TEST(NnRecurrentModesTest, BatchesOfVmapAreBatches) {
  const nn::GRU layer{4};
  const Array x = random::normal(random::key(3), {2, 3, 5, 4});
  const Array y = vmap([&](const Array &v) { return layer(v); })(x);
  EXPECT_TRUE(areEqual(y[1], layer(x[1])));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

TEST(NnRecurrentModesTest, DropoutTakesTheSameFeaturesInAllSteps) {
  // The sum of the inputs so far.
  const nn::SimpleRNN layer{1,
                            {.activation = {},
                             .use_bias = false,
                             .kernel_initializer = nn::ones(),
                             .recurrent_initializer = nn::ones(),
                             .dropout = 0.5,
                             .return_sequences = true}};
  const Array x = ones({200, 3, 1});
  set_seed(1);
  const Array y = layer(x, {.training = true});
  EXPECT_TRUE(areEqual(y[{_, 1}], 2 * y[{_, 0}]));
  EXPECT_TRUE(areEqual(y[{_, 2}], 3 * y[{_, 0}]));
  const Array first = y[{_, 0, 0}];
  EXPECT_TRUE(all((first == 0) || (first == 2)).item<bool>());
  EXPECT_NEAR(mean(first).item<float>(), 1, 0.3);
  EXPECT_TRUE(areEqual(layer(x)[{_, 2, 0}], full({200}, 3.0f)));
  auto compiled = jit([&](const Array &v) { return layer(v, {.training = true}); });
  set_seed(1);
  EXPECT_TRUE(areEqual(compiled(x), y));
  EXPECT_FALSE(areEqual(compiled(x), y));
}

TEST(NnRecurrentModesTest, RecurrentDropoutLeavesTheCarriedStateOfAGRU) {
  // With an update gate that is open for the old state, h stays whatever is dropped in the products.
  const nn::GRU layer{4, {.bias_initializer = nn::constant(30), .recurrent_dropout = 0.5}};
  const nn::GRUState state{random::normal(random::key(2), {3, 4})};
  const auto [outputs, last] = layer.run(sequences(), state, {.training = true});
  EXPECT_TRUE(allclose(last.h, state.h, 1e-5).item<bool>());
}

TEST(NnRecurrentModesTest, ASeedIsAKeyOfTheLayersOwn) {
  const nn::LSTM one{4, {.dropout = 0.5, .recurrent_dropout = 0.5, .seed = 7}}, other = nn::clone(one);
  one(sequences()), other(sequences());
  nn::copy_weights(one, other);
  const nn::TrainingScope training;
  const Array first = one(sequences());
  EXPECT_TRUE(areEqual(first, other(sequences())));
  EXPECT_FALSE(areEqual(one(sequences()), first));
  EXPECT_EQ(nn::trainable_variables(one).size(), 3u);
  EXPECT_EQ(nn::variables(one).size(), 4u);
}

//===----------------------------------------------------------------------===//
// Dtypes and bad input
//===----------------------------------------------------------------------===//

TEST(NnRecurrentModesTest, WideInputsGiveWideStates) {
  const nn::LSTM layer{3};
  EXPECT_EQ(layer(sequences().astype(f64)).dtype(), f64);
  EXPECT_EQ(layer(sequences().astype(bf16)).dtype(), f32);
  EXPECT_EQ(layer.run(sequences().astype(f64), layer.initial_state(3)).state.c.dtype(), f64);
}

TEST(NnRecurrentModesTest, ErrorsNameTheLayersPath) {
  struct Net {
    nn::LSTM lstm{4};
  } const net;
  nn::variables(net);
  const Array x = sequences();
  EXPECT_EQ(messageOf([&] { net.lstm(ones({2, 3})); }), "lstm: expected 3 axes (batch, time, features), got (2, 3)");
  net.lstm(x);
  EXPECT_THAT(messageOf([&] { net.lstm(ones({2, 3, 5})); }), HasSubstr("lstm: expected 4 features"));
  EXPECT_EQ(messageOf([&] { net.lstm(x, {.mask = ones({3, 7})}); }),
            "lstm: expected a mask of bools of shape (batch, time), (3, 7), got f32 of shape (3, 7)");
  EXPECT_EQ(messageOf([&] { net.lstm(x, {.mask = ones({7}, bool_)}); }),
            "lstm: expected a mask of bools of shape (batch, time), (3, 7), got bool of shape (7,)");
  EXPECT_EQ(messageOf([&] { net.lstm.run(x, net.lstm.initial_state(2)); }),
            "lstm: expected a state of shape (3, 4), got (2, 4)");
  EXPECT_THAT(messageOf([&] { net.lstm.run(x, {}); }), HasSubstr("lstm: expected a state, got an empty Array"));
  EXPECT_EQ(messageOf([&] { net.lstm.step(x, net.lstm.initial_state(3)); }),
            "lstm: expected one step, 2 axes (batch, features), got (3, 7, 4)");
  EXPECT_EQ(messageOf([] { nn::LSTM{0}; }), "LSTM: expected units >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::GRU{3, {.recurrent_dropout = 1}}; }),
            "GRU: expected a recurrent_dropout in [0, 1), got 1");
}

} // namespace
