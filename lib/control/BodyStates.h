//===- BodyStates.h - Variables in bodies that run at most once -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a branch, a checkpoint, a composite or a function with a rule reads of Variables are
// captures of its body; what it assigns are results of the op, behind the function's own, and is
// assigned when the op has run.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Record.h"
#include "lib/trace/State.h"

#include <optional>

namespace tenon {

/// The Variables of the bodies of one op.
class BodyStates {
public:
  /// On the thread while a body is recorded, from before its Record is active.
  class Scope {
  public:
    Scope(BodyStates &states, Record &record) : states_(states), scope_(record, &states.reads_) {
      record.know(states.inputs_);
    }
    /// The body has run: what it has assigned is put behind its results.
    void addAssigned(std::vector<Array> &results);

  private:
    BodyStates &states_;
    detail::StateScope scope_;
  };

  /// Of bodies that take `inputs`, the first ones of their Records.
  explicit BodyStates(std::span<const Array> inputs) : inputs_(inputs) {}

  /// Of all bodies, in the order in which they were recorded. Those that assign less than others return what they
  /// have found, so that all assign the same.
  void complete(std::span<Record::Result> recorded);
  /// How many results of body number `body` are the function's own.
  size_t results(size_t body) const { return bodies_[body].results; }
  /// How many are behind them once all is complete: what is assigned.
  size_t assigned() const { return assigned_.size(); }
  /// Of what the bodies capture: what Variables hold now. Those that are assigned are held until this ends.
  void read(std::span<Array> captures, Location at);
  /// Takes the last ones of `results`, and assigns them, all or none.
  void commit(std::vector<Array> &results);

private:
  struct Use {
    detail::CellRef cell;
    /// None: the body has made it.
    std::optional<size_t> capture;
    bool isAssigned;
  };
  struct Body {
    size_t results;
    std::vector<Use> uses;
  };
  struct Assigned {
    detail::CellRef cell;
    Location at;
    bool hostCalledSince = false;
  };
  std::span<const Array> inputs_;
  detail::StateReads reads_;
  std::vector<Body> bodies_;
  /// In the order in which they were met.
  std::vector<Assigned> assigned_;
  std::optional<detail::HeldCells> held_;
};

} // namespace tenon
