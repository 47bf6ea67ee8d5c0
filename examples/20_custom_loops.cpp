//===- 20_custom_loops.cpp - lesson 20: training loops of your own ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 20_custom_loops.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;

struct Net {
  nn::Flatten flatten;
  nn::Dense hidden{32, {.activation = tn::relu}};
  nn::Dropout dropout{0.1};
  nn::Dense logits{10};
  tn::Array operator()(const tn::Array &x) const { return logits(dropout(hidden(flatten(x)))); }
};

static tn::Array loss_of(const Net &net, const tn::Array &x, const tn::Array &y) {
  return tn::losses::sparse_categorical_crossentropy(y, net(x), {.from_logits = true});
}

int main() {
  auto [training, test] = tn::datasets::digits();
  // The number of the epoch and the seed give the order, so both loops below see the same batches.
  auto batches = data::from_slices(training.images, training.labels) | data::shuffle(4000, 1) |
                 data::batch(64, {.drop_remainder = true});

  // A tape records what the model computes, and gives the gradients of the Variables that it read.
  tn::set_seed(1);
  const Net eager;
  const tn::optim::Adam eager_optimizer{0.01};
  for (auto [x, y] : batches.epoch(0)) {
    const nn::TrainingScope training_scope; // without it layers infer: no dropout
    tn::GradientTape tape;
    const tn::Array loss = loss_of(eager, x, y);
    const std::vector<tn::Variable> variables = nn::trainable_variables(eager);
    eager_optimizer.apply_gradients(tape.gradient(loss, variables), variables);
  }

  // The same with nn::value_and_grad, which sets training itself, and as one program: only tn::jit is new.
  tn::set_seed(1);
  const Net compiled;
  const tn::optim::Adam optimizer{0.01};
  tn::metrics::Mean mean_loss{"loss"};
  auto step = tn::jit([&](const tn::Array &x, const tn::Array &y) {
    auto [loss, gradients] = nn::value_and_grad(loss_of)(compiled, x, y);
    optimizer.apply_gradients(gradients); // Variables are updated in the program
    mean_loss.update(loss);               // so are those of a metric
    return nn::global_norm(gradients);
  });
  tn::Array largest = 0.0f;
  for (auto [x, y] : batches.epoch(0))
    largest = tn::maximum(largest, step(x, y));
  std::cout << std::boolalpha << "traces: " << step.trace_count() << tn::format(", steps: {}\n", optimizer.iterations())
            << "equal bits: " << bool(tn::array_equal(eager(test.images), compiled(test.images))) << "\n"
            << "the mean loss is below that of guessing: " << bool(mean_loss.result() < 2.3f)
            << ", gradients are finite: " << bool(tn::isfinite(largest)) << "\n";

  // Gradients are named by path, and can be changed before they are applied.
  auto [loss, gradients] = nn::value_and_grad(loss_of)(compiled, test.images, test.labels);
  for (size_t i = 0; i < gradients.size(); ++i)
    std::cout << gradients.paths()[i] << " " << gradients[gradients.paths()[i]].shape() << "\n";

  // A loss that also gives something else: a pair, of which the first is differentiated.
  auto with_logits = [](const Net &net, const tn::Array &x, const tn::Array &y) {
    const tn::Array logits = net(x);
    return std::pair(tn::losses::sparse_categorical_crossentropy(y, logits, {.from_logits = true}), logits);
  };
  auto [pair, same] = nn::value_and_grad(with_logits, {.training = false})(compiled, test.images, test.labels);
  std::cout << pair.second.shape() << "\n";
}
