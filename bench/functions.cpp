//===- functions.cpp - one function of each kind, eager and compiled ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A million elements each; peers.py has the same functions of the same inputs. Then
// std::sort of them, and ten thousand updates of an element, that must not copy the others.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>

using namespace tenon;

namespace {

constexpr int64_t side = 1000, count = side * side, updates = 10'000;

struct Inputs {
  Array x = random::uniform(random::key(0), {count}), matrix = reshape(x, {side, side});
  Array places = argsort(random::uniform(random::key(1), {count})), mask = x > 0.5f;
  Array key = random::key(2).data;
};

using Function = Array (*)(const Inputs &in);
struct Row {
  const char *name;
  Function f;
  bool isJitted = true;     ///< A mask's part has no size under jit.
  Function eager = nullptr; ///< What is written another way there.
};

/// One element after another, of an array that nobody else reads.
Array updated(const Inputs &in) {
  return fori_loop(0, updates, [](const Array &k, const Array &x) { return x.at[{k * 97}].add(1.0f); }, in.x);
}
Array updatedByMoves(const Inputs &in) {
  Array x = in.x + 0.0f;
  for (int64_t k = 0; k < updates; ++k)
    x = std::move(x).at[{k * 97}].add(1.0f);
  return x;
}

const Row rows[] = {
    {"sin", [](const Inputs &in) { return sin(in.x); }},
    {"sigmoid", [](const Inputs &in) { return sigmoid(in.x); }},
    {"sum over 0", [](const Inputs &in) { return sum(in.matrix, 0); }},
    {"sum over 1", [](const Inputs &in) { return sum(in.matrix, 1); }},
    {"var", [](const Inputs &in) { return var(in.x); }},
    {"cumulative_sum", [](const Inputs &in) { return cumulative_sum(in.x); }},
    {"cumulative_sum over 0", [](const Inputs &in) { return cumulative_sum(in.matrix, 0); }},
    {"sort", [](const Inputs &in) { return sort(in.x); }},
    {"argsort", [](const Inputs &in) { return argsort(in.x); }},
    {"gather", [](const Inputs &in) { return in.x[in.places]; }},
    {"scatter-add", [](const Inputs &in) { return zeros({count}).at[in.places].add(in.x); }},
    {"transpose", [](const Inputs &in) { return transpose(in.matrix) + 1.0f; }},
    {"flip", [](const Inputs &in) { return flip(in.x) + 1.0f; }},
    {"roll", [](const Inputs &in) { return roll(in.x, 5); }},
    {"x[mask]", [](const Inputs &in) { return in.x[in.mask]; }, false},
    {"unique", [](const Inputs &in) { return unique_values(floor(in.x * 100.0f), 100); }},
    {"normal", [](const Inputs &in) { return random::normal(Key{in.key}, {count}); }},
    {"uniform", [](const Inputs &in) { return random::uniform(Key{in.key}, {count}); }},
    {"10,000 updates", updated, true, updatedByMoves},
};

void measure(benchmark::State &state, const Row &row, bool compiled) {
  const Inputs in;
  auto jitted = jit([&row](const Array &x, const Array &matrix, const Array &places, const Array &mask,
                           const Array &key) { return row.f({x, matrix, places, mask, key}); });
  auto once = [&] {
    return compiled ? jitted(in.x, in.matrix, in.places, in.mask, in.key) : (row.eager ? row.eager : row.f)(in);
  };
  benchmark::DoNotOptimize(once());
  const uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    Array y = once();
    benchmark::DoNotOptimize(y);
  }
  if (statistics().interpreted_programs != before)
    state.SkipWithError("the function was interpreted");
}

/// A copy of x, sorted.
void stdSort(benchmark::State &state) {
  const Inputs in;
  const std::span<const float> x = in.x.elements<float>();
  for (auto _ : state) {
    std::vector<float> y(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    benchmark::DoNotOptimize(y.data());
  }
}

/// The places of x's elements in their order.
void stdArgsort(benchmark::State &state) {
  const Inputs in;
  const std::span<const float> x = in.x.elements<float>();
  for (auto _ : state) {
    std::vector<int64_t> places(x.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) { return x[a] < x[b]; });
    benchmark::DoNotOptimize(places.data());
  }
}
BENCHMARK(stdSort)->Name("sort/std")->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(stdArgsort)->Name("argsort/std")->Unit(benchmark::kMicrosecond)->UseRealTime();

} // namespace

int main(int argc, char **argv) {
  for (const Row &row : rows)
    for (const bool compiled : {false, true})
      if (row.isJitted || !compiled)
        benchmark::RegisterBenchmark((std::string(row.name) + (compiled ? "/jit" : "/eager")).c_str(),
                                     [&row, compiled](benchmark::State &state) { measure(state, row, compiled); })
            ->Unit(benchmark::kMicrosecond)
            ->UseRealTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
