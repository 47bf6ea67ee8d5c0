//===- grad_argument_twice.cpp - one argument chosen twice ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: expected each argument's number once
// expect: grad_argument_twice.cpp:12:
#include <tenon/transform.h>

using tenon::Array;

Array product(const Array &x, const Array &y) { return x * y; }

auto slopes(const Array &x) { return tenon::grad<0, 0>(product)(x, x); }
