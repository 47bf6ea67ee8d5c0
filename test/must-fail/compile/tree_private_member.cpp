//===- tree_private_member.cpp - a class with private members in a tree -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this type cannot be part of a tree: a tree is made of Array, Key, numbers, enums, std::string
// expect: can_be_part_of_a_tree<Layer>
#include <tenon/array.h>
#include <tenon/tree.h>

class Layer {
  tenon::Array hidden;
};
struct Net {
  std::vector<Layer> layers;
};

std::string use(const Net &net) { return tenon::tree_structure(net); }
