//===- Branches.h - ops that run one of several bodies --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cond and its like share: operand 0 chooses the region that runs, all
// regions take the other operands.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/control/RegionBody.h"
#include "lib/transform/RegionBatch.h"
#include "lib/transform/RegionVjp.h"

namespace tenon {

/// A choice on its way to an op: its branches with the names that errors call
/// them by, and the arrays that they take.
struct Choice {
  OpCode op;
  Array selector;
  bool isNumber; ///< of C++: where the other operands are, wherever it was put
  std::vector<RegionBody> branches;
  std::vector<std::string> names;
  std::span<const detail::TreeRef> operands;

  /// `functions` take `operands`.
  Choice(OpCode op, Array selector, bool isNumber, std::span<const detail::TreeFunction> functions,
         std::span<const detail::TreeRef> operands, Location at);
};
/// The result of the branch that runs. `known`: where the selector has a value and
/// bodies run as C++, its number.
detail::OwnedTree runChoice(Choice &choice, std::optional<size_t> known, Location at);

RegionVjp vjpBranches(const Bind &bind, const std::vector<bool> &wanted);

/// Whether branch `branch` of `branches` runs, by element of `selector`.
using IsChosen = Array (*)(const Array &selector, size_t branch, size_t branches);
/// Where the selector differs between the batch elements: all branches, then a select.
RegionBatch batchBranches(const Bind &bind, const std::vector<bool> &batched, Dim size, IsChosen isChosen);

} // namespace tenon
