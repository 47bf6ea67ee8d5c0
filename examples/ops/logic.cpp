//===- logic.cpp - comparisons, truth values, bits ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in logic.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("equal", [] {
    tn::Array x = {1.0f, 2.0f, NAN};
    std::cout << tn::equal(x, x); // also x == x
  });
  example("not_equal", [] {
    tn::Array x = {1, 2, 3};
    std::cout << tn::not_equal(x, 2); // also x != 2
  });
  example("less", [] {
    tn::Array column = {{1}, {2}}, row = {1, 2, 3};
    std::cout << tn::less(column, row); // also column < row
  });
  example("less_equal", [] { std::cout << tn::less_equal({1, 2, 3}, 2); });
  example("greater", [] {
    tn::Array x = {-1.0f, 0.0f, 2.0f};
    std::cout << tn::greater(x, 0) << "\n" << x[x > 0]; // as an index: what is greater
  });
  example("greater_equal", [] { std::cout << tn::greater_equal({1, 2, 3}, 2); });
  example("isclose", [] {
    tn::Array x = {1.0f, 1.0f, NAN};
    std::cout << tn::isclose(x, {1.000001f, 1.1f, NAN}) << "\n";
    std::cout << tn::isclose(x, x, 1e-5, 1e-8, /*equal_nan=*/true);
  });
  example("allclose", [] {
    tn::Array x = tn::linspace(0, 1, 5);
    if (tn::allclose(tn::square(tn::sqrt(x)), x))
      std::cout << "they are equal but for the last digits";
  });
  example("isin", [] {
    tn::Array x = {{1, 2}, {3, 4}};
    std::cout << tn::isin(x, {2, 4, 6});
  });
  example("isnan", [] { std::cout << tn::isnan({1.0f, NAN, INFINITY}); });
  example("isinf", [] { std::cout << tn::isinf({1.0f, NAN, -INFINITY}); });
  example("isfinite", [] {
    tn::Array x = {1.0f, NAN, INFINITY, 3.0f};
    std::cout << tn::isfinite(x) << "\n" << tn::mean(x[tn::isfinite(x)]);
  });
  example("signbit", [] { std::cout << tn::signbit({-1.0f, -0.0f, 0.0f, 1.0f}); });
  example("logical_and", [] {
    tn::Array x = {-1, 1, 3, 5};
    std::cout << tn::logical_and(x > 0, x < 4); // also x > 0 && x < 4
  });
  example("logical_or", [] {
    tn::Array x = {-1, 1, 3, 5};
    std::cout << tn::logical_or(x < 0, x > 4); // also x < 0 || x > 4
  });
  example("logical_xor", [] { std::cout << tn::logical_xor({true, true, false}, {true, false, false}); });
  example("logical_not", [] {
    std::cout << tn::logical_not({0, 1, 2}); // also !x: whatever is not 0 is true
  });
  example("bitwise_and", [] {
    tn::Array x = {0b1100, 0b1010};
    std::cout << tn::bitwise_and(x, 0b0110); // also x & 6
  });
  example("bitwise_or", [] { std::cout << tn::bitwise_or({0b1100, 0b1010}, 0b0001); });
  example("bitwise_xor", [] {
    tn::Array x = {5, 6, 7}, key = {3, 3, 3};
    std::cout << tn::bitwise_xor(x, key) << "\n" << (x ^ key ^ key);
  });
  example("bitwise_invert", [] { std::cout << tn::bitwise_invert({0, 1, -1}) << "\n" << ~tn::Array{true, false}; });
  example("left_shift", [] {
    tn::Array x = {1, 2, 3};
    std::cout << tn::left_shift(x, 4); // also x << 4
  });
  example("right_shift", [] { std::cout << tn::right_shift({64, -64, 1}, {2, 2, 40}); });
  example("bitwise_left_shift", [] { std::cout << tn::bitwise_left_shift(1, tn::arange(5)); });
  example("bitwise_right_shift", [] { std::cout << tn::bitwise_right_shift(1000, tn::arange(5)); });
  example("popcount", [] { std::cout << tn::popcount({0, 1, 255, -1}); });
  example("clz", [] {
    std::cout << tn::clz({0, 1, 255, -1}) << "\n";
    std::cout << 31 - tn::clz({1, 2, 1000}); // the logarithm to base 2, rounded down
  });
  example("array_equal", [] {
    std::cout << tn::array_equal({1, 2}, {1, 2}) << " " << tn::array_equal({1, 2}, {{1, 2}}) << " "
              << tn::array_equal({NAN}, {NAN}, /*equal_nan=*/true);
  });
  example("array_equiv", [] { std::cout << tn::array_equiv({1, 2}, {{1, 2}, {1, 2}}); });
}
