//===- program.h - compiled programs, as such ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What jitted functions (jit.h) and programs from files have in common: when
// they are compiled, whether they run, what they say.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// When a traced function is compiled: at its first call, or never (its trace,
/// and those of its derivatives and batches, are run by the interpreter, with
/// the same bits).
enum class Compile : uint8_t { now, never };

/// A compiled program from a file; arrays in, arrays out, in the order of the
/// leaves of the arguments (captured arrays last) and of the results (then of
/// the arguments that the function updates).
class LoadedProgram {
public:
  std::vector<Array> operator()(const Arrays &inputs, Location at = Location::current()) const;
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram &);
  LoadedProgram &operator=(const LoadedProgram &) = delete;

private:
  friend LoadedProgram load_program(const std::string &path, Location at);
  explicit LoadedProgram(class Program *program) : program_(program) {}
  Program *program_;
};
/// Reads what save_blob wrote. An Error names the file and what is wrong with it.
LoadedProgram load_program(const std::string &path, Location at = Location::current());

/// While it lives, jitted functions on this thread run as plain C++: op by op,
/// for a debugger. So do the bodies of loops and branches (see control.h).
class DisableJit {
public:
  DisableJit();
  ~DisableJit();
  DisableJit(const DisableJit &) = delete;

private:
  bool before_;
};

/// Where lines of TENON_JIT_LOG=1 go; null: standard error. Returns the former.
using JitLog = void (*)(std::string_view line);
JitLog set_jit_log(JitLog log);

} // namespace tenon
