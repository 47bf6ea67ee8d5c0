//===- control.cpp - branches and loops over array values -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in control.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("cond", [] {
    auto half = tn::jit([](const tn::Array &x) {
      return tn::cond(x > 10, [](const tn::Array &x) { return x / 2; }, [](const tn::Array &x) { return x * 1.0f; }, x);
    });
    std::cout << half(tn::Array(12)) << " " << half(tn::Array(7)); // one program
  });
  example("switch_case", [] {
    auto shifted = [](const tn::Array &x) { return x + 1; };
    auto doubled = [](const tn::Array &x) { return x * 2; };
    auto squared = [](const tn::Array &x) { return x * x; };
    for (int i = 0; i < 3; ++i)
      std::cout << tn::switch_case(i, shifted, doubled, squared, tn::Array{3, 4}) << "\n";
  });
  example("fori_loop", [] {
    auto factorial = [](const tn::Array &n) {
      return tn::fori_loop(1, n + 1, [](const tn::Array &i, const tn::Array &product) { return product * i; }, 1);
    };
    std::cout << factorial(tn::Array(5)) << " " << factorial(tn::Array(10));
  });
  example("while_loop", [] {
    auto collatz = [](const tn::Array &n) {
      auto running = [](const std::pair<tn::Array, tn::Array> &state) { return state.first != 1; };
      auto step = [](const std::pair<tn::Array, tn::Array> &state) {
        const auto &[n, steps] = state;
        return std::pair(tn::where(n % 2 == 0, n >> 1, 3 * n + 1), steps + 1);
      };
      return tn::while_loop(running, step, std::pair(n, tn::Array(0))).second;
    };
    std::cout << collatz(27) << " " << tn::vmap(collatz)(tn::Array{1, 6, 27});
  });
  example("while_loop", [] {
    // A bound gives it a derivative: the root of x by Newton's steps.
    auto root = [](const tn::Array &x) {
      auto far = [&](const tn::Array &y) { return tn::abs(y * y - x) > 1e-6f; };
      auto step = [&](const tn::Array &y) { return (y + x / y) / 2; };
      return tn::while_loop(far, step, x, {.max_iterations = 20});
    };
    std::cout << root(4.0f) << " " << tn::grad(root)(4.0f);
  });
  example("scan", [] {
    auto step = [](const tn::Array &balance, const tn::Array &payment) {
      tn::Array next = balance * 1.05f + payment;
      return std::pair(next, next); // what is carried on, and what is kept of each round
    };
    auto [last, all] = tn::scan(step, 100.0f, tn::Array{10.0f, 20.0f, -30.0f});
    std::cout << last << " " << all;
  });
  example("associative_scan", [] {
    auto product = [](const tn::Array &a, const tn::Array &b) { return a * b; };
    std::cout << tn::associative_scan(product, tn::Array{1, 2, 3, 4}) << " "
              << tn::associative_scan(product, tn::Array{1, 2, 3, 4}, {.reverse = true});
  });
  example("reduce", [] {
    auto larger = [](const tn::Array &a, const tn::Array &b) { return tn::maximum(a, b); };
    std::cout << tn::reduce(tn::Array{{1, 7}, {5, 2}}, 0, larger, {1});
  });
}
