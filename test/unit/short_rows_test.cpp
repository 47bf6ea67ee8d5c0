//===- short_rows_test.cpp - broadcasting and softmax along a short last axis -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
