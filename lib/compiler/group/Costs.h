//===- Costs.h - what grouping knows of the device ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for each device. Times are measured on one core with AVX-512
// (bench/), in tenths of a nanosecond for one element.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

namespace tenon::compiler {

struct GroupCosts {
  /// Code generation grows with a kernel's ops, and so do spilled registers.
  unsigned maxOps = 64;
  unsigned maxInputs = 24;
  /// A kernel runs the rows of a reduction in parallel, but a row on one
  /// thread; the library splits long rows. Few long rows are left to it.
  int64_t fewRows = 2, longRow = 1 << 16;
  /// A reduction that shares no pass with other ops is the library's, if it has
  /// so many elements that a step costs less than its memory.
  int64_t librarySize = 1 << 14;
  /// Reductions of rows shorter than `shortRow` also go to the library if there
  /// are at least `manyRows` rows or the number is symbolic: a kernel would use
  /// one partly filled vector per row.
  int64_t shortRow = 16, manyRows = 64;
};

inline constexpr GroupCosts cpuCosts;

} // namespace tenon::compiler
