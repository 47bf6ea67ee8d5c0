//===- must_fail_functions_test.cpp - wrong applications of composed functions ----===//
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
  Array f23 = zeros({2, 3}), f45 = zeros({4, 5}), f3 = zeros({3}), f03 = zeros({0, 3}), f = 1.0f;
  Array i3 = {1, 2, 3};
  Array c2 = zeros({2}, c64), s2 = zeros({2}, f8e5m2);
};

const Case<Inputs> cases[] = {
    // Dtypes.
    {"softplus_complex", [](const Inputs &in) { (void)softplus(in.c2); }, R"(
softplus: expected a dtype among bf16, f16, f32, f64, got c64
  x: c64[2] @c2
  at here)"},
    {"gelu_storage", [](const Inputs &in) { (void)gelu(in.s2); }, R"(
gelu: expected a dtype among bf16, f16, f32, f64, got f8e5m2, which only stores numbers: convert it with astype
  x: f8e5m2[2] @s2
  at here)"},
    {"swish_storage", [](const Inputs &in) { (void)swish(in.s2); }, R"(
swish: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got f8e5m2, which only stores numbers: convert it with astype
  x: f8e5m2[2] @s2
  at here)"},
    {"xlogy_complex", [](const Inputs &in) { (void)xlogy(in.f3, complex64_t{1, 2}); }, R"(
xlogy: expected a dtype among bf16, f16, f32, f64, got c64
  x1: f32[3] @f3
  x2: 1+2j
  at here)"},
    {"ldexp_floats", [](const Inputs &in) { (void)ldexp(in.f3, in.f3); }, R"(
ldexp: expected integers as indices, got f32[3]
  x1: f32[3] @f3
  x2: f32[3] @f3
  at here)"},
    {"nan_to_num_number", [](const Inputs &in) { (void)nan_to_num(in.f3, complex64_t{1, 2}); }, R"(
nan_to_num: expected real numbers, got 1+2j
  x: f32[3] @f3
  at here)"},
    {"searchsorted_complex", [](const Inputs &in) { (void)searchsorted(in.c2, in.f3); }, R"(
searchsorted: expected a dtype among bool, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, got c64
  x1: c64[2] @c2
  x2: f32[3] @f3
  at here)"},
    {"isin_storage", [](const Inputs &in) { (void)isin(in.f3, in.s2); }, R"(
isin: expected a dtype among bool, i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, c64, c128, got f8e5m2, which only stores numbers: convert it with astype
  x: f32[3] @f3
  test_elements: f8e5m2[2] @s2
  at here)"},
    {"isin_number", [](const Inputs &in) { (void)isin(in.i3, 3000000000u); }, R"(
isin: expected a number that fits i32, got 3000000000
  at here)"},
    {"gcd_floats", [](const Inputs &in) { (void)gcd(in.f3, in.i3); }, R"(
gcd: expected integers, got f32[3] and f32[3]
  x1: f32[3] @f3
  x2: i32[3] @i3
  at here)"},
    {"mean_dtype", [](const Inputs &in) { (void)mean(in.i3, {.dtype = i32}); }, R"(
mean: expected a floating or complex dtype, got i32
  x: i32[3] @i3
  at here)"},
    {"max_where", [](const Inputs &in) { (void)max(in.f23, {.where = in.i3}); }, R"(
max: expected `initial` beside `where`: where no element is selected there is no maximum
  x: f32[2, 3] @f23
  where: i32[3] @i3
  at here)"},
    // Shapes.
    {"sum_where", [](const Inputs &in) { (void)sum(in.f3, {.where = in.f23}); }, R"(
sum: the shape (2, 3) does not broadcast to (3,)
  x: f32[3] @f3
  where: f32[2, 3] @f23
  at here)"},
    {"cumulative_trapezoid_points", [](const Inputs &in) { (void)cumulative_trapezoid(in.f23, {.x = in.f45}); }, R"(
cumulative_trapezoid: expected an x of the shape of y or of 3 elements, got f32[4, 5]
  y: f32[2, 3] @f23
  x: f32[4, 5] @f45
  at here)"},
    {"histogram2d_shapes", [](const Inputs &in) { (void)histogram2d(in.f3, in.f23, 2, 2); }, R"(
histogram2d: expected a y of the shape of x, (3,), got (2, 3)
  x: f32[3] @f3
  y: f32[2, 3] @f23
  at here)"},
    {"xlogy_shapes", [](const Inputs &in) { (void)xlogy(in.f23, in.f45); }, R"(
xlogy: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"allclose_shapes", [](const Inputs &in) { (void)allclose(in.f23, in.f45); }, R"(
allclose: shapes (2, 3) and (4, 5) do not broadcast: sizes 2 and 4 differ
  x1: f32[2, 3] @f23
  x2: f32[4, 5] @f45
  at here)"},
    {"average_weights", [](const Inputs &in) { (void)average(in.f23, 0, in.f3); }, R"(
average: expected weights of x's shape, or of the sizes of the given axes, got the shape (3,) for (2, 3)
  x: f32[2, 3] @f23
  weights: f32[3] @f3
  at here)"},
    {"average_no_axes", [](const Inputs &in) { (void)average(in.f23, {}, in.f3); }, R"(
average: expected weights of x's shape, or of the sizes of the given axes, got the shape (3,) for (2, 3)
  x: f32[2, 3] @f23
  weights: f32[3] @f3
  at here)"},
    {"matrix_norm_rank", [](const Inputs &in) { (void)matrix_norm(in.f3); }, R"(
matrix_norm: expected an array of rank 2 or more, got (3,)
  x: f32[3] @f3
  at here)"},
    {"norm_axes", [](const Inputs &) { (void)norm(full({2, 2, 2}, 1.0f), {0, 1, 2}); }, R"(
norm: expected one axis, of vectors, or two, of matrices, got 3
  x: f32[2, 2, 2]
  at here)"},
    {"norm_rank", [](const Inputs &) { (void)norm(full({2, 2, 2}, 1.0f), {}, false, 1); }, R"(
norm: expected one axis, of vectors, or two, of matrices, got 3
  x: f32[2, 2, 2]
  at here)"},
    {"norm_twice", [](const Inputs &in) { (void)norm(in.f23, {0, 0}); }, R"(
norm: axis 0 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"searchsorted_rank", [](const Inputs &in) { (void)searchsorted(in.f23, in.f3); }, R"(
searchsorted: expected x1 of rank 1, got (2, 3)
  x1: f32[2, 3] @f23
  x2: f32[3] @f3
  at here)"},
    {"searchsorted_sorter", [](const Inputs &in) { (void)searchsorted(in.f3, 1.0f, Side::left, in.f3); }, R"(
searchsorted: expected as sorter integers of x1's shape (3,), got f32[3]
  x1: f32[3] @f3
  x2: 1
  sorter: f32[3] @f3
  at here)"},
    {"diff_many", [](const Inputs &in) { (void)diff(broadcast_to(in.f, {5000}), 4097); }, R"(
diff: expected an n of at most 4096, got 4097
  x: f32[5000]
  at here)"},
    {"digitize_rank", [](const Inputs &in) { (void)digitize(in.f3, in.f23); }, R"(
digitize: expected bins of rank 1, got (2, 3)
  x: f32[3] @f3
  bins: f32[2, 3] @f23
  at here)"},
    {"bincount_rank", [](const Inputs &in) { (void)bincount(reshape(in.i3, {1, 3})); }, R"(
bincount: expected x of rank 1, got (1, 3)
  x: i32[1, 3]
  at here)"},
    {"bincount_weights", [](const Inputs &in) { (void)bincount(in.i3, in.f23, 0, 3); }, R"(
bincount: expected weights of x's shape, got (2, 3) for (3,)
  x: i32[3] @i3
  weights: f32[2, 3] @f23
  at here)"},
    {"histogram_range", [](const Inputs &in) { (void)histogram(in.f3, 4, in.f3); }, R"(
histogram: expected a range of two numbers, got (3,)
  x: f32[3] @f3
  bins: 4
  range: f32[3] @f3
  at here)"},
    {"histogram_edges", [](const Inputs &in) { (void)histogram(in.f3, reshape(in.f, {1})); }, R"(
histogram: expected two edges or more, got 1
  x: f32[3] @f3
  bins: f32[1]
  at here)"},
    {"histogram_both", [](const Inputs &in) { (void)histogram(in.f3, in.f3, {0, 1}); }, R"(
histogram: expected no range where the edges of the bins are given
  x: f32[3] @f3
  bins: f32[3] @f3
  range: i32[2]
  at here)"},
    // Axes.
    {"logsumexp_axis", [](const Inputs &in) { (void)logsumexp(in.f23, 2); }, R"(
logsumexp: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"std_axes", [](const Inputs &in) { (void)tenon::std(in.f23, {1, -1}); }, R"(
std: axis -1 is repeated
  x: f32[2, 3] @f23
  at here)"},
    {"quantile_axis", [](const Inputs &in) { (void)quantile(in.f23, 0.5, -3); }, R"(
quantile: axis -3 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  q: 0.5
  at here)"},
    {"diff_axis", [](const Inputs &in) { (void)diff(in.f3, 1, 1); }, R"(
diff: axis 1 is out of range for an array of rank 1
  x: f32[3] @f3
  at here)"},
    {"argmin_axis", [](const Inputs &in) { (void)argmin(in.f3, 1); }, R"(
argmin: axis 1 is out of range for an array of rank 1
  x: f32[3] @f3
  at here)"},
    {"nanmax_nothing", [](const Inputs &in) { (void)nanmax(in.f03, 0); }, R"(
nanmax: expected at least one element along axis 0, got the shape (0, 3)
  x: f32[0, 3] @f03
  at here)"},
    {"ptp_nothing", [](const Inputs &in) { (void)ptp(in.f03, 0); }, R"(
ptp: expected at least one element along axis 0, got the shape (0, 3)
  x: f32[0, 3] @f03
  at here)"},
    // Parameters.
    {"celu_alpha", [](const Inputs &in) { (void)celu(in.f3, 0); }, R"(
celu: expected an alpha other than 0, got 0
  x: f32[3] @f3
  at here)"},
    {"vector_norm_ord", [](const Inputs &in) { (void)vector_norm(in.f3, {}, false, NAN); }, R"(
vector_norm: expected a number as ord, got nan
  x: f32[3] @f3
  at here)"},
    {"norm_ord", [](const Inputs &in) { (void)norm(in.f3, {}, false, NAN); }, R"(
norm: expected a number as ord, got nan
  x: f32[3] @f3
  at here)"},
    {"norm_of_matrices", [](const Inputs &in) { (void)norm(in.f23, {}, false, 2); }, R"(
norm: expected an ord of 1, -1, inf or -inf of matrices, or none, got 2
  x: f32[2, 3] @f23
  at here)"},
    {"matrix_norm_ord", [](const Inputs &in) { (void)matrix_norm(in.f23, false, static_cast<MatrixNorm>(8)); }, R"(
matrix_norm: expected a value of MatrixNorm, got the number 8
  x: f32[2, 3] @f23
  at here)"},
    {"diff_n", [](const Inputs &in) { (void)diff(in.f3, -1); }, R"(
diff: expected n >= 0, got -1
  x: f32[3] @f3
  at here)"},
    {"quantile_q", [](const Inputs &in) { (void)quantile(in.f3, 1.5); }, R"(
quantile: expected q from 0 to 1, got 1.5
  x: f32[3] @f3
  q: 1.5
  at here)"},
    {"percentile_q", [](const Inputs &in) { (void)percentile(in.f3, -1); }, R"(
percentile: expected q from 0 to 100, got -1
  x: f32[3] @f3
  q: -1
  at here)"},
    {"searchsorted_side", [](const Inputs &in) { (void)searchsorted(in.f3, 1, static_cast<Side>(2)); }, R"(
searchsorted: expected a value of Side, got the number 2
  x1: f32[3] @f3
  x2: 1
  at here)"},
    {"histogram_bins", [](const Inputs &in) { (void)histogram(in.f3, 0); }, R"(
histogram: expected a number of bins from 1 to 2^53, got 0
  x: f32[3] @f3
  bins: 0
  at here)"},
    {"bincount_minlength", [](const Inputs &in) { (void)bincount(in.i3, none, -1, 3); }, R"(
bincount: expected a minlength >= 0, got -1
  x: i32[3] @i3
  at here)"},
    {"silu_empty", [](const Inputs &) { (void)silu(Array()); }, R"(
silu: expected an array, got an empty Array
  at here)"},
    {"lerp_empty", [](const Inputs &in) { (void)lerp(in.f3, Array(), 1); }, R"(
lerp: expected an array, got an empty Array
  at here)"},
};

class Functions : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Functions, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Functions, testing::ValuesIn(cases), nameOf<Inputs>);

// What is known eagerly alone.
TEST(Functions, BincountOfATracedArrayNeedsALength) {
  auto traced = jit([](const Array &x) { return bincount(x); });
  const std::string text = errorOf([&] { traced(Array{1, 2}); }, "");
  EXPECT_EQ(text.substr(0, text.find('\n')), "bincount: expected a length, since the elements of x are not known here");
  EXPECT_EQ(bincount(Array{1, 2}).shape(), Shape({3}));
}
} // namespace
