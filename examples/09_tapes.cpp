//===- 09_tapes.cpp - lesson 9: tapes ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 09_tapes.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <functional>
#include <iostream>

namespace tn = tenon;

// Backtracking line search: go down the slope, half as far at each iteration, until
// the value has fallen enough. A C++ loop over array values, with a tape inside.
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
  // Code runs line by line, and values can be inspected at once: no session, no graph.
  tn::Array m = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  std::cout << tn::matmul(m, m) << "\n" << m + 1 << "\n\n";

  // Until the end of its scope, a tape records operations
  // on the arrays it watches. Then it computes derivatives.
  tn::Array w = {{1.0f}};
  {
    tn::GradientTape tape;
    tape.watch(w);
    tn::Array loss = w * w;
    std::cout << tape.gradient(loss, w) << "\n";
    // A second request is an error: the tape is used up.
    try {
      (void)tape.gradient(loss, w);
    } catch (const tn::Error &error) {
      std::cout << error.message() << "\n\n";
    }
  }

  // A persistent tape computes any number of gradients, of any recorded values.
  tn::Array x = 3.0f;
  {
    tn::GradientTape tape{tn::persistent};
    tape.watch(x);
    tn::Array y = x * x, z = y * y;
    std::cout << "dz/dx " << tape.gradient(z, x).item<float>() << ", dy/dx " << tape.gradient(y, x).item<float>()
              << ", dz/dy " << tape.gradient(z, y).item<float>() << "\n";
    // Pass several sources as a list, a tuple or a struct.
    auto [by_x, by_y] = tape.gradient(z, std::tuple(x, y));
    std::cout << by_x.item<float>() << " and " << by_y.item<float>() << "\n";
  }

  // An outer tape records what an inner tape computes: a second derivative.
  tn::GradientTape outer;
  outer.watch(x);
  tn::GradientTape inner;
  inner.watch(x);
  tn::Array slope = inner.gradient(x * x * x, x);
  std::cout << "x^3: " << slope.item<float>() << ", " << outer.gradient(slope, x).item<float>() << "\n\n";

  // The derivative is that of the branch that C++ takes.
  auto slopeOfAbs = [](const tn::Array &x) {
    tn::GradientTape tape;
    tape.watch(x);
    return tape.gradient(x > 0 ? x : -x, x);
  };
  std::cout << slopeOfAbs(2.0f).item<float>() << " " << slopeOfAbs(-2.0f).item<float>() << "\n";
  searchLine([](const tn::Array &x) { return x * x; }, 3.0f);
  searchLine([](const tn::Array &x) { return x * x * x * x; }, 1.0f);

  // Inside jit the tape itself disappears: only the derivative's operations are compiled.
  auto compiled = tn::jit([](const tn::Array &x) {
    tn::GradientTape tape;
    tape.watch(x);
    return tape.gradient(tn::sum(tn::sin(x)), x);
  });
  std::cout << compiled(tn::Array{0.0f, 1.0f}) << "\n";
}
