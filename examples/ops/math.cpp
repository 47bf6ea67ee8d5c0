//===- math.cpp - powers, logarithms, angles ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in math.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("exp", [] { std::cout << tn::exp({0.0f, 1.0f, -INFINITY, 100.0f}); });
  example("exp2", [] { std::cout << tn::exp2({-1, 0, 10}); });
  example("expm1", [] {
    tn::Array x = {1e-8f, 1e-4f};
    std::cout << tn::expm1(x) << "\n";
    std::cout << tn::exp(x) - 1; // has lost the digits
  });
  example("log", [] { std::cout << tn::log({1.0f, 2.7182817f, 0.0f, -1.0f}); });
  example("log2", [] { std::cout << tn::log2({1, 2, 1024}); });
  example("log10", [] { std::cout << tn::log10({0.01f, 1.0f, 1000.0f}); });
  example("log1p", [] {
    tn::Array x = {1e-8f, 1e-4f, -1.0f};
    std::cout << tn::log1p(x) << "\n";
    std::cout << tn::log(1 + x); // has lost the digits
  });
  example("logaddexp", [] {
    tn::Array x = {0.0f, -1000.0f, 90.0f};
    std::cout << tn::logaddexp(x, x) - x; // log(2), where exp alone would be 0 or infinite
  });
  example("logaddexp2", [] { std::cout << tn::logaddexp2({0.0f, 200.0f}, {0.0f, 200.0f}); });
  example("sqrt", [] { std::cout << tn::sqrt({0, 2, 9, -1}); });
  example("rsqrt", [] { std::cout << tn::rsqrt({1.0f, 4.0f, 0.0f}); });
  example("cbrt", [] { std::cout << tn::cbrt({-8, 27, 2}); });
  example("pow", [] {
    tn::Array x = {2.0f, 9.0f, -2.0f};
    std::cout << tn::pow(x, 3) << "\n" << tn::pow(x, 0.5f);
  });
  example("hypot", [] { std::cout << tn::hypot({3.0f, 5.0f, 3e30f}, {4.0f, 12.0f, 4e30f}); });
  example("ldexp", [] { std::cout << tn::ldexp({1.0f, 0.75f, 3.0f}, {3, -1, 0}); });
  example("sin", [] {
    tn::Array x = {0.0f, 1.0f, 1e10f};
    std::cout << tn::sin(x);
  });
  example("cos", [] { std::cout << tn::cos({0.0f, 1.0f, 3.1415927f}); });
  example("tan", [] { std::cout << tn::tan({0.0f, 1.0f, 1.5707964f}); });
  example("asin", [] { std::cout << tn::asin({0.0f, 0.5f, 1.0f, 2.0f}); });
  example("acos", [] { std::cout << tn::acos({1.0f, 0.5f, -1.0f}); });
  example("atan", [] { std::cout << tn::atan({0.0f, 1.0f, INFINITY}); });
  example("atan2", [] {
    tn::Array y = {0.0f, 1.0f, 1.0f, -1.0f}, x = {1.0f, 1.0f, -1.0f, -1.0f};
    std::cout << tn::rad2deg(tn::atan2(y, x)); // the angle in each quadrant
  });
  example("sinh", [] { std::cout << tn::sinh({-1.0f, 0.0f, 1.0f}); });
  example("cosh", [] { std::cout << tn::cosh({-1.0f, 0.0f, 1.0f}); });
  example("tanh", [] { std::cout << tn::tanh({-20.0f, 0.0f, 0.5f}); });
  example("asinh", [] { std::cout << tn::asinh(tn::sinh({-1.0f, 0.0f, 2.0f})); });
  example("acosh", [] { std::cout << tn::acosh({1.0f, 2.0f, 0.5f}); });
  example("atanh", [] { std::cout << tn::atanh({0.0f, 0.5f, 1.0f}); });
  example("deg2rad", [] { std::cout << tn::deg2rad({0, 90, 180}); });
  example("rad2deg", [] { std::cout << tn::rad2deg({0.0f, 1.5707964f, 3.1415927f}); });
}
