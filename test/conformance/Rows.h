//===- Rows.h - a row for every op and composite ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records as a conformance test needs them: a test that walks over the rows
// and knows no way to call one of them fails, so a new op cannot go untested.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include <span>
#include <string_view>
#include <vector>

namespace tenon::conformance {

/// Where a derivative or a batched form comes from. `none`: the record holds
/// the sentence the user sees.
enum class Rule { rule, zero, none, decomposition };

struct ConformanceRow {
  std::string_view name;
  /// 0: a composite.
  uint16_t code;
  std::string_view category;
  bool isPublic;
  std::vector<std::string_view> operands;
  /// The last operand repeats.
  bool variadic;
  std::vector<AttrInfo> attributes;
  std::vector<Dtype> dtypes;
  Rule derivative;
  std::string_view noVjp;
  Rule batching;
  std::string_view noBatch;
  /// As in records/Base.td; empty for a composite.
  std::string_view lowering;
  /// Allowed between eager, interpreted and compiled; 0: equal by bits.
  int toleranceUlp;
  /// Allowed from the independent reference, in ulp of f32.
  int referenceUlp;

  /// A function of other ops and nothing else: what it is made of has rows of its own, so
  /// that of its dtypes one of each kind is enough, and of the cells those that are computed
  /// in another way.
  bool isMadeOfOthers() const {
    return code == 0 && derivative == Rule::decomposition && batching == Rule::decomposition;
  }
};

inline std::span<const ConformanceRow> rows() {
  static const ConformanceRow all[] = {
#include "test/conformance/Rows.gen.inc"
  };
  return all;
}

} // namespace tenon::conformance
