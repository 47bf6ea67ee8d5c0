//===- Path.cpp - recording one way through a jitted function --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Path.h"

#include "lib/array/Buffer.h"
#include "lib/jit/Signature.h"
#include "lib/trace/Record.h"
#include "lib/trace/Tapes.h"
#include "lib/tree/Structure.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

using namespace tenon;
using namespace tenon::detail;

bool JitPath::isReusable() const {
  if (isOnce() || dependsOnAround)
    return false;
  std::vector<bool> isHeld(state.reads.size());
  for (const VariableUse &use : state.variables)
    isHeld[*use.read] = true;
  for (size_t i = 0; i < isHeld.size(); ++i)
    if (!isHeld[i] && !state.reads[i].value()->isBuffer())
      return false;
  return true;
}

std::string JitPath::whyOnce() const {
  return !refused.empty() ? refused
         : makesVariables ? "it creates Variables at every call; create them outside of the function"
                          : "it uses values of an enclosing function that is being traced or transformed";
}

bool JitPath::areVariablesAlive() const {
  return std::ranges::none_of(state.variables, [](const VariableUse &use) { return use.cell.expired(); });
}

bool JitPath::answersAlike(const JitPath &other, size_t count) const {
  return guards.size() >= count && other.guards.size() >= count &&
         std::equal(guards.begin(), guards.begin() + static_cast<ptrdiff_t>(count), other.guards.begin(),
                    [](const Guard &a, const Guard &b) { return a.answer == b.answer; });
}

bool detail::areCapturedAlike(const Array &a, const Array &b) {
  constexpr int64_t most = int64_t(1) << 24;
  if (!a.has_value() || !b.has_value() || a.value() == b.value())
    return a.value() == b.value();
  const Value *x = a.value(), *y = b.value();
  return x->isBuffer() && y->isBuffer() && typeOf(x) == typeOf(y) && x->isOn(Device::cpu) && x->isDense() &&
         y->isDense() && x->count() <= most &&
         std::memcmp(x->data, y->data, static_cast<size_t>(x->count()) * item_size(x->dtype())) == 0;
}

bool detail::isSameVariable(const VariableUse &a, const VariableUse &b) {
  return !a.cell.owner_before(b.cell) && !b.cell.owner_before(a.cell);
}

bool JitPath::isSame(const JitPath &other) const {
  return guards.size() == other.guards.size() && answersAlike(other, guards.size()) && areAlike(*trace, *other.trace) &&
         std::ranges::equal(state.reads, other.state.reads, areCapturedAlike) &&
         std::ranges::equal(state.variables, other.state.variables, isSameVariable);
}

size_t JitPath::bytes() const {
  size_t bytes = sizeof(JitPath) + trace->bytes().size() * (guards.empty() ? 1 : 2);
  for (const auto &piece : pieces)
    bytes += sizeof(JitPiece) + piece->trace->bytes().size();
  for (const Array &read : state.reads)
    if (read.has_value() && read.value()->isBuffer())
      bytes += static_cast<size_t>(read.value()->count()) * item_size(read.dtype());
  return bytes;
}

namespace {
/// Says of each output of a trace where it comes from.
class Origins {
public:
  Origins(const Record &record, std::span<const StateScope::Use> uses, size_t leaves, const std::string &name)
      : record(record), uses(uses), leaves(leaves), name(name) {}

  Origin of(const Array &array) {
    const Value *value = array.value();
    if (!value)
      throw Error(name + ": expected an array as result, got an empty Array");
    for (size_t i = 0; i < uses.size(); ++i)
      if (uses[i].capture && uses[i].initial.value() == value)
        return {Origin::variable, i, {}, false};
    if (value->isBuffer())
      return {Origin::constant, 0, array, false};
    if (value->isOf(record.id()) && value->number < leaves)
      return {Origin::input, value->number, {}, false};
    auto [place, isNew] = numbers.try_emplace({value->owner, value->number}, outputs.size());
    if (isNew)
      outputs.push_back(array);
    return {Origin::output, place->second, {}, false};
  }

  /// Each once; inputs and constants never go through a program.
  std::vector<Array> outputs;

private:
  const Record &record;
  std::span<const StateScope::Use> uses;
  size_t leaves;
  const std::string &name;
  std::map<std::pair<decltype(Value::owner), decltype(Value::number)>, size_t> numbers;
};
} // namespace

static void markLast(JitPath &path, size_t outputs) {
  std::vector<Origin *> last(outputs);
  auto take = [&](Origin &origin) {
    if (origin.kind == Origin::output)
      last[origin.index] = &origin;
  };
  std::ranges::for_each(path.results, take);
  for (Write &write : path.state.writes)
    take(write.origin);
  for (VariableUse &use : path.state.variables)
    if (use.assigned)
      take(*use.assigned);
  for (Origin *origin : last)
    origin->isLast = true;
}

void JitPath::findStraight() {
  const TraceBody &body = trace->body();
  isStraight = state.reads.empty() && state.writes.empty() && state.variables.empty() &&
               results.size() == body.outputs.size() && !isOnce() &&
               std::ranges::none_of(body.ops, [&](const TraceOp &op) { return isSeen(body, op); });
}

/// Without captured arrays that nothing needs: what has happened was captured for this call.
static void dropUnused(TraceBody &recorded, JitState &state, size_t arguments) {
  std::unordered_set<ValueId> isUsed(recorded.outputs.begin(), recorded.outputs.end());
  for (const TraceOp &op : recorded.ops)
    for (uint32_t i = 0; i < op.operandCount; ++i)
      isUsed.insert(recorded.operands[op.operands + i]);
  std::vector<std::optional<size_t>> places(state.reads.size());
  for (const VariableUse &use : state.variables)
    if (use.read)
      isUsed.insert(recorded.inputs[arguments + *use.read]);
  std::vector<ValueId> inputs(recorded.inputs.begin(), recorded.inputs.begin() + static_cast<ptrdiff_t>(arguments));
  std::vector<Array> reads;
  for (size_t k = 0; k < state.reads.size(); ++k)
    if (const ValueId input = recorded.inputs[arguments + k]; isUsed.contains(input)) {
      places[k] = reads.size();
      inputs.push_back(input);
      reads.push_back(std::move(state.reads[k]));
    }
  for (VariableUse &use : state.variables)
    if (use.read)
      use.read = places[*use.read];
  recorded.inputs = std::move(inputs);
  state.reads = std::move(reads);
}

/// What C++ asks comes after something has been seen: the path for later calls, in pieces, which captures less. Null,
/// and why, where it cannot be.
static std::unique_ptr<JitPath> cutPath(const JitPath &path, size_t arguments, std::string &why) {
  auto later = std::make_unique<JitPath>();
  later->recorded = path.recorded;
  later->state = path.state;
  later->state.reads.resize(path.recorded.inputs.size() - arguments);
  dropUnused(later->recorded, later->state, arguments);
  if (asksLate(later->recorded)) {
    for (const Piece &piece : cut(later->recorded, why))
      later->pieces.push_back(std::make_unique<JitPiece>(piece));
    if (later->pieces.empty())
      return nullptr;
  }
  later->trace = Trace::make(TraceBody(later->recorded));
  later->results = path.results;
  later->kept = path.kept;
  later->prototype = path.prototype;
  later->guards = path.guards;
  later->readsAssigned = path.readsAssigned;
  later->findStraight();
  return later;
}

void detail::refuseWithin(Location at) {
  throw NeedsPlainCall("its C++ branches and side effects belong to the enclosing function", at);
}

void detail::refuseTransformed(Location at) {
  throw NeedsPlainCall("a differentiated or mapped function branches on the result of a host_call, or reads a Variable "
                       "after one; jit the enclosing function",
                       at);
}

void detail::refuseOnTape(Location at) {
  throw NeedsPlainCall("a tape records a function that reads a Variable after assigning it; jit the enclosing function",
                       at);
}

void detail::expectWritable(const JitState &state, const JitCall &call, const std::string &name) {
  auto refuse = [&](size_t written, size_t other) {
    std::vector<std::string> paths = call.paths();
    throw Error(name + ": " + paths[written] + " is updated and is also " + paths[other] + "; pass a copy");
  };
  size_t leaves = call.leaves.size();
  if (state.writes.size() * leaves <= 256) {
    for (const Write &write : state.writes)
      for (size_t i = 0; i < leaves && call.leaves[write.leaf].isMutable(); ++i)
        if (i != write.leaf && call.leaves[i].array == call.leaves[write.leaf].array)
          refuse(write.leaf, i);
    return;
  }
  // Nearly all trees lie in memory in the order of their leaves.
  bool ascending = true;
  for (size_t i = 1; i < leaves; ++i)
    ascending &= std::less<>()(call.leaves[i - 1].array, call.leaves[i].array);
  if (ascending)
    return;
  std::unordered_map<const Array *, size_t> first;
  std::vector<bool> written(leaves);
  for (const Write &write : state.writes)
    written[write.leaf] = call.leaves[write.leaf].isMutable();
  for (size_t i = 0; i < leaves; ++i)
    if (auto [place, isNew] = first.try_emplace(call.leaves[i].array, i);
        !isNew && (written[i] || written[place->second]))
      refuse(written[place->second] ? place->second : i, written[place->second] ? i : place->second);
}

void detail::expectStructure(const JitCall &call, const std::string &structure, const std::string &name) {
  if (structure != call.structure.view())
    throw Error(name + ": the function changed a static value or the size of a container: " +
                argumentDifferences(call.structure.view(), structure, call.names).front() +
                "; under jit only arrays can be updated");
}

/// All has been recorded: where the call's results are, and what it assigns.
static Record::Result takeResults(JitPath &path, Record &record, const StateScope &scope, JitTraced &traced,
                                  const JitCall &call, const std::string &name) {
  path.prototype = std::make_shared<const OwnedTree>(std::move(traced.prototype));
  expectStructure(call, traced.structure, name);
  scope.expectUnlocked(call.at);
  const std::span<const StateScope::Use> uses = scope.uses();
  Origins origins(record, uses, call.leaves.size(), name);
  path.kept.resize(call.leaves.size());
  for (const StateScope::Use &use : uses)
    path.state.variables.push_back({use.cell, use.capture, {}, false, use.guardsBefore, !use.isRead, use.mayNotNest()});
  auto keep = [&](Origin found) {
    if (found.kind == Origin::input)
      path.kept[found.index] = true;
    if (found.kind == Origin::variable)
      path.state.variables[found.index].isKept = true;
    return found;
  };
  auto origin = [&](const Array &array) { return keep(origins.of(array)); };
  for (const Array &result : traced.results)
    path.results.push_back(origin(result));
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    Origin after = origins.of(traced.leaves[i]);
    if (after.kind != Origin::input || after.index != i)
      path.state.writes.push_back({i, keep(std::move(after))});
  }
  for (size_t i = 0; i < uses.size(); ++i)
    if (uses[i].isAssigned)
      path.state.variables[i].assigned = origin(uses[i].current);
  if (record.isWithin()) // what is seen of it happens even so; else the call sees to it
    expectWritable(path.state, call, name);
  markLast(path, origins.outputs.size());
  path.guards = guardsOf(record.body());
  Record::Result recorded = record.finish(origins.outputs, {}, hasGuards(record.body()) || record.hasSettled());
  path.now.asRead.resize(uses.size());
  for (size_t i = 0; i < uses.size(); ++i)
    if (uses[i].capture) { // what it holds is asked for at each call
      Array read = std::exchange(recorded.captures[*uses[i].capture], Array());
      // The host may assign it meanwhile, and a thread before what is answered happens.
      if (!path.refused.empty() && (!uses[i].isAssigned || uses[i].isHostAssigned))
        path.now.asRead[i] = std::move(read);
    }
  return recorded;
}

void detail::expectUpdates(const JitCall &call, const JitTraced &traced, const std::string &name) {
  expectStructure(call, traced.structure, name);
  JitState state;
  for (size_t i = 0; i < call.leaves.size(); ++i)
    if (traced.leaves[i].value() != call.values[i])
      state.writes.push_back({i, {}});
  expectWritable(state, call, name);
}

/// Whether what is recorded for those types has other ones in the call: sizes that are symbols.
static bool isOfOtherTypes(const JitCall &call, const std::vector<Type> &types) {
  for (size_t i = 0; i < types.size(); ++i)
    if (typeOf(call.values[i]) != types[i])
      return true;
  return false;
}

/// Why what was recorded serves one call; empty: it need not.
static std::string whyRefused(const Record &record) {
  if (!record.askedTooOften().empty())
    return record.askedTooOften() + " reads traced values more than " + std::to_string(Record::mostAnswers) +
           " times in one call; use tn::while_loop, tn::scan or tn::cond";
  if (record.hasThrown())
    return "the function catches an exception of a host_call, which a compiled program cannot do; catch it in the host "
           "function";
  return "";
}

/// Where what is recorded is to be dropped, and the function runs as plain C++: before anything of it has happened.
static void expectNoPlainCall(const JitCall &call, const Record &record, const StateScope &scope, bool isTransformed,
                              bool isOnTape) {
  if (record.standsAlone() && (happens(record.body()) || hasGuards(record.body())))
    refuseWithin(call.at);
  if (isTransformed && record.hasRefusedToSettle())
    refuseTransformed(call.at);
  if (isOnTape && scope.readsAssigned())
    refuseOnTape(call.at);
}

/// An Error where what is asked for is what would have had to happen.
static void expectSettled(const JitCall &call, const Record &record) {
  if (record.hasRefusedToSettle() && call.isLookedAt)
    throw Error(record.name() + ": expected a function that can be traced without running host calls, got one " +
                    (record.refusedAt().empty()
                         ? "that reads a Variable after a host_call, which may assign it"
                         : "that branches on the result of a host_call at " + record.refusedAt()) +
                    "; call the function instead, or move that code into the host function",
                call.at);
  if (record.hasRefusedToSettle())
    throw Error("it branches on the result of a host_call");
}

/// What a function gave that has become a part of what is recorded around, as is known there.
static void toWhole(const JitCall &call, JitTraced &traced, const std::string &name) {
  for (std::vector<Array> *const arrays : {&traced.results, &traced.leaves})
    for (Array &array : *arrays)
      array = ofWhole(array);
  for (size_t i = 0; i < call.leaves.size(); ++i) // it may have come as it is known in a part
    if (const Array given = Array::share(call.values[i]); ofWhole(given).value() == traced.leaves[i].value())
      traced.leaves[i] = given;
  expectUpdates(call, traced, name);
}

/// Runs the function on inputs of the Record: what it has thrown.
static std::exception_ptr runFunction(const JitCall &call, Record &record, const std::vector<Type> &types,
                                      JitTraced &traced, const std::string &name) {
  std::vector<Array> inputs;
  std::vector<std::string> paths = call.paths();
  for (size_t i = 0; i < call.leaves.size(); ++i)
    inputs.push_back(record.input(types[i], std::move(paths[i]), call.at));
  std::vector<Array> given;
  for (Value *value : call.values)
    given.push_back(Array::share(value));
  record.know(given);
  try {
    call.trace(inputs, traced);
    if (record.isPart())
      toWhole(call, traced, name);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// It is a part of what is recorded around: gives what it gave there, or what it has thrown.
[[noreturn]] static void endPart(const Record &record, StateJournal &updates, JitTraced &traced,
                                 std::exception_ptr thrown) {
  if (record.failed())
    thrown = record.failed();
  if (!thrown)
    throw BecamePart{std::move(traced)};
  updates.undo();
  std::rethrow_exception(thrown);
}

/// All has been recorded: the path's program, and the path for later calls where this one serves its own.
static void complete(JitPath &path, Record::Result recorded, const JitCall &call, bool isDone, bool isLate,
                     const std::shared_ptr<CapturedHandles> &handles) {
  if (!recorded.whole.ops.empty()) {
    path.recorded = renumbered(recorded.whole, call.leaves.size());
    path.guards = guardsOf(path.recorded);
  }
  path.trace = std::move(recorded.trace);
  path.state.reads = std::move(recorded.captures);
  path.findStraight();
  if (isLate && !path.recorded.ops.empty())
    path.later = cutPath(path, call.leaves.size(), path.refused);
  // A path that serves one call cannot become stale.
  if (JitPath *const kept = path.later ? path.later.get() : path.isOnce() ? nullptr : &path) {
    handles->complete(kept->state.reads);
    kept->handles.push_back(handles);
  }
  // It is answered, and what it does is not done again for another answer.
  if (isDone)
    path.trace = withoutGuards(path.trace);
}

JitPath detail::recordPath(const JitCall &call, const Signature &signature, const std::string &name,
                           Exploration *exploration, bool isTrial, Happened *happened) {
  JitPath path;
  // In a body of control flow the answers would be a round's.
  Record *const around = static_cast<Record *>(innermostRecord());
  if (around && around->mayAsk() && !call.isLookedAt && around->wantsPlainCalls())
    refuseWithin(call.at);
  const bool isTransformed = transforms(), isOnTape = tapesRecord();
  Record record(name);
  record.setFunction(__builtin_frame_address(0));
  JitTraced traced;
  Record::Result recorded;
  if (!exploration && around)
    exploration = around->exploration();
  if (exploration)
    record.explore(*exploration);
  else if (!around || around->mayAsk())
    record.allowAsking();
  if (happened)
    record.resume(*happened);
  const std::vector<Type> types = signature.types();
  if (call.isLookedAt && !exploration)
    record.lookAt();
  else if (isTrial || isTransformed)
    record.forbidSettling();
  const size_t answers = exploration ? exploration->places.size() : 0;
  bool isDone = false, isLate = false;
  {
    StateJournal updates;
    StateScope scope(record);
    // What is looked at is no part of anything.
    if (const bool isWithin = around && !call.isLookedAt;
        isWithin && scope.isWithin() && !isTrial && !isOfOtherTypes(call, types))
      record.mayBecomePart(scope);
    else if (isWithin && around->mayAsk())
      record.standAlone();
    ActiveInterpreter active(record);
    std::exception_ptr thrown = runFunction(call, record, types, traced, name);
    if (record.isPart())
      endPart(record, updates, traced, thrown);
    // Before anything that has happened counts as this recording's. Also where the function has caught it.
    try {
      expectNoPlainCall(call, record, scope, isTransformed, isOnTape);
    } catch (const NeedsPlainCall &) {
      if (exploration)
        exploration->forgetBehind(answers);
      throw;
    }
    expectSettled(call, record);
    if (happened) {
      record.skipHappened();
      happened->isOther |= !happened->effects.empty();
      if (happened->isOther)
        return path;
    }
    if (record.failed())
      thrown = record.failed();
    if (thrown && isTrial)
      std::rethrow_exception(thrown);
    if (exploration && exploration->refused) // also where the function has caught it
      std::rethrow_exception(exploration->refused);
    if (!thrown)
      try {
        scope.settle();
        path.makesVariables = scope.isOnce();
        path.readsAssigned = scope.readsAssigned();
        path.dependsOnAround = record.dependsOnAround() || (record.hasRefusedAnswer() && (around || isTransformed));
        path.refused = whyRefused(record);
        isDone = asksLate(record.body()) || record.hasSettled();
        if (path.refused.empty() && isDone) {
          isLate = !isTrial && !path.makesVariables;
          path.refused = "it branches on a value after a print or host call; use tn::where, tn::cond or tn::while_loop";
        }
        recorded = takeResults(path, record, scope, traced, call, name);
      } catch (...) {
        if (!around)
          throw;
        thrown = std::current_exception();
      }
    // Who has called it may go on: what it has done is done.
    if (thrown && around && happens(record.body()))
      record.recordAround();
    else if (thrown && !around && !call.isLookedAt)
      record.runEffects();
    if (thrown)
      std::rethrow_exception(thrown);
  }
  path.now.hosts = record.hosts();
  traced = {};
  path.now.leaks = record.leaks();
  complete(path, std::move(recorded), call, isDone && !call.isLookedAt && !exploration, isLate, record.handles());
  return path;
}

Lowered JitPath::whole() const {
  TraceBody body = trace->body();
  std::vector<ValueId> outputs;
  std::vector<Array> captured = state.reads;
  const size_t first = body.inputs.size() - captured.size();
  std::unordered_map<const Value *, ValueId> inputs;
  for (size_t k = 0; k < captured.size(); ++k)
    if (captured[k].has_value()) // no Variable's: what that holds may be a constant, or another one's, too
      inputs.emplace(captured[k].value(), body.inputs[first + k]);
  for (const VariableUse &use : state.variables)
    if (use.read)
      captured[*use.read] = stateOf(use.cell.lock());
  /// The captured input that is `array`.
  auto input = [&](const Array &array) {
    auto [place, isNew] = inputs.try_emplace(array.value(), static_cast<ValueId>(body.types.size()));
    if (isNew) {
      captured.push_back(array);
      body.inputs.push_back(place->second);
      body.types.push_back(typeOf(array.value()));
    }
    return place->second;
  };
  auto add = [&](const Origin &origin) {
    outputs.push_back(origin.kind == Origin::constant   ? input(origin.array)
                      : origin.kind == Origin::variable ? body.inputs[first + *state.variables[origin.index].read]
                      : origin.kind == Origin::input    ? body.inputs[origin.index]
                                                        : body.outputs[origin.index]);
  };
  for (const Origin &result : results)
    add(result);
  for (const Write &write : state.writes)
    add(write.origin);
  for (const VariableUse &use : state.variables)
    if (use.assigned)
      add(*use.assigned);
  if (outputs == body.outputs)
    return Lowered(TraceRef(trace).detach(), std::move(captured));
  body.outputs = std::move(outputs);
  return Lowered(Trace::make(std::move(body)).detach(), std::move(captured));
}
