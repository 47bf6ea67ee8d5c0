//===- BatchedTrace.h - a trace over a batch ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/transform/RegionBatch.h"

namespace tenon {

struct BatchedTrace {
  /// Batched inputs and outputs have their examples along axis 0.
  TraceRef trace;
  std::vector<bool> outputs;
};
/// `trace` over examples in the inputs `batched`. `forced`: outputs that are to
/// be batched in any case (empty: none). `at`: the op's line, for what is added.
BatchedTrace batchTrace(const Trace &trace, const std::vector<bool> &batched, Dim size, Location at,
                        const std::vector<bool> &forced = {});

/// 0 for batched, -1 for others.
std::vector<int> frontAxes(const std::vector<bool> &batched);

/// Adds to the carries, inputs from `first` on, those that come out of a body
/// batched; true if any did.
bool growCarries(std::vector<bool> &inputs, size_t first, size_t carries, const std::vector<bool> &outputs);

} // namespace tenon
