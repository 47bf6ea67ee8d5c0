//===- cached_matmul.cpp - a program that is compiled once -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  auto my_matmul = tn::jit([](const tn::Array &x, const tn::Array &y) { return tn::matmul(x, y); },
                           {.name = "my_matmul", .arguments = {"x", "y"}});

  auto [x_key, y_key] = tn::random::split(tn::random::key(0));
  const tn::Array x = tn::random::normal(x_key, {2, 3}), y = tn::random::normal(y_key, {3, 4});
  std::cout << my_matmul(x, y).shape() << "\n"; // traced and compiled
  std::cout << my_matmul(x, y).shape() << "\n"; // run
  std::cout << my_matmul << "\n";
}
