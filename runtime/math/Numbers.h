//===- Numbers.h - integer, shift and conversion rules ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C++ leaves undefined or to the machine, decided once for every width,
// compiler and device: integers wrap, shifts past the width, float to integer,
// narrow floats, maximum and minimum. Over a scalar or a vector, without branches.
//===----------------------------------------------------------------------===//
#pragma once

#include "Vec.h"

namespace tenon::math {

namespace detail {
/// Wide enough that C++ does not promote it to int, so that it wraps.
template <class V>
using Wrapping =
    WithElement<V,
                typename IntOf<(sizeof(V) == sizeof(Element<V>) && sizeof(V) < 4) ? 4 : sizeof(Element<V>)>::Unsigned>;

#if defined(__AVX512DQ__) && !defined(__clang__)
template <class V>
inline constexpr bool hasRange = IsFloat<Element<V>> && sizeof(V) == 64;
/// maximum (5) or minimum (4) of numbers; vrange orders zeros, but passes over a NaN.
template <int Selection, class V>
[[gnu::always_inline]] inline V rangeOfNumbers(V a, V b) {
  if constexpr (sizeof(Element<V>) == 4)
    return bitCast<V>(_mm512_range_ps(bitCast<__m512>(a), bitCast<__m512>(b), Selection));
  else
    return bitCast<V>(_mm512_range_pd(bitCast<__m512d>(a), bitCast<__m512d>(b), Selection));
}
/// A bit for each lane in which either is NaN.
template <class V>
[[gnu::always_inline]] inline unsigned nanLanes(V a, V b) {
  if constexpr (sizeof(Element<V>) == 4)
    return _mm512_cmp_ps_mask(bitCast<__m512>(a), bitCast<__m512>(b), _CMP_UNORD_Q);
  else
    return _mm512_cmp_pd_mask(bitCast<__m512d>(a), bitCast<__m512d>(b), _CMP_UNORD_Q);
}
/// maximum or minimum, in three instructions.
template <int Selection, class V>
[[gnu::always_inline]] inline V rangeOf(V a, V b) {
  const V result = rangeOfNumbers<Selection>(a, b);
  const unsigned nan = nanLanes(a, b);
  if constexpr (sizeof(Element<V>) == 4)
    return bitCast<V>(_mm512_mask_add_ps(bitCast<__m512>(result), static_cast<__mmask16>(nan), bitCast<__m512>(a),
                                         bitCast<__m512>(b)));
  else
    return bitCast<V>(_mm512_mask_add_pd(bitCast<__m512d>(result), static_cast<__mmask8>(nan), bitCast<__m512d>(a),
                                         bitCast<__m512d>(b)));
}
#else
template <class V>
inline constexpr bool hasRange = false;
template <int Selection, class V>
V rangeOf(V a, V b);
template <int Selection, class V>
V rangeOfNumbers(V a, V b);
template <class V>
unsigned nanLanes(V a, V b);
#endif
} // namespace detail

/// a + b, a - b, a * b; integers wrap.
template <class V>
[[gnu::always_inline]] inline V add(V a, V b) {
  if constexpr (IsFloat<Element<V>>)
    return a + b;
  else
    return (V)((detail::Wrapping<V>)a + (detail::Wrapping<V>)b);
}
template <class V>
[[gnu::always_inline]] inline V subtract(V a, V b) {
  if constexpr (IsFloat<Element<V>>)
    return a - b;
  else
    return (V)((detail::Wrapping<V>)a - (detail::Wrapping<V>)b);
}
template <class V>
[[gnu::always_inline]] inline V multiply(V a, V b) {
  if constexpr (IsFloat<Element<V>>)
    return a * b;
  else
    return (V)((detail::Wrapping<V>)a * (detail::Wrapping<V>)b);
}

/// a * b + c of integers; that of floats, which rounds once, is in Vec.h.
template <class V>
  requires(!IsFloat<Element<V>>)
[[gnu::always_inline]] inline V fma(V a, V b, V c) {
  return add(multiply(a, b), c);
}

/// a / b of floats.
template <class V>
[[gnu::always_inline]] inline V divide(V a, V b) {
  return a / b;
}

/// The number as lanes of x's type, which hold it.
template <class V>
[[gnu::always_inline]] inline V like(V, Element<V> number) {
  return broadcast<V>(number);
}

/// Comparisons, as a mask for select.
template <class V>
[[gnu::always_inline]] inline auto equal(V a, V b) {
  return a == b;
}
template <class V>
[[gnu::always_inline]] inline auto not_equal(V a, V b) {
  return a != b;
}
template <class V>
[[gnu::always_inline]] inline auto less(V a, V b) {
  return a < b;
}
template <class V>
[[gnu::always_inline]] inline auto less_equal(V a, V b) {
  return a <= b;
}
/// A mask as bytes 0 and 1.
template <class M>
[[gnu::always_inline]] inline WithElement<M, uint8_t> truth(M mask) {
  if constexpr (lanes<M> == 1)
    return mask;
  else
    return convertLanes<uint8_t>(bitCast<UnsignedOf<M>>(mask) & 1);
}

/// Of masks, or of bytes 0 and 1.
template <class M>
[[gnu::always_inline]] inline M logical_and(M a, M b) {
  return a & b;
}
template <class M>
[[gnu::always_inline]] inline M logical_or(M a, M b) {
  return a | b;
}
template <class M>
[[gnu::always_inline]] inline M logical_xor(M a, M b) {
  return a ^ b;
}
template <class M>
[[gnu::always_inline]] inline M logical_not(M x) {
  if constexpr (__is_same(Element<M>, uint8_t))
    return x ^ broadcast<M>(1);
  else
    return !x;
}

/// -x: of floats the sign is flipped, of NaN too; integers wrap.
template <class V>
[[gnu::always_inline]] inline V negative(V x) {
  if constexpr (IsFloat<Element<V>>)
    return -x;
  else
    return subtract(V{}, x);
}

/// |x|; the smallest integer stays itself.
template <class V>
[[gnu::always_inline]] inline V abs(V x) {
  using T = Element<V>;
  if constexpr (IsFloat<T>) {
    constexpr auto sign = Element<UnsignedOf<V>>(1) << (8 * sizeof(T) - 1);
    return bitCast<V>(bitCast<UnsignedOf<V>>(x) & ~sign);
  } else if constexpr (isSigned<T>) {
    return select(x < T(0), negative(x), x);
  } else {
    return x;
  }
}

/// IEEE 754-2019: NaN if either is, and -0 < +0.
template <class V>
[[gnu::always_inline]] inline V maximum(V a, V b) {
  if constexpr (detail::hasRange<V>)
    return detail::rangeOf<5>(a, b);
  V result = select(a > b, a, b);
  if constexpr (IsFloat<Element<V>>) {
    // Equal floats differ in bits only if they are zeros of either sign.
    const auto both = bitCast<V>(bitCast<UnsignedOf<V>>(a) & bitCast<UnsignedOf<V>>(b));
    result = select(a == b, both, result);
    result = select(a != a, a, result);
  }
  return result;
}
template <class V>
[[gnu::always_inline]] inline V minimum(V a, V b) {
  if constexpr (detail::hasRange<V>)
    return detail::rangeOf<4>(a, b);
  V result = select(a < b, a, b);
  if constexpr (IsFloat<Element<V>>) {
    const auto both = bitCast<V>(bitCast<UnsignedOf<V>>(a) | bitCast<UnsignedOf<V>>(b));
    result = select(a == b, both, result);
    result = select(a != a, a, result);
  }
  return result;
}

/// a >> count, arithmetic for signed integers. A count that is negative or not
/// below the width shifts every bit out: 0, or -1 for a negative a.
template <class V>
[[gnu::always_inline]] inline V right_shift(V a, V count) {
  using T = Element<V>;
  using U = UnsignedOf<V>;
  constexpr auto last = Element<U>(8 * sizeof(T) - 1);
  const auto isOutside = (U)count > last;
  if constexpr (isSigned<T>)
    return (V)(a >> select(isOutside, broadcast<V>(T(last)), count));
  else
    return select(isOutside, V{}, (V)(a >> (V)(count & last)));
}

/// a << count; a count that is negative or not below the width shifts every bit out.
template <class V>
[[gnu::always_inline]] inline V left_shift(V a, V count) {
  using U = UnsignedOf<V>;
  constexpr auto last = Element<U>(8 * sizeof(Element<V>) - 1);
  return select((U)count > last, V{}, (V)((U)a << ((U)count & last)));
}
template <class V>
[[gnu::always_inline]] inline V bitwise_and(V a, V b) {
  return a & b;
}
template <class V>
[[gnu::always_inline]] inline V bitwise_or(V a, V b) {
  return a | b;
}
template <class V>
[[gnu::always_inline]] inline V bitwise_xor(V a, V b) {
  return a ^ b;
}
template <class V>
[[gnu::always_inline]] inline V bitwise_invert(V x) {
  return V(~x);
}
/// How many bits are 1: sums of neighbours, then of pairs and so on (Warren, "Hacker's
/// Delight", 5-1).
template <class V>
[[gnu::always_inline]] inline V popcount(V x) {
  using U = UnsignedOf<V>;
  using T = Element<U>;
  U n = (U)x;
  n = (U)(n - ((n >> 1) & T(0x5555555555555555)));
  n = (U)((n & T(0x3333333333333333)) + ((n >> 2) & T(0x3333333333333333)));
  n = (U)((n + (n >> 4)) & T(0x0f0f0f0f0f0f0f0f));
  for (unsigned shift = 8; shift < 8 * sizeof(T); shift *= 2)
    n = (U)(n + (n >> T(shift)));
  return (V)(U)(n & T(0x7f));
}
/// How many bits above the highest 1 are 0; all of 0.
template <class V>
[[gnu::always_inline]] inline V clz(V x) {
  using U = UnsignedOf<V>;
  using T = Element<U>;
  U n = (U)x;
  for (unsigned shift = 1; shift < 8 * sizeof(T); shift *= 2)
    n = (U)(n | (n >> T(shift)));
  return popcount((V)(U)~n);
}

namespace detail {
/// A divisor by which the machine can divide: 1 for 0, and for the -1 whose quotient wraps.
template <class V>
[[gnu::always_inline]] inline V safeDivisor(V a, V b) {
  using T = Element<V>;
  auto isUnsafe = b == T(0);
  if constexpr (isSigned<T>)
    isUnsafe = isUnsafe | ((b == T(-1)) & (a == T(uint64_t(1) << (8 * sizeof(T) - 1))));
  return select(isUnsafe, broadcast<V>(T(1)), b);
}
/// Where the remainder of a division towards 0 has not the divisor's sign.
template <class V>
[[gnu::always_inline]] inline auto isRoundedUp(V rest, V divisor) {
  using T = Element<V>;
  return (rest != T(0)) & ((V)(rest ^ divisor) < T(0));
}
} // namespace detail

/// The largest integer not above a / b; 0 where b is 0. (Floats: Remainder.h.)
template <class V>
[[gnu::always_inline]] inline V floor_divide(V a, V b) {
  using T = Element<V>;
  const V divisor = detail::safeDivisor(a, b);
  V quotient = (V)(a / divisor);
  if constexpr (isSigned<T>)
    quotient = select(detail::isRoundedUp((V)(a % divisor), divisor), subtract(quotient, broadcast<V>(T(1))), quotient);
  return select(b == T(0), V{}, quotient);
}
/// a - floor_divide(a, b) * b; 0 where b is 0.
template <class V>
[[gnu::always_inline]] inline V remainder(V a, V b) {
  using T = Element<V>;
  const V divisor = detail::safeDivisor(a, b);
  V rest = (V)(a % divisor);
  if constexpr (isSigned<T>)
    rest = select(detail::isRoundedUp(rest, divisor), add(rest, divisor), rest);
  return select(b == T(0), V{}, rest);
}
/// a - trunc(a / b) * b; 0 where b is 0.
template <class V>
[[gnu::always_inline]] inline V fmod(V a, V b) {
  return select(b == Element<V>(0), V{}, (V)(a % detail::safeDivisor(a, b)));
}

/// |x| with the sign of y.
template <class V>
[[gnu::always_inline]] inline V copysign(V x, V y) {
  using U = UnsignedOf<V>;
  constexpr auto sign = Element<U>(1) << (8 * sizeof(Element<V>) - 1);
  return bitCast<V>((U)((bitCast<U>(x) & ~sign) | (bitCast<U>(y) & sign)));
}
template <class V>
[[gnu::always_inline]] inline auto signbit(V x) {
  return (SignedOf<V>)bitCast<UnsignedOf<V>>(x) < 0;
}

/// To the nearest integer, of two the even one: numbers from 2^23 (2^52) on are integers, and
/// adding that rounds.
template <class V>
[[gnu::always_inline]] inline V round(V x) {
  using T = Element<V>;
  if constexpr (IsFloat<T>) {
    constexpr T large = sizeof(T) == sizeof(float) ? T(0x1p23) : T(0x1p52);
    const V size = abs(x);
    return copysign(select(size < large, (V)((size + large) - large), size), x);
  } else {
    return x;
  }
}
template <class V>
[[gnu::always_inline]] inline V floor(V x) {
  using T = Element<V>;
  if constexpr (IsFloat<T>) {
    const V near = round(x);
    return copysign(select(near > x, (V)(near - T(1)), near), x);
  } else {
    return x;
  }
}
template <class V>
[[gnu::always_inline]] inline V ceil(V x) {
  if constexpr (IsFloat<Element<V>>)
    return negative(floor(negative(x)));
  else
    return x;
}
template <class V>
[[gnu::always_inline]] inline V trunc(V x) {
  if constexpr (IsFloat<Element<V>>)
    return copysign(floor(abs(x)), x);
  else
    return x;
}
/// -1, 0 or 1; NaN stays.
template <class V>
[[gnu::always_inline]] inline V sign(V x) {
  using T = Element<V>;
  V result = select(x > T(0), broadcast<V>(T(1)), V{});
  if constexpr (isSigned<T> || IsFloat<T>)
    result = select(x < T(0), broadcast<V>(T(-1)), result);
  if constexpr (IsFloat<T>)
    result = select(x != x, x, result);
  return result;
}

/// The number next to x on the way to y: as integers, numbers of one sign are in their order.
template <class V>
[[gnu::always_inline]] inline V nextafter(V x, V y) {
  using U = UnsignedOf<V>;
  using T = Element<V>;
  const U bits = bitCast<U>(x);
  const auto grows = (x < y) == (x > T(0));
  const V next = bitCast<V>(select(grows, (U)(bits + 1), (U)(bits - 1)));
  const V least = copysign(bitCast<V>(broadcast<U>(1)), y);
  const V result = select(x == T(0), least, next);
  return select(x == y, y, select((x != x) | (y != y), (V)(x + y), result));
}

#if defined(__F16C__) && !defined(__clang__)
namespace detail {
/// Whether a vector of so many halves has instructions of its own.
template <int Count>
inline constexpr bool hasHalves = Count == 1 || Count == 4 || Count == 8 || (Count == 16 && registerBytes == 64);

template <class V>
[[gnu::always_inline]] inline WithElement<V, float> fromHalves(V bits) {
  using To = WithElement<V, float>;
  if constexpr (lanes<V> == 1)
    return _cvtsh_ss(bits);
  else if constexpr (lanes<V> == 4)
    return bitCast<To>(_mm_cvtph_ps(_mm_cvtsi64_si128(bitCast<long long>(bits))));
  else if constexpr (lanes<V> == 8)
    return bitCast<To>(_mm256_cvtph_ps(bitCast<__m128i>(bits)));
#ifdef __AVX512F__
  else
    return bitCast<To>(_mm512_maskz_cvtph_ps(__mmask16(-1), bitCast<__m256i>(bits)));
#endif
}
template <class V>
[[gnu::always_inline]] inline WithElement<V, uint16_t> toHalves(V x) {
  using To = WithElement<V, uint16_t>;
  if constexpr (lanes<V> == 1)
    return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
  else if constexpr (lanes<V> == 4)
    return bitCast<To>(_mm_cvtsi128_si64(_mm_cvtps_ph(bitCast<__m128>(x), _MM_FROUND_TO_NEAREST_INT)));
  else if constexpr (lanes<V> == 8)
    return bitCast<To>(_mm256_cvtps_ph(bitCast<__m256>(x), _MM_FROUND_TO_NEAREST_INT));
#ifdef __AVX512F__
  else
    return bitCast<To>(_mm512_maskz_cvtps_ph(__mmask16(-1), bitCast<__m512>(x), _MM_FROUND_TO_NEAREST_INT));
#endif
}
} // namespace detail
#else
namespace detail {
template <int Count>
inline constexpr bool hasHalves = false;
template <class V>
WithElement<V, float> fromHalves(V bits);
template <class V>
WithElement<V, uint16_t> toHalves(V x);
} // namespace detail
#endif

/// Bits of the narrow float F (of include/tenon/dtype.h) to f32, exactly.
template <class F, class V>
[[gnu::always_inline]] inline WithElement<V, float> fromNarrow(V bits) {
  static_assert(__is_same(Element<V>, decltype(F::bits)));
  using To = WithElement<V, float>;
  using I = WithElement<V, int32_t>;
  const I wide = (I)convertLanes<uint32_t>(bits);
  if constexpr (F::rebias == 0) {
    return bitCast<To>((I)(wide << F::dropped));
  } else if constexpr (F::digits == 11 && detail::hasHalves<lanes<V>>) {
    return detail::fromHalves(bits);
  } else {
    constexpr int32_t lowest = F::rebias + 1;
    const I x = wide & int32_t(F::magnitude), fraction = x << F::dropped;
    // Below the normal numbers the leading 1 that it gets is taken off again.
    const To small = bitCast<To>((I)(fraction + (lowest << 23))) - bitCast<float>(lowest << 23);
    I result = select(x < (1 << (F::digits - 1)), bitCast<I>(small), (I)(fraction + (F::rebias << 23)));
    if constexpr (F::has_infinity)
      result = select(x > int32_t(F::largest),
                      (I)(fraction | 0x7f800000 | select(x != int32_t(F::over), broadcast<I>(0x400000), I{})), result);
    else
      result = select(x > int32_t(F::largest), broadcast<I>(0x7fc00000), result);
    return bitCast<To>((I)(result | ((wide ^ x) << (32 - 8 * int(sizeof(F))))));
  }
}

/// f32 to bits of the narrow float F, to nearest even; what is past the largest
/// number is infinity, or NaN where there is none. NaN keeps its sign, and its upper
/// payload if there are several, and becomes quiet.
template <class F, class V>
[[gnu::always_inline]] inline WithElement<V, decltype(F::bits)> toNarrow(V x) {
  static_assert(__is_same(Element<V>, float));
  using I = WithElement<V, int32_t>;
  using U = UnsignedOf<V>;
  if constexpr (F::digits == 11 && detail::hasHalves<lanes<V>>) {
    return detail::toHalves(x);
  } else {
    constexpr uint32_t lowest = F::rebias + 1, magic = (lowest + F::dropped) << 23;
    const U magnitude = bitCast<U>(x) & 0x7fffffff;
    const U rounded = (magnitude + ((1u << (F::dropped - 1)) - 1) + ((magnitude >> F::dropped) & 1)) >> F::dropped;
    U result = rounded - (uint32_t(F::rebias) << (F::digits - 1));
    if constexpr (F::rebias != 0) {
      // An addition that rounds to the distance between subnormal numbers.
      const U small = bitCast<U>(bitCast<V>(magnitude) + bitCast<float>(magic)) - magic;
      result = select((I)magnitude < int32_t(lowest << 23), small, result);
      result = select((I)result > int32_t(F::largest), broadcast<U>(F::over), result);
    }
    U nan = broadcast<U>(F::magnitude);
    if constexpr (F::has_infinity)
      nan = ((magnitude >> F::dropped) & ((1u << (F::digits - 1)) - 1)) | (F::over | 1u << (F::digits - 2));
    result = select(x != x, nan, result);
    return convertLanes<decltype(F::bits)>((U)(result | ((bitCast<U>(x) >> 31) << (8 * sizeof(F) - 1))));
  }
}

/// f64 to the f32 next to it, or the one beyond it whose last bit is 1: rounded once
/// more, to a narrow float, it is what it would be from f64 at once.
template <class V>
[[gnu::always_inline]] inline WithElement<V, float> roundedToOdd(V x) {
  using To = WithElement<V, float>;
  using I = WithElement<V, int32_t>;
  using Wide = WithElement<V, int64_t>;
  const To near = convertLanes<float>(x);
  const V back = convertLanes<double>(near);
  const Wide change = select(abs(back) > abs(x), broadcast<Wide>(-1), Wide{});
  const Wide odd = select(back != x, broadcast<Wide>(1), Wide{});
  return bitCast<To>((I)((bitCast<I>(near) + convertLanes<int32_t>(change)) | convertLanes<int32_t>(odd)));
}

/// x != 0 as bytes 0 and 1; NaN is true.
template <class V>
[[gnu::always_inline]] inline WithElement<V, uint8_t> toBool(V x) {
  using U = UnsignedOf<V>;
  return convertLanes<uint8_t>((U)select(x != Element<V>(0), broadcast<U>(1), U{}));
}

/// Converts lanes to T. Between integers the low bits are kept; integer to
/// float rounds to nearest even; float to integer drops the fraction, values
/// past the ends give the ends, NaN gives 0. Narrow floats and bool have functions of
/// their own: narrow floats are made from an f32, and become one.
template <class T, class V>
[[gnu::always_inline]] inline WithElement<V, T> convertTo(V x) {
  using From = Element<V>;
  if constexpr (!IsFloat<From> || IsFloat<T>) {
    return convertLanes<T>(x);
  } else {
    constexpr T low = isSigned<T> ? T(uint64_t(1) << (8 * sizeof(T) - 1)) : T(0), high = T(~low);
    x = select(x != x, V{}, x);
    x = select(x < From(low), broadcast<V>(From(low)), x);
    if constexpr (sizeof(T) > sizeof(From)) {
      return convertTo<T>(convertLanes<double>(x));
    } else if constexpr (sizeof(T) == sizeof(From)) {
      // The highest integer is no float, but one more is.
      constexpr From limit = From(uint64_t(high) / 2 + 1) * 2;
      const auto isPast = x >= limit;
      return select(isPast, broadcast<WithElement<V, T>>(high), convertLanes<T>(select(isPast, V{}, x)));
    } else {
      x = select(x > From(high), broadcast<V>(From(high)), x);
      if constexpr (sizeof(T) < sizeof(int32_t))
        return convertLanes<T>(convertLanes<int32_t>(x));
      else
        return convertLanes<T>(x);
    }
  }
}

} // namespace tenon::math
