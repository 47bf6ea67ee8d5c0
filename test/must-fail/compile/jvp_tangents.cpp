//===- jvp_tangents.cpp - tangents that are not the arguments' ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: jvp: give a tangent for each argument, of its type: jvp(f, x, dx), or of several arguments
// expect: jvp_tangents.cpp:15:
// expect: jvp_tangents.cpp:18:
// expect: static assertion failed
// errors: 2
#include <tenon/forward.h>

using tenon::Array;

Array product(const Array &x, const Array &y) { return x * y; }

Array missing(const Array &x) { return tenon::jvp(product, std::tuple(x, x), x).second; }

Array another(const std::vector<Array> &x) {
  return tenon::jvp([](const std::vector<Array> &v) { return v[0]; }, x, x[0]).second;
}
