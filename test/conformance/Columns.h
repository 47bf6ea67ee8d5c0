//===- Columns.h - what is done to a function in each column ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/conformance/Case.h"

#include <tenon/jit.h>

namespace tenon::conformance {

/// The function of a column, over all inputs. `mapped` says which inputs vmap
/// maps; `options` are those of the jit in jit.grad and grad.jit.
Function columnFunction(const Function &function, Column column, const std::vector<bool> &mapped, JitOptions options);

/// Why a cell makes no sense; "" if it does.
std::string reasonAgainst(const Case &of, Column column);

} // namespace tenon::conformance
