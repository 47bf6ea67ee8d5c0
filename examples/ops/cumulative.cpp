//===- cumulative.cpp - running sums and their kin ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in cumulative.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("cumulative_sum", [] {
    tn::Array x = {1, 2, 3, 4};
    std::cout << tn::cumulative_sum(x) << "\n";
    std::cout << tn::cumulative_sum(x, 0, /*include_initial=*/true);
  });
  example("cumulative_prod", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::cumulative_prod(x, 1);
  });
  example("cumulative_max", [] { std::cout << tn::cumulative_max({3, 1, 4, 1, 5}); });
  example("cumulative_min", [] { std::cout << tn::cumulative_min({3.0f, 1.0f, NAN, 0.0f}); });
  example("cumulative_logsumexp", [] {
    tn::Array x = tn::log({0.1f, 0.2f, 0.7f});
    std::cout << tn::exp(tn::cumulative_logsumexp(x)); // a distribution's running sums
  });
  example("nancumsum", [] { std::cout << tn::nancumsum(tn::Array{1.0f, NAN, 2.0f}); });
  example("nancumprod", [] { std::cout << tn::nancumprod(tn::Array{3.0f, NAN, 2.0f}); });
}
