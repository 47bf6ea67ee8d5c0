//===- jit_member_braces.cpp - braces for a member function without its object ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: jit_member_braces.cpp:15:
// errors: 1
#include <tenon/jit.h>

using tenon::Array;
struct Net {
  Array w;
  Array forward(const Array &x) const { return x * w; }
};
Array weights() {
  auto f = tenon::jit(&Net::forward);
  return f({1.0f, 2.0f});
}
