//===- associative_scan_arguments.cpp - a function of associative_scan that takes one tree ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the function of reduce or associative_scan takes two trees of the type of x
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

Array total(const Array &xs) {
  return tenon::associative_scan([](const Array &x) { return x; }, xs);
}
