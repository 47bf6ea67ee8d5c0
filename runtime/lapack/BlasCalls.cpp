//===- BlasCalls.cpp - Fortran's names of the functions in Blas.h ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They take the place of the functions of Debian's reference BLAS in the object that the build makes of LAPACK
// (CMakeLists.txt). LAPACK's arguments are right, so they are not checked.
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

/// The diagonal of a Hermitian matrix is real.
template <class T>
void makeDiagonalReal(Int n, T *c, Int ldc) {
  for (int64_t i = 0; i < n; ++i)
    c[i + i * ldc].imag = 0;
}

} // namespace

// The lengths of texts behind the arguments are not read.
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
}
