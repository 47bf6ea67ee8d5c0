//===- must_fail_images_test.cpp - wrong calls of functions of images -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As must_fail_ops_test.cpp.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

#include <cmath>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array x = zeros({2, 4, 5, 3}), m = zeros({4, 5}), grid = zeros({2, 6, 6, 2}), theta = zeros({2, 2, 3});
  Array rois = zeros({3, 4}), i3 = {0, 1, 0}, empty = zeros({1, 0, 5, 3});
};

const Case<Inputs> cases[] = {
    {"resize_count", [](const Inputs &in) { (void)image_resize(in.x, {8}); }, R"(
image_resize: expected a size for each of the 2 axes between the first and the last of x, got 1; name the axes with .axis
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"resize_axes", [](const Inputs &in) { (void)image_resize(in.m, {8, 8}, {.axis = 0}); }, R"(
image_resize: expected as many sizes as axes, got 2 and 1
  x: f32[4, 5] @m
  at here)"},
    {"resize_axis", [](const Inputs &in) { (void)image_resize(in.m, 8, {.axis = 2}); }, R"(
image_resize: axis 2 is out of range for an array of rank 2
  x: f32[4, 5] @m
  at here)"},
    {"resize_sizes", [](const Inputs &in) { (void)image_resize(in.m, -1, {.axis = 0}); }, R"(
image_resize: expected sizes >= 0, got (-1,)
  x: f32[4, 5] @m
  at here)"},
    {"resize_nothing", [](const Inputs &in) { (void)image_resize(in.empty, {2, 5}); }, R"(
image_resize: axis 1 has no elements to make 2 of
  x: f32[1, 0, 5, 3] @empty
  at here)"},
    {"resize_huge", [](const Inputs &in) { (void)image_resize(in.m, 1 << 30, {.axis = 0}); }, R"(
image_resize: axis 0 of 4 elements is too large to make 1073741824 of
  x: f32[4, 5] @m
  at here)"},
    {"resize_method",
     [](const Inputs &in) { (void)image_resize(in.x, {2, 2}, {.method = static_cast<ResizeMethod>(9)}); }, R"(
image_resize: expected a value of ResizeMethod, got the number 9
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"resize_area",
     [](const Inputs &in) {
       (void)image_resize(in.x, {2, 2},
                          {.method = ResizeMethod::area, .coordinates = ResizeCoordinates::align_corners});
     },
     R"(
image_resize: expected the coordinates half_pixel for the method area, got align_corners
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"resize_scale_count", [](const Inputs &in) { (void)image_resize(in.x, {}, {.scales = {0.5}}); }, R"(
image_resize: expected a scale for each of 2 axes, got 1
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"resize_scale", [](const Inputs &in) { (void)image_resize(in.x, {}, {.scales = {0.5, 0.0}}); }, R"(
image_resize: expected scales > 0, got 0
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"resize_coefficient", [](const Inputs &in) { (void)image_resize(in.x, {2, 2}, {.cubic_coefficient = NAN}); }, R"(
image_resize: expected a finite cubic_coefficient, got nan
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"grid_coordinates", [](const Inputs &in) { (void)grid_sample(in.x, in.rois); }, R"(
grid_sample: expected a grid [batch, places..., 2], got f32[3, 4]
  x: f32[2, 4, 5, 3] @x
  grid: f32[3, 4] @rois
  at here)"},
    {"grid_batch", [](const Inputs &in) { (void)grid_sample(in.empty, in.grid); }, R"(
grid_sample: expected x and grid of one batch size, got 1 and 2
  x: f32[1, 0, 5, 3] @empty
  grid: f32[2, 6, 6, 2] @grid
  at here)"},
    {"grid_rank", [](const Inputs &in) { (void)grid_sample(in.m, in.grid); }, R"(
grid_sample: expected x with a batch, spatial axes and channels, got f32[4, 5]
  x: f32[4, 5] @m
  grid: f32[2, 6, 6, 2] @grid
  at here)"},
    {"grid_nothing", [](const Inputs &in) { (void)grid_sample(in.empty, zeros({1, 6, 2})); }, R"(
grid_sample: expected spatial axes of at least one element, got f32[1, 0, 5, 3]
  x: f32[1, 0, 5, 3] @empty
  grid: f32[1, 6, 2]
  at here)"},
    {"affine_shape", [](const Inputs &in) { (void)affine_grid(in.theta, {2, 4, 4, 4, 1}); }, R"(
affine_grid: expected matrices of the shape (2, 3, 4) for images of (2, 4, 4, 4, 1), got f32[2, 2, 3]
  theta: f32[2, 2, 3] @theta
  at here)"},
    {"affine_rank", [](const Inputs &in) { (void)affine_grid(in.theta, {2, 4}); }, R"(
affine_grid: expected a shape with a batch, spatial axes and channels, got (2, 4)
  theta: f32[2, 2, 3] @theta
  at here)"},
    {"roi_boxes", [](const Inputs &in) { (void)roi_align(in.x, in.m, in.i3, {2, 2}); }, R"(
roi_align: expected boxes [regions, 4], got f32[4, 5]
  x: f32[2, 4, 5, 3] @x
  rois: f32[4, 5] @m
  batch_indices: i32[3] @i3
  at here)"},
    {"roi_indices", [](const Inputs &in) { (void)roi_align(in.x, zeros({2, 4}), in.i3, {2, 2}); }, R"(
roi_align: expected a batch index for each of 2 boxes, got i32[3]
  x: f32[2, 4, 5, 3] @x
  rois: f32[2, 4]
  batch_indices: i32[3] @i3
  at here)"},
    {"roi_bins", [](const Inputs &in) { (void)roi_align(in.x, in.rois, in.i3, {2, 0}); }, R"(
roi_align: expected the exact number of bins along height and width, at least 1, got (2, 0)
  x: f32[2, 4, 5, 3] @x
  rois: f32[3, 4] @rois
  batch_indices: i32[3] @i3
  at here)"},
    {"roi_ratio", [](const Inputs &in) { (void)roi_align(in.x, in.rois, in.i3, {2, 2}, {.sampling_ratio = -1}); }, R"(
roi_align: expected a sampling_ratio >= 0, got -1
  x: f32[2, 4, 5, 3] @x
  rois: f32[3, 4] @rois
  batch_indices: i32[3] @i3
  at here)"},
    {"depth_channels", [](const Inputs &in) { (void)depth_to_space(in.x, 2); }, R"(
depth_to_space: expected a multiple of 4 as the number of channels, got 3
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"depth_width", [](const Inputs &in) { (void)space_to_depth(in.x, 2); }, R"(
space_to_depth: expected a multiple of 2 as the width, got 5
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"shuffle_factor", [](const Inputs &in) { (void)pixel_shuffle(in.x, 0); }, R"(
pixel_shuffle: expected a factor >= 1, got 0
  x: f32[2, 4, 5, 3] @x
  at here)"},
    {"unshuffle_rank", [](const Inputs &in) { (void)pixel_unshuffle(in.m, 2); }, R"(
pixel_unshuffle: expected an array of height, width and channels, got f32[4, 5]
  x: f32[4, 5] @m
  at here)"},
};

class Images : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Images, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Images, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
