//===- FakeCompile.cpp - a compiler that does what its input says -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for the pipelines, so that the border is tested without them. Input:
//   echo TEXT     the output is TEXT
//   refuse TEXT   an error of the user, TEXT
//   wait FILE     makes FILE, then waits until it is gone
//   context       a number that is new whenever the MLIRContext is
//   piece         how often the piece of the context was used
//   llvm TEXT     an LLVM IR module with a named function, printed
//   stage         falls in the stage "vector"
//   exit          calls exit(1) with an LLVM context nobody configured
//   depth         bytes of stack that could be used
//   nested        what the border says to a request made while it compiles
//===----------------------------------------------------------------------===//
#include "lib/compiler/border/Compile.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

using namespace tenon::compiler;

/// LLVM has many such globals. Every test ends with exit(0), so each sees whether
/// the plug-in's destructors run.
static struct EndsTheProcess {
  ~EndsTheProcess() { _exit(97); }
} endsTheProcess;

static int contextsMade = 0, contextsDestroyed = 0;

mlir::MLIRContext *tenon::compiler::createMlirContext() {
  ++contextsMade;
  return new mlir::MLIRContext;
}

void tenon::compiler::destroyMlirContext(mlir::MLIRContext *context) {
  ++contextsDestroyed;
  delete context;
}

static size_t useStack(size_t frames) {
  volatile char frame[65536];
  for (size_t i = 0; i < sizeof(frame); i += 4096)
    frame[i] = char(frames);
  return sizeof(frame) + (frames ? useStack(frames - 1) : 0) + frame[0] * 0;
}

bool tenon::compiler::compileRequest(CompileContext &context, const tenon_compile_request &request, std::string &out,
                                     std::string &error) {
  std::string input(static_cast<const char *>(request.trace), request.trace_size);
  std::string word = input.substr(0, input.find(' '));
  std::string rest = word.size() == input.size() ? "" : input.substr(word.size() + 1);
  if (word == "echo") {
    out = rest + std::string(static_cast<const char *>(request.locations), request.locations_size);
    context.kernels = 3;
    context.newKernels = 2;
    context.librarySteps = 5;
    return true;
  }
  if (word == "refuse") {
    error = rest;
    return false;
  }
  if (word == "wait") {
    close(open(rest.c_str(), O_CREAT | O_WRONLY, 0600));
    while (!access(rest.c_str(), F_OK))
      usleep(1000);
    out = "waited";
    return true;
  }
  if (word == "context") {
    mlir::MLIRContext &mlir = context.mlirContext();
    bool works = mlir::IntegerType::get(&mlir, 17).getWidth() == 17 && !mlir.isMultithreadingEnabled();
    out = works ? std::to_string(contextsMade) + "/" + std::to_string(contextsDestroyed) : "broken";
    return true;
  }
  if (word == "piece") {
    struct Counter {
      int uses = 0;
    };
    out = std::to_string(++context.piece<Counter>().uses);
    return true;
  }
  if (word == "llvm") {
    llvm::LLVMContext llvm;
    nets::configure(llvm);
    llvm::Module module(rest, llvm);
    llvm::raw_string_ostream(out) << module;
    return true;
  }
  if (word == "stage") {
    context.enterStage("vector");
    llvm::reportFatalInternalError("planted in a stage");
  }
  if (word == "exit") {
    llvm::LLVMContext llvm;
    llvm.emitError("nobody listens");
    return true;
  }
  if (word == "depth") {
    out = std::to_string(useStack((size_t(60) << 20) / 65536));
    return true;
  }
  if (word == "nested") {
    tenon_compile_reply reply;
    tenon_compiler_compile(&request, &reply);
    out = reply.text;
    tenon_compiler_release(&reply);
    return true;
  }
  error = "expected a known word, got '" + word + "'";
  return false;
}
