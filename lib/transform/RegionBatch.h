//===- RegionBatch.h - batching of ops that hold traces -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/RegionOp.h"

namespace tenon {

/// A region op over a batch: the op to bind instead.
struct RegionBatch {
  RegionOp op;
  /// By operand: where the examples' axis must be; -1: the operand as it is.
  std::vector<int> operandAxes;
  /// By result: the examples' axis; -1: the same for all.
  std::vector<int> resultAxes;
};

/// The rule of an op, found through the generated table: `batch<Stem>` in lib/control.
using RegionBatchRule = RegionBatch (*)(const Bind &bind, const std::vector<bool> &batched, Dim size);

/// The plan for an op bound with these operands, of which `batched` differ
/// between `size` examples. Throws the record's sentence where there is no rule.
std::shared_ptr<const RegionBatch> regionBatch(const Bind &bind, const std::vector<bool> &batched, Dim size);

} // namespace tenon
