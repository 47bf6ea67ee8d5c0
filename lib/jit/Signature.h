//===- Signature.h - what a compiled program is keyed by --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/jit/Call.h"
#include "lib/jit/Specs.h"
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
  static Signature make(const JitCall &call, const LeafSpecs &wanted, const Specs &specs, const std::string &name);

  bool matches(const JitCall &call) const;
  /// The same of a signature of Arrays without symbols, for a call with these arguments; false also if one of them is
  /// no dense buffer, or given away. Else `values` are theirs.
  bool matchesDense(std::span<const JitArgument> arguments, Value **values) const;
  bool hasSymbols() const { return !symbols_.empty(); }
  /// Calls that one signature made with these specs matches have equal hashes: it
  /// leaves out the sizes that specs say.
  static uint64_t hash(const JitCall &call, const LeafSpecs &specs);
  /// See parameterList.
  std::string parameters(std::span<const std::string> names) const { return parameterList(structure_, names); }
  /// By leaf.
  std::vector<Type> types() const;
  /// The same for all sizes.
  static uint64_t hashOfAllSizes(const JitCall &call);
  /// Whether all but sizes is the same.
  bool hasTypesOf(const Signature &other) const { return hasStructureOf(other) && words_ == other.words_; }
  /// The sizes of all leaves, one after the other.
  std::span<const Dim> dims() const { return dims_; }
  /// Of a call that it does not match, why, by argument path.
  std::string misfit(const JitCall &call) const;
  /// How it differs from a call's, by argument path; `count` of differences.
  std::string difference(const Signature &other, const JitCall &call, size_t &count) const;
  /// The number in the arguments that alone is different in `other`; none if there
  /// is none, or more than that.
  std::optional<NumberChange> numberChange(const Signature &other, const JitCall &call) const;
  /// Whether static values, and what else tracing may read, are the same.
  bool hasStructureOf(const Signature &other) const {
    return structure_ == other.structure_ && types_ == other.types_ && context_ == other.context_;
  }
  /// Sentences about choices worth a log line.
  std::span<const std::string> notes() const { return notes_; }

private:
  /// What a size is compared with: itself, the value of a symbol (whose number it is), or what is made of them.
  enum Role { exactSize = -1, expression = -2 };
  struct Symbol {
    SymbolSource source;
    int64_t low, high;
  };
  void setSymbols(const Specs &specs);
  bool hasTypesOf(const JitCall &call) const {
    return std::ranges::equal(types_, call.arguments, {}, {}, [](const JitArgument &one) { return one.ref.ops; });
  }
  bool matchesSizes(const JitCall &call) const;
  bool matchesExpressions(std::span<const int64_t> sizes) const;

  std::string structure_;
  /// By argument, its type, for which its functions stand: two types may have one name.
  std::vector<const TreeOps *> types_;
  Context context_;
  /// Per leaf: dtype, rank and device (see Value::word), then the sizes of all.
  std::vector<uint32_t> words_;
  std::vector<Dim> dims_;
  /// Of a signature with symbols, else empty; roles by size.
  std::vector<Symbol> symbols_;
  std::vector<int> roles_;
  bool hasExpressions_ = false;
  std::vector<std::string> notes_;
};

} // namespace tenon::detail
