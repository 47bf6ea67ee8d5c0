//===- tree_map_key.cpp - a map with keys that have no path -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the keys of a map in a tree must be std::string or integers
// expect: is_map_key<float>
#include <tenon/array.h>
#include <tenon/tree.h>

std::vector<tenon::Array> use(const std::map<float, tenon::Array> &tree) { return tenon::tree_leaves(tree); }
