//===- neural.cpp - activations, normalization, embeddings ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in neural.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("relu", [] { std::cout << tn::relu({-2.0f, 0.0f, 3.0f}); });
  example("relu6", [] { std::cout << tn::relu6({-2.0f, 3.0f, 9.0f}); });
  example("leaky_relu", [] { std::cout << tn::leaky_relu({-2.0f, 0.0f, 3.0f}); });
  example("elu", [] { std::cout << tn::elu({-2.0f, 0.0f, 3.0f}); });
  example("celu", [] { std::cout << tn::celu({-2.0f, 0.0f, 3.0f}, 2); });
  example("selu", [] { std::cout << tn::selu({-2.0f, 0.0f, 3.0f}); });
  example("gelu", [] { std::cout << tn::gelu({-2.0f, 0.0f, 3.0f}); });
  example("silu", [] { std::cout << tn::silu({-2.0f, 0.0f, 3.0f}); });
  example("swish", [] { std::cout << tn::swish({-2.0f, 0.0f, 3.0f}); });
  example("mish", [] { std::cout << tn::mish({-2.0f, 0.0f, 3.0f}); });
  example("sigmoid", [] { std::cout << tn::sigmoid({-100.0f, 0.0f, 2.0f}); });
  example("logit", [] { std::cout << tn::logit({0.0f, 0.5f, 0.9f}); });
  example("log_sigmoid", [] { std::cout << tn::log_sigmoid({-100.0f, 0.0f, 2.0f}); });
  example("softplus", [] { std::cout << tn::softplus({-100.0f, 0.0f, 100.0f}); });
  example("log1mexp", [] { std::cout << tn::log1mexp({1e-6f, 1.0f, 50.0f}); });
  example("hard_tanh", [] { std::cout << tn::hard_tanh({-2.0f, 0.5f, 3.0f}); });
  example("hard_sigmoid", [] { std::cout << tn::hard_sigmoid({-4.0f, 0.0f, 1.5f}); });
  example("hard_swish", [] { std::cout << tn::hard_swish({-4.0f, 1.0f, 4.0f}); });
  example("hard_silu", [] { std::cout << tn::hard_silu({-4.0f, 1.0f, 4.0f}); });
  example("soft_sign", [] { std::cout << tn::soft_sign({-3.0f, 0.0f, 1.0f}); });
  example("softmax", [] {
    tn::Array scores = {{1.0f, 2.0f, 3.0f}, {1000.0f, 1000.0f, 1000.0f}};
    std::cout << tn::softmax(scores);
  });
  example("log_softmax", [] {
    tn::Array scores = {2.0f, 0.5f, -1.0f}, label = 0;
    std::cout << -tn::log_softmax(scores)[label]; // the cross entropy of a label
  });
  example("layer_norm", [] {
    tn::Array x = {{1.0f, 2.0f, 3.0f, 4.0f}, {10.0f, 20.0f, 30.0f, 40.0f}};
    std::cout << tn::layer_norm(x, -1, 1, 0); // scale 1, offset 0
  });
  example("rms_norm", [] {
    tn::Array x = {{1.0f, 2.0f, 3.0f, 4.0f}, {10.0f, 20.0f, 30.0f, 40.0f}};
    std::cout << tn::rms_norm(x, -1, 1);
  });
  example("batch_norm", [] {
    tn::Array x = {{1.0f, 50.0f}, {3.0f, 70.0f}}, mean = {2.0f, 60.0f}, variance = {1.0f, 100.0f};
    std::cout << tn::batch_norm(x, mean, variance, 1, 0, {.epsilon = 0});
  });
  example("batch_norm_training", [] {
    tn::Array x = {{1.0f, 50.0f}, {3.0f, 70.0f}};
    auto [y, mean, variance] = tn::batch_norm_training(x, 1, 0);
    std::cout << y << " " << mean << " " << variance;
  });
  example("group_norm", [] {
    tn::Array x = {{1.0f, 3.0f, 10.0f, 30.0f}};
    std::cout << tn::group_norm(x, 2, 1, 0); // groups {1, 3} and {10, 30}
  });
  example("instance_norm", [] {
    tn::Array x = {{{1.0f, 10.0f}, {3.0f, 30.0f}}}; // batch, length, channels
    std::cout << tn::instance_norm(x, 1, 0);
  });
  example("scaled_dot_product_attention", [] {
    tn::Array q = {{{1.0f, 0.0f}, {0.0f, 1.0f}}}, k = q * 4, v = {{{1.0f}, {2.0f}}}; // heads, length, width
    std::cout << tn::scaled_dot_product_attention(q, k, v) << "\n"
              << tn::scaled_dot_product_attention(q, k, v, {.causal = true});
  });
  example("nll_loss", [] {
    tn::Array probabilities = {{0.5f, 0.25f, 0.25f}, {0.125f, 0.125f, 0.75f}}, labels = {0, 2};
    std::cout << tn::nll_loss(tn::log(probabilities), labels);
  });
  example("cross_entropy", [] {
    tn::Array logits = {{2.0f, 0.5f, -1.0f}, {0.0f, 1.0f, 3.0f}}, labels = {0, 2};
    std::cout << tn::cross_entropy(logits, labels) << " "
              << tn::cross_entropy(logits, labels, {.reduction = tn::Reduction::unreduced, .label_smoothing = 0.1});
  });
  example("binary_cross_entropy", [] { std::cout << tn::binary_cross_entropy({0.5f, 0.75f}, {1.0f, 0.0f}); });
  example("binary_cross_entropy_with_logits", [] {
    tn::Array logits = {-40.0f, 0.0f, 3.0f}, labels = {0.0f, 1.0f, 1.0f};
    std::cout << tn::binary_cross_entropy_with_logits(logits, labels, {.reduction = tn::Reduction::unreduced});
  });
  example("huber_loss",
          [] { std::cout << tn::huber_loss({0.5f, 3.0f}, {0.0f, 0.0f}, {.reduction = tn::Reduction::unreduced}); });
  example("smooth_l1_loss", [] {
    std::cout << tn::smooth_l1_loss({0.5f, 3.0f}, {0.0f, 0.0f}, {.reduction = tn::Reduction::unreduced, .beta = 0.5});
  });
  example("mse_loss", [] { std::cout << tn::mse_loss({1.0f, 3.0f}, {0.0f, 0.0f}); });
  example("l1_loss", [] { std::cout << tn::l1_loss({1.0f, 3.0f}, {0.0f, 0.0f}); });
  example("kl_div", [] {
    tn::Array logits = {1.0f, 1.0f, 1.0f}, target = {0.5f, 0.5f, 0.0f};
    std::cout << tn::kl_div(tn::log_softmax(logits), target, {.reduction = tn::Reduction::sum}); // log(3 / 2)
  });
  example("normalize", [] { std::cout << tn::normalize({{3.0f, 4.0f}, {0.0f, 0.0f}}); });
  example("cosine_similarity", [] {
    tn::Array x1 = {{3.0f, 4.0f}, {1.0f, 0.0f}}, x2 = {4.0f, 3.0f};
    std::cout << tn::cosine_similarity(x1, x2);
  });
  example("pairwise_distance", [] {
    tn::Array x1 = {{3.0f, 4.0f}, {1.0f, 0.0f}}, x2 = {0.0f, 0.0f};
    std::cout << tn::pairwise_distance(x1, x2, {.epsilon = 0});
  });
  example("cdist", [] {
    tn::Array x1 = {{0.0f, 0.0f}, {3.0f, 4.0f}}, x2 = {{0.0f, 1.0f}, {3.0f, 0.0f}, {6.0f, 8.0f}};
    std::cout << tn::cdist(x1, x2) << "\n" << tn::cdist(x1, x2, {.p = 1});
  });
  example("bilinear", [] {
    tn::Array x1 = {1.0f, 2.0f}, x2 = {3.0f, 4.0f, 5.0f}, weight = tn::ones({2, 2, 3});
    std::cout << tn::bilinear(x1, x2, weight, {.bias = {0.0f, 1.0f}});
  });
  example("rnn", [] {
    tn::Array x = tn::ones({3, 1, 2}); // steps, batch, inputs
    tn::Array W = tn::full({1, 2, 2}, 0.5f), R = tn::zeros({1, 2, 2});
    auto [Y, Y_h] = tn::rnn(x, W, R);
    std::cout << Y.shape() << " " << Y_h;
  });
  example("gru", [] {
    tn::Array x = tn::ones({3, 2, 4}), W = tn::full({2, 15, 4}, 0.1f), R = tn::full({2, 15, 5}, 0.1f);
    auto [Y, Y_h] = tn::gru(x, W, R, {.direction = tn::RecurrentDirection::bidirectional});
    std::cout << Y.shape() << " " << Y_h.shape();
  });
  example("lstm", [] {
    tn::Array x = tn::ones({3, 2, 4}), W = tn::full({1, 20, 4}, 0.1f), R = tn::full({1, 20, 5}, 0.1f);
    auto [Y, Y_h, Y_c] = tn::lstm(x, W, R, {.sequence_lens = {3, 2}});
    std::cout << Y.shape() << " " << Y_h.shape() << " " << Y_c.shape() << "\n";
    std::cout << tn::squeeze(Y)[{2, 1}]; // the second sequence has two steps
  });
  example("quantize_linear", [] {
    tn::Array x = {-1.0f, 0.25f, 0.75f, 100.0f}; // halves become even
    std::cout << tn::quantize_linear(x, 0.5f, {.zero_point = 128}) << "\n";
    std::cout << tn::quantize_linear(x, 0.5f, {.dtype = tn::Dtype::i8});
  });
  example("dequantize_linear", [] {
    tn::Array q = tn::astype(tn::Array{{126, 128}, {129, 255}}, tn::Dtype::u8);
    std::cout << tn::dequantize_linear(q, {0.5f, 1.0f}, {.zero_point = {128, 128}, .axis = 0});
  });
  example("one_hot", [] {
    std::cout << tn::one_hot({1, 0, 2, 7}, 3) << "\n";
    std::cout << tn::one_hot({1, 0, 2}); // as many classes as x has
  });
  example("clip_by_norm", [] {
    tn::Array gradient = {3.0f, 4.0f};
    std::cout << tn::clip_by_norm(gradient, 1) << " " << tn::clip_by_norm(gradient, 10);
  });
  example("softsign", [] { std::cout << tn::softsign(tn::Array{-1.0f, 0.0f, 3.0f}); });
}
