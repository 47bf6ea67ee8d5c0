//===- call_test.cpp - argument types of transformed functions -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>

using namespace tenon;
using tenon::test::number;

namespace {
struct Pair {
  Array a, b;
};
struct Scale {
  Array factor;
  Array times(const Array &x) const { return x * factor; }
  Array qualified(const Array &x) const & { return x * factor; }
  Array dot(const Array &x) const { return sum(x * factor); }
  void add(const Array &x) { factor = factor + x; }
};

[[maybe_unused]] auto readOnly = [](const Array &x) { return x; };
auto updating = [](Array &x) { x = x + 1; };
auto none0 = [] { return Array(1.0f); };

/// Asked with another number of arguments than it is called with, it does not compile.
auto exactlyTwo = [](const auto &...xs) {
  static_assert(sizeof...(xs) == 2);
  return (xs * ...);
};

template <class F, class... A>
constexpr bool takes = std::is_invocable_v<F, A...>;
/// The arguments A, and one in braces.
template <class F, class... A>
constexpr bool takes_braces = requires(F &f, A &&...arguments) { f(static_cast<A &&>(arguments)..., {1.0f, 2.0f}); };

// Callables say themselves what they take, so that others can ask.
using Jit = decltype(jit(readOnly));
static_assert(takes<Jit, Array> && takes<const Jit &, Array &> && takes<Jit, const Array &>);
static_assert(!takes<Jit> && !takes<Jit, Array, Array> && !takes<Jit, Pair>);
static_assert(takes<decltype(jit(none0))> && !takes<decltype(jit(none0)), Array>);
static_assert(std::is_invocable_r_v<void, decltype(jit(updating)), Array &>);
static_assert(std::is_void_v<std::invoke_result_t<decltype(jit(updating)), Array &>>);
static_assert(std::is_same_v<std::invoke_result_t<Jit, Array>, Array>);
using Grad = decltype(grad(readOnly));
static_assert(takes<Grad, Array> && !takes<Grad> && !takes<Grad, Array, Array> && !takes<Grad, Pair>);
using Vmap = decltype(vmap(readOnly));
static_assert(takes<Vmap, Array> && !takes<Vmap> && !takes<Vmap, Array, Array> && !takes<Vmap, Pair>);
static_assert(std::is_copy_constructible_v<Jit> && !std::is_copy_assignable_v<Jit>);

// A function that says by its type that it changes an argument has no gradient.
using detail::reads_arguments;
struct Overloaded {
  Array operator()(Array &x) const;
  Array operator()(const Array &x) const;
};
static_assert(reads_arguments<decltype(readOnly)> && !reads_arguments<decltype(updating)>);
static_assert(reads_arguments<Array (*)(Array, float) noexcept> && !reads_arguments<Array (*)(Array, Pair &)>);
static_assert(!reads_arguments<void (*)(Array &&)> && reads_arguments<decltype(&Scale::times)>);
static_assert(!reads_arguments<std::function<void(Array &)>> && reads_arguments<std::function<void(const Array &)>>);
static_assert(reads_arguments<Overloaded> && reads_arguments<Jit>, "known when they are called");

TEST(Call, AsksForTheArgumentsItIsGiven) {
  Array three = 3.0f, two = 2.0f;
  EXPECT_EQ(number(jit(exactlyTwo)(three, two)), 6);
  EXPECT_EQ(number(grad(exactlyTwo)(three, two)), 2);
  EXPECT_EQ(number(value_and_grad(exactlyTwo)(three, two).first), 6);
  EXPECT_EQ(number(vjp(exactlyTwo, three, two).first), 6);
  EXPECT_EQ(vmap(exactlyTwo)(Array({1.0f, 2.0f}), Array({3.0f, 4.0f})).to_vector<float>(), (std::vector<float>{3, 8}));
  EXPECT_NE(jit(exactlyTwo).lower(three, two).trace().find("multiply"), std::string::npos);
}

TEST(Call, NestsInAnyOrder) {
  Array x = 3.0f, xs = {1.0f, 2.0f};
  auto cube = [](const Array &v) { return v * v * v; };
  EXPECT_EQ(number(jit(grad(cube))(x)), 27);
  EXPECT_EQ(number(grad(jit(cube))(x)), 27);
  EXPECT_EQ(number(jit(jit(cube))(x)), 27);
  EXPECT_EQ(number(jit(grad(jit(grad(cube))))(x)), 18);
  EXPECT_EQ(jit(vmap(grad(cube)))(xs).to_vector<float>(), (std::vector<float>{3, 12}));
  EXPECT_EQ(vmap(jit(cube))(xs).to_vector<float>(), (std::vector<float>{1, 8}));
  EXPECT_EQ(vmap(vjp(cube, x).second)(xs).to_vector<float>(), (std::vector<float>{27, 54}));
  std::function<Array(const Array &)> erased = jit(cube);
  EXPECT_EQ(number(erased(x)), 27);
}

TEST(Call, HasALineWithUpToTwelveArguments) {
  auto f = jit([](const auto &...xs) { return (xs + ...); });
  auto v = vmap([](const auto &...xs) { return (xs + ...); });
  Array x = {1.0f, 2.0f}, empty;
  const std::pair<int, std::function<void()>> calls[] = {
      {__LINE__, [&] { f(empty); }},
      {__LINE__, [&] { f(x, empty); }},
      {__LINE__, [&] { f(x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { f(x, x, x, x, x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { (void)f.lower(x, x, x, x, x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { v(empty); }},
      {__LINE__, [&] { v(x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { v(x, x, x, x, x, x, x, x, empty); }},
      {__LINE__, [&] { v(x, x, x, x, x, x, x, x, x, x, x, empty); }},
  };
  for (const auto &[line, call] : calls) {
    std::string text = "no error";
    try {
      call();
    } catch (const Error &error) {
      text = error.what();
    }
    EXPECT_NE(text.find(std::string("\n  at ") + __FILE__ + ":" + std::to_string(line) + ":"), std::string::npos)
        << text;
  }
}

TEST(Call, TakesMoreArgumentsThanHaveALine) {
  auto all = [](const auto &...xs) { return (xs + ...); };
  Array x = 1.0f;
  EXPECT_EQ(number(jit(all)(x, x, x, x, x, x, x, x, x, x, x, x)), 12);
  EXPECT_EQ(number(jit(all)(x, x, x, x, x, x, x, x, x, x, x, x, x)), 13);
  EXPECT_EQ(number(grad(all)(x, x, x, x, x, x, x, x, x, x, x, x, x, x)), 1);
}

TEST(Call, TakesBracesWhereTheParametersAreKnown) {
  auto twice = [](const Array &x) { return x * 2; };
  auto sumOf = [](Array x, const Array &y) { return sum(x * y); };
  EXPECT_EQ(jit(twice)({1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(jit(twice)({{1, 2}, {3, 4}}).shape().str(), "(2, 2)");
  const Array x = {3.0f, 4.0f};
  auto f = jit(sumOf);
  EXPECT_EQ(f({1.0f, 2.0f}, {3.0f, 4.0f}).item<float>(), 11);
  EXPECT_EQ(f(x, {1.0f, 1.0f}).item<float>(), 7);
  EXPECT_EQ(f(x, x).item<float>(), 25);
  EXPECT_EQ(f.trace_count(), 1u) << "one signature";
  EXPECT_EQ(grad(sumOf)({1.0f, 2.0f}, {3.0f, 4.0f}).to_vector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(vmap(twice)({1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{2, 4}));
  // An argument that is updated is a variable of the caller's: no braces then, and no copy.
  static_assert(!std::is_invocable_v<decltype(jit(updating)), const Array &>);
  Array counted = {1.0f};
  jit(updating)(counted);
  EXPECT_EQ(counted.item<float>(), 2);
}

TEST(Call, TakesBracesBehindTheObjectOfAMember) {
  Scale scale{2.0f};
  const Scale fixed{3.0f};
  auto f = jit(&Scale::times);
  EXPECT_EQ(f(scale, {1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(f(fixed, {1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{3, 6}));
  EXPECT_EQ(f(Scale{4.0f}, {1.0f}).to_vector<float>(), (std::vector<float>{4}));
  const Array x = {1.0f, 2.0f};
  EXPECT_EQ(f(fixed, x).to_vector<float>(), (std::vector<float>{3, 6})) << "not ambiguous";
  EXPECT_EQ(vmap(&Scale::times, {.in_axes = {none, 0}})(scale, {4.0f, 5.0f}).to_vector<float>(),
            (std::vector<float>{8, 10}));
  EXPECT_EQ(grad(&Scale::dot)(Scale{x}, {5.0f, 6.0f}).factor.to_vector<float>(), (std::vector<float>{5, 6}));
  EXPECT_EQ(jit(vmap(&Scale::times, {.in_axes = {none, 0}}))(scale, {4.0f, 5.0f}).to_vector<float>(),
            (std::vector<float>{8, 10}));
  // A member function that changes its object does so with braces, too.
  auto add = jit(&Scale::add);
  add(scale, {1.0f, 2.0f});
  EXPECT_EQ(scale.factor.to_vector<float>(), (std::vector<float>{3, 4}));
  // Without the object it is no call, nor for an object that may not be changed.
  static_assert(!takes_braces<decltype(f)> && !takes_braces<decltype(vmap(&Scale::times))>);
  static_assert(takes_braces<decltype(f), const Scale &> && takes_braces<decltype(add), Scale &>);
  static_assert(!takes_braces<decltype(add), const Scale &> && !takes_braces<decltype(f), Pair &>);
}

auto squares = [](const Array &x) { return (x * x).sum(); };

TEST(Call, MakesArraysOfVectorsWhereAParameterIsAnArray) {
  const std::vector<float> v = {1, 2, 3};
  const std::array<float, 3> fixed = {1, 2, 3};
  const std::vector<float> twice = {2, 4, 6};
  auto product = [](const Array &x, Array y) { return x * y; };
  EXPECT_EQ(vmap(product)(Array(v), v).to_vector<float>(), (std::vector<float>{1, 4, 9}));
  EXPECT_EQ(vmap(product, {.in_axes = {0, 0}})(v, fixed).to_vector<float>(), (std::vector<float>{1, 4, 9}));
  EXPECT_EQ(grad(squares)(v).to_vector<float>(), twice);
  EXPECT_EQ(grad<1>(&Scale::dot)(Scale{2.0f}, v).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(value_and_grad(squares)(fixed).second.to_vector<float>(), twice);
  EXPECT_EQ(vjp(squares, v).second(1.0f).to_vector<float>(), twice);
  EXPECT_EQ(number(jvp(squares, v, v).second), 28);
  EXPECT_EQ(number(jvp(squares, Array(v), fixed).second), 28);
  EXPECT_EQ(hvp(squares, v, fixed).to_vector<float>(), twice);
  EXPECT_EQ(number(linearize(squares, v).second(Array(v))), 28);
  EXPECT_EQ(jacobian(squares)(v).to_vector<float>(), twice);
  EXPECT_EQ(eval_shape(product, v, v).shape().str(), "(3,)");
  EXPECT_EQ(gradients_function(squares)(v).at(0).to_vector<float>(), twice);
  EXPECT_EQ(vmap(&Scale::times, {.in_axes = {none, 0}})(Scale{2.0f}, v).to_vector<float>(), twice);
  EXPECT_EQ(vmap(&Scale::qualified, {.in_axes = {none, 0}})(Scale{2.0f}, v).to_vector<float>(), twice);
  EXPECT_EQ(vmap(jit(vmap(squares)))(std::vector<std::vector<float>>{{1, 2}, {3, 4}}).shape().str(), "(2, 2)");
}

TEST(Call, NamesTheLineOfAVectorThatIsNoArray) {
  const std::vector<std::vector<float>> ragged = {{1, 2}, {3}};
  std::string text;
  const int line = __LINE__ + 2;
  try {
    vmap(squares)(ragged);
  } catch (const Error &error) {
    text = error.what();
  }
  EXPECT_NE(text.find("call_test.cpp:" + std::to_string(line)), std::string::npos) << text;
}

TEST(Call, TracesAVectorOnceWhereAParameterIsAnArray) {
  auto f = jit(squares);
  std::vector<float> v = {1, 2, 3};
  for (int i = 0; i < 4; ++i) {
    v[0] = static_cast<float>(i);
    EXPECT_EQ(f(v).item<float>(), static_cast<float>(i * i + 13));
  }
  const float plain[] = {1, 2, 3};
  float changing[] = {4, 2, 3};
  EXPECT_EQ(f(plain).item<float>(), 14);
  EXPECT_EQ(f(changing).item<float>(), 29);
  EXPECT_EQ(f(std::array<float, 3>{1, 2, 3}).item<float>(), 14);
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_TRUE(explain(f, v).hits);
  EXPECT_EQ(number(f.concrete(v)(v)), 22);
  EXPECT_NE(f.lower(v).trace().find("f32[3]"), std::string::npos) << f.lower(v).trace();
  auto nested = jit(grad(squares));
  EXPECT_EQ(nested(v).to_vector<float>(), (std::vector<float>{6, 4, 6}));
  v[0] = 5;
  EXPECT_EQ(nested(v).to_vector<float>(), (std::vector<float>{10, 4, 6}));
  EXPECT_EQ(nested.trace_count(), 1u);
  // What a parameter of type auto gets is a list of static numbers, and a vector where that is the parameter.
  auto any = jit([](const auto &list) { return Array(list).sum(); });
  auto list = jit([](const std::vector<float> &numbers) { return Array(numbers).sum(); });
  EXPECT_EQ(number(any(v)) + number(list(v)), 20);
  v[0] = 6;
  EXPECT_EQ(number(any(v)) + number(list(v)), 22);
  EXPECT_EQ(any.trace_count() + list.trace_count(), 4u);
}

TEST(Call, RefusesAFunctionThatTakesTemporariesAlone) {
  using Taking = decltype(jit([](Array &&x) { return x; }));
  static_assert(!takes<Taking, Array> && !takes<Taking, float> && !takes<Taking, std::vector<float>>);
}

TEST(Call, TakesMembersUpdatesAndRvalues) {
  Scale scale{2.0f};
  EXPECT_EQ(number(jit(&Scale::times)(scale, Array(4.0f))), 8);
  EXPECT_EQ(number(vmap(&Scale::times, {.in_axes = {none, 0}})(scale, Array({4.0f, 5.0f}))[1]), 10);
  Array x = 1.0f;
  jit(updating)(x);
  EXPECT_EQ(number(x), 2);
  Array given = zeros({1000});
  Array result = jit([](const Array &v) { return v + 1; })(std::move(given));
  EXPECT_EQ(result.to_vector<float>()[999], 1);
  EXPECT_EQ(number(jit(none0)()), 1);
}

TEST(Call, CopiesOfAJittedFunctionLower) {
  auto first = jit([](const Array &x, int k) { return x * float(k); });
  auto copy = first;
  EXPECT_EQ(copy.lower(Array(1.0f), 3).trace(), first.lower(Array(1.0f), 3).trace());
  EXPECT_EQ(first.stats().traces, 1u);
}
} // namespace
