//===- Example.h - one example for each function ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference shows the body of an example on the page of the function whose name
// it has, and below it what the body printed; the file is the page's group. A
// function may have several examples, one after another. The expected output is made
// by the program itself, and read by whom it concerns:
//   build/dev/bin/examples/ops/math > examples/ops/math.expected
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/tenon.h>

#include <cmath>
#include <iostream>

namespace tn = tenon;

/// Runs the body below a line with the function's name.
inline void example(const char *function, void (*body)()) {
  std::cout << "== " << function << std::endl;
  body();
  std::cout << std::endl;
}
