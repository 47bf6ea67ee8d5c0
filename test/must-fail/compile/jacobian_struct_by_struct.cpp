//===- jacobian_struct_by_struct.cpp - derivatives that have no type ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: jacobian: there is no type for the derivatives of a struct by a struct: return an Array, or a tuple or
// expect: jacobian_struct_by_struct.cpp:16:
// errors: 1
#include <tenon/jacobian.h>

using tenon::Array;

struct Line {
  Array slope, offset;
};

void each(const Line &line) {
  tenon::jacobian([](const Line &l) { return Line{l.slope, l.offset}; })(line);
}
