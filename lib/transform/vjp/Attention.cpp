//===- Attention.cpp - the derivative of attention -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// Computes the scores anew, so that a tape holds q, k and v alone.
void vjpAttention(VjpCall &call) {
  const Array cotangent = call.cotangent();
  // The attributes of both composites are the same.
  const std::vector<Array> gradients = detail::bindCompositeResults(
      CompositeId::attention_gradient,
      {call.operand(0).value(), call.operand(1).value(), call.operand(2).value(), cotangent.value()}, call.attributes,
      call.at);
  for (int i = 0; i < 3; ++i)
    if (call.wanted(i))
      call.set(i, gradients[static_cast<size_t>(i)]);
}

} // namespace tenon
