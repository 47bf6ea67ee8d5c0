//===- program.h - compiled programs, as such ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What jitted functions (jit.h) and programs from files have in common: when
// they are compiled, whether they run, what they say.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// When a traced function is compiled: at its first call; on a thread of the process's own, while calls are
/// interpreted, with the same bits, until the program is there; or never, and neither are its derivatives and batches.
enum class Compile : uint8_t { now, never, background };

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

/// What a compiled program does, steps of bodies once each, and the memory of one call.
struct ProgramCost {
  /// Ops of the trace; kernels generated for them; calls of precompiled kernels; copies.
  uint64_t ops = 0, kernels = 0, library_steps = 0, copies = 0;
  /// Of the arguments (captured arrays and Variables included), of what it returns, and of what it needs besides at
  /// once; -1 where sizes are symbols, of temporary ones also where nothing is compiled.
  int64_t argument_bytes = 0, result_bytes = 0, temporary_bytes = 0;
};
std::ostream &operator<<(std::ostream &out, const ProgramCost &cost);

/// While it lives, jitted functions on this thread run as plain C++: op by op,
/// for a debugger. So do the bodies of loops and branches (see control.h). What is
/// traced all the same, by `lower` or `concrete`, calls them as such.
class EagerScope {
public:
  EagerScope();
  ~EagerScope();
  EagerScope(const EagerScope &) = delete;

private:
  bool before_;
};
/// The same on all threads, from here on; TENON_EAGER=1 starts a process so.
void run_functions_eagerly(bool eagerly);
/// False while a function is traced: its arrays have no elements yet.
bool executing_eagerly();

/// Forgets all that jitted functions, and the ops with bodies, have recorded and compiled in this process: what is
/// called next is traced and compiled anew. What runs meanwhile, or is held (a ConcreteFunction), stays whole.
void clear_caches();

/// What a line of the log is about. `warning`: what costs time at every call, said once without asking; `retrace`: why
/// functions are traced; `compile`: what is compiled, and how long that took; `cache`: what is found there and what has
/// to go; `guard`: which answer of C++'s questions was another one.
enum class LogTopic : uint8_t { warning, retrace, compile, cache, guard };
using LogSink = void (*)(LogTopic topic, std::string_view line);
/// Where all lines go from here on; null: to standard error, warnings and the topics in TENON_LOG (such as
/// `retrace,compile`, or `all`). Returns the former. Several threads may call it at once; it throws nothing.
LogSink set_log(LogSink sink);

} // namespace tenon
