//===- index.h - NumPy's indexing ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `x[{0, _, slice(1, 10, 2), newaxis, ellipsis, rows}]` indexes x as NumPy does. Integers, slices, newaxis and ellipsis
// give a view; arrays of indices give a copy. `x.at[{...}].set(v)` returns a copy of x in which the indexed elements
// are replaced by v. `std::move(x).at[{...}].set(v)` reuses the buffer of x if nothing else holds the array.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>
#include <tenon/modes.h>

#include <optional>

namespace tenon {

/// A whole axis: `x[{_, 0}]`. As a bound of slice: no bound.
struct All {};
inline constexpr All _;
/// A new axis of size 1.
struct NewAxis {};
inline constexpr NewAxis newaxis;
/// All axes that the other items do not cover.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis;

/// Python's start:stop:step; see slice.
struct Slice {
  std::optional<Dim> start = {}, stop = {};
  int64_t step = 1;
};

namespace detail {
template <class T>
concept SliceBound = Integer<T> || std::is_same_v<T, Dim> || std::is_same_v<T, Size> || std::is_same_v<T, None> ||
                     std::is_same_v<T, All>;
template <SliceBound T>
std::optional<Dim> sliceBound(const T &bound) {
  if constexpr (std::is_same_v<T, None> || std::is_same_v<T, All>)
    return std::nullopt;
  else
    return Dim(bound);
}
} // namespace detail

/// Python's slice start:stop:step as an index item. Negative bounds count from the end, bounds beyond the end are
/// clamped; `none` or `_` means no bound. Bounds of an axis with a symbolic size must be inside it.
template <detail::SliceBound Start, detail::SliceBound Stop>
Slice slice(const Start &start, const Stop &stop, int64_t step = 1) {
  return {detail::sliceBound(start), detail::sliceBound(stop), step};
}
/// :stop.
template <detail::SliceBound Stop>
Slice slice(const Stop &stop) {
  return {std::nullopt, detail::sliceBound(stop), 1};
}

/// One index item: an integer, a slice, `_`, `newaxis`, `ellipsis`, or an array of integers. An array of bools stands
/// for the positions of its true elements (only outside jit and vmap). Integer arrays are broadcast to one shape;
/// following NumPy, their axes replace the first indexed axis, or come first if a slice or newaxis separates them.
class IndexItem {
public:
  enum class Kind : uint8_t { integer, part, added, rest, array };

  template <detail::Integer T>
  IndexItem(T index) : kind_(Kind::integer) {
    if constexpr (detail::UnsignedWide<T>)
      start(Dim(detail::saturated(index)));
    else
      start(Dim(static_cast<int64_t>(index)));
  }
  IndexItem(Dim index) : kind_(Kind::integer) { start(index); }
  IndexItem(const Slice &slice) : kind_(Kind::part), slice_(slice) {}
  IndexItem(All) : kind_(Kind::part) {}
  IndexItem(NewAxis) : kind_(Kind::added) {}
  IndexItem(Ellipsis) : kind_(Kind::rest) {}
  IndexItem(const Array &indices) : kind_(Kind::array), array_(indices) {}
  template <detail::Integer T>
  IndexItem(const std::vector<T> &indices) : kind_(Kind::array), array_(indices) {}
  IndexItem(std::initializer_list<int64_t> indices) : kind_(Kind::array), array_(indices) {}
  template <detail::NoAxis T>
  IndexItem(T) = delete; // an index is an integer: x[1]

  Kind kind() const { return kind_; }
  /// Of an integer: where it starts.
  const Slice &slice() const { return slice_; }
  const Array &array() const { return array_; }

private:
  void start(Dim index);
  Kind kind_;
  Slice slice_;
  Array array_;
};

namespace detail {
/// The operand of []: one item or several, and the user's line. Lives for a full expression.
class Index {
public:
  Index(std::initializer_list<IndexItem> items, const std::source_location &place = std::source_location::current())
      : size_(items.size()), at_(place) {
    first_ = items.begin();
  }
  template <class Item>
    requires std::is_convertible_v<const Item &, IndexItem>
  Index(const Item &item, const std::source_location &place = std::source_location::current())
      : one_(item), first_(&one_), size_(1), at_(place) {}
  Index(int64_t number, Location place) : one_(number), first_(&one_), size_(1), at_(place) {}
  Index(std::span<const IndexItem> items, Location place);
  template <NoAxis T>
  Index(T) = delete; // an index is an integer: x[1]
  Index(const Index &) = delete;
  Index &operator=(const Index &) = delete;

  std::span<const IndexItem> items() const;
  Location at() const { return at_; }

private:
  IndexItem one_ = _;
  const IndexItem *first_ = nullptr;
  size_t size_;
  Location at_;
};
} // namespace detail

struct IndexOptions {
  /// Negative indices count from the end in every mode.
  IndexMode mode = IndexMode::error;
  /// Value read at an index out of range in mode fill. Default: 0 (JAX: NaN for floats).
  std::optional<Scalar> fill_value = {};
};

/// Result of `x.at[{...}]`. Each function returns a copy of x in which the selected elements are updated with `values`,
/// which are broadcast to their shape and converted to the dtype of x if it can represent them. Several updates of one
/// element are applied in the order of the indices.
class [[nodiscard]] Update {
public:
  Update(const Update &) = default;
  Update(Update &&) = default;
  /// `x.at[0] = y` would change nothing; `x = x.at[0].set(y)` does.
  Update &operator=(const Update &) = delete;
  /// Returns the selected elements, as `x[{...}]` does.
  [[nodiscard]] Array get(const IndexOptions &options = {}) const;
  [[nodiscard]] Array set(const Operand &values, const IndexOptions &options = {});
  [[nodiscard]] Array add(const Operand &values, const IndexOptions &options = {});
  [[nodiscard]] Array multiply(const Operand &values, const IndexOptions &options = {});
  /// Divides the elements by the values, as in JAX. For floats and complex numbers.
  [[nodiscard]] Array divide(const Operand &values, const IndexOptions &options = {});
  [[nodiscard]] Array min(const Operand &values, const IndexOptions &options = {});
  [[nodiscard]] Array max(const Operand &values, const IndexOptions &options = {});
  /// Returns x with `f` applied to the selected elements, as JAX's `.at[].apply`; an element indexed k times gets f
  /// applied k times. f takes and returns an array and acts element by element. Under jit with traced indices, the
  /// derivative stores intermediates for as many iterations as there are indices.
  template <class F>
    requires std::is_invocable_r_v<Array, F &, const Array &>
  [[nodiscard]] Array apply(F &&f, const IndexOptions &options = {}) const; // in control.h
  /// Returns x with each selected element replaced by `f(element, value)`; several values for one element are applied
  /// in order. f takes two arrays, acts element by element and returns an array of x's dtype; see scatter in fold.h.
  template <class F>
    requires std::is_invocable_r_v<Array, F &, const Array &, const Array &>
  [[nodiscard]] Array apply(F &&f, const Operand &values, const IndexOptions &options = {}) const; // in fold.h

private:
  friend class At;
  Array with(OpCode op, const Operand &values, const IndexOptions &options);
  /// The same elements of another array.
  Update of(Array x) const;
  /// Indices of the selected elements in the flattened x (i64), -1 for dropped ones; in the shape of the selection.
  Array places(const IndexOptions &options) const;
  /// How often each selected element is indexed.
  struct Repeats {
    /// By element (i32), in the shape of the selection; empty if each element is indexed once.
    Array counts;
    /// The largest count where the loop over it may be unrolled, else -1.
    int64_t unrolled = 1;
    /// The largest count as an array, and a bound of it; empty where `unrolled` is known.
    Array most;
    Dim bound = 1;
  };
  Repeats repeats(const IndexOptions &options) const;
  Update(Array x, bool isGiven, const detail::Index &index);

  Array x_;
  std::vector<IndexItem> items_;
  Location at_;
  /// x was moved from: the update runs in place if nothing else holds the array.
  bool isGiven_;
};

#ifdef __cpp_multidimensional_subscript
template <class... Items>
Array Array::operator[](const detail::Index &first, const IndexItem &second, const Items &...others) const {
  const IndexItem items[] = {first.items()[0], second, IndexItem(others)...};
  return (*this)[detail::Index(std::span<const IndexItem>(items), first.at())];
}
#endif

} // namespace tenon
