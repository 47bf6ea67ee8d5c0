//===- host_call_result.cpp - a function of host_call that returns a number ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: host_call: the function returns an Array, a std::vector of them, or a tuple, pair, std::array or struct
// expect: of a number make one, Array(number)
// errors: 1
#include <tenon/host.h>

using tenon::Array;

Array doubled(const Array &x) {
  return tenon::host_call([](const Array &a) { return a.item<float>() * 2; }, tenon::TensorSpec{tenon::f32, {}}, x);
}
