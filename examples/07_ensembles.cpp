//===- 07_ensembles.cpp - lesson 7: many models at once ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 07_ensembles.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

// A single model, without any code for ensembles: a hidden layer that learns a curve.
struct Net {
  tn::Array w1, b1, w2, b2;
  tn::Array operator()(const tn::Array &x) const { return tn::matmul(tn::tanh(tn::matmul(x, w1) + b1), w2) + b2; }
};

static Net made(const tn::Key &key) {
  auto [first, second] = tn::random::split(key);
  return {tn::random::normal(first, {1, 16}), tn::zeros({16}), 0.25f * tn::random::normal(second, {16, 1}),
          tn::zeros({1})};
}

static tn::Array loss(const Net &net, const tn::Array &x, const tn::Array &y) {
  return tn::mean(tn::square(net(x) - y));
}

int main() {
  std::cout << std::boolalpha;

  // A batch of keys is a key whose array has one more axis; vmap of the function that
  // makes one model makes a batch of models: a Net whose arrays have the batch as axis 0.
  constexpr int members = 5;
  tn::Key keys{tn::random::bits(tn::random::key(0).data, {members}, 2)};
  Net nets = tn::vmap(made)(keys);
  std::cout << nets.w1.shape() << " " << nets.b2.shape() << "\n\n";

  // Each member trains on its own data: points and noise are drawn with its own key.
  tn::Array x = tn::reshape(tn::linspace(-3, 3, 256), {256, 1}), y = tn::sin(x);
  auto drawn = [&](const tn::Key &key) {
    auto [which, noise] = tn::random::split(key);
    tn::Array rows = tn::random::randint(which, {256}, 0, 256);
    return std::pair(x[rows], y[rows] + 0.1f * tn::random::normal(noise, {256, 1}));
  };
  auto [xs, ys] = tn::vmap(drawn)(keys);
  std::cout << xs.shape() << "\n\n";

  // This is one step of one model; vmap makes it a step of all models, and jit compiles that to
  // one program. Learning rates may differ between members: they are one more batched argument.
  auto step = [](const Net &net, const tn::Array &x, const tn::Array &y, const tn::Array &rate) {
    auto [value, slope] = tn::value_and_grad(loss)(net, x, y);
    return std::pair(tn::tree_map([&](const tn::Array &w, const tn::Array &g) { return w - rate * g; }, net, slope),
                     value);
  };
  auto train = tn::jit([&](Net &nets, const tn::Array &xs, const tn::Array &ys, const tn::Array &rates) {
    auto [next, losses] = tn::vmap(step)(nets, xs, ys, rates);
    nets = next;
    return losses;
  });
  tn::Array rates = {0.02f, 0.03f, 0.04f, 0.05f, 0.05f};
  tn::Array before = train(nets, xs, ys, rates), after;
  for (int i = 0; i < 1000; ++i)
    after = train(nets, xs, ys, rates);
  std::cout << "all of them learn: " << bool(tn::all(after < before / 3)) << ", traced " << train.stats().traces
            << " time\n\n";

  // Predictions for common points: the models are batched, the points are not. The members
  // agree where they were trained and disagree elsewhere, which measures their uncertainty.
  auto predict = tn::vmap([](const Net &net, const tn::Array &x) { return net(x); }, {.in_axes = {0, tn::none}});
  tn::Array inside = predict(nets, x), outside = predict(nets, x + 6);
  std::cout << inside.shape() << "\n";
  std::cout << "the mean is near: " << bool(tn::max(tn::abs(tn::mean(inside, 0) - y)) < 0.5f) << "\n";
  std::cout << "they differ more outside: " << bool(tn::mean(tn::std(outside, 0)) > 3 * tn::mean(tn::std(inside, 0)))
            << "\n\n";

  // One member of the ensemble is slice i of every leaf.
  tn::Array best = tn::argmin(after);
  Net one = tn::tree_map([&](const tn::Array &leaf) { return leaf[best]; }, nets);
  std::cout << one.w1.shape() << ", its loss is the least: " << bool(loss(one, xs[best], ys[best]) <= tn::min(after))
            << "\n";
}
