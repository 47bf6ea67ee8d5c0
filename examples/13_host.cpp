//===- 13_host.cpp - lesson 13: C++ inside of compiled programs -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 13_host.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>
#include <map>
#include <stdexcept>

namespace tn = tenon;

// As TensorFlow's py_func: a C++ function on arrays with values, in the middle of a program.
static tn::Array myFunction(tn::Array x) {
  x = tn::matmul(x, x);
  std::cout << x << "\n";
  return x;
}

// A price list that stands for a database query, which cannot be compiled.
static std::map<int, float> prices = {{1, 0.5f}, {2, 1.25f}, {7, 10.0f}};
static tn::Array priceOf(const tn::Array &articles) {
  std::vector<float> found;
  for (int article : articles.to_vector<int>()) {
    auto place = prices.find(article);
    if (place == prices.end())
      throw std::out_of_range("no article " + std::to_string(article));
    found.push_back(place->second);
  }
  return tn::Array(std::span<const float>(found), articles.shape());
}

int main() {
  // Under jit a function runs once, on traced values. A host_call runs whenever
  // the program runs. It must declare the dtype and shape of its result.
  auto squared =
      tn::jit([](const tn::Array &x) { return tn::host_call(myFunction, tn::TensorSpec{tn::f32, {1, 1}}, x) + 1; });
  std::cout << squared(tn::Array{{2.0f}}) << "\n";
  std::cout << squared(tn::Array{{3.0f}}) << "\n";
  // Outside traces a host_call is an ordinary call.
  std::cout << tn::host_call(myFunction, tn::TensorSpec{tn::f32, {1, 1}}, tn::Array{{4.0f}}) << "\n\n";

  // Sizes of the result may be those of the arguments, even symbolic ones: one program serves all baskets.
  tn::Variable total(0.0f);
  auto buy = tn::jit(
      [&](const tn::Array &articles, const tn::Array &counts) {
        tn::check(counts >= 0, "expected counts of at least 0, got {}", counts);
        tn::Array cost = tn::sum(counts * tn::host_call(priceOf, tn::TensorSpec{tn::f32, articles.shape()}, articles));
        total += cost;
        tn::print("this makes {:>6.2f}", cost);
        return cost;
      },
      {.specs = {tn::TensorSpec{tn::i32, {"n"}}, tn::TensorSpec{tn::f32, {"n"}}}});
  buy(tn::Array{1, 2}, tn::Array{2.0f, 4.0f});
  buy(tn::Array{7, 7, 1}, tn::Array{1.0f, 1.0f, 3.0f});

  // Exceptions of the host function pass through the program unchanged, and
  // so do failed checks. Nothing is updated then: the total keeps its value.
  try {
    buy(tn::Array{1, 3}, tn::Array{1.0f, 1.0f});
  } catch (const std::out_of_range &error) {
    std::cout << error.what() << "\n";
  }
  try {
    buy(tn::Array{1, 2}, tn::Array{1.0f, -1.0f});
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n";
  }
  std::cout << "total " << total.value() << "\n\n";

  // In a loop it runs in every iteration, in order with prints.
  auto rounds = tn::jit([](const tn::Array &x) {
    return tn::fori_loop(
        0, 3,
        [](const tn::Array &i, const tn::Array &x) {
          tn::print("round {}", i);
          tn::host_call([](const tn::Array &x) { std::cout << "  x is " << x.item<float>() << std::endl; }, tn::none,
                        x);
          return x / 2;
        },
        x);
  });
  std::cout << rounds(1.0f) << "\n\n";

  // C++ may branch on the result. The program is split at that point into
  // two segments, so that what ran before the branch never runs again.
  int readings = 0;
  auto watch = tn::jit([&](const tn::Array &x) {
    auto sensor = [&readings](const tn::Array &x) { return ++readings, x * 10; };
    const tn::Array reading = tn::host_call(sensor, tn::TensorSpec{tn::f32, {}}, x);
    tn::print("read {}", reading);
    if (reading > 15)
      return reading - 15;
    return tn::Array(0.0f);
  });
  for (float x : {1.0f, 2.0f, 1.5f, 4.0f})
    std::cout << watch(x) << "\n";
  std::cout << readings << " readings, traced " << watch.trace_count() << " times\n\n";

  // A host_call has no derivative; provide one where it is needed.
  auto cube = [](const tn::Array &x) {
    return tn::host_call([](const tn::Array &x) { return x * x * x; }, tn::TensorSpec{tn::f32, x.shape()}, x);
  };
  auto withRule = tn::custom_vjp(
      cube, [&](const tn::Array &x) { return std::pair(cube(x), x); },
      [](const tn::Array &x, const tn::Array &d) { return d * 3 * x * x; });
  std::cout << tn::jit(tn::grad(withRule))(tn::Array(2.0f)) << "\n";
  try {
    tn::grad(cube)(tn::Array(2.0f));
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n";
  }
}
