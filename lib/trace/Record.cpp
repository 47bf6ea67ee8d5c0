//===- Record.cpp - recording a function into a trace -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Record.h"

#include "lib/array/Buffer.h"
#include "lib/trace/HostFunction.h"
#include "lib/trace/RegionOp.h"
#include "lib/trace/State.h"
#include "lib/trace/ThreadScratch.h"
#include "runtime/kernels/Guard.h"

#include <tenon/detail/inline_vector.h>

#include <algorithm>
#include <numeric>
#include <ranges>

using namespace tenon;
using namespace tenon::detail;

/// Values of a trace whose memory is kept: some 3 MiB.
static constexpr size_t mostKept = 1 << 14;

Record::Record(std::string name, InterpreterKind kind)
    : Interpreter(kind, std::move(name)), around_(static_cast<Record *>(innermostRecord())) {
  std::swap(body_, ThreadScratch::ofThread().body);
  body_.name = this->name();
}

static bool isHeldElsewhere(const Array &x) { return __atomic_load_n(&x.value()->references, __ATOMIC_ACQUIRE) != 1; }

Array Record::newValue(Array value) {
  if (isFunction_) {
    if (ownValues_.size() == sweepAt_) {
      std::erase_if(ownValues_, [](const Array &x) { return !isHeldElsewhere(x); });
      sweepAt_ = std::max(sweepAt_, 2 * ownValues_.size());
    }
    ownValues_.push_back(value);
  }
  return value;
}

Record::Leaks Record::leaks() const {
  Leaks leaks;
  for (const Array &x : ownValues_)
    if (isHeldElsewhere(x) && ++leaks.count == 1) {
      const Value *value = x.value();
      leaks.first = describe(value->dtype(), value->shape(), value->device());
      if (const Location at = value->place(); at.known())
        leaks.first += ", made at " + placeText(at);
    }
  return leaks;
}

void Record::watchHandle(const Array *handle, Value *value, Location at) {
  const std::less<const void *> isBelow;
  const void *const here = __builtin_frame_address(0);
  // An interpreter that is no Record may record, too.
  for (auto *record = dynamic_cast<Record *>(innermostRecord()); record; record = record->around_)
    if (record->handles_ && (isBelow(handle, here) || !isBelow(handle, record->frame_)))
      record->handles_->watch(handle, value, at);
}

Array Record::input(const Type &type, std::string path, Location at) {
  ValueId id = static_cast<ValueId>(body_.types.size());
  body_.types.push_back(type);
  body_.inputs.push_back(id);
  paths_.push_back(std::move(path));
  return newValue(Array::adopt(makeValue(*this, type, id, nullptr, at)));
}

Array Record::stateInput(const Array &behind, std::string path, size_t &capture) {
  const Type type = typeOf(behind.value());
  const auto id = static_cast<ValueId>(body_.types.size());
  body_.types.push_back(type);
  hidden_.push_back(id);
  capture = captures_.size();
  captures_.push_back(behind);
  statePaths_.emplace(id, std::move(path));
  return newValue(Array::adopt(makeValue(*this, type, id, nullptr, {})));
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

uint64_t Record::innermostFunction() {
  const auto *record = static_cast<const Record *>(innermostRecord());
  while (record && !(record->isFunction_ && !record->isPart_))
    record = record->around_;
  return record ? record->id() : 0;
}

void Record::recordAround() {
  const StackBelow below(*this);
  const DetachedLocations detached;
  TraceBody all = body_;
  all.inputs.insert(all.inputs.end(), hidden_.begin(), hidden_.end());
  all.outputs.resize(all.types.size());
  std::iota(all.outputs.begin(), all.outputs.end(), 0);
  std::vector<Array> inputs = known_;
  inputs.insert(inputs.end(), captures_.begin(), captures_.end());
  valuesAround_ = evaluateTrace(*Trace::make(std::move(all)), inputs);
}

void Record::becomePart() {
  if (!scope_ || isPart_)
    return;
  if (failed_)
    std::rethrow_exception(failed_);
  // What a tape knows a value by it would not know there.
  if (Record &whole = *around_->askable(); tapesStandAbove(whole)) {
    whole.hadOneAlone_ = true;
    return standAlone();
  }
  try { // half of a part is none
    recordAround();
    isPart_ = true;
    const StackBelow below(*this);
    scope_->becomePart();
  } catch (...) {
    failed_ = std::current_exception();
    throw;
  }
}

/// Kept by the Records that are parts.
static Value *ofWhole(Value *value) {
  while (value) {
    const Interpreter *const owner = interpreterOf(value);
    if (!owner || owner->kind() != InterpreterKind::record || !owner->below(value))
      break;
    value = owner->below(value);
  }
  return value;
}
Array tenon::ofWhole(const Array &x) { return Array::share(::ofWhole(x.value())); }

/// Whether it calls the host: its results are those of one call.
static bool callsHost(OpCode op, std::span<const TraceRef> regions) {
  return op == OpCode::host_call ||
         std::ranges::any_of(regions, [](const TraceRef &region) { return region->callsHost(); });
}

void Record::process(const Bind &bind, std::span<Array> results) {
  const bool isHostCalled = callsHost(bind.op, bind.regions);
  if (isHostCalled && mayAsk_)
    becomePart();
  if (isPart_) {
    InlineVector<Value *, 4> operands;
    for (Value *operand : bind.operands)
      operands.push_back(::ofWhole(operand));
    Bind around = bind;
    around.operands = {operands.begin(), operands.size()};
    around.mayUpdate = false;
    return tenon::bind(around, results);
  }
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
  if (bind.op == OpCode::host_call)
    hosts_.push_back(HostFunction::find(HostCallAttrs::read(bind.attributes).function));
  body_.attributes.insert(body_.attributes.end(), bind.attributes.begin(), bind.attributes.end());
  op.regions = static_cast<uint32_t>(body_.regions.size());
  op.regionCount = static_cast<uint32_t>(bind.regions.size());
  body_.regions.insert(body_.regions.end(), bind.regions.begin(), bind.regions.end());
  op.firstResult = static_cast<ValueId>(body_.types.size());
  op.results = static_cast<uint32_t>(bind.types.size());
  for (size_t i = 0; i < bind.types.size(); ++i) {
    body_.types.push_back(bind.types[i]);
    results[i] = newValue(
        Array::adopt(makeValue(*this, bind.types[i], op.firstResult + static_cast<ValueId>(i), nullptr, bind.at)));
  }
  body_.ops.push_back(op);
  body_.opLocations.push_back(location(bind.at));
  // The host is called where C++ calls it: what it throws is caught there, and what it assigns is assigned by then.
  // From there on all happens in its place.
  if (isHostCalled) {
    hostCalledAfter_ = guards_ + 1;
    StateScope::noteHostCall();
  }
  if ((isHostCalled || (hasSettled_ && happens(body_, op))) && maySettle())
    settle(body_.ops.size());
}

std::optional<Array> tenon::elementsOf(Value *value) {
  value = withoutDerivatives(value);
  if (value->isBuffer())
    return Array::share(value);
  const Interpreter *const owner = interpreterOf(value);
  if (!owner || owner->kind() != InterpreterKind::record)
    return std::nullopt;
  return static_cast<const Record *>(owner)->evaluate(value);
}

std::optional<Array> Record::evaluate(const Value *value) const {
  return compute(value->number) ? std::optional(computed_.at(value->number).elements) : std::nullopt;
}

static bool callsHost(const TraceBody &body, const TraceOp &op) {
  return callsHost(op.code, std::span(body.regions).subspan(op.regions, op.regionCount));
}

std::optional<Array> tenon::constantElements(Value *value) {
  value = withoutDerivatives(value);
  const Interpreter *const owner = interpreterOf(value);
  if (!owner || owner->kind() != InterpreterKind::record)
    return elementsOf(value);
  return static_cast<const Record *>(owner)->constant(value);
}

std::optional<Array> Record::constant(const Value *value) const {
  std::vector<ValueId> wanted{value->number};
  std::unordered_set<ValueId> isSeen;
  while (!wanted.empty()) {
    const ValueId next = wanted.back();
    wanted.pop_back();
    if (!isSeen.insert(next).second)
      continue;
    if (!body_.types[next].shape.is_static())
      return std::nullopt;
    if (const TraceOp *const op = makerOf(body_, next)) {
      if (callsHost(body_, *op))
        return std::nullopt;
      wanted.insert(wanted.end(), operands(*op).begin(), operands(*op).end());
      continue;
    }
    const auto hidden = std::ranges::find(hidden_, next);
    if (hidden == hidden_.end() || statePaths_.contains(next) ||
        !constantElements(captures_[static_cast<size_t>(hidden - hidden_.begin())].value()))
      return std::nullopt;
  }
  return evaluate(value);
}

bool Record::computeInput(ValueId value) const {
  if (computed_.contains(value))
    return true;
  const auto hidden = std::ranges::find(hidden_, value);
  const auto capture = static_cast<size_t>(hidden - hidden_.begin());
  const Array behind = hidden != hidden_.end() ? captures_[capture] : value < known_.size() ? known_[value] : Array();
  const std::optional<Array> elements = behind.has_value() ? elementsOf(behind.value()) : std::nullopt;
  if (!elements)
    return false;
  // A path has what it captures for good, but for what Variables hold.
  const bool isSame = hidden != hidden_.end() && behind.value()->isBuffer() && !statePaths_.contains(value);
  computed_.emplace(value, Computed{*elements, !isSame});
  return true;
}

/// What of computed values is kept, beside small ones.
static constexpr size_t mostComputed = size_t(64) << 20, smallBytes = 4096;

static size_t bytesOf(const Array &x) { return static_cast<size_t>(x.value()->count()) * item_size(x.dtype()); }

bool Record::compute(ValueId value) const {
  // Backwards, which ops are left to compute.
  std::vector<ValueId> wanted{value};
  std::vector<const TraceOp *> ops;
  std::unordered_set<const TraceOp *> isTaken;
  while (!wanted.empty()) {
    const ValueId next = wanted.back();
    wanted.pop_back();
    const TraceOp *op = makerOf(body_, next);
    if (!op && !computeInput(next))
      return false;
    if (!computed_.contains(next) && isTaken.insert(op).second) {
      ops.push_back(op);
      wanted.insert(wanted.end(), operands(*op).begin(), operands(*op).end());
    }
  }
  // What calls the host happens once, in its turn, and with it all that comes before.
  std::ranges::sort(ops);
  const auto last =
      std::ranges::find_if(std::views::reverse(ops), [&](const TraceOp *op) { return callsHost(body_, *op); });
  if (last != ops.rend()) {
    const size_t end = static_cast<size_t>(*last - body_.ops.data()) + 1;
    return settled_ < end && settle(end) && compute(value);
  }
  // Then forwards, one by one: what is large is kept as long as there is room, the last made the longest.
  std::unordered_map<ValueId, unsigned> readers;
  for (const TraceOp *op : ops)
    for (ValueId operand : operands(*op))
      ++readers[operand];
  for (const TraceOp *op : ops) {
    run(*op, true);
    for (ValueId operand : operands(*op))
      --readers[operand];
    while (keptBytes_ > mostComputed) {
      const auto oldest = std::ranges::find_if(kept_, [&](ValueId one) { return one != value && !readers[one]; });
      if (oldest == kept_.end())
        break;
      keptBytes_ -= bytesOf(computed_.at(*oldest).elements);
      computed_.erase(*oldest);
      kept_.erase(oldest);
    }
  }
  return true;
}

void Record::run(const TraceOp &one, bool isSilent) const {
  TraceBody slice;
  std::vector<Array> inputs;
  bool varies = false;
  std::unordered_map<ValueId, ValueId> numbers;
  auto addInput = [&](ValueId value) {
    const auto [place, isNew] = numbers.try_emplace(value, static_cast<ValueId>(slice.types.size()));
    if (isNew) {
      slice.inputs.push_back(place->second);
      slice.types.push_back(body_.types[value]);
      inputs.push_back(computed_.at(value).elements);
    }
    return place->second;
  };
  for (ValueId operand : operands(one)) {
    slice.operands.push_back(addInput(operand));
    varies |= computed_.at(operand).varies;
  }
  if (std::ranges::any_of(body_.inputs, [&](ValueId input) { return !body_.types[input].shape.is_static(); }))
    for (ValueId input : body_.inputs) // they say what the symbols are
      if (computeInput(input))
        addInput(input);
  TraceOp op = one;
  op.operands = op.attributes = op.regions = 0;
  const AttrWords words = attributes(one);
  slice.attributes.assign(words.begin(), words.end());
  for (uint32_t i = 0; i < op.regionCount; ++i) {
    const TraceRef &region = body_.regions[one.regions + i];
    slice.regions.push_back(isSilent ? withoutEffects(*region) : region);
  }
  op.firstResult = static_cast<ValueId>(slice.types.size());
  for (ValueId result = one.firstResult; result < one.firstResult + one.results; ++result) {
    slice.outputs.push_back(static_cast<ValueId>(slice.types.size()));
    slice.types.push_back(body_.types[result]);
    varies |= !body_.types[result].shape.is_static(); // its sizes are the call's
  }
  varies |= callsHost(body_, one);
  slice.opLocations.push_back(0);
  slice.locations.push_back(body_.locations[body_.opLocations[static_cast<size_t>(&one - body_.ops.data())]]);
  slice.ops.push_back(op);
  const TraceRef trace = Trace::make(std::move(slice));
  const EmptyStack alone;
  const DetachedLocations detached;
  std::vector<Array> elements = evaluateTrace(*trace, inputs);
  for (uint32_t i = 0; i < one.results; ++i) {
    const ValueId result = one.firstResult + i;
    const size_t bytes = bytesOf(elements[i]);
    const bool isNew = computed_.try_emplace(result, Computed{std::move(elements[i]), varies}).second;
    if (isNew && isSilent && bytes > smallBytes) {
      keptBytes_ += bytes;
      kept_.push_back(result);
    } else if (!isSilent && !isNew) { // what has happened is not computed again
      computed_.at(result).varies = varies;
      keepForGood(result);
    }
  }
}

/// Of a value that C++ asks for as `dtype`, what it sees of it.
static bool seesLess(Dtype dtype, Dtype value) {
  return tenon::kind(dtype) < tenon::kind(value) ||
         (tenon::kind(dtype) == tenon::kind(value) && item_size(dtype) < item_size(value));
}

Array Record::apply(OpCode op, const Array &x, AttrWords words, const Type &type, Location at) {
  Value *operand = x.value();
  Array result;
  process({op, {&operand, 1}, words, {}, {&type, 1}, at}, {&result, 1});
  return result;
}

std::optional<Array> Record::ask(Value *value, Dtype dtype, const char *what, Location at) {
  Type type = typeOf(value);
  if (!mayAsk_)
    return std::nullopt;
  Record *const inner = asking();
  if (isPart_) {
    value = withoutDerivatives(value);
    const Interpreter *const owner = interpreterOf(value); // on this thread's stack, where nobody has it as const
    return owner ? const_cast<Interpreter *>(owner)->ask(value, dtype, what, at) : std::optional(Array::share(value));
  }
  if (!at.known())
    at = value->place();
  at = userLocation(at);
  const bool isComputed = compute(value->number);
  if (exploration_ && !(isComputed && !computed_.at(value->number).varies))
    return explored(value, dtype, what, at);
  if (!isComputed) { // also who is wrong about its type hears so of a traced value
    if (hasRefusedToSettle_ && refusedAt_.empty())
      refusedAt_ = placeText(at);
    return std::nullopt;
  }
  if (const Array &whole = computed_.at(value->number).elements; element_count(whole.shape()).raw() != 1)
    throw Error(std::string(what) + ": expected an array of one element, got " + type.str(), at);
  if (!computed_.at(value->number).varies)
    return computed_.at(value->number).elements;
  if (tenon::kind(type.dtype) == Kind::complex)
    throw Error(std::string(what) + ": expected C++ to read a real array in " + name() + ", got " + type.str() +
                    "; read real(x) and imag(x) instead",
                at);
  if (!inner)
    return std::nullopt;
  const Array seen = inner->seenAs(value, dtype, at);
  Array elements = *elementsOf(seen.value());
  inner->note(*value, seen, elements, at);
  return elements;
}

Record *Record::asking() {
  auto *const innermost = static_cast<Record *>(innermostRecord());
  const Record *record = innermost;
  while (record && record != this)
    record = record->around_;
  if (!record)
    return nullptr;
  for (Record *within = innermost;; within = within->around_) {
    within->becomePart();
    if (within->isAsked()) // or stands alone now
      return within;
    within->dependsOnAround_ |= !within->isPart_;
  }
}

Array Record::seenAs(Value *value, Dtype dtype, Location at) {
  Type type = typeOf(value);
  Array seen = Array::share(value);
  if (seesLess(dtype, type.dtype) || is_storage(type.dtype)) {
    type.dtype = is_storage(type.dtype) ? Dtype::f32 : dtype;
    seen = apply(OpCode::astype, seen, wordsOf(AstypeAttrs{type.dtype}), type, at);
  }
  if (type.shape.rank()) {
    type.shape = {};
    seen = apply(OpCode::reshape, seen, wordsOf(ReshapeAttrs{{}}), type, at);
  }
  return seen;
}

Array Record::explored(Value *value, Dtype dtype, const char *what, Location at) {
  const Type type = typeOf(value);
  auto refuse = [&](const std::string &why) {
    const Error error(std::string(what) + ": " + why, at);
    exploration_->refused = std::make_exception_ptr(error);
    throw error;
  };
  if (element_count(type.shape) != 1)
    refuse("expected an array of one element, got " + type.str());
  if (dtype != Dtype::bool_)
    refuse("expected C++ to read a bool while " + name() +
           " is traced without values, since a number has too many possible values; compare it, or trace with arrays");
  Exploration &way = *exploration_;
  const std::pair identity(value->owner, value->number);
  Record *const inner = asking();
  if (!inner)
    refuse("expected a value of the function that is being traced, got one of " + name() + ", which encloses it");
  if (const auto known = way.known.find(identity); known != way.known.end()) {
    for (Record *record = inner; record != this; record = record->around_)
      record->dependsOnAround_ = true;
    return Array(static_cast<bool>(way.answers[known->second]));
  }
  if (std::ranges::count(way.places, placeText(at)) == Exploration::mostWays)
    refuse("read more than " + std::to_string(Exploration::mostWays) + " times while " + name() +
           " is traced without values, which cannot tell when a loop ends; use tn::while_loop, or trace with arrays");
  way.known.insert_or_assign(identity, way.places.size());
  way.places.push_back(placeText(at));
  if (way.places.size() > way.answers.size())
    way.answers.push_back(false);
  const Array answer(static_cast<bool>(way.answers[way.places.size() - 1]));
  Array widened = Array::share(value);
  if (is_storage(type.dtype))
    widened = inner->apply(OpCode::astype, widened, wordsOf(AstypeAttrs{Dtype::f32}),
                           {Dtype::f32, type.device, type.shape}, at);
  inner->note(*value, inner->seenAs(widened.value(), dtype, at), answer, at);
  return answer;
}

void Record::note(const Value &value, const Array &seen, const Array &elements, Location at) {
  const std::string place = placeText(at);
  if (!askedTooOften_.empty() || !noted_.emplace(value.owner, value.number, seen.dtype()).second)
    return;
  if (++answersAt_[place] > mostAnswers) {
    askedTooOften_ = place;
    return;
  }
  guard(seen, rt::answerOf(onHost(elements.value(), "item()", at).value()->data, seen.dtype()), at);
}

void Record::guard(const Array &seen, int64_t answer, Location at) {
  Value *operand = seen.value();
  const std::vector<int64_t> words = wordsOf(GuardAttrs{answer});
  process({OpCode::guard, {&operand, 1}, words, {}, {}, at}, {});
  ++guards_;
}

bool Record::beforeRead() {
  const bool isMarked = !hasCalledHostSince(guardCount()); // a question has come between
  if (!exploration_ && !(isMarked && isLookedAt_) && !settle(body_.ops.size()))
    return false;
  if (!isMarked)
    guard(Array(true), 1, {});
  return true;
}

bool Record::settle(size_t count, bool isKnown) const {
  if (!maySettle_) {
    hasRefusedToSettle_ |= !isKnown;
    return false;
  }
  if (!mayAsk_ || exploration_ || failed_)
    return false;
  while (settled_ < count) {
    const bool hasHappened = happened_ && !happened_->effects.empty();
    if (happened_ && (happened_->isOther || (isKnown && !hasHappened)))
      return !happened_->isOther;
    const TraceOp &op = body_.ops[settled_];
    if (!happens(body_, op)) {
      ++settled_;
      continue;
    }
    for (const ValueId operand : operands(op))
      if (!compute(operand))
        return false;
    hasSettled_ = true;
    if (hasHappened) {
      takeHappened(op);
      ++settled_;
      continue;
    }
    // Where it throws, the function does at this place: what is recorded behind it does not happen.
    const size_t next = std::exchange(settled_, body_.ops.size());
    try {
      run(op, false);
    } catch (...) {
      hasThrown_ = true;
      if (next + 1 < body_.ops.size())
        failed_ = std::current_exception();
      throw;
    }
    settled_ = next + 1;
  }
  return true;
}

void Record::takeHappened(const TraceOp &op) const {
  const Happened::Effect effect = std::move(happened_->effects.front());
  happened_->effects.pop_front();
  auto isLike = [](const Type &was, const Type &is) {
    return was.dtype == is.dtype && was.device == is.device && was.shape.rank() == is.shape.rank() &&
           std::ranges::equal(was.shape, is.shape, [](Dim a, Dim b) { return !b.is_static() || a.raw() == b.raw(); });
  };
  happened_->isOther = !happensAlike(*effect.body, *effect.op, body_, op);
  for (uint32_t i = 0; i < op.results && !happened_->isOther; ++i) {
    const ValueId result = op.firstResult + i;
    happened_->isOther = !isLike(typeOf(effect.results[i].value()), body_.types[result]);
    keepForGood(result);
    computed_.insert_or_assign(result, Computed{effect.results[i], true});
  }
}

void Record::keepForGood(ValueId value) const {
  const auto place = std::ranges::find(kept_, value);
  if (place == kept_.end())
    return;
  keptBytes_ -= bytesOf(computed_.at(value).elements);
  kept_.erase(place);
}

void Record::dropSettled() {
  auto capture = [&](ValueId value, const Array &elements) {
    hidden_.push_back(value);
    captures_.push_back(elements);
  };
  std::vector<TraceOp> ops;
  std::vector<uint32_t> locations;
  for (size_t i = 0; i < body_.ops.size(); ++i)
    if (i >= settled_ || !happens(body_, body_.ops[i])) {
      ops.push_back(body_.ops[i]);
      locations.push_back(body_.opLocations[i]);
    }
  for (size_t i = 0; i < settled_; ++i) {
    const TraceOp &op = body_.ops[i];
    for (ValueId result = op.firstResult; happens(body_, op) && result < op.firstResult + op.results; ++result) {
      if (const auto elements = computed_.find(result); elements != computed_.end()) // else it has thrown
        capture(result, elements->second.elements);
    }
  }
  body_.ops = std::move(ops);
  body_.opLocations = std::move(locations);
}

Record::Result Record::finish(std::span<const Array> outputs, Location at, bool wantsWhole) {
  body_.outputs.clear(); // some of which were refused before
  for (const Array &output : outputs) {
    if (!output.has_value())
      throw Error(name() + ": expected an array as result, got an empty Array", userLocation(at));
    if (!output.value()->isOf(id()))
      expectInUse(name(), output.value(), at);
    body_.outputs.push_back(number(output.value()));
  }
  Result result;
  if (wantsWhole) {
    result.whole = body_;
    result.whole.inputs.insert(result.whole.inputs.end(), hidden_.begin(), hidden_.end());
  }
  if (hasSettled_)
    dropSettled();
  body_.inputs.insert(body_.inputs.end(), hidden_.begin(), hidden_.end());
  result.captures = std::move(captures_);
  result.trace = Trace::make(std::move(body_));
  TraceBody &kept = ThreadScratch::ofThread().body;
  if (body_.types.capacity() > kept.types.capacity() && body_.types.capacity() <= mostKept) {
    body_.clear();
    std::swap(body_, kept);
  }
  return result;
}
