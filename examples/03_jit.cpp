//===- 03_jit.cpp - lesson 3: compiled functions ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 03_jit.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static tn::Array gauss(const tn::Array &x) {
  std::cout << "tracing " << x << "\n"; // plain C++ runs while tracing only
  return tn::exp(-0.5f * x * x);
}

int main() {
  // jit(f) is called as f is. The first call runs f once on symbols, notes what
  // it does and compiles that: here one loop, with no array in between.
  auto fast = tn::jit(gauss);
  tn::Array x = {0.0f, 1.0f, 2.0f};
  std::cout << fast(x) << "\n";
  std::cout << fast(x + 1) << "\n"; // the same signature: no tracing, no compiling

  // Another shape is another program...
  std::cout << fast(tn::zeros({2, 2})) << "\n";
  std::cout << "traced " << fast.stats().traces << " times\n\n";

  // ...unless its sizes are symbols: one program for every n from 2 up.
  auto any = tn::jit(gauss, {.specs = {tn::TensorSpec{tn::f32, {"n"}}}});
  for (int64_t n : {2, 5, 1000}) {
    float total = tn::sum(any(tn::zeros({n}))).item<float>();
    std::cout << n << " ones sum to " << total << "\n";
  }
  std::cout << "traced " << any.stats().traces << " time\n\n";

  // An argument that is not const is updated, all or nothing.
  auto halve = tn::jit([](tn::Array &value) { value = value / 2; });
  tn::Array number = 12.0f;
  halve(number);
  halve(number);
  std::cout << number.item<float>() << "\n\n";

  // Read once: captured arrays and numbers are read while tracing. Assigning a captured array later does not change the
  // program, and the next call warns. Pass what changes as an argument, or make it a Variable, which every call reads.
  tn::Variable factor(tn::Array(2.0f));
  auto scaled = tn::jit([&](const tn::Array &value) { return factor * value; });
  std::cout << scaled(3.0f).item<float>() << " ";
  factor.assign(10);
  std::cout << scaled(3.0f).item<float>() << "\n\n";

  // Transformations and jit go together, in any order.
  auto bell = [](const tn::Array &at) { return tn::exp(-0.5f * at * at); };
  std::cout << tn::jit(tn::vmap(tn::grad(bell)))(x) << "\n\n";

  // What was recorded, as text. lower(x).stage("linalg") and others show what
  // became of it on the way to machine code.
  std::cout << fast.lower(x).trace() << "\n";
}
