//===- log1pexp.cpp - a derivative of your own, which does not overflow ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array log1pexp(const tn::Array &x) { return tn::log(1 + tn::exp(x)); }

int main() {
  auto naive = tn::grad(log1pexp);
  std::cout << tn::format("{}\n", naive(0.0f));
  std::cout << tn::format("{}\n", naive(100.0f)); // exp(100) is infinite, and infinity / infinity is nan

  // The backward function uses `e` of the forward one: nothing is computed again.
  auto stable = tn::grad(tn::custom_gradient([](const tn::Array &x) {
    tn::Array e = tn::exp(x);
    return tn::with_grad(tn::log(1 + e), [=](const tn::Array &d) { return d * (1 - 1 / (1 + e)); });
  }));
  std::cout << tn::format("{}\n", stable(0.0f));
  std::cout << tn::format("{}\n", stable(100.0f));
}
