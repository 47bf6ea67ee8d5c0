//===- Numbers.h - integer, shift and conversion rules ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C++ leaves undefined or to the machine, decided once for every width,
// compiler and device: integers wrap, shifts past the width, float to integer,
// bf16, maximum and minimum. Over a scalar or a vector, without branches.
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
/// maximum or minimum in three instructions; vrange orders zeros, but passes over a NaN.
template <int Selection, class V>
[[gnu::always_inline]] inline V rangeOf(V a, V b) {
  if constexpr (sizeof(Element<V>) == 4) {
    const __m512 x = bitCast<__m512>(a), y = bitCast<__m512>(b), result = _mm512_range_ps(x, y, Selection);
    return bitCast<V>(_mm512_mask_add_ps(result, _mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q), x, y));
  } else {
    const __m512d x = bitCast<__m512d>(a), y = bitCast<__m512d>(b), result = _mm512_range_pd(x, y, Selection);
    return bitCast<V>(_mm512_mask_add_pd(result, _mm512_cmp_pd_mask(x, y, _CMP_UNORD_Q), x, y));
  }
}
#else
template <class V>
inline constexpr bool hasRange = false;
template <int Selection, class V>
V rangeOf(V a, V b);
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

/// bf16 bits to f32, exactly.
template <class V>
[[gnu::always_inline]] inline WithElement<V, float> fromBfloat16(V bits) {
  static_assert(__is_same(Element<V>, uint16_t));
  return bitCast<WithElement<V, float>>(convertLanes<uint32_t>(bits) << 16);
}

/// f32 to bf16 bits, to nearest even; NaN keeps its sign and upper payload and
/// becomes quiet.
template <class V>
[[gnu::always_inline]] inline WithElement<V, uint16_t> toBfloat16(V x) {
  static_assert(__is_same(Element<V>, float));
  using U = UnsignedOf<V>;
  const U bits = bitCast<U>(x);
  const U rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return convertLanes<uint16_t>(select(x != x, (bits >> 16) | 0x40, rounded));
}

/// x != 0 as bytes 0 and 1; NaN is true.
template <class V>
[[gnu::always_inline]] inline WithElement<V, uint8_t> toBool(V x) {
  using U = UnsignedOf<V>;
  return convertLanes<uint8_t>((U)select(x != Element<V>(0), broadcast<U>(1), U{}));
}

/// Converts lanes to T. Between integers the low bits are kept; integer to
/// float rounds to nearest even; float to integer drops the fraction, values
/// past the ends give the ends, NaN gives 0. bf16 and bool have functions of
/// their own: bf16 goes through f32 in both directions.
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
