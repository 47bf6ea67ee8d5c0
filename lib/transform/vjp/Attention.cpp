//===- Attention.cpp - the derivative of attention -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Attention.h"
#include "lib/ops/Composite.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// The cotangent of what broadcasts to x, given that of x.
static Array sumTo(const Array &x, const Shape &shape) {
  const int leading = x.ndim() - static_cast<int>(shape.size());
  std::vector<int64_t> axes;
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (axis < leading || provably_equal(shape[axis - leading], x.shape()[axis]) != Always::yes)
      axes.push_back(axis);
  return reshape(axes.empty() ? x : sum(x, axes), shape);
}

/// Computes the scores anew, so that a tape holds the operands alone.
void vjpAttention(VjpCall &call) {
  constexpr int bias = 4;
  std::vector<Array> operands;
  for (int i = 0; i < 6; ++i)
    operands.push_back(call.operand(i));
  operands.push_back(call.cotangent());
  std::vector<Array> gradients;
  if (call.wanted(bias) && operands[bias].ndim() > 0) {
    // The bias may be as large as the scores, so ops on all scores compute its cotangent.
    const auto [ofQ, ofK, ofV, ofScores] = detail::attentionGradients(operands, call.attributes, call.at);
    gradients = {ofQ, ofK, ofV};
    call.set(bias, sumTo(ofScores, operands[bias].shape()));
  } else {
    // The attributes of both composites are the same.
    gradients = detail::bindCompositeResults(CompositeId::attention_gradient,
                                             {operands[0].value(), operands[1].value(), operands[2].value(),
                                              operands[3].value(), operands[4].value(), operands[5].value(),
                                              operands[6].value()},
                                             call.attributes, call.at);
  }
  for (int i = 0; i < 3; ++i)
    if (call.wanted(i))
      call.set(i, gradients[static_cast<size_t>(i)]);
}

} // namespace tenon
