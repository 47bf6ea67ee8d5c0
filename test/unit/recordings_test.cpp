//===- recordings_test.cpp - when the body of a branch or loop runs anew ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body without state is recorded once for each kind of arguments, and never
// taken for another; one that captures, or reads a global array, at every call.
//===----------------------------------------------------------------------===//
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <thread>

using namespace tenon;

namespace {

std::atomic<int> bodies = 0;

/// How often the bodies of one call run.
int bodiesOf(auto &&call) {
  bodies = 0;
  call();
  return bodies;
}

/// A sum of squares and a running sum, by a body without state.
std::pair<Array, Array> sums(const Array &xs, const Array &start = Array(0.0f)) {
  return scan(
      [](const Array &carry, const Array &x) {
        ++bodies;
        return std::pair(carry + sum(x * x), carry + sum(x));
      },
      start, xs);
}

std::pair<Array, Array> plus(const Array &carry, const Array &x) {
  ++bodies;
  return {carry + x, carry};
}
std::pair<Array, Array> minus(const Array &carry, const Array &x) {
  ++bodies;
  return {carry - x, carry};
}

struct Power {
  Array base;
  int exponent = 1;
};

} // namespace

TEST(Recordings, AreByTheKindOfTheArguments) {
  Array xs = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  EXPECT_EQ(bodiesOf([&] { sums(xs); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(sums(xs).first.item<float>(), 30.0f); }), 0);
  // The number of rounds is no part of what the body sees.
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(sums({{1.0f, 2.0f}}).first.item<float>(), 5.0f); }), 0);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(sums({{1.0f, 2.0f, 3.0f}}).first.item<float>(), 14.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(sums(astype(xs, f64), Array(0.0, f64)).first.item<double>(), 30.0); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(sums(xs, Array(5.0f)).first.item<float>(), 35.0f); }), 0);
}

TEST(Recordings, AreByWhatIsNotAnArrayInTheArguments) {
  auto run = [](int exponent) {
    auto [last, all] = scan(
        [](const Power &carry, const Array &x) {
          ++bodies;
          Array product = carry.base;
          for (int i = 0; i < carry.exponent; ++i)
            product = product * x;
          return std::pair(Power{product, carry.exponent}, Power{carry.base, 10 * carry.exponent});
        },
        Power{Array(1.0f), exponent}, Array{2.0f, 3.0f});
    EXPECT_EQ(last.exponent, exponent);
    EXPECT_EQ(all.exponent, 10 * exponent);
    return last.base.item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(1), 6.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(2), 36.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(1), 6.0f); }), 0);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(2), 36.0f); }), 0);
}

TEST(Recordings, AreByTheFunction) {
  Array xs = {1.0f, 2.0f};
  auto run = [&](std::pair<Array, Array> (*function)(const Array &, const Array &)) {
    return scan(function, Array(10.0f), xs).first.item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(plus), 13.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(minus), 7.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(plus) + run(minus), 20.0f); }), 0);
  auto byName = [&] { return scan(plus, Array(1.0f), xs).first.item<float>(); };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(byName(), 4.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(byName(), 4.0f); }), 0);
}

TEST(Recordings, AreOfBranchesAndLoopsAlike) {
  auto branch = [](bool which) {
    return cond(
               Array(which),
               [](const Array &x) {
                 ++bodies;
                 return x + 1.0f;
               },
               [](const Array &x) {
                 ++bodies;
                 return x - 1.0f;
               },
               Array(5.0f))
        .item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(branch(true), 6.0f); }), 2);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(branch(false), 4.0f); }), 0);
  auto loop = [](float start) {
    return while_loop(
               [](const Array &x) {
                 ++bodies;
                 return less(x, 5.0f);
               },
               [](const Array &x) {
                 ++bodies;
                 return x * 2.0f;
               },
               Array(start))
        .item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(loop(1.0f), 8.0f); }), 2);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(loop(3.0f), 6.0f); }), 0);
  auto counted = [](int rounds) {
    return fori_loop(
               0, rounds,
               [](const Array &i, const Array &x) {
                 ++bodies;
                 return x + i;
               },
               Array(0))
        .item<int>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(counted(4), 6); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(counted(5), 10); }), 0);
}

// One trace for a batch, a derivative and a plain call.
TEST(Recordings, AreOneUnderTransformations) {
  auto last = [](const Array &xs) {
    return scan(
               [](const Array &carry, const Array &x) {
                 ++bodies;
                 return std::pair(carry * x, none);
               },
               Array(1.0f), xs)
        .first;
  };
  Array xs = {2.0f, 3.0f, 4.0f}, expected = {12.0f, 8.0f, 6.0f};
  EXPECT_EQ(bodiesOf([&] { last(xs); }), 1);
  EXPECT_EQ(bodiesOf([&] {
              EXPECT_EQ(format("{}", grad(last)(xs)), format("{}", expected));
              EXPECT_EQ(format("{}", jit(grad(last))(xs)), format("{}", expected));
              EXPECT_EQ(vmap(last)(broadcast_to(xs, {2, 3}))[1].item<float>(), 24.0f);
            }),
            0);
}

TEST(Recordings, ABodyThatCapturesRunsAtEveryCall) {
  Array xs = {1.0f, 2.0f};
  auto run = [&](float scale, const Array &shift) {
    return scan(
               [&](const Array &carry, const Array &x) {
                 ++bodies;
                 return std::pair(carry + scale * x + shift, none);
               },
               Array(0.0f), xs)
        .first.item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(1.0f, Array(0.0f)), 3.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(2.0f, Array(1.0f)), 8.0f); }), 1);
  auto counted = [&](int step) {
    return fori_loop(
               0, 3,
               [&](const Array &, const Array &x) {
                 ++bodies;
                 return x + step;
               },
               Array(0))
        .item<int>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(counted(1), 3); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(counted(2), 6); }), 1);
}

TEST(Recordings, AGlobalArrayIsReadAtEveryCall) {
  static Array table = {1.0f, 1.0f};
  auto run = [] {
    return scan(
               [](const Array &carry, const Array &x) {
                 ++bodies;
                 return std::pair(carry + sum(table) * x, none);
               },
               Array(0.0f), Array{1.0f, 2.0f})
        .first.item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(), 6.0f); }), 1);
  table = {10.0f, 10.0f};
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(), 60.0f); }), 1);
}

TEST(Recordings, KeepTheConstantsTheyMade) {
  auto run = [](const Array &start) {
    return scan(
        [](const Array &carry, const Array &x) {
          ++bodies;
          Array weights = {1.0f, 10.0f};
          return std::pair(carry + weights * x, Array(7.0f));
        },
        start, Array{1.0f, 2.0f});
  };
  Array start = {0.0f, 0.0f};
  for (int expected : {1, 0, 0})
    EXPECT_EQ(bodiesOf([&] {
                auto [last, all] = run(start);
                EXPECT_EQ(format("{} {}", last, all), format("{} {}", Array{3.0f, 30.0f}, Array{7.0f, 7.0f}));
              }),
              expected);
  Array slope = grad([&](const Array &x) { return sum(run(x).first); })(start);
  EXPECT_EQ(format("{}", slope), format("{}", ones({2})));
  // A large one would cost memory for as long as the process lives.
  auto large = [] {
    return scan(
               [](const Array &carry, const Array &x) {
                 ++bodies;
                 std::vector<float> data(40000, 1.0f);
                 return std::pair(carry + sum(Array(std::span<const float>(data)) * x), none);
               },
               Array(0.0f), Array{1.0f})
        .first.item<float>();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(large(), 40000.0f); }), 1);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(large(), 40000.0f); }), 1);
}

TEST(Recordings, AreByTheContext) {
  auto run = [] {
    testing::internal::CaptureStdout();
    cond(
        Array(true),
        [](const Array &x) {
          ++bodies;
          print("{}", {x});
          return x;
        },
        [](const Array &x) { return x; }, Array(1.0f / 3.0f));
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(), "0.33333334\n"); }), 1);
  PrintOptions before = print_options(), shorter = before;
  shorter.precision = 2;
  set_print_options(shorter);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(), "0.33\n"); }), 1);
  set_print_options(before);
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(run(), "0.33333334\n"); }), 0);
}

TEST(Recordings, NoneAreKeptWhileJitIsDisabled) {
  Array xs = {{7.0f, 2.0f, 1.0f, 3.0f}};
  sums(xs);
  DisableJit plain;
  EXPECT_EQ(bodiesOf([&] { sums(xs); }), 1);
  EXPECT_EQ(bodiesOf([&] { sums(xs); }), 1);
}

// The second branch is found, the first is another one: they are compared.
TEST(Recordings, BranchesAreComparedAtEveryCall) {
  auto two = [](const Array &x) { return std::vector<Array>{x, x}; };
  auto run = [&](auto first) { return cond(Array(true), first, two, Array(1.0f)); };
  run([](const Array &x) { return std::vector<Array>{x + 1.0f, x}; });
  auto one = [](const Array &x) { return std::vector<Array>{x}; };
  std::string expected = test::messageOf(
      [&] { cond(Array(true), one, [](const Array &x) { return std::vector<Array>{x, x}; }, Array(1.0f)); });
  EXPECT_NE(expected.find("must have one structure"), std::string::npos) << expected;
  EXPECT_EQ(test::messageOf([&] { run(one); }), expected);
  EXPECT_EQ(test::messageOf([&] { run(one); }), expected);
}

TEST(Recordings, AFailedRecordingIsNotKept) {
  auto run = [](const Array &xs) {
    return scan(
        [](const Array &carry, const Array &x) {
          ++bodies;
          return std::pair(matmul(carry, x), none);
        },
        ones({2, 2}), xs);
  };
  std::string text = test::errorOf([&] { run(ones({3, 5, 5})); });
  EXPECT_NE(text, "no error");
  EXPECT_EQ(bodiesOf([&] { EXPECT_EQ(test::errorOf([&] { run(ones({3, 5, 5})); }), text); }), 1);
  EXPECT_EQ(bodiesOf([&] { run(ones({3, 2, 2})); }), 1);
  EXPECT_EQ(bodiesOf([&] { run(ones({3, 2, 2})); }), 0);
}

TEST(Recordings, AreBoundedAndSharedByThreads) {
  auto run = [](int64_t size) {
    return scan(
               [](const Array &carry, const Array &x) {
                 ++bodies;
                 return std::pair(carry + sum(x), none);
               },
               Array(0.0f), ones({2, size}))
        .first.item<float>();
  };
  for (int64_t size = 1; size <= 40; ++size)
    EXPECT_EQ(run(size), 2.0f * static_cast<float>(size));
  EXPECT_EQ(bodiesOf([&] { run(40); }), 0);
  EXPECT_EQ(bodiesOf([&] { run(1); }), 1) << "the first of forty kinds is still there";
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i)
        wrong += run(1 + (i * 7 + t) % 20) != 2.0f * static_cast<float>(1 + (i * 7 + t) % 20);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
