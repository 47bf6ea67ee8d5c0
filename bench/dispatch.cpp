//===- dispatch.cpp - what one small operation costs ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each result is a new array, dropped at the next round, as in the peers.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#include <ctime>

using namespace tenon;

static void add(benchmark::State &state, const Shape &shape) {
  Array a = ones(shape), b = ones(shape);
  for (auto _ : state) {
    Array c = a + b;
    benchmark::DoNotOptimize(c);
  }
}

static void addNumber(benchmark::State &state) {
  Array a = ones({1});
  for (auto _ : state) {
    Array c = a + 1.0f;
    benchmark::DoNotOptimize(c);
  }
}

/// The same while a tape notes it, which begins anew before it is long.
static void addOnTape(benchmark::State &state) {
  Array a = ones({1}), b = ones({1});
  GradientTape tape;
  int left = 0;
  for (auto _ : state) {
    if (left-- == 0) {
      tape.reset();
      tape.watch(a);
      left = 255;
    }
    Array c = a + b;
    benchmark::DoNotOptimize(c);
  }
}

static void cachedCall(benchmark::State &state) {
  auto f = jit([](const Array &a, const Array &b, const Array &c) { return a * b + c; });
  Array a = ones({8}), b = ones({8}), c = ones({8});
  f(a, b, c);
  uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    Array d = f(a, b, c);
    benchmark::DoNotOptimize(d);
  }
  if (statistics().interpreted_programs != before)
    state.SkipWithError("the compiler is not there: the calls were interpreted");
}

/// Of 200 arrays in one tree, of which the program needs two.
static void treeCall(benchmark::State &state) {
  auto f = jit([](const std::vector<Array> &tree) { return tree.front() + tree.back(); });
  const std::vector<Array> tree(200, ones({8}));
  f(tree);
  for (auto _ : state) {
    Array d = f(tree);
    benchmark::DoNotOptimize(d);
  }
}

/// A branch of C++, whose answer is that of the call before, and the same where the condition is a result.
static void branch(benchmark::State &state, bool isAsked) {
  const Array x = full({256}, 0.25f);
  auto asks = jit([](const Array &a) { return sum(a) > 1 ? a * a + 1.0f : a - 1.0f; });
  auto returns = jit([](const Array &a) { return std::pair(a * a + 1.0f, sum(a) > 1); });
  const uint64_t before = statistics().interpreted_programs;
  for (auto _ : state) {
    if (isAsked)
      benchmark::DoNotOptimize(asks(x));
    else
      benchmark::DoNotOptimize(returns(x));
  }
  if (statistics().interpreted_programs != before)
    state.SkipWithError("the compiler is not there: the calls were interpreted");
}

/// A call that updates every leaf of a tree: it should cost the same for each.
static void updatedLeaves(benchmark::State &state) {
  auto f = jit([](std::vector<Array> &leaves, const Array &x) {
    for (Array &leaf : leaves)
      leaf = leaf + x;
  });
  std::vector<Array> leaves(static_cast<size_t>(state.range(0)), zeros({}));
  Array x = ones({});
  f(leaves, x);
  for (auto _ : state)
    f(leaves, x);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// One row of a table of 3.2 MB, which no other handle holds, by a call that is given the table or has it as a
/// Variable.
static void updatedRow(benchmark::State &state, bool isVariable) {
  const Array row = ones({800}), index = Array(7);
  Array table = zeros({1000, 800}) * 1.0f;
  const Variable variable(zeros({1000, 800}) * 1.0f);
  auto ofArgument = jit([](Array &table, const Array &row, const Array &index) { table = table.at[index].set(row); });
  auto ofVariable =
      jit([=](const Array &row, const Array &index) { variable.assign(variable.value().at[index].set(row)); });
  const uint64_t before = statistics().interpreted_programs;
  for (auto _ : state)
    if (isVariable)
      ofVariable(row, index);
    else
      ofArgument(table, row, index);
  if (statistics().interpreted_programs != before)
    state.SkipWithError("the compiler is not there: the calls were interpreted");
}

static double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Inside a function that jit traces: the front door, the shape rule, the note.
template <class Op>
static void record(benchmark::State &state, Op op) {
  constexpr int ops = 1000;
  Array x = ones({32, 32});
  for (auto _ : state) {
    double taken = 0;
    auto f = jit([&](const Array &in) {
      Array y = in;
      double start = cpuSeconds();
      for (int i = 0; i < ops; ++i)
        y = op(y, in);
      taken = cpuSeconds() - start;
      return y;
    });
    (void)f.lower(x);
    state.SetIterationTime(taken / ops);
  }
}

BENCHMARK_CAPTURE(add, 1, Shape{1});
BENCHMARK_CAPTURE(add, 32x32, Shape{32, 32});
BENCHMARK(addNumber);
BENCHMARK(addOnTape);
BENCHMARK(cachedCall);
BENCHMARK(treeCall);
BENCHMARK_CAPTURE(branch, asked, true);
BENCHMARK_CAPTURE(branch, returned, false);
BENCHMARK_CAPTURE(updatedRow, argument, false);
BENCHMARK_CAPTURE(updatedRow, variable, true);
BENCHMARK(updatedLeaves)->Arg(100)->Arg(10000);
BENCHMARK_CAPTURE(record, add, [](const Array &y, const Array &x) { return y + x; })->UseManualTime()->Iterations(200);
// One that is known: what it is made of was recorded for its types before.
BENCHMARK_CAPTURE(record, composite, [](const Array &y, const Array &) { return softmax(y); })
    ->UseManualTime()
    ->Iterations(200);
BENCHMARK_MAIN();
