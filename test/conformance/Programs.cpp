//===- Programs.cpp - random programs -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three to eight ops on matrices, each on earlier values. Fusion must not change a bit. Half of the programs have only
// ops that round correctly, and are compared with NumPy bit by bit. The others have exp, tanh and softmax, too, and run
// in all columns; there the modes are compared with each other only.
//===----------------------------------------------------------------------===//
#include "test/conformance/Inputs.h"

#include <tenon/ops.h>

namespace tenon::conformance {
namespace {

struct ProgramOp {
  const char *name;
  int operands;
  Array (*call)(const Array &x, const Array &y);
};

const ProgramOp exactOps[] = {
    {"add", 2, [](const Array &x, const Array &y) { return x + y; }},
    {"subtract", 2, [](const Array &x, const Array &y) { return x - y; }},
    {"multiply", 2, [](const Array &x, const Array &y) { return x * y; }},
    {"maximum", 2, [](const Array &x, const Array &y) { return maximum(x, y); }},
    {"minimum", 2, [](const Array &x, const Array &y) { return minimum(x, y); }},
    {"negative", 1, [](const Array &x, const Array &) { return -x; }},
    {"abs", 1, [](const Array &x, const Array &) { return abs(x); }},
    {"sum", 1, [](const Array &x, const Array &) { return sum(x, 1, true); }},
    {"max", 1, [](const Array &x, const Array &) { return max(x, 1, true); }},
    {"exp", 1, [](const Array &x, const Array &) { return exp(x); }},
    {"tanh", 1, [](const Array &x, const Array &) { return tanh(x); }},
    {"softmax", 1, [](const Array &x, const Array &) { return softmax(x, 1); }},
};
constexpr int exactCount = 9;

struct Step {
  int op;
  size_t x, y;
};

} // namespace

void programCases(CaseList &list) {
  Dtype t = list.dtype();
  int count = t == Dtype::f32 ? 24 : 6;
  for (int number = 0; number < count; ++number) {
    bool isExact = number % 2 == 0;
    Numbers numbers(format("program {}", number));
    int64_t rows = 1 + numbers.below(9), columns = 1 + numbers.below(70);
    std::vector<Step> steps;
    std::string text;
    int64_t length = 3 + numbers.below(6);
    for (int64_t i = 0; i < length; ++i) {
      size_t known = 2 + steps.size();
      int op = static_cast<int>(numbers.below(isExact ? exactCount : static_cast<int64_t>(std::size(exactOps))));
      // Every step uses the newest value, so that no step is dead code.
      Step step{op, known - 1, static_cast<size_t>(numbers.below(static_cast<int64_t>(known)))};
      steps.push_back(step);
      text += format("{}[\"{}\", {}", i ? ", " : "", exactOps[op].name, step.x);
      text += exactOps[op].operands == 2 ? format(", {}]", step.y) : std::string("]");
    }
    Function f = [steps](const std::vector<Array> &x) {
      std::vector<Array> values = x;
      for (const Step &step : steps)
        values.push_back(exactOps[step.op].call(values[step.x], values[step.y]));
      return std::vector{values.back()};
    };
    Case &made = list.plain(format("{} of {}x{}", number, rows, columns), {{t, {rows, columns}}, {t, {rows, 1}}}, f,
                            "\"steps\": [" + text + "]");
    made.allColumns = !isExact;
    made.referenceUlp = isExact ? 0 : -1;
  }
}

} // namespace tenon::conformance
