//===- elementwise_test.cpp - elementwise functions with a kernel of their own --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Difference.h"
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

// Large enough that no loop is called without a kernel.
TEST(Elementwise, CommonFunctionsAreOneKernel) {
  Array x = random::normal(random::key(1), {300, 200}), y = random::normal(random::key(2), {300, 200});
  Array p = x < y, q = y < 0.5f;
  const std::pair<const char *, std::function<Array()>> functions[] = {
      {"less", [&] { return x < y; }},
      {"greater", [&] { return x > y; }},
      {"less_equal", [&] { return x <= y; }},
      {"greater_equal", [&] { return x >= y; }},
      {"not_equal", [&] { return x != y; }},
      {"equal", [&] { return x == y; }},
      {"relu", [&] { return relu(x); }},
      {"clip", [&] { return clip(x, y, 2.0f); }},
      {"clip, numbers", [&] { return clip(x, -1, 1); }},
      {"clip, one bound", [&] { return clip(x, none, 1); }},
      {"logical_or", [&] { return p || q; }},
      {"logical_and", [&] { return p && q; }},
      {"logical_not", [&] { return !p; }},
      {"logical_not of floats", [&] { return logical_not(x); }},
  };
  for (const auto &[name, run] : functions) {
    const uint64_t before = statistics().eager_kernels;
    Array result = run();
    EXPECT_EQ(statistics().eager_kernels - before, 1u) << name;
  }
}

TEST(Elementwise, ClipHasTheBitsOfItsBounds) {
  const float nan = std::nanf("");
  Array x{-0.0f, 0.0f, nan, 1.0f, -INFINITY, INFINITY, 3.0f}, lo{0.0f, -0.0f, 1.0f, nan, -INFINITY, 1.0f, 5.0f},
      hi{1.0f, 1.0f, 2.0f, 2.0f, INFINITY, nan, 4.0f};
  EXPECT_TRUE(areSame(clip(x, lo, hi), minimum(maximum(x, lo), hi)));
  EXPECT_TRUE(areSame(clip(x, lo), maximum(x, lo)));
  EXPECT_TRUE(areSame(clip(x, none, hi), minimum(x, hi)));
  EXPECT_TRUE(areSame(1 / clip(x, lo), 1 / maximum(x, lo))); // the signs of zeros
}

TEST(Elementwise, ABoundThatIsLeftOutIsOutsideOfEveryDtype) {
  auto check = []<class T>(T) {
    const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    Array x(std::vector<T>{low, T(3), high});
    EXPECT_TRUE(areSame(clip(x, 5), maximum(x, 5))) << dtype_of<T>;
    EXPECT_TRUE(areSame(clip(x, none, 2), minimum(x, 2))) << dtype_of<T>;
  };
  check(int8_t());
  check(int16_t());
  check(int32_t());
  check(int64_t());
  check(uint8_t());
  check(uint16_t());
  check(uint32_t());
  check(uint64_t());
  // And of what the bound makes of it; a bound that is left out makes nothing of it.
  const Array truths{true, false};
  EXPECT_THROW((void)clip(truths, true), Error);
  EXPECT_THROW((void)clip(truths, false, true), Error);
  EXPECT_EQ(clip(truths, 5).to_vector<int32_t>(), (std::vector<int32_t>{5, 5}));
  Array x{-3, 0, 2000000000};
  EXPECT_TRUE(areSame(clip(x, 0.5), maximum(x, 0.5)));
  EXPECT_TRUE(areSame(clip(x, none, Array{5000000000}), minimum(x, Array{5000000000})));
  EXPECT_TRUE(areSame(clip(x, Array{0.5}), maximum(x, Array{0.5})));
}

TEST(Reductions, ProductsOfLongRowsAreCompiledInBlocks) {
  auto products = [](const Array &x) { return prod(x * 0.0001f + 1.0f, {1}); };
  Array x = random::normal(random::key(7), {3, 10000});
  EXPECT_TRUE(areSame(jit(products)(x), products(x)));
}

TEST(Elementwise, OperandsRepeatAsTheyLie) {
  Array x = reshape(arange(0.0f, 600.0f), {20, 30}), row = reshape(arange(0.0f, 300.0f, 10.0f), {30}),
        column = reshape(arange(0.0f, 600.0f, 30.0f), {20, 1});
  auto both = [](const Array &x, const Array &lo, const Array &hi) {
    Shape shape = {20, 30};
    return areSame(clip(x, lo, hi), minimum(maximum(broadcast_to(x, shape), lo), hi));
  };
  EXPECT_TRUE(both(x, row, 2 * column));
  EXPECT_TRUE(both(x, column, row));
  EXPECT_TRUE(both(column, x, row));
  EXPECT_TRUE(both(row, column, x));
  EXPECT_TRUE(both(transpose(reshape(x, {30, 20})), column, row));
  EXPECT_TRUE(both(x, Array(50.0f), Array(70.0f)));
}

TEST(Elementwise, FmaRoundsOnce) {
  auto expectProducts = [](auto one) {
    using T = decltype(one);
    const T eps = std::numeric_limits<T>::epsilon();
    const std::vector<T> x(1037, one + eps), y(1037, one - eps), z(1037, -one);
    const Array expected = full({1037}, -eps * eps, dtype_of<T>), a = x, b = y, c = z;
    EXPECT_TRUE(areSame(fma(a, b, c), expected));
    EXPECT_TRUE(
        areSame(jit([](const Array &a, const Array &b, const Array &c) { return fma(a, b, c); })(a, b, c), expected));
  };
  expectProducts(1.0f);
  expectProducts(1.0);
  EXPECT_TRUE(areSame(fma(Array{INT32_MAX, 3}, 2, Array{3, 4}), Array{1, 10}));
  EXPECT_TRUE(areSame(fma(Array{2, 3}, 2.5f, 1), Array{6.0f, 8.5f}));
}

TEST(Elementwise, MantissasAndExponents) {
  std::vector<float> numbers{0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, 0x1.fffffep127f};
  for (int power = -149; power < 128; ++power)
    for (float x : {1.0f, 0x1.fffffep0f, -0x1.000002p0f})
      numbers.push_back(std::ldexp(x, power));
  std::vector<float> mantissas;
  std::vector<int32_t> exponents;
  for (float x : numbers) {
    int exponent = 0;
    mantissas.push_back(std::frexp(x, &exponent));
    exponents.push_back(std::isfinite(x) ? exponent : 0);
  }
  const Array x = numbers;
  for (const MantissaExponent &parts : {frexp(x), jit([](const Array &x) { return frexp(x); })(x)}) {
    EXPECT_TRUE(areSame(parts.mantissa, mantissas));
    EXPECT_TRUE(areSame(parts.exponent, exponents));
  }
  const Array slopes = grad([](const Array &x) { return sum(frexp(x).mantissa); })(Array{3.0f, -0.25f});
  EXPECT_TRUE(areSame(slopes, Array{0.25f, 2.0f}));
}

TEST(Elementwise, IncompleteGammaFunctionsHaveADerivativeByTheirOrder) {
  const Array a = std::vector{0.5, 2.0, 30.0}, x = std::vector{0.7, 1.5, 28.0};
  const double step = 1e-5;
  for (auto function : {igamma, igammac}) {
    const Array slope = grad([&](const Array &a) { return sum(function(a, x)); })(a);
    const Array expected = (function(a + step, x) - function(a - step, x)) / (2 * step);
    EXPECT_TRUE(allclose(slope, expected, 1e-7, 0).item<bool>());
    EXPECT_EQ(grad([&](const Array &x) { return function(2.0f, x); })(Array(INFINITY)).item<float>(), 0);
  }
}

TEST(Elementwise, IncompleteBetaFunctionHasDerivativesByAllOfItsOperands) {
  const Array a = std::vector{0.5, 2.0, 30.0}, b = std::vector{1.5, 0.25, 60.0}, x = std::vector{0.7, 0.125, 0.3};
  const double step = 1e-5;
  auto total = [](const Array &a, const Array &b, const Array &x) { return sum(betainc(a, b, x)); };
  const auto [byA, byB, byX] = grad<0, 1, 2>(total)(a, b, x);
  auto expectSlope = [step](const Array &slope, const Array &above, const Array &below) {
    EXPECT_TRUE(allclose(slope, (above - below) / (2 * step), 1e-7, 0).item<bool>()) << slope;
  };
  expectSlope(byA, betainc(a + step, b, x), betainc(a - step, b, x));
  expectSlope(byB, betainc(a, b + step, x), betainc(a, b - step, x));
  expectSlope(byX, betainc(a, b, x + step), betainc(a, b, x - step));
  // By x and then by a it is the density's.
  auto density = [&](const Array &a, const Array &x) {
    return sum(grad([&](const Array &y) { return sum(betainc(a, b, y)); })(x));
  };
  expectSlope(grad([&](const Array &at) { return density(at, x); })(a), betainc_grad_a(a, b, x + step),
              betainc_grad_a(a, b, x - step));
  EXPECT_THAT(messageOf([&] { grad([&](const Array &a) { return sum(betainc_grad_a(a, b, x)); })(a); }),
              HasSubstr("betainc_grad_a has no derivative: betainc can be differentiated once by a and b"));
}
