//===- Call.h - one call of a jitted function -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Guard.h"
#include "lib/trace/Record.h"

#include <tenon/jit.h>

#include <optional>

namespace tenon::detail {

/// One array leaf of a call: the handle in the argument, which says how it was passed.
struct JitLeaf {
  Array *array;
  const JitArgument *argument;
  bool isMutable() const { return argument->isMutable; }
  bool isRvalue() const { return argument->isRvalue; }
};

/// What a traced run of the function gave.
struct JitTraced {
  std::vector<Array> results;
  /// By leaf: what the handle in the function's copy of the arguments holds now.
  std::vector<Array> leaves;
  /// The function's result with empty arrays: what the leaves are put back into.
  OwnedTree prototype;
  /// The arguments' structure afterwards; static values must not change.
  std::string structure;
};

/// What holds of a recording for the call that has recorded it, and for no other one.
struct RecordedNow {
  /// By Variable that it reads, what it has read: the host may have assigned it since. Empty where that is what it
  /// holds.
  std::vector<Array> asRead;
  /// What the host has run by then, and holds for the function: Variables that it has made.
  std::vector<std::shared_ptr<const HostFunction>> hosts = {};
  /// Traced values that outlive the trace.
  Record::Leaks leaks = {};
};

/// One call: the leaves of its arguments and their structure.
struct JitCall {
  /// `names`: of the arguments, as far as they have some.
  JitCall(const TreeFunction &function, std::span<const JitArgument> arguments, std::span<const std::string> names,
          const Location &at);

  /// Where C++ runs before the program does, which may assign the caller's handles: keeps what they were.
  void hold();
  /// Afterwards: what a handle still is it keeps, so that it may be donated.
  void letGo();
  /// Runs the function on copies of the arguments that hold `inputs`.
  void trace(std::span<const Array> inputs, JitTraced &out) const;
  /// Of the leaves: `arg 0: layers[3].kernel`, or `net.layers[3].kernel` of an argument with a name.
  std::vector<std::string> paths() const;
  /// Which argument a leaf is of.
  size_t argumentOf(size_t leaf) const { return static_cast<size_t>(leaves[leaf].argument - arguments.data()); }
  /// By argument: the one that stands for it, or that of `known`.
  std::vector<ArgumentSpec> specs(std::span<const ArgumentSpec> known) const;

  const TreeFunction &function;
  std::span<const JitArgument> arguments;
  std::span<const std::string> names;
  StructureBytes structure;
  InlineVector<JitLeaf, 16> leaves;
  /// By leaf, what it was when the call began; null: an empty Array. The caller's handles keep it, or `held`.
  InlineVector<Value *, 16> values;
  std::vector<Array> held;
  /// Of all leaves: whether one is empty, is no buffer, is given away, and whether all are row-major without gaps.
  bool hasEmpty = false, hasTraced = false, hasRvalue = false, areDense = true;
  /// Where the call is written.
  Location at;
  /// The path that was recorded for this very call; null: it has found what others have recorded.
  const struct JitPath *recorded = nullptr;
  /// What was recorded for it, and is not run or bound yet.
  RecordedNow now;
  /// Which call of its entry it is; 0: the one that recorded it.
  uint64_t number = 0;
  /// A path that it has tried by now, and why it is not its.
  const struct JitPath *tried = nullptr;
  std::optional<GuardFailed> failed;
  /// Its arrays have types, and no elements.
  bool isAbstract = false;
  /// Its arguments are Arrays themselves: their number and type say all of its structure.
  bool areArrays = true;
  /// It is recorded, to be looked at: nothing of it happens.
  bool isLookedAt = false;
};

} // namespace tenon::detail
