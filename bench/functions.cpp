//===- functions.cpp - one function of each kind, eager and compiled ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A million elements each; peers.py has the same functions of the same inputs.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

using namespace tenon;

namespace {

constexpr int64_t side = 1000, count = side * side;

struct Inputs {
  Array x = random::uniform(random::key(0), {count}), matrix = reshape(x, {side, side});
  Array places = argsort(random::uniform(random::key(1), {count})), mask = x > 0.5f;
  Array key = random::key(2).data;
};

using Function = Array (*)(const Inputs &in);
struct Row {
  const char *name;
  Function f;
  bool isJitted = true; ///< A mask's part has no size under jit.
};

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
};

void measure(benchmark::State &state, const Row &row, bool compiled) {
  const Inputs in;
  auto jitted = jit([&row](const Array &x, const Array &matrix, const Array &places, const Array &mask,
                           const Array &key) { return row.f({x, matrix, places, mask, key}); });
  auto once = [&] { return compiled ? jitted(in.x, in.matrix, in.places, in.mask, in.key) : row.f(in); };
  benchmark::DoNotOptimize(once());
  const uint64_t before = statistics().interpretedPrograms;
  for (auto _ : state) {
    Array y = once();
    benchmark::DoNotOptimize(y);
  }
  if (statistics().interpretedPrograms != before)
    state.SkipWithError("the function was interpreted");
}

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
