//===- hello_matmul.cpp - an operation runs at once and gives a value ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  tn::Array m = tn::matmul({{2.0f}}, {{2.0f}});
  std::cout << tn::format("hello, {}\n", m);
}
