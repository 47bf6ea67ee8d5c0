//===- cond_branch_arguments.cpp - branches of cond that do not take its operands ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the branches of cond take its operands
// errors: 1
#include <tenon/control.h>

using tenon::Array;

Array choose(const Array &p, const Array &x) {
  return tenon::cond(p, [](const Array &y) { return y; }, [] { return Array(1.0f); }, x);
}
