//===- Planner.h - makes a plan of a schedule for one set of sizes -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/program/Plan.h"

#include <optional>

namespace tenon::rt {

/// Finds the eager kernel of an op; rt::kernel but in tests.
using KernelLookup = Kernel (*)(OpCode op);

/// The plan of a checked schedule for inputs of these dtypes, dims and strides
/// (null: row-major without gaps). Null if
/// they do not fit to it, or a size overflows; `error` says why, in the form
/// `expected X, got Y`. `kernels` are the entries of the schedule's kernels;
/// `lookup` finds the host's eager ones, another device has its own.
PlanRef makePlan(const Schedule &schedule, std::span<const KernelFunction> kernels, KernelLookup lookup,
                 std::span<const View> inputs, std::string &error, const DeviceTable &device = hostDevice);

/// The value of a size of `body` (a checked one) under the symbols' values; no
/// value if a step of it overflows, divides by less than 1, or leaves what a
/// static Dim can hold.
std::optional<int64_t> evaluate(const ScheduleBody &body, SizeExpr size, std::span<const int64_t> symbols);

} // namespace tenon::rt
