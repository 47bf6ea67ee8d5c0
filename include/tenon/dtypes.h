//===- dtypes.h - limits, kinds and promotion of dtypes ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the array API 2024.12 on dtypes.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <initializer_list>
#include <string_view>

namespace tenon {

/// Limits of a floating dtype; for a complex dtype, of its real part.
struct FloatInfo {
  Dtype dtype;
  int bits;
  /// Distance from 1 to the next number; largest finite, smallest, and smallest positive normal number.
  double eps, max, min, smallest_normal;
};
/// Returns the limits of a floating or complex dtype, as `numpy.finfo`. Other dtypes are an Error.
FloatInfo finfo(Dtype dtype, Location at = Location::current());

/// Limits of an integer dtype.
struct IntInfo {
  Dtype dtype;
  int bits;
  int64_t min;
  uint64_t max;
};
/// Returns the limits of an integer dtype, as `numpy.iinfo`. bool and other dtypes are an Error.
IntInfo iinfo(Dtype dtype, Location at = Location::current());

/// A dtype, or the name of a set of dtypes: "bool", "signed integer", "unsigned integer", "integral", "real floating",
/// "complex floating", "numeric" (all but bool). Another name is an Error.
class DtypeKind {
public:
  DtypeKind(Dtype dtype) : dtype_(dtype) {}
  DtypeKind(std::string_view name, Location at = Location::current());
  DtypeKind(const char *name, Location at = Location::current()) : DtypeKind(std::string_view(name), at) {}
  bool contains(Dtype dtype) const { return name_.empty() ? dtype == dtype_ : contains(name_, dtype); }

private:
  static bool contains(std::string_view name, Dtype dtype);
  std::string_view name_;
  Dtype dtype_ = Dtype::bool_;
};
/// Returns whether `dtype` equals or belongs to `kind`, as `numpy.isdtype`.
bool isdtype(Dtype dtype, const DtypeKind &kind);
/// Returns whether `dtype` equals or belongs to one of `kinds`.
bool isdtype(Dtype dtype, std::initializer_list<DtypeKind> kinds);

/// Returns whether `result_type(from, to) == to`, as the array API's `can_cast`. A storage dtype (float8) casts only to
/// itself.
bool can_cast(Dtype from, Dtype to);
bool can_cast(const Array &from, Dtype to, Location at = Location::current());

namespace detail {
/// A dtype, an array or a number.
class Typed {
public:
  Typed(Dtype dtype) : dtype_(dtype) {}
  Typed(const Array &array, Location at = Location::current()) : dtype_(array.dtype(at)) {}
  Typed(Scalar number) : number_(number), isNumber_(true) {}
  template <Number T>
  Typed(T number) : Typed(Scalar(number)) {}
  bool is_number() const { return isNumber_; }
  Dtype dtype() const { return dtype_; }
  Scalar number() const { return number_; }

private:
  Dtype dtype_ = Dtype::bool_;
  Scalar number_ = false;
  bool isNumber_ = false;
};
} // namespace detail

/// Promoted dtype of dtypes, arrays and numbers: `result_type({x, f64, 2})`. A number takes the dtype of the others,
/// or raises it if its kind is higher. An Error for an empty list, a number that does not fit, and different dtypes
/// of which one is a storage dtype.
Dtype result_type(std::initializer_list<detail::Typed> of, Location at = Location::current());

} // namespace tenon
