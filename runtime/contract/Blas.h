//===- Blas.h - products into matrices with strides ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c = alpha * a * b + beta * c on one thread, for runtime/lapack/Blas.h: the panels and tiles of Region.h, but the
// chains begin at beta * c, and alpha multiplies the elements of a while they are packed.
//===----------------------------------------------------------------------===//
#pragma once

#include "Lanes.h"

#include "runtime/lapack/Blas.h"

namespace tenon::rt::TENON_ISA::blas {

template <class T>
bool isEqual(T x, Part<T> real) {
  if constexpr (PartsOf<T>::count == 2)
    return x.real == real && x.imag == 0;
  else
    return x == real;
}
template <class T>
T times(T a, T b) {
  if constexpr (PartsOf<T>::count == 2)
    return {math::fma(-a.imag, b.imag, a.real * b.real), math::fma(a.real, b.imag, a.imag * b.real)};
  else
    return a * b;
}

/// a * b + c.
template <class T>
T plusProduct(T a, T b, T c) {
  if constexpr (PartsOf<T>::count == 2) {
    const auto sum = multiplyAdd(math::Complex<Part<T>>{a.real, a.imag}, {b.real, b.imag}, {c.real, c.imag});
    return {sum.real, sum.imag};
  } else {
    return math::fma(a, b, c);
  }
}
template <class T>
T conjugateIf(bool isConjugated, T x) {
  if constexpr (PartsOf<T>::count == 2)
    x.imag = isConjugated ? -x.imag : x.imag;
  return x;
}
template <class T>
T element(const Matrix<const T> &x, int64_t i, int64_t j) {
  return conjugateIf(x.isConjugated, x.data[i * x.down + j * x.across]);
}

/// c = beta * c, where c(i, j) lies at c[i * stride + j].
template <class T>
void scale(int64_t rows, int64_t columns, T beta, T *c, int64_t stride) {
  if (isEqual(beta, 1))
    return;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      c[i * stride + j] = isEqual(beta, 0) ? T{} : times(beta, c[i * stride + j]);
}

template <class T>
class Gemm {
public:
  /// c(i, j) lies at c[i * cStride + j].
  Gemm(int64_t rows, int64_t columns, int64_t depth, T alpha, const Matrix<const T> &a, const Matrix<const T> &b,
       T beta, T *c, int64_t cStride)
      : rows_(rows), columns_(columns), depth_(depth), alpha_(alpha), beta_(beta), a_(a), b_(b), c_(c),
        cStride_(cStride) {}

  void run() {
    if (rows_ == 0 || columns_ == 0)
      return;
    if (depth_ == 0 || isEqual(alpha_, 0))
      return scale(rows_, columns_, beta_, c_, cStride_);
    if (b_.across == 1 && (rows_ <= fewRows || (parts == 1 && depth_ <= fewProducts)))
      return addLongRows();
    if (b_.down == 1 && rows_ <= fewRows)
      return addDotProducts();
    multiplyTiles();
  }

private:
  using Tile = TileOf<T>;
  using P = Part<T>;
  static constexpr int parts = PartsOf<T>::count;
  /// Below these limits, packing b costs more than the products.
  static constexpr int64_t fewRows = 3, fewProducts = 8;
  /// As in Region.h.
  static constexpr int64_t mostDepth = 512, blockBytes = 4096, maxOnStack = 4096;
  /// Sizes of a block whose panels lie on the stack.
  static constexpr int64_t smallDepth = 4096 / (parts * (Tile::rows + Tile::columns + 1)) / 8 * 8 - 8;

  /// The rows of b are contiguous: eight of them are added to a row of c at a time.
  void addLongRows() {
    scale(rows_, columns_, beta_, c_, cStride_);
    constexpr int64_t atOnce = 64, chunk = 1024;
    const auto factor = [&](int64_t i, int64_t l) { return times(alpha_, element(a_, i, l)); };
    for (int64_t i = 0; i < rows_; ++i)
      for (int64_t j = 0; j < columns_; j += chunk) {
        const int64_t count = smaller(chunk, columns_ - j);
        T *const c = c_ + i * cStride_ + j;
        // Of complex numbers, the multiples by the real and by the imaginary parts.
        P factors[parts][atOnce], sums[2][parts == 2 ? 2 * chunk : 1];
        if constexpr (parts == 2)
          for (int64_t n = 0; n < 2 * count; ++n)
            sums[0][n] = sums[1][n] = 0;
        for (int64_t l = 0; l < depth_; l += atOnce) {
          const int64_t depth = smaller(atOnce, depth_ - l);
          const P *const from = reinterpret_cast<const P *>(b_.data + l * b_.down + j);
          for (int64_t k = 0; k < depth; ++k) {
            const T x = factor(i, l + k);
            if constexpr (parts == 2)
              factors[0][k] = x.real, factors[1][k] = x.imag;
            else
              factors[0][k] = x;
          }
          if constexpr (parts == 2)
            for (int part = 0; part < 2; ++part)
              addRows(from, 2 * b_.down, factors[part], 1, depth, sums[part], 2 * count);
          else
            addRows(from, b_.down, factors[0], 1, depth, c, count);
        }
        if constexpr (parts == 2)
          for (int64_t n = 0; n < count; ++n) {
            const P sign = b_.isConjugated ? P(-1) : P(1);
            c[n] = {math::fma(-sign, sums[1][2 * n + 1], c[n].real + sums[0][2 * n]),
                    math::fma(sign, sums[0][2 * n + 1], c[n].imag + sums[1][2 * n])};
          }
      }
  }

  /// The columns of b are contiguous: sums in lanes, of blocks of the depth.
  void addDotProducts() {
    scale(rows_, columns_, beta_, c_, cStride_);
    constexpr int64_t depthAtOnce = 1024, columnsAtOnce = ColumnProduct<T>::rowsAtOnce;
    const Side<T> b = makeSide<T>(b_.data, axis(columns_, b_.across), axis(depth_, b_.down));
    T x[depthAtOnce], sums[columnsAtOnce];
    for (int64_t i = 0; i < rows_; ++i)
      for (int64_t l = 0; l < depth_; l += depthAtOnce) {
        const int64_t depth = smaller(depthAtOnce, depth_ - l);
        // conj(b) * x is the conjugate of b * conj(x).
        for (int64_t k = 0; k < depth; ++k)
          x[k] = conjugateIf(b_.isConjugated, element(a_, i, l + k));
        for (int64_t j = 0; j < columns_; j += columnsAtOnce) {
          const int64_t count = smaller(columnsAtOnce, columns_ - j);
          ColumnProduct<T>::multiply(b, b.data, j, count, l, depth, reinterpret_cast<const P *>(x), nullptr, sums);
          T *const c = c_ + i * cStride_ + j;
          for (int64_t n = 0; n < count; ++n)
            c[n] = plusProduct(alpha_, conjugateIf(b_.isConjugated, sums[n]), c[n]);
        }
      }
  }

  void multiplyTiles() {
    const int64_t across = ceilDivide(columns_, Tile::columns) * Tile::columns;
    int64_t width = smaller(blockBytes / static_cast<int64_t>(sizeof(T)), across), depth = smaller(mostDepth, depth_);
    const auto needed = [&] { return (depth * (width + Tile::rows) + Tile::lanes) * parts; };
    // Where the allocator refuses, smaller blocks do.
    const Scratch memory(needed() <= maxOnStack ? 0 : needed(), sizeof(P));
    alignas(64) P onStack[maxOnStack];
    P *panels = needed() <= maxOnStack ? onStack : memory.as<P>();
    if (!panels)
      panels = onStack, width = Tile::columns, depth = smaller(depth, smallDepth);
    bPanels_ = panels, aPanel_ = panels + depth * width * parts;
    const bool isFresh = isEqual(beta_, 0);
    if (!isFresh)
      scale(rows_, columns_, beta_, c_, cStride_);
    const Axes bDepth = axis(depth_, b_.down), aDepth = axis(depth_, a_.across);
    const Side<T> b = makeSide<T>(b_.data, axis(columns_, b_.across), bDepth);
    const Side<T> a = makeSide<T>(a_.data, axis(rows_, a_.down), aDepth);
    for (int64_t j = 0; j < columns_; j += width)
      for (int64_t l = 0; l < depth_; l += depth) {
        const int64_t some = smaller(depth, depth_ - l);
        const int64_t count = smaller(width, columns_ - j);
        packB(b, j, count, l, some);
        const int64_t tiles = ceilDivide(rows_, Tile::rows);
        for (int64_t tile = 0, first = 0; tile < tiles; ++tile) {
          const int64_t height = rows_ / tiles + (tile < rows_ % tiles);
          packA(a, first, height, l, some);
          multiplyRow(first, height, j, count, some, isFresh && l == 0);
          first += height;
        }
      }
  }

  static Axes axis(int64_t dim, int64_t stride) { return {1, &dim, &stride}; }

  void packB(const Side<T> &b, int64_t column, int64_t width, int64_t from, int64_t depth) {
    int64_t done = 0;
    if constexpr (parts == 1)
      if (b_.across == 1) {
        done = width / Tile::columns * Tile::columns;
        packWide(b_.data + from * b_.down + column, b_.down, done / Tile::columns, depth, bPanels_);
      }
    for (int64_t j = done; j < width; j += Tile::columns)
      b.pack(b, b.data, {column + j, smaller<int64_t>(Tile::columns, width - j), Tile::columns, from, depth},
             bPanels_ + j * depth * parts);
    if constexpr (parts == 2)
      if (b_.isConjugated)
        for (int64_t panel = 0; panel < ceilDivide(width, Tile::columns) * depth; ++panel)
          for (int64_t j = 0; j < Tile::columns; ++j)
            bPanels_[(2 * panel + 1) * Tile::columns + j] = -bPanels_[(2 * panel + 1) * Tile::columns + j];
  }

  void packA(const Side<T> &a, int64_t row, int64_t height, int64_t from, int64_t depth) {
    a.pack(a, a.data, {row, height, height, from, depth}, aPanel_);
    if constexpr (parts == 2) {
      if (!a_.isConjugated && isEqual(alpha_, 1))
        return;
      for (int64_t l = 0; l < depth; ++l)
        for (int64_t i = 0; i < height; ++i) {
          P &real = aPanel_[2 * l * height + i], &imag = aPanel_[(2 * l + 1) * height + i];
          const T scaled = times(alpha_, T{real, a_.isConjugated ? -imag : imag});
          real = scaled.real, imag = scaled.imag;
        }
    } else if (alpha_ != 1) {
      for (int64_t i = 0; i < depth * height; ++i)
        aPanel_[i] *= alpha_;
    }
  }

  void multiplyRow(int64_t first, int64_t height, int64_t column, int64_t width, int64_t depth, bool isFirst) {
    TileCall<T> call{};
    call.depth = depth;
    call.a = aPanel_;
    call.bStep = Tile::columns * parts;
    call.isFirst = isFirst;
    alignas(64) T edge[Tile::rows * Tile::columns];
    for (int64_t j = 0; j < width; j += Tile::columns) {
      const int64_t some = smaller<int64_t>(Tile::columns, width - j);
      const auto kernel =
          tileKernel<T, Walk::packed>(static_cast<int>(height), some > Tile::lanes ? int(Tile::vectors) : 1);
      T *const c = c_ + first * cStride_ + column + j;
      call.b = bPanels_ + j * depth * parts;
      const bool isWhole = some % Tile::lanes == 0;
      call.c = isWhole ? c : edge;
      call.cRow = isWhole ? cStride_ : Tile::columns;
      if (!isWhole && !isFirst)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t n = 0; n < Tile::columns; ++n)
            edge[i * Tile::columns + n] = n < some ? c[i * cStride_ + n] : T();
      kernel(call);
      if (!isWhole)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t n = 0; n < some; ++n)
            c[i * cStride_ + n] = edge[i * Tile::columns + n];
    }
  }

  const int64_t rows_, columns_, depth_;
  const T alpha_, beta_;
  const Matrix<const T> a_, b_;
  T *const c_;
  const int64_t cStride_;
  P *bPanels_ = nullptr, *aPanel_ = nullptr;
};

template <class T>
void multiply(int64_t rows, int64_t columns, int64_t depth, T alpha, const Matrix<const T> &a, const Matrix<const T> &b,
              T beta, const Matrix<T> &c) {
  // The contiguous axis of c lies along registers.
  if (c.across == 1 && (c.down != 1 || rows == 1))
    return Gemm<T>(rows, columns, depth, alpha, a, b, beta, c.data, c.down).run();
  Gemm<T>(columns, rows, depth, alpha, b.transposed(), a.transposed(), beta, c.data, c.across).run();
}

} // namespace tenon::rt::TENON_ISA::blas
