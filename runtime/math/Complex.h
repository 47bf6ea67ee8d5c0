//===- Complex.h - complex numbers as two vectors --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real and imaginary parts in a register each, so that every function is a few
// operations over V; in memory they lie in turns. Not for V of one lane: of the
// scalar formulas g++ 12's vectorizer makes fmaddsub, in spite of
// -ffp-contract=off.
//===----------------------------------------------------------------------===//
#pragma once

#include "Numbers.h"

#include <utility>

namespace tenon::math {

template <class V>
struct Complex {
  V real, imag;
};

namespace detail {
/// Lane i of the result is lane pick(i) of two vectors, of which the second
/// one's lanes come after the first one's.
template <class V, class Pick, int... I>
[[gnu::always_inline]] inline V shuffle(V a, V b, Pick, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, Pick::lane(I)...);
}
template <int N, int Part>
struct PartOf {
  static constexpr int lane(int i) { return 2 * i + Part; }
};
template <int N, int Half>
struct InTurns {
  static constexpr int lane(int i) { return (Half * N + i) / 2 + i % 2 * N; }
};
} // namespace detail

/// N numbers from 2 N parts at `from`, of any alignment.
template <class V>
[[gnu::always_inline]] inline Complex<V> loadComplex(const Element<V> *from) {
  constexpr int N = lanes<V>;
  if constexpr (N == 1) {
    return {from[0], from[1]};
  } else {
    constexpr std::make_integer_sequence<int, N> all;
    const V a = load<V>(from), b = load<V>(from + N);
    return {detail::shuffle(a, b, detail::PartOf<N, 0>(), all), detail::shuffle(a, b, detail::PartOf<N, 1>(), all)};
  }
}
template <class V>
[[gnu::always_inline]] inline void storeComplex(Element<V> *to, Complex<V> x) {
  constexpr int N = lanes<V>;
  if constexpr (N == 1) {
    to[0] = x.real;
    to[1] = x.imag;
  } else {
    constexpr std::make_integer_sequence<int, N> all;
    store<V>(to, detail::shuffle(x.real, x.imag, detail::InTurns<N, 0>(), all));
    store<V>(to + N, detail::shuffle(x.real, x.imag, detail::InTurns<N, 1>(), all));
  }
}

template <class V>
[[gnu::always_inline]] inline Complex<V> add(Complex<V> a, Complex<V> b) {
  return {a.real + b.real, a.imag + b.imag};
}
template <class V>
[[gnu::always_inline]] inline Complex<V> subtract(Complex<V> a, Complex<V> b) {
  return {a.real - b.real, a.imag - b.imag};
}
template <class V>
[[gnu::always_inline]] inline Complex<V> negative(Complex<V> x) {
  return {-x.real, -x.imag};
}
template <class V>
[[gnu::always_inline]] inline Complex<V> conj(Complex<V> x) {
  return {x.real, -x.imag};
}
/// Masks of the numbers whose parts are all equal, or not all.
template <class V>
[[gnu::always_inline]] inline auto equal(Complex<V> a, Complex<V> b) {
  return (a.real == b.real) & (a.imag == b.imag);
}
template <class V>
[[gnu::always_inline]] inline auto not_equal(Complex<V> a, Complex<V> b) {
  return (a.real != b.real) | (a.imag != b.imag);
}
/// Both are taken by the larger part of b first, so that no square overflows; by 0 it
/// is a number's parts by 0. Source: R. L. Smith, "Algorithm 116: Complex division",
/// CACM 1962.
template <class V>
[[gnu::always_inline]] inline Complex<V> divide(Complex<V> a, Complex<V> b) {
  const auto isReal = abs(b.imag) <= abs(b.real);
  const V large = select(isReal, b.real, b.imag), small = select(isReal, b.imag, b.real);
  const V first = select(isReal, a.real, a.imag), second = select(isReal, a.imag, a.real);
  const V ratio = select(large == Element<V>(0), small, small / large), scale = large + small * ratio;
  const V imag = (second - first * ratio) / scale;
  return {(first + second * ratio) / scale, select(isReal, imag, -imag)};
}
/// The plain formula; each product and each sum is rounded.
template <class V>
[[gnu::always_inline]] inline Complex<V> multiply(Complex<V> a, Complex<V> b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

/// All lanes equal to the first.
template <class V>
[[gnu::always_inline]] inline Complex<V> broadcastComplex(Complex<Element<V>> x) {
  return {broadcast<V>(x.real), broadcast<V>(x.imag)};
}

} // namespace tenon::math
