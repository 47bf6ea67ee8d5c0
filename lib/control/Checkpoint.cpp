//===- Checkpoint.cpp - functions that are computed again for their derivative -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/CallSite.h"
#include "lib/control/BatchedTrace.h"
#include "lib/control/Linearize.h"
#include "lib/control/RegionBody.h"
#include "lib/ops/Door.h"
#include "lib/transform/RegionVjp.h"
#include "lib/transform/Ruled.h"
#include "lib/transform/Rules.h"

#include <tenon/rules.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;
using Source = RegionVjp::Source;

//===----------------------------------------------------------------------===//
// The doors
//===----------------------------------------------------------------------===//

std::string detail::kept_names(const std::vector<std::string> &names, Location at) {
  std::string all;
  for (const std::string &name : names)
    all += (all.empty() ? "" : ",") + rule_name("checkpoint", name, at);
  return all;
}

OwnedTree detail::run_checkpoint(const Checkpointed &form, std::span<const TreeRef> operands, CallSite site) {
  const Location at = callPlace(site.called, site.made);
  const std::string what(form.name);
  const Arguments arguments(operands, true);
  const std::vector<Array> given = arguments.arrays();
  auto names = [&](size_t leaf) { return arguments.name(leaf); };
  const std::vector<Type> types = typesOf(what, given, names, at);
  RegionBody body(form.function, operands, at);
  return bindBody(OpCode::checkpoint, wordsOf(CheckpointAttrs{form.dots, form.names}), what, body, given, types, names,
                  at);
}

Array tenon::checkpoint_name(const Operand &x, std::string_view name) {
  const std::string checked = rule_name("checkpoint_name", name, x.location());
  const Array array = toArray(x, OpCode::checkpoint_name);
  return apply(OpCode::checkpoint_name, {array.value()}, Words(CheckpointNameAttrs{checked}), x.location());
}

namespace tenon {

//===----------------------------------------------------------------------===//
// The derivative
//===----------------------------------------------------------------------===//

/// Whether `name` is one of those in `names`, which commas separate.
static bool isAmong(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    if (names.substr(0, end) == name)
      return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

/// The values of a trace that are to be kept, each once. What has a name is a view of one.
static std::vector<ValueId> keptValues(const Trace &trace, const CheckpointAttrs &policy) {
  std::vector<ValueId> kept;
  for (const TraceOp &op : trace.ops()) {
    const OpInfo &info = opInfo(op.code);
    ValueId value = op.firstResult;
    // What is linear in each of several operands, and no product of elements.
    bool isKept = policy.dots && info.linearIn.size() > 1 && !info.isElementwise;
    if (op.code == OpCode::checkpoint_name) {
      value = trace.operands(op)[0];
      isKept = value >= trace.inputs().size() && // inputs are numbered first
               isAmong(policy.names, CheckpointNameAttrs::read(trace.attributes(op)).name);
    }
    const bool callsHost =
        op.code == OpCode::host_call ||
        std::ranges::any_of(trace.regions(op), [](const TraceRef &region) { return region->callsHost(); });
    if (callsHost) // which is not done again
      for (uint32_t r = 0; r < op.results; ++r)
        kept.push_back(op.firstResult + r);
    if (isKept && std::ranges::find(kept, value) == kept.end())
      kept.push_back(value);
  }
  return kept;
}

/// The outputs of the trace from `first` on, with values that are there as its last inputs. It
/// prints nothing: the trace has done so.
static TraceRef withGiven(const Trace &trace, size_t first, std::span<const ValueId> given) {
  TraceBody body = trace.body();
  body.outputs.erase(body.outputs.begin(), body.outputs.begin() + static_cast<ptrdiff_t>(first));
  for (const ValueId value : given) {
    const ValueId input = static_cast<ValueId>(body.types.size());
    body.types.push_back(trace.type(value));
    body.inputs.push_back(input);
    std::ranges::replace(body.operands, value, input);
    std::ranges::replace(body.outputs, value, input);
  }
  return withoutEffects(*Trace::make(std::move(body)));
}

RegionVjp vjpCheckpoint(const Bind &bind, const std::vector<bool> &wanted) {
  const Trace &body = *bind.regions[0];
  const size_t operands = wanted.size(), results = bind.types.size();
  const Linear linear = linearize(body, wanted, std::vector<bool>(operands, true), results);
  std::vector<ValueId> kept = keptValues(*linear.forward, CheckpointAttrs::read(bind.attributes));
  TraceRef again = withGiven(*linear.forward, results, kept);
  const std::vector<bool> used = usedInputs(*again);
  for (size_t k = kept.size(); k-- > 0;)
    if (!used[operands + k])
      kept.erase(kept.begin() + static_cast<ptrdiff_t>(k));
  again = withGiven(*linear.forward, results, kept);

  RegionVjp plan;
  plan.differentiable = linear.dependent;
  plan.refusals = linear.refusals;
  TraceBody forward = linear.forward->body();
  forward.outputs.resize(results);
  forward.outputs.insert(forward.outputs.end(), kept.begin(), kept.end());
  plan.forward = {bind.op, {bind.attributes.begin(), bind.attributes.end()}, {Trace::make(std::move(forward))}};

  // Cotangents, the operands that are needed, what was kept. All of it stands behind one barrier, so that what is
  // computed again is not found to be there already, and is not computed before the cotangents are.
  std::vector<Type> types;
  std::vector<bool> isNeeded = neededInputs(*again);
  for (const Linear::Residual &residual : linear.residuals)
    if (residual.isInput)
      isNeeded[residual.index] = true;
  for (uint32_t i = 0; i < results; ++i)
    if (linear.dependent[i]) {
      types.push_back(bind.types[i]);
      plan.backwardOperands.push_back({Source::Kind::cotangent, i});
    }
  const size_t cotangents = types.size();
  for (uint32_t i = 0; i < operands + kept.size(); ++i)
    if (isNeeded[i]) {
      types.push_back(again->type(again->inputs()[i]));
      plan.backwardOperands.push_back(
          i < operands ? Source{Source::Kind::operand, i}
                       : Source{Source::Kind::result, static_cast<uint32_t>(results + i - operands)});
    }
  DetachedLocations detached;
  const TraceRef backward =
      recordFunction(body.body().name + " backward", types, [&](std::span<const Array> in) {
        const LocationScope scope("grad(checkpoint)", bind.at);
        const std::vector<Array> behind = optimization_barrier(std::vector<Array>(in.begin(), in.end()), {});
        std::vector<Array> inputs(isNeeded.size()), arguments;
        for (size_t i = 0, next = cotangents; i < inputs.size(); ++i)
          inputs[i] = isNeeded[i] ? behind[next++] : filled(again->type(again->inputs()[i]), false);
        const std::vector<Array> residuals = evaluateTrace(*again, inputs);
        arguments.assign(behind.begin(), behind.begin() + static_cast<ptrdiff_t>(cotangents));
        for (const Linear::Residual &residual : linear.residuals)
          arguments.push_back(residual.isInput ? inputs[residual.index] : residuals[residual.index - results]);
        return evaluateTrace(*linear.backward, arguments);
      }).trace;
  plan.backward = ruleOp(body, ".backward", backward);
  plan.operandOf.assign(linear.cotangentOf.begin(), linear.cotangentOf.end());
  return plan;
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

RegionBatch batchCheckpoint(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  BatchedTrace body = batchTrace(*bind.regions[0], batched, size, bind.at);
  return {{bind.op, {bind.attributes.begin(), bind.attributes.end()}, {body.trace}},
          frontAxes(batched),
          frontAxes(body.outputs)};
}

} // namespace tenon
