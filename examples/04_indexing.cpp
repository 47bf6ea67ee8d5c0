//===- 04_indexing.cpp - lesson 4: parts of arrays --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 04_indexing.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;
using tn::_, tn::newaxis, tn::ellipsis, tn::slice;

int main() {
  tn::Array x = tn::reshape(tn::arange(12), {3, 4});
  std::cout << x << "\n\n";

  // NumPy's x[1, 2] needs braces here, since in C++20 a bare comma is C++'s own operator.
  // Negative indices count from the end, _ is a whole axis, slice(start, stop, step) a range.
  std::cout << x[{1, 2}] << " " << x[{-1, _}] << "\n" << x[{_, slice(1, _, 2)}] << "\n\n";
  // Steps may be negative; ellipsis stands for all remaining
  // axes, newaxis adds an axis of size 1. The results are views.
  std::cout << x[slice(_, _, -1)] << "\n" << x[{ellipsis, newaxis, 0}].shape() << "\n\n";

  // Integer arrays select rows or elements, in any order and repeatedly;
  // bool arrays select where they are true. The results are copies.
  tn::Array rows = {2, 0, 2};
  std::cout << x[rows] << "\n" << x[{rows, tn::Array{3, 1, 0}}] << "\n" << x[x > 8] << "\n\n";

  // Arrays are immutable: an update returns a new array. It runs in place if the array
  // is given up with std::move, or if nothing else reads it inside jit or a loop.
  tn::Array y = x.at[{0, _}].set(-1);
  y = std::move(y).at[{slice(1, _), 0}].multiply(10);
  std::cout << y << "\n\n";
  // Updates at equal indices accumulate, in the order of the indices.
  std::cout << tn::zeros({4}).at[rows].add({1.f, 10.f, 100.f}) << "\n\n";

  // An index out of range is an error, in compiled programs
  // too; a mode such as clip gives it another meaning.
  auto pick = tn::jit([](const tn::Array &x, const tn::Array &i) { return x[i]; });
  try {
    pick(x, tn::Array{0, 3});
  } catch (const tn::Error &error) {
    std::cout << error.message().substr(0, error.message().find(" at ")) << "\n";
  }
  std::cout << x.at[tn::Array{0, 3}].get({.mode = tn::IndexMode::clip}) << "\n\n";

  // Gradients flow back to the elements that were selected.
  auto loss = [&](const tn::Array &w) { return tn::sum(w[rows] * w[rows]); };
  std::cout << tn::grad(loss)(tn::Array{1.f, 2.f, 3.f}) << "\n";
}
