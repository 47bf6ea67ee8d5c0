//===- program_test.cpp - programs without branches or loops: sizes, views, donation, failures --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/Products.h"
#include "test/unit/ProgramRunner.h"

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Steps and sizes
//===----------------------------------------------------------------------===//

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
  const auto most = int64_t(Executable::maxPlans), sizes = 2 * most;
  for (int64_t size = 1; size <= sizes; ++size)
    run({Tensor({size})});
  EXPECT_EQ(run.program->plansMade(), uint64_t(sizes));
  run({Tensor({sizes - most + 1})});
  EXPECT_EQ(run.program->plansMade(), uint64_t(sizes));
  run({Tensor({1})});
  EXPECT_EQ(run.program->plansMade(), uint64_t(sizes)) << "the first one stays";
  run({Tensor({2})});
  EXPECT_EQ(run.program->plansMade(), uint64_t(sizes) + 1);
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

TEST(Program, SizesMustMeetTheRequirements) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.input({Extent::symbol(1)});
  b.body.outputs = {x, y};
  const uint32_t first = b.addSizes({3, n, n * 2 + -1, Extent::symbol(1)});
  Schedule schedule = scheduleOf({b.body}, 2);
  const std::vector<SizeExpr> &sizes = schedule.schedules[0].sizes;
  schedule.requirements = {{sizes[first], sizes[first + 1], "first: too few", noLocation},
                           {sizes[first + 2], sizes[first + 3], "second: too many", 0}};
  Runner run(schedule);
  EXPECT_EQ(run.planFor({Tensor({3}), Tensor({5})}), "");
  EXPECT_EQ(run.planFor({Tensor({2}), Tensor({5})}), "first: too few, where n = 2");
  EXPECT_EQ(run.planFor({Tensor({4}), Tensor({6})}), "second: too many, where n = 4, o = 6\n  at model.cpp:7:3");
  EXPECT_EQ(run.planFor({Tensor({4}), Tensor({7})}), "");
}

TEST(Program, SizesAreEvaluated) {
  BodyBuilder b;
  b.addSizes({(n + -3) / 2, n * n, Extent(7) / n});
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
  EXPECT_EQ(value(2, -2), std::nullopt);
}

TEST(Program, CopiesAreBetweenEqualSizes) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.temporary({3});
  b.step(Step::copy, 0, {x}, {y});
  b.body.outputs = {y};
  Runner run({b.body}, 1);
  EXPECT_EQ(run({Tensor({3})}), iota(3));
  EXPECT_EQ(run.planFor({Tensor({4})}), "schedule 0: step 0: expected a copy between equal sizes");
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

TEST(Program, ChunksHoldRowsOfTheLastSize) {
  // Sizes of axes between are of no matter: an item is one row.
  for (const std::vector<Extent> &sizes : {std::vector<Extent>{n, 4}, {n, 1000, 4}, {n, 1000, 50, 4}}) {
    BodyBuilder b;
    SlotId x = b.input({n}), y = b.temporary({n});
    b.launch(kChunkSizes, {x}, {y}, sizes);
    b.body.outputs = {y};
    Runner run({b.body}, 1);
    const std::vector<float> made = run({Tensor({1000}, 1, 0)});
    EXPECT_EQ(made[0], 1000) << sizes.size() << " sizes";
  }
}

TEST(Program, LibraryStepsGetSizesAndStrides) {
  BodyBuilder b;
  SlotId x = b.input({n, 3}), filled = b.temporary({n, 2}), y = b.temporary({3, n});
  SlotId t = b.view(OpCode::transpose, x, {3, n}, TransposeAttrs{std::array<int64_t, 2>{1, 0}});
  Dim shape[] = {b.attribute(n), b.attribute(2)};
  b.library(OpCode::full, {}, {filled});
  b.withAttributes(b.body.steps.back(), FullAttrs{shape, ScalarAttr::floating(2.5), f32, {}});
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

TEST(Program, AnOutputThatIsAPartOfATemporaryIsCopied) {
  BodyBuilder b;
  SlotId x = b.input({n}), y = b.temporary({n});
  Dim starts[] = {b.attribute(0)}, stops[] = {b.attribute(2)};
  SlotId part = b.view(OpCode::slice, y, {2}, SliceAttrs{starts, stops, std::array<int64_t, 1>{1}});
  b.launch(kAffine, {x}, {y}, {n}, {10, 1});
  b.body.outputs = {part};
  Runner run({b.body}, 1);
  EXPECT_EQ(run({Tensor({5})}), (std::vector<float>{1, 11}));
  EXPECT_EQ(run.report.statistics.copies, 1u) << "the whole of it does not fit into the result";
}

TEST(Program, WhatAStepReadsTwiceIsNotWrittenInPlace) {
  // x + its first element, in place of an input and of a temporary.
  BodyBuilder b;
  SlotId x = b.input({n}), t = b.temporary({n}), u = b.temporary({n}), y = b.temporary({n}), z = b.temporary({n});
  auto first = [&](SlotId of) {
    Dim starts[] = {b.attribute(0)}, stops[] = {b.attribute(1)};
    return b.view(OpCode::slice, of, {1}, SliceAttrs{starts, stops, std::array<int64_t, 1>{1}});
  };
  b.launch(kAffine, {x}, {t}, {n}, {1, 10});
  b.launch(kAddFirst, {t, first(t)}, {u}, {n});
  b.launch(kAffine, {u}, {y}, {n}, {1, 0});
  b.launch(kAddFirst, {x, first(x)}, {z}, {n});
  b.body.outputs = {y, z};
  Runner run({b.body}, 1);
  std::vector<Tensor> inputs = {Tensor({9}, 1)};
  ASSERT_EQ(run.run(inputs, nullptr, true), Status::ok);
  EXPECT_EQ(run.plan->outputs[1].donor, PlannedOutput::noDonor);
  EXPECT_EQ(run.results[0].data, iota(9, 22));
  EXPECT_EQ(run.results[1].data, iota(9, 2));
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

TEST(Program, AnArenaThatTheLimitRefusesIsAFailure) {
  BodyBuilder b;
  SlotId x = b.input({n}), t = b.temporary({n}), y = b.temporary({n});
  b.library(OpCode::negative, {x}, {t});
  b.launch(kAdd, {t, t}, {y}, {n});
  b.body.outputs = {y};
  Runner run({b.body}, 1);
  std::vector<Tensor> inputs = {Tensor({1'000'000})};
  trimMemory();
  setMemoryLimit(memoryStatistics().bytesCommitted + 1'000'000);
  EXPECT_EQ(run.run(inputs), Status::outOfMemory);
  setMemoryLimit(0);
  EXPECT_EQ(run.run(inputs), Status::ok);
  EXPECT_EQ(run.results[0].data, iota(1'000'000, 0, -2));
}

TEST(Program, WhatAPrintThrowsArrives) {
  BodyBuilder b;
  b.library(OpCode::print, {b.input({n})}, {});
  b.withAttributes(b.body.steps.back(), PrintAttrs{"x = {}"});
  Runner run({b.body}, 1);
  std::vector<Tensor> inputs = {Tensor({2})};
  EXPECT_THROW(run.run(inputs), std::runtime_error);
}

std::string printed;
Status rememberingPrinter(std::string_view format, std::span<const View> operands) {
  printed = std::string(format) + " over " + std::to_string(operands.size());
  if (format == "throw")
    throw std::runtime_error("from the host");
  return Status::ok;
}

TEST(Program, RunsTheEagerKernels) {
  for (const char *format : {"x = {}", "throw"}) {
    BodyBuilder b;
    SlotId x = b.input({n, 3}), y = b.temporary({3, n}), square = b.temporary({3, 3});
    SlotId t = b.view(OpCode::transpose, x, {3, n}, TransposeAttrs{std::array<int64_t, 2>{1, 0}});
    b.library(OpCode::negative, {t}, {y});
    b.library(OpCode::dot_general, {t, x}, {square});
    b.withAttributes(b.body.steps.back(), matrixProduct());
    b.library(OpCode::print, {x}, {});
    b.withAttributes(b.body.steps.back(), PrintAttrs{format});
    b.body.outputs = {y, square};
    std::string error;
    Schedule schedule = scheduleOf({b.body}, 1);
    std::unique_ptr<Executable> program = Executable::make(schedule, allKernels(), rt::kernel, error);
    ASSERT_TRUE(program) << error;
    Tensor in({2, 3}), out({3, 2}), gram({3, 3});
    View views[] = {in.view()};
    PlanRef plan = program->plan(views, error);
    ASSERT_TRUE(plan) << error;
    void *from[] = {in.data.data()}, *to[] = {out.data.data(), gram.data.data()};
    RunReport report;
    setPrinter(rememberingPrinter);
    if (std::string_view(format) == "throw")
      EXPECT_THROW(program->run(*plan, from, to, nullptr, report), std::runtime_error);
    else
      EXPECT_EQ(program->run(*plan, from, to, nullptr, report), Status::ok);
    setPrinter(nullptr);
    EXPECT_EQ(printed, std::string(format) + " over 1");
    EXPECT_THAT(out.data, ElementsAre(-0.f, -3, -1, -4, -2, -5));
    EXPECT_THAT(gram.data, ElementsAre(9, 12, 15, 12, 17, 22, 15, 22, 29));
    EXPECT_EQ(report.statistics.librarySteps, 3u);
  }
}

TEST(Program, ALibraryStepThatReadsTwiceIsNotInPlace) {
  // (-x) + (-x)^T, whose operands are one buffer.
  BodyBuilder b;
  SlotId x = b.input({n, n}), t = b.temporary({n, n}), sum = b.temporary({n, n}), y = b.temporary({n, n});
  SlotId turned = b.view(OpCode::transpose, t, {n, n}, TransposeAttrs{std::array<int64_t, 2>{1, 0}});
  b.library(OpCode::negative, {x}, {t});
  b.library(OpCode::add, {t, turned}, {sum});
  b.library(OpCode::negative, {sum}, {y});
  b.body.outputs = {y};
  std::string error;
  std::unique_ptr<Executable> program = Executable::make(scheduleOf({b.body}, 1), allKernels(), rt::kernel, error);
  ASSERT_TRUE(program) << error;
  Tensor in({3, 3}), out({3, 3});
  View views[] = {in.view()};
  PlanRef plan = program->plan(views, error);
  ASSERT_TRUE(plan) << error;
  void *from[] = {in.data.data()}, *to[] = {out.data.data()};
  RunReport report;
  ASSERT_EQ(program->run(*plan, from, to, nullptr, report), Status::ok);
  EXPECT_THAT(out.data, ElementsAre(0, 4, 8, 4, 8, 12, 8, 12, 16));
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
// Blobs
//===----------------------------------------------------------------------===//

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

} // namespace
