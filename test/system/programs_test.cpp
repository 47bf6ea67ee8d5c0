//===- programs_test.cpp - transformed functions compile to one program --===//
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
  now.eager_kernels -= before.eager_kernels;
  now.programs -= before.programs;
  now.generated_kernels -= before.generated_kernels;
  now.library_steps -= before.library_steps;
  now.interpreted_programs -= before.interpreted_programs;
  now.traces -= before.traces;
  now.compilations -= before.compilations;
  return now;
}

void print(const char *when, const Statistics &s, int bodies) {
  std::printf("%s: the body ran %d times; %lu traces, %lu compilations; %lu programs (%lu generated kernels, %lu "
              "library steps), %lu interpreted, %lu eager kernels\n",
              when, bodies, s.traces, s.compilations, s.programs, s.generated_kernels, s.library_steps,
              s.interpreted_programs, s.eager_kernels);
}

/// What the functions below do in plain C++, each time they run as such.
int bodies = 0;
void countBody() {
  ++bodies;
  std::printf("plain C++ runs\n");
}

/// Calls twice and returns what the two calls did; both give the same bits. No
/// plain C++ of the function runs at the second call.
std::pair<Statistics, Statistics> callTwice(auto &&call) {
  bodies = 0;
  Statistics before = statistics();
  Array one = call();
  Statistics first = since(before);
  int ran = bodies;
  print("first call", first, ran);
  testing::Test::RecordProperty("first_compilations", static_cast<int>(first.compilations));
  EXPECT_GE(ran, 1);
  testing::internal::CaptureStdout();
  before = statistics();
  Array two = call();
  Statistics second = since(before);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  print("second call", second, bodies - ran);
  testing::Test::RecordProperty("second_programs", static_cast<int>(second.programs));
  EXPECT_EQ(bodies, ran) << "the body ran again at the second call";
  EXPECT_EQ(second.traces, 0u);
  EXPECT_EQ(second.compilations, 0u);
  EXPECT_EQ(second.eager_kernels, 0u);
  EXPECT_EQ(second.interpreted_programs, 0u);
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
  countBody();
  return sum(exp(-0.5f * x * x) * x);
}

/// 0.9 c + tanh(x) c, over the rows of xs.
Array recurrence(const Array &start, const Array &xs) {
  countBody();
  auto [last, all] = scan(
      [](const Array &carry, const Array &x) {
        countBody();
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
    EagerScope plain;
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

TEST(Programs, GradOfAScanOfAJittedBody) {
  // It captures, so jit's rule for captures is asked for.
  Array w = rows(8, 8)[1];
  auto body = jit([w](const std::pair<Array, Array> &carry, const Array &x) {
    countBody();
    Array next = 0.8f * carry.second + tanh(x) * w;
    return std::pair(std::pair(carry.first + sum(next), next), none);
  });
  auto g = grad([&](const Array &start, const Array &steps) {
    return scan(body, std::pair(Array(0.0f), start), steps).first.first;
  });
  Array start = rows(3, 8)[0], xs = rows(22, 8);
  auto [first, second] = callTwice([&] { return g(start, xs); });
  EXPECT_EQ(first.compilations, 2u) << "one forward and one backward program";
  EXPECT_EQ(second.programs, 2u);
}

namespace {
/// Calls twice and returns what the second call did. A body is recorded once per
/// call, whatever the length.
Statistics gradOfAPlainScan(auto &&call) {
  Statistics what[2];
  for (int i : {0, 1}) {
    bodies = 0;
    Statistics before = statistics();
    call();
    what[i] = since(before);
    print("call", what[i], bodies);
    EXPECT_EQ(bodies, 1);
    EXPECT_EQ(what[i].interpreted_programs, 0u);
  }
  EXPECT_EQ(what[0].compilations, 2u) << "one forward and one backward program";
  EXPECT_EQ(what[1].compilations, 0u);
  EXPECT_EQ(what[1].programs, 2u);
  return what[1];
}
} // namespace

TEST(Programs, GradOfAPlainScan) {
  Array start = rows(3, 8)[0], xs = rows(22, 8), v = rows(9, 8)[0], w = rows(8, 8)[1];
  // The loss is the scan's own: recording its body, the seed and zeros launch
  // nothing. Of the scan's results one gets no cotangent, of the arguments one
  // no gradient and one (integers) zeros.
  auto loss = [&](const Array &scale, const Array &steps, const Array &, const Array &) {
    auto [last, stacked] = scan(
        [&](const std::pair<Array, Array> &carry, const Array &x) {
          countBody();
          Array next = 0.8f * carry.second + tanh(x) * scale * w;
          return std::pair(std::pair(carry.first + sum(next), next), carry.second * 2.0f);
        },
        std::pair(Array(0.0f), start), steps);
    return last.first;
  };
  auto g = grad<0, 1, 2, 3>(loss);
  Array numbers = arange(4);
  EXPECT_EQ(gradOfAPlainScan([&] { g(v, xs, start, numbers); }).eager_kernels, 0u);
  // What stands around the scan runs op by op: here a sum. Nothing does per round.
  auto around = grad([&](const Array &first, const Array &steps) {
    auto [last, all] = scan(
        [&](const Array &carry, const Array &x) {
          countBody();
          return std::pair(0.7f * carry + tanh(x) * w, none);
        },
        first, steps);
    return sum(last);
  });
  EXPECT_EQ(gradOfAPlainScan([&] { around(start, xs); }).eager_kernels, 1u);
}

TEST(Programs, ANeverCompiledFunctionIsNotCompiledByTransformations) {
  Array x = rows(7, 8), start = rows(2, 8)[0], xs = rows(23, 8);
  Array one(1.0f);
  auto calls = [&](Compile compile) {
    auto f = jit(bell, {.compile = compile});
    auto r = jit(recurrence, {.compile = compile});
    Array value = f(x), slope = grad(f)(x);
    auto [same, gradient] = value_and_grad(f)(x);
    auto [again, pullback] = vjp(f, x);
    Array curved = grad([&](const Array &v) { return sum(grad(f)(v)); })(x);
    return std::vector<Array>{value,         slope,  same,       gradient,         again,
                              pullback(one), curved, vmap(f)(x), vmap(grad(f))(x), grad(r)(start, xs)};
  };
  auto never = [&] {
    Statistics before = statistics();
    std::vector<Array> results = calls(Compile::never);
    Statistics what = since(before);
    EXPECT_EQ(what.compilations, 0u);
    EXPECT_EQ(what.programs, 0u);
    EXPECT_GE(what.interpreted_programs, results.size());
    return results;
  };
  // The second time the caches hold the derived programs of the compiled one.
  std::vector<Array> first = never(), compiled = calls(Compile::now), second = never();
  for (size_t i = 0; i < compiled.size(); ++i) {
    expectBits(first[i], compiled[i]);
    expectBits(second[i], compiled[i]);
  }
}

/// What a border between jitted functions costs: the kernels and steps are those of
/// plain calls, a number that goes over it is a number of a kernel.
TEST(Programs, AJittedFunctionInAnotherCostsNothing) {
  const Array x = rows(8, 16);
  auto scale = [](const Array &v, const Array &by) { return tanh(v) / by; };
  auto around = [](auto inner) {
    return [inner](const Array &v) { return sum(exp(inner(v * 2.0f, full({}, 3.0f)) + 1.0f)); };
  };
  auto run = [&](auto f) {
    f(x);
    Statistics before = statistics();
    Array result = f(x);
    return std::pair(since(before), result);
  };
  auto expectSame = [&](auto plain, auto nested) {
    auto [expected, value] = run(plain);
    auto [got, other] = run(nested);
    print("plain", expected, 0);
    print("nested", got, 0);
    EXPECT_EQ(got.generated_kernels, expected.generated_kernels);
    EXPECT_EQ(got.library_steps, expected.library_steps);
    EXPECT_EQ(got.programs, 1u);
    expectBits(other, value);
  };
  expectSame(jit(around(scale)), jit(around(jit(scale))));
  expectSame(jit(grad(around(scale))), jit(grad(around(jit(scale)))));
  expectSame(jit(grad(around(scale))), jit(grad(jit(around(jit(scale))))));
  expectSame(jit(vmap(around(scale))), jit(vmap(jit(around(jit(scale))))));
}

/// The compiler's tables grow at another row each time, of rows that a second walk
/// over them reads.
TEST(Programs, KernelsHaveAnyNumberOfResults) {
  const Array x = rows(3, 37);
  for (int count = 1; count <= 24; ++count) {
    auto f = [count](const Array &y) {
      const Array shared = y + 1.0f;
      std::vector<Array> results;
      for (int i = 0; i < count; ++i)
        results.push_back(exp(shared * (0.1f * static_cast<float>(i + 1))));
      const Array total = sum(results[0], 1, true);
      for (int i = 0; i < count; ++i)
        results.push_back(results[static_cast<size_t>(i)] - total);
      return results;
    };
    std::vector<Array> compiled = jit(f)(x), expected = f(x);
    for (size_t i = 0; i < expected.size(); ++i)
      expectBits(compiled[i], expected[i]);
  }
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

TEST(Programs, CompositesInTheIrKeepTheirNamesAndTheUsersLine) {
  const auto named = composite("gelu", [](const Array &x) { return x * exp(x); });
  const Lowered lowered = jit([&](const Array &x) { return softmax(named(x)); }).lower(zeros({2, 3}));
  EXPECT_NE(lowered.stage("tenon").find("name \"user.gelu\""), std::string::npos);
  EXPECT_NE(lowered.stage("tenon").find("name \"softmax\""), std::string::npos);
  EXPECT_EQ(lowered.stage("grouped").find("lib/ops"), std::string::npos);
}
