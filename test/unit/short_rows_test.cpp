//===- short_rows_test.cpp - broadcasting and softmax along a short last axis -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"

#include "lib/program/CompilerPlugin.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace tenon;
using namespace tenon::testing;

namespace {

/// Numbers with zeros of both signs among them.
Array numbers(const Shape &shape, Dtype dtype, uint64_t seed) {
  const Array real = round(random::normal(random::key(seed), shape) * 8.0f) * 0.25f;
  if (dtype == Dtype::bool_)
    return real > 0;
  const bool isComplex = dtype == Dtype::c64 || dtype == Dtype::c128;
  return isComplex ? astype(complex(real, real - 1.0f), dtype) : astype(real, dtype);
}

const int64_t rowCounts[] = {1, 40, 1000, 6000};
const int64_t lengths[] = {2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17};

TEST(ShortRows, BroadcastingHasTheBitsOfDenseOperands) {
  for (const Dtype dtype : {f32, f64, f16, bf16, i8, i32, u16, i64, c64, c128, Dtype::bool_})
    for (const int64_t length : lengths)
      for (const int64_t rows : rowCounts) {
        if (rows == 6000 && dtype != f32 && dtype != i8)
          continue;
        SCOPED_TRACE(std::string(short_name(dtype)) + " " + std::to_string(rows) + "x" + std::to_string(length));
        const Array x = numbers({rows, length}, dtype, 1), v = numbers({length}, dtype, 2),
                    c = numbers({rows, 1}, dtype, 3), which = numbers({rows, 1}, Dtype::bool_, 4),
                    each = numbers({length}, Dtype::bool_, 5);
        const Array denseV = tile(v, {rows, 1}), denseC = repeat(c, length, 1), denseWhich = repeat(which, length, 1),
                    denseEach = tile(each, {rows, 1});
        EXPECT_EQ(bytesOf(x + v), bytesOf(x + denseV));
        EXPECT_EQ(bytesOf(v * x), bytesOf(denseV * x));
        EXPECT_EQ(bytesOf(x + c), bytesOf(x + denseC));
        EXPECT_EQ(bytesOf(c * v), bytesOf(denseC * denseV));
        EXPECT_EQ(bytesOf(x == v), bytesOf(x == denseV));
        EXPECT_EQ(bytesOf(where(which, x, v)), bytesOf(where(denseWhich, x, denseV)));
        EXPECT_EQ(bytesOf(where(each, c, x)), bytesOf(where(denseEach, denseC, x)));
        EXPECT_EQ(bytesOf(where(each, c, v)), bytesOf(where(denseEach, denseC, denseV)));
      }
}

TEST(ShortRows, OperandsThatLieApart) {
  const Array wide = numbers({1000, 6}, f32, 1), v = numbers({3}, f32, 2), column = numbers({1000, 2}, f32, 3);
  const Array x = wide[{_, slice(1, 4)}], c = column[{_, slice(1, 2)}];
  const Array dense = reshape(concatenate({x, x}, 0), {2, 1000, 3})[0], denseC = repeat(c, 3, 1);
  EXPECT_EQ(bytesOf(x - v), bytesOf(dense - tile(v, {1000, 1})));
  EXPECT_EQ(bytesOf(dense * c), bytesOf(dense * denseC));
  EXPECT_EQ(bytesOf(dense - v[slice(_, _, -1)]), bytesOf(dense - tile(v[slice(_, _, -1)], {1000, 1})));
  // Below other axes, and in the place of an operand.
  const Array cube = numbers({20, 50, 3}, f32, 4), plane = numbers({50, 3}, f32, 5);
  EXPECT_EQ(bytesOf(cube + v), bytesOf(cube + tile(v, {20, 50, 1})));
  EXPECT_EQ(bytesOf(cube + plane), bytesOf(cube + tile(plane, {20, 1, 1})));
  EXPECT_EQ(bytesOf((cube * 2.0f) + v), bytesOf(tile(v, {20, 50, 1}) + (cube * 2.0f)));
}

/// Operands of random shapes that broadcast along a short last axis, dense or cut out of longer rows.
class RandomOperands {
public:
  explicit RandomOperands(uint64_t seed) : numbers_(seed), seed_(seed) {
    const int64_t extents[] = {1, 2, 3, 5, 17, 40, 300};
    const int rank = below(3) + 2;
    int64_t count = shape_.emplace_back(below(17) + 1);
    while (static_cast<int>(shape_.size()) < rank) {
      const int64_t extent = extents[below(std::size(extents))];
      shape_.insert(shape_.begin(), count * extent > 60'000 ? 1 : extent);
      count *= shape_.front();
    }
  }
  const std::vector<int64_t> &shape() const { return shape_; }

  Array whole(Dtype dtype) { return made(shape_, dtype); }
  Array broadcast(Dtype dtype) {
    std::vector<int64_t> shape = shape_;
    for (int64_t &extent : shape)
      if (below(2))
        extent = 1;
    shape.erase(shape.begin(), shape.begin() + below(static_cast<int>(shape.size())));
    return made(shape, dtype);
  }
  /// The same elements, repeated in memory.
  Array dense(const Array &x) const {
    std::vector<int64_t> repeats = shape_;
    const int rank = static_cast<int>(shape_.size()), missing = rank - x.shape().rank();
    for (int axis = missing; axis < rank; ++axis)
      if (x.shape()[axis - missing] != 1)
        repeats[static_cast<size_t>(axis)] = 1;
    return tile(x, repeats);
  }

private:
  int below(int limit) { return static_cast<int>(numbers_() % static_cast<unsigned>(limit)); }
  Array made(std::vector<int64_t> shape, Dtype dtype) {
    const uint64_t seed = 16 * seed_ + ++made_;
    if (below(3))
      return numbers(shape, dtype, seed);
    const int64_t last = shape.back(), first = below(3);
    shape.back() += first + below(2);
    return numbers(shape, dtype, seed)[{ellipsis, slice(first, first + last)}];
  }

  std::mt19937 numbers_;
  uint64_t seed_, made_ = 0;
  std::vector<int64_t> shape_;
};

TEST(ShortRows, CompiledBroadcastingHasTheBitsOfEager) {
  const auto f = [](const Array &a, const Array &b, const Array &c) {
    return std::vector<Array>{(a - b) * c, where(a == b, c, a * c + b * b)};
  };
  const Dtype dtypes[] = {f32, f64, f16, bf16, i32, c64, i8};
  for (uint64_t seed = 0; seed < 84; ++seed) {
    RandomOperands operands(seed);
    const Dtype dtype = dtypes[seed % std::size(dtypes)];
    Array a = operands.whole(dtype), b = operands.broadcast(dtype), c = operands.broadcast(dtype);
    if (seed % 3 == 1)
      std::swap(a, b);
    else if (seed % 3 == 2)
      std::swap(a, c);
    SCOPED_TRACE(std::to_string(seed) + ": " + std::string(short_name(dtype)) + a.shape().str() + b.shape().str() +
                 c.shape().str());
    const std::vector<Array> eager = f(a, b, c), dense = f(operands.dense(a), operands.dense(b), operands.dense(c));
    const uint64_t before = statistics().interpreted_programs;
    const std::vector<Array> compiled = jit(f)(a, b, c);
    if (!detail::compilerPath().empty()) {
      EXPECT_EQ(statistics().interpreted_programs, before);
    }
    const std::vector<Array> interpreted = jit(f, {.compile = Compile::never})(a, b, c);
    for (size_t i = 0; i < eager.size(); ++i) {
      EXPECT_EQ(bytesOf(eager[i]), bytesOf(dense[i]));
      EXPECT_EQ(bytesOf(compiled[i]), bytesOf(eager[i]));
      EXPECT_EQ(bytesOf(interpreted[i]), bytesOf(eager[i]));
    }
  }
}

TEST(ShortRows, CompiledResultsMayTakeTheBufferOfAnOperand) {
  const auto f = jit([](const Array &x, const Array &row, const Array &column) {
    const Array scaled = x * 2.0f;
    return std::vector<Array>{exp(scaled - row) * column, (row * 3.0f - scaled) / column};
  });
  for (const int64_t length : {2, 3, 7, 15}) {
    const Array x = numbers({5000, length}, f32, 1), row = numbers({length}, f32, 2),
                column = numbers({5000, 1}, f32, 3) + 0.125f, scaled = x * 2.0f;
    const std::vector<Array> results = f(x, row, column);
    EXPECT_EQ(bytesOf(results[0]), bytesOf(exp(scaled - row) * column));
    EXPECT_EQ(bytesOf(results[1]), bytesOf((row * 3.0f - scaled) / column));
  }
}

TEST(ShortRows, SoftmaxHasTheBitsOfItsSteps) {
  const auto isSame = [](const Array &a, const Array &b) { return all((a == b) | (isnan(a) & isnan(b))).item<bool>(); };
  std::vector<int64_t> softmaxLengths(std::begin(lengths), std::end(lengths));
  softmaxLengths.insert(softmaxLengths.end(), {1, 31, 32, 63, 64, 65});
  for (const Dtype dtype : {f32, f64})
    for (const int64_t length : softmaxLengths)
      for (const int64_t rows : {int64_t(1), int64_t(7), int64_t(64), int64_t(333), int64_t(6000)}) {
        if (rows == 6000 && dtype != f32)
          continue;
        SCOPED_TRACE(std::string(short_name(dtype)) + " " + std::to_string(rows) + "x" + std::to_string(length));
        Array x = astype(random::normal(random::key(7), {rows, length}) * 10.0f, dtype);
        if (rows > 5 && length > 1) {
          const double inf = std::numeric_limits<double>::infinity();
          x = x.at[{2, 1}].set(inf).at[{3, 0}].set(-inf).at[4].set(-inf).at[{5, 0}].set(std::nan(""));
        }
        const Array shifted = x - max(x, -1, true), weights = exp(shifted), total = sum(weights, -1, true);
        const Array soft = softmax(x), logSoft = log_softmax(x);
        EXPECT_TRUE(isSame(soft, weights / total));
        EXPECT_TRUE(isSame(logSoft, shifted - log(total)));
        // In place.
        EXPECT_TRUE(isSame(softmax(x * 1.0f), soft));
        EXPECT_TRUE(isSame(log_softmax(x * 1.0f), logSoft));
        if (rows == 333 || rows == 6000) {
          EXPECT_TRUE(isSame(jit([](const Array &y) { return softmax(y); })(x), soft));
          EXPECT_TRUE(isSame(jit([](const Array &y) { return log_softmax(y); })(x), logSoft));
        }
      }
}

} // namespace
