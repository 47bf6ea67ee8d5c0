//===- Convolutions.cpp - convolutions that JAX computes too -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tn = tenon;
using X = const Arrays &;

std::vector<Case> convolutionCases() {
  return {
      {"conv1d causal", [](X x) { return Arrays{tn::conv1d(x[0], x[1], {.padding = tn::causal, .dilation = 2})}; }},
      {"conv2d", [](X x) { return Arrays{tn::conv2d(x[0], x[1])}; }},
      {"conv2d strides", [](X x) { return Arrays{tn::conv2d(x[0], x[1], {.strides = 2, .padding = tn::same})}; }},
      {"conv2d padding",
       [](X x) {
         return Arrays{tn::conv2d(x[0], x[1], {.strides = {1, 2}, .padding = {{1, 2}, {0, 1}}, .dilation = {2, 1}})};
       }},
      {"conv2d groups", [](X x) { return Arrays{tn::conv2d(x[0], x[1], {.groups = 2})}; }},
      {"conv2d depthwise", [](X x) { return Arrays{tn::conv2d(x[0], x[1], {.padding = tn::same, .groups = 4})}; }},
      {"conv2d channels_first",
       [](X x) { return Arrays{tn::conv2d(x[0], x[1], {.data_format = tn::DataFormat::channels_first})}; }},
      {"conv2d complex",
       [](X x) { return Arrays{tn::conv2d(tn::complex(x[0], x[1]), tn::complex(x[2], x[3]), {.padding = tn::same})}; }},
      {"conv3d", [](X x) { return Arrays{tn::conv3d(x[0], x[1], {.strides = {1, 2, 1}})}; }},
      {"conv_general dilated",
       [](X x) {
         return Arrays{tn::conv_general(x[0], x[1], {.strides = 2, .padding = {{2, 1}, {1, 1}}, .x_dilation = {3, 2}})};
       }},
      {"conv_general layout", [](X x) { return Arrays{tn::conv_general(x[0], x[1], {.layout = "NCHW,OIHW->NHWC"})}; }},
      {"conv_transpose1d", [](X x) { return Arrays{tn::conv_transpose1d(x[0], x[1], {.strides = 2})}; }},
      {"conv_transpose2d same",
       [](X x) { return Arrays{tn::conv_transpose2d(x[0], x[1], {.strides = 2, .padding = tn::same})}; }},
      {"conv_transpose2d padding",
       [](X x) {
         return Arrays{tn::conv_transpose2d(
             x[0], x[1], {.strides = 3, .padding = 1, .output_padding = 2, .dilation = 2, .groups = 2})};
       }},
      {"conv_transpose3d", [](X x) { return Arrays{tn::conv_transpose3d(x[0], x[1], {.strides = {1, 2, 1}})}; }},
      {"convolve full", [](X x) { return Arrays{tn::convolve(x[0], x[1])}; }},
      {"convolve same", [](X x) { return Arrays{tn::convolve(x[0], x[1], tn::ConvolutionMode::same)}; }},
      {"convolve valid", [](X x) { return Arrays{tn::convolve(x[0], x[1], tn::ConvolutionMode::valid)}; }},
      {"convolve 2d", [](X x) { return Arrays{tn::convolve(x[0], x[1])}; }},
      {"correlate full", [](X x) { return Arrays{tn::correlate(x[0], x[1], tn::ConvolutionMode::full)}; }},
      {"correlate valid 2d", [](X x) { return Arrays{tn::correlate(x[0], x[1])}; }},
      {"correlate complex",
       [](X x) {
         return Arrays{tn::correlate(tn::complex(x[0], x[1]), tn::complex(x[2], x[3]), tn::ConvolutionMode::full)};
       }},
  };
}
