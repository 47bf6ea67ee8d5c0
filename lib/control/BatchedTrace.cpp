//===- BatchedTrace.cpp - a trace over a batch ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/BatchedTrace.h"

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

std::vector<int> tenon::frontAxes(const std::vector<bool> &batched) {
  std::vector<int> axes;
  for (bool one : batched)
    axes.push_back(one ? 0 : -1);
  return axes;
}

bool tenon::growCarries(std::vector<bool> &inputs, size_t first, size_t carries, const std::vector<bool> &outputs) {
  bool changed = false;
  for (size_t k = 0; k < carries; ++k)
    if (outputs[k] && !inputs[first + k])
      inputs[first + k] = changed = true;
  return changed;
}
