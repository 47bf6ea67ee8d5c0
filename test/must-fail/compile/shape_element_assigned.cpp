//===- shape_element_assigned.cpp - assigning to what a shape's [] gives ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: shape_element_assigned.cpp:11:
// expect: shape_element_assigned.cpp:12:
// expect: shape_element_assigned.cpp:13:
#include <tenon/dim.h>

void assign() {
  tenon::Shape shape = {2, 3};
  shape[0] = 5;
  shape[0] = tenon::Dim("n");
  shape[0] = shape[1];
}
