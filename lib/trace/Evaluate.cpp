//===- Evaluate.cpp - running a trace by binding its ops ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/DimExpr.h"
#include "lib/trace/Symbols.h"

using namespace tenon;
using namespace tenon::detail;

std::vector<Array> tenon::evaluateTrace(const Trace &trace, std::span<const Array> inputs) {
  std::vector<Type> types;
  for (const Array &input : inputs)
    types.push_back(typeOf(input.value()));
  // Sizes of the trace that are symbols become sizes of the inputs.
  TraceRef concrete = instantiate(trace, types);
  const Trace &body = concrete ? *concrete : trace;

  std::vector<uint32_t> lastUse(body.body().types.size(), 0);
  for (uint32_t i = 0; i < body.ops().size(); ++i)
    for (ValueId operand : body.operands(body.ops()[i]))
      lastUse[operand] = i;
  for (ValueId output : body.outputs())
    lastUse[output] = UINT32_MAX;

  std::vector<Array> values(body.body().types.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    values[body.inputs()[i]] = inputs[i];
  std::vector<Value *> operands;
  for (uint32_t i = 0; i < body.ops().size(); ++i) {
    const TraceOp &op = body.ops()[i];
    operands.clear();
    for (ValueId operand : body.operands(op))
      operands.push_back(values[operand].value());
    Location at;
    if (const TraceLocation *location = body.location(i))
      at.file = internFile(location->file), at.line = location->line, at.column = location->column;
    types.clear();
    for (uint32_t r = 0; r < op.results; ++r)
      types.push_back(body.type(op.firstResult + r));
    bind({op.code, operands, body.attributes(op), body.regions(op), types, at},
         std::span(values).subspan(op.firstResult, op.results));
    for (ValueId operand : body.operands(op))
      if (lastUse[operand] == i)
        values[operand] = Array();
  }
  std::vector<Array> outputs;
  for (ValueId output : body.outputs())
    outputs.push_back(values[output]);
  return outputs;
}
