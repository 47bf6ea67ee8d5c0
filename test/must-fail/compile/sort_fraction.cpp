//===- sort_fraction.cpp - an axis of sort that is no integer ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: an axis is an integer
// errors: 1
#include <tenon/fold.h>

using tenon::Array;

Array ordered(const Array &xs) { return tenon::sort(xs, 0.5); }
