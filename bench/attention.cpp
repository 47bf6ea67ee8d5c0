//===- attention.cpp - scaled dot product attention and its derivative ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8 examples of 8 heads, 512 queries and keys, 64 numbers each. peers.py has the same rows.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#include <string>

using namespace tenon;

namespace {

struct Row {
  const char *name;
  bool isCausal, isBackward;
};
constexpr Row rows[] = {{"forward", false, false},
                        {"forward, causal", true, false},
                        {"forward and backward", false, true},
                        {"forward and backward, causal", true, true}};

Array input(int seed) { return random::normal(random::key(static_cast<uint64_t>(seed)), {8, 8, 512, 64}); }

void measure(benchmark::State &state, const Row &row, bool isCompiled) {
  const Array q = input(1), k = input(2), v = input(3), cotangent = input(4);
  const AttentionOptions options{.causal = row.isCausal};
  const auto time = [&](auto function) {
    auto compiled = jit(function);
    for (auto _ : state) {
      auto result = isCompiled ? compiled(q, k, v) : function(q, k, v);
      benchmark::DoNotOptimize(result);
    }
  };
  if (row.isBackward)
    time(grad<0, 1, 2>([=](const Array &q, const Array &k, const Array &v) {
      return sum(scaled_dot_product_attention(q, k, v, options) * cotangent);
    }));
  else
    time(
        [=](const Array &q, const Array &k, const Array &v) { return scaled_dot_product_attention(q, k, v, options); });
}

} // namespace

int main(int argc, char **argv) {
  for (const Row &row : rows)
    for (const bool isCompiled : {false, true})
      benchmark::RegisterBenchmark((std::string(row.name) + (isCompiled ? "/jit" : "/eager")).c_str(),
                                   [&row, isCompiled](benchmark::State &state) { measure(state, row, isCompiled); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
