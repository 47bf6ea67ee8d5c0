//===- index_fraction.cpp - an index that is no integer -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: an index is an integer: x[1]
// expect: index_fraction.cpp:9:
// expect: index_fraction.cpp:10:
#include <tenon/array.h>

tenon::Array row(const tenon::Array &x) { return x[1.9]; }
tenon::Array truth(const tenon::Array &x) { return x[true]; }
