//===- Branches.cpp - ops that run one of several bodies ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/Branches.h"

#include "lib/control/BatchedTrace.h"
#include "lib/control/Linearize.h"
#include "lib/control/SafeOperands.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;
using Source = RegionVjp::Source;

//===----------------------------------------------------------------------===//
// The door
//===----------------------------------------------------------------------===//

Choice::Choice(OpCode op, Array selector, bool isNumber, std::span<const TreeFunction> functions,
               std::span<const TreeRef> operands, Location at)
    : op(op), selector(std::move(selector)), isNumber(isNumber), operands(operands) {
  for (const TreeFunction &function : functions)
    branches.emplace_back(function, operands, at);
}

/// The path of array number `array` in trees one after another: `[1].w`.
static std::string pathAmong(std::span<const TreeRef> trees, size_t array) {
  for (size_t i = 0; i < trees.size(); ++i) {
    std::vector<std::string> paths = pathsOf(trees[i], true);
    if (array < paths.size()) {
      const std::string &path = paths[array];
      return "[" + std::to_string(i) + "]" + (path.empty() || path[0] == '[' ? "" : ".") + path;
    }
    array -= paths.size();
  }
  return {};
}

/// Branch number `branch` returns what the first one does.
static void expectLikeFirst(const Choice &choice, std::span<const Record::Result> recorded, const BodyStates &states,
                            size_t branch, Location at) {
  const std::string what = opInfo(choice.op).name;
  auto typesOf = [&](size_t number) {
    std::vector<Type> types = recorded[number].trace->regionType().outputs;
    types.resize(states.results(number));
    return types;
  };
  const std::vector<Type> one = typesOf(0), other = typesOf(branch);
  for (size_t i = 0; i < one.size() && i < other.size(); ++i)
    if (!sameType(one[i], other[i]))
      throw Error(what + ": expected branches whose results have the same types, got " + one[i].str() + " from " +
                      choice.names[0] + " and " + other[i].str() + " from " + choice.names[branch] + " for " +
                      named("the result", pathsOf(choice.branches[0].result.ref(), true)[i]),
                  userLocation(at));
  if (one.size() != other.size())
    throw Error(what + ": expected branches with as many arrays in their results, got " + std::to_string(one.size()) +
                    " from " + choice.names[0] + " and " + std::to_string(other.size()) + " from " +
                    choice.names[branch],
                userLocation(at));
}

static std::vector<Array> bindChoice(Choice &choice, std::span<const Array> operands,
                                     std::span<const Type> operandTypes, LeafNames leaves, Location at) {
  const std::string what = opInfo(choice.op).name;
  std::vector<Record::Result> recorded;
  BodyStates states(operands);
  for (size_t b = 0; b < choice.branches.size(); ++b) {
    RegionBody &branch = choice.branches[b];
    if (b > 0)
      branch.like = {what + ": the results of " + choice.names[0] + " and " + choice.names[b],
                     choice.branches[0].result.ref()};
    recorded.push_back(recordBody(what + " " + choice.names[b], branch, operandTypes, leaves, at, &states));
    expectLikeFirst(choice, recorded, states, b, at);
  }
  states.complete(recorded);

  // All take the operands, then what any captures, each array once.
  std::vector<Type> types(operandTypes.begin(), operandTypes.end());
  std::vector<Array> captures;
  std::vector<std::vector<size_t>> places;
  for (const Record::Result &branch : recorded) {
    std::vector<size_t> &its = places.emplace_back();
    for (size_t i = 0; i < operands.size(); ++i)
      its.push_back(i);
    for (const Array &capture : branch.captures) {
      size_t k = 0;
      while (k < captures.size() && captures[k].value() != capture.value())
        ++k;
      if (k == captures.size()) {
        captures.push_back(capture);
        types.push_back(typeOf(capture.value()));
      }
      its.push_back(operands.size() + k);
    }
  }
  if (choice.isNumber && !types.empty())
    choice.selector = to_device(choice.selector, types[0].device, at);
  states.read(captures, at);
  std::vector<Value *> values{choice.selector.value()};
  appendValues(values, operands);
  appendValues(values, captures);
  std::vector<TraceRef> regions;
  for (size_t b = 0; b < recorded.size(); ++b)
    regions.push_back(arrangeInputs(*recorded[b].trace, types, places[b]));
  std::vector<Array> results = bindInferred(choice.op, values, {}, regions, at);
  states.commit(results);
  return results;
}

OwnedTree tenon::runChoice(Choice &choice, std::optional<size_t> known, Location at) {
  const std::string what = opInfo(choice.op).name;
  std::vector<Array> operands = Arguments(choice.operands, true).arrays(), results;
  auto leaves = [&](size_t leaf) { return "operand " + pathAmong(choice.operands, leaf); };
  std::vector<Type> types = typesOf(what, operands, leaves, at);
  RegionBody &shown = choice.branches[known.value_or(0)];
  results = known ? runHere(what, shown, operands, types, at) : bindChoice(choice, operands, types, leaves, at);
  return withArrays(std::move(shown.result), results);
}

//===----------------------------------------------------------------------===//
// The derivative
//===----------------------------------------------------------------------===//

namespace {
/// Places in the forward op's results where the branches leave their residuals: of
/// one type, used by whichever branch runs.
struct Slots {
  std::vector<Type> types;
  /// By branch, by residual of its linearization: its slot (operands: unused).
  std::vector<std::vector<size_t>> places;

  void add(const Linear &linear) {
    std::vector<size_t> &its = places.emplace_back();
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
      its.push_back(slot);
    }
  }
};
} // namespace

RegionVjp tenon::vjpBranches(const Bind &bind, const std::vector<bool> &wanted) {
  std::vector<bool> wantedInputs(wanted.begin() + 1, wanted.end()), all(wantedInputs.size(), true);
  size_t results = bind.types.size();
  std::vector<Linear> linear;
  Slots slots;
  RegionVjp plan;
  plan.differentiable.assign(results, false);
  std::vector<size_t> inputResiduals, reached;
  auto insert = [](std::vector<size_t> &set, size_t value) {
    if (auto place = std::lower_bound(set.begin(), set.end(), value); place == set.end() || *place != value)
      set.insert(place, value);
  };
  for (size_t b = 0; b < bind.regions.size(); ++b) {
    linear.push_back(linearize(*bind.regions[b], wantedInputs, all, results));
    linear.back().expectDerivatives();
    slots.add(linear[b]);
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

  plan.forward = plan.backward = {bind.op, {bind.attributes.begin(), bind.attributes.end()}, {}};
  const std::string frame = "grad(" + std::string(opInfo(bind.op).name) + ")";
  DetachedLocations detached;
  for (size_t b = 0; b < linear.size(); ++b) {
    const Linear &branch = linear[b];
    const std::string &name = branch.forward->body().name;
    plan.forward.regions.push_back(
        recordFunction(name, inputTypes, [&](std::span<const Array> in) {
          std::vector<Array> out = evaluateTrace(*branch.forward, in), residuals(slots.types.size());
          for (size_t k = 0; k < branch.residuals.size(); ++k)
            if (!branch.residuals[k].isInput)
              residuals[slots.places[b][k]] = out[branch.residuals[k].index];
          LocationScope scope(frame.c_str(), bind.at);
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
          LocationScope scope(frame.c_str(), bind.at);
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
// Batching
//===----------------------------------------------------------------------===//

/// One branch for the batch elements that choose it; what the others get is not used. `inputs`: the operands.
static std::vector<Array> runBranch(const Bind &bind, const BatchedTrace &branch, const SafeOperands &safe,
                                    const Array &chosen, std::span<const Array> inputs) {
  if (!safe.needsChoice())
    return evaluateTrace(*branch.trace, safe(chosen, inputs));
  std::vector<Type> types{typeOf(chosen.value())};
  const Array runs = any(chosen);
  std::vector<Value *> operands{runs.value(), chosen.value()};
  for (const Array &input : inputs)
    types.push_back(typeOf(input.value()));
  appendValues(operands, inputs);
  const std::string &name = branch.trace->body().name;
  const TraceRef branches[] = {recordFunction(name, types,
                                              [&](std::span<const Array> in) {
                                                return evaluateTrace(*branch.trace, safe(in[0], in.subspan(1)));
                                              })
                                   .trace,
                               recordFunction(name, types, [&](std::span<const Array>) {
                                 std::vector<Array> unused;
                                 for (const Type &type : branch.trace->regionType().outputs)
                                   unused.push_back(filled(type, false));
                                 return unused;
                               }).trace};
  return bindInferred(OpCode::cond, operands, {}, branches, bind.at);
}

/// All branches for all batch elements, then a select.
static RegionBatch batchAllBranches(const Bind &bind, const std::vector<bool> &batched, Dim size, IsChosen isChosen) {
  const OpInfo &info = opInfo(bind.op);
  const std::string name = info.name;
  for (const TraceRef &branch : bind.regions)
    if (branch->hasEffect())
      throwOpError(info, bind.operands.first(1),
                   name + ": under vmap the " + info.operands[0] + " differs between batch elements, so " +
                       (bind.regions.size() == 2 ? "both" : "all") +
                       " branches run, but one of them has a side effect; move it out of " + name,
                   bind.at);
  std::vector<Type> types;
  for (size_t i = 0; i < batched.size(); ++i) {
    types.push_back(typeOf(bind.operands[i]));
    if (batched[i])
      types.back().shape.insert(0, size, {});
  }
  const std::vector<bool> inputs(batched.begin() + 1, batched.end()), outputs(bind.types.size(), true);
  DetachedLocations detached;
  const TraceRef call = recordFunction(name, types, [&](std::span<const Array> in) {
                          std::vector<Array> results;
                          for (size_t b = bind.regions.size(); b-- > 0;) {
                            const BatchedTrace branch = batchTrace(*bind.regions[b], inputs, size, bind.at, outputs);
                            const SafeOperands safe(*bind.regions[b], inputs, true);
                            const LocationScope scope(info.name, bind.at);
                            const Array chosen = isChosen(in[0], b, bind.regions.size());
                            std::vector<Array> given = runBranch(bind, branch, safe, chosen, in.subspan(1));
                            for (size_t i = 0; i < results.size(); ++i)
                              given[i] = selectElements(chosen, given[i], results[i]);
                            results = std::move(given);
                          }
                          return results;
                        }).trace;
  return {{OpCode::call, {}, {call}}, frontAxes(batched), frontAxes(outputs)};
}

RegionBatch tenon::batchBranches(const Bind &bind, const std::vector<bool> &batched, Dim size, IsChosen isChosen) {
  if (batched[0])
    return batchAllBranches(bind, batched, size, isChosen);
  std::vector<bool> inputs(batched.begin() + 1, batched.end()), outputs;
  std::vector<BatchedTrace> branches(bind.regions.size());
  // What is batched in one branch is in all of them.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < branches.size(); ++b) {
      if (branches[b].trace && branches[b].outputs == outputs)
        continue;
      branches[b] = batchTrace(*bind.regions[b], inputs, size, bind.at, outputs);
      changed = true;
      outputs = branches[b].outputs;
    }
  }
  RegionBatch plan{
      {bind.op, {bind.attributes.begin(), bind.attributes.end()}, {}}, frontAxes(batched), frontAxes(outputs)};
  for (BatchedTrace &branch : branches)
    plan.op.regions.push_back(std::move(branch.trace));
  return plan;
}
