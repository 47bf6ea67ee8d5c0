//===- retrace_test.cpp - messages about retracing -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LogLines.h"

#include "lib/program/CompilerPlugin.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

using namespace tenon;
using tenon::detail::compilerPath;
using tenon::test::errorOf;
using tenon::test::messageOf;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

using Retrace = test::WithLog;

struct Net {
  std::vector<Array> layers;
  int depth = 1;
};

std::string lineOf(int line) { return "retrace_test.cpp:" + std::to_string(line); }

TEST_F(Retrace, CachedFunctionsAreTracedOnce) { // P27
  auto my_matmul = jit([](const Array &x, const Array &y) { return matmul(x, y); });
  const Array x = ones({2, 3}), y = ones({3, 4});
  EXPECT_EQ(my_matmul(x, y).shape(), Shape({2, 4}));
  EXPECT_EQ(my_matmul(x, y).shape(), Shape({2, 4}));
  EXPECT_EQ(my_matmul.trace_count(), 1u);
}

TEST_F(Retrace, ExplainSaysWhatACallWouldDo) {
  auto f = jit([](const Net &net, const Array &x, int n) { return net.layers[0] * x + n; },
               {.name = "f", .arguments = {"net", "x", "n"}});
  const Net net{{ones({3}), ones({3})}};
  EXPECT_FALSE(explain(f, net, ones({3}), 2).hits);
  EXPECT_EQ(explain(f, net, ones({3}), 2).text, "f: would be traced: it has not been called yet");
  f(net, ones({3}), 2);
  const std::string first = lineOf(__LINE__ - 1);
  f(net, ones({3}), 7);
  const std::string second = lineOf(__LINE__ - 1);
  EXPECT_TRUE(explain(f, net, ones({3}), 2).hits);
  EXPECT_THAT(explain(f, net, ones({3}), 2).text, AllOf(HasSubstr("f: hits the program traced at "), HasSubstr(first)));
  const Explanation size = explain(f, net, ones({3, 3}), 2);
  EXPECT_FALSE(size.hits);
  EXPECT_THAT(size.text,
              AllOf(HasSubstr("f: would be traced again: of 2 signatures the nearest, traced at "), HasSubstr(first),
                    HasSubstr("differs: x: f32[3, 3], was f32[3]"), Not(HasSubstr(second))));
  EXPECT_THAT(explain(f, net, ones({3}, f64), 7).text, AllOf(HasSubstr(second), HasSubstr("x: f64[3], was f32[3]")));
  EXPECT_THAT(explain(f, Net{{ones({3})}}, ones({3}), 2).text, HasSubstr("net.layers: expected 2 elements, got 1"));
  EXPECT_THAT(explain(f, Net{{ones({3}), ones({4})}}, ones({3}), 2).text,
              HasSubstr("net.layers[1]: f32[4], was f32[3]"));
  EXPECT_THAT(explain(f, net, spec<float>({5}), 2).text, HasSubstr("x: f32[5], was f32[3]"));
  EXPECT_EQ(f.trace_count(), 2u) << "nothing was traced";
  EXPECT_EQ(f.stats().hits, 0u) << "and nothing counted";
  const std::string text = errorOf([&] { explain(f, net, Array(), 2); });
  EXPECT_THAT(text, AllOf(HasSubstr("empty Array (x)"), HasSubstr(lineOf(__LINE__ - 1))));
}

TEST_F(Retrace, ExplainShowsTheTreeOfAnswers) {
  auto f = jit([](const Array &x) {
    if (x > 10) // the first question
      return x - 10;
    switch (int(floor(x))) { // the second
    case -1:
      return x + 1;
    default:
      return x;
    }
  });
  const int line = __LINE__;
  for (float x : {11.0f, 12.0f, -1.0f, -0.5f, 2.0f, 13.0f})
    f(Array(x));
  const std::string text = explain(f, Array(0.0f)).text;
  EXPECT_EQ(text.substr(text.find('\n')), "\n  asks at " + std::string(__FILE__) + ":" + std::to_string(line - 9) +
                                              ":\n    false in 3 calls\n    asks at " + __FILE__ + ":" +
                                              std::to_string(line - 7) +
                                              ":\n      2 in 1 call\n      -1 in 2 calls\n    true in 3 calls");
}

TEST_F(Retrace, LinesHaveTopics) {
  auto f = jit([](const Array &x) { return x > 0 ? x * 1.25f : x; }, {.name = "f"});
  f(Array(1.0f));
  EXPECT_EQ(logged.about(LogTopic::retrace), std::vector<std::string>{"f: traced (first call)"});
  if (!compilerPath().empty()) {
    ASSERT_EQ(logged.about(LogTopic::compile).size(), 1u);
    EXPECT_THAT(logged.about(LogTopic::compile)[0], HasSubstr("compiled f: "));
  }
  EXPECT_TRUE(logged.about(LogTopic::guard).empty());
  f(Array(-1.0f));
  ASSERT_EQ(logged.about(LogTopic::guard).size(), 1u);
  EXPECT_THAT(logged.about(LogTopic::guard)[0],
              AllOf(HasSubstr("f: traced again: the C++ branch at "), HasSubstr("retrace_test.cpp:"),
                    HasSubstr("has the answer false, not true")));
}

TEST_F(Retrace, AnEqualTraceIsFoundInTheCache) {
  auto make = [] { return jit([](const Array &x) { return x * 3.5f - 1.75f; }, {.name = "g"}); };
  make()(ones({3}));
  EXPECT_TRUE(logged.about(LogTopic::cache).empty());
  make()(ones({3}));
  ASSERT_EQ(logged.about(LogTopic::cache).size(), 1u);
  EXPECT_THAT(logged.about(LogTopic::cache)[0], HasSubstr("g: found the program of an equal trace"));
}

TEST_F(Retrace, OneSizeOrOneDtypeThatChangesIsAWarning) {
  auto size = jit([](const Array &x) { return x + 1; }, {.name = "size", .arguments = {"x"}, .dynamic_shapes = 0});
  for (int n = 2; n < 10; ++n)
    size(ones({3, n}));
  EXPECT_TRUE(logged.about(LogTopic::warning).empty()) << "seven times again";
  size(ones({3, 10}));
  ASSERT_EQ(logged.about(LogTopic::warning).size(), 1u);
  EXPECT_THAT(logged.about(LogTopic::warning)[0],
              AllOf(HasSubstr("size: traced again 8 times because of one size, axis 1 of x (was 9, is 10)"),
                    HasSubstr("name it in a spec")));
  for (int n = 11; n < 30; ++n)
    size(ones({3, n}));
  EXPECT_EQ(logged.about(LogTopic::warning).size(), 1u) << "once per function";
  logged.clear();
  auto sizes = jit([](const Array &x, const Array &y) { return sum(x) + sum(y); }, {.dynamic_shapes = 0});
  for (int n = 2; n < 30; ++n)
    sizes(ones({n, n}), ones({n}));
  EXPECT_TRUE(logged.about(LogTopic::warning).empty()) << "three sizes";
  // Two sizes that alternate are two programs, whatever else changes.
  logged.clear();
  auto two = jit([](const Array &x, int n) { return x + n; }, {.name = "two"});
  for (int n = 0; n < 7; ++n)
    for (int64_t rows : {2, 3})
      two(ones({rows}), n);
  EXPECT_TRUE(logged.about(LogTopic::warning).empty());
}

TEST_F(Retrace, MoreTracesThanAllowedAreAnError) {
  auto f = jit([](const Array &x, int n) { return x + n; }, {.name = "f", .arguments = {"x", "n"}, .max_traces = 2});
  f(Array(1.0f), 1);
  f(Array(1.0f), 2);
  EXPECT_THAT(errorOf([&] { f(Array(1.0f), 3); }),
              AllOf(HasSubstr("f: this call would exceed max_traces = 2 have been: n: expected 2, got 3"),
                    HasSubstr(lineOf(__LINE__ - 2))));
  EXPECT_EQ(f(Array(1.0f), 2).item<float>(), 3) << "what is there serves on";
  auto asks = jit([](const Array &x) { return x > 0 ? x : -x; }, {.name = "asks", .max_traces = 1});
  EXPECT_EQ(asks(Array(1.0f)).item<float>(), 1);
  EXPECT_THAT(messageOf([&] { asks(Array(-1.0f)); }),
              AllOf(HasSubstr("asks: this call would exceed max_traces"), HasSubstr("the C++ branch at "),
                    HasSubstr("retrace_test.cpp")));
  EXPECT_EQ(asks(Array(2.0f)).item<float>(), 2);
}

TEST_F(Retrace, AStepThatUpdatesIsExplained) {
  auto step = jit([](Array &state, const Array &x) {
    state = state + x;
    return sum(state);
  });
  Array state = ones({2});
  EXPECT_FALSE(explain(step, state, ones({2})).hits);
  step(state, ones({2}));
  EXPECT_TRUE(explain(step, state, ones({2})).hits);
  EXPECT_EQ(state.to_vector<float>(), (std::vector<float>{2, 2}));
}

TEST_F(Retrace, ThreadsThatMissTogetherAreOneTrace) {
  auto f = jit([](const Array &x) { return x * 2; }, {.max_traces = 2});
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      try {
        f(ones({3}));
      } catch (const Error &) {
        ++refused;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(refused, 0);
  f(ones({4}));
  EXPECT_THAT(messageOf([&] { f(ones({5, 5})); }), HasSubstr("max_traces = 2"));
  clear_caches();
  f(ones({5, 5}));
}

TEST_F(Retrace, TimeIsCounted) {
  auto f = jit([](const Array &x) { return matmul(x, x) * 0.625f; });
  const Array x = ones({64, 64});
  for (int i = 0; i < 1000; ++i)
    f(x);
  const JitStats stats = f.stats();
  EXPECT_EQ(stats.traces, 1u);
  EXPECT_EQ(stats.hits, 999u);
  EXPECT_EQ(stats.compiles, 1u);
  EXPECT_GT(stats.tracing, 0u);
  EXPECT_GT(stats.compiling, 0u);
  // A product of 64 by 64 takes more than 500 ns anywhere.
  EXPECT_GT(stats.running, 500u * 1000u);
  const ConcreteStats own = f.concrete(x).stats();
  EXPECT_EQ(own.calls, 1000u) << "to hold it is no call";
  EXPECT_EQ(own.running, stats.running);
}

} // namespace
