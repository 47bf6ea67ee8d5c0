//===- BodyStates.cpp - Variables in bodies that run at most once ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/BodyStates.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

void BodyStates::Scope::addAssigned(std::vector<Array> &results) {
  scope_.settle();
  scope_.expectReadsSeen();
  Body body{results.size(), {}};
  for (const StateScope::Use &use : scope_.uses()) {
    body.uses.push_back({use.cell, use.capture, use.isAssigned});
    if (!use.isAssigned)
      continue;
    results.push_back(use.current);
    if (std::ranges::find(states_.assigned_, use.cell, &Assigned::cell) == states_.assigned_.end())
      states_.assigned_.push_back({use.cell, use.assignedAt});
  }
  states_.bodies_.push_back(std::move(body));
}

void BodyStates::complete(std::span<Record::Result> recorded) {
  if (assigned_.empty())
    return;
  // A body that does not assign what another one does gives what it was before, whatever the host has assigned.
  if (std::ranges::any_of(recorded, [](const Record::Result &body) { return body.trace->callsHost(); }))
    for (Assigned &one : assigned_)
      one.hostCalledSince = true;
  for (size_t b = 0; b < recorded.size(); ++b) {
    const Body &body = bodies_[b];
    TraceBody trace = recorded[b].trace->body();
    std::vector<Array> &captures = recorded[b].captures;
    const size_t firstCapture = trace.inputs.size() - captures.size();
    // What it has found in the Variable.
    auto input = [&](const CellRef &cell) {
      if (const auto use = std::ranges::find(body.uses, cell, &Use::cell); use != body.uses.end() && use->capture)
        return trace.inputs[firstCapture + *use->capture];
      const auto id = static_cast<ValueId>(trace.types.size());
      trace.types.push_back(typeOfState(cell));
      trace.inputs.push_back(id);
      captures.push_back(reads_.of(cell));
      return id;
    };
    std::vector<ValueId> values;
    for (const Assigned &one : assigned_) {
      size_t place = body.results;
      auto use = body.uses.begin();
      for (; use != body.uses.end() && use->cell != one.cell; ++use)
        place += use->isAssigned;
      values.push_back(use != body.uses.end() && use->isAssigned ? trace.outputs[place] : input(one.cell));
    }
    const auto own = std::ranges::count_if(body.uses, &Use::isAssigned);
    const auto first = trace.outputs.begin() + static_cast<ptrdiff_t>(body.results);
    trace.outputs.insert(trace.outputs.erase(first, first + own), values.begin(), values.end());
    recorded[b].trace = Trace::make(std::move(trace));
  }
}

void BodyStates::read(std::span<Array> captures, Location at) {
  if (!StateScope::innermost() && !assigned_.empty()) {
    std::vector<CellRef> cells;
    for (const Assigned &one : assigned_)
      cells.push_back(one.cell);
    held_.emplace(std::move(cells), at);
  }
  for (const StateReads::Read &read : reads_.all())
    if (const auto capture = std::ranges::find(captures, read.value.value(), &Array::value); capture != captures.end())
      *capture = stateOf(read.cell);
}

void BodyStates::commit(std::vector<Array> &results) {
  const size_t first = results.size() - assigned_.size();
  for (size_t i = 0; i < assigned_.size(); ++i)
    results[first + i] = storable(assigned_[i].cell, results[first + i], "assign", assigned_[i].at);
  for (size_t i = 0; i < assigned_.size(); ++i)
    commitState(assigned_[i].cell, results[first + i], assigned_[i].at, assigned_[i].hostCalledSince);
  results.resize(first);
}
