//===- General.cpp - eigenvalues, functions of matrices, tridiagonal systems ===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/linalg/Linalg.h"
#include "runtime/linalg/Matrices.h"

#include <algorithm>

namespace tenon::rt::linalg {

/// Eigenvalues, and eigenvectors if there is a second result.
static Status eigenvaluesOf(const KernelCall &call) {
  const bool hasVectors = call.results.size() == 2;
  const Matrices x(call.operands[0]), values(call.results[0], 1),
      vectors(call.results[hasVectors ? 1 : 0], hasVectors ? 2 : 1);
  const int64_t n = x.rows;
  if (n == 0 || x.count == 0)
    return Status::ok;
  if (isTooLarge(n, n))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    using Complex = typename ComplexOf<T>::Type;
    const int64_t bytes = bytesOf<T>(n * n) + bytesOf<Complex>(n) + bytesOf<Complex>(n * n);
    return forEachMatrix(call, x.count, 25 * cubed(n, n), bytes, [&](int64_t number, Room &room) -> Info {
      T *const a = room.take<T>(n * n);
      Complex *const w = room.take<Complex>(n), *const v = room.take<Complex>(n * n);
      x.load(number, a);
      Info info = 1;
      if (areFinite(a, n * n))
        info = lapack<T>().eig(static_cast<int>(n), a, w, hasVectors ? v : nullptr);
      if (info != 0) {
        values.fill(number, nan<Complex>());
        if (hasVectors)
          vectors.fill(number, nan<Complex>());
        return info;
      }
      values.store(number, w);
      if (hasVectors)
        vectors.store(number, v);
      return 0;
    });
  });
}
Status eig(const KernelCall &call) { return eigenvaluesOf(call); }
Status eigvals(const KernelCall &call) { return eigenvaluesOf(call); }

//===----------------------------------------------------------------------===//
// Functions of matrices, in f64
//===----------------------------------------------------------------------===//

template <class To, class From>
static To as(From x) {
  if constexpr (isComplex<To> && isComplex<From>)
    return {static_cast<Part<To>>(x.real), static_cast<Part<To>>(x.imag)};
  else if constexpr (isComplex<To>)
    return {static_cast<Part<To>>(x), 0};
  else
    return static_cast<To>(x);
}

/// double for real numbers, complex128_t for complex ones.
template <class T>
struct WideOf {
  using Type = double;
};
template <class T>
  requires isComplex<T>
struct WideOf<T> {
  using Type = complex128_t;
};

/// e^a in `result`, by Higham's scaling and squaring (2005) with the approximant of order 13. Uses seven more matrices
/// of `room`.
template <class W>
static Info exponential(int64_t n, W *a, W *result, Room &room) {
  const int64_t size = n * n;
  const auto count = static_cast<int>(n);
  const Lapack<W> &math = lapack<W>();
  double norm = 0;
  for (int64_t j = 0; j < n; ++j) {
    double column = 0;
    for (int64_t i = 0; i < n; ++i)
      column += size1(a[j * n + i]);
    norm = std::max(norm, column);
  }
  if (!std::isfinite(norm))
    return 1;
  constexpr double largest = 5.371920351148152;
  int squarings = 0;
  if (norm > largest)
    squarings = std::max(0, std::ilogb(norm / largest) + 1);
  for (int64_t i = 0; i < size; ++i)
    a[i] = scaled(a[i], std::ldexp(1.0, -squarings));
  constexpr double b[] = {64764752532480000,
                          32382376266240000,
                          7771770303897600,
                          1187353796428800,
                          129060195264000,
                          10559470521600,
                          670442572800,
                          33522128640,
                          1323241920,
                          40840800,
                          960960,
                          16380,
                          182,
                          1};
  W *const a2 = room.take<W>(size), *const a4 = room.take<W>(size), *const a6 = room.take<W>(size),
           *const sum = room.take<W>(size), *const u = room.take<W>(size), *const v = room.take<W>(size);
  int *const pivots = room.take<int>(n);
  math.multiply(false, count, a, a, a2);
  math.multiply(false, count, a2, a2, a4);
  math.multiply(false, count, a4, a2, a6);
  const auto combine = [&](W *to, double c6, double c4, double c2) {
    for (int64_t i = 0; i < size; ++i)
      to[i] = plus(plus(scaled(a6[i], c6), scaled(a4[i], c4)), scaled(a2[i], c2));
  };
  const auto add = [&](W *to, const W *more, double c0) {
    for (int64_t i = 0; i < size; ++i)
      to[i] = plus(to[i], more[i]);
    for (int64_t i = 0; i < n; ++i)
      to[i * n + i] = plus(to[i * n + i], W{c0});
  };
  // u = a * (a6 * (b13 a6 + b11 a4 + b9 a2) + b7 a6 + b5 a4 + b3 a2 + b1)
  combine(sum, b[13], b[11], b[9]);
  math.multiply(false, count, a6, sum, v);
  combine(sum, b[7], b[5], b[3]);
  add(sum, v, b[1]);
  math.multiply(false, count, a, sum, u);
  // v = a6 * (b12 a6 + b10 a4 + b8 a2) + b6 a6 + b4 a4 + b2 a2 + b0
  combine(sum, b[12], b[10], b[8]);
  math.multiply(false, count, a6, sum, v);
  combine(sum, b[6], b[4], b[2]);
  add(v, sum, b[0]);
  // (v - u) * result = v + u
  for (int64_t i = 0; i < size; ++i) {
    result[i] = plus(v[i], u[i]);
    v[i] = minus(v[i], u[i]);
  }
  if (Info info = math.solve(count, count, v, pivots, result))
    return info;
  for (int i = 0; i < squarings; ++i) {
    math.multiply(false, count, result, result, sum);
    std::copy(sum, sum + size, result);
  }
  return 0;
}

Status expm(const KernelCall &call) {
  const Matrices x(call.operands[0]), result(call.results[0]);
  const int64_t n = x.rows, size = n * n;
  if (n == 0 || x.count == 0)
    return Status::ok;
  if (isTooLarge(n, n))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    using W = typename WideOf<T>::Type;
    const int64_t bytes = bytesOf<T>(size) + 8 * bytesOf<W>(size) + bytesOf<int>(n);
    return forEachMatrix(call, x.count, 20 * cubed(n, n), bytes, [&](int64_t number, Room &room) -> Info {
      T *const given = room.take<T>(size);
      W *const a = room.take<W>(size), *const made = room.take<W>(size);
      x.load(number, given);
      std::transform(given, given + size, a, as<W, T>);
      const Info info = areFinite(a, size) ? exponential(n, a, made, room) : 1;
      if (info != 0) {
        result.fill(number, nan<T>());
        return info;
      }
      std::transform(made, made + size, given, as<T, W>);
      result.store(number, given);
      return 0;
    });
  });
}

/// The principal root, without the cancellation that the sum |z| + re has where re is negative.
static complex128_t rootOf(complex128_t z) {
  const double size = std::hypot(z.real, z.imag);
  if (size == 0)
    return {0, 0};
  const double larger = std::sqrt((size + std::abs(z.real)) / 2), smaller = std::abs(z.imag) / (2 * larger);
  if (z.real >= 0)
    return {larger, std::copysign(smaller, z.imag)};
  return {smaller, std::copysign(larger, z.imag)};
}

/// The root of an upper triangular matrix, column by column (Bjorck and Hammarling); false where there is none.
static bool triangularRoot(int64_t n, const complex128_t *t, complex128_t *r) {
  std::fill(r, r + n * n, complex128_t{});
  for (int64_t j = 0; j < n; ++j) {
    r[j * n + j] = rootOf(t[j * n + j]);
    for (int64_t i = j - 1; i >= 0; --i) {
      complex128_t sum = t[j * n + i];
      for (int64_t k = i + 1; k < j; ++k)
        sum = minus(sum, times(r[k * n + i], r[j * n + k]));
      const complex128_t divisor = plus(r[i * n + i], r[j * n + j]);
      if (!isZero(sum) && isZero(divisor))
        return false;
      r[j * n + i] = isZero(sum) ? complex128_t{} : over(sum, divisor);
    }
  }
  return true;
}

Status sqrtm(const KernelCall &call) {
  const Matrices x(call.operands[0]), result(call.results[0]);
  const int64_t n = x.rows, size = n * n;
  if (n == 0 || x.count == 0)
    return Status::ok;
  if (isTooLarge(n, n))
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    using Complex = typename ComplexOf<T>::Type;
    const int64_t bytes = bytesOf<T>(size) + bytesOf<Complex>(size) + 3 * bytesOf<complex128_t>(size);
    return forEachMatrix(call, x.count, 30 * cubed(n, n), bytes, [&](int64_t number, Room &room) -> Info {
      T *const given = room.take<T>(size);
      Complex *const made = room.take<Complex>(size);
      complex128_t *const t = room.take<complex128_t>(size), *const z = room.take<complex128_t>(size),
                          *const r = room.take<complex128_t>(size);
      x.load(number, given);
      std::transform(given, given + size, t, as<complex128_t, T>);
      Info info = 1;
      if (areFinite(t, size))
        info = lapack<complex128_t>().schur(static_cast<int>(n), t, z);
      if (info == 0 && !triangularRoot(n, t, r))
        info = 1;
      if (info != 0) {
        result.fill(number, nan<Complex>());
        return info;
      }
      lapack<complex128_t>().multiply(false, static_cast<int>(n), z, r, t);
      lapack<complex128_t>().multiply(true, static_cast<int>(n), t, z, r);
      std::transform(r, r + size, made, as<Complex, complex128_t>);
      result.store(number, made);
      return 0;
    });
  });
}

Status tridiagonalSolve(const KernelCall &call) {
  const Matrices dl(call.operands[0], 1), d(call.operands[1], 1), du(call.operands[2], 1), b(call.operands[3]),
      result(call.results[0]);
  const int64_t n = b.rows, columns = b.columns;
  if (b.size() == 0 || b.count == 0)
    return Status::ok;
  if (isTooLarge(columns, columns) || n > std::numeric_limits<int>::max())
    return Status::failed;
  return ofDtype(call.operands[0].dtype, [&]<class T>() {
    const int64_t bytes = 3 * bytesOf<T>(n) + bytesOf<T>(n * columns);
    return forEachMatrix(call, b.count, static_cast<double>(n * (columns + 3)), bytes,
                         [&](int64_t number, Room &room) -> Info {
                           T *const lower = room.take<T>(n), *const diagonal = room.take<T>(n),
                                    *const upper = room.take<T>(n), *const x = room.take<T>(n * columns);
                           dl.load(number, lower);
                           d.load(number, diagonal);
                           du.load(number, upper);
                           b.load(number, x);
                           const Info info = lapack<T>().tridiagonalSolve(
                               static_cast<int>(n), static_cast<int>(columns), lower + 1, diagonal, upper, x);
                           if (info != 0)
                             result.fill(number, nan<T>());
                           else
                             result.store(number, x);
                           return info;
                         });
  });
}

} // namespace tenon::rt::linalg
