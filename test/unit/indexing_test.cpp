//===- indexing_test.cpp - gather and scatter: bounds, modes, repeated indices --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each element is, the conformance matrix says; here is what becomes of
// indices outside and of memory.
//===----------------------------------------------------------------------===//
#include "dialect/model/Shape.h"
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// x[indices] and x with updates there, along axis 0.
Array taken(const Array &x, const Array &indices, IndexMode mode) {
  return gather(x, reshape(indices, {-1, 1}), {1}, {}, {0}, {0}, {}, {}, mode);
}
Array put(const Array &x, const Array &indices, const Array &updates, IndexMode mode = IndexMode::drop) {
  return scatter(x, reshape(indices, {-1, 1}), updates, Ints(std::vector<int64_t>()), {0}, {0}, {}, {}, mode);
}
Array added(const Array &x, const Array &indices, const Array &updates, IndexMode mode = IndexMode::drop) {
  return scatter_add(x, reshape(indices, {-1, 1}), updates, Ints(std::vector<int64_t>()), {0}, {0}, {}, {}, mode);
}

using Floats = std::vector<float>;

constexpr Compile ways[] = {Compile::now, Compile::never};

TEST(Indexing, AnIndexOutsideIsAnErrorInEachMode) {
  const Array x = arange(10, {}, 1, f32);
  const auto take = [](const Array &x, const Array &i) { return taken(x, i, IndexMode::error); };
  const Array last = {0, -10, 9}, above = {3, 10, 11}, below = {3, -11};
  EXPECT_EQ(take(x, last).to_vector<float>(), (Floats{0, 0, 9}));
  EXPECT_EQ(messageOf([&] { take(x, above); }), "index 10 is out of range for axis 0 of size 10");
  EXPECT_EQ(messageOf([&] { take(x, below); }), "index -11 is out of range for axis 0 of size 10");
  EXPECT_THAT(errorOf([&] { take(x, above); }), HasSubstr("\n  at " __FILE__ ":"));
  for (Compile way : ways) {
    auto f = jit(take, {.compile = way});
    EXPECT_EQ(f(x, last).to_vector<float>(), (Floats{0, 0, 9}));
    EXPECT_THAT(messageOf([&] { f(x, above); }), HasSubstr("index 10 is out of range for axis 0 of size 10"));
    EXPECT_THAT(errorOf([&] { f(x, above); }), HasSubstr(__FILE__ ":"));
    EXPECT_EQ(f(x, last).to_vector<float>(), (Floats{0, 0, 9})) << "after an error it goes on";
  }
  const Array far = to_device(x, Device::null);
  EXPECT_THAT(messageOf([&] { take(far, to_device(above, Device::null)).to_vector<float>(); }),
              StartsWith("index 10 is out of range for axis 0 of size 10"));
  EXPECT_THAT(messageOf([&] { jit(take)(far, to_device(below, Device::null)).to_vector<float>(); }),
              HasSubstr("index -11 is out of range for axis 0 of size 10"));
}

TEST(Indexing, TheFirstIndexOutsideIsTold) {
  std::vector<int64_t> many(300000);
  std::iota(many.begin(), many.end(), 0);
  many[299999] = 400000, many[170001] = 300001, many[170002] = 300002;
  const Array x = zeros({300000}), indices = many;
  const char *text = "index 300001 is out of range for axis 0 of size 300000";
  EXPECT_THAT(messageOf([&] { taken(x, indices, IndexMode::error); }), HasSubstr(text));
  EXPECT_THAT(messageOf([&] { put(x, indices, zeros({300000}), IndexMode::error); }), HasSubstr(text));
  // Which axis it is, where there are several; a part is longer than one element.
  const Array m = zeros({4, 6});
  auto at = [&](const Array &places) { return gather(m, places, {1, 2}, {1}, {0}, {1, 0}, {}, {}, IndexMode::error); };
  EXPECT_EQ(at({{4, 3}, {-6, -4}}).shape(), (Shape{2, 2}));
  EXPECT_THAT(messageOf([&] { at({{4, 3}, {0, 4}}); }), HasSubstr("index 4 is out of range for axis 0 of size 4"));
  EXPECT_THAT(messageOf([&] { at({{4, 3}, {5, 0}}); }),
              HasSubstr("a part of 2 at index 5 is out of range for axis 1 of size 6"));
  EXPECT_THAT(messageOf([&] { at({{-1, 0}}); }), HasSubstr("a part of 2 at index -1 is out of range for axis 1"));
  EXPECT_THAT(messageOf([&] { (void)gather(m, Array{{6}}, {4, 1}, {0}, {1}, {1}, {}, {}, IndexMode::error); }),
              HasSubstr("index 6 is out of range for axis 1 of size 6"));
}

TEST(Indexing, IndicesMayBeAnyNumber) {
  const Array x = {1.f, 2.f, 3.f};
  const Array most = {INT64_MIN, INT64_MAX, int64_t(-1), int64_t(2)};
  EXPECT_EQ(taken(x, most, IndexMode::clip).to_vector<float>(), (Floats{1, 3, 1, 3}));
  EXPECT_EQ(taken(x, most, IndexMode::fill).to_vector<float>(), (Floats{0, 0, 0, 3}));
  EXPECT_EQ(put(x, most, {5.f, 6.f, 7.f, 8.f}).to_vector<float>(), (Floats{1, 2, 8}));
  EXPECT_EQ(put(x, most, {5.f, 6.f, 7.f, 8.f}, IndexMode::clip).to_vector<float>(), (Floats{7, 2, 8}));
  EXPECT_THAT(messageOf([&] { taken(x, most, IndexMode::error); }),
              HasSubstr("index -9223372036854775808 is out of range"));
  // A gather fills what a scatter drops: one mode with two names.
  EXPECT_EQ(taken(x, most, IndexMode::drop).to_vector<float>(), (Floats{0, 0, 0, 3}));
  EXPECT_EQ(put(x, most, {5.f, 6.f, 7.f, 8.f}, IndexMode::fill).to_vector<float>(), (Floats{1, 2, 8}));
  // Wrapped indices are those of `at` and put; a cast makes a number that is no mode.
  EXPECT_THAT(messageOf([&] { taken(x, most, IndexMode::wrap); }),
              HasSubstr("gather: expected a mode of \"error\", \"clip\" or \"drop\", got \"wrap\""));
  EXPECT_THAT(messageOf([&] { (void)put(x, most, {5.f, 6.f, 7.f, 8.f}, static_cast<IndexMode>(9)); }),
              HasSubstr("scatter: expected a mode of \"error\", \"clip\" or \"drop\", got \"\""));
  EXPECT_THAT(messageOf([&] { (void)x.at[Array{1}].get({.mode = static_cast<IndexMode>(9)}); }),
              HasSubstr("expected a mode of"));
  // Parts of which a part is outside.
  auto parts = [&](const Array &at) { return gather(x, at, {2}, {1}, {}, {0}, {}, {}, IndexMode::fill, 9); };
  EXPECT_EQ(parts(reshape(most, {4, 1})).to_vector<float>(), (Floats{9, 9, 9, 9, 9, 1, 3, 9}));
  // An index of u64 that no i64 holds is outside, not at the end.
  EXPECT_THAT(messageOf([&] { taken(x, Array{UINT64_MAX}, IndexMode::error); }), HasSubstr("is out of range"));
  EXPECT_EQ(taken(x, astype(Array{2, 0}, u8), IndexMode::error).to_vector<float>(), (Floats{3, 1}));
}

TEST(Indexing, OneIndexForEachWindow) {
  // Read where elements are moved, some hundred at a time.
  const int64_t size = 37;
  auto check = [&]<class T>(T, Dtype dtype, Dtype indexDtype, int64_t count, int64_t row, const Array &x) {
    std::vector<int64_t> places(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      places[static_cast<size_t>(i)] = (i * 29 + 11) % (2 * size) - size; // some from the end
    const Array given = astype(Array(places), indexDtype), far = astype(Array(places) * 2, indexDtype);
    const auto all = x.to_vector<T>();
    const Ints none(std::vector<int64_t>{}), window = row == 1 ? none : Ints(std::vector<int64_t>{1});
    const Shape sizes = row == 1 ? Shape{1} : Shape{1, row};
    auto read = [&](const Array &at, IndexMode mode) {
      return gather(x, reshape(at, {-1, 1}), sizes, window, {0}, {0}, {}, {}, mode, 7).template to_vector<T>();
    };
    const auto exact = read(given, IndexMode::error), clipped = read(far, IndexMode::clip),
               filled = read(far, IndexMode::fill);
    Array updates = astype(reshape(arange(count * row) % 50, row == 1 ? Shape{count} : Shape{count, row}), dtype);
    auto written = [&](const Array &at, IndexMode mode) {
      return scatter_add(x, reshape(at, {-1, 1}), updates, window, {0}, {0}, {}, {}, mode).template to_vector<T>();
    };
    const auto sums = written(given, IndexMode::error), clippedSums = written(far, IndexMode::clip),
               dropped = written(far, IndexMode::drop);
    auto expected = all, expectedClipped = all, expectedDropped = all;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < row; ++j) {
        const int64_t at = places[static_cast<size_t>(i)], inside = at < 0 ? at + size : at, twice = 2 * at;
        const int64_t nearest = std::clamp<int64_t>(twice, 0, size - 1);
        auto element = [&](auto &values, int64_t index) -> auto & {
          return values[static_cast<size_t>(index * row + j)];
        };
        const auto update = static_cast<T>((i * row + j) % 50);
        ASSERT_EQ(element(exact, i), element(all, inside)) << i;
        ASSERT_EQ(element(clipped, i), element(all, nearest)) << i;
        ASSERT_EQ(element(filled, i), twice == nearest ? element(all, twice) : T(7)) << i;
        element(expected, inside) += update;
        element(expectedClipped, nearest) += update;
        if (twice == nearest)
          element(expectedDropped, twice) += update;
      }
    EXPECT_EQ(sums, expected);
    EXPECT_EQ(clippedSums, expectedClipped);
    EXPECT_EQ(dropped, expectedDropped);
  };
  for (Dtype indexDtype : {i32, i64})
    for (int64_t count : {1, 2, 255, 256, 257, 700})
      for (int64_t row : {1, 2, 5, 16, 33}) {
        const Shape shape = row == 1 ? Shape{size} : Shape{size, row};
        const Array x = reshape(arange(size * row), shape) + 100;
        check(float(), f32, indexDtype, count, row, astype(x, f32));
        check(double(), f64, indexDtype, count, row, astype(x, f64));
        check(int16_t(), i16, indexDtype, count, row, astype(x, i16));
        // In steps: neither elements nor indices lie side by side.
        check(int64_t(), i64, indexDtype, count, row, flip(flip(astype(x, i64), 0) + 0, 0));
        check(float(), f32, indexDtype, count, row,
              slice(astype(concatenate({x, x}, -1), f32), Shape(std::vector<int64_t>(shape.size(), 0)), shape,
                    Ints(std::vector<int64_t>(shape.size(), 1))));
      }
  const Array x = arange(size, {}, 1, f32), backwards = flip(arange(size, {}, 1, i64));
  EXPECT_EQ(taken(x, backwards, IndexMode::error).to_vector<float>(), flip(x).to_vector<float>());
  // The first that is outside, wherever its block ends.
  for (int64_t at : {0, 255, 256, 511, 512, 599}) {
    std::vector<int64_t> places(600, 3);
    places[static_cast<size_t>(at)] = size + at;
    places.back() = at == 599 ? size + at : -size - 1;
    const std::string text = "index " + std::to_string(size + at) + " is out of range for axis 0 of size 37";
    EXPECT_EQ(messageOf([&] { taken(x, Array(places), IndexMode::error); }), text);
    EXPECT_EQ(messageOf([&] { taken(reshape(arange(size * 4), {size, 4}), Array(places), IndexMode::error); }).empty(),
              false);
    EXPECT_EQ(messageOf([&] { added(x, Array(places), ones({600}), IndexMode::error); }), text);
  }
}

TEST(Indexing, BatchesDoNotEndWithABlock) {
  const int64_t rows = 300, length = 7, each = 3;
  std::vector<int64_t> places, expected;
  for (int64_t i = 0; i < rows * each; ++i) {
    places.push_back(i * 5 % length);
    expected.push_back(i / each * length + places.back());
  }
  const Array x = reshape(arange(rows * length, {}, 1, i64), {rows, length});
  EXPECT_EQ(take_along_axis(x, reshape(Array(places), {rows, each}), 1).to_vector<int64_t>(), expected);
}

TEST(Indexing, LongWindowsAreWrittenInParts) {
  const int64_t length = 512, count = 1000, width = 64;
  std::vector<int64_t> places, expected(static_cast<size_t>(length * width));
  for (int64_t i = 0; i < count; ++i)
    places.push_back(i * 29 % width);
  for (int64_t part = 0; part < length; ++part)
    for (int64_t i = 0; i < count; ++i)
      expected[static_cast<size_t>(part * width + places[static_cast<size_t>(i)])] += part * count + i;
  const Array updates = reshape(arange(length * count, {}, 1, i64), {length, count});
  EXPECT_EQ(scatter_add(zeros({length, width}, i64), reshape(Array(places), {count, 1}), updates, {0}, {1}, {1})
                .to_vector<int64_t>(),
            expected);
}

TEST(Indexing, TheDerivativeByAFactorIsTheProductOfTheOthers) {
  const Array x = {2.f, 3.f, 5.f}, places = {{0}, {1}, {1}, {9}};
  auto f = [&](const Array &updates) {
    return sum(scatter_mul(x, places, updates, Ints(std::vector<int64_t>()), {0}, {0}));
  };
  EXPECT_EQ(grad(f)(Array{0.f, 4.f, 7.f, 8.f}).to_vector<float>(), (Floats{2, 21, 12, 0}));
  EXPECT_EQ(grad(f)(Array{1.f, 0.f, 7.f, 8.f}).to_vector<float>(), (Floats{2, 21, 0, 0}));
  EXPECT_EQ(grad(f)(Array{1.f, 0.f, 0.f, 8.f}).to_vector<float>(), (Floats{2, 0, 0, 0}));
}

TEST(Indexing, AnAxisWithoutElementsHasNone) {
  const Array none = zeros({0}), one = {0};
  EXPECT_EQ(taken(none, zeros({0}, i32), IndexMode::error).shape(), Shape{0});
  EXPECT_THAT(messageOf([&] { taken(none, one, IndexMode::error); }),
              HasSubstr("index 0 is out of range for axis 0 of size 0"));
  EXPECT_EQ(taken(none, one, IndexMode::clip).to_vector<float>(), Floats{0});
  EXPECT_EQ(put(none, one, {1.f}).shape(), Shape{0});
  EXPECT_THAT(messageOf([&] { put(none, one, {1.f}, IndexMode::error); }),
              HasSubstr("index 0 is out of range for axis 0"));
  // Indices are looked at even where nothing is read.
  auto rows = [&](const Array &i) { return gather(zeros({3, 0}), i, {1, 0}, {1}, {0}, {0}, {}, {}, IndexMode::error); };
  EXPECT_EQ(rows({{2}}).shape(), (Shape{1, 0}));
  EXPECT_THAT(messageOf([&] { rows({{3}}); }), HasSubstr("index 3 is out of range for axis 0 of size 3"));
  // Windows of which a part may be outside, where another axis has none.
  for (Compile way : ways) {
    auto parts =
        jit([](const Array &x) { return gather(x, Array{{1}}, {1, 2}, {1}, {0}, {1}, {}, {}, IndexMode::fill, 9); },
            {.specs = {TensorSpec{f32, {"n", "m"}}}, .compile = way});
    EXPECT_EQ(parts(zeros({0, 3})).to_vector<float>(), (Floats{9, 9}));
    EXPECT_EQ(parts(ones({1, 2})).to_vector<float>(), (Floats{1, 9}));
  }
}

TEST(Indexing, DuplicatesComeInTheOrderOfTheIndices) {
  const Array x = zeros({3});
  EXPECT_EQ(put(x, {1, 1, 1}, {5.f, 6.f, 7.f}).to_vector<float>(), (Floats{0, 7, 0}));
  EXPECT_EQ(added(x, {1, 1, 1}, {1e8f, 1.f, -1e8f}).to_vector<float>(), (Floats{0, 0, 0}));
  EXPECT_EQ(added(x, {1, 1, 1}, {1e8f, -1e8f, 1.f}).to_vector<float>(), (Floats{0, 1, 0}));
  // Several threads have parts of each row.
  const int64_t wide = 100000;
  const Array rows = broadcast_to(Array{{1e8f}, {1.f}, {-1e8f}, {2.f}}, {4, wide});
  const Array sums = scatter_add(zeros({2, wide}), {{1}, {1}, {1}, {1}}, rows, {1}, {0}, {0});
  EXPECT_EQ(sums[1].to_vector<float>(), Floats(static_cast<size_t>(wide), 2));
  EXPECT_EQ(sums[0].to_vector<float>(), Floats(static_cast<size_t>(wide), 0));
}

TEST(Indexing, WhatFailsLaterIsNotWrittenOver) {
  // The second one fails when the first one has been done.
  auto f = jit([](const Array &x, const Array &i, const Array &j) {
    return std::pair(put(x, i, {5.f}), taken(ones({4}), j, IndexMode::error));
  });
  Array x = ones({1000}) * 2.0f;
  EXPECT_THAT(messageOf([&] { f(std::move(x), Array{7}, Array{4}); }), HasSubstr("index 4 is out of range"));
  EXPECT_EQ(x.to_vector<float>(), Floats(1000, 2));
}

TEST(Indexing, WhatIsStillReadIsCopied) {
  const Array x = ones({1000}) * 2.0f;
  for (Compile way : ways) {
    auto f = jit(
        [](const Array &x) {
          const Array y = x * 2.0f, z = put(y, {3}, {9.f});
          return std::tuple(y, z, sum(y), added(z, {3}, {1.f}));
        },
        {.compile = way});
    auto [y, z, total, last] = f(x);
    EXPECT_EQ(y.to_vector<float>(), Floats(1000, 4));
    EXPECT_EQ(sum(z).item<float>(), 4005);
    EXPECT_EQ(total.item<float>(), 4000);
    EXPECT_EQ(sum(last).item<float>(), 4006);
  }
}

TEST(Indexing, ALoopUpdatesItsCarry) {
  constexpr int64_t size = 10000, rounds = 1000;
  auto filled = [](const Array &x) {
    return fori_loop(
        0, rounds,
        [](const Array &i, const Array &x) {
          return put(x, reshape(i, {1}) * 7, reshape(astype(i, f32), {1}), IndexMode::error);
        },
        x);
  };
  Floats expected(size);
  for (int64_t i = 0; i < rounds; ++i)
    expected[static_cast<size_t>(7 * i)] = static_cast<float>(i);
  const Array x = zeros({size});
  auto f = jit(filled, {.compile = Compile::now});
  EXPECT_EQ(f(x).to_vector<float>(), expected);
  EXPECT_EQ(x.to_vector<float>(), Floats(size, 0));
  EXPECT_EQ(filled(x).to_vector<float>(), expected);
}

TEST(Indexing, CarriesThatChangePlacesAreNotWrittenOver) {
  // Each round one is updated and the two are swapped; a third one sees the first as it was.
  auto step = [](const std::vector<Array> &c, const Array &i) {
    const Array at = reshape(i, {1});
    return std::vector<Array>{c[1], put(c[0], at, {9.f}), c[0] + c[2]};
  };
  auto whole = [&](const Array &a, const Array &b) {
    return scan([&](const std::vector<Array> &c, const Array &i) { return std::pair(step(c, i), c[0]); },
                std::vector<Array>{a, b, a}, arange(4))
        .first;
  };
  const Array a = arange(5, {}, 1, f32), b = -a;
  std::vector<Array> expected{a, b, a};
  for (int i = 0; i < 4; ++i)
    expected = step(expected, Array(i));
  for (Compile way : ways) {
    const std::vector<Array> got = jit(whole, {.compile = way})(a, b);
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(got[i].to_vector<float>(), expected[i].to_vector<float>()) << i;
  }
  EXPECT_EQ(a.to_vector<float>(), (Floats{0, 1, 2, 3, 4}));
  // One that the round reads once it has written.
  auto late = [](const Array &x) {
    return scan(
               [](const Array &c, const Array &i) {
                 const Array next = put(c, reshape(i, {1}), {9.f});
                 return std::pair(next, sum(c) - sum(next));
               },
               x, arange(3))
        .second;
  };
  for (Compile way : ways)
    EXPECT_EQ(jit(late, {.compile = way})(a).to_vector<float>(), (Floats{-9, -8, -7}));
}

TEST(Indexing, WhatDoesNotFitIsSaid) {
  using Axes = std::vector<int64_t>;
  const Array x = zeros({2, 3, 4}), i = zeros({2, 5, 1}, i32);
  struct Wrong {
    Shape sizes;
    Axes offset, collapsed, map, batching, indicesBatching;
    const char *text;
  };
  const Wrong all[] = {
      {{1, 3, 4}, {2, 3}, {0}, {3}, {}, {}, "expected start_index_map in 0 to 2, got [3]"},
      {{1, 3, 4}, {2, 3}, {0}, {-1}, {}, {}, "expected start_index_map in 0 to 2, got [-1]"},
      {{1, 3, 4}, {2, 4}, {0}, {0}, {}, {}, "expected offset_dims in 0 to 3, got [2, 4]"},
      {{1, 3, 4}, {3, 2}, {0}, {0}, {}, {}, "expected offset_dims in ascending order, got [3, 2]"},
      {{1, 3, 4}, {2, 2}, {0}, {0}, {}, {}, "expected offset_dims in ascending order, got [2, 2]"},
      {{1, 3, 4}, {2}, {0, 0}, {0}, {}, {}, "expected collapsed_slice_dims in ascending order, got [0, 0]"},
      {{2, 3, 4}, {2, 3}, {0}, {0}, {}, {}, "expected a slice size of 1 for axis 0, which the result has not, got 2"},
      {{1, -3, 4}, {2, 3}, {0}, {0}, {}, {}, "expected slice sizes >= 0, got -3"},
      {{1, 3}, {2, 3}, {0}, {0}, {}, {}, "expected a slice size for each axis of x (3), got 2"},
      {{1, 1, 4},
       {2},
       {1},
       {1},
       {0},
       {},
       "expected as many start_indices_batching_dims as operand_batching_dims, "
       "got [] and [0]"},
      {{1, 1, 4},
       {2},
       {1},
       {0},
       {0},
       {0},
       "expected axes in start_index_map or in operand_batching_dims, got axis 0 "
       "in both"},
      {{1, 3, 4},
       {2},
       {0},
       {1},
       {0},
       {0},
       "expected axes in collapsed_slice_dims or in operand_batching_dims, got axis "
       "0 in both"},
      {{1, 1, 4},
       {2},
       {1},
       {1},
       {0},
       {1},
       "expected axis 1 of the indices as long as axis 0 of x, got i32[2, 5, 1] and "
       "f32[2, 3, 4]"},
      {{1, 1, 4}, {2}, {1}, {1}, {0}, {2}, "expected start_indices_batching_dims in 0 to 1, got [2]"},
      {{1, 3, 1},
       {2},
       {2},
       {0},
       {2},
       {0},
       "expected axes in collapsed_slice_dims or in operand_batching_dims, got axis "
       "2 in both"},
      {{1, 3, 4}, {2, 3}, {0}, {0, 0}, {}, {}, "expected start_index_map without repetition, got [0, 0]"},
      {{1, 3, 4},
       {2, 3},
       {0},
       {0, 1},
       {},
       {},
       "expected 2 indices along the last axis, one for each axis of x that is "
       "indexed, got i32[2, 5, 1]"},
  };
  for (const Wrong &w : all)
    EXPECT_EQ(
        messageOf([&] { (void)gather(x, i, w.sizes, w.offset, w.collapsed, w.map, w.batching, w.indicesBatching); }),
        std::string("gather: ") + w.text);
  EXPECT_EQ(
      messageOf([&] { (void)gather(x, Array(0), {1, 3, 4}, {0, 1}, {0}, {0}); }),
      "gather: expected indices of rank >= 1, whose last axis holds an index for each axis in start_index_map, got "
      "rank 0");
  // An op that no door has made.
  const OpInfo &info = opInfo(OpCode::dynamic_slice);
  std::vector<Type> operands{{f32, Device::cpu, {4}}, {u8, Device::cpu, {}}}, results;
  const Dim sizes[] = {2};
  AttrWriter words;
  DynamicSliceAttrs{sizes}.write(words);
  EXPECT_EQ(inferTypes({info, operands, words.words(), {}}, results),
            "dynamic_slice: expected indices of dtype i32 or i64, got u8[]");
}

TEST(Indexing, OneProgramForAllSizes) {
  auto f = [](const Array &x, const Array &i) {
    return grad([&](const Array &x) { return sum(taken(x, i, IndexMode::error) * taken(x, i, IndexMode::clip)); })(x);
  };
  auto whole = jit(f, {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{i64, {"m"}}}});
  for (int64_t n : {2, 7, 1000}) {
    const Array x = arange(n, {}, 1, f32);
    const Array i = concatenate({arange(n, {}, 1, i64), arange(n - 2, {}, 1, i64)});
    EXPECT_EQ(whole(x, i).to_vector<float>(), f(x, i).to_vector<float>());
  }
  EXPECT_EQ(whole.stats().compiles, 1u);
}

TEST(Indexing, PartsOfWiderMatricesHaveTheProductsOfTheirCopies) {
  for (const Dtype dtype : {f32, f64})
    for (const int64_t size : {5, 10, 16, 40}) {
      const Array wide = random::normal(random::key(1), {2 * size, size + 7}, dtype);
      const Array a = wide[{slice(0, size), slice(3, size + 3)}], b = wide[{slice(size, 2 * size), slice(1, size + 1)}];
      // Copies: no element changes.
      const Array x = a * 1.0f, y = b * 1.0f;
      const std::vector<double> expected = matmul(x, y).astype(f64).to_vector<double>();
      EXPECT_EQ(matmul(a, b).astype(f64).to_vector<double>(), expected);
      EXPECT_EQ(matmul(x, b).astype(f64).to_vector<double>(), expected);
      EXPECT_EQ(matmul(a, y).astype(f64).to_vector<double>(), expected);
    }
}

} // namespace
