//===- special.cpp - error, gamma, Bessel functions; slopes ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in special.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("erf", [] { std::cout << tn::erf({-1.0f, 0.0f, 0.5f, 4.0f}); });
  example("erfc", [] { std::cout << tn::erfc({0.0f, 1.0f, 9.0f}); });
  example("erf_inv", [] { std::cout << tn::erf_inv({0.0f, 0.5f, 1.0f}); });
  example("lgamma", [] {
    std::cout << tn::exp(tn::lgamma({1.0f, 2.0f, 5.0f})); // 0!, 1!, 4!
  });
  example("digamma", [] { std::cout << tn::digamma({1.0f, 2.0f, -1.0f}); });
  example("trigamma", [] { std::cout << tn::trigamma({1.0f, 2.0f}); });
  example("i0e", [] {
    tn::Array x = {0.0f, 1.0f, 1000.0f};
    std::cout << tn::i0e(x) << "\n";
    std::cout << tn::i0e(x) * tn::exp(tn::abs(x)); // I0 itself
  });
  example("i1e", [] { std::cout << tn::i1e({-1.0f, 0.0f, 1.0f, 1000.0f}); });
  example("sinc", [] { std::cout << tn::sinc({0.0f, 0.5f, 1.5f}); });
  example("xlogy", [] {
    tn::Array p = {0.5f, 0.5f, 0.0f};
    std::cout << -tn::sum(tn::xlogy(p, p)); // an entropy: 0 log 0 is 0
  });
  example("xlog1py", [] { std::cout << tn::xlog1py({0.0f, 2.0f}, {-1.0f, 1e-8f}); });
  example("polyval", [] {
    tn::Array p = {1, 0, -2}; // x^2 - 2
    std::cout << tn::polyval(p, {0, 1, 2, 3});
  });
  example("interp", [] {
    tn::Array xp = {0.0f, 1.0f, 3.0f}, fp = {0.0f, 10.0f, 30.0f};
    std::cout << tn::interp({-1.0f, 0.5f, 2.0f, 9.0f}, xp, fp);
  });
  example("gradient", [] {
    tn::Array squares = tn::square(tn::arange(6.0f));
    std::cout << tn::gradient(squares)[0] << "\n";
    std::vector<tn::Array> slopes = tn::gradient(tn::Array{{1.0f, 2.0f}, {5.0f, 6.0f}});
    std::cout << slopes[0] << "\n" << slopes[1]; // along axis 0, along axis 1
  });
  example("diff", [] {
    tn::Array x = {1, 4, 9, 16};
    std::cout << tn::diff(x) << "\n" << tn::diff(x, 2);
  });
  example("trapezoid", [] {
    tn::Array x = tn::linspace(0, 3, 31);
    std::cout << tn::trapezoid(x * x, x); // the integral of x^2 from 0 to 3
  });
  example("cumulative_trapezoid", [] {
    tn::Array speed = {0.0f, 2.0f, 2.0f, 0.0f}, time = {0.0f, 1.0f, 3.0f, 4.0f};
    std::cout << tn::cumulative_trapezoid(speed, {.x = time, .initial = 0});
  });
  example("i1", [] { std::cout << tn::i1(tn::Array{0.0f, 1.0f, 2.0f}); });
  example("i0", [] { std::cout << tn::i0(tn::Array{0.0f, 1.0f, 2.0f}); });
  example("igamma", [] {
    std::cout << tn::igamma(2, tn::Array{0.0f, 1.0f, 5.0f}); // 1 - (1 + x) exp(-x)
  });
  example("igammac", [] { std::cout << tn::igammac(2, tn::Array{0.0f, 1.0f, 50.0f}); });
  example("igamma_grad_a", [] { std::cout << tn::igamma_grad_a(2, tn::Array{1.0f, 5.0f}); });
  example("betainc", [] { std::cout << tn::betainc(2, 3, tn::Array{0.0f, 0.25f, 0.5f, 1.0f}); });
  example("betainc_grad_a", [] { std::cout << tn::betainc_grad_a(2, 3, tn::Array{0.25f, 0.5f}); });
  example("betainc_grad_b", [] { std::cout << tn::betainc_grad_b(2, 3, tn::Array{0.25f, 0.5f}); });
  example("zeta", [] {
    std::cout << tn::zeta(2, tn::Array{1.0f, 2.0f}); // pi^2 / 6, and 1 less
  });
  example("polygamma", [] { std::cout << tn::polygamma(2, tn::Array{1.0f, 2.0f}); });
}
