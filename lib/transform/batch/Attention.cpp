//===- Attention.cpp - batching of attention --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// A mask or bias whose batch axis stands before all axes of the scores, which have `rank` axes with it.
static Array besideScores(const BatchCall &call, int i, int rank) {
  if (!call.isBatched(i))
    return call.operand(i);
  const Array x = call.front(i);
  // What is not there has the rank 0 in each example.
  if (x.ndim() == 1)
    return x[0];
  Shape shape = x.shape();
  while (shape.rank() < rank)
    shape.insert(1, 1, call.at);
  return reshape(x, shape);
}

/// The operands of `attention` with the batch axis in front.
static std::vector<Array> frontsOf(const BatchCall &call) {
  std::vector<Array> operands{call.front(0), call.front(1), call.front(2)};
  const int rank = operands[0].ndim();
  operands.push_back(besideScores(call, 3, rank));
  operands.push_back(besideScores(call, 4, rank));
  // Each example draws as if it were alone.
  const bool hasKey = call.operand(5).ndim() > (call.isBatched(5) ? 1 : 0);
  operands.push_back(hasKey ? call.front(5) : besideScores(call, 5, rank));
  return operands;
}

void batchAttention(BatchCall &call) {
  const std::vector<Array> x = frontsOf(call);
  call.result(detail::bindComposite(
      CompositeId::attention, {x[0].value(), x[1].value(), x[2].value(), x[3].value(), x[4].value(), x[5].value()},
      call.attributes, call.at));
}

void batchAttentionGradient(BatchCall &call) {
  const std::vector<Array> x = frontsOf(call);
  const Array cotangent = call.front(6);
  for (Array &gradient : detail::bindCompositeResults(
           CompositeId::attention_gradient,
           {x[0].value(), x[1].value(), x[2].value(), x[3].value(), x[4].value(), x[5].value(), cotangent.value()},
           call.attributes, call.at))
    call.result(std::move(gradient));
}

} // namespace tenon
