//===- key_element_assigned.cpp - assigning to what [] of keys and at[] give ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: key_element_assigned.cpp:10:
// expect: key_element_assigned.cpp:11:
#include <tenon/tenon.h>

void assign(tenon::Array &x) {
  tenon::Key keys = tenon::random::keys(tenon::random::key(1), 3);
  keys[0] = tenon::random::key(2);
  x.at[0] = x.at[1];
}
