//===- ConvolveTaps.h - convolutions with few windows of many taps ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An example is the derivative of a convolution with respect to its kernel, whose few windows cover
// nearly all of x. The taps are read once, in chunks of at most 256, and added to the sums of all
// windows, which stay in cache; so x and the kernel are read from memory once.
//===----------------------------------------------------------------------===//
#pragma once

#include "Convolve.h"
#include "ConvolveTapTile.h"
#include "Region.h"

namespace tenon::rt::TENON_ISA {

/// Some rows and columns of a convolution of few windows. Row number r is window r / batch of image r % batch.
template <class T>
class TapSums {
public:
  using Tile = TileOf<T>;
  /// Sums of a unit, which L2 holds beside a chunk of taps.
  static constexpr int64_t columnsOfUnit = 2 * Tile::columns, rowsOfUnit = 64 * 1024 / columnsOfUnit;

  TapSums(const Convolution<T> &conv, bool isDepthwise, int64_t group, int64_t row, int64_t rows, int64_t column,
          int64_t columns)
      : conv_(conv), isDepthwise_(isDepthwise), row_(row), rows_(rows), columns_(columns),
        stride_(ceilDivide(columns, int64_t(Tile::lanes)) * Tile::lanes), last_(conv.spatial - 1) {
    const int64_t step = isDepthwise ? conv.kernelGroup : conv.kernelOut;
    x_ = conv.x + group * conv.xGroup + (isDepthwise ? column * conv.xGroup : 0);
    kernel_ = conv.kernel + group * conv.kernelGroup + column * step;
    columnStep_ = step;
    xStep_ = conv.axes[last_].windowDilation * conv.xSpatial[last_];
    for (int i = 0; i <= last_; ++i) {
      const Range first = tapsOf(i, 0), last = tapsOf(i, conv.axes[i].windows - 1);
      isInside_ = isInside_ && first.from == 0 && last.to == conv.axes[i].window;
    }
    // Whole registers may reach past the columns, but not past the kernel.
    isInRows_ = step == 1;
    int64_t extent = 1;
    for (int i = last_; i >= 0; --i) {
      isInRows_ = isInRows_ && conv.kernelSpatial[i] >= extent;
      extent = conv.kernelSpatial[i] * conv.axes[i].window;
    }
    readable_ = isInRows_ ? conv.kernel + placeOfTap(taps() - 1) + (isDepthwise ? conv.groups : conv.out) +
                                (isDepthwise ? 0 : (conv.groups - 1) * conv.kernelGroup)
                          : nullptr;
  }

  /// Elements of T that `run` needs for `blocks` blocks.
  int64_t workspace(int64_t blocks) const {
    int64_t levels = 1;
    while (blocks > 1) {
      blocks = (blocks + 1) / 2;
      ++levels;
    }
    return (levels + 1) * rows_ * stride_ + ceilDivide(stride_, int64_t(Tile::columns)) * Tile::columns * chunk;
  }

  /// Adds the taps of `blocks` blocks of kBlock, from block `first` on, pairwise; the sums are where the returned
  /// pointer says, in rows of stride().
  const T *run(int64_t first, int64_t blocks, int64_t taps, T *workspace) {
    const int64_t size = rows_ * stride_;
    panel_ = workspace;
    T *const levels = workspace + ceilDivide(stride_, int64_t(Tile::columns)) * Tile::columns * chunk;
    int used = 0; // sums of 2^n blocks, those of the most blocks first
    int64_t counts[65];
    for (int64_t block = first; block < first + blocks; ++block) {
      T *const sums = levels + used * size;
      for (int64_t i = 0; i < size; ++i)
        sums[i] = T(-0.0);
      sumBlock(block * kBlock, smaller(taps, (block + 1) * kBlock), sums);
      counts[used++] = 1;
      for (; used > 1 && counts[used - 2] == counts[used - 1]; --used)
        join(levels, used, size, counts);
    }
    for (; used > 1; --used)
      join(levels, used, size, counts);
    return levels;
  }
  int64_t stride() const { return stride_; }

  /// Whether any tap of the window of a row lies on x.
  bool hasTaps(int64_t row) const {
    int64_t window = row / conv_.batch;
    bool has = true;
    for (int i = last_; i >= 0; window /= conv_.axes[i].windows, --i) {
      const Range range = tapsOf(i, window % conv_.axes[i].windows);
      has = has && range.from < range.to;
    }
    return has;
  }

private:
  using TapRun = detail::TapRun;
  template <class U>
  using TapTile = detail::TapTile<U>;

  /// Taps per chunk; a depthwise chunk fits in L1.
  static constexpr int64_t chunk = 256, shortChunk = 64;
  /// From this many rows on, packing the columns pays; a panel fits in L1.
  static constexpr int64_t manyRows = 3 * Tile::rows;
  struct Range {
    int64_t from, to;
  };
  /// The taps of a window of an axis that lie on x.
  Range tapsOf(int axis, int64_t window) const {
    const SlidingAxis &a = conv_.axes[axis];
    const int64_t at = window * a.stride - a.low;
    const auto upTo = [&](int64_t place) {
      return place <= 0 ? 0 : smaller(a.window, ceilDivide(place, a.windowDilation));
    };
    const int64_t from = upTo(-at);
    return {from, larger(from, upTo(a.size - at))};
  }

  static void join(T *levels, int used, int64_t size, int64_t *counts) {
    T *const to = levels + (used - 2) * size, *const from = to + size;
    for (int64_t i = 0; i < size; ++i)
      to[i] = added(to[i], from[i]);
    counts[used - 2] += counts[used - 1];
  }

  void sumBlock(int64_t from, int64_t to, T *sums) {
    const int64_t length = isDepthwise_ ? shortChunk : chunk;
    for (; from < to; from += length) {
      const int64_t end = smaller(to, from + length);
      isReadDirectly_ = isInRows_ && rows_ < manyRows && kernel_ + placeOfTap(end - 1) + stride_ <= readable_;
      kernelStep_ = isReadDirectly_ ? conv_.kernelSpatial[last_] : smaller<int64_t>(Tile::columns, stride_);
      if (!isReadDirectly_)
        pack(from, end);
      for (int64_t row = 0; row < rows_;) {
        // Tiles have windows of one place, and the same runs then, where there are enough of them. Mixed ones are full,
        // and as fast if all windows lie within x.
        const bool isOfOne = conv_.batch >= (isInside_ ? 2 * Tile::rows : Tile::rows / 2);
        const int64_t place = conv_.batch - (row_ + row) % conv_.batch;
        const int64_t left = isOfOne ? smaller(place, rows_ - row) : rows_ - row;
        const int64_t height = ceilDivide(left, ceilDivide(left, int64_t(Tile::rows))), some = isOfOne ? left : height;
        findRuns(row_ + row, height, from, end);
        if (runs_)
          addTiles(height, some, sums + row * stride_);
        row += some;
      }
    }
  }

  template <int Vectors>
  detail::TapKernel<T> kernelOf(int64_t height) const {
    constexpr std::make_integer_sequence<int, Tile::rows> all;
    return isDepthwise_ ? detail::tapKernel<T, Vectors, true>(height, all)
                        : detail::tapKernel<T, Vectors, false>(height, all);
  }

  /// To the sums of `rows` rows, in tiles of `height`.
  void addTiles(int64_t height, int64_t rows, T *sums) {
    for (int64_t j = 0; j < stride_;) {
      // Elements of x end with the last channel, where columns of the kernel and sums fill whole registers.
      const int64_t end = isDepthwise_ ? columns_ : stride_;
      const bool isWide = j + Tile::columns <= end, isWhole = j + Tile::lanes <= end;
      const int64_t width = isWide ? Tile::columns : Tile::lanes;
      for (int64_t row = 0; row < rows; row += height) {
        const int64_t some = smaller(height, rows - row);
        const TapTile<T> tile{runList_,
                              runs_,
                              x_ + row * conv_.xBatch + (isDepthwise_ ? j : 0),
                              xStep_,
                              rowPlaces_,
                              isReadDirectly_ ? kernel_ + j : panel_ + panelStart(j),
                              kernelStep_,
                              sums + row * stride_ + j,
                              stride_};
        if (!isWhole)
          addLastChannels(tile, some, end - j);
        else
          (isWide ? kernelOf<Tile::vectors>(some) : kernelOf<1>(some))(tile);
      }
      j += width;
    }
  }

  /// Depthwise, channels that fill no register, one by one.
  static void addLastChannels(const TapTile<T> &tile, int64_t rows, int64_t columns) {
    for (const TapRun *run = tile.runs, *const end = run + tile.count; run < end; ++run)
      for (int64_t l = 0; l < run->count; ++l) {
        const T *const x = tile.x + run->x + l * tile.xStep, *const kernel =
                                                                 tile.kernel + run->kernel + l * tile.kernelStep;
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t n = 0; (run->rows >> i & 1) && n < columns; ++n)
            tile.sums[i * tile.stride + n] =
                multiplyAdd(x[tile.rows[i] + n], kernel[n], tile.sums[i * tile.stride + n]);
      }
  }

  /// Packed columns lie in panels, each of which the kernel reads on and on.
  static int64_t panelStart(int64_t column) {
    const int64_t inPanel = column % Tile::columns;
    return (column - inPanel) * chunk + inPanel;
  }

  int64_t taps() const {
    int64_t taps = 1;
    for (int i = 0; i < conv_.spatial; ++i)
      taps *= conv_.axes[i].window;
    return taps;
  }
  int64_t placeOfTap(int64_t number) const {
    int64_t place = 0;
    for (int i = last_; i >= 0; number /= conv_.axes[i].window, --i)
      place += number % conv_.axes[i].window * conv_.kernelSpatial[i];
    return place;
  }

  /// Copies the columns of the taps [from, to) into whole registers.
  void pack(int64_t from, int64_t to) {
    for (int64_t j = 0; j < stride_; j += Tile::columns) {
      const int64_t width = smaller<int64_t>(Tile::columns, stride_ - j), some = smaller(width, columns_ - j);
      T *row = panel_ + panelStart(j);
      eachStrip(from, to, [&](int64_t, int64_t first, int64_t count, int64_t, int64_t place, const int64_t *) {
        const T *element = kernel_ + place + first * conv_.kernelSpatial[last_] + j * columnStep_;
        for (int64_t l = 0; l < count; ++l, row += kernelStep_, element += conv_.kernelSpatial[last_])
          if (some == Tile::columns && columnStep_ == 1)
            __builtin_memcpy(row, element, sizeof(T) * Tile::columns);
          else
            for (int64_t n = 0; n < width; ++n)
              row[n] = n < some ? element[n * columnStep_] : T(0);
      });
    }
  }

  /// Calls `body(number, first, count, x, kernel, outer)` for the taps [from, to), along the last axis as far as they
  /// go: the first one's number, its place on that axis and the count, where the strip begins in x and the kernel, and
  /// its place on the other axes.
  template <class Body>
  [[gnu::always_inline]] void eachStrip(int64_t from, int64_t to, Body &&body) const {
    const int64_t length = conv_.axes[last_].window;
    while (from < to) {
      int64_t index = from / length, x = 0, kernel = 0, outer[kMaxRank];
      const int64_t first = from % length, count = smaller(length - first, to - from);
      for (int i = last_ - 1; i >= 0; index /= conv_.axes[i].window, --i) {
        outer[i] = index % conv_.axes[i].window;
        x += outer[i] * conv_.axes[i].windowDilation * conv_.xSpatial[i];
        kernel += outer[i] * conv_.kernelSpatial[i];
      }
      body(from, first, count, x, kernel, outer);
      from += count;
    }
  }

  /// Where the rows of a tile begin, and which taps their windows have.
  void findWindows(int64_t row, int64_t height) {
    firstRow_ = row;
    height_ = height;
    const int64_t firstWindow = row / conv_.batch;
    windows_ = (row + height - 1) / conv_.batch - firstWindow + 1;
    for (int64_t w = 0; w < windows_; ++w) {
      rowsOf_[w] = 0;
      int64_t window = firstWindow + w, place = 0;
      for (int i = last_; i >= 0; window /= conv_.axes[i].windows, --i) {
        const int64_t at = window % conv_.axes[i].windows;
        ranges_[i][w] = tapsOf(i, at);
        place += (at * conv_.axes[i].stride - conv_.axes[i].low) * conv_.xSpatial[i];
      }
      for (int64_t i = 0; i < height; ++i)
        if ((row + i) / conv_.batch == firstWindow + w) {
          rowPlaces_[i] = place + (row + i) % conv_.batch * conv_.xBatch;
          rowsOf_[w] |= uint32_t(1) << i;
        }
    }
    // Parts of the last axis, from where a window begins or ends to where the next one does.
    parts_ = 0;
    for (int64_t at = 0, end; at < conv_.axes[last_].window; at = end) {
      end = conv_.axes[last_].window;
      uint32_t inside = 0;
      for (int64_t w = 0; w < windows_; ++w) {
        const Range &range = ranges_[last_][w];
        if (at >= range.from && at < range.to)
          inside |= uint32_t(1) << w;
        for (int64_t edge : {range.from, range.to})
          if (edge > at && edge < end)
            end = edge;
      }
      if (inside)
        partList_[parts_++] = {at, end, inside};
    }
  }

  /// The rows of some windows.
  uint32_t rowsOf(uint32_t windows) const {
    uint32_t rows = 0;
    for (int64_t w = 0; w < windows_; ++w)
      rows |= windows >> w & 1 ? rowsOf_[w] : 0;
    return rows;
  }

  /// The taps [from, to) of the rows of a tile.
  void findRuns(int64_t row, int64_t height, int64_t from, int64_t to) {
    if (row != firstRow_ || height != height_)
      findWindows(row, height);
    runs_ = 0;
    const uint32_t all = (uint32_t(1) << windows_) - 1;
    eachStrip(
        from, to, [&](int64_t number, int64_t first, int64_t count, int64_t x, int64_t kernel, const int64_t *outer) {
          uint32_t inside = all;
          for (int i = 0; i < last_; ++i)
            for (int64_t w = 0; w < windows_; ++w)
              if (outer[i] < ranges_[i][w].from || outer[i] >= ranges_[i][w].to)
                inside &= ~(uint32_t(1) << w);
          for (int64_t p = 0; p < parts_; ++p) {
            const Part &part = partList_[p];
            const int64_t at = larger(part.from, first), end = smaller(part.to, first + count);
            const uint32_t windows = inside & part.windows;
            if (at >= end || !windows)
              continue;
            const TapRun run{x + at * xStep_,
                             isReadDirectly_ ? kernel + at * kernelStep_ : (number - from + at - first) * kernelStep_,
                             end - at, windows == all ? (uint32_t(1) << height) - 1 : rowsOf(windows)};
            TapRun *const before = runs_ ? &runList_[runs_ - 1] : nullptr;
            if (before && before->rows == run.rows && before->x + before->count * xStep_ == run.x &&
                before->kernel + before->count * kernelStep_ == run.kernel)
              before->count += run.count;
            else
              runList_[runs_++] = run;
          }
        });
  }

  /// A part of the last axis, and the windows of the tile that have all its taps.
  struct Part {
    int64_t from, to;
    uint32_t windows;
  };

  const Convolution<T> &conv_;
  const bool isDepthwise_;
  const int64_t row_, rows_, columns_, stride_;
  const int last_;
  const T *x_, *kernel_;
  int64_t columnStep_, xStep_;
  /// Whether all windows have all taps.
  bool isInside_ = true;
  /// Whether the taps lie in the kernel in their order, the columns side by side; the end of the kernel then.
  bool isInRows_;
  const T *readable_;
  /// Of the taps at hand: whether they are read where they lie, or from the panel.
  bool isReadDirectly_ = false;
  int64_t kernelStep_ = 0;
  T *panel_ = nullptr;
  /// Of the tile at hand.
  int64_t firstRow_ = -1, height_ = 0, windows_ = 0;
  int64_t rowPlaces_[Tile::rows];
  uint32_t rowsOf_[Tile::rows];
  Range ranges_[kMaxRank][Tile::rows];
  int64_t parts_ = 0;
  Part partList_[2 * Tile::rows + 1];
  int64_t runs_ = 0;
  TapRun runList_[chunk];
};

} // namespace tenon::rt::TENON_ISA
