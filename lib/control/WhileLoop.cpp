//===- WhileLoop.cpp - while_loop: a body while a condition holds ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/BatchedTrace.h"
#include "lib/control/RegionBody.h"
#include "lib/control/SafeOperands.h"
#include "lib/program/EagerRegions.h"

#include <tenon/ops.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// The door
//===----------------------------------------------------------------------===//

/// A loop of at most `rounds` rounds as a scan: after the last one its carries stay. `condition` and `body` take
/// what they capture, then the carries.
static std::vector<Array> bindBounded(const TraceRef &condition, const TraceRef &body, std::span<Value *const> values,
                                      size_t asked, std::span<const Type> carried, Dim rounds, const std::string &what,
                                      Location at) {
  std::vector<Type> types;
  for (const Value *value : values)
    types.push_back(typeOf(value));
  const size_t captures = types.size() - carried.size(), read = captures - asked;
  const TraceRef step = [&] {
    const DetachedLocations detached;
    const TraceRef stay = recordFunction(what, std::span(types).subspan(asked), [&](std::span<const Array> in) {
                            const std::span<const Array> carries = in.subspan(read);
                            return std::vector(carries.begin(), carries.end());
                          }).trace;
    return recordFunction(what, types,
                          [&](std::span<const Array> in) {
                            std::vector<Array> question(in.begin(), in.begin() + static_cast<ptrdiff_t>(asked));
                            const std::span<const Array> carries = in.subspan(captures);
                            question.insert(question.end(), carries.begin(), carries.end());
                            const Array goesOn = evaluateTrace(*condition, question)[0];
                            std::vector<Value *> operands{goesOn.value()};
                            appendValues(operands, in.subspan(asked));
                            const TraceRef branches[] = {body, stay};
                            return bindInferred(OpCode::cond, operands, {}, branches, at);
                          })
        .trace;
  }();
  const Dim lengths[] = {rounds};
  return bindInferred(
      OpCode::scan, values,
      wordsOf(ScanAttrs{lengths, static_cast<int64_t>(captures), static_cast<int64_t>(carried.size()), false}),
      std::span(&step, 1), at);
}

static std::vector<Array> bindWhile(RegionBody &condition, RegionBody &body, std::span<const Array> start,
                                    const WhileForm &form, LeafNames names, Location at) {
  const std::string what = form.name, asked = what + ": expected a rank-0 bool as result of the condition";
  std::optional<Dim> rounds = form.max_iterations;
  if (rounds && rounds->is_static() && rounds->raw() < 0)
    throw Error(what + ": expected max_iterations of 0 or more, got " + rounds->str(), userLocation(at));
  std::vector<Array> carries(start.begin(), start.end());
  std::vector<Type> carried = typesOf(what, carries, names, at), types;
  // As C++ while the condition is known; it may come to differ between the
  // examples of vmap only after some rounds.
  while (runsAsCpp() && (!rounds || rounds->is_static())) {
    if (rounds && rounds->raw() == 0)
      return carries;
    std::vector<Array> answer = runHere(what, condition, carries, types, at);
    expectPredicate(asked, types[0], at);
    std::optional<Array> known = knownValue(answer[0]);
    if (!known)
      break;
    if (!known->item<bool>(at))
      return carries;
    carries = runHere(what, body, carries, types, at);
    expectCarries(what, carried, types, names, at);
    if (rounds)
      rounds = *rounds - 1;
  }
  Record::Result recorded[] = {recordBody(what + " condition", condition, carried, names, at),
                               recordBody(what, body, carried, names, at)};
  RegionType question = recorded[0].trace->regionType();
  expectPredicate(asked, question.outputs[0], at);
  expectCarries(what, carried, recorded[1].trace->regionType().outputs, names, at);
  TraceRef regions[2];
  std::vector<Value *> values;
  for (int r : {0, 1}) {
    regions[r] = withCapturesInFront(recorded[r], carried);
    appendValues(values, recorded[r].captures);
  }
  appendValues(values, carries);
  DoorScope door("", what, {}, {});
  if (rounds)
    return bindBounded(regions[0], regions[1], values, recorded[0].captures.size(), carried, *rounds, what, at);
  return bindInferred(OpCode::while_loop, values,
                      wordsOf(WhileLoopAttrs{static_cast<int64_t>(recorded[0].captures.size()),
                                             static_cast<int64_t>(recorded[1].captures.size())}),
                      regions, at);
}

OwnedTree detail::run_while(const TreeFunction &condition, const TreeFunction &body, TreeRef carry,
                            const WhileForm &form, Location at) {
  RegionBody ask(condition, std::span(&carry, 1), at), step(body, std::span(&carry, 1), at);
  step.like = {form.name + std::string(": the carry"), carry};
  const bool counted = std::string_view(form.name) == "fori_loop";
  auto names = [&](size_t leaf) {
    if (!counted)
      return pathsOf(carry, true)[leaf];
    std::vector<TreeRef> elements;
    carry.ops->elements(carry.tree, elements);
    return leaf ? pathsOf(elements[1], true)[leaf - 1] : std::string("lo");
  };
  std::vector<Array> results = bindWhile(ask, step, arraysOf(carry, true), form, names, at);
  return withArrays({carry.ops->copy(carry.tree, at), carry.ops}, results);
}

Array detail::loop_bound(const Array &bound, Location at) {
  if (kind(bound.dtype(at)) != Kind::integer)
    throw Error("fori_loop: expected bounds that are integers, got " + std::string(short_name(bound.dtype(at))), at);
  if (bound.ndim(at) != 0)
    throw Error("fori_loop: expected bounds of rank 0, got the shape " + bound.shape(at).str(), at);
  const LocationScope scope("fori_loop", at);
  return astype(bound, i64);
}

namespace tenon {

//===----------------------------------------------------------------------===//
// Trace by trace
//===----------------------------------------------------------------------===//

void interpretWhileLoop(const Bind &bind, std::span<Array> results) {
  WhileLoopAttrs a = WhileLoopAttrs::read(bind.attributes);
  auto condConsts = bind.operands.first(size_t(a.cond_consts));
  auto bodyConsts = bind.operands.subspan(size_t(a.cond_consts), size_t(a.body_consts));
  std::vector<Array> condInputs = shared(condConsts), bodyInputs = shared(bodyConsts);
  size_t condFixed = condInputs.size(), bodyFixed = bodyInputs.size();
  std::vector<Array> carries = shared(bind.operands.subspan(condFixed + bodyFixed));
  while (true) {
    condInputs.resize(condFixed);
    condInputs.insert(condInputs.end(), carries.begin(), carries.end());
    if (!evaluateTrace(*bind.regions[0], condInputs)[0].item<bool>(bind.at))
      break;
    bodyInputs.resize(bodyFixed);
    bodyInputs.insert(bodyInputs.end(), carries.begin(), carries.end());
    carries = evaluateTrace(*bind.regions[1], bodyInputs);
  }
  std::copy(carries.begin(), carries.end(), results.begin());
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// Batch elements that need different numbers of rounds: the loop runs while one of them goes on, and those that are
/// done keep their carries. The op is a call, since its body reads what the condition does.
static RegionBatch batchRoundsApart(const Bind &bind, const BatchedTrace &condition, const BatchedTrace &body,
                                    std::vector<bool> operands, Dim size) {
  const WhileLoopAttrs attributes = WhileLoopAttrs::read(bind.attributes);
  const auto asked = static_cast<size_t>(attributes.cond_consts), read = static_cast<size_t>(attributes.body_consts);
  for (size_t i = 0; i < bind.regions.size(); ++i)
    if (bind.regions[i]->hasEffect())
      throwOpError(opInfo(bind.op), bind.operands.subspan(asked + read),
                   "while_loop: under vmap the loop runs until the last batch element has finished, but its " +
                       std::string(i == 0 ? "condition" : "body") +
                       " has a side effect, which would also run for finished elements; move it out of the loop",
                   bind.at);
  std::vector<Type> types;
  for (size_t i = 0; i < operands.size(); ++i) {
    types.push_back(typeOf(bind.operands[i]));
    if (operands[i])
      types.back().shape.insert(0, size, {});
  }
  const SafeOperands safe(*bind.regions[1], {operands.begin() + attributes.cond_consts, operands.end()}, false);
  DetachedLocations detached;
  LocationScope scope("vmap", bind.at);
  TraceRef call =
      recordFunction("while_loop", types, [&](std::span<const Array> in) {
        const std::span<const Array> carries = in.subspan(asked + read);
        const auto carried = std::span<const Type>(types).subspan(asked + read);
        auto with = [](std::span<const Array> consts, std::span<const Array> rest) {
          std::vector<Array> all(consts.begin(), consts.end());
          all.insert(all.end(), rest.begin(), rest.end());
          return all;
        };
        // What is captured is the same in each round.
        const std::span<const Array> askedOf = in.first(asked), readOf = in.subspan(asked, read);
        Record::Result regions[] = {
            recordFunction("while_loop condition", carried,
                           [&](std::span<const Array> now) {
                             return std::vector{any(evaluateTrace(*condition.trace, with(askedOf, now))[0])};
                           }),
            recordFunction("while_loop", carried, [&](std::span<const Array> now) {
              const Array goesOn = evaluateTrace(*condition.trace, with(askedOf, now))[0];
              std::vector<Array> next = evaluateTrace(*body.trace, safe(goesOn, with(readOf, now)));
              for (size_t k = 0; k < next.size(); ++k)
                next[k] = selectElements(goesOn, next[k], now[k]);
              return next;
            })};
        TraceRef traces[2];
        std::vector<Value *> values;
        for (int r : {0, 1}) {
          traces[r] = withCapturesInFront(regions[r], carried);
          appendValues(values, regions[r].captures);
        }
        appendValues(values, carries);
        return bindInferred(OpCode::while_loop, values,
                            wordsOf(WhileLoopAttrs{static_cast<int64_t>(regions[0].captures.size()),
                                                   static_cast<int64_t>(regions[1].captures.size())}),
                            traces, bind.at);
      }).trace;
  return {{OpCode::call, {}, {call}}, frontAxes(operands), frontAxes(body.outputs)};
}

RegionBatch batchWhileLoop(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  WhileLoopAttrs attributes = WhileLoopAttrs::read(bind.attributes);
  const size_t bodyConsts = static_cast<size_t>(attributes.body_consts), carries = bind.types.size();
  std::vector<bool> inputs(batched.begin() + attributes.cond_consts, batched.end()), forced;
  BatchedTrace body, condition;
  auto grow = [&] {
    do {
      forced.assign(inputs.begin() + attributes.body_consts, inputs.end());
      body = batchTrace(*bind.regions[1], inputs, size, bind.at, forced);
    } while (growCarries(inputs, bodyConsts, carries, body.outputs));
    std::vector<bool> condInputs(batched.begin(), batched.begin() + attributes.cond_consts);
    condInputs.insert(condInputs.end(), inputs.begin() + attributes.body_consts, inputs.end());
    condition = batchTrace(*bind.regions[0], condInputs, size, bind.at);
  };
  grow();
  const bool areApart = condition.outputs[0];
  if (areApart && std::find(forced.begin(), forced.end(), false) != forced.end()) {
    std::fill(inputs.begin() + attributes.body_consts, inputs.end(), true);
    grow();
  }
  std::vector<bool> operands(batched.begin(), batched.begin() + attributes.cond_consts);
  operands.insert(operands.end(), inputs.begin(), inputs.end());
  if (areApart)
    return batchRoundsApart(bind, condition, body, operands, size);
  return {{OpCode::while_loop, {bind.attributes.begin(), bind.attributes.end()}, {condition.trace, body.trace}},
          frontAxes(operands),
          frontAxes(body.outputs)};
}

} // namespace tenon
