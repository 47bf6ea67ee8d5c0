//===- Normalization.h - what normalizations share --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

#include <span>

namespace tenon::detail {

/// The sizes of `axes` of x.
Shape sizesOf(const Array &x, std::span<const int64_t> axes);

/// `parameter`, of the sizes of the ascending `axes` of x, in a shape that broadcasts to x.
Array besideX(const Array &parameter, const Array &x, std::span<const int64_t> axes);
inline Array besideX(const Array &parameter, const Array &x, std::initializer_list<int64_t> axes) {
  return besideX(parameter, x, std::span(axes.begin(), axes.size()));
}

} // namespace tenon::detail
