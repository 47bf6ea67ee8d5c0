//===- Thin.h - a row times a matrix ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each element of the result is eight sums of products, l mod 8 to each, which are
// added 4 and 4, 2 and 2, ...: in the same order however the matrix lies.
// Memory decides the speed, so the matrix is read as it is and once.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

#include "runtime/math/Vec.h"

namespace tenon::rt::TENON_ISA {

template <class T>
class Thin {
public:
  /// to[j * stride] = sum over l < k of row[l] * m(l, j), where m(l, j) lies at
  /// matrix[l * down + j * across]; one of the two is 1.
  static void multiply(const T *row, const T *matrix, int64_t k, int64_t down, int64_t across, int64_t columns, T *to,
                       int64_t stride) {
    if (across == 1)
      readRows<math::nativeLanes<T>, sizeof(T) * math::nativeLanes<T> == 64 ? 2 : 1>(row, matrix, k, down, columns, to,
                                                                                     stride);
    else
      readColumns(row, matrix, k, across, columns, to, stride);
  }

private:
  static constexpr int sums = 8;

  /// S registers of N columns at a time, and at the end one, of N / 2, ...
  template <int N, int S>
  static void readRows(const T *row, const T *matrix, int64_t k, int64_t down, int64_t columns, T *to, int64_t stride) {
    using V = math::Vec<T, N>;
    for (; columns >= S * N; columns -= S * N, matrix += S * N, to += S * N * stride) {
      V sum[sums][S] = {};
      auto add = [&](int64_t l, int i) __attribute__((always_inline)) {
        for (int s = 0; s < S; ++s)
          sum[i][s] = math::fma(math::broadcast<V>(row[l]), math::load<V>(matrix + l * down + s * N), sum[i][s]);
      };
      int64_t l = 0;
      for (; l + sums <= k; l += sums)
        for (int i = 0; i < sums; ++i)
          add(l + i, i);
      for (int i = 0; i < sums; ++i)
        if (l + i < k)
          add(l + i, i);
      for (int width = sums / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i)
          for (int s = 0; s < S; ++s)
            sum[i][s] = sum[i][s] + sum[i + width][s];
      T out[S * N];
      for (int s = 0; s < S; ++s)
        math::store<V>(out + s * N, sum[0][s]);
      for (int j = 0; j < S * N; ++j)
        to[j * stride] = out[j];
    }
    if constexpr (S > 1)
      readRows<N, 1>(row, matrix, k, down, columns, to, stride);
    else if constexpr (N * sizeof(T) > 16)
      readRows<N / 2, 1>(row, matrix, k, down, columns, to, stride);
    else if constexpr (N > 1)
      readRows<1, 1>(row, matrix, k, down, columns, to, stride);
  }

  static constexpr int lanes = math::nativeLanes<T> < sums ? math::nativeLanes<T> : sums;
  /// Registers for a column's sums, and columns at a time.
  static constexpr int registers = sums / lanes, group = 8 / registers;
  using Register = math::Vec<T, lanes>;

  static void readColumns(const T *row, const T *matrix, int64_t k, int64_t across, int64_t columns, T *to,
                          int64_t stride) {
    for (; columns >= group; columns -= group, matrix += group * across, to += group * stride)
      readGroup<group>(row, matrix, k, across, to, stride);
    for (; columns > 0; --columns, matrix += across, to += stride)
      readGroup<1>(row, matrix, k, across, to, stride);
  }

  template <int Columns>
  static void readGroup(const T *row, const T *matrix, int64_t k, int64_t across, T *to, int64_t stride) {
    Register sum[Columns][registers] = {};
    int64_t l = 0;
    for (; l + sums <= k; l += sums)
      for (int r = 0; r < registers; ++r) {
        const auto some = math::load<Register>(row + l + r * lanes);
        for (int j = 0; j < Columns; ++j)
          sum[j][r] = math::fma(some, math::load<Register>(matrix + j * across + l + r * lanes), sum[j][r]);
      }
    for (int j = 0; j < Columns; ++j) {
      T all[sums];
      for (int r = 0; r < registers; ++r)
        math::store<Register>(all + r * lanes, sum[j][r]);
      for (int64_t i = l; i < k; ++i)
        all[i - l] = math::fma(row[i], matrix[j * across + i], all[i - l]);
      for (int width = sums / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i)
          all[i] = all[i] + all[i + width];
      to[j * stride] = all[0];
    }
  }
};

} // namespace tenon::rt::TENON_ISA
