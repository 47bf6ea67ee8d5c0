//===- clip_gradient_by_norm.cpp - the identity, whose gradient is clipped ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  auto clip_gradient_by_norm = tn::custom_gradient([](const tn::Array &x, const tn::Array &norm) {
    // As tn::clip_by_norm, with an array as norm.
    return tn::with_grad(tn::Array(x), [=](const tn::Array &d) {
      return std::tuple(d * tn::minimum(1, norm / tn::vector_norm(d)), tn::none); // none: norm has no gradient
    });
  });

  tn::Array x = {1.0f, 2.0f}, norm = 1.0f;
  tn::GradientTape tape;
  tape.watch(std::tuple(x, norm));
  tn::Array y = clip_gradient_by_norm(x, norm);
  auto [by_x, by_norm] = tape.gradient(tn::sum(y * tn::Array{3.0f, 4.0f}), std::tuple(x, norm), //
                                       {.unconnected = tn::none});
  std::cout << tn::format("{}\n", y);
  std::cout << tn::format("{}\n", *by_x); // of (3, 4), whose norm is 5
  std::cout << (by_norm ? "a gradient" : "None") << "\n";
}
