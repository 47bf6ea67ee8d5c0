//===- ResizeTaps.h - which elements a resized axis is made of --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/modes.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::detail {

/// An element of the axis and its weight, which is not 0.
struct Tap {
  int64_t index;
  double weight;
  bool operator==(const Tap &) const = default;
};

/// How the axes of an array are resized.
struct Resizing {
  ResizeMethod method;
  ResizeCoordinates coordinates;
  ResizeRounding rounding;
  bool antialias;
  bool excludesOutside;
  double cubicCoefficient;
};

/// An axis of `size` elements that becomes one of `newSize`.
struct ResizedAxis {
  int64_t size, newSize;
  /// New size / size, as the caller gave it; none: the ratio of the sizes.
  std::optional<double> scale;
};

/// Where an element of the resized axis lies: `fraction`, in [0, 1), behind element `whole`. Exact for a ratio of
/// sizes, but for the rounding of the fraction to f64.
struct Position {
  int64_t whole;
  double fraction;
};
Position positionOf(int64_t i, const ResizedAxis &axis, ResizeCoordinates coordinates);

/// An upper bound of the number of elements with a weight in one element of the result.
double mostTaps(const Resizing &how, const ResizedAxis &axis);

/// The elements that each element of the result is the weighted sum of, by ascending index. At least one each.
std::vector<std::vector<Tap>> tapsOf(const Resizing &how, const ResizedAxis &axis);

/// Whether an axis that keeps its size keeps its elements, whatever its size is.
bool keepsEqualSizes(const Resizing &how);

} // namespace tenon::detail
