//===- Loops.h - inner loops of elementwise kernels ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of whole registers; operands whose inner stride is 0 are broadcast
// once. What is left of a row, and rows with other strides, go through buffers
// of one register, so that every element meets the same vector body.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

/// An elementwise loop over operands of dtype In; Op::run(V...) is the body.
template <class Op, Dtype In, Dtype Out = In>
struct UnaryLoop {
  static constexpr int N = math::nativeLanes<Compute<In>>;

  static void run(const ElementwiseCall &call) {
    const bool isDense = call.strides[0][1] == 1 && call.resultStrides[1] == 1;
    const int64_t stride = call.strides[0][1], resultStride = call.resultStrides[1], m = call.m;
    for (int64_t row = 0; row < call.n; ++row) {
      auto *x = static_cast<const Storage<In> *>(call.operands[0]) + row * call.strides[0][0];
      auto *result = static_cast<Storage<Out> *>(call.result) + row * call.resultStrides[0];
      int64_t i = 0;
      if (isDense)
        for (; i + N <= m; i += N)
          storeLanes<Out, N>(result + i, Op::run(loadLanes<In, N>(x + i)));
      for (; i < m; i += N) {
        const int64_t count = smaller<int64_t>(N, m - i);
        scatterLanes<Out, N>(Op::run(gatherLanes<In, N>(x + i * stride, stride, count)), result + i * resultStride,
                             resultStride, count);
      }
    }
  }
};

template <class Op, Dtype In, Dtype Out = In>
struct BinaryLoop {
  static constexpr int N = math::nativeLanes<Compute<In>>;
  using V = Vec<Compute<In>, N>;

  template <bool IsSplat>
  [[gnu::always_inline]] static V next(const Storage<In> *from, V splat) {
    if constexpr (IsSplat)
      return splat;
    else
      return loadLanes<In, N>(from);
  }

  /// The whole registers of a row; returns where they end.
  template <bool IsSplat1, bool IsSplat2>
  [[gnu::always_inline]] static int64_t row(const Storage<In> *x1, const Storage<In> *x2, Storage<Out> *result,
                                            int64_t m) {
    int64_t i = 0;
    if (m < N)
      return i;
    V splat1{}, splat2{};
    if constexpr (IsSplat1)
      splat1 = math::broadcast<V>(loadLanes<In, 1>(x1));
    if constexpr (IsSplat2)
      splat2 = math::broadcast<V>(loadLanes<In, 1>(x2));
    for (; i + N <= m; i += N)
      storeLanes<Out, N>(result + i, Op::run(next<IsSplat1>(x1 + i, splat1), next<IsSplat2>(x2 + i, splat2)));
    return i;
  }

  static void run(const ElementwiseCall &call) {
    // A single number: much of what small programs do.
    if (call.m == 1 && call.n == 1) {
      storeLanes<Out, 1>(static_cast<Storage<Out> *>(call.result),
                         Op::run(loadLanes<In, 1>(static_cast<const Storage<In> *>(call.operands[0])),
                                 loadLanes<In, 1>(static_cast<const Storage<In> *>(call.operands[1]))));
      return;
    }
    const int64_t s1 = call.strides[0][1], s2 = call.strides[1][1], sr = call.resultStrides[1], m = call.m;
    for (int64_t k = 0; k < call.n; ++k) {
      auto *x1 = static_cast<const Storage<In> *>(call.operands[0]) + k * call.strides[0][0];
      auto *x2 = static_cast<const Storage<In> *>(call.operands[1]) + k * call.strides[1][0];
      auto *result = static_cast<Storage<Out> *>(call.result) + k * call.resultStrides[0];
      int64_t i = 0;
      if (sr == 1 && s1 == 1 && s2 == 1)
        i = row<false, false>(x1, x2, result, m);
      else if (sr == 1 && s1 == 1 && s2 == 0)
        i = row<false, true>(x1, x2, result, m);
      else if (sr == 1 && s1 == 0 && s2 == 1)
        i = row<true, false>(x1, x2, result, m);
      for (; i < m; i += N) {
        const int64_t count = smaller<int64_t>(N, m - i);
        const V a = gatherLanes<In, N>(x1 + i * s1, s1, count), b = gatherLanes<In, N>(x2 + i * s2, s2, count);
        scatterLanes<Out, N>(Op::run(a, b), result + i * sr, sr, count);
      }
    }
  }
};

} // namespace tenon::rt::TENON_ISA
