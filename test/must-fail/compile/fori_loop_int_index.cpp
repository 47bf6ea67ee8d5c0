//===- fori_loop_int_index.cpp - a body of fori_loop that wants the round as an int ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: a body of fori_loop takes the round as an Array (const Array &), not as an int
// expect: fori_loop_int_index.cpp:12:
// errors: 1
#include <tenon/control.h>

using tenon::Array;

Array powers(const Array &x) {
  return tenon::fori_loop(0, 3, [](int i, const Array &y) { return y * i; }, x);
}
