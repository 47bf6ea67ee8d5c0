//===- ConvolveBoxes.h - the parts of a convolution that are products -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box is a stretch (Sliding.h) along each spatial axis: windows that all have the same taps. Its
// elements are a product of matrices: a row for each window and image, a column for each channel
// of the result, the depth running over the taps and channels of x.
//===----------------------------------------------------------------------===//
#pragma once

#include "Convolve.h"
#include "Lanes.h"

namespace tenon::rt::TENON_ISA {

/// One box.
struct Box {
  /// Along x and the result.
  WindowRows<2> rows;
  /// Where the first window's first tap lies in x, in the kernel and, for the packed kernel, among the kernel's taps;
  /// and where the first element lies in the result.
  int64_t x = 0, kernel = 0, tap = 0, c = 0;
  /// Taps of each spatial axis: their count, the first one's number and the step from one to the next; and the steps
  /// between them in x, in the kernel and among all taps.
  int64_t taps[kMaxRank], firstTap[kMaxRank], everyTap[kMaxRank];
  int64_t xTap[kMaxRank], kernelTap[kMaxRank], tapStep[kMaxRank];
  /// Products that are summed, and the axes that they are counted over: along x and the packed kernel's rows.
  int64_t depth = 1;
  WindowRows<2> products;
};

/// Box number `index` of those of the spatial axes, its runs chosen for tiles of `tileRows` rows.
template <class T>
Box boxOf(const Convolution<T> &conv, const Boxes &boxes, int64_t index, int64_t tileRows) {
  Box box;
  box.depth = conv.in;
  const Stretch *of[kMaxRank];
  boxes.box(index, of);
  // Elements of the result to a window, and taps of the kernel to a tap, along each axis.
  int64_t windows[kMaxRank + 1], taps[kMaxRank + 1];
  windows[conv.spatial] = conv.groups * conv.out;
  taps[conv.spatial] = 1;
  for (int i = conv.spatial - 1; i >= 0; --i) {
    windows[i] = windows[i + 1] * conv.axes[i].windows;
    taps[i] = taps[i + 1] * conv.axes[i].window;
  }
  box.rows.add(conv.batch, {conv.xBatch, windows[0]});
  for (int i = 0; i < conv.spatial; ++i) {
    const Stretch &s = *of[i];
    box.rows.add(s.count, {s.advance * conv.xSpatial[i], s.step * windows[i + 1]});
    box.x += s.at * conv.xSpatial[i];
    box.kernel += s.tap * conv.kernelSpatial[i];
    box.tap += s.tap * taps[i + 1];
    box.c += s.first * windows[i + 1];
    box.taps[i] = s.taps;
    box.firstTap[i] = s.tap;
    box.everyTap[i] = s.tapStep;
    box.xTap[i] = s.spacing * conv.xSpatial[i];
    box.kernelTap[i] = s.tapStep * conv.kernelSpatial[i];
    box.tapStep[i] = s.tapStep * taps[i + 1];
    box.depth *= s.taps;
    box.products.add(s.taps, {box.xTap[i], box.tapStep[i] * conv.in});
  }
  box.products.add(conv.in, {conv.xIn, 1});
  box.rows.chooseRun(tileRows);
  return box;
}

/// Blocks of kBlock products, those counted that the taps off x would make.
template <class T>
int64_t blocksOf(const Convolution<T> &conv) {
  int64_t products = conv.in;
  for (int i = 0; i < conv.spatial; ++i)
    products *= conv.axes[i].window;
  return ceilDivide(products, kBlock);
}

/// How many products of a box are in the blocks before number `block`.
template <class T>
int64_t productsBefore(const Convolution<T> &conv, const Box &box, int64_t block) {
  if (block >= blocksOf(conv))
    return box.depth;
  int64_t at[kMaxRank], tap = block * kBlock / conv.in, before = 0, behind = box.depth;
  for (int i = conv.spatial - 1; i >= 0; tap /= conv.axes[i].window, --i)
    at[i] = tap % conv.axes[i].window;
  for (int i = 0; behind > 0 && i < conv.spatial; ++i) {
    behind /= box.taps[i];
    const int64_t from = at[i] - box.firstTap[i];
    const int64_t taps = from <= 0 ? 0 : smaller(box.taps[i], ceilDivide(from, box.everyTap[i]));
    before += taps * behind;
    if (from < 0 || taps == box.taps[i] || from % box.everyTap[i])
      return before;
  }
  return behind > 0 ? before + block * kBlock % conv.in : 0;
}

/// Calls `body(l, x, kernel, tap)` for the products [from, from + count) of a box: where each one's element lies in x
/// and in the kernel, from the box's first ones on, and its number among the packed kernel's rows.
template <class T, class Body>
[[gnu::always_inline]] inline void eachProduct(const Convolution<T> &conv, const Box &box, int64_t from, int64_t count,
                                               Body &&body) {
  int64_t channel = from % conv.in;
  int64_t index = from / conv.in, at[kMaxRank];
  int64_t x = box.x, kernel = box.kernel, tap = box.tap;
  for (int i = conv.spatial - 1; i >= 0; index /= box.taps[i], --i) {
    at[i] = index % box.taps[i];
    x += at[i] * box.xTap[i];
    kernel += at[i] * box.kernelTap[i];
    tap += at[i] * box.tapStep[i];
  }
  for (int64_t l = 0; l < count;) {
    for (; channel < conv.in && l < count; ++channel, ++l)
      body(l, x + channel * conv.xIn, kernel + channel * conv.kernelIn, tap * conv.in + channel);
    channel = 0;
    for (int i = conv.spatial - 1; i >= 0; --i) {
      x += box.xTap[i];
      kernel += box.kernelTap[i];
      tap += box.tapStep[i];
      if (++at[i] < box.taps[i])
        break;
      x -= at[i] * box.xTap[i];
      kernel -= at[i] * box.kernelTap[i];
      tap -= at[i] * box.tapStep[i];
      at[i] = 0;
    }
  }
}

} // namespace tenon::rt::TENON_ISA
