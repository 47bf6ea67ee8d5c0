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
  example("one_hot", [] { std::cout << tn::one_hot({1, 0, 2, 7}, 3); });
  example("clip_by_norm", [] {
    tn::Array gradient = {3.0f, 4.0f};
    std::cout << tn::clip_by_norm(gradient, 1) << " " << tn::clip_by_norm(gradient, 10);
  });
  example("softsign", [] { std::cout << tn::softsign(tn::Array{-1.0f, 0.0f, 3.0f}); });
}
