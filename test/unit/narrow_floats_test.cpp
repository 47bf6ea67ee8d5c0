//===- narrow_floats_test.cpp - sums and counts of f16 and bf16 stay in f32 ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tenon;
using namespace tenon::test;

namespace {

/// f(x) of narrow x must be what f gives in f64, rounded once, and the same bits under jit.
void expectRoundedOnce(const char *what, const std::function<Array(const Array &)> &f, const Array &x) {
  const Array got = f(x), wanted = astype(f(astype(x, f64)), x.dtype());
  ASSERT_EQ(got.dtype(), x.dtype()) << what;
  const Doubles a = doubles(got), b = doubles(wanted);
  ASSERT_EQ(a.size(), b.size()) << what;
  const double ulp = x.dtype() == f16 ? 0x1p-10 : 0x1p-7;
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], ulp * std::abs(b[i]) + 1e-7) << what << " of " << name(x.dtype()) << ", element " << i;
  EXPECT_TRUE(bool(all(jit(f)(x) == got))) << what << " of " << name(x.dtype()) << ", compiled";
}

class NarrowFloats : public testing::TestWithParam<Dtype> {
protected:
  Array filled(Shape shape, double value) const { return full(shape, value, GetParam()); }
};

TEST_P(NarrowFloats, MeanOfNumbersWhoseSumIsOutOfRange) {
  expectRoundedOnce("mean", [](const Array &x) { return mean(x); }, filled({3}, 40000));
  expectRoundedOnce("mean", [](const Array &x) { return mean(x, -1); }, filled({2, 70000}, 1));
}

TEST_P(NarrowFloats, MeanHasAGradient) {
  const Array x = filled({70000}, 1);
  const Array slope = grad([](const Array &x) { return mean(x); })(x);
  EXPECT_NEAR(doubles(slope)[0], 1.0 / 70000, 1e-7);
}

TEST_P(NarrowFloats, MomentsWhoseSquaresAreOutOfRange) {
  const Array x = astype(Array{-300.0f, 300.0f}, GetParam());
  expectRoundedOnce("layer_norm", [](const Array &x) { return layer_norm(x, -1, 1, 0); }, x);
  expectRoundedOnce("var", [](const Array &x) { return var(x / 8); }, x);
  expectRoundedOnce("std", [](const Array &x) { return tenon::std(x); }, x);
}

TEST_P(NarrowFloats, LayerNormHasTheGradientOfF64) {
  const Array x = astype(Array{-300.0f, 100.0f, 250.0f}, GetParam());
  auto slope =
      grad([](const Array &x) { return sum(layer_norm(x, -1, 1, 0) * astype(Array{1.0f, 2.0f, -1.0f}, x.dtype())); });
  expectRoundedOnce("gradient of layer_norm", [&](const Array &x) { return slope(x) * 64; }, x);
}

TEST_P(NarrowFloats, SoftmaxOfMoreElementsThanTheLargestNumber) {
  expectRoundedOnce("softmax", [](const Array &x) { return softmax(x); }, filled({70000}, 0));
  expectRoundedOnce("log_softmax", [](const Array &x) { return log_softmax(x); }, filled({70000}, 0));
}

TEST_P(NarrowFloats, PmeanOfNumbersWhoseSumIsOutOfRange) {
  auto f = vmap([](const Array &x) { return pmean(x, "batch"); }, {.axis_name = "batch"});
  expectRoundedOnce("pmean", [&](const Array &x) { return f(x); }, filled({4}, 40000));
}

TEST_P(NarrowFloats, TiesShareTheGradientOfAnExtremum) {
  const Array x = filled({70000}, 1);
  for (const Array &slope :
       {grad([](const Array &x) { return max(x); })(x), grad([](const Array &x) { return min(x); })(x)})
    EXPECT_NEAR(doubles(slope)[69999], 1.0 / 70000, 1e-7);
  const Array ids = zeros({5000}, i32);
  const Array y = filled({5000}, 1);
  const Array slope = grad([&](const Array &y) { return sum(segment_max(y, ids, 1)); })(y);
  EXPECT_NEAR(doubles(slope)[4999], 1.0 / 5000, 1e-6);
}

TEST_P(NarrowFloats, RepeatedIndicesAddUpInTheGradientOfAGather) {
  const Array x = filled({2}, 1), rows = zeros({5000}, i32);
  const Array slope = grad([&](const Array &x) { return sum(x[rows] / 1000); })(x);
  EXPECT_NEAR(doubles(slope)[0], 5, 0.05);
  EXPECT_EQ(doubles(slope)[1], 0);
}

TEST_P(NarrowFloats, SegmentsOfManyElements) {
  const Array ids = zeros({5000}, i32);
  expectRoundedOnce("segment_sum", [&](const Array &x) { return segment_sum(x, ids, 2); }, filled({5000}, 1));
}

TEST_P(NarrowFloats, UpdatesOfOneElementAddUp) {
  const Array ids = zeros({5000}, i32);
  expectRoundedOnce(
      "at[].add", [&](const Array &x) { return zeros({2}, x.dtype()).at[ids].add(x); }, filled({5000}, 1));
  expectRoundedOnce(
      "at[].multiply", [&](const Array &x) { return ones({2}, x.dtype()).at[ids].multiply(x); },
      astype(full({5000}, 1.0009765625), GetParam()));
  // One update of one element is rounded once in the array's dtype.
  expectRoundedOnce("at[0].add", [&](const Array &x) { return x.at[0].add(x[1] / 3); }, filled({2}, 5));
  expectRoundedOnce("bincount", [&](const Array &x) { return bincount(ids, x); }, filled({5000}, 1));
}

TEST_P(NarrowFloats, RunningAndWeightedSums) {
  const Array ones = filled({5000}, 1);
  expectRoundedOnce("cumulative_sum", [](const Array &x) { return cumulative_sum(x); }, ones);
  expectRoundedOnce("logsumexp", [](const Array &x) { return logsumexp(x); }, filled({70000}, 1));
  expectRoundedOnce("average", [](const Array &x) { return average(x, {}, x); }, filled({3}, 40000));
  expectRoundedOnce("nanmean", [](const Array &x) { return nanmean(x); }, filled({3}, 40000));
  expectRoundedOnce("norm", [](const Array &x) { return norm(x); }, filled({4}, 300));
  expectRoundedOnce("trapezoid", [](const Array &x) { return trapezoid(x); }, filled({4}, 20000));
}

/// All numbers from 0 to infinity in ascending order.
Doubles nonNegative(Dtype dtype) {
  const int digits = dtype == f16 ? 10 : 7, fields = dtype == f16 ? 31 : 255, lowest = dtype == f16 ? -14 : -126;
  Doubles numbers;
  for (int code = 0; code < fields << digits; ++code) {
    const int field = code >> digits, rest = code & ((1 << digits) - 1);
    numbers.push_back(std::ldexp(field ? (1 << digits) + rest : rest, (field ? field - 1 : 0) + lowest - digits));
  }
  numbers.push_back(INFINITY);
  return numbers;
}

TEST_P(NarrowFloats, NextafterFindsTheNeighboursOfAllNumbers) {
  const Doubles all = nonNegative(GetParam());
  const Doubles above(all.begin() + 1, all.end()), below(all.begin(), all.end() - 1);
  const Array x = astype(Array(below), GetParam()), y = astype(Array(above), GetParam());
  ASSERT_EQ(doubles(x), below);
  auto up = [](const Array &x) { return nextafter(x, INFINITY); };
  auto down = [](const Array &x) { return nextafter(x, -INFINITY); };
  EXPECT_EQ(doubles(up(x)), above);
  EXPECT_EQ(doubles(down(y)), below);
  EXPECT_EQ(doubles(-down(-x)), above);
  EXPECT_EQ(doubles(-up(-y)), below);
  EXPECT_EQ(doubles(jit(up)(x)), above);
  EXPECT_EQ(doubles(jit(down)(y)), below);
  EXPECT_EQ(doubles(nextafter(y, y)), above);
  EXPECT_TRUE(bool(signbit(up(-y)[0]))); // -0, as in C
  EXPECT_EQ(doubles(down(filled({1}, 0)))[0], -above[0]);
  EXPECT_TRUE(bool(isnan(nextafter(filled({}, NAN), 1)) && isnan(nextafter(filled({}, 1), NAN))));
  EXPECT_EQ(nextafter(x, 1).dtype(), GetParam());
}

TEST_P(NarrowFloats, NextafterHasTheDerivativeOfItsFirstOperand) {
  auto slopes = grad<0, 1>([](const Array &x, const Array &y) { return sum(nextafter(x, y)); });
  const auto [dx, dy] = slopes(filled({2}, 1), astype(Array{2.0f, 1.0f}, GetParam()));
  EXPECT_EQ(doubles(dx), (Doubles{1, 0}));
  EXPECT_EQ(doubles(dy), (Doubles{0, 1}));
}

INSTANTIATE_TEST_SUITE_P(Halves, NarrowFloats, testing::Values(f16, bf16),
                         [](const auto &one) { return std::string(short_name(one.param)); });

} // namespace
