//===- Windows.cpp - pooling and windows that JAX computes too -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

#include <limits>

namespace tn = tenon;
using X = const Arrays &;

static Arrays reduced(X x, tn::WindowReduction reduction) {
  return {tn::reduce_window(
      x[0], {2, 3}, {.reduction = reduction, .strides = {1, 2}, .padding = {{1, 0}, {1, 1}}, .dilation = {2, 1}})};
}

static Arrays unpooled(X x) {
  tn::MaxPool pool = tn::max_pool2d_with_indices(x[0], 2);
  return {tn::max_unpool2d(pool.values * pool.values, pool.indices, 2)};
}

std::vector<Case> windowCases() {
  return {
      {"reduce_window sum", [](X x) { return reduced(x, tn::WindowReduction::sum); }},
      {"reduce_window max", [](X x) { return reduced(x, tn::WindowReduction::max); }},
      {"reduce_window min", [](X x) { return reduced(x, tn::WindowReduction::min); }},
      {"reduce_window prod", [](X x) { return reduced(x, tn::WindowReduction::prod); }},
      {"reduce_window x_dilation", [](X x) { return Arrays{tn::reduce_window(x[0], 3, {.x_dilation = {2, 1}})}; }},
      {"reduce_window function",
       [](X x) {
         auto add = [](const tn::Array &a, const tn::Array &b) { return tn::logaddexp(a, b); };
         return Arrays{tn::reduce_window(x[0], 3, add, -std::numeric_limits<double>::infinity())};
       }},
      {"max_pool1d", [](X x) { return Arrays{tn::max_pool1d(x[0], 3, {.strides = 2})}; }},
      {"max_pool2d", [](X x) { return Arrays{tn::max_pool2d(x[0], 2)}; }},
      {"max_pool2d overlapping", [](X x) { return Arrays{tn::max_pool2d(x[0], 3, {.strides = 1, .padding = 1})}; }},
      {"max_pool2d dilation", [](X x) { return Arrays{tn::max_pool2d(x[0], 2, {.strides = 1, .dilation = 2})}; }},
      {"max_pool3d", [](X x) { return Arrays{tn::max_pool3d(x[0], {1, 2, 2})}; }},
      {"max_pool2d_with_indices",
       [](X x) { return Arrays{tn::max_pool2d_with_indices(x[0], 3, {.strides = 2}).values}; }},
      {"max_unpool2d", unpooled},
      {"avg_pool1d", [](X x) { return Arrays{tn::avg_pool1d(x[0], 3, {.strides = 2})}; }},
      {"avg_pool2d", [](X x) { return Arrays{tn::avg_pool2d(x[0], 3, {.strides = 2, .padding = 1})}; }},
      {"avg_pool2d counting x alone",
       [](X x) {
         return Arrays{tn::avg_pool2d(x[0], 3, {.strides = 1, .padding = tn::same, .count_include_pad = false})};
       }},
      {"avg_pool3d", [](X x) { return Arrays{tn::avg_pool3d(x[0], 2)}; }},
      {"adaptive_avg_pool2d", [](X x) { return Arrays{tn::adaptive_avg_pool2d(x[0], {3, 4})}; }},
      {"adaptive_max_pool2d", [](X x) { return Arrays{tn::adaptive_max_pool2d(x[0], {3, 4})}; }},
      {"adaptive_avg_pool1d", [](X x) { return Arrays{tn::adaptive_avg_pool1d(x[0], 3)}; }},
      {"local_response_norm",
       [](X x) { return Arrays{tn::local_response_norm(x[0], 3, {.alpha = 0.5, .beta = 0.75, .k = 2})}; }},
      {"sliding_window_view", [](X x) { return Arrays{tn::sliding_window_view(x[0], {2, 3}, {0, 1})}; }},
      {"unfold",
       [](X x) { return Arrays{tn::unfold(x[0], {2, 3}, {.strides = {2, 1}, .padding = 1, .dilation = {1, 2}})}; }},
      {"fold", [](X x) { return Arrays{tn::fold(x[0], {5, 6}, 3, {.strides = {2, 1}, .padding = 1})}; }},
  };
}
