//===- 02_gradients.cpp - lesson 2: gradients and batches -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 02_gradients.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

// Any struct of arrays is a tree: functions of it can be differentiated.
struct Line {
  tn::Array slope, offset;
};

static tn::Array squaredError(const Line &line, const tn::Array &x, const tn::Array &y) {
  tn::Array error = line.slope * x + line.offset - y;
  return tn::mean(error * error);
}

// Steps against the gradient, each half as long as the one before, until the value has
// fallen enough. The loop is C++'s: the values decide how often it runs.
template <class F>
static tn::Array lineSearch(const F &f, const tn::Array &start) {
  auto [before, slope] = tn::value_and_grad(f)(start);
  tn::Array norm = tn::sum(slope * slope), rate = 1.0f, x = start, value = before;
  while (value > before - rate * norm) {
    x = start - rate * slope;
    value = f(x);
    rate = rate / 2;
  }
  return x;
}

int main() {
  // grad takes a function and gives the function of its derivative...
  auto cube = [](const tn::Array &x) { return x * x * x; };
  auto first = tn::grad(cube);
  tn::Array two = 2.0f;
  std::cout << "d/dx x^3 at 2:     " << first(two).item<float>() << "\n";

  // ...which can be differentiated in its turn.
  auto second = tn::grad(first);
  std::cout << "d2/dx2 x^3 at 2:   " << second(two).item<float>() << "\n";

  // What if and while have decided is differentiated as it ran.
  auto quartic = [](const tn::Array &x) { return x * x * x * x; };
  auto searched = [&](const tn::Array &x) { return lineSearch(quartic, x); };
  tn::Array one = 1.0f;
  std::cout << "from 1 down x^4 to " << searched(one).item<float>() << ", whose slope is "
            << tn::grad(searched)(one).item<float>() << "\n";

  // vmap maps a function of one example over many, in one go.
  tn::Array points = {0.0f, 1.0f, 2.0f, 3.0f};
  std::cout << "slopes:            " << tn::vmap(first)(points) << "\n\n";

  // The gradient of a function of a tree is such a tree. Here it finds the line
  // y = 3x - 1 from its points.
  tn::Array y = 3 * points - 1;
  Line line{0.0f, 0.0f};
  for (int step = 0; step <= 200; ++step) {
    auto [loss, slope] = tn::value_and_grad(squaredError)(line, points, y);
    if (step % 50 == 0)
      std::cout << tn::format("step {:3}: error {:.6f}, y = {:.3f} x {:+.3f}\n", step, loss.item<float>(),
                              line.slope.item<float>(), line.offset.item<float>());
    line = tn::tree_map([](const tn::Array &p, const tn::Array &g) { return p - 0.1f * g; }, line, slope);
  }
}
