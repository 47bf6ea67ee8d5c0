//===- must_fail_movement_test.cpp - wrong shapes and movements ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As must_fail_ops_test.cpp, for functions that are made of other ops: their errors have
// the name of the function that was called, and its arguments.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f23 = zeros({2, 3}), f45 = zeros({4, 5}), f03 = zeros({0, 3}), f13 = zeros({1, 3}), f = 1.0f;
  Array i3 = {1, 2, 3}, b3 = {true, false, true};
};

Array total(const Array &x, Axis axis) { return sum(x, axis.value()); }

const Case<Inputs> cases[] = {
    {"top_k_count", [](const Inputs &in) { (void)top_k(in.f23, 4); }, R"(
top_k: expected a k from 0 to 3, the size of axis 1, got 4
  x: f32[2, 3] @f23
  at here)"},
    {"partition_place", [](const Inputs &in) { (void)partition(in.f23, 2, 0); }, R"(
partition: expected a kth within axis 0 of size 2, got 2
  x: f32[2, 3] @f23
  at here)"},
    {"insert_index", [](const Inputs &in) { (void)insert(in.f23, {0, 4}, 1, 1); }, R"(
insert: index 4 is outside of an axis of size 3
  x: f32[2, 3] @f23
  values: 1
  at here)"},
    {"insert_values", [](const Inputs &in) { (void)insert(in.f23, 0, in.f45, 1); }, R"(
insert: the shape (4, 5) does not broadcast to (2, 5)
  x: f32[2, 3] @f23
  values: f32[4, 5] @f45
  at here)"},
    {"delete_index", [](const Inputs &in) { (void)delete_(in.f23, -3, 0); }, R"(
delete_: index -3 is outside of an axis of size 2
  x: f32[2, 3] @f23
  at here)"},
    {"fill_diagonal_rank", [](const Inputs &in) { (void)fill_diagonal(in.i3, 1); }, R"(
fill_diagonal: expected an array of rank >= 2, got rank 1
  x: i32[3] @i3
  value: 1
  at here)"},
    {"put_mode", [](const Inputs &in) { (void)put(in.f23, in.i3, 1, static_cast<IndexMode>(4)); }, R"(
put: expected a value of IndexMode, got the number 4
  x: f32[2, 3] @f23
  indices: i32[3] @i3
  values: 1
  at here)"},
    {"place_mask", [](const Inputs &in) { (void)place(in.f23, in.b3, 1); }, R"(
place: expected a mask of the shape (2, 3), got (3,)
  x: f32[2, 3] @f23
  mask: bool[3] @b3
  values: 1
  at here)"},
    {"rollaxis_start", [](const Inputs &in) { (void)rollaxis(in.f23, 0, 3); }, R"(
rollaxis: expected a start from -2 to 2, got 3
  x: f32[2, 3] @f23
  at here)"},
    {"array_split_sections", [](const Inputs &in) { (void)array_split(in.f23, 0); }, R"(
array_split: expected one section at least, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"hsplit_sections", [](const Inputs &in) { (void)hsplit(in.f23, 2); }, R"(
hsplit: expected a number of sections that divides 3, the size of axis 1, got 2
  x: f32[2, 3] @f23
  at here)"},
    {"polymul_rank", [](const Inputs &in) { (void)polymul(in.i3, in.f23); }, R"(
polymul: expected coefficients, numbers of rank 1 and one at least, got f32[2, 3]
  p1: i32[3] @i3
  p2: f32[2, 3] @f23
  at here)"},
    {"vander_rank", [](const Inputs &in) { (void)vander(in.f23); }, R"(
vander: expected an array of rank 1, got f32[2, 3]
  x: f32[2, 3] @f23
  at here)"},
    {"diag_indices_from_sizes", [](const Inputs &in) { (void)diag_indices_from(in.f23); }, R"(
diag_indices_from: expected axes of one size, got (2, 3)
  x: f32[2, 3] @f23
  at here)"},
    {"expand_dims_axis", [](const Inputs &in) { (void)expand_dims(in.f23, 3); }, R"(
expand_dims: axis 3 is out of range for an array of rank 3
  x: f32[2, 3] @f23
  at here)"},
    {"expand_dims_repeated", [](const Inputs &in) { (void)expand_dims(in.f23, {0, -4}); }, R"(
expand_dims: axis -4 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"squeeze_size", [](const Inputs &in) { (void)squeeze(in.f23, 1); }, R"(
squeeze: expected axis 1 of size 1, got 3
  x: f32[2, 3] @f23
  at here)"},
    {"squeeze_axis", [](const Inputs &in) { (void)squeeze(in.f23, 2); }, R"(
squeeze: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"flip_axis", [](const Inputs &in) { (void)flip(in.f23, {0, 2}); }, R"(
flip: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"moveaxis_axis", [](const Inputs &in) { (void)moveaxis(in.f23, 2, 0); }, R"(
moveaxis: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"moveaxis_repeated", [](const Inputs &in) { (void)moveaxis(in.f23, {0, 0}, {0, 1}); }, R"(
moveaxis: axis 0 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"moveaxis_counts", [](const Inputs &in) { (void)moveaxis(in.f23, {0, 1}, 0); }, R"(
moveaxis: expected as many places as axes, got 1 and 2
  x: f32[2, 3] @f23
  at here)"},
    {"swapaxes_axis", [](const Inputs &in) { (void)swapaxes(in.f23, 0, 2); }, R"(
swapaxes: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"permute_dims_count", [](const Inputs &in) { (void)permute_dims(in.f23, {0}); }, R"(
permute_dims: expected one entry of the permutation per axis (2), got 1
  x: f32[2, 3] @f23
  at here)"},
    {"matrix_transpose_rank", [](const Inputs &in) { (void)matrix_transpose(in.i3); }, R"(
matrix_transpose: expected an array of rank >= 2, got rank 1
  x: i32[3] @i3
  at here)"},
    {"rot90_axes", [](const Inputs &in) { (void)rot90(in.f23, 1, {0, 1, 0}); }, R"(
rot90: axis 0 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"rot90_one_axis", [](const Inputs &in) { (void)rot90(in.f23, 1, 0); }, R"(
rot90: expected two axes, got 1
  x: f32[2, 3] @f23
  at here)"},
    {"diagonal_rank", [](const Inputs &in) { (void)diagonal(in.i3); }, R"(
diagonal: expected an array of rank >= 2, got rank 1
  x: i32[3] @i3
  at here)"},
    {"diagonal_axes", [](const Inputs &in) { (void)diagonal(in.f23, 0, 1, 1); }, R"(
diagonal: axis 1 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"trace_axes", [](const Inputs &in) { (void)trace(in.f23, 0, 0, 2); }, R"(
trace: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"broadcast_arrays_shapes", [](const Inputs &in) { (void)broadcast_arrays({in.f23, in.f45}); }, R"(
broadcast_arrays: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"broadcast_arrays_nothing", [](const Inputs &) { (void)broadcast_arrays({}); }, R"(
broadcast_arrays: expected at least one array, got none
  at here)"},
    {"concat_shapes", [](const Inputs &in) { (void)concat({in.f23, in.f45}); }, R"(
concat: expected arrays of equal sizes but for axis 0, got (2, 3) and (4, 5)
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"concat_nothing", [](const Inputs &) { (void)concat({}); }, R"(
concat: expected at least one array, got none
  at here)"},
    {"stack_shapes", [](const Inputs &in) { (void)stack({in.f23, in.f45}); }, R"(
stack: expected arrays of one shape, got (2, 3) and (4, 5)
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"stack_axis", [](const Inputs &in) { (void)stack({in.f23, in.f23}, 3); }, R"(
stack: axis 3 is out of range for an array of rank 3
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[2, 3] @f23
  at here)"},
    {"stack_empty_handle", [](const Inputs &in) { (void)stack({in.f23, Array()}); }, R"(
stack: expected an array, got an empty Array
  at here)"},
    {"unstack_axis", [](const Inputs &in) { (void)unstack(in.f23, 2); }, R"(
unstack: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"unstack_scalar", [](const Inputs &in) { (void)unstack(in.f); }, R"(
unstack: axis 0 is out of range for an array of rank 0
  x: f32[] @f
  at here)"},
    {"vstack_shapes", [](const Inputs &in) { (void)vstack({in.i3, in.f45}); }, R"(
vstack: expected arrays of equal sizes but for axis 0, got (1, 3) and (4, 5)
  xs[0]: i32[3] @i3
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"hstack_shapes", [](const Inputs &in) { (void)hstack({in.f23, in.f45}); }, R"(
hstack: expected arrays of equal sizes but for axis 1, got (2, 3) and (4, 5)
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"roll_axis", [](const Inputs &in) { (void)roll(in.f23, 1, 2); }, R"(
roll: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"roll_counts", [](const Inputs &in) { (void)roll(in.f23, {1, 2, 3}, {0, 1}); }, R"(
roll: expected a shift for each axis, got 3 for 2
  x: f32[2, 3] @f23
  at here)"},
    {"repeat_negative", [](const Inputs &in) { (void)repeat(in.f23, -1); }, R"(
repeat: expected counts >= 0, got -1
  x: f32[2, 3] @f23
  repeats: -1
  at here)"},
    {"repeat_counts", [](const Inputs &in) { (void)repeat(in.f23, std::vector<int>{1, 2}, 1); }, R"(
repeat: expected one count, or one for each of the 3 elements along axis 1, got 2
  x: f32[2, 3] @f23
  repeats: i32[2]
  at here)"},
    {"repeat_fraction", [](const Inputs &in) { (void)repeat(in.f23, 1.5); }, R"(
repeat: expected integers of rank 0 or 1 as counts, got f32[]
  x: f32[2, 3] @f23
  repeats: 1.5
  at here)"},
    {"repeat_rank", [](const Inputs &in) { (void)repeat(in.f23, zeros({1, 1}, i32)); }, R"(
repeat: expected integers of rank 0 or 1 as counts, got i32[1, 1]
  x: f32[2, 3] @f23
  repeats: i32[1, 1]
  at here)"},
    {"repeat_axis", [](const Inputs &in) { (void)repeat(in.f23, 2, 2); }, R"(
repeat: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  repeats: 2
  at here)"},
    {"repeat_overflow", [](const Inputs &in) { (void)repeat(in.f23, int64_t(1) << 61); }, R"(
repeat: size arithmetic overflows 2^62
  x: f32[2, 3] @f23
  repeats: 2305843009213693952
  at here)"},
    {"pad_mode_overflow",
     [](const Inputs &in) { (void)pad_mode(in.i3, int64_t(1) << 61, int64_t(1) << 61, PadMode::edge); },
     R"(
pad_mode: size arithmetic overflows 2^62
  x: i32[3] @i3
  at here)"},
    {"tile_negative", [](const Inputs &in) { (void)tile(in.f23, {1, -2}); }, R"(
tile: expected counts >= 0, got -2
  x: f32[2, 3] @f23
  at here)"},
    {"pad_mode_mode", [](const Inputs &in) { (void)pad_mode(in.i3, 1, 1, static_cast<PadMode>(4)); }, R"(
pad_mode: expected a value of PadMode, got the number 4
  x: i32[3] @i3
  at here)"},
    {"pad_mode_counts", [](const Inputs &in) { (void)pad_mode(in.f23, 1, 1, PadMode::edge); }, R"(
pad_mode: expected a count for each axis (2), got (1,)
  x: f32[2, 3] @f23
  at here)"},
    {"pad_mode_negative", [](const Inputs &in) { (void)pad_mode(in.i3, -1, 1, PadMode::edge); }, R"(
pad_mode: expected counts >= 0, got -1
  x: i32[3] @i3
  at here)"},
    {"pad_mode_empty", [](const Inputs &in) { (void)pad_mode(in.f03, {1, 0}, {0, 0}, PadMode::wrap); }, R"(
pad_mode: axis 0 has no elements to pad with
  x: f32[0, 3] @f03
  at here)"},
    {"tril_rank", [](const Inputs &in) { (void)tril(in.i3); }, R"(
tril: expected an array of rank >= 2, got rank 1
  x: i32[3] @i3
  at here)"},
    {"diag_rank", [](const Inputs &in) { (void)diag(in.f); }, R"(
diag: expected an array of rank 1 or 2, got rank 0
  x: f32[] @f
  at here)"},
    {"eye_size", [](const Inputs &) { (void)eye(-1); }, R"(
eye: expected sizes >= 0, got the shape (-1,)
  at here)"},
    {"identity_size", [](const Inputs &) { (void)identity(-1); }, R"(
identity: expected sizes >= 0, got the shape (-1,)
  at here)"},
    {"indices_size", [](const Inputs &) { (void)indices({2, -1}); }, R"(
indices: expected sizes >= 0, got the shape (2, -1)
  at here)"},
    {"meshgrid_rank", [](const Inputs &in) { (void)meshgrid({in.i3, in.f23}); }, R"(
meshgrid: expected arrays of rank 0 or 1, got the shape (2, 3)
  xs[0]: i32[3] @i3
  xs[1]: f32[2, 3] @f23
  at here)"},
    {"meshgrid_indexing", [](const Inputs &in) { (void)meshgrid({in.i3}, static_cast<GridIndexing>(2)); }, R"(
meshgrid: expected a value of GridIndexing, got the number 2
  xs[0]: i32[3] @i3
  at here)"},
    {"linspace_count", [](const Inputs &) { (void)linspace(0, 1, -1); }, R"(
linspace: expected a number of elements >= 0, got -1
  start: 0
  stop: 1
  at here)"},
    {"linspace_shapes", [](const Inputs &in) { (void)linspace(in.f23, in.f45); }, R"(
linspace: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  start: f32[2, 3] @f23
  stop: f32[4, 5] @f45
  at here)"},
    {"geomspace_zero", [](const Inputs &) { (void)geomspace(1, 0); }, R"(
geomspace: expected bounds other than 0, got 0
  start: 1
  stop: 0
  at here)"},
    {"tensordot_sizes", [](const Inputs &in) { (void)tensordot(in.f23, in.f45, 1); }, R"(
tensordot: expected axes of one size to sum over, got 3 along axis 1 of x1 and 4 along axis 0 of x2
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"tensordot_count", [](const Inputs &in) { (void)tensordot(in.f23, in.f45, 3); }, R"(
tensordot: expected at most as many axes as the arrays have, 2 and 2, got 3
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"tensordot_lists", [](const Inputs &in) { (void)tensordot(in.f23, in.f45, {0, 1}, 0); }, R"(
tensordot: expected as many axes of x1 as of x2, got 2 and 1
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"tensordot_one_list", [](const Inputs &in) { (void)tensordot(in.f23, in.f45, {0, 1}); }, R"(
tensordot: expected a number of axes, or a list for each array, got one list of 2
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"tensordot_axis", [](const Inputs &in) { (void)tensordot(in.f23, in.f45, 2, 0); }, R"(
tensordot: axis 2 is out of range for an array of rank 2
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"vecdot_sizes", [](const Inputs &in) { (void)vecdot(in.f23, in.f45); }, R"(
vecdot: expected vectors of one size, got 3 and 5
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"matvec_sizes", [](const Inputs &in) { (void)matvec(in.f23, in.f45); }, R"(
matvec: inner dimensions must match, got 3 and 5
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"vecmat_ranks", [](const Inputs &in) { (void)vecmat(in.f23, 2.0f); }, R"(
vecmat: expected a vector and a matrix, got ranks 2 and 0
  x1: f32[2, 3] @f23
  x2: 2
  at here)"},
    {"dot_general_sizes", [](const Inputs &in) { (void)dot_general(in.f23, in.f45, 1, 0); }, R"(
dot_general: expected summed axes of equal sizes, got 3 along axis 1 of x1 and 4 along axis 0 of x2
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"dot_general_batch", [](const Inputs &in) { (void)dot_general(in.f23, in.f23, 1, 1, 0); }, R"(
dot_general: expected as many batch axes of x1 as of x2, got 1 and 0
  x1: f32[2, 3] @f23
  x2: f32[2, 3] @f23
  at here)"},
    {"einsum_character", [](const Inputs &in) { (void)einsum("ij,j%->i", in.f23, in.f45); }, R"(
einsum: expected a letter, ..., a comma or ->, got '%' as character 5 of "ij,j%->i"
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"einsum_count", [](const Inputs &in) { (void)einsum("ij,jk->ik", in.f23); }, R"(
einsum: expected as many arrays as the equation has, got 1 for the 2 in "ij,jk->ik"
  xs[0]: f32[2, 3] @f23
  at here)"},
    {"einsum_rank", [](const Inputs &in) { (void)einsum("ijk->i", in.f23); }, R"(
einsum: expected an array of rank 3 as xs[0], got f32[2, 3] in "ijk->i"
  xs[0]: f32[2, 3] @f23
  at here)"},
    {"einsum_sizes", [](const Inputs &in) { (void)einsum("ij,jk->ik", in.f23, in.f45); }, R"(
einsum: expected one size for label 'j', got 3 and 4 in "ij,jk->ik"
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[4, 5] @f45
  at here)"},
    {"einsum_diagonal", [](const Inputs &in) { (void)einsum("ii->i", in.f23); }, R"(
einsum: expected axes of one size for label 'i', got 2 and 3 in "ii->i"
  xs[0]: f32[2, 3] @f23
  at here)"},
    {"einsum_result", [](const Inputs &in) { (void)einsum("ij->ik", in.f23); }, R"(
einsum: expected labels of the arrays behind ->, got label 'k' in "ij->ik"
  xs[0]: f32[2, 3] @f23
  at here)"},
    {"einsum_twice", [](const Inputs &in) { (void)einsum("ij->ii", in.f23); }, R"(
einsum: expected each label once behind ->, got label 'i' again in "ij->ii"
  xs[0]: f32[2, 3] @f23
  at here)"},
    {"einsum_ellipsis", [](const Inputs &in) { (void)einsum("...i->i", in.f23); }, R"(
einsum: expected ... behind ->, as an array has axes for it in "...i->i"
  xs[0]: f32[2, 3] @f23
  at here)"},
    {"multi_dot_rank", [](const Inputs &in) { (void)multi_dot({in.f23, zeros({2, 3, 4})}); }, R"(
multi_dot: expected a matrix or a vector as xs[1], got f32[2, 3, 4]
  xs[0]: f32[2, 3] @f23
  xs[1]: f32[2, 3, 4]
  at here)"},
    {"inner_sizes", [](const Inputs &in) { (void)inner(in.f23, in.f45); }, R"(
inner: expected axes of one size to sum over, got 3 along axis 1 of x1 and 5 along axis 1 of x2
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"dot_sizes", [](const Inputs &in) { (void)dot(in.f23, in.f45); }, R"(
dot: expected axes of one size to sum over, got 3 along axis 1 of x1 and 4 along axis 0 of x2
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"cross_sizes", [](const Inputs &in) { (void)cross(in.f23, in.f45); }, R"(
cross: expected vectors of 3 elements, got 5
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"cross_shapes", [](const Inputs &in) { (void)cross(in.f23, zeros({5, 3})); }, R"(
cross: shapes (2, 3) and (5, 3) do not broadcast: sizes 2 and 5 differ
  x1: f32[2, 3] @f23
  x2: f32[5, 3]
  at here)"},
    {"kron_storage", [](const Inputs &in) { (void)kron(in.f23, zeros({2}, f8e5m2)); }, R"(
kron: expected arrays of one dtype beside f8e5m2, which only stores numbers: convert it with astype
  x1: f32[2, 3] @f23
  x2: f8e5m2[2]
  at here)"},
    {"put_along_axis_sizes", [](const Inputs &in) { (void)put_along_axis(in.f23, zeros({3, 1}, i32), 1); }, R"(
put_along_axis: expected indices of x's sizes but for axis 1, got (3, 1) for (2, 3)
  x: f32[2, 3] @f23
  indices: i32[3, 1]
  values: 1
  at here)"},
    {"put_along_axis_dtype", [](const Inputs &in) { (void)put_along_axis(in.i3, {0}, 0.5f); }, R"(
put_along_axis: expected a number of a kind that i32 holds, got 0.5
  at here)"},
    {"compress_rank", [](const Inputs &in) { (void)compress(in.f23, in.f23); }, R"(
compress: expected a condition of rank 1 of truth values or integers, got f32[2, 3]
  condition: f32[2, 3] @f23
  x: f32[2, 3] @f23
  at here)"},
    {"compress_longer", [](const Inputs &in) { (void)compress({true, true, true}, in.f23, 0); }, R"(
compress: the condition holds at 2, axis 0 has 2 elements
  condition: bool[3]
  x: f32[2, 3] @f23
  at here)"},
    {"select_counts", [](const Inputs &in) { (void)select({in.b3}, {in.i3, in.i3}); }, R"(
select: expected a choice for each condition, got 2 for 1
  conditions[0]: bool[3] @b3
  choices[0]: i32[3] @i3
  choices[1]: i32[3] @i3
  at here)"},
    {"select_shapes", [](const Inputs &in) { (void)select({in.b3}, {in.f45}); }, R"(
select: shapes (3,) and (4, 5) do not broadcast: sizes 5 and 3 differ
  conditions[0]: bool[3] @b3
  choices[0]: f32[4, 5] @f45
  at here)"},
    {"choose_fraction", [](const Inputs &in) { (void)choose(in.f23, {in.f23}); }, R"(
choose: expected integers as indices, got f32[2, 3]
  x: f32[2, 3] @f23
  choices[0]: f32[2, 3] @f23
  at here)"},
    {"choose_nothing", [](const Inputs &in) { (void)choose(in.i3, {}); }, R"(
choose: expected at least one array, got none
  x: i32[3] @i3
  at here)"},
    {"unravel_index_fraction", [](const Inputs &in) { (void)unravel_index(in.f23, {2, 3}); }, R"(
unravel_index: expected integers as indices, got f32[2, 3]
  indices: f32[2, 3] @f23
  at here)"},
    {"ravel_multi_index_count", [](const Inputs &in) { (void)ravel_multi_index({in.i3}, {2, 3}); }, R"(
ravel_multi_index: expected indices for each axis of (2, 3), got 1
  indices[0]: i32[3] @i3
  at here)"},
    {"segment_sum_sizes", [](const Inputs &in) { (void)segment_sum(in.f23, in.i3, 3); }, R"(
segment_sum: expected segment_ids of the first sizes of (2, 3), got (3,)
  data: f32[2, 3] @f23
  segment_ids: i32[3] @i3
  at here)"},
    {"segment_sum_count", [](const Inputs &in) { (void)segment_sum(in.i3, in.i3, -1); }, R"(
segment_sum: expected a number of segments >= 0, got -1
  data: i32[3] @i3
  segment_ids: i32[3] @i3
  at here)"},
    {"segment_sum_bool", [](const Inputs &in) { (void)segment_sum(in.b3, in.i3, 2); }, R"(
segment_sum: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got bool
  data: bool[3] @b3
  segment_ids: i32[3] @i3
  at here)"},
    {"segment_max_ids", [](const Inputs &in) { (void)segment_max(in.i3, in.b3, 2); }, R"(
segment_max: expected integers as indices, got bool[3]
  data: i32[3] @i3
  segment_ids: bool[3] @b3
  at here)"},
    {"polyval_rank", [](const Inputs &in) { (void)polyval(in.f23, in.f); }, R"(
polyval: expected coefficients of rank 1, got f32[2, 3]
  p: f32[2, 3] @f23
  x: f32[] @f
  at here)"},
    {"interp_sizes", [](const Inputs &in) { (void)interp(in.f, in.i3, zeros({2})); }, R"(
interp: expected as many points of xp as of fp, one at least, got 3 and 2
  x: f32[] @f
  xp: i32[3] @i3
  fp: f32[2]
  at here)"},
    {"interp_rank", [](const Inputs &in) { (void)interp(in.f, in.f23, in.i3); }, R"(
interp: expected xp of rank 1, got f32[2, 3]
  x: f32[] @f
  xp: f32[2, 3] @f23
  fp: i32[3] @i3
  at here)"},
    {"gradient_size", [](const Inputs &in) { (void)gradient(in.f13, 1, 0); }, R"(
gradient: expected two elements at least along axis 0, got 1
  x: f32[1, 3] @f13
  at here)"},
    {"gradient_axis", [](const Inputs &in) { (void)gradient(in.f23, 1, 2); }, R"(
gradient: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"trapezoid_sizes", [](const Inputs &in) { (void)trapezoid(in.f23, in.f45); }, R"(
trapezoid: expected an x of the shape of y or of 3 elements, got f32[4, 5]
  y: f32[2, 3] @f23
  x: f32[4, 5] @f45
  at here)"},
    {"cov_rank", [](const Inputs &) { (void)cov(zeros({2, 2, 2})); }, R"(
cov: expected numbers of rank 1 or 2, got f32[2, 2, 2]
  x: f32[2, 2, 2]
  at here)"},
    {"clip_by_norm_bound", [](const Inputs &in) { (void)clip_by_norm(in.f23, -1); }, R"(
clip_by_norm: expected a max_norm >= 0, got -1
  x: f32[2, 3] @f23
  at here)"},
    {"global_norm_nothing", [](const Inputs &) { (void)global_norm({}); }, R"(
global_norm: expected at least one array, got none
  at here)"},
    {"block_nothing", [](const Inputs &in) { (void)block({{in.f}, {}}); }, R"(
block: expected lists of one array at least, got an empty one
  at here)"},
    {"vecdot_storage", [](const Inputs &) { (void)vecdot(zeros({3}, f8e5m2), zeros({3}, f8e5m2)); }, R"(
vecdot: expected numbers to compute with, got f8e5m2[3]
  x1: f8e5m2[3]
  x2: f8e5m2[3]
  at here)"},
    {"tril_indices_from_rank", [](const Inputs &in) { (void)tril_indices_from(in.i3); }, R"(
tril_indices_from: expected an array of rank 2 whose sizes are known, got the shape (3,)
  x: i32[3] @i3
  at here)"},
    {"triu_indices_sizes", [](const Inputs &) { (void)triu_indices(-1); }, R"(
triu_indices: expected sizes >= 0, got -1 and -1
  at here)"},
    {"diag_indices_axes", [](const Inputs &) { (void)diag_indices(3, 17); }, R"(
diag_indices: expected a size >= 0 and 0 to 16 axes, got 3 and 17
  at here)"},
    {"ix_rank", [](const Inputs &in) { (void)ix_({in.i3, in.f23}); }, R"(
ix_: expected arrays of rank 1, got the shape (2, 3)
  xs[0]: i32[3] @i3
  xs[1]: f32[2, 3] @f23
  at here)"},
    {"trim_zeros_trim", [](const Inputs &in) { (void)trim_zeros(in.i3, static_cast<Trim>(3)); }, R"(
trim_zeros: expected a value of Trim, got the number 3
  x: i32[3] @i3
  at here)"},
    {"unstack_many", [](const Inputs &in) { (void)unstack(broadcast_to(in.f, {(1 << 24) + 1})); }, R"(
unstack: expected an axis of at most 16777216 elements, got 16777217 along axis 0
  x: f32[16777217]
  at here)"},
    {"array_split_many", [](const Inputs &in) { (void)array_split(in.i3, (1 << 16) + 1); }, R"(
array_split: expected at most 65536 sections, got 65537
  x: i32[3] @i3
  at here)"},
    {"unwrap_period", [](const Inputs &in) { (void)unwrap(in.f23, {}, -1, -2.5); }, R"(
unwrap: expected a period above 0, got -2.5
  x: f32[2, 3] @f23
  at here)"},
    {"unwrap_complex", [](const Inputs &in) { (void)unwrap(in.f23, {}, -1, complex64_t{1, 2}); }, R"(
unwrap: expected real numbers as discont and period, got 1+2j
  x: f32[2, 3] @f23
  at here)"},
    {"poly_rank", [](const Inputs &in) { (void)poly(in.f23); }, R"(
poly: expected roots, numbers of rank 1, got f32[2, 3]
  roots: f32[2, 3] @f23
  at here)"},
    {"vander_columns", [](const Inputs &in) { (void)vander(in.i3, -2); }, R"(
vander: expected columns >= 0, got -2
  x: i32[3] @i3
  at here)"},
    {"polyder_count", [](const Inputs &in) { (void)polyder(in.i3, -1); }, R"(
polyder: expected m >= 0, got -1
  p: i32[3] @i3
  at here)"},
    {"polyint_count", [](const Inputs &in) { (void)polyint(in.i3, -1); }, R"(
polyint: expected m >= 0, got -1
  p: i32[3] @i3
  k: 0
  at here)"},
    {"polyint_many", [](const Inputs &in) { (void)polyint(in.i3, 4097); }, R"(
polyint: expected an m of at most 4096, got 4097
  p: i32[3] @i3
  k: 0
  at here)"},
    {"polyint_constants", [](const Inputs &in) { (void)polyint(in.i3, 3, Array{1, 2}); }, R"(
polyint: expected one constant or 3, got f32[2]
  p: i32[3] @i3
  k: i32[2]
  at here)"},
    {"resize_size", [](const Inputs &in) { (void)resize(in.i3, {2, -1}); }, R"(
resize: expected sizes >= 0, got (2, -1)
  x: i32[3] @i3
  at here)"},
    {"fill_diagonal_nothing", [](const Inputs &in) { (void)fill_diagonal(in.f23, zeros({0})); }, R"(
fill_diagonal: expected one value at least, got none
  x: f32[2, 3] @f23
  value: f32[0]
  at here)"},
    {"cumulative_axis", [](const Inputs &in) { (void)cumulative_sum(in.f23); }, R"(
cumulative_sum: expected an axis, which may be left out for an array of rank 1 alone
  x: f32[2, 3] @f23
  at here)"},
    {"arange_complex", [](const Inputs &) { (void)arange(complex64_t{1, 2}); }, R"(
arange: expected real numbers, got a complex one
  at here)"},
    {"arange_many", [](const Inputs &) { (void)arange(0, int64_t(1) << 61); }, R"(
arange: expected at most 2^60 elements, got 2305843009213693952 in arange(0, 2305843009213693952, 1)
  at here)"},
    {"slice_steps", [](const Inputs &in) { (void)in.i3[slice(none, none, INT64_MAX)]; }, R"(
index: expected steps within 2^61, got 9223372036854775807 for axis 0
  x: i32[3] @i3
  at here)"},
    {"apply_over_axes_nothing", [](const Inputs &) { apply_over_axes(total, Array(), 0); }, R"(
apply_over_axes: expected an array, got an empty Array
  at here)"},
    {"apply_over_axes_result",
     [](const Inputs &in) { apply_over_axes([](const Array &, Axis) { return Array(); }, in.f23, 0); }, R"(
apply_over_axes: expected f to return an array, got an empty Array
  at here)"},
    {"apply_along_axis_nothing", [](const Inputs &) { apply_along_axis([](const Array &x) { return x; }, 0, Array()); },
     R"(
apply_along_axis: expected an array, got an empty Array
  at here)"},
    {"method_axis", [](const Inputs &in) { (void)in.f23.max(2); }, R"(
max: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"method_transpose", [](const Inputs &in) { (void)in.i3.mT(); }, R"(
mT: expected an array of rank >= 2, got rank 1
  x: i32[3] @i3
  at here)"},
};

class Movement : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Movement, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Movement, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
