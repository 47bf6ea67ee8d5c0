//===- Special.cpp - functions that distributions are made of ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/random/Special.h"

#include <cmath>
#include <numbers>
#include <span>

using namespace tenon;
using namespace tenon::detail;

Array detail::logGamma(const Array &x) {
  static constexpr double coefficients[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                            771.3234287776530788486528258894,   -176.61502916214059906584551354,
                                            12.507343278686904814458936853,     -0.13857109526572011689554706984971,
                                            9.984369578019570859563e-6,         1.50563273514931155834e-7};
  const Array z = x - 1;
  Array sum = full_like(z, 0.99999999999980993227684700473478);
  for (int i = 0; i < 8; ++i)
    sum = sum + coefficients[i] / (z + (i + 1));
  const Array shifted = z + 7.5, logarithm = log1p(z / 7.5) + std::log(7.5);
  return (z + 0.5 - shifted / logarithm) * logarithm + log(sum) + (std::log(2 * std::numbers::pi) / 2);
}

Array detail::stirlingRest(const Array &k) {
  static constexpr double small[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                     0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.010411265261972,
                                     0.00925546218271273, 0.00833056343336287};
  if (k.ndim() == max_rank) // `take` needs an axis more
    return reshape(stirlingRest(reshape(k, {element_count(k.shape())})), k.shape());
  const Array place = astype(clip(floor(k), 0, 9), i32);
  return take(astype(to_device(Array(std::span<const double>(small)), k.device()), k.dtype()), place);
}
