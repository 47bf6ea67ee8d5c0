//===- Ruled.cpp - functions with derivative rules of their own ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Ruled.h"

#include "dialect/model/Composite.h"
#include "lib/transform/RegionFlow.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

size_t tenon::ruledResults(const Bind &bind) {
  if (bind.op == OpCode::custom_vjp)
    return static_cast<size_t>(CustomVjpAttrs::read(bind.attributes).ruled);
  if (bind.op == OpCode::custom_jvp)
    return static_cast<size_t>(CustomJvpAttrs::read(bind.attributes).ruled);
  return bind.types.size();
}

void tenon::bindApart(const Bind &bind, std::span<Array> results) {
  const size_t ruled = ruledResults(bind);
  // What runs where the op is differentiated.
  const Trace &body = *bind.regions[bind.op == OpCode::custom_vjp ? 1 : 0];
  std::vector<TraceRef> regions(bind.regions.begin(), bind.regions.end());
  regions[0] = selectOutputs(*bind.regions[0], 0, ruled);
  Bind first = bind;
  first.regions = regions;
  first.types = bind.types.first(ruled);
  if (ruled)
    tenon::bind(first, results.first(ruled));
  std::vector<Array> operands;
  for (Value *operand : bind.operands)
    operands.push_back(Array::share(operand));
  const TraceRef rest = withoutEffects(*selectOutputs(body, ruled, bind.types.size()));
  std::vector<Array> others = evaluateTrace(*rest, operands);
  std::ranges::move(others, results.begin() + static_cast<ptrdiff_t>(ruled));
}

TraceRef tenon::selectOutputs(const Trace &trace, size_t begin, size_t end) {
  TraceBody body = trace.body();
  body.outputs.assign(trace.outputs().begin() + static_cast<ptrdiff_t>(begin),
                      trace.outputs().begin() + static_cast<ptrdiff_t>(end));
  return Trace::make(std::move(body));
}

namespace {
/// What depends on marked operands.
struct Dependence {
  using State = bool;
  bool smoothly;
  bool merged(bool a, bool b) const { return a || b; }
  std::vector<bool> through(const Trace &region, const std::vector<bool> &inputs) const {
    return dependents(region, inputs, smoothly);
  }
  /// What chooses or counts reaches all, but not smoothly.
  std::optional<bool> chosenBy(bool marked) const { return marked && !smoothly ? std::optional(true) : std::nullopt; }
};
} // namespace

/// By result of an op with regions, of whose operands those marked are looked for.
static std::vector<bool> regionDependents(const OpInfo &info, const Trace &trace, const TraceOp &op,
                                          const std::vector<bool> &operands, bool smoothly) {
  // A rule leads where the function may not do so smoothly.
  if (smoothly && op.code == OpCode::custom_vjp)
    for (const int64_t operand : CustomVjpAttrs::read(trace.attributes(op)).cotangents)
      if (operands[static_cast<size_t>(operand)])
        return std::vector<bool>(op.results, true);
  if (smoothly && op.code == OpCode::custom_jvp)
    for (size_t i = static_cast<size_t>(CustomJvpAttrs::read(trace.attributes(op)).captures); i < operands.size(); ++i)
      if (operands[i])
        return std::vector<bool>(op.results, true);
  return RegionFlow(info, trace, op, operands, Dependence{smoothly}).results();
}

std::vector<bool> tenon::dependents(const Trace &trace, const std::vector<bool> &inputs, bool smoothly) {
  std::vector<bool> depends(trace.body().types.size()), outputs;
  std::copy(inputs.begin(), inputs.end(), depends.begin()); // inputs are numbered first
  for (const TraceOp &op : trace.ops()) {
    const OpInfo &info = opInfo(op.code);
    std::vector<bool> operands;
    for (const ValueId operand : trace.operands(op))
      operands.push_back(depends[operand]);
    if ((smoothly && info.zeroVjp) || std::find(operands.begin(), operands.end(), true) == operands.end())
      continue;
    std::vector<bool> results(op.results, true);
    if (info.hasRegions())
      results = regionDependents(info, trace, op, operands, smoothly);
    for (uint32_t r = 0; r < op.results; ++r)
      depends[op.firstResult + r] = results[r] && (!smoothly || isDifferentiable(trace.type(op.firstResult + r).dtype));
  }
  for (const ValueId output : trace.outputs())
    outputs.push_back(depends[output]);
  return outputs;
}

RegionOp tenon::ruleOp(const Trace &body, const char *suffix, TraceRef rule) {
  std::string name = "user." + body.body().name + suffix;
  if (!checkCompositeName(name).empty()) // of IR that was written by hand
    name = std::string("user") + suffix;
  return {OpCode::composite, wordsOf(CompositeAttrs{name, {}}), {std::move(rule)}};
}

std::string tenon::capturedSentence(const Bind &bind, size_t operand) {
  const std::string &name = bind.regions[0]->body().name;
  return (name.empty() ? std::string(opInfo(bind.op).name) : name) +
         ": expected no captured array to be differentiated, since the rule returns no derivatives of captures, got " +
         shown(bind.operands[operand]) + "; pass it as an argument, or apply stop_gradient to it";
}
