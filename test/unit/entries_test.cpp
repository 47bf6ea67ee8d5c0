//===- entries_test.cpp - the signatures that a jitted function keeps, and their calls -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/FrontEntry.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <memory>
#include <thread>
#include <vector>

namespace tenon::test {
namespace {

using detail::EntryRef;
using detail::FrontEntry;
using detail::JitEntry;

/// More calls than are counted beside the entry's address.
constexpr int many = 70'000;

void inThreads(int count, const std::function<void(int)> &body) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&body, t] { body(t); });
}

TEST(FrontEntry, CountsWhoTakesIt) {
  EntryRef a(new JitEntry), b(new JitEntry);
  FrontEntry front;
  uint64_t number = 0;
  EXPECT_FALSE(front.take(number));
  EXPECT_EQ(front.pending(), 0u);
  EXPECT_EQ(front.set(&*a), 0u);
  for (uint64_t call = 1; call <= 3; ++call) {
    EXPECT_EQ(&*front.take(number), &*a);
    EXPECT_EQ(number, call);
  }
  EXPECT_EQ(front.pending(), 3u);
  EXPECT_EQ(a->calls, 0u);
  EXPECT_EQ(front.settle(), 3u);
  EXPECT_EQ(front.pending(), 0u);
  EXPECT_EQ(a->calls, 3u);
  EntryRef held = front.take(number);
  EXPECT_EQ(number, 4u);
  EXPECT_EQ(front.set(&*b), 1u);
  EXPECT_EQ(front.get(), &*b);
  EXPECT_EQ(a->calls, 4u);
  EXPECT_EQ(a->references, 2u) << "a and held";
  held = {};
  EXPECT_EQ(a->references, 1u);
  EXPECT_EQ(front.set(nullptr), 0u);
  EXPECT_EQ(b->references, 1u);
}

TEST(FrontEntry, IsNearlyFullBeforeItIs) {
  EntryRef a(new JitEntry);
  FrontEntry front;
  front.set(&*a);
  uint64_t number = 0, calls = 0;
  while (!front.isNearlyFull()) {
    front.take(number);
    ASSERT_EQ(number, ++calls);
  }
  EXPECT_GT(calls, 1000u);
  front.take(number); // those of other threads meanwhile
  EXPECT_EQ(front.settle(), calls + 1);
  EXPECT_EQ(front.get(), &*a);
  front.take(number);
  EXPECT_EQ(number, calls + 2);
}

/// What no call holds any more is freed, however many have: its program holds what the function has captured.
TEST(Entries, AreFreedWhenNoCallHoldsThem) {
  auto held = std::make_shared<int>();
  {
    auto f =
        jit([held](const Array &x) { return host_call([held](const Array &a) { return a; }, TensorSpec{f32, {1}}, x); },
            {.compile = Compile::never});
    inThreads(3, [&](int) {
      for (int i = 0; i < 200; ++i)
        f(ones({1}));
    });
    clear_caches();
    for (int i = 0; i < 10; ++i) {
      f(ones({1}));
      clear_caches();
    }
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Entries, EachCallIsCounted) {
  auto f = jit([](const Array &x) { return x; });
  f(ones({1}));
  inThreads(4, [&](int) {
    for (int i = 0; i < many / 4; ++i)
      f(ones({1}));
  });
  EXPECT_EQ(f.stats().hits, uint64_t(many));
  EXPECT_THAT(explain(f, ones({1})).text, testing::HasSubstr("(" + std::to_string(many + 1) + " calls)"));
}

/// Calls of several signatures in turn, each of which tries the one before first.
TEST(Entries, EachCallIsCountedWhereItBelongs) {
  auto f = jit([](const Array &x) { return x; }, {.auto_symbols = 0});
  constexpr int rounds = 2000;
  inThreads(3, [&](int) {
    for (int i = 0; i < rounds; ++i)
      for (int size = 1; size <= 3; ++size)
        EXPECT_EQ(f(ones({size})).shape(), Shape{size});
  });
  const JitStats stats = f.stats();
  EXPECT_EQ(stats.hits + stats.traces, uint64_t(9 * rounds));
  for (int size = 1; size <= 3; ++size)
    EXPECT_THAT(explain(f, ones({size})).text, testing::HasSubstr("(" + std::to_string(3 * rounds) + " calls)"));
}

} // namespace
} // namespace tenon::test
