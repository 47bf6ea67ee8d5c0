//===- numeric_test.cpp - sums, linspace and bounds at the ends of dtypes --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Doubles = std::vector<double>;
using List = std::vector<Array>;
using Longs = std::vector<int64_t>;

constexpr float inf = INFINITY, nan = NAN;

/// Equal, or near by a share; NaN is NaN.
void expectNumbers(const Array &got, const Doubles &expected, const char *what, double share = 0) {
  const Doubles numbers = astype(got, f64).to_vector<double>();
  ASSERT_EQ(numbers.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(std::isnan(expected[i])
                    ? std::isnan(numbers[i])
                    : numbers[i] == expected[i] || std::abs(numbers[i] - expected[i]) <= share * std::abs(expected[i]))
        << what << ", element " << i << ": got " << numbers[i] << ", expected " << expected[i];
}

Array slopesOf(const std::function<Array(const Array &)> &f, const Array &x) {
  return grad([&](const Array &point) { return sum(f(point)); })(x);
}

TEST(Numeric, BetweenNumbersFarApart) {
  const float far = 3e38f;
  expectNumbers(median(Array{1.0f, inf}), {inf}, "beside inf");
  expectNumbers(median(Array{-inf, 1.0f}), {-inf}, "beside -inf");
  expectNumbers(quantile(Array{1.0f, inf}, 0.75), {inf}, "quantile");
  expectNumbers(median(Array{far, -far}), {0}, "far apart");
  expectNumbers(quantile(Array{far, -far}, {0.0, 0.25, 0.75, 1.0}), {-far, -far / 2, far / 2, far}, "shares", 1e-6);
  expectNumbers(lerp(Array{-far, -inf, 1.0f, inf, inf, -inf, 1.0f, nan},
                     Array{far, 0.0f, inf, 1.0f, inf, inf, nan, 0.0f},
                     {0.0f, 0.0f, 0.0f, 1.0f, 2.0f, 0.5f, 0.0f, 1.0f}),
                {-far, -inf, 1, 1, inf, nan, nan, nan}, "lerp");
  // Of finite numbers all derivatives are.
  const List slopes = grad([](const List &x) { return sum(lerp(x[0], x[1], x[2])); })(
      List{Array{1.0f, 2.0f, -far, 1.0f}, Array{5.0f, 2.0f, far, 5.0f}, Array{0.0f, 0.25f, 0.5f, 1.0f}});
  expectNumbers(slopes[0], {1, 0.75, 0.5, 0}, "by start");
  expectNumbers(slopes[1], {0, 0.25, 0.5, 1}, "by end");
  expectNumbers(slopes[2][slice(0, 2)], {4, 0}, "by weight");
  expectNumbers(slopesOf([](const Array &x) { return median(x); }, Array{far, -far}), {0.5, 0.5}, "of a median");
  // The edges of bins too.
  expectNumbers(histogram(Array{far, -far}, 2).edges, {-far, 0, far}, "edges");
}

TEST(Numeric, NarrowFloatsAreRoundedOnce) {
  auto narrow = [](const Array &x) { return astype(x, f16); };
  expectNumbers(global_norm({narrow({300.0f, 1.0f})}), {300}, "global_norm");
  EXPECT_EQ(global_norm({narrow({300.0f})}).dtype(), f16);
  EXPECT_EQ(global_norm({narrow({300.0f}), ones({1}, f64)}).dtype(), f64);
  EXPECT_EQ(global_norm({Array{3, 4}}).dtype(), f32);
  expectNumbers(clip_by_norm(narrow({300.0f, 1.0f}), 1.0), {1, 1 / 300.0}, "clip_by_norm", 1e-3);
  expectNumbers(clip_by_norm(narrow({400.0f}), 300.0), {300}, "clip_by_norm of one");
  const Array sides = where(arange(400) % 2 == 0, 30.0f, -30.0f);
  expectNumbers(cov(narrow(sides)), {902.5}, "cov");
  EXPECT_EQ(cov(narrow(sides)).dtype(), f16);
  expectNumbers(corrcoef(narrow(stack({sides * 100, -sides}))), {1, -1, -1, 1}, "corrcoef");
  expectNumbers(interp(narrow({0.5f}), narrow({0.0f, 1.0f}), narrow({-6e4f, 6e4f})), {0}, "interp");
  EXPECT_EQ(interp(narrow({0.5f}), {0, 1}, narrow({0.0f, 1.0f})).dtype(), f16);
  const Array x = narrow({6e4f, -6e4f, 0.0f});
  const double large = 6e4f;
  expectNumbers(gradient(x)[0], {-inf, -large / 2, large}, "gradient", 1e-3);
  expectNumbers(gradient(x, 4)[0], {-large / 2, -large / 8, large / 4}, "gradient of more", 1e-3);
  expectNumbers(trapezoid(narrow({6e4f, 6e4f}), none, 0.5), {large / 2}, "trapezoid", 1e-3);
  expectNumbers(trapezoid(narrow({6e4f, 6e4f}), narrow({0.0f, 1.0f})), {large}, "trapezoid at points", 1e-3);
  expectNumbers(polyval(narrow({1.0f, -300.0f, 1.0f}), narrow({300.0f})), {1}, "polyval");
  EXPECT_EQ(polyval(Array{1, 2}, 3).dtype(), i32);
  EXPECT_EQ(gradient(ones({3}, c64))[0].dtype(), c64);
}

TEST(Numeric, NormsAtZero) {
  expectNumbers(slopesOf([](const Array &x) { return global_norm({x}); }, zeros({2})), {0, 0}, "global_norm");
  expectNumbers(slopesOf([](const Array &x) { return clip_by_norm(x, 0); }, zeros({2})), {1, 1}, "clip_by_norm");
  expectNumbers(slopesOf([](const Array &x) { return clip_by_norm(x, inf); }, Array{3.0f, 4.0f}), {1, 1}, "no bound");
}

TEST(Numeric, LinesThroughPointsAtOnePlace) {
  const Array x{-inf, -1.0f, 0.0f, 0.5f, 1.0f, 2.0f, inf}, fp{1.0f, 2.0f, 4.0f};
  const std::pair<Array, std::pair<Doubles, Doubles>> all[] = {
      {{0.0f, 0.0f, 1.0f}, {{1, 1, 2, 3, 4, 4, 4}, {0, 0, 2, 2, 0, 0, 0}}},
      {{0.0f, 1.0f, 1.0f}, {{1, 1, 1, 1.5, 4, 4, 4}, {0, 0, 1, 1, 0, 0, 0}}},
  };
  for (const auto &[xp, expected] : all) {
    expectNumbers(interp(x, xp, fp), expected.first, "values");
    expectNumbers(slopesOf([&](const Array &at) { return interp(at, xp, fp); }, x), expected.second, "by x");
    const List slopes = grad([&](const List &points) { return sum(interp(x, points[0], points[1])); })(List{xp, fp});
    for (const Array &slope : {slopes[0], slopes[1]})
      EXPECT_TRUE(bool(tenon::all(isfinite(slope)))) << slope;
  }
  const Array one{2.0f};
  expectNumbers(interp(x, one, {5.0f}, 1, 7), {1, 1, 1, 1, 1, 5, 7}, "one point");
  expectNumbers(slopesOf([&](const Array &at) { return interp(at, one, {5.0f}); }, x), Doubles(7), "of one point");
  expectNumbers(interp({nan, 1.0f}, {0.0f, 1.0f, 2.0f}, {1.0f, 3.0f, inf}), {nan, 3}, "NaN, and beside inf");
  // More than are compared one by one.
  const Array many = arange(100, {}, 1, f64);
  expectNumbers(interp({-1.0, 0.0, 41.5, 99.0, 100.0, double(nan)}, many, many * 2), {0, 0, 83, 198, 198, nan}, "many");
  EXPECT_THAT(errorOf([] { (void)interp(1.0f, Array(), {1.0f}); }),
              HasSubstr("interp: expected an array, got an empty"));
}

TEST(Numeric, BoundsInTheDtypeAskedFor) {
  const Array low = int64_t(0), high = int64_t(100000001);
  EXPECT_EQ(linspace(low, high, 2, true, i64).to_vector<int64_t>(), (Longs{0, 100000001}));
  EXPECT_EQ(linspace(low, 100000001, 2, true, i64).to_vector<int64_t>(), (Longs{0, 100000001}));
  EXPECT_EQ(linspace(Array{0}, Array{1}, 4, true, f64).to_vector<double>()[1], 1 / 3.0);
  EXPECT_EQ(linspace(Array{0.0f}, 0.3, 2, true, f64).to_vector<double>()[1], 0.3);
  EXPECT_EQ(linspace(Array{0}, Array{1}, 4).dtype(), f32);
  EXPECT_EQ(linspace(Array{0.0f}, Array{1.0f}, 4, true, c128).dtype(), c128);
  EXPECT_EQ(geomspace(-1, -100, 4, true, i32).to_vector<int32_t>(), (std::vector<int32_t>{-1, -4, -21, -100}));
  EXPECT_EQ(logspace(-1, 1, 3, true, -2, i32).to_vector<int32_t>(), (std::vector<int32_t>{0, 1, -2}));
  EXPECT_EQ(geomspace(Array{1}, Array{16}, 5, true, f64).to_vector<double>()[4], 16);
}

TEST(Numeric, WithoutFreedom) {
  for (const Array &x : {Array{5.0f}, Array{5.0f, 5.0f}})
    expectNumbers(cov(x, true, 2), {nan}, "nothing by nothing");
  expectNumbers(cov(Array{1.0f, 3.0f}, true, 5), {inf}, "by nothing");
}

TEST(Numeric, NanHasNoPartInDerivatives) {
  const auto largest = [](const Array &x) { return nanmax(x); };
  const auto least = [](const Array &x) { return nanmin(x); };
  expectNumbers(slopesOf(largest, Array{nan, -inf}), {0, 1}, "nanmax");
  expectNumbers(slopesOf(least, Array{inf, nan, inf}), {0.5, 0, 0.5}, "nanmin");
  expectNumbers(slopesOf(largest, Array{nan, 2.0f, 2.0f, 1.0f}), {0, 0.5, 0.5, 0}, "ties");
  expectNumbers(slopesOf(largest, Array{nan, nan}), {0, 0}, "NaN alone");
  expectNumbers(nanmax(Array{{nan, -inf}, {nan, nan}}, 1, true), {-inf, nan}, "values");
  expectNumbers(nanmax(astype(full({70000}, -inf), f16)), {-inf}, "more than f16 counts");
}

TEST(Numeric, CountsInFewBytes) {
  EXPECT_EQ(count_nonzero(ones({3, 0})).item<int64_t>(), 0);
  EXPECT_EQ(count_nonzero(ones({70000}, u8)).item<int64_t>(), 70000);
  EXPECT_EQ(count_nonzero(ones({2, 3}), 1, true).dtype(), i64);
}

TEST(Numeric, ErrorsAreOnTheUsersLine) {
  Shape deep;
  for (int i = 0; i < max_rank; ++i)
    deep.push_back(1);
  const Array x = ones(deep), row{1.0f, 2.0f};
  const std::function<void()> calls[] = {
      [&] { (void)searchsorted(row, x); },
      [&] { (void)quantile(x, ones({1}), std::vector<int64_t>()); },
      [&] { (void)linspace(x, 1); },
      [&] { (void)diff(row, 1, 0, ones({1, 1})); },
  };
  for (const auto &call : calls)
    EXPECT_THAT(errorOf(call), HasSubstr("\n  at " __FILE__ ":"));
}

/// numpy.histogram's counts and edges.
TEST(Numeric, HistogramCountsAsNumPy) {
  const Histogram tens = histogram(arange(100), 10, {0, 100});
  EXPECT_EQ(tens.counts.to_vector<int64_t>(), Longs(10, 10));
  expectNumbers(tens.edges, {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, "edges");
  // Integers that f32 does not hold.
  const Array large = arange(16) + 16777216;
  EXPECT_EQ(histogram(large, 16).counts.to_vector<int64_t>(), Longs(16, 1));
  EXPECT_EQ(jit([](const Array &x) { return histogram(x, 16).counts; })(large).to_vector<int64_t>(), Longs(16, 1));
  const Array edges = astype(arange(17) + 16777216, i64);
  EXPECT_EQ(histogram(large, edges).counts.to_vector<int64_t>(),
            (Longs{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  // A single value, and none.
  EXPECT_EQ(histogram(Array{3.0f, 3.0f}, 2).counts.to_vector<int64_t>(), (Longs{0, 2}));
  EXPECT_EQ(histogram(zeros({0}), 2).counts.to_vector<int64_t>(), (Longs{0, 0}));
}

TEST(Numeric, HistogramRefusesBinsWithoutAnOrder) {
  EXPECT_THAT(errorOf([] { (void)histogram(Array{1.0f}, 2, {1.0f, 0.0f}); }),
              HasSubstr("a range that is not reversed"));
  EXPECT_THAT(errorOf([] { (void)histogram(Array{1.0f, INFINITY}, 2); }), HasSubstr("finite data, or a range"));
  EXPECT_THAT(errorOf([] { (void)histogram(Array{1.0f, NAN}, 2); }), HasSubstr("finite data, or a range"));
  EXPECT_THAT(errorOf([] { (void)histogram(Array{1.0f}, 2, {0.0f, INFINITY}); }), HasSubstr("a finite range"));
  EXPECT_THAT(errorOf([] { (void)histogram(Array{1.0f}, {2.0f, 1.0f}); }), HasSubstr("edges in increasing order"));
  EXPECT_EQ(histogram(Array{1.0f, INFINITY, NAN}, 2, {0.0f, 2.0f}).counts.to_vector<int64_t>(), (Longs{0, 1}));
}

TEST(Numeric, ComparesSignedIntegersWithU64Exactly) {
  const Array a = full({}, int64_t(9007199254740993), i64), b = full({}, uint64_t(9007199254740992), u64);
  const Array minus = full({}, -1, i64), most = full({}, UINT64_MAX, u64);
  auto f = [](const Array &x, const Array &y) {
    return stack({x == y, x != y, x<y, x <= y, x> y, x >= y, y == x, y != x, y<x, y <= x, y> x, y >= x});
  };
  using Bools = std::vector<bool>;
  const Bools greater{0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0}, less{0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1};
  EXPECT_EQ(f(a, b).to_vector<bool>(), greater);
  EXPECT_EQ(jit(f)(a, b).to_vector<bool>(), greater);
  EXPECT_EQ(f(minus, most).to_vector<bool>(), less);
  EXPECT_EQ(jit(f)(minus, most).to_vector<bool>(), less);
  EXPECT_EQ(f(full({}, 5, i8), full({}, 5, u64)).to_vector<bool>(), (Bools{1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1}));
}

TEST(Numeric, VarianceOfASymbolicSizeHasTheBitsOfEager) {
  for (const double correction : {1.7, 1.99999999, 0.5}) {
    auto f = [=](const Array &x) {
      return stack({var(x, {}, false, correction), tenon::std(x, {}, false, correction)});
    };
    const Array x{1.0f, 3.0f};
    EXPECT_EQ(jit(f, {.specs = {spec<float>({"n"})}})(x).to_vector<float>(), f(x).to_vector<float>()) << correction;
  }
}

TEST(Numeric, InterpolatesPointsOfASymbolicSize) {
  auto f = [](const Array &x) { return interp(x + 0.25f, sort(x), x); };
  const Array x{3.0f, 1.0f, 2.0f};
  EXPECT_EQ(jit(f, {.specs = {spec<float>({"n"})}})(x).to_vector<float>(), f(x).to_vector<float>());
}

TEST(Numeric, EndsOfRanges) {
  // numpy.diff(x, 0) is x, whatever is prepended.
  EXPECT_EQ(diff(Array{1, 4}, 0, -1, Array{7}, Array{9}).to_vector<int>(), (std::vector<int>{1, 4}));
  // numpy.argwhere of a single element.
  EXPECT_EQ(argwhere(Array(1)).shape(), (Shape{1, 0}));
  EXPECT_EQ(argwhere(Array(0)).shape(), (Shape{0, 0}));
  EXPECT_THAT(errorOf([] { (void)iota(300, i8); }), HasSubstr("expected a size of at most 128 for i8, got 300"));
  EXPECT_EQ(iota(128, i8)[-1].item<int8_t>(), 127);
  EXPECT_THAT(errorOf([] { Array x(1e300); }), HasSubstr("expected a number in the range of f32"));
  EXPECT_THAT(errorOf([] { Array x{1.0, 1e300}; }), HasSubstr("expected a number in the range of f32"));
  EXPECT_TRUE(std::isinf(Array(double(INFINITY)).item<float>()));
  const double far = 1.7e308;
  expectNumbers(linspace(-far, far, 3, true, f64), {-far, 0, far}, "linspace");
}

/// numpy.histogram(x, 7, (0.1, 0.9)) of f64.
TEST(Numeric, HistogramHasTheEdgesOfNumPy) {
  const Array x = Array(Doubles{0.1, 0.2, 0.3, 0.35, 0.6999999, 0.7}), range = Array(Doubles{0.1, 0.9});
  const Histogram bins = histogram(x, 7, range);
  EXPECT_EQ(bins.counts.to_vector<int64_t>(), (Longs{2, 1, 1, 0, 0, 2, 0}));
  EXPECT_EQ(bins.edges.to_vector<double>(), (Doubles{0.1, 0.2142857142857143, 0.3285714285714286, 0.44285714285714284,
                                                     0.5571428571428572, 0.6714285714285715, 0.7857142857142857, 0.9}));
  // Data that the function holds, and not its argument.
  const Array data{1.0f, 2.0f, 4.0f}, edges{0.0f, 2.0f, 4.0f};
  auto f = [&](const Array &y) { return histogram(data, edges).counts + histogram(data, 2, {0, 4}).counts + y; };
  EXPECT_EQ(jit(f)(Array(int64_t(0))).to_vector<int64_t>(), f(Array(int64_t(0))).to_vector<int64_t>());
}

TEST(Numeric, LinspaceReachesOverTheWholeRange) {
  const double far = 1.7e308;
  auto f = [](const Array &low, const Array &high) { return linspace(low, high, 5); };
  const Array low = full({}, -far, f64), high = full({}, far, f64);
  expectNumbers(f(low, high), {-far, -far / 2, 0, far / 2, far}, "eager", 1e-15);
  EXPECT_EQ(jit(f)(low, high).to_vector<double>(), f(low, high).to_vector<double>());
  EXPECT_EQ(jit(f)(full({}, 0.1, f64), full({}, 0.7, f64)).to_vector<double>(),
            f(full({}, 0.1, f64), full({}, 0.7, f64)).to_vector<double>());
  expectNumbers(linspace(-far, far, 4, false, f64), {-far, -far / 2, 0, far / 2}, "without the end", 1e-15);
}

TEST(Numeric, MatmulOfAllIntegersWrapsAround) {
  for (Dtype dtype : {i8, i16, i32, i64, u8, u16, u32, u64}) {
    const Array x = astype(reshape(arange(12) * 1234567891, {3, 4}), dtype);
    const Array y = astype(reshape(arange(8) * 987654321 - 5, {4, 2}), dtype);
    auto f = [](const Array &x, const Array &y) { return matmul(x, y); };
    const Array expected = astype(sum(reshape(x, {3, 4, 1}) * reshape(y, {1, 4, 2}), 1), dtype), got = f(x, y);
    EXPECT_EQ(got.dtype(), dtype);
    EXPECT_TRUE(bool(all(got == expected))) << name(dtype);
    EXPECT_TRUE(bool(all(jit(f)(x, y) == expected))) << name(dtype) << ", compiled";
    EXPECT_TRUE(bool(all(matmul(x[0], y) == expected[0]))) << name(dtype) << ", a vector";
  }
}

TEST(Numeric, PowersOfIntegersAreIntegers) {
  const Array x{-3, -1, 0, 1, 2, 7}, y{5, 4, 0, 9, 31, 20};
  auto f = [](const Array &x, const Array &y) { return pow(x, y); };
  // numpy.power(x, y) of int32.
  const std::vector<int> expected{-243, 1, 1, 1, INT32_MIN, -1199696159};
  EXPECT_EQ(f(x, y).dtype(), i32);
  EXPECT_EQ(f(x, y).to_vector<int>(), expected);
  EXPECT_EQ(jit(f)(x, y).to_vector<int>(), expected);
  EXPECT_EQ(pow(x, 3).to_vector<int>(), (std::vector<int>{-27, -1, 0, 1, 8, 343}));
  EXPECT_EQ(pow(x, 0).to_vector<int>(), std::vector<int>(6, 1));
  EXPECT_EQ(pow(2, Array{{0}, {10}}).to_vector<int>(), (std::vector<int>{1, 1024}));
  EXPECT_EQ(pow(full({1}, 3, u64), full({1}, 40, u64)).to_vector<uint64_t>()[0], 12157665459056928801u);
  EXPECT_EQ(pow(astype(x, i8), 2).dtype(), i8);
  EXPECT_EQ(pow(Array{2}, 0.5).dtype(), f32);
  EXPECT_EQ(pow(Array{2}, Array{0.5f}).dtype(), f32);
  EXPECT_EQ(vmap(f)(x, y).to_vector<int>(), expected);
}

TEST(Numeric, NegativePowersOfIntegersAreErrors) {
  EXPECT_THAT(errorOf([] { (void)pow(Array{2}, -1); }), HasSubstr("pow: expected exponents >= 0 of integers, got -1"));
  EXPECT_THAT(errorOf([] { (void)pow(2, Array{3, -2}); }), HasSubstr("got -2"));
  EXPECT_EQ(pow(Array{2.0f}, -1).item<float>(), 0.5f);
  // Inside jit they are unknown.
  auto f = jit([](const Array &x, const Array &y) { return pow(x, y); });
  EXPECT_EQ(f(Array{-1, -1, 1, 0, 2}, Array{-3, -2, -5, -1, -1}).to_vector<int>(), (std::vector<int>{-1, 1, 1, 0, 0}));
}

} // namespace

TEST(Numeric, PowersOfU64BesideSignedIntegersAreF64) {
  const Array x = astype(Array{2, 3}, u64), y = astype(Array{3, 2}, i64);
  for (const Array &power : {pow(x, y), jit([](const Array &x, const Array &y) { return pow(x, y); })(x, y)}) {
    EXPECT_EQ(power.dtype(), f64);
    expectNumbers(power, {8, 9}, "u64 to i64");
  }
  expectNumbers(pow(y, x), {9, 8}, "i64 to u64");
}

TEST(Numeric, NumbersOutOfRangeAreErrorsInEveryDtype) {
  for (Dtype dtype : {f16, f8e4m3fn, f8e5m2}) {
    EXPECT_THAT(messageOf([&] { Array(100000, dtype); }), HasSubstr("expected a number in the range of"));
    EXPECT_THAT(messageOf([&] { Array(-100000.0, dtype); }), HasSubstr("expected a number in the range of"));
  }
  EXPECT_THAT(messageOf([] { Array(complex128_t{0, 1e39}, c64); }), HasSubstr("in the range of c64"));
  EXPECT_EQ(Array(448, f8e4m3fn).astype(f32).item<float>(), 448);
  EXPECT_TRUE(std::isinf(Array(INFINITY, f16).astype(f32).item<float>()));
  EXPECT_EQ(Array(65504, f16).astype(f32).item<float>(), 65504);
}
