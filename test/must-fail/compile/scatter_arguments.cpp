//===- scatter_arguments.cpp - a function of scatter that takes the update alone ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the function of scatter takes two trees of the type of x, what is there and the update
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

Array updated(const Array &x, const Array &rows, const Array &updates) {
  return tenon::scatter(x, rows, updates, [](const Array &update) { return update; }, {1}, {0}, {0});
}
