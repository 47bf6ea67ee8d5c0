//===- SortKeys.h - sorting signed integers --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vectorized quicksort after Blacher, Giesen, Sanders, Wassenberg (Vectorized
// and performance-portable Quicksort, 2022). What is small is sorted in
// registers: as columns by Batcher's network, which are then merged bitonically
// lane against lane. Two streams of a partition go to two arrays, so nothing is
// swapped and every store is a whole vector. Where samples of a few hostile
// rows mislead it too often, a radix sort takes over: never quadratic.
//
// Keys are integers alone, so equal ones are the same and no order among them
// can be seen; signed ones, since AVX2 compares no others.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

#include <immintrin.h>
#include <utility>

namespace tenon::rt::TENON_ISA {

/// What a row is sorted with, of keys T: int32_t or int64_t.
template <class T>
struct KeySort {
  using U = math::UnsignedOf<T>;
  static constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;
  static constexpr T kHighest = T(~U(0) >> 1), kLowest = T(~kHighest);
  /// Vectors that a network sorts, and the keys in them. AVX2 has no registers for so
  /// many, but is faster with them than with eight.
  static constexpr int kRows = 16;
  static constexpr int64_t kSmall = kRows * N;

  //===--- Networks ---------------------------------------------------------===//

  /// The smaller keys to `low`. By name, since g++ 12 makes a comparison and two blends
  /// of a select (and warns of these without a mask); AVX2 has no others for 64 bits.
  [[gnu::always_inline]] static void exchange(V &low, V &high) {
    V smaller, larger;
#ifdef __AVX512F__
    if constexpr (sizeof(T) == 4)
      smaller = (V)_mm512_maskz_min_epi32(__mmask16(-1), (__m512i)low, (__m512i)high),
      larger = (V)_mm512_maskz_max_epi32(__mmask16(-1), (__m512i)low, (__m512i)high);
    else
      smaller = (V)_mm512_maskz_min_epi64(__mmask8(-1), (__m512i)low, (__m512i)high),
      larger = (V)_mm512_maskz_max_epi64(__mmask8(-1), (__m512i)low, (__m512i)high);
#else
    if constexpr (sizeof(T) == 4) {
      smaller = (V)_mm256_min_epi32((__m256i)low, (__m256i)high);
      larger = (V)_mm256_max_epi32((__m256i)low, (__m256i)high);
    } else {
      const __m256d isWrong = (__m256d)(low > high);
      smaller = (V)_mm256_blendv_pd((__m256d)low, (__m256d)high, isWrong);
      larger = (V)_mm256_blendv_pd((__m256d)high, (__m256d)low, isWrong);
    }
#endif
    low = smaller;
    high = larger;
  }

  template <int Rows>
  struct Network {
    struct Pair {
      int low, high;
    };
    /// Calls visit(low, high) for each comparator of Batcher's odd-even merge sort.
    template <class F>
    static constexpr void visit(F &&visit) {
      for (int p = 1; p < Rows; p *= 2)
        for (int k = p; k >= 1; k /= 2)
          for (int j = k % p; j + k < Rows; j += 2 * k)
            for (int i = 0; i < k && i + j + k < Rows; ++i)
              if ((i + j) / (2 * p) == (i + j + k) / (2 * p))
                visit(i + j, i + j + k);
    }
    static constexpr int kCount = [] {
      int count = 0;
      visit([&](int, int) { ++count; });
      return count;
    }();
    struct Pairs {
      Pair pairs[kCount + 1];
    };
    static constexpr Pairs kPairs = [] {
      Pairs result{};
      int count = 0;
      visit([&](int low, int high) { result.pairs[count++] = {low, high}; });
      return result;
    }();
    template <size_t... I>
    [[gnu::always_inline]] static void sort([[maybe_unused]] V *rows, std::index_sequence<I...>) {
      (exchange(rows[kPairs.pairs[I].low], rows[kPairs.pairs[I].high]), ...);
    }
  };

  using LaneNumbers = std::make_index_sequence<N>;
  /// Lane i is lane i ^ Bits of x.
  template <size_t Bits, size_t... I>
  [[gnu::always_inline]] static V flip(V x, std::index_sequence<I...>) {
    return __builtin_shufflevector(x, x, int(I ^ Bits)...);
  }
  /// Lanes with this bit are those of `set`, others of `clear`.
  template <size_t Bit, size_t... I>
  [[gnu::always_inline]] static V blend(V clear, V set, std::index_sequence<I...>) {
    return __builtin_shufflevector(clear, set, int(I & Bit ? I + N : I)...);
  }
  /// The first or second half of a[0], b[0], a[1], b[1], ...
  template <size_t First, size_t... I>
  [[gnu::always_inline]] static V zip(V a, V b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, int((First + I) / 2 + (I % 2) * N)...);
  }

  /// Merges neighbours among sorted columns, or groups of Columns of them: the
  /// first compares one with the other in reverse, which leaves two bitonic
  /// halves; those are sorted at falling distances, of columns and then of rows.
  template <int Rows, int Columns>
  [[gnu::always_inline]] static void mergeColumns(V *rows) {
    constexpr LaneNumbers lanes;
    if constexpr (Rows == 1) {
      const V other = flip<2 * Columns - 1>(rows[0], lanes);
      V low = rows[0], high = other;
      exchange(low, high);
      rows[0] = blend<Columns>(low, high, lanes);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < Rows / 2; ++i) {
        V low = rows[i], high = flip<2 * Columns - 1>(rows[Rows - 1 - i], lanes);
        exchange(low, high);
        rows[i] = blend<Columns>(low, high, lanes);
        rows[Rows - 1 - i] = flip<2 * Columns - 1>(blend<Columns>(high, low, lanes), lanes);
      }
    }
    mergeLanes<Rows, Columns / 2>(rows);
#pragma GCC unroll 4
    for (int distance = Rows / 2; distance > 0; distance /= 2)
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i)
        if ((i & distance) == 0)
          exchange(rows[i], rows[i + distance]);
    if constexpr (2 * Columns < N)
      mergeColumns<Rows, 2 * Columns>(rows);
  }
  template <int Rows, int Distance>
  [[gnu::always_inline]] static void mergeLanes(V *rows) {
    if constexpr (Distance > 0) {
      constexpr LaneNumbers lanes;
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        V low = rows[i], high = flip<Distance>(rows[i], lanes);
        exchange(low, high);
        rows[i] = blend<Distance>(low, high, lanes);
      }
      mergeLanes<Rows, Distance / 2>(rows);
    }
  }

  /// The first `count` lanes; the others are the highest key.
  [[gnu::always_inline]] static V loadSome(const T *from, int64_t count) {
    const int some = static_cast<int>(smaller<int64_t>(larger<int64_t>(count, 0), N));
#ifdef __AVX512F__
    const unsigned mask = _bzhi_u32(~0u, static_cast<unsigned>(some));
    const V highest = math::broadcast<V>(kHighest);
    if constexpr (sizeof(T) == 4)
      return (V)_mm512_mask_loadu_epi32((__m512i)highest, static_cast<__mmask16>(mask), from);
    else
      return (V)_mm512_mask_loadu_epi64((__m512i)highest, static_cast<__mmask8>(mask), from);
#else
    const auto isIn = math::laneIndex<V>() < static_cast<T>(some);
    V some_;
    if constexpr (sizeof(T) == 4)
      some_ = (V)_mm256_maskload_epi32(reinterpret_cast<const int *>(from), (__m256i)isIn);
    else
      some_ = (V)_mm256_maskload_epi64(reinterpret_cast<const long long *>(from), (__m256i)isIn);
    return math::select(isIn, some_, math::broadcast<V>(kHighest));
#endif
  }
  [[gnu::always_inline]] static void storeSome(T *to, V value, int64_t count) {
    const int some = static_cast<int>(smaller<int64_t>(larger<int64_t>(count, 0), N));
#ifdef __AVX512F__
    const unsigned mask = _bzhi_u32(~0u, static_cast<unsigned>(some));
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), (__m512i)value);
    else
      _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), (__m512i)value);
#else
    const auto isIn = math::laneIndex<V>() < static_cast<T>(some);
    if constexpr (sizeof(T) == 4)
      _mm256_maskstore_epi32(reinterpret_cast<int *>(to), (__m256i)isIn, (__m256i)value);
    else
      _mm256_maskstore_epi64(reinterpret_cast<long long *>(to), (__m256i)isIn, (__m256i)value);
#endif
  }

  template <int Rows>
  [[gnu::noinline]] static void sortRows(const T *from, T *to, int64_t count) {
    constexpr LaneNumbers lanes;
    V rows[Rows];
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
      rows[i] = i < Rows / 2 ? math::load<V>(from + i * N) : loadSome(from + i * N, count - i * N);
    Network<Rows>::sort(rows, std::make_index_sequence<Network<Rows>::kCount>());
    mergeColumns<Rows, 1>(rows);
    // Columns to memory's order: as many perfect shuffles as the row's number has bits.
#pragma GCC unroll 4
    for (int step = 1; step < Rows; step *= 2) {
      V shuffled[Rows];
#pragma GCC unroll 16
      for (int i = 0; i < Rows / 2; ++i) {
        shuffled[2 * i] = zip<0>(rows[i], rows[i + Rows / 2], lanes);
        shuffled[2 * i + 1] = zip<N>(rows[i], rows[i + Rows / 2], lanes);
      }
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i)
        rows[i] = shuffled[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
      if (i < Rows / 2)
        math::store<V>(to + i * N, rows[i]);
      else
        storeSome(to + i * N, rows[i], count - i * N);
  }

  /// At most kSmall keys; `to` may be `from`.
  static void sortSmall(const T *from, T *to, int64_t count) {
    if (count <= N)
      sortRows<1>(from, to, count);
    else if (count <= 2 * N)
      sortRows<2>(from, to, count);
    else if (count <= 4 * N)
      sortRows<4>(from, to, count);
    else if (count <= 8 * N)
      sortRows<8>(from, to, count);
    else
      sortRows<kRows>(from, to, count);
  }

  //===--- Partition --------------------------------------------------------===//

#ifndef __AVX512F__
  /// By mask of lanes: their numbers, side by side, as lanes of 32 bits.
  struct Selections {
    uint8_t lanes[1 << N][8];
  };
  static constexpr Selections kSelections = [] {
    Selections result{};
    for (int mask = 0; mask < 1 << N; ++mask)
      for (int lane = 0, at = 0; lane < N; ++lane)
        if (mask >> lane & 1)
          for (int half = 0; half < 8 / N; ++half)
            result.lanes[mask][at++] = static_cast<uint8_t>(lane * (8 / N) + half);
    return result;
  }();
#endif

  /// Keys up to the pivot to `lower`, others to `upper`, each in their order.
  /// One of the two is `from`, the other is apart; both have room for `count`.
  [[gnu::noinline]] static int64_t partition(const T *from, T *lower, T *upper, int64_t count, T pivot) {
    const T *const begin = lower;
    const V pivots = math::broadcast<V>(pivot);
    int64_t i = 0;
    // Never more is written than has been read, so whole vectors may be stored.
    auto part = [&](V x) __attribute__((always_inline)) {
#ifdef __AVX512F__
      int size;
      if constexpr (sizeof(T) == 4) {
        const __mmask16 isLower = _mm512_cmple_epi32_mask((__m512i)x, (__m512i)pivots);
        math::store<V>(lower, (V)_mm512_maskz_compress_epi32(isLower, (__m512i)x));
        math::store<V>(upper, (V)_mm512_maskz_compress_epi32(_knot_mask16(isLower), (__m512i)x));
        size = __builtin_popcount(isLower);
      } else {
        const __mmask8 isLower = _mm512_cmple_epi64_mask((__m512i)x, (__m512i)pivots);
        math::store<V>(lower, (V)_mm512_maskz_compress_epi64(isLower, (__m512i)x));
        math::store<V>(upper, (V)_mm512_maskz_compress_epi64(_knot_mask8(isLower), (__m512i)x));
        size = __builtin_popcount(isLower);
      }
#else
      unsigned isUpper;
      if constexpr (sizeof(T) == 4)
        isUpper = static_cast<unsigned>(_mm256_movemask_ps((__m256)(x > pivots)));
      else
        isUpper = static_cast<unsigned>(_mm256_movemask_pd((__m256d)(x > pivots)));
      const unsigned isLower = isUpper ^ ((1u << N) - 1);
      auto select = [&](unsigned mask) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(kSelections.lanes[mask]));
        return (V)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_cvtepu8_epi32(bytes));
      };
      math::store<V>(lower, select(isLower));
      math::store<V>(upper, select(isUpper));
      const int size = __builtin_popcount(isLower);
#endif
      lower += size;
      upper += N - size;
    };
    for (; i + 4 * N <= count; i += 4 * N) {
      const V x[4] = {math::load<V>(from + i), math::load<V>(from + i + N), math::load<V>(from + i + 2 * N),
                      math::load<V>(from + i + 3 * N)};
      part(x[0]);
      part(x[1]);
      part(x[2]);
      part(x[3]);
    }
    for (; i + N <= count; i += N)
      part(math::load<V>(from + i));
    for (; i < count; ++i) {
      const T x = from[i];
      const bool isLower = x <= pivot;
      *lower = x;
      *upper = x;
      lower += isLower;
      upper += !isLower;
    }
    return lower - begin;
  }

  //===--- Radix sort, quicksort --------------------------------------------===//

  /// By bytes, the lowest first; those in which all keys agree are left out.
  [[gnu::noinline]] static void radixSort(T *data, T *other, int64_t count, bool toOther) {
    constexpr int digits = sizeof(T);
    int64_t counts[digits][256] = {};
    for (int64_t i = 0; i < count; ++i)
      for (int digit = 0; digit < digits; ++digit)
        ++counts[digit][static_cast<U>(data[i] ^ kLowest) >> (8 * digit) & 255];
    T *from = data, *to = other;
    for (int digit = 0; digit < digits; ++digit) {
      int64_t *places = counts[digit], place = 0;
      if (places[static_cast<U>(from[0] ^ kLowest) >> (8 * digit) & 255] == count)
        continue;
      for (int i = 0; i < 256; ++i) {
        const int64_t size = places[i];
        places[i] = place;
        place += size;
      }
      for (int64_t i = 0; i < count; ++i)
        to[places[static_cast<U>(from[i] ^ kLowest) >> (8 * digit) & 255]++] = from[i];
      T *const last = from;
      from = to;
      to = last;
    }
    if ((from == other) != toOther)
      __builtin_memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  }

  /// Keys at places that no pattern has.
  static void sampleOf(const T *from, int64_t count, T *samples, int64_t size) {
    uint64_t random = static_cast<uint64_t>(count);
    for (int64_t i = 0; i < size; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      samples[i] =
          from[static_cast<uint64_t>(static_cast<unsigned __int128>(random) * static_cast<uint64_t>(count) >> 64)];
    }
  }

  /// About the middle key: that of a few.
  static T pivotOf(const T *from, int64_t count) {
    T samples[8 * N];
    const int64_t size = count <= 1024 ? N : count <= 16384 ? 2 * N : count <= 262144 ? 4 * N : 8 * N;
    sampleOf(from, count, samples, size);
    sortSmall(samples, samples, size);
    return samples[size / 2 - 1];
  }

  /// Sorts the keys at `data` into it, or into `other`; both are written. All are
  /// from `low` to `high`.
  static void quickSort(T *data, T *other, int64_t count, bool toOther, T low, T high, int depth) {
    while (count > kSmall) {
      if (low == high) {
        if (toOther)
          __builtin_memcpy(other, data, static_cast<size_t>(count) * sizeof(T));
        return;
      }
      if (depth-- == 0)
        return radixSort(data, other, count, toOther);
      // A pivot that is the highest key would divide nothing: those equal to it go
      // apart then, and are done.
      T pivot = pivotOf(data, count);
      pivot = pivot < high ? pivot : T(high - 1);
      T *const lower = toOther ? other : data, *const upper = toOther ? data : other;
      const int64_t size = partition(data, lower, upper, count, pivot);
      quickSort(lower, upper + (count - size), size, false, low, pivot, depth);
      data = upper;
      other = lower + size;
      count -= size;
      toOther = true;
      low = T(pivot + 1);
    }
    sortSmall(data, toOther ? other : data, count);
  }

  static int depthOf(int64_t count) { return 2 * (64 - __builtin_clzll(static_cast<uint64_t>(count | 1))); }

  /// Sorts `count` keys; `other` has room for as many.
  static void sort(T *keys, T *other, int64_t count) {
    if (count <= kSmall)
      return sortSmall(keys, keys, count);
    quickSort(keys, other, count, false, kLowest, kHighest, depthOf(count));
  }

  //===--- On several threads -----------------------------------------------===//

  static constexpr int kMostBuckets = 64, kMostPieces = 64;

  /// Divides keys at splitters [first, last), which are sorted, so that the parts
  /// lie side by side at `data`, or at `other`; writes their ends to `ends`.
  static void divide(T *data, T *other, int64_t count, bool toOther, const T *splitters, int first, int last,
                     int64_t begin, int64_t *ends) {
    if (first == last) {
      if (toOther)
        __builtin_memcpy(other, data, static_cast<size_t>(count) * sizeof(T));
      ends[first] = begin + count;
      return;
    }
    const int middle = (first + last) / 2;
    T *const lower = toOther ? other : data, *const upper = toOther ? data : other;
    const int64_t size = partition(data, lower, upper, count, splitters[middle]);
    divide(lower, upper + (count - size), size, false, splitters, first, middle, begin, ends);
    divide(upper, lower + size, count - size, true, splitters, middle + 1, last, begin + size, ends);
  }

  /// sort() of one long row: pieces of it are divided at common splitters, the parts
  /// between two of them gathered from all pieces and sorted. False if cancelled.
  static bool sortShared(T *keys, T *other, int64_t count, const uint32_t *cancel) {
    const int buckets = count < 1 << 20 ? kMostBuckets / 4 : kMostBuckets;
    const int64_t pieces = smaller<int64_t>(kMostPieces, ceilDivide(count, 2 * kGrain));
    const int64_t size = ceilDivide(count, pieces);
    constexpr int kOften = 16;
    T samples[kMostBuckets * kOften], spare[kMostBuckets * kOften], splitters[kMostBuckets];
    sampleOf(keys, count, samples, buckets * kOften);
    sort(samples, spare, buckets * kOften);
    for (int bucket = 0; bucket + 1 < buckets; ++bucket)
      splitters[bucket] = samples[(bucket + 1) * kOften - 1];

    int64_t ends[kMostPieces][kMostBuckets], begins[kMostBuckets + 1] = {};
    auto divideAll = [&](int64_t lo, int64_t hi) {
      for (; lo < hi; ++lo) {
        const int64_t from = smaller(lo * size, count);
        divide(keys + from, other + from, smaller(size, count - from), false, splitters, 0, buckets - 1, 0, ends[lo]);
      }
    };
    if (!parallelFor(pieces, 1, divideAll, cancel))
      return false;
    for (int bucket = 0; bucket < buckets; ++bucket) {
      begins[bucket + 1] = begins[bucket];
      for (int64_t piece = 0; piece < pieces; ++piece)
        begins[bucket + 1] += ends[piece][bucket] - (bucket ? ends[piece][bucket - 1] : 0);
    }
    auto gatherAll = [&](int64_t lo, int64_t hi) {
      for (; lo < hi; ++lo) {
        T *to = other + begins[lo];
        for (int64_t piece = 0; piece < pieces; ++piece) {
          const int64_t from = lo ? ends[piece][lo - 1] : 0, length = ends[piece][lo] - from;
          __builtin_memcpy(to, keys + smaller(piece * size, count) + from, static_cast<size_t>(length) * sizeof(T));
          to += length;
        }
      }
    };
    if (!parallelFor(buckets, 1, gatherAll, cancel))
      return false;
    auto sortAll = [&](int64_t lo, int64_t hi) {
      for (; lo < hi; ++lo) {
        const int64_t length = begins[lo + 1] - begins[lo];
        quickSort(other + begins[lo], keys + begins[lo], length, true, lo ? splitters[lo - 1] : kLowest,
                  lo + 1 < buckets ? splitters[lo] : kHighest, depthOf(length));
      }
    };
    return parallelFor(buckets, 1, sortAll, cancel);
  }
};

} // namespace tenon::rt::TENON_ISA
