//===- nn_transformer_test.cpp - positions and blocks of transformers ----------------------------------===//
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
void expectNear(const Array &x, const Array &expected, double tolerance = 2e-6) {
  ASSERT_EQ(x.shape(), expected.shape());
  EXPECT_LT(max(abs(x.astype(f64) - expected)).item<double>(), tolerance);
}
Array sequences(int64_t batch = 2, int64_t length = 6, int64_t features = 8, int seed = 5) {
  return random::normal(random::key(static_cast<uint64_t>(seed)), {batch, length, features});
}

const nn::Initializer anyBias = nn::uniform(-0.5, 0.5);

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

TEST(NnTransformerTest, RotaryEmbeddingTurnsPairs) {
  const Array x = random::normal(random::key(3), {2, 5, 3, 6}, f64);
  auto check = [&](bool isInterleaved) {
    const nn::RotaryEmbedding layer{{.max_wavelength = 100, .scaling_factor = 2, .interleaved = isInterleaved}};
    const auto y = layer(x).to_vector<double>(), numbers = x.to_vector<double>();
    for (size_t row = 0; row < 2 * 5 * 3; ++row)
      for (size_t i = 0; i < 3; ++i) {
        const double angle = static_cast<double>(row / 3 % 5) / 2 * std::pow(100, -static_cast<double>(i) / 3);
        const size_t first = row * 6 + (isInterleaved ? 2 * i : i), second = first + (isInterleaved ? 1 : 3);
        EXPECT_NEAR(y[first], numbers[first] * std::cos(angle) - numbers[second] * std::sin(angle), 1e-12);
        EXPECT_NEAR(y[second], numbers[second] * std::cos(angle) + numbers[first] * std::sin(angle), 1e-12);
      }
  };
  check(false);
  check(true);
  const nn::RotaryEmbedding layer, other{{.sequence_axis = 2, .feature_axis = 1}};
  EXPECT_TRUE(areEqual(layer(x[{_, slice(2, 4)}], Array(2)), layer(x)[{_, slice(2, 4)}]));
  EXPECT_TRUE(areEqual(layer(x, Array{0, 1, 2, 3, 4}), layer(x)));
  EXPECT_TRUE(areEqual(transpose(other(transpose(x, {0, 3, 1, 2})), {0, 2, 3, 1}), layer(x)));
}

TEST(NnTransformerTest, RotaryScoresDependOnDistances) {
  const nn::RotaryEmbedding layer;
  const Array q = broadcast_to(random::normal(random::key(1), {64}), {1, 1, 64});
  auto score = [&](int64_t i, int64_t j) { return sum(layer(q, Array(i)) * layer(q, Array(j))).item<float>(); };
  EXPECT_NEAR(score(3, 1), score(12, 10), 1e-4);
  // Far out, too, where angles in f32 have lost their digits.
  EXPECT_NEAR(score(3, 1), score(1000002, 1000000), 1e-4);
}

TEST(NnTransformerTest, PositionsAreAddedToFeatures) {
  const Array x = sequences();
  const nn::PositionEmbedding learned{10};
  learned(x);
  EXPECT_TRUE(areEqual(learned(x), broadcast_to(Array(learned.embeddings()) [slice(0, 6)], { 2, 6, 8 })));
  EXPECT_TRUE(areEqual(learned(x, Array(3))[0], Array(learned.embeddings())[slice(3, 9)]));
  EXPECT_THAT(messageOf([&] { learned(sequences(2, 11)); }),
              HasSubstr("expected a length of up to 10, got an input of shape (2, 11, 8)"));
  const nn::SinePositionEncoding sines;
  const auto y = sines(sequences(1, 6, 7)).to_vector<float>();
  for (int place = 0; place < 6; ++place)
    for (int feature = 0; feature < 7; ++feature) {
      const double angle = place / std::pow(10000, (feature / 2 * 2) / 7.0);
      EXPECT_NEAR(y[static_cast<size_t>(place * 7 + feature)], feature % 2 ? std::cos(angle) : std::sin(angle), 1e-6);
    }
  EXPECT_TRUE(areEqual(sines(x[{_, slice(2, 4)}], Array(2)), sines(x)[{_, slice(2, 4)}]));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

TEST(NnTransformerTest, EncoderNormalizesBehindOrBefore) {
  const Array x = sequences();
  auto product = [](const Array &v, const nn::TransformerEncoder &block, int number) {
    const auto all = nn::variables(block);
    return matmul(v, all[static_cast<size_t>(number)]) + all[static_cast<size_t>(number + 1)];
  };
  for (const bool isFirst : {false, true}) {
    const nn::TransformerEncoder block{
        16, 2, {.activation = gelu, .bias_initializer = anyBias, .normalize_first = isFirst}};
    const Array y = block(x);
    // Variables 0 to 7 are those of the attention, then gamma and beta, two products, gamma and beta.
    nn::MultiHeadAttention attention{2, 4};
    attention(x);
    for (size_t i = 0; i < 8; ++i)
      nn::variables(attention)[i].assign(nn::variables(block)[i].value());
    auto norm = [](const Array &v) { return layer_norm(v, -1, ones({8}), zeros({8}), 1e-5); };
    auto forward = [&](const Array &v) { return product(gelu(product(v, block, 10)), block, 12); };
    Array expected;
    if (isFirst) {
      const Array middle = x + attention(norm(x));
      expected = middle + forward(norm(middle));
    } else {
      const Array middle = norm(x + attention(x));
      expected = norm(middle + forward(middle));
    }
    expectNear(y, expected.astype(f64));
  }
}

TEST(NnTransformerTest, DecoderReadsTheEncoder) {
  const Array x = sequences(), encoded = sequences(2, 4, 8, 6);
  const nn::TransformerDecoder block{16, 2};
  const Array y = block(x, encoded);
  EXPECT_EQ(y.shape(), x.shape());
  const Array mask = broadcast_to(arange(4) < 3, {2, 4});
  const Array changed = where(expand_dims(mask, 2), encoded, 5);
  EXPECT_FALSE(areEqual(block(x, changed), y));
  EXPECT_TRUE(
      areEqual(block(x, changed, {.encoder_padding_mask = mask}), block(x, encoded, {.encoder_padding_mask = mask})));
  EXPECT_EQ(nn::variables(block).size(), 26u);
  EXPECT_EQ(nn::variables(nn::TransformerDecoder{16, 2, {.cross_attention = false}}).size(), 16u);
  EXPECT_THAT(messageOf([&] { block(x); }), HasSubstr("expected an encoder's sequence"));
}

TEST(NnTransformerTest, PaddingDoesNotChangeAnEncoder) {
  const nn::TransformerEncoder block{16, 2};
  const Array x = sequences();
  const Array y = block(x);
  const Array padded = concatenate({x, full({2, 3, 8}, 9.0f)}, 1);
  const Array mask = broadcast_to(arange(9) < 6, {2, 9});
  EXPECT_TRUE(areEqual(block(padded, {.padding_mask = mask})[{_, slice(0, 6)}], y));
}

TEST(NnTransformerTest, EagerAndCompiledHaveTheSameBits) {
  const nn::TransformerEncoder block{16, 2, {.normalize_first = true}};
  const Array x = sequences();
  block(x);
  auto loss = [](const nn::TransformerEncoder &model, const Array &v) { return mean(square(model(v))); };
  auto all = [&](const Array &v) {
    auto [value, gradients] = nn::value_and_grad(loss)(block, v);
    std::vector<Array> list{value, block(v)};
    for (const auto &entry : gradients.entries())
      list.push_back(entry.gradient);
    return list;
  };
  const auto eager = all(x), compiled = jit(all)(x);
  ASSERT_EQ(eager.size(), 18u);
  for (size_t i = 0; i < eager.size(); ++i)
    EXPECT_TRUE(areEqual(eager[i], compiled[i])) << i;
}

} // namespace
