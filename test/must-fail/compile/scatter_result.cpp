//===- scatter_result.cpp - a function of scatter that returns another type ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the function of scatter must return the type that it takes
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

Array updated(const Array &x, const Array &rows, const Array &updates) {
  return tenon::scatter(x, rows, updates, [](const Array &a, const Array &b) { return std::pair(a, b); }, {1}, {0},
                        {0});
}
