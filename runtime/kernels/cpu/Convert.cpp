//===- Convert.cpp - astype ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number to bool is x != 0; narrow floats go through f32 both ways, from f64 and from
// integers so that they are rounded once; the rest is the table of runtime/math/Numbers.h.
// Real to complex has the imaginary part 0.
//===----------------------------------------------------------------------===//
#include "Reversed.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// Whether elements T go by way of f64, so that they are rounded once.
template <Dtype To, class T>
constexpr bool isByDouble = is_narrow(To) && sizeof(T) >= 4 && !__is_same(T, float);

/// Integers of 32 or 64 bits as doubles; what these do not hold leaves a last bit of 1.
template <class V>
[[gnu::always_inline]] inline auto toDouble(V x) {
  using T = math::Element<V>;
  if constexpr (sizeof(T) == 8 && !__is_same(T, double)) {
    constexpr T most = T(1) << 53;
    const V low = x & T(0xfff), cut = (x ^ low) | math::select(low != V{}, math::broadcast<V>(T(0x1000)), V{});
    V kept = math::select(x > most, cut, x);
    if constexpr (math::isSigned<T>)
      kept = math::select(x < T(-most), cut, kept);
    return math::convertLanes<double>(kept);
  } else {
    return math::convertLanes<double>(x);
  }
}

template <Dtype To, class V>
[[gnu::always_inline]] inline auto convertLanesTo(V x) {
  if constexpr (To == Dtype::bool_)
    return math::toBool(x);
  else if constexpr (isByDouble<To, math::Element<V>>)
    return math::roundedToOdd(toDouble(x));
  else
    return math::convertTo<Compute<To>>(x);
}

template <Dtype From, Dtype To>
void convert(const ElementwiseCall &call) {
  using F = Compute<From>;
  using T = Compute<To>;
  constexpr int fewer = math::nativeLanes<F> < math::nativeLanes<T> ? math::nativeLanes<F> : math::nativeLanes<T>;
  constexpr int N = isByDouble<To, F> ? math::nativeLanes<double> : fewer;
  const int64_t s = call.strides[0][1], sr = call.resultStrides[1], m = call.m;
  for (int64_t k = 0; k < call.n; ++k) {
    auto *x = static_cast<const Storage<From> *>(call.operands[0]) + k * call.strides[0][0];
    auto *result = static_cast<Storage<To> *>(call.result) + k * call.resultStrides[0];
    int64_t i = 0;
    if (s == 1 && sr == 1)
      for (; i + N <= m; i += N)
        storeLanes<To, N>(result + i, convertLanesTo<To>(loadLanes<From, N>(x + i)));
    for (; i < m; i += N) {
      const int64_t count = smaller<int64_t>(N, m - i);
      scatterLanes<To, N>(convertLanesTo<To>(gatherLanes<From, N>(x + i * s, s, count)), result + i * sr, sr, count);
    }
  }
}

template <Dtype From, Dtype To>
void convertToComplex(const ElementwiseCall &call) {
  using Complex = Storage<To>;
  using Part = decltype(Complex::real);
  for (int64_t k = 0; k < call.n; ++k) {
    auto *x = static_cast<const Storage<From> *>(call.operands[0]) + k * call.strides[0][0];
    auto *result = static_cast<Complex *>(call.result) + k * call.resultStrides[0];
    for (int64_t i = 0; i < call.m; ++i)
      if constexpr (kind(From) == Kind::complex)
        result[i * call.resultStrides[1]] = {static_cast<Part>(x[i * call.strides[0][1]].real),
                                             static_cast<Part>(x[i * call.strides[0][1]].imag)};
      else
        result[i * call.resultStrides[1]] = {math::convertTo<Part>(loadLanes<From, 1>(x + i * call.strides[0][1])), 0};
  }
}

template <Dtype From>
ElementwiseKernel convertFrom(Dtype to) {
  return tenon::detail::visitDtype(to, []<Dtype To>() -> ElementwiseKernel {
    if constexpr (kind(To) == Kind::complex)
      return convertToComplex<From, To>;
    else if constexpr (kind(From) == Kind::complex)
      return nullptr;
    else
      return convert<From, To>;
  });
}

/// Each element of a row `Times` times.
template <int Times, class T>
void repeatElements(const T *from, int64_t count, T *to) {
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < Times; ++k)
      to[i * Times + k] = from[i];
}

template <class T>
void copyRows(const ElementwiseCall &call) {
  const int64_t s = call.strides[0][1], sr = call.resultStrides[1];
  if (sr == 1 && s == 0 && call.strides[0][0] == 1 && call.resultStrides[0] == call.m && 2 <= call.m && call.m <= 4) {
    const auto *from = static_cast<const T *>(call.operands[0]);
    auto *to = static_cast<T *>(call.result);
    return call.m == 2   ? repeatElements<2>(from, call.n, to)
           : call.m == 3 ? repeatElements<3>(from, call.n, to)
                         : repeatElements<4>(from, call.n, to);
  }
  for (int64_t k = 0; k < call.n; ++k) {
    auto *x = static_cast<const T *>(call.operands[0]) + k * call.strides[0][0];
    auto *result = static_cast<T *>(call.result) + k * call.resultStrides[0];
    if (s == 1 && sr == 1) {
      __builtin_memmove(result, x, static_cast<size_t>(call.m) * sizeof(T));
    } else if (s == 0 && sr == 1) {
      const T value = *x;
      for (int64_t i = 0; i < call.m; ++i)
        result[i] = value;
    } else if (s == -1 && sr == 1) {
      copyReversed(x, call.m, result);
    } else {
      for (int64_t i = 0; i < call.m; ++i)
        result[i * sr] = x[i * s];
    }
  }
}

} // namespace

ElementwiseKernel copyLoop(size_t itemSize) {
  return ofSize(itemSize, []<class T>() -> ElementwiseKernel { return copyRows<T>; });
}

ElementwiseKernel loopAstype(Dtype from, Dtype to) {
  // Integers of one size have the same bits; a bool is a byte of 0 or 1.
  if (from == to || (isInteger(asNumber(from)) && isInteger(to) && item_size(from) == item_size(to)))
    return copyLoop(item_size(from));
  return tenon::detail::visitDtype(from, [to]<Dtype From>() { return convertFrom<asNumber(From)>(to); });
}

} // namespace tenon::rt::TENON_ISA
