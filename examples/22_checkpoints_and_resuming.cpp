//===- 22_checkpoints_and_resuming.cpp - lesson 22: checkpoints, and runs that go on after they were killed ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 22_checkpoints_and_resuming.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <filesystem>
#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;

struct Net {
  nn::Flatten flatten;
  nn::Dense hidden{32, {.activation = tn::relu}};
  nn::Dropout dropout{0.2};
  nn::Dense logits{10};
  tn::Array operator()(const tn::Array &x) const { return logits(dropout(hidden(flatten(x)))); }
};

// A run of `steps` steps that saves every 20th, and first goes on from what an earlier one has saved in the folder.
static tn::Array run(const std::string &folder, int64_t steps) {
  tn::set_seed(3);
  const tn::datasets::Split training = tn::datasets::digits().train;
  auto batches = data::from_slices(training.images, training.labels) | data::shuffle(4000, 1) | data::batch(64);
  const Net net;
  const tn::optim::Adam optimizer{0.01};
  auto loss_of = [](const Net &model, const tn::Array &x, const tn::Array &y) {
    return tn::losses::sparse_categorical_crossentropy(y, model(x), {.from_logits = true});
  };
  auto step = tn::jit([&](const tn::Array &x, const tn::Array &y) {
    auto [loss, gradients] = nn::value_and_grad(loss_of)(net, x, y);
    optimizer.apply_gradients(gradients);
    return loss;
  });

  // All that the rest of a run depends on: weights, moments of Adam, the place in the data; the manager adds the
  // default generator, from which dropout draws. Neither the model nor the optimizer is built yet.
  auto cursor = batches.cursor();
  tn::train::CheckpointManager manager{
      folder, {{"model", net}, {"optimizer", optimizer}, {"data", cursor}}, {.keep = 2}};
  if (manager.restore_latest())
    std::cout << tn::format("goes on from {} at step {}, in epoch {} at batch {}\n", *manager.latest(),
                            optimizer.iterations(), cursor.epoch(), cursor.position());

  while (int64_t(optimizer.iterations()) < steps)
    for (auto [x, y] : cursor) { // the rest of the epoch
      step(x, y);
      const auto done = int64_t(optimizer.iterations());
      if (done % 20 == 0)
        manager.save();
      if (done == steps)
        break;
    }
  return net(training.images);
}

int main() {
  std::filesystem::remove_all("lesson22");
  const tn::Array whole = run("lesson22/whole/", 100);
  run("lesson22/parts/", 75); // as if it had been killed: its last file is of step 60
  const tn::Array resumed = run("lesson22/parts/", 100);
  std::cout << std::boolalpha << "equal bits: " << bool(tn::array_equal(whole, resumed)) << "\n";

  // The two newest files are kept. A file of other trees is an error that lists the differences.
  for (const char *name : {"ckpt-2.safetensors", "ckpt-4.safetensors", "ckpt-5.safetensors"})
    std::cout << name << ": " << std::filesystem::exists(std::string("lesson22/whole/") + name) << "\n";
  nn::Dense other{10};
  try {
    tn::Checkpoint{{"model", other}}.restore("lesson22/whole/ckpt-5.safetensors").assert_consumed();
  } catch (const tn::Error &error) {
    std::cout << error.what() << "\n";
  }
}
