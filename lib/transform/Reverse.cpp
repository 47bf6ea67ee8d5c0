//===- Reverse.cpp - the interpreter of grad and vjp ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Reverse.h"

#include "lib/ops/Composite.h"
#include "lib/trace/Tapes.h"
#include "lib/transform/Below.h"
#include "lib/transform/Frames.h"
#include "lib/transform/Ruled.h"
#include "lib/transform/Rules.h"

#include <tenon/detail/inline_vector.h>

#include <algorithm>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// The tape
//===----------------------------------------------------------------------===//

Tape::Node &Tape::addOp(const Bind &bind, const CompositeInfo *composite, std::span<const uint32_t> operandNumbers,
                        std::span<const Array> saved) {
  if (nodes_.empty())
    nodes_.reserve(32);
  Node &node = nodes_.emplace_back();
  node.op = bind.op;
  node.composite = composite;
  node.resultCount = static_cast<uint32_t>(bind.types.size());
  node.operandCount = static_cast<uint32_t>(bind.operands.size());
  node.operands = static_cast<uint32_t>(operands_.size());
  operands_.insert(operands_.end(), operandNumbers.begin(), operandNumbers.end());
  node.types = static_cast<uint32_t>(types_.size());
  for (const Value *operand : bind.operands)
    addType(operand->dtype(), operand->device(), {operand->dims(), static_cast<size_t>(operand->rank())});
  for (const Type &type : bind.types)
    addType(type.dtype, type.device, {type.shape.begin(), type.shape.size()});
  node.attributes = static_cast<uint32_t>(attributes_.size());
  node.attributeCount = static_cast<uint32_t>(bind.attributes.size());
  attributes_.insert(attributes_.end(), bind.attributes.begin(), bind.attributes.end());
  node.saved = static_cast<uint32_t>(saved_.size());
  node.savedCount = static_cast<uint32_t>(saved.size());
  saved_.insert(saved_.end(), saved.begin(), saved.end());
  node.firstResult = values_;
  values_ += node.resultCount;
  node.at = userLocation(bind.at);
  node.interpreted = bind.interpreted;
  return node;
}

void Tape::addType(Dtype dtype, Device device, std::span<const Dim> dims) {
  types_.push_back(Value::makeWord(dtype, static_cast<int>(dims.size()), device, 0));
  for (const Dim dim : dims)
    types_.push_back(dim.raw());
}

std::vector<Type> Tape::typesOf(const Node &node) const {
  std::vector<Type> types(node.operandCount + node.resultCount);
  const int64_t *next = types_.data() + node.types;
  for (Type &type : types) {
    const auto word = static_cast<uint32_t>(*next++);
    type.dtype = Value::dtypeOf(word);
    type.device = Value::deviceOf(word);
    for (int axis = 0; axis < Value::rankOf(word); ++axis)
      type.shape.push_back(Dim::from_raw(*next++));
  }
  return types;
}

void Tape::number(const Node &node, const Bind &bind, std::span<uint32_t> resultNumbers) {
  const RegionVjp *plan = node.other ? node.other->plan.get() : nullptr;
  for (size_t i = 0; i < resultNumbers.size(); ++i)
    if (isDifferentiable(bind.types[i].dtype) && (!plan || plan->differentiable[i]))
      resultNumbers[i] = node.firstResult + static_cast<uint32_t>(i);
}

void Tape::runRule(const Node &node, std::span<const Array> cotangents, const std::vector<bool> &wanted,
                   std::span<Array> out) const {
  const std::vector<Type> known = typesOf(node);
  const std::span<const Type> types = known;
  VjpCall call(opInfo(node.op), {attributes_.data() + node.attributes, node.attributeCount},
               types.first(node.operandCount), types.subspan(node.operandCount), node.at,
               std::span(saved_).subspan(node.saved, node.savedCount), cotangents, wanted, out);
  const VjpRule rule = node.composite ? compositeVjpRule(idOf(*node.composite)) : vjpRule(node.op);
  rule(call);
}

void Tape::runPlan(const Node &node, std::span<const Array> cotangents, std::span<Array> out) const {
  const RegionVjp &plan = *node.other->plan;
  const std::vector<Type> types = typesOf(node);
  std::vector<Array> operands(plan.backwardOperands.size()), anew;
  std::vector<Value *> values;
  // Residuals are results that a tape above has not seen: it shall see where they come from.
  if (!node.other->kept.empty() && tapesRecord()) {
    for (const Array &operand : node.other->kept)
      values.push_back(operand.value());
    anew =
        bindInferred(plan.forward.op, values, plan.forward.attributes, plan.forward.regions, node.at, node.interpreted);
    values.clear();
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const RegionVjp::Source &source = plan.backwardOperands[i];
    if (source.kind == RegionVjp::Source::Kind::zeros)
      operands[i] = filled(source.type, false);
    else if (source.kind == RegionVjp::Source::Kind::result && !anew.empty())
      operands[i] = anew[source.index];
    else if (source.kind != RegionVjp::Source::Kind::cotangent)
      operands[i] = saved_[node.saved + i];
    else if (cotangents[source.index].has_value())
      operands[i] = cotangents[source.index];
    else
      operands[i] = filled(types[node.operandCount + source.index], false);
    values.push_back(operands[i].value());
  }
  std::vector<Array> results = bindInferred(plan.backward.op, values, plan.backward.attributes, plan.backward.regions,
                                            node.at, node.interpreted);
  for (size_t i = 0; i < results.size(); ++i)
    if (plan.operandOf[i] >= 0)
      out[static_cast<size_t>(plan.operandOf[i])] = std::move(results[i]);
}

/// Whether the record's `needs` names operand (or result, from bit 16) `i`.
static bool isNeeded(uint32_t needs, size_t i, size_t names, int from) {
  return names && needs >> (static_cast<size_t>(from) + std::min(i, names - 1)) & 1;
}

/// Whether the op's rule reads the operand that the op may update in place.
static bool readsUpdated(const OpInfo &info) {
  return info.updated >= 0 && isNeeded(info.needs, static_cast<size_t>(info.updated), info.operands.size(), 0);
}

/// Whether a result of the op can move smoothly.
static bool isSmooth(const Bind &bind) {
  return !opInfo(bind.op).zeroVjp && std::any_of(bind.types.begin(), bind.types.end(),
                                                 [](const Type &type) { return isDifferentiable(type.dtype); });
}

bool tenon::isOpened(const Bind &bind, const CompositeInfo *&composite) {
  const bool isComposite = opInfo(bind.op).lowering == Lowering::open;
  composite = isComposite ? registeredComposite(bind) : nullptr;
  return isComposite && !(composite && compositeVjpRule(idOf(*composite)));
}

void Tape::noteRefusal(const Bind &bind, std::span<const uint32_t> numbers, std::shared_ptr<const NoDerivative> refusal,
                       std::span<uint32_t> resultNumbers) {
  Node &node = addOp(bind, nullptr, numbers, {});
  node.other = std::make_unique<RuleLess>();
  node.other->refusal = std::move(refusal);
  hasRefusals_ = true;
  number(node, bind, resultNumbers);
}

void Tape::note(const Bind &given, const CompositeInfo *composite, std::span<const uint32_t> numbers,
                std::span<const Array> results, std::span<uint32_t> resultNumbers) {
  const OpInfo &info = opInfo(given.op);
  std::fill(resultNumbers.begin(), resultNumbers.end(), none);
  if (!isSmooth(given))
    return;
  if (info.noVjp) {
    try {
      throwNoDerivative(info, given.operands, info.noVjp, given.at);
    } catch (const NoDerivative &refusal) {
      return noteRefusal(given, numbers, std::make_shared<const NoDerivative>(refusal), resultNumbers);
    }
  }
  const size_t count = given.operands.size();
  InlineVector<Array, 6> saved;
  const uint32_t needs = composite ? composite->needs : info.needs;
  saved.resize(needs ? count + results.size() : 0);
  const size_t operandNames = composite ? composite->operands.size() : info.operands.size();
  for (size_t i = 0; i < count; ++i)
    if (isNeeded(needs, i, operandNames, 0))
      saved[i] = Array::share(given.operands[i]);
  const size_t names = info.results < 0 ? 1 : static_cast<size_t>(info.results);
  for (size_t i = 0; i < results.size(); ++i)
    if (isNeeded(needs, i, names, 16))
      saved[count + i] = results[i];
  Bind bind = given;
  // What a rule is asked with are the composite's own attributes.
  if (composite)
    bind.attributes = CompositeAttrs::read(given.attributes).composite_attributes;
  number(addOp(bind, composite, numbers, {saved.begin(), saved.size()}), bind, resultNumbers);
}

void Tape::differentiate(const Bind &outer, const CompositeInfo *composite, std::span<const uint32_t> numbers,
                         std::span<Value *const> below, std::span<Array> results, std::span<uint32_t> resultNumbers,
                         bool keepsOperands) {
  Bind bind = onValuesBelow(outer, below);
  std::fill(resultNumbers.begin(), resultNumbers.end(), none);
  if (!opInfo(outer.op).hasTraceRules() || !isSmooth(bind)) {
    // The tape saves the operands after the op has run.
    if (isSmooth(bind) && readsUpdated(opInfo(outer.op)))
      bind.mayUpdate = false;
    tenon::bind(bind, results);
    Bind noted = outer; // an error is about what the user gave
    noted.operands = isSmooth(bind) && opInfo(outer.op).noVjp ? outer.operands : bind.operands;
    return note(noted, composite, numbers, results, resultNumbers);
  }
  std::vector<bool> wanted;
  for (const uint32_t number : numbers)
    wanted.push_back(number != none);
  std::shared_ptr<const RegionVjp> plan;
  try {
    plan = regionVjp(outer, wanted);
  } catch (const NoDerivative &refusal) {
    tenon::bind(bind, results);
    return noteRefusal(bind, numbers, std::make_shared<const NoDerivative>(refusal), resultNumbers);
  }
  if (!plan)
    return tenon::bind(bind, results);
  // The results with the residuals behind them.
  const std::vector<Array> all = bindInferred(plan->forward.op, below, plan->forward.attributes, plan->forward.regions,
                                              outer.at, outer.interpreted);
  std::copy_n(all.begin(), results.size(), results.begin());
  std::vector<Array> saved;
  for (const RegionVjp::Source &source : plan->backwardOperands)
    saved.push_back(source.kind == RegionVjp::Source::Kind::operand  ? Array::share(below[source.index])
                    : source.kind == RegionVjp::Source::Kind::result ? all[source.index]
                                                                     : Array());
  Node &node = addOp(bind, nullptr, numbers, saved);
  node.other = std::make_unique<RuleLess>();
  if (!plan->refused.empty()) {
    node.other->refusal =
        std::make_shared<const NoDerivative>(Error(capturedSentence(outer, plan->refused[0]), userLocation(outer.at)));
    hasRefusals_ = true;
  }
  node.other->plan = std::move(plan);
  if (keepsOperands)
    for (Value *operand : below)
      node.other->kept.push_back(Array::share(operand));
  number(node, bind, resultNumbers);
  const std::vector<std::shared_ptr<const NoDerivative>> refusals = node.other->plan->refusals;
  for (size_t i = 0; i < refusals.size(); ++i)
    if (refusals[i]) {
      Bind one = bind;
      one.types = bind.types.subspan(i, 1);
      noteRefusal(one, numbers, refusals[i], resultNumbers.subspan(i, 1));
    }
}

void Tape::runNode(const Node &node, std::span<const Array> cotangents, const std::vector<bool> *reaches,
                   std::span<Array> out) const {
  // Of a captured array only if what is asked for depends on it.
  auto isAsked = [&](size_t operand) { return !reaches || (*reaches)[operands_[node.operands + operand]]; };
  if (node.other && node.other->refusal &&
      (!node.other->plan || std::ranges::any_of(node.other->plan->refused, isAsked)))
    throw NoDerivative(*node.other->refusal);
  if (node.other)
    return runPlan(node, cotangents, out);
  std::vector<bool> wanted(node.operandCount);
  for (uint32_t i = 0; i < node.operandCount; ++i)
    if (const uint32_t number = operands_[node.operands + i]; number != none)
      wanted[i] = !reaches || (*reaches)[number];
  runRule(node, cotangents, wanted, out);
}

std::vector<Array> Tape::walk(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                              const std::vector<bool> *reaches, std::span<const uint32_t> wanted, Tape *freed) const {
  std::vector<Array> reached(values_);
  auto accumulate = [&](uint32_t number, Array cotangent) {
    if (number == none || !cotangent.has_value() || (reaches && !(*reaches)[number]))
      return;
    Array &place = reached[number];
    place = place.has_value() ? add(place, cotangent) : std::move(cotangent);
  };
  for (size_t i = 0; i < outputs.size(); ++i)
    accumulate(outputs[i], cotangents[i]);
  std::vector<Array> results, out, taken(wanted.size());
  // Those of a value are whole when the walk comes to what was noted before it.
  std::vector<size_t> order;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != none)
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
  auto takeFrom = [&](uint32_t first) {
    for (; !order.empty() && wanted[order.back()] >= first; order.pop_back())
      taken[order.back()] = reached[wanted[order.back()]];
  };
  for (size_t n = nodes_.size(); n-- > 0;) {
    const Node &node = nodes_[n];
    takeFrom(node.firstResult);
    auto begin = reached.begin() + node.firstResult, end = begin + node.resultCount;
    if (std::any_of(begin, end, [](const Array &cotangent) { return cotangent.has_value(); })) {
      results.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
      out.assign(node.operandCount, Array());
      const LocationScope scope(gradFrame(node.op, node.composite), node.at);
      runNode(node, results, reaches, out);
      for (uint32_t i = 0; i < node.operandCount; ++i)
        accumulate(operands_[node.operands + i], std::move(out[i]));
    }
    if (freed)
      freed->free(n);
  }
  takeFrom(0);
  return taken;
}

std::shared_ptr<const NoDerivative> Tape::refusalOf(uint32_t number) const {
  if (number == none || !hasRefusals_)
    return nullptr;
  // By value: the node of a refusal that leads to it.
  std::vector<const Node *> of(values_);
  for (const Node &node : nodes_) {
    const Node *found = node.other && node.other->refusal ? &node : nullptr;
    for (uint32_t i = 0; i < node.operandCount && !found; ++i)
      if (const uint32_t operand = operands_[node.operands + i]; operand != none)
        found = of[operand];
    std::fill_n(of.begin() + node.firstResult, node.resultCount, found);
  }
  return of[number] ? of[number]->other->refusal : nullptr;
}

void Tape::free(size_t number) {
  Node &node = nodes_[number];
  std::fill_n(saved_.begin() + node.saved, node.savedCount, Array());
  if (node.other)
    node.other->kept.clear();
}

std::vector<Array> Tape::backward(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                                  uint32_t inputs) const {
  std::vector<uint32_t> wanted(inputs);
  std::iota(wanted.begin(), wanted.end(), 0);
  return walk(outputs, cotangents, nullptr, wanted, nullptr);
}

std::vector<Array> Tape::backwardTo(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                                    std::span<const uint32_t> wanted, bool frees) {
  std::vector<bool> reaches(values_);
  for (const uint32_t number : wanted)
    if (number != none)
      reaches[number] = true;
  for (const Node &node : nodes_) {
    const std::span<const uint32_t> operands = std::span(operands_).subspan(node.operands, node.operandCount);
    if (std::any_of(operands.begin(), operands.end(),
                    [&](uint32_t number) { return number != none && reaches[number]; }))
      std::fill_n(reaches.begin() + node.firstResult, node.resultCount, true);
  }
  return walk(outputs, cotangents, &reaches, wanted, frees ? this : nullptr);
}

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

Array Reverse::wrap(const Array &below, uint32_t number, Location at) {
  return Array::adopt(makeValue(*this, typeOf(below.value()), number, below.value(), at));
}

Array Reverse::input(const Array &x, Location at) { return wrap(x, tape_.addInput(), at); }

Array Reverse::primal(const Array &x) const { return x.value()->isOf(id()) ? Array::share(x.value()->base) : x; }

void Reverse::process(const Bind &outer, std::span<Array> results) {
  const CompositeInfo *composite;
  if (isOpened(outer, composite)) {
    const ActiveInterpreter again(*this); // the ops of its decomposition are this tape's
    return openComposite(outer, results);
  }
  if (hasKeptResults(outer)) {
    const ActiveInterpreter again(*this);
    return bindApart(outer, results);
  }
  std::vector<Value *> below;
  std::vector<uint32_t> numbers, resultNumbers(results.size());
  for (Value *operand : outer.operands) {
    numbers.push_back(number(operand));
    below.push_back(numbers.back() != Tape::none ? operand->base : operand);
  }
  tape_.differentiate(outer, composite, numbers, below, results, resultNumbers);
  for (size_t i = 0; i < results.size(); ++i)
    if (resultNumbers[i] != Tape::none)
      results[i] = wrap(results[i], resultNumbers[i], outer.at);
}
