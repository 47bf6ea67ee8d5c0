//===- Region.h - blocks, panels and tiles of a product ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region of the result is one thread's piece of work. For each block of its columns, and of the
// depth, b is packed into panels that the cache holds; then for each tile's rows a is packed into
// one panel, and the tiles of all columns are made. Operands that the kernel can read fast enough
// where they lie are not packed, which sizes and strides decide.
//===----------------------------------------------------------------------===//
#pragma once

#include "Contract.h"
#include "Lanes.h"

namespace tenon::rt::TENON_ISA {

namespace detail {
/// Adds `blocks` runs of `count` sums, each `apart` from the one before, pairwise, into the first.
template <class T>
void combineBlocks(T *sums, int64_t blocks, int64_t apart, int64_t count) {
  for (; blocks > 1; blocks = (blocks + 1) / 2)
    for (int64_t block = 0; block < blocks; block += 2)
      for (int64_t i = 0; i < count; ++i)
        sums[block / 2 * apart + i] = block + 1 < blocks ? added(sums[block * apart + i], sums[(block + 1) * apart + i])
                                                         : sums[block * apart + i];
}
} // namespace detail

template <class T>
class Region {
public:
  /// Rows [row, row + rows) and columns [column, column + columns) of product number `index`.
  Region(const Product<T> &product, int64_t index, int64_t row, int64_t rows, int64_t column, int64_t columns,
         const uint32_t *cancel)
      : p_(product), cancel_(cancel), a_(product.a), b_(product.b), aData_(product.a.at(product.aStarts.offset(index))),
        bData_(product.b.at(product.bStarts.offset(index))), c_(product.c + index * product.rows * product.columns),
        index_(index), row_(row), rows_(rows), column_(column), columns_(columns),
        tiles_(ceilDivide(rows, Tile::rows)) {}

  Status run() {
    if (p_.depth == 0) {
      for (int64_t i = 0; i < rows_; ++i)
        __builtin_memset(static_cast<void *>(rowOfResult(i) + column_), 0, static_cast<size_t>(columns_) * sizeof(T));
      finish(0, rows_, column_, columns_);
      return Status::ok;
    }
    if (p_.columns == 1)
      return multiplyColumn();
    plan();
    const int64_t depth = smaller(blockDepth, p_.depth);
    const int64_t packed = hasFewRows_              ? 0
                           : !readsBDirectly_       ? blockColumns_
                           : columns_ % Tile::lanes ? Tile::columns
                                                    : 0;
    const int64_t panels = depth * packed * parts;
    // Behind the panel of a there is place for a register.
    const int64_t needed = panels + (readsADirectly_ ? 0 : (depth * Tile::rows + Tile::lanes) * parts);
    alignas(64) Part<T> onStack[maxOnStack];
    const Scratch memory(needed <= maxOnStack ? 0 : needed, sizeof(Part<T>));
    bPanels_ = needed <= maxOnStack ? onStack : memory.as<Part<T>>();
    if (!bPanels_)
      return Status::outOfMemory;
    aPanel_ = bPanels_ + panels;
    const int64_t blocks = ceilDivide(p_.depth, kBlock);
    for (int64_t j = 0; j < columns_; j += blockColumns_) {
      const Block block{column_ + j, smaller(blockColumns_, columns_ - j), rowOfResult(0) + column_ + j, p_.columns};
      if (Status status = sumBlocks(block, 0, blocks); status != Status::ok)
        return status;
      if (blocks > 1 || hasFewRows_)
        finish(0, rows_, block.column, block.width);
    }
    return Status::ok;
  }

private:
  using Tile = TileOf<T>;
  static constexpr int parts = PartsOf<T>::count;
  /// With so few rows a tile would wait for its own chains: reading b from memory, or from a cache.
  static constexpr int64_t fewRows = 3, fewRowsInCache = 8;
  /// A panel of a lies in the first cache, panels of b, a megabyte, in the second.
  static constexpr int64_t blockDepth = 512, blockBytes = 2048;
  /// A matrix b of at most so many bytes is not packed.
  static constexpr int64_t maxUnpackedBytes = 256 * 1024;
  /// Of the second cache, or a good part of a larger one.
  static constexpr int64_t cacheBytes = 1024 * 1024;
  /// Workspace of at most so many numbers is on the stack.
  static constexpr int64_t maxOnStack = 4096;

  /// Columns of the result within the region, and where they are summed.
  struct Block {
    int64_t column, width;
    T *c;
    int64_t stride;
  };

  const T *aElements() const { return static_cast<const T *>(aData_); }
  const T *bElements() const { return static_cast<const T *>(bData_); }
  bool isCancelled() const { return cancel_ && __atomic_load_n(cancel_, __ATOMIC_RELAXED); }
  T *rowOfResult(int64_t i) const { return c_ + (row_ + i) * p_.columns; }

  void finish(int64_t first, int64_t count, int64_t column, int64_t width) const {
    if (p_.finish)
      p_.finish(p_.context, index_, row_ + first, count, column, width);
  }

  /// Rows so far apart that they share sets of the cache, or lie in a page each.
  static bool conflictsInCache(int64_t stride) {
    const int64_t bytes = (stride < 0 ? -stride : stride) * static_cast<int64_t>(sizeof(T));
    return bytes > 8192 || (bytes >= 2048 && bytes % 1024 == 0);
  }

  void plan() {
    const int64_t across = ceilDivide(columns_, Tile::columns) * Tile::columns;
    blockColumns_ = smaller(blockBytes / static_cast<int64_t>(sizeof(T)), across);
    const auto canRead = [](const Side<T> &side) {
      return parts == 1 && side.isPlain && side.outer.isStrided() && side.depth.isStrided();
    };
    isInRows_ = canRead(b_) && b_.outer.stride() == 1;
    const int64_t bytes = p_.depth * p_.columns * static_cast<int64_t>(sizeof(T));
    readsBDirectly_ =
        isInRows_ && (bytes <= 32 * 1024 || (bytes <= maxUnpackedBytes && !conflictsInCache(b_.depth.stride())));
    readsADirectly_ = canRead(a_) && (columns_ <= 2 * Tile::columns ||
                                      (a_.depth.stride() == 1 && !conflictsInCache(a_.outer.stride())));
    isInColumns_ = canRead(b_) && b_.depth.stride() == 1;
    hasFewRows_ = !p_.isContinued && columns_ >= Tile::columns && canRead(a_) &&
                  ((isInRows_ && rows_ <= (bytes <= cacheBytes ? fewRowsInCache : fewRows)) ||
                   (isInColumns_ && rows_ <= fewRows));
    if (hasFewRows_)
      blockColumns_ = columns_;
  }

  /// Blocks [first, first + count) of the depth, pairwise.
  Status sumBlocks(const Block &block, int64_t first, int64_t count) {
    if (count == 1) {
      const int64_t from = first * kBlock, depth = smaller(kBlock, p_.depth - from);
      if (!hasFewRows_)
        return multiplyTiles(block, from, depth);
      multiplyFewRows(block, from, depth);
      return isCancelled() ? Status::cancelled : Status::ok;
    }
    int64_t left = 1;
    while (2 * left < count)
      left *= 2;
    const Scratch memory(rows_ * block.width, sizeof(T));
    if (!memory)
      return Status::outOfMemory;
    const Block other{block.column, block.width, memory.as<T>(), block.width};
    if (Status status = sumBlocks(block, first, left); status != Status::ok)
      return status;
    if (Status status = sumBlocks(other, first + left, count - left); status != Status::ok)
      return status;
    for (int64_t i = 0; i < rows_; ++i)
      for (int64_t j = 0; j < block.width; ++j)
        block.c[i * block.stride + j] = added(block.c[i * block.stride + j], other.c[i * other.stride + j]);
    return Status::ok;
  }

  void multiplyFewRows(const Block &block, int64_t from, int64_t depth) {
    if constexpr (parts == 1) {
      constexpr int64_t rowsAtOnce = 8;
      const int64_t step = a_.depth.stride();
      const auto factors = [&](int64_t i) { return aElements() + (row_ + i) * a_.outer.stride() + from * step; };
      if (!isInRows_) {
        const int64_t stride = b_.outer.stride();
        for (int64_t j = 0; j < block.width; j += Tile::columns)
          for (int64_t i = 0; i < rows_; ++i)
            multiplyColumns(factors(i), step, bElements() + (block.column + j) * stride + from, stride, depth,
                            smaller<int64_t>(Tile::columns, block.width - j), block.c + i * block.stride + j);
        return;
      }
      const int64_t stride = b_.depth.stride();
      const int64_t chunk = rows_ == 1 ? 2048 : 512;
      for (int64_t j = 0; j < block.width; j += chunk) {
        const int64_t count = smaller(chunk, block.width - j);
        for (int64_t i = 0; i < rows_; ++i)
          for (int64_t n = 0; n < count; ++n)
            block.c[i * block.stride + j + n] = T(-0.0);
        for (int64_t l = 0; l < depth; l += rowsAtOnce)
          for (int64_t i = 0; i < rows_; ++i)
            addRows(bElements() + (from + l) * stride + block.column + j, stride, factors(i) + l * step, step,
                    smaller(rowsAtOnce, depth - l), block.c + i * block.stride + j, count);
      }
    }
  }

  /// Of at most kBlock of the depth.
  Status multiplyTiles(const Block &block, int64_t from, int64_t depth) {
    for (int64_t l = 0; l < depth; l += blockDepth) {
      const int64_t some = smaller(blockDepth, depth - l);
      if (isCancelled())
        return Status::cancelled;
      packB(block, from + l, some);
      for (int64_t tile = 0, first = 0; tile < tiles_; ++tile) {
        // All of one height, but for a row.
        const int64_t height = rows_ / tiles_ + (tile < rows_ % tiles_);
        multiplyRows(block, first, height, from + l, some, l == 0 && !p_.isContinued);
        if (l + some == p_.depth)
          finish(first, height, block.column, block.width);
        first += height;
      }
    }
    return Status::ok;
  }

  /// What the kernel does not read where it lies; a panel that reaches past the last column is packed in any case.
  void packB(const Block &block, int64_t from, int64_t depth) {
    const int64_t whole = block.width / Tile::columns * Tile::columns;
    if (readsBDirectly_ && block.width % Tile::lanes == 0)
      return;
    if constexpr (parts == 1)
      if (isInRows_ && !readsBDirectly_) {
        const int64_t stride = b_.depth.stride();
        packWide(bElements() + from * stride + block.column, stride, whole / Tile::columns, depth, bPanels_);
      }
    for (int64_t j = isInRows_ ? whole : 0; j < block.width; j += Tile::columns)
      b_.pack(b_, bData_,
              {block.column + j, smaller<int64_t>(Tile::columns, block.width - j), Tile::columns, from, depth},
              bPanels_ + (readsBDirectly_ ? 0 : j) * depth * parts);
  }

  void multiplyRows(const Block &block, int64_t first, int64_t height, int64_t from, int64_t depth, bool isFirst) {
    TileCall<T> call{};
    call.depth = depth;
    call.isFirst = isFirst;
    if (readsADirectly_) {
      call.aRow = a_.outer.stride();
      call.aStep = a_.depth.stride();
      if constexpr (parts == 1)
        call.a = aElements() + (row_ + first) * call.aRow + from * call.aStep;
    } else {
      a_.pack(a_, aData_, {row_ + first, height, height, from, depth}, aPanel_);
      call.a = aPanel_;
    }
    const auto kernelOf = [&](int vectors) {
      return readsADirectly_ ? tileKernel<T, Walk::strided>(static_cast<int>(height), vectors)
                             : tileKernel<T, Walk::packed>(static_cast<int>(height), vectors);
    };
    const auto whole = kernelOf(Tile::vectors);
    alignas(64) T edge[Tile::rows * Tile::columns];
    for (int64_t j = 0; j < block.width; j += Tile::columns) {
      const int64_t some = smaller<int64_t>(Tile::columns, block.width - j);
      T *c = block.c + first * block.stride + j;
      call.b = bPanels_ + j * depth * parts;
      call.bStep = Tile::columns * parts;
      const auto kernel = some > Tile::lanes ? whole : kernelOf(1);
      if (some % Tile::lanes == 0) {
        if constexpr (parts == 1)
          if (readsBDirectly_) {
            call.bStep = b_.depth.stride();
            call.b = bElements() + from * call.bStep + block.column + j;
          }
        call.c = c;
        call.cRow = block.stride;
        kernel(call);
        continue;
      }
      // A tile that reaches past the last column.
      call.c = edge;
      call.cRow = Tile::columns;
      if (readsBDirectly_)
        call.b = bPanels_;
      if (!isFirst)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t n = 0; n < Tile::columns; ++n)
            edge[i * Tile::columns + n] = n < some ? c[i * block.stride + n] : T();
      kernel(call);
      for (int64_t i = 0; i < height; ++i)
        for (int64_t n = 0; n < some; ++n)
          c[i * block.stride + n] = edge[i * Tile::columns + n];
    }
  }

  /// Where the product has one column.
  Status multiplyColumn() {
    constexpr int64_t rowsAtOnce = ColumnProduct<T>::rowsAtOnce;
    const int64_t blocks = ceilDivide(p_.depth, kBlock);
    const bool isReadDirectly = b_.isPlain && b_.depth.isStrided() && b_.depth.stride() == 1;
    // Packed once, or block by block where all rows are multiplied at once.
    const bool isOnePass = rows_ <= rowsAtOnce;
    const int64_t apart = smaller(rowsAtOnce, rows_); // sums of one block
    const int64_t packedDepth = isOnePass ? smaller(kBlock, p_.depth) : p_.depth;
    const int64_t columnParts = isReadDirectly ? 0 : packedDepth * parts, sumParts = blocks * apart * parts;
    const int64_t rowParts = ColumnProduct<T>::readsDirectly(a_, rows_) ? 0 : smaller(kBlock, p_.depth) * parts;
    const int64_t needed = columnParts + sumParts + rowParts;
    alignas(64) Part<T> onStack[maxOnStack];
    const Scratch memory(needed <= maxOnStack ? 0 : needed, sizeof(Part<T>));
    Part<T> *const workspace = needed <= maxOnStack ? onStack : memory.as<Part<T>>();
    if (!workspace)
      return Status::outOfMemory;
    const Part<T> *column = workspace;
    if (isReadDirectly)
      column = static_cast<const Part<T> *>(bData_);
    else if (!isOnePass)
      b_.pack(b_, bData_, {0, 1, 1, 0, p_.depth}, workspace);
    T *const sums = reinterpret_cast<T *>(workspace + columnParts);
    Part<T> *const row = workspace + columnParts + sumParts;
    for (int64_t i = 0; i < rows_; i += rowsAtOnce) {
      const int64_t rows = smaller(rowsAtOnce, rows_ - i);
      if (isCancelled())
        return Status::cancelled;
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t from = block * kBlock, depth = smaller(kBlock, p_.depth - from);
        const bool isPackedNow = isOnePass && !isReadDirectly;
        if (isPackedNow)
          b_.pack(b_, bData_, {0, 1, 1, from, depth}, workspace);
        ColumnProduct<T>::multiply(a_, aData_, row_ + i, rows, from, depth, column + (isPackedNow ? 0 : from * parts),
                                   row, sums + block * apart);
      }
      detail::combineBlocks(sums, blocks, apart, rows);
      for (int64_t n = 0; n < rows; ++n)
        *rowOfResult(i + n) = sums[n];
    }
    finish(0, rows_, 0, 1);
    return Status::ok;
  }

  const Product<T> &p_;
  const uint32_t *cancel_;
  const Side<T> &a_, &b_;
  const void *aData_, *bData_;
  T *c_;
  const int64_t index_, row_, rows_, column_, columns_, tiles_;
  int64_t blockColumns_ = 0;
  /// Whether the rows, or the columns, of b are contiguous; what is read where it lies.
  bool isInRows_ = false, isInColumns_ = false, readsADirectly_ = false, readsBDirectly_ = false, hasFewRows_ = false;
  Part<T> *aPanel_ = nullptr, *bPanels_ = nullptr;
};

namespace detail {
/// How each of `count` products is cut into regions: as few as give the threads something to do, since each packs its
/// part of both operands. The cut changes no bit, so the number of threads may decide.
struct Partition {
  int64_t rows, columns;
  int64_t rowRegions = 1, columnRegions = 1;
  Partition(int64_t m, int64_t n, int64_t k, int64_t tileRows, int64_t count) : rows(m), columns(n) {
    // Some tenths of a millisecond.
    constexpr int64_t enoughWork = int64_t(1) << 21, unit = 64;
    const int64_t threads = threadCount(), enoughRegions = threads == 1 ? 1 : ceilDivide(2 * threads, count);
    while (rowRegions * columnRegions < enoughRegions && rows * columns > enoughWork / larger<int64_t>(1, k)) {
      // A few rows read long runs of b.
      const int64_t leastRows = 4 * tileRows, leastColumns = m <= 8 ? 1024 : 128;
      const bool isWide = columns >= 2 * leastColumns;
      if (rows >= 2 * leastRows && (rows >= columns || !isWide))
        rows = ceilDivide(ceilDivide(rows, 2), tileRows) * tileRows;
      else if (isWide)
        columns = ceilDivide(ceilDivide(columns, 2), unit) * unit;
      else
        break;
      rowRegions = ceilDivide(m, rows);
      columnRegions = ceilDivide(n, columns);
    }
  }
};
} // namespace detail

namespace detail {
/// Many products of one row and one column, side by side in memory.
template <class T>
bool areSideBySide(const Product<T> &product) {
  const auto isSide = [](const Side<T> &side, const Axes &starts) {
    return side.isPlain && side.depth.isStrided() && starts.isStrided() && starts.stride() == 1;
  };
  return PartsOf<T>::count == 1 && product.rows == 1 && product.columns == 1 && product.depth > 0 &&
         product.count >= TileOf<T>::lanes && !product.finish && isSide(product.a, product.aStarts) &&
         isSide(product.b, product.bStarts);
}

template <class T>
Status multiplySideBySide(const Product<T> &product, const uint32_t *cancel) {
  constexpr int64_t atOnce = ColumnProduct<T>::rowsAtOnce;
  const int64_t blocks = ceilDivide(product.depth, kBlock), aStep = product.a.depth.stride(),
                bStep = product.b.depth.stride();
  bool hasFailed = false;
  const bool isDone = parallelFor(
      product.count, atOnce,
      [&](int64_t lo, int64_t hi) {
        const Scratch memory(blocks * atOnce, sizeof(T));
        T *const sums = memory.as<T>();
        if (!sums) {
          __atomic_store_n(&hasFailed, true, __ATOMIC_RELAXED);
          return;
        }
        for (; lo < hi; lo += atOnce) {
          const int64_t count = smaller(atOnce, hi - lo);
          for (int64_t block = 0; block < blocks; ++block) {
            const int64_t from = block * kBlock;
            ColumnProduct<T>::multiplyPairs(static_cast<const T *>(product.a.data) + lo + from * aStep, aStep,
                                            static_cast<const T *>(product.b.data) + lo + from * bStep, bStep,
                                            smaller(kBlock, product.depth - from), count, sums + block * atOnce);
          }
          combineBlocks(sums, blocks, atOnce, count);
          for (int64_t i = 0; i < count; ++i)
            product.c[lo + i] = sums[i];
        }
      },
      cancel);
  return hasFailed ? Status::outOfMemory : isDone ? Status::ok : Status::cancelled;
}
} // namespace detail

template <class T>
Status multiply(const Product<T> &product, const uint32_t *cancel) {
  const int64_t m = product.rows, n = product.columns;
  if (product.count == 0 || m == 0 || n == 0)
    return Status::ok;
  if constexpr (PartsOf<T>::count == 1)
    if (detail::areSideBySide(product))
      return detail::multiplySideBySide(product, cancel);
  const detail::Partition partition(m, n, product.depth, TileOf<T>::rows, product.count);
  const int64_t regions = partition.rowRegions * partition.columnRegions;
  // About a million multiplications for a thread to come.
  const int64_t work = smaller(partition.rows, m) * smaller(partition.columns, n);
  const int64_t grain =
      larger<int64_t>(1, (int64_t(1) << 20) / larger<int64_t>(1, work) / larger<int64_t>(1, product.depth));
  int32_t failure = 0;
  const bool isDone = parallelFor(
      product.count * regions, grain,
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi && !__atomic_load_n(&failure, __ATOMIC_RELAXED); ++lo) {
          const int64_t row = lo % regions / partition.columnRegions * partition.rows;
          const int64_t column = lo % regions % partition.columnRegions * partition.columns;
          Region<T> region(product, lo / regions, row, smaller(partition.rows, m - row), column,
                           smaller(partition.columns, n - column), cancel);
          if (Status status = region.run(); status != Status::ok)
            __atomic_store_n(&failure, static_cast<int32_t>(status), __ATOMIC_RELAXED);
        }
      },
      cancel);
  if (failure)
    return static_cast<Status>(failure);
  return isDone ? Status::ok : Status::cancelled;
}

} // namespace tenon::rt::TENON_ISA
