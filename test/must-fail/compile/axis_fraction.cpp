//===- axis_fraction.cpp - an axis of a size that is no integer -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: an axis is an integer
// expect: an axis is an integer: shape[1]
// expect: axis_fraction.cpp:15:
// expect: axis_fraction.cpp:16:
// expect: axis_fraction.cpp:17:
// expect: axis_fraction.cpp:18:
// expect: axis_fraction.cpp:19:
// expect: axis_fraction.cpp:20:
#include <tenon/tenon.h>

void sizes(const tenon::Array &x) {
  x.dim(1.0);
  x.shape()[1.0f];
  softmax(x, 0.9);
  tenon::concatenate({x, x}, true);
  split(x, {1, 1}, 0.5f);
  dimension(x, false);
}
