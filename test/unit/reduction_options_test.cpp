//===- reduction_options_test.cpp - reductions with dtype, initial and where ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using tenon::test::errorOf;
using testing::HasSubstr;

static bool areEqual(const Array &a, const Array &b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && array_equal(a, b, true).item<bool>();
}

TEST(ReductionOptions, MaskedElementsDoNotCount) {
  const Array x = {{1.0f, NAN, 3.0f}, {4.0f, 5.0f, NAN}}, mask = isfinite(x), row = {true, false, false};
  EXPECT_TRUE(areEqual(sum(x, {.axis = 1, .where = mask}), Array{4.0f, 9.0f}));
  EXPECT_TRUE(areEqual(prod(x, {.axis = 1, .where = mask}), Array{3.0f, 20.0f}));
  EXPECT_TRUE(areEqual(mean(x, {.axis = 1, .where = mask}), Array{2.0f, 4.5f}));
  EXPECT_TRUE(areEqual(var(x, {.axis = 1, .correction = 1, .where = mask}), Array{2.0f, 0.5f}));
  EXPECT_TRUE(areEqual(tenon::std(Array{1.0f, 5.0f, 9.0f}, {.where = row || Array{false, true, false}}), Array(2.0f)));
  EXPECT_TRUE(areEqual(max(x, {.axis = 1, .initial = 0, .where = mask}), Array{3.0f, 5.0f}));
  EXPECT_TRUE(areEqual(min(x, {.initial = 9, .where = mask}), Array(1.0f)));
  EXPECT_TRUE(areEqual(sum(x, {.where = row}), Array(5.0f))) << "broadcast";
  EXPECT_TRUE(areEqual(x.sum({.axis = 0, .where = mask}), Array{5.0f, 5.0f, 3.0f})) << "the method";
  EXPECT_TRUE(areEqual(any(x > 4, {.axis = 1, .where = row}), Array{false, false}));
  EXPECT_TRUE(areEqual(all(x > 3, {.axis = 1, .where = row}), Array{false, true}));
}

TEST(ReductionOptions, NothingCounts) {
  const Array x = {1.0f, 2.0f}, none = {false, false};
  EXPECT_TRUE(areEqual(sum(x, {.where = none}), Array(0.0f)));
  EXPECT_TRUE(areEqual(prod(x, {.where = none}), Array(1.0f)));
  EXPECT_TRUE(areEqual(max(x, {.initial = -7, .where = none}), Array(-7.0f)));
  EXPECT_TRUE(areEqual(mean(x, {.where = none}), Array(NAN)));
  EXPECT_TRUE(areEqual(var(x, {.where = none}), Array(NAN)));
  EXPECT_TRUE(areEqual(any(x, {.where = none}), Array(false)));
  EXPECT_TRUE(areEqual(all(x, {.where = none}), Array(true)));
  EXPECT_TRUE(areEqual(max(zeros({2, 0}), {.axis = 1, .initial = 3}), Array{3.0f, 3.0f})) << "an empty axis";
}

TEST(ReductionOptions, ComputesInTheDtype) {
  const Array bytes = astype(Array{100, 100, 100}, i8);
  EXPECT_TRUE(areEqual(sum(bytes, {.dtype = i8}), astype(Array(44), i8))) << "wraps around";
  EXPECT_TRUE(areEqual(sum(bytes, {.dtype = f64, .initial = 0.5}), full({}, 300.5, f64)));
  EXPECT_TRUE(areEqual(prod(bytes, {.dtype = i64}), Array(int64_t(1000000))));
  EXPECT_TRUE(areEqual(mean(Array{1, 2}, {.dtype = f64}), full({}, 1.5, f64)));
  const Array small = astype(Array{2048.0f, 1.0f}, f16); // 2049 is no f16, 2050 is one
  EXPECT_TRUE(areEqual(sum(small, {.initial = 1}), astype(Array(2050.0f), f16))) << "rounded once";
}

TEST(ReductionOptions, OfComplexNumbers) {
  const Array x = complex(Array{1.0f, 2.0f, 3.0f}, Array{-1.0f, 0.5f, 2.0f}), mask = {true, false, true};
  EXPECT_TRUE(areEqual(sum(x, {.initial = 2, .where = mask}), complex(Array(6.0f), Array(1.0f))));
  EXPECT_TRUE(areEqual(mean(x, {.where = mask}), complex(Array(2.0f), Array(0.5f))));
  EXPECT_TRUE(areEqual(var(x, {.where = mask}), Array(3.25f)));
  EXPECT_EQ(var(x, {.dtype = f64}).dtype(), f64);
}

TEST(ReductionOptions, MaskedElementsHaveNoDerivative) {
  const Array x = {1.0f, 5.0f, 5.0f, 2.0f}, mask = {true, false, true, true};
  const auto slopes = [&](auto f) { return grad([&](const Array &at) { return f(at); })(x); };
  EXPECT_TRUE(areEqual(slopes([&](const Array &at) { return max(at, {.initial = 0, .where = mask}); }),
                       Array{0.0f, 0.0f, 1.0f, 0.0f}));
  EXPECT_TRUE(areEqual(slopes([&](const Array &at) { return max(at, {.initial = 5, .where = mask}); }),
                       Array{0.0f, 0.0f, 0.5f, 0.0f}))
      << "shared with the initial value alone";
}

TEST(ReductionOptions, Errors) {
  const Array x = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  EXPECT_THAT(errorOf([&] { (void)max(x, {.where = x > 0}); }),
              HasSubstr("max: expected `initial` beside `where`: where no element is selected there is no maximum"));
  EXPECT_THAT(errorOf([&] { (void)sum(x, {.where = Array{true, false, true}}); }),
              HasSubstr("sum: the shape (3,) does not broadcast to (2, 2)"));
  EXPECT_THAT(errorOf([&] { (void)sum(x[0], {.where = x > 0}); }), HasSubstr("does not broadcast to (2,)"));
  EXPECT_THAT(errorOf([&] { (void)mean(x, {.dtype = i32}); }),
              HasSubstr("mean: expected a floating or complex dtype, got i32"));
  EXPECT_THAT(errorOf([&] { (void)tenon::std(x, {.dtype = c64}); }),
              HasSubstr("std: expected a floating dtype, got c64"));
  EXPECT_THAT(errorOf([&] { (void)sum(x, {.dtype = u8, .initial = 300}); }),
              HasSubstr("sum: expected a number that fits u8, got 300"));
}
