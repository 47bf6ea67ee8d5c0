//===- Shortening.cpp - shortens a program that fails --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Programs.h"

#include <cstdlib>
#include <set>

namespace tenon::fuzz {

/// The values that a step reads, as its text names them.
static std::set<size_t> readBy(const Step &step) {
  std::set<size_t> values;
  for (size_t at = step.text.find("v["); at != std::string::npos; at = step.text.find("v[", at + 1))
    values.insert(std::strtoul(step.text.c_str() + at + 2, nullptr, 10));
  return values;
}

/// The program with a number for what nobody reads, but for the first input; such steps have no text.
static Program withoutUnread(Program program) {
  std::set<size_t> read(program.outputs.begin(), program.outputs.end());
  for (size_t step = program.steps.size(); step-- > 0;) {
    if (read.contains(program.inputs.size() + step))
      read.merge(readBy(program.steps[step]));
    else
      program.steps[step] = {"", [](const List &) { return Array(0); }};
  }
  for (size_t i = 1; i < program.inputs.size(); ++i)
    if (!read.contains(i))
      program.inputs[i] = 0;
  return program;
}

/// Whether it makes sense, as far as itself.
static bool runs(const Program &program) {
  try {
    program.run(program.inputs);
    return true;
  } catch (const Error &) {
    return false;
  }
}

/// The program with no more than `most` along the axes of its inputs that have `size`.
static Program ofFewer(Program program, int64_t size, int64_t most) {
  for (Array &input : program.inputs) {
    Shape stops = input.shape(), starts;
    for (int i = 0; i < input.ndim(); ++i) {
      starts.push_back(0);
      if (static_cast<int64_t>(input.shape()[i]) == size)
        stops.at(i) = most;
    }
    input = slice(input, starts, stops);
  }
  return program;
}

Program shortened(Program program, const FaultOf &faultOf) {
  const std::string fault = faultOf(program);
  auto take = [&](Program candidate) {
    const bool isWrong = runs(candidate) && faultOf(candidate) == fault;
    if (isWrong)
      program = std::move(candidate);
    return isWrong;
  };
  for (size_t i = 0; program.outputs.size() > 1 && i < program.outputs.size();) {
    Program fewer = program;
    fewer.outputs.erase(fewer.outputs.begin() + static_cast<long>(i));
    if (!take(std::move(fewer)))
      ++i;
  }
  take(withoutUnread(program));
  std::set<int64_t> all;
  for (const Array &input : program.inputs)
    for (int64_t size : sizes(input))
      all.insert(size);
  for (int64_t size : all)
    for (int64_t most : {int64_t{1}, int64_t{2}, size / 2})
      if (most < size && take(ofFewer(program, size, most)))
        break;
  const List values = program.start(program.inputs, program.steps.size());
  for (size_t step = program.steps.size(); step-- > 0;) {
    Program given = program;
    const Array value = values[program.inputs.size() + step];
    given.steps[step] = STEP((value), value);
    take(std::move(given));
  }
  take(withoutUnread(program));
  return program;
}

} // namespace tenon::fuzz
