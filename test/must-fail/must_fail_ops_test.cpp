//===- must_fail_ops_test.cpp - wrong applications of ops -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program runs twice: eagerly, and traced by jit with the inputs as its
// argument. Both say the same; where the traced text names an input's path,
// the expected text has it as "@field" behind the operand.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

#include <cmath>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f23 = zeros({2, 3}), f45 = zeros({4, 5}), f0 = zeros({0, 3}), f = 1.0f;
  Array batches = zeros({2, 3, 4}), others = zeros({5, 4, 3});
  Array i3 = {1, 2, 3}, u3 = zeros({3}, u8), b3 = {true, false, true};
  Array c2 = zeros({2}, c64);
};

const Case<Inputs> cases[] = {
    // Shapes.
    {"add_shapes", [](const Inputs &in) { (void)(in.f23 + in.f45); }, R"(
add: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"add_promoted", [](const Inputs &in) { (void)(in.i3 + in.f45); }, R"(
add: shapes (3,) and (4, 5) do not broadcast: sizes 5 and 3 differ
  x1: i32[3] @i3
  x2: f32[4, 5] @f45
  at here)"},
    {"less_shapes", [](const Inputs &in) { (void)(in.f23 < in.f45); }, R"(
less: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"greater_shapes", [](const Inputs &in) { (void)(in.f23 > in.i3 + in.f45); }, R"(
add: shapes (3,) and (4, 5) do not broadcast: sizes 5 and 3 differ
  x1: i32[3] @i3
  x2: f32[4, 5] @f45
  at here)"},
    {"greater_equal_shapes", [](const Inputs &in) { (void)(in.f23 >= in.f45); }, R"(
greater_equal: shapes (4, 5) and (2, 3) do not broadcast: sizes 4 and 2 differ
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"logical_and_shapes", [](const Inputs &in) { (void)(in.b3 && in.f45); }, R"(
logical_and: shapes (3,) and (4, 5) do not broadcast: sizes 5 and 3 differ
  x1: bool[3] @b3
  x2: f32[4, 5] @f45
  at here)"},
    {"clip_shapes", [](const Inputs &in) { (void)clip(in.f23, 0, in.f45); }, R"(
clip: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  x: f32[2, 3] @f23
  lo: 0
  hi: f32[4, 5] @f45
  at here)"},
    {"clip_complex", [](const Inputs &in) { (void)clip(in.c2, none, 1); }, R"(
clip: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, got c64
  x: c64[2] @c2
  hi: 1
  at here)"},
    {"where_shapes", [](const Inputs &in) { (void)where(in.b3, in.f23, in.f45); }, R"(
where: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  condition: bool[3] @b3
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"matmul_inner_sizes", [](const Inputs &in) { (void)matmul(in.f23, in.f45); }, R"(
matmul: inner dimensions must match, got 3 and 4
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"matmul_rank_0", [](const Inputs &in) { (void)matmul(in.f, in.f23); }, R"(
matmul: expected operands of rank >= 1, got rank 0; use multiply
  x1: f32[] @f
  x2: f32[2, 3] @f23
  at here)"},
    {"matmul_batches", [](const Inputs &in) { (void)matmul(in.batches, in.others); }, R"(
matmul: batch shapes (2,) and (5,) do not broadcast: sizes 2 and 5 differ
  x1: f32[2, 3, 4] @batches
  x2: f32[5, 4, 3] @others
  at here)"},
    {"reshape_count", [](const Inputs &in) { (void)reshape(in.f23, {4, 2}); }, R"(
reshape: expected a shape of 6 elements, got (4, 2)
  x: f32[2, 3] @f23
  at here)"},
    {"reshape_two_open_sizes", [](const Inputs &in) { (void)reshape(in.f23, {-1, -1}); }, R"(
reshape: expected at most one size of -1, got the shape (-1, -1)
  x: f32[2, 3] @f23
  at here)"},
    {"reshape_open_size", [](const Inputs &in) { (void)reshape(in.f23, {4, -1}); }, R"(
reshape: 6 elements do not fill the shape (4, -1)
  x: f32[2, 3] @f23
  at here)"},
    {"reshape_negative_size", [](const Inputs &in) { (void)reshape(in.f23, {-2, -3}); }, R"(
reshape: expected sizes >= 0, got the shape (-2, -3)
  x: f32[2, 3] @f23
  at here)"},
    {"broadcast_to_smaller", [](const Inputs &in) { (void)broadcast_to(in.f23, {2, 1}); }, R"(
broadcast_to: the shape (2, 3) does not broadcast to (2, 1)
  x: f32[2, 3] @f23
  at here)"},
    {"transpose_count", [](const Inputs &in) { (void)transpose(in.f23, {0, 1, 2}); }, R"(
transpose: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"transpose_repeated", [](const Inputs &in) { (void)transpose(in.f23, {0, 0}); }, R"(
transpose: axis 0 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"slice_outside", [](const Inputs &in) { (void)slice(in.f23, {0, 1}, {2, 4}); }, R"(
slice: bounds 1:4:1 are outside axis 1 of size 3
  x: f32[2, 3] @f23
  at here)"},
    {"slice_count", [](const Inputs &in) { (void)slice(in.f23, {0}, {2}); }, R"(
slice: expected one entry of starts per axis (2), got 1
  x: f32[2, 3] @f23
  at here)"},
    {"slice_crossed", [](const Inputs &in) { (void)slice(in.f23, {0, 2}, {2, 1}); }, R"(
slice: expected bounds with start <= stop, got 2:1:1 for axis 1
  x: f32[2, 3] @f23
  at here)"},
    {"slice_crossed_backward", [](const Inputs &in) { (void)slice(in.f23, {0, 0}, {2, 1}, {1, -1}); }, R"(
slice: expected bounds with start >= stop, got 0:1:-1 for axis 1
  x: f32[2, 3] @f23
  at here)"},
    {"slice_step", [](const Inputs &in) { (void)slice(in.f23, {0, 0}, {2, 3}, {1, 0}); }, R"(
slice: expected steps other than 0, got 0 for axis 1
  x: f32[2, 3] @f23
  at here)"},
    {"index_outside", [](const Inputs &in) { (void)in.f23[2]; }, R"(
index 2 is out of range for axis 0 of size 2
  x: f32[2, 3] @f23
  at here)"},
    {"index_rank_0", [](const Inputs &in) { (void)in.f[0]; }, R"(
index: expected an array of rank >= 1, got rank 0
  x: f32[] @f
  at here)"},
    {"iterate_rank_0", [](const Inputs &in) { in.f.begin(); }, R"(
expected an array of rank >= 1 to iterate over, got rank 0
  at here)"},
    {"dim_outside", [](const Inputs &in) { in.f23.dim(2); }, R"(
dim: axis 2 is out of range for an array of rank 2
  at here)"},
    {"pad_negative", [](const Inputs &in) { (void)pad(in.f23, 0, {0, 0}, {0, 0}, {0, -1}); }, R"(
pad: expected paddings >= 0, got low 0, high 0, interior -1 for axis 1
  x: f32[2, 3] @f23
  value: 0
  at here)"},
    {"pad_too_far", [](const Inputs &in) { (void)pad(in.f23, 0, {-1, -2}, {0, -2}); }, R"(
pad: expected paddings that leave a size >= 0, got -1 for axis 1
  x: f32[2, 3] @f23
  value: 0
  at here)"},
    {"pad_count", [](const Inputs &in) { (void)pad(in.f23, 0, {1}, {1}); }, R"(
pad: expected one entry of low per axis (2), got 1
  x: f32[2, 3] @f23
  value: 0
  at here)"},
    {"gather_indices", [](const Inputs &in) { (void)gather(in.f23, in.f45, {1, 3}, {1}, {0}, {0}); }, R"(
gather: expected integers as indices, got f32[4, 5]
  x: f32[2, 3] @f23
  indices: f32[4, 5] @f45
  at here)"},
    {"gather_index_count", [](const Inputs &in) { (void)gather(in.f23, in.i3, {1, 3}, {0}, {0}, {0}); }, R"(
gather: expected 1 indices along the last axis, one for each axis of x that is indexed, got i32[3]
  x: f32[2, 3] @f23
  indices: i32[3] @i3
  at here)"},
    {"gather_window", [](const Inputs &in) { (void)gather(in.f23, reshape(in.i3, {3, 1}), {1, 4}, {1}, {0}, {0}); }, R"(
gather: expected windows of at most 3 elements along axis 1, got 4
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  at here)"},
    {"gather_mode",
     [](const Inputs &in) {
       (void)gather(in.f23, reshape(in.i3, {3, 1}), {1, 3}, {1}, {0}, {0}, {}, {}, IndexMode::wrap);
     },
     R"(
gather: expected a mode of "error", "clip" or "drop", got "wrap"
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  at here)"},
    {"gather_axes", [](const Inputs &in) { (void)gather(in.f23, reshape(in.i3, {3, 1}), {1, 3}, {1}, {}, {0}); }, R"(
gather: expected offset_dims, collapsed_slice_dims and operand_batching_dims to account for each axis of x (2), got 1
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  at here)"},
    {"gather_map", [](const Inputs &in) { (void)gather(in.f23, reshape(in.i3, {3, 1}), {1, 3}, {1}, {0}, {2}); }, R"(
gather: expected start_index_map in 0 to 1, got [2]
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  at here)"},
    {"gather_fill",
     [](const Inputs &in) {
       (void)gather(in.u3, reshape(in.i3, {3, 1}), {1}, {}, {0}, {0}, {}, {}, IndexMode::fill, 300);
     },
     R"(
gather: expected a number that fits u8, got 300
  at here)"},
    {"scatter_updates", [](const Inputs &in) { (void)scatter(in.f23, reshape(in.i3, {3, 1}), in.f23, {1}, {0}, {0}); },
     R"(
scatter: expected updates with the axes of the indices but the last, and 1 of windows, got f32[2, 3] for indices i32[3, 1]
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  updates: f32[2, 3] @f23
  at here)"},
    {"scatter_updates_rank",
     [](const Inputs &in) { (void)scatter(in.f23, reshape(in.i3, {3, 1}), zeros({3, 3, 2}), {1}, {0}, {0}); }, R"(
scatter: expected updates with the axes of the indices but the last, and 1 of windows, got f32[3, 3, 2] for indices i32[3, 1]
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  updates: f32[3, 3, 2]
  at here)"},
    {"scatter_dtype",
     [](const Inputs &in) { (void)scatter_add(in.i3, reshape(in.i3, {3, 1}), zeros({3}), {}, {0}, {0}); },
     R"(
scatter_add: expected updates that i32 holds, got f32[3]; convert them with astype
  x: i32[3] @i3
  indices: i32[3, 1]
  updates: f32[3]
  at here)"},
    {"scatter_of_bool", [](const Inputs &in) { (void)scatter_add(in.b3, reshape(in.i3, {3, 1}), in.b3, {}, {0}, {0}); },
     R"(
scatter_add: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got bool
  x: bool[3] @b3
  indices: i32[3, 1]
  updates: bool[3] @b3
  at here)"},
    {"dynamic_slice_starts", [](const Inputs &in) { (void)dynamic_slice(in.f23, {Array(1)}, {1, 1}); }, R"(
dynamic_slice: expected a start for each axis of x (2), got 1
  x: f32[2, 3] @f23
  start_indices[0]: i32[]
  at here)"},
    {"dynamic_slice_sizes", [](const Inputs &in) { (void)dynamic_slice(in.f23, {Array(1), Array(0)}, {3, 1}); }, R"(
dynamic_slice: expected windows of at most 2 elements along axis 0, got 3
  x: f32[2, 3] @f23
  start_indices[0]: i32[]
  start_indices[1]: i32[]
  at here)"},
    {"dynamic_update_rank", [](const Inputs &in) { (void)dynamic_update_slice(in.f23, in.f, {Array(1), Array(0)}); },
     R"(
dynamic_update_slice: expected an update of x's rank and dtype, got f32[] for f32[2, 3]
  x: f32[2, 3] @f23
  update: f32[] @f
  start_indices[0]: i32[]
  start_indices[1]: i32[]
  at here)"},
    {"sort_axis", [](const Inputs &in) { (void)sort(in.f23, 2); }, R"(
sort: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"sort_keys_shapes", [](const Inputs &in) { (void)sort_keys({in.f23, in.f45}); }, R"(
sort_keys: expected arrays of one shape, got (2, 3) and (4, 5)
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"sort_keys_count", [](const Inputs &in) { (void)sort_keys({in.f23}, 0, 2); }, R"(
sort_keys: expected 1 to 1 keys, got 2
  xs[0]: f32[2, 3] @f23
  at here)"},
    {"lexsort_nothing", [](const Inputs &) { (void)lexsort({}); }, R"(
lexsort: expected at least one array, got none
  at here)"},
    {"take_along_axis_sizes", [](const Inputs &in) { (void)take_along_axis(in.f23, zeros({3, 1}, i32), 1); }, R"(
take_along_axis: expected indices of x's sizes but for axis 1, got (3, 1) for (2, 3)
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  at here)"},
    {"remainder_of_bools", [](const Inputs &in) { (void)((in.f23 < 1) % (in.f23 < 2)); }, R"(
remainder: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, got bool
  x1: bool[2, 3]
  x2: bool[2, 3]
  at here)"},
    {"concatenate_nothing", [](const Inputs &) { (void)concatenate({}); }, R"(
concatenate: expected at least one array, got none
  at here)"},
    {"concatenate_sizes", [](const Inputs &in) { (void)concatenate({in.f23, in.f45}); }, R"(
concatenate: expected arrays of equal sizes but for axis 0, got (2, 3) and (4, 5)
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"split_sizes", [](const Inputs &in) { (void)split(in.f23, {1, 1}, 1); }, R"(
split: expected sizes that sum to 3, got 2
  x: f32[2, 3] @f23
  at here)"},
    {"max_of_nothing", [](const Inputs &in) { (void)max(in.f0, 0); }, R"(
max: expected at least one element along axis 0, got the shape (0, 3)
  x: f32[0, 3] @f0
  at here)"},
    {"argmax_of_nothing", [](const Inputs &in) { (void)argmax(in.f0, 0); }, R"(
argmax: expected at least one element along axis 0, got the shape (0, 3)
  x: f32[0, 3] @f0
  at here)"},
    {"bits_key", [](const Inputs &in) { (void)random::bits(in.f23, {2}); }, R"(
bits: expected a dtype among u32, got f32
  key: f32[2, 3] @f23
  at here)"},
    {"bits_key_size", [](const Inputs &in) { (void)random::bits(astype(in.i3, u32), {2}); }, R"(
bits: expected a key of shape (..., 2), got (3,)
  key: u32[3]
  at here)"},
    {"zeros_negative_size", [](const Inputs &) { (void)zeros({2, -1}); }, R"(
zeros: expected sizes >= 0, got the shape (2, -1)
  at here)"},
    // Axes.
    {"sum_axis", [](const Inputs &in) { (void)sum(in.f23, 2); }, R"(
sum: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"sum_axis_negative", [](const Inputs &in) { (void)sum(in.f23, -3); }, R"(
sum: axis -3 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"sum_axis_repeated", [](const Inputs &in) { (void)sum(in.f23, {1, -1}); }, R"(
sum: axis -1 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"mean_axis", [](const Inputs &in) { (void)mean(in.f23, 5); }, R"(
mean: axis 5 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"argmax_axis", [](const Inputs &in) { (void)argmax(in.f23, 2); }, R"(
argmax: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"softmax_axis", [](const Inputs &in) { (void)softmax(in.f23, 2); }, R"(
softmax: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"log_softmax_axis", [](const Inputs &in) { (void)log_softmax(in.f23, 2); }, R"(
log_softmax: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"concatenate_axis", [](const Inputs &in) { (void)concatenate({in.f23, in.f23}, 2); }, R"(
concatenate: axis 2 is out of range for an array of rank 2
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[2, 3] @f23
  at here)"},
    {"dimension_axis", [](const Inputs &in) { (void)dimension(in.f23, 2); }, R"(
dimension: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},

    // Dtypes and numbers.
    {"cbrt_complex", [](const Inputs &in) { (void)cbrt(in.c2); }, R"(
cbrt: expected a dtype among bf16, f16, f32, f64, got c64
  x: c64[2] @c2
  at here)"},
    {"maximum_complex", [](const Inputs &in) { (void)maximum(in.c2, in.c2); }, R"(
maximum: expected a dtype among bool, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, got c64
  x1: c64[2] @c2
  x2: c64[2] @c2
  at here)"},
    {"right_shift_floating", [](const Inputs &in) { (void)(in.f23 >> 1); }, R"(
right_shift: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, got f32
  x1: f32[2, 3] @f23
  x2: 1
  at here)"},
    {"negative_bool", [](const Inputs &in) { (void)-in.b3; }, R"(
negative: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got bool
  x: bool[3] @b3
  at here)"},
    {"subtract_bool", [](const Inputs &in) { (void)(in.b3 - in.b3); }, R"(
subtract: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got bool
  x1: bool[3] @b3
  x2: bool[3] @b3
  at here)"},
    {"astype_complex", [](const Inputs &in) { (void)astype(in.c2, f32); }, R"(
astype: expected a complex dtype for a complex array, got f32
  x: c64[2] @c2
  at here)"},
    {"add_storage", [](const Inputs &in) { (void)(astype(in.b3, f8e4m3fn) + 1); }, R"(
add: expected a dtype among bool, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got f8e4m3fn, which only stores numbers: convert it with astype
  x1: f8e4m3fn[3]
  x2: 1
  at here)"},
    {"multiply_storage_beside_floats", [](const Inputs &in) { (void)(in.b3 * 2.0f * astype(in.b3, f8e5m2)); }, R"(
multiply: expected a dtype among bool, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got f8e5m2, which only stores numbers: convert it with astype
  x1: f32[3]
  x2: f8e5m2[3]
  at here)"},
    {"equal_storage",
     [](const Inputs &in) {
       Array x = astype(in.b3, f8e5m2);
       (void)equal(x, x);
     },
     R"(
equal: expected a dtype among bool, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got f8e5m2, which only stores numbers: convert it with astype
  x1: f8e5m2[3]
  x2: f8e5m2[3]
  at here)"},
    {"sum_storage", [](const Inputs &in) { (void)sum(astype(in.b3, f8e4m3fn)); }, R"(
sum: expected a dtype among bool, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, got f8e4m3fn, which only stores numbers: convert it with astype
  x: f8e4m3fn[3]
  at here)"},
    {"matmul_storage", [](const Inputs &in) { (void)matmul(astype(in.b3, f8e4m3fn), in.b3, f32); }, R"(
matmul: expected arrays of one dtype beside f8e4m3fn, which only stores numbers: convert it with astype
  x1: f8e4m3fn[3]
  x2: bool[3] @b3
  at here)"},
    {"concatenate_storage", [](const Inputs &in) { (void)concatenate({in.b3, astype(in.b3, f8e4m3fn)}); }, R"(
concatenate: expected arrays of one dtype beside f8e4m3fn, which only stores numbers: convert it with astype
  xs[0]: bool[3] @b3
  xs[1]: f8e4m3fn[3]
  at here)"},
    {"where_storage", [](const Inputs &in) { (void)where(in.b3, in.i3, astype(in.b3, f8e4m3fn)); }, R"(
where: expected arrays of one dtype beside f8e4m3fn, which only stores numbers: convert it with astype
  condition: bool[3] @b3
  x1: i32[3] @i3
  x2: f8e4m3fn[3]
  at here)"},
    {"array_storage", [](const Inputs &) { Array{float8_e5m2_t(1.0f), 2.0f}; }, R"(
Array: expected numbers of one dtype beside f8e5m2, which only stores numbers, got f8e5m2 and f32
  at here)"},
    {"pad_number", [](const Inputs &in) { (void)pad(in.i3, 1.5, {0}, {0}); }, R"(
pad: expected a number of a kind that i32 holds, got 1.5
  at here)"},
    {"clip_number_too_large", [](const Inputs &in) { (void)clip(in.u3, 0, 300); }, R"(
clip: expected a number that fits u8, got 300
  at here)"},
    {"number_too_large", [](const Inputs &in) { (void)(in.u3 + 300); }, R"(
add: expected a number that fits u8, got 300
  at here)"},
    {"full_number", [](const Inputs &) { (void)full({2}, 1.5f, i32); }, R"(
full: expected a number of a kind that i32 holds, got 1.5
  at here)"},
    {"full_number_too_large", [](const Inputs &) { (void)full({2}, 300, u8); }, R"(
full: expected a number that fits u8, got 300
  at here)"},
    {"full_device", [](const Inputs &) { (void)full({2}, 1, {}, Device{DeviceKind::cpu, 1}); }, R"(
full: expected a device that exists (cpu:0 or null:0), got cpu:1
  at here)"},
    {"zeros_device", [](const Inputs &) { (void)zeros({2}, f32, Device{DeviceKind::null, 1}); }, R"(
zeros: expected a device that exists (cpu:0 or null:0), got null:1
  at here)"},
    {"ones_like_device", [](const Inputs &in) { (void)ones_like(in.f23, {}, Device{DeviceKind::cpu, 255}); }, R"(
ones_like: expected a device that exists (cpu:0 or null:0), got cpu:255
  x: f32[2, 3] @f23
  at here)"},
    {"arange_device", [](const Inputs &) { (void)arange(4, {}, 1, {}, Device{DeviceKind::cpu, 1}); }, R"(
arange: expected a device that exists (cpu:0 or null:0), got cpu:1
  at here)"},
    {"bits_device", [](const Inputs &) { (void)random::bits(random::key(1).data, {2}, 1, Device::null); }, R"(
bits: expected the device of the key (cpu:0), got null:0
  key: u32[2]
  at here)"},
    {"to_device", [](const Inputs &) { (void)to_device(Array{1, 2}, Device{DeviceKind::cpu, 1}); }, R"(
to_device: expected a device that exists (cpu:0 or null:0), got cpu:1
  at here)"},
    {"one_hot_floating", [](const Inputs &in) { (void)one_hot(in.f23, 10); }, R"(
one_hot: expected integers, got f32
  x: f32[2, 3] @f23
  at here)"},
    {"chained_less", [](const Inputs &in) { (void)(0 < in.i3 < 2); }, R"(
less: expected numbers beside 2, got bool[3]; a chain of comparisons 0 < x < 2 is written (0 < x) && (x < 2)
  at here)"},
    {"chained_less_equal", [](const Inputs &in) { (void)(0 <= in.i3 <= 2.5); }, R"(
less_equal: expected numbers beside 2.5, got bool[3]; a chain of comparisons 0 < x < 2 is written (0 < x) && (x < 2)
  at here)"},
    {"chained_greater", [](const Inputs &in) { (void)(2 > in.i3 > 0); }, R"(
greater: expected numbers beside 0, got bool[3]; a chain of comparisons 0 < x < 2 is written (0 < x) && (x < 2)
  at here)"},
    {"chained_greater_equal", [](const Inputs &in) { (void)(2 >= (in.i3 >= 0)); }, R"(
greater_equal: expected numbers beside 2, got bool[3]; a chain of comparisons 0 < x < 2 is written (0 < x) && (x < 2)
  at here)"},
    {"condition_of_several",
     [](const Inputs &in) {
       if (in.i3 == 2)
         return;
     },
     R"(
a condition needs one truth value, got bool[3]; use any, all or where
  at here)"},
    {"condition_of_none",
     [](const Inputs &in) {
       if (!(in.f0 != 0))
         return;
     },
     R"(
a condition needs one truth value, got bool[0, 3]; use any, all or where
  at here)"},
    {"condition_beside_bool",
     [](const Inputs &in) {
       if (in.f23 < 1 && true)
         return;
     },
     R"(
a condition needs one truth value, got bool[2, 3]; use any, all or where
  at here)"},
    {"condition_of_any",
     [](const Inputs &in) {
       if (any(in.f23, 1))
         return;
     },
     R"(
a condition needs one truth value, got bool[2]; use any, all or where
  at here)"},
    {"any_axis", [](const Inputs &in) { (void)any(in.f23, 2); }, R"(
any: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"all_axis", [](const Inputs &in) { (void)all(in.f23, {1, 1}); }, R"(
all: axis 1 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"or_shapes", [](const Inputs &in) { (void)(in.f23 || Array{1, 2}); }, R"(
logical_or: shapes (2, 3) and (2,) do not broadcast: sizes 3 and 2 differ
  x1: f32[2, 3] @f23
  x2: i32[2]
  at here)"},
    {"not_of_nothing", [](const Inputs &) { (void)logical_not(Array()); }, R"(
logical_not: expected an array, got an empty Array
  at here)"},
    {"any_of_nothing", [](const Inputs &) { (void)any(Array()); }, R"(
any: expected an array, got an empty Array
  at here)"},
    {"full_like_number", [](const Inputs &) { (void)full_like(Array{1, 2}, 0.5); }, R"(
full_like: expected a number of a kind that i32 holds, got 0.5
  at here)"},
    {"ones_like_nothing", [](const Inputs &) { (void)ones_like(Array()); }, R"(
ones_like: expected an array, got an empty Array
  at here)"},
    {"pad_value", [](const Inputs &in) { (void)pad(in.f23, {1, 2}, {1, 1}, {1, 1}); }, R"(
pad: expected a value of rank 0, got the shape (2,)
  x: f32[2, 3] @f23
  value: i32[2]
  at here)"},
    {"softmax_dtype", [](const Inputs &) { (void)softmax(Array{complex64_t{1, 2}}); }, R"(
softmax: expected a dtype among bf16, f16, f32, f64, got c64
  x: c64[1]
  at here)"},
    {"layer_norm_scale", [](const Inputs &in) { (void)layer_norm(in.f23, -1, in.f23, 0); }, R"(
layer_norm: expected scale of the sizes of the axes of x, (3,), got (2, 3)
  x: f32[2, 3] @f23
  scale: f32[2, 3] @f23
  offset: 0
  at here)"},
    {"layer_norm_axis", [](const Inputs &in) { (void)layer_norm(in.f23, 2, 1, 0); }, R"(
layer_norm: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  scale: 1
  offset: 0
  at here)"},
    {"layer_norm_epsilon", [](const Inputs &in) { (void)layer_norm(in.f23, 1, 1, 0, -1); }, R"(
layer_norm: expected an epsilon >= 0, got -1
  x: f32[2, 3] @f23
  scale: 1
  offset: 0
  at here)"},
    {"loop_bound_rank",
     [](const Inputs &) { fori_loop(Array{1, 2}, Array(3), [](Array, Array c) { return c; }, Array(0)); }, R"(
fori_loop: expected bounds of rank 0, got the shape (2,)
  at here)"},
    {"loop_bound_size", [](const Inputs &) { fori_loop(0, UINT64_MAX, [](Array, Array c) { return c; }, Array(0)); },
     R"(
fori_loop: expected bounds that fit i64, got 18446744073709551615
  at here)"},
    {"index_size", [](const Inputs &in) { (void)in.f23[UINT64_MAX]; }, R"(
index 9223372036854775807 is out of range for axis 0 of size 2
  x: f32[2, 3] @f23
  at here)"},
    {"axis_size", [](const Inputs &in) { (void)sum(in.f23, UINT64_MAX); }, R"(
sum: axis 9223372036854775807 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"dim_size", [](const Inputs &in) { in.f23.dim(size_t(4294967296)); }, R"(
dim: axis 4294967296 is out of range for an array of rank 2
  at here)"},
    {"loop_bound_dtype", [](const Inputs &in) { fori_loop(0, in.f, [](Array, Array c) { return c; }, 0); }, R"(
fori_loop: expected bounds that are integers, got f32
  at here)"},
    {"arange_step", [](const Inputs &) { (void)arange(0, 10, 0); }, R"(
arange: expected a step other than 0, got 0
  at here)"},
    {"arange_endless", [](const Inputs &) { (void)arange(0, INFINITY); }, R"(
arange: expected finite bounds, got arange(0, inf, 1)
  at here)"},
    {"uniform_bounds", [](const Inputs &) { (void)random::uniform(random::key(1), {2}, f32, 1, 1); }, R"(
random::uniform: expected low < high, got 1 and 1
  at here)"},
    {"split_no_keys", [](const Inputs &) { (void)random::split(random::key(1), 0); }, R"(
random::split: expected at least one key, got 0
  at here)"},
    {"nested_lists", [](const Inputs &) { Array({{1, 2}, {3}}); }, R"(
nested lists are irregular: expected 2 items at depth 1, got 1
  at here)"},
    {"elements_for_shape", [](const Inputs &) { Array(std::span<const float>(), {2, 3}); }, R"(
expected 6 elements for the shape (2, 3), got 0
  at here)"},
    {"print_fields", [](const Inputs &in) { print("{} {}", {in.f}); }, R"(
print: expected 2 arrays for the format "{} {}", got 1
  xs[0]: f32[] @f
  at here)"},
    {"print_brace", [](const Inputs &in) { print("{", {in.f}); }, R"(
print: unbalanced braces in the format "{"
  xs[0]: f32[] @f
  at here)"},
    {"format_field", [](const Inputs &) { format("{} and {}", 1); }, R"(
format: argument not found, got "{} and {}" with 1 argument
  at here)"},
    {"format_spec", [](const Inputs &) { format("{:q}", 1); }, R"(
format: invalid type specifier, got "{:q}" with 1 argument
  at here)"},
    {"format_array_spec", [](const Inputs &) { format("{:q}", Array(1.0f)); }, R"(
format: invalid type specifier, got "{:q}" with 1 argument
  at here)"},
    {"print_options", [](const Inputs &) { set_print_options({.precision = -1}); }, R"(
set_print_options: expected precision of at least 0, got -1
  at here)"},

};

class Ops : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Ops, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Ops, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
