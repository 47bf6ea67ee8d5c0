//===- PaddingOf.h - padding as numbers ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/padding.h>

namespace tenon::detail {

/// How many elements are added before and after each spatial axis.
struct LowHigh {
  std::vector<int64_t> low, high;
};

/// The padding of spatial axes of these sizes (of a dilated array: the dilated ones), over which windows of `window`
/// taps move that are `dilation` places apart. All lists have one element per axis, the last three numbers >= 1. Sizes
/// are read only by `same` with a stride above 1, which is an Error where the remainder size % stride is not known.
LowHigh paddingOf(const Padding &padding, std::span<const Dim> sizes, std::span<const int64_t> window,
                  std::span<const int64_t> strides, std::span<const int64_t> dilation, Location at);

/// The remainder of floor division, where it is the same for every value of the symbols.
std::optional<int64_t> remainderOf(Dim size, int64_t divisor);
/// The distance from the first tap of a window to its last; what i64 cannot count with is an Error.
int64_t reachOf(int64_t window, int64_t dilation, Location at);

} // namespace tenon::detail
