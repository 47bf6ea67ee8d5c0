//===- record_test.cpp - what a recording knows of what it has asked ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Record.h"

#include "lib/trace/State.h"

#include <tenon/host.h>
#include <tenon/ops.h>

#include <gtest/gtest.h>

#include <optional>
#include <vector>

using namespace tenon;

namespace {
const Type scalar{f32, Device::cpu, {}};

/// One whose input stands for `given`, and which may be asked.
class Recording {
public:
  explicit Recording(const char *name, const Array &given = Array(1.0f))
      : record(name), active_(record), x(record.input(scalar)) {
    record.know({&given, 1});
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

namespace {
/// A function within another one, which may become a part of it.
class Within : public Recording {
public:
  explicit Within(const Array &given) : Recording("within", given), scope_(record) { record.mayBecomePart(scope_); }

private:
  detail::StateScope scope_;
};
std::vector<OpCode> opsOf(const Record &record) {
  std::vector<OpCode> ops;
  for (const TraceOp &op : record.body().ops)
    if (op.code != OpCode::full) // numbers
      ops.push_back(op.code);
  return ops;
}
} // namespace

TEST(Record, BecomesAPartWhereItIsAsked) {
  Recording around("around");
  const detail::StateScope scope(around.record);
  around.ask();
  Within within(around.x);
  const Array y = within.x + 1;
  EXPECT_FALSE(within.record.isPart());
  EXPECT_EQ(opsOf(around.record), (std::vector{OpCode::less, OpCode::guard}));
  EXPECT_TRUE(bool(y > 0));
  EXPECT_TRUE(within.record.isPart());
  const Array z = y * 2; // of a value of before, and behind it: recorded around
  expect(around.record, 2, std::nullopt);
  EXPECT_EQ(opsOf(around.record),
            (std::vector{OpCode::less, OpCode::guard, OpCode::add, OpCode::less, OpCode::guard, OpCode::multiply}));
  EXPECT_EQ(within.record.evaluate(y.value())->item<float>(), 2);
  EXPECT_EQ(elementsOf(z.value())->item<float>(), 4);
  EXPECT_EQ(ofWhole(z).value(), z.value());
  EXPECT_NE(ofWhole(y).value(), y.value());
}

TEST(Record, BecomesAPartWhereTheHostIsCalled) {
  Recording around("around");
  const detail::StateScope scope(around.record);
  Within within(around.x);
  const Array y = within.host();
  EXPECT_TRUE(within.record.isPart());
  EXPECT_EQ(opsOf(around.record), std::vector{OpCode::host_call});
  expect(around.record, 0, 0);
  EXPECT_TRUE(around.record.hasSettled());
}

/// A function within asks for a value of the one around it.
TEST(Record, IsAPartOfWhatIsAskedWithinIt) {
  Recording around("around");
  const detail::StateScope scope(around.record);
  const Array isBelow = around.x > -20;
  Within within(around.x);
  Within inmost(within.x);
  EXPECT_TRUE(bool(isBelow));
  EXPECT_TRUE(within.record.isPart() && inmost.record.isPart());
  expect(around.record, 1, std::nullopt);
  EXPECT_TRUE(bool(isBelow)); // it is known
  expect(around.record, 1, std::nullopt);
  EXPECT_EQ(inmost.record.whole(), &around.record);
}

/// One that cannot become a part has its own guards, which do not count around.
TEST(Record, ThatStandsAloneIsAskedItself) {
  Recording around("around");
  const detail::StateScope scope(around.record);
  around.ask();
  const Array isBelow = around.x > -20;
  Recording inner("inner");
  inner.record.standAlone();
  EXPECT_TRUE(bool(isBelow));
  EXPECT_EQ(guardsOf(inner.record.body()).size(), 1u);
  EXPECT_EQ(guardsOf(around.record.body()).size(), 1u);
  EXPECT_EQ(inner.record.guardCount(), 1u);
  inner.host();
  EXPECT_FALSE(inner.record.hasSettled());
}
