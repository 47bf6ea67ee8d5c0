//===- FftLanes.h - Fourier transforms of a row in each lane ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many short rows at once. FftRow.h computes one long row with the same operations
// on each element.
//===----------------------------------------------------------------------===//
#pragma once

#include "FftRows.h"

namespace tenon::rt::TENON_ISA {

/// The number of blocks of each of the two buffers in which a plan works.
template <class T>
int64_t fftBuffer(const FftPlan<T> &plan) {
  return plan.inner ? plan.inner->length : plan.length + 1;
}

/// Block i of `to` becomes block i of `from` times the i-th of the pairs; with its parts exchanged if `isSwapped`.
template <class T>
void multiplyLanes(const T *pairs, int64_t count, const T *from, T *to, bool isSwapped) {
  for (int64_t i = 0; i < count; ++i, from += kFftBlock<T>, to += kFftBlock<T>)
    for (int v = 0; v < kFftRegisters<T>; ++v) {
      const FftNumber<T> x = rotated(loadFft(from, v), pairs + 2 * i);
      storeFft(to, v, isSwapped ? FftNumber<T>{x.imag, x.real} : x);
    }
}

/// Exchanges the parts: the inverse transform is the transform between two of these.
template <class T>
void swapLanes(int64_t count, T *x) {
  for (int64_t i = 0; i < count; ++i, x += kFftBlock<T>)
    for (int v = 0; v < kFftRegisters<T>; ++v) {
      const FftNumber<T> at = loadFft(x, v);
      storeFft(x, v, {at.imag, at.real});
    }
}

/// Transforms the plan.length blocks in `x`; returns where the results lie, x or `other`.
template <class T>
[[gnu::noinline]] T *transformLanes(const FftPlan<T> &plan, T *x, T *other) {
  if (plan.inner) {
    const FftPlan<T> &inner = *plan.inner;
    multiplyLanes(plan.chirp, plan.length, x, x, false);
    __builtin_memset(x + plan.length * kFftBlock<T>, 0,
                     static_cast<size_t>((inner.length - plan.length) * kFftBlock<T>) * sizeof(T));
    for (bool isBack : {false, true}) {
      T *const result = transformLanes(inner, x, other);
      other = result == x ? other : x, x = result;
      if (!isBack)
        multiplyLanes(plan.filter, inner.length, x, x, true);
    }
    swapLanes(plan.length, x);
    multiplyLanes(plan.chirp, plan.length, x, x, false);
    return x;
  }
  T *result = runPhase(plan.phases[0], plan.columns, x, other);
  if (plan.columns == 1)
    return result;
  T *turned = result == x ? other : x;
  const T *const imag = plan.factors + plan.factorsSize();
  for (int64_t k = 0; k < plan.rows; ++k)
    for (int64_t j = 0; j < plan.columns; ++j) {
      const T root[2] = {plan.factors[k * plan.columns + j], imag[k * plan.columns + j]};
      for (int v = 0; v < kFftRegisters<T>; ++v)
        storeFft(turned + (j * plan.rows + k) * kFftBlock<T>, v,
                 rotated(loadFft(result + (k * plan.columns + j) * kFftBlock<T>, v), root));
    }
  return runPhase(plan.phases[1], plan.rows, turned, result);
}

/// Result k of a real transform of length 2 h, 0 < k < h, from results k and h - k of the complex one of length h over
/// pairs of neighbours; `real` and `imag` are the parts of w^k.
template <class V>
[[gnu::always_inline]] inline math::Complex<V> untangled(math::Complex<V> z, math::Complex<V> mirrored, V real,
                                                         V imag) {
  const V half = math::broadcast<V>(math::Element<V>(0.5));
  const math::Complex<V> even = {half * (z.real + mirrored.real), half * (z.imag - mirrored.imag)};
  const math::Complex<V> odd = {half * (z.imag + mirrored.imag), half * (mirrored.real - z.real)};
  return {math::fma(real, odd.real, math::fma(-imag, odd.imag, even.real)),
          math::fma(real, odd.imag, math::fma(imag, odd.real, even.imag))};
}
/// The inverse, times 2, for 0 < k < h.
template <class V>
[[gnu::always_inline]] inline math::Complex<V> tangled(math::Complex<V> x, math::Complex<V> mirrored, V real, V imag) {
  const math::Complex<V> even = {x.real + mirrored.real, x.imag - mirrored.imag};
  const math::Complex<V> odd = {-(x.imag + mirrored.imag), x.real - mirrored.real};
  return {math::fma(real, odd.real, math::fma(imag, odd.imag, even.real)),
          math::fma(real, odd.imag, math::fma(-imag, odd.real, even.imag))};
}

/// The h + 1 results of real transforms of length 2 h.
template <class T>
void untangleLanes(const FftPlan<T> &plan, const T *z, T *to) {
  using V = FftVector<T>;
  const int64_t h = plan.length;
  for (int v = 0; v < kFftRegisters<T>; ++v) {
    const FftNumber<T> first = loadFft(z, v);
    storeFft(to, v, {first.real + first.imag, V{}});
    storeFft(to + h * kFftBlock<T>, v, {first.real - first.imag, V{}});
  }
  for (int64_t k = 1; k < h; ++k)
    for (int v = 0; v < kFftRegisters<T>; ++v)
      storeFft(to + k * kFftBlock<T>, v,
               untangled(loadFft(z + k * kFftBlock<T>, v), loadFft(z + (h - k) * kFftBlock<T>, v),
                         math::broadcast<V>(plan.untangling[2 * k]), math::broadcast<V>(plan.untangling[2 * k + 1])));
}
/// What the inverse transform of length h makes pairs of neighbours of, from h + 1 elements; their parts exchanged.
template <class T>
void tangleLanes(const FftPlan<T> &plan, const T *x, T *to) {
  using V = FftVector<T>;
  const int64_t h = plan.length;
  for (int v = 0; v < kFftRegisters<T>; ++v) {
    const V first = loadFft(x, v).real, last = loadFft(x + h * kFftBlock<T>, v).real;
    storeFft(to, v, {first - last, first + last});
  }
  for (int64_t k = 1; k < h; ++k)
    for (int v = 0; v < kFftRegisters<T>; ++v) {
      const FftNumber<T> z =
          tangled(loadFft(x + k * kFftBlock<T>, v), loadFft(x + (h - k) * kFftBlock<T>, v),
                  math::broadcast<V>(plan.untangling[2 * k]), math::broadcast<V>(plan.untangling[2 * k + 1]));
      storeFft(to + k * kFftBlock<T>, v, {z.imag, z.real});
    }
}
/// All n elements, n odd, of which x holds those up to n / 2; their parts exchanged.
template <class T>
void mirrorLanes(int64_t n, const T *x, T *to) {
  using V = FftVector<T>;
  for (int64_t k = 0; k <= n / 2; ++k)
    for (int v = 0; v < kFftRegisters<T>; ++v) {
      const FftNumber<T> at = loadFft(x + k * kFftBlock<T>, v);
      storeFft(to + k * kFftBlock<T>, v, {k ? at.imag : V{}, at.real});
      if (k)
        storeFft(to + (n - k) * kFftBlock<T>, v, {-at.imag, at.real});
    }
}

} // namespace tenon::rt::TENON_ISA
