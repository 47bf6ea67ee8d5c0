//===- grad_paths_and_numbers.cpp - arguments by numbers and by paths ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: grad: choose arguments by number, grad<0>(f), or by path, not both
// expect: grad_paths_and_numbers.cpp:14:
// errors: 1
#include <tenon/transform.h>

using tenon::Array;

Array product(const Array &x, const Array &y) { return x * y; }

// Not the second argument, nor the path in the first.
auto both(const Array &x, const Array &y) { return tenon::grad<1>(product, {.wrt = {"0"}})(x, y); }
