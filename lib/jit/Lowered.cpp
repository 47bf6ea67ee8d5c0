//===- Lowered.cpp - looking at and saving what was traced --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/File.h"
#include "lib/jit/CompilerPlugin.h"
#include "lib/jit/Program.h"

using namespace tenon;
using namespace tenon::detail;

Lowered::Lowered(const Trace *trace) : trace_(trace) {}
Lowered::Lowered(const Lowered &other) : trace_(TraceRef::share(other.trace_).detach()) {}
Lowered::~Lowered() { TraceRef release(trace_); }

std::string Lowered::trace() const { return trace_->str(); }

static std::string compileTo(const Trace &trace, std::string_view stage) {
  std::vector<std::byte> side = trace.sideTable();
  CompileReply reply = compileTrace(trace.bytes(), side, stage);
  if (!reply.ok())
    throw InternalError(trace.body().name + ": " + reply.text +
                        (reply.replayCommand.empty() ? "" : "\n  replay: " + reply.replayCommand));
  return std::move(reply.data);
}

std::string Lowered::stage(std::string_view name) const { return compileTo(*trace_, name); }
void Lowered::save_trace(const std::string &path) const { saveTrace(*trace_, path); }
void Lowered::save_blob(const std::string &path) const {
  std::string blob = compileTo(*trace_, "blob");
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte *>(blob.data()), blob.size());
  writeFile("program", path, std::span(&bytes, 1));
}

LoadedProgram::LoadedProgram(const LoadedProgram &other) : program_(other.program_) { program_->retain(); }
LoadedProgram::~LoadedProgram() { program_->release(); }

std::vector<Array> LoadedProgram::operator()(const Arrays &inputs, Location at) const {
  for (const Array &input : inputs)
    if (!input.has_value() || !input.value()->isBuffer())
      throw Error("a loaded program takes arrays whose values are known", at);
  std::vector<Array> outputs;
  for (Array &output : program_->run({inputs.begin(), inputs.size()}, {}, at))
    outputs.push_back(std::move(output));
  return outputs;
}

LoadedProgram tenon::load_program(const std::string &path) {
  InputFile file("program", path);
  std::vector<std::byte> blob(file.remaining());
  file.read(blob, "the program");
  std::string error;
  ProgramRef program = Program::fromBlob(blob, error);
  if (!program)
    file.fail(error);
  program->retain(); // for the handle
  return LoadedProgram(program.get());
}
