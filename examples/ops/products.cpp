//===- products.cpp - matrix products and their kin -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in products.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("matmul", [] {
    tn::Array x = {{1.0f, 2.0f}, {3.0f, 4.0f}}, v = {10.0f, 1.0f};
    std::cout << tn::matmul(x, x) << "\n" << tn::matmul(x, v) << "\n";
    std::cout << tn::matmul(tn::ones({5, 1, 2, 3}), tn::ones({4, 3, 7})).shape() << "\n"; // stacks of matrices
    tn::Array bytes = tn::full({2, 2}, 100, tn::i8);
    std::cout << tn::matmul(bytes, bytes, tn::i32); // not wrapped to 8 bits
  });
  example("dot_general", [] {
    tn::Array x = tn::ones({8, 3, 4}), y = tn::ones({8, 4, 5});
    std::cout << tn::dot_general(x, y, {2}, {1}, {0}, {0}).shape() << "\n"; // sums over 4, for each of 8
    tn::Array v = tn::full({500}, 0.0625f, tn::f8e4m3fn);
    std::cout << tn::dot_general(v, v, {0}, {0}, tn::f32); // 500 / 256
  });
  example("einsum", [] {
    tn::Array x = {{1.0f, 2.0f}, {3.0f, 4.0f}}, v = {10.0f, 1.0f};
    std::cout << tn::einsum("ij,j->i", x, v) << "\n";
    std::cout << tn::einsum("ii", x) << " " << tn::einsum("ij->ji", x) << "\n"; // trace, transpose
    std::cout << tn::einsum("bqd,bkd->bqk", tn::ones({2, 3, 8}), tn::ones({2, 5, 8})).shape();
  });
  example("multi_dot", [] { std::cout << tn::multi_dot({tn::ones({2, 100}), tn::ones({100, 3}), tn::ones({3, 4})}); });
  example("matvec", [] { std::cout << tn::matvec({{1, 2}, {3, 4}}, {10, 1}); });
  example("vecmat", [] { std::cout << tn::vecmat({10, 1}, {{1, 2}, {3, 4}}); });
  example("dot", [] { std::cout << tn::dot({1, 2, 3}, {4, 5, 6}) << " " << tn::dot({{1, 2}, {3, 4}}, {1, 1}); });
  example("inner", [] { std::cout << tn::inner({{1, 2}, {3, 4}}, {{1, 0}, {1, 1}}); });
  example("outer", [] { std::cout << tn::outer({1, 2, 3}, {1, 10}); });
  example("vecdot", [] { std::cout << tn::vecdot({{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}); });
  example("tensordot", [] {
    tn::Array x = tn::ones({3, 4, 5}), y = tn::ones({4, 5, 2});
    std::cout << tn::tensordot(x, y).shape() << "\n"; // two last axes of x, two first ones of y
    std::cout << tn::tensordot(x, y, {1, 2}, {0, 1});
  });
  example("kron", [] { std::cout << tn::kron({{1, 2}, {3, 4}}, {1, 10}); });
  example("cross", [] { std::cout << tn::cross({1, 0, 0}, {0, 1, 0}); });
  example("trace", [] { std::cout << tn::trace({{1, 2}, {3, 4}}); });
}
