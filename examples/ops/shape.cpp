//===- shape.cpp - shapes, axes, joining and splitting --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in shape.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("reshape", [] {
    tn::Array x = tn::arange(6);
    std::cout << tn::reshape(x, {2, 3}) << "\n";
    std::cout << x.reshape({3, -1}); // one size may be left to be found
  });
  example("broadcast_to", [] {
    tn::Array row = {1, 2, 3};
    std::cout << tn::broadcast_to(row, {2, 3});
  });
  example("broadcast_arrays", [] {
    tn::Array column = {{1}, {2}}, row = {10, 20, 30};
    for (const tn::Array &x : tn::broadcast_arrays({column, row}))
      std::cout << x << "\n";
  });
  example("broadcast_shapes", [] { std::cout << tn::broadcast_shapes({{8, 1, 6}, {7, 1}}); });
  example("transpose", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::transpose(x) << "\n";                               // also x.T()
    std::cout << tn::transpose(tn::zeros({2, 3, 4}), {1, 0, 2}).shape(); // axes in this order
  });
  example("permute_dims", [] { std::cout << tn::permute_dims(tn::zeros({2, 3, 4}), {2, 0, 1}).shape(); });
  example("matrix_transpose", [] {
    tn::Array stack = tn::reshape(tn::arange(8), {2, 2, 2});
    std::cout << tn::matrix_transpose(stack); // also stack.mT()
  });
  example("moveaxis", [] { std::cout << tn::moveaxis(tn::zeros({2, 3, 4}), 0, -1).shape(); });
  example("swapaxes", [] { std::cout << tn::swapaxes(tn::zeros({2, 3, 4}), 0, 2).shape(); });
  example("expand_dims", [] {
    tn::Array x = {1, 2, 3};
    std::cout << tn::expand_dims(x, 1) << "\n" << tn::expand_dims(x, {0, -1}).shape();
  });
  example("squeeze", [] {
    tn::Array x = tn::zeros({1, 3, 1});
    std::cout << tn::squeeze(x).shape() << " " << tn::squeeze(x, 0).shape();
  });
  example("ravel", [] { std::cout << tn::ravel({{1, 2}, {3, 4}}); });
  example("flatten", [] { std::cout << tn::flatten({{1, 2}, {3, 4}}); });
  example("atleast_1d", [] { std::cout << tn::atleast_1d(7); });
  example("atleast_2d", [] { std::cout << tn::atleast_2d({1, 2, 3}); });
  example("atleast_3d",
          [] { std::cout << tn::atleast_3d({1, 2, 3}).shape() << " " << tn::atleast_3d({{1, 2}, {3, 4}}).shape(); });
  example("concatenate", [] {
    tn::Array x = {{1, 2}, {3, 4}}, row = {{5, 6}};
    std::cout << tn::concatenate({x, row}) << "\n" << tn::concatenate({x, x}, 1);
  });
  example("concat", [] { std::cout << tn::concat({tn::Array{1, 2}, tn::Array{3.5f}}); });
  example("stack", [] {
    tn::Array x = {1, 2, 3}, y = {4, 5, 6};
    std::cout << tn::stack({x, y}) << "\n" << tn::stack({x, y}, -1);
  });
  example("vstack", [] { std::cout << tn::vstack({tn::Array{1, 2}, tn::Array{3, 4}}); });
  example("hstack", [] { std::cout << tn::hstack({tn::Array{{1}, {2}}, tn::Array{{3}, {4}}}); });
  example("split", [] {
    for (const tn::Array &part : tn::split(tn::arange(6), {1, 2, 3}))
      std::cout << part << "\n";
  });
  example("unstack", [] {
    std::vector<tn::Array> columns = tn::unstack(tn::Array{{1, 2}, {3, 4}}, 1);
    std::cout << columns[0] << " " << columns[1];
  });
  example("flip", [] {
    tn::Array x = {{1, 2}, {3, 4}};
    std::cout << tn::flip(x) << "\n" << tn::flip(x, 1);
  });
  example("rot90", [] { std::cout << tn::rot90({{1, 2}, {3, 4}}); });
  example("roll", [] {
    std::cout << tn::roll(tn::arange(5), 2) << "\n";
    std::cout << tn::roll(tn::Array{{1, 2, 3}, {4, 5, 6}}, -1, 1);
  });
  example("repeat", [] {
    std::cout << tn::repeat({1, 2, 3}, 2) << "\n";
    std::cout << tn::repeat({{1, 2}, {3, 4}}, {1, 3}, 0); // the second row three times
  });
  example("tile", [] { std::cout << tn::tile({1, 2}, 3) << "\n" << tn::tile({1, 2}, {2, 2}); });
  example("pad", [] {
    tn::Array x = {{1, 2}, {3, 4}};
    std::cout << tn::pad(x, 0, {1, 0}, {0, 2}) << "\n";
    std::cout << tn::pad(tn::Array{1, 2, 3}, 9, {0}, {0}, /*interior=*/1) << "\n";
    std::cout << tn::pad(tn::Array{1, 2, 3}, 0, {1}, {-1}); // shifted
  });
  example("pad_mode", [] {
    tn::Array x = {1, 2, 3};
    std::cout << tn::pad_mode(x, {2}, {2}, tn::PadMode::edge) << "\n"
              << tn::pad_mode(x, {2}, {2}, tn::PadMode::reflect);
  });
  example("diagonal", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    std::cout << tn::diagonal(x) << " " << tn::diagonal(x, 1);
  });
  example("dimension", [] {
    tn::Array x = tn::zeros({2, 5});
    std::cout << tn::dimension(x, -1); // under jit also where the size is a symbol
  });
  example("fliplr", [] { std::cout << tn::fliplr({{1, 2}, {3, 4}}); });
  example("flipud", [] { std::cout << tn::flipud({{1, 2}, {3, 4}}); });
  example("rollaxis", [] { std::cout << tn::rollaxis(tn::zeros({2, 3, 4}), 2).shape(); });
  example("dstack", [] { std::cout << tn::dstack({tn::Array{1, 2}, tn::Array{3, 4}}); });
  example("column_stack", [] { std::cout << tn::column_stack({tn::Array{1, 2}, tn::Array{3, 4}}); });
  example("array_split", [] {
    for (const tn::Array &part : tn::array_split(tn::arange(7), 3)) // pieces need not be equal
      std::cout << part << "\n";
  });
  example("hsplit", [] {
    std::vector<tn::Array> parts = tn::hsplit({{1, 2}, {3, 4}}, 2);
    std::cout << parts[0] << "\n" << parts[1];
  });
  example("vsplit", [] {
    std::vector<tn::Array> parts = tn::vsplit({{1, 2}, {3, 4}}, 2);
    std::cout << parts[0] << " " << parts[1];
  });
  example("dsplit", [] { std::cout << tn::dsplit(tn::zeros({2, 3, 4}), 2)[1].shape(); });
  example("append", [] { std::cout << tn::append({1, 2}, {{3}, {4}}) << "\n" << tn::append({{1, 2}}, {{3, 4}}, 0); });
  example("insert", [] {
    std::cout << tn::insert({1, 2, 3}, {1, 3}, {8, 9}) << "\n" << tn::insert({{1, 2}, {3, 4}}, {1}, 0, 1);
  });
  example("delete_", [] {
    std::cout << tn::delete_({1, 2, 3, 4}, {1, -1}) << "\n" << tn::delete_({{1, 2}, {3, 4}}, {0}, 1);
  });
  example("resize", [] {
    std::cout << tn::resize({1, 2, 3}, {2, 4}); // again from the front
  });
  example("trim_zeros", [] {
    std::cout << tn::trim_zeros({0, 0, 1, 0, 2, 0}) << " " << tn::trim_zeros({0, 0, 1, 0}, tn::Trim::back);
  });
  example("block", [] {
    tn::Array x = tn::ones({2, 2}), y = tn::zeros({2, 1});
    std::cout << tn::block({{x, y}, {tn::Array{{5.0f, 6.0f}}, 7.0f}});
  });
}
