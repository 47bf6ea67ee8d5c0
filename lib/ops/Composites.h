//===- Composites.h - decompositions that rules fall back to ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

namespace tenon::detail {

/// x as truth values: bool.
Array truthOf(const Operand &x);
/// max, subtract, exp, sum, divide along `axis`, which is not negative.
Array softmaxDecomposition(const Array &x, int64_t axis);

} // namespace tenon::detail
