//===- program_nested_test.cpp - branches, loops, threads; random programs -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/ProgramRunner.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::testing;

namespace {

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
  b.region(OpCode::cond, {1, 2}, {holds, reversed, x}, {y});
  b.region(OpCode::call, {1}, {y, x}, {z});
  b.body.outputs = {z, y};
  Runner run({b.body, affineBody(2, 0, 10, 0), affineBody(2, 1, 1, 100)}, 1);
  EXPECT_EQ(run({Tensor({3}), Tensor({}, 4)}), (std::vector<float>{200, 100, 0}));
  EXPECT_EQ(run.report.statistics.copies, 1u) << "a body takes dense inputs";
  EXPECT_EQ(run({Tensor({3}), Tensor({}, 6)}), (std::vector<float>{1000, 1010, 1020}));
  EXPECT_EQ(run.results[1].data, iota(3, 100));
}

/// A body needs what its temporaries do; of two one runs.
TEST(Program, BranchesHaveOneArenaForAll) {
  BodyBuilder large;
  SlotId in = large.input({n}), twice = large.temporary({n}), thrice = large.temporary({n}), out = large.temporary({n});
  large.launch(kAffine, {in}, {twice}, {n}, {2, 0});
  large.launch(kAffine, {in}, {thrice}, {n}, {3, 0});
  large.launch(kAdd, {twice, thrice}, {out}, {n});
  large.body.outputs = {out};
  BodyBuilder b;
  SlotId x = b.input({n}), flag = b.input({}), holds = b.temporary({}, bool_), y = b.temporary({n});
  b.launch(kLess, {flag}, {holds}, {1}, {5});
  b.region(OpCode::cond, {1, 2}, {holds, x}, {y});
  b.body.outputs = {y};
  const ScheduleBody small = affineBody(1, 0, 10, 0);
  Runner first({b.body, large.body, small}, 1), second({b.body, small, large.body}, 1);
  EXPECT_EQ(first({Tensor({300}), Tensor({}, 4)}), iota(300, 0, 5));
  EXPECT_EQ(second({Tensor({300}), Tensor({}, 6)}), iota(300, 0, 5));
  EXPECT_EQ(first.plan->bodies[0].arenaBytes, second.plan->bodies[0].arenaBytes);
  EXPECT_GE(first.plan->bodies[0].arenaBytes, first.plan->bodies[1].arenaBytes);
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

TEST(Program, NothingIsDonatedBeforeALoopThatMayNotEnd) {
  for (bool isScan : {false, true}) {
    // p * 2 + 1 in place of p, then a loop over another input.
    Schedule schedule = isScan ? scanSchedule(false) : whileSchedule(8);
    BodyBuilder b{schedule.schedules[0]};
    SlotId p = b.input({n}), y = b.temporary({n});
    b.launch(kAffine, {p}, {y}, {n}, {2, 1});
    std::rotate(b.body.steps.begin(), b.body.steps.end() - 1, b.body.steps.end());
    b.body.outputs.push_back(y);
    schedule.schedules[0] = b.body;
    Runner run(schedule);
    std::vector<Tensor> inputs = {Tensor({4, 4}), Tensor({4}), Tensor({4}), Tensor({4})};
    if (!isScan)
      inputs.erase(inputs.begin());
    ASSERT_EQ(run.run(inputs, nullptr, true), Status::ok);
    EXPECT_EQ(run.plan->outputs.back().donor, isScan ? uint32_t(inputs.size() - 1) : PlannedOutput::noDonor);
  }
}

TEST(Program, ALoopsLengthIsThatOfItsSlices) {
  Runner fits(scanSchedule(false, n)), other(scanSchedule(false, n + 1));
  const std::vector<Tensor> inputs = {Tensor({4, 3}), Tensor({3}), Tensor({3})};
  EXPECT_EQ(fits.planFor(inputs), "");
  EXPECT_EQ(other.planFor(inputs), "schedule 0: step 0: input 2 of schedule 1 has other sizes than slot 0");
  // Without slices nothing else says how long it is.
  BodyBuilder b, body;
  SlotId x = b.input({n}), y = b.temporary({n});
  Dim lengths[] = {b.attribute(n + -5)};
  b.region(OpCode::scan, {1}, {x}, {y}, ScanAttrs{lengths, 0, 1, false});
  b.body.outputs = {y};
  Runner run({b.body, affineBody(1, 0, 1, 1)}, 1);
  EXPECT_EQ(run({Tensor({7})}), iota(7, 2));
  EXPECT_EQ(run({Tensor({5})}), iota(5));
  EXPECT_EQ(run.planFor({Tensor({2})}), "schedule 0: step 0: scan: expected a length >= 0, got -3");
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
  b.region(OpCode::scan, {1}, {xs, zero, xs}, {sum}, ScanAttrs{lengths, 1, 1, false});
  b.body.outputs = {sum};
  SlotId all = outer.input({n}), state = outer.input({}), ignored = outer.input({}), next = outer.temporary({});
  Dim again[] = {outer.attribute(n)};
  outer.region(OpCode::scan, {2}, {ignored, state, all}, {next}, ScanAttrs{again, 1, 1, false});
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
  EXPECT_LE(run.plan->bodies[0].frameBytes + run.plan->bodies[0].arenaBytes, 2048u) << "on the stack";
}

/// The frames of a loop's bodies are used by turns in each round; those of two steps
/// one after the other.
TEST(Program, FramesOfBodiesLieApartInTheirParents) {
  BodyBuilder b, test, grow, wide, small;
  SlotId x = b.input({n}), k = b.input({n}), grown = b.temporary({n}), kept = b.temporary({n}), y = b.temporary({n});
  b.region(OpCode::while_loop, {1, 2}, {x, k}, {grown, kept}, WhileLoopAttrs{0, 0});
  SlotId flag = b.temporary({}, bool_);
  b.launch(kLess, {grown}, {flag}, {n}, {1000});
  b.region(OpCode::cond, {4, 4}, {flag, grown}, {y});
  b.body.outputs = {y};
  SlotId tx = test.input({n});
  test.input({n});
  SlotId holds = test.temporary({}, bool_);
  test.launch(kLess, {tx}, {holds}, {n}, {100});
  test.body.outputs = {holds};
  SlotId gx = grow.input({n}), gk = grow.input({n}), gy = grow.temporary({n});
  grow.region(OpCode::call, {3}, {gx, gk}, {gy});
  grow.body.outputs = {gy, gk};
  SlotId wx = wide.input({n}), wk = wide.input({n}), twice = wide.temporary({n}), wy = wide.temporary({n});
  wide.launch(kAffine, {wx}, {twice}, {n}, {2, 1});
  wide.launch(kAdd, {twice, wk}, {wy}, {n});
  wide.body.outputs = {wy};
  SlotId sx = small.input({n}), sy = small.temporary({n});
  small.launch(kAffine, {sx}, {sy}, {n}, {1, -1});
  small.body.outputs = {sy};
  Runner run({b.body, test.body, grow.body, wide.body, small.body}, 1);
  EXPECT_EQ(run({Tensor({3}), Tensor({3}, 1, 0)}), (std::vector<float>{125, 189, 253}));
  for (const BodyPlan &body : run.plan->bodies)
    for (const RegionPlan &region : body.regions) {
      const bool byTurns = region.bodies.size() == 2 && region.bodies[0].number != region.bodies[1].number;
      size_t free = body.frameScratch + sizeof(void *);
      for (const RegionPlan::Body &its : region.bodies) {
        EXPECT_GE(its.frame, free);
        EXPECT_LE(its.frame + run.plan->bodies[its.number].frameBytes, body.frameBytes);
        if (byTurns)
          free = its.frame + run.plan->bodies[its.number].frameBytes;
      }
    }
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

} // namespace
