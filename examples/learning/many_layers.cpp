//===- many_layers.cpp - 100 hidden layers: one struct, called eagerly and compiled ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --steps N: calls that are timed
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;

struct ManyLayers {
  nn::Flatten flatten;
  std::vector<nn::Dense> layers = nn::repeat(100, nn::Dense{64, {.activation = tn::relu}});
  nn::Dropout dropout{0.2};
  nn::Dense logits{10};

  tn::Array operator()(const tn::Array &images) const {
    tn::Array x = flatten(images);
    for (const nn::Dense &layer : layers)
      x = layer(x);
    return logits(dropout(x));
  }
};

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const auto calls = static_cast<int>(arguments.number("--steps", 100));
  const tn::Array images = tn::random::uniform(tn::random::key(0), {20, 28, 28});
  const ManyLayers model;
  auto compiled = tn::jit(model); // a copy of the model, which shares its weights

  // The first call builds the weights, eagerly or in a trace: the bits are the same.
  const tn::Array expected = model(images), got = compiled(images);
  std::cout << tn::format("parameters: {}\n", nn::count_params(model)); // 462730
  std::cout << tn::format("equal bits: {}\n", bool(tn::array_equal(expected, got)));

  const double eager = tn::timeit([&] { model(images); }, calls);
  const double graph = tn::timeit([&] { compiled(images); }, calls);
  std::cout << tn::format("eager {:.4f} s, compiled {:.4f} s, {:.1f} times faster\n", eager, graph, eager / graph);
  std::cout << compiled.concrete(images) << "\n" << nn::summary(model, images);
}
