//===- while_loop_two_arguments.cpp - bodies of while_loop that take the carry in two ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: takes one argument, the carry
// expect: while_loop_two_arguments.cpp:12:
// errors: 1
#include <tenon/control.h>

using tenon::Array;

auto grow(const Array &a, const Array &b) {
  return tenon::while_loop([](const Array &x, const Array &y) { return x < y; },
                           [](const Array &x, const Array &y) { return std::pair(x + 1, y); }, std::pair(a, b));
}
