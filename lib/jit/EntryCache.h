//===- EntryCache.h - the signatures that a jitted function keeps -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/Fork.h"
#include "lib/jit/FrontEntry.h"

#include <list>
#include <span>
#include <unordered_map>
#include <vector>

namespace tenon::detail {

/// Entries by signature, bounded as the cache of programs is: the least recently used go first, the last used stays.
/// Its lock is never held while the user's code runs: a function that is traced may call itself, start threads that
/// do, and wait for them.
class EntryCache {
public:
  /// `name`: whose they are, in the log.
  explicit EntryCache(const std::string &name) : name_(name) {}
  /// The entry of a call, which is counted there; null: there is none, as there is of a call with an empty
  /// Array.
  /// `isExact`: without symbols of its own.
  /// `taken`: what takeFront gave this call, if it was asked.
  EntryRef find(JitCall &call, const Specs &specs, bool isExact, EntryRef taken = {}) {
    // Counted, too, if it is not the one.
    EntryRef front = taken ? std::move(taken) : front_.take(call.number);
    const bool isFront = front && !(isExact && front->symbols) && !call.hasEmpty && front->signature.matches(call);
    if (isFront && !front_.isNearlyFull()) [[likely]]
      return front;
    return findOther(call, specs, isExact, front, isFront);
  }
  /// Whether the entry of the last call has a straight path. What `takeFront` gives then has one, too, but where
  /// another thread has changed the front between the two.
  bool isFrontStraight() const { return front_.isStraight() && !front_.isNearlyFull(); }
  EntryRef takeFront(uint64_t &number) { return front_.take(number); }
  void setStraight(JitEntry &entry, JitPath *path);
  /// Counts a call of an entry that was not looked for.
  void count(JitEntry &entry, JitCall &call);
  /// Counts the call that has recorded an entry, where later calls like it are: in that entry, or in the one that was
  /// kept for them.
  EntryRef countFirst(const EntryRef &entry, const JitCall &call);
  /// The same as `find`, as if nobody had asked.
  EntryRef peek(const JitCall &call, const Specs &specs, bool isExact) const;
  uint64_t callsOf(const JitEntry &entry) const;
  /// Keeps an entry; false: another thread has been faster.
  bool keep(const EntryRef &entry, const JitCall &call);
  void forget(const JitEntry &entry);
  /// `next` serves the calls of `entry`, or what is kept that is like it.
  void replace(JitEntry &entry, const EntryRef &next, const JitCall &call);
  /// The last of those that have been recorded in its place.
  EntryRef newest(const EntryRef &entry);
  void clear();
  /// The path of `entry` that is as this one, and that `isOpen` takes; else the path itself, which the entry takes
  /// over; null where it has no room, where another one that is the same is not open, which sets `isRefused`.
  template <class IsOpen>
  JitPath *addPath(JitEntry &entry, std::unique_ptr<JitPath> &path, bool &isRefused, const IsOpen &isOpen) {
    Dropped dropped(*this);
    std::lock_guard lock(lock_);
    for (const auto &other : entry.paths())
      if (other->isSame(*path)) {
        if (isOpen(*other))
          return other.get();
        isRefused = true;
        return nullptr;
      }
    if (!path->isReusable() || entry.isFull())
      return nullptr;
    growLocked(entry, path->bytes(), dropped);
    entry.add(std::move(path));
    return entry.paths().back().get();
  }
  /// `both` is for what goes `a` or `b`. Nothing where another thread was faster, or there is no room.
  void addStitched(JitEntry &entry, JitPath &a, JitPath &b, std::unique_ptr<JitPath> both);
  /// Whose program has been found: it has that, and the answer is true, unless another thread has been faster.
  bool setProgram(JitEntry &entry, JitProgram &of, const ProgramRef &program);
  /// The same of what stands for it until it is there.
  void setMeanwhile(JitProgram &of, const ProgramRef &program);
  /// The same of what a piece takes of those before it.
  void setCatchUp(JitEntry &entry, JitPiece &piece, std::unique_ptr<JitPiece::CatchUp> catchUp);
  /// At most so many, the last used first.
  std::vector<EntryRef> recent(size_t most) const;
  /// The calls that found an entry.
  uint64_t hits() const;

private:
  using Entries = std::list<EntryRef>;
  /// What goes when the lock has been given back.
  struct Dropped {
    explicit Dropped(const EntryCache &cache) : cache(cache) {}
    ~Dropped();
    Entries entries;
    const EntryCache &cache;
  };

  EntryRef findOther(JitCall &call, const Specs &specs, bool isExact, const EntryRef &front, bool isFront);
  EntryRef findLocked(const JitCall &call, uint64_t hash);
  void countLocked(JitEntry &entry, JitCall &call);
  /// The last used is the one that calls try first, unless only who names its symbols may find it.
  void turnFrontLocked();
  /// Whether an entry with symbols of its own has been kept.
  std::atomic<bool> hasSymbolic_ = false;
  void growLocked(JitEntry &entry, size_t bytes, Dropped &dropped);
  /// Takes what is above the bounds out.
  void dropLocked(Dropped &dropped);
  void dropLocked(Entries::iterator entry, Entries &dropped);

  const std::string &name_;
  rt::ForkLock &lock_ = rt::ForkLocks<rt::LockOrder::jit, 16>::of(this);
  /// Most recently used first.
  Entries entries_;
  FrontEntry front_;
  std::unordered_multimap<uint64_t, Entries::iterator> byHash_;
  size_t bytes_ = 0;
  /// Without those that the front has not counted yet.
  uint64_t hits_ = 0;
};

} // namespace tenon::detail
