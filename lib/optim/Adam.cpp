//===- Adam.cpp - Adam and what came of it ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Norms.h"
#include "lib/optim/Directions.h"

#include <tenon/ops.h>

#include <cmath>

using namespace tenon;
using namespace tenon::optim;

namespace {
struct Betas {
  Betas(const char *function, double first, double second, std::optional<double> small, Location at)
      : beta_1(hyperparameter("beta_1", first)), beta_2(hyperparameter("beta_2", second)) {
    requireWithin(function, "beta_1", first, 0, 1, at);
    requireWithin(function, "beta_2", second, 0, 1, at);
    parameters = {beta_1, beta_2};
    if (small) {
      requireWithin(function, "epsilon", *small, 0, INFINITY, at);
      epsilon = hyperparameter("epsilon", *small);
      parameters.push_back(epsilon);
    }
  }
  Hyperparameter beta_1, beta_2, epsilon;
  std::vector<Hyperparameter> parameters;
};
} // namespace

/// The number of this step, from 1, as f64.
static Array stepNumber(const Count &count, NamedArrays &state) { return count.next(state).astype(f64) + 1.0; }

/// Moves an average towards x.
static void moveTo(Array &average, const Array &x, const Array &weight) { average = average + weight * (x - average); }

static auto zerosFor(std::vector<std::string> kinds, const Count &count) {
  return [kinds = std::move(kinds), count](const NamedArrays &params) {
    NamedArrays state;
    count.init(state);
    for (const std::string &kind : kinds)
      addZeros(state, kind, params);
    return state;
  };
}

Transform optim::adamDirection(const char *function, const ScaleByAdamOptions &options, const Count &count,
                               Location at) {
  const Betas betas(function, options.beta_1, options.beta_2, options.epsilon, at);
  std::vector<std::string> kinds{"momentum", "velocity"};
  if (options.amsgrad)
    kinds.push_back("velocity_hat");
  auto update = [=, isMax = options.amsgrad](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
    const Array t = stepNumber(count, state), beta_1 = betas.beta_1.value, beta_2 = betas.beta_2.value;
    Factor weight_1(1 - beta_1), weight_2(1 - beta_2), epsilon(betas.epsilon.value);
    Factor correction(sqrt(1 - pow(beta_2, t)) / (1 - pow(beta_1, t)));
    Slots momenta(state, "momentum"), velocities(state, "velocity"), largest(state, "velocity_hat");
    for (auto &[path, g] : updates) {
      const Dtype dtype = g.dtype();
      Array &m = momenta.at(path), &v = velocities.at(path);
      moveTo(m, g, weight_1.as(dtype));
      moveTo(v, square(g), weight_2.as(dtype));
      Array divisor = v;
      if (isMax) {
        Array &most = largest.at(path);
        divisor = most = maximum(most, v);
      }
      g = m * correction.as(dtype) / (sqrt(divisor) + epsilon.as(dtype));
    }
  };
  return {.init = zerosFor(kinds, count), .update = update, .hyperparameters = betas.parameters};
}
Transform optim::scale_by_adam(const ScaleByAdamOptions &options, Location at) {
  return adamDirection("scale_by_adam", options, Count(), at);
}

Transform optim::nadamDirection(const NadamOptions &options, const Count &count, Location at) {
  const Betas betas("Nadam", options.beta_1, options.beta_2, options.epsilon, at);
  auto init = [=](const NamedArrays &params) {
    NamedArrays state = zerosFor({"momentum", "velocity"}, count)(params);
    state.emplace("momentum_product", Array(Scalar(1.0), f64));
    return state;
  };
  auto update = [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
    const Array t = stepNumber(count, state), beta_1 = betas.beta_1.value, beta_2 = betas.beta_2.value;
    auto momentumAt = [&](const Array &step) { return beta_1 * (1 - 0.5 * pow(Array(Scalar(0.96), f64), step)); };
    const Array now = momentumAt(t), next = momentumAt(t + 1.0);
    Array &product = state.at("momentum_product");
    product = product * now;
    Factor weight_1(1 - beta_1), weight_2(1 - beta_2), epsilon(betas.epsilon.value);
    Factor ofMomentum(next / (1 - product * next)), ofGradient((1 - now) / (1 - product)),
        correction(1 / (1 - pow(beta_2, t)));
    Slots momenta(state, "momentum"), velocities(state, "velocity");
    for (auto &[path, g] : updates) {
      const Dtype dtype = g.dtype();
      Array &m = momenta.at(path), &v = velocities.at(path);
      moveTo(m, g, weight_1.as(dtype));
      moveTo(v, square(g), weight_2.as(dtype));
      g = (ofMomentum.as(dtype) * m + ofGradient.as(dtype) * g) / (sqrt(v * correction.as(dtype)) + epsilon.as(dtype));
    }
  };
  return {.init = init, .update = update, .hyperparameters = betas.parameters};
}

Transform optim::adamaxDirection(const AdamaxOptions &options, const Count &count, Location at) {
  const Betas betas("Adamax", options.beta_1, options.beta_2, options.epsilon, at);
  auto update = [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
    const Array t = stepNumber(count, state), beta_1 = betas.beta_1.value;
    Factor weight_1(1 - beta_1), beta_2(betas.beta_2.value), epsilon(betas.epsilon.value);
    Factor correction(1 / (1 - pow(beta_1, t)));
    Slots momenta(state, "momentum"), norms(state, "norm");
    for (auto &[path, g] : updates) {
      const Dtype dtype = g.dtype();
      Array &m = momenta.at(path), &u = norms.at(path);
      moveTo(m, g, weight_1.as(dtype));
      u = maximum(beta_2.as(dtype) * u, abs(g));
      g = m * correction.as(dtype) / (u + epsilon.as(dtype));
    }
  };
  return {.init = zerosFor({"momentum", "norm"}, count), .update = update, .hyperparameters = betas.parameters};
}

Transform optim::lionDirection(const LionOptions &options, Location at) {
  const Betas betas("Lion", options.beta_1, options.beta_2, {}, at);
  auto update = [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
    Factor beta_1(betas.beta_1.value), beta_2(betas.beta_2.value);
    Factor weight_1(1 - betas.beta_1.value), weight_2(1 - betas.beta_2.value);
    Slots momenta(state, "momentum");
    for (auto &[path, g] : updates) {
      const Dtype dtype = g.dtype();
      Array &m = momenta.at(path);
      const Array direction = sign(m * beta_1.as(dtype) + g * weight_1.as(dtype));
      m = m * beta_2.as(dtype) + g * weight_2.as(dtype);
      g = direction;
    }
  };
  auto init = [](const NamedArrays &params) {
    NamedArrays state;
    addZeros(state, "momentum", params);
    return state;
  };
  return {.init = init, .update = update, .hyperparameters = betas.parameters};
}

Transform optim::lambDirection(const LAMBOptions &options, const Count &count, Location at) {
  const Betas betas("LAMB", options.beta_1, options.beta_2, options.epsilon, at);
  auto update = [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &params) {
    const Array t = stepNumber(count, state), beta_1 = betas.beta_1.value, beta_2 = betas.beta_2.value;
    Factor weight_1(1 - beta_1), weight_2(1 - beta_2), epsilon(betas.epsilon.value);
    Factor correction_1(1 / (1 - pow(beta_1, t))), correction_2(1 / (1 - pow(beta_2, t)));
    Slots momenta(state, "momentum"), velocities(state, "velocity");
    for (auto &[path, g] : updates) {
      const Dtype dtype = g.dtype();
      Array &m = momenta.at(path), &v = velocities.at(path);
      moveTo(m, g, weight_1.as(dtype));
      moveTo(v, square(g), weight_2.as(dtype));
      const Array step = m * correction_1.as(dtype) / (sqrt(v * correction_2.as(dtype)) + epsilon.as(dtype));
      const Array ofWeight = nn::normOf(params.at(path)), ofStep = nn::normOf(step), one = ones_like(ofStep);
      const Array isMoved = ofWeight > 0 && ofStep > 0;
      g = step * where(isMoved, ofWeight / where(isMoved, ofStep, one), one);
    }
  };
  return {.init = zerosFor({"momentum", "velocity"}, count), .update = update, .hyperparameters = betas.parameters};
}
