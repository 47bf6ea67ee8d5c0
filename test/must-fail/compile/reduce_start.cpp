//===- reduce_start.cpp - a start of reduce that is no tree like x ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: reduce begins with a tree of the type of x
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

std::pair<Array, Array> total(const std::pair<Array, Array> &xs) {
  return tenon::reduce(xs, 0, [](const std::pair<Array, Array> &a, const std::pair<Array, Array> &) { return a; });
}
