//===- Filter.cpp - filters that feed their results back -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/Fourier.h"
#include "lib/ops/composites/Floats.h"

#include <tenon/control.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

/// The number of coefficients; `x` becomes of rank 1.
static int64_t coefficients(const char *name, Array &x, Location at) {
  if (x.ndim() == 0)
    x = reshape(x, {1});
  if (x.ndim() != 1 || !x.shape()[0].is_static() || isNone(x.shape()[0]))
    refuse("expected " + std::string(name) + " of rank 1, of a known size that is not 0, got " +
               describe(x.dtype(), x.shape()),
           at);
  return x.shape()[0].raw();
}

LfilterResult detail::signal::lfilter(const Operand &numerator, const Operand &denominator, const Operand &operand,
                                      Axis axis, const Operand &zi) {
  const Location at = numerator.location();
  DoorScope scope("lfilter", at, {{"b", numerator}, {"a", denominator}, {"x", operand}});
  for (const Operand *needed : {&numerator, &denominator, &operand})
    if (needed->is_none())
      throw Error(publicName("lfilter") + ": expected an array, got an empty Array", userLocation(needed->location()));
  const Floats floats("lfilter", {&numerator, &denominator, &operand, &zi}, Dtype::f32, OpCode::subtract);
  Array b = floats[0], a = floats[1];
  const int64_t order = std::max(coefficients("b", b, at), coefficients("a", a, at)) - 1;
  if (floats[2].ndim() == 0)
    refuse("expected an x with at least one axis, got one of rank 0", at);
  const int place = axisOf(floats[2], axis, at);
  const Array first = partOf(a, 0, 0, 1);
  if (!isComplex(a))
    if (const std::optional<std::vector<double>> known = knownNumbers(first); known && (*known)[0] == 0)
      refuse("expected an a[0] that is not 0", at);
  b = fittedTo(b / first, 0, order + 1);
  a = fittedTo(a / first, 0, order + 1);

  const Array x = moveaxis(floats[2], place, 0);
  Shape sizes = x.shape();
  sizes.at(0) = order;
  Array state = zeros(sizes, x.dtype(), x.device(), at);
  if (floats[3].has_value()) {
    if (floats[3].ndim() != x.ndim())
      refuse("expected a zi of the rank of x, " + std::to_string(x.ndim()) + ", got " + floats[3].shape().str(), at);
    state = broadcast(moveaxis(floats[3], place, 0), sizes, at);
  }
  const Array now = reshape(partOf(b, 0, 0, 1), {});
  if (order == 0)
    return {floats.rounded(floats[2] * now), floats.rounded(moveaxis(state, 0, place))};
  Shape column(std::vector<int64_t>(static_cast<size_t>(x.ndim()), 1));
  column.at(0) = order;
  const Array ahead = reshape(partOf(b, 0, 1, order + 1), column), back = reshape(partOf(a, 0, 1, order + 1), column);
  const auto step = [&](const Array &z, const Array &sample) {
    const Array next = expand_dims(sample, 0), y = partOf(z, 0, 0, 1) + now * next;
    const Array shifted = concatenate({partOf(z, 0, 1, order), zeros_like(y)}, 0);
    return std::pair(shifted + ahead * next - back * y, squeeze(y, 0));
  };
  const auto [z, y] = scan(step, state, x, {}, at);
  return {floats.rounded(moveaxis(y, 0, place)), floats.rounded(moveaxis(z, 0, place))};
}
