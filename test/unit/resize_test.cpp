//===- resize_test.cpp - image_resize in the cases that peers got wrong ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/ResizeTaps.h"
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Not;
using testing::Pointwise;

namespace {

constexpr float inf = INFINITY, nan = NAN;

Array line(const Array &x, int size, ImageResizeOptions options) {
  options.axis = 0;
  return image_resize(x, size, options);
}

/// 1, 2, ... as an image.
Array counted(int height, int width) {
  return reshape(arange(1.0f, static_cast<float>(height * width + 1)), {1, height, width, 1});
}

TEST(ImageResize, HasTheValuesOfPyTorchsDocumentation) {
  const Array x = counted(2, 2);
  EXPECT_THAT(floats(image_resize(x, {4, 4}, {.method = ResizeMethod::linear})),
              ElementsAre(1, 1.25f, 1.75f, 2, 1.5f, 1.75f, 2.25f, 2.5f, 2.5f, 2.75f, 3.25f, 3.5f, 3, 3.25f, 3.75f, 4));
  EXPECT_THAT(floats(image_resize(x, {4, 4},
                                  {.method = ResizeMethod::linear, .coordinates = ResizeCoordinates::align_corners})),
              Pointwise(FloatNear(1e-4f), Floats{1, 1.3333f, 1.6667f, 2, 1.6667f, 2, 2.3333f, 2.6667f, 2.3333f, 2.6667f,
                                                 3, 3.3333f, 3, 3.3333f, 3.6667f, 4}));
  EXPECT_THAT(floats(image_resize(x, {4, 4})), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4));
}

TEST(ImageResize, HasTheValuesOfOnnxsDocumentation) {
  const Array x = counted(4, 4), scales = {0.8f, 0.8f};
  EXPECT_THAT(floats(image_resize(x, {}, {.method = ResizeMethod::cubic, .scales = scales})),
              Pointwise(FloatNear(1e-4f), Floats{1.47119141f, 2.78125f, 4.08251953f, 6.71142578f, 8.02148438f,
                                                 9.32275391f, 11.91650391f, 13.2265625f, 14.52783203f}));
  EXPECT_THAT(
      floats(image_resize(
          x, {},
          {.method = ResizeMethod::cubic, .cubic_coefficient = -0.5, .exclude_outside = true, .scales = scales})),
      Pointwise(FloatNear(1e-4f), Floats{1.36812675f, 2.6695014f, 4.0133367f, 6.57362535f, 7.875f, 9.2188353f,
                                         11.94896657f, 13.25034122f, 14.59417652f}));
}

TEST(ImageResize, TakesTheNearestElementForAllSizes) {
  for (int64_t size = 1; size <= 40; ++size)
    for (int64_t newSize = 1; newSize <= 40; ++newSize) {
      Longs exact, legacy;
      for (int64_t i = 0; i < newSize; ++i) {
        exact.push_back((2 * i + 1) * size / (2 * newSize));
        legacy.push_back(i * size / newSize);
      }
      const Array x = arange(size, i64);
      EXPECT_EQ(longs(line(x, static_cast<int>(newSize), {})), exact) << size << " to " << newSize;
      EXPECT_EQ(longs(line(x, static_cast<int>(newSize),
                           {.coordinates = ResizeCoordinates::asymmetric, .rounding = ResizeRounding::floor})),
                legacy)
          << size << " to " << newSize;
    }
}

TEST(ImageResize, RoundsPositionsHalfwayAsToldTo) {
  const Array x = {0, 1, 2, 3}; // positions 0.5 and 2.5
  EXPECT_THAT(longs(line(x, 2, {})), ElementsAre(1, 3));
  EXPECT_THAT(longs(line(x, 2, {.rounding = ResizeRounding::round_prefer_floor})), ElementsAre(0, 2));
}

TEST(ImageResize, AlignsAxesOfOneElement) {
  for (ResizeMethod method : {ResizeMethod::nearest, ResizeMethod::linear, ResizeMethod::cubic}) {
    const ImageResizeOptions options{.method = method, .coordinates = ResizeCoordinates::align_corners};
    EXPECT_THAT(floats(line({7.0f}, 3, options)), ElementsAre(7, 7, 7));
    EXPECT_THAT(floats(line({7.0f, 8.0f, 9.0f}, 1, options)), ElementsAre(7));
  }
}

TEST(ImageResize, LeavesOutInfinitiesAndNansOfWeightZero) {
  // Tripled, every third element is one of x.
  const Floats up = floats(line({inf, 1, nan, 2, -inf}, 15, {.method = ResizeMethod::linear}));
  EXPECT_EQ(up[1], inf);
  EXPECT_EQ(up[4], 1);
  EXPECT_EQ(up[10], 2);
  EXPECT_EQ(up[13], -inf);
  // The many elements of a wide kernel are one sum.
  std::vector<float> many(64, 1);
  many[0] = nan;
  const Floats down = floats(line(many, 4, {.method = ResizeMethod::linear, .antialias = true}));
  EXPECT_TRUE(std::isnan(down[0]));
  EXPECT_EQ(down[2], 1);
  EXPECT_EQ(down[3], 1);
}

TEST(ImageResize, RoundsIntegersToEvenAndSaturatesThem) {
  const Array x = astype(Array{0, 255, 255, 0, 0, 1}, u8);
  EXPECT_THAT(longs(line(x, 12, {.method = ResizeMethod::linear})), // 63.75, 191.25, ... 0.25, 0.75
              ElementsAre(0, 64, 191, 255, 255, 191, 64, 0, 0, 0, 1, 1));
  EXPECT_THAT(longs(line(x, 3, {.method = ResizeMethod::linear})), ElementsAre(128, 128, 0)); // 127.5, 127.5, 0.5
  const Longs cubic = longs(line(x, 12, {.method = ResizeMethod::cubic}));
  EXPECT_EQ(cubic[3], 255);
  EXPECT_EQ(cubic[7], 0);
  EXPECT_EQ(line(x, 12, {.method = ResizeMethod::cubic}).dtype(), u8);
  const int64_t large = (int64_t(1) << 40) + 1;
  EXPECT_THAT(longs(line(Array{large, large + 2}, 1, {.method = ResizeMethod::linear})), ElementsAre(large + 1));
}

TEST(ImageResize, RoundsNarrowFloatsOnce) {
  const Array x = astype(sin(arange(35.0f)), bf16);
  const Array wide = line(astype(x, f32), 13, {.method = ResizeMethod::cubic, .antialias = true});
  const Array got = line(x, 13, {.method = ResizeMethod::cubic, .antialias = true});
  EXPECT_EQ(got.dtype(), bf16);
  EXPECT_EQ(doubles(got), doubles(astype(wide, bf16)));
}

TEST(ImageResize, TakesMasksAndStoredFloatsByNearest) {
  EXPECT_THAT(longs(line({true, false}, 4, {})), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(doubles(line(astype(Array{0.5f, 2.0f}, f8e5m2), 3, {})), ElementsAre(0.5, 2, 2));
  EXPECT_THAT(errorOf([] { (void)line({true, false}, 4, {.method = ResizeMethod::linear}); }),
              HasSubstr("expected numbers to interpolate, got bool"));
}

TEST(ImageResize, HasNoElementsOfAnEmptyBatch) {
  EXPECT_EQ(image_resize(zeros({0, 4, 4, 3}), {2, 7}, {.method = ResizeMethod::cubic}).shape(), Shape({0, 2, 7, 3}));
  EXPECT_EQ(image_resize(zeros({2, 4, 4, 3}), {0, 7}, {.method = ResizeMethod::area}).shape(), Shape({2, 0, 7, 3}));
}

TEST(ImageResize, ReturnsXWhereNothingChanges) {
  const Array x = counted(4, 3);
  for (ResizeMethod method : {ResizeMethod::linear, ResizeMethod::cubic, ResizeMethod::lanczos3, ResizeMethod::area})
    EXPECT_EQ(image_resize(x, {4, 3}, {.method = method, .antialias = true}).value(), x.value());
  EXPECT_NE(image_resize(x, {4, 3}, {.method = ResizeMethod::mitchell}).value(), x.value());
}

TEST(ImageResize, CountsASizeThatAScaleMissesByRounding) {
  // 88 * (120.0f / 88) is less than 120.
  EXPECT_EQ(line(zeros({88}), 120, {}).shape(), Shape({120}));
  EXPECT_EQ(image_resize(zeros({88}), {}, {.axis = 0, .scales = Array{120.0f / 88}}).shape(), Shape({120}));
  EXPECT_EQ(image_resize(zeros({10}), {}, {.axis = 0, .scales = {1.3f}}).shape(), Shape({13}));
  EXPECT_EQ(image_resize(zeros({11}), {}, {.axis = 0, .scales = {1.3f}}).shape(), Shape({14}));
}

TEST(ImageResize, HalvesBySlices) {
  auto half = jit([](const Array &x) { return image_resize(x, {2, 2}, {.method = ResizeMethod::linear}); });
  const Array x = counted(4, 4);
  EXPECT_THAT(half.lower(x).trace(), Not(HasSubstr("gather")));
  EXPECT_THAT(floats(half(x)), ElementsAre(3.5f, 5.5f, 11.5f, 13.5f));
}

TEST(ImageResize, TakesASymbolicBatchAndExactSpatialSizes) {
  auto f = [](const Array &x) { return image_resize(x, {3, 5}, {.method = ResizeMethod::cubic}); };
  auto batched = jit(f, {.specs = {TensorSpec{f32, {"n", 4, 4, 2}}}});
  for (int n : {2, 3, 7}) {
    const Array x = sin(reshape(arange(static_cast<float>(32 * n)), {n, 4, 4, 2}));
    EXPECT_EQ(floats(batched(x)), floats(f(x)));
  }
  auto spatial = jit(f, {.specs = {TensorSpec{f32, {2, "h", 4, 2}}}});
  EXPECT_THAT(errorOf([&] { (void)spatial(zeros({2, 6, 4, 2})); }),
              HasSubstr("expected exact sizes of the resized axes, got h for axis 1"));
}

TEST(ImageResize, ResizesComplexNumbersByTheirParts) {
  const Array re = {1.0f, 4.0f, 2.0f}, im = {0.0f, -1.0f, 5.0f};
  const Array got = line(complex(re, im), 7, {.method = ResizeMethod::cubic});
  EXPECT_EQ(floats(real(got)), floats(line(re, 7, {.method = ResizeMethod::cubic})));
  EXPECT_EQ(floats(imag(got)), floats(line(im, 7, {.method = ResizeMethod::cubic})));
}

TEST(ImageResize, AddsUpManyElementsOfArraysOfTheHighestRank) {
  Shape shape(std::vector<int64_t>(max_rank, 1));
  shape.at(0) = 60;
  const Array x = reshape(arange(60.0f), shape);
  const Array got = image_resize(x, 3, {.method = ResizeMethod::area, .axis = 0});
  EXPECT_THAT(floats(got), Pointwise(FloatNear(1e-4f), Floats{9.5f, 29.5f, 49.5f}));
}

TEST(ResizeTaps, AverageTakesWholeElementsAndAreaTheirParts) {
  using namespace detail;
  const ResizedAxis axis{3, 2, {}};
  Resizing how{ResizeMethod::area, ResizeCoordinates::half_pixel, ResizeRounding::floor, false, false, 0};
  EXPECT_EQ(tapsOf(how, axis)[0], (std::vector<Tap>{{0, 1 / 1.5}, {1, 0.5 / 1.5}}));
  how.method = ResizeMethod::average;
  EXPECT_EQ(tapsOf(how, axis)[0], (std::vector<Tap>{{0, 0.5}, {1, 0.5}}));
}

TEST(ResizeTaps, WeightsAreOneInTotalAndWithinTheBound) {
  using namespace detail;
  for (int method = 0; method <= static_cast<int>(ResizeMethod::mitchell); ++method)
    for (bool isWide : {false, true})
      for (bool excludes : {false, true})
        for (const auto &[size, newSize] : {std::pair{1, 5}, {5, 1}, {7, 3}, {3, 8}, {100, 9}}) {
          const Resizing how{static_cast<ResizeMethod>(method),
                             ResizeCoordinates::half_pixel,
                             ResizeRounding::floor,
                             isWide,
                             excludes,
                             -0.75};
          const ResizedAxis axis{size, newSize, {}};
          for (const std::vector<Tap> &taps : tapsOf(how, axis)) {
            double total = 0;
            for (const Tap &tap : taps)
              total += tap.weight;
            EXPECT_NEAR(total, 1, 1e-14);
            EXPECT_LE(static_cast<double>(taps.size()), mostTaps(how, axis));
          }
        }
}

} // namespace
