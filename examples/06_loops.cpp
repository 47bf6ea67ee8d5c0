//===- 06_loops.cpp - lesson 6: loops and branches --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in 06_loops.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  // C++'s own loops and branches work on arrays as on anything. Under jit they run while the function
  // is traced: a loop of three rounds becomes three copies of its body in the program.
  auto power = tn::jit([](const tn::Array &x) {
    tn::Array y = x;
    for (int i = 0; i < 3; ++i)
      y = y * x;
    return y;
  });
  std::cout << power(tn::Array{2.0f, 3.0f}) << "\n";

  // What elements decide is asked of the call's own arrays. Each way through the function is a program
  // of its own: it holds as long as the answers are the same, else another one is run, or traced.
  auto halved = tn::jit([](tn::Array x) {
    while (tn::sum(x) > 1)
      x = x / 2;
    return x;
  });
  for (float start : {3.0f, 5.0f, 3.5f, 7.0f})
    std::cout << halved(start).item<float>() << " ";
  std::cout << "in " << halved.stats().traces << " ways\n";

  // A body of a loop of the program is recorded once, for all rounds: it has no elements to ask.
  try {
    tn::fori_loop(0, 3, [](const tn::Array &, const tn::Array &x) { return x > 0 ? x : -x; }, 5.0f);
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }

  // fori_loop is a loop of the program: its body is recorded once, and what it returns is what the next
  // round gets. So it may run a million rounds, and their number may be known only when it runs.
  auto compound = tn::jit([](const tn::Array &rate, const tn::Array &years) {
    return tn::fori_loop(0, years, [&](const tn::Array &, const tn::Array &sum) { return sum * (1 + rate); }, 100.0f);
  });
  std::cout << compound(0.05f, 10) << " " << compound(0.05f, 40) << ", traced " << compound.stats().traces
            << " time\n\n";

  // scan walks along axis 0 of arrays, carries something from round to round and keeps something of each
  // round. What it carries may be any struct of arrays.
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

  // A scan and a fori_loop with bounds of C++ have a derivative: here that of the last mean by each day.
  auto mean = [&](const tn::Array &x) { return tn::scan(step, Weather{0.0f, 0.0f}, x).first.mean; };
  std::cout << tn::grad(mean)(days) << "\n\n";

  // while_loop goes on until its condition, a function of what is carried, does not hold. Newton's method:
  auto root = [](const tn::Array &x) {
    auto running = [&](const tn::Array &y) { return tn::abs(y * y - x) > 1e-5f * x; };
    return tn::while_loop(running, [&](const tn::Array &y) { return (y + x / y) / 2; }, x);
  };
  std::cout << root(2.0f) << " " << tn::jit(root)(2.0f) << "\n";
  // Under vmap rounds go on while one of the examples needs them; those that are done stay as they are.
  std::cout << tn::vmap(root)(tn::Array{1.0f, 2.0f, 100.0f}) << "\n";
  // Its number of rounds is unknown before it runs, so that it has no derivative, and says so.
  try {
    tn::grad(root)(2.0f);
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }

  // cond runs one of two functions, switch_case one of several; both are recorded, and their results are
  // of one type. Where each element chooses for itself, where() computes both and takes one.
  auto safe = tn::jit([](const tn::Array &x) {
    auto shrunk = [](const tn::Array &x) { return x / tn::max(x); };
    auto same = [](const tn::Array &x) { return x; };
    return tn::cond(tn::max(x) > 1, shrunk, same, x);
  });
  std::cout << safe(tn::Array{1.0f, 4.0f}) << " " << safe(tn::Array{0.5f, 0.25f}) << "\n";
  // vmap of a predicate that differs between examples: both run, and each example takes its own.
  std::cout << tn::vmap(safe)(tn::Array{{1.0f, 4.0f}, {0.5f, 0.25f}}) << "\n\n";

  // To see into a body there is print, which speaks in every round; a debugger stops in bodies while a
  // EagerScope lives: they are then plain C++.
  auto halve = [](const tn::Array &x) {
    tn::print("halving {}", {x});
    return x / 2;
  };
  tn::Array small = tn::while_loop([](const tn::Array &x) { return x > 1; }, halve, 5.0f);
  std::cout << small << "\n";
}
