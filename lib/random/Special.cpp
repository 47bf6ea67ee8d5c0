//===- Special.cpp - functions that distributions are made of ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/random/Special.h"

#include <cmath>
#include <numbers>

using namespace tenon;
using namespace tenon::detail;

Array detail::stirlingRest(const Array &k) {
  const Array few = clip(k, 1, 16), many = maximum(k, 16), r = 1 / (many * many);
  const Array exact = lgamma(few + 1) - (few + 0.5) * log(few) + few - std::log(2 * std::numbers::pi) / 2;
  const Array series = (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r / 1680))) / many;
  return where(k < 16, exact, series);
}
