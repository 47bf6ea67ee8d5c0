//===- sort_result.cpp - a comparison of sort that returns a bool of C++ ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the function of sort must return an Array of truth values
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

Array ordered(const Array &xs) {
  return tenon::sort(xs, [](const Array &a, const Array &b) { return bool(a < b); });
}
