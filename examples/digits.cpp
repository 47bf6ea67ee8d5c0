//===- digits.cpp - a convolutional network that reads digits, eagerly and compiled ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One model, trained twice by the same call of fit: once as plain C++ calls and once as a compiled program. Both runs
// must end with the same bits, and read 98.5 % of the test images right. history.svg shows losses and accuracies.
//
//   ./dev demo                    the digits that are part of Tenon
//   ./dev demo --data ~/mnist     a folder with MNIST's files
//   ./dev demo --epochs 5         less training: no accuracy is asked for
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <tenon/learning.h>

namespace tn = tenon;
namespace nn = tn::nn;
namespace train = tn::train;

struct Net {
  nn::Conv2D conv1{32, 3, {.padding = tn::same, .activation = tn::relu, .kernel_initializer = nn::he_normal()}};
  nn::Conv2D conv2{32, 3, {.padding = tn::same, .activation = tn::relu, .kernel_initializer = nn::he_normal()}};
  nn::MaxPooling2D pool1{2};
  nn::Conv2D conv3{64, 3, {.padding = tn::same, .activation = tn::relu, .kernel_initializer = nn::he_normal()}};
  nn::MaxPooling2D pool2{2};
  nn::Flatten flatten;
  nn::Dropout dropout{0.5};
  nn::Dense logits{10};

  tn::Array operator()(const tn::Array &images) const {
    const tn::Array x = tn::expand_dims(images, -1); // one channel
    return logits(dropout(flatten(pool2(conv3(pool1(conv2(conv1(x))))))));
  }
};

struct Run {
  Net net;
  train::History history;
  double seconds = 0;
};

static Run learn(const tn::datasets::TrainTest &digits, int64_t epochs, bool eagerly) {
  constexpr int64_t batch = 64;
  tn::set_seed(1); // initial weights, the order of the images and dropout follow from it
  Run run;
  const int64_t steps = epochs * ((digits.train.images.dim(0).value() + batch - 1) / batch);
  train::LambdaCallback print{{.on_epoch_end = [&](int64_t epoch, train::Logs &logs) {
    if ((epoch + 1) % 5 == 0 || epoch + 1 == epochs)
      std::cout << tn::format("{}  epoch {:2} of {}: loss {:.4f}, {:.2f} % of the test images right\n",
                              eagerly ? "eager   " : "compiled", epoch + 1, epochs, logs["loss"],
                              100 * logs["val_accuracy"])
                << std::flush;
  }}};
  run.seconds = tn::timeit([&] {
    run.history = train::fit(run.net, digits.train.images, digits.train.labels,
                             {.optimizer = tn::optim::Adam{tn::optim::cosine_decay(0.003, steps)},
                              .loss = tn::losses::SparseCategoricalCrossentropy{.from_logits = true},
                              .metrics = {"accuracy"},
                              .run_eagerly = eagerly,
                              .batch_size = batch,
                              .epochs = epochs,
                              .verbose = 0,
                              .callbacks = {print},
                              .validation_data = {digits.test.images, digits.test.labels}});
    return run.seconds;
  });
  return run;
}

static bool same_bits(const Net &a, const Net &b) {
  const std::vector<tn::Variable> as = nn::variables(a), bs = nn::variables(b);
  bool same = as.size() == bs.size();
  for (size_t i = 0; same && i < as.size(); ++i)
    same = bool(tn::array_equal(as[i], bs[i]));
  return same;
}

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  constexpr int64_t enough = 25;
  const int64_t epochs = arguments.number("--epochs", enough);
  const tn::datasets::TrainTest digits =
      arguments.has("--data") ? tn::datasets::mnist(arguments.text("--data")) : tn::datasets::digits();
  const Net shown;
  std::cout << nn::summary(shown, digits.train.images[tn::slice(0, 1)]);

  const Run compiled = learn(digits, epochs, false), eager = learn(digits, epochs, true);
  const bool same = same_bits(compiled.net, eager.net);
  const double accuracy = compiled.history["val_accuracy"].back();
  compiled.history.save_svg("history.svg");
  std::cout << tn::format("compiled {:.1f} s, eager {:.1f} s; the weights {}\n", compiled.seconds, eager.seconds,
                          same ? "have the same bits" : "differ");
  if (!same || (epochs >= enough && !(accuracy >= 0.985))) {
    std::cerr << "expected the same weights in both modes, and 98.5 % of the test images right\n";
    return 1;
  }
  return 0;
}
