//===- fit_run_eagerly.cpp - fit as plain C++, for a debugger --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;

namespace nn = tn::nn;

// The identity, which says when C++ runs it.
struct EagerLayer : nn::Layer {
  tn::Array call(const tn::Array &x) const override {
    std::cout << "Currently running eagerly\n";
    return x;
  }
};

struct SequentialModel {
  nn::Flatten flatten;
  nn::Dense dense1{128, {.activation = tn::relu}};
  nn::Dropout dropout{0.2};
  nn::Dense dense2{10};
  EagerLayer eager;

  tn::Array operator()(const tn::Array &images) const { return eager(dense2(dropout(dense1(flatten(images))))); }
};

int main() {
  const tn::Array input_data = tn::random::uniform(tn::random::key(0), {60, 28, 28});
  const tn::Array labels = tn::random::uniform(tn::random::key(1), {60}).astype(tn::i32);

  tn::set_seed(0);
  nn::Model model{SequentialModel()};
  const tn::losses::SparseCategoricalCrossentropy loss{.from_logits = true};
  std::cout << "Running in graph mode:\n";
  model.compile({.loss = loss});
  model.fit(input_data, labels, {.epochs = 3});

  std::cout << "Running eagerly:\n";
  model.compile({.loss = loss, .run_eagerly = true});
  model.fit(input_data, labels, {.epochs = 1}); // prints at each batch
}
