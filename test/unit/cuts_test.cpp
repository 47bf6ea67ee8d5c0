//===- cuts_test.cpp - graph breaks: branches on traced values after a side effect --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Calls.h"

#include "lib/trace/Cut.h"
#include "lib/trace/Guard.h"
#include "lib/trace/RegionOp.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

namespace tenon::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const TensorSpec scalar{f32, {}};

using Cuts = WithLog;

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
  EXPECT_EQ(logged.warnings(), "");
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
  EXPECT_EQ(logged.warnings(), "");
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
  const auto compiled = jit(f, {.dynamic_shapes = 0}), symbolic = jit(f, {.specs = {TensorSpec{f32, {"n", "m"}}}});
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
  EXPECT_THAT(logged.warnings(), HasSubstr("has had new answers in more than 16 calls"));
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

/// What it draws goes on from call to call, whether it draws before it is asked, after that, or on one side.
TEST_F(Cuts, DrawFromAGenerator) {
  random::Generator g;
  const auto body = [&](const Array &x) {
    Array u = g.uniform();
    print("x {}", x);
    if (x > 0)
      return u * 2;
    if (x < -1)
      u = u + g.uniform();
    return u;
  };
  const auto seen = [&](const auto &f) {
    g.seed(7);
    return seenOf(f, {0, 0, 1, 0, -2, -2, 1, -2, 0});
  };
  const std::string eager = seen(body);
  for (const Compile compile : {Compile::now, Compile::never, Compile::background}) {
    const auto f = jit(body, {.compile = compile});
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(seen(f), eager);
    EXPECT_EQ(f.trace_count(), 3u);
  }
}

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
  EXPECT_THAT(pieces[1].takes, ElementsAre(2, 1));
  EXPECT_THAT(pieces[1].gives, ElementsAre(4));
  EXPECT_EQ(pieces[1].trace->inputs().size(), 3u);
  EXPECT_EQ(catchUp(body, 3, {1})->str().find("print"), std::string::npos);
}

} // namespace
} // namespace tenon::test
