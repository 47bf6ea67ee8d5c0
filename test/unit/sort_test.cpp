//===- sort_test.cpp - sorting with a comparison function of the user ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <algorithm>
#include <gmock/gmock.h>
#include <numeric>
#include <random>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Both = std::pair<Array, Array>;

Array isLess(const Array &a, const Array &b) { return a < b; }
/// By the first, then by the second the other way round.
Array stands(const Both &a, const Both &b) { return a.first < b.first || (a.first == b.first && a.second > b.second); }

/// Small numbers, most of them several times.
Array drawn(const Shape &shape, uint64_t seed, Dtype dtype = i64, int values = 5) {
  std::mt19937_64 random(seed);
  Longs elements(static_cast<size_t>(element_count(shape).raw()));
  for (int64_t &element : elements)
    element = static_cast<int64_t>(random() % static_cast<uint64_t>(values)) - values / 2;
  return astype(Array(std::span<const int64_t>(elements), shape), dtype);
}

/// Where std::stable_sort takes the elements of each lane from.
template <class Less>
Longs reference(const Shape &shape, int axis, Less &&less) {
  int64_t size = shape[axis], inner = 1, outer = 1;
  for (int i = 0; i < axis; ++i)
    outer *= int64_t(shape[i]);
  for (int i = axis + 1; i < shape.rank(); ++i)
    inner *= int64_t(shape[i]);
  Longs from(static_cast<size_t>(outer * size * inner));
  for (int64_t lane = 0; lane < outer * inner; ++lane) {
    const int64_t first = lane / inner * size * inner + lane % inner;
    Longs order(static_cast<size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return less(static_cast<size_t>(first + a * inner), static_cast<size_t>(first + b * inner));
    });
    for (int64_t k = 0; k < size; ++k)
      from[static_cast<size_t>(first + k * inner)] = first + order[static_cast<size_t>(k)] * inner;
  }
  return from;
}

/// What both hold once sorted by `stands`, with the places that they came from.
void expectSorted(const Array &first, const Array &second, int axis, const std::string &what) {
  const Shape shape = first.shape();
  const int place = axis < 0 ? axis + shape.rank() : axis;
  const Longs a = longs(first), b = longs(second);
  const Longs from =
      reference(shape, place, [&](size_t i, size_t j) { return a[i] < a[j] || (a[i] == a[j] && b[i] > b[j]); });
  using Three = std::tuple<Array, Array, Array>;
  const Array numbers = reshape(arange(0, int64_t(element_count(shape)), 1, i64), shape);
  const Three sorted = sort(
      Three(first, second, numbers),
      [](const Three &x, const Three &y) {
        return stands({std::get<0>(x), std::get<1>(x)}, {std::get<0>(y), std::get<1>(y)});
      },
      axis);
  EXPECT_EQ(std::get<2>(sorted).to_vector<int64_t>(), from) << what;
  Longs expected;
  for (int64_t i : from)
    expected.push_back(a[static_cast<size_t>(i)]);
  EXPECT_EQ(longs(std::get<0>(sorted)), expected) << what;
  EXPECT_EQ(std::get<0>(sorted).dtype(), first.dtype()) << what;
}

TEST(SortBy, OfEveryLength) {
  for (int64_t n = 0; n < 36; ++n)
    expectSorted(drawn({n}, 1 + uint64_t(n)), drawn({n}, 100 + uint64_t(n)), -1, std::to_string(n));
  for (int64_t n : {100, 127, 128, 129, 1000})
    expectSorted(drawn({n}, uint64_t(n)), drawn({n}, 7 + uint64_t(n), i64, 3), 0, std::to_string(n));
}

TEST(SortBy, AlongAnyAxisOfAnyDtypeAndLayout) {
  for (int axis : {0, 1, 2, -1, -3})
    for (Dtype dtype : {i8, u8, i64, f16, bf16, f32, f64})
      expectSorted(abs(drawn({3, 5, 4}, 3, i64)).astype(dtype), drawn({3, 5, 4}, 4, i64), axis,
                   std::string(short_name(dtype)) + " " + std::to_string(axis));
  const Array x = drawn({6, 7}, 5), y = drawn({7, 6}, 6);
  expectSorted(flip(x, 1), transpose(y), 1, "turned");
  expectSorted(x[{slice(_, _, 2), slice(_, _, -2)}], y[{slice(1, 4), slice(2, 6)}], 0, "parts");
  expectSorted(broadcast_to(x[0], {3, 7}), broadcast_to(y[{_, slice(0, 1)}], {7, 7})[slice(0, 3)], 1, "broadcast");
  for (const Shape &shape : {Shape{0, 3}, Shape{3, 0}, Shape{1, 1}, Shape{0}, Shape{2, 0, 3}})
    for (int axis = 0; axis < shape.rank(); ++axis)
      expectSorted(drawn(shape, 1), drawn(shape, 2), axis, shape.str());
}

TEST(SortBy, IsStableEitherWay) {
  const Array keys = drawn({50}, 9, i32, 3), places = arange(0, 50, 1, i32);
  auto descending = [](const Both &a, const Both &b) { return a.first > b.first; };
  const Both sorted = sort(Both(keys, places), descending);
  EXPECT_EQ(longs(sorted.second), longs(argsort(keys, -1, true)));
  EXPECT_EQ(longs(sort(keys, greater)), longs(sort(keys, -1, true)));
  EXPECT_EQ(longs(sort(keys, std::less<>())), longs(sort(keys)));
  // None stands before another: all stay.
  EXPECT_EQ(longs(sort(keys, [](const Array &a, const Array &b) { return a < b && a > b; })), longs(keys));
}

TEST(SortBy, TreesOfAnyKind) {
  struct Person {
    Array age, name;
  };
  const Person people{{30, 20, 30, 10}, {1, 2, 3, 4}};
  const Person sorted = sort(people, [](const Person &a, const Person &b) { return a.age < b.age; });
  EXPECT_EQ(longs(sorted.age), (Longs{10, 20, 30, 30}));
  EXPECT_EQ(longs(sorted.name), (Longs{4, 2, 1, 3}));
  const List list = sort(List{Array{3, 1, 2}}, [](const List &a, const List &b) { return a[0] < b[0]; });
  EXPECT_EQ(longs(list[0]), (Longs{1, 2, 3}));
  const Array words = {true, false, true, false};
  EXPECT_EQ(longs(sort(words, [](const Array &a, const Array &b) { return !a && b; })), (Longs{0, 0, 1, 1}));
  const Array z = complex(Array{1.f, 0.f, 1.f}, Array{2.f, 5.f, 1.f});
  auto byPhase = [](const Array &a, const Array &b) { return imag(a) < imag(b); };
  EXPECT_EQ(longs(real(sort(z, byPhase))), (Longs{1, 1, 0}));
}

/// A comparison that is no order may not lose an element, and gives the same everywhere.
TEST(SortBy, LosesNothingByWhateverIsNoOrder) {
  auto lessEqual = [](const Array &a, const Array &b) { return a <= b; };
  auto always = [](const Array &a, const Array &b) { return a == a || b == b; };
  auto scrambled = [](const Array &a, const Array &b) { return (a * 7 + b * 5) % 3 == 1; };
  for (int64_t n = 0; n < 40; ++n) {
    const Array x = drawn({3, n}, uint64_t(n), i64, 7);
    for (const auto &compare :
         std::vector<std::function<Array(const Array &, const Array &)>>{lessEqual, always, scrambled}) {
      const Array places = broadcast_to(arange(0, n, 1, i64), {3, n});
      auto byFirst = [&](const Both &a, const Both &b) { return compare(a.first, b.first); };
      const Both got = sort(Both(x, places), byFirst);
      EXPECT_EQ(longs(sort(got.second)), longs(places)) << n;
      EXPECT_EQ(longs(take_along_axis(x, got.second)), longs(got.first)) << n;
      EXPECT_EQ(longs(jit([&](const Both &both) { return sort(both, byFirst); })(Both(x, places)).second),
                longs(got.second));
    }
    EXPECT_EQ(longs(sort(x, lessEqual)), longs(sort(x))) << n; // the last of equal ones first
  }
  const Array holes = {NAN, 2.f, NAN, 1.f, 3.f, NAN, 0.f, NAN, -1.f};
  Floats numbers = sort(holes, isLess).to_vector<float>();
  EXPECT_EQ(std::ranges::count_if(numbers, [](float x) { return std::isnan(x); }), 4);
  std::erase_if(numbers, [](float x) { return std::isnan(x); });
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (Floats{-1, 0, 1, 2, 3}));
  // NaN last is an order.
  auto nanLast = [](const Array &a, const Array &b) { return a < b || (!isnan(a) && isnan(b)); };
  EXPECT_TRUE(bool(array_equal(sort(holes, nanLast), sort(holes), true)));
}

TEST(SortBy, TheSameInEveryMode) {
  const Array x = drawn({4, 33}, 11, f32, 9), y = drawn({4, 33}, 12, i32, 9);
  for (int axis : {0, 1}) {
    auto f = [&](const Array &x, const Array &y) { return sort(Both(x, y), stands, axis); };
    const Both eager = f(x, y);
    auto expectSame = [&](const Both &got, const char *what) {
      EXPECT_TRUE(bool(array_equal(got.first, eager.first))) << what << axis;
      EXPECT_TRUE(bool(array_equal(got.second, eager.second))) << what << axis;
    };
    expectSame(jit(f)(x, y), "compiled");
    expectSame(jit(f, {.compile = Compile::never})(x, y), "interpreted");
    auto ofSymbols = jit(f, {.specs = {TensorSpec{f32, {"n", "m"}}, TensorSpec{i32, {"n", "m"}}}});
    expectSame(ofSymbols(x, y), "of symbols");
    {
      const EagerScope plain;
      expectSame(f(x, y), "plain C++");
    }
    expectSame(cond(true, f, [](const Array &x, const Array &y) { return Both(x, y); }, x, y), "in a branch");
    const auto rounds = scan([&](const Array &c, const Both &now) { return std::pair(c, f(now.first, now.second)); }, 0,
                             Both(reshape(x, {1, 4, 33}), reshape(y, {1, 4, 33})));
    expectSame({rounds.second.first[0], rounds.second.second[0]}, "in a loop");
  }
  auto row = [](const Array &x, const Array &y) { return sort(Both(x, y), stands); };
  EXPECT_TRUE(bool(array_equal(vmap(row)(x, y).second, sort(Both(x, y), stands, 1).second)));
  EXPECT_TRUE(
      bool(array_equal(jit(vmap(row, {.in_axes = {1, 1}}))(x, y).first, transpose(sort(Both(x, y), stands, 0).first))));
  // One that compares with what differs between the examples.
  auto nearest = [](const Array &x, const Array &to) {
    return sort(x, [&](const Array &a, const Array &b) { return abs(a - to) < abs(b - to); });
  };
  const Array centers = {0.f, 3.f, -3.f, 1.f}, batched = vmap(nearest)(x, centers);
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(bool(array_equal(batched[i], nearest(x[i], centers[i])))) << i;
}

TEST(SortBy, DerivativesGoWhereTheElementsGo) {
  const Array x = numbers({3, 9}, -2, 2, 21), weights = numbers({3, 9}, -1, 1, 22);
  auto byDistance = [](const Array &a, const Array &b) { return abs(a - 0.3) < abs(b - 0.3); };
  for (int axis : {0, 1}) {
    auto f = [&](const List &v) { return exp(sort(v[0], byDistance, axis)) * v[0]; };
    auto loss = [&](const Array &x) { return sum(f({x}) * weights); };
    const Array slopes = grad(loss)(x);
    expectNear(slopes, differences(f, {x}, weights)[0], 1e-6, "sort");
    EXPECT_TRUE(bool(allclose(jit(grad(loss))(x), slopes, 1e-12)));
    EXPECT_TRUE(bool(allclose(grad(jit(loss))(x), slopes, 1e-12)));
  }
  auto row = [&](const Array &x) { return sum(square(sort(x, byDistance)) * arange(0, 9, 1, f64)); };
  EXPECT_TRUE(bool(allclose(vmap(grad(row))(x)[1], grad(row)(x[1]), 1e-12)));
  // What is compared with may be differentiated itself, and the derivative again.
  auto scaled = [&](const Array &s) {
    return sum(pow(sort(x[0] * s, [&](const Array &a, const Array &b) { return a * s < b * s; }), 3) *
               arange(0, 9, 1, f64));
  };
  const Array s = Array(1.5).astype(f64), h = Array(1e-4).astype(f64);
  EXPECT_NEAR(grad(grad(scaled))(s).item<double>(), (grad(scaled)(s + h) - grad(scaled)(s - h)).item<double>() / 2e-4,
              1e-4);
}

TEST(SortBy, SaysWhatIsWrong) {
  const Array x = ones({3, 4});
  EXPECT_THAT(errorOf([&] { (void)sort(x, isLess, 2); }),
              HasSubstr("sort: axis 2 is out of range for an array of rank 2\n  at " __FILE__));
  EXPECT_THAT(errorOf([&] { (void)sort(x, isLess, -3); }), HasSubstr("sort: axis -3 is out of range"));
  EXPECT_THAT(errorOf([&] { (void)sort(Array(1), isLess); }),
              HasSubstr("sort: axis -1 is out of range for an array of rank 0"));
  EXPECT_THAT(errorOf([&] { (void)sort(Array(), isLess); }), HasSubstr("sort: expected arrays, got an empty Array"));
  EXPECT_THAT(errorOf([&] { (void)sort(List(), [](const List &a, const List &) { return a[0]; }); }),
              HasSubstr("sort: expected an array at least, got none"));
  EXPECT_THAT(errorOf([&] { (void)sort(Both(x, ones({4, 3})), stands); }),
              HasSubstr("sort: expected arrays of one shape, got (3, 4) and (4, 3)"));
  EXPECT_THAT(errorOf([&] { (void)sort(x, [](const Array &a, const Array &b) { return a - b; }, 0); }),
              HasSubstr("sort: expected the function to return bool[1, 4], true where the first argument comes before "
                        "the second, got f32[1, 4]\n  at " __FILE__));
  EXPECT_THAT(errorOf([&] { (void)sort(x, [](const Array &a, const Array &b) { return all(a < b); }); }),
              HasSubstr("expected the function to return bool[3, 2], true where the first argument comes before the "
                        "second, got bool[]"));
  EXPECT_THAT(errorOf([&] { (void)sort(x, [](const Array &, const Array &) { return Array(); }); }),
              HasSubstr("true where the first argument comes before the second, got an empty Array"));
  // Of a single element, too.
  EXPECT_THAT(errorOf([&] { (void)sort(ones({1}), [](const Array &a, const Array &) { return a; }); }),
              HasSubstr("expected the function to return bool[0]"));
  EXPECT_THAT(errorOf([&] { (void)sort(x, [](const Array &a, const Array &) { return a < ones({7}); }); }),
              HasSubstr("less: shapes (3, 2) and (7,) do not broadcast"));
}

} // namespace
