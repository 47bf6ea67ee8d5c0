//===- 10_learning.cpp - lesson 10: Variables, and rules of your own ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 10_learning.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <filesystem>
#include <iostream>

namespace tn = tenon;

// A model is a struct; copies of it share its Variables.
struct Line {
  tn::Variable weight{5.0f, "weight"}, bias{10.0f, "bias"};
  tn::Array operator()(const tn::Array &x) const { return x * weight + bias; }
};

int main() {
  // Fitting a line by hand: compute the gradient of a function of arrays, then make new arrays.
  tn::Array x = tn::linspace(-1, 1, 101), y = 3.0f * x + 2.0f;
  auto loss = [&](const tn::Array &w, const tn::Array &b) { return tn::mean(tn::square(x * w + b - y)); };
  tn::Array w = 5.0f, b = 10.0f;
  for (int step = 0; step < 200; ++step) {
    auto [dw, db] = tn::grad<0, 1>(loss)(w, b);
    w = w - 0.1f * dw;
    b = b - 0.1f * db;
  }
  std::cout << tn::format("by hand: {:.3f} x + {:.3f}\n", w, b);

  // With Variables: a tape watches them automatically, and assignments update the model.
  const Line line;
  auto step = [&] {
    tn::GradientTape tape;
    tn::Array value = tn::mean(tn::square(line(x) - y));
    auto [dw, db] = tape.gradient(value, line.weight, line.bias);
    line.weight -= 0.1f * dw;
    line.bias -= 0.1f * db;
    return value;
  };
  std::cout << tn::format("loss {:.3f}\n", step());
  // The same step as one compiled program, with the Variables as inputs and outputs.
  auto compiled = tn::jit(step);
  for (int i = 1; i < 200; ++i)
    compiled();
  std::cout << line.weight << "\n" << line.bias << "\n";

  // Saves all of the model to a file, and restores it.
  std::filesystem::remove_all("line");
  tn::Checkpoint checkpoint{{"model", line}};
  std::string path = checkpoint.save("line/");
  line.weight.assign(0.0f);
  std::cout << checkpoint.restore(path).assert_consumed() << " " << tn::format("{:.3f}\n\n", line.weight);

  // A derivative may overflow where the function does not: exp(100) is infinite in f32.
  auto naive = [](const tn::Array &x) { return tn::log(1 + tn::exp(x)); };
  std::cout << tn::format("{} {}\n", tn::grad(naive)(0.0f), tn::grad(naive)(100.0f));
  // A custom rule, which stores a value of the forward pass.
  auto log1pexp = tn::custom_gradient([](const tn::Array &x) {
    tn::Array e = tn::exp(x);
    return tn::with_grad(tn::log(1 + e), [=](const tn::Array &d) { return d * (1 - 1 / (1 + e)); });
  });
  std::cout << tn::format("{} {}\n", tn::grad(log1pexp)(0.0f), tn::grad(log1pexp)(100.0f));
  // A rule that changes only the gradient: it clips its length to `norm`, which gets no gradient.
  auto clip = tn::custom_gradient([](const tn::Array &x, const tn::Array &norm) {
    return tn::with_grad(tn::Array(x), [=](const tn::Array &d) {
      return std::tuple(d * tn::minimum(1, norm / tn::vector_norm(d)), tn::none);
    });
  });
  auto pulled = tn::vjp(clip, tn::Array{1.0f, 2.0f}, tn::Array(1.0f)).second(tn::Array{3.0f, 4.0f});
  std::cout << std::get<0>(pulled) << "\n";
  // check_gradients compares derivatives with finite differences.
  try {
    tn::check_gradients(tn::custom_gradient([](const tn::Array &x) {
                          return tn::with_grad(tn::sin(x), [=](const tn::Array &d) { return d * x; });
                        }),
                        tn::Array{1.0f});
  } catch (const tn::Error &error) {
    std::cout << error.message().substr(0, error.message().find('\n')) << "\n";
  }
}
