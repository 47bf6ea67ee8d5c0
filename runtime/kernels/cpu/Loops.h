//===- Loops.h - inner loops of elementwise kernels ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of whole registers; operands whose inner stride is 0 are broadcast
// once, those that lie in other steps are lined up in a buffer, some hundred at a
// time. What is left of a row goes through buffers of one register, so that
// every element meets the same vector body.
//===----------------------------------------------------------------------===//
#pragma once

#include "Reversed.h"

namespace tenon::rt::TENON_ISA {

/// What each elementwise op is, over vectors: runtime/math's functions, found here
/// since names of built-in types are looked up where they are written.
namespace expressions {
using namespace tenon::math;
#include "runtime/math/Expressions.gen.inc"
} // namespace expressions

/// Elements of a row that are lined up at a time: they stay in the first cache.
template <class T>
inline constexpr int64_t kLinedUp = 2048 / sizeof(T);

/// Where elements [first, first + count) of each operand can be read one after another,
/// or, where it repeats, its only one.
template <class T, int Count>
[[gnu::noinline]] void lineUp(const ElementwiseCall &call, const T *const *operands, int64_t first, int64_t count,
                              T (*buffers)[kLinedUp<T>], const T **lined) {
  for (int k = 0; k < Count; ++k) {
    const int64_t stride = call.strides[k][1];
    const T *from = operands[k] + first * stride;
    lined[k] = from;
    if ((stride | 1) == 1)
      continue;
    if (stride == -1)
      copyReversed(from, count, buffers[k]);
    else
      gather(from, stride, count, buffers[k]);
    lined[k] = buffers[k];
  }
}

/// `Count` operands of dtype In, Op::run(x, ...) for each element; a comparison's
/// lanes become bytes 0 and 1.
template <class Op, Dtype In, Dtype Out, int Count>
struct Loop {
  static constexpr int N = math::nativeLanes<Compute<In>>;
  using V = Lanes<In, N>;
  using From = const Storage<In> *;
  using To = Storage<Out> *;
  /// Which operands repeat along a row: bit i for operand i.
  using Repeats = unsigned;
  template <class F>
  [[gnu::always_inline]] static auto each(F &&f) {
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return f.template operator()<I...>();
    }(std::make_integer_sequence<int, Count>());
  }

  template <class Value>
  [[gnu::always_inline]] static auto stored(Value value) {
    if constexpr (Out == Dtype::bool_ && !__is_same(math::Element<Value>, uint8_t))
      return math::truth(value);
    else
      return value;
  }
  [[gnu::always_inline]] static V repeated(From from) {
    if constexpr (kind(In) == Kind::complex)
      return math::broadcastComplex<Vec<Compute<In>, N>>(loadLanes<In, 1>(from));
    else
      return math::broadcast<V>(loadLanes<In, 1>(from));
  }

  /// The whole registers of a row; returns where they end. Three operands and more
  /// ask in each round which of them repeat: there would be many loops.
  template <Repeats repeats>
  [[gnu::always_inline]] static int64_t row(const From *x, Repeats asked, To result, int64_t m) {
    int64_t i = 0;
    if (m < N)
      return i;
    V splats[Count];
    for (int k = 0; k < Count; ++k)
      if (repeats >> k & 1)
        splats[k] = repeated(x[k]);
    for (; i + N <= m; i += N)
      storeLanes<Out, N>(result + i, each([&]<int... I>() __attribute__((always_inline)) {
                           return stored(
                               Op::run(((repeats & asked) >> I & 1 ? splats[I] : loadLanes<In, N>(x[I] + i))...));
                         }));
    return i;
  }

  [[gnu::always_inline]] static int64_t rowOf(const From *x, Repeats repeats, To result, int64_t m) {
    if (repeats == 0)
      return row<0>(x, 0, result, m);
    if constexpr (Count == 2) {
      if (repeats == 1)
        return row<1>(x, 1, result, m);
      if (repeats == 2)
        return row<2>(x, 2, result, m);
    } else if constexpr (Count > 2) {
      return row<~Repeats(0)>(x, repeats, result, m);
    }
    return 0;
  }

  static void run(const ElementwiseCall &call) {
    // A single number: much of what small programs do.
    if constexpr (kind(In) != Kind::complex)
      if (call.m == 1 && call.n == 1) {
        storeLanes<Out, 1>(static_cast<To>(call.result), each([&]<int... I>() __attribute__((always_inline)) {
                             return stored(Op::run(loadLanes<In, 1>(static_cast<From>(call.operands[I]))...));
                           }));
        return;
      }
    const int64_t resultStride = call.resultStrides[1], m = call.m;
    bool isFast = resultStride == 1;
    Repeats repeats = 0;
    for (int k = 0; k < Count; ++k) {
      isFast &= (call.strides[k][1] | 1) == 1;
      repeats |= Repeats(call.strides[k][1] == 0) << k;
    }
    From x[Count];
    for (int operand = 0; operand < Count; ++operand)
      x[operand] = static_cast<From>(call.operands[operand]);
    To result = static_cast<To>(call.result);
    constexpr int64_t most = kLinedUp<Storage<In>>;
    static_assert(most % N == 0);
    Storage<In> buffers[Count][most];
    Storage<Out> results[most];
    for (int64_t k = 0; k < call.n; ++k) {
      int64_t i = 0;
      for (int64_t some = isFast ? m : smaller(m, most); some >= N; some = isFast ? 0 : smaller(m - i, most)) {
        From lined[Count];
        To to = result + i;
        if (isFast) {
          for (int operand = 0; operand < Count; ++operand)
            lined[operand] = x[operand];
        } else {
          lineUp<Storage<In>, Count>(call, x, i, some, buffers, lined);
          if (resultStride != 1)
            to = results;
        }
        const int64_t done = rowOf(lined, repeats, to, some);
        if (to == results)
          scatter(results, result + i * resultStride, resultStride, done);
        i += done;
      }
      for (; i < m; i += N) {
        const int64_t count = smaller<int64_t>(N, m - i);
        V values[Count];
        for (int operand = 0; operand < Count; ++operand) {
          const int64_t stride = call.strides[operand][1];
          values[operand] = gatherLanes<In, N>(x[operand] + i * stride, stride, count);
        }
        scatterLanes<Out, N>(
            each([&]<int... I>() __attribute__((always_inline)) { return stored(Op::run(values[I]...)); }),
            result + i * resultStride, resultStride, count);
      }
      for (int operand = 0; operand < Count; ++operand) {
        x[operand] += call.strides[operand][0];
        asm("" : "+r"(x[operand])); // or GCC adds them as one vector, by way of memory, and short rows wait for it
      }
      result += call.resultStrides[0];
    }
  }
};

/// The loop of an op for operands of `dtype`, which is one of `Dtypes`. A bool is a
/// byte of 0 or 1; for it the op is OfBool.
template <class Op, class OfBool, int Count, DtypeSet Dtypes, bool GivesBool, bool Wraps>
ElementwiseKernel loopOf(Dtype dtype) {
  return tenon::detail::visitDtype(dtype, []<Dtype D>() -> ElementwiseKernel {
    if constexpr (!contains(Dtypes, D)) {
      return nullptr;
    } else {
      constexpr Dtype In = Wraps && isInteger(D) ? asUnsigned(D) : asNumber(D);
      return Loop < std::conditional_t<D == Dtype::bool_, OfBool, Op>, In, GivesBool ? Dtype::bool_ : In, Count > ::run;
    }
  });
}

} // namespace tenon::rt::TENON_ISA
