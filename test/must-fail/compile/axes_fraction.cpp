//===- axes_fraction.cpp - an axis that is no integer ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: axes are integers; keepdims comes after them: sum(x, {}, true)
// expect: axes_fraction.cpp:8:
#include <tenon/ops.h>

tenon::Array total(const tenon::Array &x) { return tenon::sum(x, 1.9); }
