//===- Transforms.cpp - clipping, scaling, momentum, weight decay ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Norms.h"
#include "lib/optim/Parts.h"

#include <tenon/ops.h>

#include <cmath>

using namespace tenon;
using namespace tenon::optim;

Transform optim::clip_by_value(double limit, Location at) {
  requirePositive("clip_by_value", "limit", limit, at);
  const Hyperparameter clipvalue = hyperparameter("clipvalue", limit);
  return {.update =
              [=](NamedArrays &updates, NamedArrays &, const NamedArrays &) {
                Factor high(clipvalue.value), low(-clipvalue.value);
                for (auto &[path, g] : updates)
                  g = clip(g, low.as(g.dtype()), high.as(g.dtype()));
              },
          .hyperparameters = {clipvalue}};
}

Transform optim::clip_by_norm(double norm, Location at) {
  requirePositive("clip_by_norm", "norm", norm, at);
  const Hyperparameter clipnorm = hyperparameter("clipnorm", norm);
  return {.update =
              [=](NamedArrays &updates, NamedArrays &, const NamedArrays &) {
                Factor limit(clipnorm.value);
                for (auto &[path, g] : updates)
                  g = g * nn::clipFactor(nn::normOf(g), limit.as(g.dtype()));
              },
          .hyperparameters = {clipnorm}};
}

Transform optim::clip_by_global_norm(double norm, Location at) {
  requirePositive("clip_by_global_norm", "norm", norm, at);
  const Hyperparameter clipnorm = hyperparameter("global_clipnorm", norm);
  return {.update =
              [=](NamedArrays &updates, NamedArrays &, const NamedArrays &) {
                std::vector<Array> arrays;
                for (const auto &[path, g] : updates)
                  arrays.push_back(g);
                if (arrays.empty())
                  return;
                const Array all = nn::globalNormOf(arrays);
                Factor limit(clipnorm.value), factor(nn::clipFactor(all, limit.as(all.dtype())).astype(f64));
                for (auto &[path, g] : updates)
                  g = g * factor.as(g.dtype());
              },
          .hyperparameters = {clipnorm}};
}

Transform optim::scale(double factor) {
  const Hyperparameter by = hyperparameter("scale", factor);
  return {.update =
              [=](NamedArrays &updates, NamedArrays &, const NamedArrays &) {
                Factor number(by.value);
                for (auto &[path, g] : updates)
                  g = g * number.as(g.dtype());
              },
          .hyperparameters = {by}};
}

Transform optim::scaledBy(const Rate &rate, const Count &count) {
  return {.init =
              [=](const NamedArrays &) {
                NamedArrays state;
                if (rate.isScheduled())
                  count.init(state);
                return state;
              },
          .update =
              [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
                Factor factor(-rate.now(count, state));
                for (auto &[path, g] : updates)
                  g = g * factor.as(g.dtype());
              },
          .hyperparameters = {rate.parameter}};
}
Transform optim::scale_by_learning_rate(const LearningRate &rate, Location at) {
  if (!rate.is_given())
    throw Error("scale_by_learning_rate: expected a number or a schedule, got none", at);
  return scaledBy(Rate("scale_by_learning_rate", rate, 0, at), Count());
}

Transform optim::trace(double momentum, bool nesterov, Location at) {
  requireWithin("trace", "momentum", momentum, 0, 1, at);
  const Hyperparameter factor = hyperparameter("momentum", momentum);
  return {.init =
              [](const NamedArrays &params) {
                NamedArrays state;
                addZeros(state, "momentum", params);
                return state;
              },
          .update =
              [=](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
                Factor mu(factor.value);
                Slots momenta(state, "momentum");
                for (auto &[path, g] : updates) {
                  Array &m = momenta.at(path);
                  m = g + mu.as(g.dtype()) * m;
                  g = nesterov ? g + mu.as(g.dtype()) * m : m;
                }
              },
          .hyperparameters = {factor}};
}

Transform optim::decayed(double decay, std::vector<std::string> exclude, Location at) {
  requireWithin("add_decayed_weights", "weight_decay", decay, 0, INFINITY, at);
  const Hyperparameter factor = hyperparameter("weight_decay", decay);
  auto decays = [exclude](const std::string &path) {
    for (const std::string &text : exclude)
      if (path.find(text) != std::string::npos)
        return false;
    return true;
  };
  return {.update =
              [=](NamedArrays &updates, NamedArrays &, const NamedArrays &params) {
                Factor weight(factor.value);
                for (auto &[path, g] : updates)
                  if (decays(path))
                    g = g + weight.as(g.dtype()) * params.at(path);
              },
          .hyperparameters = {factor}};
}
Transform optim::add_decayed_weights(double weight_decay, const DecayOptions &options, Location at) {
  return decayed(weight_decay, options.exclude, at);
}
