//===- Cumulative.cpp - derivatives of running sums and their kin ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"

#include <cmath>

namespace tenon {
namespace {

/// An array as a matrix whose rows are walked along: the axis in front, the others behind
/// it as one.
class AlongRows {
public:
  AlongRows(const VjpCall &call, int64_t axis) : at_(call.at), device_(call.operandTypes[0].device) {
    const Shape &shape = call.operandTypes[0].shape;
    order_.push_back(axis);
    for (int i = 0; i < shape.rank(); ++i)
      if (i != axis)
        order_.push_back(i), columns_ *= shape[i];
    back_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      moved_.push_back(shape[static_cast<int>(order_[i])]);
      back_[static_cast<size_t>(order_[i])] = static_cast<int64_t>(i);
    }
  }
  Dim count() const { return moved_[0]; }
  Dim columns() const { return columns_; }
  Array toMatrix(const Array &x) const { return reshape(transpose(x, order_), {count(), columns_}); }
  Array fromMatrix(const Array &x) const { return transpose(reshape(x, moved_), back_); }
  /// 0, 1, ... for each row, as a matrix of this many columns.
  Array numbers(Dim columns) const {
    const Array all = detail::iota(count(), Dtype::i64, device_, at_);
    return broadcast_to(reshape(all, {count(), 1}), {count(), columns});
  }

  /// [row, place, 1]: whether the row compares so with the place.
  Array isRow(Array (*compare)(const Operand &, const Operand &)) const {
    const Array all = numbers(1);
    return compare(reshape(all, {count(), 1, 1}), reshape(all, {1, count(), 1}));
  }

private:
  Location at_;
  Device device_;
  std::vector<int64_t> order_, back_;
  Shape moved_;
  Dim columns_ = 1;
};

Array reversed(const Array &x, int axis) {
  std::vector<IndexItem> items(static_cast<size_t>(axis), _);
  items.push_back(tenon::slice(_, _, -1));
  return x[detail::Index(std::span<const IndexItem>(items), Location())];
}

int axisOf(const VjpCall &call) { return static_cast<int>(CumulativeSumAttrs::read(call.attributes).axis); }

Array rowsOf(const Array &x, Dim from, Dim to) { return slice(x, {from, 0}, {to, x.shape()[1]}); }

bool hasNone(Dim count) { return count.is_static() && count.raw() == 0; }

/// s[j] = sums[j] + factors[j] * s[j + 1], where the last one is that of `sums`: as often as
/// it takes, what reaches some rows ahead reaches twice as many.
Array recurrence(Array factors, Array sums, int64_t count) {
  for (int64_t ahead = 1; ahead < count; ahead *= 2) {
    const Array near = rowsOf(factors, 0, count - ahead);
    const Array reached = rowsOf(sums, 0, count - ahead) + near * rowsOf(sums, ahead, count);
    const Array products = near * rowsOf(factors, ahead, count);
    sums = concatenate({reached, rowsOf(sums, count - ahead, count)}, 0);
    factors = concatenate({products, rowsOf(factors, count - ahead, count)}, 0);
  }
  return sums;
}

} // namespace

void vjpCumulativeSum(VjpCall &call) {
  const int axis = axisOf(call);
  const Array ct = call.cotangent();
  call.set(0, reversed(cumulative_sum(reversed(ct, axis), axis), axis));
}

/// The product before an element times the sum, over those from it on, of the cotangent
/// and the factors in between. No division, so zeros are no exception.
void vjpCumulativeProd(VjpCall &call) {
  const AlongRows rows(call, axisOf(call));
  const Dim count = rows.count(), columns = rows.columns();
  if (hasNone(count)) {
    call.set(0, call.cotangent());
    return;
  }
  const Array x = rows.toMatrix(call.operand(0)), ct = rows.toMatrix(call.cotangent());
  const Array one = filled({x.dtype(), x.device(), {}}, true);
  if (count.is_static()) {
    const Array last = broadcast_to(one, {1, columns});
    const Array next = concatenate({rowsOf(x, 1, count), last}, 0);
    const Array before = concatenate({last, rowsOf(rows.toMatrix(call.result()), 0, count - 1)}, 0);
    call.set(0, rows.fromMatrix(before * recurrence(next, ct, count.raw())));
    return;
  }
  // The matrix once for each row, with that one's elements out of the way.
  const Array others = where(rows.isRow(equal), one, reshape(x, {1, count, columns}));
  const Array parts = cumulative_prod(others, 1) * reshape(ct, {1, count, columns});
  call.set(0, rows.fromMatrix(sum(where(rows.isRow(less_equal), parts, Scalar(0)), {1})));
}

/// Each cotangent goes to where its element came from.
void vjpCumulativeExtremum(VjpCall &call) {
  const AlongRows rows(call, axisOf(call));
  const Array x = rows.toMatrix(call.operand(0)), result = rows.toMatrix(call.result());
  const Array hits = logical_or(equal(x, result), not_equal(x, x));
  const Array numbers = rows.numbers(rows.columns());
  const Array from = cumulative_max(where(hits, numbers, Scalar(0)), 0);
  const Array zeros = filled({x.dtype(), x.device(), x.shape()}, false);
  // The rows of a column are a batch of their own.
  const Array sums = scatter_add(zeros, reshape(from, {rows.count(), rows.columns(), 1}),
                                 rows.toMatrix(call.cotangent()), std::vector<int64_t>(), {0}, {0}, {1}, {1}, "drop");
  call.set(0, rows.fromMatrix(sums));
}

/// The logarithm of a's part of b >= a; an infinite sum has no parts.
static Array partOf(const Array &a, const Array &b) { return where(isinf(b), Scalar(-INFINITY), a - b); }

/// The sum of ct[i] * exp(x[j] - y[i]) over i >= j. As y does not fall, no exponential is
/// above 1. 0 where y is infinite, as of logsumexp.
void vjpCumulativeLogsumexp(VjpCall &call) {
  const AlongRows rows(call, axisOf(call));
  const Dim count = rows.count(), columns = rows.columns();
  if (hasNone(count)) {
    call.set(0, call.cotangent());
    return;
  }
  const Array x = rows.toMatrix(call.operand(0)), y = rows.toMatrix(call.result());
  const Array ct = rows.toMatrix(call.cotangent());
  if (count.is_static()) {
    const Array next = concatenate({rowsOf(y, 1, count), rowsOf(y, count - 1, count)}, 0);
    call.set(0, rows.fromMatrix(exp(partOf(x, y)) * recurrence(exp(partOf(y, next)), ct, count.raw())));
    return;
  }
  const Shape row = {count, 1, columns}, place = {1, count, columns};
  // What is not part of a sum is left out before exp: it might be infinite there.
  const Array logs = where(rows.isRow(less_equal), partOf(reshape(x, row), reshape(y, place)), Scalar(-INFINITY));
  call.set(0, rows.fromMatrix(sum(exp(logs) * reshape(ct, place), {1})));
}

} // namespace tenon
