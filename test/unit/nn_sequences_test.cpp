//===- nn_sequences_test.cpp - layers around recurrent layers, and cells ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/nn.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

bool areEqual(const Array &x, const Array &y) { return array_equal(x, y).item<bool>(); }
Array sequences() { return random::normal(random::key(5), {3, 7, 4}); }
void expectNear(const Array &x, const Array &expected) {
  EXPECT_EQ(x.shape(), expected.shape());
  EXPECT_LT(max(abs(x.astype(f64) - expected)).item<double>(), 2e-6);
}
Array someMask() {
  return Array{{true, true, false, true, true, false, false},
               {false, false, true, true, false, true, true},
               {true, true, true, true, true, true, true}};
}

//===----------------------------------------------------------------------===//
// Layers around layers
//===----------------------------------------------------------------------===//

TEST(NnSequencesTest, BidirectionalJoinsBothDirections) {
  const Array x = sequences(), mask = someMask();
  const nn::Bidirectional layer{nn::LSTM{4, {.return_sequences = true}}};
  const Array y = layer(x, {.mask = mask});
  ASSERT_EQ(y.shape(), Shape({3, 7, 8}));
  EXPECT_FALSE(areEqual(layer.forward().kernel(), layer.backward().kernel()));
  EXPECT_TRUE(areEqual(y[{_, _, slice(0, 4)}], layer.forward()(x, {.mask = mask})));
  EXPECT_TRUE(areEqual(flip(y[{_, _, slice(4, 8)}], 1), layer.backward()(flip(x, 1), {.mask = flip(mask, 1)})));
  const auto [outputs, state] = layer.run(x, layer.initial_state(3), {.mask = mask});
  EXPECT_TRUE(areEqual(outputs, y));
  EXPECT_TRUE(areEqual(state.second.h, y[{_, 0, slice(4, 8)}]));
  std::vector<std::string> names;
  for (const Variable &one : nn::variables(layer))
    names.push_back(one.name());
  EXPECT_THAT(names, ::testing::ElementsAre("forward.kernel", "forward.recurrent_kernel", "forward.bias",
                                            "backward.kernel", "backward.recurrent_kernel", "backward.bias"));
  auto compiled = jit([&](const Array &v) { return layer(v, {.mask = mask}); });
  EXPECT_TRUE(areEqual(compiled(x), y));
}

TEST(NnSequencesTest, BidirectionalMergesLastOutputs) {
  const Array x = sequences();
  auto parts = [&](nn::MergeMode mode) {
    const nn::Bidirectional layer{nn::GRU{4}, {.merge_mode = mode}};
    const Array y = layer(x);
    return std::tuple(y, layer.forward()(x), layer.backward()(flip(x, 1)));
  };
  const auto [sum, a, b] = parts(nn::MergeMode::sum);
  EXPECT_TRUE(areEqual(sum, a + b));
  const auto [product, c, d] = parts(nn::MergeMode::mul);
  EXPECT_TRUE(areEqual(product, c * d));
  const auto [mean, e, f] = parts(nn::MergeMode::ave);
  EXPECT_TRUE(areEqual(mean, (e + f) / 2));
  const auto [joined, g, h] = parts(nn::MergeMode::concat);
  EXPECT_TRUE(areEqual(joined, concatenate({g, h}, -1)));
}

TEST(NnSequencesTest, TimeDistributedCallsALayerWithEachStep) {
  const nn::TimeDistributed layer{nn::Sequential{nn::Conv2D{3, 3}, nn::Flatten()}};
  const Array x = random::normal(random::key(1), {2, 4, 6, 6, 1});
  const Array y = layer(x);
  ASSERT_EQ(y.shape(), Shape({2, 4, 48}));
  const nn::Dense dense{3};
  EXPECT_TRUE(areEqual(nn::TimeDistributed{dense}(sequences()), dense(sequences())));
  EXPECT_EQ(nn::variables(layer)[0].name(), "layer.layers[0].kernel");
}

TEST(NnSequencesTest, StackedLayersLearnAndHavePaths) {
  const nn::Sequential model{nn::Embedding{10, 4}, nn::LSTM{5, {.return_sequences = true}}, nn::GRU{6}, nn::Dense{1}};
  const Array words = random::randint(random::key(1), {3, 7}, 0, 10);
  EXPECT_EQ(model(words).shape(), Shape({3, 1}));
  EXPECT_EQ(nn::variables(model)[1].name(), "layers[1].kernel");
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// h = 0.5 h + dense(x); the output is 2 h.
struct Leaky {
  nn::Dense dense{2};
  Array initial_state(Dim batch) const { return zeros({batch, 2}); }
  std::pair<Array, Array> operator()(const Array &x, const Array &h) const {
    Array next = 0.5 * h + dense(x);
    return {2 * next, next};
  }
};

TEST(NnSequencesTest, RNNLoopsACell) {
  const nn::RNN layer{nn::LSTMCell{5}, {.return_sequences = true}};
  const nn::LSTM whole{5, {.return_sequences = true}};
  const Array x = sequences(), mask = someMask();
  layer(x), whole(x);
  const auto from = nn::variables(layer);
  const auto to = nn::variables(whole);
  for (size_t i = 0; i < to.size(); ++i)
    to[i].assign(from[i].value());
  EXPECT_EQ(from[0].name(), "cell.kernel");
  expectNear(layer(x), whole(x).astype(f64));
  expectNear(layer(x, {.mask = mask}), whole(x, {.mask = mask}).astype(f64));
  auto compiled = jit([&](const Array &v) { return layer(v, {.mask = mask}); });
  EXPECT_TRUE(areEqual(compiled(x), layer(x, {.mask = mask})));
  const auto [outputs, state] = layer.run(x, layer.initial_state(3));
  EXPECT_TRUE(areEqual(outputs, layer(x)));
  EXPECT_TRUE(areEqual(outputs[{_, -1}], state.h));
}

TEST(NnSequencesTest, RNNTakesCellsOfOnesOwnAndStacks) {
  const nn::RNN own{Leaky(), {.return_sequences = true}};
  const Array x = sequences();
  const Array y = own(x);
  Array h = zeros({3, 2});
  for (int t = 0; t < 7; ++t) {
    h = 0.5 * h + own.cell().dense(x[{_, t}]);
    EXPECT_TRUE(allclose(y[{_, t}], 2 * h, 1e-5, 1e-6).item<bool>());
  }
  const nn::RNN backwards{Leaky(), {.go_backwards = true}};
  EXPECT_EQ(backwards(x).shape(), Shape({3, 2}));
  const nn::RNN stack{nn::StackedRNNCells{nn::GRUCell{4}, nn::LSTMCell{5}, Leaky()}};
  EXPECT_EQ(stack(x).shape(), Shape({3, 2}));
  EXPECT_EQ(nn::variables(stack).front().name(), "cell.cells[0].kernel");
  EXPECT_EQ(nn::variables(stack).size(), 8u);
}

TEST(NnSequencesTest, BidirectionalStatesDoNotDependOnThePlaceOfPadding) {
  // keras-team/keras#4192 and #17596.
  const nn::Bidirectional layer{nn::SimpleRNN{4}};
  const Array x = sequences(), padding = full({3, 2, 4}, 7.0f);
  const Array y = layer(x);
  const Array at = arange(9);
  auto of = [&](const std::vector<Array> &parts, const Array &mask) {
    return layer(concatenate(parts, 1), {.mask = broadcast_to(mask, {3, 9})});
  };
  EXPECT_TRUE(areEqual(of({x, padding}, at < 7), y));
  EXPECT_TRUE(areEqual(of({padding, x}, at >= 2), y));
  EXPECT_TRUE(areEqual(of({x[{_, slice(0, 3)}], padding, x[{_, slice(3, none)}]}, (at < 3) || (at >= 5)), y));
}

TEST(NnSequencesTest, TimeDistributedHandsInnerMasksOn) {
  // keras-team/keras#13176 and #22037.
  const nn::TimeDistributed layer{nn::GRU{3}};
  const Array x = random::normal(random::key(1), {2, 3, 5, 4}),
              mask = random::bernoulli(random::key(2), 0.6, {2, 3, 5});
  const Array y = layer(x, {.mask = mask});
  ASSERT_EQ(y.shape(), Shape({2, 3, 3}));
  for (int step = 0; step < 3; ++step)
    EXPECT_TRUE(areEqual(y[{_, step}], layer.layer()(x[{_, step}], {.mask = mask[{_, step}]})));
  const nn::TimeDistributed dense{nn::Dense{5}};
  EXPECT_EQ(
      messageOf([&] { dense(zeros({4, 5, 3}), {.mask = ones({4, 6}, bool_)}); }),
      "TimeDistributed: expected a mask of bools whose first axes are (batch, time), those of (4, 5, 3), got bool "
      "of shape (4, 6)");
  EXPECT_EQ(messageOf([&] { dense(ones({3})); }), "TimeDistributed: expected axes (batch, time, ...), got (3,)");
}

TEST(NnSequencesTest, LayersWithoutMasksRefuseThem) {
  const nn::Sequential model{nn::LSTM{4}, nn::Dense{2}};
  EXPECT_EQ(messageOf([&] { model(sequences(), {.mask = someMask()}); }),
            "Sequential: expected no mask, which recurrent layers, Bidirectional, TimeDistributed and RNN alone take");
}

TEST(NnSequencesTest, CellsRefuseDropout) {
  // tensorflow/tensorflow#32543: a layer and the loop of its cell must not differ in silence.
  EXPECT_THAT(messageOf([] { nn::GRUCell{4, {.dropout = 0.5}}; }), HasSubstr("cell: expected no dropout"));
}

} // namespace
