//===- arithmetic.cpp - sums, products, rounding, bounds ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in arithmetic.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("add", [] {
    tn::Array x = {{1, 2, 3}, {4, 5, 6}};
    std::cout << tn::add(x, {10, 20, 30}) << "\n"; // the rows are broadcast
    std::cout << x + 0.5f;                         // the operator; integers and a float are floats
  });
  example("subtract", [] {
    tn::Array x = {5, 7, 9};
    std::cout << tn::subtract(x, {1, 2, 3}) << "\n" << 10 - x;
  });
  example("multiply", [] {
    tn::Array column = {{1}, {2}, {3}}, row = {1, 10};
    std::cout << tn::multiply(column, row); // also column * row
  });
  example("divide", [] {
    tn::Array x = {1, 2, 3};
    std::cout << tn::divide(x, 2) << "\n"; // integers become float32
    std::cout << tn::Array{1.0f, -1.0f, 0.0f} / 0;
  });
  example("floor_divide", [] {
    std::cout << tn::floor_divide({7, -7, 7, 1}, {2, 2, -2, 0}) << "\n";
    std::cout << tn::floor_divide({7.5f, -7.5f}, 2.0f);
  });
  example("remainder", [] {
    tn::Array x = {7, -7, 7, -7}, y = {3, 3, -3, -3};
    std::cout << tn::remainder(x, y) << "\n"; // the sign of y; also x % y
    std::cout << tn::fmod(x, y);              // the sign of x
  });
  example("divmod", [] {
    auto [minutes, seconds] = tn::divmod({59, 60, 200}, 60);
    std::cout << minutes << " " << seconds;
  });
  example("gcd", [] { std::cout << tn::gcd({12, -18, 0}, {18, 12, 5}); });
  example("lcm", [] { std::cout << tn::lcm({12, -18, 0}, {18, 12, 5}); });
  example("fmod", [] { std::cout << tn::fmod({5.5f, -5.5f, 1.0f}, {2.0f, 2.0f, 0.0f}); });
  example("negative", [] {
    tn::Array x = {1.5f, -2.0f, 0.0f};
    std::cout << tn::negative(x); // also -x
  });
  example("positive", [] { std::cout << tn::positive({1.5f, -2.0f}); });
  example("abs", [] {
    std::cout << tn::abs({-3, 0, 3}) << "\n";
    std::cout << tn::abs(tn::Array{-0.5f, -INFINITY, NAN});
  });
  example("sign", [] { std::cout << tn::sign({-2.5f, 0.0f, 7.0f, NAN}); });
  example("floor", [] { std::cout << tn::floor({-1.5f, -0.5f, 0.5f, 1.5f}); });
  example("ceil", [] { std::cout << tn::ceil({-1.5f, -0.5f, 0.5f, 1.5f}); });
  example("trunc", [] { std::cout << tn::trunc({-1.5f, -0.5f, 0.5f, 1.5f}); });
  example("round", [] {
    std::cout << tn::round({-1.5f, -0.5f, 0.5f, 1.5f, 2.5f}); // of two the even one
  });
  example("maximum", [] {
    tn::Array x = {1.0f, 5.0f, NAN};
    std::cout << tn::maximum(x, {4.0f, 2.0f, 0.0f});
  });
  example("minimum", [] {
    tn::Array x = {{1, 8}, {6, 3}};
    std::cout << tn::minimum(x, 5);
  });
  example("clip", [] {
    tn::Array x = {-2.0f, 0.5f, 9.0f};
    std::cout << tn::clip(x, 0, 1) << "\n";
    std::cout << tn::clip(x, tn::none, 1); // bounded above alone
  });
  example("copysign", [] { std::cout << tn::copysign({1.0f, 2.0f, -3.0f}, {-1.0f, -0.0f, 1.0f}); });
  example("nextafter", [] {
    tn::Array next = tn::nextafter(1.0f, tn::Array{2.0f, 0.0f});
    std::cout << next - 1.0f; // the distances to the neighbours of 1
  });
  example("lerp", [] {
    tn::Array weight = {0.0f, 0.25f, 0.5f, 1.0f};
    std::cout << tn::lerp(10, 20, weight);
  });
  example("square", [] { std::cout << tn::square({-2, 3, 4}); });
  example("reciprocal", [] { std::cout << tn::reciprocal({1, 2, 4}); });
  example("nan_to_num", [] {
    tn::Array x = {NAN, INFINITY, -INFINITY, 1.5f};
    std::cout << tn::nan_to_num(x) << "\n";
    std::cout << tn::nan_to_num(x, -1, 100, -100);
  });
  example("heaviside", [] { std::cout << tn::heaviside({-2.0f, 0.0f, 3.0f}, 0.5f); });
  example("fma", [] {
    float eps = 0x1p-23f;
    std::cout << tn::fma(1 + eps, 1 - eps, tn::Array{-1.0f}) << " " << (1 + eps) * tn::Array{1 - eps} - 1;
  });
  example("frexp", [] {
    auto [mantissa, exponent] = tn::frexp(tn::Array{8.0f, 10.0f, 0.1f});
    std::cout << mantissa << " " << exponent << "\n" << tn::ldexp(mantissa, exponent);
  });
  example("ediff1d", [] {
    tn::Array x = {{1, 2, 4}, {7, 0, 5}};
    std::cout << tn::ediff1d(x) << " " << tn::ediff1d(x, /*to_end=*/99);
  });
  example("unwrap", [] {
    tn::Array phase = {0.0, 2.0, 4.0, -0.5, 1.5}; // turned once, of 2 pi
    std::cout << tn::unwrap(phase);
  });
  example("polyadd", [] {
    std::cout << tn::polyadd({1, 2}, {9, 5, 4}); // (x + 2) + (9 x^2 + 5 x + 4)
  });
  example("polysub", [] { std::cout << tn::polysub({2, 10, -2}, {3, 10, -4}); });
  example("polymul", [] {
    std::cout << tn::polymul({1, 1}, {1, -1}); // (x + 1) (x - 1)
  });
  example("polyder", [] { std::cout << tn::polyder({1, 1, 1, 1}) << " " << tn::polyder({1, 1, 1, 1}, 2); });
  example("polyint",
          [] { std::cout << tn::polyint({6.0f, 4.0f, 1.0f}) << " " << tn::polyint({6.0f}, 2, {7.0f, 3.0f}); });
  example("poly", [] {
    std::cout << tn::poly(tn::Array{1.0f, 2.0f}); // x^2 - 3 x + 2
  });
  example("complex", [] {
    tn::Array z = tn::complex({3.0f, 1.0f}, {4.0f, -1.0f});
    std::cout << z << "\n" << tn::abs(z) << "\n" << z * tn::conj(z);
  });
  example("real", [] { std::cout << tn::real(tn::complex({3.0f, 1.0f}, {4.0f, -1.0f})); });
  example("imag", [] { std::cout << tn::imag(tn::complex({3.0f, 1.0f}, {4.0f, -1.0f})); });
  example("conj", [] { std::cout << tn::conj(tn::complex({3.0f, 1.0f}, {4.0f, -1.0f})); });
  example("angle", [] { std::cout << tn::angle(tn::complex({1.0f, 0.0f, -1.0f}, {0.0f, 1.0f, 0.0f})); });
}
