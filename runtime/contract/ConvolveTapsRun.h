//===- ConvolveTapsRun.h - convolutions of few windows, cut into parts ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ConvolveTaps.h"

namespace tenon::rt::TENON_ISA {

/// Whether the taps of a convolution are better walked once for all windows.
template <class T>
bool hasFewWindows(const Convolution<T> &conv) {
  constexpr int64_t manyTaps = 128;
  int64_t taps = 1, windows = 1;
  bool isDense = conv.in == 1;
  for (int i = 0; i < conv.spatial; ++i) {
    taps *= conv.axes[i].window;
    windows *= conv.axes[i].windows;
    isDense = isDense && conv.axes[i].xDilation == 1;
  }
  return isDense && taps >= manyTaps && taps >= windows;
}

/// A convolution for which hasFewWindows() is true.
template <class T>
Status convolveTaps(const Convolution<T> &conv, bool isDepthwise, const uint32_t *cancel) {
  using Sums = TapSums<T>;
  int64_t taps = 1, windows = 1;
  for (int i = 0; i < conv.spatial; ++i) {
    taps *= conv.axes[i].window;
    windows *= conv.axes[i].windows;
  }
  const int64_t rows = windows * conv.batch, columns = isDepthwise ? conv.groups : conv.out,
                groups = isDepthwise ? 1 : conv.groups;
  // Parts of one size, but for a panel.
  const auto partOf = [](int64_t count, int64_t most, int64_t unit) {
    return ceilDivide(ceilDivide(count, ceilDivide(count, most)), unit) * unit;
  };
  const int64_t rowsOfPart = partOf(rows, Sums::rowsOfUnit, 1),
                columnsOfPart = smaller(columns, partOf(columns, Sums::columnsOfUnit, TileOf<T>::lanes));
  const int64_t rowParts = ceilDivide(rows, rowsOfPart), columnParts = ceilDivide(columns, columnsOfPart);
  // Ranges of blocks, which are added at the end, give threads something to do where there are few parts.
  constexpr int64_t enoughParts = 8, mostElements = int64_t(1) << 22;
  const int64_t blocks = ceilDivide(taps, kBlock), size = rows * columns * groups;
  int64_t blocksOfRange = 1;
  while (blocksOfRange < blocks &&
         (rowParts * columnParts * groups >= enoughParts || ceilDivide(blocks, blocksOfRange) * size > mostElements))
    blocksOfRange *= 2;
  const int64_t ranges = ceilDivide(blocks, blocksOfRange);
  const Scratch memory(ranges == 1 ? 1 : ranges * size, sizeof(T));
  T *const sums = memory.template as<T>();
  if (!sums)
    return Status::outOfMemory;
  const int64_t work = smaller(taps, blocksOfRange * kBlock) * rowsOfPart * columnsOfPart;
  int32_t failure = 0;
  // Where row `row` of a group begins in the result, a row of which is a window, all groups of it, of an image.
  const auto placeOf = [&](int64_t row, int64_t group) {
    return ((row % conv.batch * windows + row / conv.batch) * groups + group) * columns;
  };
  const bool isDone = parallelFor(
      ranges * groups * rowParts * columnParts, larger<int64_t>(1, (int64_t(1) << 20) / larger<int64_t>(1, work)),
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi && !__atomic_load_n(&failure, __ATOMIC_RELAXED); ++lo) {
          if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED))
            return;
          const int64_t column = lo % columnParts * columnsOfPart, row = lo / columnParts % rowParts * rowsOfPart,
                        group = lo / columnParts / rowParts % groups, range = lo / columnParts / rowParts / groups;
          const int64_t some = smaller(rowsOfPart, rows - row), wide = smaller(columnsOfPart, columns - column);
          Sums part(conv, isDepthwise, group, row, some, column, wide);
          const int64_t first = range * blocksOfRange, count = smaller(blocksOfRange, blocks - first);
          const Scratch workspace(part.workspace(count), sizeof(T));
          if (!workspace) {
            __atomic_store_n(&failure, static_cast<int32_t>(Status::outOfMemory), __ATOMIC_RELAXED);
            return;
          }
          const T *from = part.run(first, count, taps, workspace.template as<T>());
          for (int64_t i = 0; i < some; ++i, from += part.stride()) {
            const bool isEmpty = ranges == 1 && !part.hasTaps(row + i);
            T *const to = (ranges == 1 ? conv.c : sums + range * size) + placeOf(row + i, group) + column;
            for (int64_t n = 0; n < wide; ++n)
              to[n] = isEmpty ? T(0) : from[n];
          }
        }
      },
      cancel);
  if (failure)
    return static_cast<Status>(failure);
  if (!isDone)
    return Status::cancelled;
  if (ranges > 1) {
    detail::combineBlocks(sums, ranges, size, size);
    const Sums all(conv, isDepthwise, 0, 0, rows, 0, columns);
    for (int64_t row = 0; row < rows; ++row) {
      const bool isEmpty = !all.hasTaps(row);
      for (int64_t n = 0, place = placeOf(row, 0); n < groups * columns; ++n, ++place)
        conv.c[place] = isEmpty ? T(0) : sums[place];
    }
  }
  return Status::ok;
}

} // namespace tenon::rt::TENON_ISA
