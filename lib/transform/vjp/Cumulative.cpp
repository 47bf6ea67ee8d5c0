//===- Cumulative.cpp - derivatives of running sums and their kin ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Recurrence.h"

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

private:
  Location at_;
  Device device_;
  std::vector<int64_t> order_, back_;
  Shape moved_;
  Dim columns_ = 1;
};

int axisOf(const VjpCall &call) { return static_cast<int>(CumulativeSumAttrs::read(call.attributes).axis); }

bool hasNone(const Array &x, int axis) { return detail::isNone(x.shape()[axis]); }

} // namespace

void vjpCumulativeSum(VjpCall &call) {
  const int axis = axisOf(call);
  const Array ct = call.cotangent();
  call.set(0, reversed(cumulative_sum(reversed(ct, axis), axis), axis));
}

/// The product of the elements before one, times the sum over the results from that one on: each the cotangent times
/// the factors in between. There is no division, so zeros need no exception.
void vjpCumulativeProd(VjpCall &call) {
  const int axis = axisOf(call);
  const Array &given = call.operand(0);
  if (hasNone(given, axis)) {
    call.set(0, call.cotangent());
    return;
  }
  const Array x = widened(given);
  // A product that a narrow dtype does not hold may be finite here.
  const Array before = movedOn(is_narrow(given.dtype()) ? cumulative_prod(x, axis) : call.result(), axis, 1.0);
  call.set(0, astype(before * recurrenceFromEnd(x, widened(call.cotangent()), axis, call.at), given.dtype()));
}

/// The transpose of a recurrence runs from the end. A factor multiplies the result before it.
void vjpLinearRecurrence(VjpCall &call) {
  const auto axis = static_cast<int>(LinearRecurrenceAttrs::read(call.attributes).axis);
  const Array ct = call.cotangent();
  if (hasNone(ct, axis)) {
    call.set(0, ct);
    call.set(1, ct);
    return;
  }
  const Array sums = recurrenceFromEnd(call.operand(0), ct, axis, call.at);
  call.set(1, sums);
  if (call.wanted(0))
    call.set(0, sums * movedOn(call.result(), axis, 0.0));
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
  const Array sums =
      scatter_add(zeros, reshape(from, {rows.count(), rows.columns(), 1}), rows.toMatrix(call.cotangent()),
                  std::vector<int64_t>(), {0}, {0}, {1}, {1}, IndexMode::drop);
  call.set(0, rows.fromMatrix(sums));
}

/// The sum of ct[i] * exp(x[j]) / sums[i] over i >= j, with sums[i] the sum of exp(x[k]) over k <= i. Every exponential
/// is taken relative to the largest element so far, so none is above 1; the weights do not use the result, which is
/// rounded coarsely where it is large. 0 where the result is infinite, as of logsumexp.
void vjpCumulativeLogsumexp(VjpCall &call) {
  const int axis = axisOf(call);
  const Array &given = call.operand(0);
  if (hasNone(given, axis)) {
    call.set(0, call.cotangent());
    return;
  }
  const Array x = widened(given), ct = widened(call.cotangent());
  // No sum of weights depends on what they are relative to.
  const Array largest = stop_gradient(cumulative_max(x, axis)), isInfinite = isinf(largest);
  const Array weights = exp(where(isInfinite, -INFINITY, x - largest));
  const Array change = exp(where(isInfinite, -INFINITY, movedOn(largest, axis, -INFINITY) - largest));
  const Array sums = recurrence(change, weights, axis, call.at);
  const Array shares = where(isInfinite, 0.0, ct / where(isInfinite, 1.0, sums));
  call.set(0, astype(weights * recurrenceFromEnd(change, shares, axis, call.at), given.dtype()));
}

} // namespace tenon
