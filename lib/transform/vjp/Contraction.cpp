//===- Contraction.cpp - derivatives of contractions ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Shaping.h"
#include "lib/transform/Rules.h"

#include <algorithm>
#include <numeric>

namespace tenon {

using Axes = std::vector<int64_t>;

/// The axes of an array of `rank` that are in neither list.
static Axes otherAxes(int rank, std::span<const int64_t> axes, std::span<const int64_t> batch) {
  Axes others;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (std::ranges::find(axes, axis) == axes.end() && std::ranges::find(batch, axis) == batch.end())
      others.push_back(axis);
  return others;
}

/// `count` numbers from `first` on.
static Axes numbersFrom(size_t first, size_t count) {
  Axes numbers(count);
  std::iota(numbers.begin(), numbers.end(), static_cast<int64_t>(first));
  return numbers;
}

/// x with axis i of it at place `places[i]`.
static Array withAxesAt(const Array &x, const Axes &places) {
  Axes order(places.size());
  for (size_t i = 0; i < places.size(); ++i)
    order[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
  return std::ranges::is_sorted(order) ? x : transpose(x, order);
}

/// The axes of one operand that its partner's summed axes are paired with, in the order in which they stand there.
static Axes partners(const Axes &summed, const Axes &partnersSummed) {
  Axes order = numbersFrom(0, summed.size());
  std::ranges::sort(order, {}, [&](int64_t i) { return partnersSummed[static_cast<size_t>(i)]; });
  for (int64_t &i : order)
    i = summed[static_cast<size_t>(i)];
  return order;
}

void vjpDotGeneral(VjpCall &call) {
  const auto attributes = DotGeneralAttrs::read(call.attributes);
  const auto list = [](std::span<const int64_t> axes) { return Axes(axes.begin(), axes.end()); };
  const Axes axes1 = list(attributes.axes1), axes2 = list(attributes.axes2), batch1 = list(attributes.batch1),
             batch2 = list(attributes.batch2);
  const Axes others1 = otherAxes(call.operandTypes[0].shape.rank(), axes1, batch1),
             others2 = otherAxes(call.operandTypes[1].shape.rank(), axes2, batch2);
  const size_t batches = batch1.size();
  const Array ct = call.cotangent();
  const Axes batchOfCt = numbersFrom(0, batches), rows = numbersFrom(batches, others1.size()),
             columns = numbersFrom(batches + others1.size(), others2.size());
  const Dtype dtype = call.operandTypes[0].dtype;
  const auto product = [&](const Array &a, const Array &b, const detail::DotAxes &axes, Axes places) {
    // The cotangent of a narrow operand may be f32.
    const Array wideA = detail::convert(a, ct.dtype(), call.at), wideB = detail::convert(b, ct.dtype(), call.at);
    return detail::convert(withAxesAt(detail::dotGeneral(wideA, wideB, axes, ct.dtype(), call.at), places), dtype,
                           call.at);
  };
  const auto joined = [](const Axes &a, const Axes &b, const Axes &c) {
    Axes all = a;
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), c.begin(), c.end());
    return all;
  };
  if (call.wanted(0))
    call.set(0, product(ct, call.operand(1), {columns, others2, batchOfCt, batch2},
                        joined(batch1, others1, partners(axes1, axes2))));
  if (call.wanted(1))
    call.set(1, product(call.operand(0), ct, {others1, rows, batch1, batchOfCt},
                        joined(batch2, partners(axes2, axes1), others2)));
}

} // namespace tenon
