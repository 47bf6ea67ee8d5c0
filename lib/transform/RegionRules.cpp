//===- RegionRules.cpp - the tables of rules of region ops, and their plans -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/RegionLayout.h"
#include "lib/transform/RegionBatch.h"
#include "lib/transform/RegionVjp.h"

#include <algorithm>
#include <iterator>

namespace tenon {
#include "lib/transform/RegionBatchRules.gen.inc"
#include "lib/transform/RegionVjpRules.gen.inc"
} // namespace tenon

using namespace tenon;

static PlanKey keyOf(PlanKey::Use use, const Bind &bind, const std::vector<bool> &operands, Dim size) {
  return {
      use,      bind.op, {bind.attributes.begin(), bind.attributes.end()}, {bind.regions.begin(), bind.regions.end()},
      operands, size};
}

void tenon::throwNoDerivative(const OpInfo &info, std::span<detail::Value *const> operands, const std::string &sentence,
                              Location at) {
  try {
    throwOpError(info, operands, sentence, at);
  } catch (const Error &error) {
    throw NoDerivative(error);
  }
}

/// The plan of an op without a derivative: its record's sentence, if a result could
/// depend on a wanted operand.
static RegionVjp withoutDerivative(const Bind &bind, const std::vector<bool> &wanted) {
  const OpInfo &info = opInfo(bind.op);
  RegionLayout layout;
  layout.read(info, bind.operands.size(), bind.attributes);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] && layout.reachesResults(i))
      throwNoDerivative(info, bind.operands, info.noVjp, bind.at);
  RegionVjp plan;
  plan.differentiable.assign(bind.types.size(), false);
  return plan;
}

std::shared_ptr<const RegionVjp> tenon::regionVjp(const Bind &bind, const std::vector<bool> &wanted) {
  PlanKey key = keyOf(PlanKey::Use::vjp, bind, wanted, 0);
  auto plan = std::static_pointer_cast<const RegionVjp>(findPlan(key));
  if (!plan) {
    const RegionVjpRule rule = regionVjpRules[static_cast<size_t>(bind.op)];
    plan = std::make_shared<const RegionVjp>(rule ? rule(bind, wanted) : withoutDerivative(bind, wanted));
    const RegionOp *ops[] = {&plan->forward, &plan->backward};
    if (plan->refusals.empty()) // which name lines, and equal traces may have others
      keepPlan(std::move(key), plan, ops);
  }
  const std::vector<bool> &smooth = plan->differentiable;
  const bool isConstant = plan->refusals.empty() && std::find(smooth.begin(), smooth.end(), true) == smooth.end();
  return isConstant ? nullptr : plan;
}

std::shared_ptr<const RegionBatch> tenon::regionBatch(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  PlanKey key = keyOf(PlanKey::Use::batch, bind, batched, size);
  auto plan = std::static_pointer_cast<const RegionBatch>(findPlan(key));
  if (!plan) {
    const RegionBatchRule rule = regionBatchRules[static_cast<size_t>(bind.op)];
    if (!rule)
      throwOpError(opInfo(bind.op), bind.operands, opInfo(bind.op).noBatch, bind.at);
    plan = std::make_shared<const RegionBatch>(rule(bind, batched, size));
    const RegionOp *ops[] = {&plan->op};
    keepPlan(std::move(key), plan, ops);
  }
  return plan;
}
