//===- lowered.h - a traced function, to be looked at -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// A value of a traced function.
struct TracedValue {
  /// Its number in its function: `%3` in Lowered::trace.
  size_t id;
  Dtype dtype;
  Shape shape;
  Device device;
};
struct TracedFunction;
/// An op of a traced function.
struct TracedOp {
  /// Its name, such as `matmul`; see `./dev docs`, page "Ops".
  std::string name;
  std::vector<TracedValue> operands, results;
  /// `axes = [0], keepdims = false`; empty if it has none.
  std::string attributes;
  /// `model.cpp:12`; empty if it is not known.
  std::string location;
  /// Names of the functions and modules around it, the outermost first.
  std::vector<std::string> scopes;
  /// Functions that it holds: branches, bodies of loops, the ops that it is made of.
  std::vector<TracedFunction> bodies;
};
/// A traced function as data: its ops in the order in which they were recorded, without those that nothing needs.
struct TracedFunction {
  std::string name;
  /// The arrays of the arguments, then those that the function captured.
  std::vector<TracedValue> inputs;
  std::vector<TracedOp> ops;
  std::vector<TracedValue> outputs;
};

/// A traced function whose compiler stages can be printed and saved.
class [[nodiscard]] Lowered {
public:
  /// Internal: made by Jitted::lower; takes ownership of the trace.
  Lowered(const class Trace *trace, std::vector<Array> captured);
  /// Returns the trace as text.
  std::string trace() const;
  /// Returns the trace as data.
  TracedFunction graph() const;
  std::vector<TracedOp> ops() const { return graph().ops; }
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
