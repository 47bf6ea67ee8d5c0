//===- must_fail_windows_test.cpp - windows that do not fit -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As must_fail_movement_test.cpp, for functions over windows.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f23 = zeros({2, 3}), f041 = zeros({0, 4, 1}), f451 = zeros({4, 5, 1}),
        b23 = astype(zeros({2, 3}), Dtype::bool_);
  Array i23 = astype(zeros({2, 3}), i32), f = 1.0f;
};

const Case<Inputs> cases[] = {
    {"window_larger", [](const Inputs &in) { (void)max_pool1d(in.f23, 3); }, R"(
max_pool1d: expected windows of at most 2 places, the padded size of axis 0, got 3
  x: f32[2, 3] @f23
  at here)"},
    {"window_dilated", [](const Inputs &in) { (void)reduce_window(in.f23, {1, 2}, {.dilation = {1, 3}}); },
     R"(
reduce_window: expected windows of at most 3 places, the padded size of axis 1, got 4
  x: f32[2, 3] @f23
  at here)"},
    {"window_zero", [](const Inputs &in) { (void)avg_pool1d(in.f23, 0); }, R"(
avg_pool1d: expected window sizes >= 1, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"window_count", [](const Inputs &in) { (void)max_pool2d(in.f451, {1, 2, 3}); },
     R"(
max_pool2d: expected 1 or 2 numbers as window sizes, got 3
  x: f32[4, 5, 1] @f451
  at here)"},
    {"window_none", [](const Inputs &in) { (void)max_pool1d(in.f23, {}); }, R"(
max_pool1d: expected one number as window sizes, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"window_huge",
     [](const Inputs &in) { (void)reduce_window(in.f23, int64_t(1) << 31, {.dilation = int64_t(1) << 31}); },
     R"(
reduce_window: expected windows of fewer than 2^61 places, got 2147483648 taps with a dilation of 2147483648
  x: f32[2, 3] @f23
  at here)"},
    {"window_far", [](const Inputs &in) { (void)reduce_window(in.f23, (int64_t(1) << 31) + 1); }, R"(
reduce_window: expected window sizes <= 2^31, got 2147483649
  x: f32[2, 3] @f23
  at here)"},
    {"strides_zero", [](const Inputs &in) { (void)max_pool1d(in.f23, 1, {.strides = 0}); }, R"(
max_pool1d: expected strides >= 1, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"strides_count", [](const Inputs &in) { (void)unfold(in.f451, 1, {.strides = {1, 1, 1}}); },
     R"(
unfold: expected 1 or 2 numbers as strides, got 3
  x: f32[4, 5, 1] @f451
  at here)"},
    {"dilation_negative", [](const Inputs &in) { (void)max_pool1d(in.f23, 1, {.dilation = -1}); }, R"(
max_pool1d: expected dilations >= 1, got -1
  x: f32[2, 3] @f23
  at here)"},
    {"padding_count", [](const Inputs &in) { (void)max_pool1d(in.f23, 1, {.padding = {1, 2}}); },
     R"(
max_pool1d: expected padding for 1 axis, got that of 2
  x: f32[2, 3] @f23
  at here)"},
    {"padding_alone", [](const Inputs &in) { (void)max_pool1d(in.f23, 2, {.strides = 1, .padding = 2}); }, R"(
max_pool1d: expected windows that each have an element of x: axis 0 has the size 2 and the padding 2 and 2, and a window has 2 places
  x: f32[2, 3] @f23
  at here)"},
    {"padding_before", [](const Inputs &in) { (void)max_pool1d(in.f23, 2, {.padding = {{2, 0}}}); }, R"(
max_pool1d: expected windows that each have an element of x: axis 0 has the size 2 and the padding 2 and 0, and a window has 2 places
  x: f32[2, 3] @f23
  at here)"},
    {"padding_mean", [](const Inputs &in) { (void)avg_pool1d(in.f23, 1, {.padding = 1, .count_include_pad = false}); },
     R"(
avg_pool1d: expected windows that each have an element of x: axis 0 has the size 2 and the padding 1 and 1, and a window has 1 places
  x: f32[2, 3] @f23
  at here)"},
    {"padding_between",
     [](const Inputs &in) { (void)max_pool1d(in.f23, 2, {.strides = 1, .padding = 2, .dilation = 5}); },
     R"(
max_pool1d: expected windows that each have an element of x: axis 0 has the size 2 and the padding 2 and 2, and a window has 6 places
  x: f32[2, 3] @f23
  at here)"},
    {"ceil_negative", [](const Inputs &in) { (void)max_pool2d(in.f451, 1, {.padding = -1, .ceil_mode = true}); }, R"(
max_pool2d: expected a padding >= 0 with ceil_mode, got -1
  x: f32[4, 5, 1] @f451
  at here)"},
    {"pool_empty", [](const Inputs &in) { (void)max_pool2d(in.f041, 2); }, R"(
max_pool2d: expected windows of at most 0 places, the padded size of axis 0, got 2
  x: f32[0, 4, 1] @f041
  at here)"},
    {"pool_rank", [](const Inputs &in) { (void)max_pool2d(in.f23, 1); }, R"(
max_pool2d: expected an array of rank >= 3, with 2 spatial axes and one of channels, got rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"pool_format", [](const Inputs &in) { (void)max_pool1d(in.f23, 1, {.data_format = static_cast<DataFormat>(7)}); },
     R"(
max_pool1d: expected a value of DataFormat, got the number 7
  x: f32[2, 3] @f23
  at here)"},
    {"pool_bools", [](const Inputs &in) { (void)max_pool1d(in.b23, 1); }, R"(
max_pool1d: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, got bool
  x: bool[2, 3] @b23
  at here)"},
    {"reduction_mode",
     [](const Inputs &in) { (void)reduce_window(in.f23, 1, {.reduction = static_cast<WindowReduction>(4)}); }, R"(
reduce_window: expected a value of WindowReduction, got the number 4
  x: f32[2, 3] @f23
  at here)"},
    {"combine_shape",
     [](const Inputs &in) {
       (void)reduce_window(in.f23, {1, 2}, [](const Array &a, const Array &) { return sum(a); }, 0.0f);
     },
     R"(
reduce_window: expected a function whose result is like its arguments, f32[2, 2], got f32[]
  x: f32[2, 3] @f23
  init: 0
  at here)"},
    {"combine_init", [](const Inputs &in) { (void)reduce_window(in.f23, 1, maximum, in.f23); }, R"(
reduce_window: expected an init of rank 0, got f32[2, 3]
  x: f32[2, 3] @f23
  init: f32[2, 3] @f23
  at here)"},
    {"unpool_indices", [](const Inputs &in) { (void)max_unpool1d(in.f23, in.f23, 2); }, R"(
max_unpool1d: expected integers of the shape of x as indices, got f32[2, 3]
  x: f32[2, 3] @f23
  indices: f32[2, 3] @f23
  at here)"},
    {"unpool_size", [](const Inputs &in) { (void)max_unpool1d(in.f23, in.i23, 2, {.output_size = 6}); }, R"(
max_unpool1d: expected an output_size from 3 to 5, got 6
  x: f32[2, 3] @f23
  indices: i32[2, 3] @i23
  at here)"},
    {"unpool_sizes", [](const Inputs &in) { (void)max_unpool1d(in.f23, in.i23, 2, {.output_size = {4, 4}}); },
     R"(
max_unpool1d: expected 1 sizes as output_size, got 2
  x: f32[2, 3] @f23
  indices: i32[2, 3] @i23
  at here)"},
    {"unpool_same", [](const Inputs &in) { (void)max_unpool1d(in.f23, in.i23, 2, {.padding = same}); }, R"(
max_unpool1d: expected an output_size, since the padding is not given as numbers
  x: f32[2, 3] @f23
  indices: i32[2, 3] @i23
  at here)"},
    {"unpool_padding", [](const Inputs &in) { (void)max_unpool1d(in.f23, in.i23, 2, {.padding = 3}); }, R"(
max_unpool1d: expected less padding than the windows cover, got 6 for 4 places
  x: f32[2, 3] @f23
  indices: i32[2, 3] @i23
  at here)"},
    {"adaptive_size", [](const Inputs &in) { (void)adaptive_avg_pool1d(in.f23, 0); }, R"(
adaptive_avg_pool1d: expected output sizes >= 1, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"adaptive_empty", [](const Inputs &in) { (void)adaptive_max_pool2d(in.f041, 2); }, R"(
adaptive_max_pool2d: expected elements along axis 0, got none
  x: f32[0, 4, 1] @f041
  at here)"},
    {"norm_size", [](const Inputs &in) { (void)local_response_norm(in.f23, 0); }, R"(
local_response_norm: expected a size >= 1, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"norm_rank", [](const Inputs &in) { (void)local_response_norm(in.f, 1); }, R"(
local_response_norm: expected an axis of channels, got rank 0
  x: f32[] @f
  at here)"},
    {"view_count", [](const Inputs &in) { (void)sliding_window_view(in.f23, 2); }, R"(
sliding_window_view: expected a window size for each of 2 axes, got 1
  x: f32[2, 3] @f23
  at here)"},
    {"view_larger", [](const Inputs &in) { (void)sliding_window_view(in.f23, 4, 1); }, R"(
sliding_window_view: expected windows of at most 3 places, the padded size of axis 1, got 4
  x: f32[2, 3] @f23
  at here)"},
    {"view_zero", [](const Inputs &in) { (void)sliding_window_view(in.f23, 0, 1); }, R"(
sliding_window_view: expected window sizes >= 1, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"fold_windows", [](const Inputs &in) { (void)fold(in.f23, {2, 2}, 1); },
     R"(
fold: expected 4 windows along axis 0, 2 by 2, got 2
  x: f32[2, 3] @f23
  at here)"},
    {"fold_elements", [](const Inputs &in) { (void)fold(in.f23, {2, 3}, 2); },
     R"(
fold: expected a multiple of 4, the elements of a window, along axis 1, got 3
  x: f32[2, 3] @f23
  at here)"},
    {"fold_sizes", [](const Inputs &in) { (void)fold(in.f23, {2}, 1); }, R"(
fold: expected two sizes as output_size, got 1
  x: f32[2, 3] @f23
  at here)"},
    {"fold_negative", [](const Inputs &in) { (void)fold(in.f23, {2, -1}, 1, {.padding = 2}); },
     R"(
fold: expected sizes >= 0 as output_size, got -1
  x: f32[2, 3] @f23
  at here)"},
};

class Windows : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Windows, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Windows, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
