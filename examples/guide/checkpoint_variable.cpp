//===- checkpoint_variable.cpp - a Variable saved and restored -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  tn::Variable x{10.0f, "x"};
  tn::Checkpoint checkpoint{{"x", x}};

  x.assign(2.0f); // assigns a new value, and saves it
  const std::string path = checkpoint.save("./ckpt/");

  x.assign(11.0f);          // changes the Variable after saving
  checkpoint.restore(path); // and restores the value
  std::cout << x << "\n";
}
