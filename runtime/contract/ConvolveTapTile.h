//===- ConvolveTapTile.h - sums of some windows, tap by tap --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tile.h"

namespace tenon::rt::TENON_ISA {

namespace detail {

/// Taps that follow each other: where the first one's elements lie in x and in the kernel, and the rows of a tile, bit
/// by bit, for which they lie on x.
struct TapRun {
  int64_t x, kernel, count;
  uint32_t rows;
};

/// A tile of sums: each row is a window of one channel of x.
template <class T>
struct TapTile {
  const TapRun *runs;
  int64_t count;
  const T *x;
  /// Stride between taps in x.
  int64_t xStep;
  /// Where each row begins in x.
  const int64_t *rows;
  const T *kernel;
  int64_t kernelStep;
  /// Row i is at sums[i * stride].
  T *sums;
  int64_t stride;
};

/// `IsDepthwise`: each column has an element of x of its own, side by side with its neighbour's.
template <class T, int Rows, int Vectors, bool IsDepthwise>
[[gnu::noinline]] void addTaps(const TapTile<T> &tile) {
  constexpr int N = TileOf<T>::lanes;
  constexpr uint32_t all = (uint32_t(1) << Rows) - 1;
  using V = Vec<T, N>;
  V sums[Rows][Vectors];
  int64_t rows[Rows];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
    rows[i] = tile.rows[i];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      sums[i][v] = math::load<V>(tile.sums + i * tile.stride + v * N);
  }
  const auto add = [&](int i, const T *x, const V(&factors)[Vectors]) __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      sums[i][v] = multiplyAdd(IsDepthwise ? math::load<V>(x + rows[i] + v * N) : math::broadcast<V>(x[rows[i]]),
                               factors[v], sums[i][v]);
  };
  for (const TapRun *run = tile.runs, *const end = run + tile.count; run < end; ++run) {
    const T *x = tile.x + run->x, *kernel = tile.kernel + run->kernel;
    for (int64_t l = 0; l < run->count; ++l, x += tile.xStep, kernel += tile.kernelStep) {
      V factors[Vectors];
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v)
        factors[v] = math::load<V>(kernel + v * N);
      if ((run->rows & all) == all) [[likely]] {
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i)
          add(i, x, factors);
      } else {
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i)
          if (run->rows >> i & 1)
            add(i, x, factors);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      math::store<V>(tile.sums + i * tile.stride + v * N, sums[i][v]);
}

template <class T>
using TapKernel = void (*)(const TapTile<T> &);
template <class T, int Vectors, bool IsDepthwise, int... I>
TapKernel<T> tapKernel(int64_t rows, std::integer_sequence<int, I...>) {
  static constexpr TapKernel<T> kernels[] = {&addTaps<T, I + 1, Vectors, IsDepthwise>...};
  return kernels[rows - 1];
}

} // namespace detail

} // namespace tenon::rt::TENON_ISA
