//===- grad_result.cpp - grad of a function that returns no Array -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: grad: the function must return an Array (of rank 0), or a std::pair of one and anything else
// errors: 1
#include <tenon/transform.h>

#include <utility>

using tenon::Array;

// The value comes first: (value, aux).
std::pair<int, Array> counted(const Array &x) { return {3, x * x}; }

auto slope(const Array &x) { return tenon::grad(counted)(x); }
