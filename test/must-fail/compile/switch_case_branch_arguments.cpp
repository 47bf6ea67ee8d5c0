//===- switch_case_branch_arguments.cpp - a branch that does not take the operands ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: switch_case takes branches, then the operands that each of them takes
// errors: 1
#include <tenon/control.h>

using tenon::Array;

Array choose(const Array &i, const Array &x) {
  return tenon::switch_case(i, [](const Array &y) { return y; }, [] { return Array(1.0f); }, x);
}
