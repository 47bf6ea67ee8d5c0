//===- complex_test.cpp - complex numbers: parts, functions, derivatives -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Difference.h"
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

using namespace tenon;
using namespace tenon::test;
using ::testing::HasSubstr;

namespace {

using Unary = Array (*)(const Operand &);
using Number = std::complex<double>;

Array arrayOf(const Doubles &x) { return Array(std::span<const double>(x), Shape({static_cast<int64_t>(x.size())})); }
/// The parts one after another, of real numbers themselves.
Doubles partsOf(const Array &x) {
  Doubles parts = doubles(real(x));
  if (kind(x.dtype()) == Kind::complex)
    std::ranges::copy(doubles(imag(x)), std::back_inserter(parts));
  return parts;
}
Array complexNumbers(const Shape &shape, double low, double high, uint64_t seed, Dtype dtype = c128) {
  return astype(complex(numbers(shape, low, high, seed), numbers(shape, low, high, seed + 100)), dtype);
}

const std::map<std::string, Unary> &functions() {
  static const std::map<std::string, Unary> all = {
      {"exp", exp},   {"exp2", exp2},   {"expm1", expm1}, {"log", log},     {"log1p", log1p},
      {"log2", log2}, {"log10", log10}, {"sqrt", sqrt},   {"sin", sin},     {"cos", cos},
      {"tan", tan},   {"sinh", sinh},   {"cosh", cosh},   {"tanh", tanh},   {"asin", asin},
      {"acos", acos}, {"atan", atan},   {"asinh", asinh}, {"acosh", acosh}, {"atanh", atanh},
  };
  return all;
}

struct Golden {
  Doubles x, y, re, im;
};
const std::map<std::string, Golden> &goldens() {
  static const std::map<std::string, Golden> all = [] {
    std::map<std::string, Golden> read;
    std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "complex_goldens.txt");
    for (std::string name, x, y, re, im; in >> name >> x >> y >> re >> im;) {
      Golden &golden = read[name];
      golden.x.push_back(std::stod(x)), golden.y.push_back(std::strtod(y.c_str(), nullptr));
      golden.re.push_back(std::strtod(re.c_str(), nullptr)), golden.im.push_back(std::strtod(im.c_str(), nullptr));
    }
    return read;
  }();
  return all;
}

/// Whether `got` is `expected`, or nearer than `ulps` of its last digits or one of the smallest number's.
/// An infinity's and a zero's sign count where C99 has a say: at finite points, and where the sign
/// is not that of a number too small.
bool isNear(double got, double expected, double x, double y, double ulps) {
  if (std::isnan(expected))
    return std::isnan(got);
  const bool isFinite = std::isfinite(x) && std::isfinite(y);
  const bool isTiny = (x != 0 && std::abs(x) < 1e-300) || (y != 0 && std::abs(y) < 1e-300);
  if (expected == 0 || std::isinf(expected)) {
    const bool isSame = got == expected || (isTiny && std::abs(got) <= 5e-324 && expected == 0);
    return isSame && (!isFinite || isTiny || std::signbit(got) == std::signbit(expected));
  }
  const double size = std::abs(expected), ulp = std::nextafter(size, INFINITY) - size;
  return std::abs(got - expected) <= ulps * ulp;
}

TEST(Complex, FunctionsAreThoseOfC99) {
  ASSERT_EQ(goldens().size(), functions().size());
  for (const auto &[name, golden] : goldens()) {
    const Array z = complex(arrayOf(golden.x), arrayOf(golden.y)), value = functions().at(name)(z);
    ASSERT_EQ(value.dtype(), c128);
    const Doubles re = doubles(real(value)), im = doubles(imag(value));
    const Doubles other = partsOf(functions().at(name)(conj(z))), conjugate = partsOf(conj(value));
    const size_t count = golden.x.size();
    for (size_t i = 0; i < count; ++i) {
      const double x = golden.x[i], y = golden.y[i];
      // Of exp2 the angle y log(2) is rounded.
      const double ulps = name == "exp2" && std::isfinite(y) ? 4 + 64 * std::abs(y) : 4;
      EXPECT_TRUE(isNear(re[i], golden.re[i], x, y, ulps) && isNear(im[i], golden.im[i], x, y, ulps))
          << name << "(" << x << ", " << y << "): got " << re[i] << ", " << im[i] << ", expected " << golden.re[i]
          << ", " << golden.im[i];
      auto isConjugate = [&](size_t part) {
        const bool isZero = other[part] == 0 && conjugate[part] == 0 && !(std::isfinite(x) && std::isfinite(y));
        return isZero || isSame(other[part], conjugate[part]);
      };
      EXPECT_TRUE(isConjugate(i) && isConjugate(i + count))
          << name << " at the conjugate of (" << x << ", " << y << ")";
    }
  }
}

TEST(Complex, SinglePrecisionIsAsPrecise) {
  for (const auto &[name, golden] : goldens()) {
    const Array z = astype(complex(arrayOf(golden.x), arrayOf(golden.y)), c64);
    const Array value = functions().at(name)(z), wide = functions().at(name)(astype(z, c128));
    ASSERT_EQ(value.dtype(), c64);
    const Doubles x = doubles(real(z)), y = doubles(imag(z)), got = partsOf(value), expected = partsOf(wide);
    constexpr double most = std::numeric_limits<float>::max();
    for (size_t i = 0; i < got.size(); ++i) {
      const double size = std::abs(expected[i]);
      if (std::isnan(size) || std::isinf(size) || size == 0) {
        EXPECT_TRUE(std::isnan(size) ? std::isnan(got[i]) : got[i] == expected[i])
            << name << "(" << x[i % x.size()] << ", " << y[i % x.size()] << "): got " << got[i] << ", expected "
            << expected[i];
        continue;
      }
      // Of exp2 beside large angles the products with log(2) differ.
      if (name == "exp2" && std::abs(y[i % x.size()]) > 10)
        continue;
      const double error = std::abs(got[i] - expected[i]);
      EXPECT_TRUE(size > most ? std::abs(got[i]) >= most : error <= 4 * 0x1p-23 * size + 0x1p-148)
          << name << "(" << x[i % x.size()] << ", " << y[i % x.size()] << "): got " << got[i] << ", expected "
          << expected[i];
    }
  }
}

TEST(Complex, Parts) {
  for (Dtype dtype : {c64, c128}) {
    const Dtype part = dtype == c64 ? f32 : f64;
    for (const Shape &shape : {Shape({}), Shape({0, 3}), Shape({1}), Shape({37}), Shape({5, 19})}) {
      const Array re = astype(numbers(shape, -1, 1, 1), part), im = astype(numbers(shape, -1, 1, 2), part);
      const Array z = complex(re, im);
      EXPECT_EQ(z.dtype(), dtype);
      EXPECT_TRUE(areSame(real(z), re) && areSame(imag(z), im));
      EXPECT_TRUE(areSame(conj(z), complex(re, -im)));
      if (shape.rank() != 2)
        continue;
      EXPECT_TRUE(areSame(real(transpose(z)), transpose(re)));
      EXPECT_TRUE(areSame(imag(flip(z)), flip(im)));
      EXPECT_TRUE(areSame(complex(transpose(re), transpose(im)), transpose(z)));
      EXPECT_TRUE(areSame(complex(re, 2.0f), complex(re, full(shape, 2, part))));
    }
  }
  const Array half = Array{1.5f, -2.0f}, integers = {3, 4};
  EXPECT_TRUE(areSame(real(half), half) && areSame(conj(integers), integers));
  EXPECT_TRUE(areSame(imag(integers), Array{0, 0}));
  EXPECT_EQ(complex(integers, integers).dtype(), c64);
  EXPECT_EQ(complex(Array{1.0f}, full({1}, 2, f64)).dtype(), c128);
  EXPECT_TRUE(areSame(complex(Array{1.0f, 2.0f}, Array{{3.0f}, {4.0f}}),
                      Array{1.0f, 2.0f} + complex(0.0f, 1.0f) * Array{{3.0f}, {4.0f}}));
}

TEST(Complex, SizesAnglesAndDirections) {
  const Array z = complex(arrayOf({3, 0, -0.0, INFINITY, NAN, NAN, 1e300, 5e-324, -1}),
                          arrayOf({-4, 0, -0.0, NAN, -INFINITY, 1, 1e300, 0, 0}));
  const Doubles sizes = doubles(abs(z)), angles = doubles(angle(z)), directions = partsOf(sign(z));
  const Doubles expected = {5, 0, 0, INFINITY, INFINITY, NAN, std::hypot(1e300, 1e300), 5e-324, 1};
  for (size_t i = 0; i < sizes.size(); ++i)
    EXPECT_TRUE(isSame(sizes[i], expected[i])) << i << ": " << sizes[i];
  const Doubles turns = {std::atan2(-4.0, 3.0), 0, -M_PI, NAN, NAN, NAN, M_PI_4, 0, M_PI};
  for (size_t i = 0; i < angles.size(); ++i)
    EXPECT_TRUE(isSame(angles[i], turns[i]) || std::abs(angles[i] - turns[i]) < 1e-15) << i << ": " << angles[i];
  const Doubles re = {0.6, 0, 0, 1, 0, NAN, M_SQRT1_2, 1, -1}, im = {-0.8, 0, 0, 0, -1, NAN, M_SQRT1_2, 0, 0};
  for (size_t i = 0; i < re.size(); ++i) {
    const double got = directions[i], other = directions[i + re.size()];
    EXPECT_TRUE(std::isnan(re[i]) ? std::isnan(got) || std::isnan(other) : std::abs(got - re[i]) < 1e-15) << i;
    EXPECT_TRUE(std::isnan(im[i]) || std::abs(other - im[i]) < 1e-15) << i;
  }
  const Array endless = sign(complex(arrayOf({-INFINITY, 3, INFINITY}), arrayOf({4, INFINITY, -INFINITY})));
  EXPECT_TRUE(areSame(endless, complex(arrayOf({-1, 0, NAN}), arrayOf({0, 1, NAN}))));
  EXPECT_TRUE(areSame(nan_to_num(z, 7.0), complex(nan_to_num(real(z), 7.0), nan_to_num(imag(z), 7.0))));
  EXPECT_TRUE(areSame(angle(Array{2.0f, -2.0f, 0.0f}), Array{0.0f, static_cast<float>(M_PI), 0.0f}));
  const std::vector<bool> isNan = {false, false, false, true, true, true, false, false, false},
                          isInf = {false, false, false, true, true, false, false, false, false};
  for (size_t i = 0; i < isNan.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    EXPECT_EQ(bool(isnan(z)[at]), isNan[i]) << i;
    EXPECT_EQ(bool(isinf(z)[at]), isInf[i]) << i;
    EXPECT_EQ(bool(isfinite(z)[at]), !isNan[i] && !isInf[i]) << i;
  }
}

TEST(Complex, Powers) {
  const Array z = complexNumbers({50}, -3, 3, 1), w = complexNumbers({50}, -2, 2, 2);
  const Array general = exp(w * log(z)), power = pow(z, w);
  for (size_t i = 0; i < 50; ++i) {
    const double size = doubles(abs(general))[i];
    EXPECT_LE(doubles(abs(power - general))[i], 1e-14 * size) << i;
  }
  // A small integer is a product, exactly.
  EXPECT_TRUE(areSame(pow(z, 3), z * (z * z)) || areSame(pow(z, 3), (z * z) * z));
  EXPECT_TRUE(areSame(pow(z, 1), z) && areSame(pow(z, -2), 1 / (z * z)));
  EXPECT_TRUE(areSame(pow(z, 0), ones_like(z)));
  const Array x = complex(arrayOf({0, 0, 0, NAN, 2, 4, -1}), arrayOf({0, 0, 0, 1, 3, 0, 0}));
  const Array y = complex(arrayOf({0, 2, -1, 0, 1, 0.5, 0.5}), arrayOf({0, 1, 0, 0, 0, 0, 0})), got = pow(x, y);
  const Doubles re = {1, 0, NAN, 1, 2, 2, 0}, im = {0, 0, NAN, 0, 3, 0, 1}, parts = partsOf(got);
  for (size_t i = 0; i < re.size(); ++i) {
    EXPECT_TRUE(isSame(parts[i], re[i]) || std::abs(parts[i] - re[i]) < 1e-16) << i << ": " << parts[i];
    EXPECT_TRUE(isSame(parts[i + re.size()], im[i])) << i << ": " << parts[i + re.size()];
  }
  // In c64 as in c128, rounded.
  const Array narrow = astype(z, c64), exponent = astype(w, c64);
  EXPECT_TRUE(areSame(pow(narrow, exponent), astype(pow(astype(narrow, c128), astype(exponent, c128)), c64)));
  EXPECT_EQ(pow(narrow, Array{{0.5f}, {2.0f}}).shape(), Shape({2, 50}));
}

/// Sums and products by the standard library.
TEST(Complex, Reductions) {
  const Array z = complexNumbers({4, 5, 3}, -2, 2, 7);
  const Array last = reshape(z, {20, 3});
  const Doubles re = doubles(reshape(real(z), {-1})), im = doubles(reshape(imag(z), {-1}));
  Number total = 0, product = 1;
  std::vector<Number> sums(3), products(3, 1);
  double squares = 0;
  for (size_t i = 0; i < re.size(); ++i) {
    const Number one(re[i], im[i]);
    total += one, product *= one;
    sums[i % 3] += one, products[i % 3] *= one;
  }
  const Number middle = total / 60.0;
  for (size_t i = 0; i < re.size(); ++i)
    squares += std::norm(Number(re[i], im[i]) - middle);
  auto expectOne = [](const Array &got, Number expected, const char *what) {
    const Doubles parts = partsOf(got);
    ASSERT_EQ(parts.size(), 2u) << what;
    EXPECT_LE(std::abs(Number(parts[0], parts[1]) - expected), 1e-13 * std::abs(expected) + 1e-14) << what;
  };
  expectOne(sum(z), total, "sum");
  expectOne(mean(z), middle, "mean");
  expectOne(prod(z), product, "prod");
  EXPECT_NEAR(doubles(var(z))[0], squares / 60, 1e-13);
  EXPECT_NEAR(doubles(tenon::std(z, {}, false, 1))[0], std::sqrt(squares / 59), 1e-13);
  EXPECT_EQ(var(z).dtype(), f64);
  for (int64_t k = 0; k < 3; ++k) {
    expectOne(sum(z, {0, 1})[k], sums[static_cast<size_t>(k)], "sum over two axes");
    expectOne(prod(z, {0, 1})[k], products[static_cast<size_t>(k)], "prod over two axes");
    expectOne(prod(last, 0, true)[0][k], products[static_cast<size_t>(k)], "prod with keepdims");
    expectOne(cumulative_prod(last, 0)[19][k], products[static_cast<size_t>(k)], "cumulative_prod");
    expectOne(cumulative_sum(last, 0)[19][k], sums[static_cast<size_t>(k)], "cumulative_sum");
  }
  for (int64_t k = 0; k < 20; ++k) // each is the product up to it
    expectOne(
        cumulative_prod(last, 0)[k][1],
        [&] {
          const Doubles parts = partsOf(prod(last[{slice(0, k + 1)}], 0)[1]);
          return Number(parts[0], parts[1]);
        }(),
        "the products up to each");
  EXPECT_EQ(cumulative_prod(last, 0, true).shape(), Shape({21, 3}));
  EXPECT_TRUE(areSame(prod(zeros({2, 0}, c64), 1), ones({2}, c64)));
  EXPECT_TRUE(areSame(sum(zeros({2, 0}, c64), 1), zeros({2}, c64)));
  EXPECT_TRUE(areSame(prod(z, std::vector<int64_t>{}), z));
  const Array a = complexNumbers({3, 4}, -1, 1, 3), b = complexNumbers({4, 2}, -1, 1, 4);
  const Array byParts =
      complex(matmul(real(a), real(b)) - matmul(imag(a), imag(b)), matmul(real(a), imag(b)) + matmul(imag(a), real(b)));
  EXPECT_LE(doubles(max(abs(matmul(a, b) - byParts)))[0], 1e-15);
  const Array c = complexNumbers({3, 4}, -1, 1, 5);
  EXPECT_LE(doubles(max(abs(vecdot(a, c) - sum(conj(a) * c, -1))))[0], 1e-15);
}

TEST(Complex, RoundedAveragedCompared) {
  const Array z = complex(arrayOf({0.5, 1.5, -2.6}), arrayOf({-0.4, 2.5, NAN}));
  EXPECT_TRUE(areSame(round(z), complex(arrayOf({0, 2, -3}), arrayOf({-0.0, 2, NAN}))));
  const Array two = z[{slice(2)}];
  const Array expected = complex(arrayOf({1.25}), arrayOf({(-0.4 + 7.5) / 4}));
  EXPECT_TRUE(areSame(average(two, 0, arrayOf({1, 3})), expected[0]));
  EXPECT_TRUE(areSame(average(two), mean(two)));
  const Array near = two + complex(Array(0.0), Array(1e-9));
  EXPECT_EQ(isclose(two, near).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_FALSE(bool(allclose(two, two + complex(Array(0.0), Array(1e-4)))));
  EXPECT_EQ(isclose(z, z).to_vector<bool>(), (std::vector<bool>{true, true, false}));
  EXPECT_TRUE(bool(allclose(z, z, 1e-5, 1e-8, true)));
}

TEST(Complex, Norms) {
  const Array z = complex(arrayOf({3, 0, -5, 1}), arrayOf({-4, 0, 12, 0})), m = reshape(z, {2, 2});
  auto expect = [](const Array &got, const Doubles &expected, const char *what) {
    ASSERT_EQ(got.dtype(), f64) << what;
    const Doubles numbers = doubles(got);
    ASSERT_EQ(numbers.size(), expected.size()) << what;
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(numbers[i], expected[i], 1e-13 * expected[i]) << what;
  };
  expect(vector_norm(z), {std::sqrt(195.0)}, "2");
  expect(vector_norm(z, {}, false, 1), {19}, "1");
  expect(vector_norm(z, {}, false, 0), {3}, "0");
  expect(vector_norm(z, {}, false, 3), {std::cbrt(125.0 + 2197 + 1)}, "3");
  expect(vector_norm(m, 1, false, INFINITY), {5, 13}, "inf");
  expect(matrix_norm(m), {std::sqrt(195.0)}, "fro");
  expect(matrix_norm(m, false, MatrixNorm::one), {18}, "of columns");
  expect(matrix_norm(m, false, MatrixNorm::minus_infinity), {5}, "of rows");
  expect(norm(m, {1, 0}, false, INFINITY), {18}, "of the other axes");
  EXPECT_EQ(vector_norm(astype(z, c64)).dtype(), f32);
  expect(global_norm({z, Array(2.0)}), {std::sqrt(199.0)}, "of several arrays");
  expect(vector_norm(clip_by_norm(z, 2)), {2}, "clipped");
  EXPECT_TRUE(areSame(clip_by_norm(m, 6, 1)[0], m[0]));
  // Where it is 0 the derivative is.
  const Array none = zeros({2}, c128);
  for (double ord : {1.0, 2.0, 3.0})
    EXPECT_TRUE(
        areSame(abs(grad([&](const Array &at) { return vector_norm(at, {}, false, ord); })(none)), zeros({2}, f64)));
  EXPECT_LE(doubles(max(abs(grad([](const Array &at) { return vector_norm(at); })(z) - conj(z) / vector_norm(z))))[0],
            1e-15);
}

/// Of an array of complex numbers, element by element.
void expectNear(const Array &got, const std::vector<Number> &expected, double tolerance, const char *what) {
  ASSERT_EQ(got.dtype(), c128) << what;
  const Doubles parts = partsOf(got);
  ASSERT_EQ(parts.size(), 2 * expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_LE(std::abs(Number(parts[i], parts[expected.size() + i]) - expected[i]),
              tolerance * std::max(1.0, std::abs(expected[i])))
        << what << " " << i;
}

TEST(Complex, Covariances) {
  const Array z = complexNumbers({3, 7}, -2, 2, 5);
  const Doubles parts = partsOf(z);
  auto at = [&](size_t row, size_t column) { return Number(parts[row * 7 + column], parts[21 + row * 7 + column]); };
  std::vector<Number> covariance, correlation;
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k) {
      Number mean[2], sum;
      for (size_t j = 0; j < 7; ++j)
        mean[0] += at(i, j) / 7.0, mean[1] += at(k, j) / 7.0;
      for (size_t j = 0; j < 7; ++j)
        sum += (at(i, j) - mean[0]) * std::conj(at(k, j) - mean[1]);
      covariance.push_back(sum / 6.0);
    }
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k)
      correlation.push_back(covariance[i * 3 + k] / std::sqrt(covariance[i * 4].real() * covariance[k * 4].real()));
  expectNear(reshape(cov(z), {9}), covariance, 1e-14, "cov");
  expectNear(reshape(cov(transpose(z), false), {9}), covariance, 1e-14, "cov of columns");
  expectNear(reshape(corrcoef(z), {9}), correlation, 1e-14, "corrcoef");
  EXPECT_EQ(cov(astype(z, c64)).dtype(), c64);
}

TEST(Complex, SincAndLogsumexp) {
  const Array z = complexNumbers({64}, -1, 1, 6);
  const Doubles parts = partsOf(z);
  std::vector<Number> sincs;
  Number total;
  for (size_t i = 0; i < 64; ++i) {
    const Number angle = M_PI * Number(parts[i], parts[64 + i]);
    sincs.push_back(std::sin(angle) / angle);
    total += std::exp(Number(parts[i], parts[64 + i]));
  }
  expectNear(sinc(z), sincs, 1e-14, "sinc");
  expectNear(sinc(zeros({1}, c128)), {1}, 0, "sinc of 0");
  expectNear(reshape(logsumexp(z), {1}), {std::log(total)}, 1e-14, "logsumexp");
  // What overflows by itself; and the derivative of a sum's logarithm are shares of the sum.
  expectNear(reshape(logsumexp(z + 800), {1}), {std::log(total) + 800.0}, 1e-14, "logsumexp of large");
  EXPECT_EQ(logsumexp(reshape(z, {8, 8}), 1, true).shape(), (Shape{8, 1}));
  const Array shares = jvp([](const Array &x) { return logsumexp(x); }, z, ones({64}, c128)).second;
  expectNear(reshape(shares, {1}), {1}, 1e-14, "their sum");
}

TEST(Complex, Sigmoids) {
  const Array z = complexNumbers({200}, -30, 30, 8);
  const Doubles parts = partsOf(z), got = partsOf(sigmoid(z)), swished = partsOf(silu(z));
  for (size_t i = 0; i < 200; ++i) {
    const Number one(parts[i], parts[i + 200]), expected = 1.0 / (1.0 + std::exp(-one)), other = expected * one;
    EXPECT_LE(std::abs(Number(got[i], got[i + 200]) - expected), 1e-13 * std::abs(expected)) << one;
    EXPECT_LE(std::abs(Number(swished[i], swished[i + 200]) - other), 1e-13 * std::abs(other)) << one;
  }
  // Neither side overflows, nor does a derivative.
  const Array far = complex(arrayOf({1e4, -1e4, INFINITY, -INFINITY}), arrayOf({1, 1, 1, 1}));
  EXPECT_TRUE(areSame(abs(sigmoid(far)), arrayOf({1, 0, 1, 0})));
  EXPECT_TRUE(areSame(abs(silu(far[{slice(1, none, 2)}])), arrayOf({0, 0})));
  const Array slope = grad([](const Array &x) { return sum(real(sigmoid(x) + silu(x))); })(far[{slice(2)}]);
  EXPECT_TRUE(areSame(abs(slope), arrayOf({1, 0})));
  const Array s = sigmoid(z), at = sigmoid(-z), slopes = grad([](const Array &x) { return sum(real(sigmoid(x))); })(z);
  EXPECT_LE(doubles(max(abs(slopes - s * at) / abs(s * at)))[0], 1e-12);
}

/// What the lines of complex_vjp_goldens.txt name.
const std::map<std::string, std::function<Array(const Array &)>> &differentiated() {
  static const auto all = [] {
    std::map<std::string, std::function<Array(const Array &)>> made(functions().begin(), functions().end());
    made["square"] = [](const Array &z) { return square(z); };
    made["reciprocal"] = [](const Array &z) { return reciprocal(z); };
    made["real"] = [](const Array &z) { return real(z); };
    made["imag"] = [](const Array &z) { return imag(z); };
    made["conj"] = [](const Array &z) { return conj(z); };
    made["abs"] = [](const Array &z) { return abs(z); };
    made["angle"] = [](const Array &z) { return angle(z); };
    made["pow2.5"] = [](const Array &z) { return pow(z, 2.5); };
    made["2^z"] = [](const Array &z) { return pow(2, z); };
    made["pow3"] = [](const Array &z) { return pow(z, 3); };
    made["z^z"] = [](const Array &z) { return pow(z, z); };
    made["quotient"] = [](const Array &z) { return (z + 1) / (z * z - 3); };
    made["swapped"] = [](const Array &z) { return complex(imag(z), real(z) * imag(z)); };
    made["converted"] = [](const Array &z) { return astype(real(z) * 2, c128) * z; };
    made["norm"] = [](const Array &z) { return abs(sin(z) * conj(z)); };
    return made;
  }();
  return all;
}

TEST(Complex, DerivativesAreThoseOfJax) {
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "complex_vjp_goldens.txt");
  size_t compared = 0;
  for (std::string line; std::getline(in, line); ++compared) {
    std::istringstream fields(line);
    std::string name, field;
    fields >> name;
    std::vector<double> parts;
    while (fields >> field)
      parts.push_back(std::strtod(field.c_str(), nullptr));
    ASSERT_EQ(parts.size(), 8u);
    auto number = [&](size_t i) { return complex(full({}, parts[i], f64), full({}, parts[i + 1], f64)); };
    const auto &f = differentiated().at(name);
    const Array z = number(0), cotangent = number(2);
    auto slope = [&](const Array &at) {
      auto [value, pullback] = vjp(f, at);
      return pullback(kind(value.dtype()) == Kind::complex ? cotangent : real(cotangent));
    };
    auto [first, pullback] = vjp(slope, z);
    const Array second = pullback(complex(full({}, 0.5, f64), full({}, -0.25, f64)));
    for (auto [got, expected, what] : {std::tuple(first, number(4), "first"), {second, number(6), "second"}}) {
      ASSERT_EQ(got.dtype(), c128);
      EXPECT_LE(doubles(abs(got - expected))[0], 1e-13 * (doubles(abs(expected))[0] + 1))
          << name << " at " << z << ", " << what << ": got " << got << ", expected " << expected;
    }
  }
  EXPECT_EQ(compared, 173u);
}

/// On cuts, axes and the circle, where the parts have no derivatives, functions have theirs.
TEST(Complex, DerivativesOnAxes) {
  const Array z = complex(arrayOf({0.5, 0, 2, -3, 1, 0}), arrayOf({0, 0.5, 0, 0, 0, 2}));
  for (const char *name : {"asin", "acos", "acosh", "atan", "atanh", "log", "sqrt", "exp", "tanh", "asinh"}) {
    const Array slopes = vjp(functions().at(name), z).second(ones_like(z));
    const Array step = complex(full({6}, 0.0, f64), full({6}, 1e-7, f64)); // along the imaginary axis
    const Array near = (functions().at(name)(z + 2 * step) - functions().at(name)(z + step)) / step;
    const Doubles sizes = doubles(abs(near)), distances = doubles(abs(slopes - near));
    for (size_t i = 0; i < 6; ++i)
      if (sizes[i] < 100) { // no branch point
        EXPECT_LE(distances[i], 1e-5 * (1 + sizes[i])) << name << " " << i;
      }
  }
  const Array nothing = zeros({1}, c128);
  const Array slope = grad([](const Array &x) { return sum(abs(x)); })(nothing);
  EXPECT_TRUE(areSame(abs(slope), zeros({1}, f64))) << slope;
}

List everything(const Array &z, const Array &w) {
  List all;
  for (const auto &[name, f] : functions())
    all.push_back(f(z));
  for (const Array &one : {real(z),
                           imag(z),
                           conj(z),
                           complex(real(z), imag(w)),
                           abs(z),
                           angle(z),
                           sign(z),
                           pow(z, w),
                           pow(z, 5),
                           square(z),
                           sigmoid(z),
                           silu(z),
                           astype(vector_norm(z, -1, true), z.dtype()),
                           reciprocal(z),
                           astype(isnan(z), i32),
                           astype(isinf(z), i32),
                           astype(isfinite(z), i32),
                           z == w,
                           z != w,
                           sum(z, 0),
                           mean(z, 0),
                           var(z, 0),
                           tenon::std(z, 0),
                           prod(z, 0),
                           cumulative_sum(z, 0),
                           cumulative_prod(z, 0),
                           matmul(z, transpose(w)),
                           vecdot(z, w, 0)})
    all.push_back(one);
  return all;
}

TEST(Complex, CompiledHasTheBitsOfEager) {
  for (Dtype dtype : {c64, c128}) {
    const auto compiled = jit(everything);
    const Array z = complexNumbers({5, 7}, -3, 3, 1, dtype), w = complexNumbers({5, 7}, -2, 2, 2, dtype);
    const Array odd = astype(complex(Array{1.0f, NAN, 0.0f, INFINITY, -0.0f, -INFINITY, -1.0f},
                                     Array{0.0f, 1.0f, -0.0f, 2.0f, NAN, INFINITY, 0.0f}),
                             dtype);
    for (const Array &of : {z, z * 1000, broadcast_to(odd, {5, 7})}) {
      const List got = compiled(of, w), expected = everything(of, w);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(areSame(got[i], expected[i]))
            << dtype << ", result " << i << ": got " << got[i] << ", expected " << expected[i];
    }
  }
}

TEST(Complex, OneProgramForAllSizes) {
  auto function = [](const Array &z) { return asin(z) * abs(z) + pow(z, conj(z)) + sum(exp(z), 1, true); };
  const auto compiled = jit(function, {.specs = {TensorSpec{c64, {5, "n"}}}});
  for (int64_t size : {7, 12}) {
    const Array z = complexNumbers({5, size}, -3, 3, 1, c64);
    EXPECT_TRUE(areSame(compiled(z), function(z))) << size;
  }
  EXPECT_EQ(compiled.stats().traces, 1u);
}

TEST(Complex, EachExampleIsAsIfAlone) {
  const Array z = complexNumbers({3, 5, 7}, -3, 3, 1), w = complexNumbers({3, 5, 7}, -2, 2, 2);
  const List got = vmap(everything)(z, w);
  for (int64_t example = 0; example < 3; ++example) {
    const List expected = everything(z[example], w[example]);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(areSame(got[i][example], expected[i])) << "example " << example << ", result " << i;
  }
  // Functions stay one op under vmap, and have their derivatives there.
  const Array axis = complex(arrayOf({1, 2, 0}), arrayOf({0, 0, 2}));
  auto loss = [](auto &&f) { return [f](const Array &at) { return sum(real(f(at))); }; };
  auto mapped = [](const Array &at) { return vmap([](const Array &one) { return asinh(one) + pow(one, one); })(at); };
  auto plain = [](const Array &at) { return asinh(at) + pow(at, at); };
  EXPECT_TRUE(areSame(grad(loss(mapped))(axis), grad(loss(plain))(axis)));
}

TEST(Complex, GradientsAreCompiledToTheSameBits) {
  auto loss = [](const Array &z) { return sum(abs(tanh(z) * log(z) + pow(z, 2.5)) + angle(z)); };
  const Array z = complexNumbers({9}, 0.2, 2, 3);
  EXPECT_TRUE(areSame(jit(grad(loss))(z), grad(loss)(z)));
  // By what each part changes: JAX's sign of the imaginary one.
  const Array got = grad(loss)(z), step = full({}, 1e-6, f64);
  for (int64_t i = 0; i < 9; ++i) {
    const Array one = astype(arange(9) == i, f64) * step;
    const Array byReal = (loss(z + one) - loss(z - one)) / (2 * step);
    const Array byImag = (loss(z + complex(0.0, one)) - loss(z - complex(0.0, one))) / (2 * step);
    EXPECT_NEAR(doubles(real(got))[static_cast<size_t>(i)], doubles(byReal)[0], 1e-7);
    EXPECT_NEAR(doubles(imag(got))[static_cast<size_t>(i)], -doubles(byImag)[0], 1e-7);
  }
  const Array x = numbers({4}, -1, 1, 9);
  const Array slope = grad([](const Array &at) { return sum(real(astype(at, c128) * complex(3.0, 4.0))); })(x);
  EXPECT_TRUE(areSame(slope, full({4}, 3, f64)));
}

TEST(Complex, Refusals) {
  const Array z = complexNumbers({3}, -1, 1, 1);
  EXPECT_THAT(messageOf([&] { grad([](const Array &at) { return sum(at); })(z); }),
              HasSubstr("grad: expected a function whose result is a floating array of rank 0, got c128[]"));
  EXPECT_THAT(messageOf([&] { (void)floor(z); }), HasSubstr("floor: expected a dtype among "));
  EXPECT_THAT(messageOf([&] { (void)complex(full({2}, 1, f16), full({2}, 1, f16)); }),
              HasSubstr("complex: expected a dtype among f32, f64, got f16"));
  EXPECT_THAT(messageOf([&] { (void)pow(z, complexNumbers({2}, -1, 1, 1)); }), HasSubstr("pow: shapes"));
  EXPECT_THAT(messageOf([&] {
                jit([](const Array &at) { return prod(at); }, {.specs = {TensorSpec{c64, {"n"}}}})(astype(z, c64));
              }),
              HasSubstr("prod: expected a known number of complex numbers to multiply, got n"));
  EXPECT_THAT(errorOf([&] { (void)floor(z); }), HasSubstr("complex_test.cpp"));
}

} // namespace
