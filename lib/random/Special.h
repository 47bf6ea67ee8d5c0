//===- Special.h - functions that distributions are made of --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

namespace tenon::detail {

/// log(Gamma(x)) for x >= 0.5, in x's dtype. Lanczos' formula with g = 7, as XLA: what is rounded on the
/// way is rounded in JAX's numbers too: by tn::lgamma, which is more precise, 3 of 20,000 Poisson numbers about 1,000
/// would not be JAX's, where now all are, and 2.7 % about 10^6, where now it is 1.2 %. Source: C. Lanczos, "A precision
/// approximation of the gamma function", SIAM Journal on Numerical Analysis 1, 1964.
Array logGamma(const Array &x);

/// log(k!) less Stirling's (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2, of whole numbers. Above 9 that of 9, which
/// is 0.008 off at most, as in JAX: the numbers that a bound with it takes are to be the same.
Array stirlingRest(const Array &k);

} // namespace tenon::detail
