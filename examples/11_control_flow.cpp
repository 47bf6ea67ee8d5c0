//===- 11_control_flow.cpp - lesson 11: if and while on arrays, compiled -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 11_control_flow.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

// This function branches on array values; nothing in it depends on whether it is compiled.
static tn::Array my_function(const tn::Array &x) {
  if (tn::sum(x) <= 1)
    return x * x;
  else
    return x - 1;
}

// Gradient descent until the function value is small: a loop with an unknown number of iterations.
static tn::Array line_search_step(const tn::Array &x, float rate) {
  auto square = [](const tn::Array &v) { return v * v; };
  auto [before, slope] = tn::value_and_grad(square)(x);
  tn::Array next = x, value = before;
  while (value > before - rate * slope * slope) {
    next = x - rate * slope;
    value = square(next);
    rate /= 2;
  }
  return next;
}

// Removes the folder of this file from a text, since it differs between machines.
static std::string shortened(std::string text) {
  for (size_t slash; (slash = text.find("/11_")) != text.npos;)
    text.erase(text.rfind(' ', slash) + 1, slash - text.rfind(' ', slash));
  return text;
}

int main() {
  auto compiled = tn::jit(my_function, {.name = "my_function", .arguments = {"x"}});
  std::cout << "First branch, compiled: " << compiled(1.0f) << "\n";
  std::cout << "Second branch, compiled: " << compiled(tn::Array{5.0f, 5.0f}) << "\n";

  // Where C++ reads a traced value (if, while, ?:, &&, switch (int(i)), x.item<float>()), the answer for
  // this call becomes a guard in the program. Calls with the same answers run that program. A call with
  // another answer stops at the guard, before anything has changed, and runs, or traces, another variant.
  auto step = tn::jit([](const tn::Array &x) { return line_search_step(x, 1.0f); });
  for (float x : {3.0f, 2.0f, -7.0f})
    std::cout << "from " << x << " to " << step(tn::Array(x)) << "\n";
  std::cout << "traced " << step.trace_count() << " time\n\n";

  // explain lists the branches with their lines, and the number of calls for each answer.
  std::cout << shortened(tn::explain(compiled, tn::Array(0.5f)).text) << "\n\n";

  // Transformations nest: under grad the values choose the variant, which is differentiated.
  auto slope = tn::jit(tn::grad([](const tn::Array &x) { return tn::sum(my_function(x)); }));
  std::cout << slope(tn::Array{0.25f, 0.5f}) << " " << slope(tn::Array{5.0f, 5.0f}) << "\n\n";

  // Reading a float makes each new value a new answer. After sixteen variants such calls
  // are traced every time, and the log says so once. A comparison has only two answers.
  auto clipped = tn::jit([](const tn::Array &x) { return tn::sum(x) > 10 ? x / tn::sum(x) : x; });
  for (int i = 0; i < 40; ++i)
    clipped(tn::Array{static_cast<float>(i), 1.0f});
  std::cout << "traced " << clipped.trace_count() << " times\n\n";

  // To choose per element, no C++ branch is needed: where() computes both and selects.
  std::cout << tn::where(tn::Array{1.0f, -2.0f} > 0, 1.0f, 0.0f) << "\n";
  try {
    (void)compiled.lower(tn::spec<float>({})); // no elements, and two ways
  } catch (const tn::Error &error) {
    std::cout << shortened(error.message()) << "\n";
  }
}
