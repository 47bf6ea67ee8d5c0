//===- scan_without_pair.cpp - a body of scan that returns the carry alone ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the body of scan must return std::pair(carry, y)
#include <tenon/control.h>

tenon::Array total(const tenon::Array &xs) {
  return tenon::scan([](const tenon::Array &carry, const tenon::Array &x) { return carry + x; }, 0.0f, xs).first;
}
