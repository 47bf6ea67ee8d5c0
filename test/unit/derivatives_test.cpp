//===- derivatives_test.cpp - derivatives at special points --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zeros, infinities, exponents and orders at which a formula is degenerate, and numbers that overflow on the way.
//===----------------------------------------------------------------------===//
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <numbers>

using namespace tenon;
using tenon::test::doubles;
using tenon::test::Doubles;

namespace {

constexpr double inf = INFINITY;

Array f64s(Doubles numbers) { return Array(std::span<const double>(numbers), {static_cast<int64_t>(numbers.size())}); }

void expectNear(const Array &got, const Doubles &expected, double relative = 1e-12) {
  const Doubles numbers = doubles(got);
  ASSERT_EQ(numbers.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::isfinite(expected[i]))
      EXPECT_NEAR(numbers[i], expected[i], relative * std::max(1.0, std::abs(expected[i]))) << i;
    else
      EXPECT_EQ(numbers[i], expected[i]) << i;
}

using Function = Array (*)(const Array &x);
/// The same in both modes, to the bit: the gradient, and where asked for the Hessian.
void expectSlopes(Function f, const Array &x, const Doubles &gradient, const Doubles &second = {}) {
  const Array eager = grad(f)(x);
  expectNear(eager, gradient);
  EXPECT_EQ(doubles(jit(grad(f))(x)), doubles(eager));
  if (second.empty())
    return;
  const Array both = hessian(f)(x);
  expectNear(both, second);
  EXPECT_EQ(doubles(jit(hessian(f))(x)), doubles(both));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Array productOfSegments(const Array &x) { return sum(segment_prod(x, Array{0, 0, 1, 0}, 2)); }

TEST(Derivatives, ProductsByIndexAreRightAtZeros) {
  expectSlopes([](const Array &u) { return sum(segment_prod(u, Array{0, 0}, 1)); }, f64s({0, 3}), {3, 0}, {0, 1, 1, 0});
  expectSlopes([](const Array &u) { return sum(segment_prod(u, Array{0, 0}, 1)); }, f64s({0, 0}), {0, 0}, {0, 1, 1, 0});
  expectSlopes(productOfSegments, f64s({2, 0, 5, 3}), {0, 6, 1, 0}, {0, 3, 0, 0, 3, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0});
  expectSlopes(productOfSegments, f64s({2, 7, 5, 3}), {21, 6, 1, 14}, {0, 3, 0, 7, 3, 0, 0, 2, 0, 0, 0, 0, 7, 2, 0, 0});
}

TEST(Derivatives, ProductsByIndexDoNotOverflowOnTheWay) {
  expectSlopes([](const Array &u) { return sum(segment_prod(u, Array{0, 0, 0}, 1)); }, f64s({1e200, 1e200, 1e-300}),
               {1e-100, 1e-100, inf});
  // Another element's infinite product ends where that element's updates do.
  expectSlopes([](const Array &u) { return sum(segment_prod(u, Array{1, 1, 0, 0}, 2)); }, f64s({2, 3, 1e200, 1e200}),
               {3, 2, 1e200, 1e200});
  expectSlopes([](const Array &u) { return sum(segment_prod(u, Array{0, 0, 0, 1, 1}, 2)); },
               f64s({1e200, 1e200, 1e200, 2, 3}), {inf, inf, inf, 3, 2});
}

TEST(Derivatives, AnUpdateThatMultipliesMovesItsElementAndItself) {
  auto f = [](const Array &v) {
    const Array x = v[detail::Index({tenon::slice(_, 2)}, {})], u = v[detail::Index({tenon::slice(2, _)}, {})];
    return sum(Array(x).at[Array{0, 1, 0, 7}].multiply(u, {.mode = IndexMode::drop}));
  };
  // x = {4, 0}, u = {0, 5, 3, 9}: the last one is left out.
  expectSlopes(f, f64s({4, 0, 0, 5, 3, 9}), {0, 5, 12, 0, 0, 0});
}

TEST(Derivatives, ProductsOfAllDoNotDivideAndDoNotOverflowOnTheWay) {
  expectSlopes([](const Array &x) { return prod(x); }, f64s({1e200, 1e200, 1e-300}), {1e-100, 1e-100, inf});
  expectSlopes([](const Array &x) { return prod(x); }, f64s({0, 3, 2}), {6, 0, 0}, {0, 2, 3, 2, 0, 0, 3, 0, 0});
  expectSlopes([](const Array &x) { return sum(cumulative_prod(x)); }, f64s({0, 3, 2}), {10, 0, 0},
               {0, 3, 3, 3, 0, 0, 3, 0, 0});
  // In f16 the products in between are no numbers.
  const Array narrow = astype(Array{300.0f, 300.0f, 0x1p-10f, 0.5f}, f16);
  EXPECT_EQ(doubles(grad([](const Array &x) { return prod(x); })(narrow))[3], 87.875);
}

TEST(Derivatives, OfProductsWhosePartsOverflow) {
  // Ascending and descending: the products of halves are far out of the range of f32, that of all is 1.
  std::vector<float> numbers;
  for (int i = 0; i < 120; ++i)
    numbers.push_back(i < 60 ? 8.0f : 0.125f);
  const Array x{std::span<const float>(numbers), {120}}, ids = zeros({120}, i32);
  auto all = [](const Array &x) { return prod(x); };
  auto byIndex = [&](const Array &x) { return sum(segment_prod(x, ids, 1)); };
  for (const Array &given : {x, flip(x)}) {
    EXPECT_EQ(doubles(grad(all)(given)), doubles(1.0f / given));
    EXPECT_EQ(doubles(jit(grad(all))(given)), doubles(1.0f / given));
    EXPECT_EQ(doubles(grad(byIndex)(given)), doubles(1.0f / given));
  }
  const Array wide{1e30f, 1e30f, 1.0f, 1e-30f, 1e-30f};
  expectNear(grad(all)(wide) * wide, Doubles(5, 1.0), 1e-6);
}

TEST(Derivatives, OfPowersOfZeroByAnExponentBelowZero) {
  auto power = [](const Array &y) { return pow(Array(0.0, f64), y); };
  auto slope = [](const Array &y) { return grad([&](const Array &x) { return pow(x, y); })(Array(0.0, f64)); };
  for (double y : {-1.0, -0.5, 0.0, 0.5, 1.0})
    EXPECT_EQ(grad(power)(Array(y, f64)).item<double>(), 0) << y;
  EXPECT_EQ(grad(slope)(Array(3.0, f64)).item<double>(), 0);
  auto complexPower = [](const Array &y) { return real(pow(Array(0.0, c128), y)); };
  EXPECT_EQ(grad(complexPower)(Array(-1.0, f64)).item<double>(), 0);
}

TEST(Derivatives, OfPowersOfNegativeNumbersHaveTheSignOfTheExactExponent) {
  auto slope = [](double x, double y, Dtype dtype) {
    return grad([&](const Array &x) { return pow(x, Array(y, dtype)); })(Array(x, dtype)).astype(f64).item<double>();
  };
  EXPECT_EQ(slope(-1, 16777218, f32), -16777218); // y - 1 is rounded to an even number
  EXPECT_EQ(slope(-1, 0x1p54, f64), -0x1p54);
  EXPECT_EQ(slope(-1, 16777215, f32), 16777215);
  EXPECT_EQ(slope(-2, 2, f32), -4);
  EXPECT_EQ(slope(-2, 3, f32), 12);
  EXPECT_EQ(slope(-2, -1, f32), -0.25);
  EXPECT_EQ(slope(-2, -2, f32), 0.25);
  EXPECT_EQ(slope(-2, 1, f32), 1);
  EXPECT_EQ(slope(-2, 0, f32), 0);
  for (double y : {0.5, 1.5, -2.5, 1e-10}) // y - 1 is rounded to an integer in the last one
    EXPECT_TRUE(std::isnan(slope(-2, y, f32))) << y;
}

TEST(Derivatives, OfComplexProductsByIndex) {
  const Array x = complex(Array{1.0, 2.0}.astype(f64), Array{1.0, 0.0}.astype(f64)), ids = Array{0, 0};
  const Array u = complex(Array{2.0, 0.5}.astype(f64), Array{0.0, 1.0}.astype(f64));
  auto byIndex = [&](const Array &u) { return sum(real(Array(x).at[{ids}].multiply(u))); };
  auto asOne = [&](const Array &u) { return real(x[0] * u[0] * u[1]) + real(x[1]); };
  EXPECT_EQ(doubles(abs(grad(byIndex)(u) - grad(asOne)(u))), Doubles(2, 0.0));
  EXPECT_EQ(doubles(abs(jit(grad(byIndex))(u) - grad(asOne)(u))), Doubles(2, 0.0));
  auto divided = [&](const Array &u) { return sum(real(Array(x).at[{ids}].divide(u))); };
  auto oneDivided = [&](const Array &u) { return real(x[0] / u[0] / u[1]) + real(x[1]); };
  EXPECT_LT(max(abs(grad(divided)(u) - grad(oneDivided)(u))).item<double>(), 1e-14);
}

TEST(Derivatives, RunningProductsOfASymbolHaveTheBitsOfExactSizes) {
  auto slope = [](const Array &x) {
    return grad([](const Array &at) {
      return sum(cumulative_prod(at, 0) * cos(at) + cumulative_logsumexp(at, 0)) + prod(at);
    })(x);
  };
  auto symbolic = jit(slope, {.specs = {TensorSpec{f64, {"n"}}}});
  std::vector<double> numbers;
  for (int i = 0; i < 12000; ++i)
    numbers.push_back(std::sin(i * i) * 0.3 + (i % 97 ? 1 : 0));
  const Array x = f64s(numbers);
  EXPECT_EQ(doubles(symbolic(x)), doubles(slope(x)));
}

// Pairs of all elements would take 1.1 GiB.
TEST(Derivatives, RunningProductsOfASymbolTakeMemoryPerElement) {
  auto slope = jit(grad([](const Array &x) { return sum(cumulative_prod(x, 0) + cumulative_logsumexp(x, 0)); }),
                   {.specs = {TensorSpec{f32, {"n"}}}});
  const Array x = full({1 << 20}, 1.0f), gradient = slope(x);
  EXPECT_NEAR(gradient[0].item<float>(), (1 << 20) + 14.44, 2);
}

TEST(Derivatives, WeightsOfRunningLogsumexpAddUpToOne) {
  const Array x = full({3}, 3e7f);
  auto last = [](const Array &at) { return cumulative_logsumexp(at)[2]; };
  expectNear(grad(last)(x), {1 / 3.0, 1 / 3.0, 1 / 3.0}, 1e-6);
  const Array far = f64s({0, 40, 3});
  expectSlopes([](const Array &at) { return cumulative_logsumexp(at)[2]; }, far,
               {std::exp(-40.0), 1 / (1 + std::exp(-37.0)), std::exp(-37.0)});
}

//===----------------------------------------------------------------------===//
// Exponents, orders, shapes
//===----------------------------------------------------------------------===//

TEST(Derivatives, OfPowersAtExponentZero) {
  const double log2 = std::numbers::ln2;
  expectSlopes([](const Array &v) { return pow(v[0], v[1]); }, f64s({2, 0}), {0, log2}, {0, 0.5, 0.5, log2 * log2});
  auto selfPower = [](const Array &x) { return pow(x, x); };
  EXPECT_DOUBLE_EQ(grad(grad(grad(selfPower)))(Array(1.0, f64)).item<double>(), 3);
  EXPECT_DOUBLE_EQ(jit(grad(grad(grad(selfPower))))(Array(1.0, f64)).item<double>(), 3);
  // Of constant exponents as before, at a base of 0 too.
  expectSlopes([](const Array &x) { return sum(pow(x, Array{0.0, 1.0, 2.0, 3.0})); }, f64s({0, 0, 0, 0}), {0, 1, 0, 0},
               {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0});
  expectSlopes([](const Array &x) { return sum(pow(x, Array{0.0, 2.0, 3.0})); }, f64s({-2, -2, -2}), {0, -4, 12});
}

TEST(Derivatives, OfPowersThatOverflowAreInfinite) {
  auto f = [](const Array &x) { return sum(pow(x, Array{-1.3f, 3e9f, -3.0f})); };
  EXPECT_EQ(doubles(grad(f)(Array{1e-30f, 1.0000001f, -1e-20f})), (Doubles{-inf, inf, -inf}));
}

TEST(Derivatives, OfComplexPowersAtExponentZero) {
  const Array two(complex128_t(2, 0)), zero(complex128_t(0, 0));
  auto slope = [&](const Array &y) { return real(grad([&](const Array &x) { return real(pow(x, y)); })(two)); };
  EXPECT_NEAR(real(grad(slope)(zero)).item<double>(), 0.5, 1e-12);
}

TEST(Derivatives, OfXlogyAtZero) {
  expectSlopes([](const Array &v) { return xlogy(v[0], v[1]); }, f64s({0, 3}), {std::log(3.0), 0},
               {0, 1 / 3.0, 1 / 3.0, 0});
  expectSlopes([](const Array &v) { return xlog1py(v[0], v[1]); }, f64s({0, 3}), {std::log(4.0), 0},
               {0, 0.25, 0.25, 0});
  expectSlopes([](const Array &v) { return xlogy(v[0], v[1]); }, f64s({0, 0}), {0, 0});
}

// d/da of x^(a - 1) e^-x / Gamma(a), and of x^(a - 1) (1 - x)^(b - 1) / B(a, b), by 50 digits of mpmath.
TEST(Derivatives, OfIncompleteFunctionsByBothAtOne) {
  const double euler = std::numbers::egamma;
  auto mixed = [](const Array &a, const Array &x) {
    return grad([&](const Array &at) { return grad([&](const Array &y) { return igamma(at, y); })(x); })(a);
  };
  for (const double x : {0.5, 2.0})
    EXPECT_NEAR(mixed(Array(1.0, f64), Array(x, f64)).item<double>(), std::exp(-x) * (std::log(x) + euler), 1e-14);
  auto ofBeta = [](const Array &a, const Array &x) {
    return grad(
        [&](const Array &at) { return grad([&](const Array &y) { return betainc(at, Array(2.0, f64), y); })(x); })(a);
  };
  // At a = 1, b = 2 the density is 2 (1 - x), psi(3) - psi(1) = 3 / 2.
  EXPECT_NEAR(ofBeta(Array(1.0, f64), Array(0.3, f64)).item<double>(), 1.4 * (std::log(0.3) + 1.5), 1e-14);
  // The density's own derivatives by x.
  auto second = [](double a, double x) {
    return grad(grad([&](const Array &at) { return igamma(Array(a, f64), at); }))(Array(x, f64)).item<double>();
  };
  EXPECT_NEAR(second(1, 0), -1, 1e-14);
  EXPECT_NEAR(second(2, 0), 1, 1e-14);
  EXPECT_NEAR(second(3.5, 2), std::exp(-2.0) / std::tgamma(3.5) * (2.5 * std::pow(2, 1.5) - std::pow(2, 2.5)), 1e-14);
}

TEST(Derivatives, OfBesselFunctionsAtZeroAreThoseOfASmoothFunction) {
  auto f = [](const Array &x) { return i0(x); };
  const Array zero(0.0, f64);
  EXPECT_EQ(grad(f)(zero).item<double>(), 0);
  EXPECT_EQ(grad(grad(f))(zero).item<double>(), 0.5);
  EXPECT_EQ(grad(grad(grad(grad(f))))(zero).item<double>(), 0.375);
  EXPECT_NEAR(grad(grad(f))(Array(3.0, f64)).item<double>(), 3.563002514, 1e-8);
}

TEST(Derivatives, OfThirdOrderAtZero) {
  auto third = [](auto f) { return grad(grad(grad(f)))(Array(0.0, f64)).template item<double>(); };
  EXPECT_DOUBLE_EQ(third([](const Array &x) { return tanh(x); }), -2);
  EXPECT_DOUBLE_EQ(third([](const Array &x) { return expm1(x); }), 1);
  EXPECT_DOUBLE_EQ(third([](const Array &x) { return erf(x); }), -4 / std::sqrt(std::numbers::pi));
  EXPECT_DOUBLE_EQ(third([](const Array &x) { return logaddexp(x, 0); }), 0);
  EXPECT_DOUBLE_EQ(grad(grad([](const Array &x) { return logaddexp(x, 0); }))(Array(0.0, f64)).item<double>(), 0.25);
}

//===----------------------------------------------------------------------===//
// Tails
//===----------------------------------------------------------------------===//

/// The derivative at x, eagerly and compiled with the same bits; `expected` by 40 digits of mpmath.
void expectSlope(const std::function<Array(const Array &)> &f, Dtype dtype, double x, double expected) {
  const Array at(astype(Array(x, f64), dtype)), eager = grad(f)(at);
  const double got = astype(eager, f64).item<double>();
  EXPECT_TRUE(got == expected || std::abs(got - expected) <= 8 * finfo(dtype).eps * std::abs(expected))
      << got << " for " << expected << " at " << x << " in " << dtype;
  EXPECT_EQ(astype(jit(grad(f))(at), f64).item<double>(), got) << x << " in " << dtype;
}

TEST(Derivatives, OfPowersOfTwoNearOverflow) {
  const auto f = [](const Array &x) { return exp2(x); };
  expectSlope(f, f32, 127.9, 2.2007077142304747e+38);
  expectSlope(f, f32, 128.3, 2.903854309511084e+38);
  expectSlope(f, f64, 1024.4, 1.6441938492638546e+308);
  expectSlope(f, f32, 3, 8 * std::numbers::ln2);
  expectSlope(f, f32, inf, inf);
  expectSlope(f, f32, -inf, 0);
}

TEST(Derivatives, OfLengthsThatOverflow) {
  for (const Dtype dtype : {f64, f32, f16, bf16}) {
    const double most = finfo(dtype).max;
    const Array x = full({}, most, dtype), y = full({}, -most / 2, dtype);
    const auto slope = [](const Array &x, const Array &y) {
      return doubles(astype(grad([&](const Array &at) { return hypot(at, y); })(x), f64))[0];
    };
    EXPECT_NEAR(slope(x, y), std::sqrt(0.8), 2 * finfo(dtype).eps) << dtype;
    EXPECT_NEAR(slope(y, x), -std::sqrt(0.2), 2 * finfo(dtype).eps) << dtype;
  }
}

TEST(Derivatives, OfActivationsInTheirTails) {
  const auto softSign = [](const Array &x) { return soft_sign(x); };
  expectSlope(softSign, f64, 1e30, 1e-60);
  expectSlope(softSign, f32, -1e15, 1e-30);
  expectSlope(softSign, bf16, 0x1p60, 0x1p-120);
  using Slope = std::function<Array(const Array &)>;
  for (const Slope &f :
       {Slope([](const Array &x) { return silu(x); }), Slope([](const Array &x) { return mish(x); })}) {
    expectSlope(f, f64, -100, -3.6828752162606276e-42);
    expectSlope(f, f64, -714.9, -2.3796455277586772e-308);
    expectSlope(f, f32, -91.2, -2.2261329538538904e-38);
  }
  const auto ofGelu = [](const Array &x) { return gelu(x, false); };
  expectSlope(ofGelu, f64, -37.5, -6.4762711430558126e-305);
  expectSlope(ofGelu, f64, -5, -7.1469460017922946e-6);
  expectSlope(ofGelu, f32, -13.1, -2.8249948272385324e-37);
  const auto ofCelu = [](const Array &x) { return celu(x, 1.5); };
  expectSlope(ofCelu, f64, -300.1, 1.2946448673231933e-87);
  expectSlope(ofCelu, f32, -100.3, 9.123779057965529e-30);
}

TEST(Derivatives, OfSincFarFromZero) {
  const auto f = [](const Array &x) { return sinc(x); };
  expectSlope(f, f64, 0.4, -1.1195243356642739);
  expectSlope(f, f64, 1e6 + 0.25, 7.0710637933092992e-7);
  expectSlope(f, f64, 1e15 + 1, -9.99999999999999e-16);
  expectSlope(f, f32, 1000.25, 0.00070670508209269091);
  EXPECT_EQ(grad(f)(Array(-3e38f)).item<float>(), 0);
}

TEST(Derivatives, OfTheInverseErrorFunction) {
  const auto f = [](const Array &x) { return erf_inv(x); };
  expectSlope(f, f64, 0.9999999999, 1068953387.1289288);
  expectSlope(f, f64, 1 - 0x1p-53, 757347920544973.98);
  expectSlope(f, f64, -0.5, 1.1125848189719498);
  expectSlope(f, f32, 0.99999994, 2120848.0082420371);
  expectSlope(f, f32, -1, inf);
  // Twice, and three times at 0: y' is the root of pi / 4 times e^(y^2).
  const double y = 0.47693627620446987, slope = std::sqrt(std::numbers::pi) / 2 * std::exp(y * y);
  EXPECT_NEAR(grad(grad(f))(Array(0.5, f64)).item<double>(), 2 * y * slope * slope, 1e-14);
  EXPECT_NEAR(grad(grad(grad(f)))(Array(0.0, f64)).item<double>(), std::pow(std::numbers::pi, 1.5) / 4, 1e-14);
  // A batch has the same rule.
  const Array x = f64s({-0.9999, 0.3, 0.999999});
  EXPECT_EQ(doubles(grad([&](const Array &at) { return sum(vmap(f)(at)); })(x)), doubles(vmap(grad(f))(x)));
}

TEST(Derivatives, OfLogaddexp2FarApart) {
  expectSlope([](const Array &x) { return logaddexp2(Array(0.1, f64), x); }, f64, -700.3, 1.4407579907434326e-211);
  expectSlope([](const Array &x) { return logaddexp2(Array(0.1f), x); }, f32, -90.3, 6.1219175025702885e-28);
}

TEST(Derivatives, OfSpecialFunctions) {
  expectSlope([](const Array &q) { return zeta(9, q); }, f64, 10.1, -1.3875516546246362e-9);
  expectSlope([](const Array &x) { return polygamma(8, x); }, f64, 10.1, 5.594608271446533e-5);
  const auto ofI0e = [](const Array &x) { return i0e(x); };
  expectSlope(ofI0e, f64, 27, -0.0014422593343264251);
  expectSlope(ofI0e, f64, 9, -0.0077345406458318077);
  expectSlope(ofI0e, f64, -0.75, 0.35127742589864031);
  const auto density = [](double a, double b) {
    return [=](const Array &x) { return betainc(Array(a, f64), Array(b, f64), x); };
  };
  expectSlope(density(1.5, 2.5), f64, 1e-290, 5.0929581789406509e-145);
  expectSlope(density(100, 2.5), f64, 0x1.ae89f995ad3adp-11, 2.5925656499165891e-301);
}

//===----------------------------------------------------------------------===//
// Infinities
//===----------------------------------------------------------------------===//

TEST(Derivatives, OfTheSizeOfAnInfiniteComplexNumber) {
  auto f = [](const Array &z) { return sum(abs(z)); };
  const Array z = complex(f64s({inf, -inf, 0, 2, 0}), f64s({0, 3, inf, 0, 0}));
  const Array slopes = grad(f)(z);
  expectNear(real(slopes), {1, -1, 0, 1, 0});
  expectNear(imag(slopes), {0, 0, -1, 0, 0});
  expectSlopes([](const Array &v) { return hypot(v[0], v[1]); }, f64s({-inf, 1e308}), {-1, 0});
}

TEST(Derivatives, OfSaturatedFunctionsAreNotNaN) {
  const Array x = f64s({-1e300, -800, 800, 1e300});
  auto ofSum = [&](auto f) {
    return doubles(grad([&](const Array &at) { return sum(grad([&](const Array &y) { return sum(f(y)); })(at)); })(x));
  };
  const Doubles zeros(4, 0.0);
  auto sizes = [](Doubles numbers) {
    for (double &number : numbers)
      number = std::abs(number);
    return numbers;
  };
  EXPECT_EQ(sizes(ofSum([](const Array &y) { return tanh(y); })), zeros);
  EXPECT_EQ(sizes(ofSum([](const Array &y) { return erf(y); })), zeros);
  EXPECT_EQ(sizes(ofSum([](const Array &y) { return logaddexp(y, 0); })), zeros);
  EXPECT_EQ(sizes(ofSum([](const Array &y) { return silu(y); })), zeros);
}

TEST(Derivatives, OfActivationsAtNaNAreNaN) {
  const Array x = f64s({std::nan(""), 1});
  for (const auto f : {+[](const Array &y) { return silu(y); }, +[](const Array &y) { return gelu(y); },
                       +[](const Array &y) { return mish(y); }}) {
    const auto slope = grad([&](const Array &y) { return sum(f(y)); });
    const Doubles second = doubles(grad([&](const Array &y) { return sum(slope(y)); })(x));
    EXPECT_TRUE(std::isnan(second[0]) && std::isfinite(second[1]));
    EXPECT_TRUE(std::isnan(doubles(slope(x))[0]));
  }
}

} // namespace
