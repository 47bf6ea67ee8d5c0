//===- WhileLoop.cpp - while_loop: a body while a condition holds ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/BatchedTrace.h"
#include "lib/control/RegionBody.h"
#include "lib/program/EagerRegions.h"

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// The door
//===----------------------------------------------------------------------===//

static std::vector<Array> bindWhile(RegionBody &condition, RegionBody &body, std::span<const Array> start,
                                    const char *name, LeafNames names, Location at) {
  const std::string what = name, asked = what + ": expected a rank-0 bool as result of the condition";
  std::vector<Array> carries(start.begin(), start.end());
  std::vector<Type> carried = typesOf(what, carries, names, at), types;
  // As C++ while the condition is known; it may come to differ between the
  // examples of vmap only after some rounds.
  while (runsAsCpp()) {
    std::vector<Array> answer = runHere(what, condition, carries, types, at);
    expectPredicate(asked, types[0], at);
    std::optional<Array> known = knownValue(answer[0]);
    if (!known)
      break;
    if (!known->item<bool>(at))
      return carries;
    carries = runHere(what, body, carries, types, at);
    expectCarries(what, carried, types, names, at);
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
  return bindInferred(OpCode::while_loop, values,
                      wordsOf(WhileLoopAttrs{static_cast<int64_t>(recorded[0].captures.size()),
                                             static_cast<int64_t>(recorded[1].captures.size())}),
                      regions, at);
}

OwnedTree detail::run_while(const TreeFunction &condition, const TreeFunction &body, TreeRef carry, bool counted,
                            Location at) {
  const char *name = counted ? "fori_loop" : "while_loop";
  RegionBody ask(condition, std::span(&carry, 1), at), step(body, std::span(&carry, 1), at);
  step.like = {name + std::string(": the carry"), carry};
  auto names = [&](size_t leaf) {
    if (!counted)
      return pathsOf(carry, true)[leaf];
    std::vector<TreeRef> elements;
    carry.ops->elements(carry.tree, elements);
    return leaf ? pathsOf(elements[1], true)[leaf - 1] : std::string("lo");
  };
  std::vector<Array> results = bindWhile(ask, step, arraysOf(carry, true), name, names, at);
  return withArrays({carry.ops->copy(carry.tree), carry.ops}, results);
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

RegionBatch batchWhileLoop(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  WhileLoopAttrs attributes = WhileLoopAttrs::read(bind.attributes);
  size_t condConsts = static_cast<size_t>(attributes.cond_consts),
         bodyConsts = static_cast<size_t>(attributes.body_consts), carries = bind.types.size();
  std::vector<bool> inputs(batched.begin() + attributes.cond_consts, batched.end()), forced;
  BatchedTrace body;
  do {
    forced.assign(inputs.begin() + attributes.body_consts, inputs.end());
    body = batchTrace(*bind.regions[1], inputs, size, bind.at, forced);
  } while (growCarries(inputs, bodyConsts, carries, body.outputs));
  std::vector<bool> condInputs(batched.begin(), batched.begin() + attributes.cond_consts);
  condInputs.insert(condInputs.end(), inputs.begin() + attributes.body_consts, inputs.end());
  BatchedTrace condition = batchTrace(*bind.regions[0], condInputs, size, bind.at);
  if (condition.outputs[0])
    throwOpError(opInfo(bind.op), bind.operands.subspan(condConsts + bodyConsts),
                 "while_loop: under vmap the examples would need different numbers of rounds; use scan with a fixed "
                 "length and where",
                 bind.at);
  std::vector<bool> operands(batched.begin(), batched.begin() + attributes.cond_consts);
  operands.insert(operands.end(), inputs.begin(), inputs.end());
  return {{OpCode::while_loop, {bind.attributes.begin(), bind.attributes.end()}, {condition.trace, body.trace}},
          frontAxes(operands),
          frontAxes(body.outputs)};
}

} // namespace tenon
