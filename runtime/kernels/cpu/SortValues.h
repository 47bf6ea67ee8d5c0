//===- SortValues.h - elements in order -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element is a key of its own, also -0, +0 and the NaNs. So any way to sort
// will do; what is equal and not the same is put right afterwards, from the row
// as it was.
//===----------------------------------------------------------------------===//
#pragma once

#include "SortElements.h"

namespace tenon::rt::TENON_ISA {

/// Numbers to the front of `to`, NaNs behind them; how many numbers.
template <class U>
int64_t splitNans(const Elements<U> elements, const U *from, U *to, int64_t count) {
  int64_t numbers = 0;
  for (int64_t i = 0; i < count; ++i)
    numbers += !elements.isNan(from[i]);
  U *nans = to + numbers;
  const U *const end = nans, *const endOfNans = to + count;
  // Each element goes to both, and one of the two moves on; never past its end.
  for (; to < end && nans < endOfNans; ++from) {
    const bool isNan = elements.isNan(*from);
    *to = *from;
    *nans = *from;
    to += !isNan;
    nans += isNan;
  }
  U *const rest = to < end ? to : nans;
  __builtin_memcpy(rest, from, static_cast<size_t>((end - to) + (endOfNans - nans)) * sizeof(U));
  return numbers;
}

/// Among sorted numbers the zeros, as they come in `from`.
template <class U>
void placeZeros(const Elements<U> elements, const U *from, U *to, int64_t numbers) {
  // The keys of the zeros are -1 and 0, whatever the direction.
  auto placeOf = [&](int key) {
    int64_t low = 0, high = numbers;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (elements.key(to[middle]) < key)
        low = middle + 1;
      else
        high = middle;
    }
    return to + low;
  };
  U *const end = placeOf(1);
  for (U *zero = placeOf(-1); zero < end; ++from) {
    *zero = *from;
    zero += elements.isZero(*from);
  }
}

/// Bytes are counted.
inline void sortBytes(const Elements<uint8_t> &elements, const uint8_t *from, uint8_t *to, int64_t count) {
  int64_t counts[4][256] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int set = 0; set < 4; ++set)
      ++counts[set][from[i + set]];
  for (; i < count; ++i)
    ++counts[0][from[i]];
  for (int key = -128; key < 128; ++key) {
    const uint8_t element = elements.element(key);
    const int64_t times = counts[0][element] + counts[1][element] + counts[2][element] + counts[3][element];
    __builtin_memset(to, element, static_cast<size_t>(times));
    to += times;
  }
}

template <class U>
struct Values {
  using K = KeyOf<U>;
  static constexpr int64_t kSmall = KeySort<K>::kSmall;
  const Elements<U> elements;
  int64_t length;
  const uint32_t *cancel;

  /// A row, with room for `length` keys at both places; `keys` may be `to`. False if
  /// cancelled.
  bool sortRow(const U *from, U *to, K *keys, K *other, bool isShared) const {
    if constexpr (sizeof(U) == 1)
      if (length >= kSmallCounted) {
        sortBytes(elements, from, to, length);
        return true;
      }
    Flag special;
    auto encodeAll = [&](int64_t lo, int64_t hi) { special.set(elements.encode(from + lo, keys + lo, hi - lo)); };
    if (!forRange(length, isShared, cancel, encodeAll))
      return false;
    int64_t numbers = length;
    if (special & elements.kHasNan) {
      numbers = splitNans(elements, from, to, length);
      elements.encode(to, keys, numbers);
    }
    if (!sortKeys(keys, other, numbers, isShared, cancel))
      return false;
    auto decodeAll = [&](int64_t lo, int64_t hi) { elements.decode(keys + lo, to + lo, hi - lo); };
    if (!forRange(numbers, isShared, cancel, decodeAll))
      return false;
    if (special & elements.kHasNegativeZero)
      placeZeros(elements, from, to, numbers);
    return true;
  }

  /// Short rows are encoded and decoded many at once.
  void sortShort(const U *from, U *to, int64_t rows, K *keys, K *other) const {
    if (elements.encode(from, keys, rows * length)) {
      for (int64_t row = 0; row < rows; ++row)
        sortRow(from + row * length, to + row * length, keys, other, false);
      return;
    }
    for (int64_t row = 0; row < rows; ++row)
      KeySort<K>::sortSmall(keys + row * length, other + row * length, length);
    elements.decode(other, to, rows * length);
  }

  Status sortAll(const U *from, U *to, int64_t rows) const {
    // Keys of the elements' size are made and sorted where the result will be.
    constexpr bool isInPlace = sizeof(K) == sizeof(U);
    if (length >= kShared && rows < 2 * threadCount()) {
      const Scratch memory((isInPlace ? 1 : 2) * length, sizeof(K));
      if (!memory)
        return Status::outOfMemory;
      for (int64_t row = 0; row < rows; ++row) {
        U *const result = to + row * length;
        K *const keys = isInPlace ? reinterpret_cast<K *>(result) : memory.template as<K>() + length;
        if (!sortRow(from + row * length, result, keys, memory.template as<K>(), threadCount() > 1))
          return Status::cancelled;
      }
      return Status::ok;
    }
    Flag isRefused;
    const int64_t batch = length <= kSmall ? 4096 / length : 1;
    auto sortSome = [&](int64_t lo, int64_t hi) {
      const int64_t room = smaller(batch, hi - lo) * length;
      const bool isOneInPlace = isInPlace && length > kSmall;
      const Scratch memory((isOneInPlace ? 1 : 2) * room, sizeof(K));
      if (!memory)
        return isRefused.set(1);
      K *const other = memory.template as<K>(), *const keys = other + room;
      for (; lo < hi; lo += batch) {
        U *const result = to + lo * length;
        if (length <= kSmall)
          sortShort(from + lo * length, result, smaller(batch, hi - lo), keys, other);
        else
          sortRow(from + lo * length, result, isOneInPlace ? reinterpret_cast<K *>(result) : keys, other, false);
      }
    };
    if (!parallelFor(rows, larger<int64_t>(1, kGrain / length), sortSome, cancel))
      return Status::cancelled;
    return isRefused ? Status::outOfMemory : Status::ok;
  }
};

} // namespace tenon::rt::TENON_ISA
