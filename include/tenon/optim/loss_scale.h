//===- loss_scale.h - training in f16 -------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/optim/optimizer.h>

namespace tenon::optim {

struct LossScaleOptions {
  double initial_scale = 32768;
  /// After so many steps in a row without overflow the scale doubles.
  int64_t dynamic_growth_steps = 2000;
  std::string name = "loss_scale_optimizer";
};

/// An optimizer for gradients of a loss that was multiplied by a scale, so that they do not vanish in f16 (P.
/// Micikevicius et al., "Mixed Precision Training", 2018). Each step divides the gradients by the scale. If one of them
/// is not finite, the step leaves Variables, slots and iterations() as they are, and halves the scale, which stays at
/// least 1. All of that is in the program, so a jitted step does not wait for the host.
///
///   const optim::LossScaleOptimizer optimizer{optim::Adam{1e-3}};
///   auto loss_of = [&](const Net &net, const tn::Array &x, const tn::Array &y) {
///     const tn::Array loss = losses::sparse_categorical_crossentropy(y, net(x), {.from_logits = true});
///     return std::pair(optimizer.scale_loss(loss), loss);
///   };
///   auto [value, gradients] = nn::value_and_grad(loss_of)(net, x, y);
///   optimizer.apply_gradients(gradients);
///
/// `fit` and `minimize` scale the loss themselves. Hyperparameters: those of the inner optimizer, with the values that
/// it has, and loss_scale. Slot: finite_steps, the steps since the last overflow or the last growth.
class LossScaleOptimizer : public Optimizer {
public:
  /// An Error if the inner optimizer has slots already, or scales losses itself.
  explicit LossScaleOptimizer(const Optimizer &inner, const LossScaleOptions &options = {},
                              Location at = Location::current());
  Variable loss_scale() const { return hyperparameter("loss_scale"); }
};
/// The same as a Transform. State: finite_steps, and that of `inner`.
Transform scale_losses(const Transform &inner, const LossScaleOptions &options = {}, Location at = Location::current());

} // namespace tenon::optim
