//===- first_programs_test.cpp - programs as a new user writes them ------===//
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

/// Backtracking line search, as the guide has it, from a gradient; the loop is C++'s.
template <class F>
std::pair<Array, int> line_search(const F &fn, const Array &init_x, Array rate) {
  const auto [init_value, slope] = tn::value_and_grad(fn)(init_x);
  const Array norm = tn::sum(slope * slope);
  Array x = init_x, value = init_value;
  int rounds = 0;
  for (; value > init_value - rate * norm; ++rounds) {
    x = init_x - rate * slope;
    value = fn(x);
    rate = rate / 2.0f;
  }
  return {x, rounds};
}

TEST(FirstPrograms, ALineSearchAndItsDerivative) {
  auto square = [](const Array &x) { return x * x; };
  auto quartic = [](const Array &x) { return x * x * x * x; };
  const auto [x, rounds] = line_search(square, 3.0f, 1.0f);
  EXPECT_EQ(x.item<float>(), 0);
  EXPECT_EQ(rounds, 2);
  const auto [y, more] = line_search(quartic, 1.0f, 1.0f);
  EXPECT_EQ(y.item<float>(), 0.75f);
  EXPECT_EQ(quartic(y).item<float>(), 0.31640625f);
  EXPECT_EQ(more, 5);
  // Of the rounds that were run: x - 4 x^3 / 16 has the slope 1 - 12 / 16 there.
  auto searched = [&](const Array &start) { return line_search(quartic, start, 1.0f).first; };
  EXPECT_EQ(tn::grad(searched)(1.0f).item<float>(), 0.25f);
  EXPECT_EQ(tn::jvp(searched, 1.0f, 2.0f).second.item<float>(), 0.5f);
  EXPECT_EQ(tn::vjp(searched, 1.0f).second(Array(4.0f)).item<float>(), 1);
  EXPECT_EQ(tn::linearize(searched, 1.0f).second(1.0f).item<float>(), 0.25f);
}

TEST(FirstPrograms, DerivativesOfWhatCppDecides) {
  // FizzBuzz: 15 is squared, 3, 6, 9, 12 are taken as they are, 5 and 10 cubed.
  auto counted = [](const Array &x) {
    Array sum = 0.0f;
    for (int num = 1; num <= 15; ++num) {
      const Array n = num;
      if (int(n % 3) == 0 && int(n % 5) == 0)
        sum = sum + x * x;
      else if (int(n % 3) == 0)
        sum = sum + x;
      else if (int(n % 5) == 0)
        sum = sum + x * x * x;
    }
    return sum;
  };
  EXPECT_EQ(tn::grad(counted)(2.0f).item<float>(), 2 * 2 + 4 + 2 * 3 * 4);
  EXPECT_EQ(tn::jvp(counted, 2.0f, 1.0f).second.item<float>(), 32);
  auto absolute = [](const Array &x) { return x > 0 ? x : -x; };
  auto halved = [](Array x) { // a loop that the value ends
    while (x > 1)
      x = x / 2;
    return x * x;
  };
  for (const float at : {3.0f, -3.0f}) {
    EXPECT_EQ(tn::jvp(absolute, at, 1.0f).second.item<float>(), at / 3);
    EXPECT_EQ(tn::grad(absolute)(at).item<float>(), at / 3);
  }
  EXPECT_EQ(tn::grad(halved)(6.0f).item<float>(), 2 * 0.75f / 8);
  EXPECT_EQ(tn::jvp(halved, 6.0f, 8.0f).second.item<float>(), 1.5f);
  EXPECT_EQ(tn::grad(tn::grad(halved))(6.0f).item<float>(), 2.0f / 64);
  EXPECT_EQ(tn::hvp(halved, 6.0f, 64.0f).item<float>(), 2);
}

struct Line {
  tn::Variable weight{5.0f, "weight"}, bias{10.0f, "bias"};
  Array operator()(const Array &x) const { return x * weight + bias; }
};

TEST(FirstPrograms, ARegressionByGradientDescent) {
  constexpr int examples = 2000;
  constexpr float rate = 0.01f;
  const tn::Key key = tn::random::key(7);
  const Array x = tn::random::normal(key, {examples}),
              noise = tn::random::normal(tn::random::split(key)[0], {examples});
  const Array y = x * 3.0f + 2.0f + noise;
  auto train = [&](auto compile) {
    const Line model;
    auto loss = [&] { return tn::mean(tn::square(model(x) - y)); };
    auto step = compile([&] {
      tn::GradientTape tape;
      const Array now = loss();
      const auto [d_weight, d_bias] = tape.gradient(now, model.weight, model.bias);
      model.weight -= rate * d_weight;
      model.bias -= rate * d_bias;
      return now;
    });
    for (int i = 0; i < 300; ++i) {
      const float now = step().template item<float>();
      // The noise's variance, and what is left of the distance 68.
      if (const float expected = 1 + 68 * std::pow(0.98f, 2.0f * i); i % 20 == 0) {
        EXPECT_NEAR(now, expected, 0.15f * expected) << i;
      }
    }
    EXPECT_NEAR(loss().template item<float>(), 1.0004f, 0.15f);
    EXPECT_NEAR(float(model.weight.value()), 3.0047f, 0.1f);
    EXPECT_NEAR(float(model.bias.value()), 2.0187f, 0.1f);
    return std::pair(float(model.weight.value()), float(model.bias.value()));
  };
  const auto eager = train([](auto step) { return step; });
  EXPECT_EQ(train([](auto step) { return tn::jit(step); }), eager) << "the same bits";
}

} // namespace
