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

//===----------------------------------------------------------------------===//
// TimeDistributed
//===----------------------------------------------------------------------===//

/// A shape with its first two axes as one.
static Shape joined(const Shape &shape) {
  Shape result{shape[0] * shape[1]};
  for (int axis = 2; axis < shape.rank(); ++axis)
    result.push_back(shape[axis]);
  return result;
}
Array detail::joined_steps(const nn::Layer &layer, const Array &x) {
  const LayerCall here(layer);
  if (x.ndim() < 2)
    here.refuse("expected axes (batch, time, ...), got " + x.shape().str());
  return reshape(x, joined(x.shape()));
}
Array detail::separate_steps(const Array &y, const Array &x) {
  Shape result{x.shape()[0], x.shape()[1]};
  for (int axis = 1; axis < y.ndim(); ++axis)
    result.push_back(y.shape()[axis]);
  return reshape(y, result);
}
Array detail::mask_of_steps(const nn::Layer &layer, const Array &x, const Array &mask) {
  if (!mask.has_value())
    return {};
  const LayerCall here(layer);
  if (mask.dtype() != Dtype::bool_ || mask.ndim() < 2 || x.ndim() < 2 ||
      provably_equal(mask.shape()[0], x.shape()[0]) != Always::yes ||
      provably_equal(mask.shape()[1], x.shape()[1]) != Always::yes)
    here.refuse("expected a mask of bools whose first axes are (batch, time), those of " + x.shape().str() + ", got " +
                std::string(short_name(mask.dtype())) + " of shape " + mask.shape().str());
  return mask.ndim() == 2 ? Array() : reshape(mask, joined(mask.shape()));
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

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

void detail::expect_no_dropout(double dropout, double recurrent_dropout, Location at) {
  if (dropout != 0 || recurrent_dropout != 0)
    throw Error("cell: expected no dropout, since a cell does not know where a sequence begins, got a dropout of " +
                    Scalar(dropout).str() + " and a recurrent_dropout of " + Scalar(recurrent_dropout).str() +
                    "; nn::LSTM and its like drop the same features in all steps",
                userLocation(at));
}
