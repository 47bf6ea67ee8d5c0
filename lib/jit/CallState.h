//===- CallState.h - the Variables of a call ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/jit/Path.h"
#include "lib/program/Program.h"
#include "lib/trace/State.h"

#include <optional>
#include <span>
#include <vector>

namespace tenon::detail {

/// The Variables of a path during a call: held where they are assigned, so that no other call
/// assigns them meanwhile.
class CallState {
public:
  CallState(const JitState &state, Location at);
  /// What was taken and not committed is there again.
  ~CallState();
  CallState(const CallState &) = delete;

  /// What they hold, among what the path reads, which are the program's inputs from `first` on.
  /// `isLast`: nothing but the program reads them, so it may write its results in their place: donors.
  /// `asRead`: see RecordedNow.
  void read(std::span<Array> reads, size_t first, bool isLast, std::span<const Array> asRead, Program::Donors &donors);
  /// What Variable number `i` held.
  const Array &value(size_t i) const { return values_[i]; }
  /// All or none of them are assigned.
  template <class Take>
  void commit(const Take &take) {
    std::vector<Array> values(cells_.size());
    for (size_t i = 0; i < cells_.size(); ++i)
      if (uses_[i].assigned)
        values[i] = storable(cells_[i], take(*uses_[i].assigned), "jit", at_);
    for (size_t i = 0; i < cells_.size(); ++i)
      if (uses_[i].assigned) {
        taken_[i] = false;
        commitState(cells_[i], values[i], at_);
      }
  }

private:
  std::span<const VariableUse> uses_;
  std::vector<CellRef> cells_;
  /// Where they were asked for.
  std::vector<Array> values_;
  std::vector<bool> taken_;
  std::optional<HeldCells> held_;
  Location at_;
};

} // namespace tenon::detail
