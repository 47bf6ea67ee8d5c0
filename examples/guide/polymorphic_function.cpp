//===- polymorphic_function.cpp - one function, a program for each dtype and shape ---===//
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
  std::cout << "Int: " << a_function(tn::Array(2)) << "\n";
  std::cout << "Float: " << a_function(tn::Array(2.0f)) << "\n";
  std::cout << "Rank-1 array of floats: " << a_function(tn::Array{2.0f, 2.0f, 2.0f}) << "\n";
}
