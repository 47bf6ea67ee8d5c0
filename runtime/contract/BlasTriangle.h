//===- BlasTriangle.h - triangular matrices --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A triangle is halved until it has at most 32 rows, so most of the work are products (Blas.h). A small triangle is
// copied, and so are as many columns of b as L1 holds, row by row; rows are then updated by axpy over contiguous
// memory.
//===----------------------------------------------------------------------===//
#pragma once

#include "Blas.h"

namespace tenon::rt::TENON_ISA::blas {

inline constexpr int64_t kSmallTriangle = 32;

/// 1 / x by Smith's division.
template <class T>
T reciprocal(T x) {
  if constexpr (PartsOf<T>::count == 2) {
    const auto size = [](Part<T> part) { return part < 0 ? -part : part; };
    if (size(x.real) >= size(x.imag)) {
      const Part<T> ratio = x.imag / x.real, divisor = math::fma(x.imag, ratio, x.real);
      return {1 / divisor, -ratio / divisor};
    }
    const Part<T> ratio = x.real / x.imag, divisor = math::fma(x.real, ratio, x.imag);
    return {ratio / divisor, -1 / divisor};
  } else {
    return 1 / x;
  }
}

/// A triangle of at most kSmallTriangle rows, applied to columns of b.
template <class T>
class SmallTriangle {
public:
  /// Copies the triangle; isInverse: to solve with it.
  SmallTriangle(bool isLower, bool isUnit, bool isInverse, int64_t n, const Matrix<const T> &a)
      : isLower_(isLower), isUnit_(isUnit), isInverse_(isInverse), n_(n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = isLower ? 0 : i + 1, end = isLower ? i : n; k < end; ++k) {
        const T x = a.data[i * a.down + k * a.across];
        if constexpr (parts == 2) {
          const P sign = isInverse ? P(-1) : P(1);
          real_[i][k] = sign * x.real;
          imag_[i][k] = sign * (a.isConjugated ? -x.imag : x.imag);
          minusImag_[i][k] = -imag_[i][k];
        } else {
          real_[i][k] = isInverse ? -x : x;
        }
      }
      if (isUnit)
        continue;
      T x = a.data[i * (a.down + a.across)];
      if constexpr (parts == 2)
        x.imag = a.isConjugated ? -x.imag : x.imag;
      diagonal_[i] = isInverse && parts == 2 ? reciprocal(x) : x;
    }
  }

  void apply(int64_t columns, const Matrix<T> &b) {
    for (int64_t j = 0; j < columns; j += width) {
      const int64_t count = smaller(width, columns - j);
      const Matrix<T> some = b.at(0, j);
      load(some, count);
      // A product needs rows that are not yet replaced, a solution those that are.
      const bool isForward = isLower_ == isInverse_;
      for (int64_t step = 0; step < n_; ++step) {
        const int64_t i = isForward ? step : n_ - 1 - step;
        if (!isInverse_ && !isUnit_)
          scaleRow(i, count);
        const int64_t first = isLower_ ? 0 : i + 1;
        addOthers(i, first, isLower_ ? i : n_ - first, count);
        if (isInverse_ && !isUnit_)
          scaleRow(i, count);
      }
      store(some, count);
    }
  }

private:
  using P = Part<T>;
  static constexpr int parts = PartsOf<T>::count;
  static constexpr int64_t width = 64;
  using Rows = P[kSmallTriangle][width];

  /// Where rows of b lie one element apart, a few columns at a time, so that both sides are read in runs.
  template <class Move>
  void forEach(const Matrix<T> &b, int64_t count, Move &&move) {
    if (b.across == 1)
      for (int64_t i = 0; i < n_; ++i)
        for (int64_t j = 0; j < count; ++j)
          move(b.data[i * b.down + j], i, j);
    else
      for (int64_t j = 0; j < count; ++j)
        for (int64_t i = 0; i < n_; ++i)
          move(b.data[i * b.down + j * b.across], i, j);
  }
  void load(const Matrix<T> &b, int64_t count) {
    // scaleRow reads whole registers.
    if constexpr (parts == 2)
      for (int64_t i = 0; i < n_; ++i)
        for (int64_t j = count; j < width && j % math::nativeLanes<P> != 0; ++j)
          x_[0][i][j] = x_[1][i][j] = 0;
    forEach(b, count, [&](const T &x, int64_t i, int64_t j) {
      if constexpr (parts == 2)
        x_[0][i][j] = x.real, x_[1][i][j] = x.imag;
      else
        x_[0][i][j] = x;
    });
  }
  void store(const Matrix<T> &b, int64_t count) {
    forEach(b, count, [&](T &x, int64_t i, int64_t j) {
      if constexpr (parts == 2)
        x = {x_[0][i][j], x_[1][i][j]};
      else
        x = x_[0][i][j];
    });
  }

  /// Row i += the sum over `rows` rows k from `first` on of a(i, k) * row k.
  void addOthers(int64_t i, int64_t first, int64_t rows, int64_t count) {
    if (rows == 0)
      return;
    const auto add = [&](const P(&factors)[kSmallTriangle][kSmallTriangle], const Rows &from, Rows &to) {
      addRows(from[first], width, &factors[i][first], 1, rows, to[i], count);
    };
    add(real_, x_[0], x_[0]);
    if constexpr (parts == 2) {
      add(minusImag_, x_[1], x_[0]);
      add(real_, x_[1], x_[1]);
      add(imag_, x_[0], x_[1]);
    }
  }

  void scaleRow(int64_t i, int64_t count) {
    P *const real = x_[0][i];
    if constexpr (parts == 2) {
      using V = Vec<P, math::nativeLanes<P>>;
      constexpr int N = math::nativeLanes<P>;
      static_assert(width % N == 0);
      P *const imag = x_[1][i];
      const V re = math::broadcast<V>(diagonal_[i].real), im = math::broadcast<V>(diagonal_[i].imag);
      // Whole registers: what lies behind `count` is not stored.
      for (int64_t j = 0; j < count; j += N) {
        const V x = math::load<V>(real + j), y = math::load<V>(imag + j);
        math::store<V>(real + j, math::fma(-im, y, re * x));
        math::store<V>(imag + j, math::fma(re, y, im * x));
      }
    } else {
      for (int64_t j = 0; j < count; ++j)
        real[j] = isInverse_ ? real[j] / diagonal_[i] : real[j] * diagonal_[i];
    }
  }

  const bool isLower_, isUnit_, isInverse_;
  const int64_t n_;
  T diagonal_[kSmallTriangle];
  P real_[kSmallTriangle][kSmallTriangle];
  P imag_[parts == 2 ? kSmallTriangle : 1][kSmallTriangle], minusImag_[parts == 2 ? kSmallTriangle : 1][kSmallTriangle];
  alignas(64) P x_[parts][kSmallTriangle][width];
};

/// Where a triangle is halved.
inline int64_t halfOf(int64_t n) { return ceilDivide(ceilDivide(n, 2), kSmallTriangle) * kSmallTriangle; }

/// b = a^-1 * b or a * b.
template <class T, bool isInverse>
void applyTriangle(bool isLower, bool isUnit, int64_t n, int64_t columns, const Matrix<const T> &a,
                   const Matrix<T> &b) {
  if (n == 0 || columns == 0)
    return;
  if (n <= kSmallTriangle)
    return SmallTriangle<T>(isLower, isUnit, isInverse, n, a).apply(columns, b);
  const int64_t half = halfOf(n), rest = n - half;
  const Matrix<const T> corner = isLower ? a.at(half, 0) : a.at(0, half);
  const Matrix<T> upper = b, lower = b.at(half, 0);
  const auto apply = [&](bool isUpperHalf) {
    if (isUpperHalf)
      applyTriangle<T, isInverse>(isLower, isUnit, half, columns, a, upper);
    else
      applyTriangle<T, isInverse>(isLower, isUnit, rest, columns, a.at(half, half), lower);
  };
  const Matrix<T> &source = isLower ? upper : lower, &target = isLower ? lower : upper;
  const bool isSourceFirst = isInverse;
  apply(isSourceFirst == isLower);
  multiply<T>(isLower ? rest : half, columns, isLower ? half : rest, T{isInverse ? Part<T>(-1) : Part<T>(1)}, corner,
              {source.data, source.down, source.across}, T{1}, target);
  apply(isSourceFirst != isLower);
}

template <class T>
void multiplyToTriangle(bool isLower, int64_t n, int64_t depth, T alpha, const Matrix<const T> &a,
                        const Matrix<const T> &b, T beta, const Matrix<T> &c) {
  if (n == 0)
    return;
  if (n > kSmallTriangle) {
    const int64_t half = halfOf(n), rest = n - half;
    multiplyToTriangle(isLower, half, depth, alpha, a, b, beta, c);
    if (isLower)
      multiply(rest, half, depth, alpha, a.at(half, 0), b, beta, c.at(half, 0));
    else
      multiply(half, rest, depth, alpha, a, b.at(0, half), beta, c.at(0, half));
    return multiplyToTriangle(isLower, rest, depth, alpha, a.at(half, 0), b.at(0, half), beta, c.at(half, half));
  }
  // All of the square, of which the triangle is kept.
  T square[kSmallTriangle * kSmallTriangle];
  const bool isFresh = isEqual(beta, 0);
  const Matrix<T> copy{square, 1, n};
  const auto forEach = [&](auto &&move) {
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = isLower ? j : 0, end = isLower ? n : j + 1; i < end; ++i)
        move(c.data[i * c.down + j * c.across], square[i + j * n]);
  };
  if (!isFresh) {
    for (T &x : square)
      x = T{};
    forEach([](const T &from, T &to) { to = from; });
  }
  multiply(n, n, depth, alpha, a, b, beta, copy);
  forEach([](T &to, const T &from) { to = from; });
}

} // namespace tenon::rt::TENON_ISA::blas
