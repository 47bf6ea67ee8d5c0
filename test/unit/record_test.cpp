//===- record_test.cpp - what a recording knows of what it has asked ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Record.h"

#include <tenon/host.h>
#include <tenon/ops.h>

#include <gtest/gtest.h>

#include <optional>

using namespace tenon;

namespace {
const Type scalar{f32, Device::cpu, {}};

/// One that stands for 1, and may be asked.
class Recording {
public:
  explicit Recording(const char *name) : record(name), active_(record), x(record.input(scalar)) {
    const Array one(1.0f);
    record.know({&one, 1});
    record.allowAsking();
  }
  /// Asks whether x is above a bound: a new question each time.
  void ask() { EXPECT_TRUE(bool(x > --bound_)); }
  Array host() const {
    return host_call([](const Array &a) { return a; }, TensorSpec{f32, {}}, x);
  }

  Record record;

private:
  const ActiveInterpreter active_;
  float bound_ = 0;

public:
  const Array x;
};

/// A function that asks so often, calls the host, and asks so often again, recorded within another one.
struct Within {
  TraceRef trace;
  Asked asked;
};
Within recordWithin(int before, int after) {
  Recording inner("inner");
  inner.record.forbidSettling();
  for (int i = 0; i < before; ++i)
    inner.ask();
  const Array y = inner.host();
  for (int i = 0; i < after; ++i)
    inner.ask();
  return {inner.record.finish({&y, 1}, {}, true).trace, inner.record.asked()};
}
void bind(Recording &around, const Within &within) {
  detail::Value *operand = around.x.value();
  bindInferred(OpCode::call, std::span(&operand, 1), {}, std::span(&within.trace, 1), {});
}

/// How many guards there are, and whether the host was called after `guards` of them and not after one more.
void expect(const Record &record, uint32_t count, std::optional<uint32_t> guards) {
  EXPECT_EQ(record.guardCount(), count);
  for (uint32_t n = 0; n < 8; ++n)
    EXPECT_EQ(record.hasCalledHostSince(n), guards && n <= *guards) << "since " << n;
}
} // namespace

TEST(Record, KnowsWhetherTheHostWasCalledSinceAQuestion) {
  Recording asked("asked");
  expect(asked.record, 0, std::nullopt);
  asked.ask();
  expect(asked.record, 1, std::nullopt);
  asked.host();
  expect(asked.record, 1, 1);
  asked.ask();
  expect(asked.record, 2, 1);
}

TEST(Record, CountsWhatIsAskedWithinWhereItsCallIsBound) {
  Recording around("around");
  around.ask();
  const Within within = recordWithin(1, 2);
  expect(around.record, 1, std::nullopt);
  {
    const ExpectedCall expected(&around.record, within.asked);
    bind(around, within);
    expect(around.record, 4, 2);
    // Of a trace alone is not looked up after which of its guards.
    bind(around, within);
    expect(around.record, 7, 7);
  }
  bind(around, recordWithin(0, 1));
  expect(around.record, 8, 8);
}

TEST(Record, ExpectsNoCallThatWasNotBound) {
  Recording around("around");
  around.ask();
  {
    const ExpectedCall expected(&around.record, recordWithin(1, 2).asked);
  }
  expect(around.record, 1, std::nullopt);
  bind(around, recordWithin(0, 1)); // what comes next has its own
  expect(around.record, 2, 2);
}

TEST(Record, CountsAtOnceWhatNoCallIsBoundOf) {
  Recording around("around");
  around.ask();
  around.record.count(recordWithin(2, 0).asked);
  expect(around.record, 3, 3);
  around.record.count({0, 0});
  expect(around.record, 3, 3);
}

/// A function within asks for a value of the one around it.
TEST(Record, AsksInTheOrderOfTheQuestions) {
  Recording around("around");
  around.ask();
  const Array isBelow = around.x > -20;
  Recording inner("inner");
  inner.ask();
  inner.host();
  EXPECT_TRUE(bool(isBelow));
  expect(inner.record, 3, 2);
  expect(around.record, 1, std::nullopt);
  EXPECT_TRUE(bool(isBelow)); // it is known
  expect(inner.record, 3, 2);
}

/// What is known around is no question within.
TEST(Record, AsksNothingThatIsKnownAround) {
  Recording around("around");
  const Array isBelow = around.x > -20;
  EXPECT_TRUE(bool(isBelow));
  const Recording inner("inner");
  EXPECT_TRUE(bool(isBelow));
  expect(inner.record, 1, std::nullopt);
  expect(around.record, 1, std::nullopt);
}
