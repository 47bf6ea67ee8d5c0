//===- 25_mixed_precision.cpp - lesson 25: half the bits where they suffice ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 25_mixed_precision.expected.
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;

struct Net {
  nn::Conv2D conv{16, 3, {.activation = tn::relu}};
  nn::Flatten flatten;
  nn::Dense logits{10};
  tn::Array operator()(const tn::Array &x) const { return logits(flatten(conv(tn::expand_dims(x, -1)))); }
};

/// The accuracy after some epochs.
static float trained(const nn::Policy &policy, const tn::optim::Optimizer &optimizer) {
  auto [training, test] = tn::datasets::digits();
  tn::set_seed(1);
  // Layers that are made while the scope lives compute in the policy's dtype.
  const Net net = [&] {
    const nn::PolicyScope scope{policy};
    return Net();
  }();
  const tn::losses::SparseCategoricalCrossentropy loss{.from_logits = true};
  tn::train::fit(net, training.images, training.labels,
                 {.optimizer = optimizer, .loss = loss, .batch_size = 64, .epochs = 10, .verbose = 0});
  const auto logs =
      tn::train::evaluate(net, {test.images, test.labels}, {.loss = loss, .metrics = {"accuracy"}, .batch_size = 256});
  return static_cast<float>(logs["accuracy"]);
}

int main() {
  // Products in bf16, which has the range of f32 and 8 bits of fraction. Weights, updates and losses stay f32.
  nn::Dense layer = nn::with_policy(nn::mixed_bfloat16, nn::Dense{4});
  const tn::Array y = layer(tn::ones({2, 3}));
  std::cout << y.dtype() << ", weights: " << layer.kernel().dtype() << "\n";

  const float full = trained({}, tn::optim::Adam{0.003});
  const float half = trained(nn::mixed_bfloat16, tn::optim::Adam{0.003});
  std::cout << std::boolalpha << "f32 learns: " << (full > 0.95f) << ", bf16 as well: " << (half > full - 0.01f)
            << "\n";

  // f16 has more digits and little range: small gradients would be 0. The loss is scaled while gradients are computed;
  // a step whose gradients overflow is left out, and the scale is halved.
  const tn::optim::LossScaleOptimizer scaled{tn::optim::Adam{0.003}};
  const float small = trained(nn::mixed_float16, scaled);
  std::cout << "f16 as well: " << (small > full - 0.01f) << "\n";
}
