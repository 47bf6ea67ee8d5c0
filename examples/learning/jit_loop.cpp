//===- jit_loop.cpp - a step as one program: schedule, clipping, accumulation, averaged weights ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --steps N: epochs
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;
namespace optim = tn::optim;

struct MLP {
  nn::Flatten flatten;
  nn::Dense hidden{256, {.activation = tn::gelu}};
  nn::Dropout dropout{0.1};
  nn::Dense logits{10};
  tn::Array operator()(const tn::Array &x) const { return logits(dropout(hidden(flatten(x)))); }
};

static tn::Array loss_of(const MLP &model, const tn::Array &x, const tn::Array &y) {
  return tn::losses::sparse_categorical_crossentropy(y, model(x), {.from_logits = true});
}

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  auto [training, test] = tn::datasets::digits();
  auto batches = data::from_slices(training.images, training.labels) | data::shuffle(2000, 7) |
                 data::batch(32, {.drop_remainder = true}) | data::prefetch(2);

  const MLP model;
  const optim::AdamW optimizer{optim::cosine_decay(1e-3, 2000, {.warmup_steps = 100}),
                               {.weight_decay = 0.01, .global_clipnorm = 1, .gradient_accumulation_steps = 4}};
  const optim::EMA average{model, 0.999};

  // Captures are Variables, so the program reads and updates them: [&] and [=] do the same.
  auto step = tn::jit([&](const tn::Array &x, const tn::Array &y) {
    auto [loss, gradients] = nn::value_and_grad(loss_of)(model, x, y); // in training
    optimizer.apply_gradients(gradients);
    average.update();
    return std::tuple(loss, nn::global_norm(gradients));
  });

  for (int epoch = 0; epoch < arguments.number("--steps", 10); ++epoch)
    for (auto [i, x, y] : batches | data::enumerate()) {
      auto [loss, norm] = step(x, y);
      if (i % 100 == 0)
        std::cout << tn::format("epoch {} batch {}: loss {:.4f}, norm {:.3f}, rate {:.2e}\n", epoch, i, loss, norm,
                                optimizer.learning_rate());
    }
  std::cout << "traces: " << step.trace_count() << "\n"; // 1

  auto scope = average.averaged(); // the model has the averages here
  std::cout << tn::format("test loss {:.4f}\n", loss_of(model, test.images, test.labels));
}
