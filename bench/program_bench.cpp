//===- program_bench.cpp - what a program costs besides its kernels ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run is the call with a plan at hand, Call finds the plan first; the argument
// is the number of steps, each a kernel over one element.
//===----------------------------------------------------------------------===//
#include "test/unit/ScheduleBuilder.h"

#include <benchmark/benchmark.h>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::testing;

static int32_t addKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  auto buffer = [&](int i) { return static_cast<float *>(args->buffers[i]); };
  for (int64_t i = lo; i < hi; ++i)
    buffer(2)[i] = buffer(0)[i] + buffer(1)[i];
  return 0;
}

static Status noLibrary(const KernelCall &) { return Status::ok; }

/// `steps` steps, each over the result of the one before and the second input.
static std::unique_ptr<Executable> chain(int64_t steps, bool library) {
  BodyBuilder b;
  const Extent n = Extent::symbol(0);
  SlotId last = b.input({n}), y = b.input({n});
  b.input({n});
  for (int64_t i = 0; i < steps; ++i) {
    SlotId next = b.temporary({n});
    if (library)
      b.library(OpCode::add, {last, y}, {next});
    else
      b.launch(0, {last, y}, {next}, {n});
    last = next;
  }
  b.body.outputs = {last};
  Schedule schedule;
  schedule.schedules = {b.body};
  schedule.kernels.resize(1);
  schedule.kernels[0].inPlace = {{0, 0}};
  schedule.symbols = {{"n", 0, 0}};
  std::string error;
  return Executable::make(schedule, {addKernel}, [](OpCode) -> Kernel { return noLibrary; }, error);
}

template <bool library, bool findPlan>
static void run(benchmark::State &state) {
  std::unique_ptr<Executable> program = chain(state.range(0), library);
  uint32_t cancel = 0;
  Tensor x({1}), y({1}), z({1}), result({1});
  View views[] = {x.view(), y.view(), z.view()};
  std::string error;
  PlanRef plan = program->plan(views, error);
  void *inputs[] = {x.data.data(), y.data.data(), z.data.data()}, *outputs[] = {result.data.data()};
  for (auto _ : state) {
    RunReport report;
    if constexpr (findPlan) {
      PlanRef found = program->plan(views, error);
      benchmark::DoNotOptimize(program->run(*found, inputs, outputs, &cancel, report));
    } else {
      benchmark::DoNotOptimize(program->run(*plan, inputs, outputs, &cancel, report));
    }
    benchmark::DoNotOptimize(report);
  }
}

static void launchRun(benchmark::State &state) { run<false, false>(state); }
static void launchCall(benchmark::State &state) { run<false, true>(state); }
static void libraryRun(benchmark::State &state) { run<true, false>(state); }
BENCHMARK(launchRun)->Arg(0)->Arg(1)->Arg(2)->Arg(11)->Arg(101);
BENCHMARK(launchCall)->Arg(1);
BENCHMARK(libraryRun)->Arg(1)->Arg(11)->Arg(101);

/// A new set of sizes for a program of that many steps.
static void makePlanOf(benchmark::State &state) {
  std::unique_ptr<Executable> program = chain(state.range(0), false);
  KernelFunction kernels[] = {addKernel};
  Tensor x({1000}), y({1000}), z({1000});
  View views[] = {x.view(), y.view(), z.view()};
  std::string error;
  for (auto _ : state)
    benchmark::DoNotOptimize(makePlan(program->schedule(), kernels, rt::kernel, views, error));
}
BENCHMARK(makePlanOf)->Arg(1)->Arg(100)->Arg(10000);

static void parseSchedule(benchmark::State &state) {
  std::vector<std::byte> bytes = serialize(chain(state.range(0), false)->schedule());
  for (auto _ : state) {
    Schedule read;
    benchmark::DoNotOptimize(parse(bytes, read));
  }
}
BENCHMARK(parseSchedule)->Arg(1)->Arg(100)->Arg(10000);

BENCHMARK_MAIN();
