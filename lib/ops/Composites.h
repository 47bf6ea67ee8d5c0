//===- Composites.h - what composites and other ops share ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

namespace tenon::detail {

/// x as truth values: bool.
Array truthOf(const Operand &x);

} // namespace tenon::detail
