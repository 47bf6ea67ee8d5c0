//===- stitch_test.cpp - merged branches: both branches in one program ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Calls.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

namespace tenon::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Goes from one side to the other, so often that they become one.
template <class F>
void alternate(const F &call) {
  for (int i = 0; i < 8; ++i)
    call(i % 2 ? -1.0f : 1.0f);
}

TEST(Stitch, BothSidesTakenOftenAreOneProgram) {
  auto f = jit([](const Array &x) {
    const Array y = x * 3;
    if (sum(x) > 0)
      return y + 1;
    return exp(y) * 2;
  });
  const Array up{1.0f, 2.0f}, down{-1.0f, -2.0f};
  const Floats first = f(up).to_vector<float>(), second = f(down).to_vector<float>();
  EXPECT_EQ(programsOf([&] { f(up); }), 2u) << "a side is tried and left";
  alternate([&](float x) { f(x > 0 ? up : down); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(programsOf([&] { EXPECT_EQ(f(up).to_vector<float>(), first); }), 1u);
    EXPECT_EQ(programsOf([&] { EXPECT_EQ(f(down).to_vector<float>(), second); }), 1u);
  }
  EXPECT_EQ(f.trace_count(), 2u);
  EXPECT_THAT(explain(f, up).text, HasSubstr("both answers merged into one program, in"));
}

TEST(Stitch, OneSideTakenOftenStaysAPath) {
  auto f = jit([](const Array &x) { return x > 0 ? x * 2 : x - 1; });
  f(Array(1.0f));
  f(Array(-1.0f));
  for (int i = 0; i < 200; ++i)
    f(Array(i % 64 == 63 ? -1.0f : 1.0f));
  EXPECT_THAT(explain(f, Array(1.0f)).text, Not(HasSubstr("one program")));
}

TEST(Stitch, ResultsFromEverywhere) {
  const Array kept{5.0f, 6.0f};
  auto f = jit([&](const Array &x, const Array &y) {
    const Array z = x + y;
    if (sum(x) > 0)
      return std::tuple(x, y, z, kept, x * 2, ones({2}));
    return std::tuple(x, x, kept, kept, z, z * 3);
  });
  auto plain = [&](const Array &x, const Array &y) {
    const Array z = x + y;
    return number(sum(x)) > 0 ? std::tuple(x, y, z, kept, x * 2, ones({2})) : std::tuple(x, x, kept, kept, z, z * 3);
  };
  auto text = [](const auto &results) {
    return std::apply([](const auto &...x) { return (format("{} ", x) + ...); }, results);
  };
  const Array y{3.0f, 4.0f};
  for (int round = 0; round < 4; ++round)
    alternate([&](float sign) {
      const Array x = Array{1.0f, 2.0f} * sign;
      EXPECT_EQ(text(f(x, y)), text(plain(x, y)));
    });
  EXPECT_EQ(programsOf([&] { f(-y, y); }), 1u);
}

TEST(Stitch, UpdatesOfOneSide) {
  struct Counters {
    Variable up{0.0f}, down{0.0f}, all{0.0f}, last{-1.0f};
  } counters, expected;
  auto make = [](Counters &c) {
    return [&c](Array &total, const Array &x) {
      c.all += 1.0f;
      if (x > 0) {
        c.up += x;
        total = total + c.up;
        c.last.assign(c.down.value());
        return x;
      }
      c.down.assign(c.down - x + c.up * 0);
      return total * 1;
    };
  };
  auto f = jit(make(counters));
  auto plain = make(expected);
  Array total = 0.0f, expectedTotal = 0.0f;
  auto text = [](const Counters &c, const Array &total) {
    return format("{} {} {} {} {}", c.up.value(), c.down.value(), c.all.value(), c.last.value(), total);
  };
  for (int i = 0; i < 40; ++i) {
    const Array x(static_cast<float>(i % 5) - 2);
    const Array got = f(total, x), want = plain(expectedTotal, x);
    EXPECT_EQ(number(got), number(want));
    EXPECT_EQ(text(counters, total), text(expected, expectedTotal)) << i;
  }
  EXPECT_EQ(programsOf([&] { f(total, Array(1.0f)), f(total, Array(-1.0f)); }), 2u);
}

TEST(Stitch, WhatIsSeenIsSeenOnItsSide) {
  auto f = jit([](const Array &x) {
    if (x > 0) {
      print("up {}", {x});
      return x;
    }
    print("down {}", {x});
    check(x > -5, "{} is too low", x);
    return -x;
  });
  alternate([&](float x) { EXPECT_EQ(printedBy([&] { f(Array(x)); }), x > 0 ? "up 1.\n" : "down -1.\n"); });
  EXPECT_EQ(programsOf([&] { EXPECT_EQ(printedBy([&] { f(Array(2.0f)), f(Array(-2.0f)); }), "up 2.\ndown -2.\n"); }),
            2u);
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(messageOf([&] { f(Array(-6.0f)); }), "-6. is too low"); }), "down -6.\n");
}

TEST(Stitch, QuestionsAboveAnother) {
  auto f = jit([](const Array &x) {
    if (x > 10)
      return x - 10;
    if (x > 0)
      return x * 2;
    return -x;
  });
  auto expected = [](float x) { return x > 10 ? x - 10 : x > 0 ? x * 2 : -x; };
  for (int i = 0; i < 60; ++i)
    for (float x : {12.0f, 3.0f, -4.0f, 2.0f})
      EXPECT_EQ(number(f(Array(x))), expected(x));
  EXPECT_EQ(f.trace_count(), 3u);
  for (float x : {12.0f, 3.0f, -4.0f})
    EXPECT_EQ(programsOf([&] { f(Array(x)); }), 1u) << "all three are one";
}

TEST(Stitch, WhatDiffersStaysApart) {
  struct Out {
    Array x;
    int tag = 0;
  };
  auto tags = jit([](const Array &x) { return x > 0 ? std::pair(x, 1) : std::pair(x, 2); });
  auto shapes = jit([](const Array &x) { return x > 0 ? reshape(x, {1}) : x * 2; });
  auto dtypes = jit([](const Array &x) { return x > 0 ? astype(x, f64) : x * 2; });
  auto numbers = jit([](const Array &x) { return x * int(x); });
  for (int i = 0; i < 4; ++i)
    alternate([&](float x) {
      EXPECT_EQ(tags(Array(x)).second, x > 0 ? 1 : 2);
      EXPECT_EQ(shapes(Array(x)).ndim(), x > 0 ? 1 : 0);
      EXPECT_EQ(dtypes(Array(x)).dtype(), x > 0 ? f64 : f32);
      EXPECT_EQ(number(numbers(Array(x))), 1);
    });
  for (const std::string &text : {explain(tags, Array(1.0f)).text, explain(shapes, Array(1.0f)).text,
                                  explain(dtypes, Array(1.0f)).text, explain(numbers, Array(1.0f)).text})
    EXPECT_THAT(text, Not(HasSubstr("one program")));
}

TEST(Stitch, TransformationsGoTheirOwnWay) {
  auto f = jit([](const Array &x) { return x > 0 ? x * x : x * 3; });
  for (int i = 0; i < 4; ++i)
    alternate([&](float x) {
      EXPECT_EQ(number(f(Array(x))), x > 0 ? 1 : -3);
      EXPECT_EQ(number(grad(f)(Array(x))), x > 0 ? 2 : 3);
      EXPECT_EQ(number(jit([&](const Array &x) { return f(x) + 1; })(Array(x))), x > 0 ? 2 : -2);
    });
  EXPECT_EQ(programsOf([&] { f(Array(1.0f)), f(Array(-1.0f)); }), 2u);
  EXPECT_THAT(messageOf([&] { vmap(f)(Array{1.0f, -1.0f}); }), HasSubstr("tn::where"));
}

TEST(Stitch, SizesThatAreSymbols) {
  auto f = jit([](const Array &x) { return sum(x) > 0 ? x + ones({x.shape()[0]}) : zeros({x.shape()[0]}) - x; },
               {.specs = {TensorSpec{f32, {"n"}}}});
  for (int i = 0; i < 20; ++i) {
    const Array x = ones({2 + i % 3}) * (i % 2 ? -2.0f : 2.0f);
    EXPECT_EQ(f(x).to_vector<float>(), Floats(static_cast<size_t>(2 + i % 3), i % 2 ? 2.0f : 3.0f));
  }
  EXPECT_EQ(programsOf([&] { f(ones({7})), f(-ones({5})); }), 2u);
}

TEST(Stitch, OneOfTwoVariables) {
  Variable v(1.0f), w(2.0f);
  auto f = jit([&](const Array &x) { return x > 0 ? std::pair(v.value(), x) : std::pair(w.value(), x); });
  for (int i = 0; i < 4; ++i)
    alternate([&](float x) {
      v.assign(v + 1);
      EXPECT_EQ(number(f(Array(x)).first), x > 0 ? number(v.value()) : 2);
    });
  EXPECT_EQ(programsOf([&] { f(Array(1.0f)), f(Array(-1.0f)); }), 2u);
}

/// The argument is a result on one side, and may become another one on the other.
TEST(Stitch, WhatIsGivenUp) {
  auto f = jit([](Array x, Variable &v, const Array &up) {
    if (up > 0) {
      v.assign(v * 2);
      return std::pair(x + 1, x * 3);
    }
    const Array before = v.value();
    v.assign(v + 1);
    return std::pair(x, before);
  });
  Variable v(full({64}, 1.0f));
  float held = 1;
  for (int i = 0; i < 8; ++i)
    alternate([&](float up) {
      const auto [first, second] = f(full({64}, 5.0f), v, Array(up));
      EXPECT_EQ(first.to_vector<float>(), Floats(64, up > 0 ? 6.0f : 5.0f));
      EXPECT_EQ(second.to_vector<float>(), Floats(64, up > 0 ? 15.0f : held));
      held = up > 0 ? held * 2 : held + 1;
      EXPECT_EQ(v.value().to_vector<float>(), Floats(64, held));
      if (held > 1000)
        v.assign(full({64}, held = 1.0f));
    });
  EXPECT_EQ(programsOf([&] { f(full({64}, 5.0f), v, Array(1.0f)), f(full({64}, 5.0f), v, Array(-1.0f)); }), 2u);
}

TEST(Stitch, ALaterArgumentIsUpdatedOnOneSide) {
  auto f = jit([](Array &a, Array &b, const Array &x) {
    if (x > 0)
      b = b + x;
    else
      a = a - x;
    return a * 100 + b;
  });
  Array a = 0.0f, b = 0.0f;
  float up = 0, down = 0;
  for (int i = 0; i < 4; ++i)
    alternate([&](float x) {
      (x > 0 ? up : down) += 1;
      EXPECT_EQ(number(f(a, b, Array(x))), down * 100 + up);
      EXPECT_EQ(number(a), down);
      EXPECT_EQ(number(b), up);
    });
}

/// C++ that has come to ask another question, or to do something else before it, is recorded anew.
TEST(Stitch, WhatAsksOtherwiseStaysApart) {
  int kind = 0;
  const Array ups{2.0f, 2.0f}, downs{-1.0f, -1.0f}, mixed{5.0f, -9.0f};
  auto more = [&](const Array &x) {
    const Array a = sum(x) > 1;
    const Array c = kind ? x * 2 : x;
    return a ? c + 1 : c - 1;
  };
  auto other = [&](const Array &x) {
    const Array a = sum(x) > 1, b = max(x) > 1;
    return (kind ? bool(b) : bool(a)) ? x + 1 : x - 1;
  };
  auto test = [&](const auto &plain) {
    kind = 0;
    auto f = jit(plain);
    f(ups);
    kind = 1;
    f(downs);
    for (int i = 0; i < 8; ++i)
      for (const Array &x : {ups, downs, mixed})
        EXPECT_EQ(f(x).template to_vector<float>(), plain(x).template to_vector<float>());
    EXPECT_LE(f.trace_count(), 4u);
  };
  test(more);
  test(other);
}

/// An array that was another one when the second side was recorded.
TEST(Stitch, CapturesBeforeTheQuestionAreTheSame) {
  Array w = ones({2});
  auto f = jit([&](const Array &x) {
    const Array y = x * w;
    return sum(x) > 0 ? y + 1 : y - 1;
  });
  const Array up{1.0f, 1.0f}, down{-1.0f, -1.0f};
  f(up);
  w = ones({2}) * 10;
  const Floats second = f(down).to_vector<float>();
  EXPECT_EQ(second, (Floats{-11, -11}));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(f(up).to_vector<float>(), (Floats{2, 2}));
    EXPECT_EQ(f(down).to_vector<float>(), second);
  }
  // Equal ones, made anew by each recording, and Variables are no hindrance.
  Variable v(3.0f);
  auto g = jit([&](const Array &x) {
    const Array y = x * Array{1.0f, 2.0f} + v;
    return sum(y) > 0 ? y + 1 : y - 1;
  });
  alternate([&](float x) { g(Array{x * 9, x}); });
  EXPECT_EQ(programsOf([&] { g(Array{9.0f, 1.0f}); }), 1u);
  EXPECT_EQ(programsOf([&] { g(Array{-9.0f, 1.0f}); }), 1u);
}

/// Another answer to a question above leaves what was stitched.
TEST(Stitch, AnotherAnswerAboveWithACapture) {
  const Array w = ones({2});
  auto f = jit([&](const Array &x) {
    const Array y = x * w;
    if (sum(y) > 100)
      return y;
    return sum(y) > 0 ? y + 1 : y - 1;
  });
  auto of = [](float x) { return Array{x, x}; };
  alternate([&](float x) { f(of(x)); });
  EXPECT_EQ(f(of(1000)).to_vector<float>(), (Floats{1000, 1000}));
  EXPECT_EQ(programsOf([&] { f(of(1)); }), 2u);
  EXPECT_EQ(programsOf([&] { f(of(-1)); }), 1u);
  EXPECT_EQ(f.trace_count(), 3u);
}

/// A Variable that one side uses has ended: the other side goes on.
TEST(Stitch, AVariableOfOneSideMayEnd) {
  std::optional<Variable> v(std::in_place, 5.0f);
  bool isUsed = true;
  auto f = jit([&](const Array &x) {
    if (sum(x) > 100)
      return x;
    if (sum(x) > 0)
      return x + 1;
    return isUsed ? x - *v : x;
  });
  auto of = [](float x) { return Array{x, x}; };
  f(of(1000));
  alternate([&](float x) { f(of(x)); });
  f(of(1000));
  v.reset();
  isUsed = false;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(f(of(1)).to_vector<float>(), (Floats{2, 2}));
    EXPECT_EQ(f(of(-3)).to_vector<float>(), (Floats{-3, -3}));
  }
}

/// What one side updates is held: not while the host of the other one updates it.
TEST(Stitch, WhereTheHostIsCalledBothAssignTheSame) {
  Variable v(0.0f);
  auto f = jit([&](const Array &x) {
    if (sum(x) > 0) {
      v.assign(v + 1.0f);
      return x;
    }
    return host_call([&](const Array &a) { return v.assign(v - 1.0f), a; }, TensorSpec{f32, {2}}, x);
  });
  alternate([&](float x) { f(Array{x, x}); });
  alternate([&](float x) { f(Array{x, x}); });
  EXPECT_EQ(number(v.value()), 0);
  EXPECT_THAT(explain(f, Array{1.0f, 1.0f}).text, Not(HasSubstr("as one program")));
}

TEST(Stitch, NoMoreThanMaxPaths) {
  const LogLines logged;
  auto f = jit([](const Array &x) { return x > 0 ? x * 2 : x - 1; }, {.max_variants = 2});
  for (int i = 0; i < 8; ++i)
    alternate([&](float x) { EXPECT_EQ(number(f(Array(x))), x > 0 ? 2 : -2); });
  EXPECT_THAT(explain(f, Array(1.0f)).text, Not(HasSubstr("one program")));
  EXPECT_EQ(logged.count("merged program"), 0u);
}

TEST(Stitch, IsShownAtItsQuestion) {
  auto f = jit([](const Array &x) {
    if (x > 10)
      return x - 10;
    return x > 0 ? x * 2 : -x;
  });
  f(Array(12.0f));
  for (int i = 0; i < 4; ++i)
    alternate([&](float x) { f(Array(x)); });
  const std::string text = explain(f, Array(1.0f)).text;
  const size_t at = text.find("both answers merged");
  ASSERT_NE(at, text.npos) << text;
  EXPECT_EQ(text.find("both answers merged", at + 1), text.npos) << text;
  EXPECT_GT(at, text.rfind("asks at")) << text;
}

TEST(Stitch, Threads) {
  auto f = jit([](const Array &x) { return x > 0 ? x * 2 : x - 1; });
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < 4; ++t)
      all.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const float x = static_cast<float>((i * 7 + t) % 5) - 2;
          wrong += number(f(Array(x))) != (x > 0 ? x * 2 : x - 1);
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(programsOf([&] { f(Array(1.0f)), f(Array(-1.0f)); }), 2u);
}

} // namespace
} // namespace tenon::test
