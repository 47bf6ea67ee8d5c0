//===- Lanes.h - a matrix times a column -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the result has one column, an element is summed as a sum is (Reduce.h), with fused
// multiply-adds: the products of l mod 16 to each of sixteen lanes, which start at -0 and are
// halved, 8, 4, 2, 1; blocks of 4,096 are combined pairwise. Memory decides the speed, so
// the matrix is read once, as it lies.
//===----------------------------------------------------------------------===//
#pragma once

#include "Rows.h"
#include "Tile.h"

namespace tenon::rt::TENON_ISA {

template <class T>
class ColumnProduct {
public:
  /// Rows that a call takes at most.
  static constexpr int64_t rowsAtOnce = 256;

  /// Whether the rows are read where they lie; else each is packed first.
  static bool readsDirectly(const Side<T> &a, int64_t rows) {
    return a.isPlain && a.outer.isStrided() && a.depth.isStrided() && (a.depth.stride() == 1 || isSideBySide(a, rows));
  }

  /// Of the matrix a that begins at `data`: to[i] = the sum over l < k of a(first + i, firstDepth + l) * column[l], for
  /// i < rows; k is at most kBlock. `column` is packed (Pack.h), `row` takes a packed row.
  static void multiply(const Side<T> &a, const void *data, int64_t first, int64_t rows, int64_t firstDepth, int64_t k,
                       const Part<T> *column, Part<T> *row, T *to) {
    if (readsDirectly(a, a.outer.count())) {
      const T *from = static_cast<const T *>(data) + first * a.outer.stride() + firstDepth * a.depth.stride();
      if (a.depth.stride() == 1)
        multiplyRows(reinterpret_cast<const Part<T> *>(from), a.outer.stride() * parts, rows, k, column, to);
      else if constexpr (parts == 1)
        multiplySideBySide(from, a.depth.stride(), rows, k, column, to);
      return;
    }
    for (int64_t i = 0; i < rows; ++i) {
      a.pack(a, data, {first + i, 1, 1, firstDepth, k}, row);
      multiplyGroup<1>(row, 0, k, column, to + i);
    }
  }

  /// Products of one row and one column each, of which the next one begins one element behind, as real numbers: to[i]
  /// = the sum over l < k of a[i + l * aStep] * b[i + l * bStep] for i < count, which is at most rowsAtOnce; k is at
  /// most kBlock.
  static void multiplyPairs(const T *a, int64_t aStep, const T *b, int64_t bStep, int64_t k, int64_t count, T *to)
    requires(PartsOf<T>::count == 1)
  {
    T sums[kLanes][rowsAtOnce];
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      T *const sum = sums[lane];
      for (int64_t i = 0; i < count; ++i)
        sum[i] = T(-0.0);
      for (int64_t l = lane; l < k; l += kLanes) {
        const T *const p = a + l * aStep, *const q = b + l * bStep;
        int64_t i = 0;
        for (; i + N <= count; i += N)
          R::store(sum + i, multiplyAdd(R::load(p + i), R::load(q + i), R::load(sum + i)));
        for (; i < count; ++i)
          sum[i] = multiplyAdd(p[i], q[i], sum[i]);
      }
    }
    halve(sums, count, to);
  }

private:
  using R = detail::Register<T>;
  static constexpr int N = R::N, registers = kLanes / N, parts = PartsOf<T>::count;

  /// Enough rows, with stride 1, that a register of them is summed at a time.
  static bool isSideBySide(const Side<T> &a, int64_t rows) { return parts == 1 && a.outer.stride() == 1 && rows >= N; }

  static void multiplyRows(const Part<T> *from, int64_t stride, int64_t rows, int64_t k, const Part<T> *column, T *to) {
    constexpr int group = registers * parts > 2 ? (registers * parts > 4 ? 1 : 2) : 4;
    int64_t i = 0;
    for (; i + group <= rows; i += group)
      multiplyGroup<group>(from + i * stride, stride, k, column, to + i);
    for (; i < rows; ++i)
      multiplyGroup<1>(from + i * stride, stride, k, column, to + i);
  }

  static typename R::Type load(const Part<T> *from) {
    if constexpr (parts == 2)
      return math::loadComplex<typename R::V>(from);
    else
      return R::load(from);
  }

  /// Rows of which `from` and `column` hold the parts in turns.
  template <int Rows>
  static void multiplyGroup(const Part<T> *from, int64_t stride, int64_t k, const Part<T> *column, T *to) {
    typename R::Type sums[Rows][registers];
    for (auto &row : sums)
      for (auto &sum : row)
        sum = R::zero();
    int64_t l = 0;
    for (; l + kLanes <= k; l += kLanes)
#pragma GCC unroll 4
      for (int r = 0; r < registers; ++r) {
        const auto factor = load(column + (l + r * N) * parts);
#pragma GCC unroll 4
        for (int i = 0; i < Rows; ++i)
          sums[i][r] = multiplyAdd(load(from + i * stride + (l + r * N) * parts), factor, sums[i][r]);
      }
    for (int i = 0; i < Rows; ++i) {
      T lanes[kLanes];
      for (int r = 0; r < registers; ++r)
        R::store(lanes + r * N, sums[i][r]);
      for (int64_t rest = l; rest < k; ++rest)
        lanes[rest - l] = multiplyAddOne(from + i * stride + rest * parts, column + rest * parts, lanes[rest - l]);
      for (int width = kLanes / 2; width > 0; width /= 2)
        for (int j = 0; j < width; ++j)
          lanes[j] = added(lanes[j], lanes[j + width]);
      to[i] = lanes[0];
    }
  }

  static T multiplyAddOne(const Part<T> *a, const Part<T> *b, T c) {
    if constexpr (parts == 2) {
      const auto sum = multiplyAdd(math::Complex<Part<T>>{a[0], a[1]}, {b[0], b[1]}, {c.real, c.imag});
      return {sum.real, sum.imag};
    } else {
      return multiplyAdd(*a, *b, c);
    }
  }

  /// Rows that lie side by side: many at a time, one lane after another.
  static void multiplySideBySide(const T *from, int64_t stride, int64_t rows, int64_t k, const T *column, T *to) {
    T sums[kLanes][rowsAtOnce];
    for (int64_t first = 0; first < rows; first += rowsAtOnce) {
      const int64_t count = smaller(rowsAtOnce, rows - first);
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        for (int64_t i = 0; i < count; ++i)
          sums[lane][i] = T(-0.0);
        if (lane < k)
          addRows(from + lane * stride + first, stride * kLanes, column + lane, kLanes, ceilDivide(k - lane, kLanes),
                  sums[lane], count);
      }
      halve(sums, count, to + first);
    }
  }

  static void halve(T (&sums)[kLanes][rowsAtOnce], int64_t count, T *to) {
    for (int half = kLanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane)
        for (int64_t i = 0; i < count; ++i)
          sums[lane][i] = sums[lane][i] + sums[lane + half][i];
    for (int64_t i = 0; i < count; ++i)
      to[i] = sums[0][i];
  }
};

} // namespace tenon::rt::TENON_ISA
