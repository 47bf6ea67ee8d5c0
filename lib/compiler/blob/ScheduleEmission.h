//===- ScheduleEmission.h - from a grouped function to a schedule ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/lower/Kernels.h"

namespace tenon::compiler {

/// Fills everything but `kernels`. Linear in the ops. "" or what is wrong: a
/// size that no argument gives a value.
std::string emitSchedule(mlir::FunctionOpInterface function, const KernelTable &kernels, rt::Schedule &schedule);

} // namespace tenon::compiler
