//===- dtype.h - element types ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of arrays. The numbers are part of the trace and blob
// formats: append, never reorder.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

enum class Dtype : uint8_t { bool_ = 0, u8 = 1, i32 = 2, i64 = 3, u32 = 4, bf16 = 5, f32 = 6, f64 = 7, c64 = 8 };

inline constexpr int dtype_count = 9;
inline constexpr Dtype bool_ = Dtype::bool_, u8 = Dtype::u8, i32 = Dtype::i32, i64 = Dtype::i64, u32 = Dtype::u32,
                       bf16 = Dtype::bf16, f32 = Dtype::f32, f64 = Dtype::f64, c64 = Dtype::c64;

/// What promotion goes by, in its order.
enum class Kind : uint8_t { boolean, integer, floating, complex };

/// Bytes of one element.
constexpr size_t item_size(Dtype dtype) {
  constexpr uint8_t sizes[dtype_count] = {1, 1, 4, 8, 4, 2, 4, 8, 8};
  return sizes[static_cast<int>(dtype)];
}

constexpr Kind kind(Dtype dtype) {
  constexpr Kind kinds[dtype_count] = {Kind::boolean,  Kind::integer,  Kind::integer,  Kind::integer, Kind::integer,
                                       Kind::floating, Kind::floating, Kind::floating, Kind::complex};
  return kinds[static_cast<int>(dtype)];
}

constexpr bool is_unsigned(Dtype dtype) { return dtype == Dtype::u8 || dtype == Dtype::u32; }

/// NumPy's name: "float32", "int64", "bool", "bfloat16", "complex64".
constexpr std::string_view name(Dtype dtype) {
  constexpr std::string_view names[dtype_count] = {"bool",     "uint8",   "int32",   "int64",    "uint32",
                                                   "bfloat16", "float32", "float64", "complex64"};
  return names[static_cast<int>(dtype)];
}

/// The short name used in errors and tables: "f32", "i64", "bool".
constexpr std::string_view short_name(Dtype dtype) {
  constexpr std::string_view names[dtype_count] = {"bool", "u8", "i32", "i64", "u32", "bf16", "f32", "f64", "c64"};
  return names[static_cast<int>(dtype)];
}

/// Brain floating point: the upper half of an f32. Arithmetic happens in
/// arrays; on the host it converts to and from float, rounding to nearest even.
struct bfloat16 {
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

namespace detail {
template <class T>
struct DtypeOf;
template <>
struct DtypeOf<bool> {
  static constexpr Dtype value = Dtype::bool_;
};
template <>
struct DtypeOf<uint8_t> {
  static constexpr Dtype value = Dtype::u8;
};
template <>
struct DtypeOf<int32_t> {
  static constexpr Dtype value = Dtype::i32;
};
template <>
struct DtypeOf<int64_t> {
  static constexpr Dtype value = Dtype::i64;
};
template <>
struct DtypeOf<long long> {
  static constexpr Dtype value = Dtype::i64;
};
template <>
struct DtypeOf<uint32_t> {
  static constexpr Dtype value = Dtype::u32;
};
template <>
struct DtypeOf<bfloat16> {
  static constexpr Dtype value = Dtype::bf16;
};
template <>
struct DtypeOf<float> {
  static constexpr Dtype value = Dtype::f32;
};
template <>
struct DtypeOf<double> {
  static constexpr Dtype value = Dtype::f64;
};
template <>
struct DtypeOf<complex64> {
  static constexpr Dtype value = Dtype::c64;
};
} // namespace detail

/// C++ types that are stored as an array's element without conversion.
template <class T>
concept Element = requires { detail::DtypeOf<T>::value; };

template <Element T>
inline constexpr Dtype dtype_of = detail::DtypeOf<T>::value;

} // namespace tenon
