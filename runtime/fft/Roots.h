//===- Roots.h - roots of unity ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::rt {

/// exp(-2 pi i k / n) in 80-bit precision, with an error below 2^-62, from arithmetic of our own: the C library's sine
/// differs between versions. Multiples of an eighth of the circle are exact but for sqrt(1/2).
class RootsOfUnity {
public:
  struct Root {
    long double real, imag;
  };
  explicit RootsOfUnity(int64_t n);
  /// For 0 <= k < n.
  Root operator()(int64_t k) const;

private:
  int64_t n_;
  int shift_ = 0;
  /// exp(i pi r / (4 n)) for r = 0, 1, ... below 2^shift_, and for the multiples of 2^shift_.
  std::vector<Root> fine_, coarse_;
};

} // namespace tenon::rt
