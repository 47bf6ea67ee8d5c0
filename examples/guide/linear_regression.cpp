//===- linear_regression.cpp - a line fitted by a tape and gradient descent ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const int64_t examples = arguments.number("--size", 1000);
  const int64_t steps = arguments.number("--steps", 200);
  // y = 3 x + 2, with noise.
  auto [input_key, noise_key] = tn::random::split(tn::random::key(42));
  const tn::Array inputs = tn::random::normal(input_key, {examples});
  const tn::Array outputs = inputs * 3 + 2 + tn::random::normal(noise_key, {examples});

  const tn::Variable W{5.0f, "weight"}, B{10.0f, "bias"};
  auto loss = [&] { return tn::mean(tn::square(inputs * W + B - outputs)); };

  std::cout << tn::format("Initial loss: {:.3f}\n", loss());
  for (int64_t i = 0; i < steps; ++i) {
    tn::GradientTape tape;
    auto [dW, dB] = tape.gradient(loss(), W, B);
    W -= 0.01f * dW;
    B -= 0.01f * dB;
    if (i % 20 == 0)
      std::cout << tn::format("Loss at step {:03d}: {:.3f}\n", i, loss());
  }
  std::cout << tn::format("Final loss: {:.3f}\nW = {}, B = {}\n", loss(), W, B);
}
