//===- linear_regression_model.cpp - the same with a model and an optimizer ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;

struct Model {
  tn::Variable W{5.0f, "weight"}, B{10.0f, "bias"};
  tn::Array operator()(const tn::Array &inputs) const { return inputs * W + B; }
};

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const int64_t examples = arguments.number("--size", 2000);
  const int64_t steps = arguments.number("--steps", 300);
  auto [input_key, noise_key] = tn::random::split(tn::random::key(7));
  const tn::Array inputs = tn::random::normal(input_key, {examples});
  const tn::Array outputs = inputs * 3 + 2 + tn::random::normal(noise_key, {examples});

  const Model model;
  const tn::optim::SGD optimizer{0.01};
  auto loss = [&] { return tn::mean(tn::square(model(inputs) - outputs)); };

  std::cout << tn::format("Initial loss: {:.3f}\n", loss());
  for (int64_t i = 0; i < steps; ++i) {
    tn::GradientTape tape;
    const std::vector<tn::Variable> variables = {model.W, model.B};
    const std::vector<tn::Array> gradients = tape.gradient(loss(), variables);
    optimizer.apply_gradients(gradients, variables);
    if (i % 20 == 0)
      std::cout << tn::format("Loss at step {:03d}: {:.3f}\n", i, loss());
  }
  std::cout << tn::format("Final loss: {:.3f}\nW = {}, B = {}\n", loss(), model.W, model.B);
}
