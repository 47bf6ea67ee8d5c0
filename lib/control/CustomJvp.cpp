//===- CustomJvp.cpp - functions with a rule from tangents to tangents ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/RegionLayout.h"
#include "lib/base/CallSite.h"
#include "lib/control/BatchedTrace.h"
#include "lib/control/CustomRule.h"
#include "lib/control/Linearize.h"
#include "lib/control/RegionBody.h"
#include "lib/transform/RegionVjp.h"
#include "lib/transform/Ruled.h"
#include "lib/transform/Rules.h"

#include <tenon/rules.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;
using Source = RegionVjp::Source;

//===----------------------------------------------------------------------===//
// The door
//===----------------------------------------------------------------------===//

/// Records the rule: the arguments, then the tangents of those that have one, to the tangents of
/// the `results` that have one.
static Record::Result recordRule(const CustomJvp &rule, std::span<const TreeRef> operands, std::span<const Type> types,
                                 std::span<const Type> results, LeafNames names, Location at) {
  const std::string what(rule.name);
  std::vector<TreeRef> both(operands.begin(), operands.end());
  both.insert(both.end(), operands.begin(), operands.end());
  RegionBody body(rule.rule, both, at);
  NamedRecord record(what + " jvp", names, types.size());
  std::vector<Array> in, out, tangents;
  for (const Type &type : types)
    in.push_back(record.input(type, {}, at));
  for (const Type &type : types)
    in.push_back(isDifferentiable(type.dtype) ? record.input(type, {}, at) : Array());
  const ActiveInterpreter active(record);
  for (size_t i = 0; i < types.size(); ++i)
    if (Array &tangent = in[types.size() + i]; !tangent.has_value())
      tangent = filled({Dtype::f32, types[i].device, types[i].shape}, false);
  body.run(in, out);
  const size_t n = results.size();
  if (out.size() != 2 * n)
    throw Error(what + ": expected its rule to return as many arrays as the function, " + std::to_string(n) +
                    ", and as many tangents, got " + std::to_string(out.size()) + " in all",
                userLocation(at));
  const std::vector<std::string> paths = pathsOf(body.result.ref(), true);
  for (size_t i = 0; i < 2 * n; ++i) {
    const bool isTangent = i >= n;
    const Type &expected = results[i % n];
    if (isTangent && !isDifferentiable(expected.dtype))
      continue;
    if (isTangent && !out[i].has_value())
      out[i] = filled(expected, false);
    const std::string got = out[i].has_value() ? typeOf(out[i].value()).str() : "an empty Array";
    if (!out[i].has_value() || !sameType(typeOf(out[i].value()), expected))
      throw Error(what + ": expected its rule to return " + (isTangent ? "a tangent" : "a result") + " of type " +
                      expected.str() + " at " + paths[i] + ", got " + got,
                  userLocation(at));
    if (isTangent)
      tangents.push_back(out[i]);
  }
  return record.finish(tangents, at);
}

OwnedTree detail::run_custom_jvp(const CustomJvp &rule, std::span<const TreeRef> operands, CallSite site) {
  const Location at = callPlace(site.called, site.made);
  const std::string what(rule.name);
  const Arguments arguments(operands, true);
  const std::vector<Array> given = arguments.arrays();
  auto names = [&](size_t leaf) { return arguments.name(leaf); };
  const std::vector<Type> types = typesOf(what, given, names, at);
  RegionBody body(rule.function, operands, at);
  BodyStates states(given);
  Record::Result function = recordBody(what, body, types, names, at, &states);
  states.complete(std::span(&function, 1));
  std::vector<Type> results = function.trace->regionType().outputs;
  results.resize(states.results(0));
  const Record::Result moved = recordRule(rule, operands, types, results, names, at);

  std::vector<Array> captures;
  addCaptures(captures, function);
  addCaptures(captures, moved);
  std::vector<Type> both = types;
  for (const Type &tangent : differentiableOf(types))
    both.push_back(tangent);
  const TraceRef regions[] = {withCapturesInFront(function, types, captures),
                              withCapturesInFront(moved, both, captures)};
  states.read(captures, at);
  std::vector<Value *> values;
  appendValues(values, captures);
  appendValues(values, given);
  const LocationScope scope("", at);
  std::vector<Array> out =
      bindInferred(OpCode::custom_jvp, values,
                   wordsOf(CustomJvpAttrs{static_cast<int64_t>(captures.size()), static_cast<int64_t>(results.size())}),
                   regions, at);
  states.commit(out);
  return withArrays(std::move(body.result), out);
}

namespace tenon {

//===----------------------------------------------------------------------===//
// The derivative
//===----------------------------------------------------------------------===//

/// What the transpose of a rule keeps must not depend on tangents.
static void expectLinear(const Bind &bind, const Linear &linear, const std::vector<bool> &tangents) {
  const std::vector<bool> depends = dependents(*linear.forward, tangents, false);
  for (const Linear::Residual &residual : linear.residuals)
    if (!residual.isInput && depends[residual.index])
      throw Error((bind.regions[0]->body().name.empty() ? "custom_jvp" : bind.regions[0]->body().name) +
                      ": expected a rule that is linear in the tangents, got one that multiplies or selects by them, "
                      "which has no transpose for reverse mode",
                  userLocation(bind.at));
}

RegionVjp vjpCustomJvp(const Bind &bind, const std::vector<bool> &wanted) {
  const CustomJvpAttrs a = CustomJvpAttrs::read(bind.attributes);
  const size_t captures = static_cast<size_t>(a.captures), operands = bind.operands.size();
  const Trace &body = *bind.regions[0], &rule = *bind.regions[1];
  RegionVjp plan;
  plan.refused = refusedCaptures(bind, wanted, captures);
  plan.differentiable.assign(bind.types.size(), false);
  for (size_t i = 0; i < bind.types.size(); ++i)
    plan.differentiable[i] = isDifferentiable(bind.types[i].dtype) && !plan.refused.empty();

  // By input of the rule: the operand whose tangent it is.
  std::vector<size_t> operandOf(operands);
  std::vector<bool> isWanted(operands), available(operands, true), isTangent(operands);
  for (size_t i = captures; i < operands; ++i)
    if (isDifferentiable(bind.operands[i]->dtype())) {
      operandOf.push_back(i);
      isWanted.push_back(wanted[i]);
      available.push_back(false);
      isTangent.push_back(true);
    }
  const Linear linear = linearize(rule, isWanted, available, rule.outputs().size());
  linear.expectDerivatives();
  expectLinear(bind, linear, isTangent);

  // The function's results, then what the transpose keeps, for tangents of zero.
  std::vector<Type> types;
  for (const detail::Value *operand : bind.operands)
    types.push_back(typeOf(operand));
  DetachedLocations detached;
  const TraceRef forward = recordFunction(body.body().name, types, [&](std::span<const Array> in) {
                             std::vector<Array> out = evaluateTrace(body, in), all(in.begin(), in.end());
                             const LocationScope scope("grad(custom_jvp)", bind.at);
                             for (size_t i = operands; i < operandOf.size(); ++i)
                               all.push_back(filled(types[operandOf[i]], false));
                             const std::vector<Array> kept = evaluateTrace(*linear.forward, all);
                             for (const Linear::Residual &residual : linear.residuals)
                               if (!residual.isInput)
                                 out.push_back(kept[residual.index]);
                             return out;
                           }).trace;
  plan.forward = {bind.op, {bind.attributes.begin(), bind.attributes.end()}, {forward, bind.regions[1]}};
  plan.backward = ruleOp(body, ".transpose", linear.backward);
  for (size_t i = 0, next = 0; i < bind.types.size(); ++i)
    if (isDifferentiable(bind.types[i].dtype) && linear.dependent[next++]) {
      plan.differentiable[i] = true;
      plan.backwardOperands.push_back({Source::Kind::cotangent, static_cast<uint32_t>(i)});
    }
  size_t place = bind.types.size();
  for (const Linear::Residual &residual : linear.residuals)
    plan.backwardOperands.push_back({residual.isInput ? Source::Kind::operand : Source::Kind::result,
                                     static_cast<uint32_t>(residual.isInput ? residual.index : place++)});
  for (const size_t input : linear.cotangentOf)
    plan.operandOf.push_back(static_cast<int>(operandOf[input]));
  return plan;
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

RegionBatch batchCustomJvp(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  const CustomJvpAttrs a = CustomJvpAttrs::read(bind.attributes);
  // All ruled results, so that their tangents may differ where they do not.
  std::vector<bool> forced(bind.types.size());
  std::fill_n(forced.begin(), a.ruled, true);
  const BatchedTrace body = batchTrace(*bind.regions[0], batched, size, bind.at, forced);
  std::vector<bool> inputs = batched;
  for (size_t i = static_cast<size_t>(a.captures); i < batched.size(); ++i)
    if (isDifferentiable(bind.operands[i]->dtype()))
      inputs.push_back(batched[i]);
  const BatchedTrace rule =
      batchTrace(*bind.regions[1], inputs, size, bind.at, std::vector<bool>(bind.regions[1]->outputs().size(), true));
  return {{bind.op, {bind.attributes.begin(), bind.attributes.end()}, {body.trace, rule.trace}},
          frontAxes(batched),
          frontAxes(body.outputs)};
}

} // namespace tenon
