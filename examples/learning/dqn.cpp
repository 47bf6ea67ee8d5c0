//===- dqn.cpp - deep Q-learning: replay memory, target network, Polyak averaging ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --steps N: actions
//===----------------------------------------------------------------------===//
#include "../arguments.h"

#include <tenon/learning.h>

#include <algorithm>
#include <deque>
#include <random>

namespace tn = tenon;
namespace nn = tn::nn;
namespace losses = tn::losses;

struct QNet {
  nn::Dense hidden1{64, {.activation = tn::relu}}, hidden2{64, {.activation = tn::relu}}, values{2};
  tn::Array operator()(const tn::Array &x) const { return values(hidden2(hidden1(x))); }
};

struct Transition {
  tn::Array state, action, reward, next, done;
};

int main(int count, char **texts) {
  const examples::Arguments arguments(count, texts);
  const QNet online;
  nn::build(online, tn::Shape{1, 4});
  const QNet target = nn::clone(online); // the same values, weights of its own
  const QNet frozen = online;            // a copy: the same weights
  const tn::optim::Adam optimizer{1e-3};

  // Only online's weights are differentiated by; target is read.
  auto td_error = [&](const QNet &q, const Transition &t) {
    const tn::Array chosen = tn::take_along_axis(q(t.state), tn::expand_dims(t.action, 1), 1).squeeze(1);
    const tn::Array best = tn::max(target(t.next), 1);
    return losses::huber(tn::stop_gradient(t.reward + 0.99 * (1 - t.done) * best), chosen);
  };
  auto learn = tn::jit([&](const Transition &batch) {
    auto [loss, gradients] = nn::value_and_grad(td_error)(online, batch);
    optimizer.apply_gradients(gradients);
    nn::polyak_update(online, target, {.tau = 0.005});
    return loss;
  });
  auto act = tn::jit([&](const tn::Array &state) { return tn::argmax(online(state), 1); });

  std::mt19937 random{0};
  std::deque<Transition> memory;
  tn::Array state = tn::zeros({1, 4});
  for (int step = 0; step < arguments.number("--steps", 10000); ++step) {
    const int action = random() % 10 == 0 ? int(random() % 2) : int(act(state));
    const tn::Array next = state + (action ? 0.1f : -0.1f);
    memory.push_back({state, tn::Array{action}, tn::Array{-float(tn::sum(tn::abs(next)))}, next, tn::Array{0.0f}});
    if (memory.size() > 5000)
      memory.pop_front();
    state = next;
    if (memory.size() < 64)
      continue;
    std::vector<Transition> chosen;
    std::ranges::sample(memory, std::back_inserter(chosen), 64, random);
    auto join = [&](tn::Array Transition::*part) {
      std::vector<tn::Array> parts;
      for (const Transition &each : chosen)
        parts.push_back(each.*part);
      return tn::concatenate(parts);
    };
    learn(Transition{join(&Transition::state), join(&Transition::action), join(&Transition::reward),
                     join(&Transition::next), join(&Transition::done)});
  }
  nn::copy_weights(online, target);
}
