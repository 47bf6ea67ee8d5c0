//===- 09_tapes.cpp - lesson 9: tapes ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in 09_tapes.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <functional>
#include <iostream>

namespace tn = tenon;

// Backtracking: down the slope, half as far at each round, until the value falls as the slope promises.
// A loop of C++ over values of arrays, with a tape inside.
static void searchLine(const std::function<tn::Array(const tn::Array &)> &f, const tn::Array &start) {
  tn::GradientTape tape;
  tape.watch(start);
  tn::Array before = f(start), slope = tape.gradient(before, start), norm = tn::sum(slope * slope);
  tn::Array x = start, value = before, rate = 1.0f;
  int rounds = 0;
  for (; value > before - rate * norm; ++rounds) {
    x = start - rate * slope;
    value = f(x);
    rate = rate / 2;
  }
  std::cout << tn::format("x = {}, value {}, after {} rounds\n", x.item<float>(), value.item<float>(), rounds);
}

int main() {
  // What is written runs, line by line, and a value can be looked at: no session, no graph.
  tn::Array m = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  std::cout << tn::matmul(m, m) << "\n" << m + 1 << "\n\n";

  // A tape notes, until the end of its scope, what depends on the arrays that it watches. Then it is
  // asked for derivatives.
  tn::Array w = {{1.0f}};
  {
    tn::GradientTape tape;
    tape.watch(w);
    tn::Array loss = w * w;
    std::cout << tape.gradient(loss, w) << "\n";
    // By that it is used up.
    try {
      tape.gradient(loss, w);
    } catch (const tn::Error &error) {
      std::cout << error.message() << "\n\n";
    }
  }

  // A persistent one may be asked again, for any of the values on it.
  tn::Array x = 3.0f;
  {
    tn::GradientTape tape{tn::persistent};
    tape.watch(x);
    tn::Array y = x * x, z = y * y;
    std::cout << "dz/dx " << tape.gradient(z, x).item<float>() << ", dy/dx " << tape.gradient(y, x).item<float>()
              << ", dz/dy " << tape.gradient(z, y).item<float>() << "\n";
    // Several sources are a list, a tuple or a struct.
    auto [by_x, by_y] = tape.gradient(z, std::tuple(x, y));
    std::cout << by_x.item<float>() << " and " << by_y.item<float>() << "\n";
  }

  // What a tape computes is seen by those around it: a second derivative.
  tn::GradientTape outer;
  outer.watch(x);
  tn::GradientTape inner;
  inner.watch(x);
  tn::Array slope = inner.gradient(x * x * x, x);
  std::cout << "x^3: " << slope.item<float>() << ", " << outer.gradient(slope, x).item<float>() << "\n\n";

  // The branch that C++ takes is the one that is differentiated.
  auto slopeOfAbs = [](const tn::Array &x) {
    tn::GradientTape tape;
    tape.watch(x);
    return tape.gradient(x > 0 ? x : -x, x);
  };
  std::cout << slopeOfAbs(2.0f).item<float>() << " " << slopeOfAbs(-2.0f).item<float>() << "\n";
  searchLine([](const tn::Array &x) { return x * x; }, 3.0f);
  searchLine([](const tn::Array &x) { return x * x * x * x; }, 1.0f);

  // Inside of jit a tape is part of the program: nothing of it is left when that runs.
  auto compiled = tn::jit([](const tn::Array &x) {
    tn::GradientTape tape;
    tape.watch(x);
    return tape.gradient(tn::sum(tn::sin(x)), x);
  });
  std::cout << compiled(tn::Array{0.0f, 1.0f}) << "\n";
}
