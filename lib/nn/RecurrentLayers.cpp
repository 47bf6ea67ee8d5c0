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
  return {config_.activation(ofX + matmul(factor, weights.recurrent))};
}

nn::LSTM::StateArrays nn::LSTM::next(const StateArrays &state, const Array &ofX, const Array &factor,
                                     const RecurrentWeights &weights) const {
  const Array sums = ofX + matmul(factor, weights.recurrent);
  auto gate = [&](int64_t number) {
    return sums[{ellipsis, slice(number * config_.units, (number + 1) * config_.units)}];
  };
  auto open = [&](int64_t number) { return config_.recurrent_activation(gate(number)); };
  const Array c = open(1) * state[1] + open(0) * config_.activation(gate(2));
  // c has no bounds: where it is 45, tanh's slope is denormal.
  return {open(3) * config_.activation(withoutTinyDerivatives(c)), c};
}

nn::GRU::StateArrays nn::GRU::next(const StateArrays &state, const Array &ofX, const Array &factor,
                                   const RecurrentWeights &weights) const {
  const int64_t units = config_.units;
  auto gate = [&](const Array &all, int64_t number) {
    return all[{ellipsis, slice(number * units, (number + 1) * units)}];
  };
  const Array &recurrent = weights.recurrent;
  Array product = matmul(factor, config_.reset_after ? recurrent : recurrent[{ellipsis, slice(0, 2 * units)}]);
  if (weights.recurrent_bias.has_value())
    product = product + weights.recurrent_bias;
  auto open = [&](int64_t number) { return config_.recurrent_activation(gate(ofX, number) + gate(product, number)); };
  const Array z = open(0), r = open(1);
  const Array ofH = config_.reset_after ? r * gate(product, 2) : matmul(r * factor, gate(recurrent, 2));
  const Array n = config_.activation(gate(ofX, 2) + ofH);
  return {z * state[0] + (1 - z) * n};
}
