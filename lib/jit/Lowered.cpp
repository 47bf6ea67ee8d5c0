//===- Lowered.cpp - looking at and saving what was traced --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/File.h"
#include "lib/program/CompilerPlugin.h"
#include "lib/program/Program.h"
#include "lib/trace/HostFunction.h"

#include <tenon/jit.h>

using namespace tenon;
using namespace tenon::detail;

Lowered::Lowered(const Trace *trace, std::vector<Array> captured) : trace_(trace), captured_(std::move(captured)) {}
Lowered::Lowered(const Lowered &other) : trace_(TraceRef::share(other.trace_).detach()), captured_(other.captured_) {}
Lowered::~Lowered() { TraceRef release(trace_); }

std::string Lowered::trace() const { return trace_->str(); }

std::string Lowered::stage(std::string_view name, Location at) const {
  std::vector<std::byte> side = trace_->sideTable();
  CompileReply reply = compileTrace(trace_->bytes(), side, name);
  if (!reply.ok())
    throwNotCompiled(*trace_, reply, at);
  return std::move(reply.data);
}
/// What calls the host is of use to this process alone.
static void expectNoHostCall(const Trace &trace, const char *what, Location at) {
  if (!trace.callsHost())
    return;
  const std::string place = placeOfHostCall(trace);
  throw Error(std::string(what) + ": expected a function without host_call, whose C++ function cannot be saved, got " +
                  trace.body().name + ", which calls one" + (place.empty() ? "" : " at " + place),
              at);
}

void Lowered::save_trace(const std::string &path, Location at) const {
  expectNoHostCall(*trace_, "save_trace", at);
  placed(at, [&] { saveTrace(*trace_, path); });
}
void Lowered::save_blob(const std::string &path, Location at) const {
  expectNoHostCall(*trace_, "save_blob", at);
  ProgramRef program = compiledProgramOf(TraceRef::share(trace_), at);
  std::span<const std::byte> blob = program->blob();
  placed(at, [&] { writeFile("save_blob", path, std::span(&blob, 1)); });
}

LoadedProgram::LoadedProgram(const LoadedProgram &other) : program_(other.program_) { program_->retain(); }
LoadedProgram::~LoadedProgram() { program_->release(); }

std::vector<Array> LoadedProgram::operator()(const Arrays &inputs, Location at) const {
  size_t number = 0;
  for (const Array &input : inputs) {
    if (!input.has_value())
      throw Error("input " + std::to_string(number) + ": expected an array, got an empty Array", at);
    if (!input.value()->isBuffer())
      throwNotKnown(input.value(), ("input " + std::to_string(number)).c_str(), at);
    ++number;
  }
  std::vector<Array> outputs;
  for (Array &output : runProgram(*program_, {inputs.begin(), inputs.size()}, at))
    outputs.push_back(std::move(output));
  return outputs;
}

LoadedProgram tenon::load_program(const std::string &path, Location at) {
  return placed(at, [&] {
    ProgramRef program = Program::fromFile(path);
    program->retain(); // for the handle
    return LoadedProgram(program.get());
  });
}
