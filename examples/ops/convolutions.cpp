//===- convolutions.cpp - convolutions -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in convolutions.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

/// A signal of one channel, [1, 6, 1].
static tn::Array signal() { return tn::reshape(tn::Array{0.0f, 0.0f, 1.0f, 1.0f, 0.0f, 2.0f}, {1, 6, 1}); }

int main() {
  example("conv1d", [] {
    tn::Array kernel = tn::reshape(tn::Array{-1.0f, 0.0f, 1.0f}, {3, 1, 1}); // taps, in, out
    std::cout << tn::squeeze(tn::conv1d(signal(), kernel)) << "\n";
    std::cout << tn::squeeze(tn::conv1d(signal(), kernel, {.padding = tn::causal})); // of the past alone
  });
  example("conv2d", [] {
    tn::Array images = tn::ones({8, 28, 28, 16}), kernel = tn::ones({3, 3, 16, 32});
    std::cout << tn::conv2d(images, kernel).shape() << "\n";
    std::cout << tn::conv2d(images, kernel, {.strides = 2, .padding = tn::same}).shape() << "\n";
    tn::Array depthwise = tn::ones({3, 3, 1, 16}); // each channel by itself
    std::cout << tn::conv2d(images, depthwise, {.groups = 16}).shape();
  });
  example("conv3d", [] { std::cout << tn::conv3d(tn::ones({2, 4, 5, 6, 1}), tn::ones({2, 3, 3, 1, 8})).shape(); });
  example("conv_general", [] {
    tn::Array x = tn::ones({2, 3, 8, 8}), weight = tn::ones({4, 3, 3, 3}); // as PyTorch has them
    std::cout << tn::conv_general(x, weight, {.padding = {{1, 1}, {0, 2}}, .layout = "NCHW,OIHW->NCHW"}).shape();
  });
  example("conv_transpose1d", [] {
    tn::Array x = tn::reshape(tn::Array{1.0f, 2.0f, 3.0f}, {1, 3, 1});
    std::cout << tn::squeeze(tn::conv_transpose1d(x, tn::ones({2, 1, 1}), {.strides = 2})); // each element twice
  });
  example("conv_transpose2d", [] {
    tn::Array x = tn::ones({1, 7, 7, 32}), kernel = tn::ones({3, 3, 16, 32}); // height, width, out, in
    std::cout << tn::conv_transpose2d(x, kernel, {.strides = 2, .padding = tn::same}).shape();
  });
  example("conv_transpose3d", [] {
    std::cout << tn::conv_transpose3d(tn::ones({1, 2, 3, 4, 8}), tn::ones({2, 2, 2, 1, 8}), {.strides = 2}).shape();
  });
  example("convolve", [] {
    tn::Array x = {1.0f, 2.0f, 3.0f, 4.0f}, average = {0.25f, 0.5f, 0.25f};
    std::cout << tn::convolve(x, average) << "\n" << tn::convolve(x, average, tn::ConvolutionMode::same);
  });
  example("correlate", [] {
    std::cout << tn::correlate({0, 1, 2, 0, 1}, {1, 2}); // largest where the pattern is
  });
}
