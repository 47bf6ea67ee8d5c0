//===- model_as_function.cpp - a model as a compiled function, and run as plain C++ ---===//
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
  const SequentialModel model;
  auto function = tn::jit(model, {.name = "model", .arguments = {"images"}});

  std::cout << "Tracing:\n";
  std::cout << function.concrete(input_data) << "\n\n"; // prints while it is traced
  std::cout << "Compiled:\n";
  function(input_data); // and not when the program runs

  std::cout << "Eagerly:\n";
  tn::run_functions_eagerly(true); // all compiled functions of the process run as plain C++
  function(input_data);
  function(input_data);
  tn::run_functions_eagerly(false);
  std::cout << "Compiled:\n";
  std::cout << function(input_data).shape() << ", " << nn::count_params(model) << " parameters\n";
}
