//===- RecurrentWrappers.cpp - layers around recurrent layers -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Sequences.h"

#include <tenon/nn/cells.h>

using namespace tenon;
using namespace tenon::detail;

BothDirections detail::run_both(const nn::Layer &layer, const nn::Recurrent &forward, const nn::Recurrent &backward,
                                nn::MergeMode merge, const Operand &x, nn::Recurrent::StateArrays first,
                                nn::Recurrent::StateArrays second, const nn::CallOptions &options, bool sequences,
                                Location at) {
  const CallingLayer calling(layer, options.training, at);
  const Array input = calling.array(x);
  forward.build(input.shape(at));
  backward.build(input.shape(at));
  // Outputs are in the order of x, so that those of one step are joined; only what is returned is turned around.
  const bool isReversed = forward.go_backwards();
  auto [y, forwardState] = forward.walk(input, std::move(first), options.mask, {isReversed, sequences});
  auto [z, backwardState] = backward.walk(input, std::move(second), options.mask, {!isReversed, sequences});
  Array outputs;
  switch (merge) {
  case nn::MergeMode::concat:
    outputs = concatenate({y, z}, -1);
    break;
  case nn::MergeMode::sum:
    outputs = y + z;
    break;
  case nn::MergeMode::mul:
    outputs = y * z;
    break;
  case nn::MergeMode::ave:
    outputs = (y + z) / 2;
    break;
  }
  if (isReversed && sequences)
    outputs = flip(outputs, 1);
  return {calling.returns(outputs), std::move(forwardState), std::move(backwardState)};
}

Array nn::TimeDistributed::call(const Array &x) const {
  const LayerCall here(*this);
  const Shape input = x.shape();
  if (input.rank() < 2)
    here.refuse("expected axes (batch, time, ...), got " + input.str());
  Shape joined{input[0] * input[1]};
  for (int axis = 2; axis < input.rank(); ++axis)
    joined.push_back(input[axis]);
  const Array y = layer_(reshape(x, joined));
  Shape result{input[0], input[1]};
  for (int axis = 1; axis < y.ndim(); ++axis)
    result.push_back(y.shape()[axis]);
  return reshape(y, result);
}

LoopInputs detail::loop_inputs(const nn::Layer &layer, const Array &x, const Array &mask) {
  const LayerCall here(layer);
  const Shape input = x.shape();
  if (input.rank() < 2)
    here.refuse("expected axes (batch, time, ...), got " + input.str());
  LoopInputs inputs{swapaxes(x, 0, 1), {}};
  if (mask.has_value())
    inputs.mask = maskOfSteps(here, mask, input);
  return inputs;
}

Array detail::where_of_batch(const Array &mask, const Array &x1, const Array &x2) {
  Shape shape{mask.shape()[0]};
  while (shape.rank() < x1.ndim())
    shape.push_back(1);
  return where(reshape(mask, shape), x1, x2);
}
