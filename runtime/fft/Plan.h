//===- Plan.h - how a Fourier transform of one length is computed -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations on the elements of a transform, and their order, follow from
// its length alone. So a row has the same bits whatever the batch around it, the
// vector width and the number of threads. The kernels of both instruction sets
// share the plans and read them as plain memory.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tenon::rt {

/// Elements that the kernels hold side by side: 64 bytes of real parts, then as many of imaginary parts. A constant of
/// the dtype, since the second level of `FftPlan::coarse` depends on it.
template <class T>
inline constexpr int64_t kFftLanes = 64 / static_cast<int64_t>(sizeof(T));

/// One step of a Stockham transform: butterflies of `radix` elements that lie `rest` sub-transforms apart. `twiddles`
/// holds, for each of the `rest` positions, the radix - 1 factors of results 1, 2, ..., as pairs.
template <class T>
struct FftPass {
  int radix;
  int64_t rest;
  const T *twiddles;
};

template <class T>
struct FftPhase {
  static constexpr int most = 48;
  int64_t length = 1;
  int count = 0;
  FftPass<T> passes[most];
};

/// Either of:
///   one phase         columns == 1
///   two phases        length == rows * columns, seen as a matrix: transforms along its columns, which phase 0 does,
///                     factors, transforms along its rows (phase 1). The results lie transposed.
///   a convolution     with a chirp, by transforms of the smooth length `inner` (L. Bluestein, 1970)
template <class T>
struct FftPlan {
  int64_t length = 1, rows = 1, columns = 1;
  FftPhase<T> phases[2];
  /// The factor between the phases of row k and column j, w^(j k): real parts at [k * columns + j], then the imaginary
  /// parts, each with kFftLanes numbers of padding. Null for a long transform, where the factor is the product of
  /// coarse[j / kFftLanes * rows + k] (pairs) and fine[k * 2 * kFftLanes + j % kFftLanes] (parts apart).
  const T *factors = nullptr, *coarse = nullptr, *fine = nullptr;

  const FftPlan *inner = nullptr;
  /// c[k] = w^(k^2 / 2), pairs; the transform of its conjugates, divided by the length of `inner`, pairs.
  const T *chirp = nullptr, *filter = nullptr;

  /// Of a real transform of twice this length, w^k for k <= length, pairs; null if the plan is not for those.
  const T *untangling = nullptr;

  int64_t factorsSize() const { return length + kFftLanes<T>; }
};

/// Transforms `data`, pairs of plan.length numbers, in place; false where memory was refused.
template <class T>
using FftTransform = bool (*)(const FftPlan<T> &plan, T *data);

/// The plan of a length >= 1; for real transforms of twice that length, too, if `isReal`. Null where memory is refused.
/// `transform` computes what a plan needs of others. Plans are cached, up to a limit of bytes; each call is paired with
/// one of releaseFftPlan.
template <class T>
const FftPlan<T> *acquireFftPlan(int64_t length, bool isReal, FftTransform<T> transform);
template <class T>
void releaseFftPlan(const FftPlan<T> *plan);

} // namespace tenon::rt
