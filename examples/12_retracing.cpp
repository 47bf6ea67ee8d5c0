//===- 12_retracing.cpp - lesson 12: what is traced, and why again -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 12_retracing.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

// Removes the folder of this file from a text, since it differs between machines.
static std::string shortened(std::string text) {
  for (size_t slash; (slash = text.find("/12_")) != text.npos;)
    text.erase(text.rfind(' ', slash) + 1, slash - text.rfind(' ', slash));
  return text;
}

int main() {
  auto scale =
      tn::jit([](const tn::Array &x, int times) { return x * times; }, {.name = "scale", .arguments = {"x", "times"}});

  // A program is specific to dtypes and shapes of arrays and to the values of all other arguments.
  scale(tn::Array{1.0f, 2.0f}, 3);
  scale(tn::Array{5.0f, 6.0f}, 3); // other elements: the same program
  scale(tn::Array{1.0f, 2.0f}, 4); // another number: another program
  std::cout << "traced " << scale.trace_count() << " times\n";

  // explain says whether and why a call would be traced. TENON_LOG=retrace logs each traced call.
  std::cout << shortened(tn::explain(scale, tn::Array{7.0f, 8.0f}, 3).text) << "\n";
  std::cout << shortened(tn::explain(scale, tn::Array{1.0f, 2.0f}, 5).text) << "\n";
  std::cout << shortened(tn::explain(scale, tn::Array{1, 2}, 3).text) << "\n\n";

  // Make a number that changes an array: then one program serves all values.
  auto scaled = tn::jit([](const tn::Array &x, const tn::Array &times) { return x * times; });
  for (int times = 0; times < 5; ++times)
    scaled(tn::Array{1.0f, 2.0f}, times);
  std::cout << "traced " << scaled.trace_count() << " time\n\n";

  // concrete fixes one signature. Other arguments are an error that names the difference.
  auto row = scale.concrete(tn::spec<float>({"n", 2}), 3);
  std::cout << row << "\n" << row(tn::ones({4, 2}), 3).shape() << " " << row(tn::ones({9, 2}), 3).shape() << "\n";
  try {
    row(tn::ones({4, 3}), 3);
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }

  // max_traces limits tracing, for servers that must not compile under load.
  auto bounded = tn::jit([](const tn::Array &x) { return x + 1; }, {.name = "bounded", .max_traces = 1});
  bounded(tn::ones({2}));
  try {
    bounded(tn::ones({3}));
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }

  // A compile-time constant may be an argument: constant<2> is static, as a number is, and a type of its own.
  auto power = tn::jit([](tn::Array x, auto n) {
    std::array<tn::Array, n.value> powers;
    for (tn::Array &p : powers)
      p = &p == &powers[0] ? x : *(&p - 1) * x;
    return powers.back();
  });
  std::cout << power(tn::Array(2.0f), tn::constant<3>) << " " << power(tn::Array(2.0f), tn::constant<10>) << "\n\n";

  // For a debugger: run all functions as plain C++, in this scope, or in the whole program with TENON_EAGER=1.
  {
    tn::EagerScope plain;
    scale(tn::ones({17}), 99);
  }
  std::cout << "traced " << scale.trace_count() << " times\n";
}
