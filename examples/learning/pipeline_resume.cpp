//===- pipeline_resume.cpp - augmentation by workers, and a run that goes on after it was killed ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --data DIR: a folder with images.npy and labels.npy; --steps N: epochs
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;

struct Net {
  nn::Conv2D conv{32, 3, {.activation = tn::relu}};
  nn::GlobalAveragePooling2D pool;
  nn::Dropout dropout{0.5};
  nn::Dense logits{10};
  tn::Array operator()(const tn::Array &x) const { return logits(dropout(pool(conv(x)))); }
};

// The key is the element's own: the same picture for any number of workers, and after a restart.
static std::tuple<tn::Array, tn::Array> augment(const tn::Key &key, const tn::Array &image, const tn::Array &label) {
  auto [flip_key, shift_key] = tn::random::split(key);
  tn::Array x = tn::where(tn::random::bernoulli(flip_key), tn::flip(image, 1), image);
  tn::Array shift = tn::random::randint(shift_key, {2}, 0, 9);
  x = tn::pad(x, 0.0f, {4, 4, 0}, {4, 4, 0});
  return {tn::dynamic_slice(x, {shift[0], shift[1], tn::Array(0)}, {32, 32, 3}), label};
}

// u8[n, 32, 32, 3] and i32[n]: CIFAR-10 in .npy files, or the digits in three equal colours.
static tn::datasets::Split load(const examples::Arguments &arguments) {
  if (arguments.has("--data"))
    return {tn::load_npy(arguments.text("--data") + "/images.npy"),
            tn::load_npy(arguments.text("--data") + "/labels.npy")};
  auto [training, test] = tn::datasets::digits({.size = 32});
  const tn::Array gray = tn::round(training.images * 255).astype(tn::u8)[{tn::ellipsis, tn::newaxis}];
  return {tn::broadcast_to(gray, {gray.dim(0), 32, 32, 3}), training.labels};
}

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  auto [images, labels] = load(arguments);
  auto scale = [](const tn::Array &x, const tn::Array &y) { return std::tuple(x.astype(tn::f32) / 255, y); };
  auto batches = data::from_slices(images, labels) | data::shuffle(10000, 1) | data::map(scale) |
                 data::random_map(augment, 2, {.workers = 4}) | data::batch(64, {.drop_remainder = true}) |
                 data::prefetch(2);

  const Net model;
  const tn::optim::SGD optimizer{0.1, {.momentum = 0.9, .nesterov = true}};
  auto loss_of = [](const Net &net, const tn::Array &x, const tn::Array &y) {
    return tn::losses::sparse_categorical_crossentropy(y, net(x), {.from_logits = true});
  };
  auto step = tn::jit([&](const tn::Array &x, const tn::Array &y) {
    auto [loss, gradients] = nn::value_and_grad(loss_of)(model, x, y);
    optimizer.apply_gradients(gradients);
    return loss;
  });

  auto cursor = batches.cursor();
  tn::train::CheckpointManager manager{
      "runs/augmented", {{"model", model}, {"optimizer", optimizer}, {"data", cursor}}, {.keep = 3}};
  if (manager.restore_latest())
    std::cout << tn::format("goes on at epoch {}, batch {}\n", cursor.epoch(), cursor.position());

  while (cursor.epoch() < arguments.number("--steps", 20))
    for (auto [x, y] : cursor) { // the rest of the epoch
      tn::Array loss = step(x, y);
      if (cursor.position() % 20 == 0) // counts what was handed out: save after the step
        std::cout << tn::format("{} {:.4f}\n", manager.save(), loss);
    }
}
