//===- Below.h - an op on the values that others stand on ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon {

/// The same op on the values below its operands. What it updates in place must have one
/// handle above, too: the value there may be somebody else's while that below is its own.
inline Bind onValuesBelow(const Bind &bind, std::span<detail::Value *const> below) {
  Bind result = bind;
  result.operands = below;
  const int updated = opInfo(bind.op).updated;
  result.mayUpdate = bind.mayUpdate && updated >= 0 &&
                     __atomic_load_n(&bind.operands[static_cast<size_t>(updated)]->references, __ATOMIC_ACQUIRE) == 1;
  return result;
}

} // namespace tenon
