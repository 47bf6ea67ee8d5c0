//===- Attention.cpp - batching of attention --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/transform/Rules.h"

namespace tenon {

void batchAttention(BatchCall &call) {
  const Array q = call.front(0), k = call.front(1), v = call.front(2);
  call.result(
      detail::bindComposite(CompositeId::attention, {q.value(), k.value(), v.value()}, call.attributes, call.at));
}

void batchAttentionGradient(BatchCall &call) {
  const Array q = call.front(0), k = call.front(1), v = call.front(2), cotangent = call.front(3);
  for (Array &gradient :
       detail::bindCompositeResults(CompositeId::attention_gradient,
                                    {q.value(), k.value(), v.value(), cotangent.value()}, call.attributes, call.at))
    call.result(std::move(gradient));
}

} // namespace tenon
