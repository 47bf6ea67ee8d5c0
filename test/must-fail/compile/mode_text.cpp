//===- mode_text.cpp - a string where a mode is an enum -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: mode_text.cpp:11:
// expect: Side
#include <tenon/ops.h>

using tenon::Array;

// As in NumPy; here it is Side::right.
Array place(const Array &x, const Array &v) { return searchsorted(x, v, "right"); }
