//===- ir_fuzz.cpp - mutated IR text must not crash passes or the compiler --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ir_fuzz [mutants = 20000] [seed = 1] [first = 0]: mutates the inputs of the lit suites and runs every pass and
// pipeline of tenon-opt, and the compilation of tenon-run, on those that parse and verify. Each batch is a process
// of its own: a mutant that ends in a signal, in an exit or not at all is printed with the pass it ran, and the exit
// status is 1. `ir_fuzz 1 SEED NUMBER` runs one mutant again.
//===----------------------------------------------------------------------===//
#include "IrMutator.h"

#include "dialect/ir/TenonDialect.h"
#include "lib/compiler/border/Compile.h"
#include "lib/compiler/import/Unparsable.h"
#include "lib/compiler/pipelines/Pipelines.h"
#include "tools/tenon-opt/Transformations.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/thread.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenon;

namespace {

/// What a batch tells, also one that ends in a signal.
struct Progress {
  uint64_t at, accepted, changed;
  char stage[256];
};

/// By themselves, and in the order of the compiler. The passes of MLIR's that tenon-opt knows besides are upstream's.
constexpr const char *pipelines[] = {
    "tenon-inline-calls",
    "tenon-open-composites",
    "tenon-cse",
    "tenon-simplify",
    "tenon-group",
    "tenon-kernel-to-linalg",
    "tenon-vectorize",
    "tenon-vectorize{tails-apart=true}",
    "tenon-grad",
    "tenon-grad{wrt=0,1 value=true}",
    "tenon-jvp",
    "tenon-vmap{size=3}",
    "tenon-inline-calls,tenon-open-composites,tenon-simplify,tenon-group,tenon-kernel-to-linalg,tenon-vectorize,"
    "tenon-kernel-to-llvm",
    "tenon-group,tenon-kernel-to-linalg,tenon-vectorize{tails-apart=true}",
};
constexpr const char *stages[] = {"blob", "trace", "ptx"};

/// Seconds of a core, and bytes, that a mutant may take: more is a fault too.
constexpr int kMostSeconds = 20;
constexpr rlim_t kMostMemory = rlim_t(8) << 30;
constexpr uint64_t kBatch = 100;
/// As tenon-opt's.
constexpr std::optional<unsigned> kStackBytes = 1u << 30;

/// Whether text that MLIR's parser refuses may damage its heap. A bug of MLIR 22 (mlir-opt has it, too, which valgrind
/// shows): where the region of linalg.generic does not parse, the parser frees it, though an op in front of it may
/// use its values, and writes there when it frees that op:
///   func.func @f(%x: tensor<1xf32>) {
///     "test.use"(%a) : (f32) -> ()
///     linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
///         outs(%x : tensor<1xf32>) {
///     ^bb0(%a: f32):
///       linalg.yield %a : f32
///     ^bb0:
///     }
///     return
///   }
bool damagesMlirsHeap(const std::string &text) {
  if (text.find("linalg.") == text.npos)
    return false;
  struct Mention {
    int depth;
    bool isDefinition;
  };
  std::map<std::string, Mention> names; // of a function, where they stand first
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '{';
    depth -= text[at] == '}';
    if (depth == 0 && text[at] == '}')
      names.clear();
    if (text[at] != '%')
      continue;
    const size_t end = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at + 1), text.size());
    const size_t next = std::min(text.find_first_not_of(' ', end), text.size());
    // As MLIR prints them: `%a: f32` is an argument, `%a : f32` is not.
    const bool isDefinition = text.substr(end, 1) == ":" || text.substr(next, 1) == "=";
    const auto [found, isFirst] = names.try_emplace(text.substr(at, end - at), Mention{depth, isDefinition});
    if (!isFirst && isDefinition && !found->second.isDefinition && depth > found->second.depth)
      return true;
  }
  return false;
}

class Batch {
public:
  explicit Batch(Progress &progress)
      : progress_(progress), compiler_({compiler::createMlirContext, compiler::destroyMlirContext}) {
    context().loadDialect<mlir::memref::MemRefDialect>();
    for (const char *pipeline : pipelines) {
      managers_.push_back(std::make_unique<mlir::PassManager>(&context(), mlir::ModuleOp::getOperationName()));
      if (failed(mlir::parsePassPipeline(pipeline, *managers_.back())))
        std::abort();
    }
  }

  void run(const std::string &text) {
    mlir::ScopedDiagnosticHandler quiet(&context(), [](mlir::Diagnostic &) { return mlir::success(); });
    enter("the parser");
    if (compiler::findUnparsable(text) || damagesMlirsHeap(text))
      return;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context()));
    if (!module)
      return;
    ++progress_.accepted;
    for (auto [pipeline, manager] : llvm::zip_equal(pipelines, managers_)) {
      enter(pipeline);
      mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
      progress_.changed += succeeded(manager->run(*copy));
      enter("the printer");
      std::string printed;
      llvm::raw_string_ostream(printed) << *copy;
    }
    for (const char *stage : stages)
      compile(text, stage);
  }

private:
  mlir::MLIRContext &context() { return compiler_.mlirContext(); }
  void enter(const char *stage) { std::strncpy(progress_.stage, stage, sizeof progress_.stage - 1); }

  void compile(const std::string &text, const char *stage) {
    enter(stage);
    tenon_compile_request request{};
    request.abi = TENON_COMPILER_ABI;
    request.trace = text.data();
    request.trace_size = text.size();
    request.emit = stage;
    request.input_format = "mlir";
    std::string out, error;
    compiler::compileRequest(compiler_, request, out, error);
  }

  Progress &progress_;
  compiler::CompileContext compiler_;
  std::vector<std::unique_ptr<mlir::PassManager>> managers_;
};

std::vector<std::string> seedFiles() {
  const char *source = std::getenv("TENON_SOURCE_DIR");
  const std::filesystem::path test = std::filesystem::path(source ? source : ".") / "test";
  std::vector<std::filesystem::path> paths;
  for (const char *suite : {"Compiler", "Dialect", "Execution", "Tools", "Transform"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(test / suite))
      if (entry.path().extension() == ".mlir")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const std::filesystem::path &path : paths) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    files.push_back(text.str());
  }
  return files;
}

void limit() {
  const rlimit none{0, 0}, memory{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_AS, &memory);
}

void setTimer(int seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

} // namespace

int main(int argc, char **argv) {
  auto argument = [&](int number, uint64_t otherwise) {
    return argc > number ? std::strtoull(argv[number], nullptr, 10) : otherwise;
  };
  const uint64_t first = argument(3, 0), end = first + argument(1, 20000), seed = argument(2, 1);
  fuzz::IrMutator mutator(seedFiles());
  if (!mutator.size()) {
    std::fprintf(stderr, "ir_fuzz: expected the lit suites in TENON_SOURCE_DIR\n");
    return 1;
  }
  compiler::registerPipelines();
  registerTransformations();
  auto *progress = static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  auto mutant = [&](uint64_t number) { return mutator.mutated(seed * 1000000007 + number); };
  uint64_t faults = 0;
  for (uint64_t next = first; next < end;) {
    const uint64_t last = std::min(next + kBatch, end);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      limit();
      llvm::thread worker(kStackBytes, [&] {
        Batch batch(*progress);
        for (uint64_t number = next; number < last; ++number) {
          progress->at = number;
          setTimer(kMostSeconds);
          batch.run(mutant(number));
        }
      });
      worker.join();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      next = last;
      continue;
    }
    ++faults;
    const std::string how = !WIFSIGNALED(status)          ? "exited with " + std::to_string(WEXITSTATUS(status))
                            : WTERMSIG(status) == SIGPROF ? "did not end"
                                                          : strsignal(WTERMSIG(status));
    std::printf("---- mutant %lu of seed %lu, in %s: %s\n%s", progress->at, seed, progress->stage, how.c_str(),
                mutant(progress->at).c_str());
    next = progress->at + 1;
  }
  std::printf("%lu mutants of %zu inputs, seed %lu: %lu verified, %lu runs of passes succeeded, %lu faults\n",
              end - first, mutator.size(), seed, progress->accepted, progress->changed, faults);
  return faults != 0;
}
