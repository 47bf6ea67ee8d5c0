//===- searching_test.cpp - argmax, searchsorted, unique and other searches --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <set>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

TEST(Searching, PlacesOfWhatHolds) {
  const Array x = {{0, 5, 0}, {7, 0, -1}};
  EXPECT_EQ(longs(flatnonzero(x)), (Longs{1, 3, 5}));
  const std::vector<Array> places = nonzero(x);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(longs(places[0]), (Longs{0, 1, 1}));
  EXPECT_EQ(longs(places[1]), (Longs{1, 0, 2}));
  EXPECT_EQ(longs(argwhere(x)), (Longs{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(argwhere(zeros({2, 3, 4})).shape(), (Shape{0, 3}));
  EXPECT_EQ(longs(flatnonzero(Array{NAN, 0.f, -0.f})), (Longs{0}));
  EXPECT_EQ(flatnonzero(zeros({0})).shape(), (Shape{0}));
  EXPECT_EQ(longs(flatnonzero(true)), (Longs{0}));
}

TEST(Searching, SizesThatAreSaid) {
  const Array x = {{0, 5, 0}, {7, 0, -1}};
  EXPECT_EQ(longs(flatnonzero(x, 2)), (Longs{1, 3}));
  EXPECT_EQ(longs(flatnonzero(x, 5, -7)), (Longs{1, 3, 5, -7, -7}));
  EXPECT_EQ(longs(nonzero(x, 4, 9)[0]), (Longs{0, 1, 1, 9}));
  EXPECT_EQ(longs(nonzero(x, 4, 9)[1]), (Longs{1, 0, 2, 9}));
  EXPECT_EQ(longs(argwhere(x, 4)), (Longs{0, 1, 1, 0, 1, 2, 0, 0}));
  EXPECT_EQ(flatnonzero(x, 0).shape(), (Shape{0}));
}

TEST(Searching, BatchesAreAxesOfTheOperand) {
  // As no door makes it: a trace from a file may.
  const Dim sizes[] = {2};
  AttrWriter words;
  FlatnonzeroAttrs{sizes, 0, 2}.write(words);
  std::vector<Type> operands{{Dtype::bool_, Device::cpu, {4}}}, results;
  EXPECT_EQ(inferTypes({opInfo(OpCode::flatnonzero), operands, words.words(), {}}, results),
            "flatnonzero: expected 0 to 1 batching dims, got 2");
}

TEST(Searching, UnderJitASizeMustBeSaid) {
  const Array x = {0.f, 2.f, 0.f, 3.f};
  auto places = jit([](const Array &x) { return flatnonzero(x, 3, -1); });
  EXPECT_EQ(longs(places(x)), (Longs{1, 3, -1}));
  for (const char *name : {"flatnonzero", "nonzero", "argwhere", "unique_values"})
    EXPECT_THAT(messageOf([&] {
                  jit([&](const Array &x) {
                    const std::string_view of = name;
                    return of == "flatnonzero" ? flatnonzero(x)
                           : of == "nonzero"   ? nonzero(x)[0]
                           : of == "argwhere"  ? argwhere(x)
                                               : unique_values(x);
                  })(x);
                }),
                HasSubstr(std::string(name) +
                          ": the number of results is unknown inside jit and vmap; pass it: " + name + "(x, size)"));
}

// A captured array is known inside jit: what it decides is.
TEST(Searching, OfWhatIsCaptured) {
  const Array mask = {true, false, true}, counts = {2, 0, 1};
  const Array x = {1.f, 2.f, 3.f};
  EXPECT_EQ(floats(jit([=](const Array &x) { return x[mask]; })(x)), (Floats{1, 3}));
  EXPECT_EQ(floats(jit([=](const Array &x) { return x.at[mask].set(x[mask] * 2); })(x)), (Floats{2, 2, 6}));
  EXPECT_EQ(longs(jit([=](const Array &x) { return flatnonzero(mask) + astype(x[0], i64); })(x)), (Longs{1, 3}));
  EXPECT_EQ(longs(jit([=](const Array &x) { return bincount(counts) + astype(x[0], i64); })(x)), (Longs{2, 2, 2}));
  EXPECT_EQ(floats(jit([=](const Array &x) { return repeat(x, counts); })(x)), (Floats{1, 1, 3}));
}

TEST(Searching, OfNothingInManyExamples) {
  const Array x = zeros({1 << 20, 1 << 20, 0}, Dtype::bool_);
  EXPECT_EQ(vmap(vmap([](const Array &row) { return flatnonzero(row, 0); }))(x).shape(), (Shape{1 << 20, 1 << 20, 0}));
}

// Longer than the pieces that the kernel works in, and not side by side in memory.
TEST(Searching, OfManyAndOfViews) {
  std::mt19937 random(1);
  for (int64_t count : {1023, 1024, 1025, 5000})
    for (int percent : {0, 3, 50, 100}) {
      std::vector<float> elements;
      Longs expected;
      for (int64_t i = 0; i < 2 * count; ++i) {
        elements.push_back(static_cast<int>(random() % 100) < percent);
        if (i % 2 && elements.back() != 0)
          expected.push_back(i / 2);
      }
      const Array all(elements);
      const Array odd = all[slice(1, _, 2)];
      EXPECT_EQ(longs(flatnonzero(odd)), expected) << count << " " << percent;
      const Array matrix = transpose(reshape(all, {2, count}));
      EXPECT_EQ(longs(flatnonzero(matrix)), longs(flatnonzero(matrix + 0.f))) << count << " " << percent;
    }
}

TEST(Searching, OfEachExample) {
  const Array x = {{0, 1, 1}, {0, 0, 1}};
  EXPECT_EQ(longs(vmap([](const Array &row) { return flatnonzero(row, 2, -1); })(x)), (Longs{1, 2, 2, -1}));
  auto twice = vmap(vmap([](const Array &row) { return flatnonzero(row, 1, 5); }));
  EXPECT_EQ(longs(twice(reshape(x, {2, 1, 3}))), (Longs{1, 2}));
}

TEST(Unique, IsWhatNumPySays) {
  const Array x = {{3.f, 1.f, 3.f}, {2.f, 1.f, 3.f}};
  const auto [values, indices, inverse, counts] = unique_all(x);
  EXPECT_EQ(floats(values), (Floats{1, 2, 3}));
  EXPECT_EQ(longs(indices), (Longs{1, 3, 0}));
  EXPECT_EQ(longs(inverse), (Longs{2, 0, 2, 1, 0, 2}));
  EXPECT_EQ(inverse.shape(), x.shape());
  EXPECT_EQ(longs(counts), (Longs{2, 1, 3}));
  EXPECT_EQ(floats(unique_values(x)), floats(values));
  EXPECT_EQ(longs(unique_counts(x).counts), longs(counts));
  EXPECT_EQ(longs(unique_inverse(x).inverse_indices), longs(inverse));
}

TEST(Unique, SpecialValues) {
  const Array x = {NAN, -0.f, 1.f, 0.f, NAN, -INFINITY};
  const auto [values, counts] = unique_counts(x);
  ASSERT_EQ(values.shape(), (Shape{5}));
  EXPECT_EQ(floats(values)[0], -INFINITY);
  EXPECT_EQ(floats(values)[1], 0);
  EXPECT_TRUE(std::isnan(floats(values)[3]) && std::isnan(floats(values)[4]));
  EXPECT_EQ(longs(counts), (Longs{1, 2, 1, 1, 1}));
  EXPECT_EQ(unique_values(zeros({0})).shape(), (Shape{0}));
  EXPECT_EQ(unique_all(zeros({0, 3})).inverse_indices.shape(), (Shape{0, 3}));
  EXPECT_EQ(unique_values(Array{true, false, true}).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(unique_values(7).to_vector<int32_t>(), (std::vector<int32_t>{7}));
}

TEST(Unique, SizesThatAreSaid) {
  const Array x = {4, 2, 4, 9};
  auto all = [&](Dim size, std::optional<Scalar> fill) {
    return jit([=](const Array &x) {
      const UniqueAll found = unique_all(x, size, fill);
      return std::vector{astype(found.values, i64), found.indices, found.inverse_indices, found.counts};
    })(x);
  };
  std::vector<Array> more = all(5, {});
  EXPECT_EQ(longs(more[0]), (Longs{2, 4, 9, 2, 2}));
  EXPECT_EQ(longs(more[1]), (Longs{1, 0, 3, 1, 1}));
  EXPECT_EQ(longs(more[2]), (Longs{1, 0, 1, 2}));
  EXPECT_EQ(longs(more[3]), (Longs{1, 2, 1, 0, 0}));
  EXPECT_EQ(longs(all(4, -1)[0]), (Longs{2, 4, 9, -1}));
  std::vector<Array> fewer = all(2, {});
  EXPECT_EQ(longs(fewer[0]), (Longs{2, 4}));
  EXPECT_EQ(longs(fewer[3]), (Longs{1, 2}));
}

TEST(Unique, OfASymbolOfElements) {
  auto values = jit([](const Array &x) { return unique_counts(x, 3, 0).counts; }, {.specs = {TensorSpec{i32, {"n"}}}});
  EXPECT_EQ(longs(values(Array{5, 5, 1, 5})), (Longs{1, 3, 0}));
  EXPECT_EQ(longs(values(Array{5, 1, 2, 3, 1, 1, 1})), (Longs{4, 1, 1}));
}

} // namespace
