//===- common_divisors_test.cpp - gcd, lcm and divmod at the ends of dtypes -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

using namespace tenon;
using tenon::test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t least = std::numeric_limits<int64_t>::min();

static Array longs(std::vector<int64_t> values) { return Array(values); }

TEST(CommonDivisors, OfZeroAndNegativeNumbers) {
  const Array x = longs({12, -18, 0, 0, 7}), y = longs({18, 12, 5, 0, -7});
  EXPECT_THAT(gcd(x, y).to_vector<int64_t>(), ElementsAre(6, 6, 5, 0, 7));
  EXPECT_THAT(lcm(x, y).to_vector<int64_t>(), ElementsAre(36, 36, 0, 0, 7));
}

TEST(CommonDivisors, OfTheLeastInteger) {
  const Array x = full({4}, least, i64), y = longs({0, 6, -1, least});
  EXPECT_THAT(gcd(x, y).to_vector<int64_t>(), ElementsAre(least, 2, 1, least));
  EXPECT_THAT(gcd(y, x).to_vector<int64_t>(), ElementsAre(least, 2, 1, least));
  EXPECT_THAT(lcm(x, y).to_vector<int64_t>(), ElementsAre(0, least, least, least));
  EXPECT_THAT(gcd(astype(Array{-128, 64}, i8), astype(Array{96, -128}, i8)).to_vector<int8_t>(), ElementsAre(32, 64));
}

TEST(CommonDivisors, EndAfterTheMostRounds) { // two neighbors among the Fibonacci numbers
  EXPECT_EQ(gcd(Array(int64_t(7540113804746346429)), Array(int64_t(4660046610375530309))).item<int64_t>(), 1);
  EXPECT_EQ(gcd(full({}, UINT64_MAX, u64), full({}, 15, u64)).item<uint64_t>(), 15u);
}

TEST(CommonDivisors, InEveryMode) {
  const Array x = arange(12) * 4 - 20, y = full({}, 6, x.dtype());
  const Array plain = gcd(x, y);
  EXPECT_TRUE(array_equal(jit([](const Array &a, const Array &b) { return gcd(a, b); })(x, y), plain).item<bool>());
  EXPECT_TRUE(array_equal(vmap([&](const Array &a) { return gcd(a, y); })(x), plain).item<bool>());
  EXPECT_EQ(gcd(zeros({0, 2}, i32), 3).shape(), Shape({0, 2}));
}

TEST(CommonDivisors, Errors) {
  EXPECT_THAT(errorOf([] { (void)gcd(Array{1.5f}, 2); }), HasSubstr("gcd: expected integers, got f32[1] and f32[]"));
  EXPECT_THAT(errorOf([] { (void)lcm(Array{true}, Array{true}); }), HasSubstr("lcm: expected integers, got bool[1]"));
}

TEST(Divmod, SignsOfIntegersAndFloats) {
  const DivMod whole = divmod(Array{7, -7, 7, 5}, Array{3, 3, -3, 0});
  EXPECT_THAT(whole.quotient.to_vector<int>(), ElementsAre(2, -3, -3, 0));
  EXPECT_THAT(whole.remainder.to_vector<int>(), ElementsAre(1, 2, -2, 0));
  const DivMod floats = divmod(Array{7.5f, -7.5f}, 2);
  EXPECT_THAT(floats.quotient.to_vector<float>(), ElementsAre(3, -4));
  EXPECT_THAT(floats.remainder.to_vector<float>(), ElementsAre(1.5f, 0.5f));
}
