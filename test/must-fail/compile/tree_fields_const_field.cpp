//===- tree_fields_const_field.cpp - a tree_fields that returns an array as const ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: a const Array or Key cannot be part of a tree
// expect: tree_fields_const_field.cpp:17:
// errors: 1
#include <tenon/jit.h>

using tenon::Array;
class Layer {
  Array bias;
  friend auto tree_fields(Layer &layer) { return std::tie(std::as_const(layer.bias)); }
};

Array use(const Layer &layer) {
  auto f = tenon::jit([](const Layer &, const Array &x) { return x; });
  return f(layer, 1.0f);
}
