//===- other.cpp - printing, formats, counters ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in other.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("print", [] {
    tn::Array x = {1.0f, 2.0f};
    auto doubled = tn::jit([](const tn::Array &x) {
      tn::print("x is {}, its sum {:.2f}", {x, tn::sum(x)}); // whenever it runs, not while it is traced
      return x * 2;
    });
    doubled(x);
    doubled(x + 1);
  });
  example("check", [] {
    auto root = tn::jit([](const tn::Array &x) {
      tn::check(x >= 0, "expected no number below 0, the smallest is {:.1f}", {tn::min(x)});
      return tn::sqrt(x);
    });
    std::cout << root(tn::Array{4.0f, 9.0f}) << "\n";
    try {
      root(tn::Array{4.0f, -2.5f});
    } catch (const tn::Error &error) {
      std::cout << error.message();
    }
  });
  example("host_call", [] {
    // A function of C++'s library, which no program has, in the middle of one.
    auto beta = [](const tn::Array &x) {
      std::vector<float> all = x.to_vector<float>();
      for (float &v : all)
        v = std::beta(v, 2.0f);
      return tn::Array(std::span<const float>(all), x.shape());
    };
    auto f = tn::jit(
        [beta](const tn::Array &x) { return tn::host_call(beta, tn::TensorSpec{tn::f32, x.shape()}, x + 1) * 10; });
    std::cout << f(tn::Array{0.0f, 1.0f});
  });
  example("batched_host_call", [] {
    auto norm = [](const tn::Array &x) {
      std::cout << "called with " << x.shape() << "\n";
      return tn::sqrt(tn::sum(x * x, {-1}));
    };
    auto f = [norm](const tn::Array &x) { return tn::batched_host_call(norm, tn::TensorSpec{tn::f32, {}}, x); };
    std::cout << tn::vmap(f)(tn::Array{{3.0f, 4.0f}, {6.0f, 8.0f}}); // once, for both rows
  });
  example("optimization_barrier", [] {
    tn::Array x = {1.0f, 2.0f};
    std::cout << tn::optimization_barrier({x * 2})[0]; // the same numbers; the product is not fused into what follows
  });
  example("stop_gradient", [] {
    auto f = [](const tn::Array &x) { return tn::stop_gradient(x) * x; };
    std::cout << f(3.0f) << ", its derivative " << tn::grad(f)(3.0f); // x * x would have 6
  });
  example("format", [] {
    tn::Array loss = 0.12345f;
    std::cout << tn::format("step {}: loss {:.3f} of shape {}", 7, loss, loss.shape());
  });
  example("view", [] {
    tn::Array x = {{1.0f, 2.0f}, {3.0f, 4.0f}};
    auto v = tn::view<float, 2>(x);
    std::cout << v(1, 0) << " of " << v.extent(0) << " rows";
  });
  example("statistics", [] {
    auto doubled = tn::jit([](const tn::Array &x) { return x * 2; });
    tn::Statistics before = tn::statistics(); // of this thread since it began
    doubled(tn::Array{1, 2}), doubled(tn::Array{3, 4});
    tn::Statistics after = tn::statistics();
    std::cout << after.programs - before.programs << " programs ran, " << after.traces - before.traces << " was traced";
  });
  example("name", [] { std::cout << tn::name(tn::ones({2}).device()); });
  example("default_device", [] { std::cout << (tn::ones({2}).device() == tn::default_device()); });
  example("memory_in_use", [] {
    const size_t before = tn::memory_in_use();
    tn::Array x = tn::zeros({1024, 1024}); // 4 MiB
    std::cout << (tn::memory_in_use() - before >= 4 * 1024 * 1024);
  });
  example("peak_memory", [] {
    {
      tn::Array x = tn::zeros({1024, 1024});
    }
    std::cout << (tn::peak_memory() >= tn::memory_in_use() + 4 * 1024 * 1024);
  });
  example("release_cache", [] {
    {
      tn::Array x = tn::zeros({1024, 1024});
    } // freed, and kept for the next array of this size
    tn::release_cache();
    std::cout << tn::zeros({2});
  });
  example("print_options", [] {
    tn::PrintOptions options = tn::print_options();
    std::cout << options.precision << " digits, lines of " << options.line_width;
  });
  example("set_print_options", [] {
    tn::Array x = {1.0f / 3, 1e-9f};
    const tn::PrintOptions before = tn::print_options();
    tn::set_print_options({.precision = 3, .suppress = true});
    std::cout << x << "\n";
    tn::set_print_options(before);
    std::cout << x;
  });
}
