//===- CompileThread.h - the thread on which everything is compiled ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One long-lived thread with a large stack, one request at a time, one context
// that is reused. When a request falls into the nets (Nets.h), thread and
// context are left behind and made anew for the next one.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/compiler/nets/Nets.h"
#include "lib/program/CompilerApi.h"

#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace tenon::compiler {

struct ContextFactory {
  mlir::MLIRContext *(*create)();
  void (*destroy)(mlir::MLIRContext *);
};

/// What outlives one compilation. Used on the compile thread only.
class CompileContext {
public:
  explicit CompileContext(ContextFactory factory) : factory_(factory) {}
  CompileContext(const CompileContext &) = delete;
  CompileContext &operator=(const CompileContext &) = delete;
  ~CompileContext() { renew(); }

  /// The MLIRContext, made at the first call, with threading disabled.
  mlir::MLIRContext &mlirContext();

  /// The one T that lives as long as the MLIRContext (a target machine, parsed
  /// bitcode, a pass manager), default-constructed at the first call.
  template <class T>
  T &piece() {
    static const char key = 0;
    for (const Piece &p : pieces_)
      if (p.key == &key)
        return *static_cast<T *>(p.object);
    pieces_.push_back({&key, new T, [](void *object) { delete static_cast<T *>(object); }});
    return *static_cast<T *>(pieces_.back().object);
  }

  /// Says where the compilation is, for the text of a crash. A literal.
  void enterStage(const char *name) { stage = name; }

  /// Frees pieces (last made first) and the MLIRContext; both are made anew when
  /// asked for. An MLIRContext never frees a type, an attribute or a location.
  void renew();

  /// Of the request at hand; set by the pipelines.
  uint64_t kernels = 0, newKernels = 0, librarySteps = 0;
  const char *stage = nullptr;
  bool isInvalid = false; ///< it asks for what there is not: no fault of the input or the compiler

private:
  struct Piece {
    const void *key;
    void *object;
    void (*destroy)(void *);
  };
  ContextFactory factory_;
  mlir::MLIRContext *mlir_ = nullptr;
  std::vector<Piece> pieces_;
};

using CompileFunction = bool (*)(CompileContext &, const tenon_compile_request &, std::string &out, std::string &error);

struct CompileResult {
  tenon_compile_status status = TENON_COMPILE_ERROR;
  std::string out, text;
  uint64_t kernels = 0, newKernels = 0, librarySteps = 0, nanoseconds = 0;
};

/// At most one in a process: signal actions and LLVM's handlers are the process's.
/// Never destroyed, since its thread runs until the process ends.
class CompileThread {
public:
  struct Options {
    CompileFunction compile;
    ContextFactory contexts;
    /// The context is renewed after this many compilations, or bytes of input.
    size_t renewAfterCompiles = 1000, renewAfterBytes = size_t(16) << 20;
    size_t stackSize = size_t(64) << 20;
    /// The compiler is off after this many falls; after a signal, or for lack of
    /// memory, at once.
    int fallsAllowed = 3;
  };

  explicit CompileThread(const Options &options);
  CompileThread(const CompileThread &) = delete;

  /// Compiles on the thread and waits. From any thread; callers queue. `fault`
  /// is what nets::commitFault commits first, or null.
  CompileResult run(const tenon_compile_request &request, const char *fault = nullptr);

private:
  struct Job;
  struct Worker;
  struct State;
  static void *threadMain(void *worker);
  static void body(void *worker);
  static Worker *start(const Options &options);

  const Options options_;
  State *const state_;
};

} // namespace tenon::compiler
