//===- einsum_test.cpp - sums of products by labels, and their batches -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
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
  EXPECT_THAT(steps("ab,bc,cd->ad", {{100, 2}, {2, 100}, {100, 3}}), ::testing::HasSubstr("f32[2, 3] = dot"));
}

TEST(Einsum, NumbersTakeTheDtypeOfTheArrays) {
  const Array wide = ones({1}, f64);
  EXPECT_EQ(einsum("i,->", wide, 0.1).item<double>(), 0.1);
  EXPECT_EQ(einsum(",i->i", 1e300, wide)[0].item<double>(), 1e300);
  EXPECT_EQ(einsum("i,,->i", wide, 3, 0.3)[0].item<double>(), 3 * 0.3);
  EXPECT_EQ(einsum("i,->i", ones({3}, bf16), 0.5).dtype(), bf16);
  EXPECT_EQ(einsum("i,->i", ones({2}, i8), 2).dtype(), i8);
  EXPECT_EQ(einsum("i,->i", ones({2}, i8), 2.5).dtype(), f32);
  EXPECT_EQ(einsum("i->", {ones({3})}).item<float>(), 3) << "one array in braces";
}

TEST(Einsum, NarrowFloatsAreRoundedOnce) {
  const Array many = full({70000}, 1.0f, f16), small = full({1}, 1e-4f, f16);
  EXPECT_NEAR(einsum("i,j->j", many, small)[0].item<double>(), 7, 0.01);
  EXPECT_NEAR(einsum("i,j,k->k", many, small, small)[0].item<double>(), 7e-4, 1e-6);
  const Array a = astype(random::normal(random::key(1), {4, 30}), bf16),
              b = astype(random::normal(random::key(2), {30, 5}), bf16),
              c = astype(random::normal(random::key(3), {5, 3}), bf16);
  const auto wide = [](const Array &x) { return astype(x, f32); };
  EXPECT_EQ(bytesOf(einsum("ij,jk,kl->il", a, b, c)),
            bytesOf(astype(einsum("ij,jk,kl->il", wide(a), wide(b), wide(c)), bf16)));
}

TEST(Einsum, ComputesInTheWantedDtype) {
  const Array ones16 = ones({300}, bf16), third = full({2}, 1.0f / 3, bf16), bytes = full({400}, 100, i8);
  EXPECT_EQ(einsum("i,i->", ones16, ones16, f32).item<float>(), 300);
  EXPECT_EQ(einsum("i,i->", bytes, bytes, i32).item<int32_t>(), 4'000'000);
  EXPECT_EQ(einsum("i,i,i->", {bytes, bytes, bytes}, i32).item<int32_t>(), 400'000'000);
  EXPECT_EQ(einsum("i->", bytes, i32).item<int32_t>(), 40'000);
  EXPECT_EQ(tensordot(bytes, bytes, 1, i32).item<int32_t>(), 4'000'000);
  // The product of two elements is not rounded to bf16 on the way.
  const Array wide = astype(third, f32);
  EXPECT_TRUE(array_equal(einsum("i,i->i", third, third, f32), wide * wide).item<bool>());
  EXPECT_EQ(einsum("ij->j", zeros({0, 3}, bf16), f32).dtype(), f32);
  EXPECT_EQ(einsum("ij,jk->ik", zeros({2, 0}, i8), zeros({0, 3}, i8), i32).dtype(), i32);
}

TEST(Einsum, FloatsOfEightBitsAreSummedInF32) {
  const Array x = full({500}, 0.0625f, f8e4m3fn); // 500 / 256 is 1.953, to f8 2
  EXPECT_EQ(astype(einsum("i,i->", x, x), f32).item<float>(), 2);
  EXPECT_EQ(einsum("i,i->", x, x, f32).item<float>(), 1.953125f);
  EXPECT_EQ(matmul(x, x).dtype(), f8e4m3fn);
  const Array far = astype(Array{448.0f, 0x1p-9f}, f8e4m3fn);
  EXPECT_EQ(einsum("i,i->", far, far, f64).item<double>(), 200704 + 0x1p-18); // computed in f64
  EXPECT_EQ(astype(einsum("i,i->i", x, x), f32)[0].item<float>(), 0.00390625f);
  EXPECT_EQ(astype(dot(x, x[0]), f32)[0].item<float>(), 0.00390625f);
}

TEST(Einsum, TheSumOfNoProductsIsZero) {
  const Array inf = full({2}, std::numeric_limits<float>::infinity());
  EXPECT_EQ(bytesOf(einsum("i,j->j", zeros({0}), inf)), bytesOf(zeros({2})));
  EXPECT_EQ(bytesOf(einsum("ij,k->k", zeros({3, 0}), inf)), bytesOf(zeros({2})));
  EXPECT_EQ(einsum("ij,jk->ik", zeros({0, 3}), ones({3, 2})).shape().str(), "(0, 2)");
}

TEST(Einsum, SizesOfOneMakeNoArrayOfTooManyAxes) {
  const std::vector<Array> xs(4, ones({1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(einsum("abcdefghi,abcdefghi,jklmnopqr,jklmnopqr->", xs).item<float>(), 1);
}

TEST(Einsum, OtherBytesAreShownAsNumbers) {
  const auto errorOf = [](std::string_view equation) -> std::string {
    try {
      (void)einsum(equation, ones({2, 2}));
    } catch (const Error &error) {
      return error.message();
    }
    return "";
  };
  EXPECT_EQ(errorOf(std::string_view("i\0j", 3)),
            "einsum: expected a letter, ..., a comma or ->, got '\\x00' as character 2 of \"i\\x00j\"");
}

TEST(Einsum, ThreeArraysWithASymbolicSizeAskForTwoAtATime) {
  const auto f = [](const Array &x, const Array &w) { return einsum("ni,ij,nj->n", x, w, x); };
  auto any = jit(f);
  for (int64_t n = 2; n < 12; ++n)
    EXPECT_EQ(bytesOf(any(ones({n, 3}), ones({3, 3}))), bytesOf(f(ones({n, 3}), ones({3, 3}))));
  auto named = jit(f, {.specs = {TensorSpec{f32, {"n", 3}}, TensorSpec{f32, {3, 3}}}});
  try {
    named(ones({4, 3}), ones({3, 3}));
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("einsum: the order of 3 arrays depends on their sizes, "
                                                                "and size n is symbolic; multiply two at a time"));
  }
}

TEST(MultiDot, TakesTheCheapestOrderOfAnyNumber) {
  std::vector<Array> xs;
  const int64_t sizes[] = {1, 2, 300, 10, 300, 2, 20, 100, 300, 300, 300};
  for (size_t i = 0; i + 1 < std::size(sizes); ++i)
    xs.push_back(ones({sizes[i], sizes[i + 1]}));
  double product = 1;
  for (size_t i = 1; i + 1 < std::size(sizes); ++i)
    product *= static_cast<double>(sizes[i]);
  const double first = multi_dot(xs)[0][0].item<double>();
  EXPECT_NEAR(first / product, 1, 1e-5);
  EXPECT_EQ(multi_dot(std::vector<Array>(70, eye(2))).to_vector<float>(), (std::vector<float>{1, 0, 0, 1}));
  const std::string steps = jit([](const std::vector<Array> &xs) { return multi_dot(xs); })
                                .lower(std::vector<Array>{ones({2, 100}), ones({100, 100}), ones({100})})
                                .trace();
  EXPECT_THAT(steps, ::testing::HasSubstr("f32[100] = dot"));
  const std::string others = jit([](const std::vector<Array> &xs) { return multi_dot(xs); })
                                 .lower(std::vector<Array>{ones({2, 100}), ones({100, 100}), ones({100, 3})})
                                 .trace();
  EXPECT_THAT(others, ::testing::HasSubstr("f32[2, 100] = dot"));
}

/// Of short vectors the products are elementwise, which changes no bit.
TEST(Vecdot, ShortVectorsHaveTheBitsOfDotGeneral) {
  for (const Dtype dtype : {f32, f64, bf16, f16, i32, i8})
    for (const int64_t length : {0, 1, 3, 15, 16, 17}) {
      const auto numbers = [&](int seed) {
        return astype(random::normal(random::key(seed), {40, length}) * 9.0f, dtype);
      };
      const Array x = numbers(1), y = numbers(2);
      EXPECT_EQ(bytesOf(vecdot(x, y)), bytesOf(dot_general(x, y, {1}, {1}, {0}, {0}))) << short_name(dtype) << length;
      EXPECT_EQ(bytesOf(einsum("ij,ij->i", x, y)), bytesOf(vecdot(x, y)));
      EXPECT_EQ(bytesOf(vecdot(transpose(x), transpose(y), 0)), bytesOf(vecdot(x, y)));
    }
  const Array x = random::normal(random::key(3), {40, 5, 7}), y = random::normal(random::key(4), {40, 5, 7});
  EXPECT_EQ(bytesOf(einsum("ijk,ijk->i", x, y)), bytesOf(dot_general(x, y, {1, 2}, {1, 2}, {0}, {0})));
}

TEST(DotGeneral, ComputesInTheWiderDtype) {
  const Array ones16 = ones({2, 70000}, f16), ones257 = ones({1, 257}, bf16);
  const auto gram = [](const Array &x, Dtype dtype) { return dot_general(x, x, 1, 1, {}, {}, dtype)[0][0]; };
  EXPECT_EQ(gram(ones16, f64).item<double>(), 70000);
  EXPECT_EQ(gram(ones16, f32).item<double>(), 70000);
  EXPECT_EQ(astype(gram(ones16, bf16), f32).item<float>(), 70144);
  EXPECT_EQ(gram(ones257, f64).item<double>(), 257);
  EXPECT_EQ(gram(ones257, i32).item<int32_t>(), 257);
  EXPECT_EQ(gram(full({1, 3}, 1000000, i32), i64).item<int64_t>(), 3000000000000);
  EXPECT_EQ(gram(full({1, 2}, 3000000000u, u32), u64).item<uint64_t>(), 18000000000000000000u);
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
