//===- first_programs_test.cpp - what a person writes first ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of TensorFlow's guides to eager execution and to tf.function, in C++, with the
// numbers that these print.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace tn = tenon;
using tn::Array;

namespace {

std::string printed(const Array &x) {
  std::ostringstream out;
  out << x;
  return out.str();
}
using Floats = std::vector<float>;

TEST(FirstPrograms, Hello) {
  const Array x{{2.0f}}, m = tn::matmul(x, x);
  EXPECT_EQ(tn::format("hello, {}", m), "hello, [[4.]]");
}

TEST(FirstPrograms, ConstantsAndOperators) {
  const Array a{{1, 2}, {3, 4}}, b = tn::add(a, 1);
  EXPECT_EQ(printed(a), "Array([[1 2]\n [3 4]], shape=(2, 2), dtype=int32)");
  EXPECT_EQ(tn::format("{}", b), "[[2 3]\n [4 5]]");
  EXPECT_EQ(tn::format("{}", a * b), "[[ 2  6]\n [12 20]]");
  EXPECT_EQ(tn::format("{}", tn::multiply(a, b)), "[[ 2  6]\n [12 20]]");
  const Array c{{1.0f, 2.0f}, {3.0f, 4.0f}}, d{{5.0f, 6.0f}, {7.0f, 8.0f}};
  EXPECT_EQ(printed(c + d), "Array([[ 6.  8.]\n [10. 12.]], shape=(2, 2), dtype=float32)");
}

TEST(FirstPrograms, FizzBuzz) {
  std::string text;
  Array counter = 0;
  const Array max_num = 15;
  for (int num = 1; num <= max_num.item<int>(); ++num) {
    const Array n = num;
    if (int(n % 3) == 0 && int(n % 5) == 0)
      text += "FizzBuzz ";
    else if (n % 3 == 0)
      text += "Fizz ";
    else if (n % 5 == 0)
      text += "Buzz ";
    else
      text += tn::format("{} ", n);
    counter = counter + 1;
  }
  EXPECT_EQ(text, "1 2 Fizz 4 Buzz Fizz 7 8 Fizz Buzz 11 Fizz 13 14 FizzBuzz ");
  EXPECT_EQ(counter.item<int>(), 15);
}

TEST(FirstPrograms, DerivativesOfASquare) {
  auto square = [](const Array &x) { return tn::multiply(x, x); };
  EXPECT_EQ(square(3.0f).item<float>(), 9);
  EXPECT_EQ(tn::grad(square)(3.0f).item<float>(), 6);
  EXPECT_EQ(tn::grad(tn::grad(square))(3.0f).item<float>(), 2);
  // Plain C++ decides: the derivative is that of the side taken.
  auto absolute = [](const Array &x) { return x > 0 ? x : -x; };
  EXPECT_EQ(tn::grad(absolute)(3.0f).item<float>(), 1);
  EXPECT_EQ(tn::grad(absolute)(-3.0f).item<float>(), -1);
  auto [value, slope] = tn::value_and_grad(square)(3.0f);
  EXPECT_EQ(value.item<float>(), 9);
  EXPECT_EQ(slope.item<float>(), 6);
}

TEST(FirstPrograms, TheNaiveLogarithmOfAnExponential) {
  auto log1pexp = [](const Array &x) { return tn::log(1 + tn::exp(x)); };
  EXPECT_EQ(tn::grad(log1pexp)(0.0f).item<float>(), 0.5f);
  EXPECT_TRUE(std::isnan(tn::grad(log1pexp)(100.0f).item<float>()));
}

Array function_to_get_faster(Array x, Array y, Array b) {
  x = tn::matmul(x, y);
  x = x + b;
  return x;
}

TEST(FirstPrograms, AFunctionThatGetsFaster) {
  auto a_function_that_uses_a_graph = tn::jit(function_to_get_faster);
  const Array x{{1.0f, 2.0f}}, y{{2.0f}, {3.0f}}, b = 4.0f;
  const Array eager = function_to_get_faster(x, y, b), compiled = a_function_that_uses_a_graph(x, y, b);
  EXPECT_EQ(printed(eager), "Array([[12.]], shape=(1, 1), dtype=float32)");
  EXPECT_EQ(printed(compiled), printed(eager));
  // An inner function is traced as a part of the outer one.
  auto outer_function = tn::jit([&](const Array &given) {
    const Array inner_y{{2.0f}, {3.0f}}, inner_b = 4.0f;
    return a_function_that_uses_a_graph(given, inner_y, inner_b);
  });
  EXPECT_EQ(printed(outer_function(x)), printed(eager));
}

TEST(FirstPrograms, OneFunctionForManySignatures) {
  auto a_function = tn::jit([](const Array &x) { return x; });
  EXPECT_EQ(printed(a_function(Array(1))), "Array(1, shape=(), dtype=int32)");
  EXPECT_EQ(printed(a_function(Array(1.0f))), "Array(1., shape=(), dtype=float32)");
  EXPECT_EQ(printed(a_function(Array{1.0f, 1.0f, 1.0f})), "Array([1. 1. 1.], shape=(3,), dtype=float32)");
  EXPECT_EQ(a_function.stats().traces, 3u);
}

TEST(FirstPrograms, AFunctionWithASideEffect) {
  std::string text;
  auto a_function_with_side_effect = tn::jit([&](const auto &x) {
    text += "Tracing!";
    return Array(x) * Array(x) + 2;
  });
  auto call = [&](const auto &x) { text += tn::format(" {} ", a_function_with_side_effect(x)); };
  call(Array(2)); // arrays are inputs: the second call traces nothing
  call(Array(3));
  call(2); // other numbers are other functions, in a callable that takes anything
  call(3);
  EXPECT_EQ(text, "Tracing! 6  11 Tracing! 6 Tracing! 11 ");
  EXPECT_EQ(a_function_with_side_effect.stats().traces, 3u);
}

} // namespace
