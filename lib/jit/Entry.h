//===- Entry.h - a signature of a jitted function, and its paths --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/jit/AutoSymbols.h"
#include "lib/jit/Path.h"
#include "lib/jit/Signature.h"

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <utility>

namespace tenon::detail {

/// A counted reference of an entry.
class EntryRef {
public:
  EntryRef() = default;
  explicit EntryRef(JitEntry *entry) : entry_(entry) {} // takes over one reference
  EntryRef(const EntryRef &other);
  EntryRef(EntryRef &&other) noexcept : entry_(other.detach()) {}
  EntryRef &operator=(EntryRef other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~EntryRef() {
    if (entry_)
      releaseJitEntry(entry_);
  }
  static EntryRef share(JitEntry *entry);
  JitEntry *operator->() const { return entry_; }
  JitEntry &operator*() const { return *entry_; }
  explicit operator bool() const { return entry_; }
  JitEntry *detach() { return std::exchange(entry_, nullptr); }

private:
  JitEntry *entry_ = nullptr;
};

/// One signature, and the ways through the function that its calls take.
struct JitEntry {
  uint64_t references = 1;
  Signature signature;
  uint64_t hash = 0; ///< of the signature's calls
  size_t bytes = 0;
  bool listed = false; ///< in a cache
  /// Its sizes are symbols that a caller of `concrete` has named: only such a caller finds it.
  bool isApart = false;
  /// What was recorded in its place, when the function had come to ask otherwise; for all in whose place it stands
  /// there is one, which those keep. Under the cache's lock.
  struct Successor {
    EntryRef entry;
  };
  std::shared_ptr<Successor> successor;
  std::weak_ptr<Successor> standsIn;
  /// The line of the call that it was recorded for.
  std::string tracedAt;
  /// The sizes that have become symbols by themselves.
  AutoChoice symbols = {};
  /// Of the leaves.
  std::vector<std::string> leafPaths;
  /// Calls of kept programs, as far as they are counted: see EntryCache::callsOf.
  uint64_t calls = 0;
  JitTimes times;

  /// The path of the last call, if it is straight (see JitPath) and has a program, and the signature is one of Arrays
  /// without symbols.
  std::atomic<JitPath *> straight = nullptr;

  /// How many it may have, at most `mostPaths`.
  uint32_t maxPaths = 16;
  static constexpr uint32_t mostPaths = 64;
  /// The path of the last call.
  JitPath &path() { return *paths_[__atomic_load_n(&last_, __ATOMIC_ACQUIRE)]; }
  std::span<const std::unique_ptr<JitPath>> paths() const {
    return {paths_.data(), __atomic_load_n(&count_, __ATOMIC_ACQUIRE)};
  }
  /// Under the cache's lock, like `add`; the paths stay where they are, so that calls read without it.
  bool isFull() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE) == maxPaths; }
  void add(std::unique_ptr<JitPath> path) {
    paths_[count_] = std::move(path);
    __atomic_store_n(&last_, count_, __ATOMIC_RELEASE);
    __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
  }
  void use(const JitPath &path) {
    const auto all = paths();
    for (uint32_t i = 0; i < all.size(); ++i)
      if (all[i].get() == &path && i != __atomic_load_n(&last_, __ATOMIC_RELAXED))
        __atomic_store_n(&last_, i, __ATOMIC_RELEASE);
  }

private:
  std::array<std::unique_ptr<JitPath>, mostPaths> paths_;
  uint32_t count_ = 0, last_ = 0;
};

inline EntryRef EntryRef::share(JitEntry *entry) {
  __atomic_fetch_add(&entry->references, 1, __ATOMIC_RELAXED);
  return EntryRef(entry);
}
inline EntryRef::EntryRef(const EntryRef &other) : entry_(other.entry_) {
  if (entry_)
    __atomic_fetch_add(&entry_->references, 1, __ATOMIC_RELAXED);
}

} // namespace tenon::detail
