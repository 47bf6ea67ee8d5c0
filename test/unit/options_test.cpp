//===- options_test.cpp - arguments by name, and dtypes without what stands before them -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Printed.h"

#include <tenon/tenon.h>

#include <cmath>
#include <gtest/gtest.h>

using namespace tenon;
using tenon::test::errorOf;
using tenon::test::messageOf;
using tenon::test::printedBy;

static bool areEqual(const Array &a, const Array &b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && array_equal(a, b).item<bool>();
}

TEST(Options, OfReductionsByName) {
  const Array x = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 7.0f}};
  EXPECT_TRUE(areEqual(sum(x, {.axis = 1}), Array{6.0f, 16.0f}));
  EXPECT_TRUE(areEqual(sum(x, {.axis = 1, .keepdims = true}), Array{{6.0f}, {16.0f}}));
  EXPECT_TRUE(areEqual(sum(x, {.axis = {0, 1}}), Array(22.0f)));
  EXPECT_TRUE(areEqual(sum(x, {.axis = std::vector<int>()}), x)) << "no axes";
  EXPECT_TRUE(areEqual(sum(x, {.keepdims = true}), Array{{22.0f}}));
  EXPECT_TRUE(areEqual(sum(x, {.keepdims = 1}), Array{{22.0f}})) << "not axis 1";
  EXPECT_TRUE(areEqual(argmax(x, {.axis = 0}), Array{int64_t(1), int64_t(1), int64_t(1)}));
  EXPECT_TRUE(areEqual(argmax(x, {.keepdims = true}), Array{{int64_t(5)}}));
  EXPECT_TRUE(areEqual(argmin(x, {.axis = 1}), Array{int64_t(0), int64_t(0)}));
  EXPECT_TRUE(areEqual(var(x, {.axis = 0, .correction = 1}), Array{4.5f, 4.5f, 8.0f}));
  EXPECT_TRUE(areEqual(average(x, {.axis = 0, .weights = {3.0f, 1.0f}}), Array{1.75f, 2.75f, 4.0f}));
  EXPECT_TRUE(areEqual(average(x, {.axis = 0, .keepdims = true}), mean(x, 0, true)));
  EXPECT_TRUE(areEqual(vector_norm(x, {.axis = 1, .ord = 1}), Array{6.0f, 16.0f}));
  EXPECT_TRUE(areEqual(norm(x, {.ord = INFINITY}), Array(16.0f))) << "of a matrix";
  EXPECT_TRUE(areEqual(quantile(x, 0.5, {.axis = 0, .keepdims = true}), quantile(x, 0.5, 0, true)));
  EXPECT_TRUE(areEqual(logsumexp(x, {.axis = -1}), logsumexp(x, -1)));
}

TEST(Options, ListsAndNothingAreAxes) {
  const Array x = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 7.0f}};
  EXPECT_TRUE(areEqual(sum(x, {0, 1}), Array(22.0f)));
  EXPECT_TRUE(areEqual(sum(x, {1}), Array{6.0f, 16.0f}));
  EXPECT_TRUE(areEqual(sum(x, {1}, true), Array{{6.0f}, {16.0f}}));
  EXPECT_TRUE(areEqual(sum(x, {}), Array(22.0f)));
  EXPECT_TRUE(areEqual(sum(x, {}, true), Array{{22.0f}}));
  EXPECT_TRUE(areEqual(sum(x, std::vector{1}), Array{6.0f, 16.0f}));
  EXPECT_TRUE(areEqual(sum(x, x.ndim() - 1), Array{6.0f, 16.0f}));
}

TEST(Options, ErrorsNameTheFunctionAndTheUsersLine) {
  const Array x = {1.0f, 2.0f};
  const std::string error = errorOf([&] { (void)sum(x, {.axis = 1}); });
  EXPECT_EQ(error.find("sum: "), 0u) << error;
  EXPECT_NE(error.find("options_test.cpp"), error.npos) << error;
}

TEST(Creation, TakesADtypeAfterWhatIsGiven) {
  EXPECT_TRUE(areEqual(arange(4, f32), Array{0.0f, 1.0f, 2.0f, 3.0f}));
  EXPECT_TRUE(areEqual(arange(1, 3, f64), astype(Array{1, 2}, f64)));
  EXPECT_TRUE(areEqual(arange(1, 7, 3, i64), Array{int64_t(1), int64_t(4)}));
  EXPECT_TRUE(areEqual(eye(2, i32), Array{{1, 0}, {0, 1}}));
  EXPECT_TRUE(areEqual(eye(1, 2, i32), Array{{1, 0}}));
  EXPECT_TRUE(areEqual(tri(2, i32), Array{{1, 0}, {1, 1}}));
  EXPECT_TRUE(areEqual(linspace(0, 1, 3, f64), astype(Array{0.0f, 0.5f, 1.0f}, f64)));
  EXPECT_EQ(linspace(0, 1, f64).shape().str(), "(50,)");
  EXPECT_TRUE(areEqual(linspace(0, 1, 2, false, f64), astype(Array{0.0f, 0.5f}, f64)));
  EXPECT_EQ(logspace(0, 2, 3, f64).dtype(), f64);
  EXPECT_EQ(geomspace(1, 8, 4, f64).dtype(), f64);
  EXPECT_EQ(messageOf([] { (void)arange(300, u8); }),
            "arange: expected elements that fit u8, got 299 in arange(0, 300, 1)");
  EXPECT_NE(errorOf([] { (void)arange(300, u8); }).find("options_test.cpp"), std::string::npos);
}

TEST(Creation, TakesSizes) {
  const Array x = zeros({3, 2});
  EXPECT_TRUE(areEqual(arange(x.dim(0)), Array{0, 1, 2}));
  EXPECT_TRUE(areEqual(arange(x.dim(0), f32), Array{0.0f, 1.0f, 2.0f}));
  EXPECT_TRUE(areEqual(arange(x.dim(1), x.dim(0)), Array{2}));
  EXPECT_TRUE(areEqual(full({2}, x.dim(0)), Array{3, 3}));
  EXPECT_TRUE(areEqual(arange(Dim(2)), Array{0, 1}));
  // One program for all sizes.
  auto f = jit([](const Array &y) { return y + arange(y.dim(0)); }, {.specs = {TensorSpec{i32, {"n"}}}});
  EXPECT_TRUE(areEqual(f(ones(3, i32)), Array{1, 2, 3}));
  EXPECT_TRUE(areEqual(f(ones(5, i32)), Array{1, 2, 3, 4, 5}));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Creation, TakesBracesForWhatIsLeftOut) {
  EXPECT_EQ(eye(3, {}, f64).shape(), Shape({3, 3}));
  EXPECT_EQ(tri(3, {}, f64).dtype(), f64);
  EXPECT_EQ(tri(3, {}, 1).shape(), Shape({3, 3}));
  EXPECT_EQ(eye(3, 2, f64).shape(), Shape({3, 2}));
}

TEST(Creation, CountsFromANumberToASize) {
  const Array x = ones({4});
  auto f = [](const Array &x) {
    return std::tuple(arange(1, x.dim(0) + 1), arange(-2, x.dim(0)), arange(1, x.dim(0), f32), arange(0, x.shape()[0]));
  };
  for (bool isSymbolic : {false, true}) {
    const auto jitted = jit(f, isSymbolic ? JitOptions{.specs = {TensorSpec{f32, {"n"}}}} : JitOptions());
    const auto [ones, twos, floats, zeros] = jitted(x);
    EXPECT_EQ(ones.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4}));
    EXPECT_EQ(twos.to_vector<int32_t>(), (std::vector<int32_t>{-2, -1, 0, 1, 2, 3}));
    EXPECT_EQ(floats.to_vector<float>(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(zeros.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 3}));
  }
  EXPECT_EQ(std::get<0>(f(x)).to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4}));
  const int64_t large = int64_t(1) << 40;
  auto far = [&](const Array &x) { return arange(large, x.dim(0) + large); };
  const auto symbolic = jit(far, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(symbolic(x).to_vector<int64_t>(), (std::vector<int64_t>{large, large + 1, large + 2, large + 3}));
  EXPECT_EQ(far(x).dtype(), i64);
  for (int64_t start : {-2, 256}) {
    const auto narrow =
        jit([&](const Array &x) { return arange(start, x.dim(0) + start, u8); }, {.specs = {TensorSpec{f32, {"n"}}}});
    EXPECT_NE(errorOf([&] { narrow(x); }).find("fit u8"), std::string::npos) << start;
  }
}

TEST(Print, OneArrayNumberOrVariable) {
  EXPECT_EQ(printedBy([] { print(Array{1, 2}); }), "[1 2]\n");
  EXPECT_EQ(printedBy([] { print(3); }), "3\n");
  EXPECT_EQ(printedBy([] { print(Variable(2.5f)); }), "2.5\n");
  EXPECT_EQ(printedBy([] { print("text"); }), "text\n") << "a format";
  auto f = jit([](const Array &x) {
    print(x);
    return x * 2;
  });
  EXPECT_EQ(printedBy([&] {
              f(Array{1, 2});
              f(Array{3, 4});
            }),
            "[1 2]\n[3 4]\n");
}

TEST(Check, NeedsNoMessage) {
  check(Array{true, true});
  const std::string error = errorOf([] { check(Array{1, 2} > 1); });
  EXPECT_NE(error.find("the condition is false"), error.npos) << error;
  EXPECT_NE(error.find("options_test.cpp"), error.npos) << error;
}
