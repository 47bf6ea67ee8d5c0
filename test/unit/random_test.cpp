//===- random_test.cpp - the numbers of a key are JAX's ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: JAX 0.10.2 (jax_threefry_partitionable=True), key(42), on the CPU; f64
// with jax_enable_x64.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <cmath>
#include <gtest/gtest.h>

using namespace tenon;

template <class T>
static double ulps(T got, T expected) {
  return std::abs(double((got - expected) / (std::nextafter(std::abs(expected), T(INFINITY)) - std::abs(expected))));
}

TEST(Random, UniformIsJaxs) {
  EXPECT_EQ(random::uniform(random::key(42), {4}).to_vector<float>(),
            (std::vector{0x1.f47048p-2f, 0x1.5c0e6p-1f, 0x1.3b87fp-1f, 0x1.1f3d8p-1f}));
  EXPECT_EQ(random::uniform(random::key(42), {4}, f32, -3, 5).to_vector<float>(),
            (std::vector{0x1.d1c12p-1f, 0x1.381ccp+1f, 0x1.ee1fcp+0f, 0x1.7cf6p+0f}));
  EXPECT_EQ(random::uniform(random::key(42), {3}, f64).to_vector<double>(),
            (std::vector{0x1.b4f8123c40884p-2, 0x1.ebd996d6e84p-7, 0x1.25f641d41e71ap-1}));
}

// Of 100,000 numbers the first four, the two nearest to 0 and the four farthest,
// where the rounding of x * x in JAX's formula is felt most. In f64 others are up to
// 30 ulp apart: XLA's log1p is as far from the logarithm near -0.4.
template <class T>
struct Golden {
  int64_t index;
  T value;
};

template <class T>
static void expectNormals(Dtype dtype, std::span<const Golden<T>> golden) {
  auto numbers = random::normal(random::key(42), {100000}, dtype).to_vector<T>();
  for (auto [index, value] : golden)
    EXPECT_LE(ulps(numbers[index], value), 8) << "element " << index << ": " << numbers[index] << ", JAX's " << value;
}

TEST(Random, NormalIsWithinEightUlpOfJaxs) {
  static const Golden<float> single[] = {{0, -0x1.cfbe2ap-6f},     {1, 0x1.de57dp-2f},      {2, 0x1.2eccc2p-2f},
                                         {3, 0x1.3a7648p-3f},      {6876, 0x1.421a08p-16f}, {27191, 0x1.a33bc8p-15f},
                                         {78702, -0x1.1ebebcp+2f}, {59469, 0x1.1853e2p+2f}, {77579, -0x1.0fe7f4p+2f},
                                         {9537, -0x1.0c8156p+2f}};
  expectNormals<float>(f32, single);
  static const Golden<double> wide[] = {{0, -0x1.7a4a26c962159p-3},     {1, -0x1.15bccfaa7ba3ap+1},
                                        {2, 0x1.7ed8110b5046p-3},       {3, 0x1.397ad84a04356p-1},
                                        {42057, -0x1.cad68c9c38cp-18},  {29474, -0x1.06c189dd06b15p-16},
                                        {25784, -0x1.1eba27999b2bdp+2}, {50829, 0x1.0f56bd23546cbp+2},
                                        {79513, 0x1.0f50b152df863p+2},  {50538, -0x1.0c8ec13a8db4fp+2}};
  expectNormals<double>(f64, wide);
}

TEST(Random, AKeyIsBothWordsOfItsSeed) {
  EXPECT_EQ(random::key(0x123456789abcdef0).data.to_vector<uint32_t>(),
            (std::vector<uint32_t>{0x12345678, 0x9abcdef0}));
  EXPECT_EQ(random::key(42).data.to_vector<uint32_t>(), (std::vector<uint32_t>{0, 42}));
}

TEST(Random, UniformIsNotBelowItsLowerBound) {
  // Where a sum is rounded most: the range is of the bound's last places.
  for (auto [low, high] : {std::pair(1.0, 1.0 + 0x1p-22), {-1.0 - 0x1p-22, -1.0}, {-3.0, 5.0}, {0x1p-149, 0x1p-148}}) {
    Array numbers = random::uniform(random::key(42), {100000}, f32, low, high);
    EXPECT_GE(-max(-numbers).item<float>(), float(low));
    EXPECT_LE(max(numbers).item<float>(), float(high));
  }
}

TEST(Random, TakesAsManyAxesAsThereAre) {
  const Shape sixteen(std::vector<int64_t>(16, 1));
  EXPECT_EQ(random::uniform(random::key(1), sixteen).ndim(), 16);
  EXPECT_THROW(random::bits(random::key(1).data, sixteen, 2), Error);
}
