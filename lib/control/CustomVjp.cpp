//===- CustomVjp.cpp - functions with a rule from cotangents to cotangents -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Composite.h"
#include "lib/base/CallSite.h"
#include "lib/control/BatchedTrace.h"
#include "lib/control/CustomRule.h"
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

bool detail::rules_are_asked() { return !onlyBatches(); }

namespace {
/// What the user's rule has given.
struct Cotangents {
  std::vector<Array> arrays;
  /// By array: the leaf of the arguments whose cotangent it is.
  std::vector<size_t> leaves;
};

/// The user's function and rule, on their way to regions.
class CustomRecording {
public:
  CustomRecording(const CustomVjp &rule, std::span<const TreeRef> operands, Location at)
      : rule_(rule), operands_(operands), arguments_(operands, true), given_(arguments_.arrays()), name_(rule.name),
        at_(at) {}

  OwnedTree bind() {
    auto names = [&](size_t leaf) { return arguments_.name(leaf); };
    types_ = typesOf(name_, given_, names, at_);
    RegionBody forward(rule_.forward, operands_, at_);
    Record::Result backward;
    // The function that keeps what the rule closes over, and the plain one where there is another.
    std::vector<Record::Result> bodies;
    bodies.push_back(recordForward(forward, names, backward));
    RegionBody plain(rule_.plain ? *rule_.plain : rule_.forward, operands_, at_);
    if (rule_.plain)
      bodies.push_back(recordPlain(plain, forward, names));
    states_.complete(bodies);

    std::vector<Array> captures;
    for (const Record::Result &body : bodies)
      addCaptures(captures, body);
    const size_t results = results_.size() + states_.assigned();
    std::vector<TraceRef> regions(3);
    regions[1] = withCapturesInFront(bodies.front(), types_, captures);
    regions[0] =
        rule_.plain ? withCapturesInFront(bodies.back(), types_, captures) : selectOutputs(*regions[1], 0, results);
    regions[2] = withStates(*backward.trace, *regions[1]);
    std::vector<int64_t> cotangents;
    for (const size_t leaf : cotangents_.leaves)
      cotangents.push_back(static_cast<int64_t>(captures.size() + leaf));
    states_.read(captures, at_);
    std::vector<Value *> values;
    appendValues(values, captures);
    appendValues(values, given_);
    const LocationScope scope("", at_);
    std::vector<Array> out = bindInferred(
        OpCode::custom_vjp, values,
        wordsOf(CustomVjpAttrs{static_cast<int64_t>(captures.size()), static_cast<int64_t>(results_.size()),
                               static_cast<int64_t>(states_.assigned() + backward.captures.size()), cotangents}),
        regions, at_);
    states_.commit(out);
    return withArrays(std::move(forward.result), out);
  }

private:
  /// The results, then what the rule closes over. `backward` takes that, then the cotangents.
  Record::Result recordForward(RegionBody &body, LeafNames names, Record::Result &backward) {
    NamedRecord record(name_, names, types_.size());
    std::vector<Array> in, out;
    for (const Type &type : types_)
      in.push_back(record.input(type, {}, at_));
    BodyStates::Scope states(states_, record);
    const ActiveInterpreter active(record);
    body.run(in, out);
    for (const Array &result : out) {
      if (!result.has_value())
        throw Error(name_ + ": expected an array as result, got an empty Array", userLocation(at_));
      results_.push_back(typeOf(result.value()));
    }
    backward = recordBackward(body);
    states.addAssigned(out);
    out.insert(out.end(), backward.captures.begin(), backward.captures.end());
    return record.finish(out, at_);
  }

  Record::Result recordBackward(RegionBody &body) {
    Record record(name_ + " backward");
    std::vector<Array> in, cotangents;
    for (const Type &type : results_)
      if (isDifferentiable(type.dtype))
        in.push_back(record.input(type, {}, at_));
    const ActiveInterpreter active(record);
    for (size_t i = 0, next = 0; i < results_.size(); ++i)
      cotangents.push_back(isDifferentiable(results_[i].dtype)
                               ? in[next++]
                               : filled({Dtype::f32, results_[i].device, results_[i].shape}, false));
    const TreeRef like = body.result.ref();
    OwnedTree tree = withArrays(OwnedTree(like.ops->copy(like.tree, at_), like.ops), cotangents);
    void *const argument = tree.get();
    const OwnedTree returned = rule_.backward(at_, &argument);
    readCotangents(returned.ref());
    Record::Result recorded = record.finish(cotangents_.arrays, at_);
    dropUnused(recorded, in.size());
    return recorded;
  }

  /// The rule with what `forward` assigns as its first operands, which it does not read: a result without a cotangent
  /// is one that is kept.
  TraceRef withStates(const Trace &rule, const Trace &forward) const {
    const std::span<const ValueId> outputs = forward.outputs();
    std::vector<Type> types;
    for (size_t i = 0; i < states_.assigned(); ++i)
      types.push_back(forward.type(outputs[results_.size() + i]));
    std::vector<size_t> places;
    for (const ValueId input : rule.inputs()) {
      places.push_back(types.size());
      types.push_back(rule.type(input));
    }
    return arrangeInputs(rule, types, places);
  }

  /// Residuals before the cotangents, and none that nothing reads.
  static void dropUnused(Record::Result &recorded, size_t cotangents) {
    const std::vector<bool> used = usedInputs(*recorded.trace);
    TraceBody body = recorded.trace->body();
    const std::vector<ValueId> inputs = std::exchange(body.inputs, {});
    std::vector<Array> kept;
    for (size_t i = 0; i < recorded.captures.size(); ++i)
      if (used[cotangents + i]) {
        body.inputs.push_back(inputs[cotangents + i]);
        kept.push_back(recorded.captures[i]);
      }
    body.inputs.insert(body.inputs.end(), inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(cotangents));
    recorded = {Trace::make(std::move(body)), std::move(kept)};
  }

  /// One element for each argument, a tree like it, or none.
  void readCotangents(const TreeRef &returned) {
    std::vector<TreeRef> elements;
    returned.ops->elements(returned.tree, elements);
    size_t leaf = 0;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const size_t count = handlesOf(operands_[i], true).size();
      if (!rule_.isNone[i]) {
        const std::vector<Array *> arrays = handlesOf(elements[i], true);
        if (arrays.size() != count)
          throw Error(name_ + ": expected its rule to return as many cotangents as there are arrays in arg " +
                          std::to_string(i) + ", " + std::to_string(count) + ", got " + std::to_string(arrays.size()),
                      userLocation(at_));
        for (size_t k = 0; k < count; ++k)
          readCotangent(leaf + k, *arrays[k]);
      }
      leaf += count;
    }
  }

  /// An empty Array is none; so is that of an array without a derivative.
  void readCotangent(size_t leaf, const Array &cotangent) {
    if (!cotangent.has_value() || !isDifferentiable(types_[leaf].dtype))
      return;
    if (const Type got = typeOf(cotangent.value()); !sameType(got, types_[leaf]))
      throw Error(name_ + ": expected its rule to return a cotangent of type " + types_[leaf].str() + " for " +
                      arguments_.name(leaf) + ", got " + got.str(),
                  userLocation(at_));
    cotangents_.arrays.push_back(cotangent);
    cotangents_.leaves.push_back(leaf);
  }

  /// The function by itself; it returns what forward does.
  Record::Result recordPlain(RegionBody &body, const RegionBody &forward, LeafNames names) {
    body.like = {name_ + ": the results of the function and of its forward", forward.result.ref()};
    const Record::Result recorded = recordBody(name_, body, types_, names, at_, &states_);
    std::vector<Type> got = recorded.trace->regionType().outputs;
    got.resize(states_.results(1));
    for (size_t i = 0; i < std::max(got.size(), results_.size()); ++i)
      if (i >= got.size() || i >= results_.size() || !sameType(got[i], results_[i]))
        throw Error(name_ + ": expected forward to return the function's results, got " +
                        (i < results_.size() ? results_[i].str() : "nothing") + " for " +
                        (i < got.size() ? got[i].str() : "nothing"),
                    userLocation(at_));
    return recorded;
  }

  const CustomVjp &rule_;
  std::span<const TreeRef> operands_;
  const Arguments arguments_;
  const std::vector<Array> given_;
  const std::string name_;
  const Location at_;
  std::vector<Type> types_, results_;
  Cotangents cotangents_;
  BodyStates states_{given_};
};
} // namespace

OwnedTree detail::run_custom_vjp(const CustomVjp &rule, std::span<const TreeRef> operands, CallSite site) {
  return CustomRecording(rule, operands, callPlace(site.called, site.made)).bind();
}

std::string detail::rule_name(std::string_view function, std::string_view name, Location at) {
  // Room for `user.` and what a rule is called.
  if (std::string error = checkCompositeName(name, maxCompositeName - 16); !error.empty())
    throw Error(std::string(function) + ": " + error, userLocation(at));
  return std::string(name);
}

namespace tenon {

//===----------------------------------------------------------------------===//
// The derivative
//===----------------------------------------------------------------------===//

std::vector<size_t> refusedCaptures(const Bind &bind, const std::vector<bool> &wanted, size_t captures) {
  std::vector<size_t> refused;
  for (size_t i = 0; i < captures; ++i) {
    std::vector<bool> one(wanted.size());
    one[i] = wanted[i];
    const std::vector<bool> depends = dependents(*bind.regions[0], one, true);
    if (std::ranges::find(depends, true) != depends.end())
      refused.push_back(i);
  }
  return refused;
}

RegionVjp vjpCustomVjp(const Bind &bind, const std::vector<bool> &wanted) {
  const CustomVjpAttrs a = CustomVjpAttrs::read(bind.attributes);
  const size_t ruled = static_cast<size_t>(a.ruled), residuals = static_cast<size_t>(a.residuals);
  RegionVjp plan;
  plan.refused = refusedCaptures(bind, wanted, static_cast<size_t>(a.captures));
  const bool reaches =
      std::ranges::any_of(a.cotangents, [&](int64_t operand) { return wanted[static_cast<size_t>(operand)]; });
  for (const Type &type : bind.types)
    plan.differentiable.push_back(isDifferentiable(type.dtype) && (reaches || !plan.refused.empty()));
  // What it keeps are results of the op, so that a derivative of the derivative sees where they come from.
  plan.forward = {
      bind.op, {bind.attributes.begin(), bind.attributes.end()}, {bind.regions[1], bind.regions[1], bind.regions[2]}};
  // But for operands that it keeps as they are: of a loop those are not kept for each round.
  const Trace &forward = *bind.regions[1];
  for (size_t i = 0; i < residuals; ++i) {
    const ValueId kept = forward.outputs()[ruled + i];
    const bool isOperand = kept < forward.inputs().size(); // inputs are numbered first
    plan.backwardOperands.push_back({isOperand ? Source::Kind::operand : Source::Kind::result,
                                     isOperand ? kept : static_cast<uint32_t>(ruled + i)});
  }
  for (size_t i = 0; i < ruled; ++i)
    if (isDifferentiable(bind.types[i].dtype))
      plan.backwardOperands.push_back({Source::Kind::cotangent, static_cast<uint32_t>(i)});
  plan.backward = ruleOp(*bind.regions[0], ".backward", bind.regions[2]);
  for (const int64_t operand : a.cotangents)
    plan.operandOf.push_back(wanted[static_cast<size_t>(operand)] ? static_cast<int>(operand) : -1);
  return plan;
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// The rule over a batch; the cotangents of operands that are the same for all
/// examples are summed over them.
static TraceRef batchBackward(const Bind &bind, const std::vector<bool> &batched, const std::vector<bool> &inputs,
                              Dim size) {
  const CustomVjpAttrs a = CustomVjpAttrs::read(bind.attributes);
  const BatchedTrace body =
      batchTrace(*bind.regions[2], inputs, size, bind.at, std::vector<bool>(a.cotangents.size(), true));
  DetachedLocations detached;
  return recordFunction(body.trace->body().name, body.trace->regionType().inputs,
                        [&](std::span<const Array> in) {
                          std::vector<Array> out = evaluateTrace(*body.trace, in);
                          const LocationScope scope("vmap", bind.at);
                          for (size_t i = 0; i < out.size(); ++i)
                            if (!batched[static_cast<size_t>(a.cotangents[i])])
                              out[i] = sum(out[i], {0});
                          return out;
                        })
      .trace;
}

RegionBatch batchCustomVjp(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  const CustomVjpAttrs a = CustomVjpAttrs::read(bind.attributes);
  const size_t ruled = static_cast<size_t>(a.ruled);
  // All ruled results, so that the rule meets the cotangent of each example.
  std::vector<bool> forced(bind.regions[1]->outputs().size());
  std::fill_n(forced.begin(), ruled, true);
  BatchedTrace forward, body;
  do {
    forward = batchTrace(*bind.regions[1], batched, size, bind.at, forced);
    forced = forward.outputs;
    const std::vector<bool> first(forced.begin(), forced.begin() + static_cast<ptrdiff_t>(bind.types.size()));
    body = batchTrace(*bind.regions[0], batched, size, bind.at, first);
    std::copy(body.outputs.begin(), body.outputs.end(), forced.begin());
  } while (forced != forward.outputs);
  std::vector<bool> inputs(forced.begin() + a.ruled, forced.begin() + a.ruled + a.residuals);
  for (size_t i = 0; i < ruled; ++i)
    if (isDifferentiable(bind.types[i].dtype))
      inputs.push_back(true);
  return {{bind.op,
           {bind.attributes.begin(), bind.attributes.end()},
           {body.trace, forward.trace, batchBackward(bind, batched, inputs, size)}},
          frontAxes(batched),
          frontAxes(body.outputs)};
}

} // namespace tenon
