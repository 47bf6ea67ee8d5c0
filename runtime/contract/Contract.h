//===- Contract.h - sums of products, in one order -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine of matrix products and of all that is made of them. An element of
//
//     c(i, j) = sum over l < k of a(i, l) * b(l, j)
//
// is one chain of fused multiply-adds in the order of l, from -0 on; where k is above 4,096,
// blocks of 4,096 are chains, combined pairwise as those of a sum are (Reduce.h). Where there is
// one column, a block is summed in a sum's sixteen lanes (Lanes.h). A complex product adds
// re * re, then -im * im, to the real part and re * im, then im * re, to the imaginary part.
// The sum of no products is +0. So an element depends on its row, on its column, and on whether
// the product has one column: tiles, panels, threads, how the operands lie, and the other rows and
// columns change no bit.
//===----------------------------------------------------------------------===//
#pragma once

#include "Pack.h"

namespace tenon::rt::TENON_ISA {

/// Any number of products of matrices of one size.
template <class T>
struct Product {
  int64_t rows, columns, depth;
  /// Of the first product.
  Side<T> a, b;
  /// c(i, j) lies at c[i * columns + j]; products are stored one after another.
  T *c;
  int64_t count = 1;
  /// Of `count` products, where their operands begin, in elements from `a` and `b` on.
  Axes aStarts = {}, bStarts = {};
  /// Called once for each finished block of the result, rows [first, first + count) of columns [column, column +
  /// width); may be null.
  void (*finish)(void *context, int64_t product, int64_t first, int64_t count, int64_t column, int64_t width) = nullptr;
  void *context = nullptr;
  /// Whether the chains go on from what is in c, where an earlier product left them, instead of from -0. The depth of
  /// both together is at most 4,096, and there is more than one column.
  bool isContinued = false;
};

/// T is float, double, a complex number of them, uint32_t or uint64_t.
template <class T>
Status multiply(const Product<T> &product, const uint32_t *cancel);

} // namespace tenon::rt::TENON_ISA
