//===- tenon-run.cpp - runs a saved trace or a .mlir, or prints a stage of it -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Statistics.h"
#include "lib/program/CompilerPlugin.h"
#include "lib/program/Program.h"
#include "runtime/machine/Cpu.h"
#include "runtime/memory/FileBytes.h"
#include "runtime/program/Blob.h"

#include <tenon/io.h>

#include <CLI/CLI.hpp>

#include <cstring>
#include <fstream>
#include <iostream>

using namespace tenon;
using namespace tenon::detail;

namespace {
struct Options {
  std::string file, emit = "run", outputPrefix, features;
  std::vector<std::string> inputs;
  bool interpret = false, statistics = false;
};
} // namespace

static std::string readAll(const std::string &what, const std::string &path) {
  InputFile in(what, path);
  rt::expectMemoryFor(in.remaining(), in);
  std::string text(in.remaining(), '\0');
  in.read(std::as_writable_bytes(std::span(text)), "the file");
  return text;
}

static std::span<const std::byte> bytesOf(const std::string &text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

static bool isMlir(const std::string &path) { return path.ends_with(".mlir"); }

/// A program is known by its name, or by its first bytes.
static bool isBlob(const std::string &path) {
  char start[sizeof rt::kBlobMagic] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return path.ends_with(".blob") || !std::memcmp(start, rt::kBlobMagic, sizeof start);
}

static std::string compileFile(const Options &options, std::string_view emit) {
  CompileReply reply;
  if (isMlir(options.file)) {
    reply = compileMlir(readAll("mlir", options.file), emit, options.features, options.file);
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
  if (isBlob(options.file))
    return Program::fromFile(options.file);
  std::string blob = compileFile(options, "blob"), error;
  ProgramRef program = Program::fromBlob(bytesOf(blob), error);
  if (!program)
    throw Error(options.file + ": " + error);
  return program;
}

/// Throws for options that make no sense together with the file, or at all.
static void check(const Options &options) {
  if (std::string wrong = rt::checkFeatureList(options.features); !wrong.empty())
    throw Error("--features: " + wrong);
  if (!isBlob(options.file))
    return;
  std::string asked = options.interpret          ? "--interpret"
                      : options.emit != "run"    ? "--emit=" + options.emit
                      : options.features.empty() ? ""
                                                 : "--features=" + options.features;
  if (!asked.empty())
    throw Error(options.file + ": expected a saved trace or a .mlir file for " + asked +
                ", got a program: it is machine code, which can only be run");
}

static void run(const Options &options) {
  check(options);
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
    std::cerr << "generated kernels " << ran.generated_kernels << ", library steps " << ran.library_steps
              << ", eager kernels " << ran.eager_kernels << "\n";
  }
}

int main(int argc, char **argv) {
  CLI::App app("Runs a saved Tenon program on .npy files, or prints one stage of its compilation.");
  app.footer(R"(C++ saves a program with f.lower(x).save_trace("f.trace") or f.lower(x).save_blob("f.blob").

  tenon-run f.trace x.npy                  compiles, runs and prints the results
  tenon-run --emit=grouped f.trace         prints which ops are fused into one kernel
  tenon-run --emit=tenon f.trace > f.mlir  writes input for tenon-opt; tenon-run f.mlir x.npy runs it again
  tenon-run --emit=blob f.trace > f.blob   writes a program that runs without the compiler)");
  Options options;
  app.add_option("file", options.file,
                 "a saved trace, a .mlir file, or a compiled program (.blob), which can only be run")
      ->required()
      ->type_name("FILE");
  app.add_option("inputs", options.inputs, "one .npy file per input; arrays captured by the function come last")
      ->type_name("NPY");
  auto *emit = app.add_option("--emit", options.emit,
                              R"(print this instead of running: text (the trace, readable), trace (the trace, binary),
a compiler stage (tenon simplified grouped linalg vector llvm asm ptx), or blob (the
compiled program))")
                   ->type_name("WHAT");
  auto *features =
      app.add_option("--features", options.features, R"(CPU features to compile for, as +avx2,+fma: x86-64-v4 if all
features of that level are listed, otherwise x86-64-v3; default: this CPU)")
          ->type_name("LIST");
  app.add_flag("--interpret", options.interpret,
               "run the trace op by op, without compiled code; results have the same bits")
      ->excludes(emit)
      ->excludes(features);
  app.add_option("--output", options.outputPrefix, "also write result i to PREFIX<i>.npy")->type_name("PREFIX");
  app.add_flag("--statistics", options.statistics, "print the number of kernels and library steps to standard error");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception &error) {
    std::cerr << "tenon-run: error: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
