//===- functions.cpp - jitted functions: held, explained, run plainly -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in functions.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("spec", [] {
    auto f = tn::jit([](const tn::Array &x) { return tn::sum(x, 1); }, {.name = "f", .arguments = {"x"}});
    std::cout << f.concrete(tn::spec<float>({"rows", 3})); // traced for all numbers of rows, without an array
  });
  example("each", [] {
    using Layers = std::vector<tn::Array>;
    auto f = tn::jit([](const Layers &layers) { return layers[0] + layers[2]; },
                     {.specs = {{tn::each(tn::spec<float>({"n"}))}}}); // of all arrays of the argument
    for (int64_t n : {2, 3, 4})
      std::cout << f(Layers(3, tn::ones({n}))).shape() << " ";
    std::cout << "traced " << f.trace_count() << " time";
  });
  example("explain", [] {
    auto f = tn::jit([](const tn::Array &x, int n) { return x + n; }, {.name = "f", .arguments = {"x", "n"}});
    std::cout << tn::explain(f, tn::Array{1.0f, 2.0f}, 3) << "\n";
    f(tn::Array{1.0f, 2.0f}, 3);
    std::cout << std::boolalpha << tn::explain(f, tn::Array{5.0f, 6.0f}, 3).hits; // its text has the lines, and why
  });
  example("run_functions_eagerly", [] {
    auto f = tn::jit([](const tn::Array &x) {
      std::cout << "running " << x << "\n"; // C++'s own, seen while it is traced, or in each call
      return x * 2;
    });
    tn::run_functions_eagerly(true);
    f(1.0f), f(2.0f);
    tn::run_functions_eagerly(false);
    std::cout << f.trace_count() << " traces";
  });
  example("executing_eagerly", [] {
    auto f = [](const tn::Array &x) {
      std::cout << (tn::executing_eagerly() ? "eagerly " : "traced ");
      return x;
    };
    f(1.0f), tn::jit(f)(tn::Array(1.0f));
  });
  example("clear_caches", [] {
    auto f = tn::jit([](const tn::Array &x) { return x * 2; });
    f(1.0f), f(2.0f);
    tn::clear_caches();
    f(3.0f);
    std::cout << "traced " << f.trace_count() << " times";
  });
  example("set_log", [] {
    tn::set_log([](tn::LogTopic topic, std::string_view line) {
      if (topic == tn::LogTopic::retrace)
        std::cout << line << "\n";
    });
    auto f = tn::jit([](const tn::Array &x) { return x * 2; }, {.name = "f"});
    f(tn::Array{1.0f});
    tn::set_log(nullptr); // to standard error again: warnings, and the topics in TENON_LOG
  });
}
