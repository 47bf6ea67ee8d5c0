//===- Reverse.cpp - the interpreter of grad and vjp ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Reverse.h"

#include "lib/ops/Composite.h"
#include "lib/transform/Below.h"
#include "lib/transform/Frames.h"
#include "lib/transform/Ruled.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// The tape
//===----------------------------------------------------------------------===//

uint32_t Tape::addOp(const Bind &bind, std::span<const uint32_t> operandNumbers, std::span<const Array> saved,
                     std::shared_ptr<const RegionVjp> plan, const CompositeInfo *composite,
                     const std::string &refusal) {
  Node node{};
  node.op = bind.op;
  node.composite = composite;
  node.resultCount = static_cast<uint32_t>(bind.types.size());
  node.operandCount = static_cast<uint32_t>(bind.operands.size());
  node.operands = static_cast<uint32_t>(operands_.size());
  operands_.insert(operands_.end(), operandNumbers.begin(), operandNumbers.end());
  node.types = static_cast<uint32_t>(types_.size());
  for (const Value *operand : bind.operands)
    types_.push_back(typeOf(operand));
  types_.insert(types_.end(), bind.types.begin(), bind.types.end());
  node.attributes = static_cast<uint32_t>(attributes_.size());
  node.attributeCount = static_cast<uint32_t>(bind.attributes.size());
  attributes_.insert(attributes_.end(), bind.attributes.begin(), bind.attributes.end());
  node.saved = static_cast<uint32_t>(saved_.size());
  saved_.insert(saved_.end(), saved.begin(), saved.end());
  node.firstResult = values_;
  values_ += node.resultCount;
  node.at = userLocation(bind.at);
  node.interpreted = bind.interpreted;
  node.plan = std::move(plan);
  if (!refusal.empty())
    node.refusal = std::make_shared<const std::string>(refusal);
  nodes_.push_back(std::move(node));
  return nodes_.back().firstResult;
}

void Tape::runRule(const Node &node, std::span<const Array> cotangents, std::span<Array> out) const {
  std::vector<bool> wanted(node.operandCount);
  for (uint32_t i = 0; i < node.operandCount; ++i)
    wanted[i] = operands_[node.operands + i] != none;
  std::span<const Type> types = std::span(types_).subspan(node.types);
  VjpCall call(opInfo(node.op), {attributes_.data() + node.attributes, node.attributeCount},
               types.first(node.operandCount), types.subspan(node.operandCount, node.resultCount), node.at,
               std::span(saved_).subspan(node.saved, node.operandCount + node.resultCount), cotangents, wanted, out);
  const VjpRule rule = node.composite ? compositeVjpRule(idOf(*node.composite)) : vjpRule(node.op);
  rule(call);
}

void Tape::runPlan(const Node &node, std::span<const Array> cotangents, std::span<Array> out) const {
  const RegionVjp &plan = *node.plan;
  std::vector<Array> operands(plan.backwardOperands.size());
  std::vector<Value *> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    const RegionVjp::Source &source = plan.backwardOperands[i];
    if (source.kind == RegionVjp::Source::Kind::zeros)
      operands[i] = filled(source.type, false);
    else if (source.kind != RegionVjp::Source::Kind::cotangent)
      operands[i] = saved_[node.saved + i];
    else if (cotangents[source.index].has_value())
      operands[i] = cotangents[source.index];
    else
      operands[i] = filled(types_[node.types + node.operandCount + source.index], false);
    values.push_back(operands[i].value());
  }
  std::vector<Array> results = bindInferred(plan.backward.op, values, plan.backward.attributes, plan.backward.regions,
                                            node.at, node.interpreted);
  for (size_t i = 0; i < results.size(); ++i)
    if (plan.operandOf[i] >= 0)
      out[static_cast<size_t>(plan.operandOf[i])] = std::move(results[i]);
}

std::vector<Array> Tape::backward(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                                  uint32_t inputs) const {
  std::vector<Array> reached(values_);
  auto accumulate = [&](uint32_t number, Array cotangent) {
    Array &place = reached[number];
    place = place.has_value() ? add(place, cotangent) : std::move(cotangent);
  };
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] != none && cotangents[i].has_value())
      accumulate(outputs[i], cotangents[i]);
  std::vector<Array> results, out;
  for (size_t n = nodes_.size(); n-- > 0;) {
    const Node &node = nodes_[n];
    auto begin = reached.begin() + node.firstResult, end = begin + node.resultCount;
    if (std::none_of(begin, end, [](const Array &cotangent) { return cotangent.has_value(); }))
      continue;
    if (node.refusal)
      throw Error(*node.refusal, node.at);
    results.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
    out.assign(node.operandCount, Array());
    LocationScope scope(gradFrame(node.op, node.composite), node.at);
    if (node.plan)
      runPlan(node, results, out);
    else
      runRule(node, results, out);
    for (uint32_t i = 0; i < node.operandCount; ++i)
      if (uint32_t number = operands_[node.operands + i]; number != none && out[i].has_value())
        accumulate(number, std::move(out[i]));
  }
  reached.resize(inputs);
  return reached;
}

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

Array Reverse::wrap(const Array &below, uint32_t number, Location at) {
  return Array::adopt(makeValue(*this, typeOf(below.value()), number, below.value(), at));
}

Array Reverse::input(const Array &x, Location at) { return wrap(x, tape_.addInput(), at); }

Array Reverse::primal(const Array &x) const { return x.value()->isOf(id()) ? Array::share(x.value()->base) : x; }

/// Whether the record's `needs` names operand (or result, from bit 16) `i`.
static bool isNeeded(uint32_t needs, size_t i, size_t names, int from) {
  return names && needs >> (static_cast<size_t>(from) + std::min(i, names - 1)) & 1;
}

void Reverse::process(const Bind &outer, std::span<Array> results) {
  const OpInfo &info = opInfo(outer.op);
  const CompositeInfo *composite = info.lowering == Lowering::open ? registeredComposite(outer) : nullptr;
  if (info.lowering == Lowering::open && !(composite && compositeVjpRule(idOf(*composite)))) {
    const ActiveInterpreter again(*this); // the ops of its decomposition are this tape's
    return openComposite(outer, results);
  }
  if (info.lowering == Lowering::ruled && ruledResults(outer) < results.size()) {
    const ActiveInterpreter again(*this);
    return bindApart(outer, results, [](const Bind &ruled, std::span<Array> out) { tenon::bind(ruled, out); });
  }
  std::vector<Value *> below;
  std::vector<uint32_t> numbers;
  std::vector<bool> wanted;
  for (Value *operand : outer.operands) {
    numbers.push_back(number(operand));
    wanted.push_back(numbers.back() != Tape::none);
    below.push_back(wanted.back() ? operand->base : operand);
  }
  Bind bind = onValuesBelow(outer, below);
  bool smooth = !info.zeroVjp && std::any_of(bind.types.begin(), bind.types.end(),
                                             [](const Type &type) { return isDifferentiable(type.dtype); });
  std::shared_ptr<const RegionVjp> plan;
  if (smooth && info.hasTraceRules()) {
    plan = regionVjp(outer, wanted);
    smooth = plan != nullptr;
  }
  if (!smooth)
    return tenon::bind(bind, results);
  if (info.noVjp && !plan)
    throwOpError(info, outer.operands, info.noVjp, outer.at);

  // `saved` is what is kept; `all` the results with the residuals behind them.
  std::vector<Array> saved, all;
  if (plan) {
    all = bindInferred(plan->forward.op, below, plan->forward.attributes, plan->forward.regions, outer.at,
                       outer.interpreted);
    std::copy_n(all.begin(), results.size(), results.begin());
    for (const RegionVjp::Source &source : plan->backwardOperands)
      saved.push_back(source.kind == RegionVjp::Source::Kind::operand  ? Array::share(below[source.index])
                      : source.kind == RegionVjp::Source::Kind::result ? all[source.index]
                                                                       : Array());
  } else {
    tenon::bind(bind, results);
    saved.resize(below.size() + results.size());
    const uint32_t needs = composite ? composite->needs : info.needs;
    const size_t operandNames = composite ? composite->operands.size() : info.operands.size();
    for (size_t i = 0; i < below.size(); ++i)
      if (isNeeded(needs, i, operandNames, 0))
        saved[i] = Array::share(below[i]);
    size_t names = info.results < 0 ? 1 : static_cast<size_t>(info.results);
    // What a rule is asked with are the composite's own attributes.
    if (composite)
      bind.attributes = CompositeAttrs::read(outer.attributes).composite_attributes;
    for (size_t i = 0; i < results.size(); ++i)
      if (isNeeded(needs, i, names, 16))
        saved[below.size() + i] = results[i];
  }
  std::string refusal;
  if (plan && !plan->refused.empty())
    refusal = capturedSentence(outer, plan->refused[0]);
  uint32_t first = tape_.addOp(bind, numbers, saved, plan, composite, refusal);
  for (size_t i = 0; i < results.size(); ++i)
    if (isDifferentiable(bind.types[i].dtype) && (!plan || plan->differentiable[i]))
      results[i] = wrap(results[i], first + static_cast<uint32_t>(i), outer.at);
}
