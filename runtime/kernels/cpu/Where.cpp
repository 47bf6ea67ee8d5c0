//===- Where.cpp - one of two elements by a condition -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Common.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// Moves bits, so that one loop serves all dtypes of a size.
template <class T>
struct WhereLoop {
  static constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;

  [[gnu::always_inline]] static V pick(const uint8_t *condition, V yes, V no) {
    const auto bytes = math::load<Vec<uint8_t, N>>(condition);
    return math::select(math::convertLanes<T>(bytes) != T(0), yes, no);
  }
  [[gnu::always_inline]] static V gatherBits(const T *from, int64_t stride, int64_t count) {
    T buffer[N] = {};
    gather(from, stride, count, buffer);
    return math::load<V>(buffer);
  }

  static void run(const ElementwiseCall &call) {
    const int64_t sc = call.strides[0][1], s1 = call.strides[1][1], s2 = call.strides[2][1], sr = call.resultStrides[1],
                  m = call.m;
    const bool isFast = sr == 1 && sc == 1 && (s1 | 1) == 1 && (s2 | 1) == 1 && m >= N;
    for (int64_t k = 0; k < call.n; ++k) {
      auto *c = static_cast<const uint8_t *>(call.operands[0]) + k * call.strides[0][0];
      auto *x1 = static_cast<const T *>(call.operands[1]) + k * call.strides[1][0];
      auto *x2 = static_cast<const T *>(call.operands[2]) + k * call.strides[2][0];
      auto *result = static_cast<T *>(call.result) + k * call.resultStrides[0];
      int64_t i = 0;
      if (isFast) {
        const V splat1 = math::broadcast<V>(*x1), splat2 = math::broadcast<V>(*x2);
        if (s1 && s2)
          for (; i + N <= m; i += N)
            math::store<V>(result + i, pick(c + i, math::load<V>(x1 + i), math::load<V>(x2 + i)));
        else
          for (; i + N <= m; i += N)
            math::store<V>(result + i,
                           pick(c + i, s1 ? math::load<V>(x1 + i) : splat1, s2 ? math::load<V>(x2 + i) : splat2));
      }
      for (; i < m; i += N) {
        const int64_t count = smaller<int64_t>(N, m - i);
        uint8_t condition[N] = {};
        gather(c + i * sc, sc, count, condition);
        T buffer[N];
        math::store<V>(buffer, pick(condition, gatherBits(x1 + i * s1, s1, count), gatherBits(x2 + i * s2, s2, count)));
        scatter(buffer, result + i * sr, sr, count);
      }
    }
  }
};

/// There are no lanes of sixteen bytes.
template <>
struct WhereLoop<Wide16> {
  static void run(const ElementwiseCall &call) {
    for (int64_t k = 0; k < call.n; ++k) {
      auto *c = static_cast<const uint8_t *>(call.operands[0]) + k * call.strides[0][0];
      auto *x1 = static_cast<const Wide16 *>(call.operands[1]) + k * call.strides[1][0];
      auto *x2 = static_cast<const Wide16 *>(call.operands[2]) + k * call.strides[2][0];
      auto *result = static_cast<Wide16 *>(call.result) + k * call.resultStrides[0];
      for (int64_t i = 0; i < call.m; ++i)
        result[i * call.resultStrides[1]] =
            c[i * call.strides[0][1]] ? x1[i * call.strides[1][1]] : x2[i * call.strides[2][1]];
    }
  }
};

} // namespace

ElementwiseKernel loopWhere(Dtype dtype, Dtype) {
  return ofSize(item_size(dtype), []<class T>() -> ElementwiseKernel { return WhereLoop<T>::run; });
}

} // namespace tenon::rt::TENON_ISA
