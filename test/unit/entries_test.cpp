//===- entries_test.cpp - the signatures that a jitted function caches ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/FrontEntry.h"
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/Printed.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <functional>
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
    f(ones({1})); // and what it keeps in the end
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

TEST(Entries, ARefusedCallIsNone) {
  const auto f = jit([](const Array &x) { return x; });
  const Array x = ones({1});
  for (int i = 0; i < 3; ++i)
    f(x);
  EXPECT_THAT(errorOf([&] { f(Array()); }), testing::HasSubstr("got an empty Array"));
  EXPECT_EQ(f.stats().hits, 2u);
  EXPECT_THAT(explain(f, x).text, testing::HasSubstr("(3 calls)"));
}

/// Calls of several signatures in turn, each of which tries the one before first.
TEST(Entries, EachCallIsCountedWhereItBelongs) {
  auto f = jit([](const Array &x) { return x; }, {.dynamic_shapes = 0});
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

//===----------------------------------------------------------------------===//
// Straight calls: others that come among them
//===----------------------------------------------------------------------===//

/// So that the next call is straight, if it may be.
void callOften(const auto &f, const auto &...arguments) {
  for (int i = 0; i < 3; ++i)
    f(arguments...);
}

TEST(Straight, AreFollowedByCallsOfEachKind) {
  const auto plain = [](const Array &a, const Array &b) { return a * 2.0f + b; };
  const auto f = jit(plain);
  const Array a = arange(6).astype(f32).reshape({2, 3}), b = ones({2, 3}), wide = ones({3, 2});
  const auto same = [&](const auto &call) {
    callOften(f, a, b);
    const Array wanted = call(plain), got = call(f);
    EXPECT_EQ(got.dtype(), wanted.dtype());
    EXPECT_EQ(got.shape(), wanted.shape());
    EXPECT_TRUE(bool(all(got == wanted)));
  };
  // Rvalues are donated, which is another way.
  const Array turned = wide.transpose(), flipped = flip(b, 0), reshaped = wide.reshape({2, 3}), row = ones({3}),
              large = ones({2, 4}), a64 = a.astype(f64), b64 = b.astype(f64), none;
  same([&](const auto &g) { return g(a, b); });
  same([&](const auto &g) { return g(turned, b); });
  same([&](const auto &g) { return g(a, flipped); });
  same([&](const auto &g) { return g(Array(a + 1), Array(b - 1)); });
  same([&](const auto &g) { return g(a, reshaped); });
  same([&](const auto &g) { return g(a, row); });
  same([&](const auto &g) { return g(large, large); });
  same([&](const auto &g) { return g(a64, b64); });
  same([&](const auto &g) { return vmap([&](const Array &x) { return g(x, x); })(a); });
  same([&](const auto &g) { return grad([&](const Array &x) { return sum(g(x, b) * x); })(a); });
  same([&](const auto &g) { return jit([&](const Array &x) { return g(x, b) + 1; })(a); });
  same([&](const auto &g) {
    GradientTape tape;
    tape.watch(a);
    const Array y = g(a, b) * a;
    return tape.gradient(y, a);
  });
  callOften(f, a, b);
  EXPECT_THAT(errorOf([&] { f(a, none); }), testing::HasSubstr("expected an array, got an empty Array (arg 1)"));
}

TEST(Straight, ResultsAreInTheirOrder) {
  const Array a = {1.0f, 2.0f}, b = {3.0f, 4.0f};
  const auto inputs = jit([](const Array &x, const Array &y) { return std::pair(y, x); });
  const auto swapped = jit([](const Array &x, const Array &y) {
    const Array first = x + 1, second = y * 2;
    return std::array{second, first, second};
  });
  const auto constant = jit([](const Array &x, const Array &) { return std::pair(Array(7.0f), x + 1); });
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(inputs(a, b).first.to_vector<float>(), (std::vector<float>{3, 4}));
    EXPECT_EQ(inputs(a, b).second.to_vector<float>(), (std::vector<float>{1, 2}));
    EXPECT_EQ(swapped(a, b)[0].to_vector<float>(), (std::vector<float>{6, 8}));
    EXPECT_EQ(swapped(a, b)[1].to_vector<float>(), (std::vector<float>{2, 3}));
    EXPECT_EQ(swapped(a, b)[2].to_vector<float>(), (std::vector<float>{6, 8}));
    EXPECT_EQ(constant(a, b).first.item<float>(), 7);
    EXPECT_EQ(constant(a, b).second.to_vector<float>(), (std::vector<float>{2, 3}));
  }
}

TEST(Straight, DonatedArraysAreGivenUp) {
  const auto f = jit([](const Array &x) { return x + 1; });
  callOften(f, ones({1000}));
  Array x = ones({1000});
  const Array kept = x;
  const void *const elements = x.value()->data;
  const Array y = f(std::move(x));
  EXPECT_NE(y.value()->data, elements) << "another handle holds it";
  Array z = ones({1000});
  const void *const own = z.value()->data;
  const uint64_t compiled = statistics().programs;
  const Array w = f(std::move(z));
  if (statistics().programs != compiled) { // an interpreted one takes nothing over
    EXPECT_EQ(w.value()->data, own);
    EXPECT_FALSE(z.has_value());
  }
}

TEST(Straight, AnswersChange) {
  const auto f = jit([](const Array &x, const Array &y) {
    if (sum(x) > 0)
      return x + y;
    return y - x;
  });
  const Array y = ones({2}), negative = -y;
  for (const float x : {1.0f, 1.0f, 1.0f, -1.0f, -1.0f, -1.0f, -1.0f, 1.0f, 1.0f})
    EXPECT_EQ(f(x > 0 ? y : negative, y).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(f.trace_count(), 2u);
  EXPECT_THAT(explain(f, y, y).text, testing::HasSubstr("true in 5 calls"));
  EXPECT_THAT(explain(f, y, y).text, testing::HasSubstr("false in 4 calls"));
  const Statistics before = statistics();
  f(negative, y);
  const Statistics after = statistics();
  EXPECT_EQ(after.programs - before.programs + after.interpreted_programs - before.interpreted_programs, 2u)
      << "the path of the call before is tried once";
}

TEST(Straight, VariablesAndPrintsAreMore) {
  Variable v(1.0f);
  const auto reads = jit([&](const Array &x) { return x + v; });
  const auto assigns = jit([&](const Array &x) {
    v += 1;
    return x * 2;
  });
  const auto prints = jit([](const Array &x) {
    print("{}", x);
    return x * 2;
  });
  const auto keeps = jit([&](const Array &x) {
    v.assign(x);
    return x * 2;
  });
  const auto swaps = jit([](Array &x, Array &y) { std::swap(x, y); });
  const Array one(1.0f);
  callOften(reads, one);
  callOften(assigns, one);
  EXPECT_EQ(reads(one).item<float>(), 5);
  callOften(keeps, one);
  const Array nine(9.0f);
  keeps(nine);
  EXPECT_EQ(v.value().item<float>(), 9);
  Array x(1.0f), y(2.0f);
  for (int i = 0; i < 3; ++i)
    swaps(x, y);
  EXPECT_EQ(x.item<float>(), 2);
  EXPECT_EQ(y.item<float>(), 1);
  EXPECT_EQ(printedBy([&] { callOften(prints, one); }), "1.\n1.\n1.\n");
}

/// C++ on the way may assign the caller's handles.
TEST(Straight, TheHostMayAssignTheHandles) {
  Array x = ones({4});
  std::vector<Array> others;
  const auto f = jit([&](const Array &a) {
    const Array b = host_call(
        [&](const Array &c) {
          const Array result = c + 0.0f;
          x = Array();
          others = {full({4}, 7.0f), full({4}, 7.0f)}; // in its memory, if nobody holds that
          return result;
        },
        TensorSpec{f32, {4}}, a);
    return a + b;
  });
  for (int i = 0; i < 4; ++i) {
    x = ones({4});
    EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{2, 2, 2, 2}));
  }
}

TEST(Straight, PrintOptionsAreOfTheSignature) {
  const auto f = jit([](const Array &x) { return x * 2; });
  const Array x = ones({3});
  callOften(f, x);
  const PrintOptions before = print_options();
  set_print_options({.precision = 3});
  f(x);
  set_print_options(before);
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(Straight, OneOfManyArguments) {
  const auto f = jit([](const Array &a, const Array &b, const Array &c, const Array &d, const Array &e, const Array &g,
                        const Array &h, const Array &i, const Array &j, const Array &k, const Array &l, const Array &m,
                        const Array &n, const Array &o, const Array &p, const Array &q, const Array &r) {
    return a + b + c + d + e + g + h + i + j + k + l + m + n + o + p + q * 2 + r * 3;
  });
  const Array x(1.0f), y(10.0f);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(f(x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, y).item<float>(), 47);
}

/// A vector of arrays, whose number is no part of its type.
TEST(Straight, TreesAreMore) {
  const auto f = jit([](const std::vector<Array> &all) {
    Array total(0.0f);
    for (const Array &one : all)
      total = total + one;
    return total;
  });
  const Array one(1.0f);
  const std::vector<Array> single = {one};
  callOften(f, single);
  EXPECT_EQ(f(single).item<float>(), 1);
  callOften(f, std::vector{one, one});
  EXPECT_EQ(f(std::vector{one, one, one}).item<float>(), 3);
  EXPECT_EQ(f(std::vector{one, one}).item<float>(), 2);
  const auto any = jit([](const auto &x) { return Array(x) * 2; });
  const float number = 3;
  callOften(any, one);
  EXPECT_EQ(any(number).template item<float>(), 6);
}

TEST(Straight, ErrorsNameTheLine) {
  const auto f = jit([](const Array &x, const Array &i) {
    check(all(i < 3), "too large: {}", i);
    return x + i;
  });
  const std::string line = std::to_string(__LINE__ - 3);
  const Array x = ones({4}), one(1), five(5);
  callOften(f, x, one);
  EXPECT_THAT(errorOf([&] { f(x, five); }), testing::HasSubstr("too large: 5"));
  EXPECT_THAT(errorOf([&] { f(x, five); }), testing::HasSubstr("entries_test.cpp:" + line));
}

TEST(Straight, ErrorsWithoutALineNameTheCall) {
  const auto f = jit([](const Array &x) { return x + ones({1 << 22}); });
  const Array x(1.0f);
  callOften(f, x);
  rt::trimMemory();
  rt::setMemoryLimit(rt::memoryStatistics().bytesCommitted + (1 << 20));
  const std::string error = errorOf([&] { f(x); }), line = std::to_string(__LINE__);
  rt::setMemoryLimit(0);
  EXPECT_THAT(error, testing::HasSubstr("memory"));
  EXPECT_THAT(error, testing::HasSubstr("entries_test.cpp:")) << "the op's, where it is interpreted";
  if (error.starts_with("cannot allocate")) { // the program's result
    EXPECT_THAT(error, testing::HasSubstr("entries_test.cpp:" + line));
  }
}

/// There is room for the result of the path that is taken, not for that of the one before beside it.
TEST(Straight, AFailedPathLeavesNothing) {
  const auto f = jit([](const Array &x, const Array &y) {
    if (x > 0)
      return y + y;
    return y * y;
  });
  const Array y = ones({1 << 22}), plus(1.0f), minus(-1.0f);
  f(plus, y);
  f(minus, y);
  f(minus, y);
  rt::trimMemory();
  rt::setMemoryLimit(rt::memoryStatistics().bytesCommitted + (20 << 20));
  EXPECT_EQ(errorOf([&] { EXPECT_EQ(f(plus, y)[0].item<float>(), 2); }), "no error");
  rt::setMemoryLimit(0);
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(Straight, FromManyThreads) {
  const auto f = jit([](const Array &x, const Array &y) {
    if (sum(x) > 0)
      return x + y;
    return y - x;
  });
  inThreads(4, [&](int t) {
    for (int i = 0; i < 400; ++i) {
      const Array x = full({2}, (i / 7 + t) % 2 ? 1.0f : -1.0f), y = ones({2});
      EXPECT_EQ(f(x, y).to_vector<float>(), (std::vector<float>{2, 2}));
      if (i % 50 == 0) {
        EXPECT_EQ(f(ones({3 + t}), ones({3 + t})).shape(), Shape{3 + t});
      }
    }
  });
}

} // namespace
} // namespace tenon::test
