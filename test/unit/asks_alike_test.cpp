//===- asks_alike_test.cpp - whether two recordings ask for the same ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By hand: recordings that differ in one thing alone are rare among those of functions.
//===----------------------------------------------------------------------===//
#include "TraceSamples.h"

#include "lib/trace/Guard.h"

#include <gtest/gtest.h>

#include <functional>

using namespace tenon;
using samples::Builder;

static GuardAttrs answers(bool answer) { return {.answer = answer}; }

/// A called function that asks whether `question` of its two inputs is true, and ends with `rest` of the first.
static TraceRef asking(const std::function<ValueId(Builder &, ValueId, ValueId)> &question, bool answer = true,
                       OpCode rest = OpCode::exp) {
  Builder b;
  const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {});
  b.ops(OpCode::guard, {question(b, x, y)}, answers(answer));
  return b.finish({b.op(rest, {x})});
}
static ValueId less(Builder &b, ValueId x, ValueId y) { return b.op(OpCode::less, {x, y}); }

/// exp(x), and what a call of `called` makes of it and y, where they are given the other way round if `swapped`.
static TraceBody calling(const TraceRef &called, bool swapped = false, int before = 0) {
  Builder b;
  const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {});
  ValueId e = b.op(OpCode::exp, {x});
  for (int i = 0; i < before; ++i)
    e = b.op(OpCode::tanh, {e});
  b.op(OpCode::call, swapped ? std::vector{y, e} : std::vector{e, y}, std::vector{called});
  return std::move(b.body);
}

TEST(AsksAlike, OfTheBodyItself) {
  auto body = [](OpCode code, bool swapped, int before, bool answer) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {});
    for (int i = 0; i < before; ++i)
      b.op(OpCode::tanh, {x});
    const ValueId a = b.op(OpCode::less, {x, y}), c = b.op(code, {x, y});
    b.ops(OpCode::guard, {swapped ? c : a}, answers(answer));
    return std::move(b.body);
  };
  const TraceBody one = body(OpCode::less_equal, false, 0, true);
  EXPECT_TRUE(asksAlike(one, body(OpCode::less_equal, false, 0, false), 0)) << "the answer is no part of the question";
  EXPECT_FALSE(asksAlike(one, body(OpCode::less_equal, true, 0, true), 0)) << "of another value";
  EXPECT_FALSE(asksAlike(one, body(OpCode::equal, false, 0, true), 0)) << "after other ops";
  EXPECT_FALSE(asksAlike(one, body(OpCode::less_equal, false, 1, true), 0)) << "after more of them";
  EXPECT_FALSE(asksAlike(one, one, 1)) << "there is one question";
}

TEST(AsksAlike, WithinACall) {
  const TraceBody one = calling(asking(less));
  EXPECT_TRUE(asksAlike(one, calling(asking(less)), 0));
  EXPECT_TRUE(asksAlike(one, calling(asking(less, false, OpCode::tanh)), 0)) << "it goes on in another way";
  EXPECT_FALSE(asksAlike(one, calling(asking(less), true), 0)) << "of other operands";
  EXPECT_FALSE(asksAlike(one, calling(asking(less), false, 1), 0)) << "of an op that comes later";
  EXPECT_FALSE(asksAlike(one, calling(asking([](Builder &b, ValueId x, ValueId y) { return less(b, y, x); })), 0))
      << "of its inputs the other way round";
  EXPECT_FALSE(asksAlike(
      one, calling(asking([](Builder &b, ValueId x, ValueId y) { return b.op(OpCode::less_equal, {x, y}); })), 0))
      << "by another op";
  EXPECT_FALSE(asksAlike(one, calling(asking([](Builder &b, ValueId x, ValueId) { return less(b, x, x); })), 0))
      << "of one input twice";
  const auto twice = [](Builder &b, ValueId x, ValueId) { return less(b, x, x); };
  const auto swapped = [](Builder &b, ValueId x, ValueId y) { return less(b, y, x); };
  EXPECT_FALSE(asksAlike(calling(asking(twice)), one, 0)) << "of two for one that is read twice";
  EXPECT_FALSE(asksAlike(calling(asking(twice)), calling(asking(swapped)), 0));
}

// More has happened before the one, which it does not depend on.
TEST(AsksAlike, AtTheSameOp) {
  auto body = [](bool isLater) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {}), asked = less(b, x, y);
    if (isLater)
      b.op(OpCode::exp, {x});
    b.ops(OpCode::guard, {asked}, answers(true));
    b.op(OpCode::tanh, {x});
    return std::move(b.body);
  };
  EXPECT_TRUE(asksAlike(body(true), body(true), 0));
  EXPECT_FALSE(asksAlike(body(true), body(false), 0));
  EXPECT_FALSE(asksAlike(body(false), body(true), 0));
}

// What is not asked for may differ: which arrays were captured, which ops were left out.
TEST(AsksAlike, AlongWhatTheQuestionDependsOn) {
  // Held by the rest: not dropped.
  auto called = [](OpCode code) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {});
    const ValueId other = b.op(code, {x});
    b.ops(OpCode::guard, {less(b, x, y)}, answers(true));
    return b.finish({other});
  };
  EXPECT_TRUE(asksAlike(calling(called(OpCode::exp)), calling(called(OpCode::tanh)), 0));
  EXPECT_TRUE(asksAlike(calling(asking(less)), calling(called(OpCode::exp)), 0)) << "it is not there";
}

// The second question of one call, and the first of a second call.
TEST(AsksAlike, ByTheNumberOfTheQuestion) {
  auto twice = [](OpCode second) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {});
    b.ops(OpCode::guard, {less(b, x, y)}, answers(true));
    b.ops(OpCode::guard, {b.op(second, {x, y})}, answers(true));
    return b.finish({x});
  };
  auto after = [](const TraceRef &first, const TraceRef &second) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {});
    b.op(OpCode::call, {x, y}, std::vector{first});
    b.op(OpCode::call, {x, y}, std::vector{second});
    return std::move(b.body);
  };
  const TraceBody a = after(asking(less), twice(OpCode::less_equal)), b = after(asking(less), twice(OpCode::equal));
  EXPECT_TRUE(asksAlike(a, b, 0));
  EXPECT_TRUE(asksAlike(a, b, 1));
  EXPECT_FALSE(asksAlike(a, b, 2));
  EXPECT_TRUE(asksAlike(a, a, 2));
  EXPECT_FALSE(asksAlike(a, a, 3));
}

/// A print, maybe in what is called, and other ops beside it.
TEST(HappensAlike, ByTheKindsOfWhatHappens) {
  auto printing = [](const std::vector<bool> &prints, OpCode besides) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {});
    const ValueId y = b.op(besides, {x});
    for (const bool isPrint : prints)
      if (isPrint)
        b.ops(OpCode::print, {y}, PrintAttrs{"{}"});
      else
        b.ops(OpCode::check, {b.op(OpCode::less, {x, y})}, CheckAttrs{"too large"});
    return b.finish({y});
  };
  auto body = [](const TraceRef &called) {
    Builder b;
    b.op(OpCode::call, {b.input(Dtype::f32, {})}, std::vector{called});
    return std::move(b.body);
  };
  auto areAlike = [](const TraceBody &a, const TraceBody &b) { return happensAlike(a, a.ops.back(), b, b.ops.back()); };
  const TraceBody one = body(printing({true}, OpCode::exp));
  EXPECT_TRUE(areAlike(one, body(printing({true}, OpCode::tanh))));
  EXPECT_FALSE(areAlike(one, body(printing({true, true}, OpCode::exp))));
  EXPECT_FALSE(areAlike(one, body(printing({false}, OpCode::exp))));
  EXPECT_FALSE(areAlike(one, body(printing({}, OpCode::exp))));
  EXPECT_FALSE(areAlike(one, printing({true}, OpCode::exp)->body())) << "a print, no call of it";
  EXPECT_TRUE(areAlike(printing({true}, OpCode::exp)->body(), printing({true}, OpCode::tanh)->body()));
}
