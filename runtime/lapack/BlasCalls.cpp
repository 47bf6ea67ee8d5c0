//===- BlasCalls.cpp - Fortran's names of the functions in Blas.h ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They take the place of the functions of Debian's reference BLAS in the object that the build makes of LAPACK
// (CMakeLists.txt). LAPACK passes valid arguments, so they are not checked.
//===----------------------------------------------------------------------===//
#include "runtime/lapack/Blas.h"
#include "runtime/lapack/Lapack.h"

using namespace tenon;
using namespace tenon::rt;

namespace {

using Int = int;
using Text = const char *;

template <class T>
const Blas<T> &blas();
template <>
const Blas<float> &blas() {
  return blasTable().f32;
}
template <>
const Blas<double> &blas() {
  return blasTable().f64;
}
template <>
const Blas<complex64_t> &blas() {
  return blasTable().c64;
}
template <>
const Blas<complex128_t> &blas() {
  return blasTable().c128;
}

bool is(Text text, char letter) { return (*text & ~32) == letter; }

/// A column-major matrix, transposed as `trans` says: N, T or C.
template <class T>
Matrix<const T> operand(Text trans, const T *data, Int leading) {
  if (is(trans, 'N'))
    return {data, 1, leading};
  return {data, leading, 1, is(trans, 'C')};
}
template <class T>
Matrix<const T> adjoint(Matrix<const T> a) {
  return {a.data, a.across, a.down, !a.isConjugated};
}
template <class T>
T conjugated(T x) {
  if constexpr (requires { x.imag; })
    return {x.real, -x.imag};
  else
    return x;
}

template <class T>
void scale(Int m, Int n, T alpha, T *b, Int leading) {
  if (alpha == T{1})
    return;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) {
      T &x = b[i + j * leading];
      if (alpha == T{})
        x = T{};
      else if constexpr (requires { x.imag; })
        x = {alpha.real * x.real - alpha.imag * x.imag, alpha.real * x.imag + alpha.imag * x.real};
      else
        x = alpha * x;
    }
}

/// b = alpha * op(a) * b or alpha * b * op(a), or the same with the inverse of op(a).
template <class T>
void triangle(bool isInverse, Text side, Text uplo, Text trans, Text diag, Int m, Int n, T alpha, const T *a, Int lda,
              T *b, Int ldb) {
  const bool isLeft = is(side, 'L');
  scale(m, n, alpha, b, ldb);
  Matrix<const T> matrix = operand(trans, a, lda);
  Matrix<T> target{b, 1, ldb};
  bool isLower = is(uplo, 'L') == is(trans, 'N');
  if (!isLeft)
    matrix = matrix.transposed(), target = target.transposed(), isLower = !isLower;
  (isInverse ? blas<T>().solveTriangle : blas<T>().multiplyTriangle)(isLower, is(diag, 'U'), isLeft ? m : n,
                                                                     isLeft ? n : m, matrix, target);
}

/// A triangle of c = alpha * a * a' + beta * c, or with a' * a, where a' is the transpose or the adjoint of a.
template <class T>
void rankK(bool isAdjoint, Text uplo, Text trans, Int n, Int k, T alpha, const T *a, Int lda, T beta, T *c, Int ldc) {
  // The first factor is a, or a'.
  Matrix<const T> first{a, 1, lda};
  if (!is(trans, 'N'))
    first = {a, lda, 1, isAdjoint};
  const Matrix<const T> second = isAdjoint ? adjoint(first) : first.transposed();
  blas<T>().multiplyToTriangle(is(uplo, 'L'), n, k, alpha, first, second, beta, {c, 1, ldc});
}

/// A triangle of c = alpha * a * b' + (alpha or its conjugate) * b * a' + beta * c, or with a' * b and b' * a.
template <class T>
void rank2K(bool isAdjoint, Text uplo, Text trans, Int n, Int k, T alpha, const T *a, Int lda, const T *b, Int ldb,
            T beta, T *c, Int ldc) {
  const bool isPlain = is(trans, 'N');
  const auto of = [&](const T *data, Int leading) {
    return isPlain ? Matrix<const T>{data, 1, leading} : Matrix<const T>{data, leading, 1, isAdjoint};
  };
  const auto other = [&](const Matrix<const T> &x) { return isAdjoint ? adjoint(x) : x.transposed(); };
  const Matrix<const T> x = of(a, lda), y = of(b, ldb);
  const auto add = [&](T factor, const Matrix<const T> &left, const Matrix<const T> &right, T scale) {
    blas<T>().multiplyToTriangle(is(uplo, 'L'), n, k, factor, left, other(right), scale, {c, 1, ldc});
  };
  add(alpha, x, y, beta);
  add(isAdjoint ? conjugated(alpha) : alpha, y, x, T{1});
}

/// y = alpha * a * x + beta * y. Strides are above 0; where that of y is not 1, a part of y is computed at a time.
template <class T>
void vector(Int m, Int n, T alpha, const Matrix<const T> &a, const T *x, Int strideX, T beta, T *y, Int strideY) {
  const Matrix<const T> column{x, strideX, 1};
  if (strideY == 1)
    return blas<T>().multiply(m, 1, n, alpha, a, column, beta, {y, 1, m});
  constexpr int64_t atOnce = 256;
  T part[atOnce];
  for (int64_t first = 0; first < m; first += atOnce) {
    const int64_t count = m - first < atOnce ? m - first : atOnce;
    T *const to = y + first * strideY;
    for (int64_t i = 0; i < count; ++i)
      part[i] = to[i * strideY];
    blas<T>().multiply(count, 1, n, alpha, a.at(first, 0), column, beta, {part, 1, count});
    for (int64_t i = 0; i < count; ++i)
      to[i * strideY] = part[i];
  }
}

/// y = alpha * a * x + beta * y of a symmetric or Hermitian matrix, one of whose triangles is stored. Blocks of columns
/// are read twice, the second time from a cache.
template <class T>
void symmetric(bool isAdjoint, Text uplo, Int n, T alpha, const T *a, Int lda, const T *x, Int strideX, T beta, T *y,
               Int strideY) {
  constexpr int64_t atOnce = 16;
  const bool isLower = is(uplo, 'L');
  const Matrix<const T> all{a, 1, lda};
  for (int64_t first = 0; first < n; first += atOnce) {
    const int64_t width = n - first < atOnce ? n - first : atOnce, end = first + width;
    T square[atOnce * atOnce];
    for (int64_t j = 0; j < width; ++j)
      for (int64_t i = isLower ? j : 0; i < (isLower ? width : j + 1); ++i) {
        const T value = a[first + i + (first + j) * lda];
        square[i + j * width] = value;
        square[j + i * width] = isAdjoint ? conjugated(value) : value;
        if constexpr (requires { value.imag; })
          if (isAdjoint && i == j)
            square[i + j * width].imag = 0;
      }
    T *const ownY = y + first * strideY;
    const T *const ownX = x + first * strideX;
    const bool isFirst = first == 0;
    const auto rest = [&](int64_t from, int64_t count, bool isScaled) {
      if (count == 0)
        return;
      const Matrix<const T> block = all.at(from, first);
      vector<T>(static_cast<Int>(count), static_cast<Int>(width), alpha, block, ownX, strideX, isScaled ? T{1} : beta,
                y + from * strideY, strideY);
      vector<T>(static_cast<Int>(width), static_cast<Int>(count), alpha,
                isAdjoint ? adjoint(block) : block.transposed(), x + from * strideX, strideX, T{1}, ownY, strideY);
    };
    // Each row is scaled by beta once: the first block of columns of a lower triangle reaches all rows; of an upper one
    // each block is the first to reach its own rows.
    vector<T>(static_cast<Int>(width), static_cast<Int>(width), alpha, {square, 1, width}, ownX, strideX,
              isLower && !isFirst ? T{1} : beta, ownY, strideY);
    if (isLower)
      rest(end, n - end, !isFirst);
    else
      rest(0, first, true);
  }
}

/// The diagonal of a Hermitian matrix is real.
template <class T>
void makeDiagonalReal(Int n, T *c, Int ldc) {
  for (int64_t i = 0; i < n; ++i)
    c[i + i * ldc].imag = 0;
}

} // namespace

// Fortran's hidden string lengths are ignored.
#define TENON_BLAS(p, T)                                                                                               \
  void p##gemm_(Text transA, Text transB, const Int *m, const Int *n, const Int *k, const T *alpha, const T *a,        \
                const Int *lda, const T *b, const Int *ldb, const T *beta, T *c, const Int *ldc) {                     \
    blas<T>().multiply(*m, *n, *k, *alpha, operand(transA, a, *lda), operand(transB, b, *ldb), *beta, {c, 1, *ldc});   \
  }                                                                                                                    \
  void p##trsm_(Text side, Text uplo, Text trans, Text diag, const Int *m, const Int *n, const T *alpha, const T *a,   \
                const Int *lda, T *b, const Int *ldb) {                                                                \
    triangle(true, side, uplo, trans, diag, *m, *n, *alpha, a, *lda, b, *ldb);                                         \
  }                                                                                                                    \
  void p##trmm_(Text side, Text uplo, Text trans, Text diag, const Int *m, const Int *n, const T *alpha, const T *a,   \
                const Int *lda, T *b, const Int *ldb) {                                                                \
    triangle(false, side, uplo, trans, diag, *m, *n, *alpha, a, *lda, b, *ldb);                                        \
  }
#define TENON_BLAS_VECTOR(p, T)                                                                                        \
  void p##gemv_(Text trans, const Int *m, const Int *n, const T *alpha, const T *a, const Int *lda, const T *x,        \
                const Int *incx, const T *beta, T *y, const Int *incy) {                                               \
    const bool isPlain = is(trans, 'N');                                                                               \
    vector(isPlain ? *m : *n, isPlain ? *n : *m, *alpha, operand(trans, a, *lda), x, *incx, *beta, y, *incy);          \
  }
#define TENON_BLAS_OUTER(name, T, isAdjoint)                                                                           \
  void name(const Int *m, const Int *n, const T *alpha, const T *x, const Int *incx, const T *y, const Int *incy,      \
            T *a, const Int *lda) {                                                                                    \
    blas<T>().multiply(*m, *n, 1, *alpha, {x, *incx, 1}, {y, 1, *incy, isAdjoint}, T{1}, {a, 1, *lda});                \
  }
#define TENON_BLAS_SYMMETRIC(name, T, isAdjoint)                                                                       \
  void name(Text uplo, const Int *n, const T *alpha, const T *a, const Int *lda, const T *x, const Int *incx,          \
            const T *beta, T *y, const Int *incy) {                                                                    \
    symmetric(isAdjoint, uplo, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);                                        \
  }
#define TENON_BLAS_REAL(p, T)                                                                                          \
  void p##syrk_(Text uplo, Text trans, const Int *n, const Int *k, const T *alpha, const T *a, const Int *lda,         \
                const T *beta, T *c, const Int *ldc) {                                                                 \
    rankK(false, uplo, trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc);                                                \
  }                                                                                                                    \
  void p##syr2k_(Text uplo, Text trans, const Int *n, const Int *k, const T *alpha, const T *a, const Int *lda,        \
                 const T *b, const Int *ldb, const T *beta, T *c, const Int *ldc) {                                    \
    rank2K(false, uplo, trans, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);                                      \
  }
#define TENON_BLAS_COMPLEX(p, T, R)                                                                                    \
  void p##herk_(Text uplo, Text trans, const Int *n, const Int *k, const R *alpha, const T *a, const Int *lda,         \
                const R *beta, T *c, const Int *ldc) {                                                                 \
    rankK(true, uplo, trans, *n, *k, T{*alpha}, a, *lda, T{*beta}, c, *ldc);                                           \
    makeDiagonalReal(*n, c, *ldc);                                                                                     \
  }                                                                                                                    \
  void p##her2k_(Text uplo, Text trans, const Int *n, const Int *k, const T *alpha, const T *a, const Int *lda,        \
                 const T *b, const Int *ldb, const R *beta, T *c, const Int *ldc) {                                    \
    rank2K(true, uplo, trans, *n, *k, *alpha, a, *lda, b, *ldb, T{*beta}, c, *ldc);                                    \
    makeDiagonalReal(*n, c, *ldc);                                                                                     \
  }

extern "C" {
TENON_BLAS(s, float)
TENON_BLAS(d, double)
TENON_BLAS(c, complex64_t)
TENON_BLAS(z, complex128_t)
TENON_BLAS_REAL(s, float)
TENON_BLAS_REAL(d, double)
TENON_BLAS_COMPLEX(c, complex64_t, float)
TENON_BLAS_COMPLEX(z, complex128_t, double)
TENON_BLAS_VECTOR(s, float)
TENON_BLAS_VECTOR(d, double)
TENON_BLAS_VECTOR(c, complex64_t)
TENON_BLAS_VECTOR(z, complex128_t)
TENON_BLAS_OUTER(sger_, float, false)
TENON_BLAS_OUTER(dger_, double, false)
TENON_BLAS_OUTER(cgerc_, complex64_t, true)
TENON_BLAS_OUTER(zgerc_, complex128_t, true)
TENON_BLAS_SYMMETRIC(ssymv_, float, false)
TENON_BLAS_SYMMETRIC(dsymv_, double, false)
TENON_BLAS_SYMMETRIC(chemv_, complex64_t, true)
TENON_BLAS_SYMMETRIC(zhemv_, complex128_t, true)
}
