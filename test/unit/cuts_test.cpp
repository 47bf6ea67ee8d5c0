//===- cuts_test.cpp - functions that are asked after they are seen -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Printed.h"

#include <tenon/tenon.h>

#include "lib/trace/Cut.h"
#include "lib/trace/Guard.h"
#include "lib/trace/RegionOp.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace tenon::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Floats = std::vector<float>;

const TensorSpec scalar{f32, {}};

/// Of the functions of one test: what they have logged.
class Cuts : public testing::Test {
protected:
  Cuts() {
    before_ = set_log([](LogTopic topic, std::string_view line) {
      const std::lock_guard lock(logging); // threads log
      if (topic == LogTopic::warning && line.find("runs uncompiled") == line.npos)
        (logged += line) += "\n";
    });
    logged.clear();
  }
  ~Cuts() override { set_log(before_); }
  static inline std::string logged;
  static inline std::mutex logging;

private:
  LogSink before_;
};

/// What a function gives, and what is seen of it, for these numbers one after another.
template <class F>
std::string seenOf(const F &f, const Floats &numbers) {
  std::string text;
  const std::string printed = printedBy([&] {
    for (float x : numbers) {
      const std::string error = errorOf([&] { text += format("{}", f(Array(x))) + "\n"; });
      if (error != "no error")
        text += error.substr(0, error.find('\n')) + "\n";
    }
  });
  return printed + text;
}

/// Eager, compiled, in the background and interpreted: the same, and no more than `traces` recordings.
template <class Make>
void expectSame(const Make &make, const Floats &numbers, uint64_t traces) {
  std::string eager;
  {
    const EagerScope scope;
    eager = seenOf(make({}), numbers);
  }
  for (const Compile compile : {Compile::now, Compile::never, Compile::background}) {
    auto f = make(JitOptions{.compile = compile});
    EXPECT_EQ(seenOf(f, numbers), eager);
    EXPECT_LE(f.trace_count(), traces);
    EXPECT_EQ(seenOf(f, numbers), eager) << "again";
    EXPECT_LE(f.trace_count(), traces) << "again";
  }
}

TEST_F(Cuts, EffectsHappenOnce) {
  auto make = [](const JitOptions &options) {
    return jit(
        [](const Array &x) {
          print("x {}", {x});
          if (x > 0)
            return x;
          print("not positive");
          return -x;
        },
        options);
  };
  expectSame(make, {1, -2, 3, -2, -5, 0, 7}, 2);
  EXPECT_EQ(logged, "");
}

TEST_F(Cuts, TheHostIsCalledOnce) {
  int calls = 0;
  auto sensor = [&calls](const Array &x) { return ++calls % 3 ? x : -x; };
  auto make = [&](const JitOptions &options) {
    calls = 0;
    return jit(
        [&](const Array &x) {
          const Array r = host_call(sensor, scalar, x);
          print("r {}", {r});
          if (r > 0)
            return r * 2;
          return host_call(sensor, scalar, r) + 1;
        },
        options);
  };
  // The sensor has a state, so each run begins with another one.
  std::string eager;
  {
    const EagerScope scope;
    eager = seenOf(make({}), {1, 2, 3, 4, 5, 6, 7, 8});
  }
  for (const Compile compile : {Compile::now, Compile::never, Compile::background}) {
    auto f = make(JitOptions{.compile = compile});
    EXPECT_EQ(seenOf(f, {1, 2, 3, 4, 5, 6, 7, 8}), eager);
    EXPECT_EQ(f.trace_count(), 2u);
  }
  EXPECT_EQ(logged, "");
}

TEST_F(Cuts, ManyQuestions) {
  auto make = [](const JitOptions &options) {
    return jit(
        [](const Array &x) {
          Array y = x;
          while (y > 1) {
            print("y {}", {y});
            y = y / 2;
          }
          if (y > 0.7f)
            print("large {}", {y});
          if (y > 0.6f && x > 3)
            return y * x;
          print("end");
          return y - x;
        },
        options);
  };
  expectSame(make, {5, 1, 3, 0.5f, 9, 1.3f, 3.9f, -1, 5, 1.9f}, 10);
}

TEST_F(Cuts, WhatOnePathHandsOnAnotherComputes) {
  auto make = [](const JitOptions &options) {
    return jit(
        [](const Array &x) {
          const Array y = exp(x), z = y * 3, counted = host_call([](const Array &x) { return x + 1; }, scalar, z);
          print("x {}", {x});
          if (x > 0)
            return x;
          if (x > -2)
            return y + z;
          return counted * y;
        },
        options);
  };
  expectSame(make, {1, -1, -3, 2, -3, -1, 3, -1.5f, -4}, 3);
}

TEST_F(Cuts, ArraysGoFromPieceToPiece) {
  auto f = [](const Array &x) {
    const Array y = matmul(x, transpose(x)), z = sum(y, {0});
    print("{}", {z});
    if (max(z) > 3)
      return y + z;
    print("small");
    return any(z > 0) ? y - z : z * x[0][0];
  };
  const auto compiled = jit(f, {.auto_symbols = 0}), symbolic = jit(f, {.specs = {TensorSpec{f32, {"n", "m"}}}});
  for (int round = 0; round < 3; ++round)
    for (int n : {2, 3})
      for (float scale : {1.0f, 0.1f, 0.0f}) {
        const Array x = reshape(arange(static_cast<float>(2 * n)), {n, 2}) * scale;
        Array eager, got;
        const std::string printed = printedBy([&] { eager = f(x); });
        EXPECT_EQ(printedBy([&] { got = compiled(x); }), printed);
        EXPECT_EQ(got.to_vector<float>(), eager.to_vector<float>());
        EXPECT_EQ(printedBy([&] { got = symbolic(x); }), printed);
        EXPECT_EQ(got.to_vector<float>(), eager.to_vector<float>());
      }
  EXPECT_EQ(compiled.trace_count(), 6u);
  EXPECT_EQ(symbolic.trace_count(), 3u);
}

TEST_F(Cuts, VariablesAreUpdatedInTheEnd) {
  struct Counters {
    Variable all{0.0f}, positive{0.0f}, last{0.0f};
  };
  auto make = [](const Counters &counters, const JitOptions &options) {
    return jit(
        [&counters](const Array &x) {
          counters.all.assign(counters.all + 1.0f);
          print("{} of {}", {counters.positive.value(), counters.all.value()});
          if (x > 5)
            throw std::runtime_error("too large");
          if (counters.all.value() > 3)
            counters.last.assign(x);
          if (x > 0) {
            counters.positive.assign(counters.positive + 1.0f);
            print("positive");
            check(x < 4, "{} is no number of this", {x});
          }
          return counters.last * x;
        },
        options);
  };
  const Floats numbers = {1, 6, -1, 2, 4.5f, -3, 3, 6, 1, -2, 4.5f, 2};
  auto text = [](const Counters &c) { return format("{} {} {}", c.all.value(), c.positive.value(), c.last.value()); };
  Counters plain;
  std::string eager;
  {
    const EagerScope scope;
    // As C++, what an exception ends has assigned by then; so these numbers are left out.
    auto f = make(plain, {});
    eager = seenOf(
        [&](const Array &x) {
          const Array all = plain.all.value(), positive = plain.positive.value(), last = plain.last.value();
          try {
            return f(x);
          } catch (...) {
            plain.all.assign(all), plain.positive.assign(positive), plain.last.assign(last);
            throw;
          }
        },
        numbers);
  }
  for (const Compile compile : {Compile::now, Compile::never}) {
    Counters counters;
    EXPECT_EQ(seenOf(make(counters, {.compile = compile}), numbers), eager);
    EXPECT_EQ(text(counters), text(plain));
  }
}

TEST_F(Cuts, UpdatedAndDonatedArguments) {
  auto f = jit([](Array &total, Array x) {
    total = total + x;
    print("{}", {total});
    if (sum(total) > 4)
      return total * 2;
    x = x + 1;
    return x;
  });
  Array total = zeros({2});
  EXPECT_EQ(printedBy([&] {
              for (int i = 0; i < 4; ++i) {
                const Array y = f(total, ones({2}));
                EXPECT_EQ(y.to_vector<float>(), i < 2 ? Floats(2, 2) : Floats(2, static_cast<float>(2 * i + 2)));
              }
            }),
            "[1. 1.]\n[2. 2.]\n[3. 3.]\n[4. 4.]\n");
  EXPECT_EQ(total.to_vector<float>(), Floats(2, 4));
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST_F(Cuts, FunctionsWithin) {
  auto inner = jit([](const Array &x) {
    const Array y = x * 2;
    print("inner {}", {y});
    if (y > 2)
      return y;
    return y - 1;
  });
  auto make = [&](const JitOptions &options) {
    return jit(
        [&](const Array &x) {
          print("outer {}", {x});
          const Array y = inner(x) + inner(-x);
          if (y > 0)
            print("sum {}", {y});
          return y;
        },
        options);
  };
  expectSame(make, {1, -2, 0.5f, 3, -3, 0.25f}, 3);
  // What the host gives within is asked for there: each such call is recorded, and the host is called once.
  int calls = 0;
  auto asking = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &x) { return ++calls, x * 3; }, scalar, x);
    return r > 0 ? r : -r;
  });
  auto outer = jit([&](const Array &x) {
    print("x {}", {x});
    const Array y = asking(x);
    print("y {}", {y});
    return y > 5 ? y : y + 1;
  });
  EXPECT_EQ(seenOf(outer, {1, -1, 2, -2, 1}),
            "x 1.\ny 3.\nx -1.\ny 3.\nx 2.\ny 6.\nx -2.\ny 6.\nx 1.\ny 3.\n4.\n4.\n6.\n"
            "6.\n4.\n");
  EXPECT_EQ(calls, 5);
}

TEST_F(Cuts, DerivativesAndTapes) {
  auto f = jit([](const Array &x) {
    print("x {}", {x});
    return x > 0 ? x * x : -x;
  });
  std::string text;
  EXPECT_EQ(printedBy([&] {
              for (float x : {3.0f, -1.0f, 2.0f, -2.0f}) {
                text += format("{} ", grad(f)(Array(x)));
                text += format("{} ", f(Array(x)));
                GradientTape tape;
                const Array z(x);
                tape.watch(z);
                text += format("{}\n", tape.gradient(f(z), z));
              }
            }),
            "x 3.\nx 3.\nx 3.\nx -1.\nx -1.\nx -1.\nx 2.\nx 2.\nx 2.\nx -2.\nx -2.\nx -2.\n");
  EXPECT_EQ(text, "6. 9. 6.\n-1. 1. -1.\n4. 4. 4.\n-1. 2. -1.\n");
}

TEST_F(Cuts, WhatDoesSomethingElseIsRecordedAnew) {
  bool isLoud = true;
  auto f = jit([&](const Array &x) {
    if (isLoud)
      print("x {}", {x});
    return x > 0 ? x : -x;
  });
  EXPECT_EQ(printedBy([&] { f(Array(1.0f)), f(Array(2.0f)); }), "x 1.\nx 2.\n");
  isLoud = false;
  // As it was recorded, until it is asked for another answer.
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(f(Array(-3.0f)).item<float>(), 3); }), "x -3.\n");
  EXPECT_EQ(printedBy([&] {
              EXPECT_EQ(f(Array(-3.0f)).item<float>(), 3);
              EXPECT_EQ(f(Array(4.0f)).item<float>(), 4);
              EXPECT_EQ(f(Array(-4.0f)).item<float>(), 4);
            }),
            "");
}

TEST_F(Cuts, ClosuresOfTheHostAreOthersEachTime) {
  int calls = 0;
  auto f = jit([&](const Array &x) {
    const std::string text = "a text that is no number, and long";
    const Array r = host_call([text, &calls](const Array &x) { return ++calls, x; }, scalar, x);
    const Array looped = fori_loop(
        0, 2,
        [&](const Array &, const Array &x) { return host_call([text](const Array &x) { return x + 1; }, scalar, x); },
        r);
    if (r > 0)
      return looped;
    return -looped;
  });
  EXPECT_EQ(seenOf(f, {1, -1, 2, -2, 3}), "3.\n-1.\n4.\n-0.\n5.\n");
  EXPECT_EQ(f.trace_count(), 2u);
  EXPECT_EQ(calls, 5);
  // Of another type they are others; what has happened by then has happened.
  bool isSecond = false;
  int first = 0, second = 0;
  auto g = jit([&](const Array &x) {
    const Array r = isSecond ? host_call([&](const Array &x) { return ++second, x; }, scalar, x)
                             : host_call([&](const Array &x) { return ++first, x; }, scalar, x);
    return r > 0 ? r : -r;
  });
  EXPECT_EQ(seenOf(g, {1, 2}), "1.\n2.\n");
  isSecond = true;
  EXPECT_EQ(seenOf(g, {-1}), "1.\n");
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 0);
  EXPECT_EQ(seenOf(g, {1, -1, 2}), "1.\n1.\n2.\n");
  EXPECT_EQ(second, 3);
}

TEST_F(Cuts, RecordedWithoutElements) {
  auto f = jit([](const Array &x) {
    print("x {}", {x});
    if (x > 0)
      return x * 2;
    print("not positive");
    return -x;
  });
  auto concrete = f.concrete(TensorSpec{f32, {}});
  EXPECT_EQ(f.trace_count(), 2u);
  EXPECT_EQ(seenOf([&](const Array &x) { return concrete(x); }, {1, -1, 2, -3}),
            "x 1.\nx -1.\nnot positive\nx 2.\nx -3.\nnot positive\n2.\n1.\n4.\n3.\n");
  EXPECT_EQ(seenOf(f, {1, -1}), "x 1.\nx -1.\nnot positive\n2.\n1.\n");
  EXPECT_EQ(f.trace_count(), 2u);
  auto held = jit([](const Array &x) {
                print("x {}", {x});
                return x > 0 ? x : -x;
              }).concrete(Array(1.0f));
  EXPECT_EQ(seenOf([&](const Array &x) { return held(x); }, {1, -1, 2, -3}),
            "x 1.\nx -1.\nx 2.\nx -3.\n1.\n1.\n2.\n3.\n");
}

TEST_F(Cuts, TheHostThrows) {
  Variable v(0.0f);
  auto f = jit([&](const Array &x) {
    v.assign(v + x);
    print("x {}", {x});
    if (x > 2)
      return host_call(
          [](const Array &x) {
            if (x.item<float>() > 3)
              throw std::runtime_error("from the host");
            return x;
          },
          scalar, x);
    return v * 1.0f;
  });
  EXPECT_EQ(seenOf(f, {1, 3, 4, 2, 5, 3}), "x 1.\nx 3.\nx 4.\nx 2.\nx 5.\nx 3.\n1.\n3.\nfrom the host\n6.\nfrom the "
                                           "host\n3.\n");
  EXPECT_EQ(v.value().item<float>(), 9);
}

TEST_F(Cuts, MoreAnswersThanPaths) {
  auto f = jit([](const Array &x) {
    print("x {}", {x});
    return x * static_cast<int>(x);
  });
  std::string expected, results;
  Floats numbers;
  for (int round = 0; round < 2; ++round)
    for (int i = 1; i <= 20; ++i) {
      numbers.push_back(static_cast<float>(i));
      expected += format("x {}.\n", i);
      results += format("{}.\n", i * i);
    }
  EXPECT_EQ(seenOf(f, numbers), expected + results);
  EXPECT_THAT(logged, HasSubstr("has had other answers in more than 16 calls"));
  EXPECT_EQ(f.trace_count(), 16u + 4 + 4);
}

/// Several questions follow one print: each way is recorded once.
TEST_F(Cuts, SeveralQuestionsOfOnePiece) {
  auto make = [](const JitOptions &options) {
    return jit(
        [](const Array &x) {
          print("x {}", {x});
          Array y = x;
          if (fmod(x, 2) > 0)
            y = y + 100;
          if (fmod(floor(x / 2), 2) > 0)
            y = y * 3;
          if (fmod(floor(x / 4), 2) > 0)
            y = y - 7;
          if (fmod(floor(x / 8), 2) > 0)
            y = y / 2;
          return y;
        },
        options);
  };
  Floats numbers;
  for (int i = 0; i < 64; ++i)
    numbers.push_back(static_cast<float>(i * 7 % 16));
  expectSame(make, numbers, 16);
}

/// What a path has captured is not what another one has.
TEST_F(Cuts, EachPathHasItsCaptures) {
  const Array up = full({3000}, 2.0f), down = full({3000}, 3.0f), more = full({3000}, 5.0f);
  auto make = [&](const JitOptions &options) {
    return jit(
        [&](const Array &x) {
          print("x {}", {x});
          if (x > 0)
            return sum(up * x) + sum(more);
          return sum(down * x);
        },
        options);
  };
  expectSame(make, {1, -1, 2, -2, -3, 3}, 2);
}

/// Sizes of what goes over the cut do not follow from those of the arguments.
TEST_F(Cuts, SizesThatAreNotKnown) {
  auto f = jit(
      [](const Array &x) {
        const Array y = concatenate({x, x});
        print("sum {}", {sum(y)});
        if (sum(y) > 3)
          return sum(y * 2);
        return sum(y - 1);
      },
      {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(printedBy([&] {
              for (const Array &x : {ones({2}), ones({3}), ones({1}), ones({2}) * 0})
                f(x);
            }),
            "sum 4.\nsum 6.\nsum 2.\nsum 0.\n");
  EXPECT_EQ(f(ones({5})).item<float>(), 20);
}

/// A function within is compiled for all sizes, and the one around knows them.
TEST_F(Cuts, FunctionsWithinOfOtherSizes) {
  auto inner = jit(
      [](const Array &x) {
        print("inner {}", {sum(x)});
        if (sum(x) > 0)
          return x * 2;
        print("down");
        return -x;
      },
      {.specs = {TensorSpec{f32, {"n"}}}});
  auto make = [&](const JitOptions &options) {
    return jit(
        [&](const Array &x) {
          const Array y = inner(x + zeros({3}));
          print("outer {}", {sum(y)});
          return sum(y) > 4 ? sum(y) : sum(inner(y - 1));
        },
        options);
  };
  inner(ones({5}));
  inner(-ones({5}));
  expectSame(make, {1, -1, 2, -2, 0.5f}, 100);
}

/// What the host has given within, by the time that the function around asks, has that one's symbols for sizes.
TEST_F(Cuts, WhatTheHostGivesWithinHasSymbolsForSizes) {
  int calls = 0;
  auto inner = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &a) { return ++calls, a * 3; }, TensorSpec{f32, x.shape()}, x);
    return r[0] > 0 ? r + x : r - x;
  });
  auto outer = jit(
      [&](const Array &x) {
        const Array y = inner(x);
        if (sum(y) > 20)
          return y;
        return sum(y) > 4 ? inner(y) : y - 1;
      },
      {.specs = {TensorSpec{f32, {"n"}}}});
  auto middle = jit([&](const Array &x) { return inner(x); });
  auto outermost = jit([&](const Array &x) { return middle(x); }, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(outermost(ones({3})).to_vector<float>(), Floats(3, 4));
  int expected = 0;
  for (const Array &x : {ones({2}), ones({3}), ones({2}) * 4, -ones({2}), ones({3}) * -2, ones({5}), ones({2})}) {
    calls = 0;
    Array eager;
    {
      const EagerScope scope;
      eager = outer(x);
    }
    expected = std::exchange(calls, 0);
    EXPECT_EQ(format("{}", outer(x)), format("{}", eager));
    EXPECT_EQ(calls, expected);
  }
}

/// The host assigns a Variable that the function reads, before or after it.
TEST_F(Cuts, WhatTheHostAssignsIsReadInItsTurn) {
  struct Case {
    const char *what;
    std::function<Array(const Array &x, const Variable &u, const std::function<Array(const Array &)> &host)> function;
  };
  const Case cases[] = {
      {"read",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array s = x + u, r = host(x);
         return r > 0 ? s : -s;
       }},
      {"asked",
       [](const Array &x, const Variable &u, const auto &host) {
         const bool isFirst = bool(u == 0);
         const Array r = host(x);
         if (r > 0)
           return isFirst ? r * 100 : r;
         return isFirst ? r * -100 : -r;
       }},
      {"another answer each time",
       [](const Array &x, const Variable &u, const auto &host) {
         const float n = u.value().item<float>();
         const Array r = host(x);
         return r > 0 ? r * n : r - n;
       }},
      {"read after",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array r = host(x);
         return r > 0 ? r + u : r - u;
       }},
      {"read after, unasked",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array r = host(x);
         return r + u * 2;
       }},
      {"read before and after",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array y = x + u, r = host(y), s = host(r * u);
         return s + u;
       }},
      {"read after a question",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array r = host(x);
         if (r > 5)
           return r + 1;
         return host(r) + u;
       }},
      {"within",
       [](const Array &x, const Variable &u, const auto &host) {
         static const auto inner = jit([](const Array &a, const Array &b) { return a * 2 + b; });
         return inner(host(x), u) + inner(host(x), u.value());
       }},
      {"a result",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array was = u.value(), r = host(x);
         return r > 0 ? was : r;
       }},
  };
  for (const Case &one : cases)
    for (const Compile compile : {Compile::now, Compile::never}) {
      SCOPED_TRACE(one.what);
      Variable u(0.0f);
      int calls = 0;
      const auto host = [&](const Array &x) {
        return host_call([&](const Array &a) { return ++calls, u.assign(u + 1.0f), a; }, scalar, x);
      };
      auto f = jit([&](const Array &x) { return one.function(x, u, host); }, {.compile = compile});
      for (int round = 0; round < 2; ++round)
        for (const float start : {0.0f, 5.0f})
          for (const float x : {10.0f, -10.0f, 3.0f, -1.0f}) {
            u.assign(Array(start));
            Array eager;
            {
              const EagerScope scope;
              eager = f(Array(x));
            }
            u.assign(Array(start));
            const int expected = std::exchange(calls, 0);
            EXPECT_EQ(f(Array(x)).item<float>(), eager.item<float>()) << "from " << start << " with " << x;
            EXPECT_EQ(std::exchange(calls, 0), expected);
            EXPECT_EQ(u.value().item<float>(), start + static_cast<float>(expected));
          }
      EXPECT_LE(f.trace_count(), 5u);
    }
  EXPECT_EQ(logged, "");
}

/// Where nothing is read that the host may have assigned, a call is one program.
TEST_F(Cuts, WhatIsOnlyAssignedAfterTheHostIsNoReasonToCut) {
  const Variable u(3.0f), v(0.0f);
  auto f = jit(
      [&](const Array &x) {
        const Array y = x * u;
        const Array r = host_call([](const Array &a) { return a + 1; }, scalar, y);
        v.assign(r);
        return r + v;
      },
      {.compile = Compile::never});
  f(Array(1.0f));
  const uint64_t before = statistics().interpretedPrograms;
  EXPECT_EQ(f(Array(2.0f)).item<float>(), 14);
  EXPECT_EQ(statistics().interpretedPrograms - before, 1u);
  EXPECT_EQ(v.value().item<float>(), 7);
  EXPECT_EQ(f.trace_count(), 1u);
}

/// A path that assigns what the host assigns on another one, which the call has come through.
TEST_F(Cuts, TheHostMayAssignWhatAnotherPathAssigns) {
  Variable n(0.0f);
  auto f = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &a) { return n.assign(n + 1.0f), a; }, scalar, x);
    if (r > 10)
      n.assign(Array(0.0f));
    return r;
  });
  float expected = 0;
  for (const float x : {1.0f, 1.0f, 100.0f, 1.0f, 2.0f, 100.0f, 1.0f}) {
    EXPECT_EQ(f(Array(x)).item<float>(), x);
    expected = x > 10 ? 0 : expected + 1;
    EXPECT_EQ(n.value().item<float>(), expected);
  }
}

TEST_F(Cuts, WhatTheCallUpdatesTheHostMayNot) {
  Variable n(0.0f, "n");
  auto f = jit([&](const Array &x) {
    const Array more = n + 1.0f;
    const Array r = host_call([&](const Array &a) { return a > 5 ? void(n.assign(a)) : void(), a; }, scalar, x);
    if (r > 0)
      n.assign(more);
    return r;
  });
  for (int i = 0; i < 3; ++i)
    f(Array(1.0f));
  EXPECT_EQ(n.value().item<float>(), 3);
  EXPECT_THAT(errorOf([&] { f(Array(7.0f)); }),
              HasSubstr("expected no update of 'n' inside of another one of this thread"));
  EXPECT_EQ(n.value().item<float>(), 7);
  f(Array(1.0f));
  EXPECT_EQ(n.value().item<float>(), 8);
}

/// What a call that is recorded has read of a Variable is read on the tape, too.
TEST_F(Cuts, VariablesOnATape) {
  const Variable w(3.0f);
  int calls = 0;
  auto plain = [&](const Array &x) {
    const Array y = x * w;
    const Array r = host_call([&](const Array &a) { return ++calls, a; }, scalar, y);
    return r > 0 ? y * w : y;
  };
  auto f = jit(plain);
  for (const float x : {2.0f, -2.0f, 2.0f, -1.0f, 4.0f}) {
    GradientTape tape;
    const Array y = f(Array(x));
    EXPECT_EQ(y.item<float>(), x > 0 ? x * 9 : x * 3);
    EXPECT_EQ(tape.gradient(y, w).item<float>(), x > 0 ? x * 6 : x);
  }
  EXPECT_EQ(calls, 5);
}

/// A derivative of what asks for what the host gives goes through that, as it does in plain C++.
TEST_F(Cuts, DerivativesThroughTheHost) {
  int calls = 0;
  auto host = [&](const Array &x) { return host_call([&](const Array &a) { return ++calls, a * a; }, scalar, x); };
  auto square = custom_vjp(
      host, [=](const Array &x) { return std::pair(host(x), x); },
      [](const Array &x, const Array &d) { return d * 2 * x; });
  auto loss = [=](const Array &x) {
    const Array y = square(x);
    return y > 1 ? y * 2 : y;
  };
  auto compiled = jit(loss);
  auto outer = jit([&](const Array &x) { return compiled(x) * 3; });
  for (const float x : {3.0f, 0.5f, -2.0f}) {
    const float slope = x * x > 1 ? 4 * x : 2 * x;
    auto at = [&](const auto &f) { return f(Array(x)).template item<float>(); };
    calls = 0;
    EXPECT_EQ(at(grad(loss)), slope);
    const int expected = std::exchange(calls, 0);
    EXPECT_EQ(at(grad(compiled)), slope);
    EXPECT_EQ(std::exchange(calls, 0), expected);
    EXPECT_EQ(at(jit(grad(loss))), slope);
    EXPECT_EQ(at(jit(grad(compiled))), slope);
    EXPECT_EQ(at(grad(outer)), 3 * slope);
    GradientTape tape;
    const Array on(x);
    tape.watch(on);
    EXPECT_EQ(tape.gradient(compiled(on), on).item<float>(), slope);
  }
  // Also where C++ catches what it is told while it is traced.
  auto tries = [=](const Array &x) {
    const Array y = square(x);
    try {
      return y > 1 ? y * 2 : y;
    } catch (const Error &) {
      return y * 100;
    }
  };
  EXPECT_EQ(grad(jit(tries))(Array(3.0f)).item<float>(), 12);
  // A branch that is not taken has one, too.
  auto branch = [](const Array &x) {
    const Array y = cond(
        x > 0, [](const Array &a) { return a * 3; },
        [](const Array &a) {
          host_call([](const Array &) {}, none, a);
          return a * 5;
        },
        x);
    return y > 1 ? y * 2 : y;
  };
  EXPECT_EQ(grad(jit(branch))(Array(1.0f)).item<float>(), 6);
}

/// Updates and exceptions of such a call.
TEST_F(Cuts, WhatIsCalledPlainlyUpdatesAndThrows) {
  auto f = jit([](const Array &x, Array &total) {
    const Array r = host_call([](const Array &a) { return a; }, scalar, x);
    total = total + 1;
    if (r > 5)
      throw std::runtime_error("too large");
    return std::pair(x * 2, x * 3);
  });
  Array total(0.0f);
  auto sumOf = [&](const Array &x) {
    const auto [a, b] = f(x, total);
    return a + b;
  };
  GradientTape tape;
  const Array x(2.0f);
  tape.watch(x);
  const Array y = sumOf(x);
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 5);
  EXPECT_EQ(total.item<float>(), 1);
  GradientTape other;
  EXPECT_EQ(errorOf([&] { sumOf(Array(7.0f)); }), "too large");
  EXPECT_EQ(total.item<float>(), 1);
  auto prints = jit([](const Array &x) {
    print("{}", {x});
    if (x > 1)
      throw std::runtime_error("thrown");
    return x;
  });
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(errorOf([&] { grad(prints)(Array(3.0f)); }), "thrown"); }), "3.\n");
}

/// A function within that is asked, and whose result is not needed.
TEST_F(Cuts, WhatIsAskedWithinForNothing) {
  auto g = jit([](const Array &a) { return sum(a) > 1 ? a + 1 : a - 1; });
  auto f = jit([&](const Array &x) {
    print("called");
    Array y = x * 2;
    if (sum(y) > 0)
      y = y + 1;
    g(y);
    return y;
  });
  EXPECT_EQ(printedBy([&] {
              for (const int n : {2, 3, 4})
                g(ones({n}));
              for (int round = 0; round < 2; ++round) {
                EXPECT_EQ(f(-ones({5})).to_vector<float>(), Floats(5, -2));
                EXPECT_EQ(f(ones({5})).to_vector<float>(), Floats(5, 3));
              }
            }),
            "called\ncalled\ncalled\ncalled\n");
  auto loss = jit([](const Array &a) { return sum(a) > 0 ? sum(a * a) : -sum(a * a); });
  auto taped = jit([&](const Array &x) {
    const Array y = x * 2;
    print("called");
    if (max(x) > 10)
      return x;
    GradientTape tape;
    tape.watch(y);
    loss(y);
    return x - 1;
  });
  EXPECT_EQ(printedBy([&] {
              for (int i = 0; i < 3; ++i)
                EXPECT_EQ(taped(Array{2.0f, 1.0f}).to_vector<float>(), (Floats{1, 0}));
            }),
            "called\ncalled\ncalled\n");
}

/// Nothing happens that comes after an exception, and it is the user's.
TEST_F(Cuts, WhatTheHostThrowsWithin) {
  int calls = 0;
  auto next = [&](const Array &x) { return host_call([&](const Array &a) { return ++calls, a + 1; }, scalar, x); };
  auto g = jit([&](Array x) {
    while (x <= 2)
      x = next(x);
    return x;
  });
  auto throws = jit([&](const Array &x) {
    host_call([](const Array &) { throw std::out_of_range("from the host"); }, none, x);
    return g(x);
  });
  auto checks = jit([&](const Array &x) {
    check(x > 5, "too small");
    return g(x);
  });
  auto asks = jit([&](const Array &x) {
    const Array y = host_call([](const Array &a) -> Array { return throw std::out_of_range("asked"), a; }, scalar, x);
    return y > 0 ? y : -y;
  });
  auto around = jit([&](const Array &x) { return asks(x) + 1; });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(errorOf([&] { throws(Array(1.0f)); }), "from the host");
    EXPECT_THAT(errorOf([&] { checks(Array(1.0f)); }), HasSubstr("too small"));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(errorOf([&] { around(Array(1.0f)); }), "asked");
  }
  // C++ that catches it goes on.
  auto catches = jit([&](const Array &x) {
    try {
      return asks(x);
    } catch (const std::out_of_range &) {
    }
    print("caught");
    return x * 2;
  });
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(catches(Array(2.0f)).item<float>(), 4); }), "caught\n");
  auto throwsLater = jit([&](const Array &x) -> Array {
    try {
      return asks(x);
    } catch (const std::out_of_range &) {
    }
    print("caught");
    throw std::runtime_error("later");
  });
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(errorOf([&] { throwsLater(Array(2.0f)); }), "later"); }), "caught\n");
}

/// With an update that depends on what the Variable was, whoever assigns it meanwhile.
TEST_F(Cuts, NoUpdateIsLostBesideTheHost) {
  Variable n(0.0f);
  std::atomic<int> calls = 0;
  auto f = jit([&](const Array &x) {
    const Array before = n + 1.0f;
    const Array r = host_call([&](const Array &a) { return ++calls, a; }, scalar, x);
    if (r > 0)
      n.assign(before);
    return r;
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i)
        f(Array(i % 4 ? 1.0f : -1.0f));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(n.value().item<float>(), 4 * 30);
  EXPECT_EQ(calls, 160);
}

TEST_F(Cuts, APathThatACallComesThroughWritesNothing) {
  auto f = jit([](Array &a, Array &b) {
    print("{}", {a});
    if (a > 10)
      return;
    if (b > 5)
      a = a + 1;
  });
  auto call = [&](Array a, Array b) { f(a, b); };
  Array same(1.0f);
  EXPECT_EQ(printedBy([&] {
              call(20.0f, 0.0f);
              call(1.0f, 10.0f);
              call(20.0f, 0.0f);
              f(same, same);
              f(same, same);
            }),
            "20.\n1.\n20.\n1.\n1.\n");
  Array both(7.0f);
  printedBy([&] {
    call(20.0f, 0.0f);
    EXPECT_THAT(errorOf([&] { f(both, both); }), HasSubstr("is updated and is also"));
  });
  EXPECT_EQ(both.item<float>(), 7);
}

/// What was captured for one call is no part of the path for later ones.
TEST_F(Cuts, ResultsOfTheHostWithinAreNotCaptured) {
  int calls = 0;
  auto inner = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &a) { return a + static_cast<float>(++calls); }, scalar, x);
    return r > 0 ? r * x : -r;
  });
  auto f = jit([&](const Array &x) {
    const Array y = inner(x);
    return y > 0 ? y + 1 : y - 1;
  });
  f(Array(1.0f));
  for (int i = 0; i < 20; ++i) {
    GradientTape tape;
    const Array x(1.0f);
    tape.watch(x);
    f(x);
  }
  EXPECT_EQ(f.concrete(Array(1.0f)).paths(), 1u);
  EXPECT_EQ(calls, 21);
}

/// Another thread's assignment of what the call assigns waits for its end.
TEST_F(Cuts, WhatIsAssignedIsHeldMeanwhile) {
  Variable v(0.0f);
  std::jthread other;
  auto f = jit([&](const Array &x) {
    v.assign(v + x);
    const Array r = host_call(
        [&](const Array &x) {
          other = std::jthread([&v, x] { v.assign(x * 1000); });
          for (int i = 0; i < 50 && v.value().item<float>() < 1000; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return x;
        },
        scalar, x);
    return r > 1 ? r * 2 : r;
  });
  f(Array(2.0f)); // recorded while nothing is held
  for (int i = 0; i < 4; ++i) {
    other.join();
    v.assign(Array(0.0f));
    f(Array(2.0f));
    other.join();
    EXPECT_EQ(v.value().item<float>(), 2000);
    other = std::jthread([] {});
  }
}

TEST_F(Cuts, Threads) {
  Variable total(0.0f);
  std::atomic<int> calls = 0;
  auto f = jit([&](const Array &x) {
    total.assign(total + x);
    const Array r = host_call([&](const Array &x) { return ++calls, x; }, scalar, x);
    if (r > 2)
      return r * 2;
    if (r > 1)
      return r + 10;
    return total * 0 + r;
  });
  constexpr int threads = 4, rounds = 50;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (int i = 0; i < rounds; ++i) {
          const float x = static_cast<float>((i + t) % 3) + 1;
          wrong += f(Array(x)).item<float>() != (x > 2 ? x * 2 : x > 1 ? x + 10 : x);
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(calls, threads * rounds);
}

//===----------------------------------------------------------------------===//
// Recordings in pieces
//===----------------------------------------------------------------------===//

TEST(Cut, PiecesBeginWithTheirGuards) {
  const Type number{Dtype::f32, Device::cpu, Shape{}}, answer{Dtype::bool_, Device::cpu, Shape{}};
  TraceBody body;
  body.types = {number, number, answer, number, number};
  body.inputs = {0};
  body.outputs = {4};
  auto add = [&](OpCode code, std::vector<ValueId> operands, ValueId result, uint32_t results,
                 std::vector<int64_t> words = {}) {
    TraceOp op{};
    op.code = code;
    op.operands = static_cast<uint32_t>(body.operands.size());
    op.operandCount = static_cast<uint32_t>(operands.size());
    body.operands.insert(body.operands.end(), operands.begin(), operands.end());
    op.attributes = static_cast<uint32_t>(body.attributes.size());
    op.attributeCount = static_cast<uint32_t>(words.size());
    body.attributes.insert(body.attributes.end(), words.begin(), words.end());
    op.firstResult = result;
    op.results = results;
    body.ops.push_back(op);
  };
  add(OpCode::exp, {0}, 1, 1);
  add(OpCode::print, {1}, 2, 0, wordsOf(PrintAttrs{"{}"}));
  add(OpCode::isnan, {1}, 2, 1);
  add(OpCode::guard, {2}, 3, 0, wordsOf(GuardAttrs{0}));
  add(OpCode::sin, {1}, 3, 1);
  add(OpCode::guard, {2}, 4, 0, wordsOf(GuardAttrs{0}));
  add(OpCode::add, {1, 3}, 4, 1);
  std::string why;
  const std::vector<Piece> pieces = cut(body, why);
  ASSERT_EQ(pieces.size(), 2u) << why;
  EXPECT_THAT(pieces[0].gives, ElementsAre(1, 2));
  EXPECT_THAT(pieces[0].takes, ElementsAre());
  EXPECT_EQ(pieces[1].begin, 3u);
  EXPECT_EQ(pieces[1].guards, 0u);
  EXPECT_EQ(pieces[1].happened, 1u);
  EXPECT_THAT(pieces[1].takes, ElementsAre(2, 1));
  EXPECT_THAT(pieces[1].gives, ElementsAre(4));
  EXPECT_EQ(pieces[1].trace->inputs().size(), 3u);
  EXPECT_EQ(catchUp(body, 3, {1})->str().find("print"), std::string::npos);
}

} // namespace
} // namespace tenon::test
