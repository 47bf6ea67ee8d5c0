//===- sorting.cpp - order, places, sets ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in sorting.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("sort", [] {
    tn::Array x = {{3.0f, NAN, 1.0f}, {2.0f, 9.0f, 4.0f}};
    std::cout << tn::sort(x) << "\n"; // NaN comes last
    std::cout << tn::sort(x, 0, /*descending=*/true) << "\n";
    auto isNearer = [](const tn::Array &a, const tn::Array &b) { return abs(a - 3) < abs(b - 3); };
    std::cout << tn::sort(tn::Array{1, 9, 4, 3, 5, 2}, isNearer) << "\n"; // as a function says
    std::pair<tn::Array, tn::Array> years{{2001, 1999, 2001}, {7, 8, 9}}; // several arrays in one order
    std::cout << tn::sort(years, [](const auto &a, const auto &b) { return a.first < b.first; }).second;
  });
  example("argsort", [] {
    tn::Array x = {30, 10, 20}, order = tn::argsort(x);
    std::cout << order << " " << x[order];
  });
  example("sort_keys", [] {
    tn::Array age = {31, 25, 31}, id = {7, 8, 9}, height = {1.8f, 1.7f, 1.6f};
    for (const tn::Array &column : tn::sort_keys({age, height, id}, -1, /*keys=*/2))
      std::cout << column << "\n"; // by age, among equal ages by height
  });
  example("lexsort", [] {
    tn::Array first = {1, 5, 1, 4}, second = {9, 4, 0, 4};
    std::cout << tn::lexsort({second, first}); // by first, then by second
  });
  example("searchsorted", [] {
    tn::Array x = {1, 3, 3, 5};
    std::cout << tn::searchsorted(x, {0, 3, 9}) << " " << tn::searchsorted(x, {0, 3, 9}, tn::Side::right);
  });
  example("digitize", [] {
    tn::Array grades = {55, 70, 99}, bins = {60, 70, 90};
    std::cout << tn::digitize(grades, bins);
  });
  example("nonzero", [] {
    tn::Array x = {{0, 7}, {8, 9}};
    std::vector<tn::Array> places = tn::nonzero(x);
    std::cout << places[0] << " " << places[1] << "\n";
    std::cout << x[{places[0], places[1]}];
  });
  example("flatnonzero", [] {
    tn::Array x = {0, 3, 0, 4};
    std::cout << tn::flatnonzero(x) << "\n";
    // Under jit a size must be said; what is missing is the fill value.
    auto places = tn::jit([](const tn::Array &x) { return tn::flatnonzero(x, 3, -1); });
    std::cout << places(x);
  });
  example("argwhere", [] {
    tn::Array x = {{0, 7}, {8, 9}};
    std::cout << tn::argwhere(x > 7);
  });
  example("unique_values", [] { std::cout << tn::unique_values({3, 1, 2, 3, 1}); });
  example("unique_counts", [] {
    auto [values, counts] = tn::unique_counts({3, 1, 2, 3, 3});
    std::cout << values << " " << counts;
  });
  example("unique_inverse", [] {
    auto [values, inverse] = tn::unique_inverse({30, 10, 30, 20});
    std::cout << values << " " << inverse << "\n" << values[inverse];
  });
  example("unique_all", [] {
    auto [values, indices, inverse, counts] = tn::unique_all({30, 10, 30});
    std::cout << values << " " << indices << "\n" << inverse << " " << counts;
  });
  example("unique", [] {
    tn::Array table = {{3, 1}, {1, 2}, {3, 1}};
    auto [rows, indices, inverse, counts] = tn::unique(table, {.axis = 0});
    std::cout << rows << "\n" << indices << " " << inverse << " " << counts;
  });
  example("top_k", [] {
    auto [values, indices] = tn::top_k(tn::Array{3, 9, 4, 9}, 2);
    std::cout << values << " " << indices;
  });
  example("partition", [] {
    tn::Array x = tn::partition({5, 1, 4, 2, 3}, 2);
    std::cout << x[2] << ": what is below stands before it";
  });
  example("argpartition", [] {
    tn::Array x = {5, 1, 4, 2, 3};
    std::cout << x[tn::argpartition(x, 2)[2]];
  });
  example("union1d", [] { std::cout << tn::union1d({3, 1}, {1, 2}); });
  example("intersect1d", [] { std::cout << tn::intersect1d({3, 1, 3}, {3, 2}); });
  example("setdiff1d", [] { std::cout << tn::setdiff1d({3, 1, 3}, {3, 2}); });
  example("setxor1d", [] { std::cout << tn::setxor1d({3, 1, 3}, {3, 2}); });
}
