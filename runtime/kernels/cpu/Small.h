//===- Small.h - products of small matrices ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of so few multiplications that they cost less than a call of BLAS does. Each element
// is one sum of products, fused, in the order of l: the same however the matrices lie.
// Rows of the result are made eight at a time, a register of columns after another.
// Registers reach beyond a row's end: what they hold there is never read, or is written
// over by the row that follows.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

#include "runtime/math/Vec.h"

namespace tenon::rt::TENON_ISA {

template <class T>
class Small {
public:
  static bool takes(int64_t rows, int64_t k, int64_t columns) {
    return rows * k * columns <= 16 * 16 * 16 && k * columns <= mostElements;
  }

  /// c(i, j) = sum over l < k of a(i, l) * b(l, j), where x(i, j) lies at
  /// x[i * down + j * across], and c is dense.
  static void multiply(const T *a, const int64_t *aStrides, const T *b, const int64_t *bStrides, int64_t rows,
                       int64_t k, int64_t columns, T *c) {
    T dense[mostElements + N];
    if (bStrides[1] == 1 && bStrides[0] == columns)
      __builtin_memcpy(dense, b, static_cast<size_t>(k * columns) * sizeof(T));
    else
      for (int64_t l = 0; l < k; ++l)
        for (int64_t j = 0; j < columns; ++j)
          dense[l * columns + j] = b[l * bStrides[0] + j * bStrides[1]];
    math::store<V>(dense + k * columns, V{});
    // The last columns first: the others write over what reaches into the next row.
    const int64_t last = columns % N;
    if (last)
      multiplyColumns(a, aStrides, dense, rows, k, columns, columns - last, last, c);
    for (int64_t j = 0; j + N <= columns; j += N)
      multiplyColumns(a, aStrides, dense, rows, k, columns, j, N, c);
  }

private:
  static constexpr int N = math::nativeLanes<T>;
  using V = math::Vec<T, N>;
  static constexpr int64_t mostElements = 1024;

  static void multiplyColumns(const T *a, const int64_t *strides, const T *b, int64_t rows, int64_t k, int64_t columns,
                              int64_t j, int64_t width, T *c) {
    int64_t row = 0;
    for (; row + 8 <= rows; row += 8)
      multiplyRows<8>(a + row * strides[0], strides, b + j, k, columns, width, c + row * columns + j, rows - row);
    for (; row + 2 <= rows; row += 2)
      multiplyRows<2>(a + row * strides[0], strides, b + j, k, columns, width, c + row * columns + j, rows - row);
    if (row < rows)
      multiplyRows<1>(a + row * strides[0], strides, b + j, k, columns, width, c + row * columns + j, 1);
  }

  /// `left`: rows of the result from here on.
  template <int Rows>
  static void multiplyRows(const T *a, const int64_t *strides, const T *b, int64_t k, int64_t columns, int64_t width,
                           T *c, int64_t left) {
    V sum[Rows] = {};
    for (int64_t l = 0; l < k; ++l) {
      const V row = math::load<V>(b + l * columns);
      for (int r = 0; r < Rows; ++r)
        sum[r] = math::fma(math::broadcast<V>(a[r * strides[0] + l * strides[1]]), row, sum[r]);
    }
    for (int r = 0; r < Rows; ++r) {
      T *const to = c + r * columns;
      if (width + (left - 1 - r) * columns >= N) {
        math::store<V>(to, sum[r]);
        continue;
      }
      T out[N];
      math::store<V>(out, sum[r]);
      for (int64_t i = 0; i < width; ++i)
        to[i] = out[i];
    }
  }
};

} // namespace tenon::rt::TENON_ISA
