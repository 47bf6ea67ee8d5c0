//===- Rows.h - a few rows times a matrix -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One to three rows leave a tile's registers idle while each chain waits for its last
// product. Here the sums of many columns lie in the cache instead, and each pass over them
// adds eight rows of the matrix: the same chains.
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

} // namespace tenon::rt::TENON_ISA
