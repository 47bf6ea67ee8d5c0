//===- lowered.h - a traced function, to be looked at -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// A traced function that can be looked at, stage by stage, and saved.
class Lowered {
public:
  /// Takes over a trace (internal: made by Jitted::lower).
  Lowered(const class Trace *trace, std::vector<Array> captured);
  /// The trace as text.
  std::string trace() const;
  /// The text of a stage: "tenon", "simplified", "grouped", "linalg", "vector",
  /// "llvm", "asm", "ptx". Error for others, InternalError if the compiler fails.
  std::string stage(std::string_view name, Location at = Location::current()) const;
  std::string mlir(Location at = Location::current()) const { return stage("tenon", at); }
  /// Writes the trace: tenon-run runs it and prints its stages.
  void save_trace(const std::string &path, Location at = Location::current()) const;
  /// Compiles, unless the process has this program, and writes it: load_program
  /// runs it without a compiler.
  void save_blob(const std::string &path, Location at = Location::current()) const;
  /// The arrays, other than arguments, that the function uses or returns: they
  /// are the last inputs of what is saved, in this order.
  const std::vector<Array> &captured() const { return captured_; }

  ~Lowered();
  Lowered(const Lowered &);
  Lowered &operator=(const Lowered &) = delete;

private:
  const Trace *trace_;
  std::vector<Array> captured_;
};

} // namespace tenon
