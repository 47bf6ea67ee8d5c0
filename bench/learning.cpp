//===- learning.cpp - models of layers, and their training steps --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench/learning_peers.py has the same models in JAX, PyTorch and TensorFlow.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <benchmark/benchmark.h>

using namespace tenon;

namespace {
Array images(std::initializer_list<Dim> shape) { return random::uniform(random::key(7), Shape(shape)); }
Array labels(int64_t count) { return astype(arange(count) % 10, i32); }

void checkCompiled(benchmark::State &state, uint64_t before) {
  if (statistics().interpreted_programs != before)
    state.SkipWithError("the function was interpreted");
}

nn::Sequential hundredLayers() {
  nn::Sequential model;
  for (int i = 0; i < 100; ++i)
    model.add(nn::Dense{64, {.activation = relu}});
  model.add(nn::Dense{10});
  return model;
}
nn::Sequential mlp() {
  return nn::Sequential{nn::Dense{512, {.activation = relu}}, nn::Dense{256, {.activation = relu}}, nn::Dense{10}};
}
/// The guide's: two convolutions, the mean over the image.
nn::Sequential guideCnn() {
  return nn::Sequential{nn::Conv2D{16, 3, {.activation = relu}}, nn::Conv2D{16, 3, {.activation = relu}},
                        nn::GlobalAveragePooling2D{}, nn::Dense{10}};
}
/// The one of many tutorials.
nn::Sequential classicCnn() {
  return nn::Sequential{nn::Conv2D{32, 3, {.activation = relu}},
                        nn::Conv2D{64, 3, {.activation = relu}},
                        nn::MaxPooling2D{2},
                        nn::Flatten{},
                        nn::Dense{128, {.activation = relu}},
                        nn::Dense{10}};
}
nn::Sequential recurrent() { return nn::Sequential{nn::GRU{64}, nn::Dense{10}}; }
nn::Sequential transformer() {
  return nn::Sequential{nn::TransformerEncoder{1024, 8, {.activation = gelu, .normalize_first = true}},
                        nn::GlobalAveragePooling1D{}, nn::Dense{10}};
}
} // namespace

static void forward(benchmark::State &state, bool compiled) {
  const nn::Sequential model = hundredLayers();
  const Array x = images({20, 784});
  auto f = jit([&](const Array &x) { return model(x); });
  model(x);
  f(x);
  const uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    Array y = compiled ? f(x) : model(x);
    benchmark::DoNotOptimize(y);
  }
  checkCompiled(state, before);
}

/// Loss, gradients and Adam's update.
static void step(benchmark::State &state, nn::Sequential (*make)(), Array x, bool compiled) {
  const nn::Sequential model = make();
  const Array y = labels(x.shape()[0]);
  const optim::Adam optimizer{1e-3};
  auto train = [&](const Array &x, const Array &y) {
    auto [loss, gradients] = nn::value_and_grad([](const nn::Sequential &model, const Array &x, const Array &y) {
      return losses::sparse_categorical_crossentropy(y, model(x), {.from_logits = true});
    })(model, x, y);
    optimizer.apply_gradients(gradients);
    return loss;
  };
  auto f = jit(train);
  compiled ? f(x, y) : train(x, y); // builds, traces and compiles
  const uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    Array loss = compiled ? f(x, y) : train(x, y);
    benchmark::DoNotOptimize(loss.item<float>());
  }
  checkCompiled(state, before);
}

BENCHMARK_CAPTURE(forward, forward_eager, false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(forward, forward_jit, true)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(step, mlp_eager, mlp, images({128, 784}), false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(step, mlp_jit, mlp, images({128, 784}), true)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(step, guide_eager, guideCnn, images({32, 28, 28, 1}), false)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, guide_jit, guideCnn, images({32, 28, 28, 1}), true)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, classic_eager, classicCnn, images({64, 28, 28, 1}), false)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, classic_jit, classicCnn, images({64, 28, 28, 1}), true)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, gru_eager, recurrent, images({32, 200, 64}), false)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, gru_jit, recurrent, images({32, 200, 64}), true)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(step, block_eager, transformer, images({8, 128, 256}), false)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, block_jit, transformer, images({8, 128, 256}), true)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_MAIN();
