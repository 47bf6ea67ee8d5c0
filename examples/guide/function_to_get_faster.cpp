//===- function_to_get_faster.cpp - a function, and the same one compiled ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array function_to_get_faster(const tn::Array &x, const tn::Array &y, const tn::Array &b) {
  return tn::matmul(x, y) + b;
}

int main() {
  // Called as the function is.
  auto function_that_uses_a_graph = tn::jit(function_to_get_faster);

  const tn::Array x1 = {{1.0f, 2.0f}}, y1 = {{2.0f}, {3.0f}}, b1 = 4.0f;
  std::cout << function_that_uses_a_graph(x1, y1, b1) << "\n";
}
