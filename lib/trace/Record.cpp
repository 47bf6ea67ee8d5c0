//===- Record.cpp - recording a function into a trace -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Record.h"

#include "lib/trace/RegionOp.h"
#include "lib/trace/ThreadScratch.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

/// Values of a trace whose memory is kept: some 3 MiB.
static constexpr size_t mostKept = 1 << 14;

Record::Record(std::string name, InterpreterKind kind) : Interpreter(kind, std::move(name)) {
  std::swap(body_, ThreadScratch::ofThread().body);
  body_.name = this->name();
}

Array Record::input(const Type &type, std::string path, Location at) {
  ValueId id = static_cast<ValueId>(body_.types.size());
  body_.types.push_back(type);
  body_.inputs.push_back(id);
  paths_.push_back(std::move(path));
  return Array::adopt(makeValue(*this, type, id, nullptr, at));
}

Array Record::stateInput(const Array &behind, std::string path, size_t &capture) {
  const Type type = typeOf(behind.value());
  const auto id = static_cast<ValueId>(body_.types.size());
  body_.types.push_back(type);
  hidden_.push_back(id);
  capture = captures_.size();
  captures_.push_back(behind);
  statePaths_.emplace(id, std::move(path));
  return Array::adopt(makeValue(*this, type, id, nullptr, {}));
}

std::string Record::path(const Value *value) const {
  if (const auto state = statePaths_.find(value->number); state != statePaths_.end())
    return state->second;
  return value->number < paths_.size() ? paths_[value->number] : "";
}

ValueId Record::number(Value *value) {
  if (value->isOf(id()))
    return value->number;
  auto [place, isNew] = captured_.try_emplace(value, static_cast<ValueId>(body_.types.size()));
  if (isNew) {
    body_.types.push_back(typeOf(value));
    hidden_.push_back(place->second);
    captures_.push_back(Array::share(value));
  }
  return place->second;
}

uint32_t Record::location(Location at) {
  at = userLocation(at);
  uint64_t scopes = 0;
  for (const LocationScope *scope = LocationScope::innermost(); scope; scope = scope->outer())
    if (*scope->name())
      scopes = scopes * 31 + reinterpret_cast<uint64_t>(scope->name());
  Place place{at.file, uint64_t(at.line) << 32 | at.column, scopes};
  if (place == lastPlace_)
    return lastLocation_;
  auto [entry, isNew] = places_.try_emplace(place, static_cast<uint32_t>(body_.locations.size()));
  if (isNew) {
    TraceLocation location{at.file, at.line, at.column, {}};
    for (const LocationScope *scope = LocationScope::innermost(); scope; scope = scope->outer())
      if (*scope->name())
        location.scopes.push_back(scope->name());
    body_.locations.push_back(std::move(location));
  }
  lastPlace_ = place;
  return lastLocation_ = entry->second;
}

void Record::process(const Bind &bind, std::span<Array> results) {
  TraceOp op{};
  op.code = bind.op;
  op.operands = static_cast<uint32_t>(body_.operands.size());
  op.operandCount = static_cast<uint32_t>(bind.operands.size());
  for (Value *operand : bind.operands) {
    ValueId id = number(operand);
    body_.operands.push_back(id);
  }
  op.attributes = static_cast<uint32_t>(body_.attributes.size());
  op.attributeCount = static_cast<uint32_t>(bind.attributes.size());
  body_.attributes.insert(body_.attributes.end(), bind.attributes.begin(), bind.attributes.end());
  op.regions = static_cast<uint32_t>(body_.regions.size());
  op.regionCount = static_cast<uint32_t>(bind.regions.size());
  body_.regions.insert(body_.regions.end(), bind.regions.begin(), bind.regions.end());
  op.firstResult = static_cast<ValueId>(body_.types.size());
  op.results = static_cast<uint32_t>(bind.types.size());
  for (size_t i = 0; i < bind.types.size(); ++i) {
    body_.types.push_back(bind.types[i]);
    results[i] =
        Array::adopt(makeValue(*this, bind.types[i], op.firstResult + static_cast<ValueId>(i), nullptr, bind.at));
  }
  body_.ops.push_back(op);
  body_.opLocations.push_back(location(bind.at));
}

/// The elements of a value: of a buffer, of what is differentiated above one, or of a Record that can evaluate it.
static std::optional<Array> elementsOf(Value *value) {
  value = withoutDerivatives(value);
  if (value->isBuffer())
    return Array::share(value);
  const Interpreter *const owner = interpreterOf(value);
  if (!owner || owner->kind() != InterpreterKind::record)
    return std::nullopt;
  return static_cast<const Record *>(owner)->evaluate(value);
}

std::optional<Array> Record::evaluate(const Value *value) const {
  TraceBody body = body_;
  body.inputs.insert(body.inputs.end(), hidden_.begin(), hidden_.end());
  body.outputs = {value->number};
  // What the value does not depend on is dropped; inputs are not.
  const TraceRef slice = withoutEffects(*Trace::make(std::move(body)));
  const std::vector<bool> used = usedInputs(*slice);
  body = slice->body();
  std::vector<ValueId> needed;
  std::vector<Array> inputs;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      continue;
    const size_t explicitInputs = body_.inputs.size();
    const Array behind = i >= explicitInputs ? captures_[i - explicitInputs] : i < known_.size() ? known_[i] : Array();
    const std::optional<Array> elements = behind.has_value() ? elementsOf(behind.value()) : std::nullopt;
    if (!elements)
      return std::nullopt;
    needed.push_back(body.inputs[i]);
    inputs.push_back(*elements);
  }
  body.inputs = std::move(needed);
  const TraceRef trace = Trace::make(std::move(body));
  const EmptyStack alone;
  const DetachedLocations detached;
  return evaluateTrace(*trace, inputs)[0];
}

const TraceOp *Record::maker(const Value *value) const {
  const auto next = std::ranges::upper_bound(body_.ops, value->number, {}, &TraceOp::firstResult);
  if (next == body_.ops.begin() || value->number >= next[-1].firstResult + next[-1].results)
    return nullptr;
  return &next[-1];
}

Record::Result Record::finish(std::span<const Array> outputs, Location at) {
  for (const Array &output : outputs) {
    if (!output.has_value())
      throw Error(name() + ": expected an array as result, got an empty Array", userLocation(at));
    if (!output.value()->isOf(id()))
      expectInUse(name(), output.value(), at);
    body_.outputs.push_back(number(output.value()));
  }
  body_.inputs.insert(body_.inputs.end(), hidden_.begin(), hidden_.end());
  Result result;
  result.captures = std::move(captures_);
  result.trace = Trace::make(std::move(body_));
  TraceBody &kept = ThreadScratch::ofThread().body;
  if (body_.types.capacity() > kept.types.capacity() && body_.types.capacity() <= mostKept) {
    body_.clear();
    std::swap(body_, kept);
  }
  return result;
}
