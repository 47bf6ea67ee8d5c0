//===- axis_fraction.cpp - an axis of a size that is no integer -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: an axis is an integer: x.dim(1)
// expect: an axis is an integer: shape[1]
// expect: axis_fraction.cpp:11:
// expect: axis_fraction.cpp:12:
#include <tenon/array.h>

void sizes(const tenon::Array &x) {
  x.dim(1.0);
  x.shape()[1.0f];
}
