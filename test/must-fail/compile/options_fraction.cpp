//===- options_fraction.cpp - an axis by name that is no integer ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: options_fraction.cpp:7:
#include <tenon/ops.h>

tenon::Array total(const tenon::Array &x) { return tenon::sum(x, {.axis = 1.5, .keepdims = true}); }
