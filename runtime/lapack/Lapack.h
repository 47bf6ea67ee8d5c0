//===- Lapack.h - LAPACK as a table of functions ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debian's reference LAPACK and BLAS, with the functions of BLAS that take the time replaced by those of Blas.h. One
// object of the build contains what these tables reach, and hides every symbol but the tables
// (runtime/lapack/CMakeLists.txt), so that another LAPACK in the process is neither used nor disturbed, and nothing of
// the Fortran runtime is linked. The functions are reentrant, use the caller's thread alone, and give the same bits on
// every CPU.
//
// Matrices are dense and column-major. Callers pass finite numbers and sizes > 0 up to kMaxSize.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/dtype.h>

#include <cstdint>

namespace tenon::rt {

template <class T>
struct PartOf {
  using Type = T;
};
template <>
struct PartOf<complex64_t> {
  using Type = float;
};
template <>
struct PartOf<complex128_t> {
  using Type = double;
};
template <class T>
struct ComplexOf {
  using Type = T;
};
template <>
struct ComplexOf<float> {
  using Type = complex64_t;
};
template <>
struct ComplexOf<double> {
  using Type = complex128_t;
};

/// What a function of the table returns: 0; a positive number where the matrix is singular, not positive definite, or
/// the iteration does not converge.
using Info = int;
/// Scratch memory was refused.
inline constexpr Info kNoMemory = -1000;
/// Sizes of matrices: workspaces of 2 n^2 numbers are counted in 32 bits.
inline constexpr int64_t kMaxSize = 30000;

template <class T>
struct Lapack {
  using Part = typename PartOf<T>::Type;
  using Complex = typename ComplexOf<T>::Type;

  /// Replaces the lower triangle of `a` by its Cholesky factor.
  Info (*cholesky)(int n, T *a);
  /// Packed LU factors in place of `a`; pivots are rows, from 1.
  Info (*lu)(int rows, int columns, T *a, int *pivots);
  /// Replaces `b` by the solution of op(a) * x = b.
  Info (*triangularSolve)(bool isLower, bool isTransposed, bool isUnit, int n, int columns, const T *a, T *b);
  /// Replaces `b` by the solution of a * x = b, and `a` by its LU factors.
  Info (*solve)(int n, int columns, T *a, int *pivots, T *b);
  /// R and the reflections that make Q, packed; `taus` has min(rows, columns) elements.
  Info (*qr)(int rows, int columns, T *a, T *taus);
  /// Replaces the first `count` reflections in `a` by the first `columns` columns of Q.
  Info (*qrColumns)(int rows, int columns, int count, T *a, const T *taus);
  /// Eigenvalues, ascending, from the lower triangle of `a`, and the eigenvectors in place of it.
  Info (*eigh)(bool hasVectors, int n, T *a, Part *w);
  /// Singular values; U and V^H with min(rows, columns) columns and rows, or all of them if `isFull`. `u` null: the
  /// values alone. Overwrites `a`.
  Info (*svd)(bool isFull, int rows, int columns, T *a, Part *s, T *u, T *vh);
  /// Eigenvalues, and eigenvectors unless `v` is null. Overwrites `a`.
  Info (*eig)(int n, T *a, Complex *w, Complex *v);
  /// Replaces `b` by the solution of a tridiagonal system; overwrites the diagonals.
  Info (*tridiagonalSolve)(int n, int columns, T *lower, T *diagonal, T *upper, T *b);
  /// c = a * b, or a * conj(transpose(b)).
  void (*multiply)(bool isAdjoint, int n, const T *a, const T *b, T *c);
  /// Replaces `a` by the triangular factor of its Schur decomposition, whose unitary factor is `z`; of complex numbers.
  Info (*schur)(int n, T *a, T *z);
};

extern const Lapack<float> lapackF32;
extern const Lapack<double> lapackF64;
extern const Lapack<complex64_t> lapackC64;
extern const Lapack<complex128_t> lapackC128;

template <class T>
inline const Lapack<T> &lapack();
template <>
inline const Lapack<float> &lapack() {
  return lapackF32;
}
template <>
inline const Lapack<double> &lapack() {
  return lapackF64;
}
template <>
inline const Lapack<complex64_t> &lapack() {
  return lapackC64;
}
template <>
inline const Lapack<complex128_t> &lapack() {
  return lapackC128;
}

} // namespace tenon::rt
