//===- program.h - compiled programs, as such ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs: options shared by jitted functions (jit.h) and programs loaded from files.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// When a traced function is compiled. `now`: at its first call. `background`: on a separate thread; until the
/// program is ready, calls are interpreted, with the same bits. `never`: not at all, nor are its derivatives and
/// batched forms.
enum class Compile : uint8_t { now, never, background };

/// A compiled program loaded from a file. Inputs are the leaves of the arguments in order, then captured arrays;
/// outputs are the leaves of the results, then of the arguments that the function updates.
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
/// Loads a file written by save_blob. An Error names the file and what is wrong with it.
LoadedProgram load_program(const std::string &path, Location at = Location::current());

/// Size of a compiled program (each loop body counted once) and the memory of one call.
struct ProgramCost {
  /// Ops in the trace; generated kernels; calls of precompiled kernels; copies.
  uint64_t ops = 0, kernels = 0, library_steps = 0, copies = 0;
  /// Bytes of the arguments (including captured arrays and Variables), of the results, and of temporaries at their
  /// peak. -1 where sizes are symbolic; for temporaries also where nothing is compiled.
  int64_t argument_bytes = 0, result_bytes = 0, temporary_bytes = 0;
};
std::ostream &operator<<(std::ostream &out, const ProgramCost &cost);

/// While an EagerScope exists, jitted functions on this thread run as plain C++, op by op, for a debugger; so do
/// branch and loop bodies (see control.h). Functions traced by `lower` or `concrete` are still traced.
class [[nodiscard]] EagerScope {
public:
  EagerScope();
  ~EagerScope();
  EagerScope(const EagerScope &) = delete;

private:
  bool before_;
};
/// Turns this on or off for all threads; TENON_EAGER=1 turns it on at process start.
void run_functions_eagerly(bool eagerly);
/// False while a function is traced, when its arrays have no elements.
bool executing_eagerly();

/// Discards all traces and compiled programs of this process; functions called later are traced and compiled anew.
/// Running calls and ConcreteFunctions are not affected.
void clear_caches();

/// Topics of log lines. `warning`: avoidable cost at every call (always printed, once). `retrace`: why functions are
/// traced. `compile`: what is compiled, and how long it took. `cache`: hits and evictions. `guard`: which branch
/// answer changed.
enum class LogTopic : uint8_t { warning, retrace, compile, cache, guard };
using LogSink = void (*)(LogTopic topic, std::string_view line);
/// Sends all log lines to this function; null sends warnings and the topics in TENON_LOG (such as `retrace,compile`,
/// or `all`) to standard error. Returns the previous function. It may be called from several threads at once and must
/// not throw.
LogSink set_log(LogSink sink);

} // namespace tenon
