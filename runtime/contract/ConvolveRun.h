//===- ConvolveRun.h - convolutions cut into parts for threads --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ConvolvePlain.h"
#include "ConvolveTapsRun.h"
#include "ConvolveUnit.h"

namespace tenon::rt::TENON_ISA {

namespace detail {

/// Channels of the result to a unit: panels of the packed kernel that the second cache holds while the rows of all
/// boxes pass by.
template <class T>
int64_t columnsOfUnit(const Convolution<T> &conv, int64_t depth) {
  constexpr int64_t width = TileOf<T>::columns, cacheBytes = 1024 * 1024;
  const int64_t panelBytes = larger<int64_t>(1, depth) * width * static_cast<int64_t>(sizeof(T));
  const int64_t panels = larger<int64_t>(1, cacheBytes / panelBytes), all = ceilDivide(conv.out, width);
  // Parts of one width, but for a panel.
  return ceilDivide(all, ceilDivide(all, smaller(panels, all))) * width;
}

/// Rows of a box to a unit.
template <class T>
int64_t rowsOfUnit(const Box &box, int64_t columns) {
  constexpr int64_t tile = TileOf<T>::rows, enoughWork = int64_t(1) << 21, leastRows = 4 * tile, mostRows = 512;
  const int64_t rows = smaller(mostRows, larger(leastRows, enoughWork / larger<int64_t>(1, box.depth) / columns));
  // Whole runs, or whole tiles of one.
  const int64_t unit = rows < box.rows.run() ? tile : larger<int64_t>(1, box.rows.run());
  return ceilDivide(rows, unit) * unit;
}

/// Packs the channels of the result from `column` on, as many as a panel has; those that are missing are 0.
template <class T>
void packPanel(const Convolution<T> &conv, int64_t group, int64_t column, T *to) {
  constexpr int64_t width = TileOf<T>::columns;
  const int64_t columns = smaller(width, conv.out - column);
  const T *const from = conv.kernel + group * conv.kernelGroup + column * conv.kernelOut;
  Axes rows;
  for (int i = 0; i < conv.spatial; ++i)
    rows.add(conv.axes[i].window, conv.kernelSpatial[i]);
  rows.add(conv.in, conv.kernelIn);
  constexpr int64_t atOnce = 256;
  int64_t places[atOnce];
  for (int64_t l = 0; l < rows.count(); l += atOnce) {
    const int64_t some = smaller(atOnce, rows.count() - l);
    rows.offsets(l, some, places);
    for (int64_t i = 0; i < some; ++i, to += width) {
      const T *const row = from + places[i];
      if (columns == width && conv.kernelOut == 1) {
        __builtin_memcpy(to, row, sizeof(T) * width);
        continue;
      }
      for (int64_t n = 0; n < width; ++n)
        to[n] = n < columns ? row[n * conv.kernelOut] : T(0);
    }
  }
}

} // namespace detail

template <class T>
Status convolve(const Convolution<T> &conv, const uint32_t *cancel) {
  constexpr bool isReal = PartsOf<T>::count == 1 && math::IsFloat<Part<T>>;
  if constexpr (isReal)
    if (hasFewWindows(conv))
      return convolveTaps(conv, isDepthwise(conv), cancel);
  const Boxes boxes(conv.axes, conv.spatial);
  // Where the units of each box begin.
  const Scratch memory(boxes.count() + 1, sizeof(int64_t));
  int64_t *const starts = memory.as<int64_t>();
  if (!boxes || !starts)
    return Status::outOfMemory;
  int64_t taps = 1;
  for (int i = 0; i < conv.spatial; ++i)
    taps *= conv.axes[i].window;
  const bool isByChannel = isReal && isDepthwise(conv) && taps <= kBlock;
  const bool isPlain = !isReal || isByChannel;
  // By channel, all groups are one unit; in plain loops, all channels of one.
  const int64_t groups = isByChannel ? 1 : conv.groups;
  const int64_t columns = isPlain ? larger<int64_t>(1, conv.out) : detail::columnsOfUnit(conv, taps * conv.in);
  const auto rowsOf = [&](const Box &box) { return detail::rowsOfUnit<T>(box, isByChannel ? conv.groups : columns); };
  const auto boxAt = [&](int64_t index) { return boxOf(conv, boxes, index, isReal ? TileOf<T>::rows : 1); };
  starts[0] = 0;
  for (int64_t i = 0; i < boxes.count(); ++i) {
    const Box box = boxAt(i);
    starts[i + 1] = starts[i] + ceilDivide(box.rows.count(), rowsOf(box));
  }
  const int64_t unitsOfPart = starts[boxes.count()];

  PackedKernel<T> packed{nullptr, taps * conv.in, ceilDivide(conv.out, PackedKernel<T>::width)};
  const Scratch panels(isPlain ? 1 : larger<int64_t>(1, groups * packed.panelsOfGroup * packed.rows * packed.width),
                       sizeof(T));
  if (!panels)
    return Status::outOfMemory;
  if (!isPlain) {
    const int64_t count = groups * packed.panelsOfGroup, size = packed.rows * packed.width;
    const bool isDone = parallelFor(
        count, larger<int64_t>(1, 65536 / larger<int64_t>(1, size)),
        [&](int64_t lo, int64_t hi) {
          for (; lo < hi; ++lo)
            detail::packPanel(conv, lo / packed.panelsOfGroup, lo % packed.panelsOfGroup * packed.width,
                              panels.as<T>() + lo * size);
        },
        cancel);
    if (!isDone)
      return Status::cancelled;
    packed.panels = panels.as<T>();
  }

  int32_t failure = 0;
  const bool isDone = parallelFor(
      unitsOfPart * groups * ceilDivide(conv.out, columns), 1,
      [&](int64_t lo, int64_t hi) {
        int64_t index = -1;
        Box box;
        for (; lo < hi && !__atomic_load_n(&failure, __ATOMIC_RELAXED); ++lo) {
          if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED))
            return;
          const int64_t unit = lo % unitsOfPart, group = lo / unitsOfPart % groups;
          const int64_t column = lo / unitsOfPart / groups * columns;
          if (index < 0 || unit < starts[index] || unit >= starts[index + 1]) {
            int64_t left = 0;
            for (int64_t right = boxes.count(); right - left > 1;) {
              const int64_t middle = (left + right) / 2;
              (starts[middle] <= unit ? left : right) = middle;
            }
            index = left;
            box = boxAt(index);
          }
          const int64_t row = (unit - starts[index]) * rowsOf(box), rows = smaller(rowsOf(box), box.rows.count() - row);
          if constexpr (isReal) {
            if (isByChannel) {
              DepthwiseRows<T>(conv, box).multiply(row, rows);
              continue;
            }
            ConvolveUnit<T> part(conv, packed, box, group, row, rows, column, smaller(columns, conv.out - column));
            if (Status status = part.run(); status != Status::ok)
              __atomic_store_n(&failure, static_cast<int32_t>(status), __ATOMIC_RELAXED);
          } else {
            box.rows.eachRun(row, rows, [&](int64_t, int64_t count, const int64_t (&starts)[2]) {
              for (int64_t i = 0; i < count; ++i)
                PlainWindow<T>(conv, box, group, starts[0] + i * box.rows.step(0), starts[1] + i * box.rows.step(1))
                    .multiply();
            });
          }
        }
      },
      cancel);
  if (failure)
    return static_cast<Status>(failure);
  return isDone ? Status::ok : Status::cancelled;
}

} // namespace tenon::rt::TENON_ISA
