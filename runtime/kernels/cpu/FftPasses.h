//===- FftPasses.h - the passes of a Fourier transform ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stockham's form of the transform: every pass reads one buffer and writes the
// other one, and the results come out in order. An element of a buffer is a block
// of kFftLanes numbers, 64 bytes of real parts and 64 of imaginary ones, and the
// arithmetic is that of the lanes: nothing here depends on the width of a register.
// Products are explicit fused multiply-adds.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"
#include "runtime/fft/Plan.h"

namespace tenon::rt::TENON_ISA {

/// One register of the lanes.
template <class T>
using FftVector = Vec<T, math::nativeLanes<T>>;
template <class T>
using FftNumber = math::Complex<FftVector<T>>;
/// Numbers of T in a block, and registers of its real parts.
template <class T>
inline constexpr int64_t kFftBlock = 2 * kFftLanes<T>;
template <class T>
inline constexpr int kFftRegisters = static_cast<int>(kFftLanes<T> / math::nativeLanes<T>);

/// Register `v` of a block.
template <class T>
[[gnu::always_inline]] inline FftNumber<T> loadFft(const T *block, int v) {
  const T *const from = block + v * math::nativeLanes<T>;
  return {math::load<FftVector<T>>(from), math::load<FftVector<T>>(from + kFftLanes<T>)};
}
template <class T>
[[gnu::always_inline]] inline void storeFft(T *block, int v, FftNumber<T> x) {
  T *const to = block + v * math::nativeLanes<T>;
  math::store<FftVector<T>>(to, x.real);
  math::store<FftVector<T>>(to + kFftLanes<T>, x.imag);
}

template <class V>
[[gnu::always_inline]] inline math::Complex<V> rotated(math::Complex<V> x, V real, V imag) {
  return {math::fma(x.real, real, -(x.imag * imag)), math::fma(x.real, imag, x.imag * real)};
}
/// x times the number of two parts at `root`.
template <class V>
[[gnu::always_inline]] inline math::Complex<V> rotated(math::Complex<V> x, const math::Element<V> *root) {
  return rotated(x, math::broadcast<V>(root[0]), math::broadcast<V>(root[1]));
}
/// x times -i.
template <class V>
[[gnu::always_inline]] inline math::Complex<V> turned(math::Complex<V> x) {
  return {x.imag, -x.real};
}

/// cos and sin of 2 pi k / R for k = 1, ..., R / 2.
template <int R>
inline constexpr double cosines[1] = {};
template <int R>
inline constexpr double sines[1] = {};
template <>
inline constexpr double cosines<3>[] = {-0.50000000000000000000};
template <>
inline constexpr double sines<3>[] = {0.86602540378443864676};
template <>
inline constexpr double cosines<5>[] = {0.30901699437494742410, -0.80901699437494742410};
template <>
inline constexpr double sines<5>[] = {0.95105651629515357212, 0.58778525229247312917};
template <>
inline constexpr double cosines<7>[] = {0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
template <>
inline constexpr double sines<7>[] = {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
template <>
inline constexpr double cosines<11>[] = {0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044,
                                         -0.65486073394528506406, -0.95949297361449738989};
template <>
inline constexpr double sines<11>[] = {0.54064081745559758211, 0.90963199535451837141, 0.98982144188093273238,
                                       0.75574957435425828377, 0.28173255684142969771};
template <>
inline constexpr double cosines<13>[] = {0.88545602565320989590,  0.56806474673115580251,  0.12053668025532305335,
                                         -0.35460488704253562597, -0.74851074817110109863, -0.97094181742605202716};
template <>
inline constexpr double sines<13>[] = {0.46472317204376854566, 0.82298386589365639458, 0.99270887409805399280,
                                       0.93501624268541482344, 0.66312265824079520238, 0.23931566428755776715};
/// Butterflies of an odd prime: sums and differences of the elements k and R - k, each sum of which is one chain of
/// fused multiply-adds in the order of k.
template <int R, class V>
struct Butterfly {
  [[gnu::always_inline]] static void run(math::Complex<V> (&x)[R]) {
    using T = math::Element<V>;
    constexpr int half = R / 2;
    math::Complex<V> sums[half], differences[half], y[R];
    y[0] = x[0];
#pragma GCC unroll 8
    for (int k = 0; k < half; ++k) {
      sums[k] = add(x[k + 1], x[R - 1 - k]), differences[k] = subtract(x[k + 1], x[R - 1 - k]);
      y[0] = add(y[0], sums[k]);
    }
#pragma GCC unroll 8
    for (int j = 1; j <= half; ++j) {
      math::Complex<V> even = x[0], odd = {};
#pragma GCC unroll 8
      for (int k = 1; k <= half; ++k) {
        const int turn = j * k % R, place = (turn <= half ? turn : R - turn) - 1;
        const V c = math::broadcast<V>(static_cast<T>(cosines<R>[place]));
        const V s = math::broadcast<V>(static_cast<T>(turn <= half ? sines<R>[place] : -sines<R>[place]));
        even = {math::fma(c, sums[k - 1].real, even.real), math::fma(c, sums[k - 1].imag, even.imag)};
        if (k == 1)
          odd = {s * differences[0].real, s * differences[0].imag};
        else
          odd = {math::fma(s, differences[k - 1].real, odd.real), math::fma(s, differences[k - 1].imag, odd.imag)};
      }
      y[j] = add(even, turned(odd)), y[R - j] = subtract(even, turned(odd));
    }
#pragma GCC unroll 16
    for (int j = 0; j < R; ++j)
      x[j] = y[j];
  }
};
template <class V>
struct Butterfly<2, V> {
  [[gnu::always_inline]] static void run(math::Complex<V> (&x)[2]) {
    const math::Complex<V> sum = add(x[0], x[1]);
    x[1] = subtract(x[0], x[1]), x[0] = sum;
  }
};
template <class V>
struct Butterfly<4, V> {
  [[gnu::always_inline]] static void run(math::Complex<V> (&x)[4]) {
    const math::Complex<V> a = add(x[0], x[2]), b = subtract(x[0], x[2]), c = add(x[1], x[3]),
                           d = turned(subtract(x[1], x[3]));
    x[0] = add(a, c), x[1] = add(b, d), x[2] = subtract(a, c), x[3] = subtract(b, d);
  }
};
template <class V>
struct Butterfly<8, V> {
  [[gnu::always_inline]] static void run(math::Complex<V> (&x)[8]) {
    math::Complex<V> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    Butterfly<4, V>::run(even);
    Butterfly<4, V>::run(odd);
    const V diagonal = math::broadcast<V>(static_cast<math::Element<V>>(0.70710678118654752440));
    odd[1] = {(odd[1].real + odd[1].imag) * diagonal, (odd[1].imag - odd[1].real) * diagonal};
    odd[2] = turned(odd[2]);
    odd[3] = {(odd[3].imag - odd[3].real) * diagonal, -(odd[3].real + odd[3].imag) * diagonal};
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      x[k] = add(even[k], odd[k]), x[k + 4] = subtract(even[k], odd[k]);
  }
};

/// One pass over `apart` interleaved transforms: butterfly p of transform q takes its elements from blocks q + apart *
/// (p + rest * j), and its results, times the factors of p, go to blocks q + apart * (R * p + j).
template <class T, int R>
[[gnu::noinline]] void runPass(const T *from, T *to, const FftPass<T> &pass, int64_t apart) {
  using V = FftVector<T>;
  const int64_t step = apart * kFftBlock<T>, inStep = pass.rest * step;
  for (int64_t p = 0; p < pass.rest; ++p, from += step, to += R * step) {
    const T *const twiddles = pass.twiddles + p * 2 * (R - 1);
    for (int64_t at = 0; at < step; at += kFftBlock<T>)
      for (int v = 0; v < kFftRegisters<T>; ++v) {
        FftNumber<T> x[R];
#pragma GCC unroll 16
        for (int j = 0; j < R; ++j)
          x[j] = loadFft(from + at + j * inStep, v);
        Butterfly<R, V>::run(x);
        // The factors of position 0 are 1: an infinity stays one.
        if (p > 0)
#pragma GCC unroll 16
          for (int j = 1; j < R; ++j)
            x[j] = rotated(x[j], twiddles + 2 * (j - 1));
#pragma GCC unroll 16
        for (int j = 0; j < R; ++j)
          storeFft(to + at + j * step, v, x[j]);
      }
  }
}

/// All passes of `apart` interleaved transforms in `x`; returns where the results lie, x or `other`.
template <class T>
[[gnu::noinline]] T *runPhase(const FftPhase<T> &phase, int64_t apart, T *x, T *other) {
  for (int i = 0; i < phase.count; ++i) {
    const FftPass<T> &pass = phase.passes[i];
    switch (pass.radix) {
    case 2:
      runPass<T, 2>(x, other, pass, apart);
      break;
    case 3:
      runPass<T, 3>(x, other, pass, apart);
      break;
    case 4:
      runPass<T, 4>(x, other, pass, apart);
      break;
    case 5:
      runPass<T, 5>(x, other, pass, apart);
      break;
    case 7:
      runPass<T, 7>(x, other, pass, apart);
      break;
    case 8:
      runPass<T, 8>(x, other, pass, apart);
      break;
    case 11:
      runPass<T, 11>(x, other, pass, apart);
      break;
    case 13:
      runPass<T, 13>(x, other, pass, apart);
      break;
    }
    apart *= pass.radix;
    T *const written = other;
    other = x, x = written;
  }
  return x;
}

} // namespace tenon::rt::TENON_ISA
