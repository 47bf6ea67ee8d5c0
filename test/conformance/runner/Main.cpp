//===- Main.cpp - runs saved programs for the conformance test --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads three lines, the paths of a blob, of its inputs and of its results, runs
// it and answers `ok KERNELS LIBRARY-STEPS EAGER-KERNELS INTERPRETED` or an
// error, until its input ends. What programs print goes to standard error.
//===----------------------------------------------------------------------===//
#include "test/conformance/Files.h"

#include <tenon/jit.h>
#include <tenon/statistics.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <unistd.h>

using namespace tenon;
using namespace tenon::conformance;

static std::string runOne(const std::string &blob, const std::string &inputsPath, const std::string &outputsPath) {
  std::vector<Array> inputs;
  for (const HostData &data : readArrays(inputsPath))
    inputs.push_back(makeArray(data));
  LoadedProgram program = load_program(blob);
  Statistics before = statistics();
  std::vector<Array> results = program(inputs);
  Statistics after = statistics();
  std::vector<HostData> outputs;
  for (const Array &result : results)
    outputs.push_back(readArray(result));
  writeArrays(outputsPath, outputs);
  return format("ok {} {} {} {}", after.generated_kernels - before.generated_kernels,
                after.library_steps - before.library_steps, after.eager_kernels - before.eager_kernels,
                after.interpreted_programs - before.interpreted_programs);
}

int main() {
  std::FILE *answers = fdopen(dup(1), "w");
  dup2(2, 1);
  std::string blob, inputs, outputs;
  while (std::getline(std::cin, blob) && std::getline(std::cin, inputs) && std::getline(std::cin, outputs)) {
    std::string answer;
    try {
      answer = runOne(blob, inputs, outputs);
    } catch (const std::exception &error) {
      answer = std::string("error ") + error.what();
      for (char &c : answer)
        if (c == '\n')
          c = ' ';
    }
    std::fputs((answer + "\n").c_str(), answers);
    std::fflush(answers);
  }
}
