//===- implicit_gradients_result.cpp - a function without a result to differentiate ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: implicit_gradients: the function must return an Array
// expect: implicit_gradients_result.cpp:13:
// errors: 1
#include <tenon/tape.h>

using tenon::Array;

auto pair_of(const tenon::Variable &w) { return std::pair(w * w, w.value()); }

auto gradients(const tenon::Variable &w) { return tenon::implicit_gradients(pair_of)(w); }
