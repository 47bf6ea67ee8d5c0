//===- operand_braces.cpp - an operand left out as {} ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: {} is no operand; `none` omits one
// expect: operand_braces.cpp:8:
#include <tenon/ops.h>

tenon::Array below(const tenon::Array &x) { return tenon::clip(x, {}, 6); }
