//===- tracing_side_effect.cpp - what C++ does happens while a function is traced ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  auto a_function_with_side_effect = tn::jit([](const auto &x) -> tn::Array {
    std::cout << "Tracing!\n";
    return x * x + tn::Array(2);
  });

  // Traced at the first call; another value is no other program.
  std::cout << a_function_with_side_effect(tn::Array(2)) << "\n";
  std::cout << a_function_with_side_effect(tn::Array(3)) << "\n";

  // A number of C++ is part of the program: another number is another one.
  std::cout << a_function_with_side_effect(2) << "\n";
  std::cout << a_function_with_side_effect(3) << "\n";

  std::cout << "traces: " << a_function_with_side_effect.trace_count() << "\n";
}
