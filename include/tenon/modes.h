//===- modes.h - the enums that choose what an operation does -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by tenon-tblgen from the records in dialect/; change those.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

/// How an index out of range is treated.
enum class IndexMode : uint8_t {
  error, ///< an Error with index, axis and size; nothing is updated
  clip, ///< the first or last element
  wrap, ///< the element at the index modulo the axis's size
  drop, ///< updates skip the index; reads return the fill value
  fill = drop, ///< alias of drop
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(IndexMode value) {
  constexpr std::string_view names[] = {"error", "clip", "wrap", "drop"};
  return static_cast<size_t>(value) < 4 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// What pad_mode fills the new elements with; examples for [1 2 3].
enum class PadMode : uint8_t {
  edge, ///< the first or last element: 1 1 [1 2 3] 3 3
  reflect, ///< mirrored at the edge element: 3 2 [1 2 3] 2 1
  symmetric, ///< mirrored, with the edge element repeated: 2 1 [1 2 3] 3 2
  wrap, ///< from the other end: 2 3 [1 2 3] 1 2
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(PadMode value) {
  constexpr std::string_view names[] = {"edge", "reflect", "symmetric", "wrap"};
  return static_cast<size_t>(value) < 4 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which zeros trim_zeros removes.
enum class Trim : uint8_t {
  both, ///< leading and trailing zeros
  front, ///< leading zeros
  back, ///< trailing zeros
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(Trim value) {
  constexpr std::string_view names[] = {"both", "front", "back"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Order of the first two axes of meshgrid's results.
enum class GridIndexing : uint8_t {
  xy, ///< Cartesian: axis 0 is that of the second array, axis 1 that of the first
  ij, ///< matrix: axis i is that of array i
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(GridIndexing value) {
  constexpr std::string_view names[] = {"xy", "ij"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which position searchsorted returns among equal elements.
enum class Side : uint8_t {
  left, ///< before the first equal element
  right, ///< after the last equal element
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(Side value) {
  constexpr std::string_view names[] = {"left", "right"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// The norm that matrix_norm computes.
enum class MatrixNorm : uint8_t {
  frobenius, ///< square root of the sum of |x|^2
  one, ///< largest sum of |x| over a column
  minus_one, ///< smallest sum of |x| over a column
  infinity, ///< largest sum of |x| over a row
  minus_infinity, ///< smallest sum of |x| over a row
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(MatrixNorm value) {
  constexpr std::string_view names[] = {"frobenius", "one", "minus_one", "infinity", "minus_infinity"};
  return static_cast<size_t>(value) < 5 ? names[static_cast<size_t>(value)] : std::string_view();
}

} // namespace tenon
