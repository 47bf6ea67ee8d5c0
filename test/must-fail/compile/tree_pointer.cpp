//===- tree_pointer.cpp - a pointer in a tree -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a pointer cannot be part of a tree: hold the value itself, text as std::string
// expect: is_not_a_pointer<const char
#include <tenon/array.h>
#include <tenon/tree.h>

struct Config {
  tenon::Array weights;
  const char *name;
};

void use(const Config &config) {
  tenon::for_each_leaf(config, [](const auto &, const tenon::Path &) {});
}
