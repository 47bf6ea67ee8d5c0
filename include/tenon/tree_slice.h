//===- tree_slice.h - one of several trees that are stacked ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/key.h>
#include <tenon/tree.h>

#include <type_traits>

namespace tenon {
namespace detail {
struct SliceLeaf {
  int64_t index;
  Location at;
  void operator()(Array &leaf, const Path &path) const { leaf = part(leaf, path); }
  void operator()(Key &leaf, const Path &path) const { leaf.data = part(leaf.data, path); }
  template <class Leaf>
  void operator()(Leaf &, const Path &) const {}

private:
  Array part(const Array &stacked, const Path &path) const;
};
} // namespace detail

/// Returns the part at `index` along axis 0 of all arrays and keys of a tree, such as a member of an ensemble that vmap
/// has made; what else is in the tree stays. A negative index counts from the end. An Error names an array of rank 0,
/// or one that is too short.
template <class T>
T tree_slice(const T &tree, int64_t index, Location at = Location::current()) {
  static_assert(detail::require_tree<T>());
  T result(tree);
  const detail::SliceLeaf slice{index, at};
  for_each_leaf(result, slice);
  return result;
}

} // namespace tenon
