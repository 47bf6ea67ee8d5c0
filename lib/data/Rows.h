//===- Rows.h - elements that are slices of arrays ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/data/Stage.h"

#include <span>
#include <vector>

namespace tenon::data::detail {

/// The slices along axis 0 of the arrays in a tree, or windows of them.
class Rows {
public:
  /// `what` begins errors: "data::from_slices".
  Rows(tenon::detail::TreeRef tree, const ElementOps *ops, const char *what, Location at);
  /// Row i: the slices number i * shift to i * shift + length - 1, along axis 0. `rows` has no windows.
  Rows(const Rows &rows, int64_t length, int64_t shift);

  bool hasWindows() const { return length_ >= 0; }
  int64_t count() const { return count_; }
  /// The row, its arrays as views.
  Item element(int64_t row) const;
  /// The rows stacked along a new axis 0; at least one.
  Item stack(std::span<const int64_t> rows) const;

private:
  struct Part {
    Array array;
    size_t slice; ///< bytes of a slice
  };
  /// A copy of the tree with other arrays.
  Item with(std::span<const Array> arrays) const;
  const std::byte *at(const Part &part, int64_t row) const;
  size_t bytesOf(const Part &part) const { return part.slice * static_cast<size_t>(hasWindows() ? length_ : 1); }

  Item tree_;
  std::vector<Part> parts_;
  int64_t count_ = 0, length_ = -1, shift_ = 1;
};

/// The arrays of elements stacked along a new axis 0: the trees must have one structure, and the arrays one dtype and
/// shape; if `padding`, shapes of one rank, padded at their ends with that number. `name` begins errors: "data::batch".
Item stackItems(std::span<Item> items, const Scalar *padding, const char *name, Location at);

/// Copies `count` pieces of so many bytes, one behind the other.
void copyPieces(std::byte *to, const std::byte *const *from, int64_t count, size_t bytes);

} // namespace tenon::data::detail
