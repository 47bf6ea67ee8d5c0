//===- tree_const_array.cpp - a struct with a const array ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: a const Array or Key cannot be part of a tree
// expect: tree_const_array.cpp:17:
// errors: 1
#include <tenon/transform.h>

using tenon::Array;
struct Inner {
  std::vector<Array> list;
};
struct Layer {
  const Inner inner;
};
Array use(const Layer &layer) {
  return tenon::vmap([](const Layer &its) { return its.inner.list[0]; })(layer);
}
