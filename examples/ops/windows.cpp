//===- windows.cpp - pooling and other functions over windows -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in windows.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

/// An image of one channel, [4, 4, 1]: 0, 1, 2, ...
static tn::Array image() { return tn::reshape(tn::arange(16, tn::f32), {4, 4, 1}); }
/// A signal of one channel, [6, 1].
static tn::Array signal() { return tn::Array{{3.0f}, {1.0f}, {4.0f}, {1.0f}, {5.0f}, {9.0f}}; }

int main() {
  example("reduce_window", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::reduce_window(x, 2) << "\n"; // sums of 2 x 2 elements
    std::cout << tn::reduce_window(x, {1, 3}, {.reduction = tn::WindowReduction::max, .padding = tn::same}) << "\n";
    auto larger = [](const tn::Array &a, const tn::Array &b) { return tn::where(tn::abs(a) > tn::abs(b), a, b); };
    std::cout << tn::reduce_window({1, -4, 2, 3}, 2, larger, 0); // any associative function
  });
  example("max_pool1d", [] {
    std::cout << tn::squeeze(tn::max_pool1d(signal(), 2), -1) << "\n";
    std::cout << tn::squeeze(tn::max_pool1d(signal(), 3, {.strides = 1, .padding = tn::same}), -1);
  });
  example("max_pool2d", [] {
    std::cout << tn::squeeze(tn::max_pool2d(image(), 2), -1) << "\n";
    std::cout << tn::max_pool2d(tn::ones({8, 3, 32, 32}), 3,
                                {.strides = 2, .padding = 1, .data_format = tn::DataFormat::channels_first})
                     .shape();
  });
  example("max_pool3d", [] { std::cout << tn::max_pool3d(tn::ones({2, 8, 8, 8, 3}), {1, 2, 2}).shape(); });
  example("max_pool1d_with_indices", [] {
    auto [values, indices] = tn::max_pool1d_with_indices(signal(), 2);
    std::cout << tn::squeeze(values, -1) << "\n" << tn::squeeze(indices, -1);
  });
  example("max_pool2d_with_indices", [] {
    auto [values, indices] = tn::max_pool2d_with_indices(image(), 2);
    std::cout << tn::squeeze(indices, -1); // row * 4 + column
  });
  example("max_pool3d_with_indices", [] {
    std::cout << tn::max_pool3d_with_indices(tn::ones({2, 2, 2, 1}), 2).indices; // the first of equal ones
  });
  example("max_unpool1d", [] {
    auto [values, indices] = tn::max_pool1d_with_indices(signal(), 2);
    std::cout << tn::squeeze(tn::max_unpool1d(values, indices, 2), -1);
  });
  example("max_unpool2d", [] {
    auto [values, indices] = tn::max_pool2d_with_indices(image(), 2);
    std::cout << tn::squeeze(tn::max_unpool2d(values, indices, 2), -1);
  });
  example("max_unpool3d", [] {
    auto [values, indices] = tn::max_pool3d_with_indices(tn::ones({4, 4, 4, 1}), 2);
    std::cout << tn::max_unpool3d(values, indices, 2).shape();
  });
  example("avg_pool1d", [] {
    std::cout << tn::squeeze(tn::avg_pool1d(signal(), 2), -1) << "\n";
    // At the ends a mean of two elements, not of three of which one is 0.
    std::cout << tn::squeeze(tn::avg_pool1d(signal(), 3, {.strides = 1, .padding = 1, .count_include_pad = false}), -1);
  });
  example("avg_pool2d", [] { std::cout << tn::squeeze(tn::avg_pool2d(image(), 2), -1); });
  example("avg_pool3d", [] { std::cout << tn::avg_pool3d(tn::ones({2, 8, 8, 8, 3}), 4).shape(); });
  example("adaptive_avg_pool1d", [] { std::cout << tn::squeeze(tn::adaptive_avg_pool1d(signal(), 4), -1); });
  example("adaptive_avg_pool2d", [] {
    std::cout << tn::squeeze(tn::adaptive_avg_pool2d(image(), 1)); // the mean of each channel
  });
  example("adaptive_avg_pool3d",
          [] { std::cout << tn::adaptive_avg_pool3d(tn::ones({2, 5, 6, 7, 3}), {1, 2, 3}).shape(); });
  example("adaptive_max_pool1d", [] { std::cout << tn::squeeze(tn::adaptive_max_pool1d(signal(), 4), -1); });
  example("adaptive_max_pool2d", [] { std::cout << tn::squeeze(tn::adaptive_max_pool2d(image(), {2, 3}), -1); });
  example("adaptive_max_pool3d",
          [] { std::cout << tn::adaptive_max_pool3d(tn::ones({2, 5, 6, 7, 3}), {1, 2, 3}).shape(); });
  example("local_response_norm", [] {
    std::cout << tn::local_response_norm({{1.0f, 2.0f, 3.0f, 4.0f}}, 3, {.alpha = 1}); // of four channels
  });
  example("sliding_window_view", [] {
    std::cout << tn::sliding_window_view({1, 2, 3, 4}, 2) << "\n";
    std::cout << tn::sliding_window_view(tn::ones({5, 6}), {2, 3}).shape();
  });
  example("unfold", [] {
    std::cout << tn::unfold(image(), 3) << "\n"; // a row for each of the four windows
    // A convolution as a product of matrices.
    tn::Array kernel = tn::ones({3, 3, 1, 8});
    std::cout << tn::matmul(tn::unfold(image(), 3), tn::reshape(kernel, {9, 8})).shape();
  });
  example("fold", [] {
    std::cout << tn::squeeze(tn::fold(tn::ones({9, 4}), {4, 4}, 2), -1); // how many windows each place is in
  });
  example("select_and_scatter", [] {
    tn::Array x = {{1.0f, 9.0f, 3.0f, 4.0f}, {5.0f, 6.0f, 7.0f, 8.0f}}, source = {{10.0f, 20.0f}};
    std::cout << tn::select_and_scatter(x, source, 2, {.strides = 2});
  });
}
