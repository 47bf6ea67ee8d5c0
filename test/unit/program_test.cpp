//===- program_test.cpp - schedules: read, planned, run ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "runtime/program/Arena.h"
#include "runtime/program/Executor.h"
#include "test/unit/ScheduleBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

const Size n = Size::symbol(0);
uint32_t cancelFlag = 0;

//===----------------------------------------------------------------------===//
// Kernels. Sizes come first in the words: words[0] is the extent.
//===----------------------------------------------------------------------===//

const float *in(const KernelArgs *args, int i) { return static_cast<const float *>(args->buffers[i]); }
float *out(const KernelArgs *args, int i) { return static_cast<float *>(args->buffers[i]); }

int32_t addKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    out(args, 2)[i] = in(args, 0)[i] + in(args, 1)[i];
  return 0;
}
/// y = x * words[1] + words[2]
int32_t affineKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    out(args, 1)[i] = in(args, 0)[i] * static_cast<float>(args->words[1]) + static_cast<float>(args->words[2]);
  return 0;
}
/// holds = x < words[1]
int32_t lessKernel(const KernelArgs *args, int64_t, int64_t) {
  *static_cast<bool *>(args->buffers[1]) = in(args, 0)[0] < static_cast<float>(args->words[1]);
  return 0;
}
int32_t failKernel(const KernelArgs *, int64_t, int64_t) { return 3; }
int32_t cancelKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  __atomic_store_n(&cancelFlag, 1, __ATOMIC_RELAXED);
  for (int64_t i = lo; i < hi; ++i)
    out(args, 1)[i] = in(args, 0)[i];
  return 0;
}
/// Row i is the sum of row i, by way of scratch: words are rows, columns.
int32_t rowSumKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  auto *scratch = static_cast<float *>(args->scratch);
  for (int64_t i = lo; i < hi; ++i) {
    std::copy_n(in(args, 0) + i * args->words[1], args->words[1], scratch);
    out(args, 1)[i] = 0;
    for (int64_t k = 0; k < args->words[1]; ++k)
      out(args, 1)[i] += scratch[k];
  }
  return reinterpret_cast<uintptr_t>(scratch) % 64 == 0 ? 0 : 3;
}
enum KernelNumber : uint32_t { kAdd, kAffine, kLess, kFail, kCancel, kRowSum };

std::vector<KernelFunction> allKernels() {
  return {addKernel, affineKernel, lessKernel, failKernel, cancelKernel, rowSumKernel};
}

/// Library steps: strided, like the eager ones.
Status negateLibrary(const KernelCall &call) {
  const View &x = call.operands[0];
  auto *to = static_cast<float *>(call.results[0].data);
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t rest = i, offset = 0;
    for (int axis = x.rank - 1; axis >= 0; --axis) {
      offset += rest % x.dims[axis] * x.strides[axis];
      rest /= x.dims[axis];
    }
    to[i] = -static_cast<const float *>(x.data)[offset];
  }
  return Status::ok;
}
Status fullLibrary(const KernelCall &call) {
  FullAttrs a = FullAttrs::read(call.attributes);
  int64_t count = 1;
  for (Dim dim : a.shape)
    count *= dim.raw();
  EXPECT_EQ(count, call.results[0].count());
  std::fill_n(static_cast<float *>(call.results[0].data), count, static_cast<float>(a.value.asDouble()));
  return Status::ok;
}
Status outOfMemoryLibrary(const KernelCall &) { return Status::outOfMemory; }
Status throwingPrint(const KernelCall &) { throw std::runtime_error("from the host"); }

Kernel testLibrary(OpCode op) {
  switch (op) {
  case OpCode::negative:
    return negateLibrary;
  case OpCode::full:
    return fullLibrary;
  case OpCode::exp:
    return outOfMemoryLibrary;
  case OpCode::print:
    return throwingPrint;
  default:
    return nullptr;
  }
}

Schedule scheduleOf(std::vector<ScheduleBody> bodies, size_t symbols = 0) {
  Schedule schedule;
  schedule.schedules = std::move(bodies);
  schedule.kernels.resize(6);
  const char *names[] = {"add", "affine", "less", "fail", "cancel", "row_sum"};
  for (size_t i = 0; i < 6; ++i)
    schedule.kernels[i].name = names[i];
  schedule.kernels[kAdd].inPlace = {{0, 0}, {1, 0}};
  schedule.kernels[kAffine].inPlace = {{0, 0}};
  schedule.kernels[kLess].extent = KernelInfo::wholeExtent;
  schedule.kernels[kFail].canFail = true;
  schedule.kernels[kRowSum].scratchPerItem = 4;
  schedule.kernels[kRowSum].scratchSize = 1;
  for (uint32_t i = 0; i < symbols; ++i)
    schedule.symbols.push_back({std::string(1, char('n' + i)), i, 0});
  schedule.locations = {"model.cpp:7:3"};
  return schedule;
}

/// A program, run as the library above would.
struct Runner {
  std::unique_ptr<Executable> program;
  RunReport report;
  PlanRef plan;
  std::vector<Tensor> results;

  explicit Runner(const Schedule &schedule) {
    Schedule read;
    EXPECT_EQ(parse(serialize(schedule), read), "");
    EXPECT_EQ(read, schedule);
    std::string error;
    program = Executable::make(std::move(read), allKernels(), testLibrary, error);
    EXPECT_TRUE(program) << error;
  }
  explicit Runner(std::vector<ScheduleBody> bodies, size_t symbols = 0)
      : Runner(scheduleOf(std::move(bodies), symbols)) {}

  std::string planFor(const std::vector<Tensor> &inputs) {
    std::vector<View> views;
    for (const Tensor &input : inputs)
      views.push_back(input.view());
    std::string error;
    plan = program->plan(views, error);
    return error;
  }
  Status run(std::vector<Tensor> &inputs, const uint32_t *cancel = nullptr, bool donate = false) {
    EXPECT_EQ(planFor(inputs), "");
    results.clear();
    report = {};
    std::vector<void *> from, to;
    for (Tensor &input : inputs)
      from.push_back(input.data.data());
    for (const PlannedOutput &output : plan->outputs) {
      Tensor &result = results.emplace_back(std::vector<int64_t>(output.dims.begin(), output.dims.end()), -99.f, 0.f);
      result.dtype = output.dtype;
      if (output.kind == PlannedOutput::input)
        result.data = inputs[output.source].data;
    }
    for (size_t i = 0; i < results.size(); ++i)
      to.push_back(donate && plan->outputs[i].donor != PlannedOutput::noDonor ? from[plan->outputs[i].donor]
                                                                              : results[i].data.data());
    return program->run(*plan, from, to, cancel, report);
  }
  std::vector<float> operator()(std::vector<Tensor> inputs) {
    EXPECT_EQ(run(inputs), Status::ok);
    return results.empty() ? std::vector<float>() : results[0].data;
  }
};

std::vector<float> iota(size_t count, float first = 0, float step = 1) {
  return Tensor({int64_t(count)}, first, step).data;
}

//===----------------------------------------------------------------------===//
// Steps and sizes
//===----------------------------------------------------------------------===//

/// y = (x + x) * 3 + 1 over any n.
BodyBuilder chain() {
  BodyBuilder b;
  SlotId x = b.input({n}), sum = b.temporary({n}), y = b.temporary({n});
  b.launch(kAdd, {x, x}, {sum}, {n});
  b.launch(kAffine, {sum}, {y}, {n}, {3, 1});
  b.body.outputs = {y};
  return b;
}

TEST(Program, OneProgramServesAllSizes) {
  Runner run({chain().body}, 1);
  for (int64_t size : {2, 47, 64, 5003, 0, 1'000'000})
    EXPECT_EQ(run({Tensor({size})}), iota(size_t(size), 1, 6)) << size;
  EXPECT_EQ(run.program->plansMade(), 6u);
  run({Tensor({47})});
  EXPECT_EQ(run.program->plansMade(), 6u);
  EXPECT_EQ(run.report.statistics.kernels, 2u);
  EXPECT_EQ(run.report.statistics.librarySteps, 0u);
}

TEST(Program, KeepsABoundedNumberOfPlans) {
  Runner run({chain().body}, 1);
  for (int64_t size = 1; size <= 40; ++size)
    run({Tensor({size})});
  EXPECT_EQ(run.program->plansMade(), 40u);
  run({Tensor({40 - int64_t(Executable::maxPlans) + 1})});
  EXPECT_EQ(run.program->plansMade(), 40u);
  run({Tensor({1})});
  EXPECT_EQ(run.program->plansMade(), 41u);
}

TEST(Program, InputsMustFit) {
  BodyBuilder b;
  SlotId x = b.input({n, 3}), y = b.input({n * 2 + 1});
  b.body.outputs = {x, y};
  Runner run({b.body}, 1);
  EXPECT_EQ(run.planFor({Tensor({4, 3}), Tensor({9})}), "");
  EXPECT_EQ(run.planFor({Tensor({4, 3})}), "expected 2 inputs, got 1");
  EXPECT_EQ(run.planFor({Tensor({4, 3}), Tensor({8})}), "input 1: expected size 9 of axis 0, got 8");
  EXPECT_EQ(run.planFor({Tensor({4, 2}), Tensor({9})}), "input 0: expected size 3 of axis 1, got 2");
  EXPECT_EQ(run.planFor({Tensor({4}), Tensor({9})}), "input 0: expected f32 of rank 2, got f32 of rank 1");
  Tensor ints({4, 3});
  ints.dtype = i32;
  EXPECT_EQ(run.planFor({ints, Tensor({9})}), "input 0: expected f32 of rank 2, got i32 of rank 2");
}

TEST(Program, OneNameIsOneSize) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.input({n}), sum = b.temporary({n});
  b.launch(kAdd, {x, y}, {sum}, {n});
  b.body.outputs = {sum};
  Runner run({b.body}, 1);
  EXPECT_EQ(run.planFor({Tensor({5}), Tensor({6})}), "input 1: expected size n = 5 of axis 0, got 6");
}

TEST(Program, SizesAreEvaluated) {
  BodyBuilder b;
  b.addSizes({(n + -3) / 2, n * n, Size(7) / n});
  int64_t symbols[] = {0};
  auto value = [&](size_t i, int64_t symbol) {
    symbols[0] = symbol;
    return evaluate(b.body, b.body.sizes[i], symbols);
  };
  EXPECT_EQ(value(0, 8), 2);
  EXPECT_EQ(value(0, 0), -2); // rounds down
  EXPECT_EQ(value(1, int64_t(1) << 30), int64_t(1) << 60);
  EXPECT_EQ(value(1, int64_t(1) << 31), std::nullopt);
  EXPECT_EQ(value(1, int64_t(1) << 40), std::nullopt);
  EXPECT_EQ(value(2, 0), std::nullopt);
}

TEST(Program, ScratchPerChunkIsAligned) {
  for (int64_t columns : {3, 1000, 100'000}) { // in the arena; on the stack; from the allocator
    BodyBuilder b;
    SlotId x = b.input({n, columns}), y = b.temporary({n});
    b.launch(kRowSum, {x}, {y}, {n, columns});
    b.body.outputs = {y};
    Runner run({b.body}, 1);
    for (int64_t rows : {1, 7, 300}) {
      if (columns * rows > 10'000'000)
        continue;
      EXPECT_EQ(run({Tensor({rows, columns}, 2, 0)}), std::vector<float>(size_t(rows), 2.f * float(columns)));
    }
  }
}

TEST(Program, LibraryStepsGetSizesAndStrides) {
  BodyBuilder b;
  SlotId x = b.input({n, 3}), filled = b.temporary({n, 2}), y = b.temporary({3, n});
  SlotId t = b.view(OpCode::transpose, x, {3, n}, TransposeAttrs{std::array<int64_t, 2>{1, 0}});
  Dim shape[] = {b.attribute(n), b.attribute(2)};
  b.library(OpCode::full, {}, {filled});
  b.withAttributes(b.body.steps.back(), FullAttrs{shape, {Kind::floating, __builtin_bit_cast(uint64_t, 2.5)}, f32});
  b.library(OpCode::negative, {t}, {y});
  b.body.outputs = {y, filled};
  Runner run({b.body}, 1);
  EXPECT_EQ(run({Tensor({2, 3})}), (std::vector<float>{-0.f, -3, -1, -4, -2, -5}));
  EXPECT_EQ(run.results[1].data, std::vector<float>(4, 2.5f));
  EXPECT_EQ(run.report.statistics.librarySteps, 2u);
  EXPECT_EQ(run.report.statistics.copies, 0u);
}

//===----------------------------------------------------------------------===//
// Views and outputs
//===----------------------------------------------------------------------===//

TEST(Program, PacksWhatALaunchCannotTake) {
  BodyBuilder b;
  SlotId x = b.input({n, 3}), y = b.temporary({n * 3}), z = b.temporary({3, n});
  SlotId t = b.view(OpCode::transpose, x, {3, n}, TransposeAttrs{std::array<int64_t, 2>{1, 0}});
  Dim flat[] = {b.attribute(n * 3)};
  SlotId r = b.view(OpCode::reshape, t, {n * 3}, ReshapeAttrs{flat});
  b.launch(kAffine, {r}, {y}, {n * 3}, {1, 10});
  b.launch(kAffine, {t}, {z}, {n * 3}, {1, 20});
  b.body.outputs = {y, z};
  Runner run({b.body}, 1);
  EXPECT_EQ(run({Tensor({2, 3})}), (std::vector<float>{10, 13, 11, 14, 12, 15}));
  EXPECT_EQ(run.results[1].data, (std::vector<float>{20, 23, 21, 24, 22, 25}));
  EXPECT_EQ(run.report.statistics.copies, 1u) << "packed once";
  run({Tensor({1, 3})});
  EXPECT_EQ(run.report.statistics.copies, 0u) << "with one row nothing needs packing";
}

TEST(Program, SlicesAndBroadcasts) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.temporary({3, 2});
  Dim starts[] = {b.attribute(n + -1)}, stops[] = {b.attribute(n + -5)}, shape[] = {b.attribute(3), b.attribute(2)};
  SlotId s = b.view(OpCode::slice, x, {2}, SliceAttrs{starts, stops, std::array<int64_t, 1>{-2}});
  SlotId r = b.view(OpCode::broadcast_to, s, {3, 2}, BroadcastToAttrs{shape});
  b.library(OpCode::negative, {r}, {y});
  b.body.outputs = {y, s};
  Runner run({b.body}, 1);
  EXPECT_EQ(run({Tensor({10})}), (std::vector<float>{-9, -7, -9, -7, -9, -7}));
  EXPECT_THAT(run.results[1].data, ElementsAre(9, 7));
  EXPECT_THAT(run.planFor({Tensor({2})}), HasSubstr("slice does not fit to slot 0"));
}

TEST(Program, OutputsThatAreInputsViewsAndTwins) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.temporary({n});
  Dim shape[] = {b.attribute(1), b.attribute(n)};
  SlotId rx = b.view(OpCode::reshape, x, {1, n}, ReshapeAttrs{shape});
  SlotId ry = b.view(OpCode::reshape, y, {1, n}, ReshapeAttrs{shape});
  b.launch(kAffine, {x}, {y}, {n}, {2, 0});
  b.body.outputs = {ry, x, y, rx};
  Runner run({b.body}, 1);
  EXPECT_EQ(run({Tensor({3})}), (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(run.plan->outputs[1].kind, PlannedOutput::input);
  EXPECT_EQ(run.results[2].data, (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(run.results[3].data, (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(run.results[0].dims, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(run.report.statistics.copies, 2u) << "the twin and the input's view; a reshape has the buffer itself";
}

TEST(Program, InputsMayAliasEachOther) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.input({n}), sum = b.temporary({n});
  b.launch(kAdd, {x, y}, {sum}, {n});
  b.body.outputs = {sum};
  Runner run({b.body}, 1);
  std::vector<Tensor> both = {Tensor({4}), Tensor({4})};
  ASSERT_EQ(run.planFor(both), "");
  float result[4];
  void *same[] = {both[0].data.data(), both[0].data.data()}, *to[] = {result};
  ASSERT_EQ(run.program->run(*run.plan, same, to, nullptr, run.report), Status::ok);
  EXPECT_THAT(result, ElementsAre(0, 2, 4, 6));
}

//===----------------------------------------------------------------------===//
// Donation, cancelling, failing
//===----------------------------------------------------------------------===//

/// p' = p + g, after `before`.
BodyBuilder update(bool failsAfter) {
  BodyBuilder b;
  SlotId p = b.input({n}), g = b.input({n}), next = b.temporary({n}), other = b.temporary({n});
  if (!failsAfter)
    b.library(OpCode::negative, {g}, {other});
  b.launch(kAdd, {p, g}, {next}, {n});
  if (failsAfter)
    b.library(OpCode::negative, {g}, {other});
  b.body.outputs = {next, other};
  return b;
}

TEST(Program, ADonatedInputIsUpdatedInPlace) {
  Runner run({update(false).body}, 1);
  std::vector<Tensor> inputs = {Tensor({100}), Tensor({100})};
  ASSERT_EQ(run.run(inputs, nullptr, true), Status::ok);
  EXPECT_EQ(run.plan->outputs[0].donor, 0u);
  EXPECT_EQ(inputs[0].data, iota(100, 0, 2)) << "the input's buffer holds the result";
  EXPECT_EQ(inputs[1].data, iota(100));
  ASSERT_EQ(run.run(inputs), Status::ok);
  EXPECT_EQ(inputs[0].data, iota(100, 0, 2)) << "and is left alone if it is not given";
  EXPECT_EQ(run.results[0].data, iota(100, 0, 3));
}

TEST(Program, NothingIsDonatedBeforeAStepThatCanFail) {
  Runner run({update(true).body}, 1);
  std::vector<Tensor> inputs = {Tensor({4}), Tensor({4})};
  ASSERT_EQ(run.run(inputs), Status::ok);
  EXPECT_FALSE(run.plan->mayReuseInputs);
}

TEST(Program, AnInputReadElsewhereIsNotDonatedInPlace) {
  BodyBuilder b;
  SlotId p = b.input({n}), a = b.temporary({n}), c = b.temporary({n});
  b.launch(kAffine, {p}, {a}, {n}, {2, 0});
  b.launch(kAffine, {p}, {c}, {n}, {3, 0});
  b.body.outputs = {a, c};
  Runner run({b.body}, 1);
  std::vector<Tensor> inputs = {Tensor({9})};
  ASSERT_EQ(run.run(inputs, nullptr, true), Status::ok);
  EXPECT_EQ(run.plan->outputs[0].donor, PlannedOutput::noDonor);
  EXPECT_EQ(run.plan->outputs[1].donor, 0u);
  EXPECT_EQ(inputs[0].data, iota(9, 0, 3));
  EXPECT_EQ(run.results[0].data, iota(9, 0, 2));
}

TEST(Program, CancelStopsBetweenSteps) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.temporary({n}), z = b.temporary({n});
  b.launch(kCancel, {x}, {y}, {n});
  b.launch(kAffine, {y}, {z}, {n}, {1, 1});
  b.body.outputs = {z};
  Runner run({b.body}, 1);
  std::vector<Tensor> inputs = {Tensor({4})};
  cancelFlag = 0;
  EXPECT_EQ(run.run(inputs, &cancelFlag), Status::cancelled);
  EXPECT_EQ(run.report.statistics.kernels, 1u);
  // Once an input has been written the run goes to its end.
  BodyBuilder c;
  SlotId p = c.input({n}), q = c.input({n}), r = c.temporary({n}), s = c.temporary({n});
  c.launch(kAffine, {p}, {r}, {n}, {1, 1});
  c.launch(kCancel, {q}, {s}, {n});
  SlotId t = c.temporary({n});
  c.launch(kAffine, {s}, {t}, {n}, {5, 0});
  c.body.outputs = {r, t};
  Runner donating({c.body}, 1);
  std::vector<Tensor> two = {Tensor({4}), Tensor({4})};
  cancelFlag = 0;
  EXPECT_EQ(donating.run(two, &cancelFlag, true), Status::ok);
  EXPECT_EQ(two[0].data, iota(4, 1));
  cancelFlag = 0;
  std::vector<Tensor> again = {Tensor({4}), Tensor({4})};
  EXPECT_EQ(donating.run(again, &cancelFlag, false), Status::cancelled);
}

TEST(Program, AFailingStepStopsAndNamesItsLine) {
  for (bool library : {false, true}) {
    BodyBuilder b;
    SlotId x = b.input({n}), y = b.temporary({n}), z = b.temporary({n});
    if (library)
      b.library(OpCode::exp, {x}, {y});
    else
      b.launch(kFail, {x}, {y}, {n});
    b.body.steps.back().location = 0;
    b.launch(kAffine, {y}, {z}, {n}, {1, 1});
    b.body.outputs = {z};
    Runner run({b.body}, 1);
    std::vector<Tensor> inputs = {Tensor({1'000'000})};
    EXPECT_EQ(run.run(inputs), library ? Status::outOfMemory : Status::failed);
    ASSERT_EQ(run.report.location, 0u);
    EXPECT_EQ(run.program->schedule().locations[run.report.location], "model.cpp:7:3");
  }
}

TEST(Program, WhatAPrintThrowsArrives) {
  BodyBuilder b;
  b.library(OpCode::print, {b.input({n})}, {});
  b.withAttributes(b.body.steps.back(), PrintAttrs{"x = {}"});
  Runner run({b.body}, 1);
  std::vector<Tensor> inputs = {Tensor({2})};
  EXPECT_THROW(run.run(inputs), std::runtime_error);
}

TEST(Program, AnOpWithoutKernelIsAnErrorOfThePlan) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.temporary({n});
  b.library(OpCode::log, {x}, {y});
  b.body.outputs = {y};
  Runner run({b.body}, 1);
  EXPECT_THAT(run.planFor({Tensor({2})}), HasSubstr("log: the runtime has no kernel"));
}

//===----------------------------------------------------------------------===//
// Nested schedules
//===----------------------------------------------------------------------===//

/// Takes `inputs` vectors of n, returns input `which` * scale + shift.
ScheduleBody affineBody(int inputs, int which, int64_t scale, int64_t shift) {
  BodyBuilder b;
  std::vector<SlotId> in;
  for (int i = 0; i < inputs; ++i)
    in.push_back(b.input({n}));
  SlotId y = b.temporary({n});
  b.launch(kAffine, {in[size_t(which)]}, {y}, {n}, {scale, shift});
  b.body.outputs = {y};
  return b.body;
}

TEST(Program, BranchesAndCalls) {
  BodyBuilder b;
  SlotId x = b.input({n}), flag = b.input({}), holds = b.temporary({}, bool_), y = b.temporary({n}),
         z = b.temporary({n});
  SlotId reversed = b.view(OpCode::slice, x, {n},
                           SliceAttrs{std::array<Dim, 1>{b.attribute(n + -1)}, std::array<Dim, 1>{b.attribute(-1)},
                                      std::array<int64_t, 1>{-1}});
  b.launch(kLess, {flag}, {holds}, {1}, {5});
  b.step(Step::branch, 1, {holds, reversed, x}, {y}).target2 = 2;
  b.step(Step::call, 1, {y, x}, {z});
  b.body.outputs = {z, y};
  Runner run({b.body, affineBody(2, 0, 10, 0), affineBody(2, 1, 1, 100)}, 1);
  EXPECT_EQ(run({Tensor({3}), Tensor({}, 4)}), (std::vector<float>{200, 100, 0}));
  EXPECT_EQ(run.report.statistics.copies, 1u) << "a body takes dense inputs";
  EXPECT_EQ(run({Tensor({3}), Tensor({}, 6)}), (std::vector<float>{1000, 1010, 1020}));
  EXPECT_EQ(run.results[1].data, iota(3, 100));
}

/// while x[0] < bound: x, k = x * 2 + 1, k; carries a constant k along.
Schedule whileSchedule(int64_t bound) {
  BodyBuilder b;
  SlotId x = b.input({n}), k = b.input({n}), y = b.temporary({n}), kept = b.temporary({n});
  b.withAttributes(b.step(Step::loopWhile, 1, {x, k}, {y, kept}), WhileLoopAttrs{0, 0}).target2 = 2;
  b.body.outputs = {y, kept};
  BodyBuilder test;
  SlotId tx = test.input({n});
  test.input({n});
  SlotId holds = test.temporary({}, bool_);
  test.launch(kLess, {tx}, {holds}, {n}, {bound});
  test.body.outputs = {holds};
  BodyBuilder body;
  SlotId bx = body.input({n}), bk = body.input({n}), by = body.temporary({n});
  body.launch(kAffine, {bx}, {by}, {n}, {2, 1});
  body.body.outputs = {by, bk};
  return scheduleOf({b.body, test.body, body.body}, 1);
}

TEST(Program, WhileLoops) {
  for (auto [bound, expected] : {std::pair(0, 0), {1, 1}, {2, 3}, {8, 15}}) { // 0 to 4 rounds
    Runner run(whileSchedule(bound));
    std::vector<float> got = run({Tensor({300}, 0, 0), Tensor({300})});
    EXPECT_EQ(got, std::vector<float>(300, float(expected))) << bound;
    EXPECT_EQ(run.results[1].data, iota(300));
    EXPECT_EQ(run.report.statistics.copies, 0u) << "a carry that stays is not copied each round";
  }
}

TEST(Program, AnEndlessLoopCanBeCancelled) {
  Runner run(whileSchedule(INT64_MAX));
  // x stays -1 * 2 + 1: the bound is never reached.
  std::vector<Tensor> inputs = {Tensor({2}, -1, 0), Tensor({2})};
  uint32_t flag = 0;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  });
  EXPECT_EQ(run.run(inputs, &flag), Status::cancelled);
  other.join();
}

/// carry' = carry + x[i]; y[i] = carry'; z[i] = x[i] + const.
Schedule scanSchedule(bool reverse) {
  const Size length = n, width = Size::symbol(1);
  BodyBuilder b;
  SlotId xs = b.input({length, width}), init = b.input({width}), constant = b.input({width});
  SlotId carry = b.temporary({width}), ys = b.temporary({length, width}), zs = b.temporary({length, width});
  Dim lengths[] = {b.attribute(length)};
  b.withAttributes(b.step(Step::scan, 1, {constant, init, xs}, {carry, ys, zs}), ScanAttrs{lengths, 1, 1, reverse});
  b.body.outputs = {carry, ys, zs};
  BodyBuilder body;
  SlotId c = body.input({width}), state = body.input({width}), x = body.input({width});
  SlotId next = body.temporary({width}), z = body.temporary({width});
  body.launch(kAdd, {state, x}, {next}, {width});
  body.launch(kAdd, {x, c}, {z}, {width});
  body.body.outputs = {next, next, z};
  Schedule schedule = scheduleOf({b.body, body.body});
  schedule.symbols = {{"length", 0, 0}, {"width", 0, 1}};
  return schedule;
}

TEST(Program, ScansForwardAndInReverse) {
  for (bool reverse : {false, true})
    for (auto [length, width] : {std::pair(0, 3), {1, 3}, {2, 3}, {7, 1}, {1000, 50}, {5, 0}}) {
      Runner run(scanSchedule(reverse));
      std::vector<float> carry = run({Tensor({length, width}), Tensor({width}, 100), Tensor({width}, 0, -1)});
      std::vector<float> state = iota(size_t(width), 100), ys(size_t(length * width)), zs(ys);
      for (int64_t round = 0; round < length; ++round) {
        int64_t at = reverse ? length - 1 - round : round;
        for (int64_t i = 0; i < width; ++i) {
          auto x = static_cast<float>(at * width + i);
          state[size_t(i)] += x;
          ys[size_t(at * width + i)] = state[size_t(i)];
          zs[size_t(at * width + i)] = x - float(i);
        }
      }
      EXPECT_EQ(carry, state) << length << " x " << width << (reverse ? " reversed" : "");
      EXPECT_EQ(run.results[1].data, ys);
      EXPECT_EQ(run.results[2].data, zs);
      EXPECT_EQ(run.report.statistics.kernels, uint64_t(2 * length));
    }
}

/// A loop within a loop, n rounds each.
TEST(Program, LoopsNestWithoutAllocatingPerRound) {
  BodyBuilder b, outer, inner;
  SlotId xs = b.input({n}), zero = b.input({}), sum = b.temporary({});
  Dim lengths[] = {b.attribute(n)};
  b.withAttributes(b.step(Step::scan, 1, {xs, zero, xs}, {sum}), ScanAttrs{lengths, 1, 1, false});
  b.body.outputs = {sum};
  SlotId all = outer.input({n}), state = outer.input({}), ignored = outer.input({}), next = outer.temporary({});
  Dim again[] = {outer.attribute(n)};
  outer.withAttributes(outer.step(Step::scan, 2, {ignored, state, all}, {next}), ScanAttrs{again, 1, 1, false});
  outer.body.outputs = {next};
  SlotId unused = inner.input({}), s = inner.input({}), x = inner.input({}), t = inner.temporary({}),
         u = inner.temporary({});
  inner.launch(kAffine, {x}, {t}, {1}, {1, 0});
  inner.launch(kAdd, {s, t}, {u}, {1});
  inner.body.outputs = {u};
  (void)unused;
  Runner run({b.body, outer.body, inner.body}, 1);
  std::vector<Tensor> inputs = {Tensor({1000}, 1, 0), Tensor({}, 0)};
  ASSERT_EQ(run.run(inputs), Status::ok);
  MemoryStatistics before = memoryStatistics();
  ASSERT_EQ(run.run(inputs), Status::ok);
  EXPECT_EQ(run.results[0].data[0], 1'000'000.f);
  EXPECT_EQ(memoryStatistics().largeAllocations, before.largeAllocations);
  EXPECT_EQ(memoryStatistics().systemAllocations, before.systemAllocations);
  EXPECT_LE(run.plan->bodies[0].arenaBytes, 2048u);
}

TEST(Program, ThreadsShareAProgram) {
  Runner run(scanSchedule(false));
  auto work = [&](int64_t width) {
    for (int round = 0; round < 200; ++round) {
      Tensor xs({3, width}, 1, 0), init({width}, 0, 0), constant({width}, 0, 0), carry({width}), ys({3, width}),
          zs({3, width});
      View views[] = {xs.view(), init.view(), constant.view()};
      std::string error;
      PlanRef plan = run.program->plan(views, error);
      ASSERT_TRUE(plan) << error;
      void *from[] = {xs.data.data(), init.data.data(), constant.data.data()};
      void *to[] = {carry.data.data(), ys.data.data(), zs.data.data()};
      RunReport report;
      ASSERT_EQ(run.program->run(*plan, from, to, nullptr, report), Status::ok);
      ASSERT_EQ(carry.data, std::vector<float>(size_t(width), 3.f));
    }
  };
  // More sizes than plans are kept, so that plans go while others run.
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int64_t width = 1; width < 8; ++width)
        work(i + 4 * width);
    });
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Planning at random
//===----------------------------------------------------------------------===//

TEST(Arena, BlocksInUseTogetherNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<ArenaBlock> blocks(1 + random() % 80);
    size_t sum = 0;
    for (ArenaBlock &block : blocks) {
      block.bytes = random() % 4 == 0 ? 0 : random() % 1000;
      block.first = static_cast<uint32_t>(random() % 50);
      block.last = block.first + static_cast<uint32_t>(random() % 20);
      sum += (block.bytes + 63) / 64 * 64;
    }
    for (uint32_t i = 0; i < blocks.size(); ++i) // some take over the place of another
      for (uint32_t k = 0; k < blocks.size() && random() % 2; ++k)
        if (k != i && blocks[k].last == blocks[i].first && blocks[k].first < blocks[i].first && blocks[k].bytes &&
            std::none_of(blocks.begin(), blocks.end(), [&](const ArenaBlock &b) { return b.successorOf == k; })) {
          blocks[i].bytes = blocks[k].bytes;
          blocks[i].successorOf = k;
          sum += 1024;
          break;
        }
    size_t end = placeBlocks(blocks, 100);
    EXPECT_LE(end, 128 + sum);
    for (const ArenaBlock &a : blocks) {
      EXPECT_EQ(a.offset % 64, 0u);
      EXPECT_GE(a.offset, 128u);
      EXPECT_LE(a.offset + a.bytes, end);
      for (const ArenaBlock &b : blocks) {
        bool handedOn = a.successorOf != ArenaBlock::noBlock && &blocks[a.successorOf] == &b;
        bool takesOver = b.successorOf != ArenaBlock::noBlock && &blocks[b.successorOf] == &a;
        if (&a == &b || handedOn || takesOver || a.first > b.last || b.first > a.last)
          continue;
        EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
      }
    }
  }
}

TEST(Arena, RefusesWhatNoMachineHas) {
  ArenaBlock blocks[2] = {{SIZE_MAX - 10, 0, 1}, {1 << 20, 0, 1}};
  EXPECT_EQ(placeBlocks(blocks, 0), SIZE_MAX);
}

/// Random programs of adds, affine launches, strided library steps and views
/// against the same computed value by value, without any planning.
TEST(Program, RandomProgramsComputeWhatTheySay) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    BodyBuilder b;
    std::vector<std::pair<SlotId, std::vector<float>>> values;
    size_t count = 12;
    for (int i = 0; i < 3; ++i) {
      std::vector<float> data = iota(count, float(i), float(i + 1));
      values.emplace_back(b.input({4, 3}), data);
    }
    int steps = 1 + int(random() % 40);
    for (int i = 0; i < steps; ++i) {
      auto [a, av] = values[random() % values.size()];
      auto [c, cv] = values[values.size() - 1 - random() % std::min<size_t>(values.size(), 3)];
      std::vector<float> result(count);
      uint32_t choice = random() % 4;
      if (choice == 3) { // the transpose of a, as 4 x 3 again
        SlotId t = b.view(OpCode::transpose, a, {3, 4}, TransposeAttrs{std::array<int64_t, 2>{1, 0}});
        Dim shape[] = {b.attribute(4), b.attribute(3)};
        SlotId r = b.view(OpCode::reshape, t, {4, 3}, ReshapeAttrs{shape});
        for (size_t k = 0; k < count; ++k)
          result[k] = av[k % 4 * 3 + k / 4];
        values.emplace_back(r, result);
        continue;
      }
      SlotId y = b.temporary({4, 3});
      if (choice == 0) {
        b.launch(kAdd, {a, c}, {y}, {12});
        for (size_t k = 0; k < count; ++k)
          result[k] = av[k] + cv[k];
      } else if (choice == 1) {
        b.launch(kAffine, {c}, {y}, {12}, {-1, 3});
        for (size_t k = 0; k < count; ++k)
          result[k] = cv[k] * -1 + 3;
      } else {
        b.library(OpCode::negative, {c}, {y});
        for (size_t k = 0; k < count; ++k)
          result[k] = -cv[k];
      }
      values.emplace_back(y, result);
    }
    std::vector<std::vector<float>> expected;
    for (int i = 0; i < 4; ++i) {
      auto &[slot, data] = values[random() % values.size()];
      b.body.outputs.push_back(slot);
      expected.push_back(data);
    }
    Runner run({b.body});
    for (bool donate : {false, true}) {
      std::vector<Tensor> inputs = {Tensor({4, 3}), Tensor({4, 3}, 1, 2), Tensor({4, 3}, 2, 3)};
      ASSERT_EQ(run.run(inputs, nullptr, donate), Status::ok);
      for (size_t i = 0; i < expected.size(); ++i) {
        const PlannedOutput &output = run.plan->outputs[i];
        bool reused = donate && output.kind == PlannedOutput::fresh && output.donor != PlannedOutput::noDonor;
        ASSERT_EQ(reused ? inputs[output.donor].data : run.results[i].data, expected[i])
            << "seed " << seed << " output " << i << (donate ? " donated" : "");
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::string complaint(const std::function<void(Schedule &)> &spoil) {
  Schedule schedule = scanSchedule(false);
  spoil(schedule);
  Schedule read;
  return parse(serialize(schedule), read);
}

TEST(Schedule, TheReaderSaysWhatIsWrong) {
  auto expect = [](const char *text, const std::function<void(Schedule &)> &spoil) {
    EXPECT_THAT(complaint(spoil), HasSubstr(text));
  };
  expect("expected at least one body", [](Schedule &s) { s.schedules.clear(); });
  expect("expected a schedule above 0 and below 2, got 0", [](Schedule &s) { s.schedules[0].steps[0].target = 0; });
  expect("expected a kernel below 6, got 9", [](Schedule &s) { s.schedules[1].steps[0].target = 9; });
  expect("has no value yet", [](Schedule &s) { std::swap(s.schedules[1].slotIds[1], s.schedules[1].slotIds[2]); });
  expect("expected a temporary without a value", [](Schedule &s) { s.schedules[1].slotIds[5] = 3; });
  expect("output 0, slot 9", [](Schedule &s) { s.schedules[0].outputs[0] = 9; });
  expect("expected the slot of input 0", [](Schedule &s) { s.schedules[1].inputs[0] = 4; });
  expect("takes a value from an empty stack", [](Schedule &s) { s.schedules[0].sizeCode[0] = int64_t(SizeOp::add); });
  expect("expected a symbol below 2, got 7", [](Schedule &s) { s.schedules[0].sizeCode[1] = 7; });
  expect("expected an extent below 1, got 4", [](Schedule &s) { s.kernels[kAdd].extent = 4; });
  expect("expected a location below 1, got 5", [](Schedule &s) { s.schedules[0].steps[0].location = 5; });
  expect("scan: its attributes do not fit", [](Schedule &s) { s.schedules[0].attributes[2] = 100; });
  expect("attribute 'length'", [](Schedule &s) { s.schedules[0].attributes[0] = -1; });
  expect("scan: expected a size below", [](Schedule &s) { s.schedules[0].attributes[1] = 99; });
  expect("does not fit to f32", [](Schedule &s) { s.schedules[1].slots[0].dtype = i32; });
  expect("symbol 1 is no dim", [](Schedule &s) { s.symbols[1].axis = 2; });
  expect("does not state symbol 0", [](Schedule &s) { s.symbols[0].axis = 1; });
}

TEST(Schedule, TruncatedAndLongerBytesAreRefused) {
  std::vector<std::byte> bytes = serialize(scanSchedule(true));
  Schedule read;
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(parse({bytes.data(), size}, read), "") << size;
  bytes.resize(bytes.size() + 8);
  EXPECT_THAT(parse(bytes, read), HasSubstr("expected the end"));
}

/// A blob whose two kernels are `return 0` and `return 3`.
BlobWriter smallBlob(uint32_t kernel) {
  BodyBuilder b;
  SlotId y = b.temporary({n});
  b.launch(kernel, {b.input({n})}, {y}, {n});
  b.body.outputs = {y};
  Schedule schedule;
  schedule.schedules = {b.body};
  schedule.kernels.resize(2);
  schedule.symbols = {{"n", 0, 0}};
  BlobWriter blob;
  for (int byte : {0x31, 0xc0, 0xc3, 0xb8, 3, 0, 0, 0, 0xc3})
    blob.text.push_back(std::byte(byte));
  blob.entries = {0, 3};
  blob.names = {"succeed", "fail"};
  blob.schedule = serialize(schedule);
  return blob;
}

TEST(Program, LoadsAndRunsABlob) {
  for (uint32_t kernel : {0u, 1u}) {
    std::string error;
    std::unique_ptr<Executable> program = Executable::load(smallBlob(kernel).finish(), error);
    ASSERT_TRUE(program) << error;
    Tensor x({5}), y({5});
    View views[] = {x.view()};
    PlanRef plan = program->plan(views, error);
    ASSERT_TRUE(plan) << error;
    void *from[] = {x.data.data()}, *to[] = {y.data.data()};
    RunReport report;
    EXPECT_EQ(program->run(*plan, from, to, nullptr, report), kernel ? Status::failed : Status::ok);
    EXPECT_EQ(report.statistics.kernels, 1u);
  }
}

TEST(Program, RefusesABlobWithAnotherSchedule) {
  std::string error;
  BlobWriter blob = smallBlob(0);
  blob.entries.pop_back();
  blob.names.pop_back();
  EXPECT_FALSE(Executable::load(blob.finish(), error));
  EXPECT_EQ(error, "schedule: expected 1 kernels, one for each entry of the code, got 2");
  blob = smallBlob(7);
  EXPECT_FALSE(Executable::load(blob.finish(), error));
  EXPECT_EQ(error, "schedule 0: step 0: expected a kernel below 2, got 7");
  blob.schedule.clear();
  EXPECT_FALSE(Executable::load(blob.finish(), error));
  EXPECT_EQ(error, "schedule: at byte 0: expected another word, got the end");
}

/// TENON_FUZZ_ROUNDS mutations; accepted ones are planned too.
TEST(Schedule, MutationsNeverCrashTheReaderOrThePlanner) {
  const char *wanted = std::getenv("TENON_FUZZ_ROUNDS");
  long rounds = wanted ? std::atol(wanted) : 20'000, accepted = 0, planned = 0;
  std::vector<std::vector<std::byte>> seeds = {serialize(scanSchedule(true)), serialize(whileSchedule(5)),
                                               serialize(scheduleOf({chain().body}, 1))};
  {
    BodyBuilder b;
    SlotId x = b.input({n, 3}), y = b.temporary({n * 3});
    SlotId t = b.view(OpCode::transpose, x, {3, n}, TransposeAttrs{std::array<int64_t, 2>{1, 0}});
    Dim flat[] = {b.attribute(n * 3)}, starts[] = {b.attribute(0), b.attribute(0)},
        stops[] = {b.attribute(3), b.attribute(n)};
    SlotId s = b.view(OpCode::slice, t, {3, n}, SliceAttrs{starts, stops, std::array<int64_t, 2>{1, 1}});
    SlotId r = b.view(OpCode::reshape, s, {n * 3}, ReshapeAttrs{flat});
    b.launch(kAffine, {r}, {y}, {n * 3}, {1, 10});
    b.body.outputs = {y, t};
    seeds.push_back(serialize(scheduleOf({b.body}, 1)));
  }
  std::mt19937_64 random(3);
  const std::vector<Tensor> candidates = {Tensor({2}), Tensor({4, 3}), Tensor({3}), Tensor({0, 3})};
  for (long round = 0; round < rounds; ++round) {
    std::vector<std::byte> bytes = seeds[random() % seeds.size()];
    for (uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % bytes.size();
      switch (random() % 4) {
      case 0:
        bytes[at] = std::byte(random());
        break;
      case 1:
        bytes[at] ^= std::byte(1 << random() % 8);
        break;
      case 2: { // a word of another place
        size_t from = random() % bytes.size() / 8 * 8;
        std::memcpy(bytes.data() + at / 8 * 8, bytes.data() + from, 8);
        break;
      }
      default:
        bytes[at / 8 * 8] = std::byte(random() % 12);
        break;
      }
    }
    std::string error;
    Schedule read;
    if (!parse(bytes, read).empty())
      continue;
    ++accepted;
    std::vector<View> inputs;
    for (SlotId id : read.schedules[0].inputs) {
      const Slot &slot = read.schedules[0].slots[id];
      for (const Tensor &candidate : candidates)
        if (candidate.dims.size() == slot.rank) {
          inputs.push_back(candidate.view());
          inputs.back().dtype = slot.dtype;
          break;
        }
    }
    std::vector<KernelFunction> kernels(read.kernels.size(), addKernel);
    planned += bool(makePlan(read, kernels, testLibrary, inputs, error));
  }
  EXPECT_GT(accepted, rounds / 50);
  EXPECT_GT(planned, rounds / 100);
}

} // namespace
