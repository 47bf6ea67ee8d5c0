//===- vae_gan.cpp - a variational autoencoder, and a GAN with two optimizers ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --data DIR: a folder with MNIST; --steps N: batches at most
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;
namespace nn = tn::nn;
namespace losses = tn::losses;

struct VAE {
  nn::Sequential encoder{nn::Flatten{}, nn::Dense{256, {.activation = tn::relu}}};
  nn::Dense mean{16}, log_variance{16};
  nn::Sequential decoder{nn::Dense{256, {.activation = tn::relu}}, nn::Dense{784}, nn::Reshape{{28, 28}}};

  struct Output {
    tn::Array logits, mean, log_variance;
  };
  Output operator()(const tn::Array &x) const {
    const tn::Array h = encoder(x), m = mean(h), v = log_variance(h);
    const tn::Array noise = tn::random::default_generator().normal(m.shape());
    return {decoder(m + tn::exp(v / 2) * noise), m, v};
  }
};

static tn::Array elbo(const VAE &model, const tn::Array &x) {
  auto [logits, m, v] = model(x);
  const tn::Array reconstruction = losses::binary_crossentropy(x, logits, {.from_logits = true}) * 784;
  return reconstruction - tn::mean(tn::sum(1 + v - tn::square(m) - tn::exp(v), 1)) / 2;
}

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const tn::Array images = examples::mnist(arguments).train.images;
  auto batches = tn::data::from_slices(images) | tn::data::shuffle(1000) | tn::data::batch(64) |
                 tn::data::take(arguments.number("--steps", 1000));

  const VAE vae;
  const tn::optim::Adam vae_optimizer;
  auto train_vae = tn::jit([&](const tn::Array &x) {
    auto [loss, gradients] = nn::value_and_grad(elbo)(vae, x);
    vae_optimizer.apply_gradients(gradients);
    return loss;
  });
  for (const tn::Array &x : batches)
    train_vae(x);

  const nn::Sequential generator{nn::Dense{7 * 7 * 64},
                                 nn::Reshape{{7, 7, 64}},
                                 nn::Conv2DTranspose{32, 4, {.strides = 2, .padding = tn::same}},
                                 nn::BatchNorm{},
                                 tn::relu,
                                 nn::Conv2DTranspose{1, 4, {.strides = 2, .padding = tn::same}},
                                 tn::tanh};
  const nn::Sequential critic{nn::Conv2D{64, 5, {.strides = 2, .padding = tn::same}}, nn::LeakyReLU{0.2},
                              nn::Dropout{0.3}, nn::Flatten{}, nn::Dense{1}};
  const tn::optim::Adam generator_optimizer{1e-4, {.beta_1 = 0.5}}, critic_optimizer{1e-4, {.beta_1 = 0.5}};

  // A loss is differentiated by its first argument's weights; the other model's stay as they are.
  auto judge = [](const nn::Sequential &judging, const tn::Array &pictures, double truth) {
    const tn::Array logits = judging(pictures);
    return losses::binary_crossentropy(tn::full_like(logits, truth), logits, {.from_logits = true});
  };
  auto step = tn::jit([&](const tn::Array &real, const tn::Array &noise) {
    auto critic_loss = [&](const nn::Sequential &learning) {
      return judge(learning, real, 1) + judge(learning, tn::stop_gradient(generator(noise)), 0);
    };
    auto generator_loss = [&](const nn::Sequential &learning) { return judge(critic, learning(noise), 1); };
    auto [loss_c, gradients_c] = nn::value_and_grad(critic_loss)(critic);
    auto [loss_g, gradients_g] = nn::value_and_grad(generator_loss)(generator);
    critic_optimizer.apply_gradients(gradients_c);
    generator_optimizer.apply_gradients(gradients_g);
    return std::pair(loss_c, loss_g);
  });
  for (const tn::Array &x : batches) {
    auto [c, g] = step(tn::expand_dims(x, -1), tn::random::default_generator().normal({x.dim(0), 100}));
    std::cout << tn::format("critic {:.3f} generator {:.3f}\n", c, g);
  }
}
