//===- eager_and_graph_time.cpp - a model of 100 small layers, eagerly and compiled ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;

namespace nn = tn::nn;

struct SequentialModel {
  nn::Flatten flatten;
  std::vector<nn::Dense> hidden = nn::repeat(100, nn::Dense{64, {.activation = tn::relu}});
  nn::Dropout dropout{0.2};
  nn::Dense logits{10};

  tn::Array operator()(const tn::Array &images) const {
    tn::Array x = flatten(images);
    for (const nn::Dense &layer : hidden)
      x = layer(x);
    return logits(dropout(x));
  }
};

// --check 1: fails unless the compiled model is faster.
int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const auto calls = static_cast<int>(arguments.number("--steps", 100));
  const tn::Array input_data = tn::random::uniform(tn::random::key(0), {20, 28, 28});

  SequentialModel eager_model;
  eager_model.hidden.resize(static_cast<size_t>(arguments.number("--size", 100)), nn::Dense{64});
  auto graph_model = tn::jit(eager_model);
  const bool equal = bool(tn::array_equal(eager_model(input_data), graph_model(input_data))); // and builds, and traces
  std::cout << nn::count_params(eager_model) << " parameters, " << (equal ? "equal bits" : "other bits") << "\n";

  const double eager = tn::timeit([&] { return eager_model(input_data); }, calls);
  std::cout << tn::format("Eager time: {:.4f}\n", eager);
  const double graph = tn::timeit([&] { return graph_model(input_data); }, calls);
  std::cout << tn::format("Graph time: {:.4f}\n", graph);
  std::cout << tn::format("{:.2f} times as fast\n", eager / graph);
  return arguments.has("--check") && !(graph < eager && equal) ? 1 : 0;
}
