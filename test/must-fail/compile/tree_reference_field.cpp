//===- tree_reference_field.cpp - a reference in a tree ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a struct with a reference field cannot be part of a tree: hold the value itself
// expect: has_no_reference_field<Borrowing>
#include <tenon/array.h>
#include <tenon/tree.h>

struct Borrowing {
  tenon::Array own;
  tenon::Array &other;
};

void use(const Borrowing &tree) {
  tenon::for_each_leaf(tree, [](const auto &, const tenon::Path &) {});
}
