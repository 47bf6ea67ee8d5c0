//===- schedule_test.cpp - schedules: reading, damage, planning; the arena --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/Arena.h"
#include "test/unit/ProgramRunner.h"

#include <cstdlib>
#include <functional>
#include <random>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::testing;
using ::testing::HasSubstr;

namespace {

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
  expect("expected a schedule above 0 and below 2, got 0", [](Schedule &s) { s.schedules[0].bodies[0] = 0; });
  expect("expected the code of an op with regions, got 1", [](Schedule &s) { s.schedules[0].steps[0].target = 1; });
  expect("scan: expected 1 regions, got 0", [](Schedule &s) { s.schedules[0].steps[0].bodyCount = 0; });
  expect("its schedules are outside of the table", [](Schedule &s) { s.schedules[0].steps[0].bodies = 1; });
  expect("scan: expected 3 results, got 2", [](Schedule &s) { s.schedules[0].steps[0].resultCount = 2; });
  expect("slot 9 of schedule 1 is outside of the table", [](Schedule &s) { s.schedules[1].outputs[0] = 9; });
  expect("expected a kernel below 8, got 9", [](Schedule &s) { s.schedules[1].steps[0].target = 9; });
  expect("has no value yet", [](Schedule &s) { std::swap(s.schedules[1].slotIds[1], s.schedules[1].slotIds[2]); });
  expect("expected a temporary without a value", [](Schedule &s) { s.schedules[1].slotIds[5] = 3; });
  expect("output 0, slot 9", [](Schedule &s) { s.schedules[0].outputs[0] = 9; });
  expect("expected the slot of input 0", [](Schedule &s) { s.schedules[1].inputs[0] = 4; });
  expect("takes a value from an empty stack", [](Schedule &s) { s.schedules[0].sizeCode[0] = int64_t(SizeOp::add); });
  expect("expected a symbol below 2, got 7", [](Schedule &s) { s.schedules[0].sizeCode[1] = 7; });
  expect("expected an extent below 1, got 4", [](Schedule &s) { s.kernels[kAdd].extent = 4; });
  expect("expected a location below 1, got 5", [](Schedule &s) { s.schedules[0].steps[0].location = 5; });
  auto require = [](Schedule &s, SizeExpr small, SizeExpr large, uint32_t location) {
    s.requirements.push_back({small, large, "x: too large", location});
  };
  const SizeExpr length{0, 2};
  expect("requirement 0: a size is outside of the code",
         [&](Schedule &s) { require(s, length, {9999, 2}, noLocation); });
  expect("requirement 0: expected one value of a size, got 2",
         [&](Schedule &s) { require(s, length, {0, 4}, noLocation); });
  expect("requirement 0: expected a location below 1, got 1", [&](Schedule &s) { require(s, length, length, 1); });
  expect("scan: expected at least 100 + 1 operands, got 3", [](Schedule &s) { s.schedules[0].attributes[2] = 100; });
  expect("attribute 'length'", [](Schedule &s) { s.schedules[0].attributes[0] = -1; });
  expect("scan: expected a size below", [](Schedule &s) { s.schedules[0].attributes[1] = 99; });
  expect("scan: expected f32[?] as number 0 of the inputs of 'body', got i32[?]",
         [](Schedule &s) { s.schedules[1].slots[0].dtype = i32; });
  expect("scan: expected f32[?] as number 0 of the carries that 'body' returns, got i32[?]",
         [](Schedule &s) { s.schedules[1].slots[3].dtype = i32; });
  expect("scan: expected result 1 as f32[?, ?], got i32 of rank 2",
         [](Schedule &s) { s.schedules[0].slots[4].dtype = i32; });
  expect("symbol 1 is no dim", [](Schedule &s) { s.symbols[1].axis = 2; });
  expect("does not state symbol 0", [](Schedule &s) { s.symbols[0].axis = 1; });
}

TEST(Schedule, ASlotIsAViewOfOneResultThatFits) {
  auto checked = [](OpCode op, const auto &attributes) {
    BodyBuilder b;
    b.body.outputs = {b.view(op, b.input({n, 3}), {3, n}, attributes)};
    return check(scheduleOf({b.body}, 1));
  };
  EXPECT_EQ(checked(OpCode::transpose, TransposeAttrs{std::array<int64_t, 2>{1, 0}}), "");
  EXPECT_THAT(checked(OpCode::transpose, TransposeAttrs{std::array<int64_t, 2>{1, 1}}),
              HasSubstr("transpose: its attributes do not fit to f32 of rank 2"));
  EXPECT_THAT(checked(OpCode::split, SplitAttrs{{}, 1}), HasSubstr("expected the op of a view, got code 56"));
  EXPECT_THAT(checked(OpCode::pad, PadAttrs{}), HasSubstr("expected the op of a view, got code 54"));
}

TEST(Schedule, NestsToABoundedDepth) {
  auto nested = [](uint32_t depth) {
    std::vector<ScheduleBody> bodies;
    for (uint32_t i = 0; i < depth; ++i) {
      BodyBuilder b;
      SlotId x = b.input({n}), y = b.temporary({n});
      if (i + 1 < depth)
        b.region(OpCode::call, {i + 1}, {x}, {y});
      else
        b.launch(kAffine, {x}, {y}, {n}, {1, 1});
      b.body.outputs = {y};
      bodies.push_back(b.body);
    }
    return check(scheduleOf(bodies, 1));
  };
  EXPECT_EQ(nested(maxScheduleDepth), "");
  EXPECT_EQ(nested(maxScheduleDepth + 1), "expected schedules nested at most 64 deep");
}

TEST(Schedule, TruncatedAndLongerBytesAreRefused) {
  std::vector<std::byte> bytes = serialize(scanSchedule(true));
  Schedule read;
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(parse({bytes.data(), size}, read), "") << size;
  bytes.resize(bytes.size() + 8);
  EXPECT_THAT(parse(bytes, read), HasSubstr("expected the end"));
}

TEST(Schedule, WhatIsNoScheduleIsNamed) {
  std::vector<std::byte> bytes = serialize(scanSchedule(true));
  bytes[1] = std::byte(0);
  Schedule read;
  EXPECT_EQ(parse(bytes, read),
            "schedule: at byte 0: expected the magic word 0x0003444548435354, got 0x0003444548430054");
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

//===----------------------------------------------------------------------===//
// The arena
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

TEST(Arena, GapsThatMeetAreOne) {
  for (bool lowerFirst : {true, false}) {
    // Two that go one after the other, one that stays above them, one as long as the two.
    ArenaBlock blocks[4] = {{64, 0, lowerFirst ? 1u : 2u}, {64, 0, lowerFirst ? 2u : 1u}, {64, 0, 9}, {128, 3, 9}};
    EXPECT_EQ(placeBlocks(blocks, 0), 192u) << lowerFirst;
    EXPECT_EQ(blocks[3].offset, 0u) << lowerFirst;
  }
}

TEST(Arena, RefusesWhatNoMachineHas) {
  ArenaBlock blocks[2] = {{SIZE_MAX - 10, 0, 1}, {1 << 20, 0, 1}};
  EXPECT_EQ(placeBlocks(blocks, 0), SIZE_MAX);
}

} // namespace
