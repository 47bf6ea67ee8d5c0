//===- sort_arguments.cpp - a comparison of sort that takes one tree ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the function of sort takes two trees of the type of x
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

Array ordered(const Array &xs) {
  return tenon::sort(xs, [](const Array &x) { return -x; });
}
