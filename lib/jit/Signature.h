//===- Signature.h - what a compiled program is keyed by --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/jit/Call.h"
#include "lib/trace/Context.h"
#include "lib/trace/Interpreter.h"
#include "lib/tree/Structure.h"

namespace tenon::detail {

/// Structure of the arguments with their static values, then dtype, device and
/// sizes of every array; a size may be a symbol. Compared in full.
class Signature {
public:
  /// The signature under which this call is traced: with the specs' symbols, or
  /// exact where one of them would be 0, 1 or a symbol of a trace around. A spec that does not fit is an Error.
  static Signature make(const JitCall &call, std::span<const ArgumentSpec> specs, const std::string &name);

  bool matches(const JitCall &call) const;
  /// Calls that one signature made with these specs matches have equal hashes: it
  /// leaves out the sizes that specs say.
  static uint64_t hash(const JitCall &call, std::span<const ArgumentSpec> specs);
  /// See parameterList.
  std::string parameters(std::span<const std::string> names) const { return parameterList(structure_, names); }
  /// By leaf.
  std::vector<Type> types() const;
  /// An Error if no call can match these specs.
  static void check(std::span<const ArgumentSpec> specs, const std::string &name, Location at);
  /// Of a call that it does not match, why, by argument path.
  std::string misfit(const JitCall &call) const;
  /// How it differs from a call's, by argument path; `count` of differences.
  std::string difference(const Signature &other, const JitCall &call, size_t &count) const;
  /// The number in the arguments that alone is different in `other`; none if there
  /// is none, or more than that.
  std::optional<NumberChange> numberChange(const Signature &other, const JitCall &call) const;
  /// Whether static values, and what else tracing may read, are the same.
  bool hasStructureOf(const Signature &other) const {
    return structure_ == other.structure_ && context_ == other.context_;
  }
  /// Sentences about choices worth a log line.
  std::span<const std::string> notes() const { return notes_; }

private:
  std::string structure_;
  Context context_;
  /// Per leaf: dtype, rank and device (see Value::word), then the sizes of all.
  std::vector<uint32_t> words_;
  std::vector<Dim> dims_;
  bool symbolic_ = false;
  std::vector<std::string> notes_;
};

} // namespace tenon::detail
