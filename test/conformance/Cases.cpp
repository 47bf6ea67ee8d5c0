//===- Cases.cpp - the cases of all rows ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/error.h>

#include <cstdio>
#include <cstdlib>

namespace tenon::conformance {

static const OpCases *find(std::string_view name) {
  for (std::span<const OpCases> table :
       {elementwiseCases(), reductionCases(),   cumulativeCases(), movementCases(),  indexingCases(), sortingCases(),
        otherCases(),       controlCases(),     compositeCases(),  statisticCases(), shapingCases(),  orderCases(),
        editCases(),        convolutionCases(), poolingCases(),    fourierCases(),   imageCases(),    neuralCases(),
        lossCases(),        linalgCases(),      signalCases(),     recurrentCases()})
    for (const OpCases &entry : table)
      if (entry.name == name)
        return &entry;
  return nullptr;
}

/// Whether this dtype of a composite is tested: one of each kind stands for the others.
static bool isSampled(Dtype dtype) {
  switch (dtype) {
  case Dtype::bool_:
  case Dtype::u8:
  case Dtype::i32:
  case Dtype::bf16:
  case Dtype::f32:
  case Dtype::f64:
  case Dtype::c64:
    return true;
  default:
    return false;
  }
}

std::vector<Case> allCases(std::vector<std::string> &missing) {
  std::vector<Case> cases;
  auto add = [&](std::string_view name, Dtype dtype, const ConformanceRow *row, int ulp) {
    const OpCases *entry = find(name);
    if (!entry)
      return false;
    size_t first = cases.size();
    CaseList list(std::string(name), dtype, cases);
    entry->make(list);
    for (size_t i = first; i < cases.size(); ++i) {
      cases[i].row = row;
      if (ulp)
        cases[i].referenceUlp = ulp;
    }
    return cases.size() > first;
  };
  for (const ConformanceRow &row : rows())
    for (Dtype dtype : row.dtypes)
      if ((!row.isMadeOfOthers() || isSampled(dtype)) && !add(row.name, dtype, &row, row.referenceUlp))
        missing.push_back(std::string(row.name) + "/" + std::string(short_name(dtype)));
  // Functions of random.h, which have no record.
  for (std::string_view name : {"random.uniform", "random.normal", "random.exponential", "random.bernoulli"})
    for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::bf16, Dtype::f16})
      if (!add(name, dtype, nullptr, 0))
        missing.push_back(std::string(name));
  for (Dtype dtype : {Dtype::i8, Dtype::i32, Dtype::u32, Dtype::i64, Dtype::u64})
    if (!add("random.randint", dtype, nullptr, 0))
      missing.push_back("random.randint");
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::bf16, Dtype::f16}) {
    CaseList list("program", dtype, cases);
    programCases(list);
  }
  return cases;
}

bool isInSample(std::string_view name) {
  static const std::pair<unsigned, unsigned> sample = [] {
    const char *text = std::getenv("TENON_CONFORMANCE");
    unsigned index = 0, count = 1;
    int length = 0;
    if (text && (std::sscanf(text, "%u/%u%n", &index, &count, &length) != 2 || text[length] || index >= count))
      throw Error(format("TENON_CONFORMANCE: expected K/N with 0 <= K < N, got '{}'", text));
    return std::pair(index, count);
  }();
  return std::hash<std::string_view>()(name) % sample.second == sample.first;
}

} // namespace tenon::conformance
