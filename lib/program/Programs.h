//===- Programs.h - traces as programs: the process's cache ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second level of caching: canonical trace -> program. Two jitted functions
// with equal traces share a program; re-tracing never recompiles.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Interpreter.h"

#include <tenon/detail/inline_vector.h>
#include <tenon/program.h>

namespace tenon {

class Program;

/// A counted reference of a program.
class ProgramRef {
public:
  ProgramRef() = default;
  explicit ProgramRef(Program *program) : program_(program) {} // takes over one reference
  ProgramRef(const ProgramRef &other);
  ProgramRef(ProgramRef &&other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
  ProgramRef &operator=(ProgramRef other) noexcept {
    std::swap(program_, other.program_);
    return *this;
  }
  ~ProgramRef();
  Program *get() const { return program_; }
  Program *operator->() const { return program_; }
  Program &operator*() const { return *program_; }
  explicit operator bool() const { return program_; }

private:
  Program *program_ = nullptr;
};

/// The program of `trace`, from the cache or compiled. A compilation that fails
/// gives a program that interprets, and logs one line with the reproducer; with
/// TENON_STRICT=1 it is an InternalError.
ProgramRef programOf(const TraceRef &trace, Compile compile = Compile::now);
/// The same with its blob at hand; a compilation that fails is an InternalError.
ProgramRef compiledProgramOf(const TraceRef &trace, Location at = {});

/// Whether TENON_STRICT=1 makes Errors of warnings.
bool isStrict();

/// Forgets all that the cache holds.
void forgetPrograms();

/// Runs a program on buffers, without donors.
detail::InlineVector<Array, 4> runProgram(Program &program, std::span<const Array> inputs, Location at = {});

namespace detail {
struct CompileReply;
/// Throws the InternalError of a trace that the compiler did not take, or the Error
/// of a stage that there is not.
[[noreturn]] void throwNotCompiled(const Trace &trace, const CompileReply &reply, Location at);
/// Runs one region op on buffers as a program of its own, found by its trace.
void runAsProgram(const Bind &bind, std::span<Array> results);
} // namespace detail

/// What the cache, and each jitted function, may hold: bytes (TENON_CACHE_BYTES,
/// 1 GiB by default) and programs, however small they are. The least recently
/// used go first; the last used stays.
struct ProgramCacheLimit {
  size_t bytes = size_t(1) << 30, programs = 65536;
};
ProgramCacheLimit programCacheLimit();
void setProgramCacheLimit(ProgramCacheLimit limit);

} // namespace tenon
