//===- RegionBatch.cpp - batching of ops that hold traces -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/RegionBatch.h"

#include "lib/transform/Batch.h"
#include "lib/transform/Rules.h"

using namespace tenon;

BatchedTrace tenon::batchTrace(const Trace &trace, const std::vector<bool> &batched, Dim size, Location at,
                               const std::vector<bool> &forced) {
  DetachedLocations detached;
  Record record(trace.body().name);
  ActiveInterpreter activeRecord(record);
  Batch batch("the vmap of " + trace.body().name, size);
  std::vector<Array> inputs, outputs;
  for (size_t i = 0; i < batched.size(); ++i) {
    Type type = trace.type(trace.inputs()[i]);
    if (batched[i])
      type.shape.insert(0, size, {});
    inputs.push_back(record.input(type));
  }
  for (size_t i = 0; i < batched.size(); ++i)
    if (batched[i])
      inputs[i] = batch.wrap(inputs[i], 0);
  LocationScope scope("vmap", at);
  {
    ActiveInterpreter activeBatch(batch);
    outputs = evaluateTrace(trace, inputs);
  }
  BatchedTrace result;
  for (size_t i = 0; i < outputs.size(); ++i) {
    int axis = batch.axisOf(outputs[i].value());
    result.outputs.push_back(axis >= 0 || (!forced.empty() && forced[i]));
    if (axis >= 0)
      outputs[i] = moveAxis(batch.below(outputs[i]), axis, 0);
    else if (result.outputs[i])
      outputs[i] = repeatAlong(outputs[i], size, 0);
  }
  result.trace = record.finish(outputs).trace;
  return result;
}

/// 0 for batched, -1 for others.
static std::vector<int> frontAxes(const std::vector<bool> &batched) {
  std::vector<int> axes;
  for (bool one : batched)
    axes.push_back(one ? 0 : -1);
  return axes;
}

static RegionBatch batchCall(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  BatchedTrace body = batchTrace(*bind.regions[0], batched, size, bind.at);
  return {{OpCode::call, {bind.attributes.begin(), bind.attributes.end()}, {body.trace}},
          frontAxes(batched),
          frontAxes(body.outputs)};
}

/// Both branches for every example, then a choice.
static RegionBatch batchCondAsWhere(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  for (const TraceRef &branch : bind.regions)
    if (branch->hasEffect())
      throwOpError(opInfo(bind.op), bind.operands.first(1),
                   "cond: under vmap the predicate differs between the examples, so that both branches run, but one of "
                   "them has an effect; print outside of cond",
                   bind.at);
  std::vector<Type> types;
  for (const detail::Value *operand : bind.operands)
    types.push_back(typeOf(operand));
  DetachedLocations detached;
  TraceRef chosen = recordFunction(bind.regions[0]->body().name, types, [&](std::span<const Array> in) {
                      std::vector<Array> a = evaluateTrace(*bind.regions[0], in.subspan(1));
                      std::vector<Array> b = evaluateTrace(*bind.regions[1], in.subspan(1));
                      LocationScope scope("cond", bind.at);
                      for (size_t i = 0; i < a.size(); ++i)
                        a[i] = where(in[0], a[i], b[i]);
                      return a;
                    }).trace;
  BatchedTrace body = batchTrace(*chosen, batched, size, bind.at);
  return {{OpCode::call, wordsOf(CallAttrs{"cond"}), {body.trace}}, frontAxes(batched), frontAxes(body.outputs)};
}

static RegionBatch batchCond(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  if (batched[0])
    return batchCondAsWhere(bind, batched, size);
  std::vector<bool> inputs(batched.begin() + 1, batched.end());
  BatchedTrace first = batchTrace(*bind.regions[0], inputs, size, bind.at);
  BatchedTrace second = batchTrace(*bind.regions[1], inputs, size, bind.at, first.outputs);
  if (first.outputs != second.outputs)
    first = batchTrace(*bind.regions[0], inputs, size, bind.at, second.outputs);
  return {{OpCode::cond, {}, {first.trace, second.trace}}, frontAxes(batched), frontAxes(second.outputs)};
}

/// Adds to `carries` those that come out of the body batched; true if any did.
static bool grow(std::vector<bool> &inputs, size_t first, size_t carries, const std::vector<bool> &outputs) {
  bool changed = false;
  for (size_t k = 0; k < carries; ++k)
    if (outputs[k] && !inputs[first + k])
      inputs[first + k] = changed = true;
  return changed;
}

static RegionBatch batchScan(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  ScanAttrs attributes = ScanAttrs::read(bind.attributes);
  size_t consts = static_cast<size_t>(attributes.consts), carries = static_cast<size_t>(attributes.carries);
  std::vector<bool> inputs = batched, forced(bind.regions[0]->outputs().size());
  BatchedTrace body;
  do {
    for (size_t k = 0; k < carries; ++k)
      forced[k] = inputs[consts + k];
    body = batchTrace(*bind.regions[0], inputs, size, bind.at, forced);
  } while (grow(inputs, consts, carries, body.outputs));
  // Axis 0 of the inputs and of the stacked results is the scan's own.
  RegionBatch plan{{OpCode::scan, {bind.attributes.begin(), bind.attributes.end()}, {body.trace}},
                   frontAxes(inputs),
                   frontAxes(body.outputs)};
  for (std::vector<int> *axes : {&plan.operandAxes, &plan.resultAxes})
    for (size_t i = (axes == &plan.operandAxes ? consts : 0) + carries; i < axes->size(); ++i)
      if ((*axes)[i] == 0)
        (*axes)[i] = 1;
  return plan;
}

static RegionBatch batchWhileLoop(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  WhileLoopAttrs attributes = WhileLoopAttrs::read(bind.attributes);
  size_t condConsts = static_cast<size_t>(attributes.cond_consts),
         bodyConsts = static_cast<size_t>(attributes.body_consts), carries = bind.types.size();
  std::vector<bool> inputs(batched.begin() + attributes.cond_consts, batched.end()), forced;
  BatchedTrace body;
  do {
    forced.assign(inputs.begin() + attributes.body_consts, inputs.end());
    body = batchTrace(*bind.regions[1], inputs, size, bind.at, forced);
  } while (grow(inputs, bodyConsts, carries, body.outputs));
  std::vector<bool> condInputs(batched.begin(), batched.begin() + attributes.cond_consts);
  condInputs.insert(condInputs.end(), inputs.begin() + attributes.body_consts, inputs.end());
  BatchedTrace condition = batchTrace(*bind.regions[0], condInputs, size, bind.at);
  if (condition.outputs[0])
    throwOpError(opInfo(bind.op), bind.operands.subspan(condConsts + bodyConsts),
                 "while_loop: under vmap the examples would need different numbers of rounds; use scan with a fixed "
                 "length and where",
                 bind.at);
  std::vector<bool> operands(batched.begin(), batched.begin() + attributes.cond_consts);
  operands.insert(operands.end(), inputs.begin(), inputs.end());
  return {{OpCode::while_loop, {bind.attributes.begin(), bind.attributes.end()}, {condition.trace, body.trace}},
          frontAxes(operands),
          frontAxes(body.outputs)};
}

static RegionBatch makePlan(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  switch (bind.op) {
  case OpCode::call:
    return batchCall(bind, batched, size);
  case OpCode::cond:
    return batchCond(bind, batched, size);
  case OpCode::scan:
    return batchScan(bind, batched, size);
  case OpCode::while_loop:
    return batchWhileLoop(bind, batched, size);
  default:
    throw InternalError(std::string(opInfo(bind.op).name) + ": expected an op with a batching of its traces", bind.at);
  }
}

std::shared_ptr<const RegionBatch> tenon::regionBatch(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  PlanKey key{PlanKey::Use::batch,
              bind.op,
              {bind.attributes.begin(), bind.attributes.end()},
              {bind.regions.begin(), bind.regions.end()},
              batched,
              size};
  auto plan = std::static_pointer_cast<const RegionBatch>(findPlan(key));
  if (!plan) {
    plan = std::make_shared<const RegionBatch>(makePlan(bind, batched, size));
    const RegionOp *ops[] = {&plan->op};
    keepPlan(std::move(key), plan, ops);
  }
  return plan;
}
