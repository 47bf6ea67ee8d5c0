//===- tree_fields_const.cpp - a tree_fields that takes its class as const ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: tree_fields takes its class by reference, not const and not by value
// errors: 1
#include <tenon/jit.h>

using tenon::Array;
template <class T>
class Layer {
  T bias;
  template <class U>
  friend auto tree_fields(const Layer<U> &layer);
};
template <class U>
auto tree_fields(const Layer<U> &layer) {
  return std::tie(layer.bias);
}

Array use(const Layer<Array> &layer) {
  auto f = tenon::jit([](const Layer<Array> &, const Array &x) { return x; });
  return f(layer, 1.0f);
}
