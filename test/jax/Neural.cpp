//===- Neural.cpp - attention, normalizations and losses that JAX computes too --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tn = tenon;
using X = const Arrays &;

static tn::Array causalMask() { return tn::tril(tn::ones({5, 5}, tn::bool_)); }
static tn::Array classes() { return {2, 0, 3, -100, 1, 2}; }
static Arrays attention(X x, const tn::AttentionOptions &options = {}) {
  return {tn::scaled_dot_product_attention(x[0], x[1], x[2], options)};
}

static std::vector<Case> attentionCases() {
  return {
      {"attention", [](X x) { return attention(x); }},
      {"attention causal", [](X x) { return attention(x, {.causal = true}); }},
      {"attention mask", [](X x) { return attention(x, {.mask = causalMask(), .scale = 0.5}); }},
      {"attention bias", [](X x) { return attention(x, {.bias = x[3]}); }},
      {"attention window", [](X x) { return attention(x, {.window = {2, 1}}); }},
      {"attention grouped", [](X x) { return attention(x, {.causal = true}); }},
      {"attention softcap", [](X x) { return attention(x, {.softcap = 0.75}); }},
  };
}

static std::vector<Case> normalizationCases() {
  return {
      {"softmax", [](X x) { return Arrays{tn::softmax(x[0], 0)}; }},
      {"log_softmax", [](X x) { return Arrays{tn::log_softmax(x[0])}; }},
      {"logsumexp", [](X x) { return Arrays{tn::logsumexp(x[0], 1)}; }},
      {"layer_norm", [](X x) { return Arrays{tn::layer_norm(x[0], {-1}, x[1], x[2])}; }},
      {"layer_norm two axes", [](X x) { return Arrays{tn::layer_norm(x[0], {1, 2}, x[1], x[2], 1e-3)}; }},
      {"rms_norm", [](X x) { return Arrays{tn::rms_norm(x[0], {-1}, x[1])}; }},
      {"batch_norm", [](X x) { return Arrays{tn::batch_norm(x[0], x[1], tn::square(x[2]) + 0.5, x[3], x[4])}; }},
      {"batch_norm_training",
       [](X x) {
         auto [values, mean, variance] = tn::batch_norm_training(x[0], x[1], x[2]);
         return Arrays{values, mean, variance};
       }},
      {"group_norm", [](X x) { return Arrays{tn::group_norm(x[0], 2, x[1], x[2])}; }},
      {"instance_norm", [](X x) { return Arrays{tn::instance_norm(x[0], x[1], x[2])}; }},
      {"normalize", [](X x) { return Arrays{tn::normalize(x[0])}; }},
      {"normalize p 3", [](X x) { return Arrays{tn::normalize(x[0], {.p = 3, .axis = 0})}; }},
      {"cosine_similarity", [](X x) { return Arrays{tn::cosine_similarity(x[0], x[1])}; }},
      {"pairwise_distance", [](X x) { return Arrays{tn::pairwise_distance(x[0], x[1])}; }},
      {"cdist", [](X x) { return Arrays{tn::cdist(x[0], x[1])}; }},
      {"cdist p 1", [](X x) { return Arrays{tn::cdist(x[0], x[1], {.p = 1})}; }},
      {"cdist p 3", [](X x) { return Arrays{tn::cdist(x[0], x[1], {.p = 3})}; }},
      {"clip_by_norm", [](X x) { return Arrays{tn::clip_by_norm(x[0], 1.5, 1)}; }},
  };
}

static std::vector<Case> lossCases() {
  using tn::Reduction;
  return {
      {"nll_loss", [](X x) { return Arrays{tn::nll_loss(tn::log_softmax(x[0]), classes())}; }},
      {"cross_entropy",
       [](X x) { return Arrays{tn::cross_entropy(x[0], classes(), {.reduction = Reduction::unreduced})}; }},
      {"cross_entropy smoothed",
       [](X x) {
         return Arrays{tn::cross_entropy(x[0], classes(), {.weight = tn::exp(x[1]), .label_smoothing = 0.1})};
       }},
      {"cross_entropy probabilities", [](X x) { return Arrays{tn::cross_entropy(x[0], tn::softmax(x[1]))}; }},
      {"binary_cross_entropy",
       [](X x) {
         return Arrays{tn::binary_cross_entropy(tn::sigmoid(x[0]), tn::sigmoid(x[1]), {.reduction = Reduction::sum})};
       }},
      {"binary_cross_entropy_with_logits",
       [](X x) {
         return Arrays{tn::binary_cross_entropy_with_logits(x[0], tn::sigmoid(x[1]), {.pos_weight = tn::exp(x[2])})};
       }},
      {"huber_loss", [](X x) { return Arrays{tn::huber_loss(x[0], x[1], {.delta = 0.7})}; }},
      {"smooth_l1_loss", [](X x) { return Arrays{tn::smooth_l1_loss(x[0], x[1], {.beta = 0.7})}; }},
      {"kl_div", [](X x) { return Arrays{tn::kl_div(tn::log_softmax(x[0]), tn::softmax(x[1]))}; }},
      {"kl_div of logarithms",
       [](X x) {
         return Arrays{tn::kl_div(tn::log_softmax(x[0]), tn::log_softmax(x[1]),
                                  {.reduction = Reduction::unreduced, .log_target = true})};
       }},
      {"mse_loss", [](X x) { return Arrays{tn::mse_loss(x[0], x[1])}; }},
      {"l1_loss", [](X x) { return Arrays{tn::l1_loss(x[0], x[1], {.reduction = Reduction::unreduced})}; }},
  };
}

static std::vector<Case> activationCases() {
  return {
      {"relu", [](X x) { return Arrays{tn::relu(x[0])}; }},
      {"sigmoid", [](X x) { return Arrays{tn::sigmoid(x[0])}; }},
      {"softplus", [](X x) { return Arrays{tn::softplus(x[0])}; }},
      {"log_sigmoid", [](X x) { return Arrays{tn::log_sigmoid(x[0])}; }},
      {"log1mexp", [](X x) { return Arrays{tn::log1mexp(tn::abs(x[0]) + 0.01)}; }},
      {"silu", [](X x) { return Arrays{tn::silu(x[0])}; }},
      {"gelu", [](X x) { return Arrays{tn::gelu(x[0])}; }},
      {"gelu exact", [](X x) { return Arrays{tn::gelu(x[0], false)}; }},
      {"mish", [](X x) { return Arrays{tn::mish(x[0])}; }},
      {"elu", [](X x) { return Arrays{tn::elu(x[0], 0.5)}; }},
      {"celu", [](X x) { return Arrays{tn::celu(x[0], 0.5)}; }},
      {"selu", [](X x) { return Arrays{tn::selu(x[0])}; }},
      {"leaky_relu", [](X x) { return Arrays{tn::leaky_relu(x[0])}; }},
      {"relu6", [](X x) { return Arrays{tn::relu6(x[0])}; }},
      {"hard_tanh", [](X x) { return Arrays{tn::hard_tanh(x[0])}; }},
      {"hard_sigmoid", [](X x) { return Arrays{tn::hard_sigmoid(x[0])}; }},
      {"hard_swish", [](X x) { return Arrays{tn::hard_swish(x[0])}; }},
      {"soft_sign", [](X x) { return Arrays{tn::soft_sign(x[0])}; }},
  };
}

std::vector<Case> neuralCases() {
  std::vector<Case> all;
  for (auto *list : {attentionCases, normalizationCases, lossCases, activationCases})
    for (const Case &one : list())
      all.push_back(one);
  return all;
}
