//===- SortPositions.h - where sorted elements were -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An integer is sorted, a key above the position it came from: no two are equal,
// so none needs to be kept in its order. Where both are too long, the key's upper
// bits are taken, and what then agrees is sorted by the lower ones.
//===----------------------------------------------------------------------===//
#pragma once

#include "SortElements.h"

namespace tenon::rt::TENON_ISA {

constexpr int bitsOf(uint64_t x) { return x == 0 ? 0 : 64 - __builtin_clzll(x); }

/// Keys above positions, sorted by so many of the keys' upper bits.
template <class K>
struct Packed {
  using U = math::UnsignedOf<K>;
  const K *keys;
  K low;
  int indexBits;

  int64_t index(int64_t packed) const { return packed & ((int64_t(1) << indexBits) - 1); }
  uint64_t value(int64_t index) const { return static_cast<U>(static_cast<U>(keys[index]) - static_cast<U>(low)); }

  /// Sorts what is equal but for the lowest `bits` bits of the keys.
  void refine(int64_t *run, int64_t *other, int64_t count, int bits) const {
    if (count <= 8) {
      const uint64_t mask = (uint64_t(1) << bits) - 1;
      for (int64_t i = 1; i < count; ++i) {
        const int64_t one = run[i];
        const uint64_t key = value(index(one)) & mask;
        int64_t at = i;
        for (; at > 0 && (value(index(run[at - 1])) & mask) > key; --at)
          run[at] = run[at - 1];
        run[at] = one;
      }
      return;
    }
    const int taken = smaller(bits, 63 - indexBits), left = bits - taken;
    const uint64_t mask = (uint64_t(1) << taken) - 1;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = index(run[i]);
      run[i] = static_cast<int64_t>((value(at) >> left & mask) << indexBits) | at;
    }
    KeySort<int64_t>::sort(run, other, count);
    if (left > 0)
      refineRuns(run, other, count, left);
  }
  /// refine() of each run of what is equal.
  void refineRuns(int64_t *packed, int64_t *other, int64_t count, int bits) const {
    for (int64_t from = 0, end = 0; from < count; from = end) {
      for (++end; end < count && packed[from] >> indexBits == packed[end] >> indexBits;)
        ++end;
      if (end - from > 1)
        refine(packed + from, other + from, end - from, bits);
    }
  }
  /// Where the run begins that holds this place.
  int64_t beginOfRun(const int64_t *packed, int64_t place) const {
    int64_t low = 0, high = place;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (packed[middle] >> indexBits < packed[place] >> indexBits)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// Writes the sorted keys' positions to `to`; `other` has room for `count`. False if
/// cancelled.
template <class K>
bool sortPositions(const K *keys, int64_t *to, int64_t *other, int64_t count, bool isShared, const uint32_t *cancel) {
  if (isRising(keys, count)) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = i;
    return true;
  }
  if (isFalling(keys, count, true)) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = count - 1 - i;
    return true;
  }
  const Range<K> range = rangeOf(keys, count);
  const int indexBits = bitsOf(static_cast<uint64_t>(count - 1)), bits = bitsOf(range.width());
  const Packed<K> packed{keys, range.low, indexBits};
  if (count > kSmallCounted && range.isCounted(count)) {
    auto *counts = reinterpret_cast<uint32_t *>(other);
    countKeys(keys, count, range, counts, 2 * count);
    uint32_t place = 0;
    for (int64_t value = 0; value <= static_cast<int64_t>(range.width()); ++value) {
      const uint32_t times = counts[value];
      counts[value] = place;
      place += times;
    }
    for (int64_t i = 0; i < count; ++i)
      to[counts[packed.value(i)]++] = i;
    return true;
  }
  if (bits + indexBits <= 31 && !isShared) {
    using Sort = KeySort<int32_t>;
    auto *const narrow = reinterpret_cast<int32_t *>(other), *const sorted = narrow + count;
    for (int64_t i = 0; i < count; ++i)
      narrow[i] = static_cast<int32_t>(packed.value(i)) << indexBits | static_cast<int32_t>(i);
    Sort::quickSort(narrow, sorted, count, true, 0, Sort::kHighest, Sort::depthOf(count));
    for (int64_t i = 0; i < count; ++i)
      to[i] = packed.index(sorted[i]);
    return true;
  }
  const int dropped = larger(0, bits + indexBits - 63);
  auto packAll = [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i)
      to[i] = static_cast<int64_t>(packed.value(i) >> dropped << indexBits) | i;
  };
  // Found beforehand: refining a run changes what it is known by.
  constexpr int64_t kPieces = 64;
  int64_t begins[kPieces + 1];
  auto refineAll = [&](int64_t lo, int64_t hi) {
    for (; lo < hi; ++lo)
      packed.refineRuns(to + begins[lo], other + begins[lo], begins[lo + 1] - begins[lo], dropped);
  };
  auto unpackAll = [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i)
      to[i] = packed.index(to[i]);
  };
  if (!forRange(count, isShared, cancel, packAll))
    return false;
  if (!isShared)
    KeySort<int64_t>::quickSort(to, other, count, false, 0, KeySort<int64_t>::kHighest,
                                KeySort<int64_t>::depthOf(count));
  else if (!KeySort<int64_t>::sortShared(to, other, count, cancel))
    return false;
  if (dropped > 0) {
    const int64_t pieces = isShared ? kPieces : 1;
    for (int64_t piece = 0; piece < pieces; ++piece)
      begins[piece] = packed.beginOfRun(to, piece * (count / pieces));
    begins[pieces] = count;
    if (!parallelFor(pieces, 1, refineAll, cancel))
      return false;
  }
  return forRange(count, isShared, cancel, unpackAll);
}

/// One of the keys that rows are sorted by: an operand, or a part of a complex one.
struct KeyPart {
  enum Kind { number, real, imaginary, nans } kind;
  const void *data;
  size_t size;
  Rule rule;

  int stride() const { return kind == number ? 1 : 2; }
  bool isWide() const { return kind != nans && size == 8; }

  /// Keys of elements [first, first + count), of type KeyOf<U>, but int32_t of NaNs.
  template <class U>
  void encode(int64_t first, int64_t count, void *to) const {
    const Elements<U> elements(rule);
    const U *from = static_cast<const U *>(data) + first * stride() + (kind == imaginary);
    if (kind != nans)
      return elements.encodeEqual(from, stride(), static_cast<KeyOf<U> *>(to), count);
    for (int64_t i = 0; i < count; ++i)
      static_cast<int32_t *>(to)[i] = 2 * elements.isNan(from[2 * i]) + elements.isNan(from[2 * i + 1]);
  }
  void encode(int64_t first, int64_t count, void *to) const {
    switch (size) {
    case 1:
      return encode<uint8_t>(first, count, to);
    case 2:
      return encode<uint16_t>(first, count, to);
    case 4:
      return encode<uint32_t>(first, count, to);
    default:
      return encode<uint64_t>(first, count, to);
    }
  }
};

/// Sorts rows by one key: positions of them by no other key yet, or positions that
/// are sorted by lesser keys, which decide where this one does not.
template <class K>
struct Positions {
  const KeyPart &part;
  bool isFirst;
  int64_t rows, length;
  int64_t *positions;
  const uint32_t *cancel;

  /// In elements of eight bytes.
  int64_t scratchOfRow() const { return (isFirst ? 2 : 4) * length; }

  /// Several short rows at once, by no other key yet; their elements' places in the
  /// rows are `places`.
  template <class P>
  void sortShort(int64_t row, int64_t some, const K *keys, Range<K> range, const int32_t *places, P *packed,
                 P *sorted) const {
    const int64_t count = some * length;
    const int indexBits = bitsOf(static_cast<uint64_t>(length - 1)), bits = bitsOf(range.width());
    const int dropped = larger(0, bits + indexBits - (8 * static_cast<int>(sizeof(P)) - 1));
    const Packed<K> all{keys, range.low, indexBits};
    for (int64_t i = 0; i < count; ++i)
      packed[i] = static_cast<P>(all.value(i) >> dropped << indexBits) | places[i];
    for (int64_t i = 0; i < count; i += length) {
      KeySort<P>::sortSmall(packed + i, sorted + i, length);
      if constexpr (sizeof(P) == 8)
        if (dropped > 0)
          Packed<K>{keys + i, range.low, indexBits}.refineRuns(sorted + i, packed + i, length, dropped);
    }
    int64_t *const to = positions + row * length;
    for (int64_t i = 0; i < count; ++i)
      to[i] = all.index(sorted[i]);
  }
  Status sortAllShort() const {
    const int64_t batch = 4096 / length;
    Flag isRefused;
    auto sortSome = [&](int64_t lo, int64_t hi) {
      const int64_t room = smaller(batch, hi - lo) * length;
      const Scratch memory(4 * room, sizeof(int64_t));
      if (!memory)
        return isRefused.set(1);
      auto *const packed = memory.as<int64_t>(), *const sorted = packed + room;
      auto *const keys = reinterpret_cast<K *>(sorted + room);
      auto *const places = reinterpret_cast<int32_t *>(sorted + 2 * room);
      for (int64_t i = 0; i < room; i += length)
        for (int64_t place = 0; place < length; ++place)
          places[i + place] = static_cast<int32_t>(place);
      for (; lo < hi; lo += batch) {
        const int64_t some = smaller(batch, hi - lo);
        part.encode(lo * length, some * length, keys);
        const Range<K> range = rangeOf(keys, some * length);
        if (bitsOf(range.width()) + bitsOf(static_cast<uint64_t>(length - 1)) <= 31)
          sortShort(lo, some, keys, range, places, reinterpret_cast<int32_t *>(packed),
                    reinterpret_cast<int32_t *>(sorted));
        else
          sortShort(lo, some, keys, range, places, packed, sorted);
      }
    };
    if (!parallelFor(rows, larger<int64_t>(1, kGrain / length), sortSome, cancel))
      return Status::cancelled;
    return isRefused ? Status::outOfMemory : Status::ok;
  }

  /// False if cancelled.
  bool sortRow(int64_t row, int64_t *scratch, bool isShared) const {
    int64_t *const to = positions + row * length;
    K *keys = reinterpret_cast<K *>(scratch);
    scratch += length;
    auto encodeAll = [&](int64_t lo, int64_t hi) { part.encode(row * length + lo, hi - lo, keys + lo); };
    if (!forRange(length, isShared, cancel, encodeAll))
      return false;
    if (isFirst)
      return sortPositions(keys, to, scratch, length, isShared, cancel);
    if (rangeOf(keys, length).width() == 0) // as where there are no NaNs
      return true;
    K *const moved = reinterpret_cast<K *>(scratch);
    scratch += length;
    auto moveAll = [&](int64_t lo, int64_t hi) {
      for (int64_t i = lo; i < hi; ++i)
        moved[i] = keys[to[i]];
    };
    if (!forRange(length, isShared, cancel, moveAll))
      return false;
    if (isRising(moved, length))
      return true;
    if (!sortPositions(moved, scratch, scratch + length, length, isShared, cancel))
      return false;
    // The keys are no longer needed.
    int64_t *const former = scratch + length;
    __builtin_memcpy(former, to, static_cast<size_t>(length) * sizeof(int64_t));
    auto placeAll = [&](int64_t lo, int64_t hi) {
      for (int64_t i = lo; i < hi; ++i)
        to[i] = former[scratch[i]];
    };
    return forRange(length, isShared, cancel, placeAll);
  }

  Status sortAll() const {
    if (isFirst && length <= KeySort<int64_t>::kSmall)
      return sortAllShort();
    if (length >= kShared && rows < 2 * threadCount()) {
      const Scratch memory(scratchOfRow(), sizeof(int64_t));
      if (!memory)
        return Status::outOfMemory;
      for (int64_t row = 0; row < rows; ++row)
        if (!sortRow(row, memory.as<int64_t>(), threadCount() > 1))
          return Status::cancelled;
      return Status::ok;
    }
    Flag isRefused;
    auto sortSome = [&](int64_t lo, int64_t hi) {
      const Scratch memory(scratchOfRow(), sizeof(int64_t));
      if (!memory)
        return isRefused.set(1);
      for (; lo < hi; ++lo)
        sortRow(lo, memory.as<int64_t>(), false);
    };
    if (!parallelFor(rows, larger<int64_t>(1, kGrain / length), sortSome, cancel))
      return Status::cancelled;
    return isRefused ? Status::outOfMemory : Status::ok;
  }
};

} // namespace tenon::rt::TENON_ISA
