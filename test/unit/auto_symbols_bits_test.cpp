//===- auto_symbols_bits_test.cpp - programs with dynamic shapes have the bits of exact ones --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Difference.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

using namespace tenon;

namespace {

using Function = std::function<Array(const Array &)>;

/// A function of an array of rank 2, and whether one program serves all sizes of its first, and of its last axis.
struct Case {
  const char *name;
  Function function;
  bool first = true, last = true;
};

Array weights(const Shape &shape) { return random::normal(random::key(7), shape) * 0.5f; }

const std::vector<Case> &cases() {
  static const auto *all = new std::vector<Case>{
      {"sums", [](const Array &x) { return sum(x, 0) * sum(x) + sum(sum(x, 1)); }},
      {"mean and variance", [](const Array &x) { return mean(x, {0}, true) * var(x, {1}, true) - tenon::std(x); }},
      {"products and extremes", [](const Array &x) { return prod(x * 0.5f, 0) + max(x, 0) - min(x) * 2.0f; }},
      {"softmax", [](const Array &x) { return softmax(x, 0) - log_softmax(x, -1); }},
      {"logsumexp", [](const Array &x) { return logsumexp(x, {0}) - logsumexp(x); }},
      {"gram", [](const Array &x) { return matmul(x, transpose(x)); }},
      {"covariance", [](const Array &x) { return matmul(transpose(x), x - mean(x, {0}, true)); }},
      {"matrix times vector", [](const Array &x) { return matmul(x, sum(x, 0)); }},
      {"flat", [](const Array &x) { return reshape(x, {x.dim(0) * x.dim(1)}) * 2.0f + 1.0f; }},
      {"halves", [](const Array &x) { return sum(reshape(concatenate({x, x}, 0), {2, x.dim(0), x.dim(1)}), 0); }},
      {"three axes", [](const Array &x) { return reshape(tile(x, {1, 3}), {x.dim(0), 3, x.dim(1)}) + x[{_, newaxis}]; }},
      {"concatenate", [](const Array &x) { return concatenate({x, -x, x[slice(0, 1)]}, 0); }},
      {"stack", [](const Array &x) { return stack({x, exp(x)}, 1); }},
      {"slices", [](const Array &x) { return x[{slice(1, none), slice(none, -1)}] * x[{slice(none, -1), slice(1, none)}]; }},
      {"steps", [](const Array &x) { return flip(x, {0})[{slice(none, none, 2)}]; }},
      {"last row", [](const Array &x) { return x[-1] + x[0]; }},
      {"sort", [](const Array &x) { return sort(x, 0) + sort(x, -1, true); }},
      {"argsort", [](const Array &x) { return take_along_axis(x, argsort(x, 0), 0); }},
      {"argmax", [](const Array &x) { return astype(argmax(x, 0), f32) + astype(argmin(x), f32); }},
      {"take", [](const Array &x) { return x[{Array{0, 1, 1, -1}}] + take(x, Array{0, 1, 0, 1}, 0); }},
      {"cumulative", [](const Array &x) { return cumulative_sum(x, 0) - cumulative_max(x, 1); }},
      {"diff", [](const Array &x) { return sum(diff(x, 1, 0)) + diff(x, 1, 1); }},
      {"pad", [](const Array &x) { return pad(x, 0.5f, {1, 0}, {2, 3}); }},
      {"roll", [](const Array &x) { return roll(x, {1}, {0}) + roll(x, {-1}, {1}); }},
      {"roll by more", [](const Array &x) { return roll(x, {5}, {0}) - roll(x, {-4}, {1}); }},
      {"repeat", [](const Array &x) { return repeat(x, 3, 0) - tile(x, {3, 1}) * 0.5f; }},
      {"searchsorted",
       [](const Array &x) {
         const Array row = sort(reshape(x, {-1}));
         return searchsorted(row, x) * 2 - searchsorted(row, x * 0.5f, Side::right) + digitize(x, row);
       }},
      {"search among what may be none", [](const Array &x) { return searchsorted(sort(x[{slice(2, none), 0}]), x); }},
      {"isin", [](const Array &x) { return isin(round(x), round(x[0])) || isin(round(x), round(x[{_, 0}])); }},
      {"grad of interp",
       [](const Array &x) {
         const Array row = cumulative_sum(abs(reshape(x, {-1})) + 0.1f);
         return grad([&](const Array &y) { return sum(interp(abs(y), row, exp(-row))); })(x);
       }},
      {"where", [](const Array &x) { return where(x > mean(x), x, -x) + tril(ones_like(x)); }},
      {"one hot", [](const Array &x) { return matmul(one_hot(astype(clip(x[{_, 0}] * 3.0f, 0, 4), i32), 5), weights({5, 3})); }},
      {"layer norm",
       [](const Array &x) {
         const Array centered = x - mean(x, {1}, true);
         return gelu(centered / sqrt(mean(square(centered), {1}, true) + 1e-5f));
       }},
      {"attention",
       [](const Array &x) {
         const Array scores = softmax(matmul(x, transpose(x)) / 3.0f);
         return matmul(scores, tanh(x));
       }},
      {"stencil",
       [](const Array &x) {
         const Array wide = pad(x, 0.0f, {1, 1}, {1, 1});
         return wide[{slice(2, none), slice(1, -1)}] * 0.25f + wide[{slice(none, -2), slice(1, -1)}] * 0.5f - x;
       }},
      {"scatter", [](const Array &x) { return x.at[{Array{0, 1}}].add(1.5f) * 2.0f; }},
      {"scan",
       [](const Array &x) {
         return scan([](const Array &c, const Array &row) { return std::pair(tanh(c + row), c); }, x[0] * 0.0f, x).second;
       }},
      {"grad of a loss", [](const Array &x) { return grad([](const Array &y) { return mean(square(softmax(y) - 0.1f)); })(x); }},
      {"grad of attention",
       [](const Array &x) {
         return grad([](const Array &y) { return sum(matmul(softmax(matmul(y, transpose(y)), -1), y)); })(x);
       }},
      {"grad of a sort", [](const Array &x) { return grad([](const Array &y) { return sum(sort(y, 0) * cumulative_sum(y, 0)); })(x); }},
      {"vmap", [](const Array &x) { return vmap([](const Array &row) { return softmax(row) * sum(row); })(x); }},
      {"vmap of grad", [](const Array &x) { return vmap(grad([](const Array &row) { return logsumexp(row * row); }))(x); }},
  };
  return *all;
}

class Bits : public testing::TestWithParam<std::tuple<size_t, bool>> {};

TEST_P(Bits, AreThoseOfTheExactProgram) {
  const Case &of = cases()[std::get<0>(GetParam())];
  const bool isLast = std::get<1>(GetParam());
  const auto f = jit(of.function, {.name = of.name});
  const auto exact = jit(of.function, {.name = of.name, .dynamic_shapes = 0});
  std::mt19937 random(static_cast<unsigned>(std::get<0>(GetParam())) * 2 + isLast);
  std::vector<int> sizes{2, 3, 16, 17, 64, 257, 301, 1030};
  for (int i = 0; i < 4; ++i)
    sizes.push_back(2 + static_cast<int>(random() % 200));
  std::ranges::shuffle(sizes, random);
  for (int size : sizes) {
    const Shape shape = isLast ? Shape{6, size} : Shape{size, 6};
    const Array x = random::normal(random::key(static_cast<uint64_t>(size)), shape);
    const Array expected = exact(x);
    EXPECT_EQ(difference(f(x), expected), "") << of.name << ", " << shape;
    EXPECT_EQ(difference(expected, of.function(x)), "") << of.name << ", " << shape << " eagerly";
  }
  const bool isSymbol = f.stats().traces < 8;
  EXPECT_EQ(isSymbol, isLast ? of.last : of.first) << of.name << ": " << f.stats().traces << " traces";
}

INSTANTIATE_TEST_SUITE_P(AutoSymbols, Bits,
                         testing::Combine(testing::Range<size_t>(0, cases().size()), testing::Bool()),
                         [](const auto &given) {
                           std::string name = cases()[std::get<0>(given.param)].name;
                           std::ranges::replace(name, ' ', '_');
                           return name + (std::get<1>(given.param) ? "_last" : "_first");
                         });

} // namespace
