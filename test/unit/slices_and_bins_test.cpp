//===- slices_and_bins_test.cpp - unique, take, pad, one_hot, histogram2d ----------------===//
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
static Array longs(std::vector<int64_t> values) { return Array(values); }

TEST(Unique, OrdersRowsByTheirElements) {
  const Array x = {{3, 1, 2}, {1, 5, 0}, {3, 1, 2}, {1, 4, 9}, {1, 5, 0}, {3, 1, 1}};
  const auto [values, indices, inverse, counts] = unique(x, {.axis = 0});
  EXPECT_TRUE(areEqual(values, Array{{1, 4, 9}, {1, 5, 0}, {3, 1, 1}, {3, 1, 2}}));
  EXPECT_TRUE(areEqual(indices, longs({3, 1, 5, 0})));
  EXPECT_TRUE(areEqual(inverse, longs({3, 1, 3, 0, 1, 2})));
  EXPECT_TRUE(areEqual(counts, longs({1, 2, 1, 2})));
  EXPECT_TRUE(areEqual(unique(transpose(x), {.axis = -1}).values, transpose(values)));
  const Array padded = unique(x, {.axis = 0, .size = 5, .fill_value = -7}).values;
  EXPECT_TRUE(areEqual(padded[4], Array{-7, -7, -7}));
}

TEST(Unique, RowsOfNansZerosAndNothing) {
  const Array x = {{NAN, 1.0f}, {NAN, 1.0f}, {-0.0f, 2.0f}, {0.0f, 2.0f}};
  EXPECT_TRUE(areEqual(unique(x, {.axis = 0}).counts, longs({2, 1, 1}))) << "each NaN is one of its own";
  EXPECT_EQ(unique(zeros({0, 3}), {.axis = 0}).values.shape(), Shape({0, 3}));
  EXPECT_TRUE(areEqual(unique(zeros({3, 0}), {.axis = 0}).counts, longs({3}))) << "equal rows without elements";
  EXPECT_TRUE(areEqual(unique(zeros({0, 2}), {.axis = 0, .size = 1, .fill_value = 5}).values, Array{{5.0f, 5.0f}}));
}

TEST(Unique, NeedsASizeInATrace) {
  const auto rows = jit([](const Array &x) { return unique(x, {.axis = 0}).values; });
  EXPECT_THAT(
      errorOf([&] { (void)rows(zeros({2, 2})); }),
      HasSubstr("unique: the number of results is unknown inside jit and vmap; pass it: unique(x, {.size = n})"));
}

TEST(Take, ModesOfIndicesOutOfRange) {
  const Array x = {10, 20, 30, 40}, places = {{-5, -1, 0}, {3, 4, 9}};
  EXPECT_TRUE(areEqual(take(x, places, {}, IndexMode::wrap), Array{{40, 40, 10}, {40, 10, 20}}));
  EXPECT_TRUE(areEqual(take(x, places, {}, IndexMode::clip), Array{{10, 10, 10}, {40, 40, 40}}));
  EXPECT_TRUE(areEqual(take(x, places, {}, IndexMode::drop), Array{{0, 0, 10}, {40, 0, 0}}));
  EXPECT_TRUE(areEqual(x.take(Array(-1)), Array(40))) << "from the end";
  const Array huge = astype(Array{3, 5}, u64) * 6148914691236517205ull; // 2^64 - 1, and what that product wraps to
  EXPECT_TRUE(areEqual(take(x, huge, {}, IndexMode::wrap), Array{40, 20}));
  const Array bytes = astype(Array{-100, 127}, i8);
  EXPECT_TRUE(areEqual(take(arange(300), bytes, {}, IndexMode::clip), astype(Array{0, 127}, arange(1).dtype())));
}

TEST(Pad, NegativeWidthsRemoveElements) {
  const Array x = {1, 2, 3};
  EXPECT_TRUE(areEqual(pad(x, 0, {1}, {-1}), Array{0, 1, 2}));
  EXPECT_TRUE(areEqual(pad(x, 9, {-5}, {4}), Array{9, 9})) << "after the others are added";
  EXPECT_TRUE(areEqual(pad(x, 9, {-1}, {0}, {1}), Array{9, 2, 9, 3})) << "and those between";
  EXPECT_EQ(pad(x, 0, {-1}, {-2}).shape(), Shape({0}));
  EXPECT_THAT(errorOf([&] { (void)pad(x, 0, {-2}, {-2}); }),
              HasSubstr("pad: expected paddings that leave a size >= 0, got -1 for axis 0"));
}

TEST(OneHot, FindsTheNumberOfClasses) {
  EXPECT_TRUE(areEqual(one_hot(Array{1, -1, 2}), one_hot(Array{1, -1, 2}, 3)));
  EXPECT_TRUE(areEqual(one_hot(Array{1, 0}, i32), Array{{0, 1}, {1, 0}}));
  EXPECT_EQ(one_hot(zeros({0}, i32)).shape(), Shape({0, 0}));
  const auto traced = jit([](const Array &x) { return one_hot(x); });
  EXPECT_THAT(errorOf([&] { (void)traced(Array{1, 2}); }),
              HasSubstr("one_hot: the number of classes is unknown inside jit and vmap"));
}

TEST(CumulativeTrapezoid, IsTheRunningIntegral) {
  const Array y = {{1.0f, 5.0f, 2.0f}, {4.0f, 4.0f, 0.0f}}, x = {0.0f, 1.0f, 3.0f};
  EXPECT_TRUE(areEqual(cumulative_trapezoid(y), Array{{3.0f, 6.5f}, {4.0f, 6.0f}}));
  EXPECT_TRUE(
      areEqual(cumulative_trapezoid(y, {.x = x, .initial = 0}), Array{{0.0f, 3.0f, 10.0f}, {0.0f, 4.0f, 8.0f}}));
  EXPECT_TRUE(areEqual(cumulative_trapezoid(y, {.dx = 0.5, .axis = 0}), Array{{1.25f, 2.25f, 0.5f}}));
  EXPECT_THAT(errorOf([] { (void)cumulative_trapezoid(zeros({2, 0})); }),
              HasSubstr("cumulative_trapezoid: expected at least one element along axis 1, got (2, 0)"));
}

TEST(Histogram2d, CountsPointsInsideTheGrid) {
  const Array x = {0.0f, 0.5f, 1.0f, 2.0f, 3.0f, 3.0f, -1.0f, NAN},
              y = {0.0f, 1.0f, 1.0f, 2.0f, 1.5f, 2.0f, 0.0f, 1.0f};
  const Histogram2d found =
      histogram2d(x, y, {0.0f, 1.0f, 3.0f}, 2, {.y_range = Array{0.5f, 2.0f}, .weights = arange(8, f32)});
  EXPECT_TRUE(areEqual(found.counts, Array{{1.0f, 0.0f}, {2.0f, 12.0f}}));
  EXPECT_TRUE(areEqual(found.y_edges, Array{0.5f, 1.25f, 2.0f}));
  EXPECT_THAT(errorOf([&] { (void)histogram2d(x, x[0], 2, 2); }),
              HasSubstr("expected a y of the shape of x, (8,), got ()"));
  EXPECT_THAT(errorOf([&] { (void)histogram2d(y, y, 2, 0); }),
              HasSubstr("histogram2d: expected a number of bins from 1"));
}

TEST(BesselFunctions, OfOrderOne) {
  EXPECT_FLOAT_EQ(i1(Array(0.5f)).item<float>(), 0.257894307f);
  EXPECT_TRUE(areEqual(i1(Array{INFINITY, -INFINITY, NAN}), Array{INFINITY, -INFINITY, NAN}));
  EXPECT_EQ(grad([](const Array &x) { return i1(x); })(Array(0.0f)).item<float>(), 0.5f);
}
