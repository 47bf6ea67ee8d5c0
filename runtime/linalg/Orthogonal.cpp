//===- Orthogonal.cpp - QR, eigenvalues of Hermitian matrices, singular values ===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/linalg/Linalg.h"
#include "runtime/linalg/Matrices.h"

#include <algorithm>

namespace tenon::rt::linalg {

Status qr(const KernelCall &call) {
  const Matrices x(call.operands[0]), q(call.results[0]), r(call.results[1]);
  const int64_t rows = x.rows, columns = x.columns, least = std::min(rows, columns), width = q.columns;
  if (x.count == 0)
    return Status::ok;
  if (isTooLarge(rows, columns))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    // Q is made where x was; it may have more columns than x, or fewer.
    const int64_t size = rows * std::max(columns, width);
    const int64_t bytes = bytesOf<T>(size) + bytesOf<T>(r.size()) + bytesOf<T>(least);
    return forEachMatrix(call, x.count, 2 * cubed(rows, columns), bytes, [&](int64_t number, Room &room) -> Info {
      if (least == 0) {
        q.setIdentity<T>(number);
        return 0;
      }
      T *const a = room.take<T>(size), *const upper = room.take<T>(r.size()), *const taus = room.take<T>(least);
      x.load(number, a);
      Info info = 1;
      if (areFinite(a, x.size()))
        info = lapack<T>().qr(static_cast<int>(rows), static_cast<int>(columns), a, taus);
      if (info == 0) {
        for (int64_t j = 0; j < columns; ++j)
          for (int64_t i = 0; i < r.rows; ++i)
            upper[j * r.rows + i] = i <= j ? a[j * rows + i] : T{};
        info = lapack<T>().qrColumns(static_cast<int>(rows), static_cast<int>(width), static_cast<int>(least), a, taus);
      }
      if (info != 0) {
        q.fill(number, nan<T>());
        r.fill(number, nan<T>());
        return info;
      }
      q.store(number, a);
      r.store(number, upper);
      return 0;
    });
  });
}

/// Eigenvalues, and eigenvectors if there is a second result.
static Status eigenvaluesOfHermitian(const KernelCall &call) {
  const bool hasVectors = call.results.size() == 2;
  const Matrices x(call.operands[0]), values(call.results[0], 1),
      vectors(call.results[hasVectors ? 1 : 0], hasVectors ? 2 : 1);
  const int64_t n = x.rows;
  if (n == 0 || x.count == 0)
    return Status::ok;
  if (isTooLarge(n, n))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    const int64_t bytes = bytesOf<T>(n * n) + bytesOf<Part<T>>(n);
    return forEachMatrix(call, x.count, 9 * cubed(n, n), bytes, [&](int64_t number, Room &room) -> Info {
      T *const a = room.take<T>(n * n);
      Part<T> *const w = room.take<Part<T>>(n);
      x.load(number, a);
      bool isGood = true;
      for (int64_t j = 0; j < n; ++j)
        isGood &= areFinite(a + j * n + j, n - j);
      const Info info = isGood ? lapack<T>().eigh(hasVectors, static_cast<int>(n), a, w) : 1;
      if (info != 0) {
        values.fill(number, nan<Part<T>>());
        if (hasVectors)
          vectors.fill(number, nan<T>());
        return info;
      }
      values.store(number, w);
      if (hasVectors)
        vectors.store(number, a);
      return 0;
    });
  });
}
Status eigh(const KernelCall &call) { return eigenvaluesOfHermitian(call); }
Status eigvalsh(const KernelCall &call) { return eigenvaluesOfHermitian(call); }

Status svd(const KernelCall &call) {
  const Matrices x(call.operands[0]), u(call.results[0]), s(call.results[1], 1), vh(call.results[2]);
  const int64_t rows = x.rows, columns = x.columns, least = s.rows;
  const bool isFull = SvdAttrs::read(call.attributes).full_matrices;
  if (x.count == 0)
    return Status::ok;
  if (isTooLarge(rows, columns))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    const int64_t bytes = bytesOf<T>(x.size()) + bytesOf<T>(u.size()) + bytesOf<T>(vh.size()) + bytesOf<Part<T>>(least);
    return forEachMatrix(call, x.count, 20 * cubed(rows, columns), bytes, [&](int64_t number, Room &room) -> Info {
      if (least == 0) {
        u.setIdentity<T>(number);
        vh.setIdentity<T>(number);
        return 0;
      }
      T *const a = room.take<T>(x.size()), *const left = room.take<T>(u.size()), *const right = room.take<T>(vh.size());
      Part<T> *const values = room.take<Part<T>>(least);
      x.load(number, a);
      Info info = 1;
      if (areFinite(a, x.size()))
        info = lapack<T>().svd(isFull, static_cast<int>(rows), static_cast<int>(columns), a, values, left, right);
      if (info != 0) {
        u.fill(number, nan<T>());
        s.fill(number, nan<Part<T>>());
        vh.fill(number, nan<T>());
        return info;
      }
      u.store(number, left);
      s.store(number, values);
      vh.store(number, right);
      return 0;
    });
  });
}

Status svdvals(const KernelCall &call) {
  const Matrices x(call.operands[0]), s(call.results[0], 1);
  const int64_t rows = x.rows, columns = x.columns, least = s.rows;
  if (least == 0 || x.count == 0)
    return Status::ok;
  if (isTooLarge(rows, columns))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    const int64_t bytes = bytesOf<T>(x.size()) + bytesOf<Part<T>>(least);
    return forEachMatrix(call, x.count, 4 * cubed(rows, columns), bytes, [&](int64_t number, Room &room) -> Info {
      T *const a = room.take<T>(x.size());
      Part<T> *const values = room.take<Part<T>>(least);
      x.load(number, a);
      Info info = 1;
      if (areFinite(a, x.size()))
        info = lapack<T>().svd(false, static_cast<int>(rows), static_cast<int>(columns), a, values, nullptr, nullptr);
      if (info != 0)
        s.fill(number, nan<Part<T>>());
      else
        s.store(number, values);
      return info;
    });
  });
}

} // namespace tenon::rt::linalg
