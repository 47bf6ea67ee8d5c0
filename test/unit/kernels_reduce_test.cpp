//===- kernels_reduce_test.cpp - kernels of sum, max and softmax ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel has the bits of the contract, as ReductionBlocks.h has it for sums,
// for every layout, instruction set and number of threads.
//===----------------------------------------------------------------------===//
#include "ReductionBlocks.h"

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::test;

TEST(Sum, FloatingHasTheBitsOfTheContract) {
  for (const Case &c : cases)
    for (Layout layout : allLayouts) {
      Block x(Dtype::f32, c.dims, layout), wide(Dtype::f64, c.dims, layout);
      x.fill(1, false), wide.fill(2, false);
      ASSERT_TRUE(sameBits(runReduction(OpCode::sum, x, c.axes, Dtype::f32), expectedSum<float>(x, c.axes, Dtype::f32)))
          << "dims " << ::testing::PrintToString(c.dims) << " axes " << ::testing::PrintToString(c.axes) << " layout "
          << int(layout);
      ASSERT_TRUE(
          sameBits(runReduction(OpCode::sum, wide, c.axes, Dtype::f64), expectedSum<double>(wide, c.axes, Dtype::f64)));
      for (Dtype narrow : {Dtype::bf16, Dtype::f16}) {
        Block half(narrow, c.dims, layout);
        half.fill(3, false);
        ASSERT_TRUE(
            sameBits(runReduction(OpCode::sum, half, c.axes, narrow), expectedSum<float>(half, c.axes, narrow)));
      }
    }
}

TEST(Sum, OperandsLongerThanACache) {
  // By how many rows at a time are added to columns.
  for (int64_t inner : {20, 50, 200}) {
    const std::vector<int64_t> dims = {3, (int64_t(9) << 20) / inner / 3, inner};
    Block x(Dtype::f32, dims);
    x.fill(7, false);
    ASSERT_GT(x.count() * 4, int64_t(32) << 20);
    ASSERT_TRUE(sameBits(runReduction(OpCode::sum, x, {1}, Dtype::f32), expectedSum<float>(x, {1}, Dtype::f32)))
        << ::testing::PrintToString(dims);
  }
}

TEST(Sum, TheReferenceTellsTreesApart) {
  // Else the test above could not fail.
  Block x(Dtype::f32, {20000});
  x.fill(41, false);
  const auto values = elements<float>(x);
  EXPECT_NE(contractSum(values, true), contractSum(values, false));
  float plain = 0;
  for (float value : values)
    plain += value;
  EXPECT_NE(contractSum(values, false), plain);
}

TEST(Sum, SignsOfZerosAndSpecials) {
  for (int64_t length : {1, 15, 16, 40, 5000}) {
    Block zeros(Dtype::f32, {length});
    for (int64_t i = 0; i < length; ++i)
      zeros.set(i, -0.0);
    EXPECT_TRUE(std::signbit(runReduction(OpCode::sum, zeros, {0}, Dtype::f32).get(0))) << length;
    zeros.set(length / 2, 0.0);
    EXPECT_FALSE(std::signbit(runReduction(OpCode::sum, zeros, {0}, Dtype::f32).get(0))) << length;
  }
  EXPECT_FALSE(std::signbit(runReduction(OpCode::sum, Block(Dtype::f32, {0}), {0}, Dtype::f32).get(0)));
  Block x(Dtype::f32, {3, 40});
  x.fill(5);
  EXPECT_TRUE(sameBits(runReduction(OpCode::sum, x, {1}, Dtype::f32), expectedSum<float>(x, {1}, Dtype::f32)));
  EXPECT_TRUE(sameBits(runReduction(OpCode::sum, x, {0}, Dtype::f32), expectedSum<float>(x, {0}, Dtype::f32)));
}

TEST(Sum, IntegersWrap) {
  const std::pair<Dtype, Dtype> dtypes[] = {
      {Dtype::bool_, Dtype::i32}, {Dtype::i8, Dtype::i32},  {Dtype::i16, Dtype::i32}, {Dtype::u8, Dtype::u32},
      {Dtype::u16, Dtype::u32},   {Dtype::i32, Dtype::i32}, {Dtype::u32, Dtype::u32}, {Dtype::i64, Dtype::i64}};
  for (auto [from, to] : dtypes)
    for (const Case &c : cases)
      for (Layout layout : allLayouts) {
        Block x(from, c.dims, layout);
        x.fill(6);
        Block expected(to, without(c.dims, c.axes));
        std::vector<uint64_t> values;
        for (int64_t i = 0; i < x.count(); ++i)
          values.push_back(static_cast<uint64_t>(static_cast<int64_t>(x.get(i))));
        values = reduceAxes(values, c.dims, c.axes, [](const auto &row, bool) {
          uint64_t sum = 0;
          for (uint64_t value : row)
            sum += value;
          return sum;
        });
        for (int64_t i = 0; i < expected.count(); ++i)
          std::memcpy(expected.at(i), &values[size_t(i)], item_size(to));
        ASSERT_TRUE(sameBits(runReduction(OpCode::sum, x, c.axes, to), expected))
            << short_name(from) << " dims " << ::testing::PrintToString(c.dims);
      }
}

TEST(Max, AgainstPlainLoop) {
  for (Dtype dtype : realDtypes)
    for (const Case &c : cases) {
      // The shape rule refuses a maximum over nothing.
      if (product(c.dims) == 0 && product(without(c.dims, c.axes)) != 0)
        continue;
      for (Layout layout : allLayouts)
        for (bool withSpecials : {false, true}) {
          if (withSpecials && kind(dtype) != Kind::floating)
            continue;
          Block x(dtype, c.dims, layout);
          x.fill(7, withSpecials);
          Block expected(dtype, without(c.dims, c.axes));
          const auto values =
              reduceAxes(elements<Number>(x), c.dims, c.axes, [](const auto &row, bool) { return largest(row); });
          for (int64_t i = 0; i < expected.count(); ++i)
            expected.set(i, values[size_t(i)]);
          ASSERT_TRUE(sameBits(runReduction(OpCode::max, x, c.axes, dtype), expected))
              << short_name(dtype) << " dims " << ::testing::PrintToString(c.dims);
        }
    }
}

TEST(Max, OneNanAmongPairsOfRows) {
  // Where there is one is looked for besides the numbers.
  for (OpCode op : {OpCode::max, OpCode::min})
    for (Dtype dtype : {Dtype::f32, Dtype::f64})
      for (int64_t rows : {1, 2, 3, 7}) {
        Block x(dtype, {2, rows, 40, 2});
        x.fill(7, false);
        Block expected = runReduction(op, x, {1, 3}, dtype);
        for (int64_t i = 0; i < x.count(); ++i) {
          const int64_t cell = i / (rows * 80) * 40 + i % 80 / 2;
          const Number of = x.get(i), result = expected.get(cell);
          x.set(i, NAN);
          expected.set(cell, NAN);
          ASSERT_TRUE(sameBits(runReduction(op, x, {1, 3}, dtype), expected)) << "element " << i << " of rows " << rows;
          x.set(i, of);
          expected.set(cell, result);
        }
      }
}

TEST(Argmax, FirstLargestOrFirstNan) {
  for (Dtype dtype : realDtypes)
    for (const Dims &dims : {Dims{1}, Dims{100}, Dims{5000}, Dims{7, 33}, Dims{40, 3, 5}, Dims{0, 3}, Dims{60000, 2},
                             Dims{70000}, Dims{2, 9, 300}, Dims{2, 17, 16}})
      for (int64_t axis = 0; axis < int64_t(dims.size()); ++axis)
        for (Layout layout : allLayouts) {
          if (dims[size_t(axis)] == 0)
            continue;
          Block x(dtype, dims, layout);
          x.fill(8, dims[0] != 100);
          Block expected(Dtype::i64, without(dims, {axis}));
          const auto values = reduceAxes(elements<Number>(x), dims, {axis}, [](const auto &row, bool) {
            size_t best = 0;
            for (size_t i = 1; i < row.size(); ++i)
              if (row[best] == row[best] && (row[i] != row[i] || row[i] > row[best]))
                best = i;
            return Number(best);
          });
          for (int64_t i = 0; i < expected.count(); ++i)
            expected.set(i, values[size_t(i)]);
          AttrWriter attributes;
          ArgmaxAttrs{axis, false}.write(attributes);
          ASSERT_TRUE(sameBits(run(OpCode::argmax, {x}, Dtype::i64, expected.dims, attributes), expected))
              << short_name(dtype);
        }
}

/// The first NaN, else the first element equal to the largest.
static int64_t firstLargest(const Block &x) {
  int64_t best = 0;
  for (int64_t i = 1; i < x.count(); ++i)
    if (const Number largest = x.get(best), element = x.get(i);
        largest == largest && (element != element || element > largest))
      best = i;
  return best;
}

TEST(Argmax, LongRows) {
  // Some registers at a time, of parts of 2,048 elements; a span is 65,536.
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::bf16, Dtype::i32, Dtype::i64, Dtype::u8})
    for (int64_t length : {17, 31, 32, 33, 64, 65, 127, 129, 255, 2047, 2048, 2049, 2048 + 17, 6200, 65536 + 40})
      for (Layout layout : {Layout::dense, Layout::shifted, Layout::reversed, Layout::spread}) {
        if (length > 256 && (dtype != Dtype::f32 || layout == Layout::shifted))
          continue;
        Block x(dtype, {length}, layout);
        AttrWriter attributes;
        ArgmaxAttrs{0, false}.write(attributes);
        auto expectFirst = [&](const char *what) {
          const Block place = run(OpCode::argmax, {x}, Dtype::i64, {}, attributes);
          ASSERT_EQ(place.get(0), firstLargest(x)) << what << ", " << short_name(dtype) << " of " << length;
        };
        // All equal, or below what is there; then one, and another one like it behind it.
        for (double rest : {0., kind(dtype) == Kind::floating ? -HUGE_VAL : 0.})
          for (int64_t place : {int64_t(1), length / 2, length - 2, length - 1}) {
            for (int64_t i = 0; i < length; ++i)
              x.set(i, Number(rest));
            expectFirst("all equal");
            x.set(length - 1, 5);
            x.set(place, 5);
            expectFirst("twice");
            if (kind(dtype) != Kind::floating)
              continue;
            x.set(length / 3, HUGE_VAL);
            x.set(place, NAN);
            expectFirst("a NaN");
            x.set(length - 1, NAN);
            expectFirst("two NaN");
            x.set(0, NAN);
            expectFirst("a NaN in front");
          }
        if (kind(dtype) == Kind::floating) {
          for (int64_t i = 0; i < length; ++i)
            x.set(i, i % 3 ? Number(-0.0) : Number(-1));
          x.set(length - 1, Number(0.0));
          expectFirst("zeros of either sign");
        }
      }
}

TEST(Argmax, ColumnsAFewRowsAtATime) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::i16})
    for (int64_t length : {2, 3, 4, 5, 6, 8, 9, 21})
      for (int64_t width : {16, 17, 31, 40, 256, 257, 530})
        for (bool withSpecials : {false, true}) {
          Block x(dtype, {length, width});
          x.fill(uint64_t(50 + length), withSpecials);
          AttrWriter attributes;
          ArgmaxAttrs{0, false}.write(attributes);
          const Block places = run(OpCode::argmax, {x}, Dtype::i64, {width}, attributes);
          for (int64_t j = 0; j < width; ++j) {
            Block column(dtype, {length});
            for (int64_t i = 0; i < length; ++i)
              std::memcpy(column.at(i), x.at(i * width + j), item_size(dtype));
            ASSERT_EQ(places.get(j), firstLargest(column)) << short_name(dtype) << " " << length << "x" << width;
          }
        }
}

/// max, subtract, exp, sum, and divide or log and subtract, each kernel on the result of
/// the former.
static Block decomposedSoftmax(const Block &x, int64_t axis, bool isLog) {
  auto spread = [&](const Block &reduced) {
    Block wide(x.dtype, x.dims);
    for (int64_t i = 0; i < wide.count(); ++i) {
      int64_t inner = 1;
      for (size_t k = size_t(axis) + 1; k < x.dims.size(); ++k)
        inner *= x.dims[k];
      std::memcpy(wide.at(i), reduced.at(i / (inner * x.dims[size_t(axis)]) * inner + i % inner), item_size(x.dtype));
    }
    return wide;
  };
  const Block peak = spread(runReduction(OpCode::max, x, {axis}, x.dtype));
  const Block shifted = run(OpCode::subtract, {x, peak}, x.dtype, x.dims);
  const Block powers = run(OpCode::exp, {shifted}, x.dtype, x.dims);
  const Block total = runReduction(OpCode::sum, powers, {axis}, x.dtype);
  if (isLog)
    return run(OpCode::subtract, {shifted, spread(run(OpCode::log, {total}, x.dtype, total.dims))}, x.dtype, x.dims);
  return run(OpCode::divide, {powers, spread(total)}, x.dtype, x.dims);
}

TEST(Softmax, HasTheBitsOfItsDecomposition) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64})
    for (const Dims &dims : {Dims{10}, Dims{9000}, Dims{64, 10}, Dims{5, 100}, Dims{3, 7, 65}, Dims{2, 9000, 3},
                             Dims{0, 4}, Dims{4, 0}, Dims{5, 3, 1, 4}, Dims{300, 130}})
      for (int64_t axis = 0; axis < int64_t(dims.size()); ++axis)
        for (Layout layout : allLayouts)
          for (bool withSpecials : {false, true}) {
            if (dims[size_t(axis)] == 0)
              continue;
            Block x(dtype, dims, layout);
            x.fill(9, withSpecials);
            AttrWriter attributes; // of both
            SoftmaxAttrs{axis}.write(attributes);
            for (CompositeId id : {CompositeId::softmax, CompositeId::log_softmax})
              ASSERT_TRUE(sameBits(run(id, {x}, dtype, dims, attributes),
                                   decomposedSoftmax(x, axis, id == CompositeId::log_softmax)))
                  << compositeInfo(id).name << " " << short_name(dtype) << " dims " << ::testing::PrintToString(dims)
                  << " axis " << axis << " layout " << int(layout);
          }
}

TEST(Mean, IsASumDividedByTheCount) {
  for (Dtype dtype : {Dtype::bf16, Dtype::f32, Dtype::f64})
    for (const Case &c : cases)
      for (Layout layout : allLayouts)
        for (bool withSpecials : {false, true}) {
          Block x(dtype, c.dims, layout);
          x.fill(10, withSpecials);
          const Dims kept = without(c.dims, c.axes);
          Block count(dtype, kept);
          int64_t elements = 1;
          for (int64_t axis : c.axes)
            elements *= c.dims[size_t(axis)];
          for (int64_t i = 0; i < count.count(); ++i)
            count.set(i, Number(elements));
          AttrWriter attributes;
          MeanAttrs{c.axes, false}.write(attributes);
          const Block divided = run(OpCode::divide, {runReduction(OpCode::sum, x, c.axes, dtype), count}, dtype, kept);
          ASSERT_TRUE(sameBits(run(CompositeId::mean, {x}, dtype, kept, attributes), divided))
              << short_name(dtype) << " dims " << ::testing::PrintToString(c.dims) << " axes "
              << ::testing::PrintToString(c.axes) << " layout " << int(layout);
        }
}
