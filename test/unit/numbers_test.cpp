//===- numbers_test.cpp - C++ numbers as operands, eager and traced ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;

// Where a bool is asked, any number says whether it is not 0, as in NumPy.
TEST(Numbers, AreTrueWhenTheyAreNotZero) {
  const Array flags = {true, false};
  auto check = [&](Scalar number, bool isTrue) {
    auto f = [&](const Array &x) { return std::pair(logical_and(number, x), where(number, x, logical_and(x, false))); };
    const std::vector<bool> expected = {isTrue, false};
    auto eager = f(flags);
    auto traced = jit(f, {.compile = Compile::never})(flags);
    EXPECT_EQ(eager.first.to_vector<bool>(), expected) << number.str();
    EXPECT_EQ(eager.second.to_vector<bool>(), expected) << number.str();
    EXPECT_EQ(traced.first.to_vector<bool>(), expected) << number.str();
    EXPECT_EQ(traced.second.to_vector<bool>(), expected) << number.str();
  };
  check(true, true);
  check(false, false);
  check(-3, true);
  check(0.5, true);
  check(-0.0, false);
  check(NAN, true);
}
