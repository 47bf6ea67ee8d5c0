//===- LossScale.cpp - training in f16 --------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Body.h"
#include "lib/trace/Interpreter.h"

#include <tenon/control.h>
#include <tenon/ops.h>
#include <tenon/optim/loss_scale.h>

using namespace tenon;
using namespace tenon::optim;

Transform optim::lossScaled(const Part &inner, double initial, int64_t growthSteps, Location at) {
  requirePositive("LossScaleOptimizer", "initial_scale", initial, at);
  if (growthSteps < 1)
    throw Error("LossScaleOptimizer: expected dynamic_growth_steps >= 1, got " + std::to_string(growthSteps), at);
  const Hyperparameter scale = hyperparameter("loss_scale", initial);
  auto init = [inner](const NamedArrays &params) {
    NamedArrays state;
    state.emplace("finite_steps", Array(Scalar(0), i64));
    initPart(inner, state, params);
    return state;
  };
  auto update = [inner, scale, growthSteps](NamedArrays &updates, NamedArrays &state, const NamedArrays &params) {
    const Array now = scale.value;
    Factor divisor(now);
    Array isFinite(true);
    for (auto &[path, gradient] : updates) {
      gradient = gradient / divisor.as(gradient.dtype());
      isFinite = isFinite && all(isfinite(gradient));
    }
    NamedArrays held = state;
    held.erase("finite_steps");
    using Result = std::pair<NamedArrays, NamedArrays>;
    auto apply = [&](const NamedArrays &gradients, const NamedArrays &before, const NamedArrays &parameters) {
      Result result(gradients, before);
      updatePart(inner, result.first, result.second, parameters);
      return result;
    };
    auto skip = [](const NamedArrays &gradients, const NamedArrays &before, const NamedArrays &) {
      Result result(gradients, before);
      for (auto &[path, gradient] : result.first)
        gradient = zeros_like(gradient);
      return result;
    };
    Result next = cond(isFinite, apply, skip, updates, held, params);
    // 0 after an overflow alone, by which the optimizer knows that the step does not count.
    Array &steps = state.at("finite_steps");
    steps = where(isFinite, where(steps >= growthSteps, 1, steps + 1), 0);
    const Array doubled = now * 2;
    const Array grown = where(steps >= growthSteps && isfinite(doubled.astype(f32)), doubled, now);
    scale.value.assign(where(isFinite, grown, maximum(now / 2, 1)));
    updates = std::move(next.first);
    for (auto &[name, array] : next.second)
      state.at(name) = std::move(array);
  };
  std::vector<Hyperparameter> hyperparameters = inner.transform.hyperparameters;
  hyperparameters.push_back(scale);
  return {.init = init, .update = update, .hyperparameters = std::move(hyperparameters)};
}

Transform optim::scale_losses(const Transform &inner, const LossScaleOptions &options, Location at) {
  return lossScaled({"inner", inner}, options.initial_scale, options.dynamic_growth_steps, userLocation(at));
}

OptimizerBody *OptimizerBody::scaled(const LossScaleOptions &options, Location at) const {
  const std::lock_guard guard(lock_);
  if (!members_.empty() || !slots_.empty())
    throw Error("LossScaleOptimizer: expected an optimizer without slots, got one that has made steps", at);
  if (lossScale())
    throw Error("LossScaleOptimizer: expected an optimizer that does not scale losses itself", at);
  Recipe recipe = [recipe = recipe_, transform = transform_, options, at](const Count &count) {
    return lossScaled({"", recipe ? recipe(count) : transform}, options.initial_scale, options.dynamic_growth_steps,
                      at);
  };
  const Averaging averaging{averageMomentum_ ? std::optional(0.0) : std::nullopt, overwriteFrequency_};
  auto *const body = new OptimizerBody("LossScaleOptimizer", options.name, std::move(recipe), averaging, at);
  for (const Hyperparameter &one : hyperparameters)
    for (const Hyperparameter &copy : body->hyperparameters)
      if (copy.name == one.name && !copy.value.is_same(one.value))
        copy.value.assign(one.value);
  return body;
}

const Variable *OptimizerBody::lossScale() const {
  for (const Hyperparameter &one : hyperparameters)
    if (one.name == "loss_scale")
      return &one.value;
  return nullptr;
}

LossScaleOptimizer::LossScaleOptimizer(const Optimizer &inner, const LossScaleOptions &options, Location at)
    : Optimizer(inner.body_.get()->scaled(options, userLocation(at))) {}

Array Optimizer::scale_loss(const Array &loss, Location at) const {
  const Variable *const scale = body_.get()->lossScale();
  if (!scale)
    return loss;
  if (!loss.has_value() || kind(loss.dtype()) != Kind::floating)
    throw Error("scale_loss: expected a loss of floating numbers", userLocation(at));
  // f16 would overflow at once.
  const Array wide = loss.dtype() == f64 ? loss : loss.astype(f32);
  return wide * scale->value(at).astype(wide.dtype());
}
