//===- Small.h - direct algorithms for small matrices -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK takes microseconds for a 3 x 3 matrix, mostly in checks and calls. Up to eight rows and columns these loops do
// the same. Matrices are column-major; results and return values are those of LAPACK's functions.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/linalg/Number.h"

#include <utility>

namespace tenon::rt::linalg {

inline constexpr int64_t kSmall = 8;

template <class T>
Info smallCholesky(int64_t n, T *a) {
  for (int64_t j = 0; j < n; ++j) {
    T *const column = a + j * n;
    for (int64_t k = 0; k < j; ++k) {
      const T factor = conjugate(a[k * n + j]);
      for (int64_t i = j; i < n; ++i)
        column[i] = minus(column[i], times(a[k * n + i], factor));
    }
    const Part<T> square = realPart(column[j]);
    if (!(square > 0))
      return static_cast<Info>(j + 1);
    const Part<T> root = std::sqrt(square);
    column[j] = T{root};
    for (int64_t i = j + 1; i < n; ++i)
      column[i] = scaled(column[i], 1 / root);
  }
  return 0;
}

template <class T>
Info smallLu(int64_t rows, int64_t columns, T *a, int *pivots) {
  Info info = 0;
  for (int64_t k = 0; k < rows && k < columns; ++k) {
    T *const column = a + k * rows;
    int64_t pivot = k;
    for (int64_t i = k + 1; i < rows; ++i)
      if (size1(column[i]) > size1(column[pivot]))
        pivot = i;
    pivots[k] = static_cast<int>(pivot + 1);
    if (isZero(column[pivot])) {
      info = info ? info : static_cast<Info>(k + 1);
      continue;
    }
    if (pivot != k)
      for (int64_t j = 0; j < columns; ++j)
        std::swap(a[j * rows + k], a[j * rows + pivot]);
    for (int64_t i = k + 1; i < rows; ++i)
      column[i] = over(column[i], column[k]);
    for (int64_t j = k + 1; j < columns; ++j) {
      const T factor = a[j * rows + k];
      for (int64_t i = k + 1; i < rows; ++i)
        a[j * rows + i] = minus(a[j * rows + i], times(column[i], factor));
    }
  }
  return info;
}

template <class T>
void smallTriangularSolve(bool isLower, bool isTransposed, bool isUnit, int64_t n, int64_t columns, const T *a, T *b) {
  const bool isForward = isLower != isTransposed;
  for (int64_t c = 0; c < columns; ++c) {
    T *const x = b + c * n;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = isForward ? step : n - 1 - step;
      T sum = x[i];
      for (int64_t before = 0; before < step; ++before) {
        const int64_t k = isForward ? before : n - 1 - before;
        sum = minus(sum, times(isTransposed ? a[i * n + k] : a[k * n + i], x[k]));
      }
      x[i] = isUnit ? sum : over(sum, a[i * n + i]);
    }
  }
}

} // namespace tenon::rt::linalg
