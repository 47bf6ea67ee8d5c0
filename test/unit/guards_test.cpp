//===- guards_test.cpp - C++'s own if, while and switch on traced arrays -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Calls.h"

#include <tenon/tenon.h>

#include "lib/trace/Guard.h"
#include "runtime/memory/Memory.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>

namespace tenon::test {
namespace {

using testing::HasSubstr;

using Guards = WithLog;

/// As the tutorial of tf.function has it.
Array myFunction(const Array &x) {
  if (sum(x) <= 1)
    return x * x;
  else
    return x - 1;
}

TEST_F(Guards, EachSideIsAProgram) {
  auto f = jit(myFunction);
  EXPECT_EQ(number(f(Array(1.0f))), 1);
  EXPECT_EQ(number(f(Array(3.0f))), 2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(number(f(Array(0.5f))), 0.25f);
    EXPECT_EQ(number(f(Array(9.0f))), 8);
  }
  EXPECT_EQ(f.stats().traces, 2u);
  EXPECT_EQ(f(Array{5.0f, 5.0f}).to_vector<float>(), (Floats{4, 4}));
  EXPECT_EQ(f.stats().traces, 3u);
  EXPECT_THAT(logged.text(), testing::Not(HasSubstr("each time")));
}

TEST_F(Guards, LoopsEndWhereTheValuesSay) {
  auto halved = [](Array x) {
    Array rounds = 0;
    while (sum(x) > 1) {
      x = x / 2;
      rounds = rounds + 1;
    }
    return std::pair(x, rounds);
  };
  auto f = jit(halved);
  for (float start : {3.0f, 0.5f, 100.0f, 3.5f, 7.0f, 90.0f, 0.25f, std::numeric_limits<float>::quiet_NaN()}) {
    const auto [x, rounds] = f(Array(start));
    const auto [expected, count] = halved(Array(start));
    EXPECT_EQ(rounds.item<int>(), count.item<int>()) << start;
    if (start == start) {
      EXPECT_EQ(number(x), number(expected)) << start;
    }
  }
  EXPECT_EQ(f.stats().traces, 4u); // of 0, 2, 3 and 7 rounds
}

TEST_F(Guards, NumbersAreComparedByTheBitsThatCppSees) {
  auto f = jit([&](const Array &x) {
    switch (int(x)) { // of floats: 1.25 and 1.75 are one answer
    case 0:
      return x * 10.0f;
    case 1:
      return x * 100.0f;
    default:
      return -x;
    }
  });
  EXPECT_EQ(number(f(Array(0.5f))), 5);
  EXPECT_EQ(number(f(Array(1.25f))), 125);
  EXPECT_EQ(number(f(Array(1.75f))), 175);
  EXPECT_EQ(number(f(Array(0.75f))), 7.5f);
  EXPECT_EQ(number(f(Array(-7.0f))), 7);
  EXPECT_EQ(f.stats().traces, 3u);

  auto scaled = jit([](const Array &x) { return x * x.item<float>(); });
  EXPECT_EQ(number(scaled(Array(0.0f))), 0);
  EXPECT_TRUE(std::signbit(number(jit([](const Array &x) { return Array(x.item<float>()); })(Array(-0.0f)))));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(number(scaled(Array(nan)))));
  EXPECT_TRUE(std::isnan(number(scaled(Array(nan)))));
  EXPECT_EQ(scaled.stats().traces, 2u);
  EXPECT_EQ(number(scaled(Array(300.0f))), 90000); // 300 and 44 have the same last byte as integers
  EXPECT_EQ(number(scaled(Array(3.0f))), 9);

  // As a truth value an integer has two answers, however many it counts to.
  auto truth = jit([](const Array &n) { return n ? n * 2 : n - 1; });
  for (int n : {0, 1, 2, 256, 65536, 0, -3})
    EXPECT_EQ(truth(Array(n)).item<int>(), n ? n * 2 : n - 1);
  EXPECT_EQ(truth.stats().traces, 2u);
  auto wide = jit([](const Array &n) { return n * n.item<int64_t>(); });
  for (int64_t n : {int64_t(1), int64_t(257), int64_t(1) << 31})
    EXPECT_EQ(wide(Array(n)).item<int64_t>(), n * n);
}

TEST_F(Guards, OfEachDtype) {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64, Dtype::f8e4m3fn, Dtype::i8, Dtype::u8,
                      Dtype::i16, Dtype::i32, Dtype::u32, Dtype::i64, Dtype::u64}) {
    auto f = jit([](const Array &x) { return Array(x.item<double>()); });
    for (double x : {1.0, 2.0, 0.0, 1.0, 64.0})
      EXPECT_EQ(f(astype(Array(x), dtype)).item<double>(), x) << name(dtype);
    EXPECT_EQ(f.stats().traces, 4u) << name(dtype);
  }
  auto truth = jit([](const Array &x) { return x ? Array(1) : Array(2); });
  EXPECT_EQ(truth(Array(true)).item<int>(), 1);
  EXPECT_EQ(truth(Array(false)).item<int>(), 2);
  EXPECT_THAT(errorOf([] {
                jit([](const Array &x) { return Array(real(x).item<float>() + x.item<float>()); })(complex(1.0f, 2.0f));
              }),
              HasSubstr("expected C++ to read a real array"));
}

TEST_F(Guards, WhatDoesNotDifferNeedsNone) {
  const Array captured = {1.0f, 2.0f};
  auto f = jit([&](const Array &x) {
    float scale = sum(captured).item<float>(); // read once, as all that is captured
    if (Array(2) * 3 > 5)
      scale += float(zeros({}));
    return x * scale;
  });
  EXPECT_EQ(number(f(Array(2.0f))), 6);
  EXPECT_THAT(f.lower(Array(2.0f)).trace(), testing::Not(HasSubstr("guard %")));
  // Asked twice, and by what is made of the same: one guard each.
  size_t guards = 0;
  auto once = jit([](const Array &x) {
    const Array isLarge = x > 1;
    const bool a(isLarge), b(isLarge), c(isLarge);
    return a && b && c ? x : -x;
  });
  const std::string text = once.lower(Array(2.0f)).trace();
  for (size_t at = text.find("guard %"); at != std::string::npos; at = text.find("guard %", at + 1))
    ++guards;
  EXPECT_EQ(guards, 1u) << text;
}

TEST_F(Guards, LowerTakesThePathOfItsArguments) {
  auto f = jit(myFunction);
  f(Array(0.5f));
  EXPECT_THAT(f.lower(Array(5.0f)).trace(), HasSubstr("subtract"));
  EXPECT_THAT(f.lower(Array(0.5f)).trace(), HasSubstr("multiply"));
  f(Array(5.0f));
  EXPECT_THAT(f.lower(Array(0.5f)).trace(), HasSubstr("guard %3, answer = 1  # "));
  EXPECT_EQ(f.stats().traces, 4u);
}

TEST_F(Guards, VariablesAreAssignedOnTheSideThatRan) {
  Variable count{0.0f}, other{1.0f};
  auto f = jit([&](const Array &x) {
    if (x > count)
      count += x;
    else
      other.assign(other * 2.0f);
    return count + other;
  });
  EXPECT_EQ(number(f(Array(2.0f))), 3);
  EXPECT_EQ(number(f(Array(2.0f))), 4);
  EXPECT_EQ(number(f(Array(4.0f))), 8);
  EXPECT_EQ(number(f(Array(4.0f))), 10);
  EXPECT_EQ(number(count.value()), 6);
  EXPECT_EQ(number(other.value()), 4);
  EXPECT_EQ(f.stats().traces, 2u);
  // A Variable's own value is asked for at each call.
  Variable left{3.0f};
  auto down = jit([&] {
    if (left.value() > 0) {
      left -= 1.0f;
      return Array(1);
    }
    return Array(0);
  });
  int sum = 0;
  for (int i = 0; i < 6; ++i)
    sum += down().item<int>();
  EXPECT_EQ(sum, 3);
  for (Compile mode : {Compile::now, Compile::never}) {
    Variable flag{0.5f};
    auto asks = jit([&](const Array &x) { return flag.value() ? x : -x; }, {.compile = mode});
    for (float value : {0.5f, 0.0f, 1.0f}) {
      flag.assign(value);
      EXPECT_EQ(number(asks(Array(1.0f))), value ? 1 : -1);
    }
  }
}

TEST_F(Guards, AFailedGuardLeavesAllAsItWas) {
  struct Pair {
    Array a, b;
  };
  auto f = jit([](Pair &p, const Array &x) {
    if (sum(x) > 0)
      p.a = p.a + x;
    else
      p.b = p.b - x;
    return p.a * p.b;
  });
  Pair p{Array{1.0f, 2.0f}, Array{3.0f, 4.0f}}, expected = p;
  for (float sign : {1.0f, -1.0f, -2.0f, 3.0f, -1.0f}) {
    const Array x = Array{1.0f, 1.0f} * sign;
    f(p, x);
    (sign > 0 ? expected.a : expected.b) = sign > 0 ? expected.a + x : expected.b - x;
    EXPECT_EQ(p.a.to_vector<float>(), expected.a.to_vector<float>());
    EXPECT_EQ(p.b.to_vector<float>(), expected.b.to_vector<float>());
  }
  EXPECT_EQ(f.stats().traces, 2u);
  // Donated ones, too: nothing was written before the guard failed.
  auto g = jit([](const Array &x) {
    const Array y = x * 2.0f;
    return sum(y) > 0 ? y + 1.0f : y - 1.0f;
  });
  for (float sign : {1.0f, -1.0f, 1.0f, -1.0f}) {
    Array x = ones({1000}) * sign;
    EXPECT_EQ(g(std::move(x)).to_vector<float>(), Floats(1000, 3 * sign));
  }
}

TEST_F(Guards, NothingThatMayNotEndOrFailIsBeforeThem) {
  auto f = jit([](const Array &n, const Array &x) {
    if (n > 0)
      return while_loop([&](const Array &i) { return i != 0; }, [&](const Array &i) { return i - 1; }, n);
    return x[0] + n - 1;
  });
  EXPECT_EQ(f(Array(5), Array{1, 2}).item<int>(), 0);
  EXPECT_EQ(f(Array(-5), Array{1, 2}).item<int>(), -5); // the loop would not end
  auto g = jit([](const Array &i, const Array &x) {
    if (i < 2)
      return sum(gather(x, reshape(i, {1}), {1}, {}, {0}, {0}, {}, {}, IndexMode::error));
    return sum(x);
  });
  const Array x = {1.0f, 2.0f};
  EXPECT_EQ(number(g(Array(1), x)), 2);
  EXPECT_EQ(number(g(Array(7), x)), 3); // there is no such element
}

TEST_F(Guards, PathsOfOneTree) {
  // The second question differs by side: one answer leads to two paths.
  auto f = [](const Array &x, const Array &y) {
    if (x > 0)
      return y > 1 ? x + y : x - y;
    return y > 2 ? x * y : y;
  };
  auto compiled = jit(f);
  const std::pair<float, float> calls[] = {{1, 0}, {1, 1.5f}, {1, 3}, {-1, 0}, {-1, 3}, {1, 0}, {-1, 1.5f}, {-1, 3}};
  // From one side to the other two paths have the first answer, and which is the right one shows when it runs; on one
  // side the second answer leads to one path.
  const uint64_t most[] = {3, 2, 3, 3, 2, 3, 3, 2};
  for (int round = 0; round < 2; ++round)
    for (size_t i = 0; i < std::size(calls); ++i) {
      const auto [x, y] = calls[i];
      uint64_t programs = 0;
      Array got;
      programs = programsOf([&, x = x, y = y] { got = compiled(Array(x), Array(y)); });
      EXPECT_EQ(number(got), number(f(Array(x), Array(y)))) << x << " " << y;
      EXPECT_LE(programs, most[i]) << x << " " << y;
    }
  EXPECT_EQ(compiled.stats().traces, 4u);
}

TEST_F(Guards, AnotherAnswerLeadsStraightToItsPath) {
  // Questions x > 0, x > 1, ...: with k answers alike, the next one decides.
  for (Compile mode : {Compile::now, Compile::never}) {
    auto f = jit(
        [](const Array &x) {
          int n = 0;
          while (x > n)
            ++n;
          return x + n * 100.0f;
        },
        {.compile = mode});
    for (int n : {0, 1, 2, 3, 4, 5})
      EXPECT_EQ(number(f(Array(static_cast<float>(n)))), static_cast<float>(n * 101));
    EXPECT_EQ(f.stats().traces, 6u);
    f(Array(5.0f));
    // From 5 rounds to 2: the third answer differs, and one path has that one.
    EXPECT_EQ(programsOf([&] { f(Array(2.0f)); }), 2u);
    EXPECT_EQ(programsOf([&] { f(Array(2.0f)); }), 1u);
    EXPECT_EQ(programsOf([&] { f(Array(0.0f)); }), 2u);
    EXPECT_EQ(f.stats().traces, 6u);
  }
}

TEST_F(Guards, UnderTransformations) {
  auto f = jit(myFunction);
  auto slope = grad(f);
  auto inside = jit(grad(myFunction));
  auto both = jit(grad(f));
  auto [value, pushed] = jvp(f, Array(0.5f), Array(1.0f));
  EXPECT_EQ(number(pushed), 1);
  for (float at : {0.5f, 3.0f, 0.25f, 4.0f}) {
    const float expected = at <= 1 ? 2 * at : 1;
    EXPECT_EQ(number(slope(Array(at))), expected);
    EXPECT_EQ(number(inside(Array(at))), expected);
    EXPECT_EQ(number(both(Array(at))), expected);
    EXPECT_EQ(number(jvp(f, Array(at), Array(1.0f)).second), expected);
    EXPECT_EQ(number(hvp(f, Array(at), Array(1.0f))), at <= 1 ? 2 : 0);
    GradientTape tape;
    Array x(at);
    tape.watch(x);
    EXPECT_EQ(number(tape.gradient(f(x), x)), expected);
  }
  EXPECT_EQ(inside.stats().traces, 2u);
  EXPECT_EQ(f.stats().traces, 2u); // `both` has its questions as its own
  // The examples of vmap have no one answer, but what is the same for all has.
  EXPECT_THAT(errorOf([&] { vmap(f)(Array{1.0f, 2.0f}); }),
              HasSubstr("C++ cannot branch on a value that differs between the batch elements of vmap"));
  EXPECT_THAT(errorOf([&] { vmap(jit(myFunction))(Array{1.0f, 2.0f}); }),
              HasSubstr("expected an array whose elements are known"));
  auto scaled = jit([](const Array &x, const Array &s) { return s > 0 ? x * s : x; });
  auto examples = vmap(scaled, {.in_axes = {0, none}});
  for (float s : {2.0f, -1.0f, 3.0f})
    EXPECT_EQ(examples(Array{1.0f, 2.0f}, Array(s)).to_vector<float>(), (s > 0 ? Floats{s, 2 * s} : Floats{1, 2}));
}

/// What has no derivative on another way is no matter.
TEST_F(Guards, UnderJvpByTheCallsOwnWay) {
  auto f = jit([](const Array &x) {
    if (x > 0)
      return x * 2;
    return host_call([](const Array &a) { return a; }, TensorSpec{f32, {}}, x);
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(number(jvp(f, Array(1.0f), Array(1.0f)).second), 2);
    EXPECT_THAT(errorOf([&] { jvp(f, Array(-1.0f), Array(1.0f)); }), HasSubstr("host_call"));
    EXPECT_EQ(number(f(Array(-2.0f))), -2);
  }
}

TEST_F(Guards, OfAFunctionInAnother) {
  int tracedInner = 0;
  auto inner = jit([&](const Array &x) {
    ++tracedInner;
    return x > 0 ? x * 2.0f : -x;
  });
  auto outer = jit([&](const Array &x, const Array &y) {
    const Array z = inner(x) + y;
    return z > 10 ? inner(z) : inner(y - x);
  });
  auto expected = [](float x, float y) {
    auto in = [](float v) { return v > 0 ? v * 2 : -v; };
    const float z = in(x) + y;
    return z > 10 ? in(z) : in(y - x);
  };
  for (int round = 0; round < 2; ++round)
    for (float x : {1.0f, -2.0f, 9.0f})
      for (float y : {0.0f, 3.0f, -4.0f})
        EXPECT_EQ(number(outer(Array(x), Array(y))), expected(x, y)) << x << " " << y;
  EXPECT_EQ(number(inner(Array(-3.0f))), 3);
  // One that is traced for this call is not traced a second time for it.
  tracedInner = 0;
  auto fresh = jit([&](const Array &x) {
    ++tracedInner;
    return x > 0 ? x : -x;
  });
  jit([&](const Array &x) { return fresh(x); })(Array(1.0f));
  EXPECT_EQ(tracedInner, 1);
  // What is captured from the function around is no constant.
  auto closed = jit([](const Array &x) {
    auto sign = jit([&](const Array &y) { return x > 0 ? y : -y; });
    return sign(x * 2.0f);
  });
  EXPECT_EQ(number(closed(Array(3.0f))), 6);
  EXPECT_EQ(number(closed(Array(-3.0f))), 6);
}

TEST_F(Guards, WhatAFunctionWithinAsksIsAskedByTheOneAround) {
  // Too often: no program may stand for it.
  auto count = jit([](const Array &n) {
    Array i = 0;
    while (i < n)
      i = i + 1;
    return i;
  });
  auto ten = jit([&](const Array &n) { return count(n) * 10; });
  for (int n : {100, 150, 3, 70})
    EXPECT_EQ(ten(Array(n)).item<int>(), 10 * n);
  // Before it throws, where the function around goes on.
  auto positive = jit([](const Array &x) -> Array {
    print("asked {}", {x});
    if (x < 0)
      throw std::runtime_error("negative");
    return x * 2.0f;
  });
  auto caught = jit([&](const Array &x) -> Array {
    print("tries {}", {x});
    try {
      return positive(x);
    } catch (const std::runtime_error &) {
      print("caught {}", {x});
      return Array(-1.0f);
    }
  });
  testing::internal::CaptureStdout();
  for (float x : {-1.0f, 1.0f, -2.0f, 3.0f})
    EXPECT_EQ(number(caught(Array(x))), x < 0 ? -1 : 2 * x);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "tries -1.\nasked -1.\ncaught -1.\ntries 1.\nasked 1.\n"
                                                    "tries -2.\nasked -2.\ncaught -2.\ntries 3.\nasked 3.\n");
  // After the one around has printed.
  auto sign = jit([](const Array &x) { return x > 0 ? x : -x; });
  auto printed = jit([&](const Array &x) {
    print("x {}", {x});
    return sign(x);
  });
  testing::internal::CaptureStdout();
  for (float x : {1.0f, -2.0f, 3.0f})
    EXPECT_EQ(number(printed(Array(x))), std::abs(x));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x 1.\nx -2.\nx 3.\n");
  // Of a value of the one around, on which it does nothing.
  Array isPositive;
  auto chosen = jit([&](const Array &y) { return isPositive ? y : -y; });
  auto outer = jit([&](const Array &x) {
    isPositive = x > 0;
    return chosen(x * 2.0f);
  });
  for (float x : {3.0f, -3.0f, 4.0f})
    EXPECT_EQ(number(outer(Array(x))), std::abs(2 * x));
}

TEST_F(Guards, BodiesOfLoopsAndBranchesAreNotAsked) {
  auto sign = jit([](const Array &x) { return x > 0 ? x * 2.0f : -x; });
  sign(Array(1.0f));
  auto newton = jit([](const Array &a) {
    Array x = a;
    while (abs(x * x - a) > 1e-5f * abs(a))
      x = (x + a / x) / 2;
    return x;
  });
  EXPECT_NEAR(number(newton(Array(2.0f))), std::sqrt(2.0f), 1e-4);
  // The branch that is not taken would never end.
  auto root = [&](const Array &a) { return cond(a > 0, newton, [](const Array &b) { return b * 0.0f; }, a); };
  EXPECT_THAT(errorOf([&] { root(Array(-2.0f)); }), HasSubstr("expected an array whose elements are known"));
  EXPECT_THAT(errorOf([&] { jit(root)(Array(-2.0f)); }), HasSubstr("expected an array whose elements are known"));
  auto looped = jit([&](const Array &x, const Array &xs) {
    return scan([&](const Array &c, const Array &e) { return std::pair(sign(x) + c + e, e); }, Array(0.0f), xs).first;
  });
  EXPECT_THAT(errorOf([&] { looped(Array(1.0f), Array{1.0f, 2.0f}); }),
              HasSubstr("expected an array whose elements are known"));
}

TEST_F(Guards, ResultsOfCallsThatServeThemselves) {
  struct Two {
    Array a;
    std::vector<Array> b;
  };
  auto f = jit([](const Array &x) {
    const float value = x.item<float>();
    return Two{x, {x * value, x}};
  });
  auto outer = jit([&](const Array &x) { return f(x).b; });
  for (int i = 0; i < 40; ++i) {
    const auto x = static_cast<float>(i);
    EXPECT_EQ(number(f(Array(x)).b[0]), x * x);
    EXPECT_EQ(number(outer(Array(x))[0]), x * x);
  }
}

TEST_F(Guards, NaNsAreOneAnswer) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    auto f = jit([](const Array &x) { return std::isnan(sum(-x).item<double>()) ? x * 0 + 1 : x; });
    for (float x : {nan, -nan, 1.0f, nan})
      EXPECT_EQ(std::isnan(x) ? std::isnan(number(f(astype(Array(x), dtype))))
                              : number(f(astype(Array(x), dtype))) == 1,
                true);
    EXPECT_EQ(f.stats().traces, 2u) << name(dtype);
  }
  EXPECT_THAT(logged.text(), testing::Not(HasSubstr("each time")));
}

TEST_F(Guards, OfManyRoundsOverLargeArrays) {
  // More than is kept of what is computed while tracing.
  auto f = jit([](Array x) {
    int n = 0;
    for (; max(x) > 1; ++n)
      x = x * 0.5f;
    return sum(x) * 0 + n;
  });
  EXPECT_EQ(number(f(full({1 << 20}, std::ldexp(1.0f, 40)))), 40);
  EXPECT_EQ(number(f(full({1 << 20}, std::ldexp(1.0f, 90)))), 90);
  auto g = jit([](const Array &x) {
    const Array first = x * 2.0f;
    Array last = first;
    for (int i = 0; i < 24; ++i)
      last = last * 0.5f;
    return max(last + first) > 1 ? first : -first; // what was made first is needed once more
  });
  EXPECT_EQ(number(max(g(full({1 << 20}, 0.25f)))), -0.5f);
  EXPECT_EQ(number(max(g(full({1 << 20}, 1.0f)))), 2);
  // As large as what a traced function makes a Variable of.
  std::optional<Variable> made;
  jit([&](const Array &x) {
    if (!made)
      made.emplace(broadcast_to(x, {17, 1 << 20}) * 3.0f);
    return *made + x;
  })(Array(1.0f));
  EXPECT_EQ(number(max(made->value())), 3);
}

TEST_F(Guards, WhatIsWrittenIsCheckedOnTheRightPath) {
  auto f = jit([](Array &a, const Array &b, const Array &x) {
    if (x > 0)
      a = a + b;
    return a * b;
  });
  Array a = 2.0f, b = 3.0f;
  EXPECT_EQ(number(f(a, b, Array(1.0f))), 15);
  EXPECT_EQ(number(f(a, a, Array(-1.0f))), 25); // which writes nothing
  EXPECT_THAT(errorOf([&] { f(a, a, Array(1.0f)); }), HasSubstr("arg 0 is updated and is also arg 1"));
  EXPECT_EQ(number(f(a, b, Array(1.0f))), 24);
}

TEST_F(Guards, WithSymbolsInTheSizes) {
  auto f = jit(
      [](const Array &x) {
        const Array y = reshape(concatenate({x, x}), {2, x.dim(0)});
        return sum(y) > 0 ? sum(y, {0}) : max(y, {0});
      },
      {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(f(Array{1.0f, 2.0f}).to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(f(Array{1.0f, 2.0f, 3.0f}).to_vector<float>(), (Floats{2, 4, 6}));
  EXPECT_EQ(f(Array{-1.0f, -2.0f}).to_vector<float>(), (Floats{-1, -2}));
  EXPECT_EQ(f(Array{-1.0f, -2.0f, -3.0f, -4.0f}).to_vector<float>(), (Floats{-1, -2, -3, -4}));
  EXPECT_EQ(f.stats().traces, 2u);
  // Of what the first question has computed, with sizes that no symbol is alone.
  auto g = jit(
      [](const Array &x) {
        const Array twice = concatenate({x, x});
        if (sum(twice) > 0 && max(twice) > 5)
          return x * 2.0f;
        return x;
      },
      {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(g(Array{1.0f, 2.0f}).to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(g(Array{1.0f, 2.0f, 6.0f}).to_vector<float>(), (Floats{2, 4, 12}));
  // Of a size alone.
  auto h = jit([](const Array &x) { return sum(full({x.dim(0) * 2}, 2.0f)) > 9 ? x * 2.0f : x; },
               {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(h(ones({2})).to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(h(ones({3})).to_vector<float>(), (Floats{2, 2, 2}));
  // What is seen of a path that throws has its sizes, too.
  auto thrown = jit(
      [](const Array &x) {
        auto doubled = [](const Array &a) {
          print("positive {}", {a});
          return a * 2.0f;
        };
        const Array y = cond(sum(x) > 0, doubled, [](const Array &a) { return a - 1.0f; }, x);
        if (any(y > 3))
          throw std::runtime_error("too much");
        return y;
      },
      {.specs = {TensorSpec{f32, {"n"}}}});
  testing::internal::CaptureStdout();
  EXPECT_EQ(errorOf([&] { thrown(Array{1.0f, 2.0f, 3.0f}); }), "too much");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "positive [1. 2. 3.]\n");
  EXPECT_EQ(errorOf([&] {
              jit([](const Array &x) { return x > 0 ? x : -x; }, {.specs = {TensorSpec{f32, {"n"}}}})(ones({2}));
            }).find("a condition needs one truth value"),
            0u);
}

/// A path that cannot be of these sizes is no Error where the answers lead to another one.
TEST_F(Guards, OfSizesThatAnotherPathRefuses) {
  const Variable v(1.0f);
  using Function = std::function<Array(const Array &)>;
  const auto at = [](const Array &x, const Array &i) { return x[int(i)] * 2; };
  const std::pair<const char *, Function> functions[] = {
      {"index", [&](const Array &x) { return at(x, argmax(x)); }},
      {"after an effect",
       [&](const Array &x) {
         print("{}", {x});
         return at(x, argmax(x));
       }},
      {"of the host",
       [&](const Array &x) {
         return at(x, host_call([](const Array &x) { return astype(argmax(x), i32); }, TensorSpec{i32, {}}, x));
       }},
      {"within", [&](const Array &x) { return jit([&](const Array &x) { return at(x, argmax(x)); })(x) + 1; }},
      {"the second one", [&](const Array &x) { return sum(x) > 20 ? x[4] : at(x, argmax(x)); }},
      {"of two sides", [&](const Array &x) { return max(x) > 4 ? x[4] : x[0]; }},
      {"a derivative",
       [&](const Array &x) { return grad([&](const Array &x) { return at(x, argmax(x)) * sum(x); })(x); }},
      {"with a Variable", [&](const Array &x) { return v += 1, at(x, argmax(x)) * v; }},
      {"on a tape",
       [&](const Array &x) {
         GradientTape tape;
         tape.watch(x);
         const Array y = at(x, argmax(x)) * sum(x);
         return tape.gradient(y, x);
       }},
  };
  const std::vector<Array> inputs{Array{1.0f, 2.0f, 3.0f, 4.0f, 5.0f}, Array{3.0f, 1.0f}, Array{1.0f, 2.0f, 3.0f},
                                  Array{1.0f, 2.0f}, Array{0.0f, 0.0f, 9.0f, 0.0f, 8.0f, 7.0f}};
  const auto seen = [&](const auto &f) {
    v.assign(Array(1.0f));
    std::string text;
    for (int i = 0; i < 3; ++i)
      for (const Array &x : inputs)
        text += printedBy([&] { text += format("{}\n", f(x)); });
    return text + format("{}", v.value());
  };
  for (const auto &[what, function] : functions) {
    const std::string eager = seen(function);
    for (const Compile compile : {Compile::now, Compile::never, Compile::background}) {
      EXPECT_EQ(seen(jit(function, {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile})), eager) << what;
      if (std::string(what) == "index" || std::string(what) == "the second one") { // as an op of what is around it
        const auto slope = [](const Function &f) { return grad([=](const Array &x) { return f(x) * sum(x); }); };
        EXPECT_EQ(seen(slope(jit(function, {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile}))),
                  seen(slope(function)));
      }
      const auto held = jit(function, {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile});
      EXPECT_EQ(seen([&](const Array &x) { return held(x + 0); }), eager) << what;
    }
  }
  // Of its own answers it is one.
  for (const Compile compile : {Compile::now, Compile::never}) {
    const auto f =
        jit([](const Array &x) { return x[int(sum(x))]; }, {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile});
    EXPECT_EQ(f(Array{1.0f, 1.0f, 0.5f}).item<float>(), 0.5f);
    EXPECT_THAT(errorOf([&] { f(Array{1.0f, 1.0f}); }), HasSubstr("2"));
    EXPECT_EQ(f(Array{1.0f, 0.0f}).item<float>(), 0);
  }
}

TEST_F(Guards, AsManyPathsAsTheFunctionMayHave) {
  auto f = jit([](const Array &x) { return x * int(x); }, {.max_variants = 2});
  for (int x : {1, 2, 3, 3, 1, 2})
    EXPECT_EQ(number(f(Array(static_cast<float>(x)))), static_cast<float>(x * x));
  EXPECT_EQ(f.trace_count(), 4u);
  EXPECT_THAT(logged.text(), HasSubstr("has had new answers in more than 2 calls; compare the array"));
  auto compared = jit([](const Array &x) { return x > 2 ? x * 3 : x > 1 ? x * 2 : x; }, {.max_variants = 2});
  for (int x : {1, 2, 3, 3, 1, 2})
    EXPECT_EQ(number(compared(Array(static_cast<float>(x)))), static_cast<float>(x * x));
  EXPECT_THAT(
      logged.text(),
      HasSubstr("in more than 2 calls; if the function has only a few more variants, raise max_variants; else use"));
  EXPECT_EQ(jit([](const Array &x) { return x; }, {.max_variants = 64})(Array(1.0f)).ndim(), 0);
  for (unsigned paths : {0u, 65u})
    EXPECT_THAT(errorOf([&] { (void)jit([](const Array &x) { return x; }, {.name = "f", .max_variants = paths}); }),
                HasSubstr("f: expected max_variants from 1 to 64, got " + std::to_string(paths)));
}

TEST_F(Guards, EffectsHappenOnce) {
  auto f = jit([](const Array &x) {
    print("x {}", {x});
    if (x > 0)
      return x;
    print("not positive");
    return -x;
  });
  testing::internal::CaptureStdout();
  for (float x : {1.0f, -2.0f, 3.0f, -2.0f})
    EXPECT_EQ(number(f(Array(x))), std::abs(x));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x 1.\nx -2.\nnot positive\nx 3.\nx -2.\nnot positive\n");
  EXPECT_EQ(f.stats().traces, 2u);
  // Behind all that is asked they are a part of the programs.
  auto g = jit([](const Array &x) {
    const bool isLarge(x > 1);
    print("x {}", {x});
    return isLarge ? x : -x;
  });
  testing::internal::CaptureStdout();
  for (float x : {2.0f, 0.5f, 3.0f, 0.25f})
    g(Array(x));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x 2.\nx 0.5\nx 3.\nx 0.25\n");
  EXPECT_EQ(g.stats().traces, 2u);
  // What a loop prints it prints when it runs, not when it is asked what it comes to.
  auto h = jit([](const Array &x) {
    auto step = [](const Array &, const Array &sum) {
      print("sum {}", {sum});
      return sum * 2.0f;
    };
    const Array y = fori_loop(0, 2, step, x);
    return y > 10 ? y : -y;
  });
  testing::internal::CaptureStdout();
  EXPECT_EQ(number(h(Array(1.0f))), -4);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "sum 1.\nsum 2.\n");
}

TEST_F(Guards, ExceptionsOfTheUser) {
  auto f = jit([](const Array &x) {
    print("got {}", {x});
    if (any(isnan(x)))
      throw std::runtime_error("not a number");
    return x * 2.0f;
  });
  testing::internal::CaptureStdout();
  EXPECT_EQ(number(f(Array(1.0f))), 2);
  EXPECT_EQ(errorOf([&] { f(Array(std::numeric_limits<float>::quiet_NaN())); }), "not a number");
  EXPECT_EQ(number(f(Array(2.0f))), 4);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "got 1.\ngot nan\ngot 2.\n");
  Variable v{1.0f};
  auto g = jit([&](const Array &x) {
    v += x;
    if (v.value() > 10)
      throw std::runtime_error("too much");
    return v * 1.0f;
  });
  EXPECT_EQ(number(g(Array(5.0f))), 6);
  EXPECT_EQ(errorOf([&] { g(Array(5.0f)); }), "too much");
  EXPECT_EQ(number(v.value()), 6);
  EXPECT_EQ(number(g(Array(1.0f))), 7);
}

TEST_F(Guards, OfTooManyAnswersCallsGoOnAlone) {
  auto f = jit([](const Array &x) { return x * x.item<float>(); });
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(number(f(Array(static_cast<float>(i)))), static_cast<float>(i * i));
  EXPECT_LE(f.stats().compiles, 16u);
  EXPECT_THAT(logged.text(), HasSubstr("has had new answers in more than 16 calls; compare the array"));
  const uint64_t traces = f.stats().traces;
  EXPECT_EQ(number(f(Array(3.0f))), 9); // those that have a program keep it
  EXPECT_EQ(number(f(Array(15.0f))), 225);
  EXPECT_EQ(f.stats().traces, traces);
  EXPECT_EQ(number(f(Array(39.0f))), 1521);
  EXPECT_EQ(f.stats().traces, traces + 1);

  logged.clear();
  Variable sum{0.0f};
  auto steps = jit([&](const Array &n) {
    Array i = 0;
    while (i < n) {
      i = i + 1;
      sum += 1.0f;
    }
    return i;
  });
  EXPECT_EQ(steps(Array(1000)).item<int>(), 1000);
  EXPECT_EQ(steps(Array(1001)).item<int>(), 1001);
  EXPECT_EQ(number(sum.value()), 2001);
  EXPECT_THAT(logged.text(), HasSubstr("guards_test.cpp:"));
  EXPECT_THAT(
      logged.text(),
      HasSubstr("reads traced values more than 64 times in one call; use tn::while_loop, tn::scan or tn::cond"));
}

TEST_F(Guards, OfAFunctionThatHasChanged) {
  bool first = true;
  float scale = 1;
  auto f = jit([&](const Array &x) {
    const Array asked = first ? sum(x) * scale > 1 : max(x) > 1;
    return asked ? x : -x;
  });
  EXPECT_EQ(f(Array{2.0f, 0.0f}).to_vector<float>(), (Floats{2, 0}));
  first = false; // which no call can see until one is traced
  EXPECT_EQ(f(Array{0.5f, 0.25f}).to_vector<float>(), (Floats{-0.5f, -0.25f}));
  EXPECT_EQ(f(Array{0.75f, 0.75f}).to_vector<float>(), (Floats{-0.75f, -0.75f})); // by max: the tree is a new one
  EXPECT_EQ(f(Array{2.0f, 0.0f}).to_vector<float>(), (Floats{2, 0}));
  EXPECT_EQ(f.stats().traces, 3u);
  first = true;
  scale = 4;
  auto g = jit([&](const Array &x) { return sum(x) * scale > 1 ? x : -x; });
  EXPECT_EQ(number(g(Array(1.0f))), 1);
  scale = 0.125f;
  EXPECT_EQ(number(g(Array(0.125f))), -0.125f);
  EXPECT_EQ(number(g(Array(2.0f))), -2);
  EXPECT_EQ(number(g(Array(10.0f))), 10); // not by the path that has another scale
  EXPECT_EQ(g.stats().traces, 3u);
}

TEST_F(Guards, OfVariablesThatHaveEnded) {
  // Of each side another one; a path whose Variable is gone serves nobody.
  std::optional<Variable> positive(1.0f), negative(2.0f);
  auto f = jit([&](const Array &x) { return x > 0 ? x * *positive : x * *negative; });
  EXPECT_EQ(number(f(Array(3.0f))), 3);
  EXPECT_EQ(number(f(Array(-3.0f))), -6);
  positive.emplace(5.0f);
  EXPECT_EQ(number(f(Array(-3.0f))), -6);
  EXPECT_EQ(number(f(Array(3.0f))), 15);
  EXPECT_EQ(number(f(Array(-3.0f))), -6);
  EXPECT_EQ(number(f(Array(3.0f))), 15);
}

TEST_F(Guards, PathsThatHaveEndedMakeRoom) {
  std::optional<Variable> scale(1.0f);
  auto f = jit([&](const Array &x) { return x > 0 ? x * *scale : -x; });
  for (int i = 0; i < 40; ++i) {
    scale.emplace(static_cast<float>(i));
    EXPECT_EQ(number(f(Array(3.0f))), static_cast<float>(3 * i));
    EXPECT_EQ(number(f(Array(-3.0f))), 3);
  }
  EXPECT_THAT(logged.text(), testing::Not(HasSubstr("each time")));
}

TEST_F(Guards, AreAnsweredByEachPathOnce) {
  // What it captures is another array at each recording, so that two paths differ in nothing else.
  float bound = 3;
  auto f = jit([&](const Array &x) {
    const Array limit{bound, bound};
    return sum(x * limit) > 4 ? x : -x;
  });
  EXPECT_EQ(number(f(Array(0.5f))), -0.5f);
  bound = 1;
  EXPECT_EQ(number(f(Array(3.0f))), 3); // by a limit of its own
  // Neither has the answer, so a third one is recorded.
  EXPECT_EQ(number(f(Array(1.5f))), -1.5f);
  EXPECT_EQ(f.stats().traces, 3u);
  EXPECT_THAT(logged.text(), testing::Not(HasSubstr("each time")));
}

TEST_F(Guards, CountsOfCallsWithinOthers) {
  // A function of the host that a call of another runs counts its own guards.
  auto inner = jit([](const Array &x) { return x > 0 ? x : -x; });
  auto outer = jit([&](const Array &x) {
    const bool a(x > 1), b(x > 2);
    return a ? (b ? x * 4.0f : x * 2.0f) : x;
  });
  {
    const GuardCount count;
    guardsHeld = 3;
    inner(Array(1.0f));
    EXPECT_EQ(guardsHeld, 3u);
  }
  for (float x : {0.5f, 1.5f, 3.0f, 1.5f, 0.5f})
    EXPECT_EQ(number(outer(Array(x))), x > 2 ? 4 * x : x > 1 ? 2 * x : x);
  EXPECT_EQ(outer.stats().traces, 3u);
  auto uncompiled = jit(
      [&](const Array &x) {
        const bool a(x > 1), b(x > 2);
        return a ? (b ? x * 4.0f : x * 2.0f) : x;
      },
      {.compile = Compile::never});
  for (float x : {0.5f, 1.5f, 3.0f, 1.5f, 0.5f})
    EXPECT_EQ(number(uncompiled(Array(x))), x > 2 ? 4 * x : x > 1 ? 2 * x : x);
  EXPECT_EQ(uncompiled.stats().traces, 3u);
}

TEST_F(Guards, OnADevice) {
  for (Compile mode : {Compile::now, Compile::never}) {
    auto f = jit(myFunction, {.compile = mode});
    for (float x : {0.5f, 3.0f, 0.25f, 4.0f})
      EXPECT_EQ(number(to_device(f(to_device(Array(x), Device::null)), Device::cpu)), x <= 1 ? x * x : x - 1);
    EXPECT_EQ(f.stats().traces, 2u);
  }
}

/// The path of the call before has no room: that is nothing to a call that goes another way.
TEST_F(Guards, OfAPathThatNeedsMoreMemory) {
  constexpr int64_t size = int64_t(1) << 22;
  const auto result = [](const Array &x) { return x > 0 ? x + ones({size}) : x * 2; };
  const auto temporary = [](const Array &x) { return x > 0 ? sum(sort(x + arange(size).astype(f32))) : x * 2; };
  const auto test = [&](const auto &function) {
    auto f = jit(function);
    f(Array(-1.0f));
    f(Array(1.0f));
    rt::trimMemory();
    rt::setMemoryLimit(rt::memoryStatistics().bytesCommitted + (1 << 20));
    EXPECT_THAT(errorOf([&] { f(Array(2.0f)); }), HasSubstr("memory"));
    EXPECT_EQ(errorOf([&] { EXPECT_EQ(number(f(Array(-3.0f))), -6); }), "no error");
    rt::setMemoryLimit(0);
    EXPECT_EQ(f.trace_count(), 2u);
  };
  test(result);
  test(temporary);
}

TEST_F(Guards, OfComplexNumbersAreOfTheirParts) {
  const Array x = complex(Array(1.0f), Array(2.0f));
  auto whole = jit([](const Array &x) { return x.item<complex64_t>().imag > 0 ? x * 2 : x; });
  EXPECT_THAT(errorOf([&] { whole(x); }),
              AllOf(HasSubstr("expected C++ to read a real array in the jit of"), HasSubstr("got c64[]"),
                    HasSubstr("real(x) and imag(x)"), HasSubstr("guards_test.cpp:" + std::to_string(__LINE__ - 3))));
  auto parts = jit([](const Array &x) { return imag(x) > 0 ? x * 2 : x; });
  EXPECT_EQ(parts(x).item<complex64_t>().imag, 4);
}

/// The function has come to ask about another argument of the same type: what was recorded before is not trusted.
TEST_F(Guards, AnotherArgumentIsAskedAbout) {
  bool isSecond = false;
  auto f = jit([&](const Array &x, const Array &y) {
    const Array &asked = isSecond ? y : x;
    if (asked > 0)
      return asked * 2;
    return asked - 1;
  });
  EXPECT_EQ(number(f(Array(1.0f), Array(1.0f))), 2);
  isSecond = true;
  EXPECT_EQ(number(f(Array(-1.0f), Array(5.0f))), 10);
  EXPECT_EQ(number(f(Array(1.0f), Array(-5.0f))), -6);
}

TEST_F(Guards, OfAFunctionThatTheHostCalls) {
  auto inner = jit([](const Array &x) { return x > 1 ? x * 2 : x - 1; });
  for (float x : {2.0f, 0.0f})
    inner(Array(x));
  auto called = [&](const Array &x) { return inner(x); };
  for (Compile compile : {Compile::now, Compile::never}) {
    auto outer = jit(
        [&](const Array &x, const Array &y) {
          print("x");
          if (x > 0)
            return host_call(called, TensorSpec{f32, {}}, y);
          return y;
        },
        {.compile = compile});
    printedBy([&] {
      for (float y : {2.0f, 0.0f, 3.0f, -1.0f, 5.0f})
        EXPECT_EQ(number(outer(Array(1.0f), Array(y))), y > 1 ? y * 2 : y - 1);
    });
  }
  EXPECT_EQ(inner.trace_count(), 2u);
}

TEST_F(Guards, FromManyThreads) {
  auto f = jit([](const Array &x) {
    Array y = x;
    while (sum(y) > 1)
      y = y / 2.0f;
    return y;
  });
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const float start = static_cast<float>((i * 7 + t * 13) % 40);
        float expected = start;
        while (expected > 1)
          expected /= 2;
        wrong += number(f(Array(start))) != expected;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(f.stats().compiles, 16u);
}

} // namespace
} // namespace tenon::test
