//===- dim.h - sizes that may be symbols ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of an axis: an integer, a normalized polynomial over named symbols (`batch`, `2*batch + 1`, `floordiv(n,
// 4)`), or unknown (a bare `?` in hand-written IR, which equals anything until the program runs).
//
// Arithmetic never needs a value. A comparison is answered if it has the same answer for every value >= 2 of its
// symbols; otherwise it is an Error. Equal names are the same symbol. dyn0, dyn1, ... are the symbols that tn::dyn
// creates.
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
namespace detail {
/// Any type of C++'s integers; a bool is none.
template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
/// Numbers that C++ would convert to an axis or an index.
template <class T>
concept NoAxis = std::is_arithmetic_v<T> && !Integer<T>;
/// Integers that i64 may not hold.
template <class T>
concept UnsignedWide = std::is_unsigned_v<T> && Integer<T> && sizeof(T) >= sizeof(int64_t);
/// Such an integer; above i64's largest that one, which is out of any range too.
template <UnsignedWide T>
int64_t saturated(T value) {
  return value > T(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(value);
}
} // namespace detail

/// The size of an axis: an integer, a polynomial over named symbols, or unknown.
class Dim {
public:
  constexpr Dim() = default;
  /// An integer above -2^62. Sizes of arrays are not negative; bounds of slices may be.
  template <detail::Integer T>
  constexpr Dim(T value) : raw_(static_cast<int64_t>(value)) {
    if (raw_ <= symbolicLimit || (std::is_unsigned_v<T> && raw_ < 0))
      throwOutOfRange(raw_, std::is_unsigned_v<T>);
  }
  /// The symbol with this name.
  explicit Dim(std::string_view symbol, Location at = Location::current());
  Dim(const char *symbol, Location at = Location::current()) : Dim(std::string_view(symbol), at) {}
  /// The symbol with this name, restricted to [low, high] in the specs of a jitted function. Elsewhere, and in
  /// comparisons, it equals `Dim(symbol)`.
  explicit Dim(std::string_view symbol, int64_t low, int64_t high, Location at = Location::current());
  static constexpr Dim unknown() { return from_raw(unknownRaw); }

  constexpr bool is_static() const { return raw_ > symbolicLimit; }
  constexpr bool is_unknown() const { return raw_ == unknownRaw; }
  /// The integer value; must not be called for a symbol.
  constexpr int64_t raw() const { return raw_; }
  static constexpr Dim from_raw(int64_t raw) {
    Dim dim;
    dim.raw_ = raw;
    return dim;
  }
  /// The integer value; an Error with the caller's line if this is a symbol.
  int64_t value(Location at = Location::current()) const;
  explicit operator int64_t() const { return value({}); }
  /// `64`, `batch`, `2*batch + 1`, `?`.
  std::string str() const;

  Dim &operator+=(Dim b);
  Dim &operator*=(Dim b);

private:
  [[noreturn]] static void throwOutOfRange(int64_t value, bool isUnsigned);

  static constexpr int64_t symbolicLimit = -(int64_t(1) << 62);
  static constexpr int64_t unknownRaw = INT64_MIN;
  int64_t raw_ = 0;
};

/// In specs: each use of `tn::dyn` is a new symbol, as in `{tn::dyn, 784}`.
struct Dyn {
  operator Dim() const;
};
inline constexpr Dyn dyn;

Dim operator+(Dim a, Dim b);
Dim operator-(Dim a, Dim b);
Dim operator*(Dim a, Dim b);
inline Dim &Dim::operator+=(Dim b) { return *this = *this + b; }
inline Dim &Dim::operator*=(Dim b) { return *this = *this * b; }
/// Floor division: the largest integer that is at most a / b. b is a positive integer or a symbol.
Dim floor_div(Dim a, Dim b, Location at = Location::current());
/// Ceiling division: the smallest integer that is at least a / b.
Dim ceil_div(Dim a, Dim b, Location at = Location::current());
/// a / b if the division is exact for every value of the symbols; otherwise no value.
std::optional<Dim> exact_div(Dim a, Dim b);

/// Relations that hold for every value >= 2 of the symbols in `a` and `b`.
enum class Always { yes, no, unknown };
Always provably_equal(Dim a, Dim b);
Always provably_less(Dim a, Dim b);
Always provably_less_equal(Dim a, Dim b);

namespace detail {
/// The symbol that `dim` is, empty if it is something else, and `dim` as text: shown for what of the library stands in
/// programs by itself, so that there is one table of symbols.
std::string_view bareSymbol(Dim dim);
std::string textOf(Dim dim);

/// The right operand of a comparison: brings the user's line along.
struct DimOperand {
  Dim dim;
  Location at;
  DimOperand(Dim size, const std::source_location &place = std::source_location::current()) : dim(size), at(place) {}
  DimOperand(Dim size, Location place) : dim(size), at(place) {}
  template <Integer T>
  DimOperand(T size, const std::source_location &place = std::source_location::current()) : dim(size), at(place) {}
};
bool decide(Always answer, const char *relation, Dim a, Dim b, Location at);

/// The operand of a shape's []: brings the user's line along.
struct ShapeIndex {
  int value;
  Location at;
  ShapeIndex(int number, const std::source_location &place = std::source_location::current())
      : value(number), at(place) {}
  template <NoAxis T>
  ShapeIndex(T) = delete; // an axis is an integer: shape[1]
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

/// Floor division; b is a positive integer or a symbol.
inline Dim operator/(const Dim &a, const detail::DimOperand &b) { return floor_div(a, b.dim, b.at); }
/// Remainder of floor division, `a - a / b * b`.
inline Dim operator%(const Dim &a, const detail::DimOperand &b) { return a - floor_div(a, b.dim, b.at) * b.dim; }

/// A size read from an array or a shape: a Dim that also converts to C++ integers, `int n = x.dim(0)`. Converting a
/// symbol, or a value that the integer type cannot hold, is an Error with the line of the read.
class Size : public Dim {
public:
  Size(Dim dim, Location at) : Dim(dim), at_(at) {}
  /// Only for named variables: `shape[0] = 3` would not change the shape; `shape.at(0) = 3` does.
  Size(const Size &) = default;
  Size &operator=(const Size &) & = default;
  Size &operator=(Dim dim) & {
    Dim::operator=(dim);
    return *this;
  }
  template <detail::Integer T>
  operator T() const {
    int64_t number = value(at_);
    if (static_cast<int64_t>(static_cast<T>(number)) != number || (static_cast<T>(number) < 0) != (number < 0))
      throwTooLarge(sizeof(T) * 8);
    return static_cast<T>(number);
  }
  template <class T>
    requires std::is_floating_point_v<T>
  explicit operator T() const {
    return static_cast<T>(value(at_));
  }

  // With an integer beside it: the Dim, not C++'s own operators on integers.
  template <detail::Integer T>
  friend Dim operator+(const Size &a, T b) {
    return Dim(a) + Dim(b);
  }
  template <detail::Integer T>
  friend Dim operator+(T a, const Size &b) {
    return Dim(a) + Dim(b);
  }
  template <detail::Integer T>
  friend Dim operator-(const Size &a, T b) {
    return Dim(a) - Dim(b);
  }
  template <detail::Integer T>
  friend Dim operator-(T a, const Size &b) {
    return Dim(a) - Dim(b);
  }
  template <detail::Integer T>
  friend Dim operator*(const Size &a, T b) {
    return Dim(a) * Dim(b);
  }
  template <detail::Integer T>
  friend Dim operator*(T a, const Size &b) {
    return Dim(a) * Dim(b);
  }
  template <detail::Integer T>
  friend Dim operator/(const Size &a, T b) {
    return Dim(a) / a.operand(b);
  }
  template <detail::Integer T>
  friend Dim operator/(T a, const Size &b) {
    return Dim(a) / b.operand(b);
  }
  template <detail::Integer T>
  friend Dim operator%(const Size &a, T b) {
    return Dim(a) % a.operand(b);
  }
  template <detail::Integer T>
  friend Dim operator%(T a, const Size &b) {
    return Dim(a) % b.operand(b);
  }
  template <detail::Integer T>
  friend bool operator==(const Size &a, T b) {
    return Dim(a) == a.operand(b);
  }
  template <detail::Integer T>
  friend bool operator!=(const Size &a, T b) {
    return !(a == b);
  }
  template <detail::Integer T>
  friend bool operator==(T a, const Size &b) {
    return b == a;
  }
  template <detail::Integer T>
  friend bool operator!=(T a, const Size &b) {
    return !(b == a);
  }
  template <detail::Integer T>
  friend bool operator<(const Size &a, T b) {
    return Dim(a) < a.operand(b);
  }
  template <detail::Integer T>
  friend bool operator<(T a, const Size &b) {
    return Dim(a) < b.operand(b);
  }
  template <detail::Integer T>
  friend bool operator<=(const Size &a, T b) {
    return Dim(a) <= a.operand(b);
  }
  template <detail::Integer T>
  friend bool operator<=(T a, const Size &b) {
    return Dim(a) <= b.operand(b);
  }
  template <detail::Integer T>
  friend bool operator>(const Size &a, T b) {
    return Dim(a) > a.operand(b);
  }
  template <detail::Integer T>
  friend bool operator>(T a, const Size &b) {
    return Dim(a) > b.operand(b);
  }
  template <detail::Integer T>
  friend bool operator>=(const Size &a, T b) {
    return Dim(a) >= a.operand(b);
  }
  template <detail::Integer T>
  friend bool operator>=(T a, const Size &b) {
    return Dim(a) >= b.operand(b);
  }

private:
  detail::DimOperand operand(Dim dim) const { return {dim, at_}; }
  [[noreturn]] void throwTooLarge(size_t bits) const;
  Location at_;
};

/// Maximum number of axes of an array.
inline constexpr int max_rank = 16;

/// The sizes of an array, outermost first. Prints like a NumPy tuple: `(3,)`.
class Shape {
public:
  constexpr Shape() = default;
  Shape(const Shape &other) : rank_(other.rank_) { copyDims(other); }
  Shape &operator=(const Shape &other) {
    rank_ = other.rank_;
    copyDims(other);
    return *this;
  }
  /// More than max_rank axes are an Error.
  Shape(std::initializer_list<Dim> dims, Location at = Location::current());
  // Templates, so that a copy of a shape does not ask whether a shape is a contiguous range of sizes: that question
  // takes a compiler 50 ms.
  template <class Sizes>
    requires std::is_same_v<Sizes, std::span<const Dim>> || std::is_same_v<Sizes, std::span<const int64_t>>
  explicit Shape(Sizes dims, Location at = Location::current()) {
    assign(dims.data(), dims.size(), at);
  }
  /// One axis: `zeros(3)`.
  template <detail::Integer T>
  Shape(T size) : rank_(1), dims_{Dim(size)} {}
  Shape(Dim size) : rank_(1), dims_{size} {}
  Shape(const std::vector<Dim> &dims, Location at = Location::current());
  template <detail::Integer T>
  Shape(const std::vector<T> &dims, Location at = Location::current()) {
    for (T dim : dims)
      push_back(dim, at);
  }

  /// Internal: of at most max_rank sizes.
  static Shape of(const Dim *dims, int rank) {
    Shape shape;
    shape.rank_ = static_cast<uint8_t>(rank);
    for (int i = 0; i < rank; ++i)
      shape.dims_[i] = dims[i];
    return shape;
  }

  int rank() const { return rank_; }
  size_t size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  Dim *begin() { return dims_; }
  Dim *end() { return dims_ + rank_; }
  const Dim *begin() const { return dims_; }
  const Dim *end() const { return dims_ + rank_; }
  /// Negative axes count from the end; an axis out of range is an Error.
  Size operator[](const detail::ShapeIndex &axis) const {
    int place = axis.value < 0 ? axis.value + rank_ : axis.value;
    if (place < 0 || place >= rank_)
      throwOutOfRange(axis);
    return {dims_[place], axis.at};
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
  void assign(const Dim *dims, size_t count, Location at);
  void assign(const int64_t *dims, size_t count, Location at);
  [[noreturn]] void throwOutOfRange(const detail::ShapeIndex &axis) const;
  // Shapes are copied with every recorded op: only the axes they have.
  void copyDims(const Shape &other) {
    for (int i = 0; i < rank_; ++i)
      dims_[i] = other.dims_[i];
  }
  uint8_t rank_ = 0;
  Dim dims_[max_rank];
};

/// Whether ranks are equal and all sizes are provably equal.
Always provably_equal(const Shape &a, const Shape &b);
/// Whether ranks, sizes and expressions are identical (as signatures compare them).
bool operator==(const Shape &a, const Shape &b);
std::ostream &operator<<(std::ostream &os, const Dim &dim);
std::ostream &operator<<(std::ostream &os, const Shape &shape);

/// Number of elements. An Error if a known product exceeds 2^62.
Dim element_count(const Shape &shape);

/// Values of symbols by name, as bound by a call.
using SymbolBinding = std::pair<std::string_view, int64_t>;
/// The value of `dim` with these symbol values; no value if a symbol is missing.
std::optional<int64_t> evaluate(Dim dim, std::span<const SymbolBinding> binding);

} // namespace tenon
