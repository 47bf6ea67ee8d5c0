//===- incomplete_test.cpp - incomplete gamma and beta functions, zeta, polygamma ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../runtime/math/BetaGradient.h"
#include "../../runtime/math/Incomplete.h"
#include "../../runtime/math/Ulp.h"
#include "../../runtime/math/Zeta.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace math = tenon::math;
using math::Vec;

namespace {

constexpr double inf = INFINITY, nan = NAN;

/// Registers of AVX2, for which this file is compiled. g++ takes a minute longer to make wider vectors of them.
using Doubles = Vec<double, 4>;
using Floats = Vec<float, 8>;

/// A function of up to three operands; one that takes fewer ignores the rest.
struct Function {
  template <class V>
  using Of = V (*)(V, V, V);
  Of<double> one;
  Of<Doubles> lanes;
  Of<float> narrow;
  Of<Floats> narrowLanes;
};
template <class F>
Function functionOf(F) {
  static constexpr F run{};
  return {[](double a, double b, double c) { return run(a, b, c); },
          [](Doubles a, Doubles b, Doubles c) { return run(a, b, c); },
          [](float a, float b, float c) { return run(a, b, c); },
          [](Floats a, Floats b, Floats c) { return run(a, b, c); }};
}
/// The function of a golden's name: `betainc_grad_a_of_huge` is betainc_grad_a with both parameters 2^33 or above,
/// where the first terms of an expansion are used.
const Function &functionNamed(const std::string &name) {
  static const std::map<std::string, Function> all = {
      {"igamma", functionOf([](auto a, auto x, auto) { return math::igamma(a, x); })},
      {"igammac", functionOf([](auto a, auto x, auto) { return math::igammac(a, x); })},
      {"igamma_grad_a", functionOf([](auto a, auto x, auto) { return math::igamma_grad_a(a, x); })},
      {"betainc", functionOf([](auto a, auto b, auto x) { return math::betainc(a, b, x); })},
      {"betainc_grad_a", functionOf([](auto a, auto b, auto x) { return math::betainc_grad_a(a, b, x); })},
      {"betainc_grad_b", functionOf([](auto a, auto b, auto x) { return math::betainc_grad_b(a, b, x); })},
      {"zeta", functionOf([](auto s, auto q, auto) { return math::zeta(s, q); })},
      {"polygamma", functionOf([](auto n, auto x, auto) { return math::polygamma(n, x); })},
  };
  return all.at(name.substr(0, name.find("_of_huge")));
}
/// Runs the compiled function: a direct call would compile its code once more.
double valueOf(const std::string &name, double a, double b, double c = 0) { return functionNamed(name).one(a, b, c); }

struct Golden {
  std::array<double, 3> operands{};
  double result = 0;
};
/// Of special_goldens.py, by the function.
std::map<std::string, std::vector<Golden>> goldens() {
  std::map<std::string, std::vector<Golden>> all;
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "special_goldens.txt");
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    std::string name, word;
    words >> name >> word;
    Golden golden;
    for (size_t i = 0; words >> word && word != "|"; ++i)
      golden.operands.at(i) = std::strtod(word.c_str(), nullptr);
    words >> word;
    golden.result = std::strtod(word.c_str(), nullptr);
    all[name].push_back(golden);
  }
  return all;
}

/// The results must be the same in whatever lanes beside whatever others they are made.
TEST(Incomplete, Goldens) {
  const std::map<std::string, double> worst = {{"igamma", 8},
                                               {"igammac", 8},
                                               {"igamma_grad_a", 16},
                                               {"betainc", 64},
                                               {"zeta", 12},
                                               {"polygamma", 32},
                                               {"betainc_grad_a", 4096},
                                               {"betainc_grad_b", 8192},
                                               {"betainc_grad_a_of_huge", 0x1p17},
                                               {"betainc_grad_b_of_huge", 0x1p17}};
  const std::map<std::string, uint64_t> hashes = {{"igamma", 0x987f9e04428cfbb3},
                                                  {"igammac", 0xf86b57d71f4df8cf},
                                                  {"igamma_grad_a", 0xc5de407d7d631151},
                                                  {"betainc", 0x3d83102c07e9f36c},
                                                  {"zeta", 0xa29572dd77ad422f},
                                                  {"polygamma", 0x8ebd2d79e3283ccc},
                                                  {"betainc_grad_a", 0xea1fd5246cdfa3c2},
                                                  {"betainc_grad_b", 0xfa7cec08b2bf7152},
                                                  {"betainc_grad_a_of_huge", 0xdbf7c3bff02d207e},
                                                  {"betainc_grad_b_of_huge", 0x97c06dcc9d7c9d33}};
  const auto all = goldens();
  ASSERT_EQ(all.size(), 10);
  for (const auto &[name, lines] : all) {
    const Function &f = functionNamed(name);
    double most = 0;
    uint64_t hash = 0;
    Golden at;
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto &[a, b, c] = lines[i].operands;
      const double result = f.one(a, b, c);
      Doubles x[3];
      for (size_t k = 0; k < 3; ++k)
        for (size_t lane = 0; lane < math::lanes<Doubles>; ++lane)
          x[k][lane] = lines[(i + lane) % lines.size()].operands[k];
      const Doubles wide = f.lanes(x[0], x[1], x[2]);
      ASSERT_EQ(math::hashOf(0, double(wide[0])), math::hashOf(0, result)) << name << " " << a << " " << b << " " << c;
      hash += math::hashOf(i, result);
      const double error = math::ulpError<double, long double>(result, lines[i].result);
      if (!(error <= most))
        most = error, at = lines[i];
    }
    RecordProperty(name, std::to_string(most));
    EXPECT_LE(most, worst.at(name)) << name << " " << std::hexfloat << at.operands[0] << " " << at.operands[1] << " "
                                    << at.operands[2];
    EXPECT_EQ(hash, hashes.at(name)) << name << " 0x" << std::hex << hash;
  }
}

/// Floats are computed in double: what is left is one rounding.
TEST(Incomplete, Floats) {
  for (const auto &[name, lines] : goldens()) {
    const Function &f = functionNamed(name);
    for (size_t i = 0; i < lines.size(); ++i) {
      float x[3];
      Floats lanes[3];
      for (size_t k = 0; k < 3; ++k) {
        x[k] = static_cast<float>(lines[i].operands[k]);
        for (size_t lane = 0; lane < math::lanes<Floats>; ++lane)
          lanes[k][lane] = static_cast<float>(lines[(i + lane) % lines.size()].operands[k]);
      }
      const float expected = static_cast<float>(f.one(x[0], x[1], x[2])), result = f.narrow(x[0], x[1], x[2]);
      ASSERT_EQ(math::hashOf(0, result), math::hashOf(0, expected)) << name << " " << x[0] << " " << x[1];
      ASSERT_EQ(math::hashOf(0, float(f.narrowLanes(lanes[0], lanes[1], lanes[2])[0])), math::hashOf(0, result))
          << name;
    }
  }
}

struct End {
  double a, b, c, result;
};
void expectEnds(const std::string &name, const std::vector<End> &ends) {
  for (const End &end : ends) {
    const double result = valueOf(name, end.a, end.b, end.c);
    EXPECT_EQ(math::hashOf(0, result), math::hashOf(0, end.result))
        << name << " " << end.a << " " << end.b << " " << end.c << ": " << result;
  }
}
TEST(Incomplete, EndsOfGamma) {
  const std::vector<std::array<double, 3>> ends = {
      {0, 0, nan},     {0, 1, 1},    {0, inf, 1},    {1, 0, 0},     {inf, 1, 0},   {1, inf, 1},
      {inf, inf, nan}, {-1, 1, nan}, {1, -1, nan},   {inf, 0, 0},   {nan, 1, nan}, {1, nan, nan},
      {-0.0, 1, 1},    {1, -0.0, 0}, {-inf, 1, nan}, {1e300, 1, 0}, {1, 1e300, 1}, {1e-300, 1, 1}};
  for (const auto &[a, x, lower] : ends) {
    expectEnds("igamma", {{a, x, 0, lower}});
    if (a != 1e-300)
      expectEnds("igammac", {{a, x, 0, lower == lower ? 1 - lower : nan}});
    if (!(lower == lower) || x == 0 || x == inf)
      expectEnds("igamma_grad_a", {{a, x, 0, lower == lower ? 0 : nan}});
  }
  // E1(1), the limit of -dP/da at 0.
  EXPECT_NEAR(valueOf("igamma_grad_a", 1e-200, 1.0), -0.21938393439552027, 1e-15);
}
TEST(Incomplete, EndsOfBeta) {
  expectEnds("betainc",
             {{0, 0, 0.5, nan},  {0, 1, 0.5, 1},       {1, 0, 0.5, 0},     {1, 1, 0, 0},       {1, 1, 1, 1},
              {0, 1, 0, 0},      {0, 1, 1, 1},         {1, 0, 1, 1},       {1, 0, 0, 0},       {inf, 1, 0.5, 0},
              {1, inf, 0.5, 1},  {inf, inf, 0.5, nan}, {1, 1, -0.1, nan},  {1, 1, 1.1, nan},   {-1, 1, 0.5, nan},
              {inf, 1, 1, 1},    {1, inf, 0, 0},       {nan, 1, 0.5, nan}, {1, nan, 0.5, nan}, {1, 1, nan, nan},
              {1, 1, 0.25, 0.25}});
}
TEST(Incomplete, EndsOfBetaSlopes) {
  for (const char *name : {"betainc_grad_a", "betainc_grad_b"})
    expectEnds(name, {{1, 1, 0, 0},
                      {1, 1, 1, 0},
                      {0, 1, 0.5, 0},
                      {1, 0, 0.5, 0},
                      {inf, 1, 0.5, 0},
                      {1, inf, 0.5, 0},
                      {0, 0, 0.5, nan},
                      {0, inf, 0.5, 0},
                      {inf, 0, 0.5, 0},
                      {inf, inf, 0.5, nan},
                      {-1, 1, 0.5, nan},
                      {1, -1, 0.5, nan},
                      {1, 1, -0.1, nan},
                      {1, 1, 1.1, nan},
                      {nan, 1, 0.5, nan},
                      {1, nan, 0.5, nan},
                      {1, 1, nan, nan}});
  // The limits at 0 of x^a and 1 - (1 - x)^b, whose parameter is small, and where x or 1 - x is.
  EXPECT_NEAR(valueOf("betainc_grad_a", 1e-320, 1.0, 0.25), std::log(0.25), 1e-15);
  EXPECT_NEAR(valueOf("betainc_grad_b", 1.0, 1e-320, 0.25), -std::log(0.75), 1e-16);
  EXPECT_NEAR(valueOf("betainc_grad_b", 1.0, 3.0, 1e-300) / 1e-300, 1, 1e-13);
  EXPECT_NEAR(valueOf("betainc_grad_a", 2.0, 1.0, 1e-150) / (1e-300 * std::log(1e-150)), 1, 1e-13);
  // Symmetric about the middle, also of a normal distribution's.
  for (double a : {3.0, 1e12})
    EXPECT_EQ(valueOf("betainc_grad_a", a, a, 0.5), -valueOf("betainc_grad_b", a, a, 0.5)) << a;
}
TEST(Incomplete, EndsOfZeta) {
  expectEnds("zeta", {{1, 1, 0, inf},      {1, 0, 0, inf},     {1, -1, 0, inf},   {0.5, 1, 0, nan},
                      {2, 0, 0, inf},      {2, -1, 0, inf},    {3, -1, 0, inf},   {2.5, -0.5, 0, nan},
                      {inf, -0.5, 0, inf}, // as of the largest number
                      {inf, -2, 0, inf},   {inf, nan, 0, nan}, {2, inf, 0, 0},    {inf, 2, 0, 0},
                      {inf, 1, 0, 1},      {inf, 0.5, 0, inf}, {2, -inf, 0, inf}, {nan, 1, 0, nan},
                      {2, nan, 0, nan},    {-1, 2, 0, nan},    {0, 1, 0, nan},    {1000, 0.1, 0, inf},
                      {1, nan, 0, nan}});
  expectEnds("polygamma", {{0, 0, 0, -inf},
                           {0, -1, 0, nan},
                           {1, 0, 0, inf},
                           {1, -1, 0, inf},
                           {2, 0, 0, -inf},
                           {2, -1, 0, -inf},
                           {3, -1, 0, inf},
                           {2, inf, 0, -0.0},
                           {1.5, 2, 0, nan},
                           {-1, 2, 0, nan},
                           {2, -inf, 0, -inf},
                           {inf, 2, 0, nan},
                           {0.5, 2, 0, nan},
                           {2, nan, 0, nan}});
  EXPECT_EQ(valueOf("polygamma", 0.0, 2.5), math::digamma(2.5));
}

/// Where terms cancel, overflow or underflow though the result does not: to the digits that are written, as mpmath
/// gives them.
TEST(Incomplete, FarOut) {
  struct Far {
    const char *name;
    double a, b, c, result;
  };
  for (const auto &[name, a, b, c, result] : std::vector<Far>{
           {"zeta", 3, -1e-17, 0, -1e51},
           {"zeta", 51, -2.5, 0, 1.7887e-28},
           {"zeta", 21, -10.5, 0, 6.473e-23},
           {"zeta", 1.5, 1e300, 0, 2e-150},
           {"zeta", 1.001, 1e308, 0, 492.04},
           {"zeta", 1e300, 1e100, 0, 0},
           {"polygamma", 1, -1e-12, 0, 1e24},
           {"polygamma", 20, -10.5, 0, -1.5749e-4},
           {"polygamma", 100, -0.5, 0, -1.5303e140},
           {"polygamma", 170, -10.5, 0, -3.03006e125},
           {"polygamma", 170, -10.25, 0, INFINITY},
           {"polygamma", 170, -10.75, 0, -INFINITY},
           {"betainc", 4, 1e20, 5e-20, 0.734974},
           {"betainc", 7, 1e17, 7e-17, 0.55029},
           {"betainc", 1e12, 1e12, 0.5, 0.5},
           {"betainc", 1e15, 1e15, 0.5, 0.5},
           {"betainc", 1e-310, 0.5, 0.9, 1},
           // Sums of a and b, or small multiples of them, that are infinite.
           {"betainc", 1e308, 1e308, 0.5, 0.5},
           {"betainc", 1e308, 1e308, 0.49999999999999994, 0},
           {"betainc", 1e308, 1e308, 0.5000000000000001, 1},
           {"betainc", 1.7e308, 1e300, 0.999, 0},
           {"betainc", 1.7e308, 3, 0.9999999999999999, 0},
           {"betainc", 1, 1.75e308, 1e-308, 0.826226},
           {"betainc", 3, 8e307, 5e-308, 0.761897},
           {"betainc", 3, 1.6e308, 2.5e-308, 0.761897},
           {"betainc", 1e12, 1.75e308, 5.7142914285714285e-297, 0.841345},
           {"betainc", 3, 1.7e308, 0.5, 1},
           {"betainc", 1e-310, 1e-310, 0.5, 0.5},
           {"igamma", 20, 5e-324, 0, 0},
           {"igammac", 20, 5e-324, 0, 1},
           {"igammac", 1e308, 1e-160, 0, 1},
       }) {
    if (std::isinf(result))
      EXPECT_EQ(valueOf(name, a, b, c), result) << name << " " << a << " " << b;
    else
      EXPECT_NEAR(valueOf(name, a, b, c), result, 1e-4 * std::abs(result)) << name << " " << a << " " << b;
  }
}

} // namespace
