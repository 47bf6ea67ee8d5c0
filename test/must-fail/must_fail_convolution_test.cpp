//===- must_fail_convolution_test.cpp - convolutions that cannot be ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As must_fail_movement_test.cpp, for convolutions.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array x = zeros({2, 5, 6, 4}), kernel = zeros({3, 3, 4, 8}), threes = zeros({3, 3, 3, 8}), odd = zeros({3, 3, 2, 7}),
        large = zeros({7, 7, 4, 2}), none = zeros({0, 3, 4, 2});
  Array f0 = zeros({0}), f3 = zeros({3}), f23 = zeros({2, 3}), f313 = zeros({3, 1, 3}), f314 = zeros({3, 1, 4}),
        f = 1.0f, b = astype(zeros({2, 5, 4}), Dtype::bool_);
};

const Case<Inputs> cases[] = {
    {"conv_channels", [](const Inputs &in) { (void)conv2d(in.x, in.threes); }, R"(
conv2d: expected a kernel that takes 4 channels, as x has, got 3
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 3, 8] @threes
  at here)"},
    {"conv_groups", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.groups = 3}); }, R"(
conv2d: expected groups that divide the 4 channels of x, got 3
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_no_groups", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.groups = 0}); }, R"(
conv2d: expected groups >= 1, got 0
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_groups_of_result", [](const Inputs &in) { (void)conv2d(in.x, in.odd, {.groups = 2}); }, R"(
conv2d: expected groups that divide the 7 channels of the result, got 2
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 2, 7] @odd
  at here)"},
    {"conv_large_kernel", [](const Inputs &in) { (void)conv2d(in.x, in.large); }, R"(
conv2d: expected windows no larger than the padded x, got 7 and 5 places along axis 1
  x: f32[2, 5, 6, 4] @x
  kernel: f32[7, 7, 4, 2] @large
  at here)"},
    {"conv_kernel_rank", [](const Inputs &in) { (void)conv2d(in.x, in.f23); }, R"(
conv2d: expected a kernel of rank 4, with 2 spatial axes and the channels of x and of the result, got rank 2
  x: f32[2, 5, 6, 4] @x
  kernel: f32[2, 3] @f23
  at here)"},
    {"conv_rank", [](const Inputs &in) { (void)conv2d(in.f23, in.kernel); }, R"(
conv2d: expected an array of rank >= 3, with 2 spatial axes and one of channels, got rank 2
  x: f32[2, 3] @f23
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_strides", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.strides = 0}); }, R"(
conv2d: expected strides >= 1, got 0
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_strides_count", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.strides = {1, 1, 1}}); }, R"(
conv2d: expected 1 or 2 numbers as strides, got 3
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_dilation", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.dilation = -1}); }, R"(
conv2d: expected dilations >= 1, got -1
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_padding_count", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.padding = {1, 2, 3}}); }, R"(
conv2d: expected padding for 2 axes, got that of 3
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_padding_removes_all", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.padding = -2}); }, R"(
conv2d: expected windows no larger than the padded x, got 3 and 1 places along axis 1
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_padding_far", [](const Inputs &in) { (void)conv2d(in.x, in.kernel, {.padding = INT64_MAX / 2}); }, R"(
conv2d: expected paddings from -2^31 to 2^31, got 4611686018427387903
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_general_stride_far",
     [](const Inputs &in) { (void)conv_general(in.x, in.kernel, {.strides = (int64_t(1) << 31) + 1}); }, R"(
conv_general: expected strides <= 2^31, got 2147483649
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_general_stride_farther",
     [](const Inputs &in) { (void)conv_general(in.x, in.kernel, {.strides = INT64_MAX}); }, R"(
conv_general: expected strides <= 2^31, got 9223372036854775807
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_bool", [](const Inputs &in) { (void)conv1d(in.b, in.b); }, R"(
conv1d: expected numbers, got bool
  x: bool[2, 5, 4] @b
  kernel: bool[2, 5, 4] @b
  at here)"},
    {"conv_no_taps", [](const Inputs &in) { (void)conv2d(in.x, in.none); }, R"(
conv2d: expected a kernel with taps, got size 0 along its axis 0
  x: f32[2, 5, 6, 4] @x
  kernel: f32[0, 3, 4, 2] @none
  at here)"},
    {"conv_general_layout", [](const Inputs &in) { (void)conv_general(in.x, in.kernel, {.layout = "NHWC"}); }, R"(
conv_general: expected a layout such as "NHWC,HWIO->NHWC", got "NHWC"
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_general_letters",
     [](const Inputs &in) { (void)conv_general(in.x, in.kernel, {.layout = "NHWC,HWIX->NHWC"}); }, R"(
conv_general: expected I, O and the letters of the spatial axes, each once, for the kernel in the layout, got 'X' at character 8
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_general_twice", [](const Inputs &in) { (void)conv_general(in.x, in.kernel, {.layout = "NHHC,HWIO->NHWC"}); },
     R"(
conv_general: expected N, C and the letters of the spatial axes, each once, for x in the layout, got 'H' at character 1
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_general_short", [](const Inputs &in) { (void)conv_general(in.x, in.kernel, {.layout = "NHWC,HWIO->NHC"}); },
     R"(
conv_general: expected 4 letters for the axes of the result in the layout, got "NHC"
  x: f32[2, 5, 6, 4] @x
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_general_rank", [](const Inputs &in) { (void)conv_general(in.f3, in.kernel); }, R"(
conv_general: expected an array of rank >= 2, with a batch and channels, got rank 1
  x: f32[3] @f3
  kernel: f32[3, 3, 4, 8] @kernel
  at here)"},
    {"conv_transpose_causal", [](const Inputs &in) { (void)conv_transpose1d(in.f23, in.f314, {.padding = causal}); },
     R"(
conv_transpose1d: expected the padding valid, same or numbers, got causal
  x: f32[2, 3] @f23
  kernel: f32[3, 1, 4] @f314
  at here)"},
    {"conv_transpose_channels", [](const Inputs &in) { (void)conv_transpose1d(in.f23, in.f314); }, R"(
conv_transpose1d: expected a kernel that takes 3 channels, as x has, got 4
  x: f32[2, 3] @f23
  kernel: f32[3, 1, 4] @f314
  at here)"},
    {"conv_transpose_output",
     [](const Inputs &in) { (void)conv_transpose1d(in.f23, in.f313, {.strides = 2, .output_padding = 2}); }, R"(
conv_transpose1d: expected an output_padding of at least 0 and less than the stride or the dilation, got 2 for the stride 2
  x: f32[2, 3] @f23
  kernel: f32[3, 1, 3] @f313
  at here)"},
    {"convolve_ranks", [](const Inputs &in) { (void)convolve(in.f3, in.f23); }, R"(
convolve: expected arrays of one rank >= 1, got ranks 1 and 2
  x1: f32[3] @f3
  x2: f32[2, 3] @f23
  at here)"},
    {"convolve_empty", [](const Inputs &in) { (void)convolve(in.f3, in.f0); }, R"(
convolve: expected arrays with elements, got (3,) and (0,)
  x1: f32[3] @f3
  x2: f32[0] @f0
  at here)"},
    {"convolve_mode", [](const Inputs &in) { (void)convolve(in.f3, in.f3, static_cast<ConvolutionMode>(7)); }, R"(
convolve: expected a value of ConvolutionMode, got the number 7
  x1: f32[3] @f3
  x2: f32[3] @f3
  at here)"},
    {"correlate_scalar", [](const Inputs &in) { (void)correlate(in.f, in.f); }, R"(
correlate: expected arrays of one rank >= 1, got ranks 0 and 0
  x1: f32[] @f
  x2: f32[] @f
  at here)"},
};

class Convolution : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Convolution, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Convolution, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
