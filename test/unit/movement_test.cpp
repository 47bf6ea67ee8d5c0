//===- movement_test.cpp - functions of shape and movement ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/NumPyGoldens.h"
#include "test/unit/TransformCases.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

using Longs = std::vector<int64_t>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

//===----------------------------------------------------------------------===//
// What NumPy says
//===----------------------------------------------------------------------===//

constexpr PadMode modes[] = {PadMode::edge, PadMode::reflect, PadMode::symmetric, PadMode::wrap};

const Functions &functions() {
  using C = const Call &;
  using enum Kinds;
  static const Functions all = {
      {"expand_dims", {moved, [](C c) -> List { return {expand_dims(c.x[0], c[0])}; }}},
      {"squeeze", {moved, [](C c) -> List { return {squeeze(c.x[0], c.ints(0))}; }}},
      {"flip", {moved, [](C c) -> List { return {flip(c.x[0], c.ints(0))}; }}},
      {"moveaxis", {moved, [](C c) -> List { return {moveaxis(c.x[0], c[0], c[1])}; }}},
      {"swapaxes", {moved, [](C c) -> List { return {swapaxes(c.x[0], c.one(0), c.one(1))}; }}},
      {"permute_dims", {moved, [](C c) -> List { return {permute_dims(c.x[0], c[0])}; }}},
      {"matrix_transpose", {moved, [](C c) -> List { return {matrix_transpose(c.x[0])}; }}},
      {"rot90", {moved, [](C c) -> List { return {rot90(c.x[0], c.one(0), c[1])}; }}},
      {"diagonal", {moved, [](C c) -> List { return {diagonal(c.x[0], c.one(0), c.one(1), c.one(2))}; }}},
      {"broadcast_arrays", {moved, [](C c) -> List { return broadcast_arrays(c.x); }}},
      {"ravel", {moved, [](C c) -> List { return {ravel(c.x[0])}; }}},
      {"flatten", {moved, [](C c) -> List { return {flatten(c.x[0])}; }}},
      {"atleast_1d", {moved, [](C c) -> List { return {atleast_1d(c.x[0])}; }}},
      {"atleast_2d", {moved, [](C c) -> List { return {atleast_2d(c.x[0])}; }}},
      {"atleast_3d", {moved, [](C c) -> List { return {atleast_3d(c.x[0])}; }}},
      {"concat", {moved, [](C c) -> List { return {concat(c.x, c.one(0))}; }}},
      {"stack", {moved, [](C c) -> List { return {stack(c.x, c.one(0))}; }}},
      {"unstack", {moved, [](C c) -> List { return unstack(c.x[0], c.one(0)); }}},
      {"vstack", {moved, [](C c) -> List { return {vstack(c.x)}; }}},
      {"hstack", {moved, [](C c) -> List { return {hstack(c.x)}; }}},
      {"roll", {moved, [](C c) -> List { return {roll(c.x[0], c[0], c.ints(1))}; }}},
      {"repeat",
       {moved,
        [](C c) -> List {
          const Longs counts = c[0];
          return {counts.size() == 1 ? repeat(c.x[0], counts[0], c.axis(1)) : repeat(c.x[0], counts, c.axis(1))};
        }}},
      {"tile", {moved, [](C c) -> List { return {tile(c.x[0], c[0])}; }}},
      {"pad_mode", {moved, [](C c) -> List { return {pad_mode(c.x[0], c[1], c[2], modes[c.one(0)])}; }}},
      {"tril", {moved, [](C c) -> List { return {tril(c.x[0], c.one(0))}; }}},
      {"triu", {moved, [](C c) -> List { return {triu(c.x[0], c.one(0))}; }}},
      {"diag", {moved, [](C c) -> List { return {diag(c.x[0], c.one(0))}; }}},
      {"trace", {summed, [](C c) -> List { return {trace(c.x[0], c.one(0), c.one(1), c.one(2))}; }}},
      {"meshgrid", {moved, [](C c) -> List { return meshgrid(c.x, c.one(0) ? GridIndexing::xy : GridIndexing::ij); }}},
      {"eye", {moved, [](C c) -> List { return {eye(c.one(0), c.one(1), c.one(2), c.dtype)}; }}},
      {"indices", {ordered, [](C c) -> List { return {indices(c[0], c.dtype)}; }}},
      {"tensordot",
       {computed,
        [](C c) -> List {
          return {c.attributes.size() == 1 ? tensordot(c.x[0], c.x[1], c[0]) : tensordot(c.x[0], c.x[1], c[0], c[1])};
        }}},
      {"vecdot", {ordered, [](C c) -> List { return {vecdot(c.x[0], c.x[1], c.one(0))}; }}},
      {"outer", {computed, [](C c) -> List { return {outer(c.x[0], c.x[1])}; }}},
      {"inner", {computed, [](C c) -> List { return {inner(c.x[0], c.x[1])}; }}},
      {"dot", {computed, [](C c) -> List { return {dot(c.x[0], c.x[1])}; }}},
      {"kron", {computed, [](C c) -> List { return {kron(c.x[0], c.x[1])}; }}},
      {"cross", {computed, [](C c) -> List { return {cross(c.x[0], c.x[1], c.one(0))}; }}},
      {"compress", {moved, [](C c) -> List { return {compress(c[0], c.x[0], c.axis(1))}; }}},
      {"put_along_axis",
       {moved,
        [](C c) -> List {
          Shape shape = c.x[0].shape();
          shape.at(c.one(0) < 0 ? c.one(0) + shape.rank() : c.one(0)) = c.one(2);
          return {put_along_axis(c.x[0], reshape(c[1], shape), c.x[1], c.one(0))};
        }}},
      {"select",
       {ordered, [](C c) -> List { return {select({c.x[0] > 14, c.x[0] > 7}, {c.x[1], c.x[2]}, c.one(0))}; }}},
      {"choose", {moved, [](C c) -> List { return {choose(Array(c[0]) % 2, {c.x[0], c.x[1]})}; }}},
      {"unravel_index",
       {index, [](C c) -> List { return unravel_index(c.x[0] % element_count(Shape(c[0])), Shape(c[0])); }}},
      {"segment_sum", {computed, [](C c) -> List { return {segment_sum(c.x[0], c[0], c.one(1))}; }}},
      {"segment_prod", {computed, [](C c) -> List { return {segment_prod(c.x[0], c[0], c.one(1))}; }}},
      {"segment_max", {ordered, [](C c) -> List { return {segment_max(c.x[0], c[0], c.one(1))}; }}},
      {"segment_min", {ordered, [](C c) -> List { return {segment_min(c.x[0], c[0], c.one(1))}; }}},
  };
  return all;
}

/// What there is no part for is the dtype's own: -1 is the lowest element, 99 the highest.
Array expected(const Golden &one, const Array &numbers, Dtype dtype) {
  const Array made = astype(numbers, dtype);
  if (one.name != "segment_max" && one.name != "segment_min")
    return made;
  const bool isMax = one.name == "segment_max";
  const Scalar none = kind(dtype) == Kind::floating ? Scalar(isMax ? -INFINITY : INFINITY)
                      : dtype == Dtype::u8          ? Scalar(isMax ? 0 : 255)
                                                    : Scalar(isMax ? INT32_MIN : INT32_MAX);
  return where(numbers == (isMax ? -1 : 99), none, made);
}

const Goldens &goldens() {
  static const Goldens all("movement_goldens.py", functions(), expected);
  return all;
}

TEST(Movement, IsNumPys) { goldens().expectEager(5); }
TEST(Movement, CompiledItIsTheSame) { goldens().expectCompiled(); }

//===----------------------------------------------------------------------===//
// Views, places, numbers
//===----------------------------------------------------------------------===//

TEST(Movement, ViewsMoveNoElements) {
  const Array x = reshape(arange(24, {}, 1, f32), {2, 3, 4});
  const void *base = x.value()->base;
  for (const Array &view :
       {expand_dims(x, {0, -1}), squeeze(expand_dims(x, 1)), flip(x), moveaxis(x, 0, -1), swapaxes(x, 0, 2),
        permute_dims(x, {2, 0, 1}), matrix_transpose(x), rot90(x), diagonal(x), diagonal(x, 1, 1, 2), unstack(x, 1)[2],
        broadcast_arrays({x, ones({5, 1, 1, 1})})[0], ravel(x), x.T(), x.mT()})
    EXPECT_EQ(view.value()->base, base) << view.shape();
  EXPECT_EQ(squeeze(x).value(), x.value());
  EXPECT_EQ(diagonal(x, 1, 1, 2).to_vector<float>(), (Floats{1, 6, 11, 13, 18, 23}));
}

TEST(Movement, MethodsAreTheFunctions) {
  const Array x = reshape(arange(6, {}, 1, f32), {1, 2, 3});
  EXPECT_EQ(x.reshape({3, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(x.astype(i32).dtype(), i32);
  EXPECT_EQ(x.transpose({1, 2, 0}).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(x.T().shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(x.mT().shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(x.squeeze().shape(), (Shape{2, 3}));
  EXPECT_EQ(x.flatten().shape(), (Shape{6}));
  EXPECT_EQ(x.sum(-1).to_vector<float>(), (Floats{3, 12}));
  EXPECT_EQ(x.mean().item<float>(), 2.5f);
  EXPECT_EQ(x.max({0, 1}, true).shape(), (Shape{1, 1, 3}));
  EXPECT_EQ(x.min(2).to_vector<float>(), (Floats{0, 3}));
  EXPECT_TRUE(bool(x.any()) && !bool(x.all()));
  EXPECT_THAT(errorOf([&] { (void)x.sum(3); }),
              HasSubstr("sum: axis 3 is out of range for an array of rank 3\n  x: f32[1, 2, 3]"));
  EXPECT_THAT(errorOf([&] { (void)x.sum(3); }), HasSubstr("\n  at " __FILE__ ":"));
  EXPECT_THAT(errorOf([&] { (void)Array().mT(); }), HasSubstr("mT: expected an array, got an empty Array"));
}

TEST(Movement, NumbersAtEqualDistances) {
  // From NumPy, as f32: computed in f64 and rounded once.
  EXPECT_EQ(linspace(0, 1, 4).to_vector<float>(), (Floats{0, 0.33333334f, 0.6666667f, 1}));
  EXPECT_EQ(linspace(-1, 0.5, 4, false, f64).to_vector<double>(), (Doubles{-1, -0.625, -0.25, 0.125}));
  EXPECT_EQ(linspace(0, 10, 4, true, i32).to_vector<int32_t>(), (std::vector<int32_t>{0, 3, 6, 10}));
  EXPECT_EQ(linspace(0, -10, 4, true, i32).to_vector<int32_t>(), (std::vector<int32_t>{0, -4, -7, -10}));
  EXPECT_EQ(linspace(0, 1, 1).to_vector<float>(), (Floats{0}));
  EXPECT_EQ(linspace(0, 1, 0).shape(), (Shape{0}));
  EXPECT_EQ(linspace(0, 1).shape(), (Shape{50}));
  EXPECT_EQ(linspace(Array{0, 1}, 2, 3).to_vector<float>(), (Floats{0, 1, 1, 1.5f, 2, 2}));
  EXPECT_EQ(linspace(0, complex64_t{1, 2}, 3).to_vector<complex64_t>()[1].imag, 1);
  EXPECT_EQ(linspace(0.1, 0.3, 7, true, f64)[-1].item<double>(), 0.3);
  EXPECT_EQ(logspace(0, 2, 3).to_vector<float>(), (Floats{1, 10, 100}));
  EXPECT_EQ(logspace(0, 3, 3, false, 2, f64).to_vector<double>(), (Doubles{1, 2, 4}));
  EXPECT_EQ(geomspace(1, 1000, 4).to_vector<float>(), (Floats{1, 10, 100, 1000}));
  EXPECT_EQ(geomspace(-0.7, -700, 4, true, f64)[0].item<double>(), -0.7);
  EXPECT_EQ(geomspace(-0.7, -700, 4, true, f64)[-1].item<double>(), -700);
  EXPECT_THAT(messageOf([] { (void)geomspace(0, 3); }), HasSubstr("geomspace: expected bounds other than 0, got 0"));
}

TEST(Movement, ArraysOfWhatThereIs) {
  EXPECT_EQ(asarray({{1, 2}, {3, 4}}, f64).to_vector<double>(), (Doubles{1, 2, 3, 4}));
  EXPECT_EQ(asarray(1.5, i32).item<int32_t>(), 1);
  EXPECT_EQ(asarray(1e300, f64).item<double>(), 1e300);
  EXPECT_EQ(asarray(7).dtype(), i32);
  const Array x = ones({3});
  EXPECT_EQ(asarray(x).value(), x.value());
  EXPECT_EQ(empty({2, 0}, i8).dtype(), i8);
  EXPECT_EQ(empty_like(x, bool_).to_vector<bool>(), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(identity(2).to_vector<float>(), (Floats{1, 0, 0, 1}));
  EXPECT_EQ(eye(2).shape(), (Shape{2, 2}));
  EXPECT_EQ(diag({1, 2}, 1).to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(diag({1, 2}, -1).to_vector<int32_t>(), (std::vector<int32_t>{0, 0, 0, 1, 0, 0, 0, 2, 0}));
  EXPECT_EQ(broadcast_shapes({{2, 1}, {3}, {}}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({}), Shape());
  EXPECT_THAT(messageOf([] { (void)broadcast_shapes({{2}, {3}}); }),
              HasSubstr("broadcast_shapes: shapes (2,) and (3,) do not broadcast: sizes 2 and 3 differ"));
}

TEST(Movement, PolynomialsLinesAndSlopes) {
  const Array x = {-1.0f, 0.0f, 0.25f, 1.5f, 3.0f, 9.0f, NAN};
  const Array xp = {0.0f, 1.0f, 3.0f}, fp = {1.0f, 2.0f, 0.0f};
  const Floats inside = interp(x, xp, fp).to_vector<float>();
  EXPECT_EQ(Floats(inside.begin(), inside.end() - 1), (Floats{1, 1, 1.25f, 1.5f, 0, 0}));
  EXPECT_TRUE(std::isnan(inside.back()));
  const Array outside = interp(x, xp, fp, -7, 8);
  EXPECT_EQ(outside[0].item<float>(), -7);
  EXPECT_EQ(outside[1].item<float>(), 1);
  EXPECT_EQ(outside[4].item<float>(), 0);
  EXPECT_EQ(outside[5].item<float>(), 8);
  EXPECT_EQ(interp(x, Array{0.0f}, Array{5.0f}, 1, 2)[slice(0, 4)].to_vector<float>(), (Floats{1, 5, 2, 2}));
  EXPECT_EQ(polyval({2, 0, 1}, {1, 2, 3}).to_vector<int32_t>(), (std::vector<int32_t>{3, 9, 19}));
  EXPECT_EQ(gradient({1.0f, 2.0f, 4.0f, 7.0f}, 0.5)[0].to_vector<float>(), (Floats{2, 3, 5, 6}));
  EXPECT_EQ(gradient(ones({2, 3, 2})).size(), 3u);
  EXPECT_EQ(gradient(reshape(arange(6, {}, 1, f32), {2, 3}), 1, {1, 0})[1].to_vector<float>(),
            (Floats{3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(trapezoid({1.0f, 2.0f, 3.0f}).item<float>(), 4);
  EXPECT_EQ(trapezoid({1.0f, 2.0f, 3.0f}, none, 2).item<float>(), 8);
  EXPECT_EQ(trapezoid({{1.0f, 2.0f}, {3.0f, 4.0f}}, {0, 4}, 1, 0).to_vector<float>(), (Floats{8, 12}));
  EXPECT_EQ(trapezoid(zeros({2, 0})).to_vector<float>(), (Floats{0, 0}));
  EXPECT_EQ(cov({{0.0f, 1.0f, 2.0f}, {2.0f, 1.0f, 0.0f}}).to_vector<float>(), (Floats{1, -1, -1, 1}));
  EXPECT_EQ(cov({1.0f, 3.0f}, true, 0).item<float>(), 1);
  EXPECT_EQ(cov({{0.0f, 2.0f}, {1.0f, 1.0f}, {2.0f, 0.0f}}, false).to_vector<float>(), (Floats{1, -1, -1, 1}));
  EXPECT_EQ(corrcoef({{0.0f, 1.0f, 2.0f}, {4.0f, 2.0f, 0.0f}}).to_vector<float>(), (Floats{1, -1, -1, 1}));
  EXPECT_EQ(global_norm({Array{3.0f}, Array{{0.0f, 4.0f}}}).item<float>(), 5);
  EXPECT_EQ(clip_by_norm({3.0f, 4.0f}, 1).to_vector<float>(), (Floats{0.6f, 0.8f}));
  EXPECT_EQ(clip_by_norm({{3.0f, 4.0f}, {0.0f, 1.0f}}, 1, 1).to_vector<float>(), (Floats{0.6f, 0.8f, 0, 1}));
  auto clipped = [](const Array &x) { return sum(clip_by_norm(x, 1)); };
  EXPECT_EQ(grad(clipped)(zeros({2})).to_vector<float>(), (Floats{1, 1}));
}

TEST(Movement, NumbersTakeTheDtypeBesideThem) {
  const Array x = astype(Array{1, 200}, u8);
  EXPECT_EQ(outer(x, 2).to_vector<uint8_t>(), (std::vector<uint8_t>{2, 144}));
  EXPECT_EQ(outer(x, 0.5f).to_vector<float>(), (Floats{0.5f, 100}));
  EXPECT_EQ(inner(3, x).dtype(), u8);
  EXPECT_EQ(select({x > 2}, {x}, 7).to_vector<uint8_t>(), (std::vector<uint8_t>{7, 200}));
  EXPECT_EQ(select({x > 2}, {x > 3}).dtype(), bool_);
  EXPECT_EQ(choose({1, -2}, {x, Array{1.5f}}).to_vector<float>(), (Floats{1.5f, 200}));
  EXPECT_EQ(vecdot(ones({3000}, bf16), ones({3000}, bf16)).item<float>(), 3008.0f); // summed in f32
}

TEST(Movement, AFunctionAlongAnAxis) {
  const Array x = reshape(arange(24, {}, 1, f32), {2, 3, 4});
  auto ends = [](const Array &row) { return stack({row[-1], row[0]}); };
  EXPECT_EQ(apply_along_axis(ends, 1, x).shape(), (Shape{2, 2, 4}));
  EXPECT_EQ(apply_along_axis(ends, -1, x).shape(), (Shape{2, 3, 2}));
  EXPECT_EQ((apply_along_axis(ends, 1, x)[{1, 0}].to_vector<float>()), (Floats{20, 21, 22, 23}));
  EXPECT_EQ(apply_along_axis([](const Array &row) { return sum(row); }, 0, x).shape(), (Shape{3, 4}));
  auto outerOf = [](const Array &row) { return outer(row, row[slice(0, 2)]); };
  EXPECT_EQ(apply_along_axis(outerOf, -2, x).shape(), (Shape{2, 3, 2, 4}));
  for (int axis : {3, -4})
    EXPECT_THAT(errorOf([&] { apply_along_axis(ends, axis, x); }),
                StartsWith("apply_along_axis: axis " + std::to_string(axis) +
                           " is out of range for an array of rank 3\n  at " __FILE__ ":"));
}

TEST(Movement, CountsMustBeKnown) {
  const Array x = {1.0f, 2.0f, 3.0f};
  const Array counts = {1, 0, 2}, holds = {true, false, true};
  // What is captured is known, in any dtype of integers.
  auto f = jit([&](const Array &x) { return std::pair(repeat(x, astype(Array{2}, i8)), x); });
  EXPECT_THAT(messageOf([&] { f(x); }), HasSubstr("repeat: the size of the result depends on the counts, whose values "
                                                  "are unknown inside jit and vmap; use a single number of repeats"));
  auto known = jit([&](const Array &x) { return std::pair(repeat(x, counts), compress(holds, x)); });
  EXPECT_EQ(known(x).first.to_vector<float>(), (Floats{1, 3, 3}));
  EXPECT_EQ(known(x).second.to_vector<float>(), (Floats{1, 3}));
  auto unknown = jit([](const Array &holds, const Array &x) { return compress(holds, x); });
  EXPECT_THAT(messageOf([&] { unknown(holds, x); }),
              HasSubstr("compress: the size of the result depends on the condition"));
  EXPECT_THAT(messageOf([&] { (void)compress({true, true, true, true}, x); }),
              HasSubstr("compress: the condition holds at 3, axis 0 has 3 elements"));
  EXPECT_EQ(repeat(x, 2).to_vector<float>(), (Floats{1, 1, 2, 2, 3, 3}));
}

//===----------------------------------------------------------------------===//
// Derivatives, batches, symbols
//===----------------------------------------------------------------------===//

TEST(Movement, DerivativesAndBatches) {
  const List inputs{test::numbers({3, 4}, -1, 1, 1), test::numbers({4, 3}, -1, 1, 2), test::numbers({3}, -1, 1, 3)};
  auto f = [](const Array &x, const Array &y, const Array &v) {
    Array total = sum(exp(roll(x, {1, -1}, {0, 1}) * flip(x))) + sum(exp(tensordot(x, y, {0, 1}, {1, 0})));
    total = total + sum(exp(pad_mode(x, {4, 1}, {0, 2}, PadMode::reflect))) + sum(exp(diagonal(x, 1)) * v);
    total = total + sum(square(put_along_axis(x, Array{{0}, {3}, {1}}, expand_dims(v, 1))));
    total = total + sum(exp(tile(v, {2, 2}) * concat({v, repeat(v, Array{1, 0, 2})})));
    total = total + sum(tril(x) * exp(triu(x, 1))) + trace(exp(rot90(y))) + sum(exp(cross(v, y)));
    total = total + sum(exp(kron(v, x))) + sum(exp(diag(v, -1))) + sum(exp(linspace(v, 2.0, 4)));
    total = total + sum(exp(segment_sum(y, Array{1, 0, 1, 5}, 3))) + sum(exp(interp(x, Array{-2.0, 0.1, 2.0}, v)));
    return total + sum(exp(gradient(x, 0.5)[0])) + sum(exp(unstack(x, 1)[2])) + sum(exp(vecdot(y, v)));
  };
  const List expected = differences([&](const List &in) { return f(in[0], in[1], in[2]); }, inputs, Array(1.0));
  const auto [dx, dy, dv] = grad<0, 1, 2>(f)(inputs[0], inputs[1], inputs[2]);
  expectNear(dx, expected[0], 1e-7, "x");
  expectNear(dy, expected[1], 1e-7, "y");
  expectNear(dv, expected[2], 1e-7, "v");
  const Array xs = test::numbers({2, 3, 4}, -1, 1, 4), ys = test::numbers({2, 4, 3}, -1, 1, 5);
  const Array whole = vmap(f, {.in_axes = {0, 0, none}})(xs, ys, inputs[2]);
  for (int e = 0; e < 2; ++e)
    expectNear(whole[e], f(xs[e], ys[e], inputs[2]), 1e-12, "example");
}

TEST(Movement, SizesMayBeSymbols) {
  auto f = [](const Array &x, const Array &v) {
    const Dim n = x.shape()[0];
    List out{flip(x),
             roll(x, {3, -1}, {0, 1}),
             roll(x, 5),
             tril(x, 1),
             triu(x),
             tile(v, 3),
             repeat(v, 2),
             expand_dims(x, 0),
             moveaxis(x, 0, 1),
             matrix_transpose(x),
             rot90(x),
             ravel(x),
             stack({v, v}, 1),
             vstack({v, v}),
             hstack({v, v}),
             eye(n),
             pad_mode(v, {3}, {2}, PadMode::reflect),
             pad_mode(v, {3}, {2}, PadMode::wrap),
             outer(v, v),
             kron(v, v),
             inner(x, x),
             dot(v, x),
             vecdot(x, x),
             diag(v, 1),
             indices({n, 2}),
             meshgrid({v, v})[1],
             gather(v, reshape(argsort(v), {-1, 1}), {1}, Longs{}, 0, 0)};
    for (const Array &part : unravel_index(argsort(v), {n, n}))
      out.push_back(part);
    out.push_back(diagonal(outer(v, v)));
    out.push_back(diagonal(outer(v, v + 1), -1));
    out.push_back(trace(outer(v, v)));
    out.push_back(segment_sum(x, argsort(v), n));
    out.push_back(cov(x));
    return out;
  };
  auto whole = jit(f, {.specs = {TensorSpec{f32, {"n", "m"}}, TensorSpec{f32, {"n"}}}});
  for (int64_t n : {3, 8, 50}) {
    const Array x = reshape(arange(n * 5, {}, 1, f32), {n, 5}) * 0.125f, v = arange(n, {}, 1, f32) * 0.5f;
    const List got = whole(x, v), expected = f(x, v);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].shape(), expected[i].shape()) << i;
      EXPECT_TRUE(bool(all(got[i] == expected[i]))) << i;
    }
  }
  EXPECT_EQ(whole.stats().compiles, 1u);
  auto unstacked = jit([](const Array &x) { return unstack(x); }, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_THAT(messageOf([&] { unstacked(ones({3})); }),
              HasSubstr("unstack: expected an axis whose size is known, got n along axis 0"));
  auto cornered = jit([](const Array &x) { return diagonal(x); }, {.specs = {TensorSpec{f32, {"n", "m"}}}});
  EXPECT_THAT(messageOf([&] { cornered(ones({3, 4})); }),
              HasSubstr("diagonal: expected sizes of which it is known which one is smaller, got n and m"));
}

// A whole turn too is cut into two parts: a -0 of its derivative is +0 in both forms.
TEST(Movement, RolledByItsSizeItHasTheDerivativeOfASymbol) {
  const auto slope = [](const Array &x) { return grad([](const Array &at) { return sum(roll(at, 3) * -0.0f); })(x); };
  const Array x{1.0f, 2.0f, 3.0f}, expected = slope(x);
  EXPECT_FALSE(any(signbit(expected)).item<bool>());
  EXPECT_TRUE(array_equal(signbit(jit(slope, {.specs = {TensorSpec{f32, {"n"}}}})(x)), signbit(expected)).item<bool>());
}

} // namespace
