//===- models.cpp - small models, eager and compiled ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

using namespace tenon;

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

/// 100 layers of 64 with relu, then 10 classes: inference of 20 examples.
Array hundredLayers(const std::vector<Dense> &layers, const Array &images) {
  Array x = images;
  for (size_t i = 0; i + 1 < layers.size(); ++i)
    x = relu(layers[i](x));
  return layers.back()(x);
}

Array crossEntropy(const Network &m, const Array &x, const Array &y) {
  return -mean(sum(log_softmax(m.out(relu(m.hidden(x)))) * one_hot(y, 10), 1));
}
void descend(Network &model, const Network &gradient) {
  model = tree_map([](const Array &p, const Array &g) { return p - 0.5f * g; }, model, gradient);
}

/// The demo's step: one hidden layer of 64, cross entropy, SGD.
Array step(Network &model, const Array &images, const Array &labels) {
  auto [value, gradient] = value_and_grad(crossEntropy)(model, images, labels);
  descend(model, gradient);
  return value;
}
/// The same by a tape.
Array tapedStep(Network &model, const Array &images, const Array &labels) {
  GradientTape tape;
  tape.watch(model);
  const Array value = crossEntropy(model, images, labels);
  descend(model, tape.gradient(value, model));
  return value;
}

void checkCompiled(benchmark::State &state, uint64_t before) {
  if (statistics().interpreted_programs != before)
    state.SkipWithError("the function was interpreted");
}
} // namespace

static void dense100(benchmark::State &state, bool compiled) {
  std::vector<Dense> layers = {makeDense(0, 784, 64)};
  for (uint64_t i = 1; i < 100; ++i)
    layers.push_back(makeDense(i, 64, 64));
  layers.push_back(makeDense(100, 64, 10));
  Array x = random::uniform(random::key(7), {20, 784});
  auto f = jit(hundredLayers);
  uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    Array y = compiled ? f(layers, x) : hundredLayers(layers, x);
    benchmark::DoNotOptimize(y);
  }
  checkCompiled(state, before);
}

static void digits(benchmark::State &state, Array (*step)(Network &, const Array &, const Array &), bool compiled) {
  Network model{makeDense(1, 64, 64), makeDense(2, 64, 10)};
  Array x = random::uniform(random::key(7), {64, 64}), y = astype(random::bits(random::key(8).data, {64}) >> 29, i32);
  auto f = jit(step);
  uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    Array loss = compiled ? f(model, x, y) : step(model, x, y);
    benchmark::DoNotOptimize(loss);
  }
  checkCompiled(state, before);
}

/// 200 products of 1,000 by 1,000, each the square of the one before: they overflow soon, and are timed alone.
static void squares(benchmark::State &state, bool compiled) {
  const Array x = random::uniform(random::key(7), {1000, 1000});
  auto repeated = [](const Array &x) {
    Array y = x;
    for (int i = 0; i < 200; ++i)
      y = matmul(y, y);
    return y;
  };
  auto f = jit(repeated);
  const uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    Array y = compiled ? f(x) : repeated(x);
    benchmark::DoNotOptimize(y);
  }
  checkCompiled(state, before);
}

BENCHMARK_CAPTURE(dense100, eager, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(dense100, jit, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, eager, step, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, jit, step, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, tape, tapedStep, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(squares, eager, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(squares, jit, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_MAIN();
