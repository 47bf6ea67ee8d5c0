//===- tree_map_types.cpp - tree_map over different types -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tree_map takes trees of one type
#include <tenon/array.h>
#include <tenon/tree.h>

using One = std::vector<tenon::Array>;
using Other = std::array<tenon::Array, 2>;

One use(const One &one, const Other &other) {
  return tenon::tree_map([](const tenon::Array &x, const tenon::Array &) { return x; }, one, other);
}
