//===- data_dependent_branch.cpp - an if on the value of an array, compiled ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array my_function(const tn::Array &x) {
  if (tn::sum(x) <= 1)
    return x * x;
  return x - 1;
}

int main() {
  auto a_function = tn::jit(my_function);
  std::cout << tn::format("First branch, with graph: {}\n", a_function(1.0f));
  std::cout << tn::format("Second branch, with graph: {}\n", a_function(tn::Array{5.0f, 5.0f}));
}
