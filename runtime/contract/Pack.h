//===- Pack.h - panels of an operand ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel holds some rows of a, or columns of b, for a part of the depth, as the tile's kernel
// reads it, from one end to the other: for each l the elements of the panel's `width` rows or
// columns, of complex numbers all real parts and then all imaginary parts. Narrow floats become
// f32, and narrow integers 32-bit ones, on the way.
//===----------------------------------------------------------------------===//
#pragma once

#include "Axes.h"

#include "runtime/kernels/cpu/ShortRows.h"

namespace tenon::rt::TENON_ISA {

/// The real numbers that an element of a product is made of: 1, or 2 of a complex one.
template <class T>
struct PartsOf {
  using Part = T;
  static constexpr int count = 1;
};
template <class T>
  requires requires { &T::imag; }
struct PartsOf<T> {
  using Part = decltype(T::real);
  static constexpr int count = 2;
};
template <class T>
using Part = typename PartsOf<T>::Part;

/// Which part of an operand a panel holds; elements from `count` to `width` are zeros.
struct Panel {
  int64_t first, count, width;
  int64_t firstDepth, depth;
};

/// An operand of a product: rows of a or columns of b are `outer`.
template <class T>
struct Side {
  const void *data;
  Axes outer, depth;
  /// Fills `to` with a panel, panel.depth * panel.width elements and perhaps a part of a register behind them, of the
  /// matrix that begins at `data`.
  void (*pack)(const Side &side, const void *data, const Panel &panel, Part<T> *to);
  /// Whether the memory holds elements of T, so that the kernels may read it where it lies.
  bool isPlain;
  /// Bytes of an element in memory.
  int size;

  const void *at(int64_t offset) const { return static_cast<const char *>(data) + offset * size; }
};

namespace detail {

/// N elements as real numbers of T; From is T, a narrow float, or a narrower integer.
template <class T, class From, int N>
[[gnu::always_inline]] inline Vec<T, N> loadReal(const From *from) {
  if constexpr (std::is_same_v<T, From>)
    return math::load<Vec<T, N>>(from);
  else if constexpr (std::is_integral_v<From>)
    return math::convertLanes<T>(math::load<Vec<From, N>>(from));
  else
    return math::fromNarrow<From>(math::load<Vec<decltype(From::bits), N>>(&from->bits));
}
template <class T, class From>
[[gnu::always_inline]] inline T readReal(const From &from) {
  if constexpr (std::is_same_v<T, From>)
    return from;
  else if constexpr (std::is_integral_v<From>)
    return static_cast<T>(from);
  else
    return math::fromNarrow<From>(from.bits);
}

/// Where `outer` has stride 1: short runs that follow each other.
template <class T, class From>
void packRuns(const From *from, int64_t stride, const Panel &panel, T *to) {
  constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;
  if (panel.count == panel.width && panel.width == 2 * N) {
    for (int64_t l = 0; l < panel.depth; ++l, from += stride, to += 2 * N) {
      math::store<V>(to, loadReal<T, From, N>(from));
      math::store<V>(to + N, loadReal<T, From, N>(from + N));
    }
    return;
  }
  int64_t done = 0;
  if (panel.width == 1 && stride == 1) { // one run
    for (; done + N <= panel.depth; done += N)
      math::store<V>(to + done, loadReal<T, From, N>(from + done));
    from += done, to += done;
  }
  for (int64_t l = done; l < panel.depth; ++l, from += stride, to += panel.width) {
    for (int64_t i = 0; i < panel.count; ++i)
      to[i] = readReal<T>(from[i]);
    for (int64_t i = panel.count; i < panel.width; ++i)
      to[i] = 0;
  }
}

/// Where the depth has stride 1: squares of registers are transposed. Rows that a square lacks
/// repeat the last one, and are not kept.
template <class T, class From>
void packSquares(const From *from, int64_t stride, const Panel &panel, T *to) {
  constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;
  for (int64_t first = 0; first < panel.width; first += N) {
    const int64_t count = smaller<int64_t>(N, panel.count - first), width = smaller<int64_t>(N, panel.width - first);
    int64_t l = 0;
    if (count > 0)
      for (; l + N <= panel.depth; l += N) {
        V square[N];
#pragma GCC unroll 16
        for (int i = 0; i < N; ++i)
          square[i] = loadReal<T, From, N>(from + (first + smaller<int64_t>(i, count - 1)) * stride + l);
        transposePieces<1>(square);
        if (count == N) {
#pragma GCC unroll 16
          for (int i = 0; i < N; ++i)
            math::store<V>(to + (l + i) * panel.width + first, square[i]);
          continue;
        }
        if (panel.count == panel.width && panel.width <= N) {
        // What is not kept of one register is written over by the next.
#pragma GCC unroll 16
          for (int i = 0; i < N; ++i)
            math::store<V>(to + (l + i) * panel.width, square[i]);
          continue;
        }
        for (int i = 0; i < N; ++i) {
          T lanes[N];
          math::store<V>(lanes, square[i]);
          for (int64_t j = 0; j < width; ++j)
            to[(l + i) * panel.width + first + j] = j < count ? lanes[j] : T(0);
        }
      }
    for (; l < panel.depth; ++l)
      for (int64_t j = 0; j < width; ++j)
        to[l * panel.width + first + j] = j < count ? readReal<T>(from[(first + j) * stride + l]) : T(0);
  }
}

/// Anything else, an element at a time.
template <class T, class From>
void packElements(const Side<T> &side, const From *data, const Panel &panel, Part<T> *to) {
  constexpr int64_t atOnce = 256;
  int64_t across[atOnce], down[atOnce];
  for (int64_t first = 0; first < panel.width; first += atOnce) {
    const int64_t width = smaller(atOnce, panel.width - first);
    const int64_t some = larger<int64_t>(0, smaller(width, panel.count - first));
    side.outer.offsets(panel.first + first, some, across);
    Part<T> *target = to + first;
    for (int64_t from = 0; from < panel.depth; from += atOnce) {
      const int64_t count = smaller(atOnce, panel.depth - from);
      side.depth.offsets(panel.firstDepth + from, count, down);
      for (int64_t l = 0; l < count; ++l, target += panel.width * PartsOf<T>::count) {
        const From *source = data + down[l];
        if constexpr (PartsOf<T>::count == 2) {
          for (int64_t i = 0; i < some; ++i) {
            target[i] = source[across[i]].real;
            target[panel.width + i] = source[across[i]].imag;
          }
          for (int64_t i = some; i < width; ++i)
            target[i] = target[panel.width + i] = 0;
        } else {
          for (int64_t i = 0; i < some; ++i)
            target[i] = readReal<T>(source[across[i]]);
          for (int64_t i = some; i < width; ++i)
            target[i] = 0;
        }
      }
    }
  }
}

template <class T, class From>
void packPanel(const Side<T> &side, const void *data, const Panel &panel, Part<T> *to) {
  const auto *elements = static_cast<const From *>(data);
  if constexpr (PartsOf<T>::count == 1) {
    if (side.outer.isStrided() && side.depth.isStrided()) {
      const int64_t across = side.outer.stride(), down = side.depth.stride();
      const From *from = elements + panel.first * across + panel.firstDepth * down;
      if (across == 1 || panel.count == 1)
        return packRuns(from, down, panel, to);
      if (down == 1)
        return packSquares(from, across, panel, to);
    }
  }
  packElements<T, From>(side, elements, panel, to);
}

} // namespace detail

/// Fills `panels` panels of `width` that follow each other, of plain real elements whose `outer` has stride 1: long
/// runs are read, so that the hardware prefetcher works, where a panel alone would read a line of each row.
template <class T>
void packWide(const T *from, int64_t stride, int64_t panels, int64_t depth, T *to) {
  constexpr int N = math::nativeLanes<T>, together = 16;
  using V = Vec<T, N>;
  for (; panels > 0; panels -= together, from += together * 2 * N, to += together * 2 * N * depth) {
    const int64_t some = smaller<int64_t>(panels, together);
    for (int64_t l = 0; l < depth; ++l) {
      const T *source = from + l * stride;
      T *target = to + l * 2 * N;
      for (int64_t p = 0; p < some; ++p, source += 2 * N, target += 2 * N * depth) {
        math::store<V>(target, math::load<V>(source));
        math::store<V>(target + N, math::load<V>(source + N));
      }
    }
  }
}

/// An operand whose memory holds elements of From: T, a narrow float where T is float, or a narrower integer where T is
/// uint32_t.
template <class T, class From = T>
Side<T> makeSide(const void *data, const Axes &outer, const Axes &depth) {
  return {data, outer, depth, &detail::packPanel<T, From>, std::is_same_v<T, From>, sizeof(From)};
}

} // namespace tenon::rt::TENON_ISA
