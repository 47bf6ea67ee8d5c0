//===- Tile.h - as much of a product as the registers hold ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of the result, such as 6 x 16 floats of AVX2 or 14 x 32 of AVX-512, stays in registers
// while the depth is walked in ascending order: each element is one chain of fused
// multiply-adds, whatever tile it falls into. Integers multiply and add, and wrap.
//===----------------------------------------------------------------------===//
#pragma once

#include "Pack.h"

#include <utility>

namespace tenon::rt::TENON_ISA {

/// The largest tile of elements of T.
template <class T>
struct TileOf {
  static constexpr bool isWide = math::registerBytes == 64;
  static constexpr int lanes = math::nativeLanes<Part<T>>;
  /// Registers to a row, each of which is two of complex numbers.
  static constexpr int vectors = PartsOf<T>::count == 2 ? 1 : 2;
  /// Of integers few: they are rare, and each height is a function.
  static constexpr int rows = !math::IsFloat<Part<T>>  ? 4
                              : PartsOf<T>::count == 2 ? (isWide ? 12 : 5)
                                                       : (isWide ? 14 : 6);
  static constexpr int columns = vectors * lanes;
};

/// Products that follow each other: where the first one's elements lie in a and in b.
struct TileRun {
  int64_t a, b, count;
};

/// One tile: `depth` products for each of its elements.
template <class T>
struct TileCall {
  /// Of the products; of runs, their number.
  int64_t depth;
  /// A packed panel; or elements of T where a(i, l) lies at a[i * aRow + l * aStep], l counted from a run's place on.
  const Part<T> *a;
  int64_t aRow, aStep;
  /// b(l, 0) lies at b[l * bStep], counted likewise, the other columns behind it, for whole registers.
  const Part<T> *b;
  int64_t bStep;
  const TileRun *runs;
  /// Row i of the result begins at c[i * cRow]; whole registers are read and written.
  T *c;
  int64_t cRow;
  /// Whether the chains begin here, at -0, which changes no product that is added, or go on from c.
  bool isFirst;
};

/// Where the elements of both operands lie as the depth is walked; see TileCall.
enum class Walk { packed, strided, runs };

/// a * b + c, of floats rounded once.
template <class V>
[[gnu::always_inline]] inline V multiplyAdd(V a, V b, V c) {
  if constexpr (math::IsFloat<math::Element<V>>)
    return math::fma(a, b, c);
  else
    return a * b + c;
}

/// Two sums of products as one.
template <class T>
[[gnu::always_inline]] inline T added(T a, T b) {
  if constexpr (PartsOf<T>::count == 2)
    return {a.real + b.real, a.imag + b.imag};
  else
    return a + b;
}

/// The next product of a complex chain.
template <class V>
[[gnu::always_inline]] inline math::Complex<V> multiplyAdd(math::Complex<V> a, math::Complex<V> b, math::Complex<V> c) {
  return {math::fma(-a.imag, b.imag, math::fma(a.real, b.real, c.real)),
          math::fma(a.imag, b.real, math::fma(a.real, b.imag, c.imag))};
}

namespace detail {

/// A register of elements, or two of complex ones.
template <class T>
struct Register {
  static constexpr int N = TileOf<T>::lanes;
  using Type = Vec<T, N>;
  static Type zero() { return math::broadcast<Type>(T(-0.0)); }
  [[gnu::always_inline]] static Type load(const T *from) { return math::load<Type>(from); }
  [[gnu::always_inline]] static void store(T *to, Type x) { math::store<Type>(to, x); }
  /// `width`: of the packed panel.
  [[gnu::always_inline]] static Type loadPacked(const T *from, int) { return load(from); }
  [[gnu::always_inline]] static Type factor(const T *from, int64_t) { return math::broadcast<Type>(*from); }
};
template <class T>
  requires(PartsOf<T>::count == 2)
struct Register<T> {
  static constexpr int N = TileOf<T>::lanes;
  using V = Vec<Part<T>, N>;
  using Type = math::Complex<V>;
  static Type zero() { return {math::broadcast<V>(Part<T>(-0.0)), math::broadcast<V>(Part<T>(-0.0))}; }
  [[gnu::always_inline]] static Type load(const T *from) { return math::loadComplex<V>(&from->real); }
  [[gnu::always_inline]] static void store(T *to, Type x) { math::storeComplex<V>(&to->real, x); }
  [[gnu::always_inline]] static Type loadPacked(const Part<T> *from, int width) {
    return {math::load<V>(from), math::load<V>(from + width)};
  }
  [[gnu::always_inline]] static Type factor(const Part<T> *from, int64_t width) {
    return {math::broadcast<V>(from[0]), math::broadcast<V>(from[width])};
  }
};

template <class T, int Rows, int Vectors, Walk How>
[[gnu::noinline]] void multiplyTile(const TileCall<T> &call) {
  using R = Register<T>;
  constexpr int N = R::N, width = TileOf<T>::columns, parts = PartsOf<T>::count;
  typename R::Type sums[Rows][Vectors];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      sums[i][v] = R::zero();
  if (!call.isFirst)
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        sums[i][v] = R::load(call.c + i * call.cRow + v * N);
  // Three rows to a pointer: an address may add one index, once or twice.
  constexpr bool isPacked = How == Walk::packed;
  constexpr int pointers = isPacked ? 1 : (Rows + 2) / 3;
  const int64_t row = call.aRow, step = isPacked ? Rows * parts : call.aStep, bStep = call.bStep;
  const auto multiplyRun = [&](const Part<T> *from, const Part<T> *b, int64_t depth) __attribute__((always_inline)) {
    const Part<T> *a[pointers];
#pragma GCC unroll 8
    for (int p = 0; p < pointers; ++p)
      a[p] = from + 3 * p * row;
    for (int64_t l = 0; l < depth; ++l) {
      typename R::Type columns[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        columns[v] = R::loadPacked(b + v * N, width);
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        const auto factor = R::factor(isPacked ? a[0] + i : a[i / 3] + i % 3 * row, Rows);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          sums[i][v] = multiplyAdd(factor, columns[v], sums[i][v]);
      }
      if constexpr (How != Walk::runs) {
        // The rows to come, of a panel that the second cache holds.
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          if (v * N * sizeof(T) % 64 == 0)
            __builtin_prefetch(b + 32 * bStep + v * N);
      }
      b += bStep;
#pragma GCC unroll 8
      for (int p = 0; p < pointers; ++p)
        a[p] += step;
    }
  };
  if constexpr (How == Walk::runs)
    for (const TileRun *run = call.runs, *const end = run + call.depth; run < end; ++run)
      multiplyRun(call.a + run->a, call.b + run->b, run->count);
  else
    multiplyRun(call.a, call.b, call.depth);
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      R::store(call.c + i * call.cRow + v * N, sums[i][v]);
}

} // namespace detail

template <class T>
using TileKernel = void (*)(const TileCall<T> &call);

namespace detail {
template <class T, int Vectors, Walk How, int... I>
TileKernel<T> tileKernel(int rows, std::integer_sequence<int, I...>) {
  static constexpr TileKernel<T> kernels[] = {&multiplyTile<T, I + 1, Vectors, How>...};
  return kernels[rows - 1];
}
} // namespace detail

/// The kernel of 1 to TileOf<T>::rows rows, and registers of columns up to TileOf<T>::vectors.
template <class T, Walk How>
TileKernel<T> tileKernel(int rows, int vectors) {
  constexpr std::make_integer_sequence<int, TileOf<T>::rows> all;
  if constexpr (PartsOf<T>::count == 2)
    return detail::tileKernel<T, 1, Walk::packed>(rows, all);
  else
    return vectors == 1 ? detail::tileKernel<T, 1, How>(rows, all) : detail::tileKernel<T, 2, How>(rows, all);
}

} // namespace tenon::rt::TENON_ISA
