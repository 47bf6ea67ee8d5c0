//===- concrete_functions.cpp - the signatures of a function, printed and called ---===//
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
  auto a_function = tn::jit(my_function, {.name = "my_function", .arguments = {"x"}});

  std::cout << a_function.concrete(tn::spec<float>({})) << "\n\n";         // of a dtype and a shape
  std::cout << a_function.concrete(tn::Array{2.0f, 2.0f, 2.0f}) << "\n\n"; // of an array

  auto of_an_integer = a_function.concrete(tn::spec<int>({}));
  std::cout << of_an_integer(tn::Array(2)) << "\n\n";
  try {
    of_an_integer(tn::Array{2, 3});
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }
  std::cout << a_function << "\n";
}
