//===- background_test.cpp - compilation in the background ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenon;

namespace {

/// A program that no other test has: `number` of ops.
auto chain(int number, float factor) {
  return jit(
      [=](Array x) {
        for (int i = 0; i < number; ++i)
          x = tanh(x * factor + static_cast<float>(i));
        return x;
      },
      {.compile = Compile::background});
}

/// Calls f until its program is there: an interpreted one where there is no compiler.
bool isCompiledInTime(auto &f, auto &&call) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (std::chrono::steady_clock::now() < end) {
    call();
    if (f.stats().compiles)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(Background, CallsAreInterpretedUntilTheProgramIsThere) {
  auto f = chain(50, 0.5f);
  auto wanted = jit(
      [](Array x) {
        for (int i = 0; i < 50; ++i)
          x = tanh(x * 0.5f + static_cast<float>(i));
        return x;
      },
      {.compile = Compile::never});
  const Array x = linspace(-1.0f, 1.0f, 7);
  const std::vector<float> bits = wanted(x).to_vector<float>();
  const uint64_t interpreted = statistics().interpreted_programs;
  EXPECT_EQ(f(x).to_vector<float>(), bits);
  EXPECT_EQ(statistics().interpreted_programs - interpreted, 1u) << "the first call waits for nobody";
  EXPECT_TRUE(isCompiledInTime(f, [&] { EXPECT_EQ(f(x).to_vector<float>(), bits); }));
  EXPECT_EQ(f.stats().compiles, 1u);
  EXPECT_GT(f.stats().compiling, 0u);
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Background, GuardsUpdatesAndDonationsHoldWhileInterpreted) {
  Variable calls(0);
  auto f = jit(
      [&](Array &x, Array y) {
        calls += 1;
        if (sum(x) > 10)
          x = x - y;
        else
          x = x + y;
        return y * 2;
      },
      {.compile = Compile::background});
  Array x = {4.0f, 5.0f};
  std::vector<float> eager = {4, 5};
  for (int i = 0; i < 200; ++i) {
    const float sign = eager[0] + eager[1] > 10 ? -1.0f : 1.0f;
    eager = {eager[0] + sign, eager[1] + sign * 2};
    EXPECT_EQ(f(x, Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{2, 4}));
    ASSERT_EQ(x.to_vector<float>(), eager) << i;
  }
  EXPECT_EQ(calls.value().item<int>(), 200);
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(Background, CostWaitsForTheProgram) {
  auto f = chain(20, 0.25f);
  auto c = f.concrete(spec<float>({8}));
  c.cost();
  EXPECT_EQ(f.stats().compiles, 1u);
}

TEST(Background, ThreadsGoOnTogether) {
  auto f = chain(30, 0.125f);
  const Array x = linspace(-1.0f, 1.0f, 5);
  std::atomic<int> wrong = 0;
  const std::vector<float> bits = f(x).to_vector<float>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i)
        wrong += f(x).to_vector<float>() != bits;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Background, AFunctionMayEndBeforeItsProgramIsThere) {
  for (int i = 0; i < 20; ++i)
    chain(40 + i, 0.75f)(ones({3}));
}

/// With a program functions of the host may end, and what they hold is the user's.
TEST(Background, WhatEndsWithAProgramMayAskForAnother) {
  static std::atomic<int> ended = 0;
  struct Held {
    explicit Held(const std::function<Array(const Array &)> &g) : g(g) {}
    ~Held() { ended += g(ones({7}))[0].item<float>() == 3; }
    std::function<Array(const Array &)> g;
  };
  const auto g = jit([](const Array &x) { return x * 3; }, {.compile = Compile::background});
  for (int i = 0; i < 4; ++i) {
    auto held = std::make_shared<const Held>(g);
    auto f = jit(
        [held, i](const Array &x) {
          Array y = x;
          for (int k = 0; k < 100; ++k)
            y = sin(y) + exp(y * 0.001f) * static_cast<float>(k + i);
          return host_call([held](const Array &a) { return a; }, TensorSpec{f32, {4}}, y);
        },
        {.compile = Compile::background});
    held.reset();
    f(ones({4}));
  }
  for (int i = 0; i < 600 && ended < 4; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(ended, 4);
  EXPECT_EQ(g(ones({2}))[0].item<float>(), 3);
}

TEST(Background, AForkedChildGoesOnWithWhatItsParentBegan) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer lets no process fork that has threads";
#endif
  auto f = chain(60, 0.375f);
  const Array x = linspace(-1.0f, 1.0f, 6);
  const std::vector<float> bits = f(x).to_vector<float>();
  const pid_t child = fork();
  if (child == 0) {
    const bool isRight = isCompiledInTime(f, [&] { f(x); }) && f(x).to_vector<float>() == bits;
    _exit(isRight ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(isCompiledInTime(f, [&] { f(x); }));
}

TEST(BackgroundDeathTest, AProcessMayEndWhileItCompiles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        for (int i = 0; i < 8; ++i)
          chain(300 + i, 0.9f)(ones({3}));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

} // namespace
