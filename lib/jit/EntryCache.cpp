//===- EntryCache.cpp - the signatures that a jitted function keeps -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/EntryCache.h"

#include "lib/program/Log.h"
#include "lib/program/Program.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

void detail::releaseJitEntry(JitEntry *entry) {
  if (__atomic_fetch_sub(&entry->references, 1, __ATOMIC_ACQ_REL) == 1)
    delete entry;
}

EntryRef EntryCache::findLocked(const JitCall &call, uint64_t hash) {
  auto [begin, end] = byHash_.equal_range(hash);
  for (auto place = begin; place != end; ++place)
    if ((*place->second)->signature.matches(call)) {
      entries_.splice(entries_.begin(), entries_, place->second);
      turnFrontLocked();
      return entries_.front();
    }
  return {};
}

void EntryCache::turnFrontLocked() {
  JitEntry *const front = entries_.empty() || entries_.front()->isApart ? nullptr : &*entries_.front();
  if (front != front_.get())
    hits_ += front_.set(front);
}

void EntryCache::setStraight(JitEntry &entry, JitPath *path) {
  std::lock_guard lock(lock_);
  entry.straight.store(path, std::memory_order_release);
  if (path && front_.get() == &entry)
    front_.setStraight();
}

void EntryCache::countLocked(JitEntry &entry, JitCall &call) {
  ++hits_;
  call.number = __atomic_add_fetch(&entry.calls, 1, __ATOMIC_RELAXED);
}

EntryRef EntryCache::findOther(JitCall &call, const Specs &specs, bool isExact, const EntryRef &front, bool isFront) {
  {
    std::lock_guard lock(lock_);
    hits_ += front_.settle();
    if (isFront)
      return front;
    if (front) {
      --hits_;
      __atomic_fetch_sub(&front->calls, 1, __ATOMIC_RELAXED);
    }
  }
  call.number = 0;
  if (call.hasEmpty)
    return {};
  const uint64_t hash = Signature::hash(call, specs.of(call));
  const uint64_t open = hasSymbolic_ && !isExact ? Signature::hashOfAllSizes(call) : hash;
  std::lock_guard lock(lock_);
  EntryRef entry = findLocked(call, hash);
  if (!entry && open != hash)
    entry = findLocked(call, open);
  if (entry)
    countLocked(*entry, call);
  return entry;
}

void EntryCache::count(JitEntry &entry, JitCall &call) {
  std::lock_guard lock(lock_);
  countLocked(entry, call);
}

EntryRef EntryCache::countFirst(const EntryRef &entry, const JitCall &call) {
  std::lock_guard lock(lock_);
  EntryRef kept = entry->listed ? entry : findLocked(call, entry->hash);
  if (!kept)
    kept = entry;
  __atomic_fetch_add(&kept->calls, 1, __ATOMIC_RELAXED);
  return kept;
}

EntryRef EntryCache::peek(const JitCall &call, const Specs &specs, bool isExact) const {
  std::vector<uint64_t> hashes{Signature::hash(call, specs.of(call))};
  if (hasSymbolic_ && !isExact)
    hashes.push_back(Signature::hashOfAllSizes(call));
  std::lock_guard lock(lock_);
  for (uint64_t hash : hashes) {
    auto [begin, end] = byHash_.equal_range(hash);
    for (auto place = begin; place != end; ++place)
      if ((*place->second)->signature.matches(call))
        return *place->second;
  }
  return {};
}

bool EntryCache::keep(const EntryRef &entry, const JitCall &call) {
  Dropped dropped(*this);
  std::lock_guard lock(lock_);
  if (!entry->path().isReusable())
    return true;
  if (findLocked(call, entry->hash))
    return false;
  Entries fresh(1, entry); // what may throw first
  byHash_.emplace(entry->hash, fresh.begin());
  entries_.splice(entries_.begin(), fresh);
  turnFrontLocked();
  entry->listed = true;
  if (entry->symbols)
    hasSymbolic_ = true;
  bytes_ += entry->bytes;
  dropLocked(dropped);
  return true;
}

void EntryCache::forget(const JitEntry &entry) {
  Entries dropped;
  std::lock_guard lock(lock_);
  const auto place =
      std::find_if(entries_.begin(), entries_.end(), [&](const EntryRef &one) { return &*one == &entry; });
  if (place != entries_.end())
    dropLocked(place, dropped);
}

void EntryCache::replace(JitEntry &entry, const EntryRef &next, const JitCall &call) {
  EntryRef dropped;
  std::shared_ptr<JitEntry::Successor> droppedToo;
  std::lock_guard lock(lock_);
  EntryRef kept = findLocked(call, entry.hash);
  const EntryRef &latest = kept ? kept : next;
  if (&*latest == &entry)
    return;
  std::shared_ptr<JitEntry::Successor> successor = entry.standsIn.lock();
  if (!successor)
    successor = std::make_shared<JitEntry::Successor>();
  dropped = std::exchange(successor->entry, latest);
  latest->standsIn = successor;
  droppedToo = std::exchange(entry.successor, std::move(successor));
}

EntryRef EntryCache::newest(const EntryRef &entry) {
  std::lock_guard lock(lock_);
  EntryRef last = entry;
  while (last->successor)
    last = last->successor->entry;
  return last;
}

void EntryCache::clear() {
  Entries dropped;
  std::lock_guard lock(lock_);
  while (!entries_.empty())
    dropLocked(std::prev(entries_.end()), dropped);
}

bool EntryCache::setProgram(JitEntry &entry, JitProgram &of, const ProgramRef &program) {
  Dropped dropped(*this);
  std::lock_guard lock(lock_);
  if (of.hasProgram)
    return false;
  of.program = program;
  __atomic_store_n(&of.hasProgram, true, __ATOMIC_RELEASE);
  growLocked(entry, program->bytes(), dropped);
  return true;
}

void EntryCache::addStitched(JitEntry &entry, JitPath &a, JitPath &b, std::unique_ptr<JitPath> both) {
  Dropped dropped(*this);
  std::lock_guard lock(lock_);
  if (a.both || b.both || entry.isFull())
    return;
  growLocked(entry, both->bytes(), dropped);
  both->side = &a;
  JitPath *const added = both.get();
  entry.add(std::move(both));
  __atomic_store_n(&a.both, added, __ATOMIC_RELEASE);
  __atomic_store_n(&b.both, added, __ATOMIC_RELEASE);
}

void EntryCache::setMeanwhile(JitProgram &of, const ProgramRef &program) {
  std::lock_guard lock(lock_);
  if (of.hasMeanwhile)
    return;
  of.meanwhile = program;
  of.pending = compileInBackground(of.trace);
  __atomic_store_n(&of.hasMeanwhile, true, __ATOMIC_RELEASE);
}

void EntryCache::setCatchUp(JitEntry &entry, JitPiece &piece, std::unique_ptr<JitPiece::CatchUp> catchUp) {
  Dropped dropped(*this);
  std::lock_guard lock(lock_);
  if (piece.hasCatchUp)
    return;
  const size_t bytes = catchUp->trace->bytes().size();
  piece.catchUp = std::move(catchUp);
  __atomic_store_n(&piece.hasCatchUp, true, __ATOMIC_RELEASE);
  growLocked(entry, bytes, dropped);
}

void EntryCache::growLocked(JitEntry &entry, size_t bytes, Dropped &dropped) {
  entry.bytes += bytes;
  if (!entry.listed)
    return;
  bytes_ += bytes;
  dropLocked(dropped);
}

void EntryCache::dropLocked(Dropped &dropped) {
  const ProgramCacheLimit limit = programCacheLimit();
  while (entries_.size() > 1 && (bytes_ > limit.bytes || entries_.size() > limit.programs))
    dropLocked(std::prev(entries_.end()), dropped.entries);
}

EntryCache::Dropped::~Dropped() {
  if (!entries.empty() && logs(LogTopic::cache))
    logLine(LogTopic::cache, cache.name_ + ": dropped " + std::to_string(entries.size()) +
                                 " signatures, the least recently used, to stay within TENON_CACHE_BYTES");
}

void EntryCache::dropLocked(Entries::iterator entry, Entries &dropped) {
  auto [begin, end] = byHash_.equal_range((*entry)->hash);
  byHash_.erase(std::find_if(begin, end, [&](auto &place) { return place.second == entry; }));
  bytes_ -= (*entry)->bytes;
  (*entry)->listed = false;
  dropped.splice(dropped.begin(), entries_, entry);
  turnFrontLocked();
}

std::vector<EntryRef> EntryCache::recent(size_t most) const {
  std::vector<EntryRef> recent;
  std::lock_guard lock(lock_);
  for (const EntryRef &entry : entries_) {
    if (recent.size() == most)
      break;
    recent.push_back(entry);
  }
  return recent;
}

uint64_t EntryCache::callsOf(const JitEntry &entry) const {
  std::lock_guard lock(lock_);
  return __atomic_load_n(&entry.calls, __ATOMIC_RELAXED) + (front_.get() == &entry ? front_.pending() : 0);
}

uint64_t EntryCache::hits() const {
  std::lock_guard lock(lock_);
  return hits_ + front_.pending();
}
