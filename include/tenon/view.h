//===- view.h - reading elements where they are ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements<T> is the range of all elements of an array in index order; ArrayView<T, N> is indexed like std::mdspan.
// Both support any strides, copy nothing and keep the elements alive. The array must be on the CPU and its elements
// must be known: not inside jit or vmap. Under grad the elements of the primal value are read.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <array>

namespace tenon {

namespace detail {
/// The buffer on the CPU that has the elements of `array`; an Error, which begins with
/// `what`, if there is none, or it is of another dtype.
Array hostElements(const Array &array, Dtype dtype, const char *what, Location at);

/// How elements lie that are visited in the order of their indices. Axes that are
/// one behind the other in memory are one, so that the last is as long as it can be.
struct ElementOrder {
  explicit ElementOrder(const Value *value);
  /// Where the element of this index in row-major order is, in elements.
  int64_t offset(int64_t index) const;
  int64_t count;
  int rank; ///< at least 1
  int64_t dims[max_rank], strides[max_rank];
  bool isDense;
};
[[noreturn]] void throwNotDense(const Value *value, Location at);
[[noreturn]] void throwViewRank(const Value *value, size_t rank, Location at);
[[noreturn]] void throwViewIndex(const Value *value, int64_t index, size_t axis, Location at);
[[noreturn]] void throwMdspan(const Value *value, Location at);
} // namespace detail

/// Result of Array::elements: `for (float v : x.elements<float>())`. An Error unless T is the element type of the
/// dtype.
template <Element T>
class Elements {
public:
  class Iterator;
  using value_type = T;
  using iterator = Iterator;
  using const_iterator = Iterator;

  explicit Elements(const Array &array, Location place = Location::current())
      : array_(detail::hostElements(array, dtype_of<T>, "elements()", place)),
        first_(static_cast<const T *>(array_.value()->data)), order_(array_.value()), place_(place) {}

  size_t size() const { return static_cast<size_t>(order_.count); }
  bool empty() const { return order_.count == 0; }
  /// Returns the element with this row-major index, unchecked.
  const T &operator[](size_t index) const {
    const auto place = static_cast<int64_t>(index);
    return first_[order_.isDense ? place : order_.offset(place)];
  }
  /// Iterators are valid while this object lives.
  Iterator begin() const { return Iterator(*this, 0); }
  Iterator end() const { return Iterator(*this, order_.count); }
  /// Pointer to all elements if they are row-major without gaps, valid while the array lives; an Error for a strided
  /// view (to_vector copies one).
  const T *data() const {
    if (!order_.isDense)
      detail::throwNotDense(array_.value(), place_);
    return first_;
  }
  operator std::span<const T>() const { return {data(), size()}; }

private:
  Array array_;
  const T *first_;
  detail::ElementOrder order_;
  Location place_;
};

template <Element T>
class Elements<T>::Iterator {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T *;
  using reference = const T &;

  Iterator() = default;
  reference operator*() const { return *at_; }
  pointer operator->() const { return at_; }
  Iterator &operator++() {
    ++index_;
    if (--left_ > 0)
      at_ += step_;
    else if (index_ < of_->order_.count)
      enter();
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Iterator &a, const Iterator &b) { return a.index_ == b.index_; }

private:
  friend class Elements;
  Iterator(const Elements &of, int64_t index) : of_(&of), index_(index), step_(of.order_.strides[of.order_.rank - 1]) {
    if (index < of.order_.count)
      enter();
  }
  /// Goes to the element `index_`, the first of a run along the last axis.
  void enter() {
    at_ = of_->first_ + of_->order_.offset(index_);
    left_ = of_->order_.dims[of_->order_.rank - 1];
  }

  const Elements *of_ = nullptr;
  const T *at_ = nullptr;
  int64_t index_ = 0, step_ = 0, left_ = 0;
};

template <Element T>
Elements<T> Array::elements(Location place) const {
  return Elements<T>(*this, place);
}

/// An N-dimensional view of elements, read like std::mdspan: `v(i, j)`, `v.extent(0)`.
template <Element T, size_t N>
class ArrayView {
public:
  using element_type = const T;
  using value_type = T;
  using index_type = int64_t;
  using size_type = size_t;
  using rank_type = size_t;
  using data_handle_type = const T *;
  using reference = const T &;

  explicit ArrayView(const Array &array, Location place = Location::current())
      : array_(detail::hostElements(array, dtype_of<T>, "view", place)), place_(place) {
    const detail::Value *value = array_.value();
    if (static_cast<size_t>(value->rank()) != N)
      detail::throwViewRank(value, N, place);
    first_ = static_cast<const T *>(value->data);
    for (size_t axis = 0; axis < N; ++axis) {
      extents_[axis] = value->dims()[axis].raw();
      strides_[axis] = value->strides()[axis];
    }
  }

  static constexpr size_t rank() { return N; }
  /// Sizes and strides of axis < N; strides are in elements and may be negative or 0.
  int64_t extent(size_t axis) const { return extents_[axis]; }
  int64_t stride(size_t axis) const { return strides_[axis]; }
  size_t size() const { return static_cast<size_t>(array_.value()->count()); }
  bool empty() const { return size() == 0; }
  /// Pointer to the element with index 0, 0, ..., valid while the array lives.
  const T *data_handle() const { return first_; }

  /// Returns an element; indices count from 0 and are unchecked.
  template <detail::Integer... Index>
    requires(sizeof...(Index) == N)
  const T &operator()(Index... index) const {
    return first_[offset({static_cast<int64_t>(index)...})];
  }
#ifdef __cpp_multidimensional_subscript
  template <detail::Integer... Index>
    requires(sizeof...(Index) == N)
  const T &operator[](Index... index) const {
    return first_[offset({static_cast<int64_t>(index)...})];
  }
#endif
  /// Returns an element; an index out of range is an Error.
  template <detail::Integer... Index>
    requires(sizeof...(Index) == N)
  const T &at(Index... index) const {
    const std::array<int64_t, N> place{static_cast<int64_t>(index)...};
    for (size_t axis = 0; axis < N; ++axis)
      if (place[axis] < 0 || place[axis] >= extents_[axis])
        detail::throwViewIndex(array_.value(), place[axis], axis, place_);
    return first_[offset(place)];
  }

  /// Converts to a std::mdspan<const T, ...> with these extents: with std::layout_stride, or another layout if the
  /// elements have it. Valid while the array lives. An Error if the layout cannot express the strides; layout_stride
  /// requires positive ones.
  template <class Mdspan>
    requires requires {
      typename Mdspan::extents_type;
      typename Mdspan::mapping_type;
      requires std::is_same_v<typename Mdspan::element_type, const T>;
      requires Mdspan::rank() == N;
    }
  operator Mdspan() const {
    using Mapping = typename Mdspan::mapping_type;
    using Extents = typename Mdspan::extents_type;
    using Index = typename Extents::index_type;
    constexpr bool isStrided = std::is_constructible_v<Mapping, Extents, std::array<Index, N>>;
    std::array<Index, N> extents, strides;
    bool fits = true;
    for (size_t axis = 0; axis < N; ++axis) {
      extents[axis] = static_cast<Index>(extents_[axis]);
      const int64_t stride = extents_[axis] > 1 ? strides_[axis] : 1; // else it says nothing
      strides[axis] = static_cast<Index>(stride);
      const bool isStatic = Extents::static_extent(axis) != static_cast<size_t>(-1);
      fits = fits && static_cast<int64_t>(extents[axis]) == extents_[axis] &&
             static_cast<int64_t>(strides[axis]) == stride && (!isStrided || stride > 0) &&
             (!isStatic || Extents::static_extent(axis) == static_cast<size_t>(extents_[axis]));
    }
    if (!fits)
      detail::throwMdspan(array_.value(), place_);
    if constexpr (isStrided) {
      return Mdspan(first_, Mapping(Extents(extents), strides));
    } else {
      const Mapping mapping{Extents(extents)};
      for (size_t axis = 0; axis < N; ++axis)
        if (extents_[axis] > 1 && !empty() && static_cast<int64_t>(mapping.stride(axis)) != strides_[axis])
          detail::throwMdspan(array_.value(), place_);
      return Mdspan(first_, mapping);
    }
  }

private:
  int64_t offset(const std::array<int64_t, N> &index) const {
    int64_t place = 0;
    for (size_t axis = 0; axis < N; ++axis)
      place += index[axis] * strides_[axis];
    return place;
  }

  Array array_;
  const T *first_;
  std::array<int64_t, N> extents_, strides_;
  Location place_;
};

/// Returns a view of x, which must have rank N, the dtype of T and be on the CPU: `auto v = tn::view<float, 2>(x);
/// v(1, 2)`.
template <Element T, size_t N>
ArrayView<T, N> view(const Array &x, Location place = Location::current()) {
  return ArrayView<T, N>(x, place);
}

} // namespace tenon
