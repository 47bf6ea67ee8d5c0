//===- lowered.h - a traced function, to be looked at -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// A traced function whose compiler stages can be printed and saved.
class [[nodiscard]] Lowered {
public:
  /// Internal: made by Jitted::lower; takes ownership of the trace.
  Lowered(const class Trace *trace, std::vector<Array> captured);
  /// Returns the trace as text.
  std::string trace() const;
  /// Returns the text of a stage: "tenon", "simplified", "grouped", "linalg", "vector", "llvm", "asm" or "ptx". An
  /// unknown stage is an Error; a failure of the compiler is an InternalError.
  std::string stage(std::string_view name, Location at = Location::current()) const;
  std::string mlir(Location at = Location::current()) const { return stage("tenon", at); }
  /// Writes the trace to a file that tenon-run can run and print stages of.
  void save_trace(const std::string &path, Location at = Location::current()) const;
  /// Writes the compiled program to a file, compiling it if necessary; load_program runs it without a compiler.
  void save_blob(const std::string &path, Location at = Location::current()) const;
  /// Arrays other than arguments that the function uses or returns, in the order in which they are the last inputs of
  /// a saved program.
  const std::vector<Array> &captured() const { return captured_; }

  ~Lowered();
  Lowered(const Lowered &);
  Lowered &operator=(const Lowered &) = delete;

private:
  const Trace *trace_;
  std::vector<Array> captured_;
};

} // namespace tenon
