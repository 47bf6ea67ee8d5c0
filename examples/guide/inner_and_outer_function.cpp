//===- inner_and_outer_function.cpp - functions that a compiled function calls ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array inner_function(const tn::Array &x, const tn::Array &y, const tn::Array &b) {
  return tn::matmul(x, y) + b;
}

// A program of all that it calls, inner_function included.
static const auto outer_function = tn::jit([](const tn::Array &x) {
  const tn::Array y = {{2.0f}, {3.0f}}, b = 4.0f;
  return inner_function(x, y, b);
});

int main() { std::cout << outer_function(tn::Array{{1.0f, 2.0f}}) << "\n"; }
