//===- random_tails_test.cpp - distributions where JAX's numbers are wrong --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moments are compared with those of the distribution. Keys are fixed, so nothing here depends on luck.
//===----------------------------------------------------------------------===//
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

constexpr int draws = 40000;

double meanOf(const Array &x) { return mean(astype(x, f64)).item<double>(); }
double varianceOf(const Array &x) { return var(astype(x, f64)).item<double>(); }

/// The mean of a standard normal number that is between `low` and `high`, both positive, by Simpson's rule.
double meanInTail(double low, double high) {
  high = std::min(high, low + 40 / low);
  double mass = 0, moment = 0;
  constexpr int steps = 20000;
  for (int i = 0; i <= steps; ++i) {
    const double x = low + (high - low) * i / steps, w = i == 0 || i == steps ? 1 : i % 2 ? 4 : 2;
    const double density = w * std::exp((low * low - x * x) / 2);
    mass += density, moment += density * x;
  }
  return moment / mass;
}

TEST(RandomTails, TruncatedNormalFollowsTheTail) {
  for (const auto &[low, high] : {std::pair(5.0, double(INFINITY)), std::pair(6.0, 7.0), std::pair(12.0, 12.5),
                                  std::pair(40.0, double(INFINITY)), std::pair(3.5, 20.0)}) {
    const Array x = random::truncated_normal(random::key(3), low, high, {draws});
    EXPECT_TRUE(bool(all(x > low && x < high && isfinite(x)))) << low;
    const double mean = meanInTail(low, high), deviation = 1 / low;
    EXPECT_NEAR(meanOf(x), mean, 5 * deviation / std::sqrt(double(draws))) << low << " to " << high;
    EXPECT_GT(size_t(unique_values(x).dim(0)), 1000u) << low;
    // The lower tail is the upper one's mirror, also where bounds are arrays.
    const Array mirrored = random::truncated_normal(random::key(3), Array(float(-high)), Array(float(-low)), {draws});
    EXPECT_NEAR(meanOf(mirrored), -mean, 5 * deviation / std::sqrt(double(draws))) << low << " to " << high;
  }
}

TEST(RandomTails, TruncatedNormalIsTheSameCompiled) {
  auto draw = [](const Key &key, const Array &low) { return random::truncated_normal(key, low, low + 1, {100}); };
  const Array low = 6.0f;
  EXPECT_TRUE(bool(all(jit(draw)(random::key(5), low) == draw(random::key(5), low))));
}

TEST(RandomTails, RayleighIsFinite) {
  for (Dtype dtype : {bf16, f16, f32})
    EXPECT_TRUE(bool(all(isfinite(random::rayleigh(random::key(0), 1, {draws}, dtype))))) << name(dtype);
}

TEST(RandomTails, UniformNeverReturnsItsUpperBound) {
  for (Dtype dtype : {bf16, f16, f32, f64})
    for (const auto &[low, high] : {std::pair(1000.0, 1001.0), std::pair(-3.0, 0.0), std::pair(0.5, 0.75),
                                    std::pair(-2.0, -1.0), std::pair(4096.0, 8192.0)}) {
      if (dtype == bf16 && low == 1000)
        continue; // both bounds are 1000
      const Array x = random::uniform(random::key(1), {100000}, dtype, low, high);
      EXPECT_TRUE(bool(all(x >= low && x < high))) << name(dtype) << " " << low;
      const Array y = random::uniform(random::key(1), {100000}, dtype, full({}, low, dtype), full({}, high, dtype));
      EXPECT_TRUE(bool(all(y >= low && y < high))) << name(dtype) << " " << low << ", arrays";
    }
}

TEST(RandomTails, PoissonHasItsMomentsForLargeMeans) {
  for (const double lam : {12.0, 1e3, 1e6, 1e8, 1e12, 1e15}) {
    const Array x = random::poisson(random::key(2), lam, {draws}, i64);
    const double mean = double(float(lam)), deviation = std::sqrt(mean / draws);
    EXPECT_NEAR(meanOf(x - int64_t(mean)) + double(int64_t(mean)), mean, 5 * deviation) << lam;
    EXPECT_NEAR(varianceOf(x - int64_t(mean)) / mean, 1, 0.04) << lam;
  }
}

TEST(RandomTails, BinomialHasItsMomentsForManyTrials) {
  for (const auto &[n, p] : {std::pair(40.0, 0.5), std::pair(1e4, 0.1), std::pair(1e8, 0.5), std::pair(1e8, 0.9)}) {
    const Array x = random::binomial(random::key(4), n, p, {draws}, f64);
    const double q = double(float(p)), mean = n * q, variance = mean * (1 - q);
    EXPECT_NEAR(meanOf(x), mean, 5 * std::sqrt(variance / draws)) << n;
    EXPECT_NEAR(varianceOf(x) / variance, 1, 0.04) << n;
    EXPECT_TRUE(bool(all(x >= 0 && x <= n))) << n;
  }
}

TEST(RandomTails, UniformNeverReturnsLessThanItsLowerBound) {
  const Key key = random::key(5);
  for (const auto &[dtype, low, high] : {std::tuple{f32, 1.0, 1.00000001},
                                         {bf16, 256.0, 256.5},
                                         {f16, 1e-9, 2e-9},
                                         {f32, 16777216.0, 16777216.5},
                                         {f64, 1.0, 1.0 + 0x1p-52}}) {
    const Array least = full({}, low, dtype);
    EXPECT_TRUE(all(random::uniform(key, {64}, dtype, low, high) == least).item<bool>()) << low;
  }
}

TEST(RandomTails, BinomialOfNarrowProbabilitiesHasNoOutliers) {
  for (Dtype dtype : {bf16, f16}) {
    const Array x = astype(random::binomial(random::key(6), 100.0, full({}, 0.5, dtype), {200000}), f32);
    EXPECT_EQ(sum(abs(x - 50.0f) > 35.0f).item<int64_t>(), 0); // seven standard deviations
    EXPECT_NEAR(varianceOf(x), 25, 0.3);
  }
}

TEST(RandomTails, ChoiceSumsNarrowWeightsInF32) {
  const Key key = random::key(7);
  // The sum of these is out of the range of f16, and of the last ones of its digits.
  const Array few = random::choice(key, 3, {30000}, true, full({3}, 60000.0f, f16));
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(meanOf(few == i), 1.0 / 3, 0.02);
  for (Dtype dtype : {f16, bf16}) {
    const Array many = random::choice(key, 5000, {draws}, true, full({5000}, 1.0f, dtype));
    EXPECT_GT(unique_values(many).size(), 4900) << name(dtype);
  }
}

TEST(RandomTails, ChoiceRefusesWeightsThatAreNoProbabilities) {
  for (const Array &p :
       {Array{0.5f, -0.5f, 1.0f}, Array{0.5f, NAN, 0.5f}, Array{0.0f, 0.0f, 0.0f}, Array{1.0f, INFINITY, 1.0f}})
    for (bool replace : {true, false})
      EXPECT_THAT(errorOf([&] { (void)random::choice(random::key(0), 3, {2}, replace, p); }),
                  HasSubstr("expected weights p that are finite, not negative and not all 0"));
  for (bool replace : {true, false})
    EXPECT_THAT(errorOf([&] { (void)random::choice(random::key(0), 3, {2}, replace, full({3}, 3e38f)); }),
                HasSubstr("have a finite sum in f32"));
  EXPECT_THAT(errorOf([&] { (void)random::choice(random::key(0), 3, {2}, false, Array{0.0f, 0.0f, 1.0f}); }),
              HasSubstr("expected at least 2 weights above 0"));
  EXPECT_EQ(sum(random::choice(random::key(0), 3, {2}, false, Array{0.5f, 0.0f, 1.0f})).item<int64_t>(), 2);
  const Array p{0.0f, 2.0f, 0.0f};
  EXPECT_TRUE(bool(all(random::choice(random::key(0), 3, {50}, true, p) == 1)));
  // Weights that a compiled function holds are read when it is traced.
  auto draw = [&](const Key &key) { return random::choice(key, 3, {50}, true, p); };
  EXPECT_TRUE(bool(all(jit(draw)(random::key(0)) == 1)));
}

} // namespace
