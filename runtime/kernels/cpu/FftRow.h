//===- FftRow.h - the Fourier transform of one long row ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row is a matrix whose columns are transformed many at once, in the lanes, then
// its rows. Each element is computed as in FftLanes.h.
//===----------------------------------------------------------------------===//
#pragma once

#include "FftLanes.h"

#include <atomic>

namespace tenon::rt::TENON_ISA {

/// Runs body(block, count, work) for the blocks of lanes of `size` elements, `count` lanes each, on the pool. `work` is
/// memory of `blocks` blocks.
template <class T, class Body>
Status forLanes(int64_t size, int64_t workOfBlock, int64_t blocks, const uint32_t *cancel, Body &&body) {
  constexpr int64_t lanes = kFftLanes<T>;
  std::atomic<bool> isRefused = false;
  auto runSome = [&](int64_t lo, int64_t hi) {
    const Scratch memory(blocks * kFftBlock<T>, sizeof(T));
    if (!memory) {
      isRefused.store(true, std::memory_order_relaxed);
      return;
    }
    for (int64_t i = lo; i < hi; ++i)
      body(i, smaller(lanes, size - i * lanes), memory.as<T>());
  };
  const int64_t grain = larger<int64_t>(1, kGrain / larger<int64_t>(1, workOfBlock * lanes));
  if (!parallelFor(ceilDivide(size, lanes), grain, runSome, cancel))
    return Status::cancelled;
  return isRefused.load(std::memory_order_relaxed) ? Status::outOfMemory : Status::ok;
}

/// to[i] = from[i] * pairs[i] for i < size, as in multiplyLanes; 0 for the elements of `to` up to `padded`.
template <class T>
Status multiplyRow(FftLine<T> from, const T *pairs, int64_t size, int64_t padded, FftLine<T> to,
                   const uint32_t *cancel) {
  return forLanes<T>(padded, 4, 2, cancel, [&](int64_t block, int64_t count, T *work) {
    const int64_t first = block * kFftLanes<T>, here = larger<int64_t>(0, smaller(count, size - first));
    T *const factors = work + kFftBlock<T>;
    FftRows<T>(from.from(first), from.step, here).load(0, 1, work);
    FftRows<T>(pairsAt(pairs).from(first), 2, here).load(0, 1, factors);
    for (int v = 0; v < kFftRegisters<T>; ++v) {
      const FftNumber<T> factor = loadFft(factors, v);
      storeFft(work, v, rotated(loadFft(work, v), factor.real, factor.imag));
    }
    FftRows<T>(to.from(first), to.step, count).store(0, 1, work);
  });
}

/// Multiplies result k of a block of columns by the factors between the phases.
template <class T>
void multiplyFactors(const FftPlan<T> &plan, int64_t block, T *x) {
  using V = FftVector<T>;
  constexpr int width = math::nativeLanes<T>;
  constexpr int64_t lanes = kFftLanes<T>;
  for (int64_t k = 0; k < plan.rows; ++k, x += kFftBlock<T>)
    for (int v = 0; v < kFftRegisters<T>; ++v) {
      FftNumber<T> factor;
      if (plan.factors) {
        // Lanes past the last column read the padding, or factors of the next row: they are not used.
        const T *const from = plan.factors + k * plan.columns + smaller(block * lanes + v * width, plan.columns);
        factor = {math::load<V>(from), math::load<V>(from + plan.factorsSize())};
      } else {
        factor = rotated(loadFft(plan.fine + k * kFftBlock<T>, v), plan.coarse + 2 * (block * plan.rows + k));
      }
      storeFft(x, v, rotated(loadFft(x, v), factor.real, factor.imag));
    }
}

/// Writes element k of lane l of `count` to lane k % lanes of element j + l of the blocks of row group k / lanes.
template <class T>
void transposeBlocks(const T *from, int64_t rows, int64_t columns, int64_t j, int64_t count, T *to) {
  constexpr int64_t lanes = kFftLanes<T>;
  for (int64_t k = 0; k < rows; k += lanes, from += lanes * kFftBlock<T>, to += columns * kFftBlock<T>)
    for (int64_t part = 0; part < kFftBlock<T>; part += lanes)
      for (int64_t l = 0; l < count; ++l) {
        T *const block = to + (j + l) * kFftBlock<T> + part;
        for (int64_t i = 0, end = smaller(lanes, rows - k); i < end; ++i)
          block[i] = from[i * kFftBlock<T> + part + l];
      }
}

/// Transforms the plan.length numbers of `in` into `out`, of which the first `wanted` are written.
template <class T>
Status transformRow(const FftPlan<T> &plan, FftLine<T> in, FftLine<T> out, int64_t wanted, const uint32_t *cancel) {
  const int64_t n = plan.length, rows = plan.rows, columns = plan.columns;
  if (plan.inner) {
    const int64_t m = plan.inner->length;
    const Scratch memory(4 * m, sizeof(T));
    if (!memory)
      return Status::outOfMemory;
    const FftLine<T> a = pairsAt(memory.as<T>()), b = pairsAt(memory.as<T>() + 2 * m);
    Status status = multiplyRow(in, plan.chirp, n, m, a, cancel);
    if (status == Status::ok)
      status = transformRow(*plan.inner, a, b, m, cancel);
    if (status == Status::ok)
      status = multiplyRow(b, plan.filter, m, m, a.swapped(), cancel);
    if (status == Status::ok)
      status = transformRow(*plan.inner, a, b, m, cancel);
    return status == Status::ok ? multiplyRow(b.swapped(), plan.chirp, wanted, wanted, out, cancel) : status;
  }
  if (columns == 1) {
    const Scratch memory(2 * fftBuffer(plan) * kFftBlock<T>, sizeof(T));
    if (!memory)
      return Status::outOfMemory;
    T *const x = memory.as<T>();
    FftRows<T>(in, in.step, 1).load(0, n, x);
    FftRows<T>(out, out.step, 1).store(0, wanted, transformLanes(plan, x, x + fftBuffer(plan) * kFftBlock<T>));
    return Status::ok;
  }
  const Scratch between(ceilDivide(rows, kFftLanes<T>) * columns * kFftBlock<T>, sizeof(T));
  if (!between)
    return Status::outOfMemory;
  Status status = forLanes<T>(columns, rows, 2 * rows, cancel, [&](int64_t block, int64_t count, T *work) {
    const int64_t first = block * kFftLanes<T>;
    FftRows<T>(in.from(first).every(columns), in.step, count).load(0, rows, work);
    T *const result = runPhase(plan.phases[0], 1, work, work + rows * kFftBlock<T>);
    multiplyFactors(plan, block, result);
    transposeBlocks(result, rows, columns, first, count, between.as<T>());
  });
  if (status != Status::ok)
    return status;
  return forLanes<T>(rows, columns, columns, cancel, [&](int64_t block, int64_t count, T *work) {
    const int64_t first = block * kFftLanes<T>;
    const T *const result = runPhase(plan.phases[1], 1, between.as<T>() + block * columns * kFftBlock<T>, work);
    const int64_t whole = smaller(columns, larger<int64_t>(0, wanted - first - count + rows) / rows);
    FftRows<T>(out.from(first).every(rows), out.step, count).store(0, whole, result);
    if (const int64_t rest = smaller(count, wanted - first - whole * rows); whole < columns && rest > 0)
      FftRows<T>(out.from(first).every(rows), out.step, rest).store(whole, 1, result + whole * kFftBlock<T>);
  });
}

/// For k in blocks of `size` elements: to[k] = combine(from[k], from[h - k], w^k), which are vectors.
template <class T, class Combine>
Status combineRow(const FftPlan<T> &plan, FftLine<T> from, int64_t first, int64_t size, FftLine<T> to,
                  const uint32_t *cancel, Combine combine) {
  return forLanes<T>(size, 4, 3, cancel, [&](int64_t block, int64_t count, T *work) {
    const int64_t k = first + block * kFftLanes<T>;
    T *const mirrored = work + kFftBlock<T>, *const roots = mirrored + kFftBlock<T>;
    FftRows<T>(from.from(k), from.step, count).load(0, 1, work);
    FftRows<T>(from.from(plan.length - k), -from.step, count).load(0, 1, mirrored);
    FftRows<T>(pairsAt(plan.untangling).from(k), 2, count).load(0, 1, roots);
    for (int v = 0; v < kFftRegisters<T>; ++v) {
      const FftNumber<T> root = loadFft(roots, v);
      storeFft(work, v, combine(loadFft(work, v), loadFft(mirrored, v), root.real, root.imag));
    }
    FftRows<T>(to.from(k), to.step, count).store(0, 1, work);
  });
}

/// untangleLanes and tangleLanes of a row; the latter's results have their parts in place.
template <class T>
Status untangleRow(const FftPlan<T> &plan, FftLine<T> z, FftLine<T> to, const uint32_t *cancel) {
  const FftLine<T> last = to.from(plan.length);
  *to.real = (*z.real + *z.imag) * to.scale, *to.imag = 0;
  *last.real = (*z.real - *z.imag) * to.scale, *last.imag = 0;
  return combineRow(plan, z, 1, plan.length - 1, to, cancel,
                    [](auto... parts) [[gnu::always_inline]] { return untangled(parts...); });
}
template <class T>
Status tangleRow(const FftPlan<T> &plan, FftLine<T> x, FftLine<T> to, const uint32_t *cancel) {
  const T first = *x.real, last = *x.from(plan.length).real;
  *to.real = first + last, *to.imag = first - last;
  return combineRow(plan, x, 1, plan.length - 1, to, cancel,
                    [](auto... parts) [[gnu::always_inline]] { return tangled(parts...); });
}

} // namespace tenon::rt::TENON_ISA
