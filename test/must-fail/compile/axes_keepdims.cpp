//===- axes_keepdims.cpp - keepdims as if it were the axes ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: axes are integers; keepdims comes after them: sum(x, {}, true)
// expect: axes_keepdims.cpp:8:
#include <tenon/ops.h>

tenon::Array total(const tenon::Array &x) { return tenon::sum(x, true); }
