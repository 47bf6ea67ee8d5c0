//===- fold_test.cpp - reduce and associative_scan --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Line = std::pair<Array, Array>;

Array plus(const Array &a, const Array &b) { return a + b; }
Array times(const Array &a, const Array &b) { return a * b; }
/// Of x -> a x + b: first the one, then the other. Not commutative.
Line then(const Line &first, const Line &second) {
  return {first.first * second.first, first.second * second.first + second.second};
}

//===----------------------------------------------------------------------===//
// associative_scan
//===----------------------------------------------------------------------===//

TEST(AssociativeScan, OfEveryLength) {
  for (int64_t n = 0; n < 20; ++n) {
    const Array x = arange(1, n + 1, 1, i64);
    EXPECT_EQ(longs(associative_scan(plus, x)), longs(cumulative_sum(x))) << n;
    EXPECT_EQ(longs(associative_scan(plus, x, {.reverse = true})), longs(flip(cumulative_sum(flip(x))))) << n;
  }
}

TEST(AssociativeScan, KeepsTheOrder) {
  for (int n = 1; n < 12; ++n) {
    Line all(numbers({n, 2}, -1, 1, 1), numbers({n, 2}, -1, 1, 2)), last(all.first[0], all.second[0]);
    const Line got = associative_scan(then, all);
    for (int i = 0; i < n; ++i) {
      if (i > 0)
        last = then(last, Line(all.first[i], all.second[i]));
      EXPECT_TRUE(bool(allclose(got.first[i], last.first, 1e-12))) << n << " " << i;
      EXPECT_TRUE(bool(allclose(got.second[i], last.second, 1e-12))) << n << " " << i;
    }
  }
  const Array matrices = numbers({5, 2, 2}, -1, 1, 3);
  const Array backwards =
      associative_scan([](const Array &a, const Array &b) { return matmul(b, a); }, matrices, {.reverse = true});
  Array expected = matrices[4];
  for (int i = 3; i >= 0; --i)
    expected = matmul(matrices[i], expected);
  EXPECT_TRUE(bool(allclose(backwards[0], expected, 1e-12)));
}

TEST(AssociativeScan, AlongAnAxis) {
  const Array x = reshape(arange(24, {}, 1, i64), {2, 3, 4});
  for (int axis : {0, 1, 2, -1, -3})
    EXPECT_EQ(longs(associative_scan(plus, x, {.axis = axis})), longs(cumulative_sum(x, axis))) << axis;
  // Of several ranks each has its own.
  const auto [a, b] =
      associative_scan([](const Line &a, const Line &b) { return Line(a.first + b.first, a.second + b.second); },
                       Line(ones({4, 3}), ones({3})), {.axis = -1});
  EXPECT_EQ(longs(b), (Longs{1, 2, 3}));
  EXPECT_EQ(longs(a[3]), (Longs{1, 2, 3}));
}

TEST(AssociativeScan, CompiledBatchedAndDifferentiated) {
  const Array x = numbers({7}, 0.5, 2, 4);
  auto f = [](const Array &x) { return associative_scan(times, x); };
  EXPECT_TRUE(bool(array_equal(jit(f)(x), f(x))));
  const Array rows = numbers({3, 7}, 0.5, 2, 5);
  EXPECT_TRUE(bool(array_equal(vmap(f)(rows), associative_scan(times, rows, {.axis = 1}))));
  auto loss = [&](const Array &x) { return sum(f(x)); };
  const Array slopes = grad(loss)(x), expected = grad([](const Array &x) { return sum(cumulative_prod(x)); })(x);
  EXPECT_TRUE(bool(allclose(slopes, expected, 1e-10)));
  EXPECT_TRUE(bool(allclose(jit(grad(loss))(x), slopes, 1e-12)));
  EXPECT_TRUE(bool(allclose(vmap(grad(loss))(rows)[1], grad(loss)(rows[1]), 1e-12)));
}

TEST(AssociativeScan, SaysWhatIsWrong) {
  EXPECT_THAT(errorOf([] { (void)associative_scan(plus, ones({3}), {.axis = 1}); }),
              HasSubstr("associative_scan: axis 1 is out of range for an array of rank 1\n  at " __FILE__));
  EXPECT_THAT(errorOf([] { (void)associative_scan(plus, Array()); }),
              HasSubstr("associative_scan: expected arrays, got an empty Array"));
  EXPECT_THAT(errorOf([] { (void)associative_scan([](const Array &a, const Array &) { return sum(a); }, ones({4})); }),
              HasSubstr("associative_scan: expected the function to return f32[2], as its arguments, got f32[]"));
  EXPECT_THAT(errorOf([] { (void)associative_scan(then, Line(ones({4}), ones({3}))); }),
              HasSubstr("associative_scan: expected arrays of one size along the axis, got 4 and 3"));
  auto grows = [](const List &a, const List &) { return List{a[0], a[0]}; };
  EXPECT_THAT(errorOf([&] { (void)associative_scan(grows, List{ones({3})}); }),
              HasSubstr("must return the structure that it takes"));
  auto ofSymbol = jit([](const Array &x) { return associative_scan(plus, x); }, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_THAT(errorOf([&] { ofSymbol(ones({3})); }), HasSubstr("expected an axis whose size is known, got n"));
  // What goes wrong in the function is said of its own op.
  EXPECT_THAT(
      errorOf([] { (void)associative_scan([](const Array &a, const Array &) { return a + ones({7}); }, ones({4})); }),
      HasSubstr("add: shapes (2,) and (7,) do not broadcast"));
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

TEST(Reduce, OverAxes) {
  const Array x = reshape(arange(24, {}, 1, i64), {2, 3, 4});
  EXPECT_EQ(reduce(x, 0, plus).item<int64_t>(), 276);
  EXPECT_EQ(longs(reduce(x, 5, plus, {0, -1})), longs(sum(x, {0, 2}) + 5));
  EXPECT_EQ(reduce(x, 0, plus, 1).shape(), (Shape{2, 4}));
  EXPECT_EQ(longs(reduce(x, Array{1, 2, 3, 4}.astype(i64), plus, {0, 1})),
            longs(sum(x, {0, 1}) + Array{1, 2, 3, 4}.astype(i64)));
  EXPECT_EQ(longs(reduce(zeros({0, 2}, i32), 7, times, 0)), (Longs{7, 7}));
  EXPECT_EQ(reduce(zeros({2, 0}, i32), 7, times, 0).shape(), (Shape{0}));
  EXPECT_EQ(reduce(Array(3), 4, times).item<int32_t>(), 12);
  EXPECT_EQ(longs(reduce(Array{3, 4}, 2, times, std::vector<int>())), (Longs{6, 8}));
}

TEST(Reduce, KeepsTheOrder) {
  for (int n = 1; n < 12; ++n) {
    const Line all(numbers({n}, -1, 1, 1), numbers({n}, -1, 1, 2)), start(Array(2.0), Array(3.0));
    Line expected = start;
    for (int i = 0; i < n; ++i)
      expected = then(expected, Line(all.first[i], all.second[i]));
    const Line got = reduce(all, Line(start.first.astype(f64), start.second.astype(f64)), then);
    EXPECT_NEAR(got.first.item<double>(), expected.first.item<double>(), 1e-12) << n;
    EXPECT_NEAR(got.second.item<double>(), expected.second.item<double>(), 1e-12) << n;
  }
}

TEST(Reduce, CompiledBatchedAndDifferentiated) {
  const Array x = numbers({3, 5}, 0.5, 2, 6);
  auto f = [](const Array &x) { return reduce(x, 1, times, 0); };
  EXPECT_TRUE(bool(array_equal(jit(f)(x), f(x))));
  EXPECT_TRUE(bool(array_equal(vmap(f, {.in_axes = {1}})(x), reduce(x, 1, times, 0))));
  auto loss = [&](const Array &x) { return sum(f(x)); };
  EXPECT_TRUE(bool(allclose(grad(loss)(x), grad([](const Array &x) { return sum(prod(x, 0)); })(x), 1e-12)));
  const auto [value, index] = reduce(
      Line(x, broadcast_to(reshape(arange(0, 3, 1, i32), {3, 1}), {3, 5})), Line(Array(-1.0).astype(f64), Array(-1)),
      [](const Line &a, const Line &b) {
        const Array isFirst = a.first >= b.first;
        return Line(where(isFirst, a.first, b.first), where(isFirst, a.second, b.second));
      },
      0);
  EXPECT_EQ(longs(index), longs(argmax(x, 0)));
  EXPECT_TRUE(bool(array_equal(value, max(x, 0))));
  // Of the sizes that stay one may be a symbol.
  auto columns = jit([](const Array &x) { return reduce(x, 0, plus, 0); }, {.specs = {TensorSpec{f32, {3, "n"}}}});
  EXPECT_EQ(longs(columns(ones({3, 2}))), (Longs{3, 3}));
}

TEST(Reduce, SaysWhatIsWrong) {
  EXPECT_THAT(errorOf([] { (void)reduce(ones({3}), 1, plus, 1); }), HasSubstr("reduce: axis 1 is out of range"));
  EXPECT_THAT(errorOf([] { (void)reduce(ones({3}), Array(1), plus); }),
              HasSubstr("reduce: expected a start of dtype f32, got i32\n  at " __FILE__));
  EXPECT_THAT(errorOf([] { (void)reduce(Line(ones({3}), ones({4})), Line(Array(1.f), Array(1.f)), then); }),
              HasSubstr("reduce: expected arrays of one shape, got (3,) and (4,)"));
  EXPECT_THAT(errorOf([] { (void)reduce(List{ones({3})}, List{}, [](const List &a, const List &) { return a; }); }),
              HasSubstr("reduce: expected as many arrays to begin with as there are, 1, got 0"));
  EXPECT_THAT(errorOf([] { (void)reduce(ones({3}), ones({2}), plus); }), HasSubstr("reduce: "));
  EXPECT_THAT(errorOf([] { (void)reduce(ones({3}, i32), 0.5, plus); }), HasSubstr("reduce: "));
}

//===----------------------------------------------------------------------===//
// apply_over_axes, piecewise
//===----------------------------------------------------------------------===//

TEST(Apply, OverAxes) {
  auto total = [](const Array &x, Axis axis) { return sum(x, axis.value()); };
  const Array x = reshape(arange(24, {}, 1, f32), {2, 3, 4});
  EXPECT_TRUE(bool(array_equal(apply_over_axes(total, x, {0, -1}), sum(x, {0, 2}, true))));
  auto running = [](const Array &x, Axis axis) { return cumulative_sum(x, axis); };
  EXPECT_TRUE(bool(array_equal(apply_over_axes(running, x, 1), cumulative_sum(x, 1))));
  EXPECT_THAT(errorOf([&] { apply_over_axes(total, x, 3); }),
              HasSubstr("apply_over_axes: axis 3 is out of range for an array of rank 3\n  at " __FILE__));
  EXPECT_THAT(errorOf([&] { apply_over_axes([](const Array &x, Axis) { return sum(x); }, x, 0); }),
              HasSubstr("apply_over_axes: expected a result of rank 3, or one less, got rank 0"));
}

TEST(Apply, PieceByPiece) {
  const Array x = {-2.f, 0.5f, 3.f};
  auto squared = [](const Array &x) { return x * x; };
  auto f = [&](const Array &x) { return piecewise(x, {x < 0, x > 0.25f}, -1, squared, 7); };
  EXPECT_EQ(f(x).to_vector<float>(), (Floats{-1, 0.25f, 9}));
  EXPECT_EQ(f(Array{0.f}).to_vector<float>(), (Floats{7}));
  EXPECT_EQ(piecewise(x, {x < 0, x < 1}, squared, 1).to_vector<float>(), (Floats{1, 1, 0})); // the last that holds
  EXPECT_EQ(grad([&](const Array &x) { return sum(f(x)); })(x).to_vector<float>(), (Floats{0, 1, 6}));
  EXPECT_TRUE(bool(array_equal(jit(f)(x), f(x))));
  EXPECT_THAT(errorOf([&] { piecewise(x, {x < 0}, 1, 2, 3); }),
              HasSubstr("piecewise: expected a function for each of the 1 conditions, or one more, got 3"));
  EXPECT_THAT(errorOf([&] { piecewise(Array{1}, {x < 0}, 0.5); }), HasSubstr("piecewise: "));
  EXPECT_THAT(errorOf([&] { piecewise(x, {ones({2}) < 0}, 1); }), HasSubstr("piecewise: "));
  EXPECT_THAT(errorOf([&] { piecewise(Array(), {x < 0}, 1); }), HasSubstr("piecewise: "));
}

} // namespace
