//===- TransformCases.h - functions to differentiate and to batch ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/control.h>
#include <tenon/transform.h>

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace tenon::test {

using List = std::vector<Array>;

struct Input {
  Shape shape;
  double low = -1, high = 1;
};
struct Case {
  std::string name;
  std::vector<Input> inputs;
  std::function<Array(const List &)> function;
};

/// Numbers in [low, high), all different, the same in each run.
inline Array numbers(const Shape &shape, double low, double high, uint64_t seed) {
  std::vector<double> elements(static_cast<size_t>(element_count(shape).raw()));
  uint64_t state = seed * 2654435761u + 12345;
  for (double &element : elements) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    element = low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53;
  }
  return Array(std::span<const double>(elements), shape);
}

inline List inputsOf(const Case &one, uint64_t seed = 1) {
  List inputs;
  for (const Input &input : one.inputs)
    inputs.push_back(numbers(input.shape, input.low, input.high, seed++));
  return inputs;
}

inline Array flat(const Array &x) { return reshape(x, {-1}); }

/// Every op that has a derivative, with all attributes that change the derivative's rule.
inline const std::vector<Case> &smoothCases() {
  using V = const List &;
  static const std::vector<Case> cases = {
      {"add", {{{2, 3}}, {{3}}}, [](V v) { return v[0] + v[1]; }},
      {"subtract", {{{2, 3}}, {{2, 1}}}, [](V v) { return v[0] - v[1]; }},
      {"multiply", {{{2, 3}}, {{3}}}, [](V v) { return v[0] * v[1]; }},
      {"square", {{{3}}}, [](V v) { return v[0] * v[0]; }},
      {"divide", {{{2, 3}}, {{2, 3}, 1, 2}}, [](V v) { return v[0] / v[1]; }},
      {"maximum", {{{2, 3}}, {{2, 3}}}, [](V v) { return maximum(v[0], v[1]) * v[0]; }},
      {"minimum", {{{2, 3}}, {{2, 3}}}, [](V v) { return minimum(v[0], v[1]) * v[1]; }},
      {"negative", {{{3}}}, [](V v) { return -v[0] * v[0]; }},
      {"abs", {{{5}}}, [](V v) { return abs(v[0]) * v[0]; }},
      {"exp2", {{{2, 3}}}, [](V v) { return exp2(v[0]); }},
      {"expm1", {{{2, 3}}}, [](V v) { return expm1(v[0]); }},
      {"log2", {{{2, 3}, 0.5, 2}}, [](V v) { return log2(v[0]); }},
      {"log10", {{{2, 3}, 0.5, 2}}, [](V v) { return log10(v[0]); }},
      {"sin", {{{2, 3}, -4, 4}}, [](V v) { return sin(v[0]); }},
      {"cos", {{{2, 3}, -4, 4}}, [](V v) { return cos(v[0]); }},
      {"tan", {{{2, 3}}}, [](V v) { return tan(v[0]); }},
      {"asin", {{{2, 3}, -0.8, 0.8}}, [](V v) { return asin(v[0]); }},
      {"acos", {{{2, 3}, -0.8, 0.8}}, [](V v) { return acos(v[0]); }},
      {"atan", {{{2, 3}, -2, 2}}, [](V v) { return atan(v[0]); }},
      {"sinh", {{{2, 3}}}, [](V v) { return sinh(v[0]); }},
      {"cosh", {{{2, 3}}}, [](V v) { return cosh(v[0]); }},
      {"asinh", {{{2, 3}, -2, 2}}, [](V v) { return asinh(v[0]); }},
      {"acosh", {{{2, 3}, 1.5, 3}}, [](V v) { return acosh(v[0]); }},
      {"atanh", {{{2, 3}, -0.8, 0.8}}, [](V v) { return atanh(v[0]); }},
      {"pow", {{{2, 3}, 0.5, 2}, {{2, 3}}}, [](V v) { return pow(v[0], v[1]); }},
      {"hypot", {{{2, 3}}, {{2, 3}, 0.5, 1}}, [](V v) { return hypot(v[0], v[1]); }},
      {"logaddexp", {{{2, 3}}, {{2, 3}}}, [](V v) { return logaddexp(v[0], v[1]); }},
      {"erf", {{{2, 3}, -2, 2}}, [](V v) { return erf(v[0]); }},
      {"erfc", {{{2, 3}, -2, 2}}, [](V v) { return erfc(v[0]); }},
      {"lgamma", {{{2, 3}, 0.5, 4}}, [](V v) { return lgamma(v[0]); }},
      {"digamma", {{{2, 3}, 0.5, 4}}, [](V v) { return digamma(v[0]); }},
      {"trigamma", {{{2, 3}, 0.5, 4}}, [](V v) { return trigamma(v[0]); }},
      {"igamma", {{{2, 3}, 0.5, 4}}, [](V v) { return igamma(1.5, v[0]); }},
      {"igammac", {{{2, 3}, 0.5, 4}}, [](V v) { return igammac(2.5, v[0]); }},
      {"betainc", {{{2, 3}, 0.2, 0.8}}, [](V v) { return betainc(1.5, 2.5, v[0]); }},
      {"zeta", {{{2, 3}, 0.5, 4}}, [](V v) { return zeta(2.5, v[0]); }},
      {"polygamma", {{{2, 3}, 0.5, 4}}, [](V v) { return polygamma(1, v[0]); }},
      {"i0e", {{{2, 3}, 0.5, 4}}, [](V v) { return i0e(v[0]) + i0e(-v[0]); }},
      {"i1e", {{{2, 3}, 0.5, 4}}, [](V v) { return i1e(v[0]); }},
      {"remainder", {{{2, 3}, 3.1, 3.9}, {{2, 3}, 0.9, 1}}, [](V v) { return remainder(-v[0], v[1]) * v[0]; }},
      {"fmod", {{{2, 3}, 3.1, 3.5}, {{2, 3}, 0.9, 1}}, [](V v) { return fmod(-v[0], v[1]) * v[0]; }},
      {"nextafter", {{{2, 3}}, {{2, 3}}}, [](V v) { return nextafter(v[0], v[1]) * v[0]; }},
      {"copysign", {{{2, 3}}, {{2, 3}}}, [](V v) { return copysign(v[0], v[1]) * v[0]; }},
      {"exp", {{{2, 3}}}, [](V v) { return exp(v[0]); }},
      {"log", {{{2, 3}, 0.5, 2}}, [](V v) { return log(v[0]); }},
      {"log1p", {{{2, 3}, -0.5, 2}}, [](V v) { return log1p(v[0]); }},
      {"atan2", {{{2, 3}}, {{2, 3}, 0.5, 2}}, [](V v) { return atan2(v[0], v[1]) + atan2(v[0], -v[1]); }},
      {"sqrt", {{{2, 3}, 0.5, 2}}, [](V v) { return sqrt(v[0]); }},
      {"tanh", {{{2, 3}}}, [](V v) { return tanh(v[0]); }},
      {"cbrt", {{{2, 3}, 0.5, 2}}, [](V v) { return cbrt(v[0]); }},
      {"where", {{{2, 3}}, {{2, 3}}}, [](V v) { return where(v[0] > 0.0, v[0] * v[1], v[1] * v[1]); }},
      {"clip", {{{7}, -2, 2}}, [](V v) { return clip(v[0], -1.0, 1.0) * v[0]; }},
      {"erf_inv", {{{4}, -0.9, 0.9}}, [](V v) { return erf_inv(v[0]); }},
      {"sum", {{{2, 3, 2}}}, [](V v) { return sum(v[0] * v[0]); }},
      {"sum_axis", {{{2, 3, 2}}}, [](V v) { return sum(v[0] * v[0], {0, 2}); }},
      {"sum_keepdims", {{{2, 3}}}, [](V v) { return sum(v[0], {1}, true) * v[0]; }},
      {"mean", {{{2, 3}}}, [](V v) { return mean(v[0] * v[0], {0}); }},
      {"max", {{{2, 3, 2}}}, [](V v) { return max(v[0]) * v[0]; }},
      {"max_axis", {{{2, 3, 2}}}, [](V v) { return max(v[0], {1}) * 3.0; }},
      {"max_keepdims", {{{3, 4}}}, [](V v) { return max(v[0], {1}, true) * v[0]; }},
      {"reshape", {{{2, 3}}}, [](V v) { return reshape(v[0], {3, 2}) * reshape(v[0], {3, 2}); }},
      {"broadcast_to", {{{3, 1}}}, [](V v) { return exp(broadcast_to(v[0], {2, 3, 4})); }},
      {"transpose", {{{2, 3, 4}}}, [](V v) { return exp(transpose(v[0], {2, 0, 1})); }},
      {"slice", {{{7, 3}}}, [](V v) { return exp(slice(v[0], {1, 0}, {6, 2}, {2, 1})); }},
      {"slice_negative", {{{7, 5}}}, [](V v) { return exp(slice(v[0], {5, 4}, {-1, 1}, {-2, -1})); }},
      {"slice_empty", {{{4}}}, [](V v) { return concatenate({slice(v[0], {2}, {2}), v[0] * v[0]}); }},
      {"index", {{{3, 2}}}, [](V v) { return exp(v[0][1]) * v[0][-1]; }},
      {"pad", {{{2, 3}}, {{}}}, [](V v) { return exp(pad(v[0], v[1], {1, 0}, {2, 1}, {0, 2})); }},
      {"concatenate", {{{2, 1}}, {{2, 3}}, {{2, 2}}}, [](V v) { return exp(concatenate({v[0], v[1], v[2]}, 1)); }},
      {"sort_keys",
       {{{3, 5}}, {{3, 5}}},
       [](V v) {
         const std::vector<Array> both = sort_keys({v[0], v[1]}, 0, 1, true);
         return exp(both[0]) * both[1];
       }},
      {"gather",
       {{{4, 5}}},
       [](V v) {
         const Array rows = gather(v[0], Array{{3}, {0}, {3}}, {1, 5}, {1}, {0}, {0});
         return exp(
             gather(rows, Array{{0, 4}, {2, -1}, {1, 2}}, {1, 2}, {1}, {0}, {0, 1}, {}, {}, IndexMode::fill, 0.5));
       }},
      {"scatter",
       {{{5, 2}}, {{4, 2}}},
       [](V v) { return exp(scatter(v[0], Array{{1}, {4}, {1}, {7}}, v[1], {1}, {0}, {0})); }},
      {"scatter_add",
       {{{5, 2}}, {{4, 2}}},
       [](V v) {
         return exp(scatter_add(v[0], Array{{1}, {4}, {1}, {7}}, v[1], {1}, {0}, {0}, {}, {}, IndexMode::clip));
       }},
      {"scatter_mul",
       {{{5, 2}}, {{4, 2}}},
       [](V v) { return exp(scatter_mul(v[0], Array{{1}, {4}, {1}, {7}}, v[1], {1}, {0}, {0})); }},
      {"scatter_min",
       {{{5, 2}}, {{4, 2}}},
       [](V v) { return exp(scatter_min(v[0], Array{{1}, {4}, {1}, {7}}, v[1], {1}, {0}, {0})); }},
      {"scatter_max",
       {{{5, 2}}, {{4, 2}}},
       [](V v) {
         return exp(scatter_max(v[0], Array{{1}, {4}, {1}, {-1}}, v[1], {1}, {0}, {0}, {}, {}, IndexMode::error));
       }},
      {"dynamic_slice", {{{5, 6}}}, [](V v) { return exp(dynamic_slice(v[0], {Array(2), Array(9)}, {2, 3})); }},
      {"dynamic_update_slice",
       {{{5, 6}}, {{2, 3}}},
       [](V v) { return exp(dynamic_update_slice(v[0], v[1], {Array(-2), Array(2)})); }},
      {"split",
       {{{2, 5}}},
       [](V v) {
         std::vector<Array> parts = split(v[0], {2, 1, 2}, 1);
         return parts[0] * exp(parts[2]);
       }},
      {"matmul", {{{2, 3}}, {{3, 4}}}, [](V v) { return matmul(v[0], v[1]); }},
      {"matmul_batch", {{{2, 2, 3}}, {{3, 2}}}, [](V v) { return matmul(v[0], v[1]); }},
      {"matmul_row", {{{3}}, {{3, 2}}}, [](V v) { return matmul(v[0], v[1]); }},
      {"matmul_column", {{{2, 3}}, {{3}}}, [](V v) { return matmul(v[0], v[1]); }},
      {"softmax", {{{2, 4}}}, [](V v) { return softmax(v[0]); }},
      {"softmax_axis", {{{3, 2}}}, [](V v) { return softmax(v[0], 0); }},
      {"log_softmax", {{{2, 4}}}, [](V v) { return log_softmax(v[0]); }},
      {"log_softmax_axis", {{{3, 2}}}, [](V v) { return log_softmax(v[0], 0); }},
      {"relu", {{{2, 4}}}, [](V v) { return relu(v[0]) * v[0]; }},
      {"optimization_barrier",
       {{{3}}, {{3}}},
       [](V v) {
         std::vector<Array> same = optimization_barrier({v[0] * v[1], v[1]});
         return same[0] * v[0];
       }},
      {"astype", {{{3}}}, [](V v) { return astype(v[0], f64) * v[0]; }},
      {"shared",
       {{{3}}},
       [](V v) {
         Array y = exp(v[0]);
         return y * y + y;
       }},
  };
  return cases;
}

/// Functions with control flow, whose bodies are traced.
inline const std::vector<Case> &regionCases() {
  using V = const List &;
  static const std::vector<Case> cases = {
      {"cond",
       {{{3}}, {{3}}},
       [](V v) {
         return cond(
             sum(v[0]) > sum(v[1]), [](const Array &a, const Array &b) { return exp(a) * b; },
             [](const Array &a, const Array &b) { return tanh(a + b) * b; }, v[0], v[1]);
       }},
      {"cond_captures",
       {{{3}}, {{3}}},
       [](V v) {
         Array both = v[0] * v[1];
         return cond(max(v[0]) > 0.0, [&] { return both * v[0]; }, [&] { return v[1] * 2.0; });
       }},
      {"scan",
       {{{}}, {{4}}},
       [](V v) {
         auto [carry, ys] = scan(
             [](const Array &c, const Array &x) {
               Array next = tanh(c * x) + x;
               return std::pair(next, next * c);
             },
             v[0], v[1]);
         return ys * carry;
       }},
      {"scan_reverse_constants",
       {{{2}}, {{3, 2}}, {{2, 2}}},
       [](V v) {
         auto [carry, ys] = scan(
             [&](const Array &c, const Array &x) {
               Array next = tanh(matmul(v[2], c)) + x;
               return std::pair(next, next * next);
             },
             v[0], v[1], {.reverse = true});
         return concatenate({ys, reshape(carry, {1, 2})});
       }},
      {"scan_length",
       {{{2}}},
       [](V v) {
         return scan([&](const Array &c) { return std::pair(c * v[0] + 1.0, none); }, v[0], none, {.length = 3}).first;
       }},
      {"scan_of_tree",
       {{{2}}, {{3, 2}}},
       [](V v) {
         struct State {
           Array position;
           Array rounds;
         };
         State start{v[0], Array(0)};
         auto [state, ys] = scan(
             [](const State &s, const Array &x) {
               State next{s.position * x + astype(s.rounds, f64), s.rounds + 1};
               return std::pair(next, next.position);
             },
             start, v[1]);
         return state.position + sum(ys) * astype(state.rounds, f64);
       }},
      {"scan_in_scan",
       {{{}}, {{2, 3}}},
       [](V v) {
         return scan(
                    [](const Array &c, const Array &row) {
                      auto inner =
                          scan([](const Array &d, const Array &x) { return std::pair(tanh(d * x), d + x); }, c, row);
                      return std::pair(inner.first + sum(inner.second), none);
                    },
                    v[0], v[1])
             .first;
       }},
      {"cond_in_scan",
       {{{}}, {{4}}},
       [](V v) {
         return scan(
                    [](const Array &c, const Array &x) {
                      Array next = cond(x > 0.0, [&] { return c * exp(x); }, [&] { return c - x * x; });
                      return std::pair(next, none);
                    },
                    v[0], v[1])
             .first;
       }},
      {"fori_loop",
       {{{2}}},
       [](V v) {
         return fori_loop(0, 3, [&](const Array &i, const Array &c) { return c * v[0] + astype(i, f64); }, v[0]);
       }},
      {"switch_case",
       {{{3}}, {{3}}},
       [](V v) {
         Array both = v[0] * v[1];
         return switch_case(
             argmax(v[0]), [](const Array &a, const Array &b) { return exp(a) * b; },
             [&](const Array &a, const Array &b) { return tanh(a + b) * both; },
             [&](const Array &a, const Array &) { return both * a; }, v[0], v[1]);
       }},
  };
  return cases;
}

/// |got - expected| <= tolerance * (1 + |expected|), element by element.
inline void expectNear(const Array &got, const Array &expected, double tolerance, const std::string &what) {
  ASSERT_EQ(got.shape().str(), expected.shape().str()) << what;
  std::vector<double> a = astype(got, f64).to_vector<double>(), b = astype(expected, f64).to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_LE(std::abs(a[i] - b[i]), tolerance * (1 + std::abs(b[i])))
        << what << ", element " << i << ": got " << a[i] << ", expected " << b[i];
}

/// The gradient of sum(function(inputs) * weights), by central differences in f64.
inline List differences(const std::function<Array(const List &)> &function, const List &inputs, const Array &weights) {
  constexpr double h = 1e-5;
  List result;
  for (size_t k = 0; k < inputs.size(); ++k) {
    std::vector<double> elements = inputs[k].to_vector<double>(), slopes;
    for (size_t i = 0; i < elements.size(); ++i) {
      double values[2];
      for (int side : {0, 1}) {
        std::vector<double> moved = elements;
        moved[i] += side ? h : -h;
        List point = inputs;
        point[k] = Array(std::span<const double>(moved), inputs[k].shape());
        values[side] = sum(function(point) * weights).item<double>();
      }
      slopes.push_back((values[1] - values[0]) / (2 * h));
    }
    result.push_back(Array(std::span<const double>(slopes), inputs[k].shape()));
  }
  return result;
}

} // namespace tenon::test
