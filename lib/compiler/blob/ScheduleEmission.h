//===- ScheduleEmission.h - from a grouped function to a schedule ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/compiler/import/NamedTypes.h"
#include "lib/compiler/kernels/Kernels.h"

namespace tenon::compiler {

/// Fills everything but `kernels`. Linear in the ops. "" or what is wrong: a
/// size that no argument gives a value. `requirements`: what has to hold of the
/// sizes; the first of equal ones is kept.
std::string emitSchedule(mlir::FunctionOpInterface function, const KernelTable &kernels,
                         llvm::ArrayRef<PlacedRequirement> requirements, rt::Schedule &schedule);

} // namespace tenon::compiler
