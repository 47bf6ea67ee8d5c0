//===- Program.cpp - one compiled, or interpreted, program -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Program.h"

#include "lib/ops/EagerRegions.h"
#include "lib/ops/Statistics.h"

using namespace tenon;
using namespace tenon::detail;

Program::~Program() = default;

ProgramRef Program::interpreted(TraceRef trace) {
  ProgramRef program(new Program);
  program->bytes_ = sizeof(Program);
  program->trace_ = std::move(trace);
  return program;
}

InlineVector<Array, 4> Program::run(std::span<const Array> inputs, std::span<const bool>, Location) {
  ++counters().interpretedPrograms;
  InterpretRegions regions;
  InlineVector<Array, 4> outputs;
  for (Array &output : evaluateTrace(*trace_, inputs))
    outputs.push_back(std::move(output));
  return outputs;
}

InlineVector<Array, 4> tenon::runProgram(Program &program, std::span<const Array> inputs,
                                         std::span<const bool> donated, Location at) {
  return program.run(inputs, donated, at);
}
