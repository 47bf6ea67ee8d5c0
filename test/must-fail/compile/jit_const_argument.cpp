//===- jit_const_argument.cpp - a const array where the function changes it ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: an_argument_is_const_but_the_function_changes_it
// expect first: jit_const_argument.cpp:13:
#include <tenon/jit.h>
#include <tenon/ops.h>

using tenon::Array;

void update(const Array &x) {
  auto f = tenon::jit([](Array &y) { y = y + 1; });
  f(x);
}
