//===- FrontEntry.h - the entry that nearly every call finds ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call takes it without a lock, in one step: beside the entry's address, in one
// word, stand the calls that have taken it. They own references that the entry was
// given in advance, and how many is settled when another entry comes to the front.
// (A split reference count, as in folly's AtomicSharedPtr.) The word's lowest bit says
// whether the entry has a straight path, so that other calls need not look for one.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/jit/Entry.h"

#include <atomic>

namespace tenon::detail {

/// All but `take` is called under the lock of the cache, which keeps the entry.
class FrontEntry {
public:
  ~FrontEntry() { set(nullptr); }

  /// Null where there is none. The call is counted: it is number `number` of that entry.
  EntryRef take(uint64_t &number) {
    const uint64_t before = word_.fetch_add(one, std::memory_order_acquire);
    JitEntry *const entry = entryOf(before);
    if (entry)
      number = __atomic_load_n(&entry->calls, __ATOMIC_RELAXED) + countOf(before) + 1;
    return EntryRef(entry);
  }
  /// There is soon no room for more calls: `settle` makes some.
  bool isNearlyFull() const { return countOf(word_.load(std::memory_order_relaxed)) >= most; }

  bool isStraight() const { return word_.load(std::memory_order_relaxed) & straight; }

  JitEntry *get() const { return entryOf(word_.load(std::memory_order_relaxed)); }
  /// Calls that neither `settle` nor `set` has counted yet.
  uint64_t pending() const {
    const uint64_t word = word_.load(std::memory_order_relaxed);
    return entryOf(word) ? countOf(word) : 0;
  }
  /// Counts the calls there, and gives their number.
  uint64_t settle() {
    uint64_t word = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(word, word & (addresses | straight), std::memory_order_acq_rel))
      ;
    return counted(word, 0);
  }
  /// The same, and another entry, or none, is there from here on.
  uint64_t set(JitEntry *entry) {
    if (entry)
      __atomic_fetch_add(&entry->references, inAdvance, __ATOMIC_RELAXED);
    const uint64_t bit = entry && entry->straight.load(std::memory_order_relaxed) ? straight : 0;
    return counted(word_.exchange(reinterpret_cast<uint64_t>(entry) | bit, std::memory_order_acq_rel), inAdvance);
  }
  /// The entry there has come to have a straight path.
  void setStraight() { word_.fetch_or(straight, std::memory_order_release); }

private:
  static constexpr unsigned shift = 48; // user space has addresses of so many bits at most
  static constexpr uint64_t one = uint64_t(1) << shift, straight = 1, addresses = (one - 1) & ~straight;
  /// Half of what fits, as other threads go on meanwhile.
  static constexpr uint64_t most = 1 << 15;
  static constexpr uint64_t inAdvance = uint64_t(1) << 40;
  static_assert(sizeof(void *) == sizeof(uint64_t) && alignof(JitEntry) > straight);

  static JitEntry *entryOf(uint64_t word) { return reinterpret_cast<JitEntry *>(word & addresses); }
  static uint64_t countOf(uint64_t word) { return word >> shift; }
  /// `taken`: of the references that were given in advance.
  static uint64_t counted(uint64_t word, uint64_t taken) {
    JitEntry *const entry = entryOf(word);
    if (!entry)
      return 0;
    __atomic_fetch_add(&entry->calls, countOf(word), __ATOMIC_RELAXED);
    __atomic_fetch_add(&entry->references, countOf(word) - taken, __ATOMIC_ACQ_REL);
    return countOf(word);
  }

  std::atomic<uint64_t> word_ = 0;
};

} // namespace tenon::detail
