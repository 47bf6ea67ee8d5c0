//===- Order.cpp - the first of an order, and what lies where in it --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

using AxisList = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// The largest ones, and partitions
//===----------------------------------------------------------------------===//

TopK tenon::top_k(const Operand &operand, int k, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("top_k", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::sort_keys);
  const int place = axisOf(x, axis, at);
  const Dim size = x.shape()[place];
  if (k < 0 || provably_less_equal(k, size) == Always::no)
    refuse("expected a k from 0 to " + size.str() + ", the size of axis " + std::to_string(place) + ", got " +
               std::to_string(k),
           at);
  Shape along(std::vector<Dim>(static_cast<size_t>(x.ndim()), 1), at);
  along.at(place) = size;
  const Array places = broadcast(reshape(iota(size, Dtype::i32, x.device(), at), along), x.shape(), at);
  // Sorted from the other end: what is equal stands in the order of its indices once all is turned round, NaN in front.
  const std::vector<Array> sorted = sort_keys({flip(x, place), flip(places, place)}, place, 1, false, at);
  auto last = [&](const Array &all) { return flip(partOf(all, place, size - k, size), place); };
  return {last(sorted[0]), last(sorted[1])};
}

/// What `order` makes of the operand, whose element `kth` along `axis` is asked for.
template <class Order>
static Array partitioned(const char *function, const Operand &operand, int kth, Axis axis, Order &&order) {
  const Location at = operand.location();
  DoorScope scope(function, at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::sort_keys);
  const int place = axisOf(x, axis, at);
  const Dim size = x.shape()[place];
  const Always isInside = provably_less(kth < 0 ? -int64_t(kth) - 1 : int64_t(kth), size);
  if (isInside == Always::no)
    refuse("expected a kth within axis " + std::to_string(place) + " of size " + size.str() + ", got " +
               std::to_string(kth),
           at);
  const Array all = order(x);
  if (isInside == Always::yes)
    return all;
  // Of a symbol it is asked at each call, by the bounds of two parts.
  const Dim cut = kth < 0 ? size + kth : Dim(int64_t(kth) + 1);
  return concatenate({partOf(all, place, 0, cut), partOf(all, place, cut, size)}, place, at);
}

Array tenon::partition(const Operand &operand, int kth, Axis axis) {
  return partitioned("partition", operand, kth, axis, [&](const Array &x) { return sort(x, axis); });
}

Array tenon::argpartition(const Operand &operand, int kth, Axis axis) {
  return partitioned("argpartition", operand, kth, axis, [&](const Array &x) { return argsort(x, axis); });
}

//===----------------------------------------------------------------------===//
// Quantiles
//===----------------------------------------------------------------------===//

/// Quantiles, `skipped` if NaN does not count.
enum class Nan { spreads, skipped };

/// At `position` between neighbours of sorted rows: as `elements` takes them by their places.
template <class Elements>
static Array atPosition(const Array &position, Dtype dtype, Elements &&elements) {
  // Where it is on an element that is both neighbours, and an infinity beside it is none.
  const Array low = elements(astype(floor(position), Dtype::i64));
  const Array high = elements(astype(ceil(position), Dtype::i64));
  return between(low, high, astype(position - floor(position), dtype));
}

/// The quantiles at `q`, an f64 array of any shape, whose axes come first in the result.
static Array quantilesOf(const Array &x, const Array &q, const AxisList &axes, bool keepdims, Nan nan, Location at) {
  const int rank = x.ndim();
  // The axes last, as one; `kept` has 1 for them.
  AxisList order;
  Shape kept, rest;
  Dim count = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const bool isReduced = std::ranges::find(axes, axis) != axes.end();
    kept.push_back(isReduced ? Dim(1) : x.shape()[axis]);
    if (!isReduced) {
      order.push_back(axis);
      rest.push_back(x.shape()[axis]);
    } else {
      count = computedSize([&] { return count * x.shape()[axis]; }, at);
    }
  }
  order.insert(order.end(), axes.begin(), axes.end());
  Shape rows = rest, shape = q.shape(), besideQ = rest, single = rest;
  rows.push_back(count, at);
  single.push_back(1, at);
  for (Dim size : keepdims ? kept : rest)
    shape.push_back(size, at);
  for (int i = 0; i < q.ndim(); ++i)
    besideQ.push_back(1, at);
  if (isNone(count))
    return full(shape, NAN, x.dtype(), x.device());
  const Array row = reshape(transpose(x, order), rows), isOutside = !(q >= 0 && q <= 1);
  const Array share = where(isOutside, 0, q);
  Array result;
  if (nan == Nan::spreads) {
    const Array last = count.is_static() ? full({}, static_cast<double>(count.raw() - 1), Dtype::f64, x.device())
                                         : astype(dimension(row, -1), Dtype::f64) - 1;
    const Array sorted = sort(row, -1);
    result = atPosition(share * last, x.dtype(), [&](const Array &places) { return take(sorted, places, -1); });
    result = where(isOutside || reshape(any(isnan(row), -1), besideQ), NAN, result);
  } else {
    // NaN stands behind all others. Where there is nothing else it is not taken along: 0 has a derivative.
    const Array sorted = sort(row, -1), numbers = where(isnan(sorted), 0, sorted);
    const Array counted = reshape(sum(astype(!isnan(row), Dtype::f64), -1), single);
    Shape flat = rest, withQ = rest;
    flat.push_back(element_count(q.shape()), at);
    for (Dim size : q.shape())
      withQ.push_back(size, at);
    const Array positions = reshape(share, {-1}) * maximum(counted - 1, 0);
    // Each row has places of its own.
    const Array found = atPosition(broadcast(positions, flat, at), x.dtype(),
                                   [&](const Array &places) { return take_along_axis(numbers, places, -1); });
    result = reshape(found, withQ);
    result = where(isOutside || reshape(counted, besideQ) == 0, NAN, result);
  }
  AxisList back;
  for (int i = 0; i < result.ndim(); ++i)
    back.push_back((i + rest.rank()) % result.ndim());
  return reshape(transpose(result, back), shape);
}

static Array medianOf(const char *function, const Operand &x, const Ints &axes, bool keepdims, Nan nan) {
  return ofFloatAxes(function, x, axes, [&](const Array &floats, const AxisList &all) {
    return quantilesOf(floats, full({}, 0.5, Dtype::f64, floats.device()), all, keepdims, nan, x.location());
  });
}

Array tenon::detail::median(const Operand &x, const Ints &axes, bool keepdims) {
  return medianOf("median", x, axes, keepdims, Nan::spreads);
}

Array tenon::detail::nanmedian(const Operand &x, const Ints &axes, bool keepdims) {
  return medianOf("nanmedian", x, axes, keepdims, Nan::skipped);
}

/// `whole` is 1 or 100.
static Array quantilesOfWhole(const char *function, double whole, const Operand &operand, const Operand &q,
                              const Ints &axes, bool keepdims, Nan nan) {
  DoorScope scope(function, operand.location(), {{"x", operand}, {"q", q}});
  const Floats floats(function, {&operand}), shares(function, {&q}, Dtype::f64);
  if (q.is_scalar() && !(q.scalar().as_double() >= 0 && q.scalar().as_double() <= whole))
    refuse(function, "expected q from 0 to " + std::to_string(static_cast<int>(whole)) + ", got " + q.scalar().str(),
           q.location());
  const Array given = q.is_scalar() ? full({}, q.scalar(), Dtype::f64, floats[0].device())
                                    : convert(shares[0], Dtype::f64, q.location());
  const AxisList all = normalizeAxisList(OpCode::sum, floats[0], axes, operand.location());
  return floats.rounded(
      quantilesOf(floats[0], whole == 1 ? given : given / whole, all, keepdims, nan, operand.location()));
}

Array tenon::detail::quantile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims) {
  return quantilesOfWhole("quantile", 1, x, q, axes, keepdims, Nan::spreads);
}

Array tenon::detail::percentile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims) {
  return quantilesOfWhole("percentile", 100, x, q, axes, keepdims, Nan::spreads);
}

Array tenon::detail::nanquantile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims) {
  return quantilesOfWhole("nanquantile", 1, x, q, axes, keepdims, Nan::skipped);
}

Array tenon::detail::nanpercentile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims) {
  return quantilesOfWhole("nanpercentile", 100, x, q, axes, keepdims, Nan::skipped);
}
