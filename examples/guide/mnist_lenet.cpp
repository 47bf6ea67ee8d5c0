//===- mnist_lenet.cpp - the classic convolutional network, with a log of losses ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;

namespace nn = tn::nn;
namespace data = tn::data;

struct MNISTModel {
  nn::Conv2D conv1{32, 5, {.activation = tn::relu}};
  nn::MaxPooling2D pool1{{2, 2}, {.strides = 2, .padding = tn::same}};
  nn::Conv2D conv2{64, 5, {.activation = tn::relu}};
  nn::MaxPooling2D pool2{{2, 2}, {.strides = 2, .padding = tn::same}};
  nn::Flatten flatten;
  nn::Dense fc1{1024, {.activation = tn::relu}};
  nn::Dropout dropout{0.5};
  nn::Dense fc2{10};

  tn::Array operator()(const tn::Array &inputs, bool training) const {
    tn::Array x = inputs.reshape({-1, 28, 28, 1});
    x = pool1(conv1(x));
    x = pool2(conv2(x));
    x = flatten(x); // (batch, 1024)
    x = fc1(x);
    if (training)
      x = dropout(x, {.training = true});
    return fc2(x);
  }
};

static tn::Array model_loss(const MNISTModel &model, const tn::Array &images, const tn::Array &labels) {
  return tn::mean(tn::losses::softmax_cross_entropy(tn::one_hot(labels, 10), model(images, true)));
}
static tn::Array compute_accuracy(const tn::Array &predictions, const tn::Array &labels) {
  return tn::mean((tn::argmax(predictions, 1) == labels).astype(tn::f32));
}

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const int64_t steps = arguments.number("--steps", 200), log_interval = arguments.number("--log", 20);
  auto [training, test] = examples::mnist(arguments);
  auto dataset = data::from_slices(training.images, training.labels) | data::shuffle(60000, 0) | data::repeat() |
                 data::batch(64) | data::take(steps);

  tn::set_seed(0);
  const MNISTModel model;
  const tn::optim::SGD optimizer{0.01, {.momentum = 0.5}};
  auto step = tn::jit([&](const tn::Array &images, const tn::Array &labels) {
    return optimizer.minimize([&] { return model_loss(model, images, labels); }); // by all Variables that it reads
  });
  for (auto [batch, images, labels] : dataset | data::enumerate()) {
    const tn::Array loss = step(images, labels);
    if (batch % log_interval == 0)
      std::cout << tn::format("Batch #{}\tLoss: {:.6f}\n", batch, loss);
  }

  auto infer = tn::jit([&](const tn::Array &images) { return model(images, false); });
  tn::metrics::Mean accuracy{"accuracy"};
  for (auto [images, labels] : data::from_slices(test.images, test.labels) | data::batch(500))
    accuracy(compute_accuracy(infer(images), labels), images.dim(0).value());
  std::cout << nn::count_params(model) << " parameters\n";
  std::cout << tn::format("Test accuracy: {:.3f}\n", accuracy.result());
}
