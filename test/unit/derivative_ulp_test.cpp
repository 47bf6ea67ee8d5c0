//===- derivative_ulp_test.cpp - derivatives keep the errors of the committed table --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/DerivativeUlp.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

using namespace tenon;
using namespace tenon::test;

namespace {

struct Row {
  double worst = 0;
  std::vector<std::vector<double>> operands;
  uint64_t samples = 0;
};
/// By derivative and dtype.
std::map<std::string, Row> table() {
  std::map<std::string, Row> rows;
  std::ifstream file(std::string(std::getenv("TENON_SOURCE_DIR")) + "/lib/transform/vjp/ULP.md");
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    for (size_t at = 0, end; at < line.size() && (end = line.find('|', at + 1)) != std::string::npos; at = end)
      cells.push_back(line.substr(at + 2, end - at - 3));
    if (cells.size() != 5 || cells[0] == "derivative of" || cells[0].starts_with("--"))
      continue;
    Row row;
    row.worst = std::strtod(cells[1].c_str(), nullptr);
    const char *text = cells[2].c_str();
    for (char *end; *text; text = *end ? end + 1 : end)
      row.operands.push_back({std::strtod(text, &end)});
    row.samples = std::strtoull(cells[3].c_str(), nullptr, 10);
    rows[cells[0]] = row;
  }
  return rows;
}

constexpr double rounding = 0.0005; // of the table's errors

/// Each row is true at the place it names, within what is allowed, and not exceeded at a part of its samples.
void expectTable(Dtype dtype, size_t place) {
  const std::map<std::string, Row> rows = table();
  for (const Derivative &of : derivatives()) {
    SCOPED_TRACE(of.name + " " + std::string(short_name(dtype)));
    const auto found = rows.find(of.name + " " + std::string(short_name(dtype)));
    ASSERT_TRUE(found != rows.end()) << "no row of lib/transform/vjp/ULP.md";
    const Row &row = found->second;
    EXPECT_LE(row.worst, of.most[place] + rounding);
    EXPECT_TRUE(of.most[place] <= 8 || !of.reason.empty());
    EXPECT_NEAR(measure(of, dtype, row.operands).at(0).ulp, row.worst, rounding);
    ASSERT_GE(row.samples, 4096u);
    const uint64_t first = mixed(place) % (row.samples / 512) * 512;
    for (const Measured &one : measure(of, dtype, samples(of, dtype, first, first + 512)))
      EXPECT_LE(one.ulp, row.worst + rounding) << std::hexfloat << one.operands[0];
  }
}
TEST(DerivativeUlp, TheTableOfDoublesHolds) { expectTable(Dtype::f64, 0); }
TEST(DerivativeUlp, TheTableOfFloatsHolds) { expectTable(Dtype::f32, 1); }
TEST(DerivativeUlp, TheTableOfHalvesHolds) { expectTable(Dtype::f16, 2); }
TEST(DerivativeUlp, TheTableOfBrainFloatsHolds) { expectTable(Dtype::bf16, 3); }

} // namespace
