//===- Rows.h - a row for every op and composite ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions of ops and composites as the conformance test needs them. The test fails for a row without cases, so
// no op goes untested.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include <span>
#include <string_view>
#include <vector>

namespace tenon::conformance {

/// Where a derivative or a batching rule comes from. `none`: there is none, and the definition holds the error's
/// sentence.
enum class Rule { rule, zero, none, decomposition };

struct ConformanceRow {
  std::string_view name;
  /// 0: a composite.
  uint16_t code;
  std::string_view category;
  bool isPublic;
  std::vector<std::string_view> operands;
  /// The last operand stands for any number of operands.
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

  /// Whether the function is composed of other ops alone. They have rows of their own, so one dtype of each kind and a
  /// part of the columns and modes are enough for it.
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
