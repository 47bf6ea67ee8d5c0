//===- must_fail_lowered_test.cpp - unknown stages, and inputs that a program refuses --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MustFail.h"

#include "lib/program/CompilerPlugin.h"
#include "lib/trace/Interpreter.h"
#include "lib/trace/Trace.h"

#include <tenon/tenon.h>

#include <cstdio>
#include <optional>
#include <unistd.h>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::mustfail;

/// A stage that there is not. A build without a compiler has none at all.
TEST(MustFail, StagesOfAFunction) {
  if (compilerPath().empty())
    return;
  Lowered lowered = jit([](const Array &x) { return sum(x, 1); }).lower(zeros({3, 4}));
  EXPECT_EQ(errorOf([&] { lowered.stage("lingalg"); }, ""),
            "the jit of elsewhere: expected one of the stages trace, tenon, simplified, grouped, linalg, vector, llvm, "
            "asm, ptx, blob, got 'lingalg'\n  at elsewhere");
  EXPECT_EQ(errorOf([&] { lowered.stage("ptx"); }, ""),
            "the jit of elsewhere: expected an elementwise kernel, got none:\n// sum_0 (elsewhere) has no PTX yet: it "
            "reduces along a row\n  at elsewhere");
}

/// A wrong input of a program, however it runs: one sentence. A build without a
/// compiler has interpreted programs only.
TEST(MustFail, InputsOfPrograms) {
  auto f = [](const Array &x, const Array &y) { return x + sum(y); };
  auto traced = jit(f, {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {"n", 2 * Dim("n") + 1}}}});
  Lowered lowered = traced.lower(zeros({3}), zeros({3, 7}));
  std::string path = testing::TempDir() + "tenon-must-fail-inputs-" + std::to_string(getpid());
  lowered.save_trace(path + ".trace");
  TraceRef trace = loadTrace(path + ".trace");
  std::remove((path + ".trace").c_str());
  std::optional<LoadedProgram> compiled;
  if (!compilerPath().empty()) {
    lowered.save_blob(path);
    compiled.emplace(load_program(path));
    std::remove(path.c_str());
  }
  struct {
    std::vector<Array> inputs;
    const char *text;
    /// Of the loaded program, which runs where its first input is.
    const char *loadedText = text;
  } wrong[] = {
      {{zeros({3})}, "expected 2 inputs, got 1"},
      {{zeros({3}, i32), zeros({3, 7})}, "input 0: expected f32[n], got i32[3]"},
      {{zeros({3, 1}), zeros({3, 7})}, "input 0: expected f32[n], got f32[3, 1]"},
      {{zeros({3}), zeros({4, 7})}, "input 1: expected f32[n, 2*n + 1], got f32[4, 7]; n is 3 elsewhere"},
      {{zeros({3}), zeros({3, 8})}, "input 1: expected f32[n, 2*n + 1], got f32[3, 8]"},
      {{to_device(zeros({3}), Device::null), zeros({3, 7})},
       "input 0: expected f32[n], got f32[3] on null:0",
       "input 1: expected f32[n, 2*n + 1] on null:0, got f32[3, 7]"},
  };
  for (const auto &[inputs, text, loadedText] : wrong) {
    if (compiled) {
      EXPECT_EQ(errorOf([&] { (*compiled)(inputs, {}); }, ""), loadedText);
    }
    EXPECT_EQ(errorOf([&] { evaluateTrace(*trace, inputs); }, ""), text);
  }
  if (!compiled)
    return;
  EXPECT_EQ(errorOf([&] { (*compiled)({zeros({3}), Array()}, {}); }, ""),
            "input 1: expected an array, got an empty Array");
  auto outer = jit([&](const Array &x) { return (*compiled)({x, zeros({3, 7})}, {})[0]; });
  EXPECT_EQ(errorOf([&] { outer(zeros({3})); }, ""),
            "input 0: expected an array whose elements are known, got a value of the jit of elsewhere; to choose by a "
            "value use where or cond, to loop scan or while_loop\n  value: f32[3] (arg 0)\n  at elsewhere");
}
