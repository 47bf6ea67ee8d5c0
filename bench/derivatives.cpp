//===- derivatives.cpp - gradients, Hessians, tapes ----------------------------===//
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
  const uint64_t before = statistics().interpretedPrograms;
  for (auto _ : state) {
    auto result = compiled ? f(arguments...) : function(arguments...);
    benchmark::DoNotOptimize(result);
  }
  if (statistics().interpretedPrograms != before)
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

namespace {
struct Dense {
  Array kernel, bias;
  Array operator()(const Array &x) const { return matmul(x, kernel) + bias; }
};
struct Network {
  Dense hidden, out;
};
Dense makeDense(uint64_t seed, int64_t from, int64_t to) {
  return {random::normal(random::key(seed), {from, to}) * 0.05f, zeros({to})};
}
} // namespace

/// The step of bench/models, by value_and_grad or by a tape.
static void digits(benchmark::State &state, bool taped) {
  Network model{makeDense(1, 64, 64), makeDense(2, 64, 10)};
  const Array x = random::uniform(random::key(7), {64, 64});
  const Array y = astype(random::bits(random::key(8).data, {64}) >> 29, i32);
  auto loss = [](const Network &m, const Array &images, const Array &labels) {
    return -mean(sum(log_softmax(m.out(relu(m.hidden(images)))) * one_hot(labels, 10), 1));
  };
  auto byTape = [&] {
    GradientTape tape;
    tape.watch(model);
    const Array value = loss(model, x, y);
    return std::pair(value, tape.gradient(value, model));
  };
  for (auto _ : state) {
    auto [value, gradient] = taped ? byTape() : value_and_grad(loss)(model, x, y);
    model = tree_map([](const Array &p, const Array &g) { return p - 0.5f * g; }, model, gradient);
    benchmark::DoNotOptimize(value);
  }
}

BENCHMARK_CAPTURE(valueAndGrad, eager, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(valueAndGrad, jit, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hessianOf, eager, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hessianOf, jit, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(gradOfScan, eager, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(gradOfScan, jit, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, grad, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, tape, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_MAIN();
