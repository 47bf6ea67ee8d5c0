//===- Vec.h - vectors of a fixed width, the same in g++ and clang ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vec<T, N> is N lanes of T (T itself for N = 1), by the vector_size attribute
// of both compilers, so that operators come for free and nothing depends on an
// instruction set. A function written over V runs as an eager kernel, as
// bitcode inside a compiled kernel, and as one thread of a GPU, with the same
// operations in the same order. Freestanding: the GPU build has no library.
//
// Build with -ffp-contract=off -fno-math-errno -fno-trapping-math, and g++ with
// -Wno-psabi (everything here is inlined, no vector crosses a call).
//===----------------------------------------------------------------------===//
#pragma once

#include <stdint.h>

#ifndef __clang__
#include <immintrin.h>
#endif

namespace tenon::math {

namespace detail {
template <class T, int N>
struct VecOf {
  typedef T Type __attribute__((vector_size(N * sizeof(T))));
};
template <class T>
struct VecOf<T, 1> {
  using Type = T;
};

template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<T &> : Plain<T> {};
template <class T>
struct Plain<T &&> : Plain<T> {};
template <class T>
struct Plain<const T> : Plain<T> {};

template <class V>
struct ElementOf {
  using Type = V;
};
template <class V>
  requires requires(V v) { v[0]; }
struct ElementOf<V> {
  static V &value();
  using Type = typename Plain<decltype(value()[0])>::Type;
};

template <int Bytes>
struct IntOf;
template <>
struct IntOf<1> {
  using Signed = int8_t;
  using Unsigned = uint8_t;
};
template <>
struct IntOf<2> {
  using Signed = int16_t;
  using Unsigned = uint16_t;
};
template <>
struct IntOf<4> {
  using Signed = int32_t;
  using Unsigned = uint32_t;
};
template <>
struct IntOf<8> {
  using Signed = int64_t;
  using Unsigned = uint64_t;
};
} // namespace detail

/// N lanes of T; N is a power of two, and T itself when N is 1.
template <class T, int N>
using Vec = typename detail::VecOf<T, N>::Type;

/// Bytes of a vector register of the instruction set compiled for; 0: none.
#if defined(__AVX512F__)
constexpr int registerBytes = 64;
#elif defined(__AVX__)
constexpr int registerBytes = 32;
#else
constexpr int registerBytes = 0;
#endif

/// Lanes that fill one register. Wider vectors give the same bits, but g++
/// takes their selects and shifts apart into scalars (10 to 60 times slower).
template <class T>
static constexpr int nativeLanes = registerBytes == 0 ? 1 : registerBytes / int(sizeof(T));

/// The lane type of V, which is V for a scalar.
template <class V>
using Element = typename detail::ElementOf<V>::Type;

template <class V>
inline constexpr int lanes = sizeof(V) / sizeof(Element<V>);

/// V with lanes of another type.
template <class V, class T>
using WithElement = Vec<T, lanes<V>>;

/// Signed and unsigned integers as wide as V's lanes.
template <class V>
using SignedOf = WithElement<V, typename detail::IntOf<sizeof(Element<V>)>::Signed>;
template <class V>
using UnsignedOf = WithElement<V, typename detail::IntOf<sizeof(Element<V>)>::Unsigned>;

template <class T>
concept IsFloat = __is_same(T, float) || __is_same(T, double);

template <class T>
inline constexpr bool isSigned = T(-1) < T(0);

/// All lanes equal to `value`. (x - 0 keeps -0, x + 0 would not.)
template <class V>
[[gnu::always_inline]] inline V broadcast(Element<V> value) {
  if constexpr (lanes<V> == 1)
    return value;
  else
    return value - V{};
}

/// 0, 1, 2, ...
template <class V>
[[gnu::always_inline]] inline V laneIndex() {
  if constexpr (lanes<V> == 1) {
    return V(0);
  } else {
    V result{};
    for (int i = 0; i < lanes<V>; ++i)
      result[i] = Element<V>(i);
    return result;
  }
}

template <class To, class From>
[[gnu::always_inline]] inline To bitCast(From value) {
  return __builtin_bit_cast(To, value);
}

/// Lane by lane `mask ? yes : no`; the mask is what a comparison gives.
template <class M, class V>
[[gnu::always_inline]] inline V select(M mask, V yes, V no) {
  return mask ? yes : no;
}

#ifndef __clang__
namespace detail {
template <class V, class T>
inline constexpr bool canWiden = lanes<V> > 1 && sizeof(Element<V>) < sizeof(T) && sizeof(WithElement<V, T>) >= 16 &&
                                 sizeof(WithElement<V, T>) <= registerBytes;

/// A vector of integers as lanes of a wider integer, which g++ 12 takes apart into
/// scalars: an instruction for each pair of sizes and width.
template <class T, class V>
[[gnu::always_inline]] inline WithElement<V, T> widen(V value) {
  using R = WithElement<V, T>;
  using From = Element<V>;
  Vec<long long, (sizeof(V) > 16 ? 4 : 2)> source{};
  __builtin_memcpy(&source, &value, sizeof(V));
#define TENON_WIDEN(from, to, prefix, suffix, ...)                                                                     \
  if constexpr (sizeof(From) == from && sizeof(T) == to) {                                                             \
    if constexpr (isSigned<From>)                                                                                      \
      return (R)prefix##_cvtepi##suffix(__VA_ARGS__);                                                                  \
    else                                                                                                               \
      return (R)prefix##_cvtepu##suffix(__VA_ARGS__);                                                                  \
  }
#define TENON_WIDEN_ALL(prefix, ...)                                                                                   \
  TENON_WIDEN(1, 2, prefix, 8_epi16, __VA_ARGS__)                                                                      \
  TENON_WIDEN(1, 4, prefix, 8_epi32, __VA_ARGS__)                                                                      \
  TENON_WIDEN(1, 8, prefix, 8_epi64, __VA_ARGS__)                                                                      \
  TENON_WIDEN(2, 4, prefix, 16_epi32, __VA_ARGS__)                                                                     \
  TENON_WIDEN(2, 8, prefix, 16_epi64, __VA_ARGS__)                                                                     \
  TENON_WIDEN(4, 8, prefix, 32_epi64, __VA_ARGS__)
  if constexpr (sizeof(R) == 16) {
    TENON_WIDEN_ALL(_mm, source)
  } else if constexpr (sizeof(R) == 32) {
    TENON_WIDEN_ALL(_mm256, source)
  }
#ifdef __AVX512F__
  else { // with a mask of all: g++ 12 warns of what the others leave undefined
    TENON_WIDEN_ALL(_mm512_maskz, -1, source)
  }
#endif
#undef TENON_WIDEN_ALL
#undef TENON_WIDEN
}

/// Floats as doubles, and back.
template <class V>
[[gnu::always_inline]] inline WithElement<V, double> widenFloats(V value) {
  using R = WithElement<V, double>;
  if constexpr (sizeof(R) == 16) {
    return bitCast<R>(_mm_cvtps_pd(_mm_castsi128_ps(_mm_cvtsi64_si128(bitCast<long long>(value)))));
  } else if constexpr (sizeof(R) == 32) {
    return bitCast<R>(_mm256_cvtps_pd(bitCast<__m128>(value)));
  }
#ifdef __AVX512F__
  else {
    return bitCast<R>(_mm512_maskz_cvtps_pd(-1, bitCast<__m256>(value)));
  }
#endif
}
template <class V>
inline constexpr bool canNarrow = lanes<V> > 2 && sizeof(V) <= registerBytes;
template <class V>
[[gnu::always_inline]] inline WithElement<V, float> narrowDoubles(V value) {
  using R = WithElement<V, float>;
  if constexpr (sizeof(V) == 32) {
    return bitCast<R>(_mm256_cvtpd_ps(bitCast<__m256d>(value)));
  }
#ifdef __AVX512F__
  else {
    return bitCast<R>(_mm512_maskz_cvtpd_ps(-1, bitCast<__m512d>(value)));
  }
#endif
}
} // namespace detail
#endif

/// The language's conversion of each lane; a float that does not fit an
/// integer is undefined here, convertTo in Numbers.h says what it becomes.
template <class T, class V>
[[gnu::always_inline]] inline WithElement<V, T> convertLanes(V value) {
  using From = Element<V>;
  if constexpr (lanes<V> == 1) {
    return static_cast<T>(value);
  }
#ifndef __clang__
  else if constexpr (!IsFloat<From> && !IsFloat<T> && detail::canWiden<V, T>) {
    return (WithElement<V, T>)detail::widen<T>(value);
  } else if constexpr (!IsFloat<From> && IsFloat<T> && detail::canWiden<V, int32_t>) {
    return __builtin_convertvector(detail::widen<int32_t>(value), WithElement<V, T>);
  } else if constexpr (__is_same(From, float) && __is_same(T, double) && detail::canWiden<V, T>) {
    return detail::widenFloats(value);
  } else if constexpr (__is_same(From, double) && __is_same(T, float) && detail::canNarrow<V>) {
    return detail::narrowDoubles(value);
  }
#endif
  else {
    return __builtin_convertvector(value, WithElement<V, T>);
  }
}

/// The first or the second half of the lanes, and both together again.
template <class V>
using HalfOf = Vec<Element<V>, lanes<V> / 2>;
template <class V>
[[gnu::always_inline]] inline HalfOf<V> lowHalf(V value) {
  if constexpr (lanes<V> == 2)
    return value[0];
  else if constexpr (lanes<V> == 4)
    return __builtin_shufflevector(value, value, 0, 1);
  else if constexpr (lanes<V> == 8)
    return __builtin_shufflevector(value, value, 0, 1, 2, 3);
  else
    return __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7);
}
template <class V>
[[gnu::always_inline]] inline HalfOf<V> highHalf(V value) {
  if constexpr (lanes<V> == 2)
    return value[1];
  else if constexpr (lanes<V> == 4)
    return __builtin_shufflevector(value, value, 2, 3);
  else if constexpr (lanes<V> == 8)
    return __builtin_shufflevector(value, value, 4, 5, 6, 7);
  else
    return __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15);
}
template <class V>
[[gnu::always_inline]] inline V joined(HalfOf<V> low, HalfOf<V> high) {
  if constexpr (lanes<V> == 2)
    return V{low, high};
  else if constexpr (lanes<V> == 4)
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
  else if constexpr (lanes<V> == 8)
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Whether a comparison holds for some lane.
template <class M>
[[gnu::always_inline]] inline bool any(M mask) {
  if constexpr (lanes<M> == 1)
    return mask;
  else if constexpr (sizeof(M) > 8)
    return any(lowHalf(mask) | highHalf(mask));
  else
    return bitCast<uint64_t>(mask) != 0;
}

/// Reads and writes lanes at an address of any alignment.
template <class V>
[[gnu::always_inline]] inline V load(const Element<V> *from) {
  V value;
  __builtin_memcpy(&value, from, sizeof(V));
  return value;
}
template <class V>
[[gnu::always_inline]] inline void store(Element<V> *to, V value) {
  __builtin_memcpy(to, &value, sizeof(V));
}

#ifdef __clang__

/// a * b + c with one rounding.
template <class V>
[[gnu::always_inline]] inline V fma(V a, V b, V c) {
  return __builtin_elementwise_fma(a, b, c);
}

/// Correctly rounded.
template <class V>
[[gnu::always_inline]] inline V sqrt(V x) {
  return __builtin_elementwise_sqrt(x);
}

#else

namespace detail {
/// Vectors wider than a register go through in halves, and without vector
/// registers down to scalars, for which the C library has the fma.
template <class V>
struct Halves {
  Vec<Element<V>, lanes<V> / 2> low, high;
};
} // namespace detail

/// a * b + c with one rounding.
template <class V>
[[gnu::always_inline]] inline V fma(V a, V b, V c) {
  constexpr bool isDouble = __is_same(Element<V>, double);
  if constexpr (lanes<V> == 1) {
    if constexpr (isDouble)
      return __builtin_fma(a, b, c);
    else
      return __builtin_fmaf(a, b, c);
  } else if constexpr (sizeof(V) > registerBytes) {
    auto x = bitCast<detail::Halves<V>>(a), y = bitCast<detail::Halves<V>>(b), z = bitCast<detail::Halves<V>>(c);
    return bitCast<V>(detail::Halves<V>{fma(x.low, y.low, z.low), fma(x.high, y.high, z.high)});
  } else if constexpr (sizeof(V) == 16) {
    if constexpr (isDouble)
      return (V)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
    else
      return (V)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
  } else if constexpr (sizeof(V) == 32) {
    if constexpr (isDouble)
      return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
    else
      return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  }
#ifdef __AVX512F__
  else {
    if constexpr (isDouble)
      return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
    else
      return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  }
#endif
}

/// Correctly rounded.
template <class V>
[[gnu::always_inline]] inline V sqrt(V x) {
  constexpr bool isDouble = __is_same(Element<V>, double);
  if constexpr (lanes<V> == 1) {
    if constexpr (isDouble)
      return __builtin_sqrt(x);
    else
      return __builtin_sqrtf(x);
  } else if constexpr (sizeof(V) > registerBytes) {
    auto h = bitCast<detail::Halves<V>>(x);
    return bitCast<V>(detail::Halves<V>{sqrt(h.low), sqrt(h.high)});
  } else if constexpr (sizeof(V) == 16) {
    if constexpr (isDouble)
      return (V)_mm_sqrt_pd((__m128d)x);
    else
      return (V)_mm_sqrt_ps((__m128)x);
  } else if constexpr (sizeof(V) == 32) {
    if constexpr (isDouble)
      return (V)_mm256_sqrt_pd((__m256d)x);
    else
      return (V)_mm256_sqrt_ps((__m256)x);
  }
#ifdef __AVX512F__
  else {
    if constexpr (isDouble)
      return (V)_mm512_maskz_sqrt_pd((__mmask8)-1, (__m512d)x);
    else
      return (V)_mm512_maskz_sqrt_ps((__mmask16)-1, (__m512)x);
  }
#endif
}

#endif

} // namespace tenon::math
