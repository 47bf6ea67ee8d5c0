//===- axes_named_keepdims.cpp - keepdims by a name that C++ does not have --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: axes_named_keepdims.cpp:7:
#include <tenon/ops.h>

tenon::Array total(const tenon::Array &x) { return tenon::sum(x, {.keepdims = true}); }
