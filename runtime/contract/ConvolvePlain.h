//===- ConvolvePlain.h - convolutions of few kinds, by plain loops ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers and integers, a window at a time; and depthwise convolutions, in which every
// channel is a group, many channels at a time.
//===----------------------------------------------------------------------===//
#pragma once

#include "ConvolveBoxes.h"
#include "Region.h"

namespace tenon::rt::TENON_ISA {

namespace detail {
/// The next product of a chain.
template <class T>
[[gnu::always_inline]] inline T multiplyAddOne(T a, T b, T c) {
  if constexpr (PartsOf<T>::count == 2) {
    using C = math::Complex<Part<T>>;
    const C sum = multiplyAdd(C{a.real, a.imag}, C{b.real, b.imag}, C{c.real, c.imag});
    return {sum.real, sum.imag};
  } else {
    return multiplyAdd(a, b, c);
  }
}
/// What a chain begins with: it changes no product that is added.
template <class T>
T chainStart() {
  if constexpr (PartsOf<T>::count == 2)
    return {Part<T>(-0.0), Part<T>(-0.0)};
  else
    return T(-0.0);
}
} // namespace detail

/// A window of a box, for all channels of the result of one group.
template <class T>
class PlainWindow {
public:
  /// Where it begins, in x from the box's first window on, and in the result.
  PlainWindow(const Convolution<T> &conv, const Box &box, int64_t group, int64_t x, int64_t c)
      : conv_(conv), box_(box), x_(conv.x + group * conv.xGroup + x), kernel_(conv.kernel + group * conv.kernelGroup),
        c_(conv.c + box.c + group * conv.out + c) {}

  void multiply() const {
    for (int64_t j = 0; j < conv_.out; j += atOnce) {
      const int64_t columns = smaller(atOnce, conv_.out - j);
      T sums[atOnce];
      if (box_.depth == 0)
        for (int64_t n = 0; n < columns; ++n)
          sums[n] = T();
      else
        sumBlocks(j, columns, 0, blocksOf(conv_), sums);
      for (int64_t n = 0; n < columns; ++n)
        c_[j + n] = sums[n];
    }
  }

private:
  static constexpr int64_t atOnce = 64;

  void sumBlocks(int64_t column, int64_t columns, int64_t first, int64_t count, T *sums) const {
    if (count == 1) {
      for (int64_t n = 0; n < columns; ++n)
        sums[n] = detail::chainStart<T>();
      const int64_t from = productsBefore(conv_, box_, first);
      eachProduct(conv_, box_, from, productsBefore(conv_, box_, first + 1) - from,
                  [&](int64_t, int64_t x, int64_t kernel, int64_t) {
                    const T *const factors = kernel_ + kernel + column * conv_.kernelOut;
                    for (int64_t n = 0; n < columns; ++n)
                      sums[n] = detail::multiplyAddOne(x_[x], factors[n * conv_.kernelOut], sums[n]);
                  });
      return;
    }
    int64_t left = 1;
    while (2 * left < count)
      left *= 2;
    T others[atOnce];
    sumBlocks(column, columns, first, left, sums);
    sumBlocks(column, columns, first + left, count - left, others);
    for (int64_t n = 0; n < columns; ++n)
      sums[n] = added(sums[n], others[n]);
  }

  const Convolution<T> &conv_;
  const Box &box_;
  const T *x_, *kernel_;
  T *c_;
};

/// Whether each channel is a group of its own, and the channels of x and of the kernel lie side by side.
template <class T>
bool isDepthwise(const Convolution<T> &conv) {
  return PartsOf<T>::count == 1 && conv.in == 1 && conv.out == 1 && conv.groups >= TileOf<T>::lanes &&
         conv.xGroup == 1 && conv.kernelGroup == 1;
}

/// Rows [row, row + rows) of a box of a depthwise convolution; the box has at most kBlock products.
template <class T>
class DepthwiseRows {
public:
  DepthwiseRows(const Convolution<T> &conv, const Box &box) : conv_(conv), box_(box) {}

  void multiply(int64_t row, int64_t rows) {
    box_.rows.eachRun(row, rows, [&](int64_t, int64_t count, const int64_t (&starts)[2]) {
      multiplyRun(conv_.x + starts[0], conv_.c + box_.c + starts[1], count);
    });
  }

private:
  static constexpr int N = TileOf<T>::lanes;
  static constexpr int64_t blockDepth = 256;
  using V = Vec<T, N>;

  void multiplyRun(const T *x, T *c, int64_t count) {
    if (box_.depth == 0) {
      for (int64_t i = 0; i < count; ++i)
        for (int64_t g = 0; g < conv_.groups; ++g)
          c[i * box_.rows.step(1) + g] = T(0);
      return;
    }
    for (int64_t l = 0; l < box_.depth; l += blockDepth) {
      const int64_t depth = smaller(blockDepth, box_.depth - l);
      eachProduct(conv_, box_, l, depth, [&](int64_t i, int64_t at, int64_t kernel, int64_t) {
        xPlaces_[i] = at;
        kernelPlaces_[i] = kernel;
      });
      int64_t i = 0;
      for (; i + 4 <= count; i += 4)
        multiplyWindows<4>(x + i * box_.rows.step(0), c + i * box_.rows.step(1), depth, l == 0);
      for (; i < count; ++i)
        multiplyWindows<1>(x + i * box_.rows.step(0), c + i * box_.rows.step(1), depth, l == 0);
    }
  }

  template <int Windows>
  void multiplyWindows(const T *x, T *c, int64_t depth, bool isFirst) const {
    const int64_t xStep = box_.rows.step(0), cStep = box_.rows.step(1);
    int64_t g = 0;
    for (; g + 2 * N <= conv_.groups; g += 2 * N)
      multiplyChannels<Windows, 2>(x + g, conv_.kernel + g, c + g, xStep, cStep, depth, isFirst);
    for (; g + N <= conv_.groups; g += N)
      multiplyChannels<Windows, 1>(x + g, conv_.kernel + g, c + g, xStep, cStep, depth, isFirst);
    for (; g < conv_.groups; ++g)
      for (int i = 0; i < Windows; ++i) {
        T sum = isFirst ? T(-0.0) : c[i * cStep + g];
        for (int64_t l = 0; l < depth; ++l)
          sum = multiplyAdd(x[i * xStep + xPlaces_[l] + g], conv_.kernel[kernelPlaces_[l] + g], sum);
        c[i * cStep + g] = sum;
      }
  }
  template <int Windows, int Vectors>
  [[gnu::always_inline]] void multiplyChannels(const T *x, const T *kernel, T *c, int64_t xStep, int64_t cStep,
                                               int64_t depth, bool isFirst) const {
    V sums[Windows][Vectors];
#pragma GCC unroll 4
    for (int i = 0; i < Windows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v)
        sums[i][v] = isFirst ? math::broadcast<V>(T(-0.0)) : math::load<V>(c + i * cStep + v * N);
    for (int64_t l = 0; l < depth; ++l)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) {
        const V factor = math::load<V>(kernel + kernelPlaces_[l] + v * N);
#pragma GCC unroll 4
        for (int i = 0; i < Windows; ++i)
          sums[i][v] = multiplyAdd(math::load<V>(x + xPlaces_[l] + i * xStep + v * N), factor, sums[i][v]);
      }
#pragma GCC unroll 4
    for (int i = 0; i < Windows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v)
        math::store<V>(c + i * cStep + v * N, sums[i][v]);
  }

  const Convolution<T> &conv_;
  const Box &box_;
  int64_t xPlaces_[blockDepth], kernelPlaces_[blockDepth];
};

} // namespace tenon::rt::TENON_ISA
