//===- float_add.cpp - the sum of two matrices -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  tn::Array a = {{1.0f, 2.0f}, {3.0f, 4.0f}}, b = {{5.0f, 6.0f}, {7.0f, 8.0f}};
  tn::Array c = a + b;
  std::cout << "c = " << c << "\n";
}
