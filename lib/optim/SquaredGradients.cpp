//===- SquaredGradients.cpp - RMSprop, Adagrad, Adafactor ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Directions.h"

#include <tenon/ops.h>

#include <cmath>

using namespace tenon;
using namespace tenon::optim;

Transform optim::rmsDirection(const RMSpropOptions &options, Location at) {
  requireWithin("RMSprop", "rho", options.rho, 0, 1, at);
  requireWithin("RMSprop", "epsilon", options.epsilon, 0, INFINITY, at);
  const Hyperparameter rho = hyperparameter("rho", options.rho), epsilon = hyperparameter("epsilon", options.epsilon);
  const bool isCentered = options.centered;
  auto init = [=](const NamedArrays &params) {
    NamedArrays state;
    addZeros(state, "velocity", params);
    if (isCentered)
      addZeros(state, "average_gradient", params);
    return state;
  };
  auto update = [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
    Factor keep(rho.value), take(1 - rho.value), small(epsilon.value);
    Slots velocities(state, "velocity"), averages(state, "average_gradient");
    for (auto &[path, g] : updates) {
      const Dtype dtype = g.dtype();
      Array &v = velocities.at(path);
      v = keep.as(dtype) * v + take.as(dtype) * square(g);
      Array divisor = v;
      if (isCentered) {
        Array &mean = averages.at(path);
        mean = keep.as(dtype) * mean + take.as(dtype) * g;
        divisor = maximum(v - square(mean), 0); // rounding may bring it below 0
      }
      g = g / sqrt(divisor + small.as(dtype));
    }
  };
  return {.init = init, .update = update, .hyperparameters = {rho, epsilon}};
}

Transform optim::rmsMomentum(double momentum, const Rate &rate, const Count &count, Location at) {
  requireWithin("RMSprop", "momentum", momentum, 0, 1, at);
  const Hyperparameter factor = hyperparameter("momentum", momentum);
  const Transform steps = scaledBy(rate, count);
  auto init = [=](const NamedArrays &params) {
    NamedArrays state = steps.init(params);
    addZeros(state, "momentum", params);
    return state;
  };
  auto update = [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &params) {
    steps.update(updates, state, params);
    Factor mu(factor.value);
    Slots momenta(state, "momentum");
    for (auto &[path, g] : updates) {
      Array &m = momenta.at(path);
      g = m = mu.as(g.dtype()) * m + g;
    }
  };
  return {.init = init, .update = update, .hyperparameters = {rate.parameter, factor}};
}

Transform optim::adagradDirection(const AdagradOptions &options, Location at) {
  requireWithin("Adagrad", "initial_accumulator_value", options.initial_accumulator_value, 0, INFINITY, at);
  requireWithin("Adagrad", "epsilon", options.epsilon, 0, INFINITY, at);
  const Hyperparameter epsilon = hyperparameter("epsilon", options.epsilon);
  auto init = [start = options.initial_accumulator_value](const NamedArrays &params) {
    NamedArrays state;
    for (const auto &[path, parameter] : params)
      state.emplace("sum_of_squares." + path, full_like(parameter, start));
    return state;
  };
  auto update = [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
    Factor small(epsilon.value);
    Slots sums(state, "sum_of_squares");
    for (auto &[path, g] : updates) {
      Array &total = sums.at(path);
      total = total + square(g);
      g = g / sqrt(total + small.as(g.dtype()));
    }
  };
  return {.init = init, .update = update, .hyperparameters = {epsilon}};
}

static Array rootMeanSquare(const Array &x) { return sqrt(mean(square(x))); }

Transform optim::adafactorStep(const AdafactorOptions &options, const Rate &rate, const Count &count, Location at) {
  requireWithin("Adafactor", "beta_2_decay", options.beta_2_decay, -INFINITY, 0, at);
  requirePositive("Adafactor", "epsilon_1", options.epsilon_1, at);
  requirePositive("Adafactor", "epsilon_2", options.epsilon_2, at);
  requirePositive("Adafactor", "clip_threshold", options.clip_threshold, at);
  const Hyperparameter epsilon_1 = hyperparameter("epsilon_1", options.epsilon_1),
                       epsilon_2 = hyperparameter("epsilon_2", options.epsilon_2),
                       threshold = hyperparameter("clip_threshold", options.clip_threshold),
                       decay = hyperparameter("beta_2_decay", options.beta_2_decay);
  auto init = [=](const NamedArrays &params) {
    NamedArrays state;
    count.init(state);
    for (const auto &[path, parameter] : params) {
      if (parameter.ndim() >= 2) {
        state.emplace("velocity_row." + path, zeros_like(sum(parameter, -1)));
        state.emplace("velocity_column." + path, zeros_like(sum(parameter, -2)));
      } else {
        state.emplace("velocity." + path, zeros_like(parameter));
      }
    }
    return state;
  };
  auto update = [=, isRelative = options.relative_step](NamedArrays &updates, NamedArrays &state,
                                                        const NamedArrays &params) {
    // The rate counts by itself where the count is its own: it sees the number before this step, as this does.
    const Array before = count.isOwn() ? state.at("count") : Array();
    Array size = rate.now(count, state);
    if (count.isOwn() && !rate.isScheduled())
      (void)count.next(state);
    const Array t = (count.isOwn() ? before : count.next(state)).astype(f64) + 1.0;
    if (isRelative && !rate.isScheduled())
      size = minimum(size, 1 / sqrt(t));
    const Array beta_2 = 1 - pow(t, decay.value);
    Factor rho(minimum(size, 1 / sqrt(t))), keep(beta_2), take(1 - beta_2), least(epsilon_1.value),
        leastScale(epsilon_2.value), limit(threshold.value);
    Slots rows(state, "velocity_row"), columns(state, "velocity_column"), others(state, "velocity");
    for (auto &[path, g] : updates) {
      const Dtype dtype = g.dtype();
      const Array alpha = maximum(leastScale.as(dtype), rootMeanSquare(params.at(path))) * rho.as(dtype);
      const Array squares = square(g) + least.as(dtype);
      Array v;
      if (g.ndim() >= 2) {
        Array &row = rows.at(path), &column = columns.at(path);
        row = keep.as(dtype) * row + take.as(dtype) * mean(squares, -1);
        column = keep.as(dtype) * column + take.as(dtype) * mean(squares, -2);
        v = expand_dims(row / mean(row, -1, true), -1) * expand_dims(column, -2);
      } else {
        Array &own = others.at(path);
        v = own = keep.as(dtype) * own + take.as(dtype) * squares;
      }
      const Array direction = g / sqrt(v);
      const Array excess = rootMeanSquare(direction) / limit.as(dtype);
      g = -alpha * direction / maximum(excess, ones_like(excess));
    }
  };
  return {.init = init, .update = update, .hyperparameters = {rate.parameter, decay, epsilon_1, epsilon_2, threshold}};
}
