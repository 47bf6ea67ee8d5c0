//===- State.cpp - Variables, and what a traced call reads and assigns of them --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/State.h"

#include "lib/base/PerThread.h"
#include "lib/trace/Record.h"
#include "lib/trace/RegionOp.h"
#include "lib/trace/Tapes.h"

#include <algorithm>
#include <atomic>
#include <iterator>

using namespace tenon;
using namespace tenon::detail;

namespace {
struct Innermost {
  StateScope *scope;
  StateJournal *journal;
  /// What is recorded while the host is called.
  WithoutStateScopes *hidden;
  HostAssignments *hostAssignments;
  StateOverlay *overlay;
};
} // namespace
TENON_PER_THREAD rt::PerThread<Innermost> ofThread;

HeldCells::HeldCells(std::vector<One> cells, Location at) : cells_(std::move(cells)) {
  if (ofThread->overlay) [[unlikely]]
    std::erase_if(cells_, [](const One &one) { return StateOverlay::of(one.cell); });
  std::ranges::sort(cells_, [](const One &a, const One &b) {
    return a.cell->id != b.cell->id ? a.cell->id < b.cell->id : a.mayNest > b.mayNest;
  });
  cells_.erase(std::ranges::unique(cells_, {}, &One::cell).begin(), cells_.end());
  size_t held = 0;
  try {
    for (; held < cells_.size(); ++held)
      cells_[held].mayNest = cells_[held].cell->hold(at, cells_[held].mayNest);
  } catch (...) {
    while (held > 0) {
      --held;
      cells_[held].cell->letGo(cells_[held].mayNest);
    }
    throw;
  }
}
HeldCells::~HeldCells() {
  for (const One &one : cells_)
    one.cell->letGo(one.mayNest);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

StateOverlay::StateOverlay(bool isCast)
    : outer_(ofThread->overlay), within_(ofThread->scope), around_(innermostRecord()), tape_(newestTape()),
      isCast_(isCast) {
  const Interpreter *const batch = innermost(InterpreterKind::batch);
  batch_ = batch ? batch->id() : 0;
  ofThread->overlay = this;
}
StateOverlay::~StateOverlay() { ofThread->overlay = outer_; }

WithoutCasts::WithoutCasts() : hidden_(ofThread->overlay) {
  while (ofThread->overlay && ofThread->overlay->isCast_)
    ofThread->overlay = ofThread->overlay->outer_;
}
WithoutCasts::~WithoutCasts() { ofThread->overlay = hidden_; }

StateOverlay *StateOverlay::of(const CellRef &cell) {
  StateOverlay *overlay = ofThread->overlay;
  while (overlay && !overlay->find(cell.get()))
    overlay = overlay->outer_;
  return overlay;
}
StateOverlay::Entry &StateOverlay::add(const CellRef &cell, const Array &value) {
  Entry &entry = entries_.try_emplace(cell.get(), Entry{cell, Array()}).first->second;
  set(entry, value);
  return entry;
}
void StateOverlay::set(Entry &entry, const Array &value) {
  entry.value = value;
  entry.ownOf = 0;
  if (value.has_value())
    entry.type = typeOf(value.value());
}
StateOverlay::Entry *StateOverlay::find(const Cell *cell) {
  const auto found = entries_.find(cell);
  return found == entries_.end() ? nullptr : &found->second;
}
[[noreturn]] static void refuseMissing(const Cell &cell) {
  throw Error("Variable: expected the parameters to hold '" + cell.name() +
              "', which the model uses: make them by nn::init with inputs that reach all of its layers");
}
Array StateOverlay::read(Entry &entry) const {
  if (!entry.value.has_value())
    refuseMissing(*entry.cell);
  const bool isWatched = entry.cell->isTrainable() && kind(entry.type.dtype) >= Kind::floating;
  if (const uint64_t tape = isWatched ? newestTape() : 0; tape > tape_) {
    if (entry.value.value()->isBuffer() && std::exchange(entry.ownOf, tape) != tape)
      entry.value = anotherOf(entry.value.value());
    watchOnTapes(entry.cell, entry.value.value(), tape_);
  }
  return entry.value;
}

StatePlace StatePlace::below(const CellRef &cell, StateScope *scope, StateOverlay *overlay) {
  for (;; scope = scope->outer_) {
    for (; overlay && overlay->within_ == scope; overlay = overlay->outer_)
      if (StateOverlay::Entry *const entry = overlay->find(cell.get()))
        return {nullptr, overlay, entry};
    if (!scope || !scope->isPart_)
      return {scope};
  }
}
StatePlace StatePlace::of(const CellRef &cell) {
  if (!ofThread->overlay) [[likely]]
    return {StateScope::innermost()};
  return below(cell, ofThread->scope, ofThread->overlay);
}

StateReads::StateReads() : outer_(ofThread->scope), overlay_(ofThread->overlay) {}

const Array &StateReads::of(const CellRef &cell) {
  for (const Read &read : reads_)
    if (read.cell == cell)
      return read.value;
  const StatePlace place = StatePlace::below(cell, outer_, overlay_);
  Array value = place.entry   ? place.overlay->read(*place.entry)
                : place.scope ? place.scope->use(cell).current
                              : cell->get();
  if (!place.scope && value.value()->isBuffer())
    value = anotherOf(value.value());
  reads_.push_back({cell, std::move(value)});
  return reads_.back().value;
}

StateScope::StateScope(Record &record, StateReads *reads)
    : record_(record), reads_(reads), outer_(ofThread->scope), overlay_(ofThread->overlay), around_(innermostRecord()) {
  ofThread->scope = this;
}
StateScope::~StateScope() {
  if (!isSettled_) { // the function throws; its Variables are what they were made with, as when it runs as C++
    try {
      settle();
    } catch (...) { // without elements, which reading them says
    }
  }
  ofThread->scope = outer_;
}
StateScope *StateScope::innermost() { return ofThread->scope ? ofThread->scope->whole() : nullptr; }

void StateScope::becomePart() {
  StateScope &around = *outer_->whole();
  // What stands in this one does not assign that.
  StateJournal *journal = ofThread->journal;
  while (journal && journal->scope_ != &around)
    journal = journal->outer_;
  isPart_ = true;
  for (StateJournal *within = ofThread->journal; within; within = within->outer_)
    if (within->scope_ == this)
      within->becomePart(around);
  struct Here {
    StateScope *const scope;
    StateJournal *const journal;
    StateOverlay *const overlay;
    ~Here() {
      ofThread->scope = scope;
      ofThread->journal = journal;
      ofThread->overlay = overlay;
    }
  } const here{std::exchange(ofThread->scope, outer_), std::exchange(ofThread->journal, journal),
               std::exchange(ofThread->overlay, overlay_)};
  around.readsAssigned_ |= readsAssigned_;
  for (const Use &use : std::exchange(uses_, {})) {
    if (!use.capture) {
      around.uses_.push_back(use);
      Use &made = around.uses_.back();
      made.initial = ofWhole(use.initial);
      made.current = ofWhole(use.current);
      made.own = Array();
    } else if (use.isAssigned) {
      commitState(use.cell, storable(use.cell, ofWhole(use.current), "jit", use.assignedAt), use.assignedAt,
                  use.hostCalledSince);
      if (StateScope *const scope = StatePlace::of(use.cell).scope)
        scope->use(use.cell, false).isLocked |= use.isLocked;
    }
  }
}

StateJournal::StateJournal()
    : outer_(std::exchange(ofThread->journal, this)), scope_(StateScope::innermost()), overlay_(ofThread->overlay) {}
StateJournal::~StateJournal() {
  ofThread->journal = outer_;
  if (outer_ && outer_->scope_ == scope_ && outer_->overlay_ == overlay_)
    std::ranges::move(entries_, std::back_inserter(outer_->entries_));
}

void StateJournal::becomePart(StateScope &whole) {
  for (Entry &entry : entries_) {
    entry.before = ofWhole(entry.before);
    if (entry.wasAssigned || entry.overlaid)
      continue;
    const StateScope::Use &use = whole.use(entry.cell, false);
    entry.wasAssigned = use.isAssigned;
    entry.hadHostCalledSince = use.hostCalledSince;
  }
  scope_ = &whole;
}

void StateJournal::undo() {
  for (; !entries_.empty(); entries_.pop_back()) {
    const Entry &last = entries_.back();
    if (last.overlaid) {
      StateOverlay::set(*last.overlaid, last.before);
      last.overlaid->isAssigned = last.wasAssigned;
      continue;
    }
    if (!scope_) {
      last.cell->set(last.before);
      continue;
    }
    StateScope::Use &use = scope_->use(last.cell, false);
    use.current = last.before;
    use.isAssigned = last.wasAssigned;
    use.hostCalledSince = last.hadHostCalledSince;
  }
}

HostAssignments::HostAssignments() : outer_(std::exchange(ofThread->hostAssignments, this)) {}
HostAssignments::~HostAssignments() { ofThread->hostAssignments = outer_; }
bool HostAssignments::contains(const Cell *cell) const { return std::ranges::find(cells_, cell) != cells_.end(); }

WithoutStateScopes::WithoutStateScopes()
    : hidden_(std::exchange(ofThread->scope, nullptr)), outer_(std::exchange(ofThread->hidden, this)),
      hiddenJournal_(std::exchange(ofThread->journal, nullptr)),
      hiddenOverlay_(std::exchange(ofThread->overlay, nullptr)) {}
WithoutStateScopes::~WithoutStateScopes() {
  ofThread->scope = hidden_;
  ofThread->hidden = outer_;
  ofThread->journal = hiddenJournal_;
  ofThread->overlay = hiddenOverlay_;
}

StateScope::Use &StateScope::use(const CellRef &cell, bool isRead) {
  Use *last = nullptr;
  for (Use &use : uses_)
    if (use.cell == cell)
      last = &use;
  readsAssigned_ |= isRead && last && last->isAssigned && cell->isWatched();
  if (isRead && last)
    last->isLocked |= last->isPending() && last->hostCalledSince;
  Record *const asked = record_.askable();
  // What the host has assigned since is read anew, unless it is assigned here: then the host may not.
  bool mayDiffer =
      isRead && !reads_ && asked && asked->hasCalledHostSince(last && last->isRead ? last->guardsBefore : 0);
  if (last && (last->isAssigned || !last->capture))
    mayDiffer = false;
  const StatePlace around = StatePlace::below(cell, outer_, overlay_);
  StateScope *const outer = around.scope;
  if (around.entry)
    mayDiffer = false;
  if (mayDiffer && !outer)
    mayDiffer = asked->beforeRead();
  if (last && !mayDiffer) {
    if (isRead && !last->isRead && !last->isAssigned) {
      last->isRead = true;
      if (outer && last->capture)
        outer->use(cell);
    }
    return *last;
  }
  const uint32_t guardsBefore = asked ? asked->guardCount() : 0;
  const Happened::State *const known = record_.stateBefore(cell.get(), guardsBefore);
  const Array outside = reads_         ? reads_->of(cell)
                        : around.entry ? around.overlay->read(*around.entry)
                        : outer        ? outer->use(cell, isRead).current
                        : known        ? known->value
                                       : cell->get();
  size_t capture = 0;
  const Array initial = record_.stateInput(outside, "variable '" + cell->name() + "'", capture);
  uses_.push_back({cell, capture, initial, initial});
  uses_.back().isRead = isRead;
  uses_.back().isHostAssigned = known && known->isHostAssigned;
  uses_.back().guardsBefore = guardsBefore;
  return uses_.back();
}

Array StateScope::own(const CellRef &cell, uint64_t tape) {
  Use &use = this->use(cell);
  // In a round's body it would be a value of that round.
  const auto *inside = static_cast<const Record *>(innermostRecord());
  if ((use.current.value() != use.own.value() || use.ownOf != tape) && inside && inside->whole() == &record_) {
    const Type type = typeOf(use.current.value());
    const std::vector<int64_t> words = wordsOf(ReshapeAttrs{{type.shape.begin(), type.shape.size()}});
    use.current = record_.apply(OpCode::reshape, use.current, words, type, use.current.value()->place());
    use.own = use.current;
    use.ownOf = tape;
  }
  return use.current;
}

void StateScope::noteHostCall() {
  for (StateScope *scope = ofThread->scope; scope; scope = scope->outer_)
    for (Use &use : scope->uses_) {
      use.hostCalledSince = true;
      if (!use.capture && scope->record_.mayAsk())
        scope->giveElements(use);
    }
}

void StateScope::noteReadOfAssigned() {
  if (StateScope *const scope = innermost())
    scope->readsAssigned_ = true;
}

void StateScope::expectReadsSeen() {
  if (!readsAssigned_)
    return;
  if (outer_)
    outer_->whole()->readsAssigned_ = true;
  const auto use = std::ranges::find_if(uses_, [](const Use &one) { return one.isAssigned && one.cell->isWatched(); });
  if (tapesRecord() && use != uses_.end())
    throw Error("assign: expected a body that does not read a Variable which it has assigned where a tape looks on, "
                "as that does not see it; use the array that is assigned\n  variable: '" +
                    use->cell->name() + "'",
                use->assignedAt);
}

void StateScope::expectUnlocked(Location at) const {
  for (const Use &use : uses_)
    if (use.isHostAssigned && use.mayNotNest())
      use.cell->refuseNested(at);
}

void StateScope::make(const CellRef &cell, const Array &initial, Location at) {
  Value *operand = initial.value();
  const Array value = bindOne(OpCode::stop_gradient, std::span(&operand, 1), {}, at);
  uses_.push_back({cell, std::nullopt, value, value});
  uses_.back().madeAt = userLocation(at);
}

void StateScope::settle() {
  isSettled_ = true;
  // One that ends may have held others: their gradients.
  while (std::erase_if(uses_, [](const Use &use) { return use.cell.use_count() == 1; })) {
  }
  for (Use &use : uses_) {
    if (use.capture)
      continue;
    for (StateScope *scope = this; scope; scope = scope->outer_)
      scope->isOnce_ = true;
    if (!giveElements(use))
      throw Error("Variable: expected '" + use.cell->name() + "', which outlives " + record_.name() +
                      ", to have an initial value that does not depend on traced values",
                  use.madeAt);
  }
}

bool StateScope::giveElements(Use &use) {
  if (use.hasElements)
    return true;
  Value *const initial = use.initial.value();
  std::optional<Array> elements = initial->isOf(record_.id()) ? record_.evaluate(initial) : elementsOf(initial);
  if (elements)
    use.cell->set(std::move(*elements));
  return use.hasElements = elements.has_value();
}

void detail::expectNotPending(const CellRef &cell, Location at) {
  for (const WithoutStateScopes *hiding = ofThread->hidden; hiding; hiding = hiding->outer_)
    for (const StateScope *scope = hiding->hidden_; scope; scope = scope->outer_)
      for (const StateScope::Use &use : scope->uses_)
        if (use.cell == cell && use.isPending())
          cell->refuseNested(at);
}

const Interpreter *detail::recordThatRepeats(const Cell *cell) {
  const Interpreter *record = innermostRecord();
  const StateOverlay *overlay = cell ? ofThread->overlay : nullptr;
  for (const StateScope *scope = ofThread->scope;; scope = scope->outer_) {
    for (; overlay && overlay->within_ == scope; overlay = overlay->outer_)
      if (overlay->entries_.contains(cell))
        return record == overlay->around_ ? nullptr : record;
    if (!scope || record != &scope->record_)
      return record;
    record = scope->around_;
  }
}

bool detail::hasState(const CellRef &cell) {
  StateOverlay *const overlay = ofThread->overlay ? StateOverlay::of(cell) : nullptr;
  return overlay ? overlay->find(cell.get())->value.has_value() : cell->isBuilt();
}
const Type &detail::typeOfState(const CellRef &cell) {
  if (!ofThread->overlay) [[likely]]
    return cell->type();
  if (StateOverlay *const overlay = StateOverlay::of(cell)) {
    const StateOverlay::Entry &entry = *overlay->find(cell.get());
    if (!entry.value.has_value())
      refuseMissing(*cell);
    return entry.type;
  }
  return cell->type();
}

/// What an overlay or a scope has, or a cell for tapes.
static Array stateFor(const CellRef &cell, const StatePlace &here, uint64_t tape) {
  if (here.entry)
    return here.overlay->read(*here.entry);
  const Array value = here.scope ? tape ? here.scope->own(cell, tape) : here.scope->use(cell).current
                      : tape     ? cell->getOwn(tape)
                                 : cell->get();
  if (tape)
    watchOnTapes(cell, value.value());
  return value;
}

Array detail::stateOf(const CellRef &cell) {
  const uint64_t tape = cell->isWatched() ? newestTape() : 0;
  const Innermost &here = *ofThread;
  if (!here.scope && !here.overlay && !tape) [[likely]]
    return cell->get();
  return stateFor(cell, StatePlace::of(cell), tape);
}

Array detail::stateAsRead(const CellRef &cell, const Array &held) {
  return held.has_value() && !(cell->isWatched() && newestTape()) ? held : stateOf(cell);
}

Array detail::stateUnread(const CellRef &cell) {
  const StatePlace here = StatePlace::of(cell);
  return here.entry ? here.overlay->read(*here.entry) : here.scope ? here.scope->use(cell, false).current : cell->get();
}

Array detail::storable(const CellRef &cell, const Array &given, const char *what, Location at) {
  auto refuse = [&](const std::string &sentence) {
    throw Error(std::string(what) + ": " + sentence + "\n  variable: '" + cell->name() + "'", userLocation(at));
  };
  const Array value = Array::share(withoutDerivatives(given.value()));
  StateOverlay *const overlay = ofThread->overlay ? StateOverlay::of(cell) : nullptr;
  const Type type = typeOf(value.value()), &held = overlay ? typeOfState(cell) : cell->type();
  if (type.dtype != held.dtype || type.device != held.device || provably_equal(type.shape, held.shape) != Always::yes)
    refuse("expected " + held.str() + ", as it holds, got " + type.str());
  const Interpreter *const record = recordThatRepeats(overlay ? cell.get() : nullptr);
  const Interpreter *const owner = interpreterOf(value.value());
  if (record)
    refuse("expected an assignment outside of " + record->name() +
           ", which is traced once for all its runs; return the new value as a carry or a result");
  if (owner && owner->kind() == InterpreterKind::batch && !(overlay && overlay->mayHold(*owner)))
    refuse("expected a value that is not batched by " + owner->name() +
           "; return it from the function and assign the result of vmap");
  if (!StateScope::innermost() && !overlay && !value.value()->isBuffer())
    refuse("expected an array, got a value of a transformation");
  return value;
}

void detail::commitState(const CellRef &cell, const Array &value, Location at, bool hostCalledSince) {
  StatePlace here{StateScope::innermost()};
  if (ofThread->overlay) [[unlikely]]
    here = StatePlace::of(cell);
  StateScope *const scope = here.scope;
  Value *operand = value.value();
  if (StateOverlay::Entry *const entry = here.entry) {
    StateJournal *const journal = ofThread->journal;
    if (journal && journal->scope_ == StateScope::innermost() && journal->overlay_ == ofThread->overlay)
      journal->entries_.push_back({cell, entry->value, entry->isAssigned, false, entry});
    StateOverlay::set(*entry, bindOne(OpCode::stop_gradient, std::span(&operand, 1), {}, at));
    entry->isAssigned = true;
    return;
  }
  StateJournal *const journal = ofThread->journal && ofThread->journal->scope_ == scope ? ofThread->journal : nullptr;
  if (journal && !scope)
    journal->entries_.push_back({cell, cell->get(), false, false});
  for (HostAssignments *calls = scope ? nullptr : ofThread->hostAssignments; calls; calls = calls->outer_)
    calls->cells_.push_back(cell.get());
  for (const WithoutStateScopes *hiding = scope ? nullptr : ofThread->hidden; hiding; hiding = hiding->outer_)
    for (StateScope *around = hiding->hidden_; around; around = around->outer_)
      for (StateScope::Use &use : around->uses_)
        if (use.cell == cell)
          use.isHostAssigned = true;
  if (!scope) // tapes do not know what it holds
    return cell->set(tapesRecord() && tapesTrack(std::span(&operand, 1)) ? anotherOf(operand) : value);
  StateScope::Use &use = scope->use(cell, false);
  if (journal)
    journal->entries_.push_back({cell, use.current, use.isAssigned, use.hostCalledSince});
  // An op of its own, so that a derivative of the whole call stops here, too.
  use.current = bindOne(OpCode::stop_gradient, std::span(&operand, 1), {}, at);
  use.isAssigned = true;
  use.hostCalledSince = hostCalledSince;
  use.assignedAt = userLocation(at);
}
