//===- switch_case_branch_results.cpp - branches that return different types -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the branches of switch_case must return the same type
// errors: 1
#include <tenon/control.h>

using tenon::Array;

Array choose(const Array &i, const Array &x) {
  return tenon::switch_case(i, [](const Array &y) { return y; }, [](const Array &y) { return std::pair(y, y); }, x);
}
