//===- axes.h - axes and options as arguments ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/dim.h>

#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

namespace tenon {

/// One axis of an array; negative axes count from the end.
class Axis {
public:
  constexpr Axis(int64_t axis) : axis_(axis) {}
  template <detail::UnsignedWide T>
  Axis(T axis) : axis_(detail::saturated(axis)) {}
  template <detail::NoAxis T>
  Axis(T) = delete; // an axis is an integer
  constexpr int64_t value() const { return axis_; }

private:
  int64_t axis_;
};

/// A list of axes or other integers: `2`, `{0, -1}`, a vector. For axes, an omitted list, `{}` or `Ints()` means all
/// axes; an empty vector means no axes, as NumPy's axis=().
class Ints {
public:
  Ints() = default;
  template <detail::Integer T>
  Ints(T value) : Ints({Axis(value).value()}) {}
  Ints(std::initializer_list<int64_t> values);
  template <detail::Integer T>
  Ints(const std::vector<T> &values) : values_(values.begin(), values.end()), given_(true) {}
  template <detail::NoAxis T>
  Ints(T) = delete; // axes are integers; keepdims comes after them: sum(x, {}, true), or by name: {.keepdims = true}
  template <detail::NoAxis T>
  Ints(std::initializer_list<T>) = delete; // axes are integers; keepdims comes after them: sum(x, {}, true)
  /// False if omitted ("all axes").
  bool given() const { return given_; }
  std::span<const int64_t> values() const;

private:
  std::vector<int64_t> values_;
  bool given_ = false;
};

namespace detail {
/// The type of a parameter that loses to a struct of options: it makes the function a template, although its argument
/// is given or left out alone. g++ 12 takes `{.axis = 1}` for the list {1}, so that both would fit.
template <class T>
using Positional = std::type_identity_t<T>;
/// The first field of a struct of options: lists without names, such as {0, 1}, do not fit the struct then.
struct ByName {
  explicit constexpr ByName() = default;
};
} // namespace detail

} // namespace tenon
