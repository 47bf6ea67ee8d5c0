//===- Reduce.h - the reduction tree ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of a sum, a function of shape and axes alone; the compiler emits the
// same. Written with + for the rounded addition of the accumulator's type (f32
// for narrow floats, which are rounded once at the very end).
//
//   1. Axes of size 1 are left out. `axes` is cut into groups: maximal runs of
//      consecutive axis numbers. A group is one axis whose index is row-major
//      over its axes, its length G their product. Groups are summed one after
//      another, the innermost first, each over the result of the former in the
//      accumulator's type.
//   2. Over a group the elements x[0..G) are cut into blocks, the last one
//      shorter: of 4,096 if the group holds the array's last axis, else of 256.
//   3. A block of a group that holds the array's last axis: sixteen partial
//      sums p[0..16) start at -0; p[i mod 16] = p[i mod 16] + x[i] in the order
//      of i; then p[j] = p[j] + p[j + 8] for j < 8, the same with 4, 2, 1. The
//      block's sum is p[0]. A block of any other group: s = -0; s = s + x[i] in
//      the order of i.
//   4. Sums of blocks are combined pairwise, level by level: 0 with 1, 2 with
//      3, ...; an odd last one passes up unchanged.
//   5. If G is 0 the result is +0.
//
// A product has the same tree with multiplications, from 1 on; of none it is 1.
// Integers wrap, so their order does not matter; a maximum's does not either.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

inline constexpr int64_t kBlock = 4096;
inline constexpr int64_t kOuterBlock = 256;
inline constexpr int kLanes = 16;
/// Elements of a group whose sum is one node of the tree, made by one thread: a
/// power of two of blocks of either kind.
inline constexpr int64_t kSpan = 16 * kBlock;

/// What a dtype is reduced in: narrow floats in f32, small integers in 32 bits.
constexpr Dtype accumulatorOf(Dtype dtype) {
  if (item_size(dtype) >= 4)
    return dtype;
  return is_narrow(dtype) ? Dtype::f32 : is_signed(dtype) ? Dtype::i32 : Dtype::u32;
}

/// A dtype's sum, product, maximum or minimum: how elements are read, and combined, and whether in any order.
template <Dtype D>
struct SumOf {
  using In = Storage<D>;
  using Acc = Compute<accumulatorOf(D)>;
  static constexpr Dtype dtype = D;
  static constexpr bool isOrderFree = isInteger(D);
  static constexpr Acc identity() {
    if constexpr (math::IsFloat<Acc>)
      return Acc(-0.0);
    else
      return 0;
  }
  static constexpr Acc empty() { return 0; }
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return math::add(a, b);
  }
};

template <Dtype D>
struct ProductOf {
  using In = Storage<D>;
  using Acc = Compute<accumulatorOf(D)>;
  static constexpr Dtype dtype = D;
  static constexpr bool isOrderFree = isInteger(D);
  static constexpr Acc identity() { return 1; }
  static constexpr Acc empty() { return 1; }
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return math::multiply(a, b);
  }
};

template <Dtype D>
struct MaxOf {
  using In = Storage<D>;
  using Acc = Compute<accumulatorOf(D)>;
  static constexpr Dtype dtype = D;
  static constexpr bool isOrderFree = true;
  static constexpr Acc identity() {
    if constexpr (math::IsFloat<Acc>)
      return Acc(-__builtin_inf());
    else
      return math::isSigned<Acc> ? Acc(uint64_t(1) << (8 * sizeof(Acc) - 1)) : Acc(0);
  }
  static constexpr Acc empty() { return identity(); }
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return math::maximum(a, b);
  }
  /// The same of numbers, of vectors for which math::detail::hasRange is true.
  template <class V>
  [[gnu::always_inline]] static V combineNumbers(V a, V b) {
    return math::detail::rangeOfNumbers<5>(a, b);
  }
};

/// Of floats.
template <Dtype D>
struct MinOf {
  using In = Storage<D>;
  using Acc = Compute<accumulatorOf(D)>;
  static constexpr Dtype dtype = D;
  static constexpr bool isOrderFree = true;
  static constexpr Acc identity() { return Acc(__builtin_inf()); }
  static constexpr Acc empty() { return identity(); }
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return math::minimum(a, b);
  }
  /// The same of numbers, of vectors for which math::detail::hasRange is true.
  template <class V>
  [[gnu::always_inline]] static V combineNumbers(V a, V b) {
    return math::detail::rangeOfNumbers<4>(a, b);
  }
};

/// N elements as lanes of the accumulator.
template <class R, int N>
[[gnu::always_inline]] inline Vec<typename R::Acc, N> toAccumulators(Vec<typename R::In, N> raw) {
  if constexpr (is_narrow(R::dtype))
    return math::fromNarrow<HostElement<R::dtype>>(raw);
  else if constexpr (isInteger(R::dtype) && sizeof(typename R::In) < sizeof(typename R::Acc))
    return math::convertLanes<typename R::Acc>(raw);
  else
    return raw;
}
template <class R, int N>
[[gnu::always_inline]] inline Vec<typename R::Acc, N> loadAccumulators(const typename R::In *from) {
  return toAccumulators<R, N>(math::load<Vec<typename R::In, N>>(from));
}

/// What lies in memory as it is read, the processor foresees, and faster than it can
/// be asked to. Loops that read several places in turn, or parts of rows, ask for
/// what comes next, in the order of memory and for the second cache, since the first
/// one has too few misses in flight. How many elements ahead: groups of `group`
/// elements, as many as four pages hold.
template <class T>
[[gnu::always_inline]] inline int64_t aheadBy(int64_t group) {
  return ceilDivide(static_cast<int64_t>(4 * 4096 / sizeof(T)), group) * group;
}
[[gnu::always_inline]] inline void foresee(const void *at) { __builtin_prefetch(at, 0, 2); }

/// The sixteen partial results of a block, in as many registers as it takes.
template <class R>
struct Partials {
  using Acc = typename R::Acc;
  static constexpr int N = math::nativeLanes<Acc> < kLanes ? math::nativeLanes<Acc> : kLanes;
  static constexpr int parts = kLanes / N;
  using V = Vec<Acc, N>;
  V part[parts];

  [[gnu::always_inline]] Partials() {
    for (V &v : part)
      v = math::broadcast<V>(R::identity());
  }
  /// 16 elements.
  [[gnu::always_inline]] void add(const typename R::In *from) {
    for (int p = 0; p < parts; ++p)
      part[p] = R::combine(part[p], loadAccumulators<R, N>(from + p * N));
  }
  /// Lanes already made, at a multiple of N.
  [[gnu::always_inline]] void add(V value, int64_t index) {
    part[parts == 1 ? 0 : index / N % parts] = R::combine(part[parts == 1 ? 0 : index / N % parts], value);
  }
  /// Fewer than 16; the missing lanes are the identity.
  [[gnu::always_inline]] void addRest(const typename R::In *from, int64_t count) {
    Acc buffer[kLanes];
    for (int i = 0; i < kLanes; ++i)
      buffer[i] = R::identity();
    for (int64_t i = 0; i < count; ++i)
      buffer[i] = loadAccumulators<R, 1>(from + i);
    for (int p = 0; p < parts; ++p)
      part[p] = R::combine(part[p], math::load<V>(buffer + p * N));
  }
  /// Halves until one register is left.
  [[gnu::always_inline]] V halveToRegister() {
    for (int width = parts / 2; width >= 1; width /= 2)
      for (int p = 0; p < width; ++p)
        part[p] = R::combine(part[p], part[p + width]);
    return part[0];
  }
  /// Halves 8, 4, 2, 1.
  [[gnu::always_inline]] Acc halve() { return fold(halveToRegister()); }

private:
  template <class W>
  [[gnu::always_inline]] static Acc fold(W value) {
    if constexpr (math::lanes<W> == 1) {
      return value;
    } else {
      struct Halves {
        Vec<Acc, math::lanes<W> / 2> low, high;
      };
      const auto halves = math::bitCast<Halves>(value);
      return fold(R::combine(halves.low, halves.high));
    }
  }
};

/// Combines block results as they come, pairwise, as level by level would.
template <class R>
class Pairwise {
public:
  [[gnu::always_inline]] void push(typename R::Acc value) {
    for (uint64_t i = count_++; i & 1; i >>= 1)
      value = R::combine(values_[--size_], value);
    values_[size_++] = value;
  }
  [[gnu::always_inline]] typename R::Acc finish() {
    typename R::Acc value = size_ > 0 ? values_[--size_] : R::empty();
    while (size_ > 0)
      value = R::combine(values_[--size_], value);
    return value;
  }

private:
  uint64_t count_ = 0;
  int size_ = 0;
  typename R::Acc values_[48];
};

/// `Chains` blocks of `count` elements at once, so that none waits for its sum.
template <class R, int Chains>
[[gnu::always_inline]] inline void reduceBlocks(const typename R::In *const *from, int64_t count,
                                                typename R::Acc *results) {
  Partials<R> partials[Chains];
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int c = 0; c < Chains; ++c)
      partials[c].add(from[c] + i);
  for (int c = 0; c < Chains; ++c) {
    if (i < count)
      partials[c].addRest(from[c] + i, count - i);
    results[c] = partials[c].halve();
  }
}

/// A whole dense row, whatever its length.
template <class R>
[[gnu::noinline]] typename R::Acc reduceRow(const typename R::In *from, int64_t count) {
  using Acc = typename R::Acc;
  if (count == 0)
    return R::empty();
  Pairwise<R> tree;
  int64_t i = 0;
  for (; i + 4 * kBlock <= count; i += 4 * kBlock) {
    const typename R::In *blocks[] = {from + i, from + i + kBlock, from + i + 2 * kBlock, from + i + 3 * kBlock};
    Acc sums[4];
    reduceBlocks<R, 4>(blocks, kBlock, sums);
    for (Acc sum : sums)
      tree.push(sum);
  }
  for (; i < count; i += kBlock) {
    const typename R::In *block = from + i;
    Acc sum;
    reduceBlocks<R, 1>(&block, smaller(kBlock, count - i), &sum);
    tree.push(sum);
  }
  return tree.finish();
}

} // namespace tenon::rt::TENON_ISA
