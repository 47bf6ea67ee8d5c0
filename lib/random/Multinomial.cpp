//===- Multinomial.cpp - counts of several outcomes ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"
#include "lib/random/Draw.h"

#include <tenon/control.h>
#include <tenon/format.h>

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// Inside jit and vmap, where the weights are unknown, they are not checked.
static void expectWeights(const Draw &draw, const Array &weights) {
  const auto known = knownNumbers(weights);
  const size_t outcomes = known ? static_cast<size_t>(weights.dim(-1).value()) : 0;
  for (size_t row = 0; outcomes > 0 && row < known->size(); row += outcomes) {
    double total = 0;
    for (size_t i = row; i < row + outcomes; ++i)
      total += (*known)[i] >= 0 ? (*known)[i] : NAN;
    if (!(total > 0) || !std::isfinite(roundedTo(weights.dtype(), total)))
      draw.refuse("expected weights p that are finite, not negative and not all 0, and have a finite sum in " +
                  std::string(short_name(weights.dtype())) + ", got " + format("{}", weights));
  }
}

Array random::multinomial(const Key &key, const Operand &n, const Operand &p, const Shape &given, Dtype dtype,
                          Location at) {
  const Draw draw("random.multinomial", key, at, {{"key", key.data}, {"n", n}, {"p", p}});
  draw.expectInteger(dtype);
  draw.expectNotNegative("n", n);
  // In f32, counts above 2^24 would not sum to n.
  const bool isLarge = n.is_scalar() && n.scalar().kind() != Kind::complex && n.scalar().as_double() > 0x1p24;
  const Dtype type = isLarge ? Dtype::f64 : wideDtype(draw.floating({}, {&p}));
  const Array weights = draw.parameter("p", p, type), trials = draw.parameter("n", n, type);
  if (weights.ndim() == 0)
    draw.refuse("expected p of rank >= 1, got a number");
  expectWeights(draw, weights);
  Shape others = weights.shape();
  others.erase(weights.ndim() - 1);
  const Shape shape = draw.shapeOf(given, {others, trials.shape(at)});
  Shape all = shape;
  all.push_back(weights.dim(-1), at);

  const Array rows = moveaxis(broadcast_to(weights, all), -1, 0);
  const Array left = flip(cumulative_sum(flip(rows, 0), 0), 0); // of each outcome and those behind it
  const Array start = broadcast_to(trials, shape);
  const auto step = [&](const Array &remaining, const std::pair<Array, Array> &next) {
    const Array count = binomial(Key{next.second}, remaining, clip(next.first, 0, 1), {}, type);
    return std::pair(remaining - count, count);
  };
  const std::pair<Array, Array> each(rows / where(left == 0, 1, left), keysOf(draw.key(), {weights.dim(-1)}));
  const Array counts = moveaxis(scan(step, start, each, {}, at).second, 0, -1);

  const Array total = sum(weights, -1);
  const Array isValid =
      (tenon::all(weights >= 0, -1) && total > 0 && isfinite(total)) && (start >= 0 && isfinite(start));
  return where(expand_dims(isValid, -1), astype(where(expand_dims(isValid, -1), counts, 0), dtype),
               full({}, 0, dtype, counts.device()) - 1);
}
