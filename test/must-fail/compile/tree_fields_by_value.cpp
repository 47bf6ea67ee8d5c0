//===- tree_fields_by_value.cpp - a tree_fields that takes a copy of its class ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: tree_fields takes its class by reference, not const and not by value
// errors: 1
#include <tenon/array.h>
#include <tenon/tree.h>

class Layer {
  tenon::Array bias;
  friend auto tree_fields(Layer layer) { return std::tie(layer.bias); }
};

std::vector<tenon::Array> use(const Layer &layer) { return tenon::tree_leaves(layer); }
