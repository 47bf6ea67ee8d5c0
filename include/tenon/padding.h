//===- padding.h - the padding of convolutions and windows -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/axes.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace tenon {

/// How many elements are added before and after the spatial axes of an array that windows move over.
enum class PaddingMode : uint8_t {
  valid,      ///< none
  same,       ///< the result has ceil(size / stride) elements; of an odd number of new elements one more comes after
  same_lower, ///< the same, with one more before
  causal,     ///< all before: an element of the result depends on no later one
};
/// Padding that keeps sizes where the stride is 1: `conv2d(x, kernel, {.padding = tn::same})`.
inline constexpr PaddingMode same = PaddingMode::same;
/// Padding before the first element alone.
inline constexpr PaddingMode causal = PaddingMode::causal;

/// The padding of each spatial axis: a mode (`same`, `causal`, `PaddingMode::valid`), one number for both ends of all
/// axes (`1`), a number for both ends of each axis (`{1, 2}`), or both ends of each axis (`{{0, 1}, {2, 2}}`). Negative
/// numbers remove elements.
class Padding {
public:
  /// The new elements at both ends of an axis.
  struct Ends {
    int64_t before, after;
    template <detail::Integer T>
    Ends(T both) : before(Axis(both).value()), after(before) {}
    Ends(int64_t first, int64_t last) : before(first), after(last) {}
  };

  Padding(PaddingMode mode) : mode_(mode) {}
  template <detail::Integer T>
  Padding(T all) : ends_{Ends(all)}, isForAll_(true) {}
  Padding(std::initializer_list<Ends> ends) : ends_(ends) {}
  Padding(std::vector<Ends> ends) : ends_(std::move(ends)) {}

  /// The mode; none if numbers were given.
  std::optional<PaddingMode> mode() const { return mode_; }
  /// The ends of each axis, where numbers were given; one pair for all axes if `is_for_all()`.
  std::span<const Ends> ends() const { return ends_; }
  /// Whether one number was given.
  bool is_for_all() const { return isForAll_; }

private:
  std::optional<PaddingMode> mode_;
  std::vector<Ends> ends_;
  bool isForAll_ = false;
};

} // namespace tenon
