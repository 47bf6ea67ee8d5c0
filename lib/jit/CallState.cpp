//===- CallState.cpp - the Variables of a call --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/CallState.h"

#include <tenon/error.h>

#include <utility>

using namespace tenon;
using namespace tenon::detail;

CallState::CallState(const JitState &state, Location at) : uses_(state.variables), at_(at) {
  std::vector<HeldCells::One> assigned;
  for (const VariableUse &use : uses_) {
    cells_.push_back(use.cell.lock());
    if (!cells_.back())
      throw Error("jit: a Variable that the function uses was destroyed during the call", at_);
    if (use.assigned)
      assigned.push_back({cells_.back(), !use.mayNotNest});
  }
  values_.resize(cells_.size());
  taken_.resize(cells_.size());
  if (!assigned.empty() && !StateScope::innermost())
    held_.emplace(std::move(assigned), at_);
}

CallState::~CallState() {
  for (size_t i = 0; i < cells_.size(); ++i)
    if (taken_[i])
      cells_[i]->set(std::move(values_[i]));
}

void CallState::read(std::span<Array> reads, size_t first, bool isLast, std::span<const Array> asRead,
                     Program::Donors &donors) {
  auto isKnown = [&](size_t i) { return i < asRead.size() && asRead[i].has_value(); };
  auto mayTake = [&](size_t i) {
    const VariableUse &use = uses_[i];
    return isLast && held_ && use.read && use.assigned && !use.isKept && first + *use.read < donors.size() &&
           !isKnown(i) && !StateOverlay::of(cells_[i]);
  };
  for (size_t i = 0; i < cells_.size(); ++i)
    if (uses_[i].read && !mayTake(i))
      values_[i] = isKnown(i)          ? stateAsRead(cells_[i], asRead[i])
                   : uses_[i].isUnread ? stateUnread(cells_[i])
                                       : stateOf(cells_[i]);
  // Nobody who has taken one waits for another: two calls may each read what the other updates.
  for (size_t i = 0; i < cells_.size(); ++i)
    if (mayTake(i)) {
      taken_[i] = cells_[i]->take(values_[i]);
      donors.set(first + *uses_[i].read, taken_[i]);
    }
  for (size_t i = 0; i < cells_.size(); ++i)
    if (uses_[i].read)
      reads[*uses_[i].read] = values_[i];
}
