//===- Roots.cpp - roots of unity -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fft/Roots.h"

using namespace tenon::rt;

using Root = RootsOfUnity::Root;

/// exp(i pi/4 * r / n) for 0 <= r <= n, by the Taylor series; the first terms left out are below 2^-66.
static Root inFirstOctant(int64_t r, int64_t n) {
  const long double t = 0.785398163397448309615660845819875721L *
                        (static_cast<long double>(r) / static_cast<long double>(n)),
                    square = t * t;
  long double real = 1, imag = 1;
  for (int k = 20; k > 0; k -= 2) {
    real = 1 - square / static_cast<long double>(k * (k - 1)) * real;
    imag = 1 - square / static_cast<long double>(k * (k + 1)) * imag;
  }
  return {real, t * imag};
}

RootsOfUnity::RootsOfUnity(int64_t n) : n_(n) {
  while ((int64_t(1) << (2 * shift_)) <= n)
    ++shift_;
  for (int64_t r = 0; r >> shift_ == 0 && r <= n; ++r)
    fine_.push_back(inFirstOctant(r, n));
  for (int64_t r = 0; r <= n; r += int64_t(1) << shift_)
    coarse_.push_back(inFirstOctant(r, n));
}

Root RootsOfUnity::operator()(int64_t k) const {
  const auto octant = static_cast<int>(static_cast<__int128>(k) * 8 / n_);
  int64_t r = static_cast<int64_t>(static_cast<__int128>(k) * 8 - static_cast<__int128>(n_) * octant);
  if (octant % 2)
    r = n_ - r;
  const Root a = coarse_[static_cast<std::size_t>(r >> shift_)],
             b = fine_[static_cast<std::size_t>(r & ((int64_t(1) << shift_) - 1))];
  const long double c = a.real * b.real - a.imag * b.imag, s = a.real * b.imag + a.imag * b.real;
  // The root at r eighths of a step behind, or before, a multiple of a quarter of the circle, clockwise.
  switch (octant) {
  case 0:
    return {c, -s};
  case 1:
    return {s, -c};
  case 2:
    return {-s, -c};
  case 3:
    return {-c, -s};
  case 4:
    return {-c, s};
  case 5:
    return {-s, c};
  case 6:
    return {s, c};
  default:
    return {c, s};
  }
}
