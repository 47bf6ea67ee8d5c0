//===- einsum_test.cpp - sums of products by labels, and their batches -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace tenon;
using namespace tenon::testing;

namespace {

/// A random equation, with small integers, whose sums are exact in every order.
class RandomEquation {
public:
  explicit RandomEquation(unsigned seed) : random_(seed) {
    for (int64_t &size : sizes_)
      size = below(4) + 1;
    const int count = below(5) ? below(4) + 1 : below(4) + 7;
    for (int i = 0; i < count; ++i) {
      std::string &term = terms_.emplace_back();
      for (int rank = below(4); rank > 0; --rank)
        term += static_cast<char>('a' + below(count > 4 ? 4 : 6));
    }
    std::string all;
    for (const std::string &term : terms_)
      all += term;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::ranges::shuffle(all, random_);
    result_ = all.substr(0, static_cast<size_t>(below(static_cast<int>(all.size()) + 1)));
    for (const std::string &term : terms_) {
      std::vector<int64_t> shape;
      int64_t elements = 1;
      for (char label : term)
        elements *= shape.emplace_back(sizes_[label - 'a']);
      std::vector<int64_t> values(static_cast<size_t>(elements));
      for (int64_t &value : values)
        value = below(7) - 3;
      arrays_.emplace_back(std::span<const int64_t>(values), shape);
      values_.push_back(std::move(values));
    }
  }

  std::string text() const {
    std::string text = terms_[0];
    for (size_t i = 1; i < terms_.size(); ++i)
      text += "," + terms_[i];
    return text + "->" + result_;
  }
  const std::vector<Array> &arrays() const { return arrays_; }

  std::vector<int64_t> expected() const {
    int64_t count = 1;
    for (char label : result_)
      count *= sizes_[label - 'a'];
    std::vector<int64_t> sums(static_cast<size_t>(count));
    int64_t place[6] = {};
    const std::string used = labels();
    while (true) {
      int64_t product = 1;
      for (size_t i = 0; i < terms_.size(); ++i)
        product *= values_[i][at(terms_[i], place)];
      sums[at(result_, place)] += product;
      size_t next = 0;
      for (; next < used.size(); ++next) {
        int64_t &index = place[used[next] - 'a'];
        if (++index < sizes_[used[next] - 'a'])
          break;
        index = 0;
      }
      if (next == used.size())
        return sums;
    }
  }

private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string labels() const {
    std::string all;
    for (const std::string &term : terms_)
      for (char label : term)
        if (all.find(label) == all.npos)
          all += label;
    return all;
  }
  size_t at(const std::string &term, const int64_t *place) const {
    int64_t index = 0;
    for (char label : term)
      index = index * sizes_[label - 'a'] + place[label - 'a'];
    return static_cast<size_t>(index);
  }

  std::mt19937 random_;
  int64_t sizes_[6];
  std::vector<std::string> terms_;
  std::string result_;
  std::vector<Array> arrays_;
  std::vector<std::vector<int64_t>> values_;
};

TEST(Einsum, RandomEquations) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const RandomEquation equation(seed);
    SCOPED_TRACE(equation.text());
    const Array result = einsum(equation.text(), equation.arrays());
    EXPECT_EQ(result.to_vector<int64_t>(), equation.expected());
  }
}

TEST(Einsum, WithoutAnArrowAndWithEllipses) {
  const Array x = reshape(arange(24.0f), {2, 3, 4}), y = reshape(arange(20.0f), {4, 5});
  EXPECT_EQ(bytesOf(einsum("...j,jk", x, y)), bytesOf(matmul(x, y)));
  EXPECT_EQ(bytesOf(einsum("ba", y)), bytesOf(transpose(y) * 1.0f));
  EXPECT_EQ(bytesOf(einsum(" i j k -> k i j ", x)), bytesOf(transpose(x, {2, 0, 1}) * 1.0f));
  EXPECT_EQ(einsum("a...,a...->...", x, ones({2, 1, 4})).shape().str(), "(3, 4)");
  EXPECT_EQ(einsum("...,...", x, ones({4})).shape().str(), "(2, 3, 4)");
}

TEST(Einsum, ChoosesTheCheapOrder) {
  const auto steps = [](std::string_view equation, const std::vector<Shape> &shapes) {
    std::vector<Array> xs;
    for (const Shape &shape : shapes)
      xs.push_back(ones(shape));
    return jit([=](const std::vector<Array> &xs) { return einsum(equation, xs); }).lower(xs).trace();
  };
  // (matrix matrix) vector would make a matrix.
  EXPECT_THAT(steps("ab,bc,c->a", {{30, 30}, {30, 30}, {30}}),
              ::testing::Not(::testing::HasSubstr("f32[30, 30] = dot")));
  EXPECT_THAT(steps("ab,bc,cd->ad", {{2, 100}, {100, 100}, {100, 3}}), ::testing::HasSubstr("f32[2, 100] = dot"));
}

/// A batch changes no bit, whichever axis it is, and whichever array has it.
TEST(DotGeneral, ABatchHasTheBitsOfItsElements) {
  const auto numbers = [](const Shape &shape, Dtype dtype, uint64_t seed) {
    const Array real = random::normal(random::key(seed), shape);
    return dtype == c64 ? complex(real, random::normal(random::key(seed + 1), shape)) : astype(real, dtype);
  };
  struct Case {
    Shape x1, x2;
    std::vector<int64_t> axes1, axes2, batch1, batch2;
  };
  const Case cases[] = {{{5, 70}, {70, 6}, {1}, {0}, {}, {}},   {{5, 70}, {70, 1}, {1}, {0}, {}, {}},
                        {{5, 70}, {70}, {1}, {0}, {}, {}},      {{70}, {70}, {0}, {0}, {}, {}},
                        {{70}, {70, 6}, {0}, {0}, {}, {}},      {{2, 7, 5, 3}, {5, 4, 2, 7}, {1, 2}, {3, 0}, {0}, {2}},
                        {{3, 40}, {3, 40}, {1}, {1}, {0}, {0}}, {{1, 70}, {70, 1}, {1}, {0}, {}, {}}};
  const auto with = [](Shape shape, int axis, int64_t size) {
    if (axis >= 0)
      shape.insert(axis, size);
    return shape;
  };
  for (const Dtype dtype : {f32, f64, bf16, c64})
    for (const Case &one : cases)
      for (int axis1 = -1; axis1 <= one.x1.rank(); ++axis1)
        for (int axis2 = axis1 < 0 ? 0 : -1; axis2 <= one.x2.rank(); ++axis2)
          for (const int64_t size : {1, 3}) {
            SCOPED_TRACE(std::string(short_name(dtype)) + one.x1.str() + one.x2.str() + " axes " +
                         std::to_string(axis1) + " " + std::to_string(axis2) + " of " + std::to_string(size));
            const Array x1 = numbers(with(one.x1, axis1, size), dtype, 1),
                        x2 = numbers(with(one.x2, axis2, size), dtype, 5);
            const auto f = [&](const Array &a, const Array &b) {
              return dot_general(a, b, one.axes1, one.axes2, one.batch1, one.batch2);
            };
            const auto axisOf = [](int axis) { return axis < 0 ? BatchAxis(none) : BatchAxis(axis); };
            const Array all = vmap(f, {.in_axes = {axisOf(axis1), axisOf(axis2)}})(x1, x2);
            for (int64_t i = 0; i < size; ++i) {
              const Array a = axis1 < 0 ? x1 : take(x1, Array(i), axis1),
                          b = axis2 < 0 ? x2 : take(x2, Array(i), axis2);
              ASSERT_EQ(bytesOf(all[i]), bytesOf(f(a, b)));
            }
          }
}

TEST(DotGeneral, AWideResultOfNarrowNumbersIsNotRounded) {
  const Array x = astype(random::normal(random::key(1), {4, 50}), bf16),
              w = astype(random::normal(random::key(2), {50, 3}), bf16);
  const Array wide = dot_general(x, w, 1, 0, {}, {}, f32);
  EXPECT_EQ(wide.dtype(), f32);
  EXPECT_EQ(bytesOf(wide), bytesOf(matmul(astype(x, f32), astype(w, f32))));
  EXPECT_EQ(bytesOf(astype(wide, bf16)), bytesOf(matmul(x, w)));
  const auto loss = [&](const Array &x) { return sum(dot_general(x, w, 1, 0, {}, {}, f32)); };
  EXPECT_EQ(grad(loss)(x).dtype(), bf16);
}

TEST(Matmul, BoolsSayWhetherAnyPairIsTrue) {
  const Array x = {{true, false}, {false, false}}, y = {{false, true}, {true, true}};
  EXPECT_EQ(bytesOf(matmul(x, y)), bytesOf(Array({{false, true}, {false, false}})));
}

} // namespace
