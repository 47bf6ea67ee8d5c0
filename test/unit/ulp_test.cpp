//===- ulp_test.cpp - elementary functions keep the errors of the committed table --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../runtime/math/Measured.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace math = tenon::math;
namespace measured = math::measured;
using math::Vec;

namespace {

/// A row of ULP.md: the worst error, where it is, and of how many inputs.
struct Row {
  double worst = 0, x = 0, y = 0;
  uint64_t inputs = 0;
};
/// By function and dtype.
std::map<std::string, Row> table() {
  std::map<std::string, Row> rows;
  std::ifstream file(std::string(std::getenv("TENON_SOURCE_DIR")) + "/runtime/math/ULP.md");
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    for (size_t at = 0; at < line.size() && line[at] == '|';) {
      const size_t end = line.find('|', at + 1);
      if (end == std::string::npos)
        break;
      cells.push_back(line.substr(at + 2, end - at - 3));
      at = end;
    }
    if (cells.size() != 6 || (!cells[0].ends_with(" f32") && !cells[0].ends_with(" f64")))
      continue;
    char *rest = nullptr;
    Row row;
    row.worst = std::strtod(cells[1].c_str(), nullptr);
    row.x = std::strtod(cells[2].c_str(), &rest);
    row.y = *rest == ',' ? std::strtod(rest + 1, nullptr) : row.x;
    row.inputs = std::strtoull(cells[3].c_str(), nullptr, 10);
    rows[cells[0]] = row;
  }
  return rows;
}

constexpr double rounding = 0.0005; // of the table's errors

/// Of each function: what its row says is true where it says so, no larger than may be, and not exceeded by a part of
/// the inputs that it was measured with.
template <class T>
void expectTable() {
  const std::map<std::string, Row> rows = table();
  size_t functions = 0;
  measured::eachFunction<T>(
      [&](const std::string &name, double most, measured::Partner partner, auto f, auto, auto exact, auto size) {
        ++functions;
        const auto error = [&](T x, T y, T result) {
          math::exact::Real out;
          exact(out, math::exact::Real(x), math::exact::Real(y));
          return math::exact::ulpError(result, out, static_cast<double>(size(x, y)));
        };
        SCOPED_TRACE(name);
        const auto found = rows.find(name + (sizeof(T) == 4 ? " f32" : " f64"));
        ASSERT_NE(found, rows.end()) << "no row of ULP.md";
        const Row &row = found->second;
        EXPECT_LE(row.worst, most + rounding);
        EXPECT_GT(row.inputs, 0);
        const T x = static_cast<T>(row.x), y = static_cast<T>(row.y);
        EXPECT_NEAR(error(x, y, f(x, y)), row.worst, rounding) << row.x << " " << row.y;
        const uint64_t step = sizeof(T) == 4 ? (uint64_t(1) << 32) / std::max(row.inputs, uint64_t(1)) : 1;
        // MPFR's special functions take some twenty times as long.
        const uint64_t count = most > 1.5 ? 512 : 8192;
        for (uint64_t i = 0; i < count; ++i) {
          const auto at = measured::operands<T>(measured::mixed(i) % row.inputs, step, partner);
          const double ulp = error(at.x, at.y, f(at.x, at.y));
          EXPECT_LE(ulp, row.worst + rounding) << std::hexfloat << at.x << " " << at.y;
        }
      });
  EXPECT_EQ(functions, 33);
}
TEST(Ulp, TheTableOfFloatsHolds) { expectTable<float>(); }
TEST(Ulp, TheTableOfDoublesHolds) { expectTable<double>(); }

template <int N, class T, class F>
uint64_t hashOf(F f, measured::Partner partner) {
  constexpr uint64_t count = 1 << 18, step = sizeof(T) == 4 ? (uint64_t(1) << 32) / count : 1;
  uint64_t hash = 0;
  for (uint64_t first = 0; first < count; first += N) {
    T x[N], y[N], out[N];
    for (uint64_t i = 0; i < N; ++i) {
      const auto at = measured::operands<T>(first + i, step, partner);
      x[i] = at.x, y[i] = at.y;
    }
    math::store<Vec<T, N>>(out, f(math::load<Vec<T, N>>(x), math::load<Vec<T, N>>(y)));
    for (uint64_t i = 0; i < N; ++i)
      hash += math::hashOf(first + i, out[i]);
  }
  return hash;
}
template <class T, class F>
void expectBits(F f, measured::Partner partner, uint64_t hash) {
  const uint64_t one = hashOf<1, T>(f, partner);
  EXPECT_EQ(one, (hashOf<math::nativeLanes<T>, T>(f, partner)));
  EXPECT_EQ(one, (hashOf<16, T>(f, partner)));
  EXPECT_EQ(one, hash) << std::hex << one;
}
// Functions of one operand, and atan2, are in math_test.
TEST(Ulp, FunctionsOfTwoHaveTheSameBitsAtAllWidthsAndInEveryBuild) {
  const auto logaddexp = [](auto x, auto y) { return math::logaddexp(x, y); };
  const auto pow = [](auto x, auto y) { return math::pow(x, y); };
  const auto hypot = [](auto x, auto y) { return math::hypot(x, y); };
  expectBits<float>(logaddexp, measured::Partner::Sum, 0x71e472970d679430);
  expectBits<double>(logaddexp, measured::Partner::Sum, 0x3a7d0bee5e48ec2c);
  expectBits<float>(pow, measured::Partner::Power, 0xe8bd5fb6203c36f5);
  expectBits<double>(pow, measured::Partner::Power, 0x95f0002f443ac5e5);
  expectBits<float>(hypot, measured::Partner::Any, 0x91b443a114d56534);
  expectBits<double>(hypot, measured::Partner::Any, 0xbf774887cbfd0e98);
}

/// Infinities, and what is too far away to be added; where the two cancel, results by mpmath in 60 digits.
TEST(Ulp, LogaddexpAtItsEnds) {
  constexpr double inf = INFINITY, ln2 = 0x1.62e42fefa39efp-1;
  EXPECT_EQ(math::logaddexp(inf, inf), inf);
  EXPECT_EQ(math::logaddexp(-inf, -inf), -inf);
  EXPECT_EQ(math::logaddexp(inf, -inf), inf);
  EXPECT_EQ(math::logaddexp(-inf, -3.0), -3);
  EXPECT_EQ(math::logaddexp(1e308, 1e308), 1e308);
  EXPECT_EQ(math::logaddexp(-1e308, 1e308), 1e308);
  EXPECT_EQ(math::logaddexp(-0.0, -800.0), 0);
  EXPECT_TRUE(std::isnan(math::logaddexp(inf, std::nan(""))) && std::isnan(math::logaddexp(std::nan(""), -inf)));
  EXPECT_EQ(math::logaddexp(-ln2, -ln2), 0x1.abc9e3b39803fp-56);
  EXPECT_EQ(math::logaddexp(-0x1.62e43p-1f, -0x1.62e43p-1f), -0x1.05c61p-29f);
}

} // namespace
