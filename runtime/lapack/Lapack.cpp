//===- Lapack.cpp - calls of LAPACK's Fortran functions ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/lapack/Lapack.h"

#include <cstring>

namespace tenon::rt {
// The allocator's, out of line, as in runtime/kernels/cpu/Table.h: an inline function of another header would be a
// second definition in this object.
void *allocateScratch(size_t bytes);
void freeScratch(void *block, size_t bytes);
} // namespace tenon::rt

using namespace tenon;
using namespace tenon::rt;

using Int = int;
/// gfortran passes the lengths of texts behind all other arguments.
using Length = size_t;
using Text = const char *;

// The functions whose names and arguments are the same for real and complex numbers.
#define TENON_LAPACK(p, T)                                                                                             \
  void p##potrf_(Text uplo, const Int *n, T *a, const Int *lda, Int *info, Length);                                    \
  void p##getrf_(const Int *m, const Int *n, T *a, const Int *lda, Int *pivots, Int *info);                            \
  void p##gesv_(const Int *n, const Int *columns, T *a, const Int *lda, Int *pivots, T *b, const Int *ldb, Int *info); \
  void p##trsm_(Text side, Text uplo, Text trans, Text diag, const Int *m, const Int *n, const T *alpha, const T *a,   \
                const Int *lda, T *b, const Int *ldb, Length, Length, Length, Length);                                 \
  void p##gemm_(Text transA, Text transB, const Int *m, const Int *n, const Int *k, const T *alpha, const T *a,        \
                const Int *lda, const T *b, const Int *ldb, const T *beta, T *c, const Int *ldc, Length, Length);      \
  void p##geqrf_(const Int *m, const Int *n, T *a, const Int *lda, T *tau, T *work, const Int *size, Int *info);       \
  void p##gtsv_(const Int *n, const Int *columns, T *dl, T *d, T *du, T *b, const Int *ldb, Int *info);
// Those of real numbers.
#define TENON_LAPACK_REAL(p, T)                                                                                        \
  void p##orgqr_(const Int *m, const Int *n, const Int *k, T *a, const Int *lda, const T *tau, T *work,                \
                 const Int *size, Int *info);                                                                          \
  void p##syevd_(Text job, Text uplo, const Int *n, T *a, const Int *lda, T *w, T *work, const Int *size,              \
                 Int *integers, const Int *integerSize, Int *info, Length, Length);                                    \
  void p##gesdd_(Text job, const Int *m, const Int *n, T *a, const Int *lda, T *s, T *u, const Int *ldu, T *vh,        \
                 const Int *ldvh, T *work, const Int *size, Int *integers, Int *info, Length);                         \
  void p##geev_(Text left, Text right, const Int *n, T *a, const Int *lda, T *wr, T *wi, T *vl, const Int *ldvl,       \
                T *vr, const Int *ldvr, T *work, const Int *size, Int *info, Length, Length);
// Those of complex numbers, whose parts are of type R.
#define TENON_LAPACK_COMPLEX(p, T, R)                                                                                  \
  void p##ungqr_(const Int *m, const Int *n, const Int *k, T *a, const Int *lda, const T *tau, T *work,                \
                 const Int *size, Int *info);                                                                          \
  void p##heevd_(Text job, Text uplo, const Int *n, T *a, const Int *lda, R *w, T *work, const Int *size, R *parts,    \
                 const Int *partSize, Int *integers, const Int *integerSize, Int *info, Length, Length);               \
  void p##gesdd_(Text job, const Int *m, const Int *n, T *a, const Int *lda, R *s, T *u, const Int *ldu, T *vh,        \
                 const Int *ldvh, T *work, const Int *size, R *parts, Int *integers, Int *info, Length);               \
  void p##geev_(Text left, Text right, const Int *n, T *a, const Int *lda, T *w, T *vl, const Int *ldvl, T *vr,        \
                const Int *ldvr, T *work, const Int *size, R *parts, Int *info, Length, Length);                       \
  void p##gees_(Text job, Text sort, Int (*select)(const T *), const Int *n, T *a, const Int *lda, Int *sdim, T *w,    \
                T *z, const Int *ldz, T *work, const Int *size, R *parts, Int *flags, Int *info, Length, Length);

extern "C" {
TENON_LAPACK(s, float)
TENON_LAPACK(d, double)
TENON_LAPACK(c, complex64_t)
TENON_LAPACK(z, complex128_t)
TENON_LAPACK_REAL(s, float)
TENON_LAPACK_REAL(d, double)
TENON_LAPACK_COMPLEX(c, complex64_t, float)
TENON_LAPACK_COMPLEX(z, complex128_t, double)

/// LAPACK calls this on wrong arguments, of which the caller learns by `info`. That of the library writes a line and
/// ends the process.
void xerbla_(Text, const Int *, Length) {}
/// The one function of the Fortran runtime that LAPACK needs here: joins two texts and fills the rest with blanks.
void _gfortran_concat_string(Length size, char *to, Length size1, Text text1, Length size2, Text text2) {
  const Length first = size1 < size ? size1 : size, second = size2 < size - first ? size2 : size - first;
  memcpy(to, text1, first);
  memcpy(to + first, text2, second);
  memset(to + first + second, ' ', size - first - second);
}
}

namespace {

/// Memory of one call, of `count` elements; null where the allocator refuses.
template <class T>
class Memory {
public:
  explicit Memory(int64_t count)
      : bytes_(static_cast<size_t>(count > 0 ? count : 1) * sizeof(T)),
        data_(static_cast<T *>(allocateScratch(bytes_))) {}
  ~Memory() { freeScratch(data_, bytes_); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  explicit operator bool() const { return data_; }
  T *data() const { return data_; }

private:
  size_t bytes_;
  T *data_;
};

double realPart(float x) { return static_cast<double>(x); }
double realPart(double x) { return x; }
double realPart(complex64_t x) { return static_cast<double>(x.real); }
double realPart(complex128_t x) { return x.real; }

/// The size of a workspace, which LAPACK gives as a number of the matrix's type: a float of it may be rounded down.
template <class T>
Int sizeFrom(T answer) {
  const double size = realPart(answer);
  return static_cast<Int>(size + size / 4194304 + 1);
}

/// Calls `run(work, size)` twice: for the size of the workspace, then with it.
template <class T, class Run>
Info withWork(Run &&run) {
  T answer{};
  if (Info info = run(&answer, Int(-1)))
    return info;
  const Int size = sizeFrom(answer);
  const Memory<T> work(size);
  return work ? run(work.data(), size) : kNoMemory;
}

int smaller(int a, int b) { return a < b ? a : b; }
int larger(int a, int b) { return a < b ? b : a; }

template <class T>
struct Calls;

#define TENON_COMMON_CALLS(p, T)                                                                                       \
  static Info cholesky(int n, T *a) {                                                                                  \
    Int info = 0;                                                                                                      \
    p##potrf_("L", &n, a, &n, &info, 1);                                                                               \
    return info;                                                                                                       \
  }                                                                                                                    \
  static Info lu(int rows, int columns, T *a, int *pivots) {                                                           \
    Int info = 0;                                                                                                      \
    p##getrf_(&rows, &columns, a, &rows, pivots, &info);                                                               \
    return info;                                                                                                       \
  }                                                                                                                    \
  static Info triangularSolve(bool isLower, bool isTransposed, bool isUnit, int n, int columns, const T *a, T *b) {    \
    const T one{1};                                                                                                    \
    p##trsm_("L", isLower ? "L" : "U", isTransposed ? "T" : "N", isUnit ? "U" : "N", &n, &columns, &one, a, &n, b, &n, \
             1, 1, 1, 1);                                                                                              \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static Info solve(int n, int columns, T *a, int *pivots, T *b) {                                                     \
    Int info = 0;                                                                                                      \
    p##gesv_(&n, &columns, a, &n, pivots, b, &n, &info);                                                               \
    return info;                                                                                                       \
  }                                                                                                                    \
  static Info qr(int rows, int columns, T *a, T *taus) {                                                               \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##geqrf_(&rows, &columns, a, &rows, taus, work, &size, &info);                                                  \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info tridiagonalSolve(int n, int columns, T *lower, T *diagonal, T *upper, T *b) {                            \
    Int info = 0;                                                                                                      \
    p##gtsv_(&n, &columns, lower, diagonal, upper, b, &n, &info);                                                      \
    return info;                                                                                                       \
  }                                                                                                                    \
  static void multiply(bool isAdjoint, int n, const T *a, const T *b, T *c) {                                          \
    const T one{1}, zero{0};                                                                                           \
    p##gemm_("N", isAdjoint ? "C" : "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);                          \
  }

#define TENON_REAL_CALLS(p, T)                                                                                         \
  static Info qrColumns(int rows, int columns, int count, T *a, const T *taus) {                                       \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##orgqr_(&rows, &columns, &count, a, &rows, taus, work, &size, &info);                                          \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info eigh(bool hasVectors, int n, T *a, T *w) {                                                               \
    const Int integerSize = 3 + 5 * n;                                                                                 \
    const Memory<Int> integers(integerSize);                                                                           \
    if (!integers)                                                                                                     \
      return kNoMemory;                                                                                                \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##syevd_(hasVectors ? "V" : "N", "L", &n, a, &n, w, work, &size, integers.data(), &integerSize, &info, 1, 1);   \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info svd(bool isFull, int rows, int columns, T *a, T *s, T *u, T *vh) {                                       \
    const Int least = smaller(rows, columns), ldvh = isFull ? columns : least;                                         \
    const Memory<Int> integers(8 * int64_t(least));                                                                    \
    if (!integers)                                                                                                     \
      return kNoMemory;                                                                                                \
    T none{};                                                                                                          \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##gesdd_(!u       ? "N"                                                                                         \
                : isFull ? "A"                                                                                         \
                         : "S",                                                                                        \
                &rows, &columns, a, &rows, s, u ? u : &none, &rows, u ? vh : &none, &ldvh, work, &size,                \
                integers.data(), &info, 1);                                                                            \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info eig(int n, T *a, Complex *w, Complex *v) {                                                               \
    const Memory<T> parts(2 * int64_t(n)), vectors(v ? int64_t(n) * n : 1);                                            \
    if (!parts || !vectors)                                                                                            \
      return kNoMemory;                                                                                                \
    T *const re = parts.data(), *const im = re + n, *const packed = vectors.data();                                    \
    const Info result = withWork<T>([&](T *work, Int size) {                                                           \
      Int info = 0;                                                                                                    \
      p##geev_("N", v ? "V" : "N", &n, a, &n, re, im, packed, &n, packed, &n, work, &size, &info, 1, 1);               \
      return info;                                                                                                     \
    });                                                                                                                \
    if (result == 0)                                                                                                   \
      unpack(n, re, im, packed, w, v);                                                                                 \
    return result;                                                                                                     \
  }

#define TENON_COMPLEX_CALLS(p, T, R)                                                                                   \
  static Info qrColumns(int rows, int columns, int count, T *a, const T *taus) {                                       \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##ungqr_(&rows, &columns, &count, a, &rows, taus, work, &size, &info);                                          \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info eigh(bool hasVectors, int n, T *a, R *w) {                                                               \
    const Int integerSize = 3 + 5 * n, partSize = hasVectors ? 1 + 5 * n + 2 * n * n : n;                              \
    const Memory<Int> integers(integerSize);                                                                           \
    const Memory<R> parts(partSize);                                                                                   \
    if (!integers || !parts)                                                                                           \
      return kNoMemory;                                                                                                \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##heevd_(hasVectors ? "V" : "N", "L", &n, a, &n, w, work, &size, parts.data(), &partSize, integers.data(),      \
                &integerSize, &info, 1, 1);                                                                            \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info svd(bool isFull, int rows, int columns, T *a, R *s, T *u, T *vh) {                                       \
    const Int least = smaller(rows, columns), most = larger(rows, columns), ldvh = isFull ? columns : least;           \
    const int64_t whole = int64_t(least) * (5 * int64_t(least) + 7),                                                   \
                  tall = int64_t(least) * (2 * int64_t(most) + 2 * int64_t(least) + 1);                                \
    const Memory<Int> integers(8 * int64_t(least));                                                                    \
    const Memory<R> parts(whole < tall ? tall : whole);                                                                \
    if (!integers || !parts)                                                                                           \
      return kNoMemory;                                                                                                \
    T none{};                                                                                                          \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##gesdd_(!u       ? "N"                                                                                         \
                : isFull ? "A"                                                                                         \
                         : "S",                                                                                        \
                &rows, &columns, a, &rows, s, u ? u : &none, &rows, u ? vh : &none, &ldvh, work, &size, parts.data(),  \
                integers.data(), &info, 1);                                                                            \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info eig(int n, T *a, T *w, T *v) {                                                                           \
    const Memory<R> parts(2 * int64_t(n));                                                                             \
    if (!parts)                                                                                                        \
      return kNoMemory;                                                                                                \
    T none{};                                                                                                          \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0;                                                                                                    \
      p##geev_("N", v ? "V" : "N", &n, a, &n, w, &none, &n, v ? v : &none, &n, work, &size, parts.data(), &info, 1,    \
               1);                                                                                                     \
      return info;                                                                                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static Info schur(int n, T *a, T *z) {                                                                               \
    const Memory<R> parts(n);                                                                                          \
    const Memory<T> values(n);                                                                                         \
    const Memory<Int> flags(n);                                                                                        \
    if (!parts || !values || !flags)                                                                                   \
      return kNoMemory;                                                                                                \
    return withWork<T>([&](T *work, Int size) {                                                                        \
      Int info = 0, none = 0;                                                                                          \
      p##gees_("V", "N", nullptr, &n, a, &n, &none, values.data(), z, &n, work, &size, parts.data(), flags.data(),     \
               &info, 1, 1);                                                                                           \
      return info;                                                                                                     \
    });                                                                                                                \
  }

/// What LAPACK gives of a real matrix as complex numbers: a pair of conjugate eigenvalues has the real and the
/// imaginary part of its first vector in two columns.
template <class T, class Complex>
void unpack(int n, const T *re, const T *im, const T *packed, Complex *w, Complex *v) {
  for (int j = 0; j < n; ++j)
    w[j] = {re[j], im[j]};
  for (int64_t j = 0; v && j < n; ++j) {
    const T *const column = packed + j * n;
    Complex *const to = v + j * n;
    for (int i = 0; i < n; ++i)
      to[i] = {column[i], 0};
    if (im[j] == 0 || j + 1 == n)
      continue;
    for (int i = 0; i < n; ++i) {
      to[i] = {column[i], column[n + i]};
      to[n + i] = {column[i], -column[n + i]};
    }
    ++j;
  }
}

template <>
struct Calls<float> {
  using Complex = complex64_t;
  TENON_COMMON_CALLS(s, float)
  TENON_REAL_CALLS(s, float)
  static constexpr Info (*schur)(int, float *, float *) = nullptr;
};
template <>
struct Calls<double> {
  using Complex = complex128_t;
  TENON_COMMON_CALLS(d, double)
  TENON_REAL_CALLS(d, double)
  static constexpr Info (*schur)(int, double *, double *) = nullptr;
};
template <>
struct Calls<complex64_t> {
  TENON_COMMON_CALLS(c, complex64_t)
  TENON_COMPLEX_CALLS(c, complex64_t, float)
};
template <>
struct Calls<complex128_t> {
  TENON_COMMON_CALLS(z, complex128_t)
  TENON_COMPLEX_CALLS(z, complex128_t, double)
};

template <class T>
constexpr Lapack<T> tableOf() {
  using C = Calls<T>;
  return {C::cholesky, C::lu,  C::triangularSolve,  C::solve,    C::qr,   C::qrColumns, C::eigh,
          C::svd,      C::eig, C::tridiagonalSolve, C::multiply, C::schur};
}

} // namespace

constinit const Lapack<float> tenon::rt::lapackF32 = tableOf<float>();
constinit const Lapack<double> tenon::rt::lapackF64 = tableOf<double>();
constinit const Lapack<complex64_t> tenon::rt::lapackC64 = tableOf<complex64_t>();
constinit const Lapack<complex128_t> tenon::rt::lapackC128 = tableOf<complex128_t>();
