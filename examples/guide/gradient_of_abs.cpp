//===- gradient_of_abs.cpp - the derivative of the branch that C++ takes ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array absolute(const tn::Array &x) { return x > 0.0f ? x : -x; }

int main() {
  auto gradient = tn::gradients_function(absolute);
  std::cout << tn::format("[{}]\n", gradient(3.0f)[0]);
  std::cout << tn::format("[{}]\n", gradient(-3.0f)[0]);
}
