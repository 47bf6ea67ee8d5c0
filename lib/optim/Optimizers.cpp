//===- Optimizers.cpp - the optimizers by name ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Body.h"
#include "lib/optim/Directions.h"
#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>

using namespace tenon;
using namespace tenon::optim;

//===----------------------------------------------------------------------===//
// What each does with its options
//===----------------------------------------------------------------------===//

static Transform make(const LearningRate &given, const SGDOptions &options, const Count &count, Location at) {
  const Rate rate("SGD", given, 0.01, at);
  Transform direction = options.momentum != 0 ? trace(options.momentum, options.nesterov, at) : Transform();
  return optimizerOf("SGD", std::move(direction), rate, commonOf(options), count, at);
}

template <class Options>
static Transform makeAdam(const char *function, const LearningRate &given, const Options &options, const Count &count,
                          Location at) {
  const Rate rate(function, given, 1e-3, at);
  const ScaleByAdamOptions adam{options.beta_1, options.beta_2, options.epsilon, options.amsgrad};
  return optimizerOf(function, adamDirection(function, adam, count, at), rate, commonOf(options), count, at);
}
static Transform make(const LearningRate &given, const AdamOptions &options, const Count &count, Location at) {
  return makeAdam("Adam", given, options, count, at);
}
static Transform make(const LearningRate &given, const AdamWOptions &options, const Count &count, Location at) {
  return makeAdam("AdamW", given, options, count, at);
}

/// Weight decay beside a step that has its size already.
static Transform decayBeside(const Transform &step, const Common &common, const Rate &rate, Location at) {
  if (common.weightDecay == 0)
    return step;
  Transform decay = decayed(common.weightDecay, common.exclude, at);
  auto update = [step, decay, rate](NamedArrays &updates, NamedArrays &state, const NamedArrays &params) {
    step.update(updates, state, params);
    NamedArrays weights, none;
    for (const auto &[path, u] : updates)
      weights.emplace_hint(weights.end(), path, zeros_like(u));
    decay.update(weights, none, params);
    Factor size(rate.parameter.value);
    for (auto &[path, u] : updates)
      u = u - size.as(u.dtype()) * weights.at(path);
  };
  std::vector<Hyperparameter> hyperparameters = step.hyperparameters;
  hyperparameters.insert(hyperparameters.end(), decay.hyperparameters.begin(), decay.hyperparameters.end());
  return {.init = step.init, .update = update, .hyperparameters = std::move(hyperparameters)};
}

static Transform make(const LearningRate &given, const RMSpropOptions &options, const Count &count, Location at) {
  const Rate rate("RMSprop", given, 1e-3, at);
  const Transform direction = rmsDirection(options, at);
  if (options.momentum == 0)
    return optimizerOf("RMSprop", direction, rate, commonOf(options), count, at);
  const Transform steps = chained({{"", direction}, {"", rmsMomentum(options.momentum, rate, count, at)}});
  return optimizerOf("RMSprop", {{"", decayBeside(steps, commonOf(options), rate, at)}}, rate, commonOf(options), at);
}
static Transform make(const LearningRate &given, const AdagradOptions &options, const Count &count, Location at) {
  return optimizerOf("Adagrad", adagradDirection(options, at), Rate("Adagrad", given, 1e-3, at), commonOf(options),
                     count, at);
}
static Transform make(const LearningRate &given, const NadamOptions &options, const Count &count, Location at) {
  return optimizerOf("Nadam", nadamDirection(options, count, at), Rate("Nadam", given, 1e-3, at), commonOf(options),
                     count, at);
}
static Transform make(const LearningRate &given, const AdamaxOptions &options, const Count &count, Location at) {
  return optimizerOf("Adamax", adamaxDirection(options, count, at), Rate("Adamax", given, 1e-3, at), commonOf(options),
                     count, at);
}
static Transform make(const LearningRate &given, const LionOptions &options, const Count &count, Location at) {
  return optimizerOf("Lion", lionDirection(options, at), Rate("Lion", given, 1e-3, at), commonOf(options), count, at);
}
static Transform make(const LearningRate &given, const LAMBOptions &options, const Count &count, Location at) {
  return optimizerOf("LAMB", lambDirection(options, count, at), Rate("LAMB", given, 1e-3, at), commonOf(options), count,
                     at);
}
static Transform make(const LearningRate &given, const AdafactorOptions &options, const Count &count, Location at) {
  const Rate rate("Adafactor", given, 1e-3, at);
  const Transform step = adafactorStep(options, rate, count, at);
  return optimizerOf("Adafactor", {{"", decayBeside(step, commonOf(options), rate, at)}}, rate, commonOf(options), at);
}

//===----------------------------------------------------------------------===//
// Classes, functions, names
//===----------------------------------------------------------------------===//

template <class Options>
static LearningRate rateOf(const char *function, const LearningRate &given, const Options &options, Location at) {
  if (given.is_given() && options.learning_rate.is_given())
    throw Error(std::string(function) + ": expected one learning rate, got one as an argument and one in the options",
                at);
  return given.is_given() ? given : options.learning_rate;
}
template <class Options>
static OptimizerBody *bodyOf(const char *function, const LearningRate &given, const Options &options, Location place) {
  const Location at = userLocation(place);
  const LearningRate rate = rateOf(function, given, options, at);
  return new OptimizerBody(
      function, options.name, [=](const Count &count) { return make(rate, options, count, at); },
      {options.ema_momentum, options.ema_overwrite_frequency}, at);
}
template <class Options>
static Transform transformOf(const char *function, const LearningRate &given, const Options &options, Location place) {
  const Location at = userLocation(place);
  if (options.ema_momentum || options.ema_overwrite_frequency)
    throw Error(std::string(function) + ": expected no ema_momentum: an Optimizer averages, not a Transform", at);
  return make(rateOf(function, given, options, at), options, Count(), at);
}

SGD::SGD(const LearningRate &learning_rate, const SGDOptions &options, Location at)
    : Optimizer(bodyOf("SGD", learning_rate, options, at)) {}
SGD::SGD(const SGDOptions &options, Location at) : SGD(LearningRate(), options, at) {}
Transform optim::sgd(const LearningRate &learning_rate, const SGDOptions &options, Location at) {
  return transformOf("sgd", learning_rate, options, at);
}

Adam::Adam(const LearningRate &learning_rate, const AdamOptions &options, Location at)
    : Optimizer(bodyOf("Adam", learning_rate, options, at)) {}
Adam::Adam(const AdamOptions &options, Location at) : Adam(LearningRate(), options, at) {}
Transform optim::adam(const LearningRate &learning_rate, const AdamOptions &options, Location at) {
  return transformOf("adam", learning_rate, options, at);
}

AdamW::AdamW(const LearningRate &learning_rate, const AdamWOptions &options, Location at)
    : Optimizer(bodyOf("AdamW", learning_rate, options, at)) {}
AdamW::AdamW(const AdamWOptions &options, Location at) : AdamW(LearningRate(), options, at) {}
Transform optim::adamw(const LearningRate &learning_rate, const AdamWOptions &options, Location at) {
  return transformOf("adamw", learning_rate, options, at);
}

RMSprop::RMSprop(const LearningRate &learning_rate, const RMSpropOptions &options, Location at)
    : Optimizer(bodyOf("RMSprop", learning_rate, options, at)) {}
RMSprop::RMSprop(const RMSpropOptions &options, Location at) : RMSprop(LearningRate(), options, at) {}
Transform optim::rmsprop(const LearningRate &learning_rate, const RMSpropOptions &options, Location at) {
  return transformOf("rmsprop", learning_rate, options, at);
}

Adagrad::Adagrad(const LearningRate &learning_rate, const AdagradOptions &options, Location at)
    : Optimizer(bodyOf("Adagrad", learning_rate, options, at)) {}
Adagrad::Adagrad(const AdagradOptions &options, Location at) : Adagrad(LearningRate(), options, at) {}
Transform optim::adagrad(const LearningRate &learning_rate, const AdagradOptions &options, Location at) {
  return transformOf("adagrad", learning_rate, options, at);
}

Nadam::Nadam(const LearningRate &learning_rate, const NadamOptions &options, Location at)
    : Optimizer(bodyOf("Nadam", learning_rate, options, at)) {}
Nadam::Nadam(const NadamOptions &options, Location at) : Nadam(LearningRate(), options, at) {}
Transform optim::nadam(const LearningRate &learning_rate, const NadamOptions &options, Location at) {
  return transformOf("nadam", learning_rate, options, at);
}

Adamax::Adamax(const LearningRate &learning_rate, const AdamaxOptions &options, Location at)
    : Optimizer(bodyOf("Adamax", learning_rate, options, at)) {}
Adamax::Adamax(const AdamaxOptions &options, Location at) : Adamax(LearningRate(), options, at) {}
Transform optim::adamax(const LearningRate &learning_rate, const AdamaxOptions &options, Location at) {
  return transformOf("adamax", learning_rate, options, at);
}

Lion::Lion(const LearningRate &learning_rate, const LionOptions &options, Location at)
    : Optimizer(bodyOf("Lion", learning_rate, options, at)) {}
Lion::Lion(const LionOptions &options, Location at) : Lion(LearningRate(), options, at) {}
Transform optim::lion(const LearningRate &learning_rate, const LionOptions &options, Location at) {
  return transformOf("lion", learning_rate, options, at);
}

LAMB::LAMB(const LearningRate &learning_rate, const LAMBOptions &options, Location at)
    : Optimizer(bodyOf("LAMB", learning_rate, options, at)) {}
LAMB::LAMB(const LAMBOptions &options, Location at) : LAMB(LearningRate(), options, at) {}
Transform optim::lamb(const LearningRate &learning_rate, const LAMBOptions &options, Location at) {
  return transformOf("lamb", learning_rate, options, at);
}

Adafactor::Adafactor(const LearningRate &learning_rate, const AdafactorOptions &options, Location at)
    : Optimizer(bodyOf("Adafactor", learning_rate, options, at)) {}
Adafactor::Adafactor(const AdafactorOptions &options, Location at) : Adafactor(LearningRate(), options, at) {}
Transform optim::adafactor(const LearningRate &learning_rate, const AdafactorOptions &options, Location at) {
  return transformOf("adafactor", learning_rate, options, at);
}

static OptimizerBody *bodyOf(std::string_view name, Location at) {
  struct Known {
    const char *name;
    OptimizerBody *(*make)(Location at);
  };
  static constexpr Known known[] = {
      {"sgd", [](Location place) { return bodyOf("SGD", LearningRate(), SGDOptions(), place); }},
      {"adam", [](Location place) { return bodyOf("Adam", LearningRate(), AdamOptions(), place); }},
      {"adamw", [](Location place) { return bodyOf("AdamW", LearningRate(), AdamWOptions(), place); }},
      {"rmsprop", [](Location place) { return bodyOf("RMSprop", LearningRate(), RMSpropOptions(), place); }},
      {"adagrad", [](Location place) { return bodyOf("Adagrad", LearningRate(), AdagradOptions(), place); }},
      {"nadam", [](Location place) { return bodyOf("Nadam", LearningRate(), NadamOptions(), place); }},
      {"adamax", [](Location place) { return bodyOf("Adamax", LearningRate(), AdamaxOptions(), place); }},
      {"lion", [](Location place) { return bodyOf("Lion", LearningRate(), LionOptions(), place); }},
      {"lamb", [](Location place) { return bodyOf("LAMB", LearningRate(), LAMBOptions(), place); }},
      {"adafactor", [](Location place) { return bodyOf("Adafactor", LearningRate(), AdafactorOptions(), place); }},
  };
  std::string names;
  for (const Known &one : known) {
    if (name == one.name)
      return one.make(at);
    names += (names.empty() ? "'" : ", '") + std::string(one.name) + "'";
  }
  throw Error("Optimizer: expected a name among " + names + ", got '" + std::string(name) + "'", userLocation(at));
}
Optimizer::Optimizer(const char *name, Location at) : body_(bodyOf(std::string_view(name), at)) {}
