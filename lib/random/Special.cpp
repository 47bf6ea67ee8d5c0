//===- Special.cpp - functions that distributions are made of ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/random/Special.h"

#include <cmath>
#include <numbers>
#include <span>

using namespace tenon;
using namespace tenon::detail;

/// The quotient of two polynomials in x, the highest power first, as Cody's tables are read: the lower
/// one starts with 1.
static Array quotient(const Array &x, std::span<const double> upper, std::span<const double> lower) {
  Array p = x * upper[0], q = x;
  for (size_t i = 0; i + 1 < lower.size(); ++i) {
    p = (p + upper[i + 1]) * x;
    q = (q + lower[i]) * x;
  }
  return (p + upper.back()) / (q + lower.back());
}

Array detail::erf(const Array &given) {
  static constexpr double near[] = {1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
                                    3.77485237685302021e2, 3.20937758913846947e3};
  static constexpr double nearBelow[] = {2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
                                         2.84423683343917062e3};
  static constexpr double middle[] = {2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
                                      6.61191906371416295e1,  2.98635138197400131e2,  8.81952221241769090e2,
                                      1.71204761263407058e3,  2.05107837782607147e3,  1.23033935479799725e3};
  static constexpr double middleBelow[] = {1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
                                           1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
                                           3.43936767414372164e3, 1.23033935480374942e3};
  static constexpr double far[] = {1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
                                   1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4};
  static constexpr double farBelow[] = {2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1,
                                        6.05183413124413191e-2, 2.33520497626869185e-3};
  const Array x = astype(given, f64), y = abs(x), square = x * x;
  // Each formula where it holds, and where it does not, at a number that harms nothing.
  const Array isNear = y <= 0.46875, isFar = y > 4, below = where(isFar, 4, y), above = where(isFar, y, 5);
  const Array inverse = 1 / (above * above);
  const Array middleRest = quotient(below, middle, middleBelow) * exp(-below * below);
  const Array farRest =
      (std::numbers::inv_sqrtpi - inverse * quotient(inverse, far, farBelow)) / above * exp(-above * above);
  return where(isNear, x * quotient(where(isNear, square, 0), near, nearBelow),
               copysign(1 - where(isFar, farRest, middleRest), x));
}

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
