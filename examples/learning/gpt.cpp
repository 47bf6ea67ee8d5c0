//===- gpt.cpp - a small transformer that learns a text character by character ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causal attention, training, and writing with a key-value cache.
//
//   gpt [--text FILE] [--steps STEPS] [--size FEATURES] [--blocks COUNT] [--length LENGTH]
//===----------------------------------------------------------------------===//
#include "text.h"

#include <tenon/learning.h>

namespace tn = tenon;
namespace nn = tn::nn;

struct Block {
  nn::LayerNorm norm1, norm2;
  nn::MultiHeadAttention attention{4, 32, {.dropout = 0.1}};
  nn::Sequential mlp{nn::Dense{512, {.activation = tn::gelu}}, nn::Dense{128}, nn::Dropout{0.1}};

  tn::Array operator()(const tn::Array &x, nn::KeyValueCache *cache = nullptr) const {
    const tn::Array y = x + attention(norm1(x), {.causal = true, .cache = cache});
    return y + mlp(norm2(y));
  }
};
/// A block of another width.
static Block block_of(int64_t features) {
  Block block;
  block.attention = nn::MultiHeadAttention{4, features / 4, {.dropout = 0.1}};
  block.mlp = nn::Sequential{nn::Dense{4 * features, {.activation = tn::gelu}}, nn::Dense{features}, nn::Dropout{0.1}};
  return block;
}

using Caches = std::vector<nn::KeyValueCache>;

struct GPT {
  nn::Embedding tokens{128, 128}, positions{256, 128};
  std::vector<Block> blocks = nn::repeat(4, Block());
  nn::LayerNorm norm;
  nn::Dense logits{128, {.use_bias = false}};

  tn::Array operator()(const tn::Array &text) const { return run(text, tn::iota(text.dim(1)), nullptr); }
  /// The caches grow by what the text adds to them.
  tn::Array run(const tn::Array &text, const tn::Array &position, Caches *caches) const {
    tn::Array x = tokens(text) + positions(position);
    for (size_t i = 0; i < blocks.size(); ++i)
      x = blocks[i](x, caches ? &(*caches)[i] : nullptr);
    return logits(norm(x));
  }
};

static tn::Array loss_of(const GPT &model, const tn::Array &x, const tn::Array &y) {
  return tn::losses::sparse_categorical_crossentropy(y, model(x), {.from_logits = true});
}

int main(int argc, char **argv) {
  const std::string text = text_of(argc, argv);
  const int64_t steps = option(argc, argv, "--steps", 60), features = option(argc, argv, "--size", 32);
  const int64_t count = option(argc, argv, "--blocks", 2), length = option(argc, argv, "--length", 64);
  tn::set_seed(1);
  const tn::Array characters = tn::Array(std::vector<int8_t>(text.begin(), text.end())).astype(tn::i32);

  GPT model;
  model.tokens = nn::Embedding{128, features};
  model.positions = nn::Embedding{length, features};
  model.blocks = nn::repeat(count, block_of(features));
  const tn::optim::AdamW optimizer{3e-3, {.weight_decay = 0.1, .global_clipnorm = 1}};
  // Pieces of the text that start anywhere.
  auto step = tn::jit([&](const tn::Array &starts) {
    const tn::Array pieces = characters[tn::expand_dims(starts, 1) + tn::iota(length + 1)];
    auto [loss, gradients] =
        nn::value_and_grad(loss_of)(model, pieces[{tn::_, tn::slice(0, -1)}], pieces[{tn::_, tn::slice(1, tn::none)}]);
    optimizer.apply_gradients(gradients);
    return loss;
  });
  const tn::Key data = tn::random::key(1);
  double first = 0, last = 0;
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t places = characters.shape()[0].value() - length;
    last = double(step(tn::random::randint(tn::random::fold_in(data, i), {8}, 0, places)));
    first = i == 0 ? last : first;
    if (i % 20 == 0 || i + 1 == steps)
      std::cout << tn::format("step {} loss {:.4f}\n", i, last);
  }

  // An argument that is no const reference is updated: here in place.
  auto next = tn::jit([&](Caches &caches, const tn::Array &token, const tn::Array &position, const tn::Key &key) {
    const tn::Array logits = model.run(token, position, &caches)[{tn::_, -1}];
    const tn::Array least = tn::min(tn::sort(logits, -1, true)[{tn::_, tn::slice(0, 40)}], 1, true);
    const tn::Array kept = tn::where(logits < least, -1e9, logits / 0.8);
    return tn::expand_dims(tn::random::categorical(key, kept).astype(tn::i32), 1);
  });
  Caches caches;
  for (const Block &block : model.blocks)
    caches.push_back(block.attention.cache(1, length));
  tn::Array token = tn::Array{{int('T')}}, all = token;
  const tn::Key key = tn::random::key(2);
  for (int position = 0; position + 1 < length; ++position) {
    token = next(caches, token, tn::Array{position}, tn::random::fold_in(key, position));
    all = tn::concatenate({all, token}, 1);
  }
  for (const int32_t c : all.to_vector<int32_t>())
    std::cout << char(c);
  std::cout << "\n";

  // What the cache has given is what the whole text gives.
  caches.clear();
  for (const Block &block : model.blocks)
    caches.push_back(block.attention.cache(1, length));
  const tn::Array whole = model(all);
  double difference = 0;
  for (int64_t position = 0; position < length; ++position) {
    const tn::Array one = model.run(all[{tn::_, tn::slice(position, position + 1)}], tn::Array{position}, &caches);
    difference = std::max(difference, double(tn::max(tn::abs(one[{tn::_, 0}] - whole[{tn::_, position}]))));
  }
  const bool didLearn = last < first || steps < 2;
  std::cout << "the loss fell: " << (didLearn ? "yes" : "no")
            << ", the cache changes nothing: " << (difference < 1e-5 ? "yes" : "no") << "\n";
  return didLearn && difference < 1e-5 ? 0 : 1;
}
