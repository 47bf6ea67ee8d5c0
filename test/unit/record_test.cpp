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
class Asked {
public:
  explicit Asked(const char *name) : record(name), active_(record), x(record.input(scalar)) {
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

/// A function that asks so often, calls the host, and asks so often again, recorded within `around`.
Record::Result recordWithin(Record &around, int before, int after, bool isBound) {
  Asked inner("inner");
  for (int i = 0; i < before; ++i)
    inner.ask();
  const Array y = inner.host();
  for (int i = 0; i < after; ++i)
    inner.ask();
  Record::Result recorded = inner.record.finish({&y, 1}, {}, true);
  around.addCall({recorded.trace, nullptr, false}, inner.record, isBound);
  return recorded;
}
void bind(Asked &around, const Record::Result &recorded) {
  detail::Value *operand = around.x.value();
  bindInferred(OpCode::call, std::span(&operand, 1), {}, std::span(&recorded.trace, 1), {});
}

/// How many guards there are, and whether the host was called after `guards` of them and not after one more.
void expect(const Record &record, uint32_t count, std::optional<uint32_t> guards) {
  EXPECT_EQ(record.guardCount(), count);
  for (uint32_t n = 0; n < 8; ++n)
    EXPECT_EQ(record.hasCalledHostSince(n), guards && n <= *guards) << "since " << n;
}
} // namespace

TEST(Record, KnowsWhetherTheHostWasCalledSinceAQuestion) {
  Asked asked("asked");
  expect(asked.record, 0, std::nullopt);
  asked.ask();
  expect(asked.record, 1, std::nullopt);
  asked.host();
  expect(asked.record, 1, 1);
  asked.ask();
  expect(asked.record, 2, 1);
}

TEST(Record, CountsWhatIsAskedWithinWhereItsCallIsBound) {
  Asked around("around");
  around.ask();
  const Record::Result recorded = recordWithin(around.record, 1, 2, true);
  expect(around.record, 1, std::nullopt);
  bind(around, recorded);
  expect(around.record, 4, 2);
  // Of a trace alone is not looked up after which of its guards.
  bind(around, recorded);
  expect(around.record, 7, 7);
}

TEST(Record, CountsAtOnceWhatNoCallIsBoundOf) {
  Asked around("around");
  around.ask();
  const Record::Result recorded = recordWithin(around.record, 2, 0, false);
  expect(around.record, 3, 3);
  bind(around, recordWithin(around.record, 0, 1, true)); // what comes next has its own
  expect(around.record, 4, 3);
}
