//===- constants.cpp - arrays, broadcasting, operators, C++ algorithms -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <algorithm>
#include <functional>
#include <iostream>

namespace tn = tenon;

int main() {
  tn::Array a = {{1, 2}, {3, 4}};
  std::cout << a << "\n";

  // Broadcasting.
  tn::Array b = tn::add(a, 1);
  std::cout << b << "\n";

  // Operators.
  std::cout << a * b << "\n";

  // Algorithms of C++ take the elements.
  std::vector<int> products = a.to_vector<int>();
  std::ranges::transform(products, b.elements<int>(), products.begin(), std::multiplies());
  tn::Array c = tn::Array(products).reshape(a.shape());
  std::cout << tn::format("{}\n", c);

  // The values alone, without shape and dtype.
  std::cout << tn::format("{}\n", a);
}
