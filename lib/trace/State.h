//===- State.h - Variables, and what a traced call reads and assigns of them ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

#include <tenon/variable.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace tenon {

class Record;

namespace detail {

class Cell {
public:
  Cell(const Type &type, Array value, std::string name, bool trainable);
  /// Of a deferred Variable: build() gives it a type and a value.
  Cell(std::string name, bool trainable);
  Cell(const Cell &) = delete;
  virtual ~Cell() = default;

  /// What it holds.
  virtual Array get() const;
  virtual void set(Array value);
  /// Moves what it holds to `value`, so that who updates it may do so in place, until it is set; get() waits for
  /// that. False: it has not, and `value` is what get() gives.
  virtual bool take(Array &value);
  /// The same as get(), behind a handle that has stood for nothing else before `tape`, the newest one, was made: what
  /// tapes take for this Variable.
  Array getOwn(uint64_t tape);

  /// Not two in a process have the same, ever.
  const uint64_t id;
  const std::string &name() const { return *name_.load(std::memory_order_acquire); }
  /// Another name: a deferred Variable gets its path in the model. Handed out names stay valid.
  void setName(std::string_view name);
  /// What it holds; an Error of a deferred Variable that is not built.
  const Type &type() const {
    if (!isBuilt())
      refuseUnbuilt();
    return type_;
  }
  bool isBuilt() const { return isBuilt_.load(std::memory_order_acquire); }
  /// Gives a deferred Variable its value. False: it has one, and keeps it.
  bool build(const Type &type, Array value);
  bool isTrainable() const { return isTrainable_.load(std::memory_order_relaxed); }
  void setTrainable(bool isTrainable) { isTrainable_.store(isTrainable, std::memory_order_relaxed); }

  /// Whether tapes watch what is read of it.
  bool isWatched() const {
    return isTrainable() && isBuilt() && kind(type_.dtype) >= Kind::floating && !is_storage(type_.dtype);
  }
  /// The Variable that gradients of this one are added to; made with zeros when it is first asked for, in whatever
  /// is traced then. An Error unless tapes watch this one.
  std::shared_ptr<Cell> gradient(Location at);

  /// Who updates it holds it, from reading to committing: one at a time. An Error where this thread
  /// holds it already, unless it does so with `mayNest`: then it assigns it on the way. Whether it did so.
  bool hold(Location at, bool mayNest);
  /// `mayNest`: what hold has given.
  void letGo(bool mayNest);
  [[noreturn]] void refuseNested(Location at) const;

private:
  [[noreturn]] void refuseUnbuilt() const;
  /// Waits, under the lock, for what is updated in place. An Error of one that has got no elements.
  void await(std::unique_lock<std::mutex> &lock) const;

  mutable std::mutex lock_; // of all below
  mutable std::condition_variable changed_;
  Array value_;
  /// The tape that getOwn() has made the handle in `value_` for; 0: none.
  uint64_t ownOf_ = 0;
  /// The thread that holds it; null: none.
  const void *holder_ = nullptr;
  bool mayNest_ = false;
  unsigned nested_ = 0;
  std::shared_ptr<Cell> gradient_;
  /// One of a set that only grows.
  std::atomic<const std::string *> name_;
  Type type_;
  std::atomic<bool> isBuilt_, isTrainable_;
};
using CellRef = std::shared_ptr<Cell>;
static_assert(sizeof(CellRef) == sizeof(CellHandle) && alignof(CellRef) == alignof(CellHandle));
inline const CellRef &refOf(const CellHandle &handle) { return handle.as<CellRef>(); }
inline CellHandle handleOf(CellRef cell) {
  CellHandle handle;
  handle.as<CellRef>() = std::move(cell);
  return handle;
}

/// Holds cells while it lives, in one order for all threads; each once.
class HeldCells {
public:
  struct One {
    One(CellRef cell, bool mayNest = false) : cell(std::move(cell)), mayNest(mayNest) {}
    CellRef cell;
    bool mayNest;
  };
  /// See Cell::hold. One that is there twice may nest if either may. Those of overlays are not held.
  HeldCells(std::vector<One> cells, Location at);
  /// None may nest.
  HeldCells(const std::vector<CellRef> &cells, Location at)
      : HeldCells(std::vector<One>(cells.begin(), cells.end()), at) {}
  ~HeldCells();
  HeldCells(const HeldCells &) = delete;

private:
  std::vector<One> cells_;
};

class StateScope;
class StateJournal;

/// While it lives, this thread finds here what it reads of some cells, and leaves here what it assigns of them: the
/// cells stay as they are, and need not be built. Values may be of any interpreter that stands around it.
class StateOverlay {
public:
  struct Entry {
    CellRef cell;
    /// Empty: it has none.
    Array value;
    bool isAssigned = false;
    Type type = {};
    /// The tape that the handle in `value` has been made for.
    uint64_t ownOf = 0;
  };
  /// `isCast`: it has what weights hold in another dtype, for their layer.
  explicit StateOverlay(bool isCast = false);
  ~StateOverlay();
  StateOverlay(const StateOverlay &) = delete;
  /// The innermost one that has the cell; null: none, or what runs here does not see it.
  static StateOverlay *of(const CellRef &cell);

  Entry &add(const CellRef &cell, const Array &value);
  static void set(Entry &entry, const Array &value);
  /// Null: it has none.
  Entry *find(const Cell *cell);
  /// What it holds; tapes that were made here see it read.
  Array read(Entry &entry) const;
  /// Whether a value of that interpreter may stay here: it stands around this.
  bool mayHold(const Interpreter &batch) const { return batch.id() <= batch_; }
  bool isCast() const { return isCast_; }

private:
  friend struct StatePlace;
  friend class WithoutCasts;
  friend const Interpreter *recordThatRepeats(const Cell *cell);
  std::unordered_map<const Cell *, Entry> entries_;
  StateOverlay *outer_;
  /// What it stands in: a scope, a Record, and the newest Batch and tape.
  StateScope *within_;
  const Interpreter *around_;
  uint64_t batch_, tape_;
  bool isCast_;
};

/// Casts of the layer around are not seen while it lives: a layer within it has its own.
class WithoutCasts {
public:
  WithoutCasts();
  ~WithoutCasts();
  WithoutCasts(const WithoutCasts &) = delete;

private:
  StateOverlay *hidden_;
};

/// Where this thread has what a Variable holds: in one of both, or in the cell.
struct StatePlace {
  StateScope *scope = nullptr;
  StateOverlay *overlay = nullptr;
  StateOverlay::Entry *entry = nullptr;
  static StatePlace of(const CellRef &cell);
  /// The same for who runs directly in that scope and overlay.
  static StatePlace below(const CellRef &cell, StateScope *scope, StateOverlay *overlay);
};

/// What the bodies of one op find in Variables: all of them the same, whatever other threads do meanwhile.
class StateReads {
public:
  StateReads();
  struct Read {
    CellRef cell;
    /// What it held where the op is. If that is a buffer, by a handle that nobody else has.
    Array value;
  };
  const Array &of(const CellRef &cell);
  /// In the order in which they were met.
  std::span<const Read> all() const { return reads_; }

private:
  StateScope *outer_;
  StateOverlay *overlay_;
  std::vector<Read> reads_;
};

/// On the thread while a jitted function, or a body that runs at most once, is recorded: Variables that it reads
/// become inputs of its Record, and what it assigns stays here.
class StateScope {
public:
  /// Before `record` is active. `reads`: where a body has what Variables hold; null: from the scope around it, or
  /// from themselves.
  explicit StateScope(Record &record, StateReads *reads = nullptr);
  ~StateScope();
  StateScope(const StateScope &) = delete;
  /// The innermost one of this thread that is no part of the one around it, or null.
  static StateScope *innermost();
  /// Whether there is one around it.
  bool isWithin() const { return outer_; }
  /// It becomes a part of the one around it, on the stack below its Record, as that has become one: what it has
  /// assigned is assigned there, and what is read or assigned in it from here on, too.
  void becomePart();

  struct Use {
    CellRef cell;
    /// Which of the Record's captures it was when the function met it; none: it was made here.
    std::optional<size_t> capture;
    /// That, or what it was made with, as a value of the Record.
    Array initial;
    Array current;
    bool isAssigned = false;
    /// What it holds before is asked for.
    bool isRead = false;
    /// The host is called after it was assigned: where that assigns it, too, it is not known here. So it may not, if
    /// that is asked for, or what it holds in the end.
    bool hostCalledSince = false, isLocked = false;
    /// The host has assigned it while this was recorded.
    bool isHostAssigned = false;
    /// Whether the host may not assign it.
    bool mayNotNest() const { return isLocked || (isPending() && hostCalledSince); }
    /// What it holds is not what its cell holds.
    bool isPending() const { return isAssigned || !capture; }
    /// Of one that was made here: its cell has elements by now.
    bool hasElements = false;
    /// Guards that were recorded before.
    uint32_t guardsBefore = 0;
    /// The user's line of the last assignment.
    Location assignedAt = {};
    /// Where it was made, if here.
    Location madeAt = {};
    /// `current` where it is a value that has stood for nothing else before this tape was made.
    Array own = {};
    uint64_t ownOf = 0;
  };
  /// In the order in which they were met; one that the host may have assigned since was met again.
  std::span<const Use> uses() const { return uses_; }
  /// `isRead`: its value is asked for.
  Use &use(const CellRef &cell, bool isRead = true);
  /// What it holds, as a value that has stood for nothing else before `tape`, the newest one, was made.
  Array own(const CellRef &cell, uint64_t tape);

  /// A Variable is made by what is recorded, with `initial`.
  void make(const CellRef &cell, const Array &initial, Location at);
  /// All is recorded. Variables that nobody holds any more are forgotten. Those that were made here get their elements
  /// for the time after this; such a recording is good for one call, as another one would make them again.
  void settle();
  /// Whether it is: so are those around it.
  bool isOnce() const { return isOnce_; }
  /// Something is recorded that calls the host, which finds Variables with elements where they can be computed.
  static void noteHostCall();
  /// An Error where the host has assigned what it may not.
  void expectUnlocked(Location at) const;
  /// Whether a Variable that tapes watch was read after it was assigned here, or in a body here.
  bool readsAssigned() const { return readsAssigned_; }
  /// What is recorded in the innermost scope calls a function that does so: a tape around does not see that read.
  static void noteReadOfAssigned();
  /// Of a body that has been recorded: an Error where it was, and a tape looks on, which does not see that.
  void expectReadsSeen();

private:
  /// This one, or the one around it that it is a part of.
  StateScope *whole() { return isPart_ ? outer_->whole() : this; }
  /// Of one that was made here; false: they cannot be computed.
  bool giveElements(Use &use);
  friend const Interpreter *recordThatRepeats(const Cell *cell);
  friend void expectNotPending(const CellRef &cell, Location at);
  friend struct StatePlace;
  friend class StateJournal;
  friend class StateReads;
  friend void commitState(const CellRef &cell, const Array &value, Location at, bool hostCalledSince);

  Record &record_;
  StateReads *reads_;
  StateScope *outer_;
  /// That it stands in.
  StateOverlay *overlay_;
  /// The Record that it stands in.
  const Interpreter *around_;
  std::vector<Use> uses_;
  bool isOnce_ = false, isSettled_ = false, readsAssigned_ = false, isPart_ = false;
};

/// While it lives, which Variables this thread assigns where nothing is recorded: the host, in a call.
class HostAssignments {
public:
  HostAssignments();
  ~HostAssignments();
  HostAssignments(const HostAssignments &) = delete;
  bool contains(const Cell *cell) const;

private:
  friend void commitState(const CellRef &cell, const Array &value, Location at, bool hostCalledSince);
  HostAssignments *outer_;
  std::vector<const Cell *> cells_;
};

/// None of this thread's scopes is seen while it lives: what runs is no part of what is recorded.
class WithoutStateScopes {
public:
  WithoutStateScopes();
  ~WithoutStateScopes();
  WithoutStateScopes(const WithoutStateScopes &) = delete;

private:
  friend void commitState(const CellRef &cell, const Array &value, Location at, bool hostCalledSince);
  friend void expectNotPending(const CellRef &cell, Location at);
  StateScope *hidden_;
  WithoutStateScopes *outer_;
  StateJournal *hiddenJournal_;
  StateOverlay *hiddenOverlay_;
};

/// While it lives: what this thread assigns to Variables here, in the innermost scope or where there is none, so that
/// it can be taken back. What the host assigns is not seen.
class StateJournal {
public:
  StateJournal();
  ~StateJournal();
  StateJournal(const StateJournal &) = delete;
  /// What was assigned is as it was before.
  void undo();

private:
  friend void commitState(const CellRef &cell, const Array &value, Location at, bool hostCalledSince);
  friend class StateScope;
  friend class WithoutStateScopes;
  struct Entry {
    CellRef cell;
    Array before;
    bool wasAssigned, hadHostCalledSince;
    /// Where it was assigned, if in the overlay that the journal stands in.
    StateOverlay::Entry *overlaid = nullptr;
  };
  /// Its scope has become a part of `whole`, before that has what is assigned in it.
  void becomePart(StateScope &whole);

  StateJournal *outer_;
  StateScope *scope_;
  StateOverlay *overlay_;
  std::vector<Entry> entries_;
};

/// The Record of a body which runs any number of times, or of which nothing runs: nothing may be assigned in it. Null:
/// there is none, or the cell's values are those of an overlay that stands in it.
const Interpreter *recordThatRepeats(const Cell *cell = nullptr);

/// Whether a Variable has a value for who runs here.
bool hasState(const CellRef &cell);
/// The type of that; an Error if there is none.
const Type &typeOfState(const CellRef &cell);
/// What a Variable holds for who runs here: in the innermost scope, or in the cell. Tapes see it read.
Array stateOf(const CellRef &cell);
/// The same for who has read `held` of it before: that is what it gives.
Array stateAsRead(const CellRef &cell, const Array &held);
/// The same for who assigns it, whatever it holds.
Array stateUnread(const CellRef &cell);
/// An Error where the host is called by what has assigned it by then.
void expectNotPending(const CellRef &cell, Location at);
/// `value` without derivatives, as the cell may hold it: an Error of `what` where it is of another type, where
/// nothing may be assigned, or where it is one that nothing outside could hold.
Array storable(const CellRef &cell, const Array &value, const char *what, Location at);
/// What the Variable holds from now on, here. `hostCalledSince`: the host has been called since that was so.
void commitState(const CellRef &cell, const Array &value, Location at, bool hostCalledSince = false);

/// It holds from now on what `combine` makes of what it holds; nobody else assigns it meanwhile.
template <class F>
void updateState(const CellRef &cell, const char *what, Location at, F &&combine) {
  std::optional<HeldCells> held;
  if (!StateScope::innermost())
    held.emplace(std::vector{cell}, at);
  const LocationScope scope("", at);
  commitState(cell, storable(cell, combine(stateOf(cell)), what, at), at);
}

} // namespace detail
} // namespace tenon
