//===- Graph.cpp - a trace as data ------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Text.h"

#include <tenon/lowered.h>

using namespace tenon;

static TracedFunction graphOf(const Trace &trace) {
  auto value = [&](ValueId id) {
    const Type &type = trace.type(id);
    return TracedValue{id, type.dtype, type.shape, type.device};
  };
  TracedFunction function;
  function.name = trace.body().name;
  for (const ValueId id : trace.inputs())
    function.inputs.push_back(value(id));
  for (size_t i = 0; i < trace.ops().size(); ++i) {
    const TraceOp &op = trace.ops()[i];
    TracedOp one;
    // A composite is known by its own name.
    one.name = op.code == OpCode::composite ? CompositeAttrs::read(trace.attributes(op)).name : opInfo(op.code).name;
    one.attributes = attributesText(trace, op);
    for (const ValueId id : trace.operands(op))
      one.operands.push_back(value(id));
    for (uint32_t r = 0; r < op.results; ++r)
      one.results.push_back(value(op.firstResult + r));
    if (const TraceLocation *location = trace.location(i)) {
      if (location->line)
        one.location = location->file + ":" + std::to_string(location->line);
      one.scopes.assign(location->scopes.rbegin(), location->scopes.rend());
    }
    for (const TraceRef &region : trace.regions(op))
      one.bodies.push_back(graphOf(*region));
    function.ops.push_back(std::move(one));
  }
  for (const ValueId id : trace.outputs())
    function.outputs.push_back(value(id));
  return function;
}

TracedFunction Lowered::graph() const { return graphOf(*trace_); }
