//===- array_element_assigned.cpp - assigning to what [] gives ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: array_element_assigned.cpp:10:
// expect: array_element_assigned.cpp:11:
#include <tenon/array.h>

void assign() {
  tenon::Array x = {1.0f, 2.0f};
  x[0] = 5.0f;
  x[1] += 2.0f;
}
