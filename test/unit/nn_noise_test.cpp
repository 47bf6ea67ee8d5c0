//===- nn_noise_test.cpp - layers that are random in training --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LayerChecks.h"

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr auto front = DataFormat::channels_first;

/// The layer's result in training, from a seed; eagerly and under jit, with the same bits.
Array trained(const auto &layer, const Array &x, uint64_t seed = 3) {
  const nn::TrainingScope training;
  set_seed(seed);
  const Array y = layer(x);
  set_seed(seed);
  auto compiled = jit([&](const Array &v) { return layer(v); });
  expectBits(compiled(x), y);
  return y;
}

TEST(NnNoise, InferenceIsTheIdentity) {
  const Array x = numbers({2, 4, 3}), images = numbers({2, 4, 4, 3});
  expectBits(called(nn::SpatialDropout1D{0.5}, x), x);
  expectBits(called(nn::SpatialDropout2D{0.5}, images), images);
  expectBits(called(nn::GaussianNoise{1}, x), x);
  expectBits(called(nn::GaussianDropout{0.5}, x), x);
}
TEST(NnNoise, SpatialDropoutDropsWholeChannels) {
  const Array y = trained(nn::SpatialDropout2D{0.25}, ones({50, 3, 4, 40}));
  const Array means = mean(y, {1, 2}), spread = max(y, {1, 2}) - min(y, {1, 2});
  EXPECT_EQ(max(spread).item<float>(), 0);
  EXPECT_NEAR(mean(astype(means == 0, f32)).item<float>(), 0.25, 0.03);
  EXPECT_NEAR(max(y).item<float>(), 1 / 0.75, 1e-6);
  const Array first = trained(nn::SpatialDropout1D{0.5, {.data_format = front}}, ones({8, 16, 5}));
  EXPECT_EQ(max(var(first, 2)).item<float>(), 0);
  EXPECT_GT(max(var(first, 1)).item<float>(), 0);
  const Array volume = trained(nn::Dropout3d{0.5, {.data_format = front}}, ones({2, 16, 2, 3, 4}));
  EXPECT_EQ(max(var(volume, {2, 3, 4})).item<float>(), 0);
}
TEST(NnNoise, GaussianNoiseHasItsMoments) {
  const Array x = full({200, 200}, 3.0f);
  const Array y = trained(nn::GaussianNoise{0.5}, x);
  EXPECT_NEAR(mean(y).item<float>(), 3, 0.01);
  EXPECT_NEAR(tenon::std(y).item<float>(), 0.5, 0.01);
  EXPECT_FALSE(array_equal(y, trained(nn::GaussianNoise{0.5}, x, 4)).item<bool>());
  EXPECT_EQ(trained(nn::GaussianNoise{0.5}, astype(x, bf16)).dtype(), bf16);
}
TEST(NnNoise, GaussianDropoutHasTheMomentsOfDropout) {
  const Array y = trained(nn::GaussianDropout{0.2}, full({200, 200}, 2.0f));
  EXPECT_NEAR(mean(y).item<float>(), 2, 0.02);
  EXPECT_NEAR(tenon::std(y).item<float>(), 2 * 0.5, 0.02);
}
TEST(NnNoise, ASeedIsTheLayersOwnState) {
  const nn::GaussianNoise one{1, {.seed = 5}}, other{1, {.seed = 5}};
  const nn::SpatialDropout1D channels{0.5, {.seed = 5}};
  const nn::TrainingScope training;
  const Array x = zeros({8}), first = one(x);
  expectBits(other(x), first);
  EXPECT_FALSE(array_equal(one(x), first).item<bool>());
  EXPECT_EQ(nn::variables(channels).size(), 1u);
  EXPECT_TRUE(nn::trainable_variables(channels).empty());
  // A clone goes on from the same key by itself.
  const nn::GaussianNoise copy = nn::clone(one);
  expectBits(copy(x), one(x));
}
TEST(NnNoise, DerivativesPassThroughWhatIsKept) {
  const nn::SpatialDropout1D layer{0.5, {.seed = 1}};
  const nn::SpatialDropout1D same_keys = nn::clone(layer);
  const nn::TrainingScope training;
  const Array x = numbers({2, 3, 8});
  const Array kept = astype(layer(x) != 0, f32) * 2;
  expectNear(grad([&](const Array &v) { return sum(same_keys(v)); })(x), kept);
}
TEST(NnNoise, ErrorsNameTheLayerWhatItExpectsAndGot) {
  EXPECT_EQ(messageOf([] { nn::SpatialDropout2D{1}; }), "SpatialDropout2D: expected a rate in [0, 1), got 1");
  EXPECT_EQ(messageOf([] { nn::GaussianDropout{-0.5}; }), "GaussianDropout: expected a rate in [0, 1), got -0.5");
  EXPECT_EQ(messageOf([] { nn::GaussianNoise{-1}; }), "GaussianNoise: expected stddev >= 0, got -1");
  EXPECT_EQ(messageOf([] { nn::SpatialDropout2D{0.5}(ones({2, 3})); }),
            "SpatialDropout2D: expected 4 axes (batch, height, width, channels), got (2, 3)");
}

} // namespace
