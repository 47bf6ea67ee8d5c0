//===- nn_normalization_test.cpp - layers that normalize beside plain loops ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

#include <cmath>
#include <map>

using namespace tenon;
using namespace tenon::test;

namespace {

const nn::Initializer someScale = nn::uniform(0.5, 1.5), someOffset = nn::uniform(-1, 1);

/// x less the mean, over the standard deviation, of the elements with the same key.
Array normalized(const Array &input, double epsilon, auto &&keyOf, bool isCentered = true) {
  Grid x(input);
  struct Moments {
    double count = 0, sum = 0, squares = 0;
  };
  std::map<std::vector<int64_t>, Moments> all;
  Grid::forEach(x.sizes, [&](const std::vector<int64_t> &place) {
    Moments &own = all[keyOf(place)];
    own.count += 1;
    own.sum += x(place);
    own.squares += x(place) * x(place);
  });
  Grid::forEach(x.sizes, [&](const std::vector<int64_t> &place) {
    const Moments &own = all[keyOf(place)];
    const double mean = isCentered ? own.sum / own.count : 0;
    x(place) = (x(place) - mean) / std::sqrt(own.squares / own.count - mean * mean + epsilon);
  });
  return x.array();
}

TEST(NnNormalization, GroupNorm) {
  const Array x = numbers({2, 3, 4, 6}) * 2 + 1;
  const nn::GroupNorm layer{3, {.beta_initializer = someOffset, .gamma_initializer = someScale}};
  expectLayer(layer, x, [&] {
    auto key = [](const std::vector<int64_t> &place) { return std::vector{place[0], place[3] / 2}; };
    return normalized(x, 1e-3, key) * astype(layer.gamma().value(), f64) + astype(layer.beta().value(), f64);
  });
  EXPECT_EQ(nn::count_params(layer), 12);
  const nn::GroupNorm first{3, {.axis = 1}};
  expectSameInBothFormats(layer, first, x);
  // Of vectors, too.
  expectLayer(nn::GroupNorm{2}, numbers({3, 8}), [&] {
    return normalized(numbers({3, 8}), 1e-3,
                      [](const std::vector<int64_t> &place) { return std::vector{place[0], place[1] / 4}; });
  });
}
TEST(NnNormalization, InstanceNorm) {
  const Array x = numbers({2, 5, 3}) * 2 + 1;
  const nn::InstanceNorm layer{{.epsilon = 1e-5}};
  auto key = [](const std::vector<int64_t> &place) { return std::vector{place[0], place[2]}; };
  expectLayer(layer, x, [&] { return normalized(x, 1e-5, key); });
  expectNear(called(nn::GroupNorm{-1, {.epsilon = 1e-5}}, x), called(layer, x));
  const nn::InstanceNorm plain{{.center = false, .scale = false}};
  expectLayer(plain, x, [&] { return normalized(x, 1e-3, key); });
  EXPECT_TRUE(nn::variables(plain).empty());
  expectSameInBothFormats(nn::InstanceNorm{{.gamma_initializer = someScale}}, nn::InstanceNorm{{.axis = 1}}, x);
}
TEST(NnNormalization, RMSNormDoesNotCenter) {
  const Array x = numbers({2, 5, 6}) + 3;
  const nn::RMSNorm layer;
  expectLayer(layer, x, [&] {
    return normalized(
        x, 1e-6, [](const std::vector<int64_t> &place) { return std::vector{place[0], place[1]}; }, false);
  });
  EXPECT_EQ(layer.scale().shape(), Shape({6}));
  layer.scale().assign(full({6}, 2.0f));
  expectNear(layer(x), 2.0f * (x / sqrt(mean(x * x, -1, true))), 1e-4);
  const nn::RMSNorm both{{.axis = {-1, 1}, .epsilon = 0.1}};
  expectLayer(both, x, [&] {
    return normalized(x, 0.1, [](const std::vector<int64_t> &place) { return std::vector{place[0]}; }, false);
  });
  EXPECT_EQ(both.scale().shape(), Shape({5, 6}));
}
TEST(NnNormalization, LayerNormOfSeveralAxes) {
  const Array x = numbers({3, 4, 5});
  const nn::LayerNorm layer{{.axis = {2, 1}, .beta_initializer = someOffset, .gamma_initializer = someScale}};
  expectLayer(layer, x, [&] {
    return normalized(x, 1e-3, [](const std::vector<int64_t> &place) { return std::vector{place[0]}; }) *
               astype(layer.gamma().value(), f64) +
           astype(layer.beta().value(), f64);
  });
  EXPECT_EQ(layer.gamma().shape(), Shape({4, 5}));
  const nn::LayerNorm bare{{.center = false, .scale = false}};
  expectLayer(bare, x, [&] {
    return normalized(x, 1e-3, [](const std::vector<int64_t> &place) { return std::vector{place[0], place[1]}; });
  });
  EXPECT_TRUE(nn::variables(bare).empty());
}
TEST(NnNormalization, BatchNormOfAnyChannelsAxis) {
  const Array x = numbers({4, 3, 2, 2});
  const nn::BatchNorm layer{{.axis = 1, .center = false}};
  const Array y = nn::call(layer, {.training = true}, x);
  expectNear(y, normalized(x, 1e-3, [](const std::vector<int64_t> &place) { return std::vector{place[1]}; }));
  EXPECT_EQ(nn::variables(layer).size(), 3u);
}
TEST(NnNormalization, DerivativesReachTheMoments) {
  const nn::GroupNorm layer{2};
  const Array x = numbers({2, 3, 4});
  // What is normalized does not change by an offset or a factor.
  const Array slope = grad([&](const Array &v) { return sum(layer(v) * numbers({2, 3, 4}, 5)); })(x);
  EXPECT_NEAR(sum(slope[0][{slice(none, none), slice(0, 2)}]).item<float>(), 0, 1e-5);
  EXPECT_NEAR(sum(slope * x).item<float>(), 0, 2e-2);
}
TEST(NnNormalization, ErrorsNameTheLayerWhatItExpectsAndGot) {
  EXPECT_EQ(messageOf([] { nn::GroupNorm{0}; }),
            "GroupNorm: expected groups >= 1, or -1 for as many as channels, got 0");
  EXPECT_EQ(messageOf([] { nn::GroupNorm{3}(ones({2, 4, 4})); }),
            "GroupNorm: expected a known number of channels that is a multiple of the 3 groups, got an input of shape "
            "(2, 4, 4)");
  EXPECT_EQ(messageOf([] { nn::InstanceNorm{}(ones({2, 4})); }),
            "InstanceNorm: expected an input with a batch, places and channels, got (2, 4)");
  EXPECT_EQ(messageOf([] { nn::GroupNorm{1, {.axis = 0}}(ones({2, 4})); }),
            "GroupNorm: expected channels along another axis than the batch, got axis 0");
  EXPECT_EQ(messageOf([] { nn::RMSNorm{{.axis = 3}}(ones({2, 4})); }),
            "RMSNorm: expected an input with axis 3, got one of shape (2, 4)");
  EXPECT_EQ(messageOf([] { nn::LayerNorm{{.axis = {1, -1}}}(ones({2, 4})); }),
            "LayerNorm: expected one axis or more, each once");
  struct Net {
    nn::RMSNorm norm;
    nn::GroupNorm groups{2, {.scale = false}};
  };
  const Net net;
  (void)nn::variables(net);
  net.norm(ones({2, 4}));
  net.groups(ones({2, 4}));
  EXPECT_EQ(messageOf([&] { net.norm(ones({2, 5})); }).substr(0, 47),
            "norm: expected 4 features, which it was built f");
  EXPECT_EQ(messageOf([&] { net.groups(ones({2, 6})); }).substr(0, 48),
            "groups: expected 4 channels, which it was built ");
}

} // namespace
