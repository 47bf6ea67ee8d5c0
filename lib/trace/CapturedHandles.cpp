//===- CapturedHandles.cpp - the handles that a trace has captured arrays from ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/CapturedHandles.h"

#include "lib/base/Describe.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/trace/Record.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

using namespace tenon;
using namespace tenon::detail;

namespace tenon::detail {
/// All handles that are watched.
struct HandleTable {
  /// Last in the lock order, because a handle may be released while any other lock is held.
  rt::ForkLock lock{rt::LockOrder::capturedHandles};
  /// For each watched handle: who watches it, and its index in that owner's `all_`.
  std::unordered_multimap<const Array *, std::pair<CapturedHandles *, size_t>> watched;
  /// For each value: how many entries of `watched` hold it.
  std::unordered_map<Value *, size_t> counts;
  /// Number of watched handles by a hash of the address. Most handles of captured values are temporaries; an empty
  /// bucket rules them out without the lock.
  std::array<std::atomic<uint32_t>, 1024> buckets = {};

  static HandleTable &get() {
    static constinit rt::Lasting<HandleTable> instance;
    return instance.get();
  }
  std::atomic<uint32_t> &bucket(const Array *handle) {
    return buckets[(reinterpret_cast<uintptr_t>(handle) * 0x9e3779b97f4a7c15u >> 32) % buckets.size()];
  }
  bool mayWatch(const Array *handle) { return bucket(handle).load(std::memory_order_relaxed); }

  void add(CapturedHandles &owner, size_t number) {
    CapturedHandles::One &one = owner.all_[number];
    size_t &count = counts[one.value.get()];
    watched.emplace(one.handle, std::pair(&owner, number));
    // From here on nothing throws.
    one.state = CapturedHandles::One::watched;
    bucket(one.handle).fetch_add(1, std::memory_order_relaxed);
    if (count++ == 0)
      __atomic_fetch_or(&one.value.get()->references, Value::captured, __ATOMIC_RELAXED);
  }
  /// `place`: of the handle in `watched`; returns the next place.
  auto remove(decltype(watched)::iterator place) {
    const CapturedHandles::One &one = place->second.first->all_[place->second.second];
    bucket(one.handle).fetch_sub(1, std::memory_order_relaxed);
    if (const auto count = counts.find(one.value.get()); --count->second == 0) {
      counts.erase(count);
      __atomic_fetch_and(&one.value.get()->references, ~Value::captured, __ATOMIC_RELAXED);
    }
    return watched.erase(place);
  }
  void remove(CapturedHandles &owner, size_t number) {
    const auto [first, last] = watched.equal_range(owner.all_[number].handle);
    remove(std::find_if(first, last, [&](const auto &one) { return one.second == std::pair(&owner, number); }));
  }

  /// The handle does not hold the value any more. `isAssigned`: it holds `next` instead; else it was destroyed or
  /// moved from.
  void leave(const Array *handle, const Value *value, bool isAssigned, const Value *next) {
    if (!mayWatch(handle))
      return;
    std::lock_guard guard(lock);
    const auto [first, last] = watched.equal_range(handle);
    for (auto place = first; place != last;) {
      auto &[owner, number] = place->second;
      CapturedHandles::One &one = owner->all_[number];
      // A function may assign a traced value and put the old one back (`net.w = traced; ...; net.w = kept`), so the
      // handle stays watched. An array assigned after the traced value goes unnoticed.
      const bool isKept = isAssigned && owner->isComplete_ && next && !next->isBuffer();
      if (one.value.get() != value || isKept) {
        ++place;
        continue;
      }
      const bool isStale = isAssigned && owner->isComplete_;
      one.state = isStale ? CapturedHandles::One::assigned : CapturedHandles::One::gone;
      if (isStale)
        owner->stale_.store(true, std::memory_order_relaxed);
      place = remove(place);
    }
  }
};
} // namespace tenon::detail

void detail::leftByDestroyed(const Array *handle, Value *value) noexcept {
  HandleTable::get().leave(handle, value, false, nullptr);
}

void detail::leftByMoved(const Array *handle, Value *value) noexcept {
  HandleTable::get().leave(handle, value, false, nullptr);
}

void detail::leftByAssigned(const Array *handle, Value *value) noexcept {
  if (handle->value() != value)
    HandleTable::get().leave(handle, value, true, handle->value());
}

CapturedHandles::~CapturedHandles() {
  HandleTable &table = HandleTable::get();
  std::lock_guard lock(table.lock);
  for (size_t i = 0; i < all_.size(); ++i)
    if (all_[i].state == One::watched)
      table.remove(*this, i);
}

void CapturedHandles::watch(const Array *handle, Value *value, Location at) {
  HandleTable &table = HandleTable::get();
  std::lock_guard lock(table.lock);
  const auto [first, last] = table.watched.equal_range(handle);
  if (std::any_of(first, last, [&](const auto &one) {
        return one.second.first == this && all_[one.second.second].value.get() == value;
      }))
    return;
  retain(value);
  all_.push_back({handle, StateRef<Value>(value), at});
  table.add(*this, all_.size() - 1);
}

void CapturedHandles::complete(std::span<const Array> captured) {
  HandleTable &table = HandleTable::get();
  std::unordered_set<const Value *> values;
  for (const Array &array : captured)
    values.insert(array.value());
  std::vector<StateRef<Value>> dropped; // released after the lock
  std::lock_guard lock(table.lock);
  for (size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].state == One::watched && values.contains(all_[i].value.get()))
      continue;
    if (all_[i].state == One::watched)
      table.remove(*this, i);
    all_[i].state = One::gone;
    dropped.push_back(std::move(all_[i].value));
  }
  isComplete_ = true;
}

void CapturedHandles::watchAround() const {
  std::vector<std::tuple<const Array *, StateRef<Value>, Location>> all;
  {
    std::lock_guard lock(HandleTable::get().lock);
    for (const One &one : all_)
      if (one.state == One::watched)
        all.emplace_back(one.handle, one.value, one.at);
  }
  for (const auto &[handle, value, at] : all)
    Record::watchHandle(handle, value.get(), at);
}

std::string CapturedHandles::staleText(bool isOnce) {
  std::string text;
  size_t others = 0;
  std::lock_guard lock(HandleTable::get().lock);
  for (One &one : all_) {
    if (one.state != One::assigned)
      continue;
    if (isOnce)
      one.state = One::said;
    if (!text.empty()) {
      ++others;
      continue;
    }
    text = "the array " + typeOf(one.value.get()).str();
    if (one.at.known())
      text += " captured at " + placeText(one.at);
  }
  if (isOnce)
    stale_.store(false, std::memory_order_relaxed);
  return text + andOthers(others);
}

void detail::noteOperand(const Array *handle, Location at) {
  if (handle && handle->value() && handle->value()->isBuffer() && innermostRecord()) [[unlikely]]
    Record::watchHandle(handle, handle->value(), userLocation(at));
}
