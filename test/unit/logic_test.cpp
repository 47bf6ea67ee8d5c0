//===- logic_test.cpp - truth values, conditions, and axes ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

using namespace tenon;
using namespace tenon::test;

using Bools = std::vector<bool>;

/// What f gives eagerly, interpreted and compiled: three equal lists.
template <class T = bool, class F, class... A>
static std::vector<T> everywhere(F f, const A &...x) {
  std::vector<T> eager = f(x...).template to_vector<T>();
  EXPECT_EQ(jit(f, {.compile = Compile::never})(x...).template to_vector<T>(), eager) << "interpreted";
  EXPECT_EQ(jit(f)(x...).template to_vector<T>(), eager) << "compiled";
  return eager;
}

static const Array left = {true, true, false, false}, right = {true, false, true, false};

TEST(Logic, OperatorsAreElementwise) {
  EXPECT_EQ(everywhere([](const Array &a, const Array &b) { return a || b; }, left, right),
            (Bools{true, true, true, false}));
  EXPECT_EQ(everywhere([](const Array &a, const Array &b) { return a && b; }, left, right),
            (Bools{true, false, false, false}));
  EXPECT_EQ(everywhere([](const Array &a) { return !a; }, left), (Bools{false, false, true, true}));
  EXPECT_EQ(everywhere([](const Array &a) { return a || true; }, left), Bools(4, true));
  EXPECT_EQ(everywhere([](const Array &a) { return a || 0; }, left), left.to_vector<bool>());
  EXPECT_EQ(everywhere([](const Array &a) { return a && 0.5; }, left), left.to_vector<bool>());
  EXPECT_EQ(everywhere([](const Array &a) { return a && false; }, left), Bools(4, false));
}

// NaN is true and both zeros are false, as in NumPy.
TEST(Logic, NumbersAreTrueWhereTheyAreNotZero) {
  const Array x = {0.0f, -0.0f, NAN, 2.0f, 1e-40f}, i = {0, 3, 0, -1, 0};
  EXPECT_EQ(everywhere([](const Array &a) { return !a; }, x), (Bools{true, true, false, false, false}));
  EXPECT_EQ(everywhere([](const Array &a, const Array &b) { return a || b; }, x, i),
            (Bools{false, true, true, true, true}));
  EXPECT_EQ(everywhere([](const Array &a) { return logical_or(0, a); }, i), (Bools{false, true, false, true, false}));
  EXPECT_EQ(everywhere([](const Array &a) { return any(a); }, x), Bools{true});
  EXPECT_EQ(everywhere([](const Array &a) { return all(a); }, x), Bools{false});
  EXPECT_TRUE(any(Array{NAN}) && all(Array{NAN}));
  EXPECT_FALSE(any(Array{0.0f, -0.0f}));
  EXPECT_FALSE(logical_not(3).item<bool>());
  EXPECT_TRUE(any(3).item<bool>());
  EXPECT_FALSE(all(0.0).item<bool>());
}

TEST(Logic, OfNoElementsNoneIsTrueAndAllAre) {
  auto check = [](const Array &x, const Ints &axes, const Shape &shape) {
    for (bool keepdims : {false, true}) {
      Array none = any(x, axes, keepdims), every = all(x, axes, keepdims);
      EXPECT_EQ(none.dtype(), bool_);
      EXPECT_EQ(every.dtype(), bool_);
      EXPECT_EQ(none.shape(), sum(x, axes, keepdims).shape());
      EXPECT_EQ(every.shape(), sum(x, axes, keepdims).shape());
    }
    size_t count = size_t(any(x, axes).size());
    EXPECT_EQ(any(x, axes).shape(), shape);
    EXPECT_EQ(everywhere([&](const Array &x) { return any(x, axes); }, x), Bools(count, false));
    EXPECT_EQ(everywhere([&](const Array &x) { return all(x, axes); }, x), Bools(count, true));
  };
  check(zeros({0}, bool_), {}, {});
  check(zeros({0, 3}), 0, {3});
  check(zeros({0, 3}), {0, 1}, {});
  check(zeros({0, 3}), 1, {0});
}

TEST(Logic, OfNoElementsOfASymbolToo) {
  auto check = [](auto f, const Shape &spec) {
    for (Compile compile : {Compile::never, Compile::now}) {
      auto sized = jit(f, {.specs = {TensorSpec{f32, spec}}, .compile = compile});
      for (int n : {2, 5}) {
        const Array ones = broadcast_to(Array(1.0f), spec.rank() == 1 ? Shape{n} : Shape{n, 3}), x = ones * 0;
        EXPECT_EQ(sized(ones).template to_vector<bool>(), f(ones).template to_vector<bool>()) << n;
        EXPECT_EQ(sized(x).template to_vector<bool>(), f(x).template to_vector<bool>()) << n;
      }
    }
  };
  auto last = [](const Array &x) {
    Shape from = {2};
    for (int i = 1; i < x.ndim(); ++i)
      from.push_back(0);
    return slice(x, from, x.shape());
  };
  check([=](const Array &x) { return any(last(x)); }, {Dim("n")});
  check([=](const Array &x) { return all(last(x)); }, {Dim("n")});
  check([=](const Array &x) { return any(last(x), 0); }, {Dim("n"), 3});
  check([=](const Array &x) { return all(last(x), {0, 1}, true); }, {Dim("n"), 3});
  check([=](const Array &x) { return any(last(x), 1); }, {Dim("n"), 3});
}

// Any number, beside any array, and two of them.
TEST(Logic, NumbersAreTruthValues) {
  const Array x = {0.0f, 2.0f}, i = {0, 3}, b = {true, false};
  EXPECT_EQ(everywhere([](const Array &a) { return a && 2; }, x), (Bools{false, true}));
  EXPECT_EQ(everywhere([](const Array &a) { return a || 2; }, x), (Bools{true, true}));
  EXPECT_EQ(everywhere([](const Array &a) { return logical_and(0.5, a); }, i), (Bools{false, true}));
  EXPECT_EQ(everywhere([](const Array &a) { return logical_and(a, UINT64_MAX); }, b), (Bools{true, false}));
  EXPECT_EQ(everywhere<int32_t>([](const Array &a) { return where(2, a, -a); }, i), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(where(x, 1, 2).dtype(), i32);
  EXPECT_TRUE(logical_and(2, 3).item<bool>());
  EXPECT_FALSE(logical_and(2, 0).item<bool>());
}

TEST(Logic, HasNoDerivativeAndBatches) {
  auto f = [](const Array &x) { return sum(where(x < 0 || x > 2, x * x, where(!(x == 1), x, any(x) + 5 * x))); };
  EXPECT_EQ(grad(f)(Array{-1.0f, 1.0f, 2.0f, 3.0f}).to_vector<float>(), (std::vector<float>{-2, 5, 1, 6}));
  const Array rows = {{1, 0, 0}, {0, 0, 0}, {1, 2, 3}};
  EXPECT_EQ(vmap([](const Array &row) { return any(row); })(rows).to_vector<bool>(), (Bools{true, false, true}));
  EXPECT_EQ(vmap([](const Array &row) { return all(row); })(rows).to_vector<bool>(), (Bools{false, false, true}));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

TEST(Conditions, AnswerForOneElement) {
  const Array x = {1, 2};
  EXPECT_TRUE(x[0] == 1 && !(x[1] == 1));
  EXPECT_TRUE(bool(x[1] == 1 || x[1] == 2));
  EXPECT_TRUE(bool(Array{{true}}));
  EXPECT_FALSE(bool(Array{0.0f}));
  // A C++ bool on the left decides first: what stands right may not hold without it.
  int i = 2;
  EXPECT_FALSE(i < 2 && x[i] == 1);
}

// The line is that of the op that made the value: `if` has none.
TEST(Conditions, NameTheLineOfTheValue) {
  const Array x = {1, 2, 3}, y = {1, 2, 4};
  unsigned line = 0;
  auto lineOf = [](auto &&f) -> unsigned {
    try {
      f();
    } catch (const Error &error) {
      EXPECT_TRUE(error.message().starts_with("a condition needs one truth value, got bool[3]")) << error.what();
      return error.location().line;
    }
    return 0;
  };
  auto ask = [&](const Array &x) {
    Array same = x == y;
    line = __LINE__ - 1;
    if (same)
      FAIL();
  };
  EXPECT_EQ(lineOf([&] { ask(x); }), line);
  EXPECT_EQ(lineOf([&] { jit([&](const Array &x) { return ask(x), x; })(x); }), line);
  // Of a value that no comparison made, no line is better than a wrong one.
  Array given = {true, false, true};
  Array other = x != y;
  EXPECT_EQ(lineOf([&] { (void)bool(given); }), 0u);
  EXPECT_EQ(lineOf([&] { (void)bool(other); }), __LINE__ - 2u);
  // Nor does one that lies where another was have its line.
  {
    Array gone = x == y;
  }
  Array here = Array{true, false, true};
  EXPECT_EQ(lineOf([&] { (void)bool(here); }), 0u);
  // Operators that know no line take that of their operand, never one of ours.
  Array known = x != y;
  EXPECT_EQ(lineOf([&] { (void)bool(!known); }), __LINE__ - 1u);
  const Array rows = reshape(arange(6), {3, 2});
  EXPECT_EQ(lineOf([&] { (void)bool(any(rows, 1)); }), unsigned(__LINE__));
  EXPECT_EQ(lineOf([&] { (void)bool(all(rows, 1)); }), unsigned(__LINE__));
  EXPECT_EQ(lineOf([&] { (void)bool(given && 2); }), 0u);
  EXPECT_EQ(lineOf([&] { (void)bool(given || 2); }), 0u);
  EXPECT_EQ(lineOf([&] { (void)bool(!given); }), 0u);
  const std::string trace = jit([given](const Array &x) { return (!given) || x; }).lower(x).trace();
  EXPECT_EQ(trace.find("/ops/"), std::string::npos) << trace;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

// What is left out, {} and Ints() are all axes; an empty vector is none.
TEST(Axes, LeftOutAreAllAndAnEmptyVectorIsNone) {
  const Array x = {{1, 2, 3}, {4, 5, 6}};
  const std::vector<int> none;
  auto all = [](const Array &x) { return sum(x) + sum(x, {}) + sum(x, Ints()); };
  EXPECT_EQ(everywhere<int32_t>(all, x), std::vector<int32_t>{63});
  auto no = [&](const Array &x) { return sum(x, none) + max(x, none, true) - astype(mean(x, none), i32); };
  EXPECT_EQ(everywhere<int32_t>(no, x), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(everywhere([&](const Array &x) { return any(x - 3, none); }, x),
            (Bools{true, true, false, true, true, true}));
  EXPECT_EQ(everywhere([&](const Array &x) { return tenon::all(x - 3, none); }, x),
            (Bools{true, true, false, true, true, true}));
  EXPECT_EQ(sum(x, std::vector<int>{0, 1}).item<int>(), 21);
  EXPECT_EQ(sum(x, size_t(1)).to_vector<int32_t>(), (std::vector<int32_t>{6, 15}));
  EXPECT_EQ(sum(x, -1L).to_vector<int32_t>(), (std::vector<int32_t>{6, 15}));
}

//===----------------------------------------------------------------------===//
// Sizes as numbers
//===----------------------------------------------------------------------===//

TEST(Sizes, AreIntegersWhereTheyAreKnown) {
  const Array x = zeros({6, 5});
  int rows = x.dim(0);
  size_t columns = x.shape()[1];
  EXPECT_EQ(rows, 6);
  EXPECT_EQ(columns, 5u);
  EXPECT_EQ(int(x.size()), 30);
  EXPECT_EQ(x.dim(1) / 2, 2);
  EXPECT_EQ(x.dim(1) % 2, 1);
  EXPECT_EQ(13 / x.dim(0), 2);
  EXPECT_EQ(13 % x.dim(0), 1);
  EXPECT_EQ(Dim(7) / 2 + Dim(7) % 2, 4);
  EXPECT_TRUE(x.dim(0) > 5 && 5 < x.dim(0) && x.dim(0) <= 6 && 6 >= x.dim(0) && x.dim(0) != x.dim(1));
  EXPECT_FALSE(x.dim(0) < 6 || 6 > x.dim(0) || x.dim(0) >= 7 || 7 <= x.dim(0) || x.dim(0) == 5 || 5 == x.dim(0));
  EXPECT_EQ((Array{12.0f} / x.dim(0)).item<float>(), 2.0f);
  EXPECT_EQ(double(x.dim(0)), 6.0);
}

TEST(Sizes, OfSymbolsStaySymbols) {
  const Dim n("n");
  auto texts = [&](const Array &x) {
    std::ostringstream os;
    os << x.dim(0) / 2 << ", " << x.dim(0) % 2 << ", " << 2 * x.dim(0) + 1 << ", " << x.shape()[0] - 1;
    EXPECT_EQ(os.str(), "floordiv(n, 2), -2*floordiv(n, 2) + n, 2*n + 1, n - 1");
    EXPECT_TRUE(x.dim(0) >= 2 && 1 < x.dim(0));
    unsigned line = 0;
    std::string text = errorOf([&] {
      line = __LINE__ + 1;
      int size = x.dim(0);
      return size;
    });
    EXPECT_NE(text.find("expected a size that is known, got the symbolic size n\n"), std::string::npos) << text;
    EXPECT_NE(text.find("logic_test.cpp:" + std::to_string(line) + ":"), std::string::npos) << text;
    EXPECT_NE(errorOf([&] { return x.dim(0) == 4; }).find("logic_test.cpp:"), std::string::npos);
    return x;
  };
  (void)jit(texts, {.specs = {TensorSpec{f32, {n}}}}).lower(zeros(3));
}

TEST(Sizes, ThatATypeDoesNotHoldAreErrors) {
  const Array x = broadcast_to(Array(1.0f), {300, 4000000000});
  EXPECT_EQ(messageOf([&] {
              int n = x.dim(1);
              (void)n;
            }),
            "expected a size that fits an integer of 32 bits, got 4000000000");
  EXPECT_EQ(messageOf([&] {
              int8_t n = x.dim(0);
              (void)n;
            }),
            "expected a size that fits an integer of 8 bits, got 300");
  EXPECT_EQ(unsigned(x.dim(1)), 4000000000u);
  EXPECT_EQ(int64_t(x.dim(1)), 4000000000);
  EXPECT_EQ(messageOf([] { (void)zeros({UINT64_MAX}); }), "expected a size below 2^63, got 18446744073709551615");
}

//===----------------------------------------------------------------------===//
// Forms that NumPy's users write; must-compile/arrays.cpp has all of them.
//===----------------------------------------------------------------------===//

TEST(Forms, ListsOfSeveralTypesPromote) {
  const Array wide = {1, 4000000000LL}, real = {1, 0.5f, true}, rows = {{1, 2LL}, {3, 4}};
  EXPECT_EQ(wide.dtype(), i64);
  EXPECT_EQ(wide.to_vector<int64_t>(), (std::vector<int64_t>{1, 4000000000}));
  EXPECT_EQ(real.to_vector<float>(), (std::vector<float>{1, 0.5f, 1}));
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
  EXPECT_EQ(rows.to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(add(Array{1, 2}, {1, 2LL}).to_vector<int64_t>(), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ((Array{1u, -1}).dtype(), i64);
  EXPECT_EQ((Array{1, UINT64_MAX}).to_vector<double>(), (std::vector<double>{1, 0x1p64}));
  EXPECT_EQ((Array{1u, UINT64_MAX}).to_vector<uint64_t>(), (std::vector<uint64_t>{1, UINT64_MAX}));
  EXPECT_EQ(messageOf([] { Array x = {{1, 2LL}, {3}}; }),
            "nested lists are irregular: expected 2 items at depth 1, got 1");
}

TEST(Forms, ShapesAreNumbersAndVectors) {
  EXPECT_EQ(zeros(3).shape(), Shape{3});
  EXPECT_EQ(zeros(std::vector<int>{2, 3}).shape(), (Shape{2, 3}));
  long long n = 2;
  EXPECT_EQ(zeros({n, 3}).shape(), (Shape{2, 3}));
  const Array x = zeros({2, 3}, i32);
  EXPECT_EQ(full_like(x, 7).to_vector<int32_t>(), std::vector<int32_t>(6, 7));
  EXPECT_EQ(full_like(x, 0.5, f64).dtype(), f64);
  EXPECT_EQ(zeros_like(x, f32).dtype(), f32);
  EXPECT_EQ(ones_like(x).shape(), x.shape());
  EXPECT_EQ(ones_like(to_device(x, Device::null)).device(), Device::null);
  EXPECT_EQ(messageOf([&] { (void)full_like(x, 0.5); }),
            "full_like: expected a number of a kind that i32 holds, got 0.5");
  std::ostringstream os;
  os << x.dtype();
  EXPECT_EQ(os.str(), "int32");
}

TEST(Forms, KeysAndUniforms) {
  auto [first, second] = random::split(random::key(7));
  std::vector<Key> keys = random::split(random::key(7), 2), pair = random::split(random::key(7));
  EXPECT_EQ(first.data.to_vector<uint32_t>(), keys[0].data.to_vector<uint32_t>());
  EXPECT_EQ(second.data.to_vector<uint32_t>(), keys[1].data.to_vector<uint32_t>());
  EXPECT_EQ(pair[1].data.to_vector<uint32_t>(), keys[1].data.to_vector<uint32_t>());
  EXPECT_EQ(random::uniform(first, 5, -1, 2).to_vector<float>(),
            random::uniform(first, {5}, f32, -1, 2).to_vector<float>());
}

TEST(Forms, LoopsCountInI64) {
  auto numbers = [](auto lo, auto hi) {
    auto body = [](const Array &i, const Array &c) {
      EXPECT_EQ(i.dtype(), i64);
      return c * 10 + (i - 3000000000);
    };
    return fori_loop(lo, hi, body, int64_t(0)).template item<int64_t>();
  };
  EXPECT_EQ(numbers(3000000001, 3000000004), 123);
  EXPECT_EQ(numbers(3000000001u, size_t(3000000004)), 123);
  EXPECT_EQ(numbers(Array(3000000001), Array(3000000004)), 123);
  // The wider of two bounds is not narrowed to the other.
  EXPECT_EQ(numbers(Array(3000000001u), Array(3000000004)), 123);
  auto compiled =
      jit([](const Array &hi) { return fori_loop(0, hi, [](const Array &i, const Array &c) { return c + i; }, 0); });
  EXPECT_EQ(compiled(Array(4)).item<int64_t>(), 6);
  auto sum = [](const Array &i, const Array &c) { return c + i; };
  EXPECT_EQ(fori_loop(0, 4, sum, 0).dtype(), i64);
  EXPECT_EQ(fori_loop(0, 4, sum, 0.5f).item<float>(), 6.5f);
}

TEST(Forms, OperatorsOfBits) {
  const Array a = {6, 5, -1}, b = {3, 2, 40};
  using Ints32 = std::vector<int32_t>;
  EXPECT_EQ((a & b).to_vector<int32_t>(), (Ints32{2, 0, 40}));
  EXPECT_EQ((a | b).to_vector<int32_t>(), (Ints32{7, 7, -1}));
  EXPECT_EQ((a ^ b).to_vector<int32_t>(), (Ints32{5, 7, -41}));
  EXPECT_EQ((~a).to_vector<int32_t>(), (Ints32{-7, -6, 0}));
  EXPECT_EQ((a << b).to_vector<int32_t>(), (Ints32{48, 20, 0}));
  EXPECT_EQ((a % 4).to_vector<int32_t>(), (Ints32{2, 1, 3}));
  EXPECT_EQ((Array{true, false} ^ true).to_vector<bool>(), (std::vector<bool>{false, true}));
  // Division by 0 and past the ends: no trap, the same in each mode.
  const Array x = {7, -7, INT32_MIN, 0}, y = {0, 2, -1, 0};
  for (Compile way : {Compile::now, Compile::never}) {
    auto f = jit([](const Array &x, const Array &y) { return std::pair(floor_divide(x, y), x % y); }, {.compile = way});
    auto [quotient, rest] = f(x, y);
    EXPECT_EQ(quotient.to_vector<int32_t>(), (Ints32{0, -4, INT32_MIN, 0}));
    EXPECT_EQ(rest.to_vector<int32_t>(), (Ints32{0, 1, 0, 0}));
  }
}

TEST(Forms, WhatIsAskedOfFloatsHasAnswersForOthers) {
  const Array x = {-1, 0, 1};
  EXPECT_FALSE(bool(any(isnan(x) || isinf(x))));
  EXPECT_TRUE(bool(all(isfinite(x))));
  EXPECT_EQ(signbit(x).to_vector<bool>(), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(isfinite(Array{true}).dtype(), bool_);
}

TEST(Forms, PowersOfZeroHaveDerivatives) {
  auto slope = [](float x, float y) {
    auto [dx, dy] = grad<0, 1>([](const Array &x, const Array &y) { return pow(x, y); })(Array(x), Array(y));
    return std::pair(dx.item<float>(), dy.item<float>());
  };
  EXPECT_EQ(slope(0, 0), std::pair(0.0f, 0.0f));
  EXPECT_EQ(slope(0, 2), std::pair(0.0f, 0.0f));
  EXPECT_EQ(slope(3, 2).first, 6.0f);
}
