//===- kernels_test.cpp - elementwise, movement and creation kernels -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel against a plain loop over numbers, for each dtype, layout and
// instruction set; functions of runtime/math against <cmath> in long double.
//===----------------------------------------------------------------------===//
#include "KernelBlocks.h"

#include "runtime/math/Ulp.h"
#include "runtime/threads/Pool.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::test;

namespace {

/// The low bits of an integer, as the dtype reads them.
Number wrap(Dtype dtype, uint64_t bits) {
  return tenon::detail::visitDtype(dtype, [&]<Dtype D>() -> Number {
    if constexpr (kind(D) == Kind::integer)
      return static_cast<typename tenon::detail::ElementOf<D>::type>(bits);
    else
      std::abort();
  });
}

template <class T>
Number floatingOp(OpCode op, T a, T b) {
  switch (op) {
  case OpCode::add:
    return T(a + b);
  case OpCode::subtract:
    return T(a - b);
  case OpCode::multiply:
    return T(a * b);
  case OpCode::divide:
    return T(a / b);
  case OpCode::maximum:
    return a != a || b != b ? NAN : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  default:
    return a != a || b != b ? NAN : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
  }
}

Number integerOp(OpCode op, Dtype dtype, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  const int64_t width = static_cast<int64_t>(8 * item_size(dtype));
  switch (op) {
  case OpCode::add:
    return wrap(dtype, x + y);
  case OpCode::subtract:
    return wrap(dtype, x - y);
  case OpCode::multiply:
    return wrap(dtype, x * y);
  case OpCode::maximum:
    return std::max(a, b);
  case OpCode::minimum:
    return std::min(a, b);
  default:
    return b >= 0 && b < width ? a >> b : a < 0 ? -1 : 0;
  }
}

Number binary(OpCode op, Dtype dtype, Number a, Number b) {
  if (op == OpCode::less_equal)
    return a <= b;
  if (op == OpCode::equal)
    return a == b;
  if (op == OpCode::logical_and)
    return a != 0 && b != 0;
  if (dtype == Dtype::bool_)
    return op == OpCode::add || op == OpCode::maximum ? a != 0 || b != 0 : a != 0 && b != 0;
  if (kind(dtype) == Kind::integer)
    return integerOp(op, dtype, static_cast<int64_t>(a), static_cast<int64_t>(b));
  if (dtype == Dtype::f64)
    return floatingOp<double>(op, static_cast<double>(a), static_cast<double>(b));
  return floatingOp<float>(op, static_cast<float>(a), static_cast<float>(b));
}

Number unary(OpCode op, Dtype dtype, Number x) {
  if (kind(dtype) == Kind::integer) {
    const auto bits = static_cast<uint64_t>(static_cast<int64_t>(x));
    return op == OpCode::negative || x < 0 ? wrap(dtype, -bits) : x;
  }
  return op == OpCode::negative ? -x : op == OpCode::abs ? std::fabs(x) : std::sqrt(x);
}

Number convert(Dtype from, Dtype to, Number x) {
  if (to == Dtype::bool_)
    return x != 0;
  if (kind(to) == Kind::integer && kind(from) == Kind::floating) {
    if (x != x)
      return 0;
    const Number low = is_unsigned(to) ? 0 : -std::ldexp(Number(1), static_cast<int>(8 * item_size(to)) - 1);
    const Number high = is_unsigned(to) ? std::ldexp(Number(1), static_cast<int>(8 * item_size(to))) - 1 : -(low + 1);
    return std::trunc(std::min(std::max(x, low), high));
  }
  if (kind(to) == Kind::integer)
    return wrap(to, static_cast<uint64_t>(static_cast<int64_t>(x)));
  return x;
}

const std::vector<Dims> shapes = {{},       {1},        {7},          {64}, {129},  {3, 5},
                                  {17, 16}, {2, 3, 33}, {2, 1, 3, 4}, {0},  {3, 0}, {5, 1, 70}};

bool runsOn(OpCode op, Dtype dtype) { return contains(opInfo(op).dtypes, dtype); }

} // namespace

TEST(Elementwise, BinaryAgainstPlainLoop) {
  for (OpCode op : {OpCode::add, OpCode::subtract, OpCode::multiply, OpCode::divide, OpCode::maximum, OpCode::minimum,
                    OpCode::logical_and, OpCode::right_shift, OpCode::less_equal, OpCode::equal})
    for (Dtype dtype : realDtypes) {
      if (!runsOn(op, dtype))
        continue;
      const bool isTruth = op == OpCode::less_equal || op == OpCode::equal || op == OpCode::logical_and;
      for (const Dims &dims : shapes)
        for (Layout left : allLayouts)
          for (Layout right : allLayouts) {
            Block a(dtype, dims, left), b(dtype, dims, right);
            a.fill(1), b.fill(2);
            if (op == OpCode::right_shift)
              for (int64_t i = 0; i < b.count(); i += 2)
                b.set(i, Number(i % 70));
            Block expected(isTruth ? Dtype::bool_ : dtype, dims);
            for (int64_t i = 0; i < a.count(); ++i)
              expected.set(i, binary(op, dtype, a.get(i), b.get(i)));
            ASSERT_TRUE(sameBits(run(op, {a, b}, expected.dtype, dims), expected))
                << opInfo(op).name << " " << short_name(dtype) << " rank " << dims.size() << " layouts " << int(left)
                << " " << int(right);
          }
    }
}

TEST(Elementwise, UnaryAgainstPlainLoop) {
  for (OpCode op : {OpCode::negative, OpCode::abs, OpCode::sqrt})
    for (Dtype dtype : realDtypes) {
      if (!runsOn(op, dtype))
        continue;
      for (const Dims &dims : shapes)
        for (Layout layout : allLayouts) {
          Block x(dtype, dims, layout);
          x.fill(3);
          Block expected(dtype, dims);
          for (int64_t i = 0; i < x.count(); ++i)
            expected.set(i, unary(op, dtype, x.get(i)));
          ASSERT_TRUE(sameBits(run(op, {x}, dtype, dims), expected)) << opInfo(op).name << " " << short_name(dtype);
        }
    }
}

TEST(Elementwise, FunctionsWithinTwoUlp) {
  using Function = Number (*)(Number);
  const std::pair<OpCode, Function> functions[] = {{OpCode::exp, std::exp},
                                                   {OpCode::log, std::log},
                                                   {OpCode::log1p, std::log1p},
                                                   {OpCode::tanh, std::tanh},
                                                   {OpCode::cbrt, std::cbrt}};
  for (auto [op, function] : functions)
    for (Dtype dtype : {Dtype::bf16, Dtype::f16, Dtype::f32, Dtype::f64})
      for (Layout layout : {Layout::dense, Layout::shifted, Layout::transposed, Layout::reversed}) {
        Block x(dtype, {37, 41}, layout);
        x.fill(4);
        const Block got = run(op, {x}, dtype, x.dims);
        for (int64_t i = 0; i < x.count(); ++i) {
          const Number exact = function(x.get(i));
          double ulp;
          if (dtype == Dtype::f64) {
            ulp = math::ulpError(static_cast<double>(got.get(i)), exact);
          } else if (dtype == Dtype::f32) {
            ulp = math::ulpError(static_cast<float>(got.get(i)), exact);
          } else {
            // Rounded from an f32 that is at most two units off.
            Block bound(dtype, {2});
            bound.set(0, static_cast<float>(exact) * (1 - 0x1p-22f));
            bound.set(1, static_cast<float>(exact) * (1 + 0x1p-22f));
            ulp = sameBits(dtype, got.at(i), bound.at(0)) || sameBits(dtype, got.at(i), bound.at(1)) ? 0 : 9;
          }
          ASSERT_LE(ulp, 2) << opInfo(op).name << " " << short_name(dtype) << "(" << double(x.get(i)) << ") is "
                            << double(got.get(i));
        }
      }
}

TEST(Elementwise, Where) {
  for (Dtype dtype : {Dtype::bool_, Dtype::bf16, Dtype::f32, Dtype::i64, Dtype::c64, Dtype::c128})
    for (const Dims &dims : shapes)
      for (Layout layout : allLayouts)
        for (Layout other : allLayouts) {
          Block c(Dtype::bool_, dims, other), a(dtype, dims, layout), b(dtype, dims, other);
          c.fill(5), a.fill(6), b.fill(7);
          Block expected(dtype, dims);
          for (int64_t i = 0; i < c.count(); ++i)
            std::memcpy(expected.at(i), (c.get(i) != 0 ? a : b).at(i), item_size(dtype));
          ASSERT_TRUE(sameBits(run(OpCode::where, {c, a, b}, dtype, dims), expected)) << short_name(dtype);
          Block dense(Dtype::bool_, dims);
          dense.fill(5);
          for (int64_t i = 0; i < c.count(); ++i)
            std::memcpy(expected.at(i), (dense.get(i) != 0 ? a : b).at(i), item_size(dtype));
          ASSERT_TRUE(sameBits(run(OpCode::where, {dense, a, b}, dtype, dims), expected)) << short_name(dtype);
        }
}

TEST(Elementwise, AstypeAllPairs) {
  auto storedToo = [] {
    std::vector<Dtype> all(std::begin(realDtypes), std::end(realDtypes));
    all.insert(all.end(), {Dtype::f8e4m3fn, Dtype::f8e5m2});
    return all;
  }();
  for (Dtype from : storedToo)
    for (Dtype to : storedToo)
      for (const Dims &dims : shapes)
        for (Layout layout : allLayouts) {
          Block x(from, dims, layout);
          x.fill(8);
          Block expected(to, dims);
          for (int64_t i = 0; i < x.count(); ++i)
            expected.set(i, convert(from, to, x.get(i)));
          AttrWriter attributes;
          AstypeAttrs{to}.write(attributes);
          ASSERT_TRUE(sameBits(run(OpCode::astype, {x}, to, dims, attributes), expected))
              << short_name(from) << " to " << short_name(to) << " rank " << dims.size();
        }
}

template <class Part>
static void checkComplex(Dtype dtype, Dtype other) {
  constexpr size_t size = 2 * sizeof(Part);
  Block a(dtype, {5, 19}, Layout::transposed), b(dtype, {5, 19}, Layout::reversed);
  a.fill(9), b.fill(10);
  Block sum(dtype, a.dims), difference(dtype, a.dims), product(dtype, a.dims), quotient(dtype, a.dims),
      opposite(dtype, a.dims), isEqual(Dtype::bool_, a.dims), differs(Dtype::bool_, a.dims);
  std::memcpy(b.at(3), a.at(3), size);
  std::memcpy(b.at(4), a.at(4), size / 2);
  for (int64_t i = 0; i < a.count(); ++i) {
    Part x[2], y[2];
    std::memcpy(x, a.at(i), size), std::memcpy(y, b.at(i), size);
    const Part s[] = {x[0] + y[0], x[1] + y[1]};
    const Part p[] = {x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]};
    const Part d[] = {x[0] - y[0], x[1] - y[1]}, o[] = {-x[0], -x[1]};
    std::memcpy(sum.at(i), s, size), std::memcpy(product.at(i), p, size);
    std::memcpy(difference.at(i), d, size), std::memcpy(opposite.at(i), o, size);
    // Smith: by the larger part of y.
    const bool isReal = std::fabs(y[1]) <= std::fabs(y[0]);
    const Part large = y[!isReal], small = y[isReal], ratio = large == 0 ? small : small / large;
    const Part scale = large + small * ratio, imag = (x[isReal] - x[!isReal] * ratio) / scale;
    const Part q[] = {(x[!isReal] + x[isReal] * ratio) / scale, isReal ? imag : -imag};
    std::memcpy(quotient.at(i), q, size);
    isEqual.set(i, x[0] == y[0] && x[1] == y[1]);
    differs.set(i, x[0] != y[0] || x[1] != y[1]);
  }
  EXPECT_TRUE(sameBits(run(OpCode::add, {a, b}, dtype, a.dims), sum));
  EXPECT_TRUE(sameBits(run(OpCode::multiply, {a, b}, dtype, a.dims), product));
  EXPECT_TRUE(sameBits(run(OpCode::subtract, {a, b}, dtype, a.dims), difference));
  EXPECT_TRUE(sameBits(run(OpCode::divide, {a, b}, dtype, a.dims), quotient));
  EXPECT_TRUE(sameBits(run(OpCode::negative, {a}, dtype, a.dims), opposite));
  EXPECT_EQ(isEqual.get(3), 1);
  EXPECT_EQ(isEqual.get(4), 0);
  EXPECT_TRUE(sameBits(run(OpCode::equal, {a, b}, Dtype::bool_, a.dims), isEqual));
  EXPECT_TRUE(sameBits(run(OpCode::not_equal, {a, b}, Dtype::bool_, a.dims), differs));

  AttrWriter toComplex;
  AstypeAttrs{dtype}.write(toComplex);
  for (Dtype from : realDtypes) {
    Block x(from, {21}, Layout::spread);
    x.fill(11);
    Block expected(dtype, x.dims);
    for (int64_t i = 0; i < x.count(); ++i)
      expected.set(i, x.get(i));
    EXPECT_TRUE(sameBits(run(OpCode::astype, {x}, dtype, x.dims, toComplex), expected)) << short_name(from);
  }
  Block x(other, {21}, Layout::spread), expected(dtype, x.dims);
  x.fill(12);
  for (int64_t i = 0; i < x.count(); ++i) {
    expected.set(i, x.get(i));
    Block::write(dtype, expected.at(i) + sizeof(Part), Block::read(other, x.at(i) + item_size(other) / 2));
  }
  EXPECT_TRUE(sameBits(run(OpCode::astype, {x}, dtype, x.dims, toComplex), expected));
}

TEST(Elementwise, Complex) {
  checkComplex<float>(Dtype::c64, Dtype::c128);
  checkComplex<double>(Dtype::c128, Dtype::c64);
}

TEST(Elementwise, LongRowsInAnySteps) {
  // Lined up 2,048 bytes at a time, in whole registers; the rest of a row one register at a time.
  constexpr Layout layouts[][3] = {
      {Layout::reversed, Layout::dense, Layout::dense},       {Layout::dense, Layout::reversed, Layout::dense},
      {Layout::reversed, Layout::reversed, Layout::reversed}, {Layout::spread, Layout::shifted, Layout::dense},
      {Layout::dense, Layout::repeated, Layout::spread},      {Layout::repeated, Layout::reversed, Layout::dense},
      {Layout::reversed, Layout::repeated, Layout::shifted},  {Layout::transposed, Layout::dense, Layout::dense}};
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::u8, Dtype::bf16, Dtype::i16, Dtype::c64})
    for (int64_t length : {1, 7, 8, 15, 16, 17, 63, 65, 127, 129, 255, 257, 511, 512, 513, 1039, 2047, 2049, 4111})
      for (const auto &[left, right, to] : layouts)
        for (const Dims &dims : {Dims{length}, Dims{3, length}}) {
          Block a(dtype, dims, left), b(dtype, dims, right), denseA(dtype, dims), denseB(dtype, dims);
          a.fill(31, false), b.fill(32, false);
          for (int64_t i = 0; i < a.count(); ++i) {
            std::memcpy(denseA.at(i), a.at(i), item_size(dtype));
            std::memcpy(denseB.at(i), b.at(i), item_size(dtype));
          }
          const Block expected = run(OpCode::subtract, {denseA, denseB}, dtype, dims);
          const Block isLess = run(OpCode::not_equal, {denseA, denseB}, Dtype::bool_, dims);
          for (const KernelTable *table : tables()) {
            Block result(dtype, dims, to), truth(Dtype::bool_, dims, to);
            result.fill(33), truth.fill(34);
            ASSERT_EQ(runOn(*table, OpCode::subtract, {a.view(), b.view()}, {result.view()}, {}), Status::ok);
            ASSERT_TRUE(sameBits(result, expected)) << short_name(dtype) << " " << length << " " << int(left);
            ASSERT_EQ(runOn(*table, OpCode::not_equal, {a.view(), b.view()}, {truth.view()}, {}), Status::ok);
            ASSERT_TRUE(sameBits(truth, isLess)) << short_name(dtype) << " " << length << " " << int(left);
          }
        }
}

TEST(Elementwise, ResultMayBeTheOperand) {
  for (const KernelTable *table : tables()) {
    Block x(Dtype::f32, {1000}), y(Dtype::f32, {1000});
    x.fill(12), y.fill(13);
    Block expected(Dtype::f32, {1000});
    for (int64_t i = 0; i < 1000; ++i)
      expected.set(i, binary(OpCode::subtract, Dtype::f32, x.get(i), y.get(i)));
    ASSERT_EQ(runOn(*table, OpCode::subtract, {x.view(), y.view()}, {y.view()}, AttrWriter()), Status::ok);
    EXPECT_TRUE(sameBits(y, expected));
  }
}

TEST(Elementwise, LargeOnesAreSplitAndCancelled) {
  for (const Dims &dims : {Dims{300000}, Dims{900, 400}, Dims{3, 100000}, Dims{200000, 2}})
    for (Layout layout : {Layout::dense, Layout::transposed, Layout::repeated}) {
      Block a(Dtype::f32, dims, layout), b(Dtype::f32, dims);
      a.fill(14), b.fill(15);
      Block expected(Dtype::f32, dims);
      for (int64_t i = 0; i < a.count(); ++i)
        expected.set(i, binary(OpCode::add, Dtype::f32, a.get(i), b.get(i)));
      EXPECT_TRUE(sameBits(run(OpCode::add, {a, b}, Dtype::f32, dims), expected));
      const uint32_t cancel = 1;
      const View operands[] = {a.view(), b.view()}, results[] = {expected.view()};
      EXPECT_EQ(kernel(OpCode::add)({OpCode::add, operands, results, {}, &cancel}), Status::cancelled);
    }
}

TEST(Elementwise, InnerLoops) {
  // The table of loops: what the records list and nothing else.
  for (const OpInfo &info : allOps()) {
    const auto op = static_cast<OpCode>(info.code);
    for (int d = 0; d < dtype_count && info.isElementwise; ++d) {
      const auto dtype = static_cast<Dtype>(d);
      if (op != OpCode::astype) {
        EXPECT_EQ(elementwiseKernel(op, dtype) != nullptr, contains(info.dtypes, dtype)) << info.name << " " << d;
      }
    }
  }
  EXPECT_EQ(elementwiseKernel(OpCode::astype, Dtype::c64, Dtype::f32), nullptr);
  EXPECT_EQ(elementwiseKernel(OpCode::astype, Dtype::c128, Dtype::i64), nullptr);
  EXPECT_EQ(elementwiseKernel(OpCode::dot_general, Dtype::f32), nullptr);
  float x[6] = {1, 2, 3, 4, 5, 6}, y[2] = {10, 20}, result[6] = {};
  elementwiseKernel(OpCode::add, Dtype::f32)({{x, y, nullptr}, result, 2, 3, {{3, 1}, {1, 0}, {}}, {3, 1}});
  EXPECT_EQ(std::vector<float>(result, result + 6), (std::vector<float>{11, 12, 13, 24, 25, 26}));
}

TEST(Movement, CopyBetweenLayouts) {
  // An element of each size.
  for (Dtype dtype : {Dtype::u8, Dtype::bf16, Dtype::f32, Dtype::c64, Dtype::c128})
    for (const Dims &dims : {Dims{}, Dims{0, 4}, Dims{33}, Dims{37, 70}, Dims{3, 40, 50}, Dims{300, 200}, Dims{64},
                             Dims{255}, Dims{50, 2}, Dims{50, 3}, Dims{51, 4}, Dims{50, 5}})
      for (Layout from : allLayouts)
        for (Layout to : {Layout::dense, Layout::shifted, Layout::reversed, Layout::transposed, Layout::spread}) {
          Block x(dtype, dims, from), result(dtype, dims, to);
          x.fill(16);
          for (const KernelTable *table : tables()) {
            result.fill(17);
            ASSERT_EQ(table->copy(x.view(), result.view()), Status::ok);
            ASSERT_TRUE(sameBits(result, x)) << short_name(dtype) << " " << int(from) << " to " << int(to);
          }
        }
}

/// Runs a movement kernel and compares with the elements `source` names.
template <class Source>
static void expectMoved(OpCode op, const Block &x, Dims dims, const AttrWriter &attributes, Source source) {
  Block expected(x.dtype, dims);
  for (int64_t i = 0; i < expected.count(); ++i) {
    Dims index(dims.size());
    int64_t rest = i;
    for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      index[axis] = rest % dims[axis];
    const Dims from = source(index);
    int64_t flat = 0;
    for (size_t axis = 0; axis < from.size(); ++axis)
      flat = flat * x.dims[axis] + from[axis];
    std::memcpy(expected.at(i), x.at(flat), item_size(x.dtype));
  }
  EXPECT_TRUE(sameBits(run(op, {x}, x.dtype, dims, attributes), expected)) << opInfo(op).name;
}

TEST(Movement, OneOperand) {
  for (Dtype dtype : {Dtype::bool_, Dtype::bf16, Dtype::i32, Dtype::c64, Dtype::c128})
    for (Layout layout : allLayouts) {
      Block x(dtype, {4, 6, 10}, layout);
      x.fill(18);
      const int64_t permutation[] = {2, 0, 1}, steps[] = {2, -1, -3};
      const Dim starts[] = {1, 5, 8}, stops[] = {4, -1, 1}, shape[] = {8, 30}, wide[] = {3, 4, 6, 10};
      AttrWriter transpose, slice, reshape, broadcast;
      TransposeAttrs{permutation}.write(transpose);
      SliceAttrs{starts, stops, steps}.write(slice);
      ReshapeAttrs{shape}.write(reshape);
      BroadcastToAttrs{wide}.write(broadcast);
      expectMoved(OpCode::transpose, x, {10, 4, 6}, transpose, [](Dims i) { return Dims{i[1], i[2], i[0]}; });
      expectMoved(OpCode::slice, x, {2, 6, 3}, slice,
                  [](Dims i) { return Dims{1 + 2 * i[0], 5 - i[1], 8 - 3 * i[2]}; });
      expectMoved(OpCode::reshape, x, {8, 30}, reshape, [](Dims i) {
        const int64_t flat = i[0] * 30 + i[1];
        return Dims{flat / 60, flat / 10 % 6, flat % 10};
      });
      expectMoved(OpCode::broadcast_to, x, {3, 4, 6, 10}, broadcast, [](Dims i) { return Dims{i[1], i[2], i[3]}; });
      Block row(dtype, {4, 1, 10}, layout);
      row.fill(19);
      const Dim tall[] = {2, 4, 7, 10};
      AttrWriter repeat;
      BroadcastToAttrs{tall}.write(repeat);
      expectMoved(OpCode::broadcast_to, row, {2, 4, 7, 10}, repeat, [](Dims i) { return Dims{i[1], 0, i[3]}; });
    }
}

TEST(Movement, Pad) {
  for (Layout layout : allLayouts)
    for (int64_t size : {0, 1, 5}) {
      Block x(Dtype::f32, {3, size}, layout), value(Dtype::f32, {});
      x.fill(20), value.set(0, 7);
      const Dim low[] = {1, 2}, high[] = {0, 3};
      const int64_t interior[] = {0, 2};
      AttrWriter attributes;
      PadAttrs{low, high, interior}.write(attributes);
      const Dims dims = {4, 2 + size + (size ? 2 * (size - 1) : 0) + 3};
      Block expected(Dtype::f32, dims);
      for (int64_t i = 0; i < expected.count(); ++i)
        expected.set(i, 7);
      for (int64_t r = 0; r < 3; ++r)
        for (int64_t c = 0; c < size; ++c)
          std::memcpy(expected.at((r + 1) * dims[1] + 2 + 3 * c), x.at(r * size + c), 4);
      EXPECT_TRUE(sameBits(run(OpCode::pad, {x, value}, Dtype::f32, dims, attributes), expected));
    }
}

TEST(Movement, ConcatenateSplitBarrier) {
  for (Layout layout : allLayouts) {
    Block a(Dtype::i64, {3, 4, 5}, layout), b(Dtype::i64, {3, 0, 5}, layout), c(Dtype::i64, {3, 7, 5}, layout);
    a.fill(21), c.fill(22);
    AttrWriter axis;
    ConcatenateAttrs{1}.write(axis);
    Block all(Dtype::i64, {3, 11, 5});
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 11; ++j)
        for (int64_t k = 0; k < 5; ++k)
          all.set((i * 11 + j) * 5 + k, j < 4 ? a.get((i * 4 + j) * 5 + k) : c.get((i * 7 + j - 4) * 5 + k));
    EXPECT_TRUE(sameBits(run(OpCode::concatenate, {a, b, c}, Dtype::i64, all.dims, axis), all));

    const Dim sizes[] = {4, 0, 7};
    AttrWriter split;
    SplitAttrs{sizes, 1}.write(split);
    for (const KernelTable *table : tables())
      for (OpCode op : {OpCode::split, OpCode::optimization_barrier}) {
        Block p(Dtype::i64, a.dims), q(Dtype::i64, b.dims), r(Dtype::i64, c.dims);
        std::vector<View> operands = {all.view()};
        if (op != OpCode::split)
          operands = {a.view(), b.view(), c.view()};
        ASSERT_EQ(runOn(*table, op, operands, {p.view(), q.view(), r.view()}, split), Status::ok);
        EXPECT_TRUE(sameBits(p, a));
        EXPECT_TRUE(sameBits(r, c));
      }
  }
}

static ScalarAttr integer(int64_t value) { return ScalarAttr::integer(value); }
static ScalarAttr floating(double value) { return ScalarAttr::floating(value); }

TEST(Creation, Full) {
  for (Dtype dtype : realDtypes)
    for (ScalarAttr value : {integer(1), integer(-3), floating(0.1), floating(NAN)}) {
      if (value.kind > kind(dtype))
        continue;
      const Dim shape[] = {3, 50};
      AttrWriter attributes;
      FullAttrs{shape, value, dtype, {}}.write(attributes);
      Block expected(dtype, {3, 50});
      for (int64_t i = 0; i < 150; ++i)
        expected.set(i, value.kind == Kind::integer ? convert(Dtype::i64, dtype, static_cast<int64_t>(value.asInt()))
                                                    : value.asDouble());
      EXPECT_TRUE(sameBits(run(OpCode::full, {}, dtype, {3, 50}, attributes), expected)) << short_name(dtype);
    }
  // An integer above INT64_MAX is no negative one.
  const Dim two[] = {2};
  AttrWriter most;
  FullAttrs{two, ScalarAttr::integer(UINT64_MAX), Dtype::f64, {}}.write(most);
  EXPECT_EQ(run(OpCode::full, {}, Dtype::f64, {2}, most).get(1), 0x1p64L);
  AttrWriter unsignedMost;
  FullAttrs{two, ScalarAttr::integer(UINT64_MAX), Dtype::u64, {}}.write(unsignedMost);
  EXPECT_EQ(run(OpCode::full, {}, Dtype::u64, {2}, unsignedMost).get(1), Number(UINT64_MAX));
  const float number[] = {1.5f, -2.5f};
  const ScalarAttr complex = ScalarAttr::complex({number[0], number[1]});
  const Dim shape[] = {2};
  AttrWriter attributes;
  FullAttrs{shape, complex, Dtype::c64, {}}.write(attributes);
  const Block got = run(OpCode::full, {}, Dtype::c64, {2}, attributes);
  EXPECT_EQ(std::memcmp(got.at(1), number, 8), 0);
}

TEST(Creation, ArangeRoundsEachOperation) {
  const Dim length[] = {70000};
  auto arange = [&](ScalarAttr start, ScalarAttr step, Dtype dtype) {
    AttrWriter attributes;
    ArangeAttrs{length, start, step, dtype, {}}.write(attributes);
    return run(OpCode::arange, {}, dtype, {70000}, attributes);
  };
  Block expected(Dtype::f32, {70000}), wide(Dtype::f64, {70000}), bytes(Dtype::u8, {70000}), half(Dtype::bf16, {70000});
  for (int64_t i = 0; i < 70000; ++i) {
    const float term = float(i) * 0.1f;
    expected.set(i, 2.5f + term);
    half.set(i, 2.5f + float(i) * 0.5f);
    const double product = double(i) * 0.1;
    wide.set(i, 2.5 + product);
    bytes.set(i, wrap(Dtype::u8, static_cast<uint64_t>(5 - 3 * i)));
  }
  EXPECT_TRUE(sameBits(arange(floating(2.5), floating(0.1), Dtype::f32), expected));
  EXPECT_TRUE(sameBits(arange(floating(2.5), floating(0.1), Dtype::f64), wide));
  EXPECT_TRUE(sameBits(arange(floating(2.5), floating(0.5), Dtype::bf16), half));
  EXPECT_TRUE(sameBits(arange(integer(5), integer(-3), Dtype::u8), bytes));
}

TEST(Creation, Dimension) {
  AttrWriter attributes;
  DimensionAttrs{1}.write(attributes);
  EXPECT_EQ(run(OpCode::dimension, {Block(Dtype::bf16, {3, 8})}, Dtype::i64, {}, attributes).get(0), 8);
}

TEST(Print, CallsThePrinter) {
  static std::string seen;
  setPrinter([](std::string_view format, std::span<const View> operands) {
    seen = std::string(format) + std::to_string(operands.size());
    return Status::cancelled;
  });
  AttrWriter attributes;
  PrintAttrs{"x is {}"}.write(attributes);
  Block x(Dtype::f32, {});
  for (const KernelTable *table : tables()) {
    seen.clear();
    EXPECT_EQ(runOn(*table, OpCode::print, {x.view()}, {}, attributes), Status::cancelled);
    EXPECT_EQ(seen, "x is {}1");
  }
  setPrinter(nullptr);
  EXPECT_EQ(runOn(*tables()[0], OpCode::print, {x.view()}, {}, attributes), Status::ok);
}

TEST(Table, IsThatOfTheInstructionSet) {
  // The choice is made once in a process: without AVX-512 in another.
  if (!std::getenv("TENON_TEST_CHILD")) {
    pid_t child = fork();
    if (child == 0) {
      setenv("TENON_ISA", "v3", 1);
      setenv("TENON_TEST_CHILD", "1", 1);
      execl("/proc/self/exe", "kernels_test", "--gtest_filter=Table.IsThatOfTheInstructionSet", nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  } else {
    EXPECT_EQ(hostFeatures() & ~kFeaturesV3, 0u) << featureNames(hostFeatures() & ~kFeaturesV3);
  }
  const KernelTable &wanted = (hostFeatures() & kFeaturesV4) == kFeaturesV4 ? v4::kernelTable : v3::kernelTable;
  EXPECT_EQ(kernel(OpCode::exp), wanted.kernels[static_cast<size_t>(OpCode::exp)]);
}

TEST(Table, EveryRecordWithAKernelHasOne) {
  EXPECT_EQ(cpuError(), "");
  for (const OpInfo &info : allOps())
    EXPECT_EQ(kernel(static_cast<OpCode>(info.code)) == nullptr, info.hasRegions()) << info.name;
}
