//===- images.cpp - resizing, sampling, regions, channels as blocks -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in images.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("image_resize", [] {
    tn::Array x = {{0.0f, 1.0f}, {2.0f, 3.0f}};
    tn::Array image = tn::reshape(x, {1, 2, 2, 1}); // batch, height, width, channels
    tn::Array larger = tn::image_resize(image, {3, 4}, {.method = tn::ResizeMethod::linear});
    std::cout << tn::squeeze(larger);
  });
  example("image_resize", [] {
    tn::Array signal = tn::arange(8.0f);
    std::cout << tn::image_resize(signal, 4, {.method = tn::ResizeMethod::area, .axis = 0}) << "\n"
              << tn::image_resize(signal, {}, {.axis = 0, .scales = {0.5}});
  });
  example("grid_sample", [] {
    tn::Array image = tn::reshape(tn::arange(6.0f), {1, 2, 3, 1});
    tn::Array grid = {{{0.0f, 0.0f}, {1.0f, 1.0f}, {9.0f, 0.0f}}}; // (x, y) of three places
    std::cout << tn::squeeze(tn::grid_sample(image, grid, {.align_corners = true}));
  });
  example("affine_grid", [] {
    tn::Array mirror = {{{-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}}};
    tn::Array image = tn::reshape(tn::arange(6.0f), {1, 2, 3, 1});
    std::cout << tn::squeeze(tn::grid_sample(image, tn::affine_grid(mirror, image.shape())));
  });
  example("roi_align", [] {
    tn::Array image = tn::reshape(tn::arange(16.0f), {1, 4, 4, 1});
    tn::Array boxes = {{0.0f, 0.0f, 2.0f, 2.0f}, {1.0f, 1.0f, 4.0f, 3.0f}}; // x1, y1, x2, y2
    std::cout << tn::squeeze(tn::roi_align(image, boxes, {0, 0}, {1, 2}));
  });
  example("depth_to_space", [] {
    tn::Array x = tn::reshape(tn::arange(8), {1, 1, 2, 4});
    std::cout << tn::squeeze(tn::depth_to_space(x, 2));
  });
  example("space_to_depth", [] {
    tn::Array x = tn::reshape(tn::arange(8), {1, 2, 4, 1});
    std::cout << tn::squeeze(tn::space_to_depth(x, 2));
  });
  example("pixel_shuffle", [] {
    tn::Array x = tn::reshape(tn::arange(8), {1, 1, 8}); // two channels of blocks
    std::cout << tn::pixel_shuffle(x, 2);
  });
  example("pixel_unshuffle", [] {
    tn::Array x = tn::reshape(tn::arange(8), {2, 2, 2});
    std::cout << tn::pixel_unshuffle(x, 2);
  });
}
