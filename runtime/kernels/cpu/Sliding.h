//===- Sliding.h - where windows lie that move along an axis ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows in the middle of an axis have all their taps; those at its ends, or over the gaps of a
// dilated x, have some of them. A stretch is a run of windows that have the same taps: their
// places advance by one step, so that a convolution of a stretch is a product of matrices.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

/// Windows first, first + step, ... of an axis, `count` of them, with `taps` taps each: numbers tap, tap + tapStep, ...
/// of the window. Tap t of window i lies at x[at + i * advance + t * spacing].
struct Stretch {
  int64_t first, step, count;
  int64_t tap, tapStep, taps;
  int64_t at, advance, spacing;
};

/// One axis that windows move along.
struct SlidingAxis {
  int64_t size, window, stride, low, xDilation, windowDilation;
  int64_t windows;

  /// Calls `body(stretch)` for all windows, in no particular order.
  template <class Body>
  void eachStretch(Body &&body) const {
    // Windows of one residue meet elements at the same taps of every `tapStep`.
    const int64_t step = xDilation / greatestDivisor(stride, xDilation);
    const int64_t tapStep = xDilation / greatestDivisor(windowDilation, xDilation);
    const int64_t advance = step * stride / xDilation, spacing = tapStep * windowDilation / xDilation;
    for (int64_t residue = 0; residue < step && residue < windows; ++residue) {
      const int64_t count = ceilDivide(windows - residue, step), start = residue * stride - low;
      int64_t tap = 0;
      while (tap < tapStep && modulo(start + tap * windowDilation, xDilation))
        ++tap;
      if (tap == tapStep || tap >= window) {
        body(Stretch{residue, step, count, 0, 1, 0, 0, 0, 0});
        continue;
      }
      const int64_t at = (start + tap * windowDilation) / xDilation, taps = ceilDivide(window - tap, tapStep);
      // The taps of window i are those of 0 <= at + i * advance + t * spacing < size.
      const auto firstTap = [&](int64_t i) { return within(divideUp(-at - i * advance, spacing), taps); };
      const auto endTap = [&](int64_t i) { return within(divideUp(size - at - i * advance, spacing), taps); };
      for (int64_t i = 0; i < count;) {
        const int64_t from = firstTap(i), to = endTap(i);
        int64_t end = i + 1;
        if (from == 0 && to == taps) // all until the last tap leaves x
          end = larger(end, smaller(count, (size - 1 - (taps - 1) * spacing - at) / advance + 1));
        while (end < count && firstTap(end) == from && endTap(end) == to)
          ++end;
        body(Stretch{residue + i * step, step, end - i, tap + from * tapStep, tapStep, larger<int64_t>(0, to - from),
                     at + i * advance + from * spacing, advance, spacing});
        i = end;
      }
    }
  }

private:
  static int64_t greatestDivisor(int64_t a, int64_t b) {
    while (b) {
      const int64_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
  static int64_t modulo(int64_t a, int64_t b) { return (a % b + b) % b; }
  /// The least integer that is at least a / b.
  static int64_t divideUp(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : a / b; }
  static int64_t within(int64_t tap, int64_t taps) { return larger<int64_t>(0, smaller(tap, taps)); }
};

/// The stretches of several axes, and the boxes that they make: one stretch of each axis.
class Boxes {
public:
  Boxes(const SlidingAxis *axes, int count) : axes_(count), memory_(countStretches(axes, count), sizeof(Stretch)) {
    Stretch *const all = memory_.as<Stretch>(), *to = all;
    for (int i = 0; all && i < count; ++i) {
      stretches_[i] = to;
      axes[i].eachStretch([&](const Stretch &stretch) { *to++ = stretch; });
      counts_[i] = to - stretches_[i];
      count_ *= counts_[i];
    }
  }
  explicit operator bool() const { return static_cast<bool>(memory_); }
  int64_t count() const { return count_; }
  /// Sets of[i] to the stretch of axis i in box number `index`.
  void box(int64_t index, const Stretch **of) const {
    for (int i = axes_ - 1; i >= 0; index /= counts_[i], --i)
      of[i] = stretches_[i] + index % counts_[i];
  }

private:
  static int64_t countStretches(const SlidingAxis *axes, int count) {
    int64_t stretches = 1; // memory for none is null
    for (int i = 0; i < count; ++i)
      axes[i].eachStretch([&](const Stretch &) { ++stretches; });
    return stretches;
  }

  int axes_;
  Scratch memory_;
  const Stretch *stretches_[kMaxRank];
  int64_t counts_[kMaxRank], count_ = 1;
};

/// The windows of a box, counted over axes, the last one of which, the run, is fastest; along each they advance by a
/// step in every one of `Lists` arrays. Axes whose steps fit together are one.
template <int Lists>
class WindowRows {
public:
  void add(int64_t dim, const int64_t (&steps)[Lists]) {
    count_ *= dim;
    if (dim == 1)
      return;
    bool fits = axes_ > 0;
    for (int n = 0; n < Lists; ++n)
      fits = fits && steps_[n][axes_ - 1] == dim * steps[n];
    axes_ += !fits;
    dims_[axes_ - 1] = fits ? dims_[axes_ - 1] * dim : dim;
    for (int n = 0; n < Lists; ++n)
      steps_[n][axes_ - 1] = steps[n];
  }
  int64_t count() const { return count_; }
  int64_t run() const { return axes_ ? dims_[axes_ - 1] : 1; }
  int64_t step(int list) const { return axes_ ? steps_[list][axes_ - 1] : 0; }

  /// Makes the run an axis that tiles of `rows` rows fill well: the innermost one that they fill to three quarters, or
  /// else the one that they fill best.
  void chooseRun(int64_t rows) {
    const auto filled = [&](int i) { return 100 * dims_[i] / (ceilDivide(dims_[i], rows) * rows); };
    int best = axes_ - 1;
    for (int i = axes_ - 2; i >= 0 && filled(best) < 75; --i)
      if (filled(i) > filled(best))
        best = i;
    for (int i = best; i + 1 < axes_; ++i) {
      swap(dims_[i], dims_[i + 1]);
      for (int n = 0; n < Lists; ++n)
        swap(steps_[n][i], steps_[n][i + 1]);
    }
  }

  /// Calls `body(number, count, starts)` for the rows [row, row + rows), run by run: `count` rows from number `number`
  /// on, counted from `row`; the first one lies at starts[n] of array n.
  template <class Body>
  [[gnu::always_inline]] void eachRun(int64_t row, int64_t rows, Body &&body) const {
    const int64_t length = run();
    // Where the run at hand begins, counted over the axes but the last one.
    int64_t at[kMaxRank], first[Lists] = {};
    for (int64_t i = axes_ - 2, index = row / length; i >= 0; index /= dims_[i], --i) {
      at[i] = index % dims_[i];
      for (int n = 0; n < Lists; ++n)
        first[n] += at[i] * steps_[n][i];
    }
    for (int64_t done = 0, place = row % length; done < rows; place = 0) {
      const int64_t count = smaller(length - place, rows - done);
      int64_t starts[Lists];
      for (int n = 0; n < Lists; ++n)
        starts[n] = first[n] + place * step(n);
      body(done, count, starts);
      done += count;
      for (int i = axes_ - 2; i >= 0; --i) {
        for (int n = 0; n < Lists; ++n)
          first[n] += steps_[n][i];
        if (++at[i] < dims_[i])
          break;
        for (int n = 0; n < Lists; ++n)
          first[n] -= at[i] * steps_[n][i];
        at[i] = 0;
      }
    }
  }

private:
  static void swap(int64_t &a, int64_t &b) {
    const int64_t was = a;
    a = b;
    b = was;
  }

  int axes_ = 0;
  int64_t count_ = 1;
  int64_t dims_[kMaxRank], steps_[Lists][kMaxRank];
};

} // namespace tenon::rt::TENON_ISA
