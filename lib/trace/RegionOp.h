//===- RegionOp.h - rewriting the traces of region ops --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Record.h"

#include <memory>

namespace tenon {

/// An op without its operands.
struct RegionOp {
  OpCode op{};
  std::vector<int64_t> attributes;
  std::vector<TraceRef> regions;
};

/// The attributes of an op as a list that lives.
template <class Attrs>
std::vector<int64_t> wordsOf(const Attrs &attrs) {
  AttrWriter writer;
  attrs.write(writer);
  return {writer.words().begin(), writer.words().end()};
}

/// The trace with inputs of `types`: its input i is the new input places[i].
TraceRef arrangeInputs(const Trace &trace, std::span<const Type> types, std::span<const size_t> places);
/// The trace without what is seen from outside, calls of the host apart whose results it uses.
TraceRef withoutEffects(const Trace &trace);
/// Which inputs some op or output uses.
std::vector<bool> usedInputs(const Trace &trace);
/// Which inputs the values of the outputs can depend on: not one that a loop only carries on to itself.
std::vector<bool> neededInputs(const Trace &trace);

/// What a plan for a region op is found by. Traces are compared in full, the
/// names of their symbols included: a plan speaks of its symbols by name.
struct PlanKey {
  enum class Use : uint8_t { vjp, jvp, batch } use;
  OpCode op;
  std::vector<int64_t> attributes;
  std::vector<TraceRef> regions;
  /// Operands that are differentiated, that move, or that are batched.
  std::vector<bool> operands;
  /// Number of examples.
  Dim size;
};
/// Plans kept in the process, bounded by the bytes of their traces: the least
/// recently used go first. Null: there is none.
std::shared_ptr<const void> findPlan(const PlanKey &key);
void keepPlan(PlanKey key, std::shared_ptr<const void> plan, std::span<const RegionOp *const> ops);

/// How many plans were made in this process: for tests of the cache.
uint64_t plansMade();
/// Forgets all that are kept.
void forgetPlans();

} // namespace tenon
