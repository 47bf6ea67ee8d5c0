//===- Residuals.h - what a backward trace gets of its forward one --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/RegionOp.h"

namespace tenon {

/// Which values of the forward trace cross to the backward one, so that it has
/// all it wants. A result that crosses is dense, so a view loses what it is: a
/// broadcast one would be stored in full, and a transposed matrix has other bits
/// in a product than the packed one, those that grad gives without jit. So the
/// value that a view is of crosses, and the backward trace makes the view anew.
///
/// The rule: from a wanted value back to what it is a view of, and so on, to the
/// last one that costs nothing, since it is there in any case (isFree, or another
/// wanted value needs it), or no more than the one before. So a row of a large
/// array that nobody else keeps crosses as a row; if that array is transposed,
/// the row's axes cross in the order in which they lie in memory.
class Residuals {
public:
  static constexpr ValueId noValue = UINT32_MAX;
  /// A value that crosses. order: its axes as they lie in memory, the outermost
  /// first, where that is not their own order.
  struct Root {
    ValueId value;
    std::vector<int64_t> order;
  };
  /// `isFree`: by value, what the backward trace can have at no cost. `wanted`
  /// has `noValue` for what is not.
  Residuals(const Trace &forward, const std::vector<bool> &isFree, std::span<const ValueId> wanted);
  const std::vector<Root> &roots() const { return roots_; }
  /// What crosses for a root, made in the forward trace's `body`.
  ValueId inOrder(const Root &root, TraceBody &body) const;
  /// `backward`, whose input first + i is the value wanted[i] of the forward
  /// trace, with the roots, their axes in order, in the place of those inputs.
  TraceRef remake(const Trace &backward, size_t first, std::span<const ValueId> wanted) const;

private:
  /// The operand that `value` is a view of; `value` itself if it is no view,
  /// `noValue` for a constant.
  ValueId baseOf(ValueId value) const;
  /// The farthest base by the rule, or `noValue` if it takes none.
  ValueId rootOf(ValueId value, const std::vector<bool> &isFree) const;
  std::vector<int64_t> orderOf(ValueId value) const;
  const TraceLocation &locationOf(ValueId value) const { return *forward_.location(makers_[value] - 1); }

  const Trace &forward_;
  /// By value: 1 + the number of the op it is a result of; 0 for inputs.
  std::vector<size_t> makers_;
  std::vector<bool> isRemade_;
  std::vector<Root> roots_;
};

} // namespace tenon
