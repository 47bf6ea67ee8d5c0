//===- fine_tune.cpp - a base from a PyTorch file, frozen; a new head; then all at a lower rate ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --data FILE: a safetensors file from PyTorch; --size N: height and width of the images
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>
#include <regex>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;

struct Backbone {
  nn::Conv2D conv1{64, 3, {.padding = tn::same, .use_bias = false}};
  nn::BatchNorm bn1;
  nn::Conv2D conv2{128, 3, {.strides = 2, .padding = tn::same, .use_bias = false}};
  nn::BatchNorm bn2;
  nn::GlobalAveragePooling2D pool;
  tn::Array operator()(const tn::Array &x) const { return pool(tn::relu(bn2(conv2(tn::relu(bn1(conv1(x))))))); }
};

struct Classifier {
  Backbone base;
  nn::Dropout dropout{0.2};
  nn::Dense head{5};

  // The base's moving statistics stay: it infers while the head learns.
  tn::Array operator()(const tn::Array &x) const { return head(dropout(nn::call(base, {.training = false}, x))); }
};

// Our path to the file's name; kernels of (out, in, height, width) become (height, width, in, out).
static std::string in_torch(const std::string &path) {
  std::string name = std::regex_replace(path, std::regex("kernel|gamma"), "weight");
  name = std::regex_replace(name, std::regex("beta"), "bias");
  return std::regex_replace(name, std::regex("moving_(mean|variance)"), "running_$1");
}
static tn::Array from_torch(const std::string &, const tn::Array &x) {
  return x.ndim() == 4 ? tn::transpose(x, {2, 3, 1, 0}) : x;
}

// A file as PyTorch would have it, where none is given.
static void save_as_torch(const std::string &path, const Backbone &base) {
  const Backbone other = nn::clone(base);
  tn::NamedArrays arrays;
  tn::for_each_leaf(other, [&](const auto &leaf, const tn::Path &at) {
    if constexpr (std::is_same_v<std::decay_t<decltype(leaf)>, tn::Variable>)
      arrays[in_torch(at.str())] = leaf.shape().rank() == 4 ? tn::transpose(leaf, {3, 2, 0, 1}) : leaf.value();
  });
  tn::save_safetensors(path, arrays);
}

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const int64_t size = arguments.number("--size", 64);
  const Classifier model;
  nn::build(model, tn::Shape{1, size, size, 3});

  const std::string file = arguments.text("--data", "backbone.safetensors");
  if (!arguments.has("--data"))
    save_as_torch(file, model.base);
  auto status = nn::load_weights(file, model.base, {.rename = in_torch, .convert = from_torch, .strict = false});
  for (const std::string &path : status.missing)
    std::cout << "not in the file: " << path << "\n";

  auto images = tn::random::normal(tn::random::key(0), {100, size, size, 3});
  auto batches = data::from_slices(images, tn::zeros({100}, tn::i32)) | data::batch(10);
  const tn::losses::SparseCategoricalCrossentropy loss{.from_logits = true};

  nn::set_trainable(model.base, false);
  std::cout << nn::count_params(model) << "\n" << nn::summary(model, tn::spec<float>({"n", size, size, 3}));
  tn::train::fit(model, batches, {.optimizer = tn::optim::Adam{1e-3}, .loss = loss, .metrics = {"accuracy"}});

  nn::set_trainable(model.base, true);
  tn::train::fit(model, batches, {.optimizer = tn::optim::Adam{1e-5}, .loss = loss, .metrics = {"accuracy"}});
  nn::save_weights("tuned.safetensors", model);
}
