//===- mnist_convolutions.cpp - a convolutional network and a loop of your own ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>
#include <numeric>

namespace tn = tenon;

namespace nn = tn::nn;
namespace data = tn::data;

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  auto [training, test] = examples::mnist(arguments);
  const tn::Array images = training.images[{tn::ellipsis, tn::newaxis}];
  auto dataset = data::from_slices(images, training.labels) | data::shuffle(1000, 0) | data::repeat() |
                 data::batch(32) | data::take(arguments.number("--steps", 400));

  tn::set_seed(0);
  const nn::Sequential mnist_model{nn::Conv2D{16, {3, 3}, {.activation = tn::relu}},
                                   nn::Conv2D{16, {3, 3}, {.activation = tn::relu}}, nn::GlobalAveragePooling2D{},
                                   nn::Dense{10}};

  // Without training, call the model and inspect what it gives.
  std::cout << "Logits: " << mnist_model(images[tn::slice(0, 1)]).shape() << "\n";
  std::cout << nn::count_params(mnist_model) << " parameters\n";

  const tn::optim::Adam optimizer;
  std::vector<float> loss_history;
  for (auto [batch, x, y] : dataset | data::enumerate()) {
    if (batch % 10 == 0)
      std::cout << '.' << std::flush;
    tn::GradientTape tape;
    const tn::Array logits = mnist_model(x, {.training = true});
    const tn::Array loss = tn::losses::sparse_softmax_cross_entropy(y, logits);
    const auto variables = nn::trainable_variables(mnist_model);
    optimizer.apply_gradients(tape.gradient(loss, variables), variables);
    loss_history.push_back(float(loss));
  }
  auto mean = [](auto begin, auto end) { return std::accumulate(begin, end, 0.0) / double(end - begin); };
  const auto tenth = std::ptrdiff_t(loss_history.size() + 9) / 10;
  std::cout << tn::format("\n{} batches, mean loss of the first tenth {:.4f}, of the last {:.4f}\n",
                          int64_t(optimizer.iterations()), mean(loss_history.begin(), loss_history.begin() + tenth),
                          mean(loss_history.end() - tenth, loss_history.end()));
}
