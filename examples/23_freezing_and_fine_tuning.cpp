//===- 23_freezing_and_fine_tuning.cpp - lesson 23: freezing and fine-tuning ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 23_freezing_and_fine_tuning.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace train = tn::train;

struct Base {
  nn::Flatten flatten;
  nn::Dense hidden{64, {.activation = tn::relu}};
  nn::BatchNorm norm;
  tn::Array operator()(const tn::Array &x) const { return norm(hidden(flatten(x))); }
};
struct Classifier {
  Base base;
  nn::Dense head{10};
  tn::Array operator()(const tn::Array &x) const { return head(base(x)); }
};
// Another head on the same base, which infers while the head learns: its moving statistics stay as they are.
struct EvenOrOdd {
  Base base;
  nn::Dense head{2};
  tn::Array operator()(const tn::Array &x) const { return head(nn::call(base, {.training = false}, x)); }
};

int main() {
  auto [training, test] = tn::datasets::digits();
  const tn::losses::SparseCategoricalCrossentropy loss{.from_logits = true};
  tn::set_seed(0);
  const Classifier classifier;
  train::fit(classifier, training.images, training.labels,
             {.optimizer = tn::optim::Adam{0.003}, .loss = loss, .epochs = 3, .verbose = 0});
  nn::save_weights("base.safetensors", classifier.base);

  // The weights of a part of another model, by their paths.
  const EvenOrOdd model;
  nn::build(model, tn::Shape{1, 8, 8});
  nn::load_weights("base.safetensors", model.base);
  const tn::Array parity = training.labels % 2, test_parity = test.labels % 2;

  // Frozen: no gradients, no updates. The head learns alone.
  nn::set_trainable(model.base, false);
  for (const tn::Variable &one : nn::trainable_variables(model))
    std::cout << "trains " << one.name() << "\n";
  const tn::Array before = model.base.hidden.kernel();
  train::fit(model, training.images, parity,
             {.optimizer = tn::optim::Adam{0.01}, .loss = loss, .epochs = 2, .verbose = 0});
  std::cout << std::boolalpha << "the base is as before: " << bool(tn::array_equal(before, model.base.hidden.kernel()))
            << "\n";
  const double with_head = train::evaluate(model, {test.images, test_parity}, {.loss = loss})["loss"];

  // Then all of it, at a small rate. An optimizer has its own Variables: take another one.
  nn::set_trainable(model.base, true);
  std::cout << nn::trainable_variables(model).size() << " Variables train, of " << nn::variables(model).size() << "\n";
  train::fit(model, training.images, parity,
             {.optimizer = tn::optim::Adam{0.001}, .loss = loss, .epochs = 3, .verbose = 0});
  const train::Logs logs = train::evaluate(model, {test.images, test_parity}, {.loss = loss, .metrics = {"accuracy"}});
  std::cout << "better than the head alone: " << (logs["loss"] < with_head)
            << ", over 95 % right: " << (logs["accuracy"] > 0.95) << "\n";

  // Copies share weights; nn::clone makes a model of its own, and copy_weights goes from one to the other.
  const EvenOrOdd best = nn::clone(model);
  model.head.kernel().assign(tn::zeros({64, 2}));
  nn::copy_weights(best, model);
  std::cout << "back: " << bool(tn::array_equal(best(test.images), model(test.images))) << "\n";
}
