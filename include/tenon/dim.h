//===- dim.h - sizes that may be symbols ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A size of an array: an integer, a normalised polynomial over named symbols
// (`batch`, `2*batch + 1`, `floordiv(n, 4)`), or unknown (a bare `?` in
// hand-written IR, equal to anything until the program runs).
//
// Arithmetic never asks for a value. A comparison answers when it holds, or
// fails, for every value >= 2 of its symbols; otherwise asking it is an error.
// One name is one symbol.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/location.h>

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {

class Dim {
public:
  constexpr Dim() = default;
  /// An integer above -2^62. Sizes of arrays are never negative, bounds of slices
  /// may be.
  constexpr Dim(int64_t value) : raw_(value) {
    if (value <= symbolicLimit)
      throwTooSmall(value);
  }
  constexpr Dim(int value) : raw_(value) {}
  /// What size() of a container gives.
  template <class T>
    requires std::is_unsigned_v<T>
  constexpr Dim(T value) : Dim(static_cast<int64_t>(value)) {}
  /// The symbol of that name.
  explicit Dim(std::string_view symbol, Location at = Location::current());
  Dim(const char *symbol, Location at = Location::current()) : Dim(std::string_view(symbol), at) {}
  static constexpr Dim unknown() { return from_raw(unknownRaw); }

  constexpr bool is_static() const { return raw_ > symbolicLimit; }
  constexpr bool is_unknown() const { return raw_ == unknownRaw; }
  /// The integer, without a test that it is one.
  constexpr int64_t raw() const { return raw_; }
  static constexpr Dim from_raw(int64_t raw) {
    Dim dim;
    dim.raw_ = raw;
    return dim;
  }
  /// The integer; an Error with the caller's line if this is a symbol.
  int64_t value(Location at = Location::current()) const;
  explicit operator int64_t() const { return value({}); }
  /// `64`, `batch`, `2*batch + 1`, `?`.
  std::string str() const;

  Dim &operator+=(Dim b);
  Dim &operator*=(Dim b);

private:
  [[noreturn]] static void throwTooSmall(int64_t value);

  static constexpr int64_t symbolicLimit = -(int64_t(1) << 62);
  static constexpr int64_t unknownRaw = INT64_MIN;
  int64_t raw_ = 0;
};

Dim operator+(Dim a, Dim b);
Dim operator-(Dim a, Dim b);
Dim operator*(Dim a, Dim b);
inline Dim &Dim::operator+=(Dim b) { return *this = *this + b; }
inline Dim &Dim::operator*=(Dim b) { return *this = *this * b; }
/// Largest integer not above a / b; b is static and positive or a symbol.
Dim floor_div(Dim a, Dim b, Location at = Location::current());
/// Smallest integer not below a / b.
Dim ceil_div(Dim a, Dim b, Location at = Location::current());
/// a / b when it leaves no rest for every value of the symbols.
std::optional<Dim> exact_div(Dim a, Dim b);

/// What holds for every value >= 2 of the symbols in `a` and `b`.
enum class Always { yes, no, unknown };
Always provably_equal(Dim a, Dim b);
Always provably_less(Dim a, Dim b);
Always provably_less_equal(Dim a, Dim b);

namespace detail {
/// The right operand of a comparison: brings the user's line along.
struct DimOperand {
  Dim dim;
  Location at;
  DimOperand(Dim given, const std::source_location &place = std::source_location::current()) : dim(given), at(place) {}
  DimOperand(int value, const std::source_location &place = std::source_location::current()) : dim(value), at(place) {}
  DimOperand(int64_t value, const std::source_location &place = std::source_location::current())
      : dim(value), at(place) {}
  template <class T>
    requires std::is_unsigned_v<T>
  DimOperand(T value, const std::source_location &place = std::source_location::current()) : dim(value), at(place) {}
};
bool decide(Always answer, const char *relation, Dim a, Dim b, Location at);

/// The operand of a shape's []: brings the user's line along.
struct Axis {
  int value;
  Location at;
  Axis(int given, const std::source_location &place = std::source_location::current()) : value(given), at(place) {}
};
} // namespace detail

inline bool operator==(const Dim &a, const detail::DimOperand &b) {
  return detail::decide(provably_equal(a, b.dim), "==", a, b.dim, b.at);
}
inline bool operator!=(const Dim &a, const detail::DimOperand &b) { return !(a == b); }
inline bool operator<(const Dim &a, const detail::DimOperand &b) {
  return detail::decide(provably_less(a, b.dim), "<", a, b.dim, b.at);
}
inline bool operator<=(const Dim &a, const detail::DimOperand &b) {
  return detail::decide(provably_less_equal(a, b.dim), "<=", a, b.dim, b.at);
}
inline bool operator>(const Dim &a, const detail::DimOperand &b) {
  return detail::decide(provably_less(b.dim, a), ">", a, b.dim, b.at);
}
inline bool operator>=(const Dim &a, const detail::DimOperand &b) {
  return detail::decide(provably_less_equal(b.dim, a), ">=", a, b.dim, b.at);
}

/// Arrays have at most this many axes.
inline constexpr int max_rank = 16;

/// The sizes of an array, outermost first. Prints as NumPy's tuple: `(3,)`.
class Shape {
public:
  constexpr Shape() = default;
  Shape(const Shape &other) : rank_(other.rank_) { copyDims(other); }
  Shape &operator=(const Shape &other) {
    rank_ = other.rank_;
    copyDims(other);
    return *this;
  }
  /// An Error if there are more than max_rank.
  Shape(std::initializer_list<Dim> dims, Location at = Location::current())
      : Shape(std::span<const Dim>(dims.begin(), dims.size()), at) {}
  explicit Shape(std::span<const Dim> dims, Location at = Location::current());
  explicit Shape(std::span<const int64_t> dims, Location at = Location::current());
  explicit Shape(const std::vector<int64_t> &dims, Location at = Location::current())
      : Shape(std::span<const int64_t>(dims), at) {}

  int rank() const { return rank_; }
  size_t size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  Dim *begin() { return dims_; }
  Dim *end() { return dims_ + rank_; }
  const Dim *begin() const { return dims_; }
  const Dim *end() const { return dims_ + rank_; }
  /// Negative axes count from the end; out of range is an Error.
  Dim operator[](const detail::Axis &axis) const {
    int place = axis.value < 0 ? axis.value + rank_ : axis.value;
    if (place < 0 || place >= rank_)
      throwOutOfRange(axis);
    return dims_[place];
  }
  Dim &at(int axis) { return dims_[axis]; }
  void push_back(Dim dim, Location at = Location::current());
  void insert(int position, Dim dim, Location at = Location::current());
  void erase(int position);
  bool is_static() const {
    int64_t all = 0;
    for (const Dim &dim : *this)
      all |= dim.raw();
    return all >= 0;
  }
  std::string str() const;

private:
  [[noreturn]] void throwOutOfRange(const detail::Axis &axis) const;
  // Shapes are copied with every recorded op: only the axes they have.
  void copyDims(const Shape &other) {
    for (int i = 0; i < rank_; ++i)
      dims_[i] = other.dims_[i];
  }
  uint8_t rank_ = 0;
  Dim dims_[max_rank];
};

/// Same rank and every size provably equal.
Always provably_equal(const Shape &a, const Shape &b);
/// Same rank and the same sizes and expressions (what a signature compares).
bool operator==(const Shape &a, const Shape &b);
std::ostream &operator<<(std::ostream &os, const Dim &dim);
std::ostream &operator<<(std::ostream &os, const Shape &shape);

/// Number of elements. An Error if a static product overflows 2^62.
Dim element_count(const Shape &shape);

/// Values for symbols, by name: what a call binds.
using SymbolBinding = std::pair<std::string_view, int64_t>;
/// The value of `dim` under the binding; no value if a symbol is missing.
std::optional<int64_t> evaluate(Dim dim, std::span<const SymbolBinding> binding);

} // namespace tenon
