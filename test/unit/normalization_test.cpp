//===- normalization_test.cpp - large means, no variance, kernels of rows ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

Array numbers(int seed, Shape shape) { return random::normal(random::key(static_cast<uint64_t>(seed)), shape); }
bool areEqual(const Array &a, const Array &b) { return a.shape() == b.shape() && bool(all(a == b)); }
float distance(const Array &a, const Array &b) { return max(abs(astype(a, f64) - astype(b, f64))).item<double>(); }

Array rmsByOps(const Array &x, const std::vector<int64_t> &axes, const Array &scale, double epsilon = 1e-6) {
  return x / sqrt(mean(x * x, axes, true) + epsilon) * scale;
}

TEST(RmsNorm, IsOneKernelWithTheBitsOfItsOps) {
  for (Dtype dtype : {f32, f64})
    for (Shape shape : {Shape{5, 7}, Shape{3, 4097}, Shape{2, 16}, Shape{4, 1}}) {
      const Array x = astype(numbers(1, shape), dtype), scale = astype(numbers(2, {shape[1]}), dtype);
      for (const Array &each : {x, x * 1000 + 5, slice(concatenate({x, x}, 1), {0, 0}, {shape[0], shape[1]})}) {
        const uint64_t before = statistics().eager_kernels;
        const Array y = rms_norm(each, -1, scale);
        EXPECT_EQ(statistics().eager_kernels - before, 1u);
        EXPECT_TRUE(areEqual(y, rmsByOps(each, {1}, scale))) << shape.str() << short_name(dtype);
        EXPECT_TRUE(areEqual(jit([](Array a, Array s) { return rms_norm(a, -1, s); })(each, scale), y));
      }
    }
}

TEST(RmsNorm, ItsDerivativeHasTheBitsOfItsOps) {
  const Array x = numbers(1, {5, 700}), scale = numbers(2, {700}), y = numbers(3, {5, 700});
  const auto slope = [&](const Array &x) {
    return grad([&](const Array &a) { return sum(rms_norm(a, -1, scale) * y); })(x);
  };
  const Array deviation = sqrt(mean(x * x, {1}, true) + 1e-6), normalized = x / deviation, scaled = y * scale;
  EXPECT_TRUE(areEqual(slope(x), (scaled - normalized * mean(scaled * normalized, {1}, true)) / deviation));
  EXPECT_TRUE(areEqual(jit(slope)(x), slope(x)));
  const Array strided = slice(concatenate({x, x}, 1), {0, 0}, {5, 700});
  EXPECT_TRUE(areEqual(slope(strided), slope(x)));
}

TEST(RmsNorm, OverOtherAxesIsItsOps) {
  const Array x = numbers(1, {3, 4, 5}), scale = numbers(2, {3, 5});
  EXPECT_TRUE(areEqual(rms_norm(x, {2, 0}, scale), rmsByOps(x, {0, 2}, reshape(scale, {3, 1, 5}))));
  EXPECT_TRUE(areEqual(rms_norm(x, 0, 2), rmsByOps(x, {0}, Array(2.0f))));
}

TEST(RmsNorm, OfAStridedScale) {
  const Array x = numbers(1, {6, 4}), scale = transpose(numbers(2, {4, 2}))[0];
  EXPECT_TRUE(areEqual(rms_norm(x, 1, scale), rmsByOps(x, {1}, scale + zeros({4}))));
}

TEST(RmsNorm, OfSymbols) {
  const auto f = [](const Array &x, const Array &s) { return rms_norm(x, -1, s); };
  const Array x = numbers(1, {5, 33}), scale = numbers(2, {33});
  EXPECT_TRUE(
      areEqual(jit(f, {.specs = {TensorSpec{f32, {"n", "w"}}, TensorSpec{f32, {"w"}}}})(x, scale), f(x, scale)));
}

TEST(RmsNorm, SquaresOfNarrowFloatsMayBeOutOfRange) {
  const Array x = astype(Array{-300.0f, 300.0f, 30000.0f}, f16);
  EXPECT_TRUE(areEqual(rms_norm(x, 0, 1), astype(rms_norm(astype(x, f32), 0, 1), f16)));
}

/// As E[x^2] - E[x]^2 the variance has no digits left: PyTorch's issues 40302 and 51102.
TEST(Normalization, LargeMeansDoNotCancel) {
  const Array small = numbers(1, {4, 6, 8}), x = small + 4096, scale = ones({8});
  const Array wide = astype(x, f64);
  EXPECT_LT(distance(group_norm(x, 2, scale, 0), group_norm(wide, 2, astype(scale, f64), 0)), 2e-3f);
  EXPECT_LT(distance(instance_norm(x, 1, 0), instance_norm(wide, 1, 0)), 2e-3f);
  const BatchNorm made = batch_norm_training(x, 1, 0), exact = batch_norm_training(wide, 1, 0);
  EXPECT_LT(distance(made.y, exact.y), 2e-3f);
  EXPECT_LT(distance(made.variance, exact.variance), 1e-3f);
}

TEST(Normalization, ConstantInputsHaveFiniteDerivatives) {
  const Array x = full({4, 3, 6}, 7.0f), y = numbers(1, {4, 3, 6});
  const auto finite = [&](auto &&f) {
    EXPECT_TRUE(bool(all(f(x) == 0)));
    EXPECT_TRUE(bool(all(isfinite(grad([&](const Array &a) { return sum(f(a) * y); })(x)))));
  };
  finite([](const Array &a) { return group_norm(a, 3, 1, 0); });
  finite([](const Array &a) { return instance_norm(a, 1, 0); });
  finite([](const Array &a) { return batch_norm_training(a, 1, 0).y; });
  const Array zero = zeros({3, 4});
  EXPECT_TRUE(bool(all(isfinite(grad([](const Array &a) { return sum(rms_norm(a, -1, 1)); })(zero)))));
}

TEST(BatchNorm, TrainingThenInferenceWithItsStatisticsIsTheSame) {
  const Array x = numbers(1, {6, 5, 4}), scale = numbers(2, {4}), offset = numbers(3, {4});
  const auto [y, mean, variance] = batch_norm_training(x, scale, offset);
  EXPECT_EQ(mean.shape(), Shape({4}));
  EXPECT_TRUE(areEqual(batch_norm(x, mean, variance, scale, offset), y));
  const Array moved = transpose(x, {0, 2, 1});
  EXPECT_TRUE(areEqual(batch_norm(moved, mean, variance, scale, offset, {.axis = 1}), transpose(y, {0, 2, 1})));
}

/// The sums of squares are out of the range of f16.
TEST(BatchNorm, StatisticsOfNarrowFloatsAreF32) {
  const Array x = astype(numbers(1, {1000, 2}) * 100 + 500, f16);
  const auto [y, mean, variance] = batch_norm_training(x, 1, 0);
  EXPECT_EQ(y.dtype(), f16);
  EXPECT_EQ(mean.dtype(), f32);
  EXPECT_NEAR(doubles(variance)[0], doubles(var(astype(x, f64), 0))[0], 1e-2);
  EXPECT_EQ(batch_norm(x, mean, variance, 1, 0).dtype(), f16);
  EXPECT_TRUE(areEqual(batch_norm(x, mean, variance, 1, 0), y));
}

TEST(BatchNorm, OfNoRowsHasNoStatistics) {
  const auto [y, mean, variance] = batch_norm_training(zeros({0, 3}), 1, 0);
  EXPECT_EQ(y.shape(), Shape({0, 3}));
  EXPECT_TRUE(bool(all(isnan(mean)) && all(isnan(variance))));
}

TEST(GroupNorm, OneGroupIsLayerNormAndAGroupForEachChannelInstanceNorm) {
  const Array x = numbers(1, {2, 5, 6});
  EXPECT_TRUE(areEqual(group_norm(x, 1, 1, 0), layer_norm(x, {1, 2}, 1, 0)));
  EXPECT_TRUE(areEqual(group_norm(x, 6, 1, 0), instance_norm(x, 1, 0)));
  const Array moved = group_norm(transpose(x, {0, 2, 1}), 3, 1, 0, {.axis = 1});
  EXPECT_LT(distance(transpose(moved, {0, 2, 1}), group_norm(x, 3, 1, 0)), 1e-6f);
}

} // namespace
