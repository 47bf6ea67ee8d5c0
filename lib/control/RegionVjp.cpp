//===- RegionVjp.cpp - derivatives of ops that hold traces -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/RegionVjp.h"

#include "lib/control/Linearize.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using Source = RegionVjp::Source;

static RegionVjp vjpCall(const Bind &bind, const std::vector<bool> &wanted) {
  std::vector<bool> all(wanted.size(), true);
  Linear linear = linearize(*bind.regions[0], wanted, all, 0);
  std::string name(CallAttrs::read(bind.attributes).name);
  RegionVjp plan;
  plan.forward = {OpCode::call, wordsOf(CallAttrs{name}), {linear.forward}};
  plan.differentiable = linear.dependent;
  name += " backward";
  plan.backward = {OpCode::call, wordsOf(CallAttrs{name}), {linear.backward}};
  for (uint32_t i = 0; i < linear.dependent.size(); ++i)
    if (linear.dependent[i])
      plan.backwardOperands.push_back({Source::Kind::cotangent, i});
  for (const Linear::Residual &residual : linear.residuals)
    plan.backwardOperands.push_back(
        {residual.isInput ? Source::Kind::operand : Source::Kind::result, static_cast<uint32_t>(residual.index)});
  plan.operandOf.assign(linear.cotangentOf.begin(), linear.cotangentOf.end());
  return plan;
}

//===----------------------------------------------------------------------===//
// cond
//===----------------------------------------------------------------------===//

namespace {
/// Places in the forward op's results where either branch leaves its residuals:
/// of one type, used by whichever branch runs.
struct Slots {
  std::vector<Type> types;
  /// By branch, by residual of its linearization: its slot (operands: unused).
  std::vector<size_t> places[2];

  void add(int branch, const Linear &linear) {
    std::vector<bool> taken(types.size());
    for (const Linear::Residual &residual : linear.residuals) {
      size_t slot = 0;
      if (!residual.isInput) {
        const Type &type = linear.forward->type(linear.forward->outputs()[residual.index]);
        while (slot < types.size() && (taken[slot] || types[slot] != type))
          ++slot;
        if (slot == types.size()) {
          types.push_back(type);
          taken.push_back(false);
        }
        taken[slot] = true;
      }
      places[branch].push_back(slot);
    }
  }
};
} // namespace

static RegionVjp vjpCond(const Bind &bind, const std::vector<bool> &wanted) {
  std::vector<bool> wantedInputs(wanted.begin() + 1, wanted.end()), all(wantedInputs.size(), true);
  size_t results = bind.types.size();
  Linear linear[2];
  Slots slots;
  RegionVjp plan;
  plan.differentiable.assign(results, false);
  std::vector<size_t> inputResiduals, reached;
  auto insert = [](std::vector<size_t> &set, size_t value) {
    if (auto place = std::lower_bound(set.begin(), set.end(), value); place == set.end() || *place != value)
      set.insert(place, value);
  };
  for (int b : {0, 1}) {
    linear[b] = linearize(*bind.regions[static_cast<size_t>(b)], wantedInputs, all, results);
    slots.add(b, linear[b]);
    for (size_t i = 0; i < results; ++i)
      plan.differentiable[i] = plan.differentiable[i] || linear[b].dependent[i];
    for (const Linear::Residual &residual : linear[b].residuals)
      if (residual.isInput)
        insert(inputResiduals, residual.index);
    for (size_t input : linear[b].cotangentOf)
      insert(reached, input);
  }

  // Operands of the backward branches: cotangents, operands, slots.
  std::vector<Type> inputTypes, backwardTypes;
  std::vector<size_t> cotangentPlace(results);
  for (const detail::Value *operand : bind.operands.subspan(1))
    inputTypes.push_back(typeOf(operand));
  plan.backwardOperands.push_back({Source::Kind::operand, 0});
  for (uint32_t i = 0; i < results; ++i)
    if (plan.differentiable[i]) {
      cotangentPlace[i] = backwardTypes.size();
      backwardTypes.push_back(bind.types[i]);
      plan.backwardOperands.push_back({Source::Kind::cotangent, i});
    }
  size_t firstInput = backwardTypes.size();
  for (size_t input : inputResiduals) {
    backwardTypes.push_back(inputTypes[input]);
    plan.backwardOperands.push_back({Source::Kind::operand, static_cast<uint32_t>(input + 1)});
  }
  size_t firstSlot = backwardTypes.size();
  for (size_t slot = 0; slot < slots.types.size(); ++slot) {
    backwardTypes.push_back(slots.types[slot]);
    plan.backwardOperands.push_back({Source::Kind::result, static_cast<uint32_t>(results + slot)});
  }

  plan.forward = {OpCode::cond, {}, {}};
  plan.backward = {OpCode::cond, {}, {}};
  DetachedLocations detached;
  for (int b : {0, 1}) {
    const Linear &branch = linear[b];
    const std::string &name = branch.forward->body().name;
    plan.forward.regions.push_back(
        recordFunction(name, inputTypes, [&](std::span<const Array> in) {
          std::vector<Array> out = evaluateTrace(*branch.forward, in), residuals(slots.types.size());
          for (size_t k = 0; k < branch.residuals.size(); ++k)
            if (!branch.residuals[k].isInput)
              residuals[slots.places[b][k]] = out[branch.residuals[k].index];
          LocationScope scope("grad(cond)", bind.at);
          out.resize(results);
          for (size_t slot = 0; slot < residuals.size(); ++slot)
            out.push_back(residuals[slot].has_value() ? residuals[slot] : filled(slots.types[slot], false));
          return out;
        }).trace);
    plan.backward.regions.push_back(
        recordFunction(name + " backward", backwardTypes, [&](std::span<const Array> in) {
          std::vector<Array> arguments, out(reached.size());
          for (size_t i = 0; i < results; ++i)
            if (branch.dependent[i])
              arguments.push_back(in[cotangentPlace[i]]);
          for (size_t k = 0; k < branch.residuals.size(); ++k) {
            size_t input = branch.residuals[k].index;
            size_t place =
                std::lower_bound(inputResiduals.begin(), inputResiduals.end(), input) - inputResiduals.begin();
            arguments.push_back(branch.residuals[k].isInput ? in[firstInput + place]
                                                            : in[firstSlot + slots.places[b][k]]);
          }
          std::vector<Array> cotangents = evaluateTrace(*branch.backward, arguments);
          LocationScope scope("grad(cond)", bind.at);
          for (size_t k = 0; k < cotangents.size(); ++k)
            out[std::lower_bound(reached.begin(), reached.end(), branch.cotangentOf[k]) - reached.begin()] =
                cotangents[k];
          for (size_t k = 0; k < out.size(); ++k)
            if (!out[k].has_value())
              out[k] = filled(inputTypes[reached[k]], false);
          return out;
        }).trace);
  }
  for (size_t input : reached)
    plan.operandOf.push_back(static_cast<int>(input + 1));
  return plan;
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

static RegionVjp vjpScan(const Bind &bind, const std::vector<bool> &wanted) {
  ScanAttrs attributes = ScanAttrs::read(bind.attributes);
  size_t consts = static_cast<size_t>(attributes.consts), carries = static_cast<size_t>(attributes.carries);
  size_t inputs = wanted.size();
  const Trace &body = *bind.regions[0];
  // A carry is differentiated if the one that comes in or goes out is.
  std::vector<bool> active = wanted, available(inputs, true);
  std::fill_n(available.begin() + static_cast<ptrdiff_t>(consts), carries, false);
  Linear linear;
  for (bool changed = true; changed;) {
    linear = linearize(body, active, available, carries);
    changed = false;
    for (size_t k = 0; k < carries; ++k)
      if (linear.dependent[k] && !active[consts + k])
        active[consts + k] = changed = true;
  }

  RegionVjp plan;
  plan.forward = {OpCode::scan, {bind.attributes.begin(), bind.attributes.end()}, {linear.forward}};
  plan.differentiable = linear.dependent;
  for (size_t k = 0; k < carries; ++k)
    plan.differentiable[k] = active[consts + k];

  // The backward body: constants; cotangents of carries and sums of those of
  // constants; slices of residuals and of cotangents of stacked results.
  std::vector<bool> reached(inputs);
  for (size_t input : linear.cotangentOf)
    reached[input] = true;
  std::vector<Type> types;
  std::vector<size_t> residualPlace(linear.residuals.size()), cotangentPlace(linear.dependent.size()), carryInputs,
      sums;
  auto add = [&](const Type &type, Source source) {
    types.push_back(type);
    plan.backwardOperands.push_back(std::move(source));
    return types.size() - 1;
  };
  auto residualType = [&](const Linear::Residual &residual) -> const Type & {
    return residual.isInput ? body.type(body.inputs()[residual.index])
                            : linear.forward->type(linear.forward->outputs()[residual.index]);
  };
  auto isConstant = [&](const Linear::Residual &residual) { return residual.isInput && residual.index < consts; };
  for (size_t k = 0; k < linear.residuals.size(); ++k)
    if (isConstant(linear.residuals[k]))
      residualPlace[k] = add(residualType(linear.residuals[k]),
                             {Source::Kind::operand, static_cast<uint32_t>(linear.residuals[k].index)});
  size_t backwardConsts = types.size();
  for (size_t k = 0; k < carries; ++k)
    if (active[consts + k]) {
      cotangentPlace[k] =
          add(body.type(body.inputs()[consts + k]), {Source::Kind::cotangent, static_cast<uint32_t>(k)});
      carryInputs.push_back(consts + k);
      plan.operandOf.push_back(static_cast<int>(consts + k));
    }
  size_t firstSum = types.size();
  for (size_t i = 0; i < consts; ++i)
    if (reached[i]) {
      const Type &type = body.type(body.inputs()[i]);
      add(type, {Source::Kind::zeros, 0, type});
      sums.push_back(i);
      plan.operandOf.push_back(static_cast<int>(i));
    }
  size_t backwardCarries = types.size() - backwardConsts;
  for (size_t k = 0; k < linear.residuals.size(); ++k)
    if (const Linear::Residual &residual = linear.residuals[k]; !isConstant(residual))
      residualPlace[k] = add(residualType(residual), {residual.isInput ? Source::Kind::operand : Source::Kind::result,
                                                      static_cast<uint32_t>(residual.index)});
  for (size_t i = carries; i < linear.dependent.size(); ++i)
    if (linear.dependent[i])
      cotangentPlace[i] = add(body.type(body.outputs()[i]), {Source::Kind::cotangent, static_cast<uint32_t>(i)});

  DetachedLocations detached;
  TraceRef backward =
      recordFunction(body.body().name + " backward", types, [&](std::span<const Array> in) {
        std::vector<Array> arguments, byInput(inputs), out;
        for (size_t i = 0; i < linear.dependent.size(); ++i)
          if (linear.dependent[i])
            arguments.push_back(in[cotangentPlace[i]]);
        for (size_t place : residualPlace)
          arguments.push_back(in[place]);
        std::vector<Array> cotangents = evaluateTrace(*linear.backward, arguments);
        LocationScope scope("grad(scan)", bind.at);
        for (size_t k = 0; k < cotangents.size(); ++k)
          byInput[linear.cotangentOf[k]] = cotangents[k];
        for (size_t input : carryInputs)
          out.push_back(byInput[input].has_value() ? byInput[input] : filled(body.type(body.inputs()[input]), false));
        for (size_t k = 0; k < sums.size(); ++k)
          out.push_back(tenon::add(in[firstSum + k], byInput[sums[k]]));
        for (size_t i = consts + carries; i < inputs; ++i)
          if (reached[i])
            out.push_back(byInput[i]);
        return out;
      }).trace;
  for (size_t i = consts + carries; i < inputs; ++i)
    if (reached[i])
      plan.operandOf.push_back(static_cast<int>(i));
  plan.backward = {OpCode::scan,
                   wordsOf(ScanAttrs{attributes.length, static_cast<int64_t>(backwardConsts),
                                     static_cast<int64_t>(backwardCarries), !attributes.reverse}),
                   {backward}};
  return plan;
}

//===----------------------------------------------------------------------===//

/// The record's sentence, if a result could depend on a wanted operand.
static RegionVjp vjpWhileLoop(const Bind &bind, const std::vector<bool> &wanted) {
  // What the condition alone reads decides the number of rounds only.
  auto first = wanted.begin() + WhileLoopAttrs::read(bind.attributes).cond_consts;
  if (std::find(first, wanted.end(), true) != wanted.end())
    throwOpError(opInfo(bind.op), bind.operands, opInfo(bind.op).noVjp, bind.at);
  RegionVjp plan;
  plan.differentiable.assign(bind.types.size(), false);
  return plan;
}

static RegionVjp makePlan(const Bind &bind, const std::vector<bool> &wanted) {
  switch (bind.op) {
  case OpCode::call:
    return vjpCall(bind, wanted);
  case OpCode::cond:
    return vjpCond(bind, wanted);
  case OpCode::scan:
    return vjpScan(bind, wanted);
  case OpCode::while_loop:
    return vjpWhileLoop(bind, wanted);
  default:
    throw InternalError(std::string(opInfo(bind.op).name) + ": expected an op with a derivative for its traces",
                        bind.at);
  }
}

std::shared_ptr<const RegionVjp> tenon::regionVjp(const Bind &bind, const std::vector<bool> &wanted) {
  PlanKey key{PlanKey::Use::vjp,
              bind.op,
              {bind.attributes.begin(), bind.attributes.end()},
              {bind.regions.begin(), bind.regions.end()},
              wanted,
              0};
  auto plan = std::static_pointer_cast<const RegionVjp>(findPlan(key));
  if (!plan) {
    plan = std::make_shared<const RegionVjp>(makePlan(bind, wanted));
    const RegionOp *ops[] = {&plan->forward, &plan->backward};
    keepPlan(std::move(key), plan, ops);
  }
  const std::vector<bool> &smooth = plan->differentiable;
  return std::find(smooth.begin(), smooth.end(), true) == smooth.end() ? nullptr : plan;
}
