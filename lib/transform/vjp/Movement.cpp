//===- Movement.cpp - derivatives of ops that move elements ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

namespace tenon {

void vjpReshape(VjpCall &call) { call.set(0, reshape(call.cotangent(), call.operandTypes[0].shape)); }

void vjpBroadcastTo(VjpCall &call) {
  const Shape &from = call.operandTypes[0].shape, &to = call.resultTypes[0].shape;
  int offset = to.rank() - from.rank();
  std::vector<int64_t> repeated;
  for (int i = 0; i < to.rank(); ++i)
    if (i < offset || (from[i - offset].raw() == 1 && to[i].raw() != 1))
      repeated.push_back(i);
  Array ct = call.cotangent();
  if (!repeated.empty())
    ct = sum(ct, repeated);
  call.set(0, reshape(ct, from));
}

void vjpTranspose(VjpCall &call) {
  std::span<const int64_t> permutation = TransposeAttrs::read(call.attributes).permutation;
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  call.set(0, transpose(call.cotangent(), inverse));
}

void vjpSlice(VjpCall &call) {
  // The elements taken, in ascending order, stand `step` apart from the first
  // one on: their cotangents are padded with zeros before, between and after.
  SliceAttrs attributes = SliceAttrs::read(call.attributes);
  const Shape &shape = call.operandTypes[0].shape, &taken = call.resultTypes[0].shape;
  Shape flipStarts, flipStops, low, high;
  std::vector<int64_t> flipSteps, interior;
  bool flip = false;
  for (int i = 0; i < shape.rank(); ++i) {
    size_t at = static_cast<size_t>(i);
    if (taken[i].raw() == 0)
      return call.set(0, filled(call.operandTypes[0], false));
    int64_t step = attributes.steps[at], apart = step < 0 ? -step : step;
    Dim across = (taken[i] - 1) * Dim(apart);
    Dim first = step < 0 ? attributes.starts[at] - across : attributes.starts[at];
    low.push_back(first);
    high.push_back(shape[i] - first - across - 1);
    interior.push_back(apart - 1);
    flip |= step < 0;
    flipStarts.push_back(step < 0 ? taken[i] - 1 : Dim(0));
    flipStops.push_back(step < 0 ? Dim(-1) : taken[i]);
    flipSteps.push_back(step < 0 ? -1 : 1);
  }
  Array ct = call.cotangent();
  if (flip)
    ct = slice(ct, flipStarts, flipStops, flipSteps);
  call.set(0, pad(ct, 0.0f, low, high, interior));
}

void vjpPad(VjpCall &call) {
  PadAttrs attributes = PadAttrs::read(call.attributes);
  const Type &x = call.operandTypes[0];
  Shape low(attributes.low), high(attributes.high), stops;
  std::vector<int64_t> interior(attributes.interior.begin(), attributes.interior.end()), steps;
  for (int i = 0; i < x.shape.rank(); ++i) {
    int64_t step = interior[static_cast<size_t>(i)] + 1;
    Dim size = x.shape[i];
    stops.push_back(size.raw() == 0 ? low[i] : low[i] + (size - 1) * Dim(step) + 1);
    steps.push_back(step);
  }
  Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, slice(ct, low, stops, steps));
  if (call.wanted(1)) {
    Array padding = pad(filled({Dtype::bool_, x.device, x.shape}, false), true, low, high, interior);
    call.set(1, sum(where(padding, ct, 0.0f)));
  }
}

void vjpConcatenate(VjpCall &call) {
  int axis = static_cast<int>(ConcatenateAttrs::read(call.attributes).axis);
  Shape shape = call.resultTypes[0].shape, starts, stops = shape;
  for (int i = 0; i < shape.rank(); ++i)
    starts.push_back(0);
  Array ct = call.cotangent();
  Dim place = 0;
  for (size_t i = 0; i < call.operandTypes.size(); ++i) {
    starts.at(axis) = place;
    place += call.operandTypes[i].shape[axis];
    stops.at(axis) = place;
    if (call.wanted(static_cast<int>(i)))
      call.set(static_cast<int>(i), slice(ct, starts, stops));
  }
}

void vjpSplit(VjpCall &call) {
  std::vector<Array> pieces;
  for (size_t i = 0; i < call.resultTypes.size(); ++i)
    pieces.push_back(call.cotangent(static_cast<int>(i)));
  call.set(0, concatenate(pieces, static_cast<int>(SplitAttrs::read(call.attributes).axis), {}));
}

void vjpCheckpointName(VjpCall &call) { call.set(0, call.cotangent()); }

void vjpOptimizationBarrier(VjpCall &call) {
  std::vector<Array> cotangents;
  std::vector<int> operands;
  for (size_t i = 0; i < call.operandTypes.size(); ++i)
    if (int k = static_cast<int>(i); call.wanted(k)) {
      cotangents.push_back(call.cotangent(k));
      operands.push_back(k);
    }
  cotangents = optimization_barrier(cotangents, {});
  for (size_t i = 0; i < operands.size(); ++i)
    call.set(operands[i], cotangents[i]);
}

} // namespace tenon
