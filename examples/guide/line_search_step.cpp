//===- line_search_step.cpp - a while loop over values of arrays, with a tape ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

template <class F>
std::pair<tn::Array, tn::Array> line_search_step(const F &f, const tn::Array &init_x, tn::Array rate = 1.0f) {
  tn::GradientTape tape;
  tape.watch(init_x); // Variables are watched by themselves
  tn::Array value = f(init_x);
  const tn::Array grad = tape.gradient(value, init_x);
  const tn::Array grad_norm = tn::sum(grad * grad);
  const tn::Array init_value = value;
  tn::Array x = init_x;
  while (value > init_value - rate * grad_norm) {
    x = init_x - rate * grad;
    value = f(x);
    rate = rate / 2;
  }
  return {x, value};
}

int main() {
  auto [x, value] = line_search_step([](const tn::Array &t) { return t * t; }, 3.0f);
  std::cout << tn::format("x = {}, value = {}\n", x, value);
  std::tie(x, value) = line_search_step([](const tn::Array &t) { return t * t * t * t; }, 1.0f);
  std::cout << tn::format("x = {}, value = {}\n", x, value);
}
