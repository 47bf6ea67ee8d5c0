//===- 06_loops.cpp - lesson 6: loops and branches --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 06_loops.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  // Loops and branches of C++ work on arrays. Under jit they run while the function is
  // traced: a loop of three iterations becomes three copies of its body in the program.
  auto power = tn::jit([](const tn::Array &x) {
    tn::Array y = x;
    for (int i = 0; i < 3; ++i)
      y = y * x;
    return y;
  });
  std::cout << power(tn::Array{2.0f, 3.0f}) << "\n";

  // C++ may branch on array values. Each sequence of answers becomes a variant of the program:
  // calls with the same answers run it, and other answers run, or trace, another variant.
  auto halved = tn::jit([](tn::Array x) {
    while (tn::sum(x) > 1)
      x = x / 2;
    return x;
  });
  for (float start : {3.0f, 5.0f, 3.5f, 7.0f})
    std::cout << halved(start).item<float>() << " ";
  std::cout << "in " << halved.stats().traces << " ways\n";

  // The body of a tenon loop is traced once for all iterations, so C++ cannot read its values.
  try {
    tn::fori_loop(0, 3, [](const tn::Array &, const tn::Array &x) { return x > 0 ? x : -x; }, 5.0f);
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }

  // fori_loop is a loop inside the program: its body is traced once, and its result is passed
  // to the next iteration. So it may run a million times, with a count known only at run time.
  auto compound = tn::jit([](const tn::Array &rate, const tn::Array &years) {
    return tn::fori_loop(0, years, [&](const tn::Array &, const tn::Array &sum) { return sum * (1 + rate); }, 100.0f);
  });
  std::cout << compound(0.05f, 10) << " " << compound(0.05f, 40) << ", traced " << compound.stats().traces
            << " time\n\n";

  // scan loops over axis 0 of arrays, passes a carry from iteration to iteration
  // and stacks one output per iteration. The carry may be any struct of arrays.
  struct Weather {
    tn::Array mean, count;
  };
  auto step = [](const Weather &before, const tn::Array &day) {
    tn::Array count = before.count + 1;
    tn::Array mean = before.mean + (day - before.mean) / count;
    return std::pair(Weather{mean, count}, mean);
  };
  tn::Array days = {20.0f, 22.0f, 27.0f, 15.0f};
  auto [last, means] = tn::scan(step, Weather{0.0f, 0.0f}, days);
  std::cout << means << " after " << last.count << " days\n";

  // scan, and fori_loop with C++ bounds, have derivatives: here of the last mean with respect to each day.
  auto mean = [&](const tn::Array &x) { return tn::scan(step, Weather{0.0f, 0.0f}, x).first.mean; };
  std::cout << tn::grad(mean)(days) << "\n\n";

  // while_loop repeats its body while a condition, a function of the carry, is true. Newton's method:
  auto root = [](const tn::Array &x) {
    auto running = [&](const tn::Array &y) { return tn::abs(y * y - x) > 1e-5f * x; };
    return tn::while_loop(running, [&](const tn::Array &y) { return (y + x / y) / 2; }, x);
  };
  std::cout << root(2.0f) << " " << tn::jit(root)(2.0f) << "\n";
  // Under vmap the loop runs until the last batch element has finished; finished elements keep their values.
  std::cout << tn::vmap(root)(tn::Array{1.0f, 2.0f, 100.0f}) << "\n";
  // The number of iterations is unknown before it runs, so reverse mode is an error that says so.
  try {
    tn::grad(root)(2.0f);
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }

  // cond runs one of two functions, switch_case one of several; all are traced, and their
  // results have the same type. To choose per element, where() computes both and selects.
  auto safe = tn::jit([](const tn::Array &x) {
    auto shrunk = [](const tn::Array &x) { return x / tn::max(x); };
    auto same = [](const tn::Array &x) { return x; };
    return tn::cond(tn::max(x) > 1, shrunk, same, x);
  });
  std::cout << safe(tn::Array{1.0f, 4.0f}) << " " << safe(tn::Array{0.5f, 0.25f}) << "\n";
  // vmap of a predicate that differs between batch elements: both branches run, and each element selects.
  std::cout << tn::vmap(safe)(tn::Array{{1.0f, 4.0f}, {0.5f, 0.25f}}) << "\n\n";

  // print shows values in every iteration. A debugger can stop in
  // bodies while an EagerScope lives: they are plain C++ then.
  auto halve = [](const tn::Array &x) {
    tn::print("halving {}", {x});
    return x / 2;
  };
  tn::Array small = tn::while_loop([](const tn::Array &x) { return x > 1; }, halve, 5.0f);
  std::cout << small << "\n";
}
