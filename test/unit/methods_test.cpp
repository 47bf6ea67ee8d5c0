//===- methods_test.cpp - functions as methods of Array and Variable ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

using namespace tenon;
using tenon::test::errorOf;
using tenon::test::messageOf;

static bool areEqual(const Array &a, const Array &b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && array_equal(a, b).item<bool>();
}

/// Each method and the function of its name, of `x` as an Array and as a Variable.
template <class Self>
static void expectMethods(const Self &x, const Array &y) {
  EXPECT_TRUE(areEqual(x.exp(), exp(y)));
  EXPECT_TRUE(areEqual(x.negative(), -y));
  EXPECT_TRUE(areEqual(x.isnan(), isnan(y)));
  EXPECT_TRUE(areEqual(x.relu(), relu(y)));
  EXPECT_TRUE(areEqual(x.sum(), sum(y)));
  EXPECT_TRUE(areEqual(x.sum(1), sum(y, 1)));
  EXPECT_TRUE(areEqual(x.sum({0, 1}, true), sum(y, {0, 1}, true)));
  EXPECT_TRUE(areEqual(x.sum({.axis = -1, .keepdims = true}), sum(y, -1, true)));
  EXPECT_TRUE(areEqual(x.mean({.axis = 0}), mean(y, 0)));
  EXPECT_TRUE(areEqual(x.max(), max(y)));
  EXPECT_TRUE(areEqual(x.all(1), all(y, 1)));
  EXPECT_TRUE(areEqual(x.var({.axis = 1, .correction = 1}), var(y, 1, false, 1)));
  EXPECT_TRUE(areEqual(x.std(1), tenon::std(y, 1)));
  EXPECT_TRUE(areEqual(x.argmax(), argmax(y)));
  EXPECT_TRUE(areEqual(x.argmax(1, true), argmax(y, 1, true)));
  EXPECT_TRUE(areEqual(x.argmin({.axis = 0}), argmin(y, 0)));
  EXPECT_TRUE(areEqual(x.norm({.ord = 1}), norm(y, {}, false, 1)));
  EXPECT_TRUE(areEqual(x.dot(y.T()), dot(y, y.T())));
  EXPECT_TRUE(areEqual(x.matmul(transpose(y)), matmul(y, transpose(y))));
  EXPECT_TRUE(areEqual(x.clip(0, none), clip(y, 0)));
  EXPECT_TRUE(areEqual(x.clip(-1, 2), clip(y, -1, 2)));
  EXPECT_TRUE(areEqual(x.reshape({3, -1}), reshape(y, {3, 2})));
  EXPECT_TRUE(areEqual(x.transpose({1, 0}), transpose(y)));
  EXPECT_TRUE(areEqual(x.T(), transpose(y)));
  EXPECT_TRUE(areEqual(x.mT(), matrix_transpose(y)));
  EXPECT_TRUE(areEqual(x.flatten(), reshape(y, {-1})));
  EXPECT_TRUE(areEqual(x.expand_dims(0).squeeze(), y));
  EXPECT_TRUE(areEqual(x.astype(i32), astype(y, i32)));
  EXPECT_TRUE(areEqual(x.sort(1, true), sort(y, 1, true)));
  EXPECT_TRUE(areEqual(x.argsort(), argsort(y)));
  EXPECT_TRUE(areEqual(x.take({0, 2}, 1), take(y, {0, 2}, 1)));
  EXPECT_TRUE(areEqual(x.cumulative_sum(1), cumulative_sum(y, 1)));
  EXPECT_TRUE(areEqual(x.softmax(), softmax(y)));
  EXPECT_EQ(x.nonzero().size(), 2u);
  EXPECT_TRUE(areEqual(x[1], y[1]));
  EXPECT_TRUE(areEqual(x[{_, 2}], y[{_, 2}]));
  EXPECT_EQ(int(x.dim(-1)), 3);
  EXPECT_EQ(int(x.size()), 6);
  EXPECT_EQ((x[{0, 1}].template item<float>()), -2);
  EXPECT_EQ(x.template to_vector<float>(), y.to_vector<float>());
}

TEST(Methods, OfAnArrayAreTheFunctions) {
  const Array x = {{1.0f, -2.0f, 3.0f}, {0.5f, 4.0f, -1.0f}};
  expectMethods(x, x);
}

TEST(Methods, OfAVariableReadItsValue) {
  const Array x = {{1.0f, -2.0f, 3.0f}, {0.5f, 4.0f, -1.0f}};
  const Variable v(x);
  expectMethods(v, x);
  v.assign(x + 1);
  EXPECT_TRUE(areEqual(v.exp(), exp(x + 1)));
  EXPECT_EQ(float(Variable(2.5f)), 2.5f);
  EXPECT_EQ(int(Variable(7)), 7);
  EXPECT_TRUE(bool(Variable(true)));
}

TEST(Methods, AreTracedAndDifferentiated) {
  const Array x = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  const Variable v(x);
  auto f = [&](const Array &y) { return (y.exp() * v.T()).sum({.axis = 0}).max(); };
  EXPECT_TRUE(areEqual(jit(f)(x), f(x)));
  EXPECT_TRUE(areEqual(jit(grad(f))(x), grad(f)(x)));
  GradientTape tape;
  const Array loss = v.square().sum();
  EXPECT_TRUE(areEqual(tape.gradient(loss, v), 2 * x));
}

TEST(Methods, ErrorsNameTheMethodAndTheUsersLine) {
  const Array x = {1.0f, 2.0f};
  const Variable v(x);
  for (const std::string &error : {errorOf([&] { (void)x.sum(3); }), errorOf([&] { (void)v.sum(3); }),
                                   errorOf([&] { (void)x.sum({.axis = 3}); })}) {
    EXPECT_NE(error.find("sum: "), error.npos) << error;
    EXPECT_NE(error.find("methods_test.cpp"), error.npos) << error;
  }
  const std::string error = errorOf([&] { (void)x.dot({1.0f, 2.0f, 3.0f}); });
  EXPECT_EQ(error.find("dot: "), 0u) << error;
  for (const char *operand : {"\n  x1: f32[2]", "\n  x2: f32[3]"})
    EXPECT_NE(error.find(operand), error.npos) << error;
  EXPECT_NE(error.find("methods_test.cpp"), error.npos) << error;
  EXPECT_NE(errorOf([] { (void)Array().exp(); }), "no error");
  EXPECT_NE(errorOf([] { (void)Variable().exp(); }), "no error");
}

TEST(Conversions, ToEveryIntegerAndFloat) {
  const Array x{1, 200, 3};
  const Variable v(x);
  EXPECT_EQ(static_cast<size_t>(x[1]) + static_cast<unsigned>(v[1]), 400u);
  EXPECT_EQ(static_cast<int64_t>(x[0]) + static_cast<int>(x[2]), 4);
  EXPECT_EQ(static_cast<uint8_t>(x[1]), 200);
  EXPECT_EQ(static_cast<int16_t>(Variable(Array(7))), 7);
  EXPECT_EQ(static_cast<double>(x[2]), 3.0);
  EXPECT_NE(errorOf([&] { (void)static_cast<size_t>(x); }), "no error");
}

TEST(Variables, HaveTheOperatorsOfTruthValues) {
  Variable done(Array(false)), mask(Array{true, false});
  int rounds = 0;
  while (!done) {
    ++rounds;
    done.assign(true);
  }
  EXPECT_EQ(rounds, 1);
  const Array other{true, true};
  EXPECT_TRUE(array_equal(!mask, Array{false, true}).item<bool>());
  EXPECT_TRUE(array_equal(mask && other, Array{true, false}).item<bool>());
  EXPECT_TRUE(array_equal(other && mask, Array{true, false}).item<bool>());
  EXPECT_TRUE(array_equal(mask || mask, Array{true, false}).item<bool>());
  EXPECT_TRUE(array_equal(mask || true, other).item<bool>());
  EXPECT_TRUE(array_equal(mask && true, Array{true, false}).item<bool>());
  EXPECT_TRUE(done && sum(other) > 1);
}

TEST(Variables, ArePrintedAmongArrays) {
  const Variable v(Array{1, 2});
  testing::internal::CaptureStdout();
  print("{} {} {}", v, 3, Array(4));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[1 2] 3 4\n");
  EXPECT_NE(messageOf([&] { check(v[0] > 1, "v is {}", v); }).find("v is [1 2]"), std::string::npos);
}
