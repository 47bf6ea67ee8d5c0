//===- Matmul.cpp - matrix products ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating products are calls of the serial OpenBLAS on tiles of the result;
// the tiles follow from the shape alone, so that threads change no bit. Narrow
// floats are widened to f32 and rounded once. Integers have a plain loop, and wrap.
// BLAS counts in int: longer products are made of pieces. Bits do not depend on how
// operands lie in memory: see Thin.h, Small.h and smallProduct.
//===----------------------------------------------------------------------===//
#include "Matmul.h"
#include "Kernels.h"
#include "ShortRows.h"
#include "Small.h"
#include "Thin.h"

#include <openblas-serial/cblas.h>

namespace tenon::rt::TENON_ISA {
namespace {

/// A matrix as BLAS takes it, rows stored one after another or transposed.
struct Matrix {
  const void *data;
  int64_t leading;
  bool isTransposed;
};

/// False where the strides are none that BLAS takes.
bool describe(const View &x, Matrix &matrix) {
  const int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  const int64_t down = x.strides[x.rank - 2], right = x.strides[x.rank - 1];
  matrix.data = x.data;
  if ((columns == 1 || right == 1) && (rows == 1 || down >= columns)) {
    matrix.leading = rows == 1 ? columns : down;
    matrix.isTransposed = false;
    return matrix.leading <= kMaxBlas;
  }
  if ((rows == 1 || down == 1) && (columns == 1 || right >= rows)) {
    matrix.leading = columns == 1 ? rows : right;
    matrix.isTransposed = true;
    return matrix.leading <= kMaxBlas;
  }
  return false;
}

struct Tile {
  int64_t row, rows, column, columns;
};

/// c = a b, or c += a b; rows and columns of the tile, `k` products for each.
void gemm(const Matrix &a, const Matrix &b, void *c, int64_t ldc, const Tile &tile, int64_t k, bool isAdded,
          Dtype dtype) {
  const CBLAS_TRANSPOSE ta = a.isTransposed ? CblasTrans : CblasNoTrans;
  const CBLAS_TRANSPOSE tb = b.isTransposed ? CblasTrans : CblasNoTrans;
  const int rows = static_cast<int>(tile.rows), columns = static_cast<int>(tile.columns), depth = static_cast<int>(k);
  const int p = static_cast<int>(a.leading), q = static_cast<int>(b.leading), r = static_cast<int>(ldc);
  const float beta = isAdded ? 1 : 0;
  const complex64_t one{1, 0}, complexBeta{beta, 0};
  const complex128_t wideOne{1, 0}, wideBeta{beta, 0};
  if (dtype == Dtype::f32)
    cblas_sgemm(CblasRowMajor, ta, tb, rows, columns, depth, 1, static_cast<const float *>(a.data), p,
                static_cast<const float *>(b.data), q, beta, static_cast<float *>(c), r);
  else if (dtype == Dtype::f64)
    cblas_dgemm(CblasRowMajor, ta, tb, rows, columns, depth, 1, static_cast<const double *>(a.data), p,
                static_cast<const double *>(b.data), q, beta, static_cast<double *>(c), r);
  else if (dtype == Dtype::c128)
    cblas_zgemm(CblasRowMajor, ta, tb, rows, columns, depth, &wideOne, a.data, p, b.data, q, &wideBeta, c, r);
  else
    cblas_cgemm(CblasRowMajor, ta, tb, rows, columns, depth, &one, a.data, p, b.data, q, &complexBeta, c, r);
}

/// Products with so few rows or columns read the other operand once: Thin.h. To pack it
/// would cost more than they do.
constexpr int64_t thinProduct = 4;

/// Up to so many multiplications OpenBLAS has kernels for each pair of layouts, which
/// sum in orders of their own; beyond, it packs both operands first. Of these products
/// transposed operands are packed here.
constexpr int64_t smallProduct = 100 * 100 * 100;

/// How a product is cut: large tiles, for each packs its part of both operands.
struct Tiling {
  int64_t rows, columns;
  Tiling(int64_t m, int64_t n) : rows(m), columns(n) {
    constexpr int64_t most = 8, leastRows = 128, leastColumns = 256, unit = 16;
    if (m >= 2 * leastRows)
      rows = larger(leastRows, ceilDivide(ceilDivide(m, most), unit) * unit);
    else if (n >= 2 * leastColumns)
      columns = larger(leastColumns, ceilDivide(ceilDivide(n, most), unit) * unit);
  }
};

template <class U>
void multiplyIntegers(const View &a, const View &b, U *c, const Tile &tile, int64_t k, int64_t n) {
  const int r = a.rank;
  const auto *left = static_cast<const U *>(a.data) + tile.row * a.strides[r - 2];
  const auto *right = static_cast<const U *>(b.data) + tile.column * b.strides[r - 1];
  const int64_t stride = b.strides[r - 1];
  for (int64_t i = 0; i < tile.rows; ++i) {
    U *row = c + (tile.row + i) * n + tile.column;
    for (int64_t j = 0; j < tile.columns; ++j)
      row[j] = 0;
    for (int64_t l = 0; l < k; ++l) {
      const U factor = left[i * a.strides[r - 2] + l * a.strides[r - 1]];
      const U *other = right + l * b.strides[r - 2];
      if (stride == 1)
        for (int64_t j = 0; j < tile.columns; ++j)
          row[j] += factor * other[j];
      else
        for (int64_t j = 0; j < tile.columns; ++j)
          row[j] += factor * other[j * stride];
    }
  }
}

/// A dense copy of a view, as `dtype`.
struct Packed {
  Scratch memory;
  int64_t strides[kMaxRank];
  View view;
  Status status;

  Packed(const View &x, Dtype dtype) : memory(x.count(), item_size(dtype)), view(x), status(Status::outOfMemory) {
    view.data = memory.as<void>();
    view.dtype = dtype;
    view.strides = strides;
    denseStrides(x.rank, x.dims, strides);
    if (!memory)
      return;
    if (dtype == x.dtype) {
      status = copyView(x, view);
      return;
    }
    const int64_t *both[] = {x.strides, strides};
    void *data[] = {x.data, view.data};
    const Dtype dtypes[] = {x.dtype, dtype};
    status = runLoop(makeNest(x.rank, x.dims, both), loopAstype(x.dtype, dtype), data, dtypes, nullptr);
  }
  Packed(const Packed &) = delete;
  Packed &operator=(const Packed &) = delete;
};

/// The matrix at a place of the leading axes.
View matrixAt(const View &x, const Strided &batch, int64_t index) {
  View matrix = x;
  matrix.data = static_cast<char *>(x.data) + batch.offset(index) * static_cast<int64_t>(item_size(x.dtype));
  return matrix;
}

/// to[i * columns + j] = from[j * leading + i], in squares of registers. `leading` is
/// at least `rows`.
template <class T>
void packTransposed(const T *from, int64_t leading, int64_t rows, int64_t columns, T *to) {
  constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;
  int64_t j = 0;
  for (; j + N <= columns; j += N) {
    // A square may be read past the last row, which is then not kept, but not past the last element.
    const int64_t last = (columns - j - N) * leading + rows - N;
    int64_t i = 0;
    for (; i < rows && i <= last; i += N) {
      V square[N];
      for (int l = 0; l < N; ++l)
        square[l] = math::load<V>(from + (j + l) * leading + i);
      transposePieces<1>(square);
      for (int l = 0; l < N; ++l)
        if (i + l < rows)
          math::store<V>(to + (i + l) * columns + j, square[l]);
    }
    for (; i < rows; ++i)
      for (int l = 0; l < N; ++l)
        to[i * columns + j + l] = from[(j + l) * leading + i];
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = j; k < columns; ++k)
      to[i * columns + k] = from[k * leading + i];
}

/// One row of x times columns of y; x and y have a stride of 1, or one row or column.
template <class T>
Status multiplyRow(const T *row, int64_t step, const T *matrix, int64_t k, int64_t down, int64_t across,
                   int64_t columns, T *to, int64_t stride) {
  if (across != 1 && (columns == 1 || k == 1)) {
    // Strides along axes of one element say nothing.
    down = k == 1 ? 1 : down;
    across = columns == 1 && down != 1 ? 1 : across;
  }
  if (step == 1 || k == 1) {
    Thin<T>::multiply(row, matrix, k, down, across, columns, to, stride);
    return Status::ok;
  }
  const Scratch memory(k, sizeof(T));
  if (!memory)
    return Status::outOfMemory;
  T *packed = memory.as<T>();
  for (int64_t l = 0; l < k; ++l)
    packed[l] = row[l * step];
  Thin<T>::multiply(packed, matrix, k, down, across, columns, to, stride);
  return Status::ok;
}

/// A tile of few rows or columns.
template <class T>
Status multiplyThin(const View &x, const View &y, T *c, int64_t k, int64_t n, const Tile &tile) {
  const int64_t *p = x.strides + x.rank - 2, *q = y.strides + y.rank - 2;
  const T *a = static_cast<const T *>(x.data) + tile.row * p[0];
  const T *b = static_cast<const T *>(y.data) + tile.column * q[1];
  c += tile.row * n + tile.column;
  Status status = Status::ok;
  if (tile.rows <= tile.columns)
    for (int64_t i = 0; i < tile.rows && status == Status::ok; ++i)
      status = multiplyRow<T>(a + i * p[0], p[1], b, k, q[0], q[1], tile.columns, c + i * n, 1);
  else
    for (int64_t j = 0; j < tile.columns && status == Status::ok; ++j)
      status = multiplyRow<T>(b + j * q[1], q[0], a, k, p[1], p[0], tile.rows, c + j, n);
  return status;
}

/// A tile of whole rows that is a small product; false if it is no such.
template <class T>
bool multiplySmall(const View &x, const View &y, T *c, int64_t k, int64_t n, const Tile &tile) {
  if (tile.columns != n || !Small<T>::takes(tile.rows, k, n))
    return false;
  const int64_t *strides = x.strides + x.rank - 2;
  Small<T>::multiply(static_cast<const T *>(x.data) + tile.row * strides[0], strides, static_cast<const T *>(y.data),
                     y.strides + y.rank - 2, tile.rows, k, n, c + tile.row * n);
  return true;
}

/// A tile of a product of matrices that BLAS takes.
Status multiplyTile(const View &x, const View &y, void *c, int64_t k, int64_t n, const Tile &tile, Dtype dtype) {
  if (smaller(tile.rows, tile.columns) <= thinProduct) {
    if (dtype == Dtype::f32)
      return multiplyThin<float>(x, y, static_cast<float *>(c), k, n, tile);
    if (dtype == Dtype::f64)
      return multiplyThin<double>(x, y, static_cast<double *>(c), k, n, tile);
  }
  if ((dtype == Dtype::f32 && multiplySmall(x, y, static_cast<float *>(c), k, n, tile)) ||
      (dtype == Dtype::f64 && multiplySmall(x, y, static_cast<double *>(c), k, n, tile)))
    return Status::ok;
  const auto size = static_cast<int64_t>(item_size(dtype));
  Matrix a, b;
  describe(x, a);
  describe(y, b);
  const bool isPacked = !isComplex(dtype) && tile.rows * tile.columns * k <= smallProduct;
  const int64_t left = isPacked && a.isTransposed ? tile.rows * k : 0;
  const int64_t right = isPacked && b.isTransposed ? k * tile.columns : 0;
  a.data = static_cast<const char *>(a.data) + tile.row * (a.isTransposed ? 1 : a.leading) * size;
  b.data = static_cast<const char *>(b.data) + tile.column * (b.isTransposed ? b.leading : 1) * size;
  void *to = static_cast<char *>(c) + (tile.row * n + tile.column) * size;
  if (left + right == 0) {
    gemm(a, b, to, n, tile, k, false, dtype);
    return Status::ok;
  }
  const Scratch memory(left + right, static_cast<size_t>(size));
  if (!memory)
    return Status::outOfMemory;
  char *p = memory.as<char>(), *q = p + left * size;
  auto pack = [&](Matrix &matrix, int64_t rows, int64_t columns, char *into) {
    if (dtype == Dtype::f32)
      packTransposed(static_cast<const float *>(matrix.data), matrix.leading, rows, columns,
                     reinterpret_cast<float *>(into));
    else
      packTransposed(static_cast<const double *>(matrix.data), matrix.leading, rows, columns,
                     reinterpret_cast<double *>(into));
    matrix = {into, columns, false};
  };
  if (left)
    pack(a, tile.rows, k, p);
  if (right)
    pack(b, k, tile.columns, q);
  gemm(a, b, to, n, tile, k, false, dtype);
  return Status::ok;
}

Status multiply(const View &a, const View &b, const View &c, const uint32_t *cancel) {
  const int rank = a.rank;
  const int64_t m = a.dims[rank - 2], k = a.dims[rank - 1], n = b.dims[rank - 1];
  const Strided left = makeStrided(a.data, rank - 2, a.dims, a.strides);
  const Strided right = makeStrided(b.data, rank - 2, b.dims, b.strides);
  const int64_t batches = left.nest.count();
  if (batches * m * n == 0)
    return Status::ok;
  const bool isInteger = kind(a.dtype) == Kind::integer;
  if (k == 0) {
    __builtin_memset(c.data, 0, static_cast<size_t>(batches * m * n) * item_size(c.dtype));
    return Status::ok;
  }
  const Tiling tiling(m, n);
  const int64_t down = ceilDivide(m, tiling.rows), across = ceilDivide(n, tiling.columns), tiles = down * across;
  // About a million multiplications for a thread to come.
  const int64_t work = smaller(tiling.rows, m) * smaller(tiling.columns, n);
  const int64_t grain = larger<int64_t>(1, (int64_t(1) << 20) / larger<int64_t>(1, work) / larger<int64_t>(1, k));
  int32_t failure = 0;
  const bool isDone = parallelFor(
      batches * tiles, grain,
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi; ++lo) {
          const int64_t batch = lo / tiles, tileIndex = lo % tiles;
          Tile tile{tileIndex / across * tiling.rows, 0, tileIndex % across * tiling.columns, 0};
          tile.rows = smaller(tiling.rows, m - tile.row);
          tile.columns = smaller(tiling.columns, n - tile.column);
          const View x = matrixAt(a, left, batch), y = matrixAt(b, right, batch);
          char *result = static_cast<char *>(c.data) + batch * m * n * static_cast<int64_t>(item_size(c.dtype));
          if (isInteger) {
            if (item_size(c.dtype) == 4)
              multiplyIntegers(x, y, reinterpret_cast<uint32_t *>(result), tile, k, n);
            else
              multiplyIntegers(x, y, reinterpret_cast<uint64_t *>(result), tile, k, n);
            continue;
          }
          if (Status status = multiplyTile(x, y, result, k, n, tile, c.dtype); status != Status::ok)
            __atomic_store_n(&failure, static_cast<int32_t>(status), __ATOMIC_RELAXED);
        }
      },
      cancel);
  if (failure)
    return static_cast<Status>(failure);
  return isDone ? Status::ok : Status::cancelled;
}

/// The part of a matrix that begins at a row and a column, dense, into `to`.
Status packPart(const View &x, int64_t row, int64_t rows, int64_t column, int64_t columns, void *to) {
  const int64_t dims[] = {rows, columns}, strides[] = {columns, 1};
  const int64_t *from = x.strides + x.rank - 2;
  char *data =
      static_cast<char *>(x.data) + (row * from[0] + column * from[1]) * static_cast<int64_t>(item_size(x.dtype));
  return copyView({data, x.dtype, 2, dims, from}, {to, x.dtype, 2, dims, strides});
}

/// Of floating operands of the result's dtype, of any strides.
Status multiplyFloating(const View &a, const View &b, const View &c, const uint32_t *cancel) {
  const int rank = a.rank;
  if (isBeyondBlas(a.dims[rank - 2], a.dims[rank - 1], b.dims[rank - 1]))
    return multiplyInPieces(a, b, c, {}, cancel);
  // Strides that BLAS does not know are packed.
  Matrix matrix;
  if (!describe(a, matrix)) {
    const Packed packed(a, a.dtype);
    return packed.status == Status::ok ? multiplyFloating(packed.view, b, c, cancel) : packed.status;
  }
  if (!describe(b, matrix)) {
    const Packed packed(b, b.dtype);
    return packed.status == Status::ok ? multiply(a, packed.view, c, cancel) : packed.status;
  }
  return multiply(a, b, c, cancel);
}

} // namespace

bool isBeyondBlas(int64_t m, int64_t k, int64_t n) { return larger(larger(m, k), n) > kMaxBlas; }

Status multiplyInPieces(const View &a, const View &b, const View &c, const Pieces &pieces, const uint32_t *cancel) {
  const int rank = a.rank;
  const int64_t m = a.dims[rank - 2], k = a.dims[rank - 1], n = b.dims[rank - 1];
  const Strided left = makeStrided(a.data, rank - 2, a.dims, a.strides);
  const Strided right = makeStrided(b.data, rank - 2, b.dims, b.strides);
  const int64_t batches = left.nest.count(), down = ceilDivide(m, pieces.rows), across = ceilDivide(n, pieces.columns);
  const auto size = static_cast<int64_t>(item_size(c.dtype));
  if (k == 0) {
    __builtin_memset(c.data, 0, static_cast<size_t>(batches * m * n * size));
    return Status::ok;
  }
  int32_t failure = 0;
  const bool isDone = parallelFor(
      batches * down * across, 1,
      [&](int64_t lo, int64_t hi) {
        const int64_t height = smaller(pieces.rows, m), width = smaller(pieces.columns, n);
        const int64_t depth = smaller(pieces.depth, k);
        const Scratch memory(height * depth + depth * width + height * width, static_cast<size_t>(size));
        if (!memory) {
          __atomic_store_n(&failure, static_cast<int32_t>(Status::outOfMemory), __ATOMIC_RELAXED);
          return;
        }
        char *p = memory.as<char>(), *q = p + height * depth * size, *sums = q + depth * width * size;
        for (; lo < hi; ++lo) {
          const int64_t index = lo / (down * across);
          Tile tile{lo / across % down * pieces.rows, 0, lo % across * pieces.columns, 0};
          tile.rows = smaller(pieces.rows, m - tile.row), tile.columns = smaller(pieces.columns, n - tile.column);
          const View x = matrixAt(a, left, index), y = matrixAt(b, right, index);
          for (int64_t from = 0; from < k; from += depth) {
            const int64_t some = smaller(depth, k - from);
            packPart(x, tile.row, tile.rows, from, some, p);
            packPart(y, from, some, tile.column, tile.columns, q);
            gemm({p, some, false}, {q, tile.columns, false}, sums, tile.columns, tile, some, from > 0, c.dtype);
          }
          char *to = static_cast<char *>(c.data) + (index * m * n + tile.row * n + tile.column) * size;
          for (int64_t row = 0; row < tile.rows; ++row)
            __builtin_memcpy(to + row * n * size, sums + row * tile.columns * size,
                             static_cast<size_t>(tile.columns * size));
        }
      },
      cancel);
  if (failure)
    return static_cast<Status>(failure);
  return isDone ? Status::ok : Status::cancelled;
}

Status kernelMatmul(const KernelCall &call) {
  const View &a = call.operands[0], &b = call.operands[1], &c = call.results[0];
  if (kind(a.dtype) == Kind::integer)
    return multiply(a, b, c, call.cancel);
  if (is_narrow(a.dtype)) {
    const Packed left(a, Dtype::f32), right(b, Dtype::f32);
    const Scratch product(c.count(), sizeof(float));
    if (left.status != Status::ok || right.status != Status::ok || !product)
      return Status::outOfMemory;
    View wide = c;
    wide.data = product.as<void>();
    wide.dtype = Dtype::f32;
    if (Status status = multiplyFloating(left.view, right.view, wide, call.cancel); status != Status::ok)
      return status;
    const int64_t *strides[] = {c.strides, c.strides};
    void *data[] = {wide.data, c.data};
    const Dtype dtypes[] = {Dtype::f32, c.dtype};
    return runLoop(makeNest(c.rank, c.dims, strides), loopAstype(Dtype::f32, c.dtype), data, dtypes, nullptr);
  }
  return multiplyFloating(a, b, c, call.cancel);
}

} // namespace tenon::rt::TENON_ISA
