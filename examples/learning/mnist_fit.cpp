//===- mnist_fit.cpp - a convolutional network on MNIST with compile and fit, callbacks and a History ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --data DIR: a folder with MNIST; --steps N: epochs; --size N: images
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <algorithm>
#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace train = tn::train;

struct Net {
  nn::Conv2D conv1{32, 5, {.padding = tn::same, .activation = tn::relu}};
  nn::MaxPooling2D pool1{2};
  nn::Conv2D conv2{64, 5, {.padding = tn::same, .activation = tn::relu}};
  nn::MaxPooling2D pool2{{2, 2}, {.strides = 2}};
  nn::Flatten flatten;
  nn::Dense hidden{1024, {.activation = tn::relu}};
  nn::Dropout dropout{0.5};
  nn::Dense logits{10};

  tn::Array operator()(const tn::Array &x) const {
    return logits(dropout(hidden(flatten(pool2(conv2(pool1(conv1(x))))))));
  }
};

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  auto [training, test] = examples::mnist(arguments);
  const auto first = tn::slice(0, arguments.number("--size", 60000));
  const tn::Array x = training.images[first].reshape({-1, 28, 28, 1}), y = training.labels[first];
  const tn::Array x_test = test.images[first].reshape({-1, 28, 28, 1}), y_test = test.labels[first];

  nn::Model model{Net()};
  model.compile({.optimizer = tn::optim::Adam{1e-3},
                 .loss = tn::losses::SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"accuracy"}});

  train::EarlyStopping stopping{{.monitor = "val_accuracy", .patience = 3}};
  const train::History history =
      model.fit(x, y,
                {.batch_size = 64,
                 .epochs = arguments.number("--steps", 10),
                 .callbacks = {stopping, train::ModelCheckpoint{"runs/mnist"},
                               train::ReduceLROnPlateau{{.patience = 2}}, train::TensorBoard{"runs/tb"}},
                 .validation_data = {x_test, y_test}});
  history.save_svg("history.svg");
  std::cout << tn::format("best: {:.4f}\n", std::ranges::max(history["val_accuracy"]));
  std::cout << tn::argmax(model.predict(x_test[tn::slice(0, 10)]), 1) << "\n";

  // The same without compile: a free function, any model.
  const Net net;
  train::fit(
      net, x, y,
      {.optimizer = "adam", .loss = tn::losses::SparseCategoricalCrossentropy{.from_logits = true}, .epochs = 1});
}
