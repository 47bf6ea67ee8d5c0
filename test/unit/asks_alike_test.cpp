//===- asks_alike_test.cpp - whether two recordings ask for the same ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By hand: recordings that differ in one thing alone are rare among those of functions.
//===----------------------------------------------------------------------===//
#include "TraceSamples.h"

#include "lib/trace/Guard.h"

#include <gtest/gtest.h>

using namespace tenon;
using samples::Builder;

static GuardAttrs answers(bool answer) { return {.answer = answer}; }

static ValueId less(Builder &b, ValueId x, ValueId y) { return b.op(OpCode::less, {x, y}); }

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

// More has happened before the one, which it does not depend on.
TEST(AsksAlike, AtTheSameOp) {
  auto body = [](bool isLater) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {}), asked = less(b, x, y);
    if (isLater)
      b.op(OpCode::logical_not, {asked});
    b.ops(OpCode::guard, {asked}, answers(true));
    b.op(OpCode::tanh, {x});
    return std::move(b.body);
  };
  EXPECT_TRUE(asksAlike(body(true), body(true), 0));
  EXPECT_FALSE(asksAlike(body(true), body(false), 0));
  EXPECT_FALSE(asksAlike(body(false), body(true), 0));
}

// The rest is no part of a question.
TEST(AsksAlike, ByTheNumberOfTheQuestion) {
  auto asking = [](OpCode second, OpCode rest) {
    Builder b;
    const ValueId x = b.input(Dtype::f32, {}), y = b.input(Dtype::f32, {});
    b.ops(OpCode::guard, {less(b, x, y)}, answers(true));
    b.ops(OpCode::guard, {b.op(second, {x, y})}, answers(true));
    b.op(rest, {x});
    return std::move(b.body);
  };
  const TraceBody a = asking(OpCode::less_equal, OpCode::exp), b = asking(OpCode::equal, OpCode::exp);
  EXPECT_TRUE(asksAlike(a, b, 0));
  EXPECT_FALSE(asksAlike(a, b, 1));
  EXPECT_TRUE(asksAlike(a, asking(OpCode::less_equal, OpCode::tanh), 1));
  EXPECT_FALSE(asksAlike(a, a, 2));
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
