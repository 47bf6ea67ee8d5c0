//===- tree_base_class.cpp - a struct with a base class in a tree -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a struct with a base class cannot be part of a tree: make the base a field
// expect: has_no_base_class<Derived>
#include <tenon/array.h>
#include <tenon/tree.h>

struct Base {
  tenon::Array weights;
};
struct Derived : Base {
  tenon::Array bias;
};

std::vector<tenon::Array> use(const Derived &tree) { return tenon::tree_leaves(tree); }
