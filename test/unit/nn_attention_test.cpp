//===- nn_attention_test.cpp - attention and transformers, beside plain loops ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/nn.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

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

/// The weights of a layer by path.
class Weights {
public:
  template <class L>
  explicit Weights(const L &layer) {
    for (const Variable &one : nn::variables(layer))
      values_.emplace(one.name(), one.value());
  }
  /// Element of a weight; 0 of one that is not there.
  double at(const std::string &name, std::vector<int64_t> place) const {
    const auto found = values_.find(name);
    if (found == values_.end())
      return 0;
    int64_t index = 0;
    for (size_t axis = 0; axis < place.size(); ++axis)
      index = index * found->second.shape()[static_cast<int>(axis)].value() + place[axis];
    return numbers(name)[static_cast<size_t>(index)];
  }
  const std::vector<double> &numbers(const std::string &name) const {
    auto &known = numbers_[name];
    if (known.empty())
      known = values_.at(name).astype(f64).to_vector<double>();
    return known;
  }

private:
  std::map<std::string, Array> values_;
  mutable std::map<std::string, std::vector<double>> numbers_;
};

struct Sizes {
  int64_t heads, groups, width, values, out;
};
using Sees = std::function<bool(int64_t batch, int64_t head, int64_t query, int64_t key)>;

/// Multi-head attention in doubles, by the formulas of Keras' layer.
Array plain(const Weights &weights, const Sizes &sizes, const Array &query, const Array &value, const Sees &sees) {
  const int64_t batch = query.shape()[0].value(), queries = query.shape()[1].value(), keys = value.shape()[1].value();
  const auto q = query.astype(f64).to_vector<double>(), v = value.astype(f64).to_vector<double>();
  auto project = [&](const std::string &name, const std::vector<double> &x, const Shape &shape, int64_t b, int64_t t,
                     int64_t h, int64_t d) {
    const int64_t features = shape[2].value();
    double sum = weights.at(name + ".bias", {h, d});
    for (int64_t f = 0; f < features; ++f)
      sum +=
          x[static_cast<size_t>((b * shape[1].value() + t) * features + f)] * weights.at(name + ".kernel", {f, h, d});
    return sum;
  };
  std::vector<double> result;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < queries; ++i) {
      std::vector<double> row;
      for (int64_t o = 0; o < sizes.out; ++o)
        row.push_back(weights.at("output.bias", {o}));
      for (int64_t h = 0; h < sizes.heads; ++h) {
        const int64_t group = h / (sizes.heads / sizes.groups);
        std::vector<double> scores;
        double total = 0, largest = -INFINITY;
        for (int64_t j = 0; j < keys; ++j) {
          double score = 0;
          for (int64_t d = 0; d < sizes.width; ++d)
            score += project("query", q, query.shape(), b, i, h, d) * project("key", v, value.shape(), b, j, group, d);
          scores.push_back(sees(b, h, i, j) ? score / std::sqrt(static_cast<double>(sizes.width)) : -INFINITY);
          largest = std::max(largest, scores.back());
        }
        for (double &score : scores)
          total += score = std::isinf(largest) ? 0 : std::exp(score - largest);
        for (int64_t d = 0; d < sizes.values; ++d) {
          double sum = 0;
          for (int64_t j = 0; j < keys && total > 0; ++j)
            sum += scores[static_cast<size_t>(j)] / total * project("value", v, value.shape(), b, j, group, d);
          for (int64_t o = 0; o < sizes.out; ++o)
            row[static_cast<size_t>(o)] += sum * weights.at("output.kernel", {h, d, o});
        }
      }
      result.insert(result.end(), row.begin(), row.end());
    }
  return reshape(Array(result), {batch, queries, sizes.out});
}
bool all(int64_t, int64_t, int64_t, int64_t) { return true; }
bool causal(int64_t, int64_t, int64_t query, int64_t key) { return key <= query; }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const nn::Initializer anyBias = nn::uniform(-0.5, 0.5);

TEST(NnAttentionTest, SelfAttentionIsItsFormula) {
  const nn::MultiHeadAttention layer{2, 3, {.bias_initializer = anyBias}};
  const Array x = sequences();
  const Array y = layer(x), z = layer(x, {.causal = true});
  const Weights weights(layer);
  expectNear(y, plain(weights, {2, 2, 3, 3, 8}, x, x, all));
  expectNear(z, plain(weights, {2, 2, 3, 3, 8}, x, x, causal));
}

TEST(NnAttentionTest, WeightsHaveTheShapesOfKeras) {
  const nn::MultiHeadAttention layer{4, 5, {.kv_heads = 2, .value_dim = 3, .output_dim = 7}};
  EXPECT_EQ(layer(sequences()).shape(), Shape({2, 6, 7}));
  std::map<std::string, Shape> shapes;
  for (const Variable &one : nn::variables(layer))
    shapes.emplace(one.name(), one.shape());
  const std::map<std::string, Shape> expected{
      {"query.kernel", {8, 4, 5}}, {"query.bias", {4, 5}}, {"key.kernel", {8, 2, 5}},    {"key.bias", {2, 5}},
      {"value.kernel", {8, 2, 3}}, {"value.bias", {2, 3}}, {"output.kernel", {4, 3, 7}}, {"output.bias", {7}}};
  EXPECT_EQ(shapes, expected);
  const nn::MultiHeadAttention none{2, 3, {.use_bias = false}};
  none(sequences());
  EXPECT_EQ(nn::variables(none).size(), 4u);
  EXPECT_EQ(nn::count_params(none), 4 * 8 * 6);
}

TEST(NnAttentionTest, GroupedHeadsShareKeysAndValues) {
  const nn::MultiHeadAttention layer{4, 3, {.kv_heads = 2, .value_dim = 2, .bias_initializer = anyBias}};
  const Array x = sequences();
  const Array y = layer(x, {.causal = true});
  expectNear(y, plain(Weights(layer), {4, 2, 3, 2, 8}, x, x, causal));
}

TEST(NnAttentionTest, CrossAttentionReadsAnotherSequence) {
  const nn::MultiHeadAttention layer{2, 3, {.bias_initializer = anyBias}};
  const Array x = sequences(), other = sequences(2, 4, 5, 6);
  const Array y = layer(x, other);
  expectNear(y, plain(Weights(layer), {2, 2, 3, 3, 8}, x, other, all));
  EXPECT_TRUE(areEqual(layer(x, other, other), y));
}

TEST(NnAttentionTest, GlorotCountsAllHeads) {
  const nn::MultiHeadAttention layer{8, 16};
  layer(sequences(1, 2, 128));
  const float limit = std::sqrt(6.0f / 256);
  for (const Variable &one : nn::variables(layer))
    if (one.shape().rank() == 3) {
      EXPECT_LE(max(abs(one)).item<float>(), limit);
      EXPECT_GT(max(abs(one)).item<float>(), 0.98f * limit);
    }
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

TEST(NnAttentionTest, MasksOfAllRanksAreSeen) {
  const nn::MultiHeadAttention layer{2, 3};
  const Array x = sequences();
  layer(x);
  const Weights weights(layer);
  const Sizes sizes{2, 2, 3, 3, 8};
  auto bits = [&](const Shape &shape) {
    return random::bernoulli(random::key(7), 0.6, shape) || (iota(shape[-1]) == 0);
  };
  const Array two = bits({6, 6}), three = bits({2, 6, 6}), four = bits({2, 2, 6, 6}), keys = bits({2, 6});
  auto at = [](const Array &mask, std::initializer_list<int64_t> place) {
    Array one = mask;
    for (const int64_t index : place)
      one = one[index];
    return one.item<bool>();
  };
  expectNear(layer(x, {.mask = two}),
             plain(weights, sizes, x, x, [&](auto, auto, auto i, auto j) { return at(two, {i, j}); }));
  expectNear(layer(x, {.mask = three}),
             plain(weights, sizes, x, x, [&](auto b, auto, auto i, auto j) { return at(three, {b, i, j}); }));
  expectNear(layer(x, {.mask = four}),
             plain(weights, sizes, x, x, [&](auto b, auto h, auto i, auto j) { return at(four, {b, h, i, j}); }));
  expectNear(layer(x, {.causal = true, .mask = three, .key_mask = keys}),
             plain(weights, sizes, x, x,
                   [&](auto b, auto, auto i, auto j) { return j <= i && at(three, {b, i, j}) && at(keys, {b, j}); }));
}

TEST(NnAttentionTest, AQueryThatSeesNothingGivesTheBias) {
  const nn::MultiHeadAttention layer{2, 3, {.bias_initializer = anyBias}};
  const Array x = sequences();
  const Array mask = zeros({6, 6}, bool_);
  const Array y = layer(x, {.mask = mask});
  EXPECT_TRUE(areEqual(y[{0, 0}], y[{1, 5}]));
  EXPECT_TRUE(areEqual(y[{0, 0}], nn::variables(layer).back().value()));
  const Array slope = grad([&](const Array &v) { return sum(layer(v, {.mask = mask})); })(x);
  EXPECT_TRUE(areEqual(slope, zeros_like(x)));
}

TEST(NnAttentionTest, AQueryThatSeesNothingDoesNotPoisonWeights) {
  // pytorch/pytorch#41508: a window and padding that leave nothing to one query.
  const nn::MultiHeadAttention layer{2, 3};
  const Array x = sequences(), places = iota(6);
  layer(x);
  const Array apart = expand_dims(places, 1) - places;
  const Array mask = (apart >= 0) && (apart <= 1),
              keys = Array{{true, true, true, true, true, true}, {true, true, true, false, false, false}};
  auto loss = [&](const nn::MultiHeadAttention &model, const Array &v) {
    return sum(square(model(v, {.mask = mask, .key_mask = keys})[{_, slice(0, 2)}]));
  };
  const auto [value, gradients] = nn::value_and_grad(loss)(layer, x);
  for (const auto &entry : gradients.entries())
    EXPECT_TRUE(tenon::all(isfinite(entry.gradient)).item<bool>()) << entry.path;
}

TEST(NnAttentionTest, CausalAttentionNeverLooksAhead) {
  const nn::MultiHeadAttention layer{2, 4, {.rotary = true}};
  const nn::TransformerDecoder block{16, 2, {.cross_attention = false}};
  const Array x = sequences(), other = concatenate({x[{_, slice(0, 4)}], sequences(2, 2, 8, 9)}, 1);
  const Array y = layer(x, {.causal = true}), z = block(x);
  EXPECT_TRUE(areEqual(layer(other, {.causal = true})[{_, slice(0, 4)}], y[{_, slice(0, 4)}]));
  EXPECT_TRUE(areEqual(block(other)[{_, slice(0, 4)}], z[{_, slice(0, 4)}]));
  EXPECT_FALSE(areEqual(layer(other)[{_, slice(0, 4)}], layer(x)[{_, slice(0, 4)}]));
  const Array slope = grad([&](const Array &v) { return sum(square(block(v)[{_, slice(0, 4)}])); })(x);
  EXPECT_TRUE(areEqual(slope[{_, slice(4, none)}], zeros({2, 2, 8})));
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

template <class L, class C>
void expectCacheChangesNothing(const L &layer, const C &call) {
  const Array x = sequences();
  const Array whole = call(layer, x, nullptr);
  // One by one, in pieces, and all at once: the bits of the whole.
  for (const std::vector<int> &pieces : {std::vector<int>{1, 1, 1, 1, 1, 1}, {3, 1, 2}, {6}}) {
    nn::KeyValueCache cache = layer.cache(2, 10);
    int64_t place = 0;
    for (const int size : pieces) {
      const Array y = call(layer, x[{_, slice(place, place + size)}], &cache);
      EXPECT_TRUE(areEqual(y, whole[{_, slice(place, place + size)}]))
          << max(abs(y - whole[{_, slice(place, place + size)}]));
      place += size;
    }
    EXPECT_EQ(cache.length.item<int64_t>(), 6);
  }
  auto step = jit([&](nn::KeyValueCache &cache, const Array &token) { return call(layer, token, &cache); });
  nn::KeyValueCache cache = layer.cache(2, 10);
  for (int64_t place = 0; place < 6; ++place)
    EXPECT_TRUE(areEqual(step(cache, x[{_, slice(place, place + 1)}]), whole[{_, slice(place, place + 1)}]));
  EXPECT_EQ(step.trace_count(), 1);
}

TEST(NnAttentionTest, ACacheChangesNoBits) {
  auto call = [](const nn::MultiHeadAttention &layer, const Array &x, nn::KeyValueCache *cache) {
    return layer(x, {.causal = true, .cache = cache});
  };
  expectCacheChangesNothing(nn::MultiHeadAttention{2, 3}, call);
  expectCacheChangesNothing(nn::MultiHeadAttention{4, 4, {.kv_heads = 2, .value_dim = 5, .rotary = true}}, call);
  const nn::TransformerDecoder block{16, 2, {.normalize_first = true, .cross_attention = false}};
  block(sequences());
  expectCacheChangesNothing(block, [](const nn::TransformerDecoder &layer, const Array &x, nn::KeyValueCache *cache) {
    return layer(x, {.cache = cache});
  });
}

TEST(NnAttentionTest, ACacheWithoutCausalSeesAllThatIsThere) {
  const nn::MultiHeadAttention layer{2, 3};
  const Array x = sequences();
  nn::KeyValueCache cache = layer.cache(2, 8);
  layer(x[{_, slice(0, 4)}], {.cache = &cache});
  const Array y = layer(x[{_, slice(4, 6)}], {.cache = &cache});
  EXPECT_TRUE(areEqual(y, layer(x)[{_, slice(4, 6)}]));
}

TEST(NnAttentionTest, AFullCacheIsAnErrorAndNaNUnderJit) {
  const nn::MultiHeadAttention layer{2, 3};
  const Array x = sequences();
  nn::KeyValueCache cache = layer.cache(2, 8);
  layer(x, {.causal = true, .cache = &cache});
  const nn::KeyValueCache before = cache;
  EXPECT_EQ(messageOf([&] { layer(x, {.causal = true, .cache = &cache}); }),
            "MultiHeadAttention: expected at most 8 places, the max_length of the cache, got 12");
  EXPECT_TRUE(areEqual(cache.keys, before.keys));
  auto step = jit([&](nn::KeyValueCache &own, const Array &v) { return layer(v, {.causal = true, .cache = &own}); });
  EXPECT_TRUE(tenon::all(isnan(step(cache, x))).item<bool>());
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

TEST(NnAttentionTest, DropoutDropsInTrainingAlone) {
  const nn::MultiHeadAttention layer{2, 3, {.dropout = 0.5}}, seeded{2, 3, {.dropout = 0.5, .seed = 3}};
  const Array x = sequences();
  EXPECT_TRUE(areEqual(layer(x), layer(x)));
  set_seed(1);
  const Array y = layer(x, {.training = true});
  EXPECT_FALSE(areEqual(layer(x, {.training = true}), y));
  auto compiled = jit([&](const Array &v) { return layer(v, {.training = true}); });
  set_seed(1);
  EXPECT_TRUE(areEqual(compiled(x), y));
  const nn::MultiHeadAttention copy = nn::clone(seeded);
  seeded(x), copy(x);
  nn::copy_weights(seeded, copy);
  EXPECT_TRUE(areEqual(seeded(x, {.training = true}), copy(x, {.training = true})));
}

TEST(NnAttentionTest, GradientsAreDifferences) {
  const nn::MultiHeadAttention layer{4, 4, {.kv_heads = 2, .rotary = true}};
  const Array x = sequences().astype(f64), mask = random::bernoulli(random::key(2), 0.7, {2, 6, 6});
  layer(x);
  auto loss = [&](const Array &v) { return sum(sin(layer(v, {.causal = true, .mask = mask}))); };
  const Array slope = grad(loss)(x), direction = random::normal(random::key(8), x.shape(), f64);
  const double step = 1e-6;
  const double difference = ((loss(x + step * direction) - loss(x - step * direction)) / (2 * step)).item<double>();
  EXPECT_NEAR(sum(slope * direction).item<double>(), difference, 1e-6);
}

TEST(NnAttentionTest, OneProgramServesAllBatchesAndLengths) {
  const nn::TransformerEncoder block{16, 2};
  const nn::MultiHeadAttention layer{2, 4, {.rotary = true}};
  block(sequences()), layer(sequences());
  auto compiled = jit([&](const Array &x) { return layer(block(x), {.causal = true}); },
                      {.specs = {TensorSpec{f32, {"batch", "length", 8}}}});
  for (const int64_t batch : {3, 5}) {
    const Array x = sequences(batch, batch + 2);
    EXPECT_TRUE(areEqual(compiled(x), layer(block(x), {.causal = true})));
  }
  EXPECT_EQ(compiled.trace_count(), 1);
}

TEST(NnAttentionTest, BatchesOfVmapAreBatches) {
  const nn::MultiHeadAttention layer{2, 3};
  const Array x = random::normal(random::key(3), {3, 2, 5, 8});
  layer(x[0]);
  const Array y = vmap([&](const Array &v) { return layer(v, {.causal = true}); })(x);
  EXPECT_TRUE(allclose(y[1], layer(x[1], {.causal = true}), 1e-6, 1e-6).item<bool>());
}

//===----------------------------------------------------------------------===//
// Bad input
//===----------------------------------------------------------------------===//

TEST(NnAttentionTest, ErrorsNameTheLayersPath) {
  struct Net {
    nn::MultiHeadAttention attention{2, 3};
    nn::TransformerEncoder block{16, 3};
  } const net;
  nn::variables(net);
  const Array x = sequences();
  EXPECT_EQ(messageOf([&] { net.attention(ones({2, 3})); }),
            "attention: expected 3 axes (batch, length, features), got (2, 3)");
  net.attention(x);
  EXPECT_THAT(messageOf([&] { net.attention(ones({2, 3, 5})); }), HasSubstr("attention: expected 8 features"));
  EXPECT_EQ(
      messageOf([&] { net.attention(x, {.mask = ones({6, 6})}); }),
      "attention: expected a mask of bools that broadcasts to (batch, heads, queries, keys), (2, 2, 6, 6), without "
      "heads if it has 3 axes, got f32 of shape (6, 6)");
  EXPECT_THAT(messageOf([&] { net.attention(x, {.mask = ones({2, 6}, bool_)}); }),
              HasSubstr("attention: expected a mask"));
  EXPECT_EQ(messageOf([&] { net.attention(x, {.key_mask = ones({6}, bool_)}); }),
            "attention: expected a key_mask of bools of shape (batch, keys), (2, 6), got bool of shape (6,)");
  EXPECT_THAT(messageOf([&] { net.attention(x, sequences(3)); }),
              HasSubstr("attention: expected a query (batch, queries, features), and values and keys"));
  nn::KeyValueCache cache = net.attention.cache(3, 8), empty;
  EXPECT_THAT(messageOf([&] { net.attention(x, {.cache = &cache}); }),
              HasSubstr("attention: expected a cache with keys"));
  EXPECT_THAT(messageOf([&] { net.attention(x, {.cache = &empty}); }),
              HasSubstr("attention: expected a cache whose length"));
  EXPECT_THAT(messageOf([&] { net.attention(x, x, {.cache = &cache}); }), HasSubstr("in self-attention alone"));
  EXPECT_EQ(messageOf([&] { net.block(x); }),
            "block.attention: expected features that are a multiple of the 3 heads, got an input of shape (2, 6, 8)");
  EXPECT_EQ(messageOf([] { nn::MultiHeadAttention{0, 3}; }), "MultiHeadAttention: expected num_heads >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::MultiHeadAttention{4, 3, {.kv_heads = 3}}; }),
            "MultiHeadAttention: expected num_heads that are a multiple of kv_heads, got 4 and 3");
  EXPECT_EQ(messageOf([] { nn::MultiHeadAttention{4, 3, {.rotary = true}}; }),
            "MultiHeadAttention: expected an even key_dim, since it is rotary, got 3");
  EXPECT_EQ(messageOf([&] { nn::RotaryEmbedding()(ones({2, 3, 5})); }),
            "RotaryEmbedding: expected an even number of features, got an input of shape (2, 3, 5)");
}

} // namespace
