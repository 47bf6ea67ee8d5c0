//===- Blas.h - products and triangular systems for LAPACK -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LAPACK spends its time in: the engine of matrix products (runtime/contract) as a table of functions for each
// instruction set. BlasCalls.cpp calls them under the names of Fortran's BLAS. They run on the caller's thread. Which
// path a function takes depends on sizes and strides alone, and each element is one chain of fused multiply-adds, so
// all instruction sets give the same bits.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/dtype.h>

#include <cstdint>

namespace tenon::rt {

/// A matrix whose element (i, j) lies at data[i * down + j * across].
template <class T>
struct Matrix {
  T *data;
  int64_t down, across;
  /// Whether the conjugates of the elements are meant; of operands only.
  bool isConjugated = false;

  Matrix at(int64_t i, int64_t j) const { return {data + i * down + j * across, down, across, isConjugated}; }
  Matrix transposed() const { return {data, across, down, isConjugated}; }
};

/// T is float, double, or a complex number of them.
template <class T>
struct Blas {
  /// c = alpha * a * b + beta * c; a has `rows` rows, b `columns` columns, c a stride of 1. Where beta is 0, c is not
  /// read.
  void (*multiply)(int64_t rows, int64_t columns, int64_t depth, T alpha, const Matrix<const T> &a,
                   const Matrix<const T> &b, T beta, const Matrix<T> &c);
  /// The same for the lower or upper triangle of the square matrix c.
  void (*multiplyToTriangle)(bool isLower, int64_t n, int64_t depth, T alpha, const Matrix<const T> &a,
                             const Matrix<const T> &b, T beta, const Matrix<T> &c);
  /// b = a^-1 * b, of a lower or upper triangle a, whose diagonal is 1 if isUnit. b has a stride of 1.
  void (*solveTriangle)(bool isLower, bool isUnit, int64_t n, int64_t columns, const Matrix<const T> &a,
                        const Matrix<T> &b);
  /// b = a * b, with the same operands.
  void (*multiplyTriangle)(bool isLower, bool isUnit, int64_t n, int64_t columns, const Matrix<const T> &a,
                           const Matrix<T> &b);
};

struct BlasTable {
  Blas<float> f32;
  Blas<double> f64;
  Blas<complex64_t> c64;
  Blas<complex128_t> c128;
};

/// For this CPU. LAPACK is called by kernels only, so the CPU has a table.
const BlasTable &blasTable();

} // namespace tenon::rt
