//===- host_test.cpp - host callbacks in programs ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Printed.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include "lib/program/CompilerPlugin.h"
#include "lib/trace/HostFunction.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace tenon::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// `call` eagerly, compiled and interpreted.
template <class F>
void inAllModes(const F &f,
                const std::function<void(const std::function<Array(const Array &)> &, const char *)> &test) {
  test([&](const Array &x) { return f(x); }, "eager");
  const auto compiled = jit(f);
  test([&](const Array &x) { return compiled(x); }, "compiled");
  const auto interpreted = jit(f, {.compile = Compile::never});
  test([&](const Array &x) { return interpreted(x); }, "interpreted");
}

const TensorSpec scalar{f32, {}};

/// Tells apart whether it is the object that was thrown.
struct Thrown : std::runtime_error {
  explicit Thrown(int number) : std::runtime_error("thrown"), number(number), self(this) {}
  Thrown(const Thrown &other) : std::runtime_error(other), number(other.number), self(this) { ++copies; }
  int number;
  const Thrown *self;
  static inline int copies = 0;
};

//===----------------------------------------------------------------------===//
// host_call
//===----------------------------------------------------------------------===//

TEST(HostCall, ThreadsMakeEqualClosures) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        const double factor = i % 7;
        auto times = [factor](const Array &x) { return x * static_cast<float>(factor); };
        try {
          wrong += number(host_call(times, scalar, Array(2.0f))) != 2 * static_cast<float>(factor);
        } catch (const Error &) {
          ++wrong;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(HostCall, AClosureOfTheSameBytesIsTheSameFunction) {
  int calls = 0;
  double factor = 2; // as large as a reference, so that the closure has no bytes between them
  auto f = [&](const Array &x) {
    return host_call([&calls, factor](const Array &x) { return ++calls, x * static_cast<float>(factor); }, scalar, x) +
           1;
  };
  auto first = jit(f), second = jit(f);
  EXPECT_EQ(number(first(Array(1.0f))), 3);
  EXPECT_EQ(number(second(Array(2.0f))), 5);
  if (!tenon::detail::compilerPath().empty()) {
    EXPECT_EQ(second.stats().compiles, 0u) << "there is a program of an equal trace";
  }
  factor = 3;
  auto third = jit(f);
  EXPECT_EQ(number(third(Array(1.0f))), 4);
  EXPECT_EQ(number(first(Array(1.0f))), 3);
  EXPECT_EQ(calls, 4);
  // One that changes itself starts anew wherever it is recorded.
  auto counts = [](const Array &x) {
    return host_call([n = 0](const Array &x) mutable { return x + ++n; }, scalar, x);
  };
  auto a = jit(counts), b = jit(counts);
  EXPECT_EQ(number(a(Array(0.0f))), 1);
  EXPECT_EQ(number(a(Array(0.0f))), 2);
  EXPECT_EQ(number(b(Array(0.0f))), 1);
}

/// The py_func of TensorFlow's tutorial.
Array myPyFunc(Array x) {
  x = matmul(x, x);
  std::cout << x << std::endl;
  return x;
}

TEST(HostCall, IsAnyCppInsideOfAProgram) {
  const Array x = {{2.0f}};
  auto f = [](const Array &x) { return host_call(myPyFunc, TensorSpec{f32, {1, 1}}, x); };
  inAllModes(f, [&](const auto &call, const char *mode) {
    Array y;
    EXPECT_EQ(printedBy([&] { y = call(x); }), "Array([[4.]], shape=(1, 1), dtype=float32)\n") << mode;
    EXPECT_EQ(floats(y), Floats{4}) << mode;
  });
  // While it is traced nothing is printed; afterwards at each call.
  auto compiled = jit(f);
  EXPECT_EQ(printedBy([&] { (void)compiled.lower(x); }), "");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(printedBy([&] { compiled(x); }), "Array([[4.]], shape=(1, 1), dtype=float32)\n");
  EXPECT_EQ(compiled.stats().traces, 1u);
}

struct Moments {
  Array mean, square;
};

TEST(HostCall, ReturnsWhatTheFunctionDoes) {
  const Array x = {1.0f, 2.0f, 6.0f};
  const TensorSpec whole{f32, {3}};
  inAllModes(
      [&](const Array &x) {
        const auto [a, b] =
            host_call([](const Array &x) { return std::pair(x * 2, sum(x)); }, std::pair{whole, scalar}, x);
        const auto [c, d, e] =
            host_call([](const Array &x, const Array &k) { return std::tuple(x + k, argmax(x), x > k); },
                      std::tuple{whole, TensorSpec{i64, {}}, TensorSpec{bool_, {3}}}, x, 1.5f);
        const Moments m =
            host_call([](const Array &x) { return Moments{mean(x), mean(x * x)}; }, std::array{scalar, scalar}, x);
        const std::vector<Array> list =
            host_call([](const Array &x) { return std::vector<Array>{x, -x}; }, std::vector{whole, whole}, x);
        const Array none = host_call([] { return arange(3.0f); }, whole);
        host_call([](const Array &) {}, tenon::none, x);
        return a + b + c + astype(d, f32) + astype(e, f32) + m.mean + m.square + list[0] + list[1] * 10 + none;
      },
      [&](const auto &call, const char *mode) {
        // 2x + 9 + x + 1.5 + 2 + (x > 1.5) + 3 + 41/3 + x - 10x + i
        const float rest = 9 + 1.5f + 2 + 3 + 41 / 3.0f;
        const Floats got = floats(call(x));
        for (int i = 0; i < 3; ++i)
          EXPECT_NEAR(got[static_cast<size_t>(i)], -6 * floats(x)[static_cast<size_t>(i)] + rest + (i > 0) + float(i),
                      1e-4)
              << mode;
      });
}

struct Layer {
  Array w;
  int power = 1;
};

TEST(HostCall, TakesTreesWithWhatIsStaticInThem) {
  auto f = [](const Array &x, int power) {
    return host_call(
        [](const Layer &layer, Array y) {
          for (int i = 0; i < layer.power; ++i)
            y = y * layer.w;
          return y;
        },
        scalar, Layer{x, power}, 1.0f);
  };
  auto squared = jit([&](const Array &x) { return f(x, 2); });
  auto cubed = jit([&](const Array &x) { return f(x, 3); });
  EXPECT_EQ(number(squared(Array(3.0f))), 9);
  EXPECT_EQ(number(cubed(Array(3.0f))), 27);
  EXPECT_EQ(number(f(Array(3.0f), 4)), 81);
}

TEST(HostCall, IsCalledOnceInOrder) {
  auto f = [](const Array &x) {
    print("one {}", {x});
    const Array y = host_call(
        [](const Array &x) {
          std::cout << "two " << number(x) << std::endl;
          return x + 1;
        },
        scalar, x);
    print("three {}", {y});
    host_call([](const Array &) { std::cout << "four" << std::endl; }, none, x); // nobody uses what it returns
    return x * y;
  };
  inAllModes(f, [](const auto &call, const char *mode) {
    for (int i = 1; i < 4; ++i) {
      const std::string n = std::to_string(i);
      EXPECT_EQ(printedBy([&] { EXPECT_EQ(number(call(Array(float(i)))), float(i * (i + 1))); }),
                "one " + n + ".\ntwo " + n + "\nthree " + std::to_string(i + 1) + ".\nfour\n")
          << mode;
    }
  });
}

TEST(HostCall, EqualCallsAreNotOne) {
  static int calls;
  calls = 0;
  auto next = [](const Array &x) { return x + float(++calls); };
  auto f = jit([&](const Array &x) {
    const Array a = host_call(next, scalar, x), b = host_call(next, scalar, x);
    host_call(next, scalar, x); // unused
    return a * 10 + b;
  });
  EXPECT_EQ(number(f(Array(0.0f))), 12);
  EXPECT_EQ(number(f(Array(0.0f))), 45);
  EXPECT_EQ(calls, 6);
}

TEST(HostCall, ComparesWhatIsReturnedWithTheSpecs) {
  inAllModes(
      [](const Array &x) { return host_call([](const Array &x) { return astype(x, f64); }, scalar, x); },
      [](const auto &call, const char *mode) {
        const std::string error = errorOf([&] { call(Array(1.0f)); });
        EXPECT_THAT(error, HasSubstr("host_call: expected the function to return f32[], as it is specified, got f64[]"))
            << mode;
        EXPECT_THAT(error, HasSubstr("host_test.cpp:" + std::to_string(__LINE__ - 5))) << mode;
      });
  inAllModes(
      [](const Array &x) {
        return host_call([](const Array &x) { return std::pair(x, ones({2, 3})); },
                         std::pair{scalar, TensorSpec{f32, {3, 2}}}, x)
            .second;
      },
      [](const auto &call, const char *mode) {
        EXPECT_THAT(
            errorOf([&] { call(Array(1.0f)); }),
            HasSubstr("expected the function to return f32[3, 2] as array 1, as it is specified, got f32[2, 3]"))
            << mode;
      });
  inAllModes([](const Array &x) { return host_call([](const Array &) { return Array(); }, scalar, x); },
             [](const auto &call, const char *mode) {
               EXPECT_THAT(errorOf([&] { call(Array(1.0f)); }), HasSubstr("got an empty Array")) << mode;
             });
  inAllModes(
      [](const Array &x) {
        return host_call([](const Array &x) { return std::vector{x}; }, std::vector{scalar, scalar}, x)[0];
      },
      [](const auto &call, const char *mode) {
        EXPECT_THAT(errorOf([&] { call(Array(1.0f)); }),
                    HasSubstr("expected the function to return 2 arrays, as it is specified, got 1"))
            << mode;
      });
  EXPECT_THAT(errorOf([] { host_call([](const Array &x) { return x; }, std::vector{scalar, scalar}, Array(1.0f)); }),
              HasSubstr("host_call: expected a TensorSpec for each of the 1 arrays"));
  EXPECT_THAT(errorOf([] { host_call([](const Array &x) { return x; }, scalar, Array()); }),
              HasSubstr("host_call: expected an array as arg 0, got an empty Array"));
}

TEST(HostCall, SizesMayBeSymbols) {
  auto f = jit(
      [](const Array &x) {
        const Dim n = x.shape()[0];
        return host_call([](const Array &x) { return std::pair(concatenate({x, x}), sum(x, {1})); },
                         std::pair{TensorSpec{f32, {n * 2, 3}}, TensorSpec{f32, {n}}}, x)
                   .first *
               2;
      },
      {.specs = {TensorSpec{f32, {"n", 3}}}});
  for (int64_t n : {2, 5, 7}) {
    const Array x = ones({n, 3});
    EXPECT_EQ(f(x).shape(), Shape({2 * n, 3}));
    EXPECT_EQ(number(sum(f(x))), float(12 * n));
  }
  EXPECT_EQ(f.stats().traces, 1u);
  // What does not fit at the sizes of a call.
  auto wrong = jit(
      [](const Array &x) {
        return host_call([](const Array &x) { return sum(x, {0}); }, TensorSpec{f32, {x.shape()[0]}}, x);
      },
      {.specs = {TensorSpec{f32, {"n", 3}}}});
  EXPECT_EQ(floats(wrong(ones({3, 3}))), (Floats{3, 3, 3}));
  EXPECT_THAT(errorOf([&] { wrong(ones({5, 3})); }),
              HasSubstr("expected the function to return f32[5], as it is specified, "
                        "got f32[3]"));
}

TEST(HostCall, IsNotCalledForTypesAlone) {
  const Array y = eval_shape(
      [](const Array &x) {
        return host_call([](const Array &x) -> Array { throw Thrown(number(x) > 0); },
                         TensorSpec{f64, {x.shape()[0], 2}}, x);
      },
      TensorSpec{f32, {"n"}});
  EXPECT_EQ(y.dtype(), f64);
  EXPECT_EQ(y.shape().str(), "(n, 2)");
}

TEST(HostCall, OfNoElements) {
  inAllModes([](const Array &x) { return host_call([](const Array &x) { return x * 2; }, TensorSpec{f32, {0, 3}}, x); },
             [](const auto &call, const char *mode) { EXPECT_EQ(call(zeros({0, 3})).shape(), Shape({0, 3})) << mode; });
}

TEST(HostCall, ViewsArriveAsTheyAreSeen) {
  const Array x = reshape(arange(6.0f), {2, 3});
  inAllModes(
      [](const Array &x) {
        return host_call([](const Array &x) { return transpose(x); }, TensorSpec{f32, {3}}, transpose(x)[1]);
      },
      [&](const auto &call, const char *mode) {
        EXPECT_THAT(errorOf([&] { call(x); }), HasSubstr("got f32[2]")) << mode;
      });
  inAllModes(
      [](const Array &x) {
        return host_call([](const Array &x) { return transpose(x) + 1; }, TensorSpec{f32, {2, 3}}, transpose(x)) * 2;
      },
      [&](const auto &call, const char *mode) { EXPECT_EQ(floats(call(x)), (Floats{2, 4, 6, 8, 10, 12})) << mode; });
}

//===----------------------------------------------------------------------===//
// What is thrown, what is updated
//===----------------------------------------------------------------------===//

TEST(HostCall, WhatIsThrownPassesAsItIs) {
  static const void *address;
  auto f = [](const Array &x) {
    return host_call(
        [](const Array &x) -> Array {
          try {
            throw Thrown(static_cast<int>(number(x)));
          } catch (const Thrown &thrown) {
            address = &thrown;
            throw;
          }
        },
        scalar, x + 1);
  };
  inAllModes(f, [](const auto &call, const char *mode) {
    Thrown::copies = 0;
    bool isCaught = false;
    try {
      call(Array(6.0f));
    } catch (const Thrown &thrown) {
      isCaught = true;
      EXPECT_EQ(thrown.number, 7) << mode;
      EXPECT_EQ(&thrown, address) << mode;
    }
    EXPECT_TRUE(isCaught) << mode;
    EXPECT_EQ(Thrown::copies, 0) << mode;
  });
  // Numbers, and Tenon's own, with and without a line.
  inAllModes([](const Array &x) { return host_call([](const Array &) -> Array { throw 7; }, scalar, x); },
             [](const auto &call, const char *mode) { EXPECT_THROW(call(Array(1.0f)), int) << mode; });
  inAllModes([](const Array &x) { return host_call([](const Array &) -> Array { throw Error("mine"); }, scalar, x); },
             [](const auto &call, const char *mode) {
               EXPECT_EQ(errorOf([&] { call(Array(1.0f)); }), "mine") << mode;
               EXPECT_EQ(errorOf([&] { // in a body, too
                           scan([&](const Array &c) { return std::pair(call(c), none); }, Array(1.0f), none,
                                {.length = 2});
                         }),
                         "mine")
                   << mode;
             });
  inAllModes(
      [](const Array &x) {
        return host_call([](const Array &x) -> Array { return matmul(x, x); }, scalar, x); // of rank 0
      },
      [](const auto &call, const char *mode) {
        const std::string error = errorOf([&] { call(Array(1.0f)); });
        EXPECT_THAT(error, HasSubstr("matmul: ")) << mode;
        EXPECT_THAT(error, HasSubstr("host_test.cpp:" + std::to_string(__LINE__ - 5))) << mode;
      });
}

TEST(HostCall, NothingIsUpdatedWhenItThrows) {
  static bool throws;
  Variable v(1.0f), w(Array{1.0f, 2.0f});
  auto step = jit([&](Array &state, const Array &given) {
    state = state + 1;
    v += 1;
    w.assign(w * 2.0f);
    host_call(
        [](const Array &) {
          if (throws)
            throw Thrown(1);
        },
        none, given);
    v += 1;
    return given * 2 + state;
  });
  Array state = Array{1.0f, 2.0f};
  for (bool now : {false, true, false, true, true, false}) {
    throws = now;
    const Floats stateBefore = floats(state), wBefore = floats(w);
    const float vBefore = number(v);
    Array given = Array{5.0f, 6.0f};
    if (now) {
      EXPECT_THROW(step(state, std::move(given)), Thrown);
      EXPECT_EQ(floats(given), (Floats{5, 6})) << "a donated one, too";
      EXPECT_EQ(floats(state), stateBefore);
      EXPECT_EQ(floats(w), wBefore);
      EXPECT_EQ(number(v), vBefore);
    } else {
      EXPECT_EQ(floats(step(state, std::move(given))), (Floats{10 + stateBefore[0] + 1, 12 + stateBefore[1] + 1}));
      EXPECT_EQ(floats(state), (Floats{stateBefore[0] + 1, stateBefore[1] + 1}));
      EXPECT_EQ(floats(w), (Floats{wBefore[0] * 2, wBefore[1] * 2}));
      EXPECT_EQ(number(v), vBefore + 2);
    }
  }
  EXPECT_EQ(step.stats().traces, 1u);
}

TEST(HostCall, SeesWhatThereWasBefore) {
  // Whatever the function takes hold of, the program does not write there.
  Variable v(Array{1.0f, 2.0f, 3.0f, 4.0f});
  std::vector<Array> kept;
  Array given;
  auto step = jit([&](Array x) {
    host_call([&](const Array &) { kept = {v.value(), given}; }, none, x);
    v.assign(v + x);
    return x * 2;
  });
  for (int i = 0; i < 3; ++i) {
    const Floats before = floats(v);
    given = Array{1.0f, 1.0f, 1.0f, 1.0f} * float(i + 1);
    const float one = float(i + 1);
    EXPECT_EQ(floats(step(std::move(given))), Floats(4, 2 * one));
    EXPECT_EQ(floats(kept[0]), before);
    EXPECT_EQ(floats(kept[1]), Floats(4, one));
    EXPECT_EQ(floats(v)[3], before[3] + one);
    kept.clear();
  }
}

/// The program runs on what it was called with, whoever lets go of that meanwhile.
TEST(HostCall, MayAssignWhatTheProgramWasCalledWith) {
  for (Compile compile : {Compile::now, Compile::never}) {
    Array x = full({4}, 1.f), y = full({4}, 2.f);
    std::vector<Array> taken; // of the memory that was given back
    const auto f = jit(
        [&](const Array &a, Array &b) {
          const Array c = host_call(
              [&](const Array &v) {
                x = Array();
                y = Array();
                for (int i = 0; i < 8; ++i)
                  taken.push_back(full({4}, 100.f));
                return v + 1;
              },
              TensorSpec{f32, {4}}, a);
          b = b + 1;
          return c + a * 10 + b * 100;
        },
        {.compile = compile});
    EXPECT_THAT(floats(f(x, y)), ElementsAre(312, 312, 312, 312));
    EXPECT_THAT(floats(y), ElementsAre(3, 3, 3, 3));
  }
}

TEST(HostCall, MayUseVariablesThatTheProgramDoesNotUpdate) {
  Variable v(1.0f), other(0.0f);
  auto step = jit([&](const Array &x) {
    v += x;
    host_call([&](const Array &x) { other.assign(other + x * 10); }, none, x);
    return v * 1;
  });
  EXPECT_EQ(number(step(Array(2.0f))), 3);
  EXPECT_EQ(number(other), 20);
  auto wrong = jit([&](const Array &x) {
    v += x;
    host_call([&](const Array &x) { v.assign(x); }, none, x);
    return v * 1;
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(errorOf([&] { wrong(Array(2.0f)); }), HasSubstr("cannot assign"));
    EXPECT_EQ(number(v), 2) << "what the host has assigned";
  }
}

//===----------------------------------------------------------------------===//
// Identity and life
//===----------------------------------------------------------------------===//

TEST(HostCall, AnotherFunctionIsAnotherProgram) {
  auto make = [](float k) {
    return jit([k](const Array &x) { return host_call([k](const Array &x) { return x * k; }, scalar, x); });
  };
  auto two = make(2), three = make(3);
  EXPECT_EQ(number(two(Array(1.0f))), 2);
  EXPECT_EQ(number(three(Array(1.0f))), 3);
  for (int i = 0; i < 20; ++i) // one is gone when the next is made
    EXPECT_EQ(number(make(float(i))(Array(1.0f))), float(i));
  EXPECT_EQ(number(two(Array(5.0f))), 10);
}

/// The call that records it has called the host by then.
TEST(HostCall, IsCompiledAfterTheFirstCall) {
  int calls = 0;
  const auto f =
      jit([&](const Array &x) { return host_call([&](const Array &x) { return ++calls, x * 2; }, scalar, x + 1) * 3; });
  EXPECT_EQ(number(f(Array(1.0f))), 12);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(f.stats().compiles, 1u);
  EXPECT_EQ(number(f(Array(2.0f))), 18);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(f.stats().compiles, 1u);
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(HostCall, AFunctionWithoutCapturesIsTheSameOne) {
  auto make = [] {
    return jit([](const Array &x) { return host_call([](const Array &x) { return x + 41; }, scalar, x * 17) - 3; });
  };
  EXPECT_EQ(number(make()(Array(0.0f))), 38);
  const uint64_t before = statistics().compilations;
  EXPECT_EQ(number(make()(Array(1.0f))), 55);
  auto named = [] { return jit([](const Array &x) { return host_call(myPyFunc, TensorSpec{f32, {1, 1}}, x); }); };
  EXPECT_EQ(statistics().compilations, before);
  printedBy([&] { named()(Array{{1.0f}}); });
  const uint64_t between = statistics().compilations;
  printedBy([&] { named()(Array{{3.0f}}); });
  EXPECT_EQ(statistics().compilations, between);
}

TEST(HostCall, LivesAsLongAsWhatWasRecordedWithIt) {
  auto held = std::make_shared<int>(7);
  {
    auto f = jit(
        [held](const Array &x) { return host_call([held](const Array &x) { return x * float(*held); }, scalar, x); });
    EXPECT_EQ(number(f(Array(2.0f))), 14);
    EXPECT_GT(held.use_count(), 2);
    EXPECT_EQ(number(f(Array(3.0f))), 21);
    EXPECT_EQ(number(grad([&](const Array &x) { return x * stop_gradient(f(stop_gradient(x))); })(Array(3.0f))), 21);
    EXPECT_EQ(floats(vmap(f)(Array{1.0f, 2.0f})), (Floats{7, 14}));
  }
  EXPECT_EQ(held.use_count(), 1) << "caches keep none";
  host_call([held](const Array &) {}, none, Array(1.0f));
  EXPECT_EQ(held.use_count(), 1);
  scan([&](const Array &c) { return std::pair(host_call([held](const Array &c) { return c + 1; }, scalar, c), none); },
       Array(1.0f), none, {.length = 3});
  EXPECT_EQ(held.use_count(), 1);
  // A recording that is thrown away.
  EXPECT_THROW(jit([&](const Array &x) -> Array {
                 host_call([held](const Array &) {}, none, x);
                 throw Thrown(1);
               })(Array(1.0f)),
               Thrown);
  EXPECT_EQ(held.use_count(), 1);
  auto lowered = std::make_unique<Lowered>(jit([&](const Array &x) {
                                             return host_call([held](const Array &x) { return x; }, scalar, x);
                                           }).lower(Array(1.0f)));
  EXPECT_EQ(held.use_count(), 2);
  EXPECT_THAT(lowered->trace(), HasSubstr("host_call %0, function = "));
  lowered.reset();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(HostCall, IsSavedNowhere) {
  if (tenon::detail::compilerPath().empty())
    GTEST_SKIP() << "a build without the compiler";
  const Lowered lowered =
      jit([](const Array &x) {
        return scan([](const Array &c) { return std::pair(host_call(myPyFunc, TensorSpec{f32, {1, 1}}, c), none); }, x,
                    none, {.length = 2})
            .first;
      }).lower(Array{{1.0f}});
  for (const std::string &error : {errorOf([&] { lowered.save_trace("host_test.trace"); }),
                                   errorOf([&] { lowered.save_blob("host_test.blob"); })}) {
    EXPECT_THAT(error, HasSubstr("expected a function without host_call, whose C++ function cannot be saved"));
    EXPECT_THAT(error, HasSubstr("host_test.cpp:" + std::to_string(__LINE__ - 8)));
  }
  EXPECT_THAT(lowered.mlir(), HasSubstr("tenon.host_call"));
}

//===----------------------------------------------------------------------===//
// Control flow, derivatives, batches
//===----------------------------------------------------------------------===//

TEST(HostCall, InBodies) {
  static std::vector<float> seen;
  auto log = [](const Array &x) {
    seen.push_back(number(x));
    return x * 2;
  };
  auto expectSeen = [&](const auto &f, const Array &x, float result, const Floats &all) {
    inAllModes(f, [&](const auto &call, const char *mode) {
      for (int i = 0; i < 2; ++i) {
        seen.clear();
        EXPECT_EQ(number(call(x)), result) << mode;
        EXPECT_EQ(seen, all) << mode;
      }
    });
  };
  expectSeen(
      [&](const Array &x) {
        return scan([&](const Array &c) { return std::pair(host_call(log, scalar, c), none); }, x, none, {.length = 3})
            .first;
      },
      Array(1.0f), 8, {1, 2, 4});
  expectSeen(
      [&](const Array &x) {
        return while_loop([](const Array &c) { return c < 10; },
                          [&](const Array &c) { return host_call(log, scalar, c); }, x);
      },
      Array(3.0f), 12, {3, 6});
  expectSeen(
      [&](const Array &x) {
        return fori_loop(0, 2, [&](const Array &i, const Array &c) { return host_call(log, scalar, c + i); }, x);
      },
      Array(1.0f), 6, {1, 3});
  auto chosen = [&](const Array &x) {
    return cond(x > 0, [&] { return host_call(log, scalar, x); }, [&] { return -x; });
  };
  expectSeen(chosen, Array(5.0f), 10, {5});
  expectSeen(chosen, Array(-5.0f), 5, {});
  auto named = composite("logged", [&](const Array &x) { return host_call(log, scalar, x) + 1; });
  expectSeen(named, Array(1.0f), 3, {1});
  // A jitted function in another.
  auto inner = jit([&](const Array &x) { return host_call(log, scalar, x); });
  expectSeen([&](const Array &x) { return inner(inner(x)); }, Array(1.0f), 4, {1, 2});
}

TEST(HostCall, HasTheDerivativeThatItIsGiven) {
  static int calls;
  auto cube = [](const Array &x) {
    ++calls;
    return x * x * x;
  };
  constexpr int at = __LINE__ + 1;
  auto plain = [&](const Array &x) { return sum(host_call(cube, TensorSpec{f32, x.shape()}, x)); };
  auto ruled = custom_vjp(
      plain, [&](const Array &x) { return std::pair(plain(x), x); },
      [](const Array &x, const Array &d) { return d * 3 * x * x; });
  const Array x = {1.0f, 2.0f};
  for (auto &&d : {std::function<Array(const Array &)>([&](const Array &x) { return grad(ruled)(x); }),
                   std::function<Array(const Array &)>(jit([&](const Array &x) { return grad(ruled)(x); }))}) {
    calls = 0;
    EXPECT_EQ(floats(d(x)), (Floats{3, 12}));
    EXPECT_EQ(calls, 1);
  }
  {
    GradientTape tape;
    tape.watch(x);
    const Array y = ruled(x);
    EXPECT_EQ(floats(tape.gradient(y, x)), (Floats{3, 12}));
  }
  auto pushed =
      custom_jvp(plain, [&](const Array &x, const Array &dx) { return std::pair(plain(x), sum(3 * x * x * dx)); });
  EXPECT_EQ(number(jvp(pushed, std::tuple(x), std::tuple(Array{1.0f, 1.0f})).second), 15);
  // Without one: an Error where a derivative arrives, and only there.
  const std::string text =
      "host_call has no derivative, since Tenon cannot look into the C++ function; give it one with custom_vjp";
  for (const std::string &error : {
           errorOf([&] { grad(plain)(x); }),
           errorOf([&] { jit(grad(plain))(x); }),
           errorOf([&] { grad(jit(plain))(x); }),
           errorOf([&] { jvp(plain, std::tuple(x), std::tuple(x)); }),
           errorOf([&] {
             GradientTape tape;
             tape.watch(x);
             const Array y = plain(x);
             (void)tape.gradient(y, x);
           }),
       }) {
    EXPECT_THAT(error, HasSubstr(text));
    EXPECT_THAT(error, HasSubstr("host_test.cpp:" + std::to_string(at)));
  }
  auto beside = [&](const Array &x) { return sum(x * x) + stop_gradient(plain(x)); };
  EXPECT_EQ(floats(grad(beside)(x)), (Floats{2, 4}));
  EXPECT_EQ(floats(jit(grad(beside))(x)), (Floats{2, 4}));
  auto metric = [&](const Array &x) { return std::pair(sum(x * x), plain(x)); };
  EXPECT_EQ(number(value_and_grad(metric)(x).first.second), 9);
}

TEST(HostCall, UnderATapeTheFunctionItselfIsNotWatched) {
  // As in a program, of which a tape sees the call alone.
  const Array x = {1.0f, 2.0f};
  GradientTape tape;
  tape.watch(x);
  const Array same = host_call([](const Array &x) { return x; }, TensorSpec{f32, {2}}, x);
  const Array y = sum(x * stop_gradient(same));
  EXPECT_EQ(floats(tape.gradient(y, x)), (Floats{1, 2}));
}

TEST(HostCall, WhatItReturnsIsNotItsArgument) {
  for (bool isCompiled : {false, true}) {
    const Array x = {1.0f, 2.0f};
    auto same = [](const Array &x) { return host_call([](const Array &x) { return x; }, TensorSpec{f32, {2}}, x); };
    GradientTape tape;
    tape.watch(x);
    const Array y = sum(x * 3) + sum(isCompiled ? jit(same)(x) : same(x)) * 0;
    EXPECT_THAT(messageOf([&] { (void)tape.gradient(y, x); }), HasSubstr("host_call"));
  }
}

TEST(HostCall, UnderCheckpointIsCalledOnce) {
  static int calls;
  auto scaled = [](const Array &x) {
    ++calls;
    return x * 3;
  };
  auto f = checkpoint([&](const Array &x) {
    const Array s = host_call(scaled, TensorSpec{f32, {2}}, stop_gradient(x));
    return sum(sin(x * s));
  });
  const Array x = {0.5f, 1.0f};
  auto expected = [](float v) { return 3 * v * std::cos(3 * v * v); };
  for (bool compiled : {false, true}) {
    calls = 0;
    const Array d = compiled ? jit(grad(f))(x) : grad(f)(x);
    EXPECT_NEAR(floats(d)[0], expected(0.5f), 1e-5);
    EXPECT_NEAR(floats(d)[1], expected(1.0f), 1e-5);
    EXPECT_EQ(calls, 1);
  }
  // In a loop, which is not run again either, and under a rule.
  auto looped = checkpoint([&](const Array &x) {
    return sum(scan(
                   [&](const Array &c) {
                     return std::pair(c * host_call(scaled, TensorSpec{f32, {2}}, stop_gradient(c)), none);
                   },
                   x, none, {.length = 2})
                   .first);
  });
  auto plain = [&](const Array &x) { return host_call(scaled, TensorSpec{f32, {2}}, x); };
  auto ruled = custom_vjp(
      plain, [&](const Array &x) { return std::pair(plain(x), x); },
      [](const Array &, const Array &d) { return d * 3; });
  auto withRule = checkpoint([&](const Array &x) { return sum(sin(x * ruled(x))); });
  for (bool compiled : {false, true}) {
    calls = 0; // c1 = x 3x, with 3x held: dc1/dx = 3x; c2 = c1 3 c1, likewise
    const Array d = compiled ? jit(grad(looped))(x) : grad(looped)(x);
    EXPECT_NEAR(floats(d)[0], 3 * 3 * 0.25f * 3 * 0.5f, 1e-5);
    EXPECT_NEAR(floats(d)[1], 27, 1e-4);
    EXPECT_EQ(calls, 2);
    calls = 0;
    const Array e = compiled ? jit(grad(withRule))(x) : grad(withRule)(x);
    EXPECT_NEAR(floats(e)[0], 2 * expected(0.5f), 1e-5);
    EXPECT_NEAR(floats(e)[1], 2 * expected(1.0f), 1e-5);
    EXPECT_EQ(calls, 1);
  }
  // For what is not done again it is not called again, either.
  auto printed = checkpoint([&](const Array &x) {
    const Array s = host_call(scaled, TensorSpec{f32, {2}}, stop_gradient(x));
    const Array y = softmax(tanh(x));
    check(all(s > 0), "{}", {s});
    host_call(scaled, TensorSpec{f32, {2}}, s * 2);
    return sum(y * x);
  });
  for (bool compiled : {false, true}) {
    calls = 0;
    compiled ? jit(grad(printed))(x) : grad(printed)(x);
    EXPECT_EQ(calls, 2);
  }
}

TEST(HostCall, ByLoopOverTheExamples) {
  static std::vector<Shape> shapes;
  auto doubled = [](const Array &x, const Array &k) {
    shapes.push_back(x.shape());
    return x * k;
  };
  auto one = [&](const Array &x, const Array &k) { return host_call(doubled, TensorSpec{f32, {2}}, x, k); };
  auto all = [&](const Array &x, const Array &k) { return batched_host_call(doubled, TensorSpec{f32, {2}}, x, k); };
  const Array x = reshape(arange(6.0f), {3, 2}), k = {1.0f, 2.0f, 3.0f};
  const Floats expected = {0, 1, 4, 6, 12, 15};
  auto column = [](const Array &x, const Array &k) { // of many examples, or of one
    shapes.push_back(x.shape());
    return x * (k.ndim() ? reshape(k, {k.shape()[0], 1}) : k);
  };
  auto atOnce = [&](const Array &x, const Array &k) { return batched_host_call(column, TensorSpec{f32, {2}}, x, k); };
  for (bool compiled : {false, true}) {
    shapes.clear();
    EXPECT_EQ(floats(compiled ? jit(vmap(one))(x, k) : vmap(one)(x, k)), expected);
    EXPECT_THAT(shapes, ElementsAre(Shape({2}), Shape({2}), Shape({2})));
    shapes.clear();
    EXPECT_EQ(floats(compiled ? jit(vmap(atOnce))(x, k) : vmap(atOnce)(x, k)), expected);
    EXPECT_THAT(shapes, ElementsAre(Shape({3, 2})));
  }
  shapes.clear();
  EXPECT_EQ(floats(all(x[1], Array(2.0f))), (Floats{4, 6})) << "without vmap there are no examples";
  EXPECT_THAT(shapes, ElementsAre(Shape({2})));
  // What is the same for all is asked once; results with their examples behind others.
  shapes.clear();
  auto same = vmap([&](const Array &x) { return x + one(Array{1.0f, 1.0f}, Array(2.0f)); });
  EXPECT_EQ(floats(same(x)), (Floats{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(shapes.size(), 1u);
  EXPECT_EQ(vmap(vmap(one))(reshape(x, {1, 3, 2}), reshape(k, {1, 3})).shape(), Shape({1, 3, 2}));
  EXPECT_EQ(vmap(one)(zeros({0, 2}), zeros({0})).shape(), Shape({0, 2}));
  EXPECT_EQ(floats(jit(vmap(jit(one)))(x, k)), expected);
}

//===----------------------------------------------------------------------===//
// C++ that asks for what the host has returned
//===----------------------------------------------------------------------===//

TEST(HostCall, WhatCppAsksForIsTheAnswerOfOneCall) {
  static int calls;
  auto sensor = [] {
    std::cout << "read " << ++calls << std::endl;
    return Array(float(calls));
  };
  auto f = jit([&](const Array &x) {
    print("before {}", {x});
    const Array r = host_call(sensor, scalar);
    print("got {}", {r});
    if (r > 2)
      return x * 100 + r;
    return x + r;
  });
  calls = 0;
  const float expected[] = {11, 12, 1003, 1004};
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i + 1);
    EXPECT_EQ(printedBy([&] { EXPECT_EQ(number(f(Array(10.0f))), expected[i]); }),
              "before 10.\nread " + n + "\ngot " + n + ".\n");
  }
  // In a function within; the one around has printed, and goes on.
  auto within = jit([&](const Array &x) {
    const Array r = host_call(sensor, scalar);
    return r > 2 ? x * 100 : x;
  });
  auto around = jit([&](const Array &x) {
    print("around {}", {x});
    const Array y = within(x);
    print("then {}", {y});
    host_call([](const Array &y) { std::cout << "told " << number(y) << std::endl; }, none, y);
    return y + 1;
  });
  calls = 0;
  for (int i = 1; i <= 4; ++i) {
    const std::string result = i > 2 ? "500" : "5";
    EXPECT_EQ(printedBy([&] { EXPECT_EQ(number(around(Array(5.0f))), i > 2 ? 501 : 6); }),
              "around 5.\nread " + std::to_string(i) + "\nthen " + result + ".\ntold " + result + "\n");
  }
  // A question about what the one around has asked the host for.
  auto sign = jit([](const Array &r) { return r > 2 ? r : -r; });
  auto outer = jit([&](const Array &x) {
    const Array r = host_call(sensor, scalar);
    return sign(r) + x;
  });
  calls = 0;
  for (int i = 1; i <= 4; ++i)
    printedBy([&] { EXPECT_EQ(number(outer(Array(0.0f))), i > 2 ? float(i) : float(-i)); });
  EXPECT_EQ(calls, 4);
  // In a loop whose rounds call it.
  auto summed = jit([&](const Array &x) {
    const Array total =
        scan([&](const Array &c) { return std::pair(c + host_call(sensor, scalar), none); }, x, none, {.length = 3})
            .first;
    return total > 10 ? total : -total;
  });
  calls = 0;
  for (float expected : {-6.0f, 15.0f, 24.0f})
    printedBy([&] { EXPECT_EQ(number(summed(Array(0.0f))), expected); });
  EXPECT_EQ(calls, 9);
}

TEST(HostCall, WhatIsThrownWhileCppAsks) {
  static int calls;
  auto fails = [](const Array &x) -> Array {
    ++calls;
    if (number(x) < 0)
      throw Thrown(3);
    return x;
  };
  Variable v(0.0f);
  auto f = jit([&](const Array &x) {
    v += 1;
    print("first");
    const Array y = host_call(fails, scalar, x);
    print("second");
    return y > 1 ? y : -y;
  });
  calls = 0;
  EXPECT_EQ(printedBy([&] { EXPECT_THROW(f(Array(-1.0f)), Thrown); }), "first\n");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(number(v), 0);
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(number(f(Array(3.0f))), 3); }), "first\nsecond\n");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(number(v), 1);
  // The user's own exception, behind what has happened.
  auto refuses = jit([&](const Array &x) -> Array {
    const Array y = host_call(fails, scalar, x);
    print("y {}", {y});
    if (y > 1)
      throw std::domain_error("too large");
    return y;
  });
  calls = 0;
  EXPECT_EQ(printedBy([&] { EXPECT_THROW(refuses(Array(5.0f)), std::domain_error); }), "y 5.\n");
  EXPECT_EQ(calls, 1);
}

//===----------------------------------------------------------------------===//
// Threads, and programs within
//===----------------------------------------------------------------------===//

TEST(HostCall, MayCallJittedFunctions) {
  auto inner = jit([](const Array &x) { return sin(x) * 2; });
  auto f = jit([&](const Array &x) {
    return host_call([&](const Array &x) { return inner(x) + grad([](const Array &x) { return x * x; })(x); }, scalar,
                     x);
  });
  EXPECT_NEAR(number(f(Array(1.0f))), 2 * std::sin(1.0f) + 2, 1e-6);
  // The one that is running.
  std::function<Array(const Array &)> again;
  auto factorial = jit([&](const Array &n) {
    return host_call([&](const Array &n) { return number(n) <= 1 ? ones({}) : n * again(n - 1); }, scalar, n);
  });
  again = [&](const Array &n) { return factorial(n); };
  EXPECT_EQ(number(factorial(Array(5.0f))), 120);
  // One with guards, under one with guards.
  auto guarded = jit([](const Array &x) { return x > 0 ? x * 2 : x; });
  auto outer = jit([&](const Array &x) {
    const Array y = x > 10 ? x : x + 1;
    return host_call([&](const Array &y) { return guarded(y); }, scalar, y);
  });
  for (float x : {1.0f, 20.0f, -5.0f, 30.0f, 2.0f}) {
    const float y = x > 10 ? x : x + 1;
    EXPECT_EQ(number(outer(Array(x))), y > 0 ? 2 * y : y);
  }
}

TEST(HostCall, SeveralThreadsRunOneProgram) {
  static std::atomic<int> calls;
  calls = 0;
  auto f = jit([](const Array &x) {
    return host_call(
               [](const Array &x) {
                 ++calls;
                 return x * x;
               },
               TensorSpec{f32, {64}}, x + 1) -
           1;
  });
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const float x = float(t * 50 + i);
        if (floats(f(full({64}, x))) != Floats(64, (x + 1) * (x + 1) - 1))
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(calls, 200);
}

TEST(HostCall, OnAnotherDevice) {
  const Device null = Device::null;
  auto f = [](const Array &x) {
    return host_call(
               [](const Array &x) {
                 EXPECT_EQ(x.device(), Device::cpu);
                 return x * 2;
               },
               TensorSpec{f32, {2}}, x + 1) +
           1;
  };
  const Array x = to_device(Array{1.0f, 2.0f}, null);
  EXPECT_EQ(floats(to_device(f(x), Device::cpu)), (Floats{5, 7}));
  EXPECT_EQ(floats(to_device(jit(f)(x), Device::cpu)), (Floats{5, 7}));
  EXPECT_EQ(f(x).device(), null);
}

} // namespace
} // namespace tenon::test
