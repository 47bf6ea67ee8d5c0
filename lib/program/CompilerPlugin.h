//===- CompilerPlugin.h - libtenon's side of the compiler border ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and loads libtenon-compiler.so at the first compilation that no cache
// serves, and hands requests over. Contains no LLVM.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenon::detail {

/// The numbers are those of tenon_compile_status.
enum class CompileStatus : int32_t {
  Ok = 0,
  /// The compiler refused the input; `text` says why. It can be asked again.
  Refused = 1,
  /// The compiler fell; the program goes on. `reproducer` replays it.
  Crashed = 2,
  /// There is no compiler, a wrong one, or it is off in this process.
  Off = 3,
  /// It was asked for what there is not; `text` says what was expected.
  Invalid = 4,
};

struct CompileReply {
  CompileStatus status = CompileStatus::Off;
  /// The blob, or the text of the stage asked for. Empty unless Ok.
  std::string data;
  /// Error or diagnostics, without a final newline.
  std::string text;
  /// Path of the saved input, after Refused or Crashed on a trace and Crashed
  /// on MLIR text; empty if it could not be written.
  std::string reproducer;
  /// The shell command that replays the reproducer, or empty.
  std::string replayCommand;
  uint64_t kernels = 0, newKernels = 0, librarySteps = 0, nanoseconds = 0;

  bool ok() const { return status == CompileStatus::Ok; }
};

/// Compiles canonical trace bytes. `emit` is "blob" or the name of a stage,
/// `features` an ISA feature list, empty for the host's. Never throws for what
/// the compiler does, and never takes the process down with it. Any thread.
CompileReply compileTrace(std::span<const std::byte> trace, std::span<const std::byte> locations, std::string_view emit,
                          std::string_view features = {});

/// The program's bytes from a trace of this process, for this machine.
CompileReply compileToBlob(const Trace &trace, std::span<const std::byte> locations);

/// The same from the text of any stage that the compiler can parse; `name` is its
/// file's, for diagnostics and locations.
CompileReply compileMlir(std::string_view text, std::string_view emit, std::string_view features = {},
                         std::string_view name = {});

/// The file that is, or would be, loaded; empty if none is found. Loads nothing.
std::string compilerPath();

/// Whether a compilation has loaded the compiler into this process.
bool compilerLoaded();

/// Identifies the compiler's code, as part of a key of compiled programs. Loads
/// the compiler; empty if there is none.
std::string compilerBuildId();

} // namespace tenon::detail
