//===- recordings_test.cpp - when and how often bodies of branches and loops are traced --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eagerly a body is recorded at every call; under jit, and if it is a jitted
// function, once for each kind of arguments; under EagerScope it runs as C++.
//===----------------------------------------------------------------------===//
#include "test/unit/Errors.h"

#include <tenon/statistics.h>
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace tenon;

namespace {

std::atomic<int> bodies = 0;

/// One of two bodies, which count.
Array chosen(const Array &which, const Array &x) {
  return cond(
      which,
      [&] {
        ++bodies;
        return x * x;
      },
      [&] {
        ++bodies;
        return -x;
      });
}
Array choice(const Array &x) { return chosen(x > 1.0f, x); }

/// How often the bodies of one call run.
int bodiesOf(auto &&call) {
  bodies = 0;
  call();
  return bodies;
}

/// A sum of squares and a running sum.
std::pair<Array, Array> sumStep(const Array &carry, const Array &x) {
  ++bodies;
  return {carry + sum(x * x), carry + sum(x)};
}
std::pair<Array, Array> sums(const Array &xs, const Array &start = Array(0.0f)) { return scan(sumStep, start, xs); }

struct Power {
  Array base;
  int exponent = 1;
};

float globalScale = 1.0f;

} // namespace

//===----------------------------------------------------------------------===//
// Eagerly
//===----------------------------------------------------------------------===//

TEST(Recordings, EagerlyABodyIsRecordedAtEveryCallAndCompiledOnce) {
  Array xs = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(sums(xs).first.item<float>(), 30.0f); }), 1);
  uint64_t before = statistics().compilations;
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(sums(xs).first.item<float>(), 30.0f); }), 1);
  EXPECT_EQ(statistics().compilations, before);
}

// The first value must not be kept for ever.
TEST(Recordings, AGlobalNumberIsReadAtEveryCall) {
  auto results = [] {
    auto scaled = [](const Array &x) { return x * globalScale; };
    Array xs = {1.0f, 2.0f};
    return std::vector<float>{
        fori_loop(
            0, 2, [](const Array &, const Array &x) { return x * globalScale; }, Array(1.0f))
            .item<float>(),
        scan([](const Array &c, const Array &x) { return std::pair(c + x * globalScale, none); }, Array(0.0f), xs)
            .first.item<float>(),
        cond(Array(true), scaled, scaled, Array(1.0f)).item<float>(),
        while_loop([](const Array &x) { return x < 10 * globalScale; }, [](const Array &x) { return x * 2; },
                   Array(1.0f))
            .item<float>(),
    };
  };
  for (int round : {0, 1}) {
    globalScale = 1.0f;
    EXPECT_EQ(results(), (std::vector<float>{1, 3, 1, 16})) << round;
    globalScale = 10.0f;
    EXPECT_EQ(results(), (std::vector<float>{100, 30, 10, 128})) << round;
  }
  globalScale = 1.0f;
}

TEST(Recordings, AGlobalArrayIsReadAtEveryCall) {
  static Array table = {1.0f, 1.0f};
  auto run = [] {
    return scan([](const Array &carry, const Array &x) { return std::pair(carry + sum(table) * x, none); }, Array(0.0f),
                Array{1.0f, 2.0f})
        .first.item<float>();
  };
  EXPECT_EQ(run(), 6.0f);
  table = {10.0f, 10.0f};
  EXPECT_EQ(run(), 60.0f);
}

TEST(Recordings, BranchesAreComparedAtEveryCall) {
  auto two = [](const Array &x) { return std::vector<Array>{x, x}; };
  auto run = [&](auto first) { return cond(Array(true), first, two, Array(1.0f)); };
  run([](const Array &x) { return std::vector<Array>{x + 1.0f, x}; });
  auto one = [](const Array &x) { return std::vector<Array>{x}; };
  std::string expected = test::messageOf([&] { run(one); });
  EXPECT_NE(expected.find("must have the same structure"), std::string::npos) << expected;
  EXPECT_EQ(test::messageOf([&] { run(one); }), expected);
}

//===----------------------------------------------------------------------===//
// Under jit, and a jitted body
//===----------------------------------------------------------------------===//

TEST(Recordings, UnderJitABodyIsRecordedOnceForEachKindOfArguments) {
  auto f = jit([](const Array &xs, const Array &start) { return sums(xs, start); });
  Array xs = {{1.0f, 2.0f}, {3.0f, 4.0f}}, zero(0.0f);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(f(xs, zero).first.item<float>(), 30.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(f(xs, Array(5.0f)).first.item<float>(), 35.0f); }), 0);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(f(Array{{1.0f, 2.0f, 3.0f}}, zero).first.item<float>(), 14.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(f(xs, zero).first.item<float>(), 30.0f); }), 0);
  auto g = jit(grad([](const Array &v) { return sums(v).first; }));
  EXPECT_EQ(bodiesOf([&] { g(xs); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(format("{}", g(xs)), format("{}", 2 * xs)); }), 0);
}

TEST(Recordings, AJittedBodyIsRecordedOnceForEachKindOfArguments) {
  auto step = jit(sumStep);
  auto run = [&](const Array &xs, const Array &start) { return scan(step, start, xs).first; };
  Array xs = {{1.0f, 2.0f}, {3.0f, 4.0f}}, zero(0.0f);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(xs, zero).item<float>(), 30.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(xs, Array(5.0f)).item<float>(), 35.0f); }), 0);
  // The number of rounds is no part of what the body sees.
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run({{1.0f, 2.0f}}, zero).item<float>(), 5.0f); }), 0);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run({{1.0f, 2.0f, 3.0f}}, zero).item<float>(), 14.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(astype(xs, f64), Array(0.0, f64)).item<double>(), 30.0); }), 1);
  // One trace for a batch, a derivative and a plain call.
  auto last = [&](const Array &v) { return run(v, Array(0.0f)); };
  EXPECT_EQ(bodiesOf([&] {
              EXPECT_EQ(format("{}", grad(last)(xs)), format("{}", 2 * xs));
              EXPECT_EQ(format("{}", jit(grad(last))(xs)), format("{}", 2 * xs));
              EXPECT_EQ(vmap(last)(broadcast_to(xs, {3, 2, 2}))[1].item<float>(), 30.0f);
            }),
            0);
}

TEST(Recordings, AJittedBodyIsByWhatIsNotAnArrayInItsArguments) {
  auto step = jit([](const Power &carry, const Array &x) {
    ++bodies;
    Array product = carry.base;
    for (int i = 0; i < carry.exponent; ++i)
      product = product * x;
    return std::pair(Power{product, carry.exponent}, Power{carry.base, 10 * carry.exponent});
  });
  auto run = [&](int exponent) {
    auto [last, all] = scan(step, Power{Array(1.0f), exponent}, Array{2.0f, 3.0f});
    EXPECT_EQ(last.exponent, exponent);
    EXPECT_EQ(all.exponent, 10 * exponent);
    return last.base.item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(1), 6.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(2), 36.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(1) + run(2), 42.0f); }), 0);
}

TEST(Recordings, JittedBranchesConditionsAndCountedBodiesAreRecordedOnce) {
  auto counted = [](auto function) {
    return jit([function](const auto &...x) {
      ++bodies;
      return function(x...);
    });
  };
  auto up = counted([](const Array &x) { return x + 1.0f; });
  auto down = counted([](const Array &x) { return x - 1.0f; });
  auto branch = [&](bool which) { return cond(Array(which), up, down, Array(5.0f)).item<float>(); };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(branch(true), 6.0f); }), 2);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(branch(false), 4.0f); }), 0);
  auto small = counted([](const Array &x) { return less(x, 5.0f); });
  auto twice = counted([](const Array &x) { return x * 2.0f; });
  auto loop = [&](float start) { return while_loop(small, twice, Array(start)).item<float>(); };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(loop(1.0f), 8.0f); }), 2);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(loop(3.0f), 6.0f); }), 0);
  auto plus = counted([](const Array &i, const Array &x) { return x + i; });
  auto total = [&](int rounds) { return fori_loop(0, rounds, plus, 0).item<int>(); };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(total(4), 6); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(total(5), 10); }), 0);
}

TEST(Recordings, AJittedBodyKeepsTheConstantsItMade) {
  auto step = jit([](const Array &carry, const Array &x) {
    ++bodies;
    Array weights = {1.0f, 10.0f};
    return std::pair(carry + weights * x, Array(7.0f));
  });
  auto run = [&](const Array &start) { return scan(step, start, Array{1.0f, 2.0f}); };
  Array start = {0.0f, 0.0f};
  for (int expected : {1, 0, 0})
    EXPECT_EQ(bodiesOf([&] {
                auto [last, all] = run(start);
                EXPECT_EQ(format("{} {}", last, all), format("{} {}", Array{3.0f, 30.0f}, Array{7.0f, 7.0f}));
              }),
              expected);
  Array slope = grad([&](const Array &x) { return sum(run(x).first); })(start);
  EXPECT_EQ(format("{}", slope), format("{}", ones({2})));
}

TEST(Recordings, AFailedRecordingIsNotKept) {
  auto step = jit([](const Array &carry, const Array &x) {
    ++bodies;
    return std::pair(matmul(carry, x), none);
  });
  auto run = [&](const Array &xs) { scan(step, ones({2, 2}), xs); };
  std::string text = test::errorOf([&] { run(ones({3, 5, 5})); });
  EXPECT_NE(text, "no error");
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(test::errorOf([&] { run(ones({3, 5, 5})); }), text); }), 1);
  EXPECT_EQ(bodiesOf([&] { run(ones({3, 2, 2})); }), 1);
  EXPECT_EQ(bodiesOf([&] { run(ones({3, 2, 2})); }), 0);
}

TEST(Recordings, AJittedBodyMayBeUsedFromManyThreads) {
  auto step = jit([](const Array &carry, const Array &x) { return std::pair(carry + sum(x), none); });
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        int64_t size = 1 + (i * 7 + t) % 20;
        wrong += scan(step, Array(0.0f), ones({2, size})).first.item<float>() != 2.0f * static_cast<float>(size);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

//===----------------------------------------------------------------------===//
// Under EagerScope
//===----------------------------------------------------------------------===//

namespace {
/// Asserts that the bodies of `call` run `expected` times as C++, with the values
/// that they have without EagerScope.
void expectRounds(int expected, auto call, const char *file, int line) {
  testing::ScopedTrace trace(file, line, "");
  std::string usual = format("{}", call());
  EagerScope plain;
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(format("{}", call()), usual); }), expected);
}
} // namespace
#define EXPECT_ROUNDS(expected, ...) expectRounds(expected, __VA_ARGS__, __FILE__, __LINE__)

TEST(DisabledJit, LoopsRunRoundByRound) {
  Array xs = {{7.0f, 2.0f}, {1.0f, 3.0f}, {5.0f, 4.0f}};
  EXPECT_ROUNDS(3, [&] { return sums(xs).first; });
  EXPECT_ROUNDS(3, [&] { return sums(xs).second; });
  EXPECT_ROUNDS(3, [&] { return scan(sumStep, Array(0.0f), xs, {.reverse = true}).second; });
  EXPECT_ROUNDS(4, [] {
    return scan(
               [](const Array &carry) {
                 ++bodies;
                 return std::pair(carry * 2, std::pair(carry, Array{1.0f, 2.0f} * carry));
               },
               1.0f, none, {.length = 4})
        .second.second;
  });
  EXPECT_ROUNDS(5, [] {
    return fori_loop(
        1, 6,
        [](const Array &i, const Array &x) {
          ++bodies;
          return x * i;
        },
        1);
  });
  auto loop = [](auto lo, auto hi) {
    return fori_loop(
        lo, hi,
        [](const Array &i, const Array &x) {
          ++bodies;
          return x * i;
        },
        1);
  };
  EXPECT_ROUNDS(5, [&] { return loop(Array(1), Array(6)); });
  EXPECT_ROUNDS(0, [&] { return loop(Array(6), Array(1)); });
  EXPECT_ROUNDS(7, [] { // four questions, three rounds
    return while_loop(
        [](const Array &x) {
          ++bodies;
          return x < 8;
        },
        [](const Array &x) {
          ++bodies;
          return x * 2;
        },
        Array(1.0f));
  });
}

TEST(DisabledJit, OneBranchRuns) {
  for (bool which : {true, false})
    EXPECT_ROUNDS(1, [&] {
      return cond(
                 Array(which),
                 [](const Array &x) {
                   ++bodies;
                   return std::pair(x + 1.0f, 3);
                 },
                 [](const Array &x) {
                   ++bodies;
                   return std::pair(x - 1.0f, 3);
                 },
                 Array(5.0f))
          .first;
    });
}

// What a debugger, an assert and a printf need.
TEST(DisabledJit, BodiesSeeValues) {
  EagerScope plain;
  std::vector<float> seen;
  fori_loop(
      0, 3,
      [&](const Array &i, const Array &x) {
        seen.push_back(x.item<float>() + static_cast<float>(i.item<int>()));
        return x * 2.0f;
      },
      Array(1.0f));
  EXPECT_EQ(seen, (std::vector<float>{1, 3, 6}));
}

TEST(DisabledJit, DerivativesAndBatchesRunBodiesAsCpp) {
  Array xs = {2.0f, 3.0f, 4.0f};
  auto product = [](const Array &v) {
    return scan(
               [](const Array &carry, const Array &x) {
                 ++bodies;
                 return std::pair(carry * x, none);
               },
               Array(1.0f), v)
        .first;
  };
  EXPECT_ROUNDS(3, [&] { return grad(product)(xs); });
  EXPECT_ROUNDS(3, [&] { return vmap(product)(broadcast_to(xs, {2, 3})); });
  EXPECT_ROUNDS(3, [&] { return vmap(grad(product))(broadcast_to(xs, {2, 3})); });
  EXPECT_ROUNDS(1, [&] { return grad(choice)(Array(3.0f)); });
  // A predicate of the differentiated argument itself, which grad has wrapped.
  EXPECT_ROUNDS(1, [&] { return grad<1>(chosen)(Array(true), Array(3.0f)); });
}

TEST(DisabledJit, WhatIsBatchedOrRecordedIsRecordedAsEver) {
  Array xs = {-2.0f, 3.0f};
  EXPECT_ROUNDS(2, [&] { return vmap(choice)(xs); });
  // Inside what is recorded nothing runs as C++, whatever is known of it: both
  // branches of the outer one, of which one has a loop of five rounds.
  EXPECT_ROUNDS(2, [&] {
    return vmap([](const Array &x) {
      auto five = [](const Array &i, const Array &c) {
        ++bodies;
        return c + astype(i, f32);
      };
      return cond(
          x > 1.0f, [&] { return fori_loop(0, 5, five, x); },
          [&] {
            ++bodies;
            return -x;
          });
    })(xs);
  });
  auto traced = jit([](const Array &x) {
    EagerScope inside;
    return sums(x).first;
  });
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(traced(ones({4, 2})).item<float>(), 8.0f); }), 1);
  // A condition that comes to differ between the examples is recorded from then on,
  // and no round runs twice.
  EagerScope plain;
  int rounds = 0;
  auto counts = vmap([&](const Array &x) {
    return while_loop([](const std::pair<Array, Array> &s) { return s.second < 4.0f; },
                      [&](const std::pair<Array, Array> &s) {
                        ++rounds;
                        return std::pair(s.first + 1, s.second + x);
                      },
                      std::pair(Array(0), Array(1.0f)));
  })(Array{1.0f, 3.0f});
  EXPECT_EQ(counts.first.to_vector<int32_t>(), (std::vector<int32_t>{3, 1}));
  EXPECT_EQ(counts.second.to_vector<float>(), (std::vector<float>{4, 4}));
  EXPECT_EQ(rounds, 2) << "one as C++, one recorded";
}

TEST(DisabledJit, AScanOfNoRoundsStillSaysWhatItsResultsAre) {
  EagerScope plain;
  auto [last, all] = sums(zeros({0, 3}));
  EXPECT_EQ(last.item<float>(), 0.0f);
  EXPECT_EQ(all.shape(), Shape({0}));
}

TEST(DisabledJit, ErrorsAreTheSame) {
  auto expectSame = [](auto call) {
    std::string usual = test::messageOf(call);
    EXPECT_NE(usual, "no error");
    EagerScope plain;
    EXPECT_EQ(test::messageOf(call), usual);
  };
  Array xs = {1.0f, 2.0f};
  expectSame(
      [&] { scan([](const Array &c, const Array &x) { return std::pair(c + astype(x, f64), none); }, 0.0f, xs); });
  expectSame([&] { fori_loop(0, 2, [](const Array &, const Array &c) { return concatenate({c, c}); }, xs); });
  expectSame([&] { fori_loop(Array(0), Array(2), [](const Array &, const Array &) { return Array(1); }, xs); });
  expectSame([&] { while_loop([](const Array &c) { return c; }, [](const Array &c) { return c; }, 1.0f); });
  expectSame(
      [&] { while_loop([](const Array &) { return Array(true); }, [](const Array &c) { return c > 0; }, 1.0f); });
  expectSame([&] { cond(Array(1.0f), [] { return zeros({2}); }, [] { return zeros({2}); }); });
  expectSame([&] { scan([](const Array &, const Array &) { return std::pair(Array(), none); }, 0.0f, xs); });
  EagerScope plain;
  int round = 0;
  std::string text = test::messageOf(
      [&] { scan([&](const Array &c, const Array &) { return std::pair(c, zeros({++round})); }, 0.0f, xs); });
  EXPECT_NE(text.find("scan: expected results of one type from every round, got others from round 1"),
            std::string::npos)
      << text;
}
