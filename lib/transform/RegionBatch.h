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

/// The plan for an op bound with these operands, of which `batched` differ
/// between `size` examples.
std::shared_ptr<const RegionBatch> regionBatch(const Bind &bind, const std::vector<bool> &batched, Dim size);

struct BatchedTrace {
  /// Batched inputs and outputs have their examples along axis 0.
  TraceRef trace;
  std::vector<bool> outputs;
};
/// `trace` over examples in the inputs `batched`. `forced`: outputs that are to
/// be batched in any case (empty: none). `at`: the op's line, for what is added.
BatchedTrace batchTrace(const Trace &trace, const std::vector<bool> &batched, Dim size, Location at,
                        const std::vector<bool> &forced = {});

} // namespace tenon
