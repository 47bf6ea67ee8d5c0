//===- 05_random.cpp - lesson 5: random numbers -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 05_random.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  // Random numbers are a function of a key: equal keys give equal
  // numbers, the same as in JAX, with any number of threads.
  tn::Key key = tn::random::key(42);
  std::cout << tn::random::uniform(key, {3}) << "\n" << tn::random::uniform(key, {3}) << "\n\n";

  // Use a key only once; split makes new keys from it. fold_in
  // makes the key of a number, such as a step, a worker or a layer.
  auto [first, second] = tn::random::split(key);
  std::cout << tn::random::randint(first, {6}, 1, 7) << " " << tn::random::randint(second, {6}, 1, 7) << "\n";
  std::cout << tn::random::permutation(tn::random::fold_in(key, 3), 8) << "\n\n";

  // Parameters are numbers or arrays; arrays are broadcast to the shape.
  tn::Array rates = {0.5f, 5.0f, 50.0f};
  std::cout << tn::random::poisson(first, rates, {2, 3}) << "\n";
  std::cout << tn::random::categorical(first, tn::log(tn::Array{0.1f, 0.2f, 0.7f}), -1, {10}) << "\n";
  std::cout << tn::random::choice(first, 10, {4}, false) << "\n\n";

  // Inside jit a key is an argument, so that each call uses its
  // own key; vmap draws once for each key of a batch, u32[n, 2].
  auto dropout = tn::jit([](const tn::Key &key, const tn::Array &x) {
    return tn::where(tn::random::bernoulli(key, 0.5, x.shape()), x * 2, 0);
  });
  std::cout << dropout(first, tn::ones({6})) << " " << dropout(second, tn::ones({6})) << "\n";
  tn::Key keys{tn::random::bits(key.data, {3}, 2)};
  auto mean = [](const tn::Key &key) { return tn::mean(tn::random::gamma(key, 4, {1000})); };
  std::cout << (tn::abs(tn::vmap(mean)(keys) - 4) < 0.2) << "\n\n";

  // A generator manages keys for you: each draw takes the next key. Under jit a generator is state:
  // each call of the program takes the next keys, the same ones that eager execution would take.
  tn::set_seed(7);
  tn::random::Generator &draw = tn::random::default_generator();
  tn::Array dice = draw.randint({5}, 1, 7), others = draw.randint({5}, 1, 7);
  std::cout << dice << " " << others << "\n";
  auto noisy = [&](const tn::Array &x) { return x + draw.uniform({3}); };
  auto compiled = tn::jit(noisy);
  tn::set_seed(7);
  tn::Array one = compiled(rates), another = compiled(rates);
  tn::set_seed(7);
  std::cout << (one == another) << " " << (one == noisy(rates)) << "\n";
}
