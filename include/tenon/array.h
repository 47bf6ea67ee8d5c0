//===- array.h - n-dimensional arrays --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An Array is a handle to an immutable n-dimensional array: copying it copies no elements, and assigning it rebinds
// the handle without affecting other holders. In eager mode it refers to a buffer on a device. Inside jit, grad or
// vmap it may refer to a value of that transformation, which must not outlive it.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/value.h>
#include <tenon/error.h>
#include <tenon/methods.h>

#include <array>
#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {

/// Omits an optional operand: `clip(x, none, 6)`.
struct None {};
inline constexpr None none;

enum class OpCode : uint16_t;
class IndexItem;
class Scalar;
template <Element T>
class Elements;

namespace detail {
struct Literal;
class Index;
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_same_v<T, complex64_t> || std::is_same_v<T, complex128_t> ||
                 NarrowElement<T> || StandardComplex<T>;

/// The dtype of an array made from a C++ number: that of its type (int8_t: i8, short: i16, long: i64,
/// std::complex<double>: c128); but f32 for double, since unsuffixed literals are doubles, and i32 for characters.
template <Number T>
constexpr Dtype literal_dtype() {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, long double>)
    return Dtype::f32;
  else if constexpr (Element<T>)
    return dtype_of<T>;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) < 4 ? Dtype::i32 : Dtype::i64;
  else
    return Dtype::f32;
}

/// What ContainerOf finds of a std::vector, a std::array, a C array or a nesting of these: the innermost type.
template <class T>
struct ContainerOf {
  static constexpr bool is_container = false;
  using Innermost = T;
};
template <class T>
struct ContainerOf<std::vector<T>> : ContainerOf<T> {
  static constexpr bool is_container = true;
};
template <class T, size_t n>
struct ContainerOf<std::array<T, n>> : ContainerOf<T> {
  static constexpr bool is_container = true;
};
template <class T, size_t n>
struct ContainerOf<T[n]> : ContainerOf<T> {
  static constexpr bool is_container = true;
};
template <class C>
using ElementOfContainer = std::remove_const_t<typename ContainerOf<C>::Innermost>;
/// Text is none, a char is no element.
template <class C>
concept Container = ContainerOf<C>::is_container && Element<ElementOfContainer<C>>;
/// Its elements lie side by side.
template <class C>
concept FlatContainer = Container<C> && requires(const C &c) {
  { *std::data(c) } -> std::same_as<const ElementOfContainer<C> &>;
};

template <class T>
using List1 = std::initializer_list<T>;
template <class T>
using List2 = std::initializer_list<List1<T>>;
template <class T>
using List3 = std::initializer_list<List2<T>>;
template <class T>
using List4 = std::initializer_list<List3<T>>;

/// Collects the elements of nested lists and checks that they are regular.
struct ListReader {
  ListReader(Dtype type, Location place) : dtype(type), at(place) {}
  Dtype dtype;
  Location at;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;
  template <Number T>
  void read(int, const T &value) {
    append(&value, sizeof(T), std::is_floating_point_v<T>, std::is_signed_v<T>);
  }
  template <class T>
  void read(int depth, const std::initializer_list<T> &list) {
    readAll(depth, list);
  }
  template <Container C>
  void read(int depth, const C &container) {
    readAll(depth, container);
  }
  template <class List>
  void readAll(int depth, const List &list) {
    enter(depth, static_cast<int64_t>(std::size(list)));
    if constexpr (FlatContainer<List>) {
      const std::span items = std::as_bytes(std::span(std::data(list), std::size(list)));
      bytes.insert(bytes.end(), items.begin(), items.end());
      return;
    }
    for (const auto &item : list) {
      if constexpr (std::is_same_v<List, std::vector<bool>>)
        read(depth + 1, static_cast<bool>(item));
      else
        read(depth + 1, item);
    }
  }
  void read(int, const Literal &number);
  void enter(int depth, int64_t size);
  void append(const void *value, size_t size, bool floating, bool isSigned);
  Value *finish();
};

/// A float as a double: also where the user's program takes subnormal floats for 0.
inline double widened(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value), fraction = bits & 0x7fffff;
  if ((bits & 0x7f800000) != 0 || fraction == 0)
    return static_cast<double>(value);
  const double magnitude = static_cast<double>(fraction) * 0x1p-149;
  return bits >> 31 ? -magnitude : magnitude;
}
} // namespace detail

/// A C++ number as an operand. It takes the dtype of the array operand if its kind (bool < integer < floating <
/// complex) is not higher; an integer that does not fit is an Error then, such as 300 beside u8. A number of a higher
/// kind takes the default dtype of its kind: i32 (i64 or u64 for larger numbers), f32, c64.
class Scalar {
public:
  template <detail::Number T>
  constexpr Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::boolean;
      low_ = value;
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = Kind::integer;
      low_ = static_cast<uint64_t>(static_cast<int64_t>(value));
      if constexpr (std::is_signed_v<T>)
        high_ = value < 0 ? ~uint64_t(0) : 0;
    } else if constexpr (detail::StandardComplex<T>) {
      set(value.real(), value.imag());
    } else if constexpr (std::is_same_v<T, complex64_t> || std::is_same_v<T, complex128_t>) {
      set(value.real, value.imag);
    } else if constexpr (sizeof(T) < sizeof(double)) {
      kind_ = Kind::floating;
      low_ = __builtin_bit_cast(uint64_t, detail::widened(value));
    } else {
      kind_ = Kind::floating;
      low_ = __builtin_bit_cast(uint64_t, static_cast<double>(value));
    }
  }
  /// A size read from an array or a shape; a symbol is an Error.
  Scalar(const Size &size) : Scalar(static_cast<int64_t>(size)) {}
  constexpr Kind kind() const { return kind_; }
  /// Whether it is an integer above INT64_MAX.
  constexpr bool huge() const { return kind_ == Kind::integer && high_ == 0 && low_ > uint64_t(INT64_MAX); }
  double as_double() const;
  /// For bools and integers: the value modulo 2^64.
  constexpr uint64_t as_uint() const { return low_; }
  constexpr int64_t as_int() const { return static_cast<int64_t>(low_); }
  /// Of a complex number.
  constexpr complex128_t as_complex() const {
    return {__builtin_bit_cast(double, low_), __builtin_bit_cast(double, high_)};
  }
  /// Whether it is not 0.
  bool as_bool() const;
  /// The dtype it takes without an array operand.
  Dtype default_dtype() const;
  std::string str() const;

private:
  template <class Real>
  constexpr void set(Real real, Real imag) {
    kind_ = Kind::complex;
    if constexpr (sizeof(Real) == sizeof(float)) {
      low_ = __builtin_bit_cast(uint64_t, detail::widened(real));
      high_ = __builtin_bit_cast(uint64_t, detail::widened(imag));
    } else {
      low_ = __builtin_bit_cast(uint64_t, real);
      high_ = __builtin_bit_cast(uint64_t, imag);
    }
  }
  /// An integer sign-extended to 128 bits; a real number as a double, then 0; a
  /// complex one as two doubles.
  uint64_t low_ = 0, high_ = 0;
  Kind kind_ = Kind::boolean;
};

namespace detail {
/// A number in a list of numbers of several types, which are promoted.
struct Literal {
  Scalar value;
  Dtype dtype;
  template <Number T>
  constexpr Literal(T number) : value(number), dtype(literal_dtype<T>()) {}
};
} // namespace detail

class Operand;
class Update;

/// The functions behind the operators of Array, documented in ops.h.
Array add(const Operand &x1, const Operand &x2);
Array subtract(const Operand &x1, const Operand &x2);
Array multiply(const Operand &x1, const Operand &x2);
Array divide(const Operand &x1, const Operand &x2);
Array less(const Operand &x1, const Operand &x2);
Array less_equal(const Operand &x1, const Operand &x2);
Array greater(const Operand &x1, const Operand &x2);
Array greater_equal(const Operand &x1, const Operand &x2);
Array equal(const Operand &x1, const Operand &x2);
Array not_equal(const Operand &x1, const Operand &x2);
Array left_shift(const Operand &x1, const Operand &x2);
Array right_shift(const Operand &x1, const Operand &x2);
Array remainder(const Operand &x1, const Operand &x2);
Array bitwise_and(const Operand &x1, const Operand &x2);
Array bitwise_or(const Operand &x1, const Operand &x2);
Array bitwise_xor(const Operand &x1, const Operand &x2);
Array bitwise_invert(const Operand &x);
Array negative(const Operand &x);

/// `x.at[{...}]` selects elements of x to read or update; see Update in index.h. Also the only data member of an Array.
class At {
public:
  At() = default;
  At(const At &) = delete;
  At &operator=(const At &) = delete;
  [[nodiscard]] Update operator[](const detail::Index &index) const &;
  /// `std::move(x).at[...]`: updates in place if nothing else holds the array.
  [[nodiscard]] Update operator[](const detail::Index &index) &&;

private:
  friend class Array;
  explicit At(detail::Value *value) : value_(value) {}
  detail::Value *value_ = nullptr;
};

/// A handle to an immutable n-dimensional array of elements of one dtype; copies share the elements.
class Array : public ArrayMethods<Array> {
public:
  /// An empty handle, which can only be assigned to or destroyed.
  Array() = default;
  Array(const Array &other) noexcept : at(other.at.value_) { detail::retain(at.value_); }
  Array(Array &&other) noexcept : at(detail::take(&other, other.at.value_)) {}
  /// Only for lvalues: `x[0] = 1` would rebind the temporary x[0], not change x.
  Array &operator=(const Array &other) & noexcept {
    detail::Value *const before = at.value_;
    detail::retain(other.at.value_);
    at.value_ = other.at.value_;
    detail::releaseFrom<detail::leftByAssigned>(this, before);
    return *this;
  }
  Array &operator=(Array &&other) & noexcept {
    if (this != &other) {
      detail::Value *const before = at.value_;
      at.value_ = detail::take(&other, other.at.value_);
      detail::releaseFrom<detail::leftByAssigned>(this, before);
    }
    return *this;
  }
  ~Array() { detail::releaseFrom<detail::leftByDestroyed>(this, at.value_); }

  /// A rank-0 array.
  template <detail::Number T>
  Array(T value, Location place = Location::current()) : Array(Scalar(value), detail::literal_dtype<T>(), place) {}
  /// An array of rank 1 to 4 from nested lists: `{{1, 2}, {3, 4}}`.
  template <detail::Number T>
  Array(detail::List1<T> list, Location place = Location::current()) : at(fromList<T>(list, place)) {}
  template <detail::Number T>
  Array(detail::List2<T> list, Location place = Location::current()) : at(fromList<T>(list, place)) {}
  template <detail::Number T>
  Array(detail::List3<T> list, Location place = Location::current()) : at(fromList<T>(list, place)) {}
  template <detail::Number T>
  Array(detail::List4<T> list, Location place = Location::current()) : at(fromList<T>(list, place)) {}
  /// From numbers of different types, which are promoted: `{1, 4000000000LL}`, `{1, 0.5f}`.
  Array(detail::List1<detail::Literal> list, Location place = Location::current()) : at(fromMixed(list, place)) {}
  Array(detail::List2<detail::Literal> list, Location place = Location::current()) : at(fromMixed(list, place)) {}
  /// A rank-1 copy of the elements, with the dtype of T.
  template <Element T>
  Array(std::span<const T> elements) : Array(elements.data(), dtype_of<T>, Shape{Dim(int64_t(elements.size()))}) {}
  /// A copy of a std::vector, a std::array, a C array or a nesting of these, with the dtype of the innermost type. An
  /// Error if inner containers differ in size.
  template <detail::Container C>
  Array(const C &elements, Location place = Location::current()) : at(fromContainer(elements, place)) {}
  /// Row-major elements, copied; `shape` must have as many elements.
  template <Element T>
  Array(std::span<const T> elements, const Shape &shape, Location place = Location::current())
      : at(fromElements(elements.data(), elements.size(), dtype_of<T>, shape, place)) {}
  template <detail::FlatContainer C>
  Array(const C &elements, const Shape &shape, Location place = Location::current())
      : Array(std::span(std::data(elements), std::size(elements)), shape, place) {}
  Array(Scalar value, Dtype dtype, Location place = Location::current());

  Dtype dtype(Location place = Location::current()) const { return checked(place)->dtype(); }
  Shape shape(Location place = Location::current()) const { return checked(place)->shape(); }
  int ndim(Location place = Location::current()) const { return checked(place)->rank(); }
  Device device(Location place = Location::current()) const { return checked(place)->device(); }
  /// Size of one axis; negative axes count from the end.
  Size dim(Axis axis, Location place = Location::current()) const;
  /// Number of elements.
  Size size(Location place = Location::current()) const { return {element_count(shape(place)), place}; }
  bool has_value() const { return at.value_; }

  /// The single element, converted to T. An Error if there is not exactly one element or its value is unknown (inside
  /// jit or vmap); under grad it is the primal value.
  template <Element T>
  T item(Location place = Location::current()) const {
    T out;
    readItem(&out, dtype_of<T>, place);
    return out;
  }
  /// The single element as a condition of `if` or `while`. An array of more or fewer elements is an Error: use any,
  /// all or where.
  explicit operator bool() const { return truth(); }
  template <detail::Integer T>
    requires Element<T>
  explicit operator T() const {
    return item<T>({});
  }
  explicit operator float() const { return item<float>({}); }
  explicit operator double() const { return item<double>({}); }
  /// All elements, row-major. T must be the dtype's own type.
  template <Element T>
  std::vector<T> to_vector(Location place = Location::current()) const {
    std::vector<T> out(static_cast<size_t>(hostCount(dtype_of<T>, place)));
    if constexpr (!std::is_same_v<T, bool>)
      copyOut(out.data(), place);
    else
      copyBits(out, place);
    return out;
  }
  /// The elements in index order, without a copy and read-only: a range for any array on the CPU, and a std::span if
  /// they are row-major without gaps. See Elements in view.h.
  template <Element T>
  Elements<T> elements(Location place = Location::current()) const;

  /// Iterates over axis 0; each element is a view without that axis.
  class Iterator;
  Iterator begin(Location place = Location::current()) const;
  Iterator end(Location place = Location::current()) const;
  /// Indexes x with NumPy's index items in one pair of braces: `x[2]`, `x[{0, _, slice(1, 10, 2)}]`, `x[{ellipsis,
  /// newaxis, indices}]`; see IndexItem in index.h. Integers and slices give views; integer and bool arrays give
  /// copies. In C++20, `x[1, 0]` uses C++'s comma operator and means x[0]; compilers warn about it.
  [[nodiscard]] Array operator[](const detail::Index &index) const;
#ifdef __cpp_multidimensional_subscript
  template <class... Items>
  [[nodiscard]] Array operator[](const detail::Index &first, const IndexItem &second, const Items &...others) const;
#endif
  /// Views with all axes reversed (NumPy's x.T), and with the last two axes exchanged (x.mT).
  [[nodiscard]] Array T(Location place = Location::current()) const;
  [[nodiscard]] Array mT(Location place = Location::current()) const;
  /// Selects elements of x for an update: `x.at[{0, _}].set(1)` is x with ones in row 0.
  At at;

  /// Internal: the value that the handle refers to; null if empty.
  detail::Value *value() const { return at.value_; }
  /// Internal: takes ownership of one reference.
  static Array adopt(detail::Value *value) {
    Array array;
    array.at.value_ = value;
    return array;
  }
  static Array share(detail::Value *value) {
    detail::retain(value);
    return adopt(value);
  }

  [[nodiscard]] friend Array operator+(const Operand &x1, const Operand &x2) { return add(x1, x2); }
  [[nodiscard]] friend Array operator-(const Operand &x1, const Operand &x2) { return subtract(x1, x2); }
  [[nodiscard]] friend Array operator*(const Operand &x1, const Operand &x2) { return multiply(x1, x2); }
  [[nodiscard]] friend Array operator/(const Operand &x1, const Operand &x2) { return divide(x1, x2); }
  [[nodiscard]] friend Array operator<(const Operand &x1, const Operand &x2) { return less(x1, x2); }
  [[nodiscard]] friend Array operator<=(const Operand &x1, const Operand &x2) { return less_equal(x1, x2); }
  [[nodiscard]] friend Array operator>(const Operand &x1, const Operand &x2) { return greater(x1, x2); }
  [[nodiscard]] friend Array operator>=(const Operand &x1, const Operand &x2) { return greater_equal(x1, x2); }
  [[nodiscard]] friend Array operator==(const Operand &x1, const Operand &x2) { return equal(x1, x2); }
  [[nodiscard]] friend Array operator!=(const Operand &x1, const Operand &x2) { return not_equal(x1, x2); }
  /// The left operand is an Array: otherwise C++'s && on bools would match equally well.
  [[nodiscard]] friend Array operator&&(const Array &x1, const Operand &x2) { return logicalWith(x1, x2, false); }
  [[nodiscard]] friend Array operator||(const Array &x1, const Operand &x2) { return logicalWith(x1, x2, true); }
  /// Errors of these overloads name the line of the op that made x.
  template <detail::Number T>
  [[nodiscard]] friend Array operator&&(const Array &x, T number) {
    return logicalWith(x, Scalar(number), false);
  }
  template <detail::Number T>
  [[nodiscard]] friend Array operator||(const Array &x, T number) {
    return logicalWith(x, Scalar(number), true);
  }
  [[nodiscard]] friend Array operator!(const Array &x) { return logicalNot(x); }
  [[nodiscard]] friend Array operator<<(const Operand &x1, const Operand &x2) { return left_shift(x1, x2); }
  [[nodiscard]] friend Array operator>>(const Operand &x1, const Operand &x2) { return right_shift(x1, x2); }
  [[nodiscard]] friend Array operator%(const Operand &x1, const Operand &x2) { return remainder(x1, x2); }
  [[nodiscard]] friend Array operator&(const Operand &x1, const Operand &x2) { return bitwise_and(x1, x2); }
  [[nodiscard]] friend Array operator|(const Operand &x1, const Operand &x2) { return bitwise_or(x1, x2); }
  [[nodiscard]] friend Array operator^(const Operand &x1, const Operand &x2) { return bitwise_xor(x1, x2); }
  [[nodiscard]] friend Array operator~(const Operand &x) { return tenon::bitwise_invert(x); }
  [[nodiscard]] friend Array operator-(const Operand &x) { return tenon::negative(x); }
  Array &operator+=(const Operand &x) &;
  Array &operator-=(const Operand &x) &;
  Array &operator*=(const Operand &x) &;
  Array &operator/=(const Operand &x) &;

private:
  Array(const void *elements, Dtype dtype, const Shape &shape);
  template <class C>
  static detail::Value *fromContainer(const C &elements, Location place) {
    if constexpr (detail::FlatContainer<C>)
      return fromElements(std::data(elements), std::size(elements), dtype_of<detail::ElementOfContainer<C>>,
                          Shape(static_cast<int64_t>(std::size(elements))), place);
    detail::ListReader reader(dtype_of<detail::ElementOfContainer<C>>, place);
    reader.read(0, elements);
    return reader.finish();
  }
  template <class T, class List>
  static detail::Value *fromList(const List &list, Location place) {
    detail::ListReader reader(detail::literal_dtype<T>(), place);
    reader.read(0, list);
    return reader.finish();
  }
  static detail::Value *fromMixed(const detail::List1<detail::Literal> &list, Location place);
  static detail::Value *fromMixed(const detail::List2<detail::Literal> &list, Location place);
  static detail::Value *fromElements(const void *elements, size_t count, Dtype dtype, const Shape &shape,
                                     Location place);
  const detail::Value *checked(Location place) const {
    if (!at.value_)
      throwEmpty(place);
    return at.value_;
  }
  [[noreturn]] static void throwEmpty(Location place);
  bool truth() const;
  static Array logicalWith(const Array &x, Scalar number, bool isOr);
  static Array logicalWith(const Array &x1, const Operand &x2, bool isOr);
  static Array logicalNot(const Array &x);
  void readItem(void *out, Dtype dtype, Location place) const;
  int64_t hostCount(Dtype dtype, Location place) const;
  void copyOut(void *out, Location place) const;
  void copyBits(std::vector<bool> &out, Location place) const;
};

class Array::Iterator {
public:
  Iterator(const Array &array, int64_t index, Location at) : array_(&array), index_(index), at_(at) {}
  Array operator*() const;
  Iterator &operator++() {
    ++index_;
    return *this;
  }
  bool operator==(const Iterator &other) const { return index_ == other.index_; }

private:
  const Array *array_;
  int64_t index_;
  Location at_;
};

/// Mutable array with shared state, as `tf.Variable`. Documented in variable.h.
template <class Value>
class BasicVariable;
using Variable = BasicVariable<Array>;

/// An operand of an op: an Array, a Variable, a C++ number or nested lists, together with the caller's source line.
class Operand {
public:
  Operand(const Variable &variable, const std::source_location &at = std::source_location::current());
  Operand(const Array &array, const std::source_location &at = std::source_location::current())
      : array_(&array), at_(at), isScalar_(false) {}
  template <detail::Number T>
  Operand(T number, const std::source_location &at = std::source_location::current()) : scalar_(number), at_(at) {}
  Operand(Scalar number, const std::source_location &at = std::source_location::current()) : scalar_(number), at_(at) {}
  template <detail::Number T>
  Operand(detail::List1<T> list, const std::source_location &at = std::source_location::current())
      : owned_(list, Location(at)), array_(&owned_), at_(at), isScalar_(false) {}
  template <detail::Number T>
  Operand(detail::List2<T> list, const std::source_location &at = std::source_location::current())
      : owned_(list, Location(at)), array_(&owned_), at_(at), isScalar_(false) {}
  template <detail::Number T>
  Operand(detail::List3<T> list, const std::source_location &at = std::source_location::current())
      : owned_(list, Location(at)), array_(&owned_), at_(at), isScalar_(false) {}
  template <detail::Number T>
  Operand(detail::List4<T> list, const std::source_location &at = std::source_location::current())
      : owned_(list, Location(at)), array_(&owned_), at_(at), isScalar_(false) {}
  Operand(detail::List1<detail::Literal> list, const std::source_location &at = std::source_location::current())
      : owned_(list, Location(at)), array_(&owned_), at_(at), isScalar_(false) {}
  Operand(detail::List2<detail::Literal> list, const std::source_location &at = std::source_location::current())
      : owned_(list, Location(at)), array_(&owned_), at_(at), isScalar_(false) {}
  Operand() = delete; // {} is no operand; `none` omits one
  template <detail::Container C>
  Operand(const C &elements, const std::source_location &at = std::source_location::current())
      : owned_(elements, Location(at)), array_(&owned_), at_(at), isScalar_(false) {}
  /// A size that is an integer.
  Operand(const Dim &size, const std::source_location &at = std::source_location::current())
      : scalar_(size.value(at)), at_(at) {}
  Operand(None, const std::source_location &at = std::source_location::current()) : at_(at), isScalar_(false) {}
  Operand(const Operand &) = delete;
  Operand &operator=(const Operand &) = delete;

  /// Borrowed; null if this is a number or an empty Array. Reads the Array at the call, since evaluating another
  /// operand may assign it.
  detail::Value *value() const { return array_ ? array_->value() : nullptr; }
  /// Internal: the handle that the caller passed; null if this is a number or `none`.
  const Array *handle() const { return array_; }
  bool is_scalar() const { return isScalar_; }
  bool is_none() const { return !isScalar_ && !value(); }
  Scalar scalar() const { return scalar_; }
  Location location() const { return at_; }

private:
  Array owned_;
  const Array *array_ = nullptr;
  Scalar scalar_ = false;
  Location at_;
  bool isScalar_ = true;
};

/// A list of arrays as an argument: `concatenate({a, b})`, a vector, a span. Refers to the arrays during the call.
class Arrays {
public:
  Arrays() = default;
  Arrays(std::initializer_list<Array> arrays) : size_(arrays.size()) { first_ = arrays.begin(); }
  Arrays(const std::vector<Array> &arrays) : first_(arrays.data()), size_(arrays.size()) {}
  template <class List>
    requires std::is_same_v<List, std::span<const Array>>
  Arrays(List arrays) : first_(arrays.data()), size_(arrays.size()) {}
  const Array *begin() const { return first_; }
  const Array *end() const { return first_ + size_; }
  size_t size() const { return size_; }
  const Array &operator[](size_t i) const { return first_[i]; }

private:
  const Array *first_ = nullptr;
  size_t size_ = 0;
};

/// Copies the array to another device; returns it unchanged if it is already there. An unknown device and a traced,
/// batched or differentiated array are Errors.
[[nodiscard]] Array to_device(const Array &array, Device device, Location at = Location::current());

/// Broadcast shape of several shapes: `broadcast_shapes({{2, 1}, {3}})` is (2, 3).
[[nodiscard]] Shape broadcast_shapes(const std::vector<Shape> &shapes, Location at = Location::current());

/// Prints the array as NumPy 2 does, inside `Array(..., shape=(2, 2), dtype=int32)`; a traced value prints as a
/// symbol, `Traced(%2: f32[1, 1])`.
std::ostream &operator<<(std::ostream &os, const Array &array);
/// NumPy's name: "float32".
std::ostream &operator<<(std::ostream &os, Dtype dtype);
/// For tenon::format: `{}` gives the elements, as print shows them, and `{:?}` the text of <<; any other format, such
/// as `{:.3f}`, is applied to each element. Of a symbolic size and of a Shape it is applied to the text.
void format_value(std::string &out, std::string_view spec, const Array &array);
void format_value(std::string &out, std::string_view spec, const Dim &dim);
void format_value(std::string &out, std::string_view spec, const Shape &shape);

} // namespace tenon

#include <tenon/index.h>
#include <tenon/view.h>
