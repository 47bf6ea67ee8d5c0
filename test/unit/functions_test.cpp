//===- functions_test.cpp - composed functions ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Difference.h"
#include "test/unit/Errors.h"
#include "test/unit/Goldens.h"
#include "test/unit/TransformCases.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

using namespace tenon;
using namespace tenon::test;

namespace {

using Unary = Array (*)(const Operand &);
/// One of several overloads of that name.
using Spread = Array (*)(const Operand &, const Ints &, bool, double);

constexpr double inf = INFINITY, nan = NAN;

/// The bits of a and b, of any dtype; zeros by their signs too.
/// Equal, or near by a share of the expected number.
void expectNumbers(const Array &got, const Doubles &expected, double share, const std::string &what) {
  const Doubles numbers = doubles(got);
  ASSERT_EQ(numbers.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(numbers[i])) << what << ", element " << i << ": got " << numbers[i];
    } else {
      EXPECT_TRUE(numbers[i] == expected[i] || std::abs(numbers[i] - expected[i]) <= share * std::abs(expected[i]))
          << what << ", element " << i << ": got " << numbers[i] << ", expected " << expected[i];
    }
}

Array slopesOf(const std::function<Array(const Array &)> &f, const Array &x) {
  return grad([&](const Array &point) { return sum(f(point)); })(x);
}

List slopesOfTwo(Array (*f)(const Operand &, const Operand &), const Array &x1, const Array &x2) {
  return grad([&](const List &point) { return sum(f(point[0], point[1])); })(List{x1, x2});
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const std::map<std::string, Unary> &functionsOfOne() {
  static const std::map<std::string, Unary> all = {
      {"sigmoid", sigmoid},
      {"logit", logit},
      {"softplus", softplus},
      {"log_sigmoid", log_sigmoid},
      {"log1mexp", log1mexp},
      {"silu", silu},
      {"swish", swish},
      {"gelu", [](const Operand &x) { return gelu(x); }},
      {"gelu_of_erfc", [](const Operand &x) { return gelu(x, false); }},
      {"mish", mish},
      {"selu", selu},
      {"relu6", relu6},
      {"hard_tanh", hard_tanh},
      {"hard_sigmoid", hard_sigmoid},
      {"hard_swish", hard_swish},
      {"hard_silu", hard_silu},
      {"soft_sign", soft_sign},
      {"sinc", sinc},
      {"deg2rad", deg2rad},
      {"rad2deg", rad2deg},
      {"elu", [](const Operand &x) { return elu(x); }},
      {"celu", [](const Operand &x) { return celu(x, 2); }},
      {"leaky_relu", [](const Operand &x) { return leaky_relu(x); }},
  };
  return all;
}

/// At NaN, inf, -inf, 0, -0 and large numbers.
TEST(Functions, SpecialValues) {
  const float large = std::numeric_limits<float>::max();
  const Array x{NAN, INFINITY, -INFINITY, 0.0f, -0.0f, large, -large};
  const double third = 1.0 / 3;
  const std::map<std::string, Doubles> expected = {
      {"sigmoid", {nan, 1, 0, 0.5, 0.5, 1, 0}},
      {"logit", {nan, nan, nan, -inf, -inf, nan, nan}},
      {"softplus", {nan, inf, 0, M_LN2, M_LN2, large, 0}},
      {"log_sigmoid", {nan, 0, -inf, -M_LN2, -M_LN2, 0, -large}},
      {"log1mexp", {nan, 0, nan, -inf, -inf, 0, nan}},
      {"silu", {nan, inf, 0, 0, 0, large, 0}},
      {"swish", {nan, inf, 0, 0, 0, large, 0}},
      {"gelu", {nan, inf, 0, 0, 0, large, 0}},
      {"gelu_of_erfc", {nan, inf, 0, 0, 0, large, 0}},
      {"mish", {nan, inf, 0, 0, 0, large, 0}},
      {"selu", {nan, inf, -1.7580993408473766, 0, 0, inf, -1.7580993408473766}},
      {"relu6", {nan, 6, 0, 0, 0, 6, 0}},
      {"hard_tanh", {nan, 1, -1, 0, 0, 1, -1}},
      {"hard_sigmoid", {nan, 1, 0, 0.5, 0.5, 1, 0}},
      {"hard_swish", {nan, inf, 0, 0, 0, large, 0}},
      {"hard_silu", {nan, inf, 0, 0, 0, large, 0}},
      {"soft_sign", {nan, 1, -1, 0, 0, 1, -1}},
      {"sinc", {nan, nan, nan, 1, 1}},
      {"deg2rad", {nan, inf, -inf, 0, 0, large * (M_PI / 180), -large * (M_PI / 180)}},
      {"rad2deg", {nan, inf, -inf, 0, 0, inf, -inf}},
      {"elu", {nan, inf, -1, 0, 0, large, -1}},
      {"celu", {nan, inf, -2, 0, 0, large, -2}},
      {"leaky_relu", {nan, inf, -inf, 0, 0, large, -0.01 * large}},
  };
  for (const auto &[name, function] : functionsOfOne()) {
    const Doubles &numbers = expected.at(name);
    const Array points = slice(x, {0}, {int64_t(numbers.size())});
    expectNumbers(function(points), numbers, 2e-7, name);
    // Nothing that is finite has a derivative that is not.
    const Doubles slopes = doubles(slopesOf(function, points));
    for (size_t i = 1; i < numbers.size(); ++i)
      EXPECT_TRUE(std::isfinite(slopes[i]) || !std::isfinite(numbers[i])) << name << ", element " << i;
  }
  EXPECT_DOUBLE_EQ(doubles(sigmoid(third))[0], static_cast<double>(static_cast<float>(1 / (1 + std::exp(-third)))));
}

const char *const activations[] = {"sigmoid",      "log_sigmoid", "silu",      "gelu", "gelu_of_erfc",
                                   "mish",         "selu",        "relu6",     "elu",  "hard_tanh",
                                   "hard_sigmoid", "hard_swish",  "soft_sign", "celu", "leaky_relu"};
const Array &activationPoints() {
  static const Array points{NAN,     INFINITY, -INFINITY, 0.0f, -0.0f, 1e38f,  -1e38f, 1e-40f,
                            -1e-40f, 6.0f,     -3.0f,     3.0f, 32.0f, -91.3f, -1.3f,  -13.2f};
  return points;
}

/// An activation's kernel has the bits of its decomposition, which the compiler inlines.
TEST(Functions, ActivationsAreOnePass) {
  const Array numbers = random::normal(random::key(5), {37, 41}) * 4;
  const std::pair<const char *, Array> operands[] = {{"special values", activationPoints()},
                                                     {"rows", numbers},
                                                     {"columns", transpose(numbers)},
                                                     {"a number", Array(0.7f)},
                                                     {"nothing", zeros({0, 3})},
                                                     {"reversed", flip(numbers)}};
  const auto all = jit([](const Array &x) {
    List results;
    for (const char *name : activations)
      results.push_back(functionsOfOne().at(name)(x));
    return results;
  });
  for (const Dtype dtype : {f32, f64})
    for (const auto &[what, given] : operands) {
      const Array x = astype(given, dtype);
      const List decomposed = all(x);
      for (size_t i = 0; i < std::size(activations); ++i) {
        const Unary function = functionsOfOne().at(activations[i]);
        const uint64_t before = statistics().eager_kernels;
        const Array result = function(x);
        EXPECT_EQ(statistics().eager_kernels - before, 1u) << activations[i] << " of " << what;
        EXPECT_TRUE(areSame(result, decomposed[i])) << activations[i] << " of " << what << ", " << dtype;
      }
    }
}

/// Eagerly, compiled and in forward mode; the second one beside differences of the first.
TEST(Functions, DerivativesOfActivationsAreTheSameInAllModes) {
  const auto slopes = [](const Array &x) {
    List results;
    for (const char *name : activations)
      results.push_back(slopesOf(functionsOfOne().at(name), x));
    return results;
  };
  const auto seconds = [&](const Array &x) {
    List results;
    for (const char *name : activations)
      results.push_back(slopesOf([&](const Array &y) { return slopesOf(functionsOfOne().at(name), y); }, x));
    return results;
  };
  // Away from kinks.
  const Array smooth = linspace(-40, 40, 500, f64) + 0.0137;
  for (const Array &x : {activationPoints(), astype(activationPoints(), f64), smooth}) {
    const List once = slopes(x), twice = seconds(x), compiled = jit(slopes)(x), compiledTwice = jit(seconds)(x);
    for (size_t i = 0; i < std::size(activations); ++i) {
      SCOPED_TRACE(activations[i]);
      EXPECT_TRUE(areSame(once[i], compiled[i]));
      EXPECT_TRUE(areSame(twice[i], compiledTwice[i]));
      EXPECT_TRUE(areSame(once[i], jvp(functionsOfOne().at(activations[i]), x, ones_like(x)).second));
      const Doubles values = doubles(x), second = doubles(twice[i]);
      for (size_t k = 0; k < values.size(); ++k)
        EXPECT_TRUE(std::isfinite(second[k]) || std::isnan(values[k])) << values[k];
    }
  }
  const List above = slopes(smooth + 1e-5), below = slopes(smooth - 1e-5), exact = seconds(smooth);
  for (size_t i = 0; i < std::size(activations); ++i) {
    const Doubles difference = doubles((above[i] - below[i]) / 2e-5), second = doubles(exact[i]);
    for (size_t k = 0; k < second.size(); ++k)
      EXPECT_NEAR(difference[k], second[k], 1e-8) << activations[i] << " at " << doubles(smooth)[k];
  }
}

TEST(Functions, DerivativesAtKinks) {
  const std::pair<const char *, std::pair<Array, Doubles>> kinks[] = {
      {"relu6", {{0.0f, 6.0f, -1.0f, 3.0f}, {0, 0, 0, 1}}},
      {"hard_tanh", {{-1.0f, 1.0f, 2.0f, 0.0f}, {1, 1, 0, 1}}},
      {"hard_sigmoid", {{-3.0f, 3.0f, 0.0f}, {0, 0, 1 / 6.0}}},
      {"elu", {{0.0f, -0.0f}, {1, 1}}},
      {"celu", {{0.0f, -0.0f}, {1, 1}}},
      {"leaky_relu", {{0.0f, -1.0f}, {1, 0.01}}},
      {"soft_sign", {{0.0f, INFINITY}, {1, 0}}},
      {"sigmoid", {{0.0f, -0.0f, -200.0f, 200.0f}, {0.25, 0.25, 0, 0}}},
      {"sinc", {{0.0f, 1e-20f}, {0, -M_PI * M_PI / 3 * 1e-20}}},
      {"silu", {{0.0f, INFINITY, -INFINITY}, {0.5, 1, 0}}},
      {"mish", {{0.0f, INFINITY, -INFINITY}, {0.6, 1, 0}}},
      {"gelu", {{0.0f, INFINITY, -INFINITY, 1e20f}, {0.5, 1, 0, 1}}},
      {"gelu_of_erfc", {{0.0f, INFINITY, -INFINITY, 1e20f}, {0.5, 1, 0, 1}}},
      {"logit", {{0.5f}, {4}}},
  };
  for (const auto &[name, at] : kinks)
    expectNumbers(slopesOf(functionsOfOne().at(name), at.first), at.second, 1e-6, name);
  // The series of sinc ends where the quotient begins; its second derivative is right at 0. Formulas of e^-|x| are
  // smooth there.
  const auto second = [](const char *name) {
    const Unary f = functionsOfOne().at(name);
    return slopesOf([&](const Array &y) { return slopesOf(f, y); }, Array{0.0f});
  };
  const double density = std::sqrt(2 / M_PI);
  for (const auto &[name, value] : std::initializer_list<std::pair<const char *, double>>{{"sinc", -M_PI * M_PI / 3},
                                                                                          {"sigmoid", 0},
                                                                                          {"silu", 0.5},
                                                                                          {"gelu", density},
                                                                                          {"gelu_of_erfc", density},
                                                                                          {"mish", 0.64},
                                                                                          {"soft_sign", 0},
                                                                                          {"log_sigmoid", -0.25},
                                                                                          {"elu", 1},
                                                                                          {"celu", 0.5}})
    expectNumbers(second(name), {value}, 1e-6, std::string(name) + " twice");
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, at);)
    parts.push_back(one);
  return parts;
}

Array numbersIn(const std::string &text) {
  Doubles out;
  std::istringstream in(text);
  for (std::string one; in >> one;)
    out.push_back(std::strtod(one.c_str(), nullptr)); // which takes subnormal numbers
  return Array(out);
}

TEST(Functions, AreTheirFormulas) {
  const std::map<std::string, std::function<Array(const List &)>> others = {
      {"quantile", [](const List &x) { return quantile(x[0], x[1]); }},
      {"median", [](const List &x) { return median(x[0]); }},
      {"var", [](const List &x) { return var(x[0]); }},
      {"average", [](const List &x) { return average(x[0], {}, x[1]); }},
      {"histogram", [](const List &x) { return histogram(x[0], 4).counts; }},
      {"histogram_edges", [](const List &x) { return histogram(x[0], 4).edges; }},
      {"histogram_weighted", [](const List &x) { return histogram(x[0], 3, {-2.0, 2.5}, x[1]).counts; }},
      {"histogram_density",
       [](const List &x) { return histogram(x[0], {-3.0, -1.0, 0.5, 3.0}, none, none, true).counts; }},
      {"digitize_descending", [](const List &x) { return digitize(x[0], x[1]); }},
  };
  std::istringstream in = numpyGoldens("functions_goldens.py");
  size_t compared = 0;
  for (std::string line; std::getline(in, line); ++compared) {
    std::vector<std::string> fields = split(line, '|');
    const std::string name = fields[0].substr(0, fields[0].size() - 1);
    List operands;
    for (size_t i = 1; i + 1 < fields.size(); ++i)
      operands.push_back(numbersIn(fields[i]));
    const Doubles expected = doubles(numbersIn(fields.back()));
    if (const auto one = functionsOfOne().find(name); one != functionsOfOne().end())
      expectNumbers(one->second(operands[0]), expected, 1e-14, name);
    else
      expectNumbers(others.at(name)(operands), expected, 1e-13, line);
  }
  EXPECT_GT(compared, 40u);
}

TEST(Functions, OfTwo) {
  const Array zeros{0.0f, 0.0f, 0.0f, -0.0f}, with{0.0f, NAN, INFINITY, -5.0f};
  expectNumbers(xlogy(zeros, with), {0, nan, 0, 0}, 0, "xlogy");
  expectNumbers(xlog1py(zeros, with), {0, nan, 0, 0}, 0, "xlog1py");
  for (auto function : {xlogy, xlog1py}) {
    const List slopes = slopesOfTwo(function, Array{0.0f, 0.0f, 2.0f}, Array{0.0f, -1.0f, 3.0f});
    const double of = function == xlogy ? 3 : 4;
    expectNumbers(slopes[0], {0, 0, std::log(of)}, 1e-6, "first");
    expectNumbers(slopes[1], {0, 0, 2 / of}, 1e-6, "second");
  }
  const Array a{INFINITY, -INFINITY, 1.0f, 5.0f, NAN, 300.0f}, b{INFINITY, -INFINITY, 1.0f, -INFINITY, 1.0f, -300.0f};
  expectNumbers(logaddexp2(a, b), {inf, -inf, 2, 5, nan, 300}, 0, "logaddexp2");
  const List slopes = slopesOfTwo(logaddexp2, Array{1.0f, 5.0f, 300.0f}, Array{1.0f, -INFINITY, -300.0f});
  expectNumbers(slopes[0], {0.5, 1, 1}, 1e-6, "logaddexp2 of the first");
  expectNumbers(slopes[1], {0.5, 0, 0}, 1e-6, "logaddexp2 of the second");
  expectNumbers(heaviside({NAN, -1.0f, -0.0f, 0.0f, 2.0f}, 0.25), {nan, 0, 0.25, 0.25, 1}, 0, "heaviside");
  expectNumbers(lerp(Array{0.1f, 2.0f, INFINITY, 1.0f, 1e8f}, Array{0.7f, 4.0f, INFINITY, 9.0f, 1.0f},
                     {1.0f, 0.25f, 0.5f, 0.0f, 1.0f}),
                {static_cast<double>(0.7f), 2.5, inf, 1, 1}, 0, "lerp");
}

TEST(Functions, PowersOfTwoAreRoundedOnce) {
  std::vector<float> numbers;
  std::vector<int32_t> powers;
  Doubles expected;
  for (float x : {1.0f, 0x1.fffffep127f, 0x1.8p-149f, 0x1.234566p-3f, -0x1.800002p0f, 0x1.abcdeep-126f})
    for (int power = -300; power <= 300; power += 3) {
      numbers.push_back(x);
      powers.push_back(power);
      expected.push_back(std::ldexp(x, power));
    }
  EXPECT_TRUE(areSame(ldexp(numbers, powers), astype(Array(expected), f32)));
  // Rounded to a subnormal number on the way it would be a tie at the end.
  EXPECT_TRUE(areSame(ldexp(0x1.5cp-21f, Array{-127}), Array{std::ldexp(0x1.5cp-21f, -127)}));
  Doubles wide{1.0, 0x1.fffffffffffffp1023, 0x1p-1074, 0x1.23456789abcdfp-1000};
  for (int power : {-2100, -1074, -1023, -1, 0, 1023, 1024, 2097})
    EXPECT_TRUE(areSame(ldexp(wide, power), Array(Doubles{std::ldexp(wide[0], power), std::ldexp(wide[1], power),
                                                          std::ldexp(wide[2], power), std::ldexp(wide[3], power)})))
        << power;
  EXPECT_TRUE(areSame(ldexp(3, Array{2, 3}), Array{12.0f, 24.0f}));
  EXPECT_TRUE(areSame(ldexp(1.0f, full({1}, UINT64_MAX, u64)), Array{INFINITY}));
  EXPECT_TRUE(areSame(slopesOf([](const Array &x) { return ldexp(x, 3); }, Array{1.0f}), Array{8.0f}));
}

TEST(Functions, ReplacesNan) {
  for (Dtype dtype : {bf16, f16, f32, f64}) {
    const Array x = astype(Array{NAN, INFINITY, -INFINITY, 1.0f, -0.0f}, dtype);
    const double largest = finfo(dtype).max;
    expectNumbers(nan_to_num(x), {0, largest, -largest, 1, 0}, 0, std::string(name(dtype)));
    expectNumbers(nan_to_num(x, 1, 2, 3), {1, 2, 3, 1, 0}, 0, std::string(name(dtype)));
  }
  EXPECT_EQ(nan_to_num(Array{1, 2}).dtype(), i32);
  expectNumbers(slopesOf([](const Array &x) { return nan_to_num(x); }, Array{NAN, INFINITY, 2.0f}), {0, 0, 1}, 0,
                "slopes");
}

TEST(Functions, Closeness) {
  const Array a{1.0f, 1.0f, INFINITY, INFINITY, NAN, -INFINITY, 1.0f},
      b{1.000005f, 1.1f, INFINITY, -INFINITY, NAN, 1, 0};
  EXPECT_TRUE(areSame(isclose(a, b), Array{true, false, true, false, false, false, false}));
  EXPECT_TRUE(areSame(isclose(a, b, 0, 0.2, true), Array{true, true, true, false, true, false, false}));
  // The bound is of the second.
  EXPECT_TRUE(areSame(isclose(Array{10.0f, 9.0f}, Array{9.0f, 10.0f}, 0.1, 0.05), Array{false, true}));
  // i32 is more than f32 holds.
  EXPECT_FALSE(bool(allclose(Array{16777217}, Array{16777216}, 0, 0)));
  EXPECT_TRUE(bool(allclose(Array{16777217}, Array{16777216})));
  EXPECT_TRUE(bool(allclose(zeros({0}), zeros({0}))));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST(Functions, LogOfSumsOfExponentials) {
  const float large = 3e38f;
  const Array x{{-INFINITY, -INFINITY}, {INFINITY, 1.0f}, {1000.0f, 1000.0f},   {NAN, 1.0f},
                {0.3f, -INFINITY},      {large, -large},  {INFINITY, -INFINITY}};
  expectNumbers(logsumexp(x, 1), {-inf, inf, 1000 + M_LN2, nan, 0.3, large, inf}, 1e-7, "logsumexp");
  const Array slopes = slopesOf([](const Array &y) { return logsumexp(y, 1, true); }, x);
  expectNumbers(slopes, {0, 0, 0, 0, 0.5, 0.5, nan, nan, 1, 0, 1, 0, 0, 0}, 1e-7, "slopes");
  expectNumbers(logsumexp(zeros({0, 2}), 0), {-inf, -inf}, 0, "nothing");
  expectNumbers(logsumexp(zeros({2, 0})), {-inf}, 0, "nothing at all");
  EXPECT_EQ(logsumexp(zeros({0, 2}), 1).shape(), Shape({0}));
  expectNumbers(logsumexp(Array{2, 2}), {2 + M_LN2}, 1e-7, "integers");
  // The second derivative at ties: p (1 - p).
  const auto second = [](const Array &y) {
    return slopesOf([](const Array &z) { return slopesOf([](const Array &w) { return logsumexp(w); }, z) * z; }, y);
  };
  expectNumbers(second(zeros({2})), {0.5, 0.5}, 1e-6, "at ties");
  const Array narrow = astype(Array{100.0f, 101.0f, 99.5f}, bf16);
  EXPECT_TRUE(areSame(logsumexp(narrow), astype(logsumexp(astype(narrow, f32)), bf16)));
}

TEST(Functions, Spreads) {
  const Array x{{1.0f, 2.0f, 4.0f}, {8.0f, 16.0f, NAN}};
  expectNumbers(var(x, 1), {14.0 / 9, nan}, 1e-6, "var");
  expectNumbers(var(x, 1, false, 1), {7.0 / 3, nan}, 1e-6, "a sample's");
  expectNumbers(nanvar(x, 1, true), {14.0 / 9, 16}, 1e-6, "nanvar");
  expectNumbers(nanstd(x, 1, false, 2), {std::sqrt(14.0 / 3), nan}, 1e-6, "too few");
  expectNumbers(nanmean(x, 0), {4.5, 9, 4}, 1e-6, "nanmean");
  expectNumbers(var(ones({3}), 0, false, 5), {nan}, 0, "fewer than the correction");
  expectNumbers(var(zeros({0, 2}), 0), {nan, nan}, 0, "of nothing");
  EXPECT_EQ(var(Array{1, 2}).dtype(), f32);
  // Far from 0 the squares alone would be all that is left.
  expectNumbers(var(Array{1e4f, 1e4f + 1, 1e4f + 2}), {2.0 / 3}, 1e-6, "far from 0");
  expectNumbers(slopesOf([](const Array &y) { return tenon::std(y); }, ones({3})), {0, 0, 0}, 0, "std of one number");
  expectNumbers(nanmean(full({2}, NAN)), {nan}, 0, "of NaN alone");
  expectNumbers(slopesOf([](const Array &y) { return nanvar(y, 1); }, x), {-8.0 / 9, -2.0 / 9, 10.0 / 9, -4, 4, 0},
                1e-5, "slopes");
}

TEST(Functions, WithoutNan) {
  const Array x{{NAN, 3.0f}, {NAN, NAN}, {-2.0f, INFINITY}};
  expectNumbers(nansum(x, 1), {3, 0, inf}, 0, "nansum");
  expectNumbers(nanprod(x, 1), {3, 1, -inf}, 0, "nanprod");
  expectNumbers(nanmax(x, 1), {3, nan, inf}, 0, "nanmax");
  expectNumbers(nanmin(x, 1, true), {3, nan, -2}, 0, "nanmin");
  EXPECT_TRUE(areSame(nanmax(Array{1, 5, 2}), Array(5)));
  EXPECT_TRUE(areSame(nansum(Array{true, true}), Array(2)));
  EXPECT_EQ(nanmean(Array{1, 2}).dtype(), f32);
}

TEST(Functions, PlacesAndCounts) {
  EXPECT_TRUE(areSame(argmin(Array{3, INT32_MIN, 5}), Array(int64_t(1))));
  EXPECT_TRUE(areSame(argmin(full({3}, 0, u8)), Array(int64_t(0))));
  EXPECT_TRUE(areSame(argmin(Array{true, false, false}), Array(int64_t(1))));
  EXPECT_TRUE(areSame(argmin(Array{1.0f, NAN, -INFINITY}), Array(int64_t(1))));
  EXPECT_TRUE(areSame(argmin(Array{{2.0f, 1.0f}, {0.0f, 5.0f}}, 0, true), Array{{int64_t(1), int64_t(0)}}));
  EXPECT_TRUE(areSame(count_nonzero(Array{{0.0f, NAN}, {-0.0f, 2.0f}}, 0), Array{int64_t(0), int64_t(2)}));
  EXPECT_TRUE(areSame(count_nonzero(full({2}, complex64_t{0, 1}, c64)), Array(int64_t(2))));
  EXPECT_TRUE(areSame(ptp(Array{{1, 5}, {7, 7}}, 1), Array{4, 0}));
}

TEST(Functions, Averages) {
  const Array x = reshape(arange(6, {}, 1, f32), {2, 3}), weights{{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}};
  // Weights are given in the order of the axes.
  expectNumbers(average(x, {1, 0}, weights), doubles(average(x, {0, 1}, transpose(weights))), 0, "order");
  expectNumbers(average(x, {1, 0}, weights), {(0 + 3 + 10 + 6 + 16 + 30) / 21.0}, 1e-6, "all");
  expectNumbers(average(x, 1, {1.0f, 0.0f, 1.0f}, true), {1, 4}, 1e-6, "rows");
  expectNumbers(average(x, 0), {1.5, 2.5, 3.5}, 1e-6, "alike");
  EXPECT_EQ(average(Array{1, 2}, {}, Array{1, 3}).dtype(), f32);
}

TEST(Functions, Norms) {
  const Array x{{3.0f, -4.0f}, {0.0f, 0.0f}};
  expectNumbers(vector_norm(x, 1), {5, 0}, 1e-6, "2");
  expectNumbers(vector_norm(x, 1, false, 1), {7, 0}, 1e-6, "1");
  expectNumbers(vector_norm(x, 1, false, 0), {2, 0}, 0, "0");
  expectNumbers(vector_norm(x, 1, false, 3), {std::cbrt(91.0), 0}, 1e-6, "3");
  expectNumbers(vector_norm(x, 1, true, inf), {4, 0}, 0, "inf");
  expectNumbers(vector_norm(x, 1, true, -inf), {3, 0}, 0, "-inf");
  expectNumbers(vector_norm(x, 1, false, -1), {12.0 / 7, 0}, 1e-6, "-1");
  expectNumbers(vector_norm(full({2}, INFINITY), {}, false, -1), {inf}, 0, "-1 of infinities");
  expectNumbers(vector_norm(zeros({0})), {0}, 0, "of nothing");
  for (double ord : {2.0, 3.0, 1.0})
    expectNumbers(slopesOf([&](const Array &y) { return vector_norm(y, {}, false, ord); }, zeros({2})), {0, 0}, 0,
                  "slopes at 0");
  expectNumbers(matrix_norm(x), {5}, 1e-6, "fro");
  expectNumbers(matrix_norm(x, true, MatrixNorm::one), {4}, 0, "1");
  expectNumbers(matrix_norm(x, false, MatrixNorm::minus_one), {3}, 0, "-1");
  expectNumbers(matrix_norm(x, false, MatrixNorm::infinity), {7}, 0, "inf");
  expectNumbers(matrix_norm(x, false, MatrixNorm::minus_infinity), {0}, 0, "-inf");
  EXPECT_EQ(matrix_norm(ones({4, 2, 3}), true).shape(), Shape({4, 1, 1}));
  expectNumbers(norm(x), {5}, 1e-6, "of all");
  expectNumbers(norm(ones({2, 2, 4})), {4}, 1e-6, "of three axes");
  expectNumbers(norm(Array(-2.0f)), {2}, 1e-6, "of a number");
  expectNumbers(norm(x, -1), {5, 0}, 1e-6, "along an axis");
  expectNumbers(norm(x[0], {}, false, 1), {7}, 1e-6, "of a vector");
  expectNumbers(norm(x, {}, false, 1), {4}, 0, "of a matrix");
  expectNumbers(norm(x, {1, 0}, false, 1), {7}, 0, "of a transposed matrix");
  expectNumbers(norm(x, {0, 1}, true, -inf), {0}, 0, "-inf of a matrix");
  const Array many = reshape(arange(24, {}, 1, f32), {2, 3, 4});
  EXPECT_TRUE(
      areSame(norm(many, {2, 0}, false, inf), matrix_norm(transpose(many, {1, 2, 0}), false, MatrixNorm::infinity)));
  EXPECT_TRUE(areSame(norm(many, {0, -1}, true), norm(many, {-1, 0}, true)));
  EXPECT_EQ(norm(many, {2, 0}, true, 1).shape(), Shape({1, 3, 1}));
}

TEST(Functions, Differences) {
  EXPECT_TRUE(areSame(diff(Array{1, 4, 9, 16}, 2), Array{2, 2}));
  EXPECT_TRUE(areSame(diff(Array{1, 4}, 0), Array{1, 4}));
  EXPECT_EQ(diff(Array{1, 4}, 5).shape(), Shape({0}));
  EXPECT_TRUE(areSame(diff(Array{true, false, false}), Array{true, false}));
  EXPECT_TRUE(areSame(diff(Array{1, 4}, 1, -1, 0, Array{10, 20}), Array{1, 3, 6, 10}));
  EXPECT_TRUE(areSame(diff(Array{1, 4}, 1, -1, 0.5), Array{0.5f, 3.0f}));
  EXPECT_TRUE(areSame(diff(Array{{1, 2}, {5, 9}}, 1, 0, Array{{0, 0}}), Array{{1, 2}, {4, 7}}));
}

TEST(Functions, OrderStatistics) {
  const Array x{{3.0f, 1.0f, 2.0f, 10.0f}, {5.0f, NAN, 1.0f, 1.0f}};
  expectNumbers(median(x, 1), {2.5, nan}, 0, "rows");
  expectNumbers(median(x, 0, true), {4, nan, 1.5, 5.5}, 0, "columns");
  expectNumbers(quantile(x, {0.0f, 1.0f, 0.5f}, 1), {1, nan, 10, nan, 2.5, nan}, 0, "several");
  EXPECT_EQ(quantile(ones({2, 3, 4}), zeros({5, 6}), {0, -1}).shape(), Shape({5, 6, 3}));
  EXPECT_EQ(quantile(ones({2, 3, 4}), zeros({5}), {0, -1}, true).shape(), Shape({5, 1, 3, 1}));
  EXPECT_TRUE(areSame(percentile(x, 25, 1), quantile(x, 0.25, 1)));
  // On an element an infinity beside it does not count.
  expectNumbers(median(Array{1.0f, INFINITY, 2.0f}), {2}, 0, "beside inf");
  expectNumbers(median(Array{-INFINITY, INFINITY}), {nan}, 0, "between infinities");
  expectNumbers(median(Array{INFINITY, INFINITY}), {inf}, 0, "infinities");
  expectNumbers(median(zeros({0, 2}), 0), {nan, nan}, 0, "of nothing");
  expectNumbers(quantile(Array{1.0f, 2.0f}, Array{-0.5f, NAN, 1.5f}), {nan, nan, nan}, 0, "q outside");
  EXPECT_EQ(median(Array{1, 2}).dtype(), f32);
  expectNumbers(slopesOf([](const Array &y) { return median(y); }, Array{4.0f, 1.0f, 3.0f, 9.0f}), {0.5, 0, 0.5, 0}, 0,
                "slopes");
  expectNumbers(slopesOf([](const Array &q) { return quantile(Array{1.0, 3.0, 7.0}, q); }, Array{0.25, 0.75}), {4, 8},
                1e-12, "slopes by q");
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

/// 0, 1 and NaN, each so many times.
Array repeatedly(int64_t copies) {
  return reshape(broadcast_to(reshape(Array{0.0f, 1.0f, NAN}, {3, 1}), {3, copies}), {-1});
}

TEST(Functions, SearchIsThatOfTheStandardLibrary) {
  for (int64_t size : {0, 1, 2, 15, 16, 17, 31, 32, 33, 100}) {
    Doubles sorted = doubles(floor(numbers({size}, 0, 20, 5)));
    std::ranges::sort(sorted);
    std::vector<int64_t> left, right;
    Doubles asked;
    for (double at = -1; at <= 21; at += 0.5) {
      asked.push_back(at);
      left.push_back(std::ranges::lower_bound(sorted, at) - sorted.begin());
      right.push_back(std::ranges::upper_bound(sorted, at) - sorted.begin());
    }
    EXPECT_EQ(searchsorted(sorted, asked).to_vector<int64_t>(), left) << size;
    EXPECT_EQ(searchsorted(sorted, asked, Side::right).to_vector<int64_t>(), right) << size;
    std::vector<bool> among;
    for (double at : asked)
      among.push_back(std::ranges::binary_search(sorted, at));
    EXPECT_EQ(isin(asked, sorted).to_vector<bool>(), among) << size;
    EXPECT_TRUE(areSame(isin(asked, sorted, true), !isin(asked, sorted)));
  }
  // NaN stands behind all.
  for (int64_t copies : {1, 20}) {
    const Array x = repeatedly(copies);
    EXPECT_EQ(searchsorted(x, {NAN}).to_vector<int64_t>(), std::vector<int64_t>{2 * copies});
    EXPECT_EQ(searchsorted(x, {NAN}, Side::right).to_vector<int64_t>(), std::vector<int64_t>{3 * copies});
    EXPECT_EQ(isin({NAN, 1.0f}, x).to_vector<bool>(), (std::vector<bool>{false, true}));
  }
  const Array x{3.0f, 1.0f, 2.0f};
  EXPECT_TRUE(areSame(searchsorted(x, 2.5, Side::left, argsort(x)), Array(int64_t(2))));
  EXPECT_TRUE(areSame(searchsorted({1, 2, 3}, 2.5), Array(int64_t(2))));
}

TEST(Functions, Bins) {
  const Array x{0.0f, 5.0f, 7.0f, 10.0f, 11.0f, NAN};
  auto expectBins = [&](const Array &got, std::vector<int64_t> expected) {
    EXPECT_EQ(got.to_vector<int64_t>(), expected);
  };
  expectBins(digitize(x, {0.0f, 5.0f, 10.0f}), {1, 2, 2, 3, 3, 3});
  expectBins(digitize(x, {0.0f, 5.0f, 10.0f}, true), {0, 1, 2, 2, 3, 3});
  expectBins(digitize(x, {10.0f, 5.0f, 0.0f}), {2, 1, 1, 0, 0, 0});
  expectBins(digitize(x, {10.0f, 5.0f, 0.0f}, true), {3, 2, 1, 1, 0, 0});
  expectBins(digitize(x, {5.0f}), {0, 1, 1, 1, 1, 1});
  expectBins(bincount(Array{1, 2, 2, 7}), {0, 1, 2, 0, 0, 0, 0, 1});
  expectBins(bincount(Array{1, -2, 2, 7}, none, 0, 3), {0, 1, 1});
  expectBins(bincount(Array{1}, none, 4), {0, 1, 0, 0});
  expectBins(bincount(zeros({0}, i32)), {});
  expectNumbers(bincount(Array{1, 1, 0}, {0.5f, 0.25f, 4.0f}), {4, 0.75}, 0, "weights");
  expectNumbers(slopesOf([](const Array &w) { return bincount(Array{1, 1, 0}, w, 0, 2) * Array{2.0f, 3.0f}; },
                         Array{1.0f, 1.0f, 1.0f}),
                {3, 3, 2}, 0, "slopes by weights");
  // The last bin has its upper edge; what is outside, and NaN, is not counted.
  const auto [counts, edges] = histogram({0.0f, 1.0f, 2.0f, 2.5f, -1.0f, NAN}, 2, {0, 2});
  expectBins(counts, {1, 2});
  expectNumbers(edges, {0, 1, 2}, 0, "edges");
  expectNumbers(histogram(Array{3, 3}, 2).edges, {2.5, 3, 3.5}, 0, "of one number");
  expectNumbers(histogram(zeros({0}), 2).edges, {0, 0.5, 1}, 0, "of nothing");
  EXPECT_EQ(histogram(Array{3, 3}, 2).counts.dtype(), i64);
}

//===----------------------------------------------------------------------===//
// In all ways
//===----------------------------------------------------------------------===//

/// What each function makes of x, a matrix of floats, and of y, of x's shape.
List everything(const Array &x, const Array &y) {
  List all;
  for (const auto &[name, function] : functionsOfOne())
    all.push_back(function(x));
  for (auto function : {xlogy, xlog1py, logaddexp2, heaviside})
    all.push_back(function(x, y));
  all.push_back(nan_to_num(x));
  all.push_back(lerp(x, y, 0.3));
  all.push_back(ldexp(x, astype(y * 4, i32)));
  all.push_back(isclose(x, y, 0.5));
  all.push_back(allclose(x, y));
  for (auto function : {detail::logsumexp, detail::nansum, detail::nanprod, detail::nanmax, detail::nanmin,
                        detail::nanmean, detail::ptp, detail::count_nonzero, detail::median}) {
    all.push_back(function(x, 1, false));
    all.push_back(function(x, 0, true));
  }
  for (Spread function : std::initializer_list<Spread>{detail::var, detail::std, detail::nanvar, detail::nanstd})
    all.push_back(function(x, 1, false, 1));
  for (double ord : {0.0, 1.0, 2.0, 3.0, inf})
    all.push_back(vector_norm(x, 0, false, ord));
  for (MatrixNorm ord : {MatrixNorm::frobenius, MatrixNorm::one, MatrixNorm::minus_infinity})
    all.push_back(matrix_norm(x, false, ord));
  all.push_back(argmin(x, 0));
  all.push_back(average(x, 1, y));
  all.push_back(diff(x, 2));
  all.push_back(quantile(x, {0.1f, 0.75f}, 1));
  const Array row = sort(reshape(x, {-1}));
  all.push_back(searchsorted(row, y));
  all.push_back(digitize(y, row, true));
  all.push_back(isin(x, y));
  const auto [counts, edges] = histogram(nan_to_num(x, 0, 9, -9), 5);
  all.push_back(counts);
  all.push_back(edges);
  all.push_back(bincount(astype(reshape(x, {-1}), i32), reshape(y, {-1}), 0, 4));
  return all;
}

TEST(Functions, CompiledHasTheBitsOfEager) {
  for (Dtype dtype : {bf16, f32, f64}) {
    const auto compiled = jit(everything);
    const Array x = astype(numbers({5, 7}, -3, 3, 1), dtype), y = astype(numbers({5, 7}, 0.1, 3, 2), dtype);
    for (const Array &of : {x, x * astype(Array{1.0f, NAN, 1.0f, INFINITY, 1.0f, 0.0f, -1.0f}, dtype)}) {
      const List got = compiled(of, y), expected = everything(of, y);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(areSame(got[i], expected[i]))
            << dtype << ", result " << i << ": got " << got[i] << ", expected " << expected[i];
    }
  }
}

TEST(Functions, OneProgramForAllSizes) {
  const auto compiled = jit(everything, {.specs = {TensorSpec{f32, {5, "n"}}, TensorSpec{f32, {5, "n"}}}});
  for (int64_t size : {7, 12}) {
    const Array x = astype(numbers({5, size}, -3, 3, 1), f32), y = astype(numbers({5, size}, 0.1, 3, 2), f32);
    const List got = compiled(x, y), expected = everything(x, y);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(areSame(got[i], expected[i]))
          << "size " << size << ", result " << i << ": got " << got[i] << ", expected " << expected[i];
  }
  EXPECT_EQ(compiled.stats().traces, 1u);
}

TEST(Functions, EachExampleIsAsIfAlone) {
  const Array x = numbers({3, 5, 7}, -3, 3, 1), y = numbers({3, 5, 7}, 0.1, 3, 2);
  const List got = vmap(everything)(x, y);
  for (int64_t example = 0; example < 3; ++example) {
    const List expected = everything(x[example], y[example]);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(areSame(got[i][example], expected[i])) << "example " << example << ", result " << i;
  }
}

TEST(Functions, DerivativesAreSlopes) {
  const Array x = numbers({3, 5}, 0.1, 0.9, 3), y = numbers({3, 5}, 0.2, 2, 4);
  const size_t count = everything(x, y).size();
  for (size_t i = 0; i < count; ++i) {
    auto one = [i](const List &v) { return everything(v[0], v[1])[i]; };
    const Array result = one({x, y});
    if (kind(result.dtype()) != Kind::floating)
      continue;
    const Array weights = numbers(result.shape(), 0.5, 1.5, 9);
    const List got = grad([&](const List &v) { return sum(one(v) * weights); })(List{x, y});
    const List expected = differences(one, {x, y}, weights);
    for (size_t k = 0; k < 2; ++k)
      expectNear(got[k], expected[k], 1e-6, "result " + std::to_string(i) + " by operand " + std::to_string(k));
  }
}

TEST(Functions, NarrowFloatsAreRoundedOnce) {
  for (Dtype dtype : {bf16, f16}) {
    const Array x = astype(numbers({200}, -6, 6, 1), dtype), wide = astype(x, f32);
    for (const auto &[name, function] : functionsOfOne())
      EXPECT_TRUE(areSame(function(x), astype(function(wide), dtype))) << name << " of " << dtype;
    for (Spread function : std::initializer_list<Spread>{detail::var, detail::std, detail::nanvar})
      EXPECT_TRUE(areSame(function(x, {}, false, 1), astype(function(wide, {}, false, 1), dtype))) << dtype;
    for (auto function : {detail::logsumexp, detail::nanmean, detail::median})
      EXPECT_TRUE(areSame(function(x, {}, false), astype(function(wide, {}, false), dtype))) << dtype;
    EXPECT_TRUE(areSame(vector_norm(x), astype(vector_norm(wide), dtype)));
    EXPECT_TRUE(areSame(average(x, 0, x), astype(average(wide, 0, wide), dtype)));
  }
}

TEST(Functions, IntegersBecomeFloats) {
  for (Dtype dtype : {bool_, u8, i32, i64, u64}) {
    const Array x = ones({2}, dtype);
    for (const auto &[name, function] : functionsOfOne())
      EXPECT_TRUE(areSame(function(x), function(ones({2})))) << name << " of " << dtype;
    EXPECT_EQ(xlogy(x, x).dtype(), f32);
    EXPECT_EQ(xlogy(x, full({2}, 1, f64)).dtype(), f64);
    EXPECT_EQ(lerp(x, 2, 0.5).dtype(), f32);
    EXPECT_EQ(vector_norm(x).dtype(), f32);
  }
  EXPECT_EQ(logaddexp2(full({2}, 1, bf16), full({2}, 1, f16)).dtype(), f32);
  EXPECT_EQ(sigmoid(0).dtype(), f32);
}

} // namespace
