//===- indexing.cpp - parts of arrays, choices, segments ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in indexing.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("where", [] {
    tn::Array x = {-2.0f, 3.0f, -4.0f};
    std::cout << tn::where(x > 0, x, 0);
  });
  example("select", [] {
    tn::Array x = tn::arange(6);
    std::cout << tn::select({x < 2, x > 3}, {x, x * 10}, -1);
  });
  example("choose", [] {
    tn::Array number = {0, 1, 2, 1};
    std::cout << tn::choose(number, {tn::Array{1, 2, 3, 4}, tn::Array{10, 20, 30, 40}, tn::Array(0)});
  });
  example("take", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::take(x, {2, 0, 2}, 1) << "\n";
    std::cout << tn::take(x, {0, -1}); // of the flattened array
  });
  example("take", [] {
    tn::Array ring = {10, 20, 30};
    std::cout << tn::take(ring, {2, 3, 4}, 0, tn::IndexMode::wrap);
  });
  example("take_along_axis", [] {
    tn::Array x = {{3, 1, 2}, {4, 6, 5}};
    std::cout << tn::take_along_axis(x, tn::argsort(x, 1), 1); // sorted by row
  });
  example("put_along_axis", [] {
    tn::Array x = {{3, 1, 2}, {4, 6, 5}}, largest = tn::argmax(x, 1, /*keepdims=*/true);
    std::cout << tn::put_along_axis(x, largest, 0, 1);
  });
  example("compress", [] {
    tn::Array x = {{1, 2}, {3, 4}, {5, 6}};
    std::cout << tn::compress({true, false, true}, x, 0);
  });
  example("slice", [] {
    tn::Array x = tn::reshape(tn::arange(12), {3, 4});
    std::cout << tn::slice(x, {0, 1}, {3, 4}, {2, 1}) << "\n";
    std::cout << x[{tn::slice(0, 3, 2), tn::slice(1, 4)}]; // the same as an index
  });
  example("dynamic_slice", [] {
    tn::Array x = tn::arange(10), start = tn::argmax(x % 7); // known only when it runs
    std::cout << tn::dynamic_slice(x, {start}, {3});
  });
  example("dynamic_update_slice", [] {
    tn::Array x = tn::zeros({2, 4}, tn::i32);
    std::cout << tn::dynamic_update_slice(x, {{7, 8}}, {tn::Array(1), tn::Array(2)});
  });
  example("gather", [] {
    tn::Array x = tn::reshape(tn::arange(12), {3, 4}), starts = {{0, 1}, {2, 2}};
    // A window of 1 x 2 for each row of starts; the axis of one element is dropped.
    std::cout << tn::gather(x, starts, {1, 2}, /*offset_dims=*/{1}, /*collapsed_slice_dims=*/{0},
                            /*start_index_map=*/{0, 1});
  });
  example("scatter", [] {
    tn::Array x = tn::zeros({5}, tn::i32);
    std::cout << tn::scatter(x, {{1}, {3}}, {7, 8}, /*update_window_dims=*/{}, /*inserted_window_dims=*/{0},
                             /*scatter_dims_to_operand_dims=*/{0})
              << "\n";
    std::cout << x.at[tn::Array{1, 3}].set(7) << "\n"; // what most people want
    // With a function of what is there and the update, for each update in turn.
    auto digits = [](const tn::Array &number, const tn::Array &digit) { return 10 * number + digit; };
    std::cout << tn::scatter(x, {{1}, {3}, {1}}, {7, 8, 9}, digits, /*update_window_dims=*/{},
                             /*inserted_window_dims=*/{0}, /*scatter_dims_to_operand_dims=*/{0})
              << "\n";
    std::cout << x.at[tn::Array{1, 3, 1}].apply(digits, {7, 8, 9});
  });
  example("scatter_add", [] {
    tn::Array x = tn::zeros({3}), to = {{0}, {2}, {0}};
    std::cout << tn::scatter_add(x, to, {1.0f, 2.0f, 3.0f}, std::vector<int>(), {0}, {0}) << "\n";
    std::cout << x.at[tn::Array{0, 2, 0}].add({1.0f, 2.0f, 3.0f});
  });
  example("scatter_mul", [] {
    tn::Array x = {1.0f, 2.0f, 3.0f}, to = {{1}, {1}};
    std::cout << tn::scatter_mul(x, to, {10.0f, 10.0f}, std::vector<int>(), {0}, {0});
  });
  example("scatter_min", [] {
    tn::Array x = {5, 5, 5}, to = {{0}, {1}};
    std::cout << tn::scatter_min(x, to, {3, 9}, std::vector<int>(), {0}, {0});
  });
  example("scatter_max", [] {
    tn::Array x = {5, 5, 5}, to = {{0}, {1}};
    std::cout << tn::scatter_max(x, to, {3, 9}, std::vector<int>(), {0}, {0});
  });
  example("unravel_index", [] {
    std::vector<tn::Array> places = tn::unravel_index({5, 11}, {3, 4});
    std::cout << places[0] << " " << places[1];
  });
  example("ravel_multi_index", [] {
    tn::Array rows = {1, 2}, columns = {1, 3};
    std::cout << tn::ravel_multi_index({rows, columns}, {3, 4});
  });
  example("segment_sum", [] {
    tn::Array data = {1, 2, 3, 4}, segments = {0, 2, 0, 2};
    std::cout << tn::segment_sum(data, segments, 3);
  });
  example("segment_prod", [] { std::cout << tn::segment_prod({1, 2, 3, 4}, {0, 2, 0, 2}, 3); });
  example("segment_max", [] { std::cout << tn::segment_max({1, 2, 3, 4}, {0, 1, 0, 1}, 2); });
  example("segment_min", [] { std::cout << tn::segment_min({1, 2, 3, 4}, {0, 1, 0, 1}, 2); });
  example("fill_diagonal", [] { std::cout << tn::fill_diagonal(tn::zeros({3, 3}, tn::i32), {1, 2, 3}); });
  example("tril_indices", [] {
    auto [rows, columns] = tn::tril_indices(2);
    std::cout << rows << " " << columns;
  });
  example("triu_indices", [] {
    auto [rows, columns] = tn::triu_indices(3, 1);
    std::cout << rows << " " << columns;
  });
  example("tril_indices_from", [] {
    tn::Array x = {{1, 2}, {3, 4}};
    auto [rows, columns] = tn::tril_indices_from(x);
    std::cout << x[{rows, columns}];
  });
  example("triu_indices_from", [] {
    tn::Array x = {{1, 2}, {3, 4}};
    auto [rows, columns] = tn::triu_indices_from(x);
    std::cout << x[{rows, columns}];
  });
  example("diag_indices", [] {
    std::vector<tn::Array> places = tn::diag_indices(3);
    std::cout << tn::zeros({3, 3}).at[{places[0], places[1]}].set(1);
  });
  example("diag_indices_from", [] {
    tn::Array x = {{1, 2}, {3, 4}};
    std::vector<tn::Array> places = tn::diag_indices_from(x);
    std::cout << x[{places[0], places[1]}];
  });
  example("ix_", [] {
    tn::Array x = tn::reshape(tn::arange(12), {3, 4});
    std::vector<tn::Array> places = tn::ix_({tn::Array{0, 2}, tn::Array{1, 3}});
    std::cout << x[{places[0], places[1]}];
  });
  example("put", [] { std::cout << tn::put({{1, 2}, {3, 4}}, {0, 3}, {8, 9}); });
  example("place", [] {
    tn::Array x = {1, 2, 3, 4};
    std::cout << tn::place(x, x > 2, {7, 8});
  });
  example("extract", [] {
    tn::Array x = {{1, 2}, {3, 4}};
    std::cout << tn::extract(x % 2 == 0, x);
  });
  example("piecewise", [] {
    tn::Array x = {-2.0f, 0.0f, 3.0f};
    std::cout << tn::piecewise(x, {x < 0, x > 1}, [](const tn::Array &x) { return -x; }, 9.0f, 1.0f);
  });
}
