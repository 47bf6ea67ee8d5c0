//===- transform_changed_argument.cpp - grad, vmap and vjp of what changes its argument ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: grad, vjp and vmap give a function its arguments to read: take them by value or as const Array &
// expect: transform_changed_argument.cpp:18:
// expect: transform_changed_argument.cpp:20:
// expect: transform_changed_argument.cpp:21:
#include <tenon/transform.h>

using tenon::Array;

Array doubled(Array &x) {
  x = 2 * x;
  return x;
}

Array slope(const Array &x) {
  return tenon::grad([](Array &y, float) { return y = sum(y); })(x, 1.0f);
}
Array each(const Array &xs) { return tenon::vmap(doubled)(xs); }
Array pulled(const Array &x) { return tenon::vjp(doubled, x).second(x); }
