//===- Steps.cpp - the kernels and library steps of a saved program --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Steps.h"
#include "runtime/program/Blob.h"
#include "runtime/program/Schedule.h"
#include "test/conformance/Files.h"

namespace tenon::conformance {

/// Whether a compiled program may run the op by its eager kernel: library ops, reductions, and the two that copy or
/// fill a result that needs memory of its own.
static bool isAllowed(OpCode op) {
  const Lowering lowering = opInfo(op).lowering;
  return lowering == Lowering::library || lowering == Lowering::reduction || op == OpCode::full ||
         op == OpCode::optimization_barrier;
}

std::string StepCounts::check(const std::string &blob, const Case &of, Column column) {
  std::vector<std::byte> bytes = readFile(blob);
  std::string error;
  rt::BlobView view = rt::BlobView::parse(bytes, error);
  if (!view)
    return error;
  rt::Schedule schedule;
  if (error = rt::parse(view.schedule(), schedule); !error.empty())
    return error;
  ++programs_;
  size_t launches = 0;
  std::string problems;
  for (const rt::ScheduleBody &body : schedule.schedules)
    for (const rt::Step &step : body.steps) {
      launches += step.kind == rt::Step::launch;
      if (step.kind != rt::Step::library)
        continue;
      OpCode op = static_cast<OpCode>(step.target);
      std::string name = opInfo(op).name;
      ++library_[name];
      if (!isAllowed(op))
        problems += format("{}a library step {}", problems.empty() ? "" : ", ", name);
    }
  launches_ += launches;
  bool isElementwise = of.row && of.row->lowering == "elementwise" && column == Column::f;
  bool isEmpty = of.label.find("0x") != std::string::npos || of.label.find("x0") != std::string::npos;
  if (isElementwise && launches == 0 && !isEmpty && of.op != "astype")
    problems += "expected a generated kernel, got none";
  return problems;
}

std::string StepCounts::text() const {
  if (!programs_)
    return "";
  std::string out =
      format("Conformance: {} saved programs launch {} generated kernels; library steps:", programs_, launches_);
  for (const auto &[name, count] : library_)
    out += format(" {} {},", name, count);
  out.back() = '\n';
  return out;
}

} // namespace tenon::conformance
