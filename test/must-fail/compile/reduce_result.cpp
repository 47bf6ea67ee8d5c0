//===- reduce_result.cpp - a function of reduce that returns another type ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the function of reduce or associative_scan must return the type that it takes
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

Array total(const Array &xs) {
  return tenon::reduce(xs, 0, [](const Array &a, const Array &b) { return std::pair(a, b); });
}
