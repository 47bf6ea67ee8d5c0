//===- RegionJvp.h - forward mode of ops that hold traces ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rule for all of them, by the groups and bodies of their records: behind each
// group of operands stand the tangents of those that move, bodies take and return
// them beside the primals, and carries that come to move move from the start.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/RegionOp.h"

namespace tenon {

/// A region op with tangents: the op to bind instead.
struct RegionJvp {
  RegionOp op;
  /// By operand of `op`: the operand of the original, or its tangent.
  struct Source {
    size_t operand;
    bool isTangent;
  };
  std::vector<Source> operands;
  /// By result of the original: where it is among those of `op`, and its tangent;
  /// -1: it does not move.
  std::vector<size_t> primals;
  std::vector<int> tangents;
};

/// The plan for an op bound with these operands, of which `moves` have tangents; null
/// if no result moves with them.
std::shared_ptr<const RegionJvp> regionJvp(const Bind &bind, const std::vector<bool> &moves);

} // namespace tenon
