//===- Batch.cpp - the interpreter of vmap -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Batch.h"

#include "lib/ops/Composite.h"
#include "lib/transform/RegionBatch.h"
#include "lib/transform/Rules.h"

using namespace tenon;
using namespace tenon::detail;

Array Batch::wrap(const Array &below, int axis, Location at) {
  Type type = typeOf(below.value());
  type.shape.erase(axis);
  axes_.push_back(axis);
  return Array::adopt(makeValue(*this, type, static_cast<uint32_t>(axes_.size() - 1), below.value(), at));
}

Array Batch::below(const Array &x) const { return axisOf(x.value()) < 0 ? x : Array::share(x.value()->base); }

/// Runs a region op by its plan: moves the batch axes, binds, says where they are.
static void runRegionOp(const RegionBatch &plan, BatchCall &call, bool interpreted) {
  std::vector<Array> operands;
  std::vector<Value *> values;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Array &x = call.operands[i];
    int axis = call.axes[i], wished = plan.operandAxes[i];
    operands.push_back(wished < 0 ? x : axis < 0 ? repeatAlong(x, call.size, wished) : moveAxis(x, axis, wished));
    values.push_back(operands.back().value());
  }
  std::vector<Array> results =
      bindInferred(plan.op.op, values, plan.op.attributes, plan.op.regions, call.at, interpreted);
  for (size_t i = 0; i < results.size(); ++i)
    call.result(std::move(results[i]), plan.resultAxes[i]);
}

void Batch::process(const Bind &bind, std::span<Array> results) {
  const OpInfo &info = opInfo(bind.op);
  const CompositeInfo *composite = info.lowering == Lowering::open ? registeredComposite(bind) : nullptr;
  const BatchRule compositeRule = composite ? compositeBatchRule(idOf(*composite)) : nullptr;
  if (info.lowering == Lowering::open && !compositeRule) {
    const ActiveInterpreter again(*this); // the ops of its decomposition are batched here
    return openComposite(bind, results);
  }
  std::vector<Array> operands;
  std::vector<int> axes;
  std::vector<bool> batched;
  for (Value *operand : bind.operands) {
    axes.push_back(axisOf(operand));
    batched.push_back(axes.back() >= 0);
    operands.push_back(Array::share(batched.back() ? operand->base : operand));
  }
  const AttrWords attributes = composite ? CompositeAttrs::read(bind.attributes).composite_attributes : bind.attributes;
  BatchCall call{info, attributes, operands, axes, size_, bind.types, bind.at, {}, {}};
  // Before the frame, so that a refusal has the name of what the user called.
  const bool isRegion = info.hasTraceRules();
  const BatchRule rule = isRegion ? nullptr : composite ? compositeRule : batchRule(bind.op);
  if (!isRegion && !rule)
    throwOpError(info, bind.operands, info.noBatch ? info.noBatch : std::string(info.name) + " has no batching rule",
                 bind.at);
  const auto plan = isRegion ? regionBatch(bind, batched, size_) : nullptr;
  LocationScope scope("vmap", bind.at);
  if (isRegion)
    runRegionOp(*plan, call, bind.interpreted);
  else
    rule(call);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = call.outAxes[i] < 0 ? std::move(call.out[i]) : wrap(call.out[i], call.outAxes[i], bind.at);
}
