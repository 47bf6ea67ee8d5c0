//===- RunPieces.cpp - a call of a jitted function that is asked after it is seen ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has happened does not happen again: a guard of a later piece that does not hold leads
// to the same piece of another path, or the function is recorded on from there.
//===----------------------------------------------------------------------===//
#include "lib/array/Buffer.h"
#include "lib/jit/Core.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// The Variables of a call that may go from one path to another: all of theirs, as they are when it begins. Held where
/// one of the paths assigns them; the host may assign those that the call's own path does not.
class CallStates {
public:
  /// Of `paths` those stay whose Variables are all there; it is an Error if the first one's are not.
  CallStates(std::vector<JitPath *> &paths, Location at) : at_(at) {
    std::vector<HeldCells::One> assigned;
    const JitPath *const first = paths.front();
    auto take = [&](const JitPath *path) {
      if (!path->isAlive())
        return false;
      for (const VariableUse &use : path->state.variables) {
        const CellRef cell = use.cell.lock();
        if (!cell)
          return false;
        cells_.push_back(cell);
        values_.try_emplace(keyOf(use));
        if (use.assigned)
          assigned.push_back({cells_.back(), !use.mayNotNest});
      }
      return true;
    };
    std::erase_if(paths, [&](const JitPath *path) { return !take(path); });
    if (paths.empty() || paths.front() != first)
      throw Error("jit: a Variable that the function uses was destroyed during the call", at_);
    if (!assigned.empty() && !StateScope::innermost())
      held_.emplace(std::move(assigned), at_);
    for (const JitPath *path : paths)
      for (const VariableUse &use : path->state.variables)
        if (Array &value = values_.at(keyOf(use)); !value.has_value())
          value = stateOf(use.cell.lock());
  }

  const Array &value(const VariableUse &use) const { return values_.at(keyOf(use)); }
  /// What a path reads where a piece begins, as the host may have assigned it by then.
  void read(const JitPath &path, size_t piece) {
    for (const VariableUse &use : path.state.variables)
      if (path.pieceOf(use) == piece)
        values_.at(keyOf(use)) = stateOf(use.cell.lock());
  }
  /// What a path has read before a guard of it: what it reads later others may read after more has happened.
  decltype(Happened::states) readBefore(const JitPath &path, uint32_t guard) const {
    decltype(Happened::states) read;
    for (const VariableUse &use : path.state.variables)
      if (const CellRef cell = use.cell.lock(); use.guardsBefore <= guard)
        read.insert_or_assign({cell.get(), use.guardsBefore}, Happened::State{value(use), host_.contains(cell.get())});
    return read;
  }

  /// An Error where the host has assigned what it may not on that path.
  void expectUnchanged(const JitPath &path) const {
    for (const VariableUse &use : path.state.variables)
      if (const CellRef cell = use.cell.lock();
          use.mayNotNest && use.read && stateOf(cell).value() != value(use).value())
        cell->refuseNested(at_);
  }

  /// All or none are assigned.
  template <class Take>
  void commit(const JitState &state, const Take &take) {
    std::vector<std::pair<CellRef, Array>> values;
    for (const VariableUse &use : state.variables)
      if (use.assigned) {
        const CellRef cell = use.cell.lock();
        values.emplace_back(cell, storable(cell, take(*use.assigned), "jit", at_));
      }
    for (const auto &[cell, value] : values)
      commitState(cell, value, at_);
  }

private:
  /// The same for all paths that have come to that reading.
  using Key = std::pair<const Cell *, uint32_t>;
  static Key keyOf(const VariableUse &use) { return {use.cell.lock().get(), use.guardsBefore}; }

  std::vector<CellRef> cells_;
  std::map<Key, Array> values_;
  std::optional<HeldCells> held_;
  HostAssignments host_;
  Location at_;
};

/// A call on its way.
struct Run {
  std::vector<Array> inputs;
  /// Of the recording; the same numbers are the same values on all paths that have come to the same piece.
  std::unordered_map<ValueId, Array> made;
};
} // namespace

static std::vector<Array> inputsOf(const JitPath &path, const JitCall &call, const CallStates *states) {
  std::vector<Array> inputs;
  for (Value *value : call.values)
    inputs.push_back(Array::share(value));
  inputs.insert(inputs.end(), path.state.reads.begin(), path.state.reads.end());
  for (const VariableUse &use : path.state.variables)
    if (use.read)
      inputs[call.leaves.size() + *use.read] = states->value(use);
  return inputs;
}

/// What the pieces from number `first` on take of those before, and what of it has to be computed.
static std::vector<ValueId> wantedFrom(const JitPath &path, size_t first) {
  std::unordered_set<ValueId> isUsed(path.recorded.outputs.begin(), path.recorded.outputs.end()), isKnown;
  for (size_t k = first; k < path.pieces.size(); ++k)
    isUsed.insert(path.pieces[k]->piece.takes.begin(), path.pieces[k]->piece.takes.end());
  for (const TraceOp *op : happening(path.recorded, path.pieces[first]->piece.begin))
    for (uint32_t r = 0; r < op->results; ++r)
      isKnown.insert(op->firstResult + r);
  std::vector<ValueId> wanted;
  for (size_t k = 0; k < first; ++k)
    for (const ValueId value : path.pieces[k]->piece.gives)
      if (isUsed.contains(value) && !isKnown.contains(value))
        wanted.push_back(value);
  return wanted;
}

/// What has happened before a piece.
static Happened happenedBefore(const JitPath &path, const Piece &piece, const Run &run) {
  Happened happened;
  for (const TraceOp *op : happening(path.recorded, piece.begin)) {
    Happened::Effect &effect = happened.effects.emplace_back(Happened::Effect{&path.recorded, op, {}});
    for (uint32_t r = 0; r < op->results; ++r)
      effect.results.push_back(run.made.at(op->firstResult + r));
  }
  return happened;
}

JitResult JitCore::runPieces(EntryRef &owner, JitPath *&path, JitCall &call) {
  std::vector<JitPath *> paths{path};
  for (const auto &other : owner->paths())
    if (other.get() != path && other->isCut())
      paths.push_back(other.get());
  for (const Value *value : call.values)
    expectInUse(name_, value, call.at);
  std::optional<CallStates> states;
  if (std::ranges::any_of(paths, [](const JitPath *one) { return !one->state.variables.empty(); }))
    states.emplace(paths, place(call));
  Run run;
  auto expectFresh = [&](const JitPath &on) {
    if (on.isStale()) [[unlikely]]
      reportStale(on, call);
  };
  auto begin = [&](const JitPath &on) { run.inputs = inputsOf(on, call, states ? &*states : nullptr); };
  auto execute = [&](JitProgram &of, std::span<const ValueId> takes, std::span<const ValueId> gives) {
    std::vector<Array> inputs = run.inputs;
    for (const ValueId value : takes)
      inputs.push_back(run.made.at(value));
    Program &program = programOf(*owner, of, compileOf(*path));
    Program::Donors none; // another path may still need what there is
    InlineVector<Array, 4> outputs;
    timed(*owner, call.number, [&] {
      try {
        program.run(inputs, none, {}, outputs);
      } catch (const GuardFailed &) {
        throw;
      } catch (const Error &) {
        if (owner->signature.hasSymbols() && !program.accepts(inputs))
          expectAnswers(of.trace->body(), inputs);
        throw;
      }
    });
    for (size_t i = 0; i < gives.size(); ++i)
      run.made.insert_or_assign(gives[i], std::move(outputs[i]));
  };
  auto catchUpTo = [&](size_t number) {
    JitPiece &piece = *path->pieces[number];
    if (!__atomic_load_n(&piece.hasCatchUp, __ATOMIC_ACQUIRE)) {
      auto made = std::make_unique<JitPiece::CatchUp>();
      made->gives = wantedFrom(*path, number);
      made->trace = catchUp(path->recorded, piece.piece.begin, made->gives);
      cache_.setCatchUp(*owner, piece, std::move(made));
    }
    const std::vector<ValueId> &gives = piece.catchUp->gives;
    if (std::ranges::all_of(gives, [&](ValueId value) { return run.made.contains(value); }))
      return;
    std::vector<ValueId> known;
    for (const TraceOp *op : happening(path->recorded, piece.piece.begin))
      for (uint32_t r = 0; r < op->results; ++r)
        known.push_back(op->firstResult + r);
    execute(*piece.catchUp, known, gives);
  };

  expectFresh(*path);
  begin(*path);
  unsigned changes = 0;
  for (size_t k = 0; k < path->pieces.size();) {
    JitPiece &piece = *path->pieces[k];
    if (states && k > 0) {
      states->read(*path, k);
      begin(*path);
    }
    std::optional<GuardFailed> failed;
    guardsHeld = piece.piece.guards;
    try {
      execute(piece, piece.piece.takes, piece.piece.gives);
      ++k;
      continue;
    } catch (const GuardFailed &guard) {
      if (k == 0) // nothing has happened
        throw;
      failed.emplace(guard);
    }
    const auto next = std::ranges::find_if(paths, [&](const JitPath *other) {
      return other != path && path->leadsTo(*other, failed->number, failed->answer) && mayWrite(other->state, call);
    });
    if (next != paths.end() && ++changes < JitEntry::mostPaths) {
      path = *next;
      expectFresh(*path);
      begin(*path);
      catchUpTo(k);
      continue;
    }
    // The function is recorded on from here.
    Happened happened = happenedBefore(*path, piece.piece, run);
    if (states)
      happened.states = states->readBefore(*path, failed->number);
    states.reset(); // the user's C++ runs while nothing is held
    const Tried tried{{path}, {owner}, failed->number, failed->answer};
    EntryRef entry = owner;
    std::tie(owner, path) = recordOther(entry, call, tried, &happened);
    call.recorded = path;
    guardsHeld = 0;
    return runPath(owner, *path, call);
  }
  if (states)
    states->expectUnchanged(*path);

  auto take = [&](const Origin &origin) -> Array {
    switch (origin.kind) {
    case Origin::output: {
      const ValueId value = path->recorded.outputs[origin.index];
      if (const auto made = run.made.find(value); made != run.made.end())
        return made->second;
      return run
          .inputs[static_cast<size_t>(std::ranges::find(path->recorded.inputs, value) - path->recorded.inputs.begin())];
    }
    case Origin::input:
      return run.inputs[origin.index];
    case Origin::variable:
      return states->value(path->state.variables[origin.index]);
    case Origin::constant:
      return origin.array;
    }
    __builtin_unreachable();
  };
  JitResult result;
  result.prototype = path->prototype->get();
  for (const Origin &origin : path->results)
    result.leaves.push_back(take(origin));
  std::vector<Array> written;
  for (const Write &write : path->state.writes)
    written.push_back(take(write.origin));
  if (states)
    states->commit(path->state, take);
  for (size_t i = 0; i < written.size(); ++i)
    if (const JitLeaf &leaf = call.leaves[path->state.writes[i].leaf]; leaf.isMutable())
      *leaf.array = std::move(written[i]);
  result.entry = EntryRef(owner).detach();
  return result;
}
