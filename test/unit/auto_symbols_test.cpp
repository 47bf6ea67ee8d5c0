//===- auto_symbols_test.cpp - dynamic shapes: jit makes a varying size symbolic --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Difference.h"
#include "test/unit/Errors.h"
#include "test/unit/LogLines.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

using namespace tenon;
using tenon::test::errorOf;
using tenon::test::messageOf;
using testing::HasSubstr;

namespace {

using AutoSymbols = test::WithLog;

Array numbers(const Shape &shape, uint64_t seed = 1) { return random::normal(random::key(seed), shape); }

TEST_F(AutoSymbols, AFourthSizeBecomesASymbol) {
  auto plain = [](const Array &x, const Array &w) { return tanh(matmul(x, w)); };
  int runs = 0;
  auto f = jit(
      [&](const Array &x, const Array &w) {
        ++runs;
        return plain(x, w);
      },
      {.name = "f"});
  const Array w = numbers({5, 3});
  for (int n : {8, 16, 24}) {
    f(numbers({n, 5}), w);
    f(numbers({n, 5}), w);
  }
  EXPECT_EQ(f.stats().traces, 3u);
  for (int n : {32, 33, 2, 5, 640, 8}) {
    const Array x = numbers({n, 5}, uint64_t(n));
    EXPECT_TRUE(areSame(f(x, w), plain(x, w))) << n;
  }
  EXPECT_EQ(f.stats().traces, 4u);
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(logged.only("symbolic from now on"),
            "f: axis 0 of arg 0 is the only size that changes from call to call, so it is "
            "symbolic from now on: one program for all sizes >= 2");
  f(numbers({1, 5}), w); // symbols stand for sizes >= 2
  EXPECT_EQ(f.stats().traces, 5u);
  EXPECT_EQ(f(zeros({0, 5}), w).shape(), Shape({0, 3}));
  EXPECT_EQ(f.stats().traces, 6u);
}

TEST_F(AutoSymbols, TwoBatchSizesStayTwoTraces) {
  auto f = jit([](const Array &x) { return x * 2.0f; });
  for (int round = 0; round < 20; ++round)
    for (int n : {32, 7})
      f(zeros({n, 3}));
  EXPECT_EQ(f.stats().traces, 2u);
  EXPECT_EQ(logged.only("symbol"), "");
}

TEST_F(AutoSymbols, TheOptionSaysHowMany) {
  auto never = jit([](const Array &x) { return x * 2.0f; }, {.dynamic_shapes = 0});
  auto soon = jit([](const Array &x) { return x * 2.0f; }, {.dynamic_shapes = 1});
  for (int n = 2; n < 12; ++n) {
    never(zeros({n}));
    soon(zeros({n}));
  }
  EXPECT_EQ(never.stats().traces, 10u);
  EXPECT_EQ(soon.stats().traces, 2u);
}

TEST_F(AutoSymbols, ASizeThatStandsInSeveralPlacesIsOneSymbol) {
  auto plain = [](const Array &x, const Array &y) { return mean(square(sum(x, 1) - y)); };
  auto f = jit(plain, {.name = "f"});
  for (int n : {3, 9, 4, 11, 12, 100})
    EXPECT_TRUE(areSame(f(numbers({n, 5}), numbers({n})), plain(numbers({n, 5}), numbers({n}))));
  EXPECT_EQ(f.stats().traces, 4u);
  EXPECT_THAT(logged.only("symbolic from now on"),
              HasSubstr("f: axis 0 of arg 0 and axis 0 of arg 1 is the only size that changes"));
  // Where they differ, the function says what it says.
  EXPECT_THAT(messageOf([&] { f(ones({6, 5}), ones({7})); }), HasSubstr("do not broadcast: sizes 6 and 7 differ"));
  EXPECT_EQ(f(ones({6, 5}), ones({1})).item<float>(), 16.0f);
}

TEST_F(AutoSymbols, TwoSizesBecomeTwoSymbols) {
  auto f = jit([](const Array &x) { return sum(x, 1) * 2.0f; });
  uint64_t before = 0;
  for (int m : {5, 6, 7, 8, 9, 10})
    for (int n : {4, 8, 12, 16, 20}) {
      const Array x = numbers({n, m});
      EXPECT_TRUE(areSame(f(x), sum(x, 1) * 2.0f));
      if (m == 8 && n == 20)
        before = f.stats().traces;
    }
  EXPECT_EQ(before, 4u + 2 + 1) << "n became one for the first m, m for the fourth";
  EXPECT_EQ(f.stats().traces, before);
}

TEST_F(AutoSymbols, WhatIsNotASizeAloneStaysAsItIs) {
  auto f = jit([](const Array &x, float by) { return x * by; });
  for (int n = 2; n < 8; ++n)
    f(zeros({n}), float(n)); // a number changes, too
  EXPECT_EQ(f.stats().traces, 6u);
  auto g = jit([](const Array &x, const Array &y) { return sum(x) + sum(y); });
  for (int n = 2; n < 8; ++n)
    g(zeros({n}), zeros({n + 1})); // two sizes
  EXPECT_EQ(g.stats().traces, 6u);
  auto both = jit([](const Array &x, const Array &y) { return sum(x) + sum(y); });
  for (const auto &[n, m] : {std::pair(5, 3), {6, 4}, {7, 2}, {9, 9}, {10, 10}})
    both(zeros({n}), zeros({m})); // two sizes that come to be the same
  EXPECT_EQ(both.stats().traces, 5u);
  auto spec = jit([](const Array &x, const Array &y) { return sum(x) + sum(y); },
                  {.specs = {TensorSpec{f32, {"n"}}, as_called}});
  for (int n = 2; n < 8; ++n)
    for (int m = 2; m < 8; ++m)
      EXPECT_EQ(spec(ones({n}), ones({m})).item<float>(), float(n + m));
  EXPECT_EQ(spec.stats().traces, 4u) << "the second argument's, beside the symbol of the first one";
  auto never = jit([](const Array &x) { return x * 2.0f; }, {.compile = Compile::never});
  for (int n = 2; n < 8; ++n)
    never(zeros({n}));
  EXPECT_EQ(never.stats().traces, 6u) << "what is interpreted gains nothing";
}

TEST_F(AutoSymbols, OneIsNoSymbol) {
  auto f = jit([](const Array &x) { return sum(x); });
  for (int n : {5, 6, 7, 1})
    f(ones({n}));
  EXPECT_EQ(logged.only("symbolic from now on"), "");
  f(ones({8}));
  EXPECT_NE(logged.only("symbolic from now on"), "");
  EXPECT_EQ(f(ones({9})).item<float>(), 9);
  EXPECT_EQ(f.trace_count(), 5u);
}

TEST_F(AutoSymbols, WhereTheValueIsAskedForTheCallIsTracedExactly) {
  int runs = 0;
  auto f = jit(
      [&](const Array &x) {
        ++runs;
        Array total = zeros({});
        for (int64_t i = 0; i < x.dim(0); ++i)
          total = total + x[i];
        return total;
      },
      {.name = "f"});
  const int loop = __LINE__ - 5;
  for (int n = 2; n < 10; ++n)
    EXPECT_EQ(f(ones({n})).item<float>(), float(n));
  EXPECT_EQ(f.stats().traces, 8u);
  EXPECT_EQ(runs, 9) << "once more for the symbol, and not again";
  const std::string said = logged.only("cannot be symbolic");
  EXPECT_THAT(
      said,
      HasSubstr("f: axis 0 of arg 0 is the only size that changes from call to call, but it cannot be symbolic: "));
  EXPECT_THAT(said, HasSubstr("auto_symbols_test.cpp:" + std::to_string(loop)));
}

TEST_F(AutoSymbols, ARuleThatCannotDecideIsNoError) {
  auto f = jit([](const Array &x, const Array &y) { return x + y; }, {.name = "f"});
  for (int n : {2, 3, 5, 1, 6, 7})
    EXPECT_EQ(f(ones({n}), ones({n == 1 ? 8 : n})).shape(), Shape({n == 1 ? 8 : n}));
  // x of 4, 5, 6 beside y of 1; then y of 8, which no symbol broadcasts with.
  auto g = jit([](const Array &x, const Array &y) { return concatenate({x, y}, 0) + zeros({12}); }, {.name = "g"});
  for (auto [n, m] : {std::pair(4, 8), {6, 6}, {5, 7}, {2, 10}, {3, 9}})
    EXPECT_EQ(g(ones({n}), ones({m})).shape(), Shape({12}));
  auto h = jit([](const Array &x) { return x[slice(0, 5)] * 2.0f; }, {.name = "h"});
  for (int n : {5, 6, 7, 8, 9, 3})
    EXPECT_EQ(h(ones({n})).shape(), Shape({std::min(n, 5)}));
  auto shaped = jit([](const Array &x) { return x.dim(0) == 12 ? x * 2.0f : x; }, {.name = "shaped"});
  for (int n : {2, 3, 4, 5, 12, 6})
    EXPECT_EQ(shaped(ones({n})).to_vector<float>()[0], n == 12 ? 2.0f : 1.0f);
  EXPECT_THAT(
      logged.only("shaped: axis 0 of arg 0 is the only size that changes from call to call, but it cannot be symbolic"),
      HasSubstr("== 12 for every value >= 2 of its symbols"));
}

TEST_F(AutoSymbols, AnErrorThatIsCaughtIsAQuestionToo) {
  auto f = jit([](const Array &x, const Array &y) {
    try {
      return x + y;
    } catch (const Error &) {
      return sum(x) + y;
    }
  });
  const Array y = ones({8});
  for (int n : {2, 3, 4, 5, 6, 8})
    EXPECT_EQ(f(ones({n}), y).to_vector<float>(), std::vector<float>(8, n == 8 ? 2.0f : float(n) + 1)) << n;
  auto g = jit([](const Array &x, const Array &y) { return x.shape() == y.shape() ? x * y : sum(x) * y; });
  for (int n : {2, 3, 4, 5, 6, 8})
    EXPECT_EQ(g(ones({n}), y).to_vector<float>(), std::vector<float>(8, n == 8 ? 1.0f : float(n))) << n;
  std::vector<std::string> printed;
  auto h = jit([&](const Array &x) {
    printed.push_back(x.shape().str());
    return x + 1.0f;
  });
  for (int n : {2, 3, 4, 5})
    h(ones({n}));
  EXPECT_EQ(printed.back(), "(5,)");
  EXPECT_EQ(h.stats().traces, 4u);
}

TEST_F(AutoSymbols, AnExceptionOfTheUserStays) {
  int runs = 0;
  auto f = jit([&](const Array &x) {
    ++runs;
    if (runs > 3)
      throw std::runtime_error("not today");
    return x + 1.0f;
  });
  for (int n : {2, 3, 4})
    f(ones({n}));
  EXPECT_THROW(f(ones({5})), std::runtime_error);
  EXPECT_EQ(runs, 5) << "with the symbol, and without";
  runs = 0;
  EXPECT_EQ(f(ones({6})).to_vector<float>(), std::vector<float>(6, 2.0f));
  EXPECT_EQ(f(ones({7})).to_vector<float>(), std::vector<float>(7, 2.0f));
  EXPECT_EQ(f.stats().traces, 4u) << "what threw both ways says nothing of the symbol";
}

TEST_F(AutoSymbols, WhatADroppedTraceWouldPrintIsPrintedOnce) {
  auto f = jit([](const Array &x) {
    print("sum {}", {sum(x)});
    if (x.dim(0) == 100)
      throw std::runtime_error("a hundred");
    return x + 1.0f;
  });
  testing::internal::CaptureStdout();
  for (int n : {2, 3, 4, 5, 6})
    f(ones({n}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "sum 2.\nsum 3.\nsum 4.\nsum 5.\nsum 6.\n");
  testing::internal::CaptureStdout();
  EXPECT_THROW(f(ones({100})), std::runtime_error);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "sum 100.\n");
}

/// What a trace that may be dropped asks of the host is asked by the one that stays.
TEST_F(AutoSymbols, TheHostIsCalledOnceForEachCall) {
  const TensorSpec scalar{f32, {}};
  int calls = 0, bad = 0;
  auto sizes = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &a) { return ++calls, sum(a); }, scalar, x);
    return r > 0 ? x * static_cast<float>(x.shape()[0].raw()) : x;
  });
  auto throws = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &a) { return ++calls, a[0] * (calls == bad ? -1.0f : 1.0f); }, scalar, x);
    if (r < 0)
      throw std::runtime_error("sensor");
    return x + r;
  });
  auto late = jit([&](const Array &x) {
    if (sum(x) > 0)
      return x * 2;
    const Array r = host_call([&](const Array &a) { return ++calls, sum(a); }, scalar, x);
    return r < -100 ? x : -x;
  });
  auto callsOf = [&](const auto &call) {
    calls = 0;
    call();
    return calls;
  };
  for (int n = 2; n < 8; ++n) {
    EXPECT_EQ(callsOf([&] { EXPECT_EQ(sizes(ones({n})).to_vector<float>(), std::vector<float>(n, float(n))); }), 1);
    bad = n == 5;
    EXPECT_EQ(callsOf([&] { EXPECT_EQ(errorOf([&] { throws(ones({n})); }), bad ? "sensor" : "no error"); }), 1);
    EXPECT_EQ(callsOf([&] { late(ones({n})); }), 0);
  }
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(callsOf([&] { EXPECT_EQ(late(-ones({6})).to_vector<float>(), std::vector<float>(6, 1.0f)); }), 1);
  EXPECT_LE(late.trace_count(), 6u);
  EXPECT_EQ(logged.only("some calls are traced"), "") << "none is";
}

TEST_F(AutoSymbols, ASizeThatTheProgramRefusesIsTracedExactly) {
  // take_along... a slice up to 5 is in bounds for all but small ones.
  auto f = jit([](const Array &x) { return slice(x, {0}, {5}) * 2.0f; }, {.name = "f"});
  for (int n : {5, 6, 7, 8, 9})
    EXPECT_EQ(f(ones({n})).shape(), Shape({5}));
  const uint64_t traces = f.stats().traces;
  const std::string symbolic = errorOf([&] { f(ones({3})); });
  auto exact = jit([](const Array &x) { return slice(x, {0}, {5}) * 2.0f; }, {.name = "f", .dynamic_shapes = 0});
  EXPECT_THAT(symbolic, HasSubstr("f32[3]"));
  EXPECT_EQ(messageOf([&] { f(ones({3})); }), messageOf([&] { exact(ones({3})); }));
  EXPECT_EQ(f(ones({11})).shape(), Shape({5}));
  EXPECT_EQ(f.stats().traces, traces) << "the user's mistake says nothing of the symbol";
}

TEST_F(AutoSymbols, UpdatesDonorsVariablesAndRandomNumbers) {
  Variable steps(Array(0.0f));
  struct Model {
    Array w;
  };
  auto plain = [&](Model &model, const Array &x) {
    steps.assign(steps.value() + 1.0f);
    const Array loss = mean(square(matmul(x, model.w)));
    model.w = model.w - 0.1f * loss * sum(x, 0);
    return loss;
  };
  auto step = jit(plain, {.name = "step"});
  Model model{numbers({4})}, other{numbers({4})};
  int count = 0;
  for (int n : {2, 3, 5, 7, 9, 31, 2, 64}) {
    const Array x = numbers({n, 4}, uint64_t(n));
    const Array loss = step(model, x), expected = plain(other, x);
    EXPECT_TRUE(areSame(loss, expected));
    EXPECT_TRUE(areSame(model.w, other.w));
    count += 2;
    EXPECT_EQ(steps.value().item<float>(), float(count));
  }
  EXPECT_EQ(step.stats().traces, 4u);
  auto f = jit([](Array x) { return x * 2.0f + 1.0f; });
  for (int n : {2, 3, 4, 5, 6, 7})
    EXPECT_EQ(f(ones({n})).to_vector<float>(), std::vector<float>(size_t(n), 3.0f));
  EXPECT_EQ(f.stats().traces, 4u);
  auto noisy = jit([](const Array &x) { return x + random::default_generator().normal(x.shape()); });
  set_seed(3);
  std::vector<Array> drawn;
  for (int n : {2, 3, 4, 5, 6})
    drawn.push_back(noisy(zeros({n})));
  set_seed(3);
  size_t i = 0;
  for (int n : {2, 3, 4, 5, 6})
    EXPECT_TRUE(areSame(drawn[i++], random::default_generator().normal({n})));
}

TEST_F(AutoSymbols, PathsOfWhatCppAsks) {
  auto plain = [](const Array &x) {
    if (sum(x) > 0)
      return x * 2.0f;
    if (x.dim(0) == 3) // asked on this path alone
      return x * 3.0f;
    return -x;
  };
  auto f = jit(plain);
  for (int n : {2, 4, 5, 6, 7})
    EXPECT_TRUE(areSame(f(ones({n})), plain(ones({n}))));
  EXPECT_EQ(f.stats().traces, 4u) << logged.text();
  for (int n : {2, 3, 5, 8})
    for (float sign : {1.0f, -1.0f})
      EXPECT_TRUE(areSame(f(ones({n}) * sign), plain(ones({n}) * sign))) << n;
  auto g = jit([](const Array &x) { return sum(x) > 3 ? x * 2.0f : x; });
  for (int n : {2, 4, 5, 6, 7, 3, 8})
    EXPECT_EQ(g(ones({n})).to_vector<float>()[0], n > 3 ? 2.0f : 1.0f);
  EXPECT_EQ(g.stats().traces, 5u) << "four signatures, of which the one with a symbol has two paths";
}

TEST_F(AutoSymbols, UnderTransformationsAndInOtherFunctions) {
  auto plain = [](const Array &x, const Array &w) { return sum(tanh(matmul(x, w))); };
  auto f = jit(plain);
  const Array w = numbers({4, 3});
  for (int n : {2, 3, 4, 5, 6, 9}) {
    const Array x = numbers({n, 4}, uint64_t(n)), stack = numbers({3, n, 4}, uint64_t(n));
    EXPECT_TRUE(areSame(f(x, w), plain(x, w)));
    EXPECT_TRUE(areSame(grad(f)(x, w), grad(plain)(x, w)));
    EXPECT_TRUE(areSame(vmap(f, {.in_axes = {0, none}})(stack, w), vmap(plain, {.in_axes = {0, none}})(stack, w)));
    EXPECT_TRUE(areSame(jit([&](const Array &y) { return f(y, w) * 2.0f; })(x), plain(x, w) * 2.0f));
    GradientTape tape;
    const Array watched = x + 0.0f;
    tape.watch(watched);
    EXPECT_TRUE(areSame(tape.gradient(f(watched, w), watched), grad(plain)(x, w)));
  }
  EXPECT_EQ(f.stats().traces, 4u);
}

/// One that is called within another one, where it does not ask, keeps its program for all sizes.
TEST_F(AutoSymbols, AreKeptWhereAFunctionWithinAsksNothing) {
  bool asks = true;
  const auto g = jit([&](const Array &x) { return asks && sum(x) > 1 ? x * 2 : x + 1; });
  for (int n = 3; n < 9; ++n)
    g(ones({n}));
  const uint64_t traces = g.stats().traces;
  asks = false;
  EXPECT_EQ(jit([&](const Array &x) { return g(x); })(ones({20})).to_vector<float>(), std::vector<float>(20, 2.0f));
  asks = true;
  for (int n = 30; n < 36; ++n)
    g(ones({n}));
  EXPECT_LE(g.stats().traces, traces + 2);
}

/// What a trial cannot answer is no answer, whoever catches that.
TEST_F(AutoSymbols, AreNoneWhereATrialIsRefusedAndCaught) {
  const auto f = jit([](const Array &x) {
    const Array h = host_call([](const Array &a) { return a; }, TensorSpec{f32, {}}, sum(x));
    try {
      if (h > 0)
        return x * 2;
    } catch (const Error &) {
    }
    return x + 5;
  });
  for (int n = 2; n < 9; ++n)
    EXPECT_EQ(f(ones({n})).to_vector<float>(), std::vector<float>(size_t(n), 2.0f)) << n;
}

/// A part has the sizes that there are: it is not tried with others.
TEST_F(AutoSymbols, AreNotTriedInAPart) {
  for (const int known : {3, 8}) {
    int runs = 0;
    const auto g = jit([&](const Array &x) {
      ++runs;
      return sum(x) > 1 ? x * 2 : x + 1;
    });
    for (int n = 3; n < 3 + known; ++n)
      g(ones({n}));
    runs = 0;
    const auto f = jit([&](const Array &x) { return g(x); }, {.dynamic_shapes = 0});
    EXPECT_EQ(f(ones({20})).to_vector<float>(), std::vector<float>(20, 2.0f));
    EXPECT_EQ(runs, 1) << known;
  }
}

/// Within another one, a function has the sizes of that one: what has happened in it has happened there.
TEST_F(AutoSymbols, WhatIsAskedWithinHasTheSizesOfTheOneAround) {
  for (const bool isKnown : {false, true}) {
    int calls = 0;
    const auto inner = jit([&](const Array &x) {
      const Array r = host_call([&](const Array &a) { return ++calls, a; }, TensorSpec{f32, {}}, sum(x));
      return r > 0 ? x * 2 : x * 3;
    });
    const auto plain = [&](const Array &x) {
      const Array y = inner(x);
      return sum(y) > 5 ? y : y + 1;
    };
    if (isKnown) // with a symbol
      for (int n : {2, 3, 4, 5, 6})
        inner(ones({n}));
    const auto f = jit(plain);
    for (int n = 2; n < 10; ++n)
      for (const float sign : {1.0f, -1.0f, 0.1f}) {
        const Array x = ones({n}) * sign;
        calls = 0;
        const Array y = f(x);
        EXPECT_EQ(calls, 1) << n << ", " << sign;
        const EagerScope scope;
        EXPECT_TRUE(areSame(y, plain(x))) << n << ", " << sign;
      }
  }
}

TEST_F(AutoSymbols, ManyThreads) {
  auto f = jit([](const Array &x) { return cumulative_sum(x) * 2.0f; });
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int n = 2; n < 40; ++n) {
        const int size = 2 + (n * 7 + t * 11) % 40;
        const Array x = numbers({size}, uint64_t(n));
        wrong += !areSame(f(x), cumulative_sum(x) * 2.0f);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(f.stats().traces, 12u);
}

TEST_F(AutoSymbols, WhatIsLoweredOrHeldHasTheSizesOfItsArguments) {
  auto f = jit([](const Array &x) { return x * 2.0f; });
  for (int n : {2, 3, 4, 5, 6})
    f(ones({n}));
  EXPECT_THAT(f.lower(ones({7})).mlir(), HasSubstr("tensor<7xf32>"));
  const uint64_t traces = f.stats().traces;
  (void)f.lower(ones({7}));
  EXPECT_EQ(f.stats().traces, traces);
  const auto held = f.concrete(ones({8}));
  EXPECT_THAT(held.str(), HasSubstr("shape=(8,)"));
  EXPECT_EQ(held(ones({8})).to_vector<float>(), std::vector<float>(8, 2.0f));
}

TEST_F(AutoSymbols, ExplainSaysWhatIsASymbolAndWhatCannotBe) {
  auto f = jit([](const Array &x) { return x * 2.0f; }, {.name = "f"});
  for (int n : {2, 3, 4})
    f(ones({n}));
  EXPECT_THAT(explain(f, ones({5})).text, HasSubstr("f32[4]; axis 0 of arg 0 would become symbolic"));
  f(ones({5}));
  EXPECT_TRUE(explain(f, ones({6})).hits);
  EXPECT_THAT(explain(f, ones({6})).text,
              HasSubstr("; axis 0 of arg 0 is symbolic, since it changes from call to call"));
  auto g = jit([](const Array &x) { return x.dim(0) < 40 ? x * 2.0f : x; }, {.name = "g"});
  for (int n : {2, 3, 4, 5})
    g(ones({n}));
  const std::string text = explain(g, ones({6})).text;
  EXPECT_THAT(text, HasSubstr("; axis 0 of arg 0 cannot be a symbol: cannot decide "));
  EXPECT_THAT(text, HasSubstr(" at " + std::string(__FILE__) + ":" + std::to_string(__LINE__ - 5)));
}

TEST_F(AutoSymbols, WhileProgramsAreCompiledInTheBackground) {
  auto f = jit([](const Array &x) { return sum(exp(x), 1); }, {.compile = Compile::background});
  for (int round = 0; round < 30; ++round)
    for (int n : {2, 3, 4, 5, 6, 7}) {
      const Array x = numbers({n, 5}, uint64_t(n));
      EXPECT_TRUE(areSame(f(x), sum(exp(x), 1)));
    }
  EXPECT_EQ(f.stats().traces, 4u);
}

TEST_F(AutoSymbols, InTheBackgroundASizeThatDoesNotFitIsTracedExactly) {
  auto f = jit([](const Array &x) { return x[{slice(1, 5)}]; }, {.compile = Compile::background});
  for (const int n : {2, 3, 5, 6, 7, 8, 4, 4, 2, 9})
    EXPECT_EQ(f(ones({n})).shape(), Shape({std::min(n, 5) - 1}));
}

TEST_F(AutoSymbols, WhetherASizeIsDividedIsAQuestion) {
  auto plain = [](const Array &x) { return exact_div(x.shape()[0], 2) ? sum(x) * 100 : sum(x); };
  auto f = jit(plain);
  auto halves = jit([](const Array &x) { return sum(x) + sum(zeros({x.shape()[0] / 2})); });
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 9}) {
    EXPECT_EQ(f(ones({n})).item<float>(), plain(ones({n})).item<float>());
    halves(ones({n}));
  }
  EXPECT_LE(halves.trace_count(), 4u) << "half a size is a size";
}

TEST_F(AutoSymbols, AreForgottenWithTheCaches) {
  auto f = jit([](const Array &x) { return x * 2.0f; });
  for (int n : {2, 3, 4, 5, 6})
    f(ones({n}));
  EXPECT_EQ(f.stats().traces, 4u);
  clear_caches();
  for (int n : {2, 3, 4, 5, 6})
    f(ones({n}));
  EXPECT_EQ(f.stats().traces, 8u);
}

TEST_F(AutoSymbols, OnlyTheSizeThatIsRefusedIsTracedExactly) {
  // No symbol broadcasts with 8, so that the second call of eight columns is another trace; what is known stays known.
  auto f =
      jit([](const Array &x, const Array &y) { return x.ndim() == y.ndim() ? sum(x) + sum(y) : x + y; }, {.name = "f"});
  for (int n : {2, 3, 4, 5, 6})
    EXPECT_EQ(f(ones({n}), ones({4})).item<float>(), float(n + 4));
  EXPECT_EQ(f.stats().traces, 4u);
  const Array y = ones({4, 8});
  for (int n : {8, 1})
    EXPECT_EQ(f(ones({n}), y).shape(), Shape({4, 8}));
  EXPECT_EQ(f(ones({7}), ones({4})).item<float>(), 11.0f);
  EXPECT_EQ(f.stats().traces, 6u);
}

TEST_F(AutoSymbols, TracesThatAreCountedHaveRoomForTheSymbol) {
  auto f = jit([](const Array &x) { return x * 2.0f; }, {.max_traces = 4});
  for (int n : {2, 3, 4, 5, 6, 7})
    f(ones({n}));
  EXPECT_EQ(f.stats().traces, 4u);
}

} // namespace
