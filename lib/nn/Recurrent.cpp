//===- Recurrent.cpp - loops of recurrent layers --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Products.h"
#include "lib/nn/Sequences.h"

#include <tenon/control.h>
#include <tenon/generator.h>
#include <tenon/nn/recurrent.h>
#include <tenon/random.h>

using namespace tenon;
using namespace tenon::detail;

nn::Recurrent::Recurrent(const char *name, RecurrentConfig config, Location at) : config_(std::move(config)) {
  expectPositive(name, "units", config_.units, at);
  const std::pair<const char *, double> rates[] = {{"dropout", config_.dropout},
                                                   {"recurrent_dropout", config_.recurrent_dropout}};
  for (const auto &[what, rate] : rates)
    if (!(rate >= 0 && rate < 1))
      throw Error(std::string(name) + ": expected a " + what + " in [0, 1), got " + Scalar(rate).str(),
                  userLocation(at));
  if (config_.seed)
    key_.build({2}, {[seed = *config_.seed](const Key &, const Shape &) { return random::key(seed).data; }, "seed"},
               Dtype::u32, at);
}

void nn::Recurrent::fields(Fields &f) {
  f("kernel", kernel_)("recurrent_kernel", recurrent_);
  if (config_.use_bias)
    f("bias", bias_);
  if (config_.seed)
    f("key", key_);
}

void nn::Recurrent::build(const Shape &input) const {
  const LayerCall here(*this);
  if (input.rank() != 3)
    here.refuse("expected 3 axes (batch, time, features), got " + input.str());
  here.expectSize("features", -1, input, kernel_, 0);
  const int64_t units = config_.units, width = units * config_.gates;
  kernel_.build({input[-1], width}, config_.kernel_initializer);
  recurrent_.build({units, width}, config_.recurrent_initializer);
  if (!config_.use_bias)
    return;
  if (config_.reset_after) {
    bias_.build({2, width}, config_.bias_initializer);
  } else if (config_.unit_forget_bias) {
    auto make = [&](const Key &key, const Shape &shape) {
      return config_.bias_initializer(key, shape).at[slice(units, 2 * units)].set(1);
    };
    bias_.build({width}, {make, config_.bias_initializer.name()});
  } else {
    bias_.build({width}, config_.bias_initializer);
  }
}

//===----------------------------------------------------------------------===//
// What loops read
//===----------------------------------------------------------------------===//

static RecurrentWeights weightsOf(const Variable &kernel, const Variable &recurrent, const Variable &bias,
                                  const RecurrentConfig &config) {
  RecurrentWeights weights{kernel, recurrent, {}, {}};
  if (config.use_bias && config.reset_after) {
    weights.bias = bias[0];
    weights.recurrent_bias = bias[1];
  } else if (config.use_bias) {
    weights.bias = bias;
  }
  return weights;
}
/// The products of x with the kernel, and the bias.
static Array projected(const Array &x, const RecurrentWeights &weights) {
  const Array y = productOf(x, weights.kernel);
  return weights.bias.has_value() ? y + weights.bias : y;
}

/// A state of the batch of the input and of its dtype; zeros if there is none.
void nn::Recurrent::give_state(StateArrays &state, Dim batch, Dtype dtype) const {
  const LayerCall here(*this);
  if (state.empty())
    state = zero_state(batch, dtype);
  for (Array &one : state) {
    const Shape wanted{batch, config_.units};
    if (!one.has_value())
      here.refuse("expected a state, got an empty Array; the first one is initial_state(batch)");
    if (provably_equal(one.shape(), wanted) != Always::yes)
      here.refuse("expected a state of shape " + wanted.str() + ", got " + one.shape().str());
    if (one.dtype() != dtype)
      one = one.astype(dtype);
  }
}
nn::Recurrent::StateArrays nn::Recurrent::zero_state(Dim batch, Dtype dtype, Location at) const {
  const Array zero = tenon::zeros({batch, config_.units}, dtype, {}, at);
  return StateArrays(config_.states, zero);
}

Key nn::Recurrent::next_key() const {
  if (!config_.seed)
    return random::default_generator().key();
  auto [next, own] = random::split(Key{key_.value()});
  key_.assign(next.data);
  return own;
}

/// 0 or 1 / (1 - rate): the same for all steps.
static Array dropFactors(const Key &key, double rate, Dim batch, Dim features, Dtype dtype) {
  return where(random::bernoulli(key, 1 - rate, {batch, features}), 1 / (1 - rate), 0).astype(dtype);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::pair<Array, nn::Recurrent::StateArrays> nn::Recurrent::walk(const Array &x, StateArrays state, const Array &mask,
                                                                 const Walk &how) const {
  const LayerCall here(*this);
  const Shape input = x.shape();
  const RecurrentWeights weights = weightsOf(kernel_, recurrent_, bias_, config_);
  // Both keys are drawn before the loop, so that the loop needs none.
  Key ofX, ofState;
  if (training() && config_.dropout > 0)
    ofX = next_key();
  if (training() && config_.recurrent_dropout > 0)
    ofState = next_key();
  Array steps = swapaxes(x, 0, 1);
  if (ofX.data.has_value())
    steps = steps * dropFactors(ofX, config_.dropout, input[0], input[2],
                                kind(x.dtype()) == Kind::floating ? x.dtype() : Dtype::f32);
  // The products of all steps are one product.
  std::vector<Array> given{projected(steps, weights)};
  const Dtype dtype = given[0].dtype();
  give_state(state, input[0], dtype);
  Array kept;
  if (ofState.data.has_value())
    kept = dropFactors(ofState, config_.recurrent_dropout, input[0], config_.units, dtype);
  if (mask.has_value())
    given.push_back(expand_dims(maskOfSteps(here, mask, input), 2));
  auto round = [&](const StateArrays &before, const std::vector<Array> &now) {
    StateArrays held;
    for (const Array &one : before)
      held.push_back(withoutTinyDerivatives(one));
    StateArrays after = next(held, now[0], kept.has_value() ? held[0] * kept : held[0], weights);
    if (now.size() > 1)
      for (size_t i = 0; i < after.size(); ++i)
        after[i] = where(now[1], after[i], held[i]);
    return after;
  };
  const ScanOptions loop{.reverse = how.backwards};
  if (!how.sequences) {
    auto step = [&](const StateArrays &before, const std::vector<Array> &now) {
      return std::pair(round(before, now), none);
    };
    StateArrays last = scan(step, state, given, loop, RunningLayer::line()).first;
    return {last[0], std::move(last)};
  }
  auto step = [&](const StateArrays &before, const std::vector<Array> &now) {
    StateArrays after = round(before, now);
    return std::pair(after, after[0]);
  };
  auto [last, outputs] = scan(step, state, given, loop, RunningLayer::line());
  return {swapaxes(outputs, 0, 1), std::move(last)};
}

Array nn::Recurrent::outputs_of(const Array &x, const Array &mask) const {
  const Array y = walk(x, {}, mask, {config_.go_backwards, config_.return_sequences}).first;
  return config_.return_sequences && config_.go_backwards ? flip(y, 1) : y;
}
Array nn::Recurrent::call(const Array &x) const { return outputs_of(x, {}); }

Array nn::Recurrent::operator()(const Operand &x, const CallOptions &options, Location at) const {
  const CallingLayer calling(*this, options.training, at);
  const Array input = calling.array(x);
  build(input.shape(at));
  return calling.returns(outputs_of(input, options.mask));
}

std::pair<Array, nn::Recurrent::StateArrays> nn::Recurrent::run_arrays(const Operand &x, StateArrays state,
                                                                       const CallOptions &options, Location at) const {
  const CallingLayer calling(*this, options.training, at);
  const Array input = calling.array(x);
  build(input.shape(at));
  auto [y, last] = walk(input, std::move(state), options.mask, {config_.go_backwards, true});
  return {calling.returns(config_.go_backwards ? flip(y, 1) : y), std::move(last)};
}

nn::Recurrent::StateArrays nn::Recurrent::step_arrays(const Operand &x, StateArrays state, Location at) const {
  const CallingLayer calling(*this, {}, at);
  const Array input = calling.array(x);
  const Shape shape = input.shape(at);
  const LayerCall here(*this);
  if (shape.rank() != 2)
    here.refuse("expected one step, 2 axes (batch, features), got " + shape.str());
  build({shape[0], 1, shape[1]});
  const RecurrentWeights weights = weightsOf(kernel_, recurrent_, bias_, config_);
  const Array ofX = projected(input, weights);
  give_state(state, shape[0], ofX.dtype());
  StateArrays after = next(state, ofX, state[0], weights);
  calling.returns(after[0]);
  return after;
}
