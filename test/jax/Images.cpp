//===- Images.cpp - functions of images that JAX computes too ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tn = tenon;
using X = const Arrays &;
using tn::ResizeMethod;

// As the reference page of image_resize says how to get JAX's results.
static Arrays smooth(X x, const tn::Shape &sizes, ResizeMethod method) {
  return {tn::image_resize(x[0], sizes, {.method = method, .antialias = true, .cubic_coefficient = -0.5})};
}
static Arrays plain(X x, const tn::Shape &sizes, ResizeMethod method) {
  return {tn::image_resize(x[0], sizes, {.method = method, .cubic_coefficient = -0.5, .exclude_outside = true})};
}
static Arrays sampled(X x, tn::GridPadding padding, bool alignCorners) {
  return {tn::grid_sample(x[0], x[1], {.padding = padding, .align_corners = alignCorners})};
}

std::vector<Case> imageCases() {
  return {
      {"image_resize nearest", [](X x) { return smooth(x, {7, 3}, ResizeMethod::nearest); }},
      {"image_resize linear up", [](X x) { return smooth(x, {9, 8}, ResizeMethod::linear); }},
      {"image_resize linear down", [](X x) { return smooth(x, {3, 2}, ResizeMethod::linear); }},
      {"image_resize linear plain", [](X x) { return plain(x, {3, 8}, ResizeMethod::linear); }},
      {"image_resize cubic up", [](X x) { return smooth(x, {9, 8}, ResizeMethod::cubic); }},
      {"image_resize cubic down", [](X x) { return smooth(x, {3, 2}, ResizeMethod::cubic); }},
      {"image_resize cubic plain", [](X x) { return plain(x, {3, 8}, ResizeMethod::cubic); }},
      {"image_resize lanczos3", [](X x) { return smooth(x, {4, 9}, ResizeMethod::lanczos3); }},
      {"image_resize lanczos5", [](X x) { return plain(x, {4, 9}, ResizeMethod::lanczos5); }},
      {"grid_sample zeros", [](X x) { return sampled(x, tn::GridPadding::zeros, false); }},
      {"grid_sample zeros corners", [](X x) { return sampled(x, tn::GridPadding::zeros, true); }},
      {"grid_sample border", [](X x) { return sampled(x, tn::GridPadding::border, true); }},
      {"grid_sample reflection", [](X x) { return sampled(x, tn::GridPadding::reflection, true); }},
      {"affine_grid", [](X x) { return Arrays{tn::affine_grid(x[0], {2, 3, 4, 1})}; }},
      {"affine_grid and grid_sample",
       [](X x) { return Arrays{tn::grid_sample(x[0], tn::affine_grid(x[1], x[0].shape()))}; }},
      {"roi_align",
       [](X x) { return Arrays{tn::roi_align(x[0], x[1], tn::Array{0, 1, 0}, {2, 3}, {.sampling_ratio = 2})}; }},
      {"depth_to_space", [](X x) { return Arrays{tn::depth_to_space(x[0], 2)}; }},
      {"space_to_depth", [](X x) { return Arrays{tn::space_to_depth(x[0], 2)}; }},
      {"pixel_shuffle", [](X x) { return Arrays{tn::pixel_shuffle(x[0], 2)}; }},
      {"pixel_unshuffle", [](X x) { return Arrays{tn::pixel_unshuffle(x[0], 2)}; }},
  };
}
