//===- jit_argument_type.cpp - a struct where the function takes an array ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the_function_does_not_take_arguments_of_these_types
// expect first: jit_argument_type.cpp:15:
#include <tenon/jit.h>

using tenon::Array;
struct Net {
  Array w, b;
};

Array identity(const Net &net) {
  auto f = tenon::jit([](const Array &y) { return y; });
  return f(net);
}
