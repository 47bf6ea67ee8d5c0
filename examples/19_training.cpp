//===- 19_training.cpp - lesson 19: training with fit, and with loops of one's own -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 19_training.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <filesystem>
#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;
namespace train = tn::train;

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
  std::cout << training.images.shape() << " " << test.images.shape() << "\n";

  // fit: data, a loss, an optimizer, metrics. `verbose = 1`, the default, shows a progress line.
  tn::set_seed(1);
  const Net net;
  const train::History history = train::fit(net, training.images, training.labels,
                                            {.optimizer = tn::optim::Adam{0.01},
                                             .loss = tn::losses::SparseCategoricalCrossentropy{.from_logits = true},
                                             .metrics = {"accuracy"},
                                             .epochs = 3,
                                             .verbose = 0,
                                             .validation_data = {test.images, test.labels}});
  for (const std::string &name : history.names())
    std::cout << name << ": " << history[name].size() << " epochs\n";
  std::cout << std::boolalpha << "the loss falls: " << (history["loss"][2] < history["loss"][0] / 3)
            << ", over 90 % right: " << (history["val_accuracy"][2] > 0.9) << "\n";

  // The same by hand: a pipeline of batches, and a step that is one program.
  tn::set_seed(1);
  const Net other;
  const tn::optim::Adam optimizer{0.01};
  auto step = tn::jit([&](const tn::Array &x, const tn::Array &y) {
    auto [loss, gradients] = nn::value_and_grad(loss_of)(other, x, y);
    optimizer.apply_gradients(gradients);
    return loss;
  });
  auto batches = data::from_slices(training.images, training.labels) | data::shuffle(4000, 1) |
                 data::batch(32, {.drop_remainder = true}) | data::prefetch(2);
  for (int epoch = 0; epoch < 3; ++epoch)
    for (auto [x, y] : batches) // each loop is an epoch, shuffled anew
      step(x, y);
  std::cout << tn::format("steps: {}, traces: {}\n", optimizer.iterations(), step.trace_count());

  // A smaller learning rate from now on. It is a Variable: nothing is traced again.
  optimizer.learning_rate().assign(0.001);
  for (auto [x, y] : batches)
    step(x, y);
  std::cout << "traces: " << step.trace_count() << "\n";

  // How good is it? Without a TrainingScope layers infer.
  tn::metrics::SparseCategoricalAccuracy accuracy;
  accuracy(test.labels, other(test.images));
  std::cout << "over 93 % right: " << bool(accuracy.result() > 0.93f) << "\n";

  // Model and optimizer as they are now, in a file; another process goes on from there.
  const std::string folder = "lesson19/";
  std::filesystem::remove_all(folder);
  tn::Checkpoint{{"model", other}, {"optimizer", optimizer}}.save(folder);
  Net restored;
  tn::optim::Adam again{0.01};
  tn::Checkpoint{{"model", restored}, {"optimizer", again}}.restore(*tn::latest_checkpoint(folder)).assert_consumed();
  std::cout << "same: " << bool(tn::array_equal(restored(test.images), other(test.images)))
            << tn::format(" at step {}\n", again.iterations());
}
