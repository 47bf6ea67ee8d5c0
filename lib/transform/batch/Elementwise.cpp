//===- Elementwise.cpp - batching of elementwise ops ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"

namespace tenon {

void batchElementwise(BatchCall &call) {
  // The batch axis stays where the first batched operand has it.
  const int place = call.place();
  std::vector<Array> operands;
  std::vector<detail::Value *> values;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    operands.push_back(call.along(static_cast<int>(i), place));
    values.push_back(operands.back().value());
  }
  call.result(std::move(bindInferred(static_cast<OpCode>(call.info.code), values, call.attributes, {}, call.at)[0]),
              place);
}

void batchComplexFunction(BatchCall &call) {
  const OpInfo *function = findOp(ComplexFunctionAttrs::read(call.attributes).function);
  const Operand x(call.operand(), std::source_location());
  call.result(detail::elementwise(static_cast<OpCode>(function->code), {&x}), call.axis());
}

/// A composite of each element: the batch axis is one like the others.
static void batchEachElement(CompositeId id, BatchCall &call) {
  call.result(detail::bindComposite(id, {call.operand().value()}, call.attributes, call.at), call.axis());
}
void batchActivation(BatchCall &call) { batchEachElement(CompositeId::activation, call); }
void batchErfInv(BatchCall &call) { batchEachElement(CompositeId::erf_inv, call); }
void batchUniformOfBits(BatchCall &call) { batchEachElement(CompositeId::uniform_of_bits, call); }
void batchNormalOfBits(BatchCall &call) { batchEachElement(CompositeId::normal_of_bits, call); }

void batchComplexPow(BatchCall &call) { call.result(pow(call.front(0), call.front(1))); }

} // namespace tenon
