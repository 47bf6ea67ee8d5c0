//===- RegionFlow.h - what is known of the results of a region op ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what is known of its operands, by the groups and bodies of its record.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/RegionLayout.h"
#include "lib/trace/Trace.h"

#include <optional>

namespace tenon {

/// Knowledge says what is known of a value (State, whose default is nothing yet), what is of one that has come two ways
/// (`merged`), of the outputs of a region by its inputs (`through`), and of all results where a value with this
/// state chooses or counts (`chosenBy`).
template <class Knowledge>
class RegionFlow {
public:
  using State = typename Knowledge::State;
  RegionFlow(const OpInfo &info, const Trace &trace, const TraceOp &op, std::vector<State> operands,
             const Knowledge &knowledge)
      : info_(info), regions_(trace.regions(op)), operands_(std::move(operands)), results_(op.results),
        knowledge_(knowledge) {
    layout_.read(info, op.operandCount, trace.attributes(op));
  }

  /// By result.
  std::vector<State> results() {
    for (size_t i = 0; i < operands_.size(); ++i)
      if (!layout_.reachesResults(i))
        if (const auto all = knowledge_.chosenBy(operands_[i]))
          return std::vector<State>(results_.size(), *all);
    for (size_t r = 0; r < regions_.size(); ++r)
      if (regionInfo(info_, r).returned == Returned::results)
        merge(outputsOf(r));
    for (size_t r = 0; r < regions_.size(); ++r)
      if (regionInfo(info_, r).returned == Returned::round)
        merge(roundsOf(r));
    for (size_t r = 0; r < regions_.size(); ++r)
      if (regionInfo(info_, r).returned == Returned::answer)
        if (const auto all = knowledge_.chosenBy(outputsOf(r)[0]))
          return std::vector<State>(results_.size(), *all);
    return results_;
  }

private:
  std::vector<State> outputsOf(size_t region) const {
    std::vector<State> inputs;
    for (const size_t operand : layout_.inputsOf(region))
      inputs.push_back(operands_[operand]);
    return knowledge_.through(*regions_[region], inputs);
  }

  /// A carry goes in as it comes out.
  std::vector<State> roundsOf(size_t region) {
    const RegionLayout::Group carried = layout_.carries();
    std::vector<State> outputs;
    for (bool changed = true; changed;) {
      changed = false;
      outputs = outputsOf(region);
      for (size_t k = 0; k < carried.size; ++k) {
        const State both = knowledge_.merged(operands_[carried.begin + k], outputs[k]);
        changed |= both != operands_[carried.begin + k];
        operands_[carried.begin + k] = both;
      }
    }
    for (size_t k = 0; k < carried.size; ++k)
      outputs[k] = operands_[carried.begin + k];
    return outputs;
  }

  void merge(const std::vector<State> &outputs) {
    for (size_t i = 0; i < results_.size(); ++i)
      results_[i] = knowledge_.merged(results_[i], outputs[i]);
  }

  const OpInfo &info_;
  std::span<const TraceRef> regions_;
  std::vector<State> operands_, results_;
  Knowledge knowledge_;
  RegionLayout layout_;
};

} // namespace tenon
