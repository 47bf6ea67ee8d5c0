//===- ShortRows.h - several rows, or cells, to a register -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trees of Reduce.h for what is shorter than a register. Each lane works
// for a row, or a column, of its own; lanes past a row's end hold the identity,
// or are never written. All input is dense; `readable` elements of it may be
// read, those after the last that is meant included.
//===----------------------------------------------------------------------===//
#pragma once

#include "Reduce.h"

#include <utility>

namespace tenon::rt::TENON_ISA {

namespace detail {
template <class To, class V, int... I>
[[gnu::always_inline]] inline To pick(V a, V b, std::integer_sequence<int, I...>, auto index) {
  return __builtin_shufflevector(a, b, decltype(index)::of(I)...);
}
/// Of rows of W lanes in two registers, the lanes from `Half` * W / 2 on.
template <int W, int Half>
struct HalfOfRow {
  static constexpr int of(int lane) { return lane / (W / 2) * W + lane % (W / 2) + Half * (W / 2); }
};
struct InOrder {
  static constexpr int of(int lane) { return lane; }
};
/// Pieces of P lanes of two registers of N, in turns: of their lower or upper halves.
template <int P, int N, int Half>
struct Interleaved {
  static constexpr int of(int lane) { return lane / P % 2 * N + Half * (N / 2) + lane / P / 2 * P + lane % P; }
};
} // namespace detail

/// Rows of W lanes, a's and then b's, become rows of half as many.
template <class R, int W, class V>
[[gnu::always_inline]] inline V halveRows(V a, V b) {
  constexpr std::make_integer_sequence<int, math::lanes<V>> all;
  return R::combine(detail::pick<V>(a, b, all, detail::HalfOfRow<W, 0>()),
                    detail::pick<V>(a, b, all, detail::HalfOfRow<W, 1>()));
}

/// W registers with rows of W lanes to one with one lane for each row.
template <class R, int W, class V>
[[gnu::always_inline]] inline V halveAll(V *rows) {
  if constexpr (W == 1) {
    return rows[0];
  } else {
    for (int i = 0; i < W / 2; ++i)
      rows[i] = halveRows<R, W>(rows[2 * i], rows[2 * i + 1]);
    return halveAll<R, W / 2>(rows);
  }
}

/// N lanes in pieces of P, piece i from at(i).
template <class T, int P, int N, class At>
[[gnu::always_inline]] inline Vec<T, N> loadPieces(At at) {
  if constexpr (P == N) {
    return math::load<Vec<T, N>>(at(0));
  } else if constexpr (P * sizeof(T) <= 8) {
    using Piece = typename math::detail::IntOf<P * sizeof(T)>::Unsigned;
    auto piece = [&](int i) __attribute__((always_inline)) {
      Piece value;
      __builtin_memcpy(&value, at(i), sizeof(Piece));
      return value;
    };
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return math::bitCast<Vec<T, N>>(Vec<Piece, N / P>{piece(I)...});
    }(std::make_integer_sequence<int, N / P>());
  } else {
    const auto low = loadPieces<T, P, N / 2>(at);
    const auto high = loadPieces<T, P, N / 2>([&](int i) __attribute__((always_inline)) { return at(N / 2 / P + i); });
    return detail::pick<Vec<T, N>>(low, high, std::make_integer_sequence<int, N>(), detail::InOrder());
  }
}

/// M = N / P registers of M pieces each: piece i of register j goes to j of i.
template <int P, class V>
[[gnu::always_inline]] inline void transposePieces(V *rows) {
  constexpr int N = math::lanes<V>, M = N / P;
  constexpr std::make_integer_sequence<int, N> all;
  for (int round = 1; round < M; round *= 2) {
    V next[M];
    for (int i = 0; i < M / 2; ++i) {
      next[2 * i] = detail::pick<V>(rows[i], rows[i + M / 2], all, detail::Interleaved<P, N, 0>());
      next[2 * i + 1] = detail::pick<V>(rows[i], rows[i + M / 2], all, detail::Interleaved<P, N, 1>());
    }
    for (int i = 0; i < M; ++i)
      rows[i] = next[i];
  }
}

template <class R>
struct ShortRows {
  using In = typename R::In;
  using Acc = typename R::Acc;
  static constexpr int N = Partials<R>::N;
  using V = Vec<Acc, N>;
  using Mask = decltype(V{} < V{});

  /// Lanes from `first` on that are below `count`.
  [[gnu::always_inline]] static Mask maskOf(int64_t count, int first) {
    using Index = math::SignedOf<V>;
    const auto left = static_cast<math::Element<Index>>(count - first);
    return bitCastMask(math::laneIndex<Index>() < math::broadcast<Index>(left));
  }

  /// `count` rows of `length` elements, 1 < length <= P.
  template <int P>
  static void reduce(const In *at, int64_t length, int64_t count, int64_t readable, Acc *result) {
    // Rows in a register, or registers for a row.
    constexpr int L = P < N ? P : N, parts = P / L;
    const V identity = math::broadcast<V>(R::identity());
    Mask keep[parts];
    for (int p = 0; p < parts; ++p)
      keep[p] = maskOf(length, p * N);
    if constexpr (parts == 1 && L < N) {
      // Each row's lanes.
      using Index = math::SignedOf<V>;
      keep[0] = bitCastMask((math::laneIndex<Index>() & math::Element<Index>(L - 1)) <
                            math::broadcast<Index>(static_cast<math::Element<Index>>(length)));
    }
    int64_t row = 0;
    for (; row + N <= count && (row + N - 1) * length + P <= readable; row += N) {
      const In *from = at + row * length;
      V rows[L];
      for (int i = 0; i < L; ++i, from += N / L * length) {
        V lanes[parts];
        for (int p = 0; p < parts; ++p) {
          if (length == P)
            lanes[p] = loadAccumulators<R, N>(from + p * N);
          else
            lanes[p] = math::select(
                keep[p],
                toAccumulators<R, N>(loadPieces<In, L, N>([&](int piece) { return from + p * N + piece * length; })),
                identity);
        }
        for (int width = parts / 2; width >= 1; width /= 2)
          for (int p = 0; p < width; ++p)
            lanes[p] = R::combine(lanes[p], lanes[p + width]);
        rows[i] = lanes[0];
      }
      math::store<V>(result + row, halveAll<R, L>(rows));
    }
    for (; row < count; ++row)
      result[row] = one(at + row * length, length);
  }

  /// Rows of any length up to a block, one after the other, as they lie in memory:
  /// the processor reads ahead of that by itself, and adds up several at a time.
  static void reduceLonger(const In *at, int64_t length, int64_t count, int64_t readable, Acc *result) {
    constexpr int parts = Partials<R>::parts;
    const int64_t whole = length / kLanes * kLanes, rest = length - whole;
    const V identity = math::broadcast<V>(R::identity());
    Mask keep[parts];
    for (int p = 0; p < parts; ++p)
      keep[p] = maskOf(rest, p * N);
    int64_t row = 0;
    for (; row + N <= count && (row + N - 1) * length + whole + (rest ? kLanes : 0) <= readable; row += N) {
      V rows[N];
      for (int i = 0; i < N; ++i) {
        const In *from = at + (row + i) * length;
        Partials<R> partials;
        for (int64_t k = 0; k < whole; k += kLanes)
          partials.add(from + k);
        if (rest)
          for (int p = 0; p < parts; ++p)
            partials.part[p] = R::combine(
                partials.part[p], math::select(keep[p], loadAccumulators<R, N>(from + whole + p * N), identity));
        rows[i] = partials.halveToRegister();
      }
      math::store<V>(result + row, halveAll<R, N>(rows));
    }
    for (; row < count; ++row)
      result[row] = one(at + row * length, length);
  }

private:
  template <class M>
  [[gnu::always_inline]] static Mask bitCastMask(M mask) {
    return math::bitCast<Mask>(mask);
  }
  static Acc one(const In *at, int64_t length) {
    Acc sum;
    reduceBlocks<R, 1>(&at, length, &sum);
    return sum;
  }
};

/// Dense rows of any length.
template <class R>
void reduceRows(const typename R::In *at, int64_t length, int64_t count, int64_t readable, typename R::Acc *result) {
  if (length == 0) {
    for (int64_t row = 0; row < count; ++row)
      result[row] = R::empty();
  } else if (length == 1) {
    for (int64_t row = 0; row < count; ++row)
      result[row] = R::combine(typename R::Acc(R::identity()), loadAccumulators<R, 1>(at + row));
  } else if (length == 2) {
    ShortRows<R>::template reduce<2>(at, length, count, readable, result);
  } else if (length <= 4) {
    ShortRows<R>::template reduce<4>(at, length, count, readable, result);
  } else if (length <= 8) {
    ShortRows<R>::template reduce<8>(at, length, count, readable, result);
  } else if (length <= 16) {
    ShortRows<R>::template reduce<16>(at, length, count, readable, result);
  } else if (length <= kBlock) {
    ShortRows<R>::reduceLonger(at, length, count, readable, result);
  } else {
    for (int64_t row = 0; row < count; ++row)
      result[row] = reduceRow<R>(at + row * length, length);
  }
}

/// Where cells begin: they are `apart`, or groups of them are, and in a group they
/// are `size` apart.
struct Places {
  int64_t apart, grouped = 1, size = 0;
  int64_t operator()(int64_t cell) const {
    return grouped == 1 ? cell * apart : cell / grouped * apart + cell % grouped * size;
  }
};

/// Cells of [length][inner] elements to `inner` each, in the order of length;
/// inner <= P <= a register's lanes.
template <class R, int P>
void reduceCells(const typename R::In *at, Places place, int64_t length, int64_t inner, int64_t count, int64_t readable,
                 typename R::Acc *result) {
  using In = typename R::In;
  using Acc = typename R::Acc;
  constexpr int N = math::nativeLanes<Acc>, cells = N / P;
  // As many at once as there are registers for their addresses, eight.
  constexpr int chains = cells >= 8 ? 1 : cells >= 4 ? 2 : 4;
  using V = Vec<Acc, N>;
  // Of the last cell, lanes past the end may be none.
  const int64_t last = count > 0 && place(count - 1) + (length - 1) * inner + P > readable ? count - 1 : count;
  auto some = [&]<int Chains>(std::integral_constant<int, Chains>, int64_t first) {
    const In *from[Chains * cells];
    for (int i = 0; i < Chains * cells; ++i)
      from[i] = at + place(smaller(first + i, last - 1));
    // A line or less for each addition.
    const In *next = from[0] + aheadBy<In>(Chains * cells * length * inner);
    auto foreseePart = [&](int64_t g, int c, int64_t elements)
                           __attribute__((always_inline)) { foresee(next + g * Chains * cells + c * elements); };
    V sums[Chains];
    for (V &sum : sums)
      sum = math::broadcast<V>(R::identity());
    int64_t g = 0;
    // Several rows of a cell at a time, where they fill a register.
    if (cells > 2 && inner == P)
      for (; g + N <= length * inner; g += N)
        for (int c = 0; c < Chains; ++c) {
          V rows[cells];
          for (int i = 0; i < cells; ++i) {
            foreseePart(g, c * cells + i, N);
            rows[i] = loadAccumulators<R, N>(from[c * cells + i] + g);
          }
          transposePieces<P>(rows);
          for (int i = 0; i < cells; ++i)
            sums[c] = R::combine(sums[c], rows[i]);
        }
    for (; g < length * inner; g += inner)
      for (int c = 0; c < Chains; ++c) {
        foreseePart(g, c, inner * cells);
        sums[c] =
            R::combine(sums[c], toAccumulators<R, N>(loadPieces<In, P, N>(
                                    [&](int i) __attribute__((always_inline)) { return from[c * cells + i] + g; })));
      }
    const int64_t made = smaller<int64_t>(Chains * cells, last - first);
    Acc *to = result + first * inner;
    if (inner == P && made == Chains * cells) {
      for (int c = 0; c < Chains; ++c)
        math::store<V>(to + c * N, sums[c]);
      return;
    }
    Acc lanes[Chains * N];
    __builtin_memcpy(lanes, sums, sizeof(lanes));
    // P < 2 * inner: a piece ends in the next cell, which is written after it.
    for (int64_t i = 0; i < made - 1; ++i)
      __builtin_memcpy(to + i * inner, lanes + i * P, P * sizeof(Acc));
    for (int64_t j = 0; j < inner; ++j)
      to[(made - 1) * inner + j] = lanes[(made - 1) * P + j];
  };
  int64_t cell = 0;
  for (; last - cell >= 2 * cells; cell += chains * cells)
    some(std::integral_constant<int, chains>(), cell);
  for (; cell < last; cell += cells)
    some(std::integral_constant<int, 1>(), cell);
  for (cell = last; cell < count; ++cell)
    for (int64_t j = 0; j < inner; ++j) {
      Acc sum = R::identity();
      for (int64_t g = 0; g < length; ++g)
        sum = R::combine(sum, loadAccumulators<R, 1>(at + place(cell) + g * inner + j));
      result[cell * inner + j] = sum;
    }
}

/// Dense cells of two rows of P elements.
template <class R, int P>
void addPairs(const typename R::In *at, int64_t count, typename R::Acc *result) {
  using Acc = typename R::Acc;
  constexpr int N = math::nativeLanes<Acc>, cells = N / P;
  int64_t cell = 0;
  if constexpr (2 * P <= N)
    for (; cell + cells <= count; cell += cells) {
      const typename R::In *from = at + cell * 2 * P;
      math::store<Vec<Acc, N>>(result + cell * P,
                               halveRows<R, 2 * P>(loadAccumulators<R, N>(from), loadAccumulators<R, N>(from + N)));
    }
  for (; cell < count; ++cell)
    for (int j = 0; j < P; ++j)
      result[cell * P + j] = R::combine(loadAccumulators<R, 1>(at + cell * 2 * P + j),
                                        loadAccumulators<R, 1>(at + (cell * 2 + 1) * P + j));
}

/// reduceCells with the P that `inner`, less than a register's lanes, asks for.
template <class R>
void reduceCells(const typename R::In *at, Places place, int64_t length, int64_t inner, int64_t count, int64_t readable,
                 typename R::Acc *result) {
  constexpr int N = math::nativeLanes<typename R::Acc>;
  if (inner <= 2)
    reduceCells<R, 2>(at, place, length, inner, count, readable, result);
  else if (inner <= 4)
    reduceCells<R, 4>(at, place, length, inner, count, readable, result);
  else if constexpr (N >= 8) {
    if (inner <= 8)
      reduceCells<R, 8>(at, place, length, inner, count, readable, result);
    else if constexpr (N >= 16)
      reduceCells<R, 16>(at, place, length, inner, count, readable, result);
  }
}

} // namespace tenon::rt::TENON_ISA
