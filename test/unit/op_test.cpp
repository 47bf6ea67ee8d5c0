//===- op_test.cpp - the table of ops, attribute words ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/model/Op.h"
#include "test/conformance/Rows.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tenon;

TEST(OpTable, IsSortedAndFindsEachRecord) {
  std::span<const OpInfo> all = allOps();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &OpInfo::code));
  for (const OpInfo &info : all) {
    EXPECT_EQ(&opInfo(static_cast<OpCode>(info.code)), &info);
    EXPECT_EQ(findOp(info.code), &info);
    EXPECT_EQ(findOp(std::string_view(info.name)), &info);
  }
}

TEST(OpTable, RefusesWhatIsNoOp) {
  EXPECT_EQ(findOp(uint16_t(0)), nullptr);
  EXPECT_EQ(findOp(uint16_t(19)), nullptr); // a gap between two ops
  EXPECT_EQ(findOp(uint16_t(65535)), nullptr);
  EXPECT_EQ(findOp(std::string_view("greater")), nullptr); // a composite
  EXPECT_EQ(findOp(std::string_view("")), nullptr);
  EXPECT_EQ(findOp(std::string_view("~")), nullptr); // behind all names
}

TEST(OpTable, SaysWhatTheRecordsSay) {
  const OpInfo &add = opInfo(OpCode::add);
  EXPECT_TRUE(add.isElementwise && add.commutative && !add.hasEffect && !add.zeroVjp);
  EXPECT_EQ(add.promotion, Promotion::common);
  EXPECT_TRUE(contains(add.dtypes, c64));
  EXPECT_FALSE(contains(opInfo(OpCode::divide).dtypes, i32));

  // Bits of operands, then of results.
  EXPECT_EQ(opInfo(OpCode::multiply).needs, 3u);
  EXPECT_EQ(opInfo(OpCode::exp).needs, 1u << 16);
  EXPECT_EQ(opInfo(OpCode::max).needs, 1u | 1u << 16);

  // The sizes of `shape` are operands of the IR only.
  const OpInfo &reshape = opInfo(OpCode::reshape);
  EXPECT_EQ(reshape.operands.size(), 1u);
  ASSERT_EQ(reshape.attributes.size(), 1u);
  EXPECT_EQ(reshape.attributes[0].kind, AttrKind::dims);

  const OpInfo &print = opInfo(OpCode::print);
  EXPECT_TRUE(print.hasEffect && print.variadic);
  EXPECT_EQ(print.results, 0);
  EXPECT_EQ(opInfo(OpCode::split).results, -1);
  EXPECT_EQ(opInfo(OpCode::while_loop).regions.size(), 2u);
  EXPECT_TRUE(reshape.isView && reshape.isSingleView());
  EXPECT_TRUE(opInfo(OpCode::split).isView && !opInfo(OpCode::split).isSingleView());
  EXPECT_FALSE(opInfo(OpCode::pad).isView || opInfo(OpCode::pad).isSingleView());
  EXPECT_TRUE(reshape.readsElements && print.readsElements);
  EXPECT_FALSE(opInfo(OpCode::dimension).readsElements || opInfo(OpCode::full).readsElements);
  EXPECT_NE(std::string_view(opInfo(OpCode::while_loop).noVjp).find("use scan"), std::string_view::npos);
}

TEST(Attributes, ComeBackAsWritten) {
  int64_t axes[] = {0, -1};
  AttrWriter writer;
  SumAttrs{.axes = axes, .keepdims = true}.write(writer);
  EXPECT_EQ(checkAttributes(opInfo(OpCode::sum), writer.words()), "");
  SumAttrs read = SumAttrs::read(writer.words());
  EXPECT_TRUE(std::ranges::equal(read.axes, axes));
  EXPECT_TRUE(read.keepdims);
}

TEST(Attributes, LeaveTheInlineWords) {
  std::vector<int64_t> sizes(30);
  for (size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = static_cast<int64_t>(i);
  std::vector<Dim> dims(sizes.begin(), sizes.end());
  AttrWriter writer;
  SplitAttrs{.sizes = dims, .axis = -2}.write(writer);
  EXPECT_EQ(checkAttributes(opInfo(OpCode::split), writer.words()), "");
  SplitAttrs read = SplitAttrs::read(writer.words());
  ASSERT_EQ(read.sizes.size(), 30u);
  EXPECT_EQ(read.sizes[29].raw(), 29);
  EXPECT_EQ(read.axis, -2);
}

TEST(Attributes, TextOfEveryLength) {
  const OpInfo &print = opInfo(OpCode::print);
  for (size_t length = 0; length < 20; ++length) {
    std::string text(length, 'x');
    AttrWriter writer;
    PrintAttrs{.format = text}.write(writer);
    EXPECT_EQ(checkAttributes(print, writer.words()), "");
    EXPECT_EQ(PrintAttrs::read(writer.words()).format, text);
  }
}

static std::string check(OpCode code, const std::vector<int64_t> &words) {
  return checkAttributes(opInfo(code), words);
}

TEST(Attributes, NumbersOf128Bits) {
  for (ScalarAttr value :
       {ScalarAttr::integer(-1), ScalarAttr::integer(INT64_MIN), ScalarAttr::integer(INT64_MAX),
        ScalarAttr::integer(UINT64_MAX), ScalarAttr::floating(-0.0), ScalarAttr::floating(0x1.123456789abcdp-1000),
        ScalarAttr::boolean(true), ScalarAttr::complex({0.1, -0.0})}) {
    AttrWriter writer;
    FullAttrs{.shape = {}, .value = value, .dtype = c64, .device = Device::cpu}.write(writer);
    EXPECT_EQ(checkAttributes(opInfo(OpCode::full), writer.words()), "");
    EXPECT_EQ(FullAttrs::read(writer.words()).value, value);
  }
  EXPECT_TRUE(ScalarAttr::integer(UINT64_MAX).asInt() == static_cast<__int128>(UINT64_MAX));
  EXPECT_TRUE(ScalarAttr::integer(-1).asInt() == -1);
  EXPECT_NE(ScalarAttr::integer(UINT64_MAX), ScalarAttr::integer(-1));
}

/// One number is one pair of words, or equal traces would not be equal bytes.
TEST(Attributes, NumbersAreInOneForm) {
  auto refusal = [](Kind kind, int64_t low, int64_t high) {
    return check(OpCode::full, {0, static_cast<int64_t>(kind), low, high, 6, 0});
  };
  EXPECT_EQ(refusal(Kind::integer, 3, 1),
            "full: attribute 'value': expected an integer of 64 bits, got the words 3 and 1");
  EXPECT_EQ(refusal(Kind::integer, 3, -1),
            "full: attribute 'value': expected an integer of 64 bits, got the words 3 and -1");
  EXPECT_EQ(refusal(Kind::integer, INT64_MIN, -1), "");
  EXPECT_EQ(refusal(Kind::integer, INT64_MIN, 0), "");
  EXPECT_EQ(refusal(Kind::floating, 3, 1),
            "full: attribute 'value': expected 0 as the second word of a real number, got 1");
  EXPECT_EQ(refusal(Kind::boolean, 1, 1),
            "full: attribute 'value': expected 0 as the second word of a real number, got 1");
  EXPECT_EQ(refusal(Kind::boolean, 2, 0), "full: attribute 'value': expected 0 or 1 as the bits of a bool, got 2");
  EXPECT_EQ(refusal(Kind::complex, 3, 1), "");
}

TEST(Attributes, WrongWordsAreNamed) {
  EXPECT_EQ(check(OpCode::sum, {}), "sum: attribute 'axes': expected 1 word, got 0");
  EXPECT_EQ(check(OpCode::sum, {2, 0}), "sum: attribute 'axes': expected a count that fits into 1 word, got 2");
  EXPECT_EQ(check(OpCode::sum, {-1, 0, 0}), "sum: attribute 'axes': expected a count that fits into 2 words, got -1");
  EXPECT_EQ(check(OpCode::sum, {INT64_MAX, 0, 0}),
            "sum: attribute 'axes': expected a count that fits into 2 words, got 9223372036854775807");
  EXPECT_EQ(check(OpCode::sum, {0, 2}), "sum: attribute 'keepdims': expected 0 or 1, got 2");
  EXPECT_EQ(check(OpCode::sum, {0}), "sum: attribute 'keepdims': expected 1 word, got 0");
  EXPECT_EQ(check(OpCode::sum, {0, 1, 5, 6}), "sum: expected no words after the attributes, got 2");
  EXPECT_EQ(check(OpCode::add, {7}), "add: expected no words after the attributes, got 1");
  EXPECT_EQ(check(OpCode::astype, {dtype_count}),
            "astype: attribute 'dtype': expected a dtype, got " + std::to_string(dtype_count));
  EXPECT_EQ(check(OpCode::full, {0, 4, 0, 0, 6, 0}), "full: attribute 'value': expected the kind of a number, got 4");
  EXPECT_EQ(check(OpCode::full, {0}), "full: attribute 'value': expected 1 word, got 0");
  EXPECT_EQ(check(OpCode::full, {0, 1, 3}), "full: attribute 'value': expected 2 words, got 1");
  EXPECT_EQ(check(OpCode::full, {0, 1, 3, 0, 6, 0}), "");
  EXPECT_EQ(check(OpCode::full, {0, 1, 3, 0, 6, 65536}), "full: attribute 'device': expected a device, got 65536");
  EXPECT_EQ(check(OpCode::print, {9, 0}), "print: attribute 'format': expected a count that fits into 1 word, got 9");
  EXPECT_EQ(check(OpCode::print, {INT64_MAX, 0}),
            "print: attribute 'format': expected a count that fits into 1 word, got 9223372036854775807");
  EXPECT_EQ(check(OpCode::print, {1, 'a' | 'b' << 8}),
            "print: attribute 'format': expected zeros after the text's last byte");
}

TEST(ConformanceRows, CoverEveryRecord) {
  std::span<const conformance::ConformanceRow> rows = conformance::rows();
  size_t ops = 0;
  for (const conformance::ConformanceRow &row : rows) {
    EXPECT_FALSE(row.dtypes.empty()) << row.name;
    const OpInfo *info = findOp(row.name);
    EXPECT_EQ(info != nullptr, row.code != 0) << row.name;
    ops += row.code != 0;
    EXPECT_EQ(row.noVjp.empty(), row.derivative != conformance::Rule::none) << row.name;
  }
  EXPECT_EQ(ops, allOps().size());
  EXPECT_GT(rows.size(), ops);
}
