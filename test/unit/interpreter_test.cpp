//===- interpreter_test.cpp - interpreters and their values --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Record.h"
#include "test/unit/Errors.h"

#include <tenon/format.h>
#include <tenon/jit.h>
#include <tenon/transform.h>

#include <gmock/gmock.h>

#include <functional>
#include <memory>

using namespace tenon;
using testing::HasSubstr;

namespace {
class Nothing final : public Interpreter {
public:
  Nothing() : Interpreter(InterpreterKind::reverse, "nothing") {}
  void process(const Bind &, std::span<Array>) override {}
};
} // namespace

namespace {
/// Processes an op by a function.
class Processor final : public Interpreter {
public:
  Processor(InterpreterKind kind, std::string name) : Interpreter(kind, std::move(name)) {}
  void process(const Bind &, std::span<Array> results) override {
    ++processed;
    if (then)
      then();
    results[0] = Array{1.0f};
  }
  Array value() const { return Array::adopt(makeValue(*this, {f32, Device::cpu, {2}}, 0, nullptr, {})); }

  std::function<void()> then;
  int processed = 0;
};
} // namespace

TEST(Interpreters, EndInAnyOrder) {
  Processor low(InterpreterKind::record, "low"), middle(InterpreterKind::reverse, "middle"),
      high(InterpreterKind::reverse, "high");
  auto first = std::make_unique<ActiveInterpreter>(low);
  auto second = std::make_unique<ActiveInterpreter>(middle);
  auto third = std::make_unique<ActiveInterpreter>(high);
  EXPECT_EQ(innermostRecord(), &low);
  second.reset();
  (void)exp(high.value());
  EXPECT_EQ(high.processed, 1);
  EXPECT_THAT(test::errorOf([&] { (void)exp(middle.value()); }), HasSubstr("a value of middle was used outside of it"));
  EXPECT_EQ(innermostRecord(), &low);
  first.reset();
  EXPECT_EQ(innermostRecord(), nullptr);
  EXPECT_THAT(test::errorOf([&] { (void)exp(low.value()); }), HasSubstr("a value of low was used outside of it"));
  (void)exp(high.value());
  EXPECT_EQ(high.processed, 2);
  third.reset();
  EXPECT_TRUE(onlyEager());
}

// Rules bind again below: neither the processor nor what stands above it is there.
TEST(Interpreters, ProcessOnTheStackBelowThem) {
  Processor low(InterpreterKind::record, "low"), middle(InterpreterKind::record, "middle"),
      high(InterpreterKind::reverse, "high");
  ActiveInterpreter first(low), second(middle), third(high);
  middle.then = [&] {
    EXPECT_EQ(innermostRecord(), &low);
    (void)exp(Array{1.0f});
    EXPECT_THAT(test::errorOf([&] { (void)exp(high.value()); }), HasSubstr("a value of high was used outside of it"));
    EXPECT_THAT(test::errorOf([&] { (void)exp(middle.value()); }),
                HasSubstr("a value of middle was used outside of it"));
    Processor inside(InterpreterKind::reverse, "inside");
    ActiveInterpreter active(inside);
    (void)exp(inside.value());
    EXPECT_EQ(inside.processed, 1);
  };
  low.then = [&] {
    EXPECT_EQ(innermostRecord(), nullptr);
    EXPECT_TRUE(onlyEager());
  };
  (void)exp(middle.value());
  EXPECT_EQ(middle.processed, 1);
  EXPECT_EQ(low.processed, 1);
  EXPECT_EQ(high.processed, 0);
  EXPECT_EQ(innermostRecord(), &middle);
  (void)exp(high.value());
  EXPECT_EQ(high.processed, 1);

  // A rule that throws leaves the stack as it was.
  middle.then = [] { throw Error("no"); };
  EXPECT_EQ(test::errorOf([&] { (void)exp(middle.value()); }), "no");
  EXPECT_EQ(innermostRecord(), &middle);
  (void)exp(high.value());
  EXPECT_EQ(high.processed, 2);
}

TEST(Interpreters, OneThatEndsWhileItIsAsideStaysAway) {
  Processor low(InterpreterKind::reverse, "low"), high(InterpreterKind::record, "high");
  Processor middle(InterpreterKind::reverse, "middle");
  ActiveInterpreter first(low);
  auto second = std::make_unique<ActiveInterpreter>(high);
  ActiveInterpreter third(middle);
  middle.then = [&] { (void)exp(low.value()); };
  low.then = [&] { second.reset(); };
  // Owned by the Record, which is the innermost one.
  high.then = [&] { (void)exp(low.value()); };
  (void)exp(low.value());
  EXPECT_EQ(high.processed, 1);
  EXPECT_EQ(low.processed, 1);
  EXPECT_EQ(innermostRecord(), nullptr);
  EXPECT_THAT(test::errorOf([&] { (void)exp(high.value()); }), HasSubstr("a value of high was used outside of it"));
  low.then = nullptr;
  (void)exp(middle.value());
  EXPECT_EQ(middle.processed, 1);
  EXPECT_EQ(low.processed, 2);
}

TEST(Interpreters, OnesAsideCountAgainstTheDepth) {
  Processor low(InterpreterKind::reverse, "low");
  ActiveInterpreter first(low);
  std::vector<std::unique_ptr<Processor>> all;
  std::vector<std::unique_ptr<ActiveInterpreter>> active;
  auto push = [&] {
    all.push_back(std::make_unique<Processor>(InterpreterKind::reverse, "one"));
    active.push_back(std::make_unique<ActiveInterpreter>(*all.back()));
  };
  for (int i = 1; i < 60; ++i)
    push();
  low.then = [&] {
    for (int i = 60; i < 64; ++i)
      push();
    EXPECT_THAT(test::errorOf(push), HasSubstr("expected at most 64 nested transformations"));
    while (active.size() > 59)
      active.pop_back();
  };
  (void)exp(low.value());
  EXPECT_EQ(low.processed, 1);
  for (int i = 60; i < 64; ++i)
    push();
  EXPECT_THAT(test::errorOf(push), HasSubstr("expected at most 64 nested transformations"));
}

// What array.h says of printing.
TEST(Interpreters, ValuesPrintAsSymbols) {
  std::vector<std::string> texts;
  jit([&](const Array &x) {
    texts.push_back(format("{}", x));
    texts.push_back(format("{}", reshape(x, {1, 1})));
    return x;
  })(Array{1.0f});
  vmap([&](const Array &x) {
    texts.push_back(format("{}", x));
    return x;
  })(zeros({3, 2}, i32));
  EXPECT_EQ(texts, (std::vector<std::string>{"Traced(%0: f32[1])", "Traced(%1: f32[1, 1])", "Traced(%0: i32[2])"}));
}

// A loop that differentiates eagerly makes an interpreter at each step: 32 bits are
// used up in days, and 0 stands for a buffer.
TEST(InterpreterIds, GoOnPast32Bits) {
  const uint64_t first = uint64_t(1) << 32;
  detail::skipInterpreterIds(first - 3);
  uint64_t last = first - 4;
  for (int i = 0; i < 8; ++i) {
    Nothing one;
    EXPECT_GT(one.id(), last);
    last = one.id();
    Array x = Array::adopt(makeValue(one, {f32, Device::cpu, {2}}, 7, nullptr, {}));
    EXPECT_FALSE(x.value()->isBuffer()) << last;
    EXPECT_TRUE(x.value()->isOf(last));
    EXPECT_EQ(x.value()->isOf(static_cast<uint32_t>(last)), last < first);
  }
  EXPECT_GE(last, first);

  // Both ways of nesting where the low halves of ids are 0, 1, 2, ...
  for (uint64_t high : {2u, 3u, 4u}) {
    detail::skipInterpreterIds(high << 32);
    auto f = [](const Array &x) { return sum(x * x * x); };
    Array x = {1.0f, 2.0f};
    EXPECT_EQ(grad(f)(x).to_vector<float>(), (std::vector<float>{3, 12}));
    EXPECT_EQ(jit(grad(f))(x).to_vector<float>(), (std::vector<float>{3, 12}));
    EXPECT_EQ(vmap(grad(f))(Array{{1.0f, 2.0f}}).to_vector<float>(), (std::vector<float>{3, 12}));
  }
}

TEST(InterpreterIds, ThatAgreeInTheirLowHalvesAreNotOne) {
  const uint64_t low = 77, high = uint64_t(9) << 32;
  detail::skipInterpreterIds(high + low);
  Array escaped;
  {
    Record first("the first");
    ActiveInterpreter active(first);
    escaped = first.input({f32, Device::cpu, {2}});
    EXPECT_EQ(first.id(), high + low);
  }
  detail::skipInterpreterIds(high * 2 + low);
  Record second("the second");
  ActiveInterpreter active(second);
  EXPECT_EQ(second.id(), high * 2 + low);
  EXPECT_THAT(test::errorOf([&] { (void)exp(escaped); }), HasSubstr("a value of the first was used outside of it"));
}
