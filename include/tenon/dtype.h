//===- dtype.h - element types ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of arrays. detail/dtypes.def lists them, one per line.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

/// bool_, i8 to i64, u8 to u64, bf16, f16, f32, f64, c64, c128, and for storage
/// f8e4m3fn and f8e5m2. The numbers are part of the trace and blob formats.
enum class Dtype : uint8_t {
#define TENON_DTYPE(name, code, ...) name = code,
#include <tenon/detail/dtypes.def>
};

inline constexpr int dtype_count = 0
#define TENON_DTYPE(...) +1
#include <tenon/detail/dtypes.def>
    ;
#define TENON_DTYPE(name, ...) inline constexpr Dtype name = Dtype::name;
#include <tenon/detail/dtypes.def>

/// NumPy's names of the same: `zeros(3, float64)`. The C++ type of an element is `float16_t`, `complex64_t` and so on.
inline constexpr Dtype int8 = i8, int16 = i16, int32 = i32, int64 = i64, uint8 = u8, uint16 = u16, uint32 = u32,
                       uint64 = u64, float16 = f16, bfloat16 = bf16, float32 = f32, float64 = f64, complex64 = c64,
                       complex128 = c128, float8_e4m3fn = f8e4m3fn, float8_e5m2 = f8e5m2;

/// Kinds of dtypes, in promotion order.
enum class Kind : uint8_t { boolean, integer, floating, complex };

namespace detail {
/// C++'s own integers and bool; only they have a remainder.
template <class T>
concept IntegerElement = !__is_class(T) && requires(T x) { x % x; };

/// The float next to a double, or the one beyond it whose last bit is 1: a float
/// that is narrower by two bits and more is what it would be from the double, since
/// no tie comes to be on the way.
constexpr float roundedToOdd(double value) {
  const float near = static_cast<float>(value);
  const double back = near;
  uint32_t bits = __builtin_bit_cast(uint32_t, near);
  if (back != value)
    bits = (bits - ((back < 0 ? -back : back) > (value < 0 ? -value : value))) | 1;
  return __builtin_bit_cast(float, bits);
}

/// An integer as a double that is rounded to odd too: what is beyond the 52 bits that
/// a double holds for certain is one bit.
template <IntegerElement T>
constexpr double roundedToOdd(T value) {
  if constexpr (sizeof(T) > 4)
    if (value / (T(1) << 53) != 0)
      value = static_cast<T>((value & ~T(0xfff)) | (T((value & 0xfff) != 0) << 12));
  return static_cast<double>(value);
}

/// A float narrower than f32: a sign, the exponent, `Digits` - 1 bits of fraction.
/// Arithmetic happens in arrays; on the host it converts to and from float, rounding
/// to nearest even, from a double and from an integer too in one step.
template <class Bits, int Digits, int MaxExponent, bool HasInfinity = true>
struct NarrowFloat {
  static constexpr int digits = Digits, max_exponent = MaxExponent;
  static constexpr bool has_infinity = HasInfinity;
  /// Of its layout: where the fraction of an f32 is cut, and what is added to the
  /// exponent of a number to make an f32's.
  static constexpr int dropped = 24 - Digits, rebias = 128 - (1 << (8 * sizeof(Bits) - Digits - 1));
  /// Bits without the sign: of all that is a number, of the largest one, and of
  /// what is above: infinity, or NaN where there is none.
  static constexpr uint32_t magnitude = (uint32_t(1) << (8 * sizeof(Bits) - 1)) - 1;
  static constexpr uint32_t over = HasInfinity ? magnitude >> (Digits - 1) << (Digits - 1) : magnitude;
  static constexpr uint32_t largest = over - 1;

  Bits bits = 0;
  constexpr NarrowFloat() = default;
  constexpr explicit NarrowFloat(float value) : bits(narrowed(__builtin_bit_cast(uint32_t, value))) {}
  template <class T>
    requires(__is_same(T, double))
  constexpr explicit NarrowFloat(T value) : NarrowFloat(roundedToOdd(value)) {}
  template <IntegerElement T>
  constexpr explicit NarrowFloat(T value) : NarrowFloat(roundedToOdd(value)) {}
  constexpr operator float() const { return __builtin_bit_cast(float, widened(bits & magnitude) | sign() << 31); }

private:
  constexpr uint32_t sign() const { return static_cast<uint32_t>(bits) >> (8 * sizeof(Bits) - 1); }
  static constexpr uint32_t rounded(uint32_t value, int by) {
    return (value + (uint32_t(1) << (by - 1)) - 1 + (value >> by & 1)) >> by;
  }
  // Integers alone: a user's rounding and treatment of subnormal numbers are none of ours.
  static constexpr Bits narrowed(uint32_t raw) {
    const uint32_t x = raw & 0x7fffffff, exponent = x >> 23;
    uint32_t result;
    if (x > 0x7f800000) // a NaN keeps its sign and payload, is quiet and does not round up to infinity
      result = HasInfinity ? over | 1u << (Digits - 2) | (x >> dropped & ((1u << (Digits - 1)) - 1)) : magnitude;
    else if (exponent > rebias || rebias == 0)
      result = rounded(x, dropped) - (static_cast<uint32_t>(rebias) << (Digits - 1));
    else if (rebias + 1 - exponent + dropped > 24)
      result = 0;
    else // subnormal
      result = rounded((x & 0x7fffff) | 0x800000, static_cast<int>(rebias + 1 - exponent) + dropped);
    return static_cast<Bits>((result > largest && x <= 0x7f800000 ? over : result) |
                             raw >> 31 << (8 * sizeof(Bits) - 1));
  }
  static constexpr uint32_t widened(uint32_t x) {
    if (rebias == 0) // as wide an exponent as f32's
      return x << dropped;
    if (x > largest)
      return HasInfinity && x == over ? 0x7f800000 : 0x7fc00000 | (HasInfinity ? x << dropped & 0x7fffff : 0);
    if (x >= 1u << (Digits - 1))
      return (x << dropped) + (static_cast<uint32_t>(rebias) << 23);
    uint32_t exponent = rebias + 1;
    if (x == 0)
      return 0;
    for (; x < 1u << (Digits - 1); x <<= 1)
      --exponent;
    return (exponent << 23) | (x << dropped & 0x7fffff);
  }
};
} // namespace detail

/// Brain floating point: the upper half of an f32.
struct bfloat16_t : detail::NarrowFloat<uint16_t, 8, 128> {
  using NarrowFloat::NarrowFloat;
};
/// IEEE 754 binary16.
struct float16_t : detail::NarrowFloat<uint16_t, 11, 16> {
  using NarrowFloat::NarrowFloat;
};

/// 8-bit storage float: 4 exponent and 3 mantissa bits, no infinities, maximum 448. Supports moves and conversions
/// only.
struct float8_e4m3fn_t : detail::NarrowFloat<uint8_t, 4, 9, false> {
  static constexpr bool is_storage = true;
  using NarrowFloat::NarrowFloat;
};
/// 8-bit storage float: the upper half of a float16. Supports moves and conversions only.
struct float8_e5m2_t : detail::NarrowFloat<uint8_t, 3, 16> {
  static constexpr bool is_storage = true;
  using NarrowFloat::NarrowFloat;
};

/// Two floats; layout and meaning of std::complex<float>, without <complex>,
/// which costs 0.4 s of front-end time.
struct complex64_t {
  float real = 0, imag = 0;
  friend constexpr bool operator==(complex64_t a, complex64_t b) { return a.real == b.real && a.imag == b.imag; }
};

/// Two doubles; layout and meaning of std::complex<double>.
struct complex128_t {
  double real = 0, imag = 0;
  friend constexpr bool operator==(complex128_t a, complex128_t b) { return a.real == b.real && a.imag == b.imag; }
};

namespace detail {
template <class T>
struct DtypeOf;
template <Dtype dtype>
struct ElementOf;
#define TENON_DTYPE(name, code, kind, Element, ...)                                                                    \
  template <>                                                                                                          \
  struct DtypeOf<Element> {                                                                                            \
    static constexpr Dtype value = Dtype::name;                                                                        \
  };                                                                                                                   \
  template <>                                                                                                          \
  struct ElementOf<Dtype::name> {                                                                                      \
    using type = Element;                                                                                              \
  };
#include <tenon/detail/dtypes.def>
/// On Linux int64_t is long.
template <>
struct DtypeOf<long long> : DtypeOf<int64_t> {};
template <>
struct DtypeOf<unsigned long long> : DtypeOf<uint64_t> {};

/// std::complex<float> and std::complex<double>, without naming them.
template <class T>
concept StandardComplex =
    requires(const T &z) {
      typename T::value_type;
      z.real();
      z.imag();
    } && sizeof(T) == 2 * sizeof(typename T::value_type) &&
    (__is_same(typename T::value_type, float) || __is_same(typename T::value_type, double));
template <StandardComplex T>
struct DtypeOf<T> {
  static constexpr Dtype value = __is_same(typename T::value_type, float) ? Dtype::c64 : Dtype::c128;
};

/// Floats that the host has no arithmetic for.
template <class T>
concept NarrowElement = requires { T::dropped; };

/// Whether an element has no negative values.
template <class T>
constexpr bool isUnsignedElement() {
  if constexpr (IntegerElement<T>)
    return static_cast<T>(-1) > static_cast<T>(0);
  else
    return false;
}

/// Binary digits that every value up to 2^digits keeps, and the exponent below
/// which values are finite; of a complex number, those of its parts.
struct Precision {
  int digits, maxExponent;
};
template <class T>
constexpr Precision precisionOf() {
  if constexpr (requires { T::digits; })
    return {T::digits, T::max_exponent};
  else if constexpr (requires { &T::real; })
    return precisionOf<decltype(T::real)>();
  else if constexpr (IntegerElement<T>)
    return {int(8 * sizeof(T)) - !isUnsignedElement<T>(), int(8 * sizeof(T)) - !isUnsignedElement<T>()};
  else if constexpr (sizeof(T) == sizeof(float))
    return {__FLT_MANT_DIG__, __FLT_MAX_EXP__};
  else
    return {__DBL_MANT_DIG__, __DBL_MAX_EXP__};
}

template <class T>
constexpr bool isStorageElement() {
  return requires { T::is_storage; };
}

struct DtypeInfo {
  Kind kind;
  bool isUnsigned, isNarrow, isStorage;
  uint8_t itemSize;
  Precision precision;
  std::string_view shortName, name;
};
inline constexpr DtypeInfo dtype_infos[dtype_count] = {
#define TENON_DTYPE(name, code, kind, Element, numpy, ...)                                                             \
  {Kind::kind,                                                                                                         \
   Kind::kind == Kind::integer && isUnsignedElement<Element>(),                                                        \
   NarrowElement<Element>,                                                                                             \
   isStorageElement<Element>(),                                                                                        \
   sizeof(Element),                                                                                                    \
   precisionOf<Element>(),                                                                                             \
   std::string_view(#name).substr(0, std::string_view(#name).find('_')),                                               \
   numpy},
#include <tenon/detail/dtypes.def>
};
constexpr const DtypeInfo &info(Dtype dtype) { return dtype_infos[static_cast<int>(dtype)]; }
} // namespace detail

/// Bytes of one element.
constexpr size_t item_size(Dtype dtype) { return detail::info(dtype).itemSize; }
constexpr Kind kind(Dtype dtype) { return detail::info(dtype).kind; }
/// Returns whether the dtype is an unsigned integer.
constexpr bool is_unsigned(Dtype dtype) { return detail::info(dtype).isUnsigned; }
/// Returns whether the dtype is a signed integer.
constexpr bool is_signed(Dtype dtype) { return kind(dtype) == Kind::integer && !is_unsigned(dtype); }
/// Returns whether the dtype is a float narrower than f32. bf16 and f16 are computed in f32 and rounded after every op.
constexpr bool is_narrow(Dtype dtype) { return detail::info(dtype).isNarrow; }
/// Returns whether the dtype supports moves and conversions only (float8).
constexpr bool is_storage(Dtype dtype) { return detail::info(dtype).isStorage; }
/// NumPy's name: "float32", "int64", "bool", "bfloat16", "complex64".
constexpr std::string_view name(Dtype dtype) { return detail::info(dtype).name; }
/// The short name used in errors and tables: "f32", "i64", "bool".
constexpr std::string_view short_name(Dtype dtype) { return detail::info(dtype).shortName; }

namespace detail {
/// Calls `visitor` with the dtype as a constant, `visitor.operator()<dtype>()`:
/// what is chosen by dtype is chosen here.
template <class F>
[[gnu::always_inline]] constexpr decltype(auto) visitDtype(Dtype dtype, F &&visitor) {
  switch (dtype) {
#define TENON_DTYPE(name, ...)                                                                                         \
  case Dtype::name:                                                                                                    \
    return visitor.template operator()<Dtype::name>();
#include <tenon/detail/dtypes.def>
  }
  __builtin_unreachable();
}
} // namespace detail

/// C++ types that are stored as an array's element without conversion.
template <class T>
concept Element = requires { detail::DtypeOf<T>::value; };

template <Element T>
inline constexpr Dtype dtype_of = detail::DtypeOf<T>::value;

} // namespace tenon
