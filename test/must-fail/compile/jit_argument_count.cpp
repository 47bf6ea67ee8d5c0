//===- jit_argument_count.cpp - a call of a jitted function with an argument too many ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: wrong_number_of_arguments_for_this_function
// expect first: jit_argument_count.cpp:12:
#include <tenon/jit.h>

using tenon::Array;

Array identity(const Array &x) {
  auto f = tenon::jit([](const Array &y) { return y; });
  return f(x, x);
}
