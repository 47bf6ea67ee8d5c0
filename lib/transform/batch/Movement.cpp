//===- Movement.cpp - batching of ops that move elements ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"

#include <tenon/error.h>

namespace tenon {

/// Whether the examples run over the last axis, behind an example's own: they stay there.
static bool isBehind(const BatchCall &call) { return call.axis() > 0 && call.axis() == call.operand().ndim() - 1; }

void batchReshape(BatchCall &call) {
  Shape shape = call.resultTypes[0].shape;
  const int place = isBehind(call) ? shape.rank() : 0;
  shape.insert(place, call.size, userLocation(call.at));
  call.result(reshape(place ? call.operand() : call.front(), shape), place);
}

void batchBroadcastTo(BatchCall &call) {
  Shape to = call.resultTypes[0].shape;
  if (isBehind(call)) {
    to.push_back(call.size);
    return call.result(broadcast_to(call.operand(), to), to.rank() - 1);
  }
  const Array x = call.front();
  Shape padded = x.shape();
  while (padded.rank() <= to.rank())
    padded.insert(1, 1, userLocation(call.at));
  to.insert(0, call.size);
  call.result(broadcast_to(reshape(x, padded), to));
}

void batchTranspose(BatchCall &call) {
  std::vector<int64_t> permutation;
  for (int64_t axis : TransposeAttrs::read(call.attributes).permutation)
    permutation.push_back(axis < call.axis() ? axis : axis + 1);
  const int place = isBehind(call) ? call.axis() : 0;
  permutation.insert(permutation.begin() + place, call.axis());
  call.result(transpose(call.operand(), permutation), place);
}

void batchSlice(BatchCall &call) {
  SliceAttrs attributes = SliceAttrs::read(call.attributes);
  Shape starts(attributes.starts), stops(attributes.stops);
  std::vector<int64_t> steps(attributes.steps.begin(), attributes.steps.end());
  starts.insert(call.axis(), 0);
  stops.insert(call.axis(), call.size);
  steps.insert(steps.begin() + call.axis(), 1);
  call.result(slice(call.operand(), starts, stops, steps), call.axis());
}

void batchPad(BatchCall &call) {
  PadAttrs attributes = PadAttrs::read(call.attributes);
  Shape low(attributes.low), high(attributes.high);
  std::vector<int64_t> interior(attributes.interior.begin(), attributes.interior.end());
  Shape example = call.operand(0).shape();
  if (call.isBatched(0))
    example.erase(call.axis(0));
  const int place = call.isBatched(1) ? 0 : call.axis(0);
  Array padding;
  if (call.isBatched(1))
    padding = pad(filled({Dtype::bool_, call.operand(0).device(), example}, false), true, low, high, interior);
  low.insert(place, 0);
  high.insert(place, 0);
  interior.insert(interior.begin() + place, 0);
  if (!call.isBatched(1))
    return call.result(pad(call.operand(0), call.operand(1), low, high, interior), place);
  // Every example has a value of its own: zeros are put in, then the values.
  const Array x = call.front(0);
  Shape column{call.size};
  while (column.rank() <= example.rank())
    column.push_back(1);
  call.result(where(padding, reshape(call.operand(1), column),
                    pad(x, filled({x.dtype(), x.device(), {}}, false), low, high, interior)));
}

void batchConcatenate(BatchCall &call) {
  const int place = call.place(), axis = static_cast<int>(ConcatenateAttrs::read(call.attributes).axis);
  std::vector<Array> all;
  for (size_t i = 0; i < call.operands.size(); ++i)
    all.push_back(call.along(static_cast<int>(i), place));
  call.result(concatenate(all, axis < place ? axis : axis + 1, call.at), place);
}

void batchSplit(BatchCall &call) {
  SplitAttrs attributes = SplitAttrs::read(call.attributes);
  // Not by the door, whose sizes are a shape: an op may have more pieces than a shape has axes.
  attributes.axis += attributes.axis >= call.axis();
  for (Array &piece : detail::applyAll(OpCode::split, {call.operand().value()}, detail::Words(attributes), call.at))
    call.result(std::move(piece), call.axis());
}

void batchDimension(BatchCall &call) {
  int axis = static_cast<int>(DimensionAttrs::read(call.attributes).axis);
  call.result(dimension(call.operand(), axis < call.axis() ? axis : axis + 1), -1);
}

void batchBits(BatchCall &call) {
  BitsAttrs attributes = BitsAttrs::read(call.attributes);
  call.result(random::bits(call.front(), Shape(attributes.shape), static_cast<int>(attributes.words)));
}

void batchOptimizationBarrier(BatchCall &call) {
  std::vector<Array> all =
      optimization_barrier(std::vector<Array>(call.operands.begin(), call.operands.end()), call.at);
  for (size_t i = 0; i < all.size(); ++i)
    call.result(all[i], call.axes[i]);
}

void batchStopGradient(BatchCall &call) { call.result(stop_gradient(call.operand()), call.axis()); }

void batchCheckpointName(BatchCall &call) {
  call.result(detail::apply(OpCode::checkpoint_name, {call.operand().value()}, call.attributes, call.at), call.axis());
}

void batchNever(BatchCall &call) {
  throw InternalError(std::string(call.info.name) + ": has no operands that could be batched", call.at);
}

} // namespace tenon
