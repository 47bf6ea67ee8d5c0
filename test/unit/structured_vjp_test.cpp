//===- structured_vjp_test.cpp - derivatives of movement, indexing and reductions, against JAX --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// structured_vjp_goldens.py has the same functions.
//===----------------------------------------------------------------------===//
#include "test/unit/TransformCases.h"

#include <tenon/fold.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenon::test {
namespace {

/// As the goldens have them: multiples of 1/8, with ties.
Array eighths(const Shape &shape, int seed) {
  std::vector<double> elements(static_cast<size_t>(element_count(shape).raw()));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<double>((static_cast<size_t>(seed) * 37 + i * 29) % 23) / 8 - 11.0 / 8;
  return Array(std::span<const double>(elements), shape);
}

/// x, with the slope 2: what ties share shows.
Array twice(const Array &x) { return 2.0 * x - stop_gradient(x); }

Array gru(const List &v) {
  const Array &w = v[0], &u = v[1];
  auto step = [&](const Array &h, const Array &x) {
    const Array z = sigmoid(matmul(x, w[0]) + matmul(h, u[0])), r = sigmoid(matmul(x, w[1]) + matmul(h, u[1]));
    const Array n = tanh(matmul(x, w[2]) + matmul(r * h, u[2]));
    const Array next = (1.0 - z) * n + z * h;
    return std::pair(next, next);
  };
  return scan(step, zeros({3}, f64), v[2]).second;
}

Array layerNorm(const List &v) {
  const Array &x = v[0];
  return (x - mean(x, {-1}, true)) * rsqrt(var(x, {-1}, true) + 1e-5) * v[1] + v[2];
}

const std::vector<Case> &functions() {
  using V = const List &;
  const Array rows{3, 0, 3, 1}, order{2, 0, 3, 1};
  static const std::vector<Case> all = {
      {"softmax", {{{3, 4}}}, [](V v) { return softmax(v[0], 0); }},
      {"log_softmax", {{{3, 4}}}, [](V v) { return log_softmax(v[0], 1); }},
      {"logsumexp", {{{3, 4}}}, [](V v) { return logsumexp(v[0], {1}); }},
      {"max", {{{3, 8}}}, [](V v) { return max(concatenate({v[0], twice(v[0])}, 1), {1}); }},
      {"maximum", {{{24}}, {{24}}}, [](V v) { return maximum(v[0], where(v[1] > 0, twice(v[0]), v[1])); }},
      {"prod", {{{3, 4}}}, [](V v) { return prod(v[0], {1}); }},
      {"var", {{{3, 4}}}, [](V v) { return var(v[0], {0}); }},
      {"cumulative_sum", {{{3, 5}}}, [](V v) { return cumulative_sum(v[0], 1); }},
      {"cumulative_prod", {{{3, 5}}}, [](V v) { return cumulative_prod(v[0], 1); }},
      {"cumulative_max", {{{3, 5}}}, [](V v) { return cumulative_max(v[0], 1); }},
      {"cumulative_logsumexp", {{{3, 5}}}, [](V v) { return cumulative_logsumexp(v[0], 1); }},
      {"sort", {{{30}}}, [](V v) { return square(sort(v[0])); }},
      {"sort_descending", {{{3, 7}}}, [](V v) { return square(sort(v[0], 1, true)); }},
      {"take", {{{4, 3}}}, [=](V v) { return square(take(v[0], rows, 0)); }},
      {"take_along_axis",
       {{{4, 3}}},
       [](V v) { return square(take_along_axis(v[0], Array{{1, 3, 0}, {1, 0, 2}}, 0)); }},
      {"set", {{{4, 3}}, {{4, 3}}}, [=](V v) { return square(v[0].at[order].set(v[1])); }},
      {"add", {{{4, 3}}, {{4, 3}}}, [=](V v) { return square(v[0].at[rows].add(v[1])); }},
      {"multiply", {{{4, 3}}, {{4, 3}}}, [=](V v) { return square(v[0].at[order].multiply(v[1])); }},
      {"dynamic_slice", {{{5, 6}}}, [](V v) { return square(dynamic_slice(v[0], {Array(2), Array(9)}, {2, 3})); }},
      {"dynamic_update_slice",
       {{{5, 6}}, {{2, 3}}},
       [](V v) { return square(dynamic_update_slice(v[0], v[1], {Array(3), Array(1)})); }},
      {"pad", {{{2, 3}}, {Shape()}}, [](V v) { return square(pad(v[0], v[1], {1, 0}, {2, 1}, {0, 2})); }},
      {"concatenate", {{{2, 1}}, {{2, 3}}}, [](V v) { return square(concatenate({v[0], v[1], v[0] * v[1]}, 1)); }},
      {"reverse", {{{2, 3}}}, [](V v) { return square(slice(v[0], {1, 2}, {-1, 0}, {-1, -1})); }},
      {"transpose", {{{2, 3, 4}}}, [](V v) { return square(transpose(v[0], {2, 0, 1})); }},
      {"where", {{{4, 3}}, {{4, 3}}}, [](V v) { return where(v[0] > 0, v[0] * v[1], sin(v[1])); }},
      {"clip", {{{23}}}, [](V v) { return square(clip(v[0], -1.0 + 1.0 / 16, 1.0 + 1.0 / 16)); }},
      {"norm", {{{3, 4}}}, [](V v) { return sqrt(sum(v[0] * v[0], {1})); }},
      {"matmul", {{{2, 3, 4}}, {{4, 2}}}, [](V v) { return matmul(v[0], v[1]); }},
      {"tensordot", {{{2, 3, 4}}, {{3, 4, 2}}}, [](V v) { return tensordot(v[0], v[1]); }},
      {"median", {{{3, 5}}}, [](V v) { return sum(median(v[0], {1}, true) * v[0], {1}); }},
      {"attention",
       {{{3, 4}}, {{5, 4}}, {{5, 2}}},
       [](V v) { return matmul(softmax(matmul(v[0], v[1].T()) / std::sqrt(4.0), -1), v[2]); }},
      {"layer_norm", {{{3, 4}}, {{4}}, {{4}}}, layerNorm},
      {"gru", {{{3, 2, 3}}, {{3, 3, 3}}, {{6, 2}}}, gru},
      {"cond",
       {{{3}}, {{3}}},
       [](V v) {
         return cond(sum(v[0]) > sum(v[1]), [&] { return v[0] * exp(v[1]); }, [&] { return tanh(v[0]) * v[1]; });
       }},
      {"associative_scan",
       {{{5, 2}}},
       [](V v) { return associative_scan([](const Array &a, const Array &b) { return a * b + a; }, v[0]); }},
  };
  return all;
}

TEST(StructuredVjp, IsThatOfJax) {
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "structured_vjp_goldens.txt");
  for (const Case &one : functions()) {
    List arguments;
    for (const Input &input : one.inputs)
      arguments.push_back(eighths(input.shape, static_cast<int>(arguments.size()) + 1));
    const auto [value, pullback] = vjp(one.function, arguments);
    const List cotangents = std::get<0>(std::tuple(pullback(eighths(value.shape(), 9))));
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::string line, name, field;
      ASSERT_TRUE(std::getline(in, line));
      std::istringstream fields(line);
      size_t number = 0;
      fields >> name >> number;
      ASSERT_EQ(name, one.name);
      ASSERT_EQ(number, i);
      std::vector<double> elements;
      while (fields >> field)
        elements.push_back(std::strtod(field.c_str(), nullptr));
      expectNear(cotangents[i], Array(std::span<const double>(elements), arguments[i].shape()), 1e-13,
                 name + ", argument " + std::to_string(i));
    }
  }
  std::string more;
  EXPECT_FALSE(std::getline(in, more));
}

} // namespace
} // namespace tenon::test
