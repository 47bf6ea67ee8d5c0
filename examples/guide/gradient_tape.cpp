//===- gradient_tape.cpp - the derivative of w * w by a tape ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  tn::Variable w{{{1.0f}}};
  tn::GradientTape tape; // watches Variables by itself
  tn::Array loss = w * w;
  std::cout << tape.gradient(loss, w) << "\n";
}
