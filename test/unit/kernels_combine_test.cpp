//===- kernels_combine_test.cpp - kernels of min, product, any and all ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReductionBlocks.h"

#include "dialect/model/Shape.h"

#include <cmath>
#include <numeric>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::test;

// -0 is below 0, so the smallest one is what is left of the largest by turning signs.
TEST(Min, IsTheLargestTurnedRound) {
  for (Dtype dtype : realDtypes)
    for (const Case &c : cases) {
      if (product(c.dims) == 0 && product(without(c.dims, c.axes)) != 0)
        continue;
      for (Layout layout : allLayouts) {
        Block x(dtype, c.dims, layout);
        x.fill(8, true);
        Block expected(dtype, without(c.dims, c.axes));
        std::vector<Number> turned = elements<Number>(x);
        for (Number &value : turned)
          value = -value;
        const auto values = reduceAxes(turned, c.dims, c.axes, [](const auto &row, bool) { return largest(row); });
        for (int64_t i = 0; i < expected.count(); ++i)
          expected.set(i, -values[size_t(i)]);
        ASSERT_TRUE(sameBits(runReduction(OpCode::min, x, c.axes, dtype), expected))
            << short_name(dtype) << " dims " << ::testing::PrintToString(c.dims);
      }
    }
}

TEST(Product, HasTheTreeOfASum) {
  for (const Case &c : cases)
    for (Layout layout : allLayouts) {
      Block x(Dtype::f32, c.dims, layout), wide(Dtype::f64, c.dims, layout), half(Dtype::bf16, c.dims, layout),
          other(Dtype::f16, c.dims, layout);
      for (Block *block : {&x, &wide, &half, &other}) {
        block->fill(9);
        // Near 1, so that a long product stays in range.
        for (int64_t i = 0; i < block->count(); ++i)
          block->set(i, (i % 3 ? 1 : -1) * (1 + std::fmod(static_cast<double>(block->get(i)), 1) / 64));
      }
      ASSERT_TRUE(sameBits(runReduction(OpCode::prod, x, c.axes, Dtype::f32),
                           (expectedSum<float, std::multiplies<float>>(x, c.axes, Dtype::f32))))
          << ::testing::PrintToString(c.dims);
      ASSERT_TRUE(sameBits(runReduction(OpCode::prod, wide, c.axes, Dtype::f64),
                           (expectedSum<double, std::multiplies<double>>(wide, c.axes, Dtype::f64))))
          << ::testing::PrintToString(c.dims);
      for (const Block *narrow : {&half, &other})
        ASSERT_TRUE(sameBits(runReduction(OpCode::prod, *narrow, c.axes, narrow->dtype),
                             (expectedSum<float, std::multiplies<float>>(*narrow, c.axes, narrow->dtype))))
            << ::testing::PrintToString(c.dims);
    }
}

TEST(Product, IntegersWrap) {
  const std::pair<Dtype, Dtype> dtypes[] = {{Dtype::bool_, Dtype::i32}, {Dtype::i8, Dtype::i32},
                                            {Dtype::u8, Dtype::u32},    {Dtype::i32, Dtype::i32},
                                            {Dtype::u32, Dtype::u32},   {Dtype::i64, Dtype::i64}};
  for (auto [from, to] : dtypes)
    for (const Case &c : cases) {
      Block x(from, c.dims, Layout::dense);
      x.fill(10);
      Block expected(to, without(c.dims, c.axes));
      std::vector<uint64_t> values;
      for (int64_t i = 0; i < x.count(); ++i)
        values.push_back(static_cast<uint64_t>(static_cast<int64_t>(x.get(i))));
      values = reduceAxes(values, c.dims, c.axes, [](const auto &row, bool) {
        return std::accumulate(row.begin(), row.end(), uint64_t(1), std::multiplies<>());
      });
      for (int64_t i = 0; i < expected.count(); ++i)
        std::memcpy(expected.at(i), &values[size_t(i)], item_size(to));
      ASSERT_TRUE(sameBits(runReduction(OpCode::prod, x, c.axes, to), expected))
          << short_name(from) << " dims " << ::testing::PrintToString(c.dims);
    }
}

TEST(Quantifiers, AgainstPlainLoop) {
  for (const Case &c : cases)
    for (Layout layout : allLayouts)
      for (int64_t often : {2, 1000000007}) {
        Block x(Dtype::bool_, c.dims, layout);
        for (int64_t i = 0; i < x.count(); ++i)
          x.set(i, (i * 7919 + 1) % often == 0 ? 1 : 0);
        Block inverted(Dtype::bool_, c.dims, layout);
        for (int64_t i = 0; i < x.count(); ++i)
          inverted.set(i, x.get(i) == 0 ? 1 : 0);
        Block some(Dtype::bool_, without(c.dims, c.axes)), every = some;
        const auto values = reduceAxes(elements<int>(x), c.dims, c.axes, [](const auto &row, bool) {
          return static_cast<int>(std::count(row.begin(), row.end(), 1) > 0);
        });
        for (int64_t i = 0; i < some.count(); ++i) {
          some.set(i, values[size_t(i)]);
          every.set(i, 1 - values[size_t(i)]);
        }
        ASSERT_TRUE(sameBits(runReduction(OpCode::any, x, c.axes, Dtype::bool_), some))
            << ::testing::PrintToString(c.dims);
        ASSERT_TRUE(sameBits(runReduction(OpCode::all, inverted, c.axes, Dtype::bool_), every))
            << ::testing::PrintToString(c.dims);
      }
}

TEST(Reductions, TheResultOverNothingIsTheRecords) {
  int checked = 0;
  for (const OpInfo &info : allOps())
    if (info.isReduction() && info.reduction.hasIdentity)
      for (Dtype dtype : realDtypes)
        if (contains(info.dtypes, dtype)) {
          const Dtype to = info.reduction.isWide ? sumDtype(dtype) : dtype;
          for (const Case &c : {Case{{0}, {0}}, Case{{3, 0}, {1}}, Case{{0, 3}, {0}}, Case{{2, 0, 5, 0}, {1, 3}}}) {
            const Block result = runReduction(static_cast<OpCode>(info.code), Block(dtype, c.dims), c.axes, to);
            for (int64_t i = 0; i < result.count(); ++i, ++checked)
              EXPECT_EQ(result.get(i), info.reduction.identity) << info.name << " of " << short_name(dtype);
          }
        }
  EXPECT_GT(checked, 100);
}
