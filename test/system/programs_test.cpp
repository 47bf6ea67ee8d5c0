//===- programs_test.cpp - transformed functions are programs ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transformation of a jitted function, or of a region op, is a program of its
// own: from the second call on nothing is traced or compiled, no C++ of the user
// runs and no eager kernel is launched.
//===----------------------------------------------------------------------===//
#include "test/system/Child.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

using namespace tenon;
using namespace tenon::testing_system;

namespace {

/// What happened on this thread since `before`.
Statistics since(const Statistics &before) {
  Statistics now = statistics();
  now.eagerKernels -= before.eagerKernels;
  now.programs -= before.programs;
  now.generatedKernels -= before.generatedKernels;
  now.librarySteps -= before.librarySteps;
  now.interpretedPrograms -= before.interpretedPrograms;
  now.traces -= before.traces;
  now.compilations -= before.compilations;
  return now;
}

void print(const char *when, const Statistics &s, int bodies) {
  std::printf("%s: the body ran %d times; %lu traces, %lu compilations; %lu programs (%lu generated kernels, %lu "
              "library steps), %lu interpreted, %lu eager kernels\n",
              when, bodies, s.traces, s.compilations, s.programs, s.generatedKernels, s.librarySteps,
              s.interpretedPrograms, s.eagerKernels);
}

int bodies = 0;

/// Calls twice and returns what the two calls did; both give the same bits.
std::pair<Statistics, Statistics> callTwice(auto &&call) {
  bodies = 0;
  Statistics before = statistics();
  Array one = call();
  Statistics first = since(before);
  int ran = bodies;
  print("first call", first, ran);
  testing::Test::RecordProperty("first_compilations", static_cast<int>(first.compilations));
  EXPECT_GE(ran, 1);
  before = statistics();
  Array two = call();
  Statistics second = since(before);
  print("second call", second, bodies - ran);
  testing::Test::RecordProperty("second_programs", static_cast<int>(second.programs));
  EXPECT_EQ(bodies, ran) << "the body ran again at the second call";
  EXPECT_EQ(second.traces, 0u);
  EXPECT_EQ(second.compilations, 0u);
  EXPECT_EQ(second.eagerKernels, 0u);
  EXPECT_EQ(second.interpretedPrograms, 0u);
  std::span<const float> a = one.elements<float>(), b = two.elements<float>();
  EXPECT_TRUE(a.size() == b.size() && !std::memcmp(a.data(), b.data(), a.size_bytes()));
  return {first, second};
}

void expectBits(const Array &got, const Array &expected) {
  std::span<const float> a = got.elements<float>(), b = expected.elements<float>();
  EXPECT_TRUE(a.size() == b.size() && !std::memcmp(a.data(), b.data(), a.size_bytes()))
      << "expected " << expected << ", got " << got;
}

Array bell(const Array &x) {
  ++bodies;
  return sum(exp(-0.5f * x * x) * x);
}

/// 0.9 c + tanh(x) c, over the rows of xs.
Array recurrence(const Array &start, const Array &xs) {
  auto [last, all] = scan(
      [](const Array &carry, const Array &x) {
        ++bodies;
        return std::pair(0.9f * carry + tanh(x) * carry, none);
      },
      start, xs);
  return sum(last);
}

Array rows(int64_t count, int64_t width) {
  return random::normal(random::key(static_cast<uint64_t>(count)), {count, width});
}

} // namespace

TEST(Programs, GradOfAJittedFunction) {
  auto f = jit(bell);
  auto g = grad(f);
  Array x = rows(4, 8);
  auto [first, second] = callTwice([&] { return g(x); });
  EXPECT_EQ(first.compilations, 2u) << "one forward and one backward program";
  EXPECT_EQ(second.programs, 2u);
  expectBits(g(x), [&] {
    DisableJit plain;
    return grad(f)(x);
  }());
}

TEST(Programs, VmapOfAJittedFunction) {
  auto f = jit(bell);
  auto v = vmap(f);
  Array x = rows(5, 8);
  auto [first, second] = callTwice([&] { return v(x); });
  EXPECT_EQ(first.compilations, 1u) << "one batched program";
  EXPECT_EQ(second.programs, 1u);
  Array batched = v(x);
  for (int i = 0; i < 5; ++i)
    expectBits(batched[i], bell(x[i]));
}

TEST(Programs, VmapOfGradOfAJittedFunction) {
  auto g = vmap(grad(jit(bell)));
  Array x = rows(6, 8);
  auto [first, second] = callTwice([&] { return g(x); });
  EXPECT_EQ(first.compilations, 2u);
  EXPECT_EQ(second.programs, 2u);
}

TEST(Programs, GradOfAJittedScan) {
  auto g = grad(jit(recurrence));
  Array start = rows(1, 8)[0], xs = rows(20, 8);
  auto [first, second] = callTwice([&] { return g(start, xs); });
  EXPECT_EQ(first.compilations, 2u) << "one forward and one backward program";
  EXPECT_EQ(second.programs, 2u);
}

TEST(Programs, JitOfGradOfAScan) {
  auto g = jit(grad(recurrence));
  Array start = rows(2, 8)[0], xs = rows(21, 8);
  auto [first, second] = callTwice([&] { return g(start, xs); });
  EXPECT_EQ(first.compilations, 1u);
  EXPECT_EQ(second.programs, 1u);
}

TEST(Programs, GradOfAPlainScan) {
  // Outside jit the body is recorded once per call, whatever the length; what
  // runs is one forward and one backward program.
  auto g = grad([](const Array &start, const Array &xs) {
    auto [last, all] = scan(
        [](const Array &carry, const Array &x) {
          ++bodies;
          return std::pair(0.8f * carry + tanh(x) * carry, none);
        },
        start, xs);
    return sum(last);
  });
  Array start = rows(3, 8)[0], xs = rows(22, 8);
  auto call = [&] {
    bodies = 0;
    Statistics before = statistics();
    Array result = g(start, xs);
    Statistics what = since(before);
    print("call", what, bodies);
    EXPECT_EQ(bodies, 1);
    EXPECT_EQ(what.interpretedPrograms, 0u);
    return what;
  };
  Statistics first = call(), second = call();
  EXPECT_EQ(first.compilations, 2u);
  EXPECT_EQ(second.compilations, 0u);
  EXPECT_EQ(second.programs, 2u);
  // The sum around the scan and its derivative run op by op; nothing does per round.
  EXPECT_LE(second.eagerKernels, 4u);
}

TEST(Programs, TheTraceOfGradOfAScanDoesNotGrow) {
  std::filesystem::path folder = scratch("programs");
  std::uintmax_t sizes[2];
  int64_t lengths[2] = {10, 1000};
  for (int i = 0; i < 2; ++i) {
    std::string path = folder / ("scan-" + std::to_string(lengths[i]) + ".trace");
    jit(grad(recurrence)).lower(rows(2, 8)[0], rows(lengths[i], 8)).save_trace(path);
    sizes[i] = std::filesystem::file_size(path);
    std::printf("grad of a scan of length %ld: %ju bytes\n", lengths[i], sizes[i]);
  }
  EXPECT_EQ(sizes[0], sizes[1]);
}
