//===- streams_test.cpp - asynchronous work on a device ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The null device does what it is asked for when somebody waits, and its memory
// is NaNs until then.
//===----------------------------------------------------------------------===//
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/ProgramRunner.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::testing;
using namespace tenon::test;

namespace {

const StreamTable &streams = *nullDevice.streams;
Stream *own() { return streams.ofThread(); }

/// A number in the device's memory.
struct Cell {
  Cell() : place(nullDevice.allocate(sizeof(float), nullptr)) {}
  ~Cell() { nullDevice.deallocate(place, sizeof(float)); }
  Cell(const Cell &) = delete;
  void set(float value) const { EXPECT_EQ(nullDevice.toDevice(own(), place, &value, sizeof value), Status::ok); }
  void copyFrom(const Cell &other) const {
    EXPECT_EQ(nullDevice.copyBytes(own(), place, other.place, sizeof(float)), Status::ok);
  }
  /// As it is now, without waiting.
  float now() const {
    float value;
    nullDevice.toHost(&value, place, sizeof value);
    return value;
  }
  void *place;
};

/// y = x * factor, by a kernel; one that fails.
void scale(const Cell &x, const Cell &y, int64_t factor, KernelFunction kernel = affineKernel) {
  void *buffers[] = {x.place, y.place};
  const int64_t words[] = {1, factor, 0};
  Launch launch{kernel, buffers, words, 1};
  launch.stream = own();
  EXPECT_EQ(nullDevice.launch(launch), Status::ok);
}

/// An event that the test holds.
struct Held {
  explicit Held(const char *name = "") : event(streams.record(own(), {name, {}})) {}
  ~Held() { streams.release(event); }
  Held(const Held &) = delete;
  Event *event;
};

/// Work that another thread asks for, and an event after it.
template <class F>
Event *elsewhere(const F &ask) {
  Event *event = nullptr;
  std::thread([&] {
    ask();
    event = streams.record(own(), {"elsewhere", {}});
  }).join();
  return event;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

TEST(Streams, TheHostHasNone) { EXPECT_EQ(hostDevice.streams, nullptr); }

TEST(Streams, WorkIsDoneInItsOrderWhenItIsWaitedFor) {
  Cell x, y;
  x.set(3);
  scale(x, y, 5);
  EXPECT_TRUE(std::isnan(x.now()));
  EXPECT_TRUE(std::isnan(y.now()));
  EXPECT_TRUE(streams.settle(own()));
  EXPECT_EQ(y.now(), 15);
  EXPECT_EQ(streams.finish(own()).status, Status::ok);
}

TEST(Streams, AnEventIsWaitedForAndNoMore) {
  Cell x, y;
  x.set(3);
  const Held after;
  y.copyFrom(x);
  EXPECT_EQ(streams.wait(after.event).status, Status::ok);
  EXPECT_EQ(x.now(), 3);
  EXPECT_TRUE(std::isnan(y.now()));
  streams.finishAll();
  EXPECT_EQ(y.now(), 3);
  EXPECT_EQ(streams.wait(after.event).status, Status::ok);
}

TEST(Streams, TheHostsMemoryHasBeenRead) {
  Cell x;
  float value = 3;
  EXPECT_EQ(nullDevice.toDevice(own(), x.place, &value, sizeof value), Status::ok);
  value = 4;
  streams.finish(own());
  EXPECT_EQ(x.now(), 3);
}

TEST(Streams, AStreamWaitsForAnother) {
  Cell x, early, late;
  Stream *other = nullptr;
  Event *event = nullptr;
  // The other thread lives until its stream has been compared.
  std::thread([&] {
    x.set(3);
    other = own();
    event = streams.record(other, {"x", {}});
    std::thread([&] {
      EXPECT_NE(own(), other);
      EXPECT_EQ(own(), own());
      early.copyFrom(x); // does not wait: so it is seen
      streams.await(own(), event);
      late.copyFrom(x);
      streams.finish(own());
    }).join();
  }).join();
  EXPECT_TRUE(std::isnan(early.now()));
  EXPECT_EQ(late.now(), 3);
  streams.release(event);
}

TEST(Streams, WorkOfThreadsThatHaveEnded) {
  Cell x;
  Event *event = elsewhere([&] { x.set(3); });
  EXPECT_TRUE(std::isnan(x.now()));
  EXPECT_EQ(streams.wait(event).status, Status::ok);
  EXPECT_EQ(x.now(), 3);
  streams.release(event);
}

TEST(Streams, AllThatReadsBeforeItIsWritten) {
  Cell x, y;
  x.set(3);
  streams.finish(own());
  Event *event = elsewhere([&] { y.copyFrom(x); });
  streams.awaitAll(own());
  x.set(4);
  streams.finish(own());
  EXPECT_EQ(x.now(), 4);
  EXPECT_EQ(y.now(), 3);
  streams.release(event);
}

TEST(Streams, WhatFailsIsSaidToWhoWaits) {
  Cell x, y, z;
  const std::string place = "model.cpp:7:3";
  x.set(3);
  streams.setPlace(own(), &place);
  scale(x, y, 5, failKernel);
  streams.setPlace(own(), nullptr);
  scale(x, z, 5); // of the same call: it is not done
  const Held first("first");
  streams.await(own(), first.event);
  z.copyFrom(x);
  const Held second("second");
  x.set(4); // a call that has nothing to do with it
  const Held third("third");
  for (const Held *held : {&first, &second}) {
    const Failure &failure = streams.wait(held->event);
    EXPECT_EQ(failure.status, Status::failed);
    EXPECT_EQ(failure.place, "model.cpp:7:3");
    EXPECT_STREQ(failure.origin.value().name, "first");
  }
  EXPECT_EQ(streams.wait(third.event).status, Status::ok);
  EXPECT_EQ(x.now(), 4);
  EXPECT_TRUE(std::isnan(z.now()));
}

TEST(Streams, ACallWithoutAnEventSaysItOnce) {
  Cell x;
  scale(x, x, 5, failKernel);
  EXPECT_FALSE(streams.settle(own()));
  EXPECT_FALSE(streams.settle(own()));
  const Failure failure = streams.finish(own());
  EXPECT_EQ(failure.status, Status::failed);
  EXPECT_FALSE(failure.origin);
  EXPECT_EQ(streams.finish(own()).status, Status::ok);
}

TEST(Streams, BlocksAreUsedToTheEnd) {
  const size_t before = memoryStatistics().blocksInUse;
  Cell y;
  {
    Cell x;
    x.set(3);
    y.copyFrom(x);
  }
  const Cell next; // not where x is
  next.set(4);
  EXPECT_EQ(memoryStatistics().blocksInUse, before + 3);
  streams.finish(own());
  EXPECT_EQ(y.now(), 3);
  EXPECT_EQ(memoryStatistics().blocksInUse, before + 2);
}

TEST(Streams, BlocksOfOtherStreams) {
  Cell y;
  Event *event = nullptr;
  {
    Cell x;
    x.set(3);
    streams.finish(own());
    event = elsewhere([&] { y.copyFrom(x); });
  }
  streams.finish(own()); // which has nothing to do
  const Cell next;
  next.set(4);
  streams.finish(own());
  streams.wait(event);
  EXPECT_EQ(y.now(), 3);
  streams.release(event);
}

TEST(Streams, NoMoreWaitsThanMay) {
  const size_t before = memoryStatistics().blocksInUse;
  for (int i = 0; i < 10000; ++i) {
    Cell x;
    x.set(3);
  }
  EXPECT_LT(memoryStatistics().blocksInUse, before + 1000);
  streams.finish(own());
}

TEST(Streams, NoMoreWorkWaitsThanMay) {
  Cell x;
  for (int i = 0; i < 10000; ++i)
    x.set(static_cast<float>(i));
  EXPECT_GT(x.now(), 9000);
  streams.finish(own());
}

TEST(Streams, BlocksDoNotWaitForAnIdleStream) {
  Cell idle;
  Event *event = elsewhere([&] { idle.set(1); });
  const size_t before = memoryStatistics().blocksInUse;
  for (int i = 0; i < 10000; ++i) {
    Cell x;
    x.set(3);
    streams.finish(own());
  }
  EXPECT_LT(memoryStatistics().blocksInUse, before + 1000);
  streams.release(event);
}

TEST(Streams, MemoryThatWaitsIsFoundWhenItIsScarce) {
  const size_t large = size_t(1) << 22;
  void *block = nullDevice.allocate(large, nullptr);
  ASSERT_TRUE(block);
  Cell x;
  x.set(3);
  nullDevice.deallocate(block, large);
  setMemoryLimit(memoryStatistics().bytesCommitted + large / 2);
  block = nullDevice.allocate(large, nullptr);
  setMemoryLimit(0);
  EXPECT_TRUE(block);
  nullDevice.deallocate(block, large);
}

int32_t thirdKernel(const KernelArgs *args, int64_t, int64_t) {
  volatile float one = 1, three = 3;
  out(args, 1)[0] = one / three;
  return 0;
}

TEST(Streams, NumbersAreRoundedAsEver) {
  Cell x;
  scale(x, x, 1, thirdKernel);
  std::fesetround(FE_DOWNWARD);
  streams.finish(own());
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(x.now(), 1.0f / 3.0f);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Runs a schedule of one input and one output of four elements on the device. When the
/// program has gone, its work is done.
Failure runLater(const Schedule &schedule, std::vector<float> &result) {
  std::string error;
  Failure failure;
  void *x = nullDevice.allocate(16, nullptr), *y = nullDevice.allocate(16, nullptr);
  {
    auto program = Executable::make(schedule, allKernels(), testLibrary, error);
    const int64_t dims[] = {4};
    const View view{nullptr, f32, 1, dims, nullptr};
    const PlanRef plan = program->plan({&view, 1}, error, nullDevice);
    EXPECT_TRUE(plan) << error;
    const float start[] = {1, 2, 3, 4};
    EXPECT_EQ(nullDevice.toDevice(own(), x, start, 16), Status::ok);
    RunReport report;
    EXPECT_EQ(program->run(*plan, {&x, 1}, {&y, 1}, nullptr, report), Status::ok);
    // The program goes before its work is waited for.
  }
  result.resize(4);
  nullDevice.toHost(result.data(), y, 16);
  failure = streams.finish(own());
  nullDevice.deallocate(x, 16);
  nullDevice.deallocate(y, 16);
  return failure;
}

TEST(StreamsOfPrograms, AProgramThatIsGone) {
  std::vector<float> result;
  EXPECT_EQ(runLater(scheduleOf({chain().body}, 1), result).status, Status::ok);
  EXPECT_EQ(result, (std::vector<float>{7, 13, 19, 25}));
}

/// y = x after a step that fails, and a loop that would go on for ever on NaNs.
TEST(StreamsOfPrograms, ALoopOverWhatHasFailedEnds) {
  BodyBuilder b;
  SlotId x = b.input({n}), bad = b.temporary({n}), y = b.temporary({n});
  b.launch(kFail, {x}, {bad}, {n});
  b.body.steps.back().location = 0;
  b.region(OpCode::while_loop, {1, 2}, {bad}, {y}, WhileLoopAttrs{0, 0});
  b.body.outputs = {y};
  BodyBuilder test;
  SlotId tx = test.input({n}), holds = test.temporary({}, bool_);
  test.launch(kLess, {tx}, {holds}, {n}, {INT64_MAX});
  test.body.outputs = {holds};
  BodyBuilder body;
  SlotId bx = body.input({n}), by = body.temporary({n});
  body.launch(kAffine, {bx}, {by}, {n}, {2, 1});
  body.body.outputs = {by};
  std::vector<float> result;
  const Failure failure = runLater(scheduleOf({b.body, test.body, body.body}, 1), result);
  EXPECT_EQ(failure.status, Status::failed);
  EXPECT_EQ(failure.place, "model.cpp:7:3");
  EXPECT_TRUE(std::isnan(result[0]));
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

const Array numbers = arange(6, {}, 1, f32);
Array there(const Array &x) { return to_device(x, Device::null); }

TEST(StreamsOfArrays, EachReadWaits) {
  auto later = [] { return there(numbers) * 2; };
  EXPECT_EQ(later().to_vector<float>(), (std::vector<float>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(later()[5].item<float>(), 10);
  EXPECT_EQ((later() > 5).to_vector<bool>(), (std::vector<bool>{false, false, false, true, true, true}));
  EXPECT_EQ(format("{}", later()), format("{}", numbers * 2));
  EXPECT_EQ(format("{}", to_device(later(), Device::cpu)), format("{}", numbers * 2));
  EXPECT_EQ(format("{}", reshape(later(), {2, 3})), format("{}", reshape(numbers * 2, {2, 3})));
}

TEST(StreamsOfArrays, ArraysOfAnotherThread) {
  Array x;
  std::thread([&] { x = there(numbers) * 2; }).join();
  const Array y = x + 1;
  EXPECT_EQ(format("{}", y), format("{}", numbers * 2 + 1));
  auto f = jit([](const Array &a) { return a * 3; }, {.compile = Compile::never});
  std::thread([&] { x = there(numbers) + 1; }).join();
  EXPECT_EQ(format("{}", f(x)), format("{}", (numbers + 1) * 3));
  std::thread([&] { x = there(reshape(numbers, {2, 3})) + 1; }).join();
  EXPECT_EQ(format("{}", transpose(x)[1]), format("{}", transpose(reshape(numbers, {2, 3}) + 1)[1]));
}

/// An array that fails when it is computed: the sort has no memory.
struct Failing {
  Array product;
  unsigned line = 0;
  Failing() {
    const Array x = there(ones({20000, 2}));
    streams.finishAll();
    product = sort(transpose(x)[0])[0];
    line = __LINE__ - 1;
    setMemoryLimit(memoryStatistics().bytesCommitted + 4096);
  }
  ~Failing() { setMemoryLimit(0); }
};

TEST(StreamsOfArrays, ErrorsNameTheOp) {
  const Failing failing;
  const std::string expected =
      "sort_keys: cannot allocate scratch memory\n  at " __FILE__ ":" + std::to_string(failing.line);
  for (const std::string &said :
       {errorOf([&] { failing.product.item<float>(); }), errorOf([&] { failing.product.to_vector<float>(); }),
        errorOf([&] { format("{}", failing.product); }), errorOf([&] { (void)bool(failing.product > 0); }),
        errorOf([&] { print("{}", {failing.product * 2}); }), errorOf([&] { (failing.product + 1).item<float>(); }),
        errorOf([&] { softmax(failing.product + ones({2}, f32, Device::null)).to_vector<float>(); })})
    EXPECT_EQ(said.substr(0, expected.size()), expected);
  EXPECT_EQ((there(numbers) + 1)[1].item<float>(), 2); // what came before has nothing to do with this
}

TEST(StreamsOfArrays, WhatIsPrintedComesInItsTurn) {
  ::testing::internal::CaptureStdout();
  print("{}", {there(numbers)[3] * 2});
  std::puts("next");
  std::fflush(stdout);
  const std::string said = ::testing::internal::GetCapturedStdout();
  streams.finish(own());
  EXPECT_EQ(said, "6.\nnext\n");
}

TEST(StreamsOfArrays, WhatIsWaitingIsWholeInAChild) {
  const Array x = there(numbers) * 2;
  Array y;
  std::thread([&] { y = there(numbers) + 1; }).join();
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<float> both = (x * y).to_vector<float>();
    _exit(both == (numbers * 2 * (numbers + 1)).to_vector<float>() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(StreamsOfArrays, AProcessEndsWithWorkThatWaits) {
  // In a process of its own: what a fork has to leave behind is no leak of an exit.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static Array kept;
        kept = there(numbers) * 2;
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

} // namespace
