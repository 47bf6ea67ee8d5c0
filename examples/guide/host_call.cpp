//===- host_call.cpp - C++ code called from a compiled function ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array my_host_function(tn::Array x) {
  x = tn::matmul(x, x); // here x has a value
  std::cout << x << "\n";
  return x;
}

int main() {
  auto f = tn::jit([](const tn::Array &x) { return tn::host_call(my_host_function, tn::spec<float>({1, 1}), x); });
  std::cout << tn::format("{}\n", f(tn::Array{{2.0f}}));
  std::cout << tn::format("{}\n", f(tn::Array{{3.0f}})); // called each time

  // Outside of a compiled function it is just a call.
  std::cout << tn::format("{}\n", tn::host_call(my_host_function, tn::spec<float>({1, 1}), tn::Array{{1.0f}}));
}
