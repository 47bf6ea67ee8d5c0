//===- fori_loop_fraction.cpp - a bound of a loop that is no integer ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bounds are integers: a loop counts
// expect: fori_loop_fraction.cpp:11:
#include <tenon/control.h>

using tenon::Array;

Array powers(const Array &x) {
  return tenon::fori_loop(0, 2.5, [](const Array &, const Array &y) { return y * y; }, x);
}
