//===- ConvolveUnit.h - one thread's part of a convolution ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit is some rows of a box times some channels of the result. Nothing of x is copied: the tile's
// kernel reads windows where they lie, by a list of the places of their products. The kernel of
// the convolution is packed once, for all.
//===----------------------------------------------------------------------===//
#pragma once

#include "ConvolveBoxes.h"
#include "Region.h"

namespace tenon::rt::TENON_ISA {

/// The kernel of a convolution in panels of as many channels of the result as a tile has columns: for each group and
/// panel, all taps and channels of x in their order.
template <class T>
struct PackedKernel {
  const T *panels;
  /// Of one panel.
  int64_t rows;
  int64_t panelsOfGroup;
  static constexpr int64_t width = TileOf<T>::columns;

  const T *panel(int64_t group, int64_t column) const {
    return panels + (group * panelsOfGroup + column / width) * rows * width;
  }
};

/// Rows [row, row + rows) of a box, channels [column, column + columns) of the result.
template <class T>
class ConvolveUnit {
  static_assert(PartsOf<T>::count == 1);

public:
  ConvolveUnit(const Convolution<T> &conv, const PackedKernel<T> &kernel, const Box &box, int64_t group, int64_t row,
               int64_t rows, int64_t column, int64_t columns)
      : conv_(conv), kernel_(kernel), box_(box), group_(group), row_(row), rows_(rows), column_(column),
        columns_(columns), x_(conv.x + group * conv.xGroup), c_(conv.c + box.c + group * conv.out) {}

  Status run() {
    if (box_.depth == 0) {
      eachRun([&](const Run &run) {
        for (int64_t i = 0; i < run.count; ++i)
          for (int64_t j = 0; j < columns_; ++j)
            resultOf(run)[i * box_.rows.step(1) + j] = T(0);
      });
      return Status::ok;
    }
    const int64_t blocks = blocksOf(conv_);
    if (blocks == 1) {
      sumBlock(0, box_.depth, nullptr);
      return Status::ok;
    }
    const int64_t size = rows_ * columns_;
    const Scratch memory(blocks * size, sizeof(T));
    T *const sums = memory.template as<T>();
    if (!sums)
      return Status::outOfMemory;
    for (int64_t block = 0, from = 0; block < blocks; ++block) {
      const int64_t to = productsBefore(conv_, box_, block + 1);
      if (from < to)
        sumBlock(from, to - from, sums + block * size);
      else // which changes no sum
        for (int64_t i = 0; i < size; ++i)
          sums[block * size + i] = T(-0.0);
      from = to;
    }
    detail::combineBlocks(sums, blocks, size, size);
    eachRun([&](const Run &run) {
      for (int64_t i = 0; i < run.count; ++i)
        for (int64_t j = 0; j < columns_; ++j)
          resultOf(run)[i * box_.rows.step(1) + j] = sums[(run.number + i) * columns_ + j];
    });
    return Status::ok;
  }

private:
  using Tile = TileOf<T>;
  static constexpr int64_t blockDepth = 256;
  /// With so few channels most of a tile's registers would be padding.
  static constexpr int64_t fewColumns = Tile::lanes / 2;

  /// Rows that follow each other: the first one's number in the unit, and where it begins in x and the result.
  struct Run {
    int64_t number, count;
    int64_t x, c;
  };
  template <class Body>
  [[gnu::always_inline]] void eachRun(Body &&body) const {
    box_.rows.eachRun(row_, rows_, [&](int64_t number, int64_t count, const int64_t (&starts)[2]) {
      body(Run{number, count, starts[0], starts[1]});
    });
  }
  T *resultOf(const Run &run) const { return c_ + run.c + column_; }

  /// Where sums of a run are kept: in `sums`, rows of columns_, or in the result.
  struct Target {
    T *c;
    int64_t stride;
  };
  Target targetOf(const Run &run, T *sums) const {
    return sums ? Target{sums + run.number * columns_, columns_} : Target{resultOf(run), box_.rows.step(1)};
  }

  /// The products [from, from + depth), at most kBlock of them.
  void sumBlock(int64_t from, int64_t depth, T *sums) {
    const bool isFew = columns_ <= fewColumns && box_.rows.step(0) == 1 && box_.rows.run() >= Tile::lanes;
    for (int64_t l = 0; l < depth; l += blockDepth) {
      const int64_t some = smaller(blockDepth, depth - l);
      if (isFew) {
        eachProduct(conv_, box_, from + l, some, [&](int64_t i, int64_t x, int64_t, int64_t row) {
          xPlaces_[i] = x;
          kernelPlaces_[i] = row * PackedKernel<T>::width;
        });
        eachRun([&](const Run &run) { addSideBySide(run, targetOf(run, sums), some, l == 0); });
        continue;
      }
      runs_ = 0;
      box_.products.eachRun(from + l, some, [&](int64_t, int64_t count, const int64_t (&starts)[2]) {
        runsOfProducts_[runs_++] = {box_.x + starts[0], (box_.tap * conv_.in + starts[1]) * PackedKernel<T>::width,
                                    count};
      });
      for (int64_t j = 0; j < columns_; j += Tile::columns)
        eachRun([&](const Run &run) { multiplyTiles(run, targetOf(run, sums), j, l == 0); });
    }
  }

  void multiplyTiles(const Run &run, const Target &target, int64_t j, bool isFirst) const {
    TileCall<T> call{};
    call.depth = runs_;
    call.runs = runsOfProducts_;
    call.aRow = box_.rows.step(0);
    call.aStep = box_.products.step(0);
    call.b = kernel_.panel(group_, column_ + j);
    call.bStep = box_.products.step(1) * PackedKernel<T>::width;
    call.isFirst = isFirst;
    const int64_t some = smaller<int64_t>(Tile::columns, columns_ - j);
    const int vectors = some > Tile::lanes ? Tile::vectors : 1;
    const int64_t tiles = ceilDivide(run.count, Tile::rows);
    alignas(64) T edge[Tile::rows * Tile::columns];
    for (int64_t tile = 0, first = 0; tile < tiles; ++tile) {
      // All of one height, but for a row.
      const int64_t height = run.count / tiles + (tile < run.count % tiles);
      const auto kernel = tileKernel<T, Walk::runs>(static_cast<int>(height), vectors);
      T *const c = target.c + first * target.stride + j;
      call.a = x_ + run.x + first * call.aRow;
      first += height;
      if (some % Tile::lanes == 0) {
        call.c = c;
        call.cRow = target.stride;
        kernel(call);
        continue;
      }
      // A tile that reaches past the last channel.
      call.c = edge;
      call.cRow = Tile::columns;
      if (!isFirst)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t n = 0; n < Tile::columns; ++n)
            edge[i * Tile::columns + n] = n < some ? c[i * target.stride + n] : T();
      kernel(call);
      for (int64_t i = 0; i < height; ++i)
        for (int64_t n = 0; n < some; ++n)
          c[i * target.stride + n] = edge[i * Tile::columns + n];
    }
  }

  /// Windows that lie side by side in x are summed side by side, for a few channels of the result at a time.
  void addSideBySide(const Run &run, const Target &target, int64_t depth, bool isFirst) const {
    for (int64_t j = 0; j < columns_;) {
      const int64_t left = columns_ - j;
      const int some = left >= 4 ? 4 : left >= 2 ? 2 : 1;
      const T *const factors = kernel_.panel(group_, column_ + j) + (column_ + j) % Tile::columns;
      const T *const from = x_ + run.x;
      T *const c = target.c + j;
      if (some == 4)
        addColumns<4>(from, factors, depth, c, target.stride, run.count, isFirst);
      else if (some == 2)
        addColumns<2>(from, factors, depth, c, target.stride, run.count, isFirst);
      else
        addColumns<1>(from, factors, depth, c, target.stride, run.count, isFirst);
      j += some;
    }
  }
  /// Of `count` windows, the first of which begins at x.
  template <int Columns>
  void addColumns(const T *x, const T *factors, int64_t depth, T *c, int64_t stride, int64_t count,
                  bool isFirst) const {
    constexpr int N = Tile::lanes, vectors = Columns == 1 ? 4 : 2;
    int64_t i = 0;
    for (; i + vectors * N <= count; i += vectors * N)
      addWindows<Columns, vectors, N>(x + i, factors, depth, c + i * stride, stride, isFirst);
    for (; i + N <= count; i += N)
      addWindows<Columns, 1, N>(x + i, factors, depth, c + i * stride, stride, isFirst);
    for (; i + N / 2 <= count; i += N / 2)
      addWindows<Columns, 1, N / 2>(x + i, factors, depth, c + i * stride, stride, isFirst);
    for (; i < count; ++i)
      addWindows<Columns, 1, 1>(x + i, factors, depth, c + i * stride, stride, isFirst);
  }
  template <int Columns, int Vectors, int N>
  [[gnu::noinline]] void addWindows(const T *x, const T *factors, int64_t depth, T *c, int64_t stride,
                                    bool isFirst) const {
    using V = Vec<T, N>;
    alignas(64) T lanes[Vectors * N];
    V sums[Columns][Vectors];
#pragma GCC unroll 4
    for (int n = 0; n < Columns; ++n) {
      for (int i = 0; i < Vectors * N; ++i)
        lanes[i] = isFirst ? T(-0.0) : c[i * stride + n];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        sums[n][v] = math::load<V>(lanes + v * N);
    }
    for (int64_t l = 0; l < depth; ++l) {
      const T *const row = x + xPlaces_[l], *const factor = factors + kernelPlaces_[l];
      V window[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        window[v] = math::load<V>(row + v * N);
#pragma GCC unroll 4
      for (int n = 0; n < Columns; ++n) {
        const V all = math::broadcast<V>(factor[n]);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          sums[n][v] = multiplyAdd(all, window[v], sums[n][v]);
      }
    }
#pragma GCC unroll 4
    for (int n = 0; n < Columns; ++n) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        math::store<V>(lanes + v * N, sums[n][v]);
      for (int i = 0; i < Vectors * N; ++i)
        c[i * stride + n] = lanes[i];
    }
  }

  const Convolution<T> &conv_;
  const PackedKernel<T> &kernel_;
  const Box &box_;
  const int64_t group_, row_, rows_, column_, columns_;
  const T *x_;
  T *c_;
  /// Of the products at hand: runs, or each one's places.
  int64_t runs_ = 0;
  TileRun runsOfProducts_[blockDepth];
  int64_t xPlaces_[blockDepth], kernelPlaces_[blockDepth];
};

} // namespace tenon::rt::TENON_ISA
