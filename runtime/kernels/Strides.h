//===- Strides.h - strides of views ---------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/model/Views.h"
#include "runtime/kernels/Kernel.h"

#include <optional>

namespace tenon::rt {

/// Whether a result of sizes `dims` that lies in `x` so has its elements inside of it.
bool isInside(const ViewMap &map, const View &x, std::span<const int64_t> dims);

/// Strides and offset, in elements, of a result of sizes `dims` that lies in `x` so; as
/// many strides are written. No value for another order than strides can say.
std::optional<int64_t> viewStrides(const ViewMap &map, const View &x, std::span<const int64_t> dims, int64_t *strides);

/// Row-major strides of `dims`.
void denseStrides(std::span<const int64_t> dims, int64_t *strides);

} // namespace tenon::rt
