//===- 11_control_flow.cpp - lesson 11: if and while on arrays, compiled -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in 11_control_flow.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

// A function that decides by the elements of its argument. Nothing of it says whether it is compiled.
static tn::Array my_function(const tn::Array &x) {
  if (tn::sum(x) <= 1)
    return x * x;
  else
    return x - 1;
}

// Steps against the slope until the function has become small enough: a loop whose number of rounds nobody knows.
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

// A text without the folder of this file, which differs between machines.
static std::string shortened(std::string text) {
  for (size_t slash; (slash = text.find("/11_")) != text.npos;)
    text.erase(text.rfind(' ', slash) + 1, slash - text.rfind(' ', slash));
  return text;
}

int main() {
  auto compiled = tn::jit(my_function, {.name = "my_function", .arguments = {"x"}});
  std::cout << "First branch, compiled: " << compiled(1.0f) << "\n";
  std::cout << "Second branch, compiled: " << compiled(tn::Array{5.0f, 5.0f}) << "\n";

  // Where C++ asks (if, while, ?:, &&, switch (int(i)), x.item<float>()), the answer for this call's arrays becomes
  // part of what is recorded: a guard. Another call with the same answers is one run of one program; one with other
  // answers leaves that program at the guard, before anything has been changed, and takes, or becomes, another path.
  auto step = tn::jit([](const tn::Array &x) { return line_search_step(x, 1.0f); });
  for (float x : {3.0f, 2.0f, -7.0f})
    std::cout << "from " << x << " to " << step(tn::Array(x)) << "\n";
  std::cout << "traced " << step.trace_count() << " time\n\n";

  // explain shows what has been asked where, and how often which way was taken.
  std::cout << shortened(tn::explain(compiled, tn::Array(0.5f)).text) << "\n\n";

  // It nests: under grad the path is chosen by the values, and differentiated.
  auto slope = tn::jit(tn::grad([](const tn::Array &x) { return tn::sum(my_function(x)); }));
  std::cout << slope(tn::Array{0.25f, 0.5f}) << " " << slope(tn::Array{5.0f, 5.0f}) << "\n\n";

  // What C++ does with a number cannot be seen. Here each loss is another answer, and after sixteen paths such calls
  // are traced each time, as the log says once; comparing arrays has two answers.
  auto clipped = tn::jit([](const tn::Array &x) { return tn::sum(x) > 10 ? x / tn::sum(x) : x; });
  for (int i = 0; i < 40; ++i)
    clipped(tn::Array{static_cast<float>(i), 1.0f});
  std::cout << "traced " << clipped.trace_count() << " times\n\n";

  // Where elements choose, one by one, there is no question: where() takes from both.
  std::cout << tn::where(tn::Array{1.0f, -2.0f} > 0, 1.0f, 0.0f) << "\n";
  try {
    compiled.lower(tn::spec<float>({})); // no elements, and two ways
  } catch (const tn::Error &error) {
    std::cout << shortened(error.message()) << "\n";
  }
}
