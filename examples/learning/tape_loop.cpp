//===- tape_loop.cpp - a loop of one's own, eager: a tape, metrics, and the progress line of fit ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;
namespace metrics = tn::metrics;

int main() {
  auto [training, test] = tn::datasets::digits();
  auto batches = data::from_slices(training.images, training.labels) | data::shuffle(1000, 1) | data::batch(32);
  auto test_batches = data::from_slices(test.images, test.labels) | data::batch(256);

  nn::Sequential model{nn::Flatten{}, nn::Dense{128, {.activation = tn::relu}}, nn::Dropout{0.2}, nn::Dense{10}};
  tn::optim::Adam optimizer{1e-3};
  const tn::losses::SparseCategoricalCrossentropy loss_of{.from_logits = true};
  metrics::Mean loss_metric{"loss"};
  metrics::SparseCategoricalAccuracy accuracy, val_accuracy;

  for (int epoch = 0; epoch < 5; ++epoch) {
    loss_metric.reset();
    accuracy.reset();
    tn::train::Progress progress{batches.size()};
    for (auto [images, labels] : batches) { // begins an epoch: shuffled anew
      nn::TrainingScope training_scope;
      tn::GradientTape tape;
      tn::Array logits = model(images);
      tn::Array loss = loss_of(labels, logits);
      auto variables = nn::trainable_variables(model);
      optimizer.apply_gradients(tape.gradient(loss, variables), variables);

      loss_metric(loss);
      accuracy(labels, logits);
      progress.step({{"loss", loss_metric}, {"accuracy", accuracy}});
    }
    val_accuracy.reset();
    for (auto [images, labels] : test_batches) // no scope: inference
      val_accuracy(labels, model(images));
    progress.finish({{"val_accuracy", val_accuracy}});
  }
}
