//===- hessian_aux.cpp - hessian of a function that returns an aux ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: hessian and hvp: the function must return an Array (of rank 0)
// errors: 2
#include <tenon/jacobian.h>

#include <utility>

using tenon::Array;

std::pair<Array, int> counted(const Array &x) { return {x * x, 3}; }

auto curvature(const Array &x) { return tenon::hessian(counted)(x); }
