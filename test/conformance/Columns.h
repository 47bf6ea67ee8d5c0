//===- Columns.h - the transformation of each column ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Case.h"

#include <tenon/jit.h>

namespace tenon::conformance {

/// Transforms a function as the column says. `mapped` says which inputs vmap maps; `options` are those of the jit in
/// jit.grad and grad.jit.
Function columnFunction(const Function &function, Column column, const std::vector<bool> &mapped, JitOptions options);

/// Why a case has no cell in this column, or "".
std::string reasonAgainst(const Case &of, Column column);

} // namespace tenon::conformance
