//===- Triangular.cpp - Cholesky, LU, triangular systems --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/linalg/Linalg.h"
#include "runtime/linalg/Matrices.h"
#include "runtime/linalg/Small.h"

namespace tenon::rt::linalg {

/// Sets the part above the diagonal to 0; returns whether the rest is finite.
template <class T>
static bool keepLower(int64_t n, T *a) {
  bool isGood = true;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < j; ++i)
      a[j * n + i] = T{};
    isGood &= areFinite(a + j * n + j, n - j);
  }
  return isGood;
}

Status cholesky(const KernelCall &call) {
  const Matrices x(call.operands[0]), result(call.results[0]);
  const int64_t n = x.rows;
  if (n == 0 || x.count == 0)
    return Status::ok;
  if (isTooLarge(n, n))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    return forEachMatrix(call, x.count, cubed(n, n) / 3, bytesOf<T>(n * n), [&](int64_t number, Room &room) -> Info {
      T *const a = room.take<T>(n * n);
      x.load(number, a);
      Info info = 1;
      if (keepLower(n, a))
        info = n <= kSmall ? smallCholesky(n, a) : lapack<T>().cholesky(static_cast<int>(n), a);
      if (info != 0)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t i = j; i < n; ++i)
            a[j * n + i] = nan<T>();
      result.store(number, a);
      return info;
    });
  });
}

Status triangularSolve(const KernelCall &call) {
  const TriangularSolveAttrs attributes = TriangularSolveAttrs::read(call.attributes);
  const Matrices a(call.operands[0]), b(call.operands[1]), result(call.results[0]);
  const int64_t n = b.rows, columns = b.columns;
  if (b.size() == 0 || b.count == 0)
    return Status::ok;
  if (isTooLarge(n, columns))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    const double work = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(columns);
    return forEachMatrix(
        call, b.count, work, bytesOf<T>(n * n) + bytesOf<T>(n * columns), [&](int64_t number, Room &room) -> Info {
          T *const matrix = room.take<T>(n * n), *const x = room.take<T>(n * columns);
          a.load(number, matrix);
          bool isSingular = false;
          for (int64_t i = 0; i < n && !attributes.unit_diagonal; ++i)
            isSingular |= isZero(matrix[i * n + i]);
          if (isSingular) {
            result.fill(number, nan<T>());
            return 1;
          }
          b.load(number, x);
          if (n <= kSmall)
            smallTriangularSolve(attributes.lower, attributes.transposed, attributes.unit_diagonal, n, columns, matrix,
                                 x);
          else
            lapack<T>().triangularSolve(attributes.lower, attributes.transposed, attributes.unit_diagonal,
                                        static_cast<int>(n), static_cast<int>(columns), matrix, x);
          result.store(number, x);
          return 0;
        });
  });
}

/// Pivots from 1 become rows from 0, and the permutation of the rows is what the exchanges make of 0, 1, ...
static void permute(int64_t count, int32_t *pivots, int64_t rows, int32_t *permutation) {
  for (int64_t i = 0; i < rows; ++i)
    permutation[i] = static_cast<int32_t>(i);
  for (int64_t i = 0; i < count; ++i)
    if (--pivots[i] != i)
      std::swap(permutation[i], permutation[pivots[i]]);
}

Status luFactor(const KernelCall &call) {
  const Matrices x(call.operands[0]), result(call.results[0]), pivots(call.results[1], 1),
      permutation(call.results[2], 1);
  const int64_t rows = x.rows, columns = x.columns, least = pivots.rows;
  if (x.count == 0)
    return Status::ok;
  if (isTooLarge(rows, columns))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    const int64_t bytes = bytesOf<T>(rows * columns) + bytesOf<int32_t>(least) + bytesOf<int32_t>(rows);
    return forEachMatrix(call, x.count, cubed(rows, columns), bytes, [&](int64_t number, Room &room) -> Info {
      T *const a = room.take<T>(rows * columns);
      int32_t *const exchanged = room.take<int32_t>(least), *const order = room.take<int32_t>(rows);
      x.load(number, a);
      Info info = 0;
      if (!areFinite(a, rows * columns)) {
        std::fill(a, a + rows * columns, nan<T>());
        for (int64_t i = 0; i < least; ++i)
          exchanged[i] = static_cast<int32_t>(i + 1);
      } else if (least == 0) {
        info = 0;
      } else if (rows <= kSmall && columns <= kSmall) {
        info = smallLu(rows, columns, a, exchanged);
      } else {
        info = lapack<T>().lu(static_cast<int>(rows), static_cast<int>(columns), a, exchanged);
      }
      permute(least, exchanged, rows, order);
      result.store(number, a);
      pivots.store(number, exchanged);
      permutation.store(number, order);
      return info;
    });
  });
}

Status pivotsToPermutation(const KernelCall &call) {
  const Matrices pivots(call.operands[0], 1), permutation(call.results[0], 1);
  const int64_t n = pivots.rows;
  if (n == 0 || pivots.count == 0)
    return Status::ok;
  std::atomic<bool> isInside{true};
  const Status status = forEachMatrix(
      call, pivots.count, static_cast<double>(n), 2 * bytesOf<int32_t>(n), [&](int64_t number, Room &room) -> Info {
        int32_t *const exchanged = room.take<int32_t>(n), *const order = room.take<int32_t>(n);
        pivots.load(number, exchanged);
        for (int64_t i = 0; i < n; ++i)
          if (exchanged[i] < 0 || exchanged[i] >= n) {
            if (isInside.exchange(false) && call.fault)
              *call.fault = {exchanged[i], pivots.rowStride ? call.operands[0].rank - 1 : 0, n, 1, 0};
            exchanged[i] = 0;
          }
        for (int64_t i = 0; i < n; ++i)
          ++exchanged[i];
        permute(n, exchanged, n, order);
        permutation.store(number, order);
        return 0;
      });
  return status != Status::ok || isInside.load() ? status : Status::outOfBounds;
}

} // namespace tenon::rt::linalg
