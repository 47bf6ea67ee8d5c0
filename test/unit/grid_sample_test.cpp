//===- grid_sample_test.cpp - grids, regions and blocks in the cases that peers got wrong -===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

namespace {

constexpr float inf = INFINITY, nan = NAN;
constexpr GridPadding paddings[] = {GridPadding::zeros, GridPadding::border, GridPadding::reflection};
constexpr GridMode gridModes[] = {GridMode::bilinear, GridMode::nearest, GridMode::bicubic};

const Array identity2d = {{{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}}};

/// Samples a line [1, n, 1] at coordinates.
Floats onLine(const Array &x, const Array &at, GridSampleOptions options) {
  return floats(grid_sample(reshape(x, {1, -1, 1}), reshape(at, {1, -1, 1}), options));
}

//===----------------------------------------------------------------------===//
// grid_sample, affine_grid
//===----------------------------------------------------------------------===//

TEST(GridSample, ReturnsTheImageOnItsOwnGrid) {
  const Array x = sin(reshape(arange(24.0f), {1, 3, 4, 2}));
  for (bool isAligned : {false, true})
    for (GridMode mode : gridModes)
      for (GridPadding padding : paddings) {
        const Array grid = affine_grid(identity2d, x.shape(), {.align_corners = isAligned});
        EXPECT_THAT(floats(grid_sample(x, grid, {.mode = mode, .padding = padding, .align_corners = isAligned})),
                    Pointwise(FloatNear(1e-5f), floats(x)));
      }
}

TEST(GridSample, HasTheSlopeBehindAnElement) {
  // Of 0, 2, 8, 18, 32: a coordinate is 2 elements wide.
  const Array x = reshape(2 * square(arange(5.0f)), {1, 5, 1});
  for (GridPadding padding : paddings) {
    const Array slope = grad([&](const Array &at) {
      return sum(grid_sample(x, at, {.padding = padding, .align_corners = true}));
    })(reshape(Array{-0.5f, 0.0f, 0.5f}, {1, 3, 1}));
    EXPECT_THAT(floats(slope), ElementsAre(12, 20, 28));
  }
}

TEST(GridSample, IsNotMovedByWhatLiesBehindTheBorder) {
  const Array x = reshape(Array{3.0f, 5.0f}, {1, 2, 1}), at = reshape(Array{1.0f}, {1, 1, 1});
  for (GridPadding padding : {GridPadding::border, GridPadding::reflection}) {
    const Array slope = grad([&](const Array &place) {
      return sum(grid_sample(x, place, {.padding = padding, .align_corners = true}));
    })(at);
    EXPECT_GE(number(slope), 0) << "of the zeros behind the border it is -5";
    EXPECT_LE(number(slope), 2);
  }
}

TEST(GridSample, ReadsNanAsTheFirstEdge) {
  for (GridMode mode : gridModes)
    for (GridPadding padding : paddings)
      EXPECT_EQ(onLine({1.0f, 2.0f, 4.0f}, {nan}, {.mode = mode, .padding = padding}),
                onLine({1.0f, 2.0f, 4.0f}, {-1.0f}, {.mode = mode, .padding = padding}));
}

TEST(GridSample, TakesCoordinatesFarAway) {
  const Array x = {1.0f, 2.0f, 4.0f}, far = {inf, 2.5e38f, -2.5e38f, -inf};
  for (GridMode mode : gridModes) {
    EXPECT_THAT(onLine(x, far, {.mode = mode}), Each(0));
    EXPECT_THAT(onLine(x, far, {.mode = mode, .padding = GridPadding::border}), ElementsAre(4, 4, 1, 1));
    for (float value : onLine(x, far, {.mode = mode, .padding = GridPadding::reflection})) {
      EXPECT_GE(value, 0.5);
      EXPECT_LE(value, 4.5);
    }
  }
}

TEST(GridSample, MirrorsAsOftenAsNeeded) {
  // Elements 0 to 2 have their centers at -2/3, 0, 2/3, or at -1, 0, 1.
  const Array x = {1.0f, 2.0f, 4.0f};
  const GridSampleOptions options{.mode = GridMode::nearest, .padding = GridPadding::reflection};
  EXPECT_THAT(onLine(x, Array{-4.0f, -2.0f, 2.0f, 4.0f, 8.0f} / 1.5f, options), ElementsAre(4, 1, 4, 1, 4));
  GridSampleOptions aligned = options;
  aligned.align_corners = true;
  EXPECT_THAT(onLine(x, {-3.0f, -2.0f, 2.0f, 3.0f, 5.0f}, aligned), ElementsAre(4, 2, 2, 1, 4));
}

TEST(GridSample, TakesAxesOfOneElement) {
  for (GridPadding padding : {GridPadding::border, GridPadding::reflection})
    for (bool isAligned : {false, true})
      for (GridMode mode : {GridMode::bilinear, GridMode::nearest, GridMode::bicubic})
        EXPECT_THAT(onLine({7.0f}, {-3.0f, -1.0f, 0.0f, 0.4f, 30.0f},
                           {.mode = mode, .padding = padding, .align_corners = isAligned}),
                    Each(FloatNear(7, 1e-5f)));
  EXPECT_THAT(onLine({7.0f}, {-3.0f, 0.0f, 30.0f}, {}), ElementsAre(0, 7, 0));
}

TEST(GridSample, LeavesOutInfinitiesAndNansOfWeightZero) {
  for (float value : {inf, nan})
    for (GridMode mode : gridModes)
      EXPECT_THAT(onLine({1.0f, 2.0f, value}, {-1.0f, 0.0f}, {.mode = mode, .align_corners = true}), ElementsAre(1, 2));
}

TEST(GridSample, KeepsTheDtypeOfXAndThePrecisionOfTheGrid) {
  const Array x = reshape(astype(arange(301.0f), bf16), {1, 301, 1});
  const Array at = reshape(Array{2 * 205.0f / 300 - 1}, {1, 1, 1});
  const Array got = grid_sample(x, at, {.align_corners = true});
  EXPECT_EQ(got.dtype(), bf16);
  EXPECT_THAT(doubles(got), ElementsAre(205));
}

TEST(GridSample, TakesSymbolicSizes) {
  auto f = [](const Array &x, const Array &theta) {
    return grid_sample(x, affine_grid(theta, x.shape()),
                       {.mode = GridMode::bicubic, .padding = GridPadding::reflection});
  };
  auto traced = jit(f, {.specs = {TensorSpec{f32, {"n", "h", "w", 2}}, TensorSpec{f32, {"n", 2, 3}}}});
  for (int h : {2, 5}) {
    const Array x = sin(reshape(arange(static_cast<float>(24 * h)), {2, h, 6, 2}));
    const Array theta = tile(Array{{{0.7f, -0.6f, 0.2f}, {0.5f, 0.9f, -0.1f}}}, {2, 1, 1});
    EXPECT_THAT(floats(traced(x, theta)), Pointwise(FloatNear(1e-5f), floats(f(x, theta))));
  }
}

//===----------------------------------------------------------------------===//
// roi_align
//===----------------------------------------------------------------------===//

TEST(RoiAlign, TakesWholeElementsWhereBoxesAreAligned) {
  const Array x = reshape(arange(16.0f), {1, 4, 4, 1}), boxes = {{1.0f, 1.0f, 3.0f, 3.0f}};
  EXPECT_THAT(floats(roi_align(x, boxes, {0}, {2, 2})), ElementsAre(5, 6, 9, 10));
  EXPECT_THAT(floats(roi_align(x, boxes, {0}, {2, 2}, {.aligned = false})), ElementsAre(7.5f, 8.5f, 11.5f, 12.5f));
}

TEST(RoiAlign, CountsSamplesOfEachRegion) {
  const Array x = reshape(square(arange(64.0f)), {1, 8, 8, 1});
  const Array boxes = {{0.0f, 0.0f, 8.0f, 3.0f}, {1.0f, 1.0f, 2.0f, 2.0f}, {3.0f, 0.0f, 4.0f, 7.5f}};
  const Array all = roi_align(x, boxes, {0, 0, 0}, {2, 2});
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(floats(all[i]),
                Pointwise(FloatNear(1e-3f), floats(roi_align(x, boxes[{slice(i, i + 1)}], {0}, {2, 2}))));
}

TEST(RoiAlign, IsZeroForEmptyRegionsAndNan) {
  const Array x = ones({1, 4, 4, 1});
  const Array boxes = {
      {1.0f, 1.0f, 1.0f, 3.0f}, {nan, 1.0f, 2.0f, 3.0f}, {3.0f, 1.0f, 1.0f, 3.0f}, {90.0f, 1.0f, 92.0f, 3.0f}};
  for (RoiPooling pooling : {RoiPooling::average, RoiPooling::max})
    EXPECT_THAT(floats(roi_align(x, boxes, {0, 0, 0, 0}, {1, 1}, {.pooling = pooling})), Each(0));
  EXPECT_EQ(roi_align(x, zeros({0, 4}), zeros({0}, i32), {2, 3}).shape(), Shape({0, 2, 3, 1}));
}

TEST(RoiAlign, TakesTheLargestInterpolatedValue) {
  // One sample between four elements; ONNX takes the largest quarter of an element.
  const Array x = reshape(Array{1.0f, 2.0f, 3.0f, 10.0f}, {1, 2, 2, 1});
  EXPECT_THAT(
      floats(roi_align(x, {{0.0f, 0.0f, 2.0f, 2.0f}}, {0}, {1, 1}, {.sampling_ratio = 1, .pooling = RoiPooling::max})),
      ElementsAre(4));
}

TEST(RoiAlign, AsksForTheNumberOfSamplesUnderJit) {
  const Array x = reshape(arange(16.0f), {1, 4, 4, 1}), boxes = {{0.0f, 0.0f, 3.0f, 3.0f}};
  auto adaptive = jit([](const Array &image, const Array &at) { return roi_align(image, at, {0}, {2, 2}); });
  EXPECT_THAT(
      errorOf([&] { (void)adaptive(x, boxes); }),
      HasSubstr("the number of samples depends on the values of rois, which are unknown inside jit and vmap; give "
                ".sampling_ratio"));
  auto fixed =
      jit([](const Array &image, const Array &at) { return roi_align(image, at, {0}, {2, 2}, {.sampling_ratio = 2}); });
  EXPECT_EQ(floats(fixed(x, boxes)), floats(roi_align(x, boxes, {0}, {2, 2})));
  // The values are known to derivatives.
  const Array slope =
      grad([](const Array &image, const Array &at) { return sum(roi_align(image, at, {0}, {1, 1})); })(x, boxes);
  EXPECT_NEAR(number(sum(slope)), 1, 1e-5);
}

TEST(RoiAlign, RefusesRegionsThatAreTooLargeAndWrongImages) {
  const Array x = ones({1, 4, 4, 1});
  EXPECT_THAT(errorOf([&] { (void)roi_align(x, {{0.0f, 0.0f, 1e9f, 3.0f}}, {0}, {1, 1}); }),
              HasSubstr("expected at most 1024; give .sampling_ratio"));
  EXPECT_THAT(errorOf([&] { (void)roi_align(x, {{0.0f, 0.0f, 1.0f, 3.0f}}, {1}, {1, 1}); }), HasSubstr("out of range"));
}

//===----------------------------------------------------------------------===//
// Channels as blocks
//===----------------------------------------------------------------------===//

TEST(DepthToSpace, OrdersChannelsAsTensorFlowOrPyTorch) {
  const Array x = reshape(arange(8), {1, 1, 1, 8});
  EXPECT_THAT(longs(depth_to_space(x, 2)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(longs(pixel_shuffle(x, 2)), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_EQ(depth_to_space(x, 2).shape(), Shape({1, 2, 2, 2}));
}

TEST(DepthToSpace, IsUndoneBySpaceToDepth) {
  const Array x = reshape(arange(2 * 4 * 6 * 9), {2, 6, 4, 9});
  for (DepthOrder order : {DepthOrder::dcr, DepthOrder::crd})
    for (DataFormat format : {DataFormat::channels_last, DataFormat::channels_first}) {
      const Array at = format == DataFormat::channels_last ? x : moveaxis(x, 3, 1);
      const Array deep = space_to_depth(at, 2, {.order = order, .data_format = format});
      EXPECT_EQ(longs(depth_to_space(deep, 2, {.order = order, .data_format = format})), longs(at));
    }
}

TEST(DepthToSpace, TakesSymbolicSizes) {
  auto up = jit([](const Array &x) { return pixel_shuffle(x, 2); }, {.specs = {TensorSpec{f32, {"n", "h", 3, 8}}}});
  const Array x = reshape(arange(96.0f), {2, 2, 3, 8});
  EXPECT_EQ(floats(up(x)), floats(pixel_shuffle(x, 2)));
  auto down = jit([](const Array &y) { return pixel_unshuffle(y, 2); }, {.specs = {TensorSpec{f32, {2, "h", 4, 1}}}});
  EXPECT_THAT(errorOf([&] { (void)down(zeros({2, 4, 4, 1})); }),
              HasSubstr("expected a multiple of 2 as the height, got h"));
}

} // namespace
