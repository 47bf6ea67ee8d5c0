//===- Rows.h - a few rows times a matrix -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One to three rows leave a tile's registers idle while each chain waits for its last
// product. Where the rows of the matrix are contiguous, the sums of many columns lie in the
// cache instead, and each pass over them adds eight rows: the same chains. Where its columns
// are, squares of them are transposed in registers, and nothing is packed.
//===----------------------------------------------------------------------===//
#pragma once

#include "Tile.h"

namespace tenon::rt::TENON_ISA {

namespace detail {
template <class T, int Rows>
[[gnu::always_inline]] inline void addSomeRows(const T *from, int64_t stride, const T *factors, int64_t step, T *sums,
                                               int64_t count) {
  constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;
  V factor[Rows];
#pragma GCC unroll 8
  for (int l = 0; l < Rows; ++l)
    factor[l] = math::broadcast<V>(factors[l * step]);
  int64_t i = 0;
  for (; i + N <= count; i += N) {
    V sum = math::load<V>(sums + i);
#pragma GCC unroll 8
    for (int l = 0; l < Rows; ++l)
      sum = multiplyAdd(factor[l], math::load<V>(from + l * stride + i), sum);
    math::store<V>(sums + i, sum);
  }
  for (; i < count; ++i)
    for (int l = 0; l < Rows; ++l)
      sums[i] = multiplyAdd(factors[l * step], from[l * stride + i], sums[i]);
}
} // namespace detail

/// Of floats or integers: sums[i] += the sum over l < rows of factors[l * step] * from[l * stride + i], in the order of
/// l, fused; i < count.
template <class T>
void addRows(const T *from, int64_t stride, const T *factors, int64_t step, int64_t rows, T *sums, int64_t count) {
  int64_t l = 0;
  for (; l + 8 <= rows; l += 8)
    detail::addSomeRows<T, 8>(from + l * stride, stride, factors + l * step, step, sums, count);
  for (; l + 2 <= rows; l += 2)
    detail::addSomeRows<T, 2>(from + l * stride, stride, factors + l * step, step, sums, count);
  if (l < rows)
    detail::addSomeRows<T, 1>(from + l * stride, stride, factors + l * step, step, sums, count);
}

/// The sums over l < depth of x[l * step] * column(l), where column j of the matrix begins at from[j * stride], for
/// `count` columns, of floats or integers: to[j], chains from -0 on. count is at most 2 * math::nativeLanes<T>.
template <class T>
void multiplyColumns(const T *x, int64_t step, const T *from, int64_t stride, int64_t depth, int64_t count, T *to) {
  constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;
  const T *columns[2 * N]; // those that are missing repeat the last one
  for (int64_t j = 0; j < 2 * N; ++j)
    columns[j] = from + smaller(j, count - 1) * stride;
  V sums[2] = {math::broadcast<V>(T(-0.0)), math::broadcast<V>(T(-0.0))};
  // Two squares of each column: all of a line of the cache, before another column may take its place.
  int64_t l = 0;
  for (; l + 2 * N <= depth; l += 2 * N)
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half)
#pragma GCC unroll 2
      for (int part = 0; part < 2; ++part) {
        V square[N];
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
          square[j] = math::load<V>(columns[half * N + j] + l + part * N);
        transposePieces<1>(square);
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j)
          sums[half] = multiplyAdd(math::broadcast<V>(x[(l + part * N + j) * step]), square[j], sums[half]);
      }
  T all[2 * N];
  math::store<V>(all, sums[0]);
  math::store<V>(all + N, sums[1]);
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t rest = l; rest < depth; ++rest)
      all[j] = multiplyAdd(x[rest * step], columns[j][rest], all[j]);
    to[j] = all[j];
  }
}

} // namespace tenon::rt::TENON_ISA
