//===- Matmul.cpp - matrix products ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating products are calls of the serial OpenBLAS on tiles of the result;
// the tiles follow from the shape alone, so that threads change no bit. bf16 is
// widened to f32 and rounded once. Integers have a plain loop, and wrap.
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <openblas-serial/cblas.h>

namespace tenon::rt::TENON_ISA {
namespace {

/// BLAS counts in int; longer products are added up in pieces.
constexpr int64_t kMaxBlas = int64_t(1) << 30;

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
  if ((columns == 1 || right == 1) && (rows == 1 || (down >= columns && down <= kMaxBlas))) {
    matrix.leading = rows == 1 ? columns : down;
    matrix.isTransposed = false;
    return matrix.leading <= kMaxBlas;
  }
  if ((rows == 1 || down == 1) && (columns == 1 || (right >= rows && right <= kMaxBlas))) {
    matrix.leading = columns == 1 ? rows : right;
    matrix.isTransposed = true;
    return matrix.leading <= kMaxBlas;
  }
  return false;
}

struct Tile {
  int64_t row, rows, column, columns;
};

void multiplyTile(const Matrix &a, const Matrix &b, void *c, int64_t k, int64_t n, const Tile &tile, Dtype dtype) {
  const auto size = static_cast<int64_t>(item_size(dtype));
  const char *left = static_cast<const char *>(a.data) + tile.row * (a.isTransposed ? 1 : a.leading) * size;
  const char *right = static_cast<const char *>(b.data) + tile.column * (b.isTransposed ? b.leading : 1) * size;
  char *result = static_cast<char *>(c) + (tile.row * n + tile.column) * size;
  const CBLAS_TRANSPOSE ta = a.isTransposed ? CblasTrans : CblasNoTrans;
  const CBLAS_TRANSPOSE tb = b.isTransposed ? CblasTrans : CblasNoTrans;
  const int rows = static_cast<int>(tile.rows), columns = static_cast<int>(tile.columns);
  const int lda = static_cast<int>(a.leading), ldb = static_cast<int>(b.leading), ldc = static_cast<int>(n);
  for (int64_t from = 0; from < k; from += kMaxBlas) {
    const int depth = static_cast<int>(smaller(kMaxBlas, k - from));
    const char *x = left + from * (a.isTransposed ? a.leading : 1) * size;
    const char *y = right + from * (b.isTransposed ? 1 : b.leading) * size;
    const float beta = from == 0 ? 0 : 1;
    const complex64 one{1, 0}, complexBeta{beta, 0};
    if (dtype == Dtype::f32)
      cblas_sgemm(CblasRowMajor, ta, tb, rows, columns, depth, 1, reinterpret_cast<const float *>(x), lda,
                  reinterpret_cast<const float *>(y), ldb, beta, reinterpret_cast<float *>(result), ldc);
    else if (dtype == Dtype::f64)
      cblas_dgemm(CblasRowMajor, ta, tb, rows, columns, depth, 1, reinterpret_cast<const double *>(x), lda,
                  reinterpret_cast<const double *>(y), ldb, beta, reinterpret_cast<double *>(result), ldc);
    else
      cblas_cgemm(CblasRowMajor, ta, tb, rows, columns, depth, &one, x, lda, y, ldb, &complexBeta, result, ldc);
  }
}

/// How a product is cut: large tiles, for each packs its part of both operands.
struct Tiling {
  int64_t rows, columns;
  Tiling(int64_t m, int64_t n) : rows(m), columns(n) {
    constexpr int64_t most = 8, leastRows = 128, leastColumns = 256, unit = 16;
    if (m >= 2 * leastRows)
      rows = larger(leastRows, ceilDivide(ceilDivide(m, most), unit) * unit);
    else if (n >= 2 * leastColumns)
      columns = larger(leastColumns, ceilDivide(ceilDivide(n, most), unit) * unit);
    rows = smaller(rows, kMaxBlas);
    columns = smaller(columns, kMaxBlas);
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
    status = runLoop(makeNest(x.rank, x.dims, both), convertLoop(x.dtype, dtype), data, dtypes, nullptr);
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
          Matrix p, q;
          describe(x, p);
          describe(y, q);
          multiplyTile(p, q, result, k, n, tile, c.dtype);
        }
      },
      cancel);
  return isDone ? Status::ok : Status::cancelled;
}

} // namespace

Status kernelMatmul(const KernelCall &call) {
  const View &a = call.operands[0], &b = call.operands[1], &c = call.results[0];
  if (kind(a.dtype) == Kind::integer)
    return multiply(a, b, c, call.cancel);
  if (a.dtype == Dtype::bf16) {
    const Packed left(a, Dtype::f32), right(b, Dtype::f32);
    const Scratch product(c.count(), sizeof(float));
    if (left.status != Status::ok || right.status != Status::ok || !product)
      return Status::outOfMemory;
    View wide = c;
    wide.data = product.as<void>();
    wide.dtype = Dtype::f32;
    if (Status status = multiply(left.view, right.view, wide, call.cancel); status != Status::ok)
      return status;
    const int64_t *strides[] = {c.strides, c.strides};
    void *data[] = {wide.data, c.data};
    const Dtype dtypes[] = {Dtype::f32, Dtype::bf16};
    return runLoop(makeNest(c.rank, c.dims, strides), convertLoop(Dtype::f32, Dtype::bf16), data, dtypes, nullptr);
  }
  // Strides that BLAS does not know are packed.
  Matrix matrix;
  if (!describe(a, matrix)) {
    const Packed packed(a, a.dtype);
    if (packed.status != Status::ok)
      return packed.status;
    const View operands[] = {packed.view, b};
    return kernelMatmul({call.op, operands, call.results, call.attributes, call.cancel});
  }
  if (!describe(b, matrix)) {
    const Packed packed(b, b.dtype);
    return packed.status == Status::ok ? multiply(a, packed.view, c, call.cancel) : packed.status;
  }
  return multiply(a, b, c, call.cancel);
}

} // namespace tenon::rt::TENON_ISA
