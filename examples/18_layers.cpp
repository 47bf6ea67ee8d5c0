//===- 18_layers.cpp - lesson 18: layers and models ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 18_layers.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;

// A model is a struct with layers as members. Nothing is registered: what it holds is found by itself.
struct Net {
  nn::Conv2D conv{8, 3, {.padding = tn::same, .activation = tn::relu}};
  nn::MaxPooling2D pool{2};
  nn::Flatten flatten;
  nn::Dropout dropout{0.5};
  nn::Dense logits{10};

  tn::Array operator()(const tn::Array &x) const { return logits(dropout(flatten(pool(conv(x))))); }
};

// So is a layer of one's own: a Weight gets its shape and its first value when it is built.
struct Scale {
  nn::Weight scale{};
  tn::Array operator()(const tn::Array &x) const { return x * scale.build({x.shape()[-1]}, nn::ones()); }
};

// A class in Keras' style names its parts.
class Gated : public nn::Layer {
public:
  explicit Gated(int64_t units) : value_(units), gate_(units, {.activation = tn::sigmoid}) {}
  tn::Array call(const tn::Array &x) const override { return value_(x) * gate_(x); }
  void fields(nn::Fields &f) override { f("value", value_)("gate", gate_); }

private:
  nn::Dense value_, gate_;
};

int main() {
  tn::set_seed(0); // initial weights and dropout follow from it
  const tn::Array images = tn::random::uniform(tn::random::key(1), {2, 8, 8, 1});

  // The first call builds the weights: until then a layer does not know the size of its input.
  const Net net;
  std::cout << std::boolalpha << "built: " << net.logits.built();
  net(images);
  std::cout << ", after a call: " << net.logits.built() << "\n";
  for (const tn::Variable &one : nn::trainable_variables(net))
    std::cout << one.name() << " " << one.shape() << "\n";
  std::cout << nn::count_params(net) << " parameters\n\n" << nn::summary(net, images) << "\n";

  // Copies share weights, as handles of Variables do; clones do not.
  const Net copy = net, clone = nn::clone(net);
  std::cout << "shared with the copy: " << copy.logits.kernel().is_same(net.logits.kernel())
            << ", with the clone: " << clone.logits.kernel().is_same(net.logits.kernel()) << "\n";

  // A compiled model has the same bits. Inference and training are two programs: dropout drops in the second alone.
  auto compiled = tn::jit(net);
  std::cout << "equal bits: " << bool(tn::array_equal(compiled(images), net(images))) << "\n";
  {
    const nn::TrainingScope training;
    std::cout << "equal twice: " << bool(tn::array_equal(compiled(images), compiled(images)))
              << ", traces: " << compiled.trace_count() << "\n";
  }

  // Layers, structs and functions in a row.
  const nn::Sequential chain{Gated{4}, Scale(), [](const tn::Array &x) { return tn::softmax(x); }};
  std::cout << chain(tn::ones({2, 3})).shape() << "\n";
  for (const tn::Variable &one : nn::variables(chain))
    std::cout << one.name() << "\n";

  // What is frozen has no gradient.
  nn::set_trainable(net.conv, false);
  for (const tn::Variable &one : nn::trainable_variables(net))
    std::cout << "trains " << one.name() << "\n";

  // Wrong shapes name the layer.
  try {
    net(tn::ones({32, 784}));
  } catch (const tn::Error &error) {
    std::string text = error.what();
    std::cout << text.substr(0, text.find('\n')) << "\n";
  }
}
