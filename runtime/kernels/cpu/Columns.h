//===- Columns.h - rows combined column by column --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A register holds the same row of as many columns; of each column the elements
// are combined in their order. Rows lie in memory, or are reductions themselves,
// of a few rows or of pairs, that are never written down.
//===----------------------------------------------------------------------===//
#pragma once

#include "ShortRows.h"

#include <type_traits>

namespace tenon::rt::TENON_ISA {

/// rows[i][0..width) of all blocks into rows[0], pairwise, in place.
template <class R>
void combineLevels(typename R::Acc *rows, int64_t count, int64_t width) {
  for (int64_t step = 1; step < count; step *= 2)
    for (int64_t i = 0; i + step < count; i += 2 * step)
      for (int64_t j = 0; j < width; ++j)
        rows[i * width + j] = R::combine(rows[i * width + j], rows[(i + step) * width + j]);
}

/// sums[j] = combine(sums[j], row[j]) for some rows in their order; the first
/// ones of a block are the sums' start.
template <class R, int Rows, bool IsFirst>
[[gnu::always_inline]] inline void addRows(const typename R::In *from, int64_t stride, typename R::Acc *sums,
                                           int64_t width, bool asksAhead) {
  using Acc = typename R::Acc;
  constexpr int N = math::nativeLanes<Acc>;
  const typename R::In *next = from + aheadBy<typename R::In>(Rows * stride);
  // Whole rows lie one after the other.
  const int64_t apart = stride == width ? N : stride, across = stride == width ? Rows : 1;
  auto add = [&]<int Lanes>(std::integral_constant<int, Lanes>, int64_t j) __attribute__((always_inline)) {
    using V = Vec<Acc, Lanes>;
    if (asksAhead)
      for (int r = 0; r < Rows; ++r)
        foresee(next + j * across + r * apart);
    // Combined with the identity, the first one would be itself.
    V sum = IsFirst ? loadAccumulators<R, Lanes>(from + j) : math::load<V>(sums + j);
    for (int r = IsFirst; r < Rows; ++r)
      sum = R::combine(sum, loadAccumulators<R, Lanes>(from + r * stride + j));
    math::store<V>(sums + j, sum);
  };
  int64_t j = 0;
  for (; j + N <= width; j += N)
    add(std::integral_constant<int, N>(), j);
  for (; j < width; ++j)
    add(std::integral_constant<int, 1>(), j);
}
template <class R, int Rows>
[[gnu::always_inline]] inline void addRows(const typename R::In *from, int64_t stride, typename R::Acc *sums,
                                           int64_t width, bool isFirst, bool asksAhead) {
  if (isFirst)
    addRows<R, Rows, true>(from, stride, sums, width, asksAhead);
  else
    addRows<R, Rows, false>(from, stride, sums, width, asksAhead);
}

/// A few rows, `apart` from one to the next, reduced to one.
template <class R>
struct FewRows {
  int64_t length, apart;
  template <int Lanes>
  [[gnu::always_inline]] Vec<typename R::Acc, Lanes> at(const typename R::In *from, int64_t j) const {
    auto row = loadAccumulators<R, Lanes>(from + j);
    for (int64_t i = 1; i < length; ++i)
      row = R::combine(row, loadAccumulators<R, Lanes>(from + i * apart + j));
    return row;
  }
  [[gnu::always_inline]] void foreseeAt(const typename R::In *from, int64_t j) const {
    for (int64_t i = 0; i < length; ++i)
      foresee(from + i * apart + j);
  }
};

/// A row whose pairs are reduced.
template <class R>
struct PairsOfRow {
  struct Numbers {
    template <class V>
    [[gnu::always_inline]] static V combine(V a, V b) {
      return R::combineNumbers(a, b);
    }
  };
  template <int Lanes>
  [[gnu::always_inline]] Vec<typename R::Acc, Lanes> at(const typename R::In *from, int64_t j) const {
    const auto low = loadAccumulators<R, Lanes>(from + 2 * j), high = loadAccumulators<R, Lanes>(from + 2 * j + Lanes);
    if constexpr (Lanes == 1)
      return R::combine(low, high);
    else
      return halveRows<R, 2>(low, high);
  }
  /// Of some rows at once, in any order: the pairs come last, one permutation for all rows.
  template <int Lanes, int Rows>
  [[gnu::always_inline]] Vec<typename R::Acc, Lanes> across(const typename R::In *from, int64_t stride,
                                                            int64_t j) const {
    using V = Vec<typename R::Acc, Lanes>;
    auto side = [&](int r, int s) __attribute__((always_inline)) {
      return loadAccumulators<R, Lanes>(from + r * stride + 2 * j + s * Lanes);
    };
    // Where there is a NaN is looked for besides, with one instruction for two registers instead of two for each.
    if constexpr (requires { R::template combineNumbers<V>; } && math::detail::hasRange<V>) {
      V low = side(0, 0), high = side(0, 1);
      unsigned nan = math::detail::nanLanes(low, high);
      for (int r = 1; r < Rows; ++r) {
        const V nextLow = side(r, 0), nextHigh = side(r, 1);
        nan |= math::detail::nanLanes(nextLow, nextHigh);
        low = R::combineNumbers(low, nextLow);
        high = R::combineNumbers(high, nextHigh);
      }
      if (nan == 0) [[likely]]
        return halveRows<Numbers, 2>(low, high);
    }
    V low = side(0, 0), high = side(0, 1);
    for (int r = 1; r < Rows; ++r) {
      low = R::combine(low, side(r, 0));
      high = R::combine(high, side(r, 1));
    }
    return halveRows<R, 2>(low, high);
  }
  [[gnu::always_inline]] void foreseeAt(const typename R::In *from, int64_t j) const {
    foresee(from + 2 * j);
    foresee(from + 2 * j + math::nativeLanes<typename R::Acc>);
  }
};

/// sums[j] = combine(sums[j], rows.at(j)) for rows that begin `stride` apart; the
/// first ones of a block are the sums' start.
template <class R, int Rows, bool IsFirst, class Source>
[[gnu::always_inline]] inline void addReduced(const Source &rows, const typename R::In *from, int64_t stride,
                                              typename R::Acc *sums, int64_t width, bool asksAhead) {
  constexpr int N = math::nativeLanes<typename R::Acc>;
  const int64_t ahead = aheadBy<typename R::In>(Rows * stride);
  auto add = [&]<int Lanes>(std::integral_constant<int, Lanes>, int64_t j) __attribute__((always_inline)) {
    using V = Vec<typename R::Acc, Lanes>;
    if (asksAhead)
      for (int r = 0; r < Rows; ++r)
        rows.foreseeAt(from + ahead + r * stride, j);
    V sum;
    if constexpr (R::isOrderFree && Lanes > 1 && std::is_same_v<Source, PairsOfRow<R>>) {
      sum = rows.template across<Lanes, Rows>(from, stride, j);
      if (!IsFirst)
        sum = R::combine(math::load<V>(sums + j), sum);
    } else {
      sum = IsFirst ? rows.template at<Lanes>(from, j) : math::load<V>(sums + j);
      for (int r = IsFirst; r < Rows; ++r)
        sum = R::combine(sum, rows.template at<Lanes>(from + r * stride, j));
    }
    math::store<V>(sums + j, sum);
  };
  int64_t j = 0;
  for (; j + N <= width; j += N)
    add(std::integral_constant<int, N>(), j);
  for (; j < width; ++j)
    add(std::integral_constant<int, 1>(), j);
}
template <class R, class Source>
void addReduced(const Source &rows, const typename R::In *from, int64_t stride, int64_t count, typename R::Acc *sums,
                int64_t width, bool asksAhead) {
  int64_t r = count > 1 ? 2 : 1;
  if (count > 1)
    addReduced<R, 2, true>(rows, from, stride, sums, width, asksAhead);
  else
    addReduced<R, 1, true>(rows, from, stride, sums, width, asksAhead);
  for (; r + 4 <= count; r += 4)
    addReduced<R, 4, false>(rows, from + r * stride, stride, sums, width, asksAhead);
  for (; r < count; ++r)
    addReduced<R, 1, false>(rows, from + r * stride, stride, sums, width, asksAhead);
}

} // namespace tenon::rt::TENON_ISA
