//===- scan_body_arguments.cpp - a body of scan that takes the carry alone ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: the body of scan takes the carry and a slice
// errors: 1
#include <tenon/control.h>

using tenon::Array;

Array total(const Array &xs) {
  return tenon::scan([](const Array &carry) { return std::pair(carry, carry); }, 0.0f, xs).first;
}
