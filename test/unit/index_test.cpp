//===- index_test.cpp - NumPy's indexing ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Goldens.h"
#include "test/unit/TransformCases.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <numeric>
#include <sstream>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Longs = std::vector<int64_t>;
using Floats = std::vector<float>;

//===----------------------------------------------------------------------===//
// What NumPy says
//===----------------------------------------------------------------------===//

Longs numbers(const std::string &text) {
  Longs out;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');)
    out.push_back(std::stoll(one));
  return out;
}

IndexItem item(const std::string &text) {
  if (text == "...")
    return ellipsis;
  if (text == "+")
    return newaxis;
  if (size_t at = text.find('@'); at != std::string::npos) {
    const bool isMask = text[0] == '?';
    const Array elements = numbers(text.substr(at + 1));
    const Array array = reshape(elements, Shape(numbers(text.substr(isMask, at - isMask))));
    return isMask ? array != 0 : array;
  }
  size_t first = text.find(':');
  if (first == std::string::npos)
    return std::stoll(text);
  size_t second = text.find(':', first + 1);
  auto bound = [](const std::string &of) { return of.empty() ? std::nullopt : std::optional<Dim>(std::stoll(of)); };
  const std::string step = text.substr(second + 1);
  return Slice{bound(text.substr(0, first)), bound(text.substr(first + 1, second - first - 1)),
               step.empty() ? 1 : std::stoll(step)};
}

struct Golden {
  std::string line;
  Shape shape, part;
  std::vector<IndexItem> items;
  bool hasMask = false;
  Longs read, replaced, added;
};

std::vector<Golden> goldens() {
  std::istringstream in = numpyGoldens("index_goldens.py");
  std::vector<Golden> all;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream parts(line.substr(1));
    for (std::string field; std::getline(parts, field, '|');) {
      while (!field.empty() && field.back() == ' ')
        field.pop_back();
      fields.push_back(field);
    }
    fields.resize(6);
    Golden &one = all.emplace_back();
    one.line = line;
    one.shape = Shape(numbers(fields[0]));
    std::istringstream items(fields[1]);
    for (std::string text; items >> text; one.hasMask |= text[0] == '?')
      one.items.push_back(item(text));
    one.part = Shape(numbers(fields[2]));
    one.read = numbers(fields[3]);
    one.replaced = numbers(fields[4]);
    one.added = numbers(fields[5]);
  }
  return all;
}

std::vector<Array> parts(const Golden &of, const Array &x, const Array &values) {
  const detail::Index index(std::span<const IndexItem>(of.items), Location());
  return {x[index], x.at[index].set(-values), x.at[index].add(values)};
}

TEST(Index, IsNumPys) {
  size_t compared = 0;
  for (const Golden &one : goldens()) {
    SCOPED_TRACE(one.line);
    const Array x = reshape(arange(element_count(one.shape).raw(), {}, 1, i64), one.shape);
    const Array values = reshape(arange(1, element_count(one.part).raw() + 1, 1, i64), one.part);
    for (bool isTraced : {false, true}) {
      if (isTraced && one.hasMask)
        continue;
      auto f = [&one](const Array &x, const Array &values) { return parts(one, x, values); };
      const std::vector<Array> got = isTraced ? jit(f, {.compile = Compile::never})(x, values) : f(x, values);
      EXPECT_EQ(got[0].shape(), one.part);
      EXPECT_EQ(got[0].to_vector<int64_t>(), one.read);
      EXPECT_EQ(got[1].to_vector<int64_t>(), one.replaced);
      EXPECT_EQ(got[2].to_vector<int64_t>(), one.added);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000u);
}

TEST(Index, PartsWithoutArraysAreViews) {
  const Array x = reshape(arange(24, {}, 1, f32), {2, 3, 4});
  const Array view = x[{_, 1, slice(3, none, -2), newaxis}];
  EXPECT_EQ(view.shape(), (Shape{2, 2, 1}));
  EXPECT_EQ(view.to_vector<float>(), (Floats{7, 5, 19, 17}));
  EXPECT_EQ(view.value()->base, x.value()->base);
  EXPECT_EQ(x[{}].value(), x.value());
  EXPECT_EQ(x[ellipsis].value(), x.value());
  EXPECT_EQ(x[-1].shape(), (Shape{3, 4}));
  EXPECT_EQ((x[{{0, 1, 0}, 2}].shape()), (Shape{3, 4}));
  EXPECT_EQ((x[{ellipsis, {0, 1}, _}].shape()), (Shape{2, 2, 4}));
  EXPECT_EQ((x[{Longs{1}, _, Array{0, 3}}].to_vector<float>()), (Floats{12, 16, 20, 15, 19, 23}));
  // Along an axis of another size a slice ends where the axis does.
  EXPECT_EQ((x[{_, slice(1, 100)}].shape()), (Shape{2, 2, 4}));
  EXPECT_EQ(x[slice(-100)].shape(), (Shape{0, 3, 4}));
}

//===----------------------------------------------------------------------===//
// Modes, masks, errors
//===----------------------------------------------------------------------===//

TEST(Index, ModesOfWhatIsOutside) {
  const Array x = {1.f, 2.f, 3.f}, i = {0, 5, -1, -7};
  EXPECT_EQ(x.at[i].get({.mode = IndexMode::clip}).to_vector<float>(), (Floats{1, 3, 3, 1}));
  EXPECT_EQ(x.at[i].get({.mode = IndexMode::wrap}).to_vector<float>(), (Floats{1, 3, 3, 3}));
  EXPECT_EQ(x.at[i].add({10.f, 20.f, 30.f, 40.f}, {.mode = IndexMode::wrap}).to_vector<float>(), (Floats{11, 2, 93}));
  auto wrapped = jit([](const Array &x, const Array &i) { return x.at[i].get({.mode = IndexMode::wrap}); },
                     {.specs = {TensorSpec{f32, {"n"}}, as_called}});
  EXPECT_EQ(wrapped(x, i).to_vector<float>(), (Floats{1, 3, 3, 3}));
  // Of u64 no i64 holds all: 2^64 - 1 is a multiple of 3.
  const Array large = {UINT64_MAX, uint64_t(4)};
  EXPECT_EQ(x.at[large].get({.mode = IndexMode::wrap}).to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(x.at[i].get({.mode = IndexMode::fill}).to_vector<float>(), (Floats{1, 0, 3, 0}));
  EXPECT_EQ(x.at[i].get({.mode = IndexMode::fill, .fill_value = 9}).to_vector<float>(), (Floats{1, 9, 3, 9}));
  EXPECT_EQ(x.at[i].add({10.f, 20.f, 30.f, 40.f}, {.mode = IndexMode::drop}).to_vector<float>(), (Floats{11, 2, 33}));
  EXPECT_EQ(x.at[i].add({10.f, 20.f, 30.f, 40.f}, {.mode = IndexMode::clip}).to_vector<float>(), (Floats{51, 2, 53}));
  // A number is an index as an array of it is.
  EXPECT_EQ(x.at[5].get({.mode = IndexMode::clip}).item<float>(), 3);
  EXPECT_EQ(x.at[-7].get({.mode = IndexMode::wrap}).item<float>(), 3);
  EXPECT_EQ(x.at[5].get({.mode = IndexMode::fill, .fill_value = 9}).item<float>(), 9);
  EXPECT_EQ(x.at[5].set(9.f, {.mode = IndexMode::drop}).to_vector<float>(), (Floats{1, 2, 3}));
  EXPECT_EQ(x.at[5].add(9.f, {.mode = IndexMode::clip}).to_vector<float>(), (Floats{1, 2, 12}));
  EXPECT_EQ((zeros({2, 3}).at[{_, 4}].set(1.f, {.mode = IndexMode::clip}).shape()), Shape({2, 3}));
  EXPECT_EQ((ones({2, 3}).at[{_, 4}].get({.mode = IndexMode::clip}).shape()), Shape({2}));
  EXPECT_EQ(messageOf([&] { (void)x.at[5].set(9.f); }), "index 5 is out of range for axis 0 of size 3");
  EXPECT_EQ(messageOf([&] { (void)x[i]; }), "index 5 is out of range for axis 0 of size 3");
  EXPECT_EQ(messageOf([&] { (void)x.at[i].set(0.f); }), "index 5 is out of range for axis 0 of size 3");
  const Array m = zeros({2, 3});
  EXPECT_EQ(messageOf([&] { (void)m[{slice(1, 2), Array{0, -4}}]; }), "index -4 is out of range for axis 1 of size 3");
  EXPECT_THAT(errorOf([&] { (void)m[{_, Array{3}}]; }), HasSubstr("\n  at " __FILE__ ":"));
  auto f = jit([](const Array &m, const Array &i) { return m.at[{_, i}].multiply(2.f); });
  EXPECT_THAT(messageOf([&] { f(m, Array{3}); }), HasSubstr("index 3 is out of range for axis 1 of size 3"));
}

TEST(Index, MasksAreTheirPlaces) {
  const Array x = reshape(arange(6, {}, 1, f32), {2, 3});
  EXPECT_EQ(x[x > 2].to_vector<float>(), (Floats{3, 4, 5}));
  EXPECT_EQ((x[{Array{false, true}, slice(1, none)}].to_vector<float>()), (Floats{4, 5}));
  EXPECT_EQ(x.at[x > 2].set({7.f, 8.f, 9.f}).to_vector<float>(), (Floats{0, 1, 2, 7, 8, 9}));
  EXPECT_EQ(x.at[x > 3].set({8.f, 9.f}).to_vector<float>(), (Floats{0, 1, 2, 3, 8, 9}));
  const Array rows = Array{true, false};
  // Numbers, and rows for a mask of rows, need no places: inside jit, too.
  auto f = jit([](const Array &x, const Array &rows) {
    return std::vector{x.at[x > 2].set(0.f),      x.at[rows].add({1.f, 2.f, 3.f}),
                       x.at[x > 2].multiply(2.f), x.at[x > 2].min(3.f),
                       x.at[rows].max(1.f),       x.at[x > 2].divide(2.f)};
  });
  const std::vector<Floats> expected = {{0, 1, 2, 0, 0, 0}, {1, 3, 5, 3, 4, 5}, {0, 1, 2, 6, 8, 10},
                                        {0, 1, 2, 3, 3, 3}, {1, 1, 2, 3, 4, 5}, {0, 1, 2, 1.5, 2, 2.5}};
  const std::vector<Array> got = f(x, rows);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(got[i].to_vector<float>(), expected[i]) << i;
  // Under grad over arrays the places are known.
  EXPECT_EQ(grad([](const Array &x) { return sum(x[x > 2] * x[x > 2]); })(x).to_vector<float>(),
            (Floats{0, 0, 0, 6, 8, 10}));
  EXPECT_THAT(
      messageOf([&] { jit([](const Array &x) { return x[x > 2]; })(x); }),
      HasSubstr(
          "index: the size of x[mask] depends on the mask, whose values are unknown inside jit and vmap; use where("));
}

TEST(Index, WhatIsWrongIsSaid) {
  const Array x = zeros({2, 3});
  EXPECT_EQ(messageOf([&] { (void)x[{0, 1, 2}]; }), "index: expected an index of at most 2 axes, got one of 3");
  EXPECT_EQ(messageOf([&] { (void)x[{ellipsis, 0, ellipsis}]; }), "index: expected one ellipsis, got 2");
  EXPECT_EQ(messageOf([&] { (void)x[{0, 3}]; }), "index 3 is out of range for axis 1 of size 3");
  EXPECT_EQ(messageOf([&] { (void)x[-3]; }), "index -3 is out of range for axis 0 of size 2");
  EXPECT_EQ(messageOf([&] { (void)x[{Array{0}, Array{int64_t(1) << 32}}]; }),
            "index 4294967296 is out of range for axis 1 of size 3");
  EXPECT_EQ(messageOf([&] { (void)x.at[Array{0}].set(ones({2, 3})); }),
            "index: expected values that broadcast to the part's shape (1, 3), got f32[2, 3]");
  EXPECT_EQ(messageOf([&] { (void)x[UINT64_MAX]; }), "index 9223372036854775807 is out of range for axis 0 of size 2");
  EXPECT_EQ(messageOf([&] { (void)x[slice(0, 2, 0)]; }), "index: expected steps other than 0, got 0 for axis 0");
  EXPECT_EQ(messageOf([&] { (void)x[Array{0.5f}]; }),
            "index: expected integers or truth values as indices, got f32[1]");
  EXPECT_EQ(messageOf([&] { (void)x[{Array{0, 1}, Array{0, 1, 2}}]; }),
            "index: arrays of indices: shapes (2,) and (3,) do not broadcast: sizes 2 and 3 differ");
  EXPECT_EQ(messageOf([&] { (void)x[Array{true, false, true}]; }),
            "index: expected a mask of 2 elements along axis 0, got bool[3]");
  EXPECT_EQ(messageOf([&] { (void)x.at[0].set({1.f, 2.f}); }),
            "index: expected values that broadcast to the part's shape (3,), got f32[2]");
  EXPECT_EQ(messageOf([&] { (void)astype(x, i32).at[0].set(1.5f); }),
            "index: expected a number of a kind that i32 holds, got 1.5");
  EXPECT_EQ(messageOf([&] { (void)astype(x, i32).at[0].divide(2); }),
            "index: expected floating or complex elements to divide, got i32[2, 3]");
  EXPECT_EQ(messageOf([&] { (void)Array().at[0].set(2); }), "index: expected an array, got an empty Array");
  EXPECT_EQ(messageOf([&] { (void)Array()[0]; }), "expected an array, got an empty Array");
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

TEST(Index, UpdatesComeInTheOrderOfTheIndices) {
  const Array x = {1.f, 2.f, 4.f}, i = {2, 0, 2};
  EXPECT_EQ(x.at[i].set({5.f, 6.f, 7.f}).to_vector<float>(), (Floats{6, 2, 7}));
  EXPECT_EQ(x.at[i].add(1.f).to_vector<float>(), (Floats{2, 2, 6}));
  EXPECT_EQ(x.at[i].multiply({2.f, 3.f, 4.f}).to_vector<float>(), (Floats{3, 2, 32}));
  EXPECT_EQ(x.at[i].divide({2.f, 4.f, 4.f}).to_vector<float>(), (Floats{0.25f, 2, 0.5f}));
  EXPECT_EQ(x.at[i].min({3.f, 0.f, 5.f}).to_vector<float>(), (Floats{0, 2, 3}));
  EXPECT_EQ(x.at[i].max({3.f, 0.f, 5.f}).to_vector<float>(), (Floats{1, 2, 5}));
  auto squared = [](const Array &x) { return x * x; };
  EXPECT_EQ(x.at[i].apply(squared).to_vector<float>(), (Floats{1, 2, 256}));
  EXPECT_EQ((x.at[Array{2, 1, 2}].apply(squared).to_vector<float>()), (Floats{1, 4, 256}));
  EXPECT_EQ(x.at[slice(1, none)].apply(squared).to_vector<float>(), (Floats{1, 4, 16}));
  for (Compile way : {Compile::now, Compile::never}) {
    auto f = jit([&](const Array &x, const Array &i) { return x.at[i].apply(squared); }, {.compile = way});
    EXPECT_EQ(f(x, i).to_vector<float>(), (Floats{1, 2, 256}));
  }
  EXPECT_EQ(x.to_vector<float>(), (Floats{1, 2, 4}));
}

TEST(Index, WhatIsGivenUpIsUpdatedInPlace) {
  Array x = zeros({1000}) * 1.0f;
  const void *data = x.value()->data;
  for (int i = 0; i < 10; ++i)
    x = std::move(x).at[i].set(static_cast<float>(i));
  x = std::move(x).at[Array{20, 21}].add(1.f);
  x = std::move(x).at[slice(30, 50, 5)].add(1.f);
  EXPECT_EQ(x.value()->data, data);
  EXPECT_EQ(sum(x).item<float>(), 45 + 2 + 4);
  // Not what somebody else has, looks into, or has as a view.
  const Array other = x;
  x = std::move(x).at[0].set(5.f);
  EXPECT_NE(x.value()->data, other.value()->data);
  EXPECT_EQ(other[0].item<float>(), 0);
  const Array view = x[slice(0, 3)];
  x = std::move(x).at[0].set(7.f);
  EXPECT_EQ(view.to_vector<float>(), (Floats{5, 1, 2}));
  Array broadcasted = broadcast_to(Array(1.f), {3});
  EXPECT_EQ(std::move(broadcasted).at[0].set(2.f).to_vector<float>(), (Floats{2, 1, 1}));
  // Without std::move it stays.
  Array kept = ones({3}) * 1.0f;
  EXPECT_EQ(kept.at[0].set(2.f).to_vector<float>(), (Floats{2, 1, 1}));
  EXPECT_EQ(kept.to_vector<float>(), (Floats{1, 1, 1}));
  // What is held of a part is the part of x, not of what an update has made; what was given is used once.
  const Array threes = ones({3}) * 3.0f;
  auto part = threes.at[0];
  EXPECT_EQ(part.divide(3.f).to_vector<float>(), (Floats{1, 3, 3}));
  EXPECT_EQ(part.add(1.f).to_vector<float>(), (Floats{4, 3, 3}));
  auto once = (ones({3}) * 3.0f).at[0];
  EXPECT_EQ(once.set(1.f).to_vector<float>(), (Floats{1, 3, 3}));
  EXPECT_EQ(messageOf([&] { (void)once.set(2.f); }), "index: expected an array, got an empty Array");
  // An update that is refused changes nothing, and what it was given is gone.
  Array given = ones({3}) * 1.0f;
  const Array same = given;
  EXPECT_EQ(messageOf([&] { (void)std::move(given).at[Array{0, 3}].set(2.f); }),
            "index 3 is out of range for axis 0 of size 3");
  EXPECT_EQ(same.to_vector<float>(), (Floats{1, 1, 1}));
}

TEST(Index, UpdatesHaveDerivativesAndBatches) {
  const Array x = test::numbers({4, 5}, -1, 1, 1), v = test::numbers({3, 5}, -1, 1, 2), i = {3, 1, 3};
  auto f = [&](const Array &x, const Array &v) {
    const Array y = x.at[i].add(v).at[{_, slice(4, none, -2)}].multiply(2.0).at[{0, 1}].set(x[{1, 2}]);
    return sum(exp(y[{_, Array{0, 0, 4}}])) + sum(y[{slice(1, 3), newaxis, 2}]);
  };
  const List inputs{x, v}, expected = differences([&](const List &in) { return f(in[0], in[1]); }, inputs, Array(1.0));
  auto [dx, dv] = grad<0, 1>(f)(x, v);
  expectNear(dx, expected[0], 1e-7, "x");
  expectNear(dv, expected[1], 1e-7, "v");
  auto [jx, jv] = jit(grad<0, 1>(f))(x, v);
  EXPECT_EQ(jx.to_vector<double>(), dx.to_vector<double>());
  EXPECT_EQ(jv.to_vector<double>(), dv.to_vector<double>());
  // Of examples, by an index of their own.
  const Array places = {1, 3, 0};
  auto put = [](const Array &x, const Array &i, const Array &v) { return x.at[i].set(v)[{i}] + x[{-1}]; };
  const Array xs = test::numbers({3, 4}, -1, 1, 3), vs = test::numbers({3}, -1, 1, 4);
  const Array whole = vmap(put)(xs, places, vs);
  for (int e = 0; e < 3; ++e)
    EXPECT_EQ(whole[e].item<double>(), put(xs[e], places[e], vs[e]).item<double>());
}

TEST(Index, SizesMayBeSymbols) {
  auto f = [](const Array &x, const Array &i) {
    const Array y = x.at[{-1, slice(1, -1)}].set(0.f).at[{i, _}].add(1.f).at[slice(none, none, -2)].multiply(3.f);
    return std::pair(y[{i, slice(none, -1)}], y.at[{i, 0}].get({.mode = IndexMode::clip}));
  };
  auto whole = jit(f, {.specs = {TensorSpec{f32, {"n", "m"}}, TensorSpec{i32, {"k"}}}});
  for (int64_t n : {3, 8, 100}) {
    const Array x = reshape(arange(n * 5, {}, 1, f32), {n, 5}), i = {0, 2, -1, 1};
    auto [first, second] = whole(x, i);
    auto [first2, second2] = f(x, i);
    EXPECT_EQ(first.to_vector<float>(), first2.to_vector<float>());
    EXPECT_EQ(second.to_vector<float>(), second2.to_vector<float>());
  }
  EXPECT_EQ(whole.stats().compiles, 1u);
}

/// The numbers of an index are the program's own: what is loaded from a blob is given the arguments alone.
TEST(Index, IsNoInput) {
  auto f = [](const Array &x, const Array &i) {
    const Array y = x.at[{-1, slice(1, -1)}].set(0.f).at[{_, 2}].add(1.f);
    return y.at[{i, 0}].get({.mode = IndexMode::clip});
  };
  auto inputsOf = [](const std::string &trace) { return trace.substr(0, trace.find('{')); };
  const Array x = ones({3, 5}), i = {0, 2};
  EXPECT_EQ(inputsOf(jit(f).lower(x, i).trace()), "trace (%0: f32[3, 5], %1: i32[2]) ");
  auto ofSymbols = jit(f, {.specs = {TensorSpec{f32, {"n", "m"}}, TensorSpec{i32, {"k"}}}});
  EXPECT_EQ(inputsOf(ofSymbols.lower(x, i).trace()), "trace (%0: f32[n, m], %1: i32[k]) ");
}

} // namespace
