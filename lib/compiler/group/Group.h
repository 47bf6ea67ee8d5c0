//===- Group.h - the one place where fusion is decided --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/compiler/group/Costs.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace tenon::compiler {

/// Wraps ops of `function`, and of the regions of its ops, into tenon.kernel
/// and orders them anew; linear in the ops. "" or what is wrong with the
/// function: its types, more than one block, regions of another dialect's ops.
std::string groupFunction(mlir::FunctionOpInterface function, const GroupCosts &costs);

} // namespace tenon::compiler
