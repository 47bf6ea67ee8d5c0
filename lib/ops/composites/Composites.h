//===- Composites.h - what composites and other ops share ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

namespace tenon::detail {

/// x as truth values: bool.
Array truthOf(const Operand &x);

/// Refuses axes that are not those of x in ascending order: in a trace from elsewhere
/// those of a composite are any numbers.
void expectNormal(std::span<const int64_t> axes, const Array &x);

/// x, and where one of `axes` has no elements, or symbols may leave it without any, one
/// more there, of `value`: of none there is no largest one.
Array neverEmpty(const Array &x, std::span<const int64_t> axes, Scalar value);

/// What combines to x with any x, in `dtype`: the highest element by minimum, the lowest by maximum.
Scalar extremeOf(Dtype dtype, bool isHighest);

} // namespace tenon::detail
