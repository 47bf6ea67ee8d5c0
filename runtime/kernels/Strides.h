//===- Strides.h - strides of views ---------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/kernels/Kernel.h"

#include <optional>

namespace tenon::rt {

/// Strides and offset, in elements, of the result of a view op (reshape,
/// transpose, broadcast_to, slice) over `x`; `dims` are the result's sizes, as
/// many strides are written. No value for a reshape that strides cannot say.
std::optional<int64_t> viewStrides(OpCode op, const View &x, AttrWords attributes, std::span<const int64_t> dims,
                                   int64_t *strides);

/// Row-major strides of `dims`.
void denseStrides(std::span<const int64_t> dims, int64_t *strides);

} // namespace tenon::rt
