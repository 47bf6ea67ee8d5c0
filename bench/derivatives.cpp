//===- derivatives.cpp - gradients and Hessians of small functions -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

using namespace tenon;

namespace {
Array squashed(const Array &w, const Array &x) { return sum(tanh(matmul(x, w))); }

struct Small {
  Array w = random::normal(random::key(1), {10, 10}), x = random::normal(random::key(2), {10, 10});
};

/// Runs `function` on what it is called with, as it is or compiled.
template <class F, class... A>
void run(benchmark::State &state, bool compiled, F function, const A &...arguments) {
  auto f = jit(function);
  const uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    auto result = compiled ? f(arguments...) : function(arguments...);
    benchmark::DoNotOptimize(result);
  }
  if (statistics().interpreted_programs != before)
    state.SkipWithError("the function was interpreted");
}
} // namespace

static void valueAndGrad(benchmark::State &state, bool compiled) {
  const Small at;
  run(state, compiled, value_and_grad(squashed), at.w, at.x);
}

static void hessianOf(benchmark::State &state, bool compiled) {
  const Small at;
  run(state, compiled, hessian(squashed), at.w, at.x);
}

/// A thousand steps of a small recurrence, one after another, and what they cost going back.
static void gradOfScan(benchmark::State &state, bool compiled) {
  const Array w = random::normal(random::key(3), {8, 8}) * 0.3f, xs = random::normal(random::key(4), {1000, 8});
  auto loss = [](const Array &weight, const Array &inputs) {
    auto step = [&](const Array &h, const Array &x) {
      const Array next = tanh(matmul(h, weight) + x);
      return std::pair(next, sum(next));
    };
    return sum(scan(step, zeros({8}), inputs).second);
  };
  run(state, compiled, grad(loss), w, xs);
}

BENCHMARK_CAPTURE(valueAndGrad, eager, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(valueAndGrad, jit, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hessianOf, eager, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hessianOf, jit, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(gradOfScan, eager, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(gradOfScan, jit, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_MAIN();
