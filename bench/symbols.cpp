//===- symbols.cpp - a program for all sizes beside one for each ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   symbols [ROUNDS]
//
// Calls functions at 64 sizes, with dynamic_shapes and without, one after the other in
// each round, and prints for each function the sum over the sizes of the best time of
// a call either way, their ratio, and how long it took until all 64 had been called
// once: what the compiler costs. Then the times of functions at one long size, where
// both programs should take equally long: functions that choose by size how they
// compute, and those that build arrays of other sizes.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace tenon;

namespace {
using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Case {
  const char *name;
  std::function<Array(const Array &)> function;
  int64_t columns;
};

struct Times {
  double first = 0;
  std::vector<double> best;
};

/// Functions of `size` ascending numbers, with their gradients.
void printLong(int rounds) {
  constexpr int64_t size = 12'000;
  struct {
    const char *name;
    std::function<Array(const Array &)> function;
    bool hasGradient = true;
  } const all[] = {
      {"cumulative_sum", [](const Array &x) { return cumulative_sum(x); }},
      {"cumulative_prod", [](const Array &x) { return cumulative_prod(x); }},
      {"cumulative_max", [](const Array &x) { return cumulative_max(x); }},
      {"logsumexp", [](const Array &x) { return logsumexp(x); }},
      {"softmax", [](const Array &x) { return softmax(x); }},
      {"prod", [](const Array &x) { return prod(x); }},
      {"max", [](const Array &x) { return max(x); }},
      {"var", [](const Array &x) { return var(x); }},
      {"sort", [](const Array &x) { return sort(x); }},
      {"median", [](const Array &x) { return median(x); }},
      {"searchsorted", [](const Array &x) { return searchsorted(x, x); }, false},
      {"isin", [](const Array &x) { return isin(x, x); }, false},
      {"interp", [](const Array &x) { return interp(x, x, x * 2.0f); }},
      {"take", [](const Array &x) { return take(x, argsort(x)); }},
      {"segment_sum", [](const Array &x) { return segment_sum(x, floor_divide(arange(x.dim(0)), 3), size / 3); }},
      {"concatenate", [](const Array &x) { return concatenate({x, x}); }},
      {"slices", [](const Array &x) { return x[slice(1, none)] * x[slice(none, -1)]; }},
      {"roll by 1", [](const Array &x) { return roll(x, 1); }},
      {"roll by 3", [](const Array &x) { return roll(x, 3); }},
      {"repeat", [](const Array &x) { return repeat(x, 3); }},
      {"tile", [](const Array &x) { return tile(x, {3}); }},
      {"kron", [](const Array &x) { return kron(x, ones({3})); }},
  };
  std::printf("\n%-24s %12s %12s %7s\n", "12,000 numbers", "a symbol, us", "exact, us", "ratio");
  for (const auto &of : all)
    for (int isGradient = 0; isGradient <= of.hasGradient; ++isGradient) {
      std::function<Array(const Array &)> function = of.function;
      if (isGradient)
        function = grad([&](const Array &x) { return sum(square(of.function(x))); });
      const auto symbolic = jit(function), exact = jit(function, {.dynamic_shapes = 0});
      for (int64_t few = 2; few < 6; ++few)
        symbolic(linspace(0.5, 1.5, few, f32));
      const Array x = linspace(0.5, 1.5, size, f32);
      double best[2] = {1e30, 1e30};
      for (int round = 0; round < rounds; ++round)
        for (int way = 0; way < 2; ++way) {
          const auto start = Clock::now();
          (way ? exact : symbolic)(x);
          best[way] = std::min(best[way], since(start));
        }
      std::printf("%-24s %12.1f %12.1f %7.2f\n", (std::string(isGradient ? "gradient of " : "") + of.name).c_str(),
                  best[0], best[1], best[0] / best[1]);
    }
}
} // namespace

int main(int count, char **words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 30;
  const Array w = random::normal(random::key(1), {64, 64}), v = random::normal(random::key(2), {64, 10});
  const std::vector<Case> cases = {
      {"add", [](const Array &x) { return x + 1.0f; }, 16},
      {"softmax", [](const Array &x) { return softmax(x); }, 64},
      {"mean", [](const Array &x) { return mean(x * x); }, 64},
      {"two layers", [&](const Array &x) { return matmul(tanh(matmul(x, w)), v); }, 64},
      {"its gradient",
       [&](const Array &x) {
         return grad([&](const Array &a) { return mean(square(matmul(tanh(matmul(x, a)), v))); })(w);
       },
       64},
      {"sort", [](const Array &x) { return sort(x, 0); }, 16},
  };
  std::printf("%-14s %12s %12s %7s %14s %14s\n", "64 sizes", "a symbol, us", "exact, us", "ratio", "first, us",
              "exact first");
  for (const Case &of : cases) {
    const auto symbolic = jit(of.function), exact = jit(of.function, {.dynamic_shapes = 0});
    std::vector<Array> inputs;
    for (int64_t i = 0; i < 64; ++i)
      inputs.push_back(random::normal(random::key(3), {7 + 5 * i, of.columns}));
    Times times[2];
    for (int way = 0; way < 2; ++way) {
      times[way].best.assign(inputs.size(), 1e30);
      const auto start = Clock::now();
      for (const Array &x : inputs)
        (way ? exact : symbolic)(x);
      times[way].first = since(start);
    }
    for (int round = 0; round < rounds; ++round)
      for (size_t i = 0; i < inputs.size(); ++i)
        for (int way = 0; way < 2; ++way) {
          const auto start = Clock::now();
          (way ? exact : symbolic)(inputs[i]);
          times[way].best[i] = std::min(times[way].best[i], since(start));
        }
    double sums[2] = {};
    for (int way = 0; way < 2; ++way)
      for (double best : times[way].best)
        sums[way] += best;
    std::printf("%-14s %12.1f %12.1f %7.2f %14.0f %14.0f\n", of.name, sums[0], sums[1], sums[0] / sums[1],
                times[0].first, times[1].first);
  }
  printLong(rounds);
}
