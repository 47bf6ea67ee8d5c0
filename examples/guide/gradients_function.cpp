//===- gradients_function.cpp - first, second and third derivatives --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array square(const tn::Array &x) { return tn::multiply(x, x); }

int main() {
  std::cout << tn::format("{}\n", square(3.0f));

  auto gradient = tn::gradients_function(square); // a list: one for each argument
  std::cout << tn::format("[{}]\n", gradient(3.0f)[0]);

  auto second = tn::gradients_function([&](const tn::Array &x) { return gradient(x)[0]; });
  std::cout << tn::format("[{}]\n", second(3.0f)[0]);

  // The second derivative is 2 whatever x is: the third does not depend on x, which `unconnected = none` tells.
  tn::Array x = 3.0f;
  tn::GradientTape tape;
  tape.watch(x);
  std::optional<tn::Array> third = tape.gradient(second(x)[0], x, {.unconnected = tn::none});
  std::cout << (third ? tn::format("[{}]\n", *third) : "[None]\n");
}
