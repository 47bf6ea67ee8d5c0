//===- char_rnn.cpp - an LSTM that learns a text character by character -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It learns from pieces of the text, then writes one character at a time.
//
//   char_rnn [--text FILE] [--steps EPOCHS] [--size UNITS] [--window LENGTH]
//===----------------------------------------------------------------------===//
#include "text.h"

#include <tenon/learning.h>

namespace tn = tenon;
namespace nn = tn::nn;
namespace data = tn::data;

struct CharModel {
  nn::Embedding embedding{128, 64};
  nn::LSTM lstm{256, {.return_sequences = true}};
  nn::Dense logits{128};

  tn::Array operator()(const tn::Array &text) const { return logits(lstm(embedding(text))); }
  /// One character: its logits, and the state after it.
  std::pair<tn::Array, nn::LSTMState> step(const tn::Array &character, const nn::LSTMState &state) const {
    nn::LSTMState next = lstm.step(embedding(character), state);
    return {logits(next.h), next};
  }
};

int main(int argc, char **argv) {
  const std::string text = text_of(argc, argv);
  const int64_t epochs = option(argc, argv, "--steps", 4), units = option(argc, argv, "--size", 64);
  const int64_t length = option(argc, argv, "--window", 32);
  tn::set_seed(1);
  const tn::Array characters = tn::Array(std::vector<int8_t>(text.begin(), text.end())).astype(tn::i32);
  auto batches = data::from_slices(characters) | data::window(length + 1, 3) | data::map([](const tn::Array &piece) {
                   return std::tuple(piece[tn::slice(0, -1)], piece[tn::slice(1, tn::none)]);
                 }) |
                 data::shuffle(10000) | data::batch(32, {.drop_remainder = true});

  CharModel model;
  model.lstm = nn::LSTM{units, {.return_sequences = true}};
  const tn::train::History history =
      tn::train::fit(model, batches,
                     {.optimizer = tn::optim::Adam{1e-2, {.global_clipnorm = 1}},
                      .loss = tn::losses::SparseCategoricalCrossentropy{.from_logits = true},
                      .metrics = {"accuracy"},
                      .epochs = epochs});

  // The state is a value, so the loop is one program; each round has a key of its own.
  struct Carry {
    tn::Array character;
    nn::LSTMState state;
  };
  auto sample = tn::jit([&](const tn::Array &first, const tn::Key &key, double temperature) {
    auto body = [&](const Carry &carry, const tn::Array &round) {
      auto [logits, state] = model.step(carry.character, carry.state);
      tn::Array next = tn::random::categorical(tn::random::fold_in(key, round), logits / temperature).astype(tn::i32);
      return std::pair(Carry{next, state}, next);
    };
    return tn::scan(body, Carry{first, model.lstm.initial_state(1)}, tn::arange(200)).second;
  });
  const tn::Array out = sample(tn::Array{int('T')}, tn::random::key(0), 0.7);
  std::cout << 'T';
  for (const int64_t c : out.astype(tn::i64).to_vector<int64_t>())
    std::cout << char(c);
  std::cout << "\n";

  // The state after a long text, piece by piece: the bits of one run.
  nn::LSTMState state = model.lstm.initial_state(1);
  const tn::Array embedded = tn::expand_dims(model.embedding(characters), 0);
  const int64_t size = characters.shape()[0].value();
  for (int64_t place = 0; place < size; place += 100)
    state = model.lstm.run(embedded[{tn::_, tn::slice(place, std::min(place + 100, size))}], state).state;
  const nn::LSTMState whole = model.lstm.run(embedded, model.lstm.initial_state(1)).state;

  const bool didLearn = history["loss"].back() < history["loss"].front() || epochs < 2;
  const bool areEqual = tn::array_equal(state.c, whole.c).item<bool>();
  std::cout << "the loss fell: " << (didLearn ? "yes" : "no")
            << ", pieces give the state of the whole: " << (areEqual ? "yes" : "no") << "\n";
  return didLearn && areEqual ? 0 : 1;
}
