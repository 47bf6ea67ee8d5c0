//===- captures_test.cpp - arrays that jitted functions capture, and traced values that leak ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace tenon;
using tenon::test::errorOf;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::mutex mutex;
std::vector<std::string> warnings;

struct Captured : testing::Test {
  Captured() {
    warnings.clear();
    set_log([](LogTopic topic, std::string_view line) {
      std::lock_guard lock(mutex);
      if (topic == LogTopic::warning && line.find("runs uncompiled") == std::string_view::npos)
        warnings.emplace_back(line);
    });
  }
  ~Captured() override { set_log(nullptr); }
};
struct Leaked : Captured {};

std::string line(int number) { return "captures_test.cpp:" + std::to_string(number); }
float at(const Array &x, int64_t i) { return x[i].item<float>(); }

constexpr int use = __LINE__ + 3; // of w
struct Net {
  Array w = {1.f, 2.f}, b = {0.5f, 0.5f};
  Array operator()(const Array &x) const { return x * w + b; }
};

TEST_F(Captured, WarnsOnceWhenACapturedArrayWasAssigned) {
  Net net;
  auto predict = jit([&](const Array &x) { return net(x); });
  const Array x = {2.f, 2.f};
  EXPECT_EQ(at(predict(x), 0), 2.5f);
  EXPECT_EQ(at(predict(x), 1), 4.5f);
  net.w = Array({10.f, 10.f});
  EXPECT_THAT(warnings, IsEmpty()) << "before a call uses the old value";
  const int call = __LINE__ + 1;
  EXPECT_EQ(at(predict(x), 0), 2.5f) << "the program is the old one";
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0],
              AllOf(HasSubstr("old value"), HasSubstr("the array f32[2] captured at "), HasSubstr(line(use)),
                    HasSubstr("called at"), HasSubstr(line(call)), HasSubstr("as an argument"), HasSubstr("Variable")));
  EXPECT_EQ(at(predict(x), 0), 2.5f);
  EXPECT_EQ(warnings.size(), 1u) << "once";
}

TEST_F(Captured, NamesTheLineOfTheOpThatReadsTheArray) {
  Array scale = {3.f};
  const int read = __LINE__ + 1;
  auto f = jit([&](const Array &x) { return x - scale; });
  f(ones({1}));
  scale = scale * 2;
  f(ones({1}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr(line(read) + " was assigned"));
}

TEST_F(Captured, OneWarningNamesAllArraysAssignedByThen) {
  Net net;
  auto predict = jit([&](const Array &x) { return net(x); });
  predict(ones({2}));
  net = Net{ones({2}), ones({2})};
  predict(ones({2}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("(and 1 other)"));
}

TEST_F(Captured, EveryKindOfOperandIsWatched) {
  const Array x = ones({2, 2});
  auto expectWarning = [&](auto function, const char *what) {
    warnings.clear();
    Array w = eye(2) * 3;
    auto f = jit([&](const Array &x) { return function(x, std::as_const(w)); });
    f(x);
    EXPECT_THAT(warnings, IsEmpty()) << what;
    w += 1;
    f(x);
    EXPECT_EQ(warnings.size(), 1u) << what;
  };
  expectWarning([](const Array &x, const Array &w) { return matmul(x, w); }, "a function");
  expectWarning([](const Array &x, const Array &w) { return x * w.T(); }, "a method");
  expectWarning([](const Array &x, const Array &w) { return x * w[0]; }, "an index");
  expectWarning([](const Array &x, const Array &w) { return x * w.at[0].set(1); }, "an update");
  expectWarning([](const Array &x, const Array &w) { return softmax(w) * x; }, "a composite");
  expectWarning([](const Array &x, const Array &w) { return where(w > 0, x, 0); }, "a condition");
  expectWarning(
      [](const Array &x, const Array &w) {
        return scan([](const Array &c, const Array &row) { return std::pair(c + row, c); }, w, stack({x, x})).first;
      },
      "the initial value of a scan");
  expectWarning(
      [](const Array &x, const Array &w) {
        return x + while_loop([](const Array &c) { return sum(c) < 100; }, [](const Array &c) { return c * 2; }, w);
      },
      "the initial value of a loop");
  expectWarning([](const Array &x, const Array &w) { return grad([&](const Array &y) { return sum(y * w); })(x); },
                "a derivative's constant");
  expectWarning([](const Array &x, const Array &w) { return x + vmap([&](const Array &y) { return y * w[1]; })(x); },
                "a batched function's constant");
  expectWarning(
      [](const Array &x, const Array &w) { return cond(sum(x) > 1, [&] { return w; }, [&] { return w * 2; }); },
      "a branch");
}

TEST_F(Captured, AnArgumentAndAVariableAreNotCaptured) {
  Net net;
  Variable scale(Array({2.f, 2.f}));
  auto predict = jit([&](const Net &net, const Array &x) { return net(x) * scale; });
  predict(net, ones({2}));
  net.w = net.w * 2;
  scale.assign(scale * 2);
  EXPECT_EQ(at(predict(net, ones({2})), 0), 10.f);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, AnUnchangedArrayDoesNotWarn) {
  const Array table = Array({0.f, 1.f, 2.f, 3.f});
  auto f = jit([&](const Array &x) { return x + table; });
  for (int i = 0; i < 3; ++i)
    f(ones({4}));
  const Array other = table + 1;
  EXPECT_EQ(at(other, 3), 4.f);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, AssigningACopyDoesNotWarn) {
  Array w = {1.f, 2.f};
  auto f = jit([w](const Array &x) { return x * w; });
  auto g = jit([&w](const Array &x) { return x * w; });
  f(ones({2}));
  g(ones({2}));
  Array copy = w;
  copy = copy + 1;
  copy = w;
  g(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
  w = copy + 1;
  f(ones({2}));
  EXPECT_THAT(warnings, IsEmpty()) << "it has a handle of its own";
  g(ones({2}));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Captured, LocalHandlesOfTheFunctionAreNotWatched) {
  const Array start = zeros({2});
  auto cell = [&](const Array &x) {
    std::vector<Array> states = {start, start}; // on the heap, at the same place in many calls
    auto held = std::make_unique<Array>(start);
    for (Array &state : states)
      state = state * 0.5f + x;
    *held = *held + x;
    Array own = start;
    own = own + states[0];
    return own + states[1] + *held;
  };
  auto f = jit(cell);
  for (int i = 0; i < 4; ++i) {
    const Array now = cell(ones({2})), compiled = f(ones({2}));
    EXPECT_EQ(at(now, 0), at(compiled, 0));
    f(ones({i + 1, 2})); // other signatures are traced among them
  }
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, AHandleAssignedDuringTheTraceIsNotWatched) {
  Array w = {1.f, 2.f};
  const Array replacement = {5.f, 5.f};
  auto f = jit([&](const Array &x) {
    Array y = x * w;
    w = replacement; // a buffer, and no traced value
    return y;
  });
  f(ones({2}));
  w = replacement + 1;
  f(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, ParametersPutAsideAndBackAreStillTheCapturedOnes) {
  Net net;
  auto predict = jit([&](const Array &x) { return net(x); });
  auto loss = [&](const Array &w, const Array &x) {
    const Array kept = std::exchange(net.w, w);
    Array value = sum(square(net(x)));
    net.w = kept;
    return value;
  };
  predict(ones({2}));
  const Array slope = grad(loss)(net.w, ones({2}));
  EXPECT_EQ(slope.shape(), Shape({2}));
  EXPECT_EQ(jit(grad(loss))(net.w, ones({2})).shape(), Shape({2}));
  predict(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, AnArrayPutAsideDuringALaterTraceIsStillTheCapturedOne) {
  Net net;
  auto f = jit([&](const Array &x) {
    const Array kept = std::exchange(net.w, net.w * x);
    Array y = net(x);
    net.w = kept;
    return y;
  });
  f(ones({2}));
  f(ones({3, 2})); // traced while the first program watches net.w
  f(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, AnArrayPutAsideForOneThatAnotherFunctionCapturedIsStillTheCapturedOne) {
  Net net;
  const Array other = {5.f, 5.f};
  auto g = jit([&](const Array &x) { return x + other; });
  g(ones({2}));
  auto f = jit([&](const Array &x) {
    const Array kept = std::exchange(net.w, net.w * x);
    net.w = other;
    Array y = net(x);
    net.w = kept;
    return y;
  });
  f(ones({2}));
  f(ones({3, 2}));
  f(ones({2}));
  g(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

/// A copy is kept, since a handle that was moved from is not watched any more.
TEST_F(Captured, AnArrayReplacedByATracedValueAndPutBackIsStillTheCapturedOne) {
  Net net;
  const Array other = {5.f, 5.f};
  auto predict = jit([&](const Array &x) { return net(x); });
  auto g = jit([&](const Array &x) { return x + other; });
  auto loss = [&](const Array &w, const Array &x) {
    const Array kept = net.w;
    net.w = w;
    Array value = sum(square(net(x)));
    net.w = other; // which g has captured
    value = value + sum(net(x));
    net.w = kept;
    return value;
  };
  predict(ones({2}));
  g(ones({2}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(jit(grad(loss))(net.w, ones({2})).shape(), Shape({2}));
    predict(ones({2}));
    g(ones({2}));
    EXPECT_THAT(warnings, IsEmpty());
  }
  net.w = other;
  predict(ones({2}));
  EXPECT_EQ(warnings.size(), 1u) << "it is still watched";
}

TEST_F(Captured, AnArrayThatTheProgramDoesNotReadIsNotWatched) {
  Array like = {1.f, 2.f}, wrong = {1.f, 2.f, 3.f};
  auto f = jit([&](const Array &x) { return x + zeros_like(like); });
  auto g = jit([&](const Array &x) {
    EXPECT_THAT(errorOf([&] { (void)(x + wrong); }), HasSubstr("broadcast"));
    return x * 2;
  });
  f(ones({2}));
  g(ones({2}));
  like = like + 1;
  wrong = wrong + 1;
  f(ones({2}));
  g(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, AReportedArrayIsNotReportedAgain) {
  Net net;
  auto predict = jit([&](const Array &x) { return net(x); });
  predict(ones({2}));
  net.w = Array({10.f, 10.f});
  predict(ones({2}));
  net.b = Array({10.f, 10.f});
  predict(ones({2}));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[1], testing::Not(HasSubstr("other")));
}

TEST_F(Captured, AssigningTheSameArrayDoesNotWarn) {
  Array w = {1.f, 2.f};
  auto f = jit([&](const Array &x) { return x * w; });
  f(ones({2}));
  const Array copy = w;
  w = copy;
  w = Array(w);
  f(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, ADestroyedHandleIsForgotten) {
  const Array table = {1.f, 2.f};
  alignas(Array) std::byte place[sizeof(Array)];
  Array *handle = new (place) Array(table);
  auto f = jit([&](const Array &x) { return x * *handle; });
  f(ones({2}));
  handle->~Array();
  handle = new (place) Array(table); // another handle at the same address, of the same value
  *handle = table + 1;
  f(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
  handle->~Array();
}

TEST_F(Captured, AHandleThatMovedIsNotWatched) {
  std::vector<Net> layers(1);
  auto f = jit([&](const Array &x) { return layers[0](x); });
  f(ones({2}));
  layers.reserve(100);
  layers.resize(50);
  layers.erase(layers.begin() + 10, layers.end());
  f(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Captured, AHandleThatTakesTheAddressOfAMovedOneIsNotWatched) {
  const Array table = {1.f, 2.f};
  alignas(Array) std::byte place[sizeof(Array)];
  Array *handle = new (place) Array(table);
  auto f = jit([&](const Array &x) { return x * *handle; });
  f(ones({2}));
  const Array moved = std::move(*handle);
  handle->~Array();
  handle = new (place) Array(table);
  *handle = table + 1;
  f(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
  handle->~Array();
}

/// So many that each look for a handle finds one of the same hash, and what keeps them grows.
TEST_F(Captured, ThousandsOfHandlesOfOneArrayAreWatched) {
  std::vector<Array> handles(3000, Array({1.f, 2.f}));
  auto f = jit(
      [&](const Array &x) {
        Array sum = x;
        for (const Array &one : handles)
          sum = sum + one;
        return sum;
      },
      {.compile = Compile::never});
  EXPECT_EQ(at(f(zeros({2})), 0), 3000.f);
  handles.back() = Array({5.f, 5.f});
  handles.front() = Array({5.f, 5.f});
  EXPECT_EQ(at(f(zeros({2})), 0), 3000.f);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("(and 1 other)"));
}

TEST_F(Captured, AKeyIsWatched) {
  for (const bool isSplit : {false, true}) {
    warnings.clear();
    Key key = random::key(1);
    auto f = jit([&](const Array &x) {
      return x + (isSplit ? random::normal(random::split(key)[0], {2}) : random::normal(key, {2}));
    });
    f(ones({2}));
    key = random::key(2);
    f(ones({2}));
    EXPECT_EQ(warnings.size(), 1u) << isSplit;
  }
}

TEST_F(Captured, APathThatACallDoesNotTakeIsNotReported) {
  Net net;
  auto f = jit([&](const Array &x) {
    print("{}", sum(x)); // so that the branch is a second program
    if (sum(x) > 0)
      return x + 1;
    return net(x);
  });
  testing::internal::CaptureStdout();
  for (int i = 0; i < 3; ++i)
    f(i % 2 ? -ones({2}) : ones({2}));
  net.w = net.w + 1;
  f(ones({2}));
  const size_t before = warnings.size();
  f(-ones({2}));
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(before, 0u);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Captured, AnAssignmentInAnotherThreadIsSeen) {
  Net net;
  auto predict = jit([&](const Array &x) { return net(x); });
  predict(ones({2}));
  std::thread([&] { net.b = ones({2}); }).join();
  predict(ones({2}));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Captured, ThreadsAssignAndCallAtOnce) {
  constexpr int count = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 20; ++i) {
        Net net;
        auto predict = jit([&](const Array &x) { return net(x); }, {.compile = Compile::never});
        predict(ones({2}));
        if (i % 2)
          net.w = net.w + 1;
        predict(ones({2}));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(warnings.size(), size_t(count * 10));
}

TEST_F(Captured, AnInnerFunctionsCaptureIsTheOuterOnesToo) {
  Net net;
  auto inner = jit([&](const Array &x) { return net(x); }, {.name = "inner"});
  auto outer = jit([&](const Array &x) { return inner(x) * 2; }, {.name = "outer"});
  for (const bool isInnerFirst : {false, true}) {
    warnings.clear();
    if (isInnerFirst)
      inner(ones({3, 2}));
    outer(ones({isInnerFirst ? 3 : 4, 2}));
    net.w = net.w + 1;
    outer(ones({isInnerFirst ? 3 : 4, 2}));
    ASSERT_EQ(warnings.size(), 1u) << isInnerFirst;
    EXPECT_THAT(warnings[0], HasSubstr("outer: "));
  }
}

TEST_F(Captured, AnArgumentOfAnInnerFunctionIsCapturedByTheOuterOne) {
  Net net;
  auto inner = jit([](const Net &net, const Array &x) { return net(x); });
  auto outer = jit([&](const Array &x) { return inner(net, x); });
  outer(ones({2}));
  net.w = net.w + 1;
  outer(ones({2}));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Captured, EveryVariantOfABranchWarns) {
  Net net;
  auto f = jit([&](const Array &x) { return sum(x) > 0 ? net(x) : net(-x) * 2; });
  for (int i = 0; i < 12; ++i) // until both are one program
    f(full({2}, i % 2 ? 1.f : -1.f));
  EXPECT_THAT(warnings, IsEmpty());
  net.w = net.w + 1;
  f(ones({2}));
  f(-ones({2}));
  EXPECT_THAT(warnings.size(), testing::AllOf(testing::Ge(1u), testing::Le(2u)));
}

TEST_F(Captured, AFunctionThatBranchesAfterAPrintWarns) {
  Net net;
  auto f = jit([&](const Array &x) {
    const Array y = net(x);
    print("{}", sum(y));
    return sum(y) > 0 ? y : -y;
  });
  testing::internal::CaptureStdout();
  f(ones({2}));
  f(ones({2}));
  warnings.clear();
  net.w = net.w + 1;
  f(ones({2}));
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Captured, AConcreteFunctionWarns) {
  Net net;
  const auto concrete = jit([&](const Array &x) { return net(x); }).concrete(TensorSpec{f32, {2}});
  concrete(ones({2}));
  net.w = net.w + 1;
  concrete(ones({2}));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Captured, TheOptionMakesItAnErrorOrIgnoresIt) {
  Net net;
  auto strict = jit([&](const Array &x) { return net(x); }, {.captures = Captures::error});
  auto silent = jit([&](const Array &x) { return net(x); }, {.captures = Captures::silent});
  strict(ones({2}));
  silent(ones({2}));
  net.w = net.w + 1;
  for (int i = 0; i < 2; ++i) {
    int call = 0;
    const std::string text = errorOf([&] {
      call = __LINE__ + 1;
      strict(ones({2}));
    });
    EXPECT_THAT(text, AllOf(HasSubstr("old value"), HasSubstr(line(call)))) << i;
  }
  silent(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(at(strict(ones({1, 2}))[0], 0), 2.5f) << "another signature is traced with the new value";
}

TEST_F(Captured, TheEnvironmentMakesItAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process of its own
  auto call = [] {
    setenv("TENON_STRICT", "1", 1);
    Net net;
    auto f = jit([&](const Array &x) { return net(x); }, {.compile = Compile::never});
    f(ones({2}));
    net.w = net.w + 1;
    const std::string text = errorOf([&] { f(ones({2})); });
    Array kept;
    const std::string leak =
        errorOf([&] { jit([&](const Array &x) { return kept = x + 1; }, {.compile = Compile::never})(ones({2})); });
    exit(text.find("old value") != text.npos && leak.find("traced value") != leak.npos ? 0 : 1);
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(0), "");
}

TEST_F(Captured, TheProgramAloneKeepsTheOldElements) {
  const size_t before = memory_in_use();
  {
    Array w = ones({1 << 16});
    auto f = jit([&](const Array &x) { return sum(x * w); });
    f(ones({1 << 16}));
    clear_caches();
    w = Array(0.f);
  }
  EXPECT_LT(memory_in_use(), before + (1 << 17));
}

TEST_F(Leaked, WarnsOfATracedValueThatOutlivesTheTrace) {
  Array total = 0;
  const int leak = __LINE__ + 2;
  auto f = jit([&](const Array &x) {
    total += x;
    return x * 2;
  });
  EXPECT_EQ(f(Array(3.f)).item<float>(), 6.f);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("traced value"), HasSubstr("f32[]"), HasSubstr(line(leak)),
                                 HasSubstr("Return"), HasSubstr("Variable")));
  total = Array(0);
  f(ones({2}));
  EXPECT_EQ(warnings.size(), 1u) << "once per function";
}

TEST_F(Leaked, TheOptionMakesItAnErrorOrIgnoresIt) {
  Array kept;
  auto leak = [&](const Array &x) {
    kept = x * 2;
    return x;
  };
  EXPECT_THAT(errorOf([&] { jit(leak, {.captures = Captures::error})(ones({2})); }), HasSubstr("traced value"));
  kept = Array();
  jit(leak, {.captures = Captures::silent})(ones({2}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Leaked, AnArgumentThatIsKeptLeaks) {
  std::vector<Array> seen;
  auto f = jit([&](const Array &x) {
    seen.push_back(x);
    return x + 1;
  });
  f(ones({2}));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Leaked, ManyValuesAreCounted) {
  std::vector<Array> seen;
  auto f = jit(
      [&](const Array &x) {
        Array y = x;
        for (int i = 0; i < 2000; ++i) {
          y = y * 1.001f;
          if (i % 500 == 0)
            seen.push_back(y);
        }
        return y;
      },
      {.compile = Compile::never});
  f(ones({2}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("(and 3 others)"));
}

TEST_F(Leaked, ResultsUpdatesAndVariablesDoNotLeak) {
  Variable total(Array(0.f));
  Net net;
  auto step = jit([&](Net &net, const Array &x) {
    total.assign(total + sum(x));
    net.w = net.w - x;
    const Array slope = grad([&](const Array &w) { return sum(square(w * x)); })(net.w);
    GradientTape tape;
    tape.watch(x);
    const Array cube = x * x * x;
    const Array own = tape.gradient(sum(cube), x);
    const Array steps = scan([](const Array &c, const Array &y) { return std::pair(c + y, c); }, Array(0.f), x).second;
    return std::vector<Array>{
        slope, own, steps,
        cond(sum(x) > 0, [&] { return cube; }, [&] { return own; }), vmap([](const Array &y) { return y * 2; })(x)};
  });
  step(net, ones({2}));
  step(net, ones({2}));
  jit([&](const Array &x) { return step(net, x)[0] + step(net, x)[1]; })(ones({2}));
  warnings.erase(std::remove_if(warnings.begin(), warnings.end(),
                                [](const std::string &one) { return one.find("traced value") == std::string::npos; }),
                 warnings.end());
  EXPECT_EQ(warnings.size(), 1u) << "the last function alone, which updates the captured net";
}

TEST_F(Leaked, AFunctionThatThrowsDoesNotWarn) {
  Array kept;
  auto f = jit([&](const Array &x) -> Array {
    kept = x * 2;
    throw std::runtime_error("stop");
  });
  EXPECT_THROW(f(ones({2})), std::runtime_error);
  EXPECT_THAT(warnings, IsEmpty());
}

} // namespace
