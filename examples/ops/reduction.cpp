//===- reduction.cpp - sums, extremes, statistics -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in reduction.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("sum", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::sum(x) << " " << tn::sum(x, 0) << "\n";
    std::cout << tn::sum(x, 1, /*keepdims=*/true);
  });
  example("sum", [] {
    tn::Array x = {{1.0f, NAN, 3.0f}, {4.0f, 5.0f, NAN}};
    std::cout << tn::sum(x, {.axis = 1, .dtype = tn::f64, .where = isfinite(x)});
  });
  example("prod", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::prod(x) << " " << tn::prod(x, -1);
  });
  example("max", [] {
    tn::Array x = {{1.0f, 5.0f, 3.0f}, {4.0f, NAN, 6.0f}};
    std::cout << tn::max(x, 1) << " " << tn::nanmax(x, 1);
  });
  example("max", [] {
    tn::Array x = {{1, 5, 3}, {4, 2, 6}};
    std::cout << tn::max(x, {.axis = 1, .initial = 0, .where = x % 2 == 0}); // of even numbers
  });
  example("min", [] {
    tn::Array x = {{1, 5, 3}, {4, 2, 6}};
    std::cout << tn::min(x, 0) << " " << tn::min(x);
  });
  example("any", [] {
    tn::Array x = {{0, 0}, {0, 7}};
    std::cout << tn::any(x, 1);
  });
  example("all", [] {
    tn::Array x = {1.0f, 2.0f, 3.0f};
    if (tn::all(x > 0))
      std::cout << "all of them are positive";
  });
  example("argmax", [] {
    tn::Array x = {{3, 9, 2}, {8, 1, 7}};
    std::cout << tn::argmax(x) << " " << tn::argmax(x, 1);
  });
  example("argmin", [] {
    tn::Array x = {{3, 9, 2}, {8, 1, 7}};
    std::cout << tn::argmin(x) << " " << tn::argmin(x, 1, /*keepdims=*/true);
  });
  example("mean", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::mean(x) << " " << tn::mean(x, 0);
  });
  example("mean", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::mean(x, {.axis = 1, .where = x > 2});
  });
  example("average", [] {
    tn::Array grades = {90.0f, 70.0f, 80.0f}, weights = {1, 1, 2};
    std::cout << tn::average(grades, {}, weights);
  });
  example("var", [] {
    tn::Array x = {2.0f, 4.0f, 4.0f, 4.0f, 5.0f, 5.0f, 7.0f, 9.0f};
    std::cout << tn::var(x) << " " << tn::var(x, {}, false, /*correction=*/1);
  });
  example("std", [] {
    tn::Array x = {2.0f, 4.0f, 4.0f, 4.0f, 5.0f, 5.0f, 7.0f, 9.0f};
    std::cout << tn::std(x);
  });
  example("median", [] {
    tn::Array x = {{9, 1, 5}, {2, 4, 8}};
    std::cout << tn::median(x) << " " << tn::median(x, 1);
  });
  example("quantile", [] {
    tn::Array x = tn::arange(1.0f, 12);
    std::cout << tn::quantile(x, {0.0f, 0.25f, 0.5f, 0.99f});
  });
  example("percentile", [] { std::cout << tn::percentile(tn::arange(1.0f, 12), 90); });
  example("ptp", [] {
    tn::Array x = {{1, 5, 3}, {4, 2, 9}};
    std::cout << tn::ptp(x, 1);
  });
  example("count_nonzero", [] {
    tn::Array x = {{0, 1, 2}, {0, 0, 3}};
    std::cout << tn::count_nonzero(x) << " " << tn::count_nonzero(x > 1, 1);
  });
  example("logsumexp", [] {
    tn::Array x = {1000.0f, 1000.0f}; // exp of them is infinite
    std::cout << tn::logsumexp(x) - 1000;
  });
  example("vector_norm", [] {
    tn::Array x = {{3.0f, 4.0f}, {5.0f, 12.0f}};
    std::cout << tn::vector_norm(x, 1) << " " << tn::vector_norm(x, 1, false, INFINITY);
  });
  example("matrix_norm", [] {
    tn::Array x = {{1.0f, -2.0f}, {3.0f, 4.0f}};
    std::cout << tn::matrix_norm(x) << " " << tn::matrix_norm(x, false, tn::MatrixNorm::one) << " "
              << tn::matrix_norm(x, false, tn::MatrixNorm::infinity);
  });
  example("norm", [] {
    tn::Array x = {{3.0f, 4.0f}, {5.0f, 12.0f}};
    std::cout << tn::norm(x, -1) << " " << tn::norm(x) << "\n"; // of each row, of all elements
    std::cout << tn::norm(x, {}, false, 1);                     // of the matrix: the largest sum of a column
  });
  example("global_norm", [] {
    tn::Array weights = {3.0f, 0.0f}, bias = 4.0f;
    std::cout << tn::global_norm({weights, bias});
  });
  example("cov", [] {
    tn::Array x = {{1.0f, 2.0f, 3.0f}, {2.0f, 4.0f, 7.0f}}; // two variables, three observations
    std::cout << tn::cov(x);
  });
  example("corrcoef", [] {
    tn::Array x = {{1.0f, 2.0f, 3.0f}, {6.0f, 4.0f, 2.0f}};
    std::cout << tn::corrcoef(x);
  });
  example("bincount", [] {
    tn::Array x = {1, 3, 1, 0, 1};
    std::cout << tn::bincount(x) << "\n";
    std::cout << tn::bincount(x, tn::none, /*minlength=*/6) << "\n";
    std::cout << tn::bincount(x, {0.5f, 1.0f, 0.5f, 2.0f, 1.0f}); // sums of weights
  });
  example("histogram", [] {
    tn::Array x = {0.5f, 1.5f, 1.7f, 2.5f, 4.0f};
    auto [counts, edges] = tn::histogram(x, 4, {0.0f, 4.0f});
    std::cout << counts << "\n" << edges;
  });
  example("histogram2d", [] {
    tn::Array x = {0.5f, 1.5f, 1.5f, 3.0f}, y = {0.0f, 0.9f, 0.1f, 1.0f};
    auto [counts, x_edges, y_edges] = tn::histogram2d(x, y, {0.0f, 1.0f, 2.0f, 3.0f}, 2);
    std::cout << counts << "\n" << y_edges;
  });
  example("nansum", [] { std::cout << tn::nansum({1.0f, NAN, 3.0f}); });
  example("nanprod", [] { std::cout << tn::nanprod({2.0f, NAN, 3.0f}); });
  example("nanmax", [] {
    tn::Array x = {{1.0f, NAN}, {NAN, NAN}};
    std::cout << tn::nanmax(x, 1);
  });
  example("nanmin", [] { std::cout << tn::nanmin({4.0f, NAN, 3.0f}); });
  example("nanmean", [] { std::cout << tn::nanmean({1.0f, NAN, 3.0f}); });
  example("nanvar", [] { std::cout << tn::nanvar({1.0f, NAN, 3.0f}); });
  example("nanstd", [] { std::cout << tn::nanstd({1.0f, NAN, 3.0f}); });
  example("nanargmax", [] {
    tn::Array x = {{NAN, 4.0f}, {2.0f, 3.0f}};
    std::cout << tn::nanargmax(x) << " " << tn::nanargmax(x, 0);
  });
  example("nanargmin", [] {
    tn::Array x = {{NAN, 4.0f}, {2.0f, 3.0f}};
    std::cout << tn::nanargmin(x) << " " << tn::nanargmin(x, 1);
  });
  example("nanmedian", [] { std::cout << tn::nanmedian({{10.0f, NAN, 4.0f}, {3.0f, 2.0f, 1.0f}}, 1); });
  example("nanquantile", [] { std::cout << tn::nanquantile({{10.0f, NAN, 4.0f}, {3.0f, 2.0f, 1.0f}}, 0.5f, 1); });
  example("nanpercentile", [] { std::cout << tn::nanpercentile({10.0f, NAN, 4.0f}, {25.0f, 50.0f}); });
  example("histogram_bin_edges", [] {
    std::cout << tn::histogram_bin_edges({0, 1, 4}, 4) << " " << tn::histogram_bin_edges({0, 1, 4}, 2, {0, 10});
  });
  example("apply_over_axes", [] {
    auto total = [](const tn::Array &x, tn::Axis axis) { return tn::sum(x, {axis.value()}); };
    std::cout << tn::apply_over_axes(total, tn::ones({2, 3, 4}), {0, 2}).shape();
  });
}
