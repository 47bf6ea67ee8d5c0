//===- options_name.cpp - an option by a name that it does not have ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: options_name.cpp:7:
#include <tenon/ops.h>

tenon::Array total(const tenon::Array &x) { return tenon::sum(x, {.axis = 1, .keepdim = true}); }
