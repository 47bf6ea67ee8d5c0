//===- Numbers.h - values by what they are known by -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Tapes.h"

#include <vector>

namespace tenon {

/// The number on a tape of each value that it knows: an open table, as eager ops ask it twice
/// and more.
class Numbers {
public:
  static constexpr uint32_t none = UINT32_MAX;

  uint32_t find(const Identity &identity) const {
    if (entries_.empty())
      return none;
    for (size_t i = placeOf(identity);; i = (i + 1) & (entries_.size() - 1)) {
      if (entries_[i].number == none || entries_[i].identity == identity)
        return entries_[i].number;
    }
  }
  /// Of a value that is there already the number is replaced.
  void insert(const Identity &identity, uint32_t number) {
    if (2 * (count_ + 1) > entries_.size())
      grow();
    size_t i = placeOf(identity);
    while (entries_[i].number != none && !(entries_[i].identity == identity))
      i = (i + 1) & (entries_.size() - 1);
    count_ += entries_[i].number == none;
    entries_[i] = {identity, number};
  }

private:
  struct Entry {
    Identity identity;
    uint32_t number = none;
  };
  size_t placeOf(const Identity &identity) const {
    const uint64_t mixed = (identity.number ^ identity.owner << 32) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(mixed >> 32) & (entries_.size() - 1);
  }
  void grow() {
    std::vector<Entry> before(entries_.empty() ? 64 : 4 * entries_.size());
    before.swap(entries_);
    count_ = 0;
    for (const Entry &entry : before)
      if (entry.number != none)
        insert(entry.identity, entry.number);
  }

  std::vector<Entry> entries_;
  size_t count_ = 0;
};

} // namespace tenon
