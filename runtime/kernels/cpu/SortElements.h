//===- SortElements.h - elements as keys ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements are sorted as signed integers, so that dtypes of one size share all
// code.
//===----------------------------------------------------------------------===//
#pragma once

#include "SortKeys.h"

namespace tenon::rt::TENON_ISA {

/// From where on one row is sorted by several threads.
inline constexpr int64_t kShared = int64_t(1) << 17;
/// Keys within so many values are counted.
inline constexpr int64_t kMostValues = int64_t(1) << 16;
/// Up to here counting is not worth it.
inline constexpr int64_t kSmallCounted = 1024;

template <class U>
using KeyOf = typename math::detail::IntOf<(sizeof(U) < 4 ? 4 : sizeof(U))>::Signed;

/// How elements of some bits become keys.
struct Rule {
  /// The sign of unsigned integers. Of floats, all but the sign, and infinity.
  uint64_t flipped, magnitude, infinity;
  bool isFloat;
  /// All ones if descending.
  uint64_t reversed;
};

inline Rule ruleOf(Dtype dtype, bool isDescending) {
  const size_t size = kind(dtype) == Kind::complex ? item_size(dtype) / 2 : item_size(dtype);
  const uint64_t sign = uint64_t(1) << (8 * size - 1);
  Rule rule{0, 0, 0, kind(dtype) >= Kind::floating, isDescending ? ~uint64_t(0) : 0};
  if (rule.isFloat) {
    const int digits = tenon::detail::info(dtype).precision.digits;
    rule.magnitude = sign - 1;
    rule.infinity = rule.magnitude >> (digits - 1) << (digits - 1);
  } else if (!is_signed(dtype)) {
    rule.flipped = sign;
  }
  return rule;
}

/// Calls body(lo, hi) for [0, count), on the pool if it is shared. False if cancelled.
template <class F>
bool forRange(int64_t count, bool isShared, const uint32_t *cancel, F &&body) {
  return parallelFor(count, isShared ? kGrain : larger<int64_t>(count, 1), body, cancel);
}

/// Bits set by any of several threads.
class Flag {
public:
  void set(uint32_t bits) {
    if (bits != 0)
      __atomic_fetch_or(&bits_, bits, __ATOMIC_RELAXED);
  }
  operator uint32_t() const { return __atomic_load_n(&bits_, __ATOMIC_RELAXED); }

private:
  uint32_t bits_ = 0;
};

//===--- Elements and keys --------------------------------------------------===//

template <class U>
struct Elements {
  using S = math::SignedOf<U>;
  using K = KeyOf<U>;

  U flipped, magnitude, infinity, reversed;
  bool isFloat;
  explicit Elements(const Rule &rule)
      : flipped(static_cast<U>(rule.flipped)), magnitude(static_cast<U>(rule.magnitude)),
        infinity(static_cast<U>(rule.infinity)), reversed(static_cast<U>(rule.reversed)), isFloat(rule.isFloat) {}

  bool isNan(U bits) const { return isFloat && static_cast<U>(bits & magnitude) > infinity; }
  bool isZero(U bits) const { return isFloat && (bits & magnitude) == 0; }

  /// A key of its own for each element: x ^ (x < 0 ? magnitude : 0) orders floats.
  [[gnu::always_inline]] S key(U bits) const {
    const S x = static_cast<S>(bits ^ flipped);
    return static_cast<S>(x ^ ((x >> (8 * sizeof(U) - 1)) & magnitude) ^ reversed);
  }
  [[gnu::always_inline]] U element(K key) const {
    const S x = static_cast<S>(static_cast<U>(key) ^ reversed);
    return static_cast<U>(x ^ ((x >> (8 * sizeof(U) - 1)) & magnitude) ^ flipped);
  }

  /// What there is whose keys are not in the wanted order: NaNs, -0.
  static constexpr uint32_t kHasNan = 1, kHasNegativeZero = 2;

  // Loops work on a copy, which nothing that they write can change.

  /// Gives what is special. May work in place, as decode().
  [[gnu::noinline]] uint32_t encode(const U *from, K *to, int64_t count) const {
    const Elements e = *this;
    const U negativeZero = static_cast<U>(~e.magnitude);
    U nans = 0, zeros = 0;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      const U bits = from[i];
      nans |= static_cast<U>((bits & e.magnitude) > e.infinity);
      zeros |= static_cast<U>(bits == negativeZero);
      to[i] = e.key(bits);
    }
    return e.isFloat ? (nans ? kHasNan : 0) | (zeros ? kHasNegativeZero : 0) : 0;
  }
  [[gnu::noinline]] void decode(const K *from, U *to, int64_t count) const {
    const Elements e = *this;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i)
      to[i] = e.element(from[i]);
  }

  /// Keys that are equal where elements are: those of zeros, and of NaNs the highest.
  [[gnu::noinline]] void encodeEqual(const U *from, int64_t stride, K *to, int64_t count) const {
    const Elements e = *this;
    constexpr S nan = static_cast<S>(static_cast<U>(~U(0)) >> 1);
    if (!e.isFloat && stride == 1) {
      encode(from, to, count);
      return;
    }
    auto loop = [&](int64_t stride) __attribute__((always_inline)) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) {
        const U bits = from[i * stride], size = bits & e.magnitude;
        to[i] = size > e.infinity ? nan : e.key(size == 0 ? U(0) : bits);
      }
    };
    if (stride == 1)
      loop(1);
    else
      loop(2);
  }
};

//===--- Keys ---------------------------------------------------------------===//

/// Whether no pair of neighbours is in wrong order.
template <class K, class F>
[[gnu::always_inline]] inline bool hasNo(const K *keys, int64_t count, F &&isWrong) {
  constexpr int64_t kPart = 256;
  for (int64_t i = 0; i + 1 < count; i += kPart) {
    const int64_t end = smaller(i + kPart, count - 1);
    K wrong = 0;
    for (int64_t j = i; j < end; ++j)
      wrong |= isWrong(keys[j], keys[j + 1]) ? K(-1) : K(0);
    if (wrong)
      return false;
  }
  return true;
}
template <class K>
[[gnu::noinline]] bool isRising(const K *keys, int64_t count) {
  return hasNo(keys, count, [](K a, K b) { return a > b; });
}
/// With no two equal, if strictly.
template <class K>
[[gnu::noinline]] bool isFalling(const K *keys, int64_t count, bool strictly) {
  if (strictly)
    return hasNo(keys, count, [](K a, K b) { return a <= b; });
  return hasNo(keys, count, [](K a, K b) { return a < b; });
}

template <class K>
struct Range {
  using U = math::UnsignedOf<K>;
  K low, high;
  U width() const { return static_cast<U>(static_cast<U>(high) - static_cast<U>(low)); }
  bool isCounted(int64_t count) const {
    return width() < static_cast<U>(kMostValues) && count >> 32 == 0 && static_cast<int64_t>(width()) < count / 2;
  }
};
template <class K>
[[gnu::noinline]] Range<K> rangeOf(const K *keys, int64_t count) {
  Range<K> range{keys[0], keys[0]};
  for (int64_t i = 1; i < count; ++i) {
    range.low = smaller(range.low, keys[i]);
    range.high = larger(range.high, keys[i]);
  }
  return range;
}

/// How often each value comes, into `counts`, of width + 1. Four counters for each
/// are used in turn where there is room, as those of one value follow each other.
template <class K>
void countKeys(const K *keys, int64_t count, Range<K> range, uint32_t *counts, int64_t room) {
  using U = math::UnsignedOf<K>;
  const int64_t values = static_cast<int64_t>(range.width()) + 1, sets = 4 * values <= room ? 4 : 1;
  __builtin_memset(counts, 0, static_cast<size_t>(sets * values) * sizeof(uint32_t));
  auto at = [&](int64_t i) { return static_cast<int64_t>(static_cast<U>(keys[i]) - static_cast<U>(range.low)); };
  int64_t i = 0;
  if (sets == 4)
    for (; i + 4 <= count; i += 4)
      for (int set = 0; set < 4; ++set)
        ++counts[set * values + at(i + set)];
  for (; i < count; ++i)
    ++counts[at(i)];
  if (sets == 4)
    for (int64_t value = 0; value < values; ++value)
      counts[value] += counts[values + value] + counts[2 * values + value] + counts[3 * values + value];
}

/// Sorts keys alone; `other` has room for as many. False if cancelled.
template <class K>
bool sortKeys(K *keys, K *other, int64_t count, bool isShared, const uint32_t *cancel) {
  using Sort = KeySort<K>;
  if (count <= Sort::kSmall) {
    Sort::sortSmall(keys, keys, count);
    return true;
  }
  if (isRising(keys, count))
    return true;
  if (isFalling(keys, count, false)) {
    for (int64_t i = 0; i < count / 2; ++i) {
      const K key = keys[i];
      keys[i] = keys[count - 1 - i];
      keys[count - 1 - i] = key;
    }
    return true;
  }
  // Counting is one thread's work, which several sort in the same time.
  const Range<K> range = rangeOf(keys, count);
  const bool isCounted = range.isCounted(count) && !(isShared && threadCount() > 4);
  if (isShared && !isCounted)
    return Sort::sortShared(keys, other, count, cancel);
  if (!isCounted) {
    Sort::quickSort(keys, other, count, false, range.low, range.high, Sort::depthOf(count));
    return true;
  }
  auto *counts = reinterpret_cast<uint32_t *>(other);
  countKeys(keys, count, range, counts, count);
  const K *const end = keys + count;
  for (int64_t value = 0; value <= static_cast<int64_t>(range.width()); ++value) {
    using V = typename Sort::V;
    const int64_t times = counts[value];
    const K key = static_cast<K>(range.low + static_cast<K>(value));
    if (times <= Sort::N && end - keys >= Sort::N)
      math::store<V>(keys, math::broadcast<V>(key));
    else
      for (int64_t i = 0; i < times; ++i)
        keys[i] = key;
    keys += times;
  }
  return true;
}

} // namespace tenon::rt::TENON_ISA
