//===- tenon-run.cpp - runs a saved trace or a .mlir, or prints a stage of it -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/File.h"
#include "lib/jit/CompilerPlugin.h"
#include "lib/jit/Program.h"
#include "lib/ops/Statistics.h"

#include <tenon/io.h>

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

using namespace tenon;
using namespace tenon::detail;

namespace {
struct Options {
  std::string file, emit = "run", outputPrefix, features;
  std::vector<std::string> inputs;
  bool interpret = false, statistics = false;
};
} // namespace

static std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw Error("expected a readable file\n  file: " + path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

static std::span<const std::byte> bytesOf(const std::string &text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

/// A file that is neither a saved trace nor a blob is MLIR text.
static bool isMlir(const std::string &path) {
  return path.size() > 5 && path.compare(path.size() - 5, 5, ".mlir") == 0;
}

static std::string compileFile(const Options &options, std::string_view emit) {
  CompileReply reply;
  if (isMlir(options.file)) {
    reply = compileMlir(readAll(options.file), emit, options.features, options.file);
  } else {
    TraceRef trace = loadTrace(options.file);
    reply = compileTrace(trace->bytes(), trace->sideTable(), emit, options.features);
  }
  if (!reply.ok())
    throw Error(options.file + ": " + reply.text);
  if (!reply.text.empty())
    std::cerr << reply.text << "\n";
  return std::move(reply.data);
}

static TraceRef traceOf(const Options &options) {
  if (!isMlir(options.file))
    return loadTrace(options.file);
  std::string packed = compileFile(options, "trace");
  return unpackTrace(bytesOf(packed), options.file);
}

static ProgramRef programFor(const Options &options) {
  if (options.interpret)
    return Program::interpreted(traceOf(options));
  std::string blob = options.file.ends_with(".blob") ? readAll(options.file) : compileFile(options, "blob"), error;
  ProgramRef program = Program::fromBlob(bytesOf(blob), error);
  if (!program)
    throw Error(options.file + ": " + error);
  return program;
}

static void run(const Options &options) {
  if (options.emit == "text") {
    std::cout << traceOf(options)->str();
    return;
  }
  if (options.emit != "run") {
    std::cout << compileFile(options, options.emit);
    return;
  }
  std::vector<Array> inputs;
  for (const std::string &path : options.inputs)
    inputs.push_back(load_npy(path, {}));
  ProgramRef program = programFor(options);
  auto outputs = runProgram(*program, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::cout << outputs[i] << "\n";
    if (!options.outputPrefix.empty())
      save_npy(options.outputPrefix + std::to_string(i) + ".npy", outputs[i], {});
  }
  if (options.statistics) {
    Statistics ran = statistics();
    std::cerr << "generated kernels " << ran.generatedKernels << ", library steps " << ran.librarySteps
              << ", eager kernels " << ran.eagerKernels << "\n";
  }
}

int main(int argc, char **argv) {
  CLI::App app("Runs a saved trace, a blob or a .mlir file on .npy inputs, or prints one stage of its compilation.");
  Options options;
  app.add_option("file", options.file, "a .mlir file, a saved trace (save_trace, a reproducer) or a .blob")->required();
  app.add_option("inputs", options.inputs, "one .npy file per input");
  app.add_option("--emit", options.emit,
                 "run, text (the trace), or a stage: trace tenon simplified grouped linalg vector llvm asm ptx blob")
      ->capture_default_str();
  app.add_flag("--interpret", options.interpret, "run the trace op by op, without the compiler's code");
  app.add_option("--output", options.outputPrefix, "write result i to PREFIX<i>.npy");
  app.add_option("--features", options.features, "ISA features to compile for, as +avx2,+fma; default: this CPU's");
  app.add_flag("--statistics", options.statistics, "say on standard error what ran");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception &error) {
    std::cerr << "tenon-run: error: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
