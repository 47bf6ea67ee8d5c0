//===- dtype.h - element types ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of arrays. They stand, a line each, in detail/dtypes.def.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

/// bool_, i8 to i64, u8 to u64, bf16, f32, f64, c64, c128. The numbers are part of
/// the trace and blob formats.
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

/// What promotion goes by, in its order.
enum class Kind : uint8_t { boolean, integer, floating, complex };

/// Brain floating point: the upper half of an f32. Arithmetic happens in
/// arrays; on the host it converts to and from float, rounding to nearest even.
struct bfloat16 {
  static constexpr int digits = 8, max_exponent = 128;
  uint16_t bits = 0;
  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float value) {
    uint32_t raw = __builtin_bit_cast(uint32_t, value);
    // A NaN keeps its sign and payload but must not round up to infinity.
    bits = value != value ? static_cast<uint16_t>(raw >> 16 | 0x40)
                          : static_cast<uint16_t>((raw + 0x7fff + (raw >> 16 & 1)) >> 16);
  }
  constexpr operator float() const { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }
};

/// Two floats; layout and meaning of std::complex<float>, without <complex>,
/// which costs 0.4 s of front-end time.
struct complex64 {
  float real = 0, imag = 0;
  friend constexpr bool operator==(complex64 a, complex64 b) { return a.real == b.real && a.imag == b.imag; }
};

/// Two doubles; layout and meaning of std::complex<double>.
struct complex128 {
  double real = 0, imag = 0;
  friend constexpr bool operator==(complex128 a, complex128 b) { return a.real == b.real && a.imag == b.imag; }
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

/// Whether an element has no negative values; only integers have a remainder.
template <class T>
constexpr bool isUnsignedElement() {
  if constexpr (requires(T x) { x % x; })
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
  else if constexpr (requires(T x) { x % x; })
    return {int(8 * sizeof(T)) - !isUnsignedElement<T>(), int(8 * sizeof(T)) - !isUnsignedElement<T>()};
  else if constexpr (sizeof(T) == sizeof(float))
    return {__FLT_MANT_DIG__, __FLT_MAX_EXP__};
  else
    return {__DBL_MANT_DIG__, __DBL_MAX_EXP__};
}

struct DtypeInfo {
  Kind kind;
  bool isUnsigned;
  uint8_t itemSize;
  Precision precision;
  std::string_view shortName, name;
};
inline constexpr DtypeInfo dtype_infos[dtype_count] = {
#define TENON_DTYPE(name, code, kind, Element, numpy, ...)                                                             \
  {Kind::kind,                                                                                                         \
   Kind::kind == Kind::integer && isUnsignedElement<Element>(),                                                        \
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
/// Whether it is an integer that is never negative, or one that may be; bool is
/// neither.
constexpr bool is_unsigned(Dtype dtype) { return detail::info(dtype).isUnsigned; }
constexpr bool is_signed(Dtype dtype) { return kind(dtype) == Kind::integer && !is_unsigned(dtype); }
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
