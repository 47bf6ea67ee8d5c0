//===- RecurrentLayers.cpp - steps of recurrent layers --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Sequences.h"

#include <tenon/nn/recurrent.h>

using namespace tenon;
using namespace tenon::detail;

/// What the options of all these layers have.
template <class O>
static RecurrentConfig configOf(int64_t units, int64_t gates, const O &options) {
  RecurrentConfig config;
  config.units = units;
  config.gates = gates;
  config.activation = options.activation;
  config.use_bias = options.use_bias;
  config.kernel_initializer = options.kernel_initializer;
  config.recurrent_initializer = options.recurrent_initializer;
  config.bias_initializer = options.bias_initializer;
  config.dropout = options.dropout;
  config.recurrent_dropout = options.recurrent_dropout;
  config.seed = options.seed;
  config.return_sequences = options.return_sequences;
  config.go_backwards = options.go_backwards;
  return config;
}
static RecurrentConfig configOfLSTM(int64_t units, const nn::LSTMOptions &options) {
  RecurrentConfig config = configOf(units, 4, options);
  config.recurrent_activation = options.recurrent_activation;
  config.unit_forget_bias = options.unit_forget_bias;
  config.states = 2;
  return config;
}
static RecurrentConfig configOfGRU(int64_t units, const nn::GRUOptions &options) {
  RecurrentConfig config = configOf(units, 3, options);
  config.recurrent_activation = options.recurrent_activation;
  config.reset_after = options.reset_after;
  return config;
}

nn::SimpleRNN::SimpleRNN(int64_t units, const SimpleRNNOptions &options, Location at)
    : RecurrentOf("SimpleRNN", configOf(units, 1, options), at) {}
nn::LSTM::LSTM(int64_t units, const LSTMOptions &options, Location at)
    : RecurrentOf("LSTM", configOfLSTM(units, options), at) {}
nn::GRU::GRU(int64_t units, const GRUOptions &options, Location at)
    : RecurrentOf("GRU", configOfGRU(units, options), at) {}

nn::SimpleRNN::StateArrays nn::SimpleRNN::next(const StateArrays &, const Array &ofX, const Array &factor,
                                               const RecurrentWeights &weights) const {
  return {config_.activation(withoutTinyDerivatives(ofX + matmul(factor, weights.recurrent)))};
}

nn::LSTM::StateArrays nn::LSTM::next(const StateArrays &state, const Array &ofX, const Array &factor,
                                     const RecurrentWeights &weights) const {
  const Array sums = withoutTinyDerivatives(ofX + matmul(factor, weights.recurrent));
  auto gate = [&](int64_t number) {
    return sums[{ellipsis, slice(number * config_.units, (number + 1) * config_.units)}];
  };
  auto open = [&](int64_t number) { return config_.recurrent_activation(gate(number)); };
  const Array c = open(1) * state[1] + open(0) * config_.activation(gate(2));
  return {open(3) * config_.activation(c), c};
}

nn::GRU::StateArrays nn::GRU::next(const StateArrays &state, const Array &given, const Array &factor,
                                   const RecurrentWeights &weights) const {
  const int64_t units = config_.units;
  auto gate = [&](const Array &all, int64_t number) {
    return all[{ellipsis, slice(number * units, (number + 1) * units)}];
  };
  const Array &recurrent = weights.recurrent, ofX = withoutTinyDerivatives(given);
  Array z, r, n;
  if (config_.reset_after) {
    Array product = withoutTinyDerivatives(matmul(factor, recurrent));
    if (weights.recurrent_bias.has_value())
      product = product + weights.recurrent_bias;
    z = config_.recurrent_activation(gate(ofX, 0) + gate(product, 0));
    r = config_.recurrent_activation(gate(ofX, 1) + gate(product, 1));
    n = config_.activation(gate(ofX, 2) + r * gate(product, 2));
  } else {
    const Array product = withoutTinyDerivatives(matmul(factor, recurrent[{ellipsis, slice(0, 2 * units)}]));
    z = config_.recurrent_activation(gate(ofX, 0) + gate(product, 0));
    r = config_.recurrent_activation(gate(ofX, 1) + gate(product, 1));
    n = config_.activation(gate(ofX, 2) + withoutTinyDerivatives(matmul(r * factor, gate(recurrent, 2))));
  }
  return {z * state[0] + (1 - z) * n};
}
