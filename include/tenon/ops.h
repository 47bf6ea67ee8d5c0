//===- ops.h - the operations, by category --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by tenon-tblgen from the records in dialect/; change those.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>
#include <tenon/results.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tenon {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// x1 + x2; integers wrap; on bool, logical or.
Array add(const Operand &x1, const Operand &x2);

/// x1 - x2; integers wrap.
Array subtract(const Operand &x1, const Operand &x2);

/// x1 * x2; integers wrap; on bool, logical and; complex by the plain formula.
Array multiply(const Operand &x1, const Operand &x2);

/// x1 / x2, the true quotient; integers and bools become f32; complex by Smith's formula.
Array divide(const Operand &x1, const Operand &x2);

/// The larger of two; IEEE 754-2019 maximum: NaN propagates, -0 < +0.
/// The derivative at a tie goes half to each operand, as in JAX.
Array maximum(const Operand &x1, const Operand &x2);

/// The smaller of two; IEEE 754-2019 minimum: NaN propagates, -0 < +0.
/// The derivative at a tie goes half to each operand, as in JAX.
Array minimum(const Operand &x1, const Operand &x2);

/// x1 and x2 as truth values: bool; an operand that is not bool counts as x != 0. Also x1 && x2.
Array logical_and(const Operand &x1, const Operand &x2);

/// x1 or x2 as truth values: bool; an operand that is not bool counts as x != 0. Also x1 || x2.
Array logical_or(const Operand &x1, const Operand &x2);

/// Whether just one of x1 and x2 is true: bool; an operand that is not bool counts as x != 0.
Array logical_xor(const Operand &x1, const Operand &x2);

/// Where x is false: bool; an operand that is not bool counts as x != 0. Also !x.
Array logical_not(const Operand &x);

/// x1 >> x2 on integers; signed shifts keep the sign; a count outside [0, bits) gives 0, or -1 for
/// a negative x1.
Array right_shift(const Operand &x1, const Operand &x2);

/// x1 << x2 on integers, also the operator; a count outside [0, bits) gives 0.
Array left_shift(const Operand &x1, const Operand &x2);

/// The bits that both integers have; on bool, logical and. Also x1 & x2.
Array bitwise_and(const Operand &x1, const Operand &x2);

/// The bits that either integer has; on bool, logical or. Also x1 | x2.
Array bitwise_or(const Operand &x1, const Operand &x2);

/// The bits that just one of two integers has; on bool, logical xor. Also x1 ^ x2.
Array bitwise_xor(const Operand &x1, const Operand &x2);

/// The bits that an integer lacks; on bool, logical not. Also ~x.
Array bitwise_invert(const Operand &x);

/// The largest integer that is not above x1 / x2, of integers; 0 where x2 is 0.
/// The smallest integer divided by -1 wraps: it is itself.
Array floor_divide(const Operand &x1, const Operand &x2);

/// x1 - floor_divide(x1, x2) * x2, of integers: it has the sign of x2; 0 where x2 is 0. Also x1 %
/// x2.
Array remainder(const Operand &x1, const Operand &x2);

/// -x; unsigned integers wrap.
Array negative(const Operand &x);

/// |x|; the smallest signed integer stays itself. The derivative at 0 is 0.
Array abs(const Operand &x);

/// e to the power of x.
Array exp(const Operand &x);

/// The natural logarithm; NaN below 0, -inf at 0.
Array log(const Operand &x);

/// log(1 + x), precise near 0; NaN below -1, -inf at -1.
Array log1p(const Operand &x);

/// The square root, correctly rounded; NaN below 0.
Array sqrt(const Operand &x);

/// The hyperbolic tangent.
Array tanh(const Operand &x);

/// The cube root; keeps the sign.
Array cbrt(const Operand &x);

/// 2 to the power of x.
Array exp2(const Operand &x);

/// exp(x) - 1, precise near 0.
Array expm1(const Operand &x);

/// The logarithm to base 2; NaN below 0, -inf at 0.
Array log2(const Operand &x);

/// The logarithm to base 10; NaN below 0, -inf at 0.
Array log10(const Operand &x);

/// The sine of x in radians, of any size.
Array sin(const Operand &x);

/// The cosine of x in radians, of any size.
Array cos(const Operand &x);

/// The tangent of x in radians, of any size.
Array tan(const Operand &x);

/// The angle in [-pi/2, pi/2] whose sine is x; NaN outside of [-1, 1].
Array asin(const Operand &x);

/// The angle in [0, pi] whose cosine is x; NaN outside of [-1, 1].
Array acos(const Operand &x);

/// The angle in [-pi/2, pi/2] whose tangent is x.
Array atan(const Operand &x);

/// The hyperbolic sine.
Array sinh(const Operand &x);

/// The hyperbolic cosine.
Array cosh(const Operand &x);

/// The number whose hyperbolic sine is x.
Array asinh(const Operand &x);

/// The number from 0 on whose hyperbolic cosine is x; NaN below 1.
Array acosh(const Operand &x);

/// The number whose hyperbolic tangent is x; infinite at -1 and 1, NaN beyond.
Array atanh(const Operand &x);

/// x1 to the power of x2, as floats; special cases as in C.
/// pow(x, 0) and pow(1, y) are 1, also of NaN; a negative x1 has powers of integers only.
Array pow(const Operand &x1, const Operand &x2);

/// sqrt(x1 * x1 + x2 * x2) without overflow on the way; infinite where either is, also beside NaN.
Array hypot(const Operand &x1, const Operand &x2);

/// log(exp(x1) + exp(x2)) without overflow on the way.
Array logaddexp(const Operand &x1, const Operand &x2);

/// The angle of the point (x2, x1), in [-pi, pi]; zeros and infinities as in C.
Array atan2(const Operand &x1, const Operand &x2);

/// The largest integer that is not above x, in x's dtype.
Array floor(const Operand &x);

/// The smallest integer that is not below x, in x's dtype.
Array ceil(const Operand &x);

/// x without its fraction, in x's dtype.
Array trunc(const Operand &x);

/// The nearest integer, of two the even one, in x's dtype.
Array round(const Operand &x);

/// -1, 0 or 1, as x is below, at or above 0; NaN stays.
Array sign(const Operand &x);

/// |x1| with the sign of x2, also that of -0 and NaN.
Array copysign(const Operand &x1, const Operand &x2);

/// The number next to x1 on the way to x2, in their dtype; x2 where they are equal.
/// The derivative is that of x1; of x2 where they are equal.
Array nextafter(const Operand &x1, const Operand &x2);

/// How many bits of x are 1, in x's dtype.
Array popcount(const Operand &x);

/// How many bits of x above the highest 1 are 0, in x's dtype.
Array clz(const Operand &x);

/// minimum(maximum(x, lo), hi); a bound that is left out does not bound.
/// The derivative at a bound goes to x, as in PyTorch and TensorFlow.
Array clip(const Operand &x, const Operand &lo = none, const Operand &hi = none);

/// x1 where the condition holds, else x2.
/// The condition is bool (another dtype counts as c != 0); x1 and x2 are promoted to one dtype; all
/// three are broadcast to one shape.
Array where(const Operand &condition, const Operand &x1, const Operand &x2);

/// x with each element converted to `dtype`.
/// Float to integer truncates and saturates, NaN gives 0; to bool is x != 0; integer to a narrower
/// integer wraps; to a float rounds to nearest even, and what is past its largest number is
/// infinity, or NaN in f8e4m3fn, which has none. f8e4m3fn and f8e5m2 only store numbers: nothing
/// but astype computes with them, and no derivative passes through them. Complex to real is an
/// error.
Array astype(const Operand &x, Dtype dtype);

/// x * x.
Array square(const Operand &x);

/// x itself.
Array positive(const Operand &x);

/// 1 / x; integers become f32.
Array reciprocal(const Operand &x);

/// 1 / sqrt(x); integers become f32.
Array rsqrt(const Operand &x);

/// The inverse error function. Source: M. Giles, "Approximating the erfinv function", GPU Gems
/// 2011.
Array erf_inv(const Operand &x);

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// x1 <= x2: bool; false where either is NaN.
Array less_equal(const Operand &x1, const Operand &x2);

/// x1 < x2: bool; false where either is NaN.
Array less(const Operand &x1, const Operand &x2);

/// x1 == x2: bool; false where either is NaN.
Array equal(const Operand &x1, const Operand &x2);

/// x1 != x2: bool; true where either is NaN.
Array not_equal(const Operand &x1, const Operand &x2);

/// Where x is not a number: bool.
Array isnan(const Operand &x);

/// Where x is infinite, of either sign: bool.
Array isinf(const Operand &x);

/// Where x is neither infinite nor NaN: bool.
Array isfinite(const Operand &x);

/// Where x has the sign -, also that of -0 and NaN: bool.
Array signbit(const Operand &x);

/// x1 > x2: bool; false where either is NaN.
Array greater(const Operand &x1, const Operand &x2);

/// x1 >= x2: bool; false where either is NaN.
Array greater_equal(const Operand &x1, const Operand &x2);

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// The sum over the given axes, all by default.
/// Sums of bool and of integers narrower than i32 give i32 (u32 if unsigned). Floating sums have
/// one tree, a function of shape and axes alone: over the innermost axis 16 partial sums, in blocks
/// of 4,096 combined pairwise; over another axis in index order in blocks of 256; axes of size 1 do
/// not count. bf16 and f16 accumulate in f32 and round once. An empty sum is 0.
Array sum(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The largest element over the given axes, all by default; NaN propagates.
/// An empty axis is an error. The derivative is shared evenly among equal largest elements, as in
/// JAX.
Array max(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The smallest element over the given axes, all by default; NaN propagates.
/// An empty axis is an error. The derivative is shared evenly among equal smallest elements.
Array min(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The product over the given axes, all by default.
/// The dtype of the result and the order of the factors are those of `sum`. An empty product is 1.
/// The derivative multiplies the other factors, so zeros are no exception.
Array prod(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// Whether an element over the given axes, all by default, is true (not 0; NaN is true): bool.
/// Of no elements: false.
Array any(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// Whether every element over the given axes, all by default, is true (not 0; NaN is true): bool.
/// Of no elements: true.
Array all(const Operand &x, const Ints &axes = {}, bool keepdims = false);

/// The index (i64) of the first largest element along `axis`; a NaN counts as largest.
/// Without an axis: the index into the flattened array.
Array argmax(const Operand &x, std::optional<Axis> axis = {}, bool keepdims = false);

/// The sum divided by the number of elements over the given axes; integers become f32.
Array mean(const Operand &x, const Ints &axes = {}, bool keepdims = false);

//===----------------------------------------------------------------------===//
// Cumulative
//===----------------------------------------------------------------------===//

/// The sums of the elements up to each one along `axis`.
/// In the order of the index inside of blocks of 4,096, to each of which what the blocks before it
/// make is then added; bf16 and f16 in f32, rounded once. Dtypes are those of `sum`.
/// `include_initial` puts a 0 before them.
Array cumulative_sum(const Operand &x, std::optional<Axis> axis = {}, bool include_initial = false);

/// The products of the elements up to each one along `axis`.
/// In the order of the index inside of blocks of 4,096, to each of which what the blocks before it
/// make is then added; bf16 and f16 in f32, rounded once. Dtypes are those of `prod`.
/// `include_initial` puts a 1 before them. The derivative multiplies the other factors, so zeros
/// are no exception.
Array cumulative_prod(const Operand &x, std::optional<Axis> axis = {}, bool include_initial = false);

/// The largest of the elements up to each one along `axis`.
/// From a NaN on all are NaN. The derivative goes to the last one of equal elements, as in PyTorch.
Array cumulative_max(const Operand &x, std::optional<Axis> axis = {});

/// The smallest of the elements up to each one along `axis`.
/// From a NaN on all are NaN. The derivative goes to the last one of equal elements, as in PyTorch.
Array cumulative_min(const Operand &x, std::optional<Axis> axis = {});

/// The logarithms of the sums of exp over the elements up to each one along `axis`.
/// In the order of the index inside of blocks of 4,096, to each of which what the blocks before it
/// make is then added; bf16 and f16 in f32, rounded once.
Array cumulative_logsumexp(const Operand &x, std::optional<Axis> axis = {});

//===----------------------------------------------------------------------===//
// Manipulation
//===----------------------------------------------------------------------===//

/// The same elements, row-major, in another shape; one size may be -1.
Array reshape(const Operand &x, const Shape &shape);

/// x repeated to `shape` by NumPy's rule: a new leading axis, or an axis of size 1.
Array broadcast_to(const Operand &x, const Shape &shape);

/// Axis i of the result is axis permutation[i] of x; reverses the axes by default.
Array transpose(const Operand &x, const Ints &permutation = {});

/// x[starts : stops : steps], one of each per axis.
/// Steps are not 0 and may be negative; for a negative step a stop of -1 means "past the first
/// element". Bounds lie inside the array.
Array slice(const Operand &x, const Shape &starts, const Shape &stops, const Ints &steps = {});

/// x with `low` copies of `value` before, `high` after and `interior` between the elements of each
/// axis.
Array pad(const Operand &x, const Operand &value, const Shape &low, const Shape &high, const Ints &interior = {});

/// The arrays one after another along `axis`; their other sizes are equal.
Array concatenate(const Arrays &xs, Axis axis = 0, Location at = Location::current());

/// x cut along `axis` into pieces of the given sizes; several results.
std::vector<Array> split(const Operand &x, const Shape &sizes, Axis axis = 0);

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// An array filled with one number.
Array full(const Shape &shape, Scalar value, std::optional<Dtype> dtype = {}, std::optional<Device> device = {},
           Location at = Location::current());

/// start, start + step, ... : `length` numbers; element i is start + i * step, rounded once per
/// operation.
Array arange(Scalar start, std::optional<Scalar> stop = {}, Scalar step = 1, std::optional<Dtype> dtype = {},
             std::optional<Device> device = {}, Location at = Location::current());

/// The size of one axis of x as a rank-0 i64 array: a symbol's value, once it runs.
Array dimension(const Operand &x, Axis axis);

/// An array of x's shape, dtype and device (unless others are given), filled with one number.
Array full_like(const Operand &x, Scalar value, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Zeros of x's shape, dtype and device (unless others are given).
Array zeros_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Ones of x's shape, dtype and device (unless others are given).
Array ones_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// An array of zeros.
Array zeros(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {},
            Location at = Location::current());

/// An array of ones.
Array ones(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// Windows of x, each where a row of `indices` says: StableHLO's gather.
/// `indices` is an array of integers; its last axis holds a start for each axis of x in
/// `start_index_map` (along the others windows start at 0). A window has `slice_sizes` elements
/// along the axes of x; those in `collapsed_slice_dims` are of one element and dropped. The result
/// has the axes of `indices` but the last, and the windows' axes at `offset_dims`. Along
/// `operand_batching_dims` x is indexed by the place in axis `start_indices_batching_dims` of
/// `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), has `fill_value` where it is
/// outside ("fill"), or is an Error ("error"), for which a start below 0 counts from the axis' end.
/// A window that is longer than x, of an axis without elements, is `fill_value` in both other
/// modes.
Array gather(const Operand &x, const Operand &indices, const Shape &slice_sizes, const Ints &offset_dims,
             const Ints &collapsed_slice_dims, const Ints &start_index_map, const Ints &operand_batching_dims = {},
             const Ints &start_indices_batching_dims = {}, std::string_view mode = "clip",
             std::optional<Scalar> fill_value = {});

/// x with elements replaced by those of `updates`, where `indices` say; the last one stays.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
              const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
              const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
              std::string_view mode = "drop");

/// x with `updates` added where `indices` say, one after another.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_add(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// x multiplied by `updates` where `indices` say, one after another.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_mul(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// The smaller of x and each of `updates` where `indices` say; NaN propagates.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_min(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// The larger of x and each of `updates` where `indices` say; NaN propagates.
/// The windows of `updates` go where `gather` would read them: `update_window_dims` are the
/// windows' axes in `updates`, `inserted_window_dims` the axes of x that they lack,
/// `scatter_dims_to_operand_dims` the axis of x that each index is of; `input_batching_dims` and
/// `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied in the
/// order of `indices`.
/// A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is
/// outside ("drop"), or is an Error ("error"), before anything is written; there a start below 0
/// counts from the axis' end.
Array scatter_max(const Operand &x, const Operand &indices, const Operand &updates, const Ints &update_window_dims,
                  const Ints &inserted_window_dims, const Ints &scatter_dims_to_operand_dims,
                  const Ints &input_batching_dims = {}, const Ints &scatter_indices_batching_dims = {},
                  std::string_view mode = "drop");

/// The part of x of `slice_sizes` that begins at `start_indices`, an integer of rank 0 for each
/// axis.
/// A start from which the part is not inside of x is moved, as in StableHLO.
Array dynamic_slice(const Operand &x, const Arrays &start_indices, const Shape &slice_sizes);

/// x with the part that begins at `start_indices`, an integer of rank 0 for each axis, replaced by
/// `update`.
/// A start from which `update` is not inside of x is moved, as in StableHLO.
Array dynamic_update_slice(const Operand &x, const Operand &update, const Arrays &start_indices);

/// The elements of x at `indices` along `axis`; their axes stand where it does.
/// An index outside is an Error; below 0 it counts from the end. The part of an update, `x.at`, has
/// other modes.
Array take(const Operand &x, const Operand &indices, std::optional<Axis> axis = {});

/// Element by element of `indices`, what x has there along `axis`, at the same place along the
/// other axes.
/// `indices` has x's sizes but for that axis. What argsort gives sorts so.
Array take_along_axis(const Operand &x, const Operand &indices, Axis axis = -1);

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// The arrays, all of one shape, sorted together along `axis` by the first `keys` of them; the
/// first decides most.
/// Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
/// descending; complex numbers are ordered by their real parts, then by the imaginary ones.
std::vector<Array> sort_keys(const Arrays &xs, Axis axis = -1, int keys = 1, bool descending = false,
                             Location at = Location::current());

/// The indices (i64) along `axis` that sort x.
/// Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
/// descending; complex numbers are ordered by their real parts, then by the imaginary ones.
Array argsort(const Operand &x, Axis axis = -1, bool descending = false);

/// x sorted along `axis`.
/// Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
/// descending; complex numbers are ordered by their real parts, then by the imaginary ones.
Array sort(const Operand &x, Axis axis = -1, bool descending = false);

/// The indices (i64) along `axis` that sort by several keys, of one shape; the last one decides
/// most, as in NumPy.
Array lexsort(const Arrays &keys, Axis axis = -1, Location at = Location::current());

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

/// The places (i64) in the flattened x where it is true (not 0; NaN is true).
/// Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`.
Array flatnonzero(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// For each axis of x the indices (i64) of the elements that are true (not 0), row-major.
/// Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is
/// `fill_value`.
std::vector<Array> nonzero(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// The indices (i64) of the elements that are true (not 0), row-major: a row for each, a column for
/// each axis.
/// `size` and `fill_value` are those of nonzero.
Array argwhere(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// The values that x has.
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
Array unique_values(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

/// The values that x has, and how often (i64).
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
UniqueCounts unique_counts(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

/// The values that x has, and for each element of x the index (i64) of its value, in x's shape.
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
UniqueInverse unique_inverse(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

/// The values that x has; the index (i64) of the first of each in the flattened x; the values'
/// indices by element; how often each is there.
/// Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be
/// said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
/// one, with counts of 0.
UniqueAll unique_all(const Operand &x, std::optional<Dim> size = {}, std::optional<Scalar> fill_value = {});

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

/// The matrix product over the last two axes; leading axes broadcast.
/// A rank-1 operand is a row (left) or a column (right) and its axis is dropped from the result, as
/// in NumPy. The same BLAS call runs eagerly and compiled.
Array matmul(const Operand &x1, const Operand &x2);

//===----------------------------------------------------------------------===//
// Random
//===----------------------------------------------------------------------===//

namespace random {
/// Random u32 numbers, a function of the key alone: Threefry-2x32 as in JAX.
/// The key is u32[..., 2]; the result is u32[..., shape]: one block of `shape` per key. With
/// `words` = 2 the result is u32[..., shape, 2]: both words of Threefry's block (upper first)
/// instead of their exclusive or; they are 64 random bits, or a new key. Source: Salmon et al.,
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011; the counter layout is JAX's
/// jax_threefry_partitionable=True.
Array bits(const Operand &key, const Shape &shape, int words = 1, std::optional<Device> device = {});
} // namespace random

//===----------------------------------------------------------------------===//
// Neural
//===----------------------------------------------------------------------===//

/// maximum(x, 0).
/// The derivative at 0 is 0.
Array relu(const Operand &x);

/// exp(x - max) / sum(exp(x - max)) along `axis`.
/// Has the bits of its decomposition (max, subtract, exp, sum, divide), fused.
Array softmax(const Operand &x, Axis axis = -1);

/// log(softmax(x)) along `axis`, computed as x - max - log(sum(exp(x - max))).
/// Has the bits of its decomposition (max, subtract, exp, sum, log, subtract), fused.
Array log_softmax(const Operand &x, Axis axis = -1);

/// (x - mean) / sqrt(variance + epsilon) * scale + offset, mean and variance over the given axes of
/// x.
/// `scale` and `offset` have the sizes of those axes, or are numbers. The variance is the mean of
/// the squares of x - mean.
Array layer_norm(const Operand &x, const Ints &axes, const Operand &scale, const Operand &offset,
                 double epsilon = 1e-5);

/// A new last axis of `classes`: 1 at index x, else 0; all 0 where x is out of range.
Array one_hot(const Operand &x, Dim classes, Dtype dtype = f32);

//===----------------------------------------------------------------------===//
// Other
//===----------------------------------------------------------------------===//

/// The operands, unchanged; nothing is moved, fused or simplified across it.
std::vector<Array> optimization_barrier(const Arrays &xs, Location at = Location::current());

/// Writes `format` with the arrays' values to standard output when it runs; kept in order.
/// Each `{}` stands for the next array; `{:.3f}` formats a rank-0 array. Without a `{}` the arrays
/// follow, separated by spaces. Under vmap the examples print in order; under grad it prints once,
/// forward.
void print(std::string_view format, const Arrays &xs = {}, Location at = Location::current());

} // namespace tenon
