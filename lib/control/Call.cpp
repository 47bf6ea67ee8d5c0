//===- Call.cpp - call: a body that runs once -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/BatchedTrace.h"
#include "lib/control/Linearize.h"
#include "lib/program/EagerRegions.h"
#include "lib/transform/RegionVjp.h"

using namespace tenon;
using Source = RegionVjp::Source;

namespace tenon {

void interpretCall(const Bind &bind, std::span<Array> results) { evaluateRegion(bind, 0, results); }

RegionVjp vjpCall(const Bind &bind, const std::vector<bool> &wanted) {
  std::vector<bool> all(wanted.size(), true);
  Linear linear = linearize(*bind.regions[0], wanted, all, 0);
  RegionVjp plan;
  plan.forward = {OpCode::call, {}, {linear.forward}};
  plan.differentiable = linear.dependent;
  plan.refusals = linear.refusals;
  plan.backward = {OpCode::call, {}, {linear.backward}};
  for (uint32_t i = 0; i < linear.dependent.size(); ++i)
    if (linear.dependent[i])
      plan.backwardOperands.push_back({Source::Kind::cotangent, i});
  for (const Linear::Residual &residual : linear.residuals)
    plan.backwardOperands.push_back(
        {residual.isInput ? Source::Kind::operand : Source::Kind::result, static_cast<uint32_t>(residual.index)});
  plan.operandOf.assign(linear.cotangentOf.begin(), linear.cotangentOf.end());
  return plan;
}

RegionBatch batchCall(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  BatchedTrace body = batchTrace(*bind.regions[0], batched, size, bind.at);
  return {{OpCode::call, {}, {body.trace}}, frontAxes(batched), frontAxes(body.outputs)};
}

} // namespace tenon
