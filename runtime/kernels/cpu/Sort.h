//===- Sort.h - rows of elements in order ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order is NumPy's: by value, -0 equal to +0, NaNs last; complex numbers by
// their real parts, then by their imaginary ones, those with a NaN last: first
// where it is the imaginary part, then the real one, then both. What is equal
// (zeros of either sign, all NaNs) stays in the order it had, and an element
// keeps its bits. Descending is that order of the values reversed: what is equal
// still stays in its order, and NaNs are still last.
//
// So a result is one thing, whatever the algorithm and the number of threads.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

/// Whether arrays of this dtype can be keys: all that is computed with.
constexpr bool isSortable(Dtype dtype) { return !is_storage(dtype); }

/// Sorts x along `axis`: its elements into `values`, the positions along the axis
/// which they had into `indices` (i64). Either may be null; both are dense.
Status sortRows(const View &x, int axis, bool isDescending, const View *values, const View *indices,
                const uint32_t *cancel);

/// Sorts arrays of the same dims together along `axis`, by the first `keys` of them:
/// by the first one, what is equal there by the second one, and so on. `results` has
/// an array for each operand, or is empty; `indices` may be null. All are dense.
Status sortTogether(std::span<const View> operands, int keys, int axis, bool isDescending,
                    std::span<const View> results, const View *indices, const uint32_t *cancel);

} // namespace tenon::rt::TENON_ISA
