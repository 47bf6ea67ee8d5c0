//===- Specs.h - what a jitted function's arguments have to be -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/DimExpr.h"
#include "lib/jit/Call.h"

#include <deque>

namespace tenon::detail {

/// By leaf of a call: its spec, or null where it is as it is called.
using LeafSpecs = InlineVector<const TensorSpec *, 16>;

/// The specs of a jitted function.
class Specs {
public:
  /// An Error if no call can fit them.
  Specs(const std::vector<ArgumentSpec> &given, std::string name, Location at);
  Specs(const Specs &) = delete;

  /// An Error if there are others than arguments, or than arrays in them.
  LeafSpecs of(const JitCall &call) const;
  /// What a symbol may be: all sizes, if nothing is said of it.
  std::pair<int64_t, int64_t> bounds(std::string_view symbol) const;

private:
  /// What stands for the leaves of one argument: `head`, then `middle` as often as there
  /// are leaves for it, then `tail`.
  struct Argument {
    ArgumentSpec::Form form = ArgumentSpec::Form::any;
    std::vector<const TensorSpec *> head, middle, tail;
  };
  void take(const ArgumentSpec &spec, Argument &out, std::vector<const TensorSpec *> &into, size_t argument);
  const TensorSpec *keep(const TensorSpec &spec, size_t argument);
  void checkSolvable() const;
  void place(const Argument &argument, size_t number, std::span<const TensorSpec *> leaves) const;
  [[noreturn]] void fail(size_t argument, const std::string &expected, const TensorSpec &got) const;

  std::string name_;
  Location at_;
  std::vector<Argument> arguments_;
  /// Without bounds, and the arguments that they belong to.
  std::deque<TensorSpec> kept_;
  std::vector<size_t> argumentOf_;
  std::vector<DimAtom> bounds_;
};

} // namespace tenon::detail
