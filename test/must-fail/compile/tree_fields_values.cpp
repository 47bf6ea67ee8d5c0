//===- tree_fields_values.cpp - a tree_fields that returns copies ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tree_fields returns references to the fields: std::tie(...)
#include <tenon/array.h>
#include <tenon/tree.h>

class Layer {
  tenon::Array bias;
  friend auto tree_fields(Layer &layer) { return std::tuple(layer.bias); }
};

std::vector<tenon::Array> use(const Layer &layer) { return tenon::tree_leaves(layer); }
